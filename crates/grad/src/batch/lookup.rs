//! Batched lookups. Where all cases look at the same places, the cases are one more window dim; where each looks at its
//! own, they are a batching dim of operand and indices.

use super::Batch;
use super::{scalar, up};
use crate::gather::last_starts;
use meshwright_ir::op::{BinaryOp, Constant, Dynamic, Gather, Op, Scatter};
use meshwright_ir::{Build, InstId, Literal, TensorType, ValueId};

/// A new first entry before the others.
fn first<T: Copy>(one: T, rest: impl IntoIterator<Item = T>) -> Vec<T> {
    [one].into_iter().chain(rest).collect()
}

pub(crate) fn gather(b: &mut Batch<'_>, inst: InstId, op: &Gather) -> Vec<ValueId> {
    let [operand, indices] = b.from.inst(inst).operands[..] else { return Vec::new() };
    let (own, theirs) = (b.is_batched(operand), b.is_batched(indices));
    let shifted = match (own, theirs) {
        (true, true) => Gather {
            offset_dims: up(&op.offset_dims),
            collapsed_slice_dims: up(&op.collapsed_slice_dims),
            operand_batching_dims: first(0, up(&op.operand_batching_dims)),
            start_indices_batching_dims: first(0, up(&op.start_indices_batching_dims)),
            start_index_map: up(&op.start_index_map),
            index_vector_dim: op.index_vector_dim + 1,
            slice_sizes: first(1.min(b.size), op.slice_sizes.iter().copied()),
            indices_are_sorted: false,
        },
        (true, false) => Gather {
            offset_dims: first(0, up(&op.offset_dims)),
            collapsed_slice_dims: up(&op.collapsed_slice_dims),
            operand_batching_dims: up(&op.operand_batching_dims),
            start_index_map: up(&op.start_index_map),
            slice_sizes: first(b.size, op.slice_sizes.iter().copied()),
            ..op.clone()
        },
        (false, _) => Gather {
            offset_dims: up(&op.offset_dims),
            start_indices_batching_dims: up(&op.start_indices_batching_dims),
            index_vector_dim: op.index_vector_dim + 1,
            indices_are_sorted: false,
            ..op.clone()
        },
    };
    let operands = vec![b.value(operand), b.value(indices)];
    b.out.push_all(Op::Gather(shifted), operands, Vec::new())
}

pub(crate) fn scatter(b: &mut Batch<'_>, inst: InstId, op: &Scatter) -> Option<Vec<ValueId>> {
    let operands = b.from.inst(inst).operands.clone();
    let count = operands.len() / 2;
    let indices = operands[count];
    let shifted = if b.is_batched(indices) {
        Scatter {
            update_window_dims: up(&op.update_window_dims),
            inserted_window_dims: up(&op.inserted_window_dims),
            input_batching_dims: first(0, up(&op.input_batching_dims)),
            scatter_indices_batching_dims: first(0, up(&op.scatter_indices_batching_dims)),
            scatter_dims_to_operand_dims: up(&op.scatter_dims_to_operand_dims),
            index_vector_dim: op.index_vector_dim + 1,
            indices_are_sorted: false,
            unique_indices: op.unique_indices,
        }
    } else {
        Scatter {
            update_window_dims: first(0, up(&op.update_window_dims)),
            inserted_window_dims: up(&op.inserted_window_dims),
            input_batching_dims: up(&op.input_batching_dims),
            scatter_dims_to_operand_dims: up(&op.scatter_dims_to_operand_dims),
            ..op.clone()
        }
    };
    let regions = b.plain_regions(inst);
    let each = |b: &mut Batch<'_>, (at, operand): (usize, &ValueId)| {
        if at == count { b.value(*operand) } else { b.all_cases(*operand) }
    };
    let operands = operands.iter().enumerate().map(|pair| each(b, pair)).collect();
    Some(b.out.push_all(Op::Scatter(shifted), operands, regions))
}

