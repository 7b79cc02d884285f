//! Two programs compared, or one program under two sets of annotations: what changed, and which annotation did it.
//!
//! Values are known by what the user's program calls them: a parameter's name, the framework's name of an op, else the
//! op and its type. So other value names and other lines are no difference. Where both programs have an annotated value
//! that is split otherwise, the second program is partitioned again with the first one's sharding of it: what that
//! changes is what the annotation did.

use crate::explain::Explained;
use crate::model::{Explanation, Label, Totals};
use crate::overview::value;
use crate::reasons::base_name;
use crate::suggest::{of_text, tried_with};
use crate::units::{bytes, seconds};
use crate::why_not::change;
use crate::wish::{Wish, mesh_of};
use crate::written::short_sharding;
use meshwright_base::arrange::Arrange;
use meshwright_compile::Options;
use meshwright_ir::{Annotation, Def, FuncId, Module, ValueId};
use meshwright_shard::Sharding;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Annotations that are tried one by one.
const MOST_TRIED: usize = 12;

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Difference {
    pub before: Totals,
    pub after: Totals,
    /// Collectives that one has more of, what adds most bytes first.
    pub collectives: Vec<Changed>,
    pub annotations: Vec<Moved>,
    /// Whether the programs have a value of one name.
    pub related: bool,
}

/// Collectives of one kind, over the same axes, of one value.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Changed {
    pub kind: String,
    pub axes: String,
    pub value: Label,
    pub runs_before: f64,
    pub runs_after: f64,
    pub sent_before: f64,
    pub sent_after: f64,
    /// The line and the reason, of the program that has more.
    pub cause: String,
}

/// A value that is annotated otherwise.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Moved {
    pub value: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// What the second program costs with the first one's annotation, where that could be tried.
    pub undone: Option<Totals>,
}

/// Compare; `options` are those of the second.
pub fn diff(before: &Explained, after: &Explained, options: &Options) -> Difference {
    let (old, new) = (annotated(&before.input.module), annotated(&after.input.module));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut annotations = Vec::new();
    for name in names {
        let (had, has) = (old.get(name), new.get(name));
        let (text_before, text_after) = (had.map(|of| of.text.clone()), has.map(|of| of.text.clone()));
        if text_before == text_after {
            continue;
        }
        let undone = (annotations.len() < MOST_TRIED)
            .then(|| undone(after, name, text_before.as_deref(), options))
            .flatten();
        annotations.push(Moved { value: name.clone(), before: text_before, after: text_after, undone });
    }
    let known = |of: &Explained| -> BTreeSet<String> {
        of.explanation.graph.nodes.iter().filter_map(|node| common_name(&node.label)).collect()
    };
    Difference {
        before: before.explanation.totals,
        after: after.explanation.totals,
        collectives: changed(&before.explanation, &after.explanation),
        annotations,
        related: !known(before).is_disjoint(&known(after)),
    }
}

/// What two programs may both call a value; constants and the like say nothing.
fn common_name(label: &Label) -> Option<String> {
    if label.op == "parameter" {
        return Some(label.called.clone().unwrap_or_else(|| format!("{} {}", label.name, label.ty)));
    }
    label.op_name.as_deref().map(str::to_string)
}

/// How a value is known in both programs.
fn identity(label: &Label) -> String {
    match (&label.called, &label.op_name) {
        (Some(called), _) => called.clone(),
        (None, Some(name)) => name.to_string(),
        (None, None) if label.op == "parameter" => label.name.clone(),
        (None, None) => format!("{} {}", label.op, label.ty),
    }
}

fn changed(before: &Explanation, after: &Explanation) -> Vec<Changed> {
    let mut found: BTreeMap<(String, String, String), Changed> = BTreeMap::new();
    for (is_new, of) in [(false, before), (true, after)] {
        for one in &of.collectives {
            let key = (one.kind.clone(), one.axes.clone(), crate::layers::folded(&identity(&one.value)).0);
            let entry = found.entry(key).or_insert_with(|| Changed {
                kind: one.kind.clone(),
                axes: one.axes.clone(),
                value: one.value.clone(),
                ..Changed::default()
            });
            let (runs, sent) = if is_new {
                (&mut entry.runs_after, &mut entry.sent_after)
            } else {
                (&mut entry.runs_before, &mut entry.sent_before)
            };
            *runs += one.runs;
            *sent += one.sent;
            if is_new || entry.cause.is_empty() {
                let site =
                    one.reason.consumers.iter().find_map(|of| of.site.as_ref()).or(one.value.site.as_ref());
                let line =
                    site.map_or(String::new(), |site| format!("{}:{}: ", base_name(&site.file), site.line));
                entry.cause = format!("{line}{}", one.reason.text);
            }
        }
    }
    let mut found: Vec<Changed> = found.into_values().collect();
    found.retain(|of| of.sent_before != of.sent_after || of.runs_before != of.runs_after);
    found.arrange_by(|a, b| {
        let grows = |of: &Changed| of.sent_after - of.sent_before;
        grows(b).abs().total_cmp(&grows(a).abs())
    });
    found
}

/// A value with an annotation.
struct Annotated {
    value: (FuncId, ValueId),
    text: String,
}

