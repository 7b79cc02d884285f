//! Derivatives of scatters, by what their region does.
//!
//! ```text
//! add        d input = c                                d update = c where it went
//! set        d input = c, zero where updates went       d update = c where it was the one that stayed
//! multiply   d input = c * (product of its updates)     d update = c * result / update where it went
//! max, min   the values equal to the result share c evenly
//! ```
//!
//! Updates that would reach outside were dropped: they get nothing. A product with an update of zero that meets another
//! update at its place has no derivative here.

use crate::elementwise::keep_optional;
use crate::gather::{add_into, inside, last_starts};
use crate::reduce::reducer_of;
use crate::tape::Tape;
use meshwright_ir::copy::{ValueMap, copy_region};
use meshwright_ir::op::{BinaryOp, Direction, Gather, Op, Scatter};
use meshwright_ir::{BlockId, Build, DType, Dim, InstId, TensorType, Type, ValueId};
use meshwright_shard::Reducer;

/// A scatter of one input, with what its derivatives share.
struct Parts {
    op: Scatter,
    input: ValueId,
    update: ValueId,
    result: ValueId,
    /// Forward, where the backward block is written.
    indices: ValueId,
    gather: Gather,
    /// Which updates were not dropped, of the updates' shape.
    kept: Option<ValueId>,
}

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Scatter, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let ([input, indices, update], [Some(c)]) = (&it.operands[..], cotangents) else {
        return t.no_derivative(inst);
    };
    let region = it.regions[0];
    let (input, update, c) = (*input, *update, *c);
    let indices = t.primal(*indices);
    let mut parts = Parts {
        op: op.clone(),
        input,
        update,
        result: it.results[0],
        indices,
        gather: gather_of(t, op, input, update),
        kept: None,
    };
    if t.is_varied(update) || reducer_of(&t.func, region).is_some_and(|reducer| reducer != Reducer::Sum) {
        parts.kept = kept(t, &parts);
    }
    match reducer_of(&t.func, region) {
        Some(Reducer::Sum) => sum(t, &parts, c),
        Some(Reducer::Product) => product(t, &parts, c),
        Some(Reducer::Max | Reducer::Min) => extremum(t, &parts, c),
        None if sets(t, region) => set(t, &parts, region, c),
        Some(Reducer::And | Reducer::Or | Reducer::Xor) | None => t.no_derivative(inst),
    }
}

/// Whether a region returns the update as it is.
fn sets(t: &Tape<'_>, region: BlockId) -> bool {
    let block = t.func.block(region);
    block.params.len() == 2 && block.results[..] == block.params[1..]
}

/// The gather that takes what a scatter puts.
fn gather_of(t: &Tape<'_>, op: &Scatter, input: ValueId, update: ValueId) -> Gather {
    let (sizes, update) = (t.func.dims(input), t.func.dims(update));
    let mut window = op.update_window_dims.iter();
    let is_dropped =
        |dim: &usize| op.inserted_window_dims.contains(dim) || op.input_batching_dims.contains(dim);
    let slice = |dim: usize| {
        if is_dropped(&dim) { 1.min(sizes[dim]) } else { window.next().map_or(1, |at| update[*at]) }
    };
    Gather {
        slice_sizes: (0..sizes.len()).map(slice).collect(),
        offset_dims: op.update_window_dims.clone(),
        collapsed_slice_dims: op.inserted_window_dims.clone(),
        operand_batching_dims: op.input_batching_dims.clone(),
        start_indices_batching_dims: op.scatter_indices_batching_dims.clone(),
        start_index_map: op.scatter_dims_to_operand_dims.clone(),
        index_vector_dim: op.index_vector_dim,
        indices_are_sorted: op.indices_are_sorted,
    }
}

fn kept(t: &mut Tape<'_>, parts: &Parts) -> Option<ValueId> {
    let op = &parts.op;
    let sizes = t.func.dims(parts.input).to_vec();
    let last = last_starts(&op.scatter_dims_to_operand_dims, &sizes, &parts.gather.slice_sizes);
    let inside = inside(t, parts.indices, op.index_vector_dim, &last)?;
    let shape = t.func.dims(parts.update).to_vec();
    Some(t.spread(inside, &op.update_window_dims, &shape))
}

/// What stands at each update's place.
fn take(t: &mut Tape<'_>, parts: &Parts, from: ValueId) -> ValueId {
    t.push(Op::Gather(parts.gather.clone()), vec![from, parts.indices])
}

