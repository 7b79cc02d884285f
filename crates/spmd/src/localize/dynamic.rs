//! Slices at computed places of split dims.
//!
//! ```text
//! dynamic_slice            what of the slice lies in this piece, zeros elsewhere: a partial sum
//! dynamic_update_slice     what of the update falls into this piece
//! ```
//!
//! A slice at a known place inside one piece is cut out of that one. Otherwise the piece is widened by the length of
//! the slice on both sides; there a slice that misses it finds zeros, and an update that misses it is cut off again.
//! Start indices clamp to the whole dim first.

use crate::localize::emit::Emit;
use crate::localize::halo::{self, Fill, along};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::{BinaryOp, Direction, Dynamic};
use meshwright_ir::{Build, DType, Dim, Op, TensorType, ValueId};
use meshwright_shard::Sharding;

/// Localize; `None` if no dim that is taken in part is split.
pub fn dynamic(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Dynamic) -> Option<Local> {
    let (taken, first) = match op {
        Dynamic::Slice { .. } => (subject.to.first()?.padded(), 1),
        Dynamic::UpdateSlice => (subject.from.get(1)?.padded(), 2),
    };
    let from = subject.from.first()?.sharding.as_ref()?;
    let whole = subject.from[0].padded();
    let split: Vec<usize> = (0..taken.len())
        .filter(|dim| taken[*dim] != whole[*dim] && !from.dims[*dim].axes.is_empty())
        .collect();
    if split.is_empty() {
        return None;
    }
    let pieces = emit.tensor(subject.operands[0]).dims;
    let mut starts = Vec::new();
    for (dim, start) in subject.operands[first..].iter().enumerate() {
        starts.push(clamped(emit, *start, whole[dim] - taken[dim]));
    }
    let mut value = subject.operands[0];
    let mut shifted = Vec::new();
    for dim in split {
        let start =
            constant(emit, subject.operands[first + dim]).map(|at| at.clamp(0, whole[dim] - taken[dim]));
        match (op, start) {
            (Dynamic::Slice { .. }, Some(start)) if within(start, taken[dim], pieces[dim]) => {
                value = picked(emit, value, from, Dim::new(dim), start, taken[dim])?;
                starts[dim] = emit.splat_int(&emit.tensor(starts[dim]), 0);
            }
            _ => shifted.push(Dim::new(dim)),
        }
    }
    for dim in &shifted {
        let along = along(&[(from, *dim)])?;
        value = halo::pad(emit, value, *dim, [taken[*dim], 0, taken[*dim]], Fill::Zero);
        let ty = emit.tensor(starts[*dim]);
        let offset = emit.offset(along.mesh, along.axes, pieces[*dim]);
        let offset = emit.convert(offset, ty.dtype);
        let margin = emit.splat_int(&ty, taken[*dim]);
        let start = emit.binary(BinaryOp::Subtract, starts[*dim], offset);
        starts[*dim] = emit.binary(BinaryOp::Add, start, margin);
    }
    let ty = subject.local(emit)?;
    match op {
        Dynamic::Slice { .. } => Some(Local::Value(emit.dynamic_slice(value, &starts, &ty.dims))),
        Dynamic::UpdateSlice => {
            let operands: Vec<ValueId> = [value, subject.operands[1]].into_iter().chain(starts).collect();
            let updated = emit.push(Op::Dynamic(Dynamic::UpdateSlice), operands);
            let cut =
                |updated, dim: &Dim| emit.slice_dim(updated, *dim, taken[*dim]..taken[*dim] + pieces[*dim]);
            Some(Local::Value(shifted.iter().fold(updated, cut)))
        }
    }
}

/// A start that is the same on every device and known.
fn constant(emit: &Emit<'_, '_>, start: ValueId) -> Option<i64> {
    let func = emit.func();
    match &func.inst(func.def_inst(start)?).op {
        Op::Constant(constant) => constant.0.as_int(),
        _ => None,
    }
}

/// Whether elements lie in one piece of a dim.
fn within(start: i64, taken: i64, piece: i64) -> bool {
    taken > 0 && piece > 0 && start / piece == (start + taken - 1) / piece
}

/// Elements that one device has, and zeros on all others.
fn picked(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    from: &Sharding,
    dim: Dim,
    start: i64,
    taken: i64,
) -> Option<ValueId> {
    let along = along(&[(from, dim)])?;
    let piece = emit.tensor(value).dims[dim];
    let local = start % piece;
    let here = emit.slice_dim(value, dim, local..local + taken);
    let tile = emit.axis_index(along.mesh, along.axes);
    let owner = emit.splat_int(&emit.tensor(tile), start / piece);
    let is_owner = emit.compare(Direction::Eq, tile, owner);
    let zeros = emit.splat_int(&emit.tensor(here), 0);
    Some(emit.select(is_owner, here, zeros))
}

/// A start index within its dim, in a signed type that offsets cannot overflow.
fn clamped(emit: &mut Emit<'_, '_>, start: ValueId, last: i64) -> ValueId {
    let dtype = emit.tensor(start).dtype;
    let is_long = dtype.bits() > 32 || dtype == DType::U32;
    let wide = if is_long { DType::S64 } else { DType::S32 };
    // Beyond what a signed number holds, an unsigned one has to be clamped as it is.
    let start = if dtype == DType::U64 { start } else { emit.convert(start, wide) };
    let ty = TensorType::scalar(emit.tensor(start).dtype);
    let (low, high) = (emit.splat_int(&ty, 0), emit.splat_int(&ty, last.max(0)));
    let within = emit.push(Op::Clamp, [low, start, high]);
    emit.convert(within, wide)
}
