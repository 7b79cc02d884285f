//! Annotations and Shardy's ops, and the custom calls older modules write instead.

use super::int;
use crate::calls::{OPEN_DIMS, open_dims};
use crate::codes;
use crate::stablehlo::annotate::{sdy, sdy_list, sdy_sharding};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::{Prop, Tree};
use meshwright_base::Diagnostic;
use meshwright_ir::op::sharding::AxisMove;
use meshwright_ir::op::{BarrierDirection, ManualComputation, ReshardOp, ShardingOp};
use meshwright_ir::{Annotation, Function, Inst, Module, Op};
use meshwright_shard::sdy_text::{SdyReader, print_axes, print_axis_lists, print_sharding, print_shardings};
use meshwright_shard::{AxisRef, Mesh, MeshId, Meshes, Reducer, Sharding};
use std::fmt::Write;

/// `@Sharding`, `@SPMDFullToShardShape`, `@SPMDShardToFullShape` with the dims that are left open.
pub fn from_custom_call<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, target: &str) -> Parsed<Option<Op>> {
    let known = matches!(target, "Sharding" | "SPMDFullToShardShape" | "SPMDShardToFullShape");
    if !known || draft.operands.len() != 1 || draft.types.len() != 1 {
        return Ok(None);
    }
    let config = draft.take("backend_config");
    let unspecified = match config.as_ref().and_then(|prop| Some((prop, prop.tree.as_str()?))) {
        None => Vec::new(),
        Some((prop, text)) => open_dims(text).ok_or_else(|| p.bad_prop(prop, OPEN_DIMS))?,
    };
    // A side effect keeps a member of a sharding group alive; it stays with the instruction.
    draft.props.retain(|prop| match (&*prop.name, &prop.tree) {
        ("api_version" | "called_computations", _) => false,
        ("has_side_effect", tree) => tree.as_bool() == Some(true),
        _ => true,
    });
    let shape = p.result(draft, 0)?.dims;
    Ok(Some(Op::Sharding(match target {
        "Sharding" => ShardingOp::Constraint { unspecified },
        "SPMDFullToShardShape" => ShardingOp::FullToShard { unspecified, shape },
        _ => ShardingOp::ShardToFull { unspecified, shape },
    })))
}

/// Let the result's annotation be taken from the op's own sharding attribute.
fn annotate_result<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>, name: &str) -> Parsed<()> {
    let prop = p.need(draft, name)?;
    draft.props.push(Prop { name: "sdy.sharding".into(), ..prop });
    Ok(())
}

pub fn constraint<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    annotate_result(p, draft, "sharding")?;
    let unspecified = p.opt_dims(draft, UNSPECIFIED)?;
    Ok(Op::Sharding(ShardingOp::Constraint { unspecified }))
}

pub fn reshard<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    annotate_result(p, draft, "sharding")?;
    Ok(reshard_op(ReshardOp::Any))
}

fn reshard_op(op: ReshardOp) -> Op {
    Op::Sharding(ShardingOp::Reshard(op))
}

/// The mesh and reducer of `out_sharding`, which becomes the annotation of the result.
fn out_sharding<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Sharding> {
    p.operand_count(draft, 1)?;
    let prop = p.need(draft, "out_sharding")?;
    let sharding = sdy_sharding(p, &prop)?;
    draft.props.push(Prop { name: "sdy.sharding".into(), ..prop });
    Ok(sharding)
}

/// Read the body of `#sdy<word..>`, which the pretty form writes without the word.
fn axes_attr<'a, T>(
    p: &mut Parser<'a>,
    draft: &mut Draft<'a>,
    (name, word): (&str, &str),
    mesh: MeshId,
    read: impl FnOnce(&mut SdyReader<'a>, &Mesh) -> Result<T, Diagnostic>,
) -> Parsed<T> {
    let prop = p.need(draft, name)?;
    let Tree::Dialect { name: "sdy", body } = prop.tree else {
        return Err(p.bad_prop(&prop, &format!("#sdy<{word}..>")));
    };
    sdy(p, body, |reader, scope| {
        reader.eat(word);
        read(reader, &scope.meshes[mesh])
    })
    .map(|(value, _)| value)
}

const LISTS: &str = "list_of_axis_ref_lists";
const LIST: &str = "axis_ref_list";
const MOVES: &str = "all_to_all_param_list";
const MANUAL: &str = "manual_axes";

