//! One training step after another: a batch in, the states replaced in place, what became of it out.

use super::error::Error;
use super::held::Held;
use super::host::Host;
use super::load::Loaded;
use super::state::States;
use crate::data::arrays::Arrays;
use crate::metrics::load_entropy;
use meshwright_ir::DType;
use meshwright_runtime::{DeviceArray, HostArray};
use std::collections::BTreeMap;

/// The numbers of a step.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Numbers {
    pub loss: f64,
    /// The loss without what balances experts: nats per token.
    pub nll: f64,
    pub gradient_norm: f64,
    /// What the schedule gave this step.
    pub learning_rate: f64,
    /// Of each layer of experts.
    pub loads: Vec<Loads>,
}

/// Where the tokens of a batch went, over all layers of experts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Experts {
    /// 1 is evenly, 0 all on one; the mean over layers.
    pub entropy: f64,
    /// Share of choices that found no place.
    pub drop_rate: f64,
}

/// Runs the step on a batch. The states of before are used up; a teacher's weights stay as they are.
pub fn run(
    step: &mut Loaded,
    states: &mut States,
    teacher: &States,
    batch: &Arrays,
    host: &Host<'_>,
) -> Result<Vec<Held>, Error> {
    let names: Vec<String> = step.program.inputs().iter().map(|input| input.name.to_string()).collect();
    let mut args = Vec::new();
    for (at, name) in names.iter().enumerate() {
        args.push(if states.held.contains_key(name) {
            states.give(name, &step.input_place(at)?, host)?
        } else if teacher.held.contains_key(name) {
            teacher.lend(name, &step.input_place(at)?, host)?
        } else {
            step.feed(at, batch.get(name), host)?
        });
    }
    let results = step.launch(args)?;
    keep(step, states, results)
}

/// States go back under their names; the rest is returned by position, states as empty places.
fn keep(step: &Loaded, states: &mut States, results: Vec<DeviceArray>) -> Result<Vec<Held>, Error> {
    let mut rest = Vec::new();
    for (at, array) in results.into_iter().enumerate() {
        let held = Held { place: step.result_place(at)?, array };
        let name = &step.program.results()[at].name;
        match step.program.input(name) {
            Some(_) => drop(states.held.insert(name.to_string(), held)),
            None => {
                // It is read in a moment: what goes wrong with that is told here.
                held.array.shards()?;
                rest.push(held);
            }
        }
    }
    Ok(rest)
}

/// Reads the numbers of results; `names` are theirs. Every process must ask, and all know loss and norm.
pub fn numbers(names: &[String], results: &[Held], host: &Host<'_>) -> Result<Numbers, Error> {
    let number = |name: &str| {
        let at = names.iter().position(|known| known == name);
        at.and_then(|at| results.get(at)).and_then(Held::number).unwrap_or(f64::NAN)
    };
    Ok(Numbers {
        loss: number("loss"),
        nll: number("nats"),
        gradient_norm: number("gradient_norm"),
        learning_rate: number("learning_rate"),
        loads: loads(names, results, host)?,
    })
}

/// Names of the results that are no states, in order.
pub fn names(step: &Loaded) -> Vec<String> {
    let results = step.program.results().iter().filter(|result| step.program.input(&result.name).is_none());
    results.map(|result| result.name.to_string()).collect()
}

/// Of one layer of experts: choices that found a place, and those that did not, by expert.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Loads {
    pub routed: Vec<f64>,
    pub dropped: Vec<f64>,
}

impl Loads {
    /// With those of another batch.
    pub fn add(&mut self, other: &Loads) {
        let add = |into: &mut Vec<f64>, more: &[f64]| {
            into.resize(into.len().max(more.len()), 0.0);
            into.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.routed, &other.routed);
        add(&mut self.dropped, &other.dropped);
    }

    /// Share of choices that found no place.
    pub fn drop_rate(&self) -> f64 {
        let (routed, dropped) = (self.routed.iter().sum::<f64>(), self.dropped.iter().sum::<f64>());
        dropped / (routed + dropped).max(1.0)
    }
}

impl Experts {
    /// `None` without layers of experts.
    pub fn of(layers: &[Loads]) -> Option<Experts> {
        let mut all = Loads::default();
        layers.iter().for_each(|layer| all.add(layer));
        let entropies: f64 = layers.iter().map(|layer| load_entropy(&layer.routed)).sum();
        let entropy = entropies / layers.len().max(1) as f64;
        (!layers.is_empty()).then(|| Experts { entropy, drop_rate: all.drop_rate() })
    }
}

/// Of each layer of experts; none without experts, and in processes that do not gather.
pub fn loads(names: &[String], results: &[Held], host: &Host<'_>) -> Result<Vec<Loads>, Error> {
    // All are gathered by every process before any looks at what came: only one of them gets anything.
    let mut counts: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (name, result) in names.iter().zip(results) {
        if (name.starts_with("routed.") || name.starts_with("dropped."))
            && let Some(array) = result.whole(host)?
        {
            counts.insert(name, by_expert(&array));
        }
    }
    let layer = |at: usize| {
        let routed = counts.remove(&*format!("routed.{at}"))?;
        Some(Loads { routed, dropped: counts.remove(&*format!("dropped.{at}")).unwrap_or_default() })
    };
    Ok((0..).map_while(layer).collect())
}

/// Tokens per expert, summed over groups.
fn by_expert(counts: &HostArray) -> Vec<f64> {
    let experts = counts.ty.dims.last().map_or(1, |size| usize::try_from(*size).unwrap_or(1)).max(1);
    let mut loads = vec![0.0; experts];
    for (at, count) in whole_numbers(counts).into_iter().enumerate() {
        loads[at % experts] += count;
    }
    loads
}

fn whole_numbers(array: &HostArray) -> Vec<f64> {
    let one = |bytes: &[u8]| bytes.try_into().map_or(0.0, |bytes| f64::from(i32::from_le_bytes(bytes)));
    if array.ty.dtype == DType::S32 { array.bytes.chunks_exact(4).map(one).collect() } else { Vec::new() }
}
