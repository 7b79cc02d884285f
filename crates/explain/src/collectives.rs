//! The collectives of the finished program, those that are alike as one, with their reasons and their share.

use crate::layers::Layers;
use crate::model::{Collective, Graph, ReasonKind};
use crate::reasons::{Asked, Found, Reasons};
use crate::timeline::Simulated;
use crate::trace::{Input, Key};
use crate::walk::each_run;
use crate::written::short_axes;
use meshwright_base::arrange::Arrange;
use meshwright_cost::Pattern;
use meshwright_cost::collective::sent as bytes_sent;
use meshwright_cost::traffic::pattern_of;
use meshwright_ir::op::{Collective as Op, Groups};
use meshwright_ir::{Function, InstId, Module, Op as AnyOp, SourceId, ValueId};
use meshwright_shard::AxisRef;
use std::collections::BTreeMap;

/// One operand of one collective of the program.
pub struct Sent<'m> {
    op: &'m Op,
    pattern: Pattern,
    inst: InstId,
    operand: ValueId,
    result: ValueId,
    source: SourceId,
    /// Part of a message of several.
    is_joined: bool,
    /// The part of its bytes.
    share: f64,
}

/// What collectives have in common that are told as one.
type Alike = (String, String, String, String, usize);

/// All of them, by bytes. Layers and the graph's nodes are told of theirs.
pub fn collectives(
    program: &Module,
    (input, reasons): (&Input, &Reasons<'_>),
    simulated: &Simulated<'_>,
    layers: &mut Layers,
    graph: &mut Graph,
) -> Vec<Collective> {
    let mut found: Vec<Collective> = Vec::new();
    let mut known: BTreeMap<Alike, usize> = BTreeMap::new();
    let mut nodes: Vec<(usize, usize)> = Vec::new();
    each_run(program, &mut |func, inst, times| {
        for sent in operands(func, inst) {
            let asked = asked(func, &sent, input);
            let of = reasons.find(&asked);
            let made = collective(program, func, &sent, of, simulated, layers);
            let node = made.node;
            let at = *known.entry(alike(&made)).or_insert_with(|| {
                found.push(made.clone());
                found.len() - 1
            });
            add(&mut found[at], &made, times);
            nodes.extend(node.map(|node| (node, at)));
        }
    });
    let sent: f64 = found.iter().map(|of| of.sent).sum();
    for of in &mut found {
        of.share = if sent > 0.0 { of.sent / sent } else { 0.0 };
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.arrange_by(|a, b| found[*b].sent.total_cmp(&found[*a].sent).then(a.cmp(b)));
    let mut place = vec![0; found.len()];
    order.iter().enumerate().for_each(|(now, before)| place[*before] = now);
    for (node, at) in nodes {
        let of = &mut graph.nodes[node].collectives;
        if !of.contains(&place[at]) {
            of.push(place[at]);
        }
    }
    let sorted: Vec<Collective> = order.into_iter().map(|at| found[at].clone()).collect();
    for (at, of) in sorted.iter().enumerate() {
        let layer = &mut layers.list[of.layer];
        layer.sent += of.sent;
        layer.collective_seconds += of.seconds;
        layer.collectives.push(at);
    }
    sorted
}

/// The operands that an instruction sends, if it is a collective that does.
pub fn operands(func: &Function, inst: InstId) -> Vec<Sent<'_>> {
    let info = func.inst(inst);
    let AnyOp::Collective(op) = &info.op else { return Vec::new() };
    let pattern = pattern_of(&op.kind);
    if op.group_size <= 1 && pattern != Pattern::Permute {
        return Vec::new();
    }
    let is_joined = info.operands.len() > 1 && info.operands.len() == info.results.len();
    let each = info.operands.iter().zip(&info.results);
    let bytes = |(operand, result): (&ValueId, &ValueId)| {
        (func.ty(*operand).byte_size() + func.ty(*result).byte_size()) as f64
    };
    let all: f64 = each.clone().map(bytes).sum();
    let sent = |(operand, result): (&ValueId, &ValueId)| Sent {
        op,
        pattern,
        inst,
        operand: *operand,
        result: *result,
        source: info.source,
        is_joined,
        share: if all > 0.0 { bytes((operand, result)) / all } else { 1.0 },
    };
    each.map(sent).collect()
}

/// What the reason of one is found by.
pub fn asked<'a>(func: &Function, sent: &Sent<'a>, input: &Input) -> Asked<'a> {
    let axes: &[AxisRef] = match &sent.op.groups {
        Groups::Axes { axes, .. } => axes,
        _ => &[],
    };
    let own = input.inst(sent.source).map(|_| Key::Made(sent.source, 0));
    let of_operand = input.key_through(func, sent.operand);
    let key = if sent.is_joined { of_operand.or(own) } else { own.or(of_operand) };
    Asked { pattern: sent.pattern, axes, source: sent.source, key }
}

