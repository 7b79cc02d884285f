//! How the parameters of a run lie on its devices, in few rows: blocks that are alike are one.

use super::error::Error;
use super::load::Loaded;
use super::plan::TrainingPlan;
use meshwright_nn::models::step::Model;
use meshwright_nn::params::Spec;
use std::collections::BTreeMap;

/// Parameters that lie alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Laid {
    /// `block_*.moe.wi` for those of several blocks.
    pub name: String,
    pub count: usize,
    /// `expert=8 expert_model=64`
    pub dims: String,
    /// `2x64`
    pub local: String,
    /// What is split and over which axes; empty if nothing is.
    pub split: String,
}

/// Every parameter of a step, in the order in which the model declares them.
pub fn layout(plan: &TrainingPlan, step: &Loaded) -> Result<Vec<Laid>, Error> {
    let mut rows: Vec<Laid> = Vec::new();
    let mut known: BTreeMap<[String; 3], usize> = BTreeMap::new();
    for spec in plan.model.specs().list {
        let Some(row) = of(&spec, plan, step)? else { continue };
        let key = [row.name.clone(), row.dims.clone(), row.local.clone()];
        match known.get(&key).and_then(|at| rows.get_mut(*at)) {
            Some(same) => same.count += 1,
            None => {
                known.insert(key, rows.len());
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

fn of(spec: &Spec, plan: &TrainingPlan, step: &Loaded) -> Result<Option<Laid>, Error> {
    let Some(at) = step.program.input(&format!("params.{}", spec.name)) else { return Ok(None) };
    let local = step.input_place(at)?.shard_dims();
    let joined = |parts: Vec<String>, by: &str| parts.join(by);
    let split = spec.dims.iter().zip(&local).filter(|((_, size), local)| *local < size);
    let over = |name: &str| format!("{name} over {}", plan.table.axes_over(name).join(", "));
    Ok(Some(Laid {
        name: without_number(&spec.name),
        count: 1,
        dims: joined(spec.dims.iter().map(|(name, size)| format!("{name}={size}")).collect(), " "),
        local: joined(local.iter().map(ToString::to_string).collect(), "x"),
        split: joined(split.map(|((name, _), _)| over(name)).collect(), "; "),
    }))
}

/// `encoder.block_3.mlp.wi` as `encoder.block_*.mlp.wi`.
fn without_number(name: &str) -> String {
    let part = |part: &str| if part.starts_with("block_") { "block_*".to_string() } else { part.to_string() };
    name.split('.').map(part).collect::<Vec<_>>().join(".")
}
