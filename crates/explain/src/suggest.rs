//! Annotations that would save bytes: thought of where collectives are, and measured by partitioning with each.
//!
//! What is tried: for each collective, the largest first, the value that changes its sharding and those it meets at its
//! users, split as either side is; each as it is split, over one axis more; then the parameters; then every way to
//! split these over the axes of the mesh. Values
//! of one line, or parameters that differ by the number of their layer, are annotated together, as a user would. An
//! annotation that is why there is a collective is tried as the value is needed: that is told last, as it changes what
//! the user said. A candidate counts if the program with it sends fewer bytes and computes no more. How many are tried
//! depends on the size of the module alone, so the answer is the same on every run.

use crate::explain::{Explained, totals};
use crate::layers::{folded, folded_name};
use crate::model::{Label, Site, Suggestion, Totals};
use crate::trace::{Input, Key, called, name_of, sharding_text};
use crate::wish::{Wish, is_open, mesh_of};
use crate::written::short_sharding;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_compile::{Options, Unobserved};
use meshwright_ir::{FuncId, Module, Op, ValueId};
use meshwright_shard::{AxisRef, Mesh, MeshId, Sharding, axis};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Collectives whose neighbourhood is looked at.
const MOST_COLLECTIVES: usize = 12;

/// Instructions that may be partitioned for it, all candidates together.
const MOST_INSTRUCTIONS: usize = 120_000;
const MOST_TRIED: usize = 100;

/// Of programs of more ops than this nothing is tried: partitioning once takes as long as all the rest.
pub const MOST_OPS: usize = 40_000;

/// Suggestions that are told, and the share of all bytes that one must save.
const MOST_TOLD: usize = 5;
const LEAST_SAVED: f64 = 0.02;

/// Flops by those without it that count as no more.
const AS_MANY: f64 = 1.005;

/// Values that are annotated together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Together(Rc<[(FuncId, ValueId)]>);

/// What was found, of how many that were tried.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Advice {
    pub suggestions: Vec<Suggestion>,
    pub tried: usize,
}

/// Find annotations, what saves most first.
///
/// `expression` is what stands at a line of the user's program, where it can be read: the line to paste names it.
pub fn suggest(
    explained: &Explained,
    options: &Options,
    expression: &dyn Fn(&Site) -> Option<String>,
) -> Advice {
    let input = &explained.input;
    let module = &input.module;
    let Ok((mesh, _)) = mesh_of(module) else { return Advice::default() };
    let before = explained.explanation.totals;
    if before.sent <= 0.0 || explained.explanation.graph.nodes.len() > MOST_OPS {
        return Advice::default();
    }
    let instructions = explained.explanation.program.instructions.max(1);
    let most = (MOST_INSTRUCTIONS / instructions).clamp(2, MOST_TRIED);
    let families = families(explained);
    let mut tried: BTreeSet<(Together, String)> = BTreeSet::new();
    let mut found: Vec<(Wish, Totals)> = Vec::new();
    for (together, sharding) in candidates(explained, &families, mesh) {
        if tried.len() >= most {
            break;
        }
        if !tried.insert((together.clone(), short_sharding(&sharding, &module.meshes))) {
            continue;
        }
        let names = together.0.iter().map(|(func, value)| name_of(&module.funcs[*func], *value)).collect();
        let wish = Wish { values: together.0.to_vec(), names, sharding };
        let Ok(after) = tried_with(module, std::slice::from_ref(&wish), options) else { continue };
        let saves = before.sent - after.sent >= before.sent * LEAST_SAVED;
        if saves && after.flops <= before.flops * AS_MANY {
            found.push((wish, after));
        }
    }
    // Of those that save as much: what a line of the user's program makes, what leaves all annotations as they are,
    // what the user's program has a name for, what takes less time, the fewest places.
    let is_unnamed = |wish: &Wish| wish.values.first().is_none_or(|value| !has_name(module, *value));
    let saved = |of: &Totals| (of.sent / before.sent * 200.0).round();
    found.arrange_by(|(a, of_a), (b, of_b)| {
        let sent = saved(of_a).total_cmp(&saved(of_b));
        let changes = |wish: &Wish| annotated(module, wish).is_some();
        let backward = |wish: &Wish| wish.values.first().is_some_and(|value| is_of_backward(module, *value));
        let sent = sent.then(backward(a).cmp(&backward(b)));
        let sent = sent.then(changes(a).cmp(&changes(b))).then(is_unnamed(a).cmp(&is_unnamed(b)));
        sent.then(of_a.seconds.total_cmp(&of_b.seconds)).then(a.values.len().cmp(&b.values.len()))
    });
    // Two that lead to the same program are one.
    found.dedup_by(|(_, later), (_, first)| later.sent == first.sent && later.peak == first.peak);
    let told = found.into_iter().take(MOST_TOLD);
    let suggestions =
        told.map(|(wish, after)| suggestion(input, &wish, (before, after), expression)).collect();
    Advice { suggestions, tried: tried.len() }
}

