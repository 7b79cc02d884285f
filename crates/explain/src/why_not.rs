//! What another sharding of a value would cost, and the first thing that stood against it.

use crate::explain::Explained;
use crate::model::{Label, Totals};
use crate::suggest::tried_with;
use crate::trace::{called, sharding_text};
use crate::wish::Wish;
use crate::written::{short_axes, short_sharding};
use meshwright_base::Diagnostic;
use meshwright_base::units::{bytes, seconds};
use meshwright_compile::Options;
use meshwright_complete::OriginStep;
use meshwright_ir::{Annotation, Dim, FuncId, ValueId};
use meshwright_shard::{AxisRef, Mesh, axis};
use serde::Serialize;
use std::fmt::Write;

/// The answer.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct WhyNot {
    pub value: Label,
    /// How many more values were asked for at once.
    pub more: usize,
    /// As it is, and as it was asked for.
    pub is: String,
    pub wanted: String,
    pub before: Totals,
    pub after: Totals,
    /// What stood against it first; `None` where it is so already.
    pub against: Option<String>,
}

/// Partition with a wish, and compare.
pub fn why_not(explained: &Explained, wish: &Wish, options: &Options) -> Result<WhyNot, Vec<Diagnostic>> {
    let after = tried_with(&explained.input.module, std::slice::from_ref(wish), options)?;
    let module = &explained.completed;
    let input = &explained.input;
    let asked = wish.values.first().copied();
    let found = asked.and_then(|asked| completed_value(explained, asked));
    let is = found.and_then(|(func, value)| sharding_text(&module.funcs[func], value, &module.meshes));
    let label = asked.and_then(|(func, value)| input.key(&input.module.funcs[func], value));
    Ok(WhyNot {
        value: label.map_or_else(Label::default, |key| input.label(key, is.clone())),
        more: wish.values.len().saturating_sub(1),
        is: is.unwrap_or_else(|| "[]".into()),
        wanted: short_sharding(&wish.sharding, &input.module.meshes),
        before: explained.explanation.totals,
        after,
        against: found.and_then(|of| against(explained, of, wish)),
    })
}

/// A value of the input in the completed module.
fn completed_value(explained: &Explained, (func, value): (FuncId, ValueId)) -> Option<(FuncId, ValueId)> {
    use meshwright_ir::Def;
    let (input, completed) = (&explained.input, &explained.completed);
    let given = &input.module.funcs[func];
    match given.value(value).def {
        Def::Param { index, .. } if func == input.module.entry => {
            Some((completed.entry, *completed.main().param_values().get(index)?))
        }
        Def::Param { .. } => None,
        Def::Result { inst, index } => {
            let source = given.inst(inst).source;
            completed.funcs.iter().find_map(|(id, body)| {
                let found =
                    body.insts_in_order().into_iter().find(|inst| body.inst(*inst).source == source)?;
                Some((id, *body.inst(found).results.get(index)?))
            })
        }
    }
}

/// The first axis that is wanted and not there: who has it, or why it did not come.
fn against(explained: &Explained, (func, value): (FuncId, ValueId), wish: &Wish) -> Option<String> {
    let module = &explained.completed;
    let report = &explained.compiled.completion;
    let sharding = module.funcs[func].value(value).sharding.as_ref().and_then(Annotation::as_mesh)?;
    let mesh = &module.meshes[sharding.mesh];
    let origin = |dim: usize, axis: AxisRef| {
        let steps = report.why(module, func, value, Dim::new(dim));
        let origin = steps.into_iter().filter(|step| step.is_origin()).find(|step| step.axis.overlaps(axis));
        let name = |origin: &OriginStep| {
            let main = module.main();
            let is_it = |param: &ValueId| origin.func == module.entry && origin.value == Some(*param);
            let given = main.param_values().iter().position(is_it).and_then(|index| called(main, index));
            given.unwrap_or_else(|| quoted(&origin.name))
        };
        origin.map_or(String::new(), |origin| format!(", from the annotation on {}", name(&origin)))
    };
    let pairs = sharding.dims.iter().zip(&wish.sharding.dims).enumerate();
    let missing = pairs.clone().find_map(|(dim, (has, wanted))| {
        Some((dim, axis::difference(&wanted.axes, &has.axes).first().copied()?))
    });
    if let Some((dim, axis)) = missing {
        let name = short_axes(&[axis], mesh);
        let elsewhere = sharding.dims.iter().position(|dim| axis::overlap(&dim.axes, &[axis]));
        if let Some(other) = elsewhere {
            return Some(format!("`{name}` shards dimension {other}{}", origin(other, axis)));
        }
        let blocked = report.why_not(module, func, value, Dim::new(dim));
        if let Some(blocked) = blocked.iter().find(|blocked| blocked.axis_name == name) {
            return Some(blocked.to_string());
        }
        return Some(match sharding.dims[dim].axes.first() {
            Some(first) => {
                format!("dimension {dim} is sharded over {}{}", named(first, mesh), origin(dim, *first))
            }
            None => format!("no annotation propagates `{name}` to dimension {dim}"),
        });
    }
    let more = pairs.clone().find_map(|(dim, (has, wanted))| {
        Some((dim, axis::difference(&has.axes, &wanted.axes).first().copied()?))
    });
    let (dim, axis) = more?;
    Some(format!("dimension {dim} is sharded over {}{}", named(&axis, mesh), origin(dim, axis)))
}

fn named(axis: &AxisRef, mesh: &Mesh) -> String {
    format!("`{}`", short_axes(&[*axis], mesh))
}

fn quoted(name: &str) -> String {
    if name.starts_with('%') { format!("`{name}`") } else { name.to_string() }
}

/// The text of an answer.
pub fn why_not_text(of: &WhyNot) -> String {
    let more = if of.more > 0 { format!(" and {} like it", of.more) } else { String::new() };
    let mut out =
        format!("{}{more}: {} now, {} requested\n", crate::overview::value(&of.value), of.is, of.wanted);
    let rows = [
        ("bytes sent", of.before.sent, of.after.sent, bytes as fn(f64) -> String),
        ("estimated step", of.before.seconds, of.after.seconds, seconds),
        ("peak memory", of.before.peak as f64, of.after.peak as f64, bytes),
    ];
    let _ = writeln!(out, "  {:14}  {:>9}  {:>9}", "", "now", "requested");
    for (what, before, after, shown) in rows {
        let _ = writeln!(
            out,
            "  {what:14}  {:>9}  {:>9}  {}",
            shown(before),
            shown(after),
            change(before, after)
        );
    }
    if of.value.op == "parameter" {
        out += "results and other parameters of this type keep their shardings\n";
    }
    let _ = match &of.against {
        Some(against) => writeln!(out, "first obstacle: {against}"),
        None => writeln!(out, "no obstacle: the value has this sharding already"),
    };
    out
}

/// `+8.0%`.
pub fn change(before: f64, after: f64) -> String {
    if before == after {
        return "unchanged".into();
    }
    if before <= 0.0 {
        return "new".into();
    }
    let share = 100.0 * (after - before) / before;
    if share.abs() < 0.1 { "under 0.1%".into() } else { format!("{share:+.1}%") }
}
