//! Collectives in the forms that XLA's runtimes take inside a manual region.
//!
//! ```text
//! %a1, %b1 = all_reduce add %a, %b               %a1 = all_reduce add %a
//!                                       =>       %b1 = all_reduce add %b         XLA combines them again
//! %c1 = all_reduce xor %c : s32[4]               %g  = all_gather (reshape %c to [1,4]) : s32[n,4]
//!                                                %c1 = reduce xor %g over dim 0
//! %d = dot %x, %y                                %d = dot %x, %y
//! %e = all_to_all %d                             %b = optimization_barrier %d
//!                                                %e = all_to_all %b
//! %s = dynamic_slice %x, %i                      %s = dynamic_slice %x, (clamp 0, %i, what is left of %x)
//! %u = scatter add %s, %j, %v                    %b = optimization_barrier %s
//!                                                %u = scatter add %b, %j, %v
//! ```
//!
//! Of the bitwise reducers XLA knows `and` and `or` of preds only, so others are gathered and reduced on every device.
//! An exchange becomes a reshape there, which XLA moves through the product to its operand, and what computes that can
//! no longer be fused with the product: on a step of 128 experts that took 3% more memory and 1% more time.
//!
//! Slices of slices become one there, with the sum of their starts, of which none is clamped to its own slice before.
//! So starts that a user computes are, but not what a loop carries, as its counter: that lies within, and XLA knows
//! loops by it. A scatter with one index is such a slice of what it adds to, and an index that lies on another device
//! is far out.

use meshwright_ir::op::{Collective, CollectiveKind, Dynamic};
use meshwright_ir::{Build, Builder, DType, Function, InstId, Module, Op, TensorType, Type, ValueId};
use meshwright_shard::Reducer;

/// Ops behind a start; ours come from fewer.
const MOST_LOOKED_AT: usize = 64;

pub fn xla_form(module: &mut Module) {
    for func in module.funcs.values_mut() {
        for inst in func.insts_in_order() {
            rewrite(func, inst);
        }
        for inst in func.insts_in_order() {
            keep_apart(func, inst);
            keep_starts(func, inst);
        }
    }
}

/// Keep the reshape that an exchange becomes behind the product that makes what is exchanged.
fn keep_apart(func: &mut Function, inst: InstId) {
    let info = func.inst(inst);
    let is_exchange =
        matches!(&info.op, Op::Collective(Collective { kind: CollectiveKind::AllToAll { .. }, .. }));
    let [operand] = info.operands[..] else { return };
    let is_product = func.def_inst(operand).is_some_and(|maker| matches!(func.inst(maker).op, Op::Dot(_)));
    if !is_exchange || !is_product {
        return;
    }
    let mut b = Builder::before(func, inst);
    let behind = b.push(Op::OptimizationBarrier, [operand]);
    b.editor.set_operand(inst, 0, behind);
}

/// Bind the starts of a slice; keep a scatter with one index apart from the slice that it adds to.
fn keep_starts(func: &mut Function, inst: InstId) {
    let info = func.inst(inst);
    match info.op.clone() {
        Op::Dynamic(Dynamic::Slice { .. }) => clamp_starts(func, inst),
        Op::Scatter(scatter) => {
            let operands = info.operands.clone();
            let (inputs, others) = operands.split_at(operands.len() / 2);
            if has_one_index(func, others[0], scatter.index_vector_dim) {
                keep_behind(func, inst, inputs);
            }
        }
        _ => {}
    }
}

/// Put those of the first operands that are slices behind a barrier.
fn keep_behind(func: &mut Function, inst: InstId, inputs: &[ValueId]) {
    for (at, input) in inputs.iter().enumerate() {
        if is_sliced(func, *input) {
            let mut b = Builder::before(func, inst);
            let behind = b.push(Op::OptimizationBarrier, [*input]);
            b.editor.set_operand(inst, at, behind);
        }
    }
}

/// Whether a value is a dynamic slice, perhaps in another arrangement; a parameter may be, of the whole outside.
fn is_sliced(func: &Function, value: ValueId) -> bool {
    let Some(maker) = func.def_inst(value).map(|maker| func.inst(maker)) else { return true };
    match &maker.op {
        Op::Dynamic(Dynamic::Slice { .. }) => true,
        Op::Movement(_) | Op::Reduce(_) => is_sliced(func, maker.operands[0]),
        _ => false,
    }
}

fn has_one_index(func: &Function, indices: ValueId, index_vector_dim: usize) -> bool {
    let sizes = func.dims(indices).iter().enumerate();
    sizes.filter(|(dim, _)| *dim != index_vector_dim).all(|(_, size)| *size == 1)
}

fn clamp_starts(func: &mut Function, slice: InstId) {
    let info = func.inst(slice);
    let (operands, taken) = (info.operands.clone(), func.dims(info.results[0]).to_vec());
    let whole = func.dims(operands[0]).to_vec();
    for (dim, start) in operands[1..].iter().enumerate() {
        let mut b = Builder::before(func, slice);
        let bound = clamped(&mut b, *start, whole[dim] - taken[dim]);
        b.editor.set_operand(slice, 1 + dim, bound);
    }
}

