//! Derivatives of reductions: sum, product, maximum, minimum.
//!
//! Elements that tie for the maximum share its cotangent evenly.

use crate::elementwise::constant_float;
use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Direction, Op, Reduce, ShardingOp, UnaryOp};
use meshwright_ir::{BlockId, Build, Function, InstId, ValueId};
use meshwright_shard::Reducer;

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Reduce, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let reducer = it.regions.first().and_then(|region| reducer_of(&t.func, *region));
    let (2, Some(Some(c))) = (it.operands.len(), cotangents.first().copied()) else {
        return crate::sort::picked(t, inst, op, cotangents);
    };
    let (operand, init, result) = (it.operands[0], it.operands[1], it.results[0]);
    match reducer {
        Some(Reducer::Sum) => sum(t, operand, init, op, c),
        Some(Reducer::Max | Reducer::Min) => extremum(t, [operand, init, result], op, c),
        Some(Reducer::Product) => product(t, [operand, init, result], op, c),
        Some(Reducer::And | Reducer::Or | Reducer::Xor) | None => t.no_derivative(inst),
    }
}

/// The reducer a region computes, if it is a plain one; annotations inside say nothing about values.
pub(crate) fn reducer_of(func: &Function, region: BlockId) -> Option<Reducer> {
    if let Some(reducer) = func.region_reducer(region) {
        return Some(reducer);
    }
    let block = func.block(region);
    let ([a, b], [result]) = (&block.params[..], &block.results[..]) else { return None };
    let mut it = func.inst(func.def_inst(*result)?);
    while let Op::Sharding(ShardingOp::Constraint { .. }) | Op::Unary(UnaryOp::Copy) = it.op {
        it = func.inst(func.def_inst(*it.operands.first()?)?);
    }
    if it.operands != [*a, *b] && it.operands != [*b, *a] {
        return None;
    }
    match it.op {
        Op::Binary(BinaryOp::Add) => Some(Reducer::Sum),
        Op::Binary(BinaryOp::Multiply) => Some(Reducer::Product),
        Op::Binary(BinaryOp::Minimum) => Some(Reducer::Min),
        Op::Binary(BinaryOp::Maximum) => Some(Reducer::Max),
        _ => None,
    }
}

fn sum(t: &mut Tape<'_>, operand: ValueId, init: ValueId, op: &Reduce, c: ValueId) {
    let (shape, dtype) = (t.func.dims(operand).to_vec(), t.dtype(operand));
    if t.is_varied(operand) {
        let narrow = t.convert(c, dtype);
        let given = t.spread(narrow, &op.dims, &shape);
        t.pull(operand, given);
    }
    if t.is_varied(init) {
        let dtype = t.dtype(init);
        let all = t.sum_all(c);
        let given = t.convert(all, dtype);
        t.pull(init, given);
    }
}

/// A result against the elements it was made of: the result repeated along the reduced dims, and the elements in its
/// type.
fn against(t: &mut Tape<'_>, operand: ValueId, result: ValueId, dims: &[usize]) -> (ValueId, ValueId) {
    let (x, y) = (t.primal(operand), t.primal(result));
    let (shape, dtype) = (t.func.dims(x).to_vec(), t.dtype(y));
    (t.convert(x, dtype), t.spread(y, dims, &shape))
}

fn extremum(t: &mut Tape<'_>, [operand, init, result]: [ValueId; 3], op: &Reduce, c: ValueId) {
    let (x, best) = against(t, operand, result, &op.dims);
    let shape = t.func.dims(x).to_vec();
    let hits = t.compare(Direction::Eq, x, best);
    let dtype = t.dtype(c);
    let ones = t.convert(hits, dtype);
    let count = t.sum(ones, &op.dims);
    let (none, divisor) = if is_infinite(t, init) { (None, count) } else { at_least_one(t, count) };
    if t.is_varied(operand) {
        let share = t.div(c, divisor);
        let share = t.spread(share, &op.dims, &shape);
        let kept = t.keep(hits, share);
        let dtype = t.dtype(operand);
        let given = t.convert(kept, dtype);
        t.pull(operand, given);
    }
    // The initial value wins where it is better than all elements: then none of them hits.
    if let Some(none) = none.filter(|_| t.is_varied(init)) {
        let kept = t.keep(none, c);
        let all = t.sum_all(kept);
        let dtype = t.dtype(init);
        let given = t.convert(all, dtype);
        t.pull(init, given);
    }
}

/// Whether the initial value can win against no element.
fn is_infinite(t: &Tape<'_>, init: ValueId) -> bool {
    constant_float(t, init).is_some_and(f64::is_infinite)
}

/// Where a count is zero, and the count with ones there.
fn at_least_one(t: &mut Tape<'_>, count: ValueId) -> (Option<ValueId>, ValueId) {
    let (zero, one) = (t.zeros_like(count), t.splat_like(count, 1.0));
    let none = t.compare(Direction::Eq, count, zero);
    (Some(none), t.select(none, one, count))
}

/// The product of the other elements: the result divided by the element, or, where there are zeros, the product of the
/// rest for the only zero.
fn product(t: &mut Tape<'_>, [operand, init, result]: [ValueId; 3], op: &Reduce, c: ValueId) {
    let dtype = t.dtype(result);
    let x = t.primal(operand);
    let x = t.convert(x, dtype);
    let shape = t.func.dims(x).to_vec();
    let (zero, one) = (t.zeros_like(x), t.splat_like(x, 1.0));
    let is_zero = t.compare(Direction::Eq, x, zero);
    let zeros = t.convert(is_zero, dtype.part());
    let zeros = t.sum(zeros, &op.dims);
    let safe = t.select(is_zero, one, x);
    let rest = t.reduce(Reducer::Product, safe, op.dims.clone());
    let start = t.primal(init);
    let start = t.convert(start, dtype);
    let count_ty = t.tensor(zeros);
    let (none, single) = (t.splat(&count_ty, 0.0), t.splat(&count_ty, 1.0));
    let (no_zero, one_zero) =
        (t.compare(Direction::Eq, zeros, none), t.compare(Direction::Eq, zeros, single));
    if t.is_varied(operand) {
        let start = t.broadcast(start, Vec::new(), &count_ty.dims);
        let others = t.mul(rest, start);
        let others = t.mul(c, others);
        let (plain, lone) = (t.keep(no_zero, others), t.keep(one_zero, others));
        let (plain, lone) = (t.spread(plain, &op.dims, &shape), t.spread(lone, &op.dims, &shape));
        let divided = t.div(plain, safe);
        let given = t.select(is_zero, lone, divided);
        let dtype = t.dtype(operand);
        let given = t.convert(given, dtype);
        t.pull(operand, given);
    }
    if t.is_varied(init) {
        let all = t.keep(no_zero, rest);
        let product = t.mul(c, all);
        let summed = t.sum_all(product);
        let dtype = t.dtype(init);
        let given = t.convert(summed, dtype);
        t.pull(init, given);
    }
}