pub fn all_gather<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let mesh = out_sharding(p, draft)?.mesh;
    let axes = axes_attr(p, draft, ("gathering_axes", LISTS), mesh, |reader, mesh| reader.axis_lists(mesh))?;
    Ok(reshard_op(ReshardOp::AllGather { axes }))
}

pub fn all_slice<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let mesh = out_sharding(p, draft)?.mesh;
    let axes = axes_attr(p, draft, ("slicing_axes", LISTS), mesh, |reader, mesh| reader.axis_lists(mesh))?;
    Ok(reshard_op(ReshardOp::AllSlice { axes }))
}

pub fn permute<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    out_sharding(p, draft)?;
    Ok(reshard_op(ReshardOp::Permute))
}

/// How the operand's parts combine: its annotation says so, or they add up.
fn operand_reducer(p: &Parser<'_>, draft: &Draft<'_>) -> Reducer {
    let sharding = draft.operands.first().and_then(|value| p.func.value(*value).sharding.as_ref());
    let sharding = sharding.and_then(Annotation::as_mesh).filter(|sharding| !sharding.partial.is_empty());
    sharding.map_or(Reducer::Sum, |sharding| sharding.reducer)
}

pub fn all_reduce<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let mesh = out_sharding(p, draft)?.mesh;
    let axes = axes_attr(p, draft, ("reduction_axes", LIST), mesh, |reader, mesh| reader.axes(mesh))?;
    let reducer = operand_reducer(p, draft);
    Ok(reshard_op(ReshardOp::AllReduce { axes, reducer }))
}

pub fn reduce_scatter<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let mesh = out_sharding(p, draft)?.mesh;
    let axes =
        axes_attr(p, draft, ("reduce_scatter_axes", LISTS), mesh, |reader, mesh| reader.axis_lists(mesh))?;
    let reducer = operand_reducer(p, draft);
    Ok(reshard_op(ReshardOp::ReduceScatter { axes, reducer }))
}

pub fn to_partial<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let Sharding { mesh, reducer, .. } = out_sharding(p, draft)?;
    let axes = axes_attr(p, draft, ("axes", LIST), mesh, |reader, mesh| reader.axes(mesh))?;
    Ok(reshard_op(ReshardOp::ToPartial { axes, reducer }))
}

pub fn all_to_all<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let mesh = out_sharding(p, draft)?.mesh;
    let moves = axes_attr(p, draft, ("params", MOVES), mesh, axis_moves)?;
    Ok(reshard_op(ReshardOp::AllToAll { moves }))
}

/// `[{"b"}: 0->2, {"c"}: 1->3]`.
fn axis_moves(reader: &mut SdyReader<'_>, mesh: &Mesh) -> Result<Vec<AxisMove>, Diagnostic> {
    let mut moves = Vec::new();
    reader.expect("[")?;
    while !reader.eat("]") {
        if !moves.is_empty() {
            reader.expect(",")?;
        }
        let axes = reader.axes(mesh)?;
        reader.expect(":")?;
        let from = dim(reader)?;
        reader.expect("->")?;
        let to = dim(reader)?;
        moves.push(AxisMove { axes, from, to });
    }
    Ok(moves)
}

fn dim(reader: &mut SdyReader<'_>) -> Result<usize, Diagnostic> {
    let start = reader.consumed();
    let number = reader.integer()?;
    usize::try_from(number).map_err(|_| reader.error_since(start, format!("{number} cannot be a dim")))
}

pub fn group<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    let id = p.int(draft, "group_id")?;
    Ok(Op::Sharding(ShardingOp::Group { id }))
}

const DIRECTIONS: [(&str, BarrierDirection); 3] = [
    ("NONE", BarrierDirection::None),
    ("FORWARD", BarrierDirection::Forward),
    ("BACKWARD", BarrierDirection::Backward),
];

/// The generic form writes the direction by its number.
pub fn barrier<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.operand_count(draft, 1)?;
    let prop = p.need(draft, "allowed_direction")?;
    let numbered = prop.tree.as_int().and_then(|number| DIRECTIONS.get(usize::try_from(number).ok()?));
    let allowed = match numbered {
        Some((_, direction)) => *direction,
        None => p.case_of(&prop, &DIRECTIONS)?,
    };
    Ok(Op::Sharding(ShardingOp::Barrier { allowed }))
}

