//! The batched form of each op. Most have the same op with its dims shifted by one, on all cases of their operands.

use super::{Batch, annotate, control, lookup, product, up};
use crate::reduce::reducer_of;
use meshwright_ir::op::{
    Broadcast, Collective, CollectiveKind, Concatenate, Control, Convert, Dynamic, Foreign, Map, Movement,
    Pad, Reduce, ReduceWindow, Reshape, ReshardOp, Reverse, SelectAndScatter, ShardingOp, Slice, Sort,
    Transpose, WindowDim,
};
use meshwright_ir::{BlockId, Build, InstId, Op, ValueId};

/// The results of an instruction for all cases; `None` where only one case at a time is possible.
pub(crate) fn batched(b: &mut Batch<'_>, inst: InstId) -> Option<Vec<ValueId>> {
    let op = b.op_of(inst);
    if control::uses_cases(b, inst) {
        return None;
    }
    match &op {
        Op::Constant(_) | Op::Iota(_) | Op::PartitionId | Op::ReplicaId => None,
        Op::Unary(_) | Op::Binary(_) | Op::Compare(_) => Some(plain(b, inst, op)),
        Op::Fft(_) | Op::Linalg(_) | Op::TopK(_) => Some(plain(b, inst, op)),
        Op::Select => Some(select(b, inst)),
        Op::Clamp => Some(clamp(b, inst)),
        Op::Convert(convert) => Some(plain(b, inst, Op::Convert(shift_convert(b, convert)))),
        Op::Movement(movement) => shift_movement(b, inst, movement),
        Op::Dynamic(Dynamic::Slice { sizes }) => lookup::dynamic_slice(b, inst, sizes),
        Op::Dynamic(Dynamic::UpdateSlice) => lookup::dynamic_update(b, inst),
        Op::Gather(gather) => Some(lookup::gather(b, inst, gather)),
        Op::Scatter(scatter) => lookup::scatter(b, inst, scatter),
        Op::Dot(dot) => Some(product::dot(b, inst, dot)),
        Op::Convolution(convolution) => Some(product::convolution(b, inst, convolution)),
        Op::Reduce(reduce) => {
            let op = Op::Reduce(Reduce { dims: up(&reduce.dims) });
            reduction(b, inst, op)
        }
        Op::ReduceWindow(reduce) => {
            let op = Op::ReduceWindow(ReduceWindow { window: lead_window(&reduce.window) });
            reduction(b, inst, op)
        }
        Op::Map(map) => {
            let dims = (0..=map.dims.len()).collect();
            let regions = b.plain_regions(inst);
            Some(whole(b, inst, Op::Map(Map { dims }), regions))
        }
        Op::SelectAndScatter(scatter) => {
            let init = b.from.inst(inst).operands[2];
            if b.is_batched(init) {
                return None;
            }
            let regions = b.plain_regions(inst);
            let op = Op::SelectAndScatter(SelectAndScatter { window: lead_window(&scatter.window) });
            let [operand, source, _] = b.from.inst(inst).operands[..] else { return None };
            let operands = vec![b.all_cases(operand), b.all_cases(source), b.value(init)];
            Some(b.out.push_all(op, operands, regions))
        }
        Op::Sort(sort) => {
            let regions = b.plain_regions(inst);
            Some(whole(b, inst, Op::Sort(Sort { dim: sort.dim + 1, ..sort.clone() }), regions))
        }
        Op::Random(_) | Op::BatchNorm(_) => None,
        Op::Control(Control::While) => control::while_loop(b, inst),
        Op::Control(Control::If | Control::Case) => Some(control::choice(b, inst)),
        Op::Control(Control::Fusion { .. }) => Some(control::once(b, inst, op.clone())),
        Op::Scan(scan) => Some(control::scan(b, inst, scan)),
        Op::Call(call) => control::call(b, inst, call.callee),
        Op::Foreign(Foreign::Composite(composite)) => control::call(b, inst, composite.decomposition),
        Op::Foreign(Foreign::CustomCall(call)) => {
            if call.has_side_effect {
                b.refuse(inst, "it has side effects");
            }
            None
        }
        Op::Collective(collective) => Some(shift_collective(b, inst, collective)),
        Op::OptimizationBarrier => Some(barrier(b, inst)),
        Op::Token(_) => {
            b.refuse(inst, "it has side effects");
            None
        }
        Op::Sharding(sharding) => shift_sharding(b, inst, sharding),
    }
}