/// What the values of a wish are annotated as, if they are.
fn annotated(module: &Module, wish: &Wish) -> Option<String> {
    let (func, value) = wish.values.first().copied()?;
    if is_open(module, func, value) {
        return None;
    }
    sharding_text(&module.funcs[func], value, &module.meshes)
}

/// Whether a value is a parameter, or made by an op that the framework names.
fn has_name(module: &Module, (func, value): (FuncId, ValueId)) -> bool {
    let body = &module.funcs[func];
    match body.def_inst(value) {
        None => true,
        Some(inst) => {
            module.sources.get(body.inst(inst).source).is_some_and(|source| source.op_name.is_some())
        }
    }
}

/// What a module costs with annotations more, from really partitioning it.
pub fn tried_with(module: &Module, wishes: &[Wish], options: &Options) -> Result<Totals, Vec<Diagnostic>> {
    let mut with = module.clone();
    wishes.iter().for_each(|wish| wish.apply(&mut with));
    let options = Options { trust: true, verify_each: false, ..options.clone() };
    let compiled = meshwright_compile::partition(with, &options, &mut Unobserved)?;
    Ok(totals(compiled.program.module(), &options.partition.machine))
}

fn suggestion(
    input: &Input,
    wish: &Wish,
    (before, after): (Totals, Totals),
    expression: &dyn Fn(&Site) -> Option<String>,
) -> Suggestion {
    let module = &input.module;
    let sharding = short_sharding(&wish.sharding, &module.meshes);
    let labels: Vec<Label> =
        wish.values.iter().filter_map(|value| Some(input.label(key_of(input, *value)?, None))).collect();
    let annotate = labels.iter().map(|label| format!("{}={sharding}", label.name)).collect();
    let mesh = &module.meshes[wish.sharding.mesh];
    let first = labels.first().cloned().unwrap_or_default();
    let written = || first.site.as_ref().and_then(expression);
    let value = first.called.clone().or_else(written).unwrap_or_else(|| "value".into());
    let instead_of = annotated(module, wish);
    // The line that a gradient's place names makes the forward value: pasted there, it would say something else.
    let backward = instead_of.is_none() && labels.iter().any(is_backward);
    let spec = jax_spec(&wish.sharding, mesh).filter(|_| !backward);
    let jax = spec.map(|spec| match &instead_of {
        // There is an annotation already.
        Some(_) => format!("NamedSharding(mesh, {spec})"),
        None => format!("jax.lax.with_sharding_constraint({value}, NamedSharding(mesh, {spec}))"),
    });
    let rust = format!("{}.mesh_split(&mesh, {})", rust_value(&first), rust_cuts(&wish.sharding, mesh));
    Suggestion { values: labels, sharding, instead_of, backward, jax, rust, annotate, before, after }
}

fn is_of_backward(module: &Module, (func, value): (FuncId, ValueId)) -> bool {
    let body = &module.funcs[func];
    let source = body.def_inst(value).and_then(|inst| module.sources.get(body.inst(inst).source));
    source.is_some_and(|source| source.op_name.as_deref().is_some_and(|path| path.contains("transpose(")))
}

/// Whether it was made by transposing a linear function, which is what backward passes are.
fn is_backward(label: &Label) -> bool {
    label.called.is_none() && label.op_name.as_deref().is_some_and(|path| path.contains("transpose("))
}

