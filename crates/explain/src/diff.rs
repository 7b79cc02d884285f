//! Two programs compared, or one program under two sets of annotations: what changed, and which annotation did it.
//!
//! Values are known by what the user's program calls them: a parameter's name, the framework's name of an op, else the
//! op and its type. So other value names and other lines are no difference. Where both programs have an annotated value
//! that is split otherwise, the second program is partitioned again with the first one's sharding of it: what that
//! changes is what the annotation did.

use crate::explain::Explained;
use crate::layers::{folded, folded_name};
use crate::model::{Collective, Explanation, Label, Totals};
use crate::overview::value;
use crate::reasons::base_name;
use crate::suggest::{of_text, tried_with};
use crate::trace::name_of;
use crate::why_not::change;
use crate::wish::{Wish, mesh_of};
use crate::written::short_sharding;
use meshwright_base::arrange::Arrange;
use meshwright_base::units::{bytes, seconds};
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
    /// The reason alone, which names its lines.
    #[serde(skip)]
    pub reason: String,
}

/// A value that is annotated otherwise.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Moved {
    pub value: String,
    /// How many more are annotated alike: of other layers, or by the same line.
    pub more: usize,
    /// The line, of what is no parameter.
    pub place: Option<String>,
    pub before: Option<String>,
    pub after: Option<String>,
    /// What the second program costs with the first one's annotation, where that could be tried.
    pub undone: Option<Totals>,
}

/// Compare; `options` are those of the second.
pub fn diff(before: &Explained, after: &Explained, options: &Options) -> Difference {
    let annotations = moved(before, after, options);
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

/// Values that are annotated otherwise, those of all layers or of one line together, what does most first.
fn moved(before: &Explained, after: &Explained, options: &Options) -> Vec<Moved> {
    let (old, new) = (annotated(&before.input.module), annotated(&after.input.module));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    // Parameters first; of one kind, from one sharding to another.
    type Alike<'a> = (bool, &'a str, Option<&'a str>, Option<&'a str>);
    let mut groups: BTreeMap<Alike<'_>, Vec<&String>> = BTreeMap::new();
    for name in names {
        let (had, has) = (old.get(name), new.get(name));
        let texts = [had, has].map(|of| of.map(|of| of.text.as_str()));
        let Some(of) = has.or(had).filter(|_| texts[0] != texts[1]) else { continue };
        groups.entry((!of.is_given, &of.kind, texts[0], texts[1])).or_default().push(name);
    }
    let mut found: Vec<Moved> = Vec::new();
    for ((.., had, has), names) in groups {
        let values = names.iter().filter_map(|name| match new.get(*name) {
            Some(of) => Some(of.value),
            None => values_known_as(&after.input.module, name),
        });
        let values: Vec<(FuncId, ValueId)> = values.collect();
        let undone = (found.len() < MOST_TRIED).then(|| undone(after, values, had, options)).flatten();
        let place = names.first().and_then(|name| new.get(*name).or(old.get(*name))?.place.clone());
        found.push(Moved {
            value: names[0].clone(),
            more: names.len() - 1,
            place,
            before: had.map(str::to_string),
            after: has.map(str::to_string),
            undone,
        });
    }
    let now = after.explanation.totals.sent;
    let does = |of: &Moved| of.undone.as_ref().map_or(-1.0, |undone| (undone.sent - now).abs());
    found.arrange_by(|a, b| does(b).total_cmp(&does(a)));
    found
}

/// What two programs may both call a value; constants and the like say nothing.
fn common_name(label: &Label) -> Option<String> {
    if label.op == "parameter" {
        return Some(label.called.clone().unwrap_or_else(|| format!("{} {}", label.name, label.ty)));
    }
    label.op_name.as_deref().map(str::to_string)
}

/// How a value is known in both programs: not by its name in the text, nor by its line, which moves.
fn identity(label: &Label) -> String {
    let function = || label.site.as_ref().and_then(|site| site.function.as_deref()).unwrap_or_default();
    match (&label.called, &label.op_name) {
        (Some(called), _) => format!("{} {}", folded_name(called), label.op),
        (None, Some(name)) => format!("{} {} {}", folded(name).0, label.ty, function()),
        (None, None) if label.op == "parameter" => label.name.clone(),
        (None, None) => format!("{} {} {}", label.op, label.ty, function()),
    }
}