/// By name; values of one name by number.
fn annotated(module: &Module) -> BTreeMap<String, Annotated> {
    let mut found = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (id, func) in module.funcs.iter() {
        let insts = func.insts_in_order();
        let made = insts.iter().flat_map(|inst| &func.inst(*inst).results);
        for value in func.param_values().iter().chain(made) {
            let Some(annotation) = &func.value(*value).sharding else { continue };
            let text = match annotation {
                Annotation::Mesh(sharding) => short_sharding(sharding, &module.meshes),
                Annotation::Hlo(sharding) => format!("{sharding:?}"),
            };
            let name = known_as(module, id, *value);
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            found.insert(name, Annotated { value: (id, *value), text });
        }
    }
    found
}

fn known_as(module: &Module, func: FuncId, value: ValueId) -> String {
    let body = &module.funcs[func];
    match body.value(value).def {
        Def::Param { index, .. } if func == module.entry => {
            crate::trace::called(body, index).unwrap_or_else(|| crate::trace::name_of(body, value))
        }
        Def::Param { .. } => crate::trace::name_of(body, value),
        Def::Result { inst, .. } => {
            let info = body.inst(inst);
            let name = module.sources.get(info.source).and_then(|source| source.op_name.clone());
            name.map_or_else(|| format!("{} {}", info.op.mnemonic(), body.ty(value)), |name| name.to_string())
        }
    }
}

/// The second program with one annotation as the first has it.
fn undone(after: &Explained, name: &str, before: Option<&str>, options: &Options) -> Option<Totals> {
    let module = &after.input.module;
    let (mesh, _) = mesh_of(module).ok()?;
    let value = match annotated(module).get(name) {
        Some(of) => of.value,
        None => values_known_as(module, name)?,
    };
    let rank = module.funcs[value.0].dims(value.1).len();
    let sharding = match before {
        Some(text) => of_text(module, mesh, text).filter(|sharding| sharding.rank() == rank)?,
        None => Sharding::open(mesh, rank),
    };
    let wish = Wish { values: vec![value], names: vec![name.into()], sharding };
    tried_with(module, &[wish], options).ok()
}

/// A parameter that is not annotated in this program.
fn values_known_as(module: &Module, name: &str) -> Option<(FuncId, ValueId)> {
    let main = module.main();
    let found = main.param_values().iter().find(|value| known_as(module, module.entry, **value) == name);
    found.map(|value| (module.entry, *value))
}

impl Difference {
    /// How much more the second costs, of what grew most: bytes, time or memory, in percent.
    pub fn growth(&self) -> f64 {
        let pairs = [
            (self.before.sent, self.after.sent),
            (self.before.seconds, self.after.seconds),
            (self.before.peak as f64, self.after.peak as f64),
        ];
        let grown = pairs.iter().map(|(before, after)| match (*before > 0.0, *after > 0.0) {
            (true, _) => 100.0 * (after - before) / before,
            (false, true) => f64::INFINITY,
            (false, false) => 0.0,
        });
        grown.fold(0.0, f64::max)
    }

    /// A table and lists in Markdown, for a comment on a change.
    pub fn markdown(&self) -> String {
        const MOST: usize = 20;
        let mut out = String::from("| | before | after | |\n|---|---|---|---|\n");
        let (a, b) = (&self.before, &self.after);
        let rows = [
            ("bytes sent", bytes(a.sent), bytes(b.sent), change(a.sent, b.sent)),
            ("estimated time", seconds(a.seconds), seconds(b.seconds), change(a.seconds, b.seconds)),
            ("peak", bytes(a.peak as f64), bytes(b.peak as f64), change(a.peak as f64, b.peak as f64)),
            (
                "collectives",
                format!("{:.0}", a.collectives),
                format!("{:.0}", b.collectives),
                change(a.collectives, b.collectives),
            ),
        ];
        for (what, before, after, change) in rows {
            let _ = writeln!(out, "| {what} | {before} | {after} | {change} |");
        }
        if !self.collectives.is_empty() {
            out += "\n**Collectives**\n\n";
        }
        for of in self.collectives.iter().take(MOST) {
            let over = if of.axes.is_empty() { String::new() } else { format!(" over {}", of.axes) };
            let (runs, sent) = (of.runs_after - of.runs_before, of.sent_after - of.sent_before);
            let _ = writeln!(
                out,
                "- {runs:+.0} {}{over}, {}{}: {}; cause: {}",
                of.kind,
                if sent < 0.0 { "-" } else { "+" },
                bytes(sent.abs()),
                value(&of.value),
                of.cause
            );
        }
        if self.collectives.len() > MOST {
            let _ = writeln!(out, "- and {} more", self.collectives.len() - MOST);
        }
        if !self.annotations.is_empty() {
            out += "\n**Annotations**\n\n";
        }
        for of in &self.annotations {
            let text = |of: &Option<String>| of.clone().unwrap_or_else(|| "none".into());
            let _ = write!(out, "- `{}`: {} -> {}", of.value, text(&of.before), text(&of.after));
            let _ = match &of.undone {
                Some(undone) => writeln!(
                    out,
                    "; as it was, the second program would send {} ({})",
                    bytes(undone.sent),
                    change(self.after.sent, undone.sent)
                ),
                None => writeln!(out),
            };
        }
        out
    }
}