/// `P('x', None)`; pieces of axes cannot be said so.
pub fn jax_spec(sharding: &Sharding, mesh: &Mesh) -> Option<String> {
    let name = |axis: &AxisRef| {
        let info = mesh.axes.get(axis.axis).filter(|info| info.size == axis.size)?;
        Some(format!("'{}'", info.name))
    };
    let dims = sharding.dims.iter().map(|dim| match dim.axes.as_slice() {
        [] => Some("None".to_string()),
        [one] => name(one),
        several => {
            let names: Option<Vec<String>> = several.iter().map(name).collect();
            Some(format!("({})", names?.join(", ")))
        }
    });
    let dims: Option<Vec<String>> = dims.collect();
    Some(format!("P({})", dims?.join(", ")))
}

/// The name a traced value has, which is that of the text.
fn rust_value(label: &Label) -> String {
    let bare = label.name.trim_start_matches('%');
    let is_word = bare.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && bare.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_word { bare.to_string() } else { "value".into() }
}

/// `("x", -1)`.
fn rust_cuts(sharding: &Sharding, mesh: &Mesh) -> String {
    let name = |axis: &AxisRef| format!("\"{}\"", mesh.axes.get(axis.axis).map_or("?", |info| &info.name));
    let dims = sharding.dims.iter().map(|dim| match dim.axes.as_slice() {
        [] => "-1".to_string(),
        [one] => name(one),
        several => format!("[{}]", several.iter().map(name).collect::<Vec<_>>().join(", ")),
    });
    let dims: Vec<String> = dims.collect();
    match dims.as_slice() {
        [one] => format!("[{one}]"),
        several => format!("({})", several.join(", ")),
    }
}

/// Values by what a user annotates at once: one line, or one parameter of every layer.
struct Families {
    /// Of those that nobody annotated.
    of: BTreeMap<(FuncId, ValueId), Together>,
    /// Of those that somebody did, all in one way.
    annotated: BTreeMap<(FuncId, ValueId), Together>,
    params: Vec<Together>,
}

fn families(explained: &Explained) -> Families {
    let module = &explained.input.module;
    let mut alike: BTreeMap<String, Vec<(FuncId, ValueId)>> = BTreeMap::new();
    let mut params: Vec<String> = Vec::new();
    for (id, func) in module.funcs.iter() {
        let root = func.param_values().iter().enumerate().filter(|_| id == module.entry);
        for (index, value) in root {
            let name = called(func, index).map_or_else(|| name_of(func, *value), |name| folded_name(&name));
            let key = format!("param {name} {}", func.ty(*value));
            if !params.contains(&key) {
                params.push(key.clone());
            }
            alike.entry(key).or_default().push((id, *value));
        }
        for inst in func.insts_in_order() {
            let info = func.inst(inst);
            for (index, value) in info.results.iter().enumerate() {
                let source = module.sources.get(info.source);
                let key = match source.and_then(|source| Some((source, source.frames.first()?))) {
                    Some((source, frame)) => {
                        let name = source.op_name.as_deref().map(|name| folded(name).0).unwrap_or_default();
                        let at = format!("{}:{}:{}", frame.file, frame.line, frame.column);
                        format!("{at} {name} {} {index} {}", info.op.mnemonic(), func.ty(*value))
                    }
                    None => format!("{id:?} {value:?}"),
                };
                alike.entry(key).or_default().push((id, *value));
            }
        }
    }
    let together = |values: &Vec<(FuncId, ValueId)>| {
        let open = values.iter().filter(|(func, value)| is_open(module, *func, *value)).copied();
        Together(open.collect())
    };
    let (mut of, mut annotated) = (BTreeMap::new(), BTreeMap::new());
    // A constraint on a value is one on its gradient too: they stand at one line.
    let mut lines: BTreeMap<String, Vec<(FuncId, ValueId)>> = BTreeMap::new();
    for (id, func) in module.funcs.iter() {
        for inst in func.insts_in_order() {
            let info = func.inst(inst);
            let frame = module.sources.get(info.source).and_then(|source| source.frames.first());
            let (Some(frame), [value]) = (frame, &info.results[..]) else { continue };
            if matches!(info.op, Op::Sharding(_)) {
                let at = format!("{}:{}:{} {}", frame.file, frame.line, frame.column, func.ty(*value));
                lines.entry(at).or_default().push((id, *value));
            }
        }
    }
    for values in alike.values().chain(lines.values()) {
        let group = together(values);
        group.0.iter().for_each(|value| drop(of.insert(*value, group.clone())));
        let text =
            |(func, value): &(FuncId, ValueId)| sharding_text(&module.funcs[*func], *value, &module.meshes);
        let mut by_text: BTreeMap<Option<String>, Vec<(FuncId, ValueId)>> = BTreeMap::new();
        for value in values.iter().filter(|(func, value)| !is_open(module, *func, *value)) {
            by_text.entry(text(value)).or_default().push(*value);
        }
        for same in by_text.into_values() {
            let same = Together(same.into());
            same.0.iter().for_each(|value| drop(annotated.insert(*value, same.clone())));
        }
    }
    let params = params.iter().filter_map(|key| alike.get(key)).map(together);
    Families { of, annotated, params: params.filter(|group| !group.0.is_empty()).collect() }
}

