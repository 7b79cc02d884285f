//! The derivative of a contraction: two contractions.
//!
//! ```text
//! y[b,i,j] = sum_k l[b,i,k] r[b,k,j]
//! dl[b,i,k] = sum_j dy[b,i,j] r[b,k,j]        dr[b,k,j] = sum_i dy[b,i,j] l[b,i,k]
//! ```
//!
//! Operands are written in the order that leaves the dims as they are wanted; only where neither does is there a
//! transpose.

use crate::movement::inverse;
use crate::tape::Tape;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::Dot;
use meshwright_ir::{Build, InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, dot: &Dot, c: ValueId) {
    let [lhs, rhs] = t.func.inst(inst).operands[..] else { return };
    let ranks = [t.func.dims(lhs).len(), t.func.dims(rhs).len()];
    let free = [dot.lhs_free(ranks[0]).collect::<Vec<_>>(), dot.rhs_free(ranks[1]).collect()];
    for side in 0..2 {
        let operand = [lhs, rhs][side];
        if t.is_varied(operand) {
            let other = t.primal([rhs, lhs][side]);
            let given = one_side(t, dot, side, &free, operand, other, c);
            t.pull(operand, given);
        }
    }
}

/// Dim of a pair on the given side.
fn of(side: usize, pair: &(usize, usize)) -> usize {
    if side == 0 { pair.0 } else { pair.1 }
}

fn one_side(
    t: &mut Tape<'_>,
    dot: &Dot,
    side: usize,
    free: &[Vec<usize>; 2],
    operand: ValueId,
    other: ValueId,
    c: ValueId,
) -> ValueId {
    let theirs = 1 - side;
    let batches = dot.batch.len();
    // Dims of the cotangent: batch, free of lhs, free of rhs.
    let their_free_at = batches + if theirs == 0 { 0 } else { free[0].len() };
    let contract: Vec<(usize, usize)> =
        free[theirs].iter().enumerate().map(|(at, dim)| (their_free_at + at, *dim)).collect();
    let batch: Vec<(usize, usize)> =
        dot.batch.iter().enumerate().map(|(at, pair)| (at, of(theirs, pair))).collect();
    let own_batch: Vec<usize> = dot.batch.iter().map(|pair| of(side, pair)).collect();
    // The other operand's contracted dims stay, ascending; each is paired with one of ours.
    let mut contracted: Vec<(usize, usize)> =
        dot.contract.iter().map(|pair| (of(theirs, pair), of(side, pair))).collect();
    contracted.arrange();
    let contracted: Vec<usize> = contracted.into_iter().map(|(_, own)| own).collect();
    let own_free = free[side].clone();
    let straight: Vec<usize> = own_batch.iter().chain(&own_free).chain(&contracted).copied().collect();
    let swapped: Vec<usize> = own_batch.iter().chain(&contracted).chain(&own_free).copied().collect();
    let is_sorted = |dims: &[usize]| dims.iter().copied().eq(0..dims.len());
    let precision: Vec<_> = dot.precision.iter().rev().copied().collect();
    let algorithm = dot.algorithm.clone();
    let product = Dot { batch, contract, result: t.dtype(operand), precision, algorithm };
    if !is_sorted(&straight) && is_sorted(&swapped) {
        let swap = |pairs: Vec<(usize, usize)>| pairs.into_iter().map(|(a, b)| (b, a)).collect();
        let (batch, contract) = (swap(product.batch), swap(product.contract));
        return t.dot(other, c, Dot { batch, contract, ..product });
    }
    let result = t.dot(c, other, product);
    t.transpose(result, inverse(&straight))
}

/// Products of stacks of matrices: the last two dims are rows and columns, those before pair up.
pub(crate) trait Matrices {
    /// `A B`.
    fn matrix_product(&mut self, a: ValueId, b: ValueId) -> ValueId;
    /// `A B^T`.
    fn outer_product(&mut self, a: ValueId, b: ValueId) -> ValueId;
    /// `A^T B`.
    fn inner_product(&mut self, a: ValueId, b: ValueId) -> ValueId;
}

impl Matrices for Tape<'_> {
    fn matrix_product(&mut self, a: ValueId, b: ValueId) -> ValueId {
        stacked(self, [a, b], 1, 2)
    }

    fn outer_product(&mut self, a: ValueId, b: ValueId) -> ValueId {
        stacked(self, [a, b], 1, 1)
    }

    fn inner_product(&mut self, a: ValueId, b: ValueId) -> ValueId {
        stacked(self, [a, b], 2, 2)
    }
}

/// Contract the dims that stand `from_a` and `from_b` from the end.
fn stacked(t: &mut Tape<'_>, [a, b]: [ValueId; 2], from_a: usize, from_b: usize) -> ValueId {
    let rank = t.func.dims(a).len();
    let batch = (0..rank - 2).map(|dim| (dim, dim)).collect();
    let contract = vec![(rank - from_a, rank - from_b)];
    let precision = vec![meshwright_ir::op::Precision::Highest; 2];
    let product = Dot { batch, contract, result: t.dtype(a), precision, algorithm: None };
    t.dot(a, b, product)
}
