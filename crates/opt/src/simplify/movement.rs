//! Movement of what was just moved, of what is the same everywhere, and movement that moves nothing.
//!
//! ```text
//! slice(pad(x))               slice(x), a smaller pad, or only the padding value
//! slice(concatenate(x, y))    slice(x), or fewer operands
//! slice(broadcast(x))         broadcast(x), smaller
//! reshape(reshape(x))         reshape(x), and so on for all kinds
//! transpose(dot(x, y))        dot(y, x), where that is the order of its dims
//! convolution(x, reverse(k))  convolution(x, k) that reads its kernel backwards
//! pad(x, no elements)         x
//! concatenate(x, nothing)     x
//! concatenate(x[0:2], x[2:4]) x[0:4]
//! ```

use super::{At, Now, choice};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{
    Broadcast, Concatenate, Convolution, Dynamic, Iota, Movement, Pad, Reshape, Reverse, Slice, Transpose,
};
use meshwright_ir::{Inst, Op, ValueId};

pub(super) fn movement(at: At<'_>, op: &Movement) -> Option<Now> {
    match op {
        Movement::Broadcast(op) => broadcast(at, op),
        Movement::Reshape(_) => reshape(at),
        Movement::Transpose(op) => transpose(at, op),
        Movement::Slice(op) => slice(at, op),
        Movement::Pad(op) => pad(at, op),
        Movement::Concatenate(op) => concatenate(at, op),
        Movement::Reverse(op) => reverse(at, op),
    }
}

fn moves(op: Movement, operands: Vec<ValueId>) -> Option<Now> {
    Some(Now::op(Op::Movement(op), operands))
}

/// A scalar everywhere.
fn spread(at: At<'_>, scalar: ValueId) -> Option<Now> {
    moves(Movement::Broadcast(Broadcast { dims: Vec::new(), shape: at.ty.dims.clone() }), vec![scalar])
}

/// The movement that defines a value, with its first operand.
fn moved<'a>(at: At<'a>, value: ValueId) -> Option<(&'a Movement, &'a Inst, ValueId)> {
    let inst = at.view.def(value)?;
    let Op::Movement(op) = &inst.op else { return None };
    Some((op, inst, *inst.operands.first()?))
}

/// A constant of one element stays one, however its elements are moved.
fn same_everywhere(at: At<'_>, operand: ValueId) -> Option<Now> {
    at.all(at.view.splat(operand)?)
}

/// Whether dims of an operand come in order and keep their sizes: then the rest stretches.
fn ascends(dims: &[usize]) -> bool {
    dims.windows(2).all(|pair| pair[0] < pair[1])
}

fn broadcast(at: At<'_>, op: &Broadcast) -> Option<Now> {
    let operand = at.operand(0)?;
    if ascends(&op.dims) && at.view.ty(operand)? == at.ty {
        return Some(Now::Value(operand));
    }
    match moved(at, operand)? {
        (Movement::Broadcast(inner), _, source) => {
            let dims = inner.dims.iter().map(|dim| op.dims[*dim]).collect();
            moves(Movement::Broadcast(Broadcast { dims, shape: op.shape.clone() }), vec![source])
        }
        (Movement::Reshape(_), _, source) if at.view.ty(source)?.rank() == 0 => spread(at, source),
        _ => None,
    }
}

fn reshape(at: At<'_>) -> Option<Now> {
    let operand = at.operand(0)?;
    if let Some(same) = at.same(0) {
        return Some(same);
    }
    if let Some(literal) = at.view.literal(operand) {
        return literal.reshaped(at.ty.dims.clone()).map(Now::constant);
    }
    match moved(at, operand)? {
        (Movement::Reshape(_), _, source) => {
            moves(Movement::Reshape(Reshape { shape: at.ty.dims.clone() }), vec![source])
        }
        (Movement::Broadcast(_), _, source) if at.view.ty(source)?.rank() == 0 => spread(at, source),
        _ => None,
    }
}

