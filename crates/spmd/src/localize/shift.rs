//! Movement along split dims: slice, pad, concatenate, reverse. Boundaries between shards move with the elements.
//!
//! ```text
//! slice [4:12:2] of 16 over 2      needs 4 + stride * (piece * i) on, then every second
//! pad low 1                        needs piece * i - 1 on; what is not there is the padding value
//! concatenate a, b                 of each operand what falls into this device's part of the result, by position
//! reverse                          the mirrored interval, turned round
//! reshape [3,2] to [6]             runs of 4 elements become runs of 3, between two local reshapes
//! ```

use crate::exchange::interval::{Need, Source};
use crate::exchange::layout::{Cut, Layout};
use crate::exchange::shifts::{DimFetch, parts, regrouped};
use crate::localize::emit::{Emit, Sliced};
use crate::localize::halo::{self, Along, Fill};
use crate::localize::subject::{Global, Local, Subject};
use crate::localize::window;
use meshwright_ir::op::{BinaryOp, Concatenate, Direction, Movement, Pad, Reverse, Slice};
use meshwright_ir::{Build, DType, Dim, Op, ValueId};
use meshwright_shard::Sharding;

/// Localize movement along split dims; `None` if no split dim is shifted.
pub fn movement(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Movement) -> Option<Local> {
    if let Movement::Broadcast(_) | Movement::Transpose(_) = op {
        return None;
    }
    let to = subject.to.first()?.sharding.as_ref()?;
    let cuts = |operand: &&Global| Cut::all(operand.padded(), operand.sharding.as_deref());
    let operands: Vec<Vec<Cut>> = subject.from.iter().map(cuts).collect();
    let parts = parts(op, &operands, &Cut::all(subject.to[0].padded(), Some(to)));
    if parts.is_empty() {
        return None;
    }
    if let Some(ty) = subject.local(emit).filter(|ty| ty.dims.contains(&0)) {
        return Some(Local::Value(emit.splat_int(&ty, 0)));
    }
    let value = match op {
        Movement::Slice(op) => slice(emit, subject, op, to, &parts),
        Movement::Pad(op) => pad(emit, subject, op, to, &parts),
        Movement::Concatenate(op) => concatenate(emit, subject, op, to, &parts),
        Movement::Reverse(op) => reverse(emit, subject, op, to, &parts),
        Movement::Reshape(_) => reshape(emit, subject, &operands[0], to),
        Movement::Broadcast(_) | Movement::Transpose(_) => return None,
    };
    Some(Local::Value(value))
}

fn along(sharding: &Sharding, dim: Dim) -> Along<'_> {
    Along { mesh: sharding.mesh, axes: &sharding.dims[dim].axes }
}

fn fetch(emit: &mut Emit<'_, '_>, value: ValueId, part: &DimFetch, to: &Sharding, fill: Fill) -> ValueId {
    halo::exchange(emit, value, part.dim, along(to, part.dim), part.source, part.layout.need, fill)
}

/// Fetch what the split dims need, then the slice itself: of the interval along them, as it was along the others.
fn slice(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &Slice,
    to: &Sharding,
    parts: &[DimFetch],
) -> ValueId {
    let value =
        parts.iter().fold(subject.operands[0], |value, part| fetch(emit, value, part, to, Fill::Anything));
    let have = emit.tensor(value);
    let mut local = op.clone();
    for (dim, size) in have.dims.iter().enumerate() {
        let is_shifted = parts.iter().any(|part| part.dim.index() == dim);
        if is_shifted || op.takes_all(dim, subject.from[0].padded()[dim]) {
            (local.start[dim], local.limit[dim]) = (0, *size);
        }
        if !is_shifted && *size <= 1 {
            local.stride[dim] = 1;
        }
    }
    let result = finish(emit, Movement::Slice(local), vec![value], subject);
    remember(emit, subject, op, parts, result);
    result
}

