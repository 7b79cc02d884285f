//! Ops that move elements. HLO's `broadcast` does not stretch dims of size 1: these are reshaped away first. `bitcast`
//! is read as what it does to the elements: a reshape, a transpose by its layouts, or a change of element type.

use super::Made;
use crate::codes;
use crate::hlo::build::{Body, Bound, Build, ModuleBuilder, Parts, Scope};
use crate::hlo::inst::{InstText, bad, list_of};
use crate::hlo::lex::{Read, fault};
use crate::hlo::line::Line;
use crate::hlo::outline::RawInst;
use crate::hlo::shape::{Form, write_type};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{Broadcast, Concatenate, Convert, Movement, Pad, Reshape, Reverse, Slice, Transpose};
use meshwright_ir::{Op, SourceId, TensorType, Type, ValueId};
use std::fmt::Write;

fn made<'t>(movement: Movement) -> Read<Made<'t>> {
    Ok(Made::of(Op::Movement(movement)))
}

pub(super) fn read_broadcast<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let dims = text.dims("dimensions")?;
    made(Movement::Broadcast(Broadcast { dims, shape: text.result(0)?.dims.clone() }))
}

pub(super) fn read_reshape<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    made(Movement::Reshape(Reshape { shape: text.result(0)?.dims.clone() }))
}

/// A bitcast keeps the bytes in memory: elements go to physical order, change shape, and come back to logical order.
pub(super) fn bitcast<'b, 't>(
    builder: &mut ModuleBuilder<'b, 't>,
    body: &mut Body,
    scope: &mut Scope<'t>,
    raw: &'b RawInst<'t>,
    operands: &[Bound],
) -> Build<Bound> {
    let (steps, last) = bitcast_steps(body, raw, operands)?;
    let mut operands = operands.to_vec();
    for (ty, op) in steps {
        let values = operands.first().map(|operand| body.values(operand).to_vec()).unwrap_or_default();
        let parts = Parts { operands: values, types: vec![Type::Tensor(ty)], source: SourceId::unknown() };
        let inst = builder.push_extra(body, scope, raw, op, parts);
        let results = body.func.inst(inst).results.clone();
        operands = vec![body.bind(Form::Leaf, results)];
    }
    builder.plain(body, scope, raw, &operands, |_| Ok(Made::of(last)))
}

/// The ops of a bitcast: each before the last with its result type, and the last, which has the bitcast's.
type BitcastSteps = (Vec<(TensorType, Op)>, Op);

fn bitcast_steps(body: &Body, raw: &RawInst<'_>, operands: &[Bound]) -> Build<BitcastSteps> {
    let values: Vec<ValueId> = operands.iter().flat_map(|operand| body.values(operand).to_vec()).collect();
    let operand = if let [value] = values[..] { Some(value) } else { None };
    let from = operand.and_then(|value| body.func.ty(value).as_tensor());
    let leaf = raw.shape.as_ref().and_then(|shape| shape.leaves.first());
    let (Some(from), Some(to)) = (from, leaf.and_then(|leaf| leaf.ty.as_tensor())) else {
        let message = "`bitcast` takes one tensor and gives one";
        return Err(fault(codes::WRONG_TYPE, raw.opcode.span(), message).into());
    };
    let before = operand.and_then(|value| body.layout(value));
    let after = leaf.and_then(|leaf| leaf.layout);
    let (Some(inner), Some(outer)) = (physical_order(before, from.rank()), physical_order(after, to.rank()))
    else {
        let message = "a bitcast between tiled layouts says nothing about the elements' order";
        let help = "dump the module before layouts are assigned";
        return Err(Box::new(fault(codes::UNSUPPORTED, raw.opcode.span(), message).help(help)).into());
    };
    let fits = from.dtype.bits() == to.dtype.bits() && from.elements() == to.elements();
    Ok(if fits {
        steps_between(from, to, &inner, &outer)
    } else {
        (Vec::new(), Op::Convert(Convert::Bitcast(to.clone())))
    })
}

/// To physical order, to the other type and shape, back to logical order; what changes nothing is left out.
fn steps_between(from: &TensorType, to: &TensorType, inner: &[usize], outer: &[usize]) -> BitcastSteps {
    let physical = |ty: &TensorType, order: &[usize]| {
        ty.with_dims(order.iter().filter_map(|dim| ty.dims.get(*dim).copied()).collect::<Vec<_>>())
    };
    let mut steps = Vec::new();
    let mut ty = physical(from, inner);
    if !is_identity(inner) {
        let permutation = inner.to_vec();
        steps.push((ty.clone(), Op::Movement(Movement::Transpose(Transpose { permutation }))));
    }
    if from.dtype != to.dtype {
        ty = ty.with_dtype(to.dtype);
        steps.push((ty.clone(), Op::Convert(Convert::Bitcast(ty.clone()))));
    }
    let target = physical(to, outer);
    let reshape =
        |target: &TensorType| Op::Movement(Movement::Reshape(Reshape { shape: target.dims.clone() }));
    if ty.dims != target.dims {
        let op = reshape(&target);
        steps.push((target, op));
    }
    if !is_identity(outer) {
        let permutation = inverse(outer);
        return (steps, Op::Movement(Movement::Transpose(Transpose { permutation })));
    }
    match steps.pop() {
        Some((_, last)) => (steps, last),
        None => (steps, reshape(to)),
    }
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..order.len()).collect();
    places.arrange_by_key(|place| order[*place]);
    places
}