/// Numbers per dim, with one for the new leading dim.
fn lead(first: i64, rest: &[i64]) -> Vec<i64> {
    [first].into_iter().chain(rest.iter().copied()).collect()
}

fn lead_window(window: &[WindowDim]) -> Vec<WindowDim> {
    [WindowDim::TRIVIAL].into_iter().chain(window.iter().copied()).collect()
}

fn plain(b: &mut Batch<'_>, inst: InstId, op: Op) -> Vec<ValueId> {
    whole(b, inst, op, Vec::new())
}

/// An op on all cases of all its operands.
fn whole(b: &mut Batch<'_>, inst: InstId, op: Op, regions: Vec<BlockId>) -> Vec<ValueId> {
    let operands = b.from.inst(inst).operands.clone();
    let operands = operands.into_iter().map(|operand| b.all_cases(operand)).collect();
    b.out.push_all(op, operands, regions)
}

/// A scalar beside tensors: as it is if it is one for all cases, else repeated over the tensors' dims.
fn beside(b: &mut Batch<'_>, value: ValueId, like: ValueId) -> ValueId {
    match (b.from.dims(value).is_empty(), b.is_batched(value)) {
        (true, false) => b.value(value),
        (false, _) => b.all_cases(value),
        (true, true) => {
            let shape = lead(b.size, b.from.dims(like));
            let value = b.value(value);
            b.out.broadcast(value, vec![0], &shape)
        }
    }
}

fn select(b: &mut Batch<'_>, inst: InstId) -> Vec<ValueId> {
    let [pred, on_true, on_false] = b.from.inst(inst).operands[..] else { return Vec::new() };
    let pred = beside(b, pred, on_true);
    let (on_true, on_false) = (b.all_cases(on_true), b.all_cases(on_false));
    vec![b.out.select(pred, on_true, on_false)]
}

fn clamp(b: &mut Batch<'_>, inst: InstId) -> Vec<ValueId> {
    let [min, operand, max] = b.from.inst(inst).operands[..] else { return Vec::new() };
    let operands = vec![beside(b, min, operand), b.all_cases(operand), beside(b, max, operand)];
    b.out.push_all(Op::Clamp, operands, Vec::new())
}

fn shift_convert(b: &Batch<'_>, op: &Convert) -> Convert {
    match op {
        Convert::Bitcast(ty) => Convert::Bitcast(b.stacked(ty)),
        Convert::To(_) | Convert::ReducePrecision { .. } => op.clone(),
    }
}

fn shift_movement(b: &mut Batch<'_>, inst: InstId, op: &Movement) -> Option<Vec<ValueId>> {
    let size = b.size;
    let shifted = match op {
        Movement::Broadcast(op) => {
            let dims = [0].into_iter().chain(up(&op.dims)).collect();
            Movement::Broadcast(Broadcast { dims, shape: lead(size, &op.shape) })
        }
        Movement::Reshape(op) => Movement::Reshape(Reshape { shape: lead(size, &op.shape) }),
        Movement::Transpose(op) => {
            let permutation = [0].into_iter().chain(up(&op.permutation)).collect();
            Movement::Transpose(Transpose { permutation })
        }
        Movement::Slice(op) => Movement::Slice(Slice {
            start: lead(0, &op.start),
            limit: lead(size, &op.limit),
            stride: lead(1, &op.stride),
        }),
        Movement::Pad(op) => return pad(b, inst, op),
        Movement::Concatenate(op) => Movement::Concatenate(Concatenate { dim: op.dim + 1 }),
        Movement::Reverse(op) => Movement::Reverse(Reverse { dims: up(&op.dims) }),
    };
    Some(plain(b, inst, Op::Movement(shifted)))
}

fn pad(b: &mut Batch<'_>, inst: InstId, op: &Pad) -> Option<Vec<ValueId>> {
    let [operand, value] = b.from.inst(inst).operands[..] else { return None };
    if b.is_batched(value) {
        return None;
    }
    let pad = Pad { low: lead(0, &op.low), high: lead(0, &op.high), interior: lead(0, &op.interior) };
    let operands = vec![b.all_cases(operand), b.value(value)];
    Some(b.out.push_all(Op::Movement(Movement::Pad(pad)), operands, Vec::new()))
}