pub fn manual<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let in_shardings = sdy_list(p, draft, "in_shardings")?;
    let out_shardings = sdy_list(p, draft, "out_shardings")?;
    let known = in_shardings.iter().chain(&out_shardings).map(|sharding| sharding.mesh).next();
    let Some(mesh) = known.or_else(|| p.module.meshes.keys().next()) else {
        let message = "a manual computation needs a mesh, but none is declared";
        let help = "declare one: `sdy.mesh @mesh = <[\"x\"=2]>`";
        return Err(p.fail_help(codes::UNDEFINED, draft.at, message, help));
    };
    let axes = axes_attr(p, draft, ("manual_axes", MANUAL), mesh, |reader, mesh| reader.axes(mesh))?;
    Ok(Op::Sharding(ShardingOp::Manual(ManualComputation { mesh, axes, in_shardings, out_shardings })))
}

pub fn named<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    p.region_count(draft, 1)?;
    let name = p.opt_string(draft, "name")?.unwrap_or_default().into_owned();
    let in_shardings =
        if draft.has("in_shardings") { sdy_list(p, draft, "in_shardings")? } else { Vec::new() };
    let out_shardings =
        if draft.has("out_shardings") { sdy_list(p, draft, "out_shardings")? } else { Vec::new() };
    Ok(Op::Sharding(ShardingOp::Named { name, in_shardings, out_shardings }))
}

/// Name and attributes. The sharding that stands in an op's own attribute is the annotation of its result.
pub fn describe<'m>(
    module: &'m Module,
    func: &'m Function,
    inst: &'m Inst,
    op: &'m ShardingOp,
) -> (&'static str, Vec<Prop<'m>>) {
    let annotation = inst.results.first().and_then(|value| func.value(*value).sharding.as_ref());
    match (op, annotation.and_then(Annotation::as_mesh)) {
        (ShardingOp::Constraint { unspecified }, Some(sharding)) => {
            let sharding = sharding_prop("sharding", sharding, module);
            (
                "sdy.sharding_constraint",
                vec![sharding].into_iter().chain(unspecified_prop(unspecified)).collect(),
            )
        }
        (ShardingOp::Constraint { unspecified }, None) => custom("Sharding", unspecified),
        (ShardingOp::FullToShard { unspecified, .. }, _) => custom("SPMDFullToShardShape", unspecified),
        (ShardingOp::ShardToFull { unspecified, .. }, _) => custom("SPMDShardToFullShape", unspecified),
        (ShardingOp::Manual(manual), _) => ("sdy.manual_computation", manual_props(module, manual)),
        (ShardingOp::Group { id }, _) => ("sdy.sharding_group", vec![int("group_id", *id)]),
        (ShardingOp::Barrier { allowed }, _) => ("sdy.propagation_barrier", vec![direction_prop(*allowed)]),
        (ShardingOp::Named { name, in_shardings, out_shardings }, _) => {
            ("sdy.named_computation", named_props(module, name, in_shardings, out_shardings))
        }
        (ShardingOp::Reshard(op), Some(sharding)) => describe_reshard(module, op, sharding),
        (ShardingOp::Reshard(_), None) => ("sdy.reshard", Vec::new()),
    }
}

/// Whether the annotation of the result is part of the op itself.
pub fn holds_annotation(name: &str) -> bool {
    matches!(
        name,
        "sdy.sharding_constraint"
            | "sdy.reshard"
            | "sdy.all_gather"
            | "sdy.all_slice"
            | "sdy.all_to_all"
            | "sdy.collective_permute"
            | "sdy.all_reduce"
            | "sdy.reduce_scatter"
            | "sdy.replicated_to_unreduced"
    )
}

/// Dims that a custom call left open, where Shardy's form stands for it; an attribute of ours that others pass over.
const UNSPECIFIED: &str = "meshwright.unspecified_dims";

fn unspecified_prop(unspecified: &[usize]) -> Option<Prop<'static>> {
    (!unspecified.is_empty()).then(|| super::dims(UNSPECIFIED, unspecified))
}

