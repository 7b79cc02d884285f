//! Derivatives of annotations: the same annotation on the cotangent. And of barriers: a barrier.

use crate::tape::Tape;
use crate::{boundary, manual, region};
use meshwright_ir::op::{BarrierDirection, Foreign, ReshardOp, ShardingOp};
use meshwright_ir::{Build, Editor, InstId, Op, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &ShardingOp, cotangents: &[Option<ValueId>]) {
    let Some(c) = cotangents.iter().copied().flatten().next() else { return };
    match op {
        ShardingOp::Constraint { .. } | ShardingOp::Reshard(ReshardOp::Any) => {
            annotate(t, inst, op.clone(), c)
        }
        ShardingOp::Barrier { allowed } => {
            let turned = match allowed {
                BarrierDirection::None => BarrierDirection::None,
                BarrierDirection::Forward => BarrierDirection::Backward,
                BarrierDirection::Backward => BarrierDirection::Forward,
            };
            annotate(t, inst, ShardingOp::Barrier { allowed: turned }, c)
        }
        ShardingOp::FullToShard { unspecified, .. } => boundary::to_shard(t, inst, unspecified, c),
        ShardingOp::ShardToFull { unspecified, .. } => boundary::to_full(t, inst, unspecified, c),
        ShardingOp::Manual(op) => manual::grad(t, inst, op, cotangents),
        ShardingOp::Named { .. } => region::grad(t, inst, cotangents),
        // Has no result.
        ShardingOp::Group { .. } => {}
        // Planned programs are not differentiated.
        ShardingOp::Reshard(
            ReshardOp::AllGather { .. }
            | ReshardOp::AllSlice { .. }
            | ReshardOp::AllToAll { .. }
            | ReshardOp::Permute
            | ReshardOp::AllReduce { .. }
            | ReshardOp::ReduceScatter { .. }
            | ReshardOp::ToPartial { .. },
        ) => t.no_derivative(inst),
    }
}

/// An op that is the identity on one device, on the cotangent, with the same sharding.
fn annotate(t: &mut Tape<'_>, inst: InstId, op: ShardingOp, c: ValueId) {
    let it = t.func.inst(inst);
    let (operand, result, attrs) = (it.operands[0], it.results[0], it.attrs.clone());
    let sharding = t.func.value(result).sharding.clone();
    let given = t.push(Op::Sharding(op), vec![c]);
    let mut editor = Editor::new(&mut t.func);
    editor.set_sharding(given, sharding);
    if let Some(new) = editor.func().def_inst(given) {
        *editor.attrs_mut(new) = attrs;
    }
    t.pull(operand, given);
}

/// One barrier over the cotangents there are.
pub(crate) fn barrier(t: &mut Tape<'_>, inst: InstId, cotangents: &[Option<ValueId>]) {
    let operands = t.func.inst(inst).operands.clone();
    let pairs: Vec<(ValueId, ValueId)> =
        operands.into_iter().zip(cotangents).filter_map(|(value, c)| c.map(|c| (value, c))).collect();
    let given = t.push_all(Op::OptimizationBarrier, pairs.iter().map(|pair| pair.1).collect(), Vec::new());
    for ((value, _), given) in pairs.into_iter().zip(given) {
        t.pull(value, given);
    }
}

/// Targets that give back their operand: its cotangent is the result's.
const IDENTITIES: [&str; 6] = [
    "MoveToHost",
    "MoveToDevice",
    "annotate_device_placement",
    "PinToDevice",
    "PinToDeviceSram",
    "LayoutConstraint",
];

pub(crate) fn custom_call(t: &mut Tape<'_>, inst: InstId, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst);
    let is_identity = match &it.op {
        Op::Foreign(Foreign::CustomCall(call)) => IDENTITIES.contains(&call.target.as_str()),
        _ => false,
    };
    match (&it.operands[..], cotangents) {
        ([operand], [Some(c)]) if is_identity => t.pull(*operand, *c),
        _ => t.no_derivative(inst),
    }
}
