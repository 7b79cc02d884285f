//! Derivatives of ops that move elements: the move back.

use crate::tape::Tape;
use crate::window::{fit, reach_of};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{Broadcast, Concatenate, Movement, Pad, Slice};
use meshwright_ir::{Build, Dim, Function, InstId, Op, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Movement, c: ValueId) {
    let operands = t.func.inst(inst).operands.clone();
    let Some(operand) = operands.first().copied() else { return };
    let given = match op {
        Movement::Broadcast(op) => broadcast(t, operand, op, c),
        Movement::Reshape(_) => {
            let shape = t.func.dims(operand).to_vec();
            t.reshape(c, &shape)
        }
        Movement::Transpose(op) => t.transpose(c, inverse(&op.permutation)),
        Movement::Slice(op) => slice(t, operand, op, c),
        Movement::Pad(op) => return pad(t, &operands, op, c),
        Movement::Concatenate(op) => return concatenate(t, inst, &operands, op, c),
        Movement::Reverse(op) => t.reverse(c, op.dims.clone()),
    };
    t.pull(operand, given);
}

/// The permutation that undoes one.
pub(crate) fn inverse(permutation: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; permutation.len()];
    for (to, from) in permutation.iter().enumerate() {
        inverse[*from] = to;
    }
    inverse
}

/// Add up what was repeated, then put the dims in the operand's order.
fn broadcast(t: &mut Tape<'_>, operand: ValueId, op: &Broadcast, c: ValueId) -> ValueId {
    let shape = t.func.dims(operand).to_vec();
    let is_repeated = |to: &usize| match op.dims.iter().position(|dim| dim == to) {
        Some(from) => shape[from] != op.shape[*to],
        None => true,
    };
    let repeated: Vec<usize> = (0..op.shape.len()).filter(is_repeated).collect();
    let summed = t.sum(c, &repeated);
    // Operand dims that are left, in the result's order.
    let left: Vec<usize> = (0..op.shape.len()).filter(|to| !is_repeated(to)).collect();
    let kept = (0..shape.len()).filter(|from| left.contains(&op.dims[*from]));
    let permutation = kept.filter_map(|from| left.iter().position(|to| *to == op.dims[from])).collect();
    let ordered = t.transpose(summed, permutation);
    t.reshape(ordered, &shape)
}

/// Zeros where nothing was taken.
fn slice(t: &mut Tape<'_>, operand: ValueId, op: &Slice, c: ValueId) -> ValueId {
    let sizes = t.func.dims(operand).to_vec();
    let taken = t.func.dims(c).to_vec();
    let interior: Vec<i64> = op.stride.iter().map(|stride| stride - 1).collect();
    let covered = |dim: usize| match taken[dim] {
        0 => i128::from(op.start[dim]),
        count => i128::from(op.start[dim]) + reach_of(count, op.stride[dim]),
    };
    let high = (0..sizes.len()).map(|dim| fit(i128::from(sizes[dim]) - covered(dim))).collect();
    t.pad(c, Pad { low: op.start.clone(), high, interior })
}

/// Take the operand's elements out; the rest belongs to the padding value.
fn pad(t: &mut Tape<'_>, operands: &[ValueId], op: &Pad, c: ValueId) {
    let [operand, value] = operands else { return };
    let (operand, value) = (*operand, *value);
    let inner = unpad(t, operand, op, c);
    t.pull(operand, inner);
    if t.is_varied(value) {
        let (all, own) = (t.sum_all(c), t.sum_all(inner));
        let rest = t.sub(all, own);
        t.pull(value, rest);
    }
}

fn unpad(t: &mut Tape<'_>, operand: ValueId, op: &Pad, c: ValueId) -> ValueId {
    let sizes = t.func.dims(operand).to_vec();
    // What was cropped had no part in the result: zeros.
    let crop = |edges: &[i64]| edges.iter().map(|edge| edge.saturating_neg().max(0)).collect::<Vec<i64>>();
    let whole = t.pad(c, Pad { low: crop(&op.low), high: crop(&op.high), ..Pad::nothing(sizes.len()) });
    let start: Vec<i64> = op.low.iter().map(|low| (*low).max(0)).collect();
    let stride: Vec<i64> = op.interior.iter().map(|interior| interior.saturating_add(1)).collect();
    let end = |dim: usize| match sizes[dim] {
        0 => start[dim],
        count => fit(i128::from(start[dim]) + reach_of(count, stride[dim])),
    };
    let limit = (0..sizes.len()).map(end).collect();
    t.slice(whole, Slice { start, limit, stride })
}

/// Each operand gets its piece; pieces of one value that are put together in another order (a roll) are put back.
fn concatenate(t: &mut Tape<'_>, inst: InstId, operands: &[ValueId], op: &Concatenate, c: ValueId) {
    let all_vary = operands.iter().all(|operand| t.is_varied(*operand));
    let source = rolled(&t.func, inst, op.dim).filter(|_| all_vary);
    let mut pieces = Vec::new();
    let mut at = 0;
    for operand in operands {
        let size = t.func.dims(*operand)[op.dim];
        if t.is_varied(*operand) {
            let piece = t.slice_dim(c, Dim::new(op.dim), at..at + size);
            match &source {
                Some(_) => pieces.push(piece),
                None => t.pull(*operand, piece),
            }
        }
        at += size;
    }
    if let Some((source, order)) = source {
        let whole = t.concatenate(order.into_iter().map(|at| pieces[at]).collect(), Dim::new(op.dim));
        t.pull(source, whole);
    }
}

/// The value of which several pieces along a dim, each once and all of them, are put together; and the order that puts
/// them back.
fn rolled(func: &Function, inst: InstId, dim: usize) -> Option<(ValueId, Vec<usize>)> {
    let operands = &func.inst(inst).operands;
    let source = func.inst(func.def_inst(*operands.first()?)?).operands.first().copied()?;
    let mut pieces = Vec::new();
    for (at, operand) in operands.iter().enumerate() {
        let slice = func.def_inst(*operand)?;
        let info = func.inst(slice);
        let Op::Movement(Movement::Slice(op)) = &info.op else { return None };
        let sizes = func.dims(source);
        let is_piece = info.operands == [source]
            && func.block_of(slice) == func.block_of(inst)
            && op.stride[dim] == 1
            && (0..sizes.len()).all(|other| other == dim || op.takes_all(other, sizes[other]));
        if !is_piece {
            return None;
        }
        pieces.push((op.start[dim], op.limit[dim], at));
    }
    pieces.arrange();
    let begins = std::iter::once(0).chain(pieces.iter().map(|piece| piece.1));
    let ends = pieces.iter().map(|piece| piece.0).chain([func.dims(source)[dim]]);
    (pieces.len() > 1 && begins.eq(ends)).then(|| (source, pieces.iter().map(|piece| piece.2).collect()))
}