fn transpose(at: At<'_>, op: &Transpose) -> Option<Now> {
    let operand = at.operand(0)?;
    if ascends(&op.permutation) {
        return at.same(0);
    }
    if let Some(constant) = same_everywhere(at, operand) {
        return Some(constant);
    }
    if let Some(dot) = swapped_product(at, op) {
        return Some(dot);
    }
    let shorter = match moved(at, operand) {
        Some((Movement::Transpose(inner), _, source)) => {
            let permutation = op.permutation.iter().map(|dim| inner.permutation[*dim]).collect();
            moves(Movement::Transpose(Transpose { permutation }), vec![source])
        }
        Some((Movement::Broadcast(inner), _, source)) => {
            let place = |dim: &usize| op.permutation.iter().position(|from| from == dim);
            let dims: Vec<usize> = inner.dims.iter().map(place).collect::<Option<_>>()?;
            let shape = at.ty.dims.clone();
            let broadcast = Movement::Broadcast(Broadcast { dims: dims.clone(), shape });
            if ascends(&dims) { moves(broadcast, vec![source]) } else { None }
        }
        _ => None,
    };
    shorter.or_else(|| renamed(at, op))
}

/// Where all but dims of size 1 keep their order, every element stays where it is: a stage's own layers, say.
fn renamed(at: At<'_>, op: &Transpose) -> Option<Now> {
    let sizes = &at.view.ty(at.operand(0)?)?.dims;
    let moved: Vec<usize> = op.permutation.iter().copied().filter(|dim| sizes[*dim] != 1).collect();
    if !ascends(&moved) {
        return None;
    }
    moves(Movement::Reshape(Reshape { shape: at.ty.dims.clone() }), vec![at.operand(0)?])
}

/// A gradient reads the kernel backwards: a convolution does that without a copy, which would be kept beside the
/// kernel.
pub(super) fn convolution(at: At<'_>, op: &Convolution) -> Option<Now> {
    let (input, kernel) = (at.operand(0)?, at.operand(1)?);
    let (Movement::Reverse(reverse), _, source) = moved(at, kernel)? else { return None };
    let spatial = |dim: &usize| op.dims.kernel_spatial.iter().position(|of| of == dim);
    let turned: Vec<usize> = reverse.dims.iter().map(spatial).collect::<Option<_>>()?;
    let mut op = op.clone();
    for dim in turned {
        op.window[dim].reversal = !op.window[dim].reversal;
    }
    Some(Now::op(Op::Convolution(op), vec![input, source]))
}

/// A product that is only used with its right dims before its left ones: the other way round it needs no transpose.
/// Compilers behind us look for that too, but with a batch dim of size 1, as pieces of experts have, they lay out all
/// that is added to the product by the transpose instead.
fn swapped_product(at: At<'_>, op: &Transpose) -> Option<Now> {
    let (operand, result) = (at.operand(0)?, *at.inst.results.first()?);
    let func = at.view.func;
    let (made, used) = (func.def_inst(operand)?, func.def_inst(result)?);
    let (Op::Dot(dot), [lhs, rhs]) = (&func.inst(made).op, &func.inst(made).operands[..]) else {
        return None;
    };
    let info = func.value(operand);
    let is_plain = info.sharding.is_none() && info.valid.is_none();
    let is_only_use = at.view.uses.get(operand) == Some(&1) && func.block_of(made) == func.block_of(used);
    if !is_plain || !is_only_use {
        return None;
    }
    let ranks = (at.view.ty(*lhs)?.rank(), at.view.ty(*rhs)?.rank());
    let swapped = dot.swapped(ranks, &op.permutation)?;
    Some(Now::op(Op::Dot(swapped), vec![*rhs, *lhs]))
}

fn reverse(at: At<'_>, op: &Reverse) -> Option<Now> {
    let operand = at.operand(0)?;
    let mut dims: Vec<usize> = op.dims.iter().copied().filter(|dim| at.ty.dims[*dim] > 1).collect();
    if dims.is_empty() {
        return at.same(0);
    }
    if let Some(constant) = same_everywhere(at, operand) {
        return Some(constant);
    }
    let (Movement::Reverse(inner), _, source) = moved(at, operand)? else { return None };
    let once = inner.dims.iter().filter(|dim| !op.dims.contains(dim));
    dims.retain(|dim| !inner.dims.contains(dim));
    dims.extend(once);
    dims.arrange();
    moves(Movement::Reverse(Reverse { dims }), vec![source])
}