/// Note a part of one dim, for whoever would rather fetch it from the source.
fn remember(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Slice, parts: &[DimFetch], result: ValueId) {
    let [part] = parts else { return };
    let whole = subject.from[0].padded();
    let is_else = (0..whole.len()).any(|dim| dim != part.dim.index() && !op.takes_all(dim, whole[dim]));
    if is_else || op.stride[part.dim] != 1 || !part.source.is_split || result == subject.operands[0] {
        return;
    }
    let (dim, start) = (part.dim, op.start[part.dim]);
    let (size, tiles) = (whole[dim], part.source.tiles);
    emit.slices.push(Sliced { value: result, source: subject.operands[0], dim, start, size, tiles });
}

/// The op on fetched operands, unless it does nothing any more.
fn finish(emit: &mut Emit<'_, '_>, op: Movement, operands: Vec<ValueId>, subject: &Subject<'_>) -> ValueId {
    let have = emit.tensor(operands[0]);
    let Some(ty) = subject.local(emit) else { return operands[0] };
    let is_idle = match &op {
        Movement::Slice(op) => (0..have.rank()).all(|dim| op.takes_all(dim, have.dims[dim])),
        Movement::Pad(op) => (0..have.rank()).all(|dim| op.keeps(dim, have.dims[dim])),
        _ => false,
    };
    if is_idle && have.dims == ty.dims { operands[0] } else { emit.push(Op::Movement(op), operands) }
}

fn pad(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &Pad,
    to: &Sharding,
    parts: &[DimFetch],
) -> ValueId {
    let known = halo::fill_of(emit, subject.operands[1]);
    let scalar = Fill::Scalar(subject.operands[1]);
    let mut value = subject.operands[0];
    let mut local = op.clone();
    for part in parts {
        let dim = part.dim;
        let fill = if shows_edges(subject, op, dim) { known } else { Fill::Anything };
        value = fetch(emit, value, part, to, fill);
        (local.low[dim], local.interior[dim], local.high[dim]) =
            (part.layout.low, part.layout.dilation - 1, part.layout.high);
        if let Some(phase) = part.layout.phase {
            value = window::dilated(emit, value, dim, along(to, dim), &part.layout, phase, scalar);
            (local.low[dim], local.interior[dim], local.high[dim]) = (0, 0, 0);
        }
    }
    let have = emit.tensor(value);
    for (dim, size) in have.dims.iter().enumerate() {
        if *size <= 1 {
            local.interior[dim] = 0;
        }
    }
    finish(emit, Movement::Pad(local), vec![value, subject.operands[1]], subject)
}

/// Whether the real part of the result has places beyond the operand's elements.
fn shows_edges(subject: &Subject<'_>, op: &Pad, dim: Dim) -> bool {
    let size = subject.from[0].padded()[dim];
    let spread = if size == 0 { 0 } else { (size - 1) * (op.interior[dim] + 1) + 1 };
    op.low[dim] > 0 || subject.to[0].whole()[dim] > op.low[dim] + spread
}

fn reverse(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &Reverse,
    to: &Sharding,
    parts: &[DimFetch],
) -> ValueId {
    let value =
        parts.iter().fold(subject.operands[0], |value, part| fetch(emit, value, part, to, Fill::Anything));
    emit.reverse(value, op.dims.clone())
}

