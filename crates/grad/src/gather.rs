//! The derivative of a gather: a scatter that adds. And what both share: places that lie inside the operand.
//!
//! A gather moves a window that would reach outside back inside; a scatter drops it. So the indices of the one are
//! clamped before the other uses them.

use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Constant, Direction, Gather, Op, Scatter};
use meshwright_ir::{Build, DType, InstId, Literal, ValueId};
use meshwright_shard::Reducer;

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Gather, c: ValueId) {
    let [operand, indices] = t.func.inst(inst).operands[..] else { return };
    let indices = t.primal(indices);
    let last = last_starts(&op.start_index_map, t.func.dims(operand), &op.slice_sizes);
    let clamped = clamp(t, indices, op.index_vector_dim, &last);
    let room = t.zeros_like(operand);
    let given = add_into(t, &transposed(op), room, clamped, c);
    t.pull(operand, given);
}

/// The scatter that puts back what a gather takes.
fn transposed(op: &Gather) -> Scatter {
    Scatter {
        update_window_dims: op.offset_dims.clone(),
        inserted_window_dims: op.collapsed_slice_dims.clone(),
        input_batching_dims: op.operand_batching_dims.clone(),
        scatter_indices_batching_dims: op.start_indices_batching_dims.clone(),
        scatter_dims_to_operand_dims: op.start_index_map.clone(),
        index_vector_dim: op.index_vector_dim,
        indices_are_sorted: op.indices_are_sorted,
        unique_indices: false,
    }
}

/// Scatter `updates` into `room`, adding.
pub(crate) fn add_into(
    t: &mut Tape<'_>,
    op: &Scatter,
    room: ValueId,
    indices: ValueId,
    updates: ValueId,
) -> ValueId {
    let dtype = t.dtype(room);
    let region = t.reducer(BinaryOp::Add, dtype);
    t.push_in(Op::Scatter(op.clone()), vec![room, indices, updates], vec![region])
}

/// The last place a window may start at, per index component.
pub(crate) fn last_starts(index_map: &[usize], sizes: &[i64], window: &[i64]) -> Vec<i64> {
    index_map.iter().map(|dim| (sizes[*dim] - window[*dim]).max(0)).collect()
}

/// A constant of the indices' type that holds a number for each component.
fn per_component(t: &mut Tape<'_>, indices: ValueId, vector_dim: usize, numbers: &[i64]) -> ValueId {
    let ty = t.tensor(indices);
    let most = largest(ty.dtype);
    let numbers: Vec<i64> = numbers.iter().map(|number| (*number).min(most)).collect();
    if let Some(first) = numbers.first().copied()
        && numbers.iter().all(|number| *number == first)
    {
        return t.splat(&ty, first as f64);
    }
    let vector = meshwright_ir::TensorType::new(ty.dtype, [numbers.len() as i64]);
    let width = ty.dtype.bytes();
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()[..width].to_vec()).collect();
    let literal = Literal::dense(vector.clone(), bytes).unwrap_or_else(|| Literal::zeros(vector));
    let constant = t.push(Op::Constant(Constant(literal)), Vec::new());
    t.broadcast(constant, vec![vector_dim], &ty.dims)
}

/// The largest number of an integer type that fits an `i64`.
fn largest(dtype: DType) -> i64 {
    let bits = dtype.bits() - u32::from(dtype.class() == meshwright_ir::Class::Signed);
    if bits >= 63 { i64::MAX } else { (1 << bits) - 1 }
}

/// Indices moved to where their windows lie inside.
fn clamp(t: &mut Tape<'_>, indices: ValueId, vector_dim: usize, last: &[i64]) -> ValueId {
    if last.is_empty() {
        return indices;
    }
    let low = t.zeros_like(indices);
    let high = per_component(t, indices, vector_dim, last);
    t.push(Op::Clamp, vec![low, indices, high])
}

/// Where all components of an index lie from zero to `last`: over the batch dims of the indices.
pub(crate) fn inside(t: &mut Tape<'_>, indices: ValueId, vector_dim: usize, last: &[i64]) -> Option<ValueId> {
    if last.is_empty() {
        return None;
    }
    let low = t.zeros_like(indices);
    let high = per_component(t, indices, vector_dim, last);
    let (above, below) = (t.compare(Direction::Ge, indices, low), t.compare(Direction::Le, indices, high));
    let each = t.binary(BinaryOp::And, above, below);
    let rank = t.func.dims(indices).len();
    if vector_dim >= rank {
        return Some(each);
    }
    if last.len() == 1 {
        let dims = t.func.dims(indices).to_vec();
        let shape: Vec<i64> = (0..rank).filter(|dim| *dim != vector_dim).map(|dim| dims[dim]).collect();
        return Some(t.reshape(each, &shape));
    }
    Some(t.reduce(Reducer::And, each, vec![vector_dim]))
}

/// Zeros of `like`'s type with `values` put along `dim` where `indices`, of the values' shape, say: the derivative of
/// picking along a dim. No place is named twice in a row of `dim`.
pub(crate) fn put_along(
    t: &mut Tape<'_>,
    like: ValueId,
    indices: ValueId,
    dim: usize,
    values: ValueId,
) -> ValueId {
    let rank = t.func.dims(like).len();
    let others: Vec<usize> = (0..rank).filter(|other| *other != dim).collect();
    let scatter = Scatter {
        update_window_dims: Vec::new(),
        inserted_window_dims: vec![dim],
        input_batching_dims: others.clone(),
        scatter_indices_batching_dims: others,
        scatter_dims_to_operand_dims: vec![dim],
        index_vector_dim: rank,
        indices_are_sorted: false,
        unique_indices: true,
    };
    let room = t.zeros_like(like);
    add_into(t, &scatter, room, indices, values)
}