fn slice(at: At<'_>, op: &Slice) -> Option<Now> {
    let operand = at.operand(0)?;
    let sizes = &at.view.ty(operand)?.dims;
    if (0..sizes.len()).all(|dim| op.takes_all(dim, sizes[dim])) {
        return at.same(0);
    }
    if let Some(constant) = same_everywhere(at, operand) {
        return Some(constant);
    }
    let window: Vec<(i64, i64)> = op.start.iter().copied().zip(op.limit.iter().copied()).collect();
    if let Some(side) = choice::side(at.view, operand, &window) {
        return (at.view.ty(side)? == at.view.ty(operand)?)
            .then(|| Now::op(Op::Movement(Movement::Slice(op.clone())), vec![side]));
    }
    let inst = at.view.def(operand)?;
    if let Op::Iota(iota) = &inst.op {
        return counted(at, op, iota);
    }
    match moved(at, operand)? {
        (Movement::Slice(inner), _, source) => moves(Movement::Slice(composed(at, op, inner)), vec![source]),
        (Movement::Pad(inner), inst, source) => slice_of_pad(at, op, inner, source, *inst.operands.get(1)?),
        (Movement::Concatenate(inner), inst, _) => slice_of_concatenation(at, op, inner.dim, inst),
        (Movement::Broadcast(inner), _, source) => smaller(at, inner, source, sizes),
        (Movement::Reshape(_) | Movement::Transpose(_) | Movement::Reverse(_), ..) => None,
    }
}

/// The first positions of an iota, or any along dims that it does not count.
fn counted(at: At<'_>, op: &Slice, iota: &Iota) -> Option<Now> {
    let from_first = op.start[iota.dim] == 0 && (op.stride[iota.dim] == 1 || at.ty.dims[iota.dim] <= 1);
    from_first.then(|| Now::op(Op::Iota(Iota { dim: iota.dim, ty: at.ty.clone() }), Vec::new()))
}

fn composed(at: At<'_>, op: &Slice, inner: &Slice) -> Slice {
    let mut whole = op.clone();
    for dim in 0..op.start.len() {
        let stride = inner.stride[dim].saturating_mul(op.stride[dim]);
        let start = inner.start[dim] + op.start[dim].saturating_mul(inner.stride[dim]);
        (whole.start[dim], whole.limit[dim]) = bounds(start, stride, at.ty.dims[dim], inner.limit[dim]);
        whole.stride[dim] = if at.ty.dims[dim] <= 1 { 1 } else { stride };
    }
    whole
}

/// Start and limit of `count` elements from `start` on; of none, somewhere in the dim.
fn bounds(start: i64, stride: i64, count: i64, limit: i64) -> (i64, i64) {
    match count {
        0 => (start.min(limit), start.min(limit)),
        _ => (start, start + (count - 1).saturating_mul(stride) + 1),
    }
}

/// A broadcast that stretches less far, if what is cut is stretched.
fn smaller(at: At<'_>, inner: &Broadcast, source: ValueId, sizes: &[i64]) -> Option<Now> {
    let from = &at.view.ty(source)?.dims;
    let is_stretched = |dim: usize| inner.dims.iter().zip(from).all(|(to, size)| *to != dim || *size == 1);
    let fits = (0..sizes.len()).all(|dim| at.ty.dims[dim] == sizes[dim] || is_stretched(dim));
    let dims = inner.dims.clone();
    let broadcast = Movement::Broadcast(Broadcast { dims, shape: at.ty.dims.clone() });
    if fits { moves(broadcast, vec![source]) } else { None }
}

/// What a slice takes of one padded dim.
enum Taken {
    /// Elements only: (start, limit, stride).
    Elements(i64, i64, i64),
    /// Padding only.
    Nothing,
    /// Elements with this much padding before and behind them.
    Both(i64, i64),
}

fn slice_of_pad(at: At<'_>, op: &Slice, pad: &Pad, source: ValueId, value: ValueId) -> Option<Now> {
    let sizes = &at.view.ty(source)?.dims;
    if at.ty.dims.contains(&0) || sizes.contains(&0) {
        return spread(at, value);
    }
    let taken: Vec<Taken> = (0..sizes.len())
        .map(|dim| taken(op, pad, dim, sizes[dim], at.ty.dims[dim]))
        .collect::<Option<_>>()?;
    if taken.iter().any(|taken| matches!(taken, Taken::Nothing)) {
        return spread(at, value);
    }
    let mut slice = op.clone();
    let mut less =
        Pad { low: vec![0; sizes.len()], high: vec![0; sizes.len()], interior: vec![0; sizes.len()] };
    let (mut is_cut, mut is_padded) = (false, false);
    for (dim, taken) in taken.iter().enumerate() {
        match *taken {
            Taken::Elements(start, limit, stride) => {
                (slice.start[dim], slice.limit[dim], slice.stride[dim]) = (start, limit, stride);
                is_cut |= !slice.takes_all(dim, sizes[dim]);
            }
            Taken::Both(low, high) => {
                (less.low[dim], less.high[dim]) = (low, high);
                is_padded = true;
            }
            Taken::Nothing => return None,
        }
    }
    match (is_padded, is_cut) {
        (false, _) => moves(Movement::Slice(slice), vec![source]),
        (true, false) => moves(Movement::Pad(less), vec![source, value]),
        (true, true) => None,
    }
}