pub(crate) fn dynamic_slice(b: &mut Batch<'_>, inst: InstId, sizes: &[i64]) -> Option<Vec<ValueId>> {
    let operands = b.from.inst(inst).operands.clone();
    let [operand, starts @ ..] = &operands[..] else { return None };
    if starts.iter().any(|start| b.is_batched(*start)) {
        let rank = sizes.len();
        let indices = starts_of_cases(b, starts)?;
        let own = b.is_batched(*operand);
        let gather = Gather {
            offset_dims: (1..=rank).collect(),
            collapsed_slice_dims: Vec::new(),
            operand_batching_dims: if own { vec![0] } else { Vec::new() },
            start_indices_batching_dims: if own { vec![0] } else { Vec::new() },
            start_index_map: (0..rank).map(|dim| dim + usize::from(own)).collect(),
            index_vector_dim: 1,
            slice_sizes: if own { first(1.min(b.size), sizes.iter().copied()) } else { sizes.to_vec() },
            indices_are_sorted: false,
        };
        let operand = b.value(*operand);
        return Some(b.out.push_all(Op::Gather(gather), vec![operand, indices], Vec::new()));
    }
    let mut passed = vec![b.value(*operand)];
    if starts.is_empty() {
        return None;
    }
    passed.push(scalar(b, starts[0], 0));
    passed.extend(starts.iter().map(|start| b.value(*start)));
    let sizes = first(b.size, sizes.iter().copied());
    Some(b.out.push_all(Op::Dynamic(Dynamic::Slice { sizes }), passed, Vec::new()))
}

/// One vector of start indices per case.
fn starts_of_cases(b: &mut Batch<'_>, starts: &[ValueId]) -> Option<ValueId> {
    let size = b.size;
    let mut columns = Vec::new();
    for start in starts {
        let start = b.all_cases(*start);
        columns.push(b.out.reshape(start, &[size, 1]));
    }
    match columns[..] {
        [] => None,
        [only] => Some(only),
        _ => {
            let op = meshwright_ir::op::Movement::Concatenate(meshwright_ir::op::Concatenate { dim: 1 });
            Some(b.out.push(Op::Movement(op), columns))
        }
    }
}

/// Updates at places of their own are a scatter that sets. A scatter drops what an update would move inside, so the
/// starts are clamped before.
pub(crate) fn dynamic_update(b: &mut Batch<'_>, inst: InstId) -> Option<Vec<ValueId>> {
    let operands = b.from.inst(inst).operands.clone();
    let [operand, update, starts @ ..] = &operands[..] else { return None };
    if starts.is_empty() {
        return None;
    }
    if !starts.iter().any(|start| b.is_batched(*start)) {
        let mut passed = vec![b.all_cases(*operand), b.all_cases(*update), scalar(b, starts[0], 0)];
        passed.extend(starts.iter().map(|start| b.value(*start)));
        return Some(b.out.push_all(Op::Dynamic(Dynamic::UpdateSlice), passed, Vec::new()));
    }
    let rank = starts.len();
    let indices = starts_of_cases(b, starts)?;
    let (sizes, window) = (b.from.dims(*operand).to_vec(), b.from.dims(*update).to_vec());
    let all: Vec<usize> = (0..rank).collect();
    let last = last_starts(&all, &sizes, &window);
    let indices = clamp_rows(b, indices, &last);
    let scatter = Scatter {
        update_window_dims: (1..=rank).collect(),
        inserted_window_dims: Vec::new(),
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: up(&all),
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: true,
    };
    let dtype = b.from.ty(*operand).as_tensor()?.dtype;
    let region = crate::scatter::second(&mut b.out, dtype);
    let passed = vec![b.all_cases(*operand), indices, b.all_cases(*update)];
    Some(b.out.push_all(Op::Scatter(scatter), passed, vec![region]))
}

/// Index vectors, one per row, moved to where windows lie inside.
fn clamp_rows(b: &mut Batch<'_>, indices: ValueId, last: &[i64]) -> ValueId {
    let ty = b.out.tensor(indices);
    let bytes = last.iter().flat_map(|number| number.to_le_bytes()[..ty.dtype.bytes()].to_vec()).collect();
    let vector = TensorType::new(ty.dtype, [last.len() as i64]);
    let literal = Literal::dense(vector.clone(), bytes).unwrap_or_else(|| Literal::zeros(vector));
    let high = b.out.push(Op::Constant(Constant(literal)), Vec::new());
    let high = b.out.broadcast(high, vec![1], &ty.dims);
    let low = b.out.zeros(&ty);
    let above = b.out.binary(BinaryOp::Maximum, indices, low);
    b.out.binary(BinaryOp::Minimum, above, high)
}