fn sum(t: &mut Tape<'_>, parts: &Parts, c: ValueId) {
    t.pull(parts.input, c);
    if t.is_varied(parts.update) {
        let taken = take(t, parts, c);
        let given = keep_optional(t, parts.kept, taken);
        t.pull(parts.update, given);
    }
}

fn set(t: &mut Tape<'_>, parts: &Parts, region: BlockId, c: ValueId) {
    if t.is_varied(parts.input) {
        let nothing = t.zeros_like(parts.update);
        let given = set_into(t, parts, region, c, nothing);
        t.pull(parts.input, given);
    }
    if t.is_varied(parts.update) {
        let taken = take(t, parts, c);
        let mut given = keep_optional(t, parts.kept, taken);
        if !parts.op.unique_indices {
            let stayed = stayed(t, parts);
            given = t.keep(stayed, given);
        }
        t.pull(parts.update, given);
    }
}

fn set_into(t: &mut Tape<'_>, parts: &Parts, region: BlockId, room: ValueId, updates: ValueId) -> ValueId {
    let dtype = t.dtype(room);
    let own = t.dtype(parts.input) == dtype;
    let region =
        if own { copy_region(None, &mut t.func, region, &mut ValueMap::default()) } else { second(t, dtype) };
    t.push_in(Op::Scatter(parts.op.clone()), vec![room, parts.indices, updates], vec![region])
}

/// A block of two scalars that returns the second.
pub(crate) fn second(t: &mut Tape<'_>, dtype: DType) -> BlockId {
    t.region([Type::tensor(dtype, []), Type::tensor(dtype, [])], |_, params| vec![params[1]])
}

/// Where several updates went to one place: which element was the one that stayed. Each gets a number; the numbers are
/// scattered the same way and looked at.
fn stayed(t: &mut Tape<'_>, parts: &Parts) -> ValueId {
    let (shape, sizes) = (t.func.dims(parts.update).to_vec(), t.func.dims(parts.input).to_vec());
    let count = t.tensor(parts.update).elements();
    let flat = t.iota(DType::S32, &[count], Dim::new(0));
    let numbers = t.reshape(flat, &shape);
    let room = t.splat(&TensorType::new(DType::S32, sizes), -1.0);
    let region = parts.op.clone();
    let block = second(t, DType::S32);
    let placed = t.push_in(Op::Scatter(region), vec![room, parts.indices, numbers], vec![block]);
    let found = take(t, parts, placed);
    t.compare(Direction::Eq, found, numbers)
}

fn product(t: &mut Tape<'_>, parts: &Parts, c: ValueId) {
    if t.is_varied(parts.input) {
        let ones = t.splat_like(parts.input, 1.0);
        let (update, dtype) = (t.primal(parts.update), t.dtype(parts.input));
        let region = t.reducer(BinaryOp::Multiply, dtype);
        let factor =
            t.push_in(Op::Scatter(parts.op.clone()), vec![ones, parts.indices, update], vec![region]);
        let given = t.mul(c, factor);
        t.pull(parts.input, given);
    }
    if t.is_varied(parts.update) {
        // With no two updates at one place the rest of the product is the input.
        let rest = if parts.op.unique_indices { parts.input } else { parts.result };
        let rest = t.primal(rest);
        let product = t.mul(c, rest);
        let taken = take(t, parts, product);
        let mut given = keep_optional(t, parts.kept, taken);
        if !parts.op.unique_indices {
            let update = t.primal(parts.update);
            given = t.div(given, update);
        }
        t.pull(parts.update, given);
    }
}

fn extremum(t: &mut Tape<'_>, parts: &Parts, c: ValueId) {
    let (input, update, result) = (t.primal(parts.input), t.primal(parts.update), t.primal(parts.result));
    let dtype = t.dtype(result);
    let input_hits = t.compare(Direction::Eq, input, result);
    let there = take(t, parts, result);
    let mut update_hits = t.compare(Direction::Eq, update, there);
    if let Some(kept) = parts.kept {
        update_hits = t.binary(BinaryOp::And, update_hits, kept);
    }
    let (ones, more) = (t.convert(input_hits, dtype), t.convert(update_hits, dtype));
    let count = add_into(t, &parts.op, ones, parts.indices, more);
    let share = t.div(c, count);
    if t.is_varied(parts.input) {
        let given = t.keep(input_hits, share);
        t.pull(parts.input, given);
    }
    if t.is_varied(parts.update) {
        let taken = take(t, parts, share);
        let given = t.keep(update_hits, taken);
        t.pull(parts.update, given);
    }
}