fn is_identity(order: &[usize]) -> bool {
    order.iter().copied().eq(0..order.len())
}

/// Dims from the slowest to the fastest in memory; `None` for a layout with tiles.
fn physical_order(layout: Option<&str>, rank: usize) -> Option<Vec<usize>> {
    let Some(layout) = layout else { return Some((0..rank).collect()) };
    let inner = layout.strip_prefix('{')?.strip_suffix('}')?;
    let (minor_to_major, rest) = inner.split_once(':').unwrap_or((inner, ""));
    let order: Vec<usize> =
        minor_to_major.split(',').rev().map(|dim| dim.trim().parse().ok()).collect::<Option<_>>()?;
    let mut sorted = order.clone();
    sorted.arrange();
    (!rest.contains('T') && sorted.into_iter().eq(0..rank)).then_some(order)
}

pub(super) fn read_transpose<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    made(Movement::Transpose(Transpose { permutation: text.dims("dimensions")? }))
}

/// `slice={[0:4], [1:9:2]}`.
pub(super) fn read_slice<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let piece = text.need("slice")?;
    let mut slice = Slice { start: Vec::new(), limit: Vec::new(), stride: Vec::new() };
    list_of(piece, |cursor| {
        cursor.expect(b'[')?;
        slice.start.push(cursor.int()?);
        cursor.expect(b':')?;
        slice.limit.push(cursor.int()?);
        slice.stride.push(if cursor.eat(b':') { cursor.int()? } else { 1 });
        cursor.expect(b']')
    })?;
    made(Movement::Slice(slice))
}

/// `padding=0_1x2_0_1`: low, high, interior for each dim.
pub(super) fn read_pad<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let mut pad = Pad { low: Vec::new(), high: Vec::new(), interior: Vec::new() };
    if let Some(piece) = text.get("padding") {
        for dim in piece.str.split('x') {
            pad_dim(&mut pad, dim).ok_or_else(|| bad(piece, "numbers like `0_1x2_0_1`"))?;
        }
    }
    made(Movement::Pad(pad))
}

fn pad_dim(pad: &mut Pad, dim: &str) -> Option<()> {
    let mut parts = dim.split('_').map(str::parse::<i64>);
    pad.low.push(parts.next()?.ok()?);
    pad.high.push(parts.next()?.ok()?);
    pad.interior.push(parts.next().map_or(Some(0), Result::ok)?);
    parts.next().is_none().then_some(())
}

pub(super) fn read_concatenate<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    made(Movement::Concatenate(Concatenate { dim: text.only_dim()? }))
}

pub(super) fn read_reverse<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    made(Movement::Reverse(Reverse { dims: text.dims("dimensions")? }))
}

pub(super) fn print(op: &Movement, line: &mut Line<'_, '_, '_>) {
    match op {
        Movement::Broadcast(op) => print_broadcast(op, line),
        Movement::Reshape(_) => line.op("reshape").end(),
        Movement::Transpose(op) => line.op("transpose").list("dimensions", &op.permutation).end(),
        Movement::Slice(op) => line.op("slice").attr("slice", slices(op)).end(),
        Movement::Pad(op) => line.op("pad").attr("padding", padding(op)).end(),
        Movement::Concatenate(op) => line.op("concatenate").list("dimensions", &[op.dim]).end(),
        Movement::Reverse(op) => line.op("reverse").list("dimensions", &op.dims).end(),
    }
}

fn slices(op: &Slice) -> String {
    let mut out = String::from("{");
    for (i, ((start, limit), stride)) in op.start.iter().zip(&op.limit).zip(&op.stride).enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        let _ = match stride {
            1 => write!(out, "{comma}[{start}:{limit}]"),
            stride => write!(out, "{comma}[{start}:{limit}:{stride}]"),
        };
    }
    out + "}"
}

fn padding(op: &Pad) -> String {
    let mut dims = Vec::new();
    let interior = op.interior.iter().any(|gap| *gap != 0);
    for ((low, high), gap) in op.low.iter().zip(&op.high).zip(&op.interior) {
        dims.push(if interior { format!("{low}_{high}_{gap}") } else { format!("{low}_{high}") });
    }
    dims.join("x")
}

/// Dims of size 1 that are stretched are dropped by a reshape before.
fn print_broadcast(op: &Broadcast, line: &mut Line<'_, '_, '_>) {
    line.op("broadcast");
    let Some(operand) = line.operand(0) else { return };
    let Some(ty) = line.comp.func.ty(operand).as_tensor() else { return };
    let keeps = |(from, to): &(&i64, &usize)| Some(*from) == op.shape.get(**to);
    let pairs: Vec<_> = ty.dims.iter().zip(&op.dims).filter(keeps).collect();
    let dims: Vec<usize> = pairs.iter().map(|(_, to)| **to).collect();
    if pairs.len() < ty.rank() {
        let kept: Vec<i64> = pairs.iter().map(|(size, _)| **size).collect();
        let name = reshaped(line, ty, kept);
        line.args = Some(name);
    }
    line.list("dimensions", &dims);
}

/// The operand, reshaped on a line before.
fn reshaped(line: &mut Line<'_, '_, '_>, ty: &TensorType, dims: Vec<i64>) -> String {
    let mut shape = String::new();
    write_type(&mut shape, &Type::Tensor(ty.with_dims(dims)), None);
    let rest = format!("reshape({})", line.comp.operand_list(&line.inst.operands));
    format!("%{}", line.comp.extra("reshape", &shape, &rest))
}