fn custom(target: &'static str, unspecified: &[usize]) -> (&'static str, Vec<Prop<'static>>) {
    let mut config = String::new();
    if !unspecified.is_empty() {
        let dims: Vec<String> = unspecified.iter().map(usize::to_string).collect();
        put!(config, "unspecified_dims=[{}]", dims.join(","));
    }
    let text = |name, text: String| Prop::made(name, Tree::Str(text.into()));
    (
        "stablehlo.custom_call",
        vec![text("call_target_name", target.to_string()), text("backend_config", config)],
    )
}

fn raw(name: &'static str, text: String) -> Prop<'static> {
    Prop::made(name, Tree::Raw(text.into()))
}

fn sharding_prop(name: &'static str, sharding: &Sharding, module: &Module) -> Prop<'static> {
    raw(name, format!("#sdy.sharding{}", print_sharding(sharding, &module.meshes)))
}

fn list_prop(name: &'static str, shardings: &[Sharding], meshes: &Meshes) -> Prop<'static> {
    raw(name, format!("#sdy.sharding_per_value<{}>", print_shardings(shardings, meshes)))
}

fn direction_prop(direction: BarrierDirection) -> Prop<'static> {
    let number = DIRECTIONS.iter().position(|(_, known)| *known == direction).unwrap_or(0);
    Prop::made("allowed_direction", Tree::Int(number as i64, "i32".into()))
}

/// The word of a direction's number.
pub fn direction_word(number: i64) -> &'static str {
    usize::try_from(number).ok().and_then(|number| DIRECTIONS.get(number)).map_or("NONE", |row| row.0)
}

fn manual_props(module: &Module, manual: &ManualComputation) -> Vec<Prop<'static>> {
    let axes = print_axes(&manual.axes, &module.meshes[manual.mesh]);
    vec![
        list_prop("in_shardings", &manual.in_shardings, &module.meshes),
        raw("manual_axes", format!("#sdy<manual_axes{axes}>")),
        list_prop("out_shardings", &manual.out_shardings, &module.meshes),
    ]
}

fn named_props(module: &Module, name: &str, ins: &[Sharding], outs: &[Sharding]) -> Vec<Prop<'static>> {
    let mut props = vec![Prop::made("name", Tree::Str(name.to_string().into()))];
    if !ins.is_empty() {
        props.push(list_prop("in_shardings", ins, &module.meshes));
    }
    if !outs.is_empty() {
        props.push(list_prop("out_shardings", outs, &module.meshes));
    }
    props
}

fn describe_reshard(
    module: &Module,
    op: &ReshardOp,
    sharding: &Sharding,
) -> (&'static str, Vec<Prop<'static>>) {
    let mesh = &module.meshes[sharding.mesh];
    let lists =
        |name, axes: &[Vec<AxisRef>]| raw(name, format!("#sdy<{LISTS}{}>", print_axis_lists(axes, mesh)));
    let list = |name, axes: &[AxisRef]| raw(name, format!("#sdy<{LIST}{}>", print_axes(axes, mesh)));
    let (name, axes) = match op {
        ReshardOp::Any => return ("sdy.reshard", vec![sharding_prop("sharding", sharding, module)]),
        ReshardOp::AllGather { axes } => ("sdy.all_gather", Some(lists("gathering_axes", axes))),
        ReshardOp::AllSlice { axes } => ("sdy.all_slice", Some(lists("slicing_axes", axes))),
        ReshardOp::AllToAll { moves } => ("sdy.all_to_all", Some(raw("params", moves_text(moves, mesh)))),
        ReshardOp::Permute => ("sdy.collective_permute", None),
        ReshardOp::AllReduce { axes, .. } => ("sdy.all_reduce", Some(list("reduction_axes", axes))),
        ReshardOp::ReduceScatter { axes, .. } => {
            ("sdy.reduce_scatter", Some(lists("reduce_scatter_axes", axes)))
        }
        ReshardOp::ToPartial { axes, .. } => ("sdy.replicated_to_unreduced", Some(list("axes", axes))),
    };
    let out = sharding_prop("out_sharding", sharding, module);
    (name, axes.into_iter().chain([out]).collect())
}

fn moves_text(moves: &[AxisMove], mesh: &Mesh) -> String {
    let one = |step: &AxisMove| format!("{}: {}->{}", print_axes(&step.axes, mesh), step.from, step.to);
    let all: Vec<String> = moves.iter().map(one).collect();
    format!("#sdy<{MOVES}[{}]>", all.join(", "))
}