/// The last operand that starts at or before a position has it.
fn concatenate(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &Concatenate,
    to: &Sharding,
    parts: &[DimFetch],
) -> ValueId {
    if let Some(rotated) = rotate(emit, subject, op, to, parts) {
        return rotated;
    }
    let mut joined: Option<ValueId> = None;
    let mut position = None;
    for part in parts.iter().filter(|part| part.source.size > 0) {
        let fetched = match sliced_from(emit, subject.operands[part.operand], part) {
            None => fetch(emit, subject.operands[part.operand], part, to, Fill::Anything),
            Some((source, part)) => fetch(emit, source, &part, to, Fill::Anything),
        };
        let Some(before) = joined else {
            joined = Some(fetched);
            continue;
        };
        let ty = emit.tensor(fetched);
        let index = ty.with_dtype(DType::S32);
        let here = *position.get_or_insert_with(|| {
            let iota = emit.iota(index.dtype, &index.dims, Dim::new(op.dim));
            let start = emit.offset(to.mesh, &to.dims[op.dim].axes, ty.dims[op.dim]);
            let start = emit.broadcast(start, Vec::new(), &ty.dims);
            emit.binary(BinaryOp::Add, iota, start)
        });
        let from = emit.splat_int(&index, -part.layout.need.first);
        let starts = emit.compare(Direction::Ge, here, from);
        joined = Some(emit.select(starts, fetched, before));
    }
    joined.unwrap_or(subject.operands[0])
}

/// The same part of what its operand is a slice of: fetched once, not twice.
fn sliced_from(emit: &Emit<'_, '_>, operand: ValueId, part: &DimFetch) -> Option<(ValueId, DimFetch)> {
    let known = emit.slices.iter().find(|known| known.value == operand && known.dim == part.dim)?;
    let whole = Cut { size: known.size, tiles: known.tiles }.source(part.source.tiles);
    let source = Source { from: known.start, size: known.start + part.source.size, ..whole };
    let need = Need { first: part.layout.need.first + known.start, ..part.layout.need };
    let layout = Layout { need, ..part.layout };
    Some((known.source, DimFetch { operand: part.operand, dim: part.dim, dims: 1, source, layout }))
}

/// `concatenate(a[k:], a[:k])`: every device takes its interval of a ring.
fn rotate(
    emit: &mut Emit<'_, '_>,
    subject: &Subject<'_>,
    op: &Concatenate,
    to: &Sharding,
    parts: &[DimFetch],
) -> Option<ValueId> {
    let [first, second] = subject.operands[..] else { return None };
    let of =
        |value: ValueId| emit.slices.iter().find(|known| known.value == value && known.dim.index() == op.dim);
    let tail = *of(first)?;
    // The head of a line may be cut like the whole line: then it is the same value.
    let head = if second == tail.source { Sliced { start: 0, ..tail } } else { *of(second)? };
    let size = |operand: usize| subject.from[operand].padded()[op.dim];
    let is_whole = tail.start == size(1) && head.start == 0 && size(0) + size(1) == tail.size;
    let cut = Cut { size: tail.size, tiles: tail.tiles };
    let is_even = tail.size == cut.piece() * tail.tiles.get()
        && parts.iter().all(|part| part.source.tiles == tail.tiles);
    if tail.source != head.source || !is_whole || !is_even {
        return None;
    }
    let source = Source { is_ring: true, ..cut.own() };
    let need = Need::linear(cut.piece(), tail.start, cut.piece());
    Some(halo::exchange(emit, tail.source, tail.dim, along(to, tail.dim), source, need, Fill::Anything))
}

/// Each group of dims as one dim, exchanged; then as the result has them.
fn reshape(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, operand: &[Cut], to: &Sharding) -> ValueId {
    let result = Cut::all(subject.to[0].padded(), Some(to));
    let groups = regrouped(operand, &result);
    let mut value = subject.operands[0];
    // From the minor end on, so that places of dims before stay.
    for group in groups.iter().rev() {
        let (dim, count) = (group.part.dim.index(), group.part.dims);
        let mut dims = emit.tensor(value).dims;
        let line = dims[dim..dim + count].iter().product();
        dims.splice(dim..dim + count, [line]);
        value = emit.reshape(value, &dims);
        let (source, need) = (group.part.source, group.part.layout.need);
        value =
            halo::exchange(emit, value, group.part.dim, along(to, group.to), source, need, Fill::Anything);
    }
    let Some(ty) = subject.local(emit) else { return value };
    emit.reshape(value, &ty.dims)
}