/// A reduction whose initial value differs per case starts from the reducer's identity, and combines after.
fn reduction(b: &mut Batch<'_>, inst: InstId, op: Op) -> Option<Vec<ValueId>> {
    let it = b.from.inst(inst).clone();
    let (inputs, inits) = it.operands.split_at(it.operands.len() / 2);
    if !inits.iter().any(|init| b.is_batched(*init)) {
        let regions = b.plain_regions(inst);
        let inputs: Vec<ValueId> = inputs.iter().map(|input| b.all_cases(*input)).collect();
        let operands = inputs.into_iter().chain(inits.iter().map(|init| b.value(*init))).collect();
        return Some(b.out.push_all(op, operands, regions));
    }
    let ([input], [init]) = (inputs, inits) else { return None };
    let reducer = reducer_of(&b.from, it.regions[0])?;
    let ty = b.from.ty(*init).as_tensor()?.clone();
    let regions = b.plain_regions(inst);
    let operands = vec![b.all_cases(*input), b.out.identity(reducer, &ty)];
    let reduced = b.out.push_all(op, operands, regions).first().copied()?;
    let shape = b.out.func.dims(reduced).to_vec();
    let dtype = b.out.dtype(reduced);
    let init = b.value(*init);
    let init = b.out.convert(init, dtype);
    let init = b.out.broadcast(init, vec![0], &shape);
    Some(vec![b.out.binary(reducer.into(), init, reduced)])
}

fn shift_collective(b: &mut Batch<'_>, inst: InstId, op: &Collective) -> Vec<ValueId> {
    let kind = match &op.kind {
        CollectiveKind::AllGather { dim } => CollectiveKind::AllGather { dim: dim + 1 },
        CollectiveKind::ReduceScatter { dim } => CollectiveKind::ReduceScatter { dim: dim + 1 },
        CollectiveKind::AllToAll { split_dim, concat_dim, split_count } => CollectiveKind::AllToAll {
            split_dim: split_dim + 1,
            concat_dim: concat_dim + 1,
            split_count: *split_count,
        },
        CollectiveKind::AllReduce
        | CollectiveKind::AllToAllTuple
        | CollectiveKind::Permute { .. }
        | CollectiveKind::Broadcast => op.kind.clone(),
    };
    let regions = b.plain_regions(inst);
    whole(b, inst, Op::Collective(Collective { kind, ..op.clone() }), regions)
}

/// Each value as it is.
fn barrier(b: &mut Batch<'_>, inst: InstId) -> Vec<ValueId> {
    let operands = b.from.inst(inst).operands.iter().map(|operand| b.value(*operand)).collect();
    b.out.push_all(Op::OptimizationBarrier, operands, Vec::new())
}

fn shift_sharding(b: &mut Batch<'_>, inst: InstId, op: &ShardingOp) -> Option<Vec<ValueId>> {
    let size = b.size;
    let result = b.from.inst(inst).results.first().copied();
    let annotation = result.and_then(|result| b.from.value(result).sharding.clone());
    let unspecified = |dims: &[usize]| annotate::unspecified(dims, annotation.as_ref());
    let shifted = match op {
        ShardingOp::Constraint { unspecified: dims } => {
            ShardingOp::Constraint { unspecified: unspecified(dims) }
        }
        ShardingOp::FullToShard { unspecified: dims, shape } => {
            ShardingOp::FullToShard { unspecified: unspecified(dims), shape: lead(size, shape) }
        }
        ShardingOp::ShardToFull { unspecified: dims, shape } => {
            ShardingOp::ShardToFull { unspecified: unspecified(dims), shape: lead(size, shape) }
        }
        ShardingOp::Manual(manual) => return Some(control::manual(b, inst, manual)),
        ShardingOp::Named { name, in_shardings, out_shardings } => {
            let named = control::named(b, inst, name, in_shardings, out_shardings);
            return Some(control::once(b, inst, named));
        }
        ShardingOp::Group { .. } | ShardingOp::Barrier { .. } | ShardingOp::Reshard(ReshardOp::Any) => {
            op.clone()
        }
        ShardingOp::Reshard(
            ReshardOp::AllGather { .. }
            | ReshardOp::AllSlice { .. }
            | ReshardOp::AllToAll { .. }
            | ReshardOp::Permute
            | ReshardOp::AllReduce { .. }
            | ReshardOp::ReduceScatter { .. }
            | ReshardOp::ToPartial { .. },
        ) => {
            b.refuse(inst, "it is part of a planned program");
            return None;
        }
    };
    Some(plain(b, inst, Op::Sharding(shifted)))
}