/// `all-reduce over x*y`, and the bytes that a device sends in a run.
pub fn traveling(program: &Module, func: &Function, sent: &Sent<'_>) -> (String, f64) {
    let axes = axes_of(program, sent);
    let over = if axes.is_empty() { String::new() } else { format!(" over {axes}") };
    (format!("{}{over}", sent.pattern), bytes_of(func, sent))
}

fn bytes_of(func: &Function, sent: &Sent<'_>) -> f64 {
    let (input, output) = (func.ty(sent.operand).byte_size(), func.ty(sent.result).byte_size());
    bytes_sent(sent.pattern, sent.op.group_size, input as f64, output as f64)
}

fn axes_of(program: &Module, sent: &Sent<'_>) -> String {
    match &sent.op.groups {
        Groups::Axes { mesh, axes } => {
            program.meshes.get(*mesh).map_or(String::new(), |mesh| short_axes(axes, mesh))
        }
        _ => String::new(),
    }
}

fn collective(
    program: &Module,
    func: &Function,
    sent: &Sent<'_>,
    of: Found,
    simulated: &Simulated<'_>,
    layers: &Layers,
) -> Collective {
    let axes = axes_of(program, sent);
    // A parameter belongs to who needs it.
    let layer = match (layers.at(sent.source), of.needed_at) {
        (own, Some(needed)) if own == layers.elsewhere() => layers.at(needed),
        (own, _) => own,
    };
    Collective {
        kind: sent.pattern.to_string(),
        axes,
        group_size: sent.op.group_size,
        ty: func.ty(sent.result).to_string(),
        bytes: bytes_of(func, sent),
        seconds: sent.share * simulated.collective(func, sent.inst, sent.op),
        layer,
        value: of.value,
        node: of.node,
        reason: of.reason,
        ..Collective::default()
    }
}

/// What is told as one: the same exchange of values of one line or name, or, where the module tells no lines, of one op
/// and type.
fn alike(of: &Collective) -> Alike {
    let value = match (of.value.line(), &of.value.called) {
        (Some(site), _) => format!("{}:{}:{}", site.file, site.line, of.value.op),
        (None, Some(called)) => crate::layers::folded_name(called),
        (None, None) if of.value.op == "parameter" => of.value.name.clone(),
        (None, None) => format!("{} {}", of.value.op, of.value.ty),
    };
    let to = match of.reason.kind {
        ReasonKind::PartialSum | ReasonKind::Reshard => {
            format!("{:?}{:?}", of.reason.from, of.reason.to)
        }
        ReasonKind::Exchange | ReasonKind::Unknown => String::new(),
    };
    (of.kind.clone(), format!("{}|{}", of.axes, of.ty), value, to, of.layer)
}

fn add(all: &mut Collective, one: &Collective, times: f64) {
    if all.instructions == 0 {
        all.seconds = 0.0;
    }
    all.instructions += 1;
    all.runs += times;
    all.sent += times * one.bytes;
    all.seconds += times * one.seconds;
}