fn changed(before: &Explanation, after: &Explanation) -> Vec<Changed> {
    // What each program has of one kind: the first of it, runs and bytes.
    type Has<'a> = (Option<&'a Collective>, f64, f64);
    let mut found: BTreeMap<(&str, &str, String), [Has<'_>; 2]> = BTreeMap::new();
    for (side, of) in [before, after].into_iter().enumerate() {
        for one in &of.collectives {
            let key = (one.kind.as_str(), one.axes.as_str(), identity(&one.value));
            let (first, runs, sent) = &mut found.entry(key).or_default()[side];
            first.get_or_insert(one);
            *runs += one.runs;
            *sent += one.sent;
        }
    }
    let one = |has: [Has<'_>; 2]| {
        let [(old, runs_before, sent_before), (new, runs_after, sent_after)] = has;
        let told = if sent_after >= sent_before { new.or(old) } else { old.or(new) }?;
        Some(Changed {
            kind: told.kind.clone(),
            axes: told.axes.clone(),
            value: told.value.clone(),
            runs_before,
            runs_after,
            sent_before,
            sent_after,
            cause: cause(told),
            reason: told.reason.text.clone(),
        })
    };
    let mut found: Vec<Changed> = found.into_values().filter_map(one).collect();
    found.retain(|of| of.sent_before != of.sent_after || of.runs_before != of.runs_after);
    found.arrange_by(|a, b| {
        let grows = |of: &Changed| of.sent_after - of.sent_before;
        grows(b).abs().total_cmp(&grows(a).abs())
    });
    found
}

/// The line that needs it, and why.
fn cause(of: &Collective) -> String {
    let consumer = of.reason.consumers.iter().find_map(|label| label.site.as_ref());
    let site = consumer.or(of.value.site.as_ref());
    let line = site.map_or(String::new(), |site| format!("{}:{}: ", base_name(&site.file), site.line));
    format!("{line}{}", of.reason.text)
}

/// A value with an annotation.
struct Annotated {
    value: (FuncId, ValueId),
    text: String,
    /// What it has in common with those of other layers, or of the same line.
    kind: String,
    /// A parameter of the program.
    is_given: bool,
    place: Option<String>,
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
            let is_given = id == module.entry && func.param_values().contains(value);
            let source = func.def_inst(*value).and_then(|inst| module.sources.get(func.inst(inst).source));
            let place = source.and_then(|source| source.frames.first());
            let place = place.map(|frame| format!("{}:{}", base_name(&frame.file), frame.line));
            let kind = match &place {
                Some(place) => place.clone(),
                None => folded_name(&name),
            };
            let count = counts.entry(name.clone()).or_default();
            *count += 1;
            let name = if *count > 1 { format!("{name} ({count})") } else { name };
            found.insert(name, Annotated { value: (id, *value), text, kind, is_given, place });
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

/// The second program with some values annotated as in the first.
fn undone(
    after: &Explained,
    values: Vec<(FuncId, ValueId)>,
    before: Option<&str>,
    options: &Options,
) -> Option<Totals> {
    let module = &after.input.module;
    let (mesh, _) = mesh_of(module).ok()?;
    let (func, first) = *values.first()?;
    let rank = module.funcs[func].dims(first).len();
    let sharding = match before {
        Some(text) => of_text(module, mesh, text).filter(|sharding| sharding.rank() == rank)?,
        None => Sharding::open(mesh, rank),
    };
    let names = values.iter().map(|(func, value)| name_of(&module.funcs[*func], *value)).collect();
    tried_with(module, &[Wish { values, names, sharding }], options).ok()
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
            ("estimated step", seconds(a.seconds), seconds(b.seconds), change(a.seconds, b.seconds)),
            ("peak memory", bytes(a.peak as f64), bytes(b.peak as f64), change(a.peak as f64, b.peak as f64)),
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
            let over = if of.axes.is_empty() { String::new() } else { format!(" over `{}`", of.axes) };
            let (runs, sent) = (of.runs_after - of.runs_before, of.sent_after - of.sent_before);
            let _ = writeln!(
                out,
                "- {runs:+.0} {}{over}, {}{}: {}{}{}",
                of.kind,
                if sent < 0.0 { "-" } else { "+" },
                bytes(sent.abs()),
                value(&of.value),
                if of.reason.is_empty() { "" } else { "; cause: " },
                of.reason
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
            let more = if of.more > 0 { format!(" and {} like it", of.more) } else { String::new() };
            let at = of.place.as_ref().map_or(String::new(), |place| format!(" at {place}"));
            let _ = write!(out, "- `{}`{at}{more}: {} -> {}", of.value, text(&of.before), text(&of.after));
            let _ = match &of.undone {
                Some(undone) => writeln!(
                    out,
                    "; with the old sharding the second program sends {} ({})",
                    bytes(undone.sent),
                    change(self.after.sent, undone.sent)
                ),
                None => writeln!(out),
            };
        }
        out
    }
}