/// `None` where a slice takes elements and padding in turn, or only some of the elements and padding.
fn taken(op: &Slice, pad: &Pad, dim: usize, size: i64, count: i64) -> Option<Taken> {
    let (low, step) = (pad.low[dim], pad.interior[dim] + 1);
    let (start, stride) = (op.start[dim] - low, if count == 1 { step } else { op.stride[dim] });
    let last = start + (count - 1) * stride;
    let end = (size - 1) * step;
    if last < 0 || start > end {
        return Some(Taken::Nothing);
    }
    if start >= 0 && last <= end && start % step == 0 && stride % step == 0 {
        return Some(Taken::Elements(start / step, last / step + 1, stride / step));
    }
    let is_around = step == 1 && stride == 1 && start <= 0 && last >= end;
    is_around.then(|| Taken::Both(-start, last - end))
}

fn slice_of_concatenation(at: At<'_>, op: &Slice, dim: usize, inst: &Inst) -> Option<Now> {
    let (start, limit) = (op.start[dim], op.limit[dim]);
    let mut before = 0;
    let mut kept = Vec::new();
    for operand in &inst.operands {
        let size = at.view.ty(*operand)?.dims[dim];
        let (from, to) = (before, before + size);
        if start >= from && limit <= to {
            let mut inner = op.clone();
            (inner.start[dim], inner.limit[dim]) = (start - from, limit - from);
            return moves(Movement::Slice(inner), vec![*operand]);
        }
        if from < limit && to > start {
            kept.push((*operand, from, to));
        }
        before = to;
    }
    let is_exact = kept.first()?.1 == start && kept.last()?.2 == limit;
    let is_else_whole = op.stride.iter().all(|stride| *stride == 1)
        && (0..at.ty.rank()).all(|other| {
            other == dim || at.view.ty(kept[0].0).is_some_and(|ty| op.takes_all(other, ty.dims[other]))
        });
    let operands: Vec<ValueId> = kept.iter().map(|(operand, ..)| *operand).collect();
    let is_less = operands.len() < inst.operands.len() && is_exact && is_else_whole;
    if is_less { moves(Movement::Concatenate(Concatenate { dim }), operands) } else { None }
}

fn pad(at: At<'_>, op: &Pad) -> Option<Now> {
    let [operand, value] = at.inst.operands[..] else { return None };
    let sizes = &at.view.ty(operand)?.dims;
    if (0..sizes.len()).all(|dim| op.keeps(dim, sizes[dim])) {
        return at.same(0);
    }
    if sizes.contains(&0) {
        return spread(at, value);
    }
    if let (Some(element), Some(padding)) = (at.view.splat(operand), at.view.splat(value))
        && element == padding
    {
        return at.all(element);
    }
    match moved(at, operand)? {
        (Movement::Pad(inner), inst, source) if inst.operands.get(1) == Some(&value) => {
            let fits = (0..sizes.len()).all(|dim| joins(op, inner, dim));
            let sum = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
            let (low, high) = (sum(&op.low, &inner.low), sum(&op.high, &inner.high));
            let both = Movement::Pad(Pad { low, high, interior: inner.interior.clone() });
            if fits { moves(both, vec![source, value]) } else { None }
        }
        (Movement::Broadcast(_), _, source) if source == value => spread(at, value),
        _ => None,
    }
}

/// Whether padding what was padded is padding once: no element that was cropped away comes back.
fn joins(outer: &Pad, inner: &Pad, dim: usize) -> bool {
    let edge = |outer: i64, inner: i64| inner >= 0 || outer <= 0;
    outer.interior[dim] == 0 && edge(outer.low[dim], inner.low[dim]) && edge(outer.high[dim], inner.high[dim])
}