/// What is tried, what promises most first.
fn candidates(explained: &Explained, families: &Families, mesh: MeshId) -> Vec<(Together, Sharding)> {
    let module = &explained.input.module;
    let mut subjects: Vec<Together> = Vec::new();
    let mut first: Vec<(Together, Sharding)> = Vec::new();
    let mut subject = |value: (FuncId, ValueId)| {
        let group = families.of.get(&value)?;
        if !subjects.contains(group) {
            subjects.push(group.clone());
        }
        Some(group.clone())
    };
    let nodes = &explained.explanation.graph.nodes;
    for collective in explained.explanation.collectives.iter().take(MOST_COLLECTIVES) {
        let sides = [&collective.reason.to, &collective.reason.from];
        // Annotations that the value is split by as it is made: its own, or one that spread to it.
        let own = collective.value.of.filter(|(func, value)| !is_open(module, *func, *value));
        // An annotation that is what needs the value otherwise: as the value is made.
        let from = collective.reason.from.as_deref().and_then(|from| of_text(module, mesh, from));
        let asking = collective.reason.consumers.iter().filter_map(|label| label.of);
        for said in asking.filter(|(func, value)| !is_open(module, *func, *value)) {
            let alike = families.annotated.get(&said).cloned().unwrap_or(Together(Rc::from([said])));
            first.extend(from.clone().map(|sharding| (alike, sharding)));
        }
        let spread = collective.reason.origins.iter().filter(|origin| origin.of_producer);
        for said in own.into_iter().chain(spread.filter_map(|origin| origin.of)) {
            let alike = families.annotated.get(&said).cloned().unwrap_or(Together(Rc::from([said])));
            let to = collective.reason.to.as_deref().and_then(|to| of_text(module, mesh, to));
            first.extend(to.map(|sharding| (alike, sharding)));
        }
        if let Some(group) = collective.value.of.and_then(&mut subject) {
            for sharding in sides.into_iter().flatten().filter_map(|text| of_text(module, mesh, text)) {
                first.push((group.clone(), sharding));
            }
        }
        let met = collective.node.map(|node| {
            let users = nodes.iter().filter(move |user| user.inputs.contains(&node));
            users.flat_map(|user| user.inputs.iter().map(|input| &nodes[*input].label).chain([&user.label]))
        });
        for label in met.into_iter().flatten().take(8) {
            if let Some(value) = label.of {
                subject(value);
            }
        }
    }
    let wider = wider(explained, families, mesh, &subjects);
    for group in &families.params {
        if !subjects.contains(group) {
            subjects.push(group.clone());
        }
    }
    let known = &module.meshes[mesh];
    let mut by_rank: Vec<Vec<(Together, Sharding)>> = Vec::new();
    for group in subjects {
        let Some((func, value)) = group.0.first() else { continue };
        let ways = ways(known, mesh, module.funcs[*func].dims(*value));
        for (round, sharding) in ways.into_iter().enumerate() {
            // All values in one way, then all in the next.
            if by_rank.len() <= round {
                by_rank.resize_with(round + 1, Vec::new);
            }
            by_rank[round].push((group.clone(), sharding));
        }
    }
    first.extend(wider);
    first.extend(by_rank.into_iter().flatten());
    first.retain(|(group, sharding)| !group.0.is_empty() && fits(module, group, sharding));
    first
}

