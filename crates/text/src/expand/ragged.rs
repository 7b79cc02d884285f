//! Contractions of which each group of rows has its own right side (`ragged_dot`).
//!
//! The sizes of the groups are data; they lie one after the other along the ragged dim of `lhs`. What the ragged dim is
//! to the contraction decides what is computed:
//!
//! ```text
//! free         result[m, n]    = sum of lhs[m, k] rhs[g, k, n]   where row m lies in group g; 0 behind all groups
//! contracted   result[g, m, n] = sum of lhs[m, k] rhs[k, n]      over the k of group g
//! batch        the contraction as it stands
//! ```
//! Expanded, `lhs` gets a dim for the groups in front and is zero outside of each: as many products as groups times
//! rows. Engines that know better have to find the pattern.

use super::{Last, Push};
use meshwright_ir::op::movement::{Broadcast, Transpose};
use meshwright_ir::op::{BinaryOp, Compare, Constant, Convert, Direction, Dot, Iota, Movement};
use meshwright_ir::{Class, DType, Literal, Op, TensorType, ValueId};

/// What the text says of it.
pub(crate) struct Ragged {
    pub dot: Dot,
    /// The ragged dim of `lhs`.
    pub dim: usize,
    /// The dim of `rhs` that counts the groups.
    pub group: Option<usize>,
}

/// The op written out, or why it cannot be.
pub(crate) fn ragged_dot(
    ragged: Ragged,
    operands: [(ValueId, &TensorType); 3],
    push: &mut Push<'_>,
) -> Result<Last, String> {
    let [(lhs, lhs_type), (rhs, rhs_type), (sizes, sizes_type)] = operands;
    if ragged.dot.batch.iter().any(|pair| pair.0 == ragged.dim) {
        return Ok((Op::Dot(ragged.dot), vec![lhs, rhs]));
    }
    let ([groups], Class::Signed | Class::Unsigned) = (&sizes_type.dims[..], sizes_type.dtype.class()) else {
        return Err(format!("sizes of groups are a list of integers, but these are {sizes_type}"));
    };
    if ragged.dim >= lhs_type.rank() {
        return Err(format!("dim {} is ragged, but lhs is {lhs_type}", ragged.dim));
    }
    let contracted = ragged.dot.contract.iter().any(|pair| pair.0 == ragged.dim);
    let counted = ragged.group.and_then(|dim| rhs_type.dims.get(dim));
    if contracted == ragged.group.is_some() || counted.is_some_and(|size| size != groups) {
        return Err(format!("{groups} groups do not fit the dims of rhs, which is {rhs_type}"));
    }
    let mut dims = vec![*groups];
    dims.extend(&lhs_type.dims);
    let shape = GroupedShape { dims, groups: *groups, sizes, number: sizes_type.dtype };
    let lhs = shape.spread(lhs, lhs_type, ragged.dim, push);
    Ok(contraction(ragged, lhs, (rhs, rhs_type), &shape, push))
}

/// The shape of `lhs` with its groups, and what is known of these.
struct GroupedShape {
    dims: Vec<i64>,
    groups: i64,
    sizes: ValueId,
    number: DType,
}

impl GroupedShape {
    fn ty(&self, dtype: DType) -> TensorType {
        TensorType::new(dtype, self.dims.clone())
    }

    /// `lhs` once for each group, zero outside of it.
    fn spread(&self, lhs: ValueId, ty: &TensorType, ragged: usize, push: &mut Push<'_>) -> ValueId {
        let (ends, starts) = self.bounds(push);
        let place = self.iota(&self.dims, ragged + 1, push);
        let bound = |value, push: &mut Push<'_>| {
            push(broadcast(vec![0], &self.dims), vec![value], &self.ty(self.number))
        };
        let (end, start) = (bound(ends, push), bound(starts, push));
        let pred = self.ty(DType::Pred);
        let before = push(compare(Direction::Lt), vec![place, end], &pred);
        let behind = push(compare(Direction::Ge), vec![place, start], &pred);
        let inside = push(Op::Binary(BinaryOp::And), vec![before, behind], &pred);
        let full = self.ty(ty.dtype);
        let all = push(broadcast((1..self.dims.len()).collect(), &self.dims), vec![lhs], &full);
        let zero = push(Op::Constant(Constant(Literal::zeros(full.clone()))), Vec::new(), &full);
        push(Op::Select, vec![inside, all, zero], &full)
    }

    /// Where each group ends and starts: sums of the sizes up to it, by a triangle of ones.
    fn bounds(&self, push: &mut Push<'_>) -> (ValueId, ValueId) {
        let square = [self.groups, self.groups];
        let (row, column) = (self.iota(&square, 0, push), self.iota(&square, 1, push));
        let up_to = push(compare(Direction::Ge), vec![row, column], &TensorType::new(DType::Pred, square));
        let ones =
            push(Op::Convert(Convert::To(self.number)), vec![up_to], &TensorType::new(self.number, square));
        let sum = Dot {
            batch: Vec::new(),
            contract: vec![(1, 0)],
            result: self.number,
            precision: Vec::new(),
            algorithm: None,
        };
        let each = TensorType::new(self.number, [self.groups]);
        let ends = push(Op::Dot(sum), vec![ones, self.sizes], &each);
        (ends, push(Op::Binary(BinaryOp::Subtract), vec![ends, self.sizes], &each))
    }

    fn iota(&self, dims: &[i64], dim: usize, push: &mut Push<'_>) -> ValueId {
        let ty = TensorType::new(self.number, dims);
        push(Op::Iota(Iota { dim, ty: ty.clone() }), Vec::new(), &ty)
    }
}

/// The product with the groups of `lhs` in front. Groups stand behind batch dims then; they belong before them.
fn contraction(
    ragged: Ragged,
    lhs: ValueId,
    (rhs, rhs_type): (ValueId, &TensorType),
    shape: &GroupedShape,
    push: &mut Push<'_>,
) -> Last {
    let mut dot = ragged.dot;
    dot.batch.iter_mut().chain(&mut dot.contract).for_each(|pair| pair.0 += 1);
    if let Some(group) = ragged.group {
        dot.contract.insert(0, (0, group));
        return (Op::Dot(dot), vec![lhs, rhs]);
    }
    let batch = dot.batch.len();
    if batch == 0 {
        return (Op::Dot(dot), vec![lhs, rhs]);
    }
    let left = dot.lhs_free(shape.dims.len()).map(|dim| shape.dims[dim]);
    let right = dot.rhs_free(rhs_type.rank()).map(|dim| rhs_type.dims[dim]);
    let dims: Vec<i64> = dot
        .batch
        .iter()
        .filter_map(|pair| shape.dims.get(pair.0).copied())
        .chain(left)
        .chain(right)
        .collect();
    let ty = TensorType::new(dot.result, dims);
    let product = push(Op::Dot(dot), vec![lhs, rhs], &ty);
    let order = [batch].into_iter().chain(0..batch).chain(batch + 1..ty.rank()).collect();
    (Op::Movement(Movement::Transpose(Transpose { permutation: order })), vec![product])
}

fn broadcast(dims: Vec<usize>, shape: &[i64]) -> Op {
    Op::Movement(Movement::Broadcast(Broadcast { dims, shape: shape.to_vec() }))
}

fn compare(direction: Direction) -> Op {
    Op::Compare(Compare { direction, kind: None })
}