fn concatenate(at: At<'_>, op: &Concatenate) -> Option<Now> {
    let operands = &at.inst.operands;
    if let [only] = operands[..] {
        return at.instead(only);
    }
    let size = |value: &ValueId| at.view.ty(*value).map_or(0, |ty| ty.dims[op.dim]);
    if operands.iter().any(|value| size(value) == 0) {
        let mut full: Vec<ValueId> = operands.iter().copied().filter(|value| size(value) > 0).collect();
        if full.is_empty() {
            full.extend(operands.first());
        }
        return moves(Movement::Concatenate(op.clone()), full);
    }
    joined_slices(at, op.dim).or_else(|| equal_pieces(at))
}

/// One slice, if the operands are slices of one value that lie one behind the other.
fn joined_slices(at: At<'_>, dim: usize) -> Option<Now> {
    let mut joined: Option<(Slice, ValueId)> = None;
    for operand in &at.inst.operands {
        let (Movement::Slice(next), _, source) = moved(at, *operand)? else { return None };
        if next.stride[dim] != 1 {
            return None;
        }
        let Some((all, from)) = &mut joined else {
            joined = Some((next.clone(), source));
            continue;
        };
        let behind = *from == source && all.limit[dim] == next.start[dim];
        all.limit[dim] = next.limit[dim];
        let mut alike = next.clone();
        alike.start[dim] = all.start[dim];
        if !behind || alike != *all {
            return None;
        }
    }
    let (all, source) = joined?;
    moves(Movement::Slice(all), vec![source])
}

/// Pieces that are the same everywhere.
fn equal_pieces(at: At<'_>) -> Option<Now> {
    let first = at.operand(0)?;
    if let Some(element) = at.view.splat(first) {
        let alike = at.inst.operands.iter().all(|value| at.view.splat(*value) == Some(element));
        return if alike { at.all(element) } else { None };
    }
    let scalar_of = |value: ValueId| match moved(at, value)? {
        (Movement::Broadcast(_), _, scalar) if at.view.ty(scalar)?.rank() == 0 => Some(scalar),
        _ => None,
    };
    let scalar = scalar_of(first)?;
    let alike = at.inst.operands.iter().all(|value| scalar_of(*value) == Some(scalar));
    if alike { spread(at, scalar) } else { None }
}

pub(super) fn dynamic(at: At<'_>, op: &Dynamic) -> Option<Now> {
    let operand = at.operand(0)?;
    let whole = at.view.ty(operand)?;
    match op {
        Dynamic::Slice { sizes } => {
            if *sizes == whole.dims {
                return at.same(0);
            }
            same_everywhere(at, operand).or_else(|| at_known_place(at, &whole.dims)).or_else(|| match moved(
                at, operand,
            )? {
                (Movement::Broadcast(inner), _, source) => smaller(at, inner, source, &whole.dims),
                _ => None,
            })
        }
        Dynamic::UpdateSlice => {
            let update = at.view.ty(at.operand(1)?)?;
            if update == whole {
                return at.same(1);
            }
            if update.dims.contains(&0) { at.same(0) } else { None }
        }
    }
}

/// A slice whose starts are constants; along dims that are taken whole the start can only be 0.
fn at_known_place(at: At<'_>, whole: &[i64]) -> Option<Now> {
    let mut op = Slice { start: Vec::new(), limit: Vec::new(), stride: vec![1; whole.len()] };
    for (dim, (size, taken)) in whole.iter().zip(&at.ty.dims).enumerate() {
        let start = if size == taken {
            0
        } else {
            at.view.number(at.operand(1 + dim)?).filter(|start| is_plain(at, dim, *start))?
        };
        let start = start.clamp(0, size - taken);
        op.start.push(start);
        op.limit.push(start + taken);
    }
    moves(Movement::Slice(op), vec![at.operand(0)?])
}

/// Whether a start index is the number it looks like: `u64` has some that `i64` has not.
fn is_plain(at: At<'_>, dim: usize, start: i64) -> bool {
    let signed = at.operand(1 + dim).and_then(|value| at.view.ty(value));
    start >= 0 || signed.is_some_and(|ty| ty.dtype.class() == meshwright_ir::Class::Signed)
}