/// A start that leaves room for the slice; as it is, where it is one of ours, or is of a type too narrow for its dim.
fn clamped(b: &mut Builder<'_>, start: ValueId, last: i64) -> ValueId {
    let Some(ty) = b.func().ty(start).as_tensor().cloned() else { return start };
    let mut looked_at = 0;
    let is_bound = is_within(b.func(), start, last) || is_ours(b.func(), start, &mut looked_at);
    if is_bound || ty.dtype.bits() < 32 {
        return start;
    }
    let (low, high) = (b.splat_int(&ty, 0), b.splat_int(&ty, last));
    b.push(Op::Clamp, [low, start, high])
}

/// Whether a number is known to lie between 0 and `last`.
fn is_within(func: &Function, number: ValueId, last: i64) -> bool {
    let Some(maker) = func.def_inst(number).map(|maker| func.inst(maker)) else { return false };
    match (&maker.op, &maker.operands[..]) {
        (Op::Constant(constant), _) => constant.0.as_int().is_some_and(|at| (0..=last).contains(&at)),
        (Op::Clamp, [low, _, high]) => is_within(func, *low, last) && is_within(func, *high, last),
        _ => false,
    }
}

/// Whether a number is made of the device's own alone, or of what a loop carries.
fn is_ours(func: &Function, number: ValueId, looked_at: &mut usize) -> bool {
    let Some(maker) = func.def_inst(number).map(|maker| func.inst(maker)) else {
        return !func.param_values().contains(&number);
    };
    *looked_at += 1;
    let is_known = matches!(maker.op, Op::PartitionId | Op::Constant(_));
    let is_computed = !maker.operands.is_empty() && *looked_at < MOST_LOOKED_AT;
    is_known || (is_computed && maker.operands.iter().all(|operand| is_ours(func, *operand, looked_at)))
}

fn rewrite(func: &mut Function, inst: InstId) {
    let info = func.inst(inst);
    let Op::Collective(collective) = info.op.clone() else { return };
    let reducer = info.regions.first().and_then(|region| func.region_reducer(*region));
    let known = info.regions.is_empty() || reducer.is_some();
    if collective.kind == CollectiveKind::AllToAllTuple {
        return;
    }
    let odd = reducer.is_some_and(|by| info.operands.iter().any(|value| !is_taken(by, func.ty(*value))));
    if !known || (info.operands.len() == 1 && !odd) {
        return;
    }
    let (operands, results) = (info.operands.clone(), info.results.clone());
    let mut b = Builder::before(func, inst);
    let pairs = operands.iter().zip(&results);
    let made: Vec<ValueId> =
        pairs.map(|(operand, result)| one(&mut b, &collective, reducer, *operand, *result)).collect();
    let mut editor = b.editor;
    editor.unlink(inst);
    editor.map_uses(|value| match results.iter().position(|result| *result == value) {
        Some(at) => made[at],
        None => value,
    });
}

fn is_taken(reducer: Reducer, ty: &Type) -> bool {
    let is_pred = ty.as_tensor().is_some_and(|ty| ty.dtype == DType::Pred);
    match reducer {
        Reducer::Sum | Reducer::Product | Reducer::Min | Reducer::Max => true,
        Reducer::And | Reducer::Or => is_pred,
        Reducer::Xor => false,
    }
}

/// The part of a collective that is about one operand.
fn one(
    b: &mut Builder<'_>,
    op: &Collective,
    reducer: Option<Reducer>,
    operand: ValueId,
    result: ValueId,
) -> ValueId {
    let name = b.func().value(result).name.clone();
    let ty = b.func().ty(result).clone();
    let (Some(to), Some(from)) = (ty.as_tensor().cloned(), b.func().ty(operand).as_tensor().cloned()) else {
        return result;
    };
    let made = match (reducer, op.kind.clone()) {
        (Some(by), CollectiveKind::AllReduce) if !is_taken(by, &ty) => gathered(b, op, by, operand, &from),
        (Some(by), CollectiveKind::ReduceScatter { dim }) if !is_taken(by, &ty) => {
            exchanged(b, op, by, operand, (&from, &to), dim)
        }
        (reducer, _) => {
            let regions = reducer.map(|by| vec![b.reducer(by, to.dtype)]).unwrap_or_default();
            b.push_in(Op::Collective(op.clone()), vec![operand], regions)
        }
    };
    b.editor.set_name(made, name);
    made
}

fn gathered(b: &mut Builder<'_>, op: &Collective, by: Reducer, operand: ValueId, ty: &TensorType) -> ValueId {
    let row: Vec<i64> = std::iter::once(1).chain(ty.dims.iter().copied()).collect();
    let rows = b.reshape(operand, &row);
    let gather = Collective { kind: CollectiveKind::AllGather { dim: 0 }, ..op.clone() };
    let all = b.push(Op::Collective(gather), [rows]);
    b.reduce(by, all, vec![0])
}

/// Every device gets the others' parts of its own piece along a new dim, and reduces that.
fn exchanged(
    b: &mut Builder<'_>,
    op: &Collective,
    by: Reducer,
    operand: ValueId,
    (from, to): (&TensorType, &TensorType),
    dim: usize,
) -> ValueId {
    let mut dims = from.dims.to_vec();
    dims.splice(dim..=dim, [op.group_size, to.dims[dim]]);
    let parts = b.reshape(operand, &dims);
    let kind = CollectiveKind::AllToAll { split_dim: dim, concat_dim: dim, split_count: op.group_size };
    let mine = b.push(Op::Collective(Collective { kind, ..op.clone() }), [parts]);
    b.reduce(by, mine, vec![dim])
}