/// Every way to split dims evenly, by one axis first.
/// What is split already, over one axis more: activations, and parameters of no layer, as a batch of tokens is.
fn wider(
    explained: &Explained,
    families: &Families,
    mesh: MeshId,
    activations: &[Together],
) -> Vec<(Together, Sharding)> {
    let module = &explained.input.module;
    let known = &module.meshes[mesh];
    let labels = explained.explanation.graph.nodes.iter().map(|node| &node.label);
    let now: BTreeMap<(FuncId, ValueId), &str> =
        labels.filter_map(|label| Some((label.of?, label.sharding.as_deref()?))).collect();
    let main = module.main().param_values().iter().map(|value| (module.entry, *value));
    let given = main.filter_map(|value| families.annotated.get(&value)).filter(|group| group.0.len() == 1);
    let mut found = Vec::new();
    for group in given.chain(activations) {
        let text = group.0.first().and_then(|value| now.get(value));
        let Some(sharding) = text.and_then(|text| of_text(module, mesh, text)) else { continue };
        let used = sharding.used_axes();
        let free =
            known.whole_axes().into_iter().filter(|axis| axis.size > 1 && !axis::overlap(&used, &[*axis]));
        for axis in free {
            for dim in (0..sharding.rank()).filter(|dim| !sharding.dims[*dim].axes.is_empty()) {
                let mut more = sharding.clone();
                more.dims[dim].axes.push(axis);
                found.push((group.clone(), more));
            }
        }
    }
    found
}

fn ways(mesh: &Mesh, id: MeshId, dims: &[i64]) -> Vec<Sharding> {
    const MOST_AXES: usize = 3;
    let axes: Vec<AxisRef> =
        mesh.whole_axes().into_iter().filter(|axis| axis.size > 1).take(MOST_AXES).collect();
    let mut found: Vec<(usize, Vec<Vec<AxisRef>>)> = vec![(0, vec![Vec::new(); dims.len()])];
    for axis in axes {
        let mut more = Vec::new();
        for (used, split) in &found {
            for dim in 0..dims.len() {
                let mut with = split.clone();
                with[dim].push(axis);
                let tiles: i64 = with[dim].iter().map(|axis| axis.size).product();
                if dims[dim] % tiles == 0 {
                    more.push((used + 1, with));
                }
            }
        }
        found.extend(more);
    }
    found.retain(|(used, _)| *used > 0);
    found.arrange_by_key(|(used, _)| *used);
    found.into_iter().map(|(_, split)| Sharding::tiled(id, split)).collect()
}

fn fits(module: &Module, group: &Together, sharding: &Sharding) -> bool {
    group.0.iter().all(|(func, value)| {
        let dims = module.funcs[*func].dims(*value);
        let even = dims.iter().zip(&sharding.dims).all(|(size, dim)| size % dim.tiles() == 0);
        dims.len() == sharding.rank()
            && even
            && !sharding.is_replicated()
            && !is_constant(module, *func, *value)
    })
}

fn is_constant(module: &Module, func: FuncId, value: ValueId) -> bool {
    let body = &module.funcs[func];
    body.def_inst(value).is_some_and(|inst| matches!(body.inst(inst).op, Op::Constant(_) | Op::Iota(_)))
}

fn key_of(input: &Input, (func, value): (FuncId, ValueId)) -> Option<Key> {
    input.key(&input.module.funcs[func], value)
}

/// A sharding that was printed, without sums and pieces of axes.
pub fn of_text(module: &Module, mesh: MeshId, text: &str) -> Option<Sharding> {
    let dims = text.strip_prefix('[')?.split(']').next()?;
    let known = &module.meshes[mesh];
    let dim = |dim: &str| {
        let names = dim.trim().split('*').filter(|name| *name != "_" && !name.is_empty());
        names.map(|name| Some(known.whole(known.axis(name)?))).collect::<Option<Vec<AxisRef>>>()
    };
    let dims: Option<Vec<Vec<AxisRef>>> = dims.split(',').map(dim).collect();
    Some(Sharding::tiled(mesh, dims?))
}
