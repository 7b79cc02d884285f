//! Derivatives of collectives, as linear maps on the values of all devices together.
//!
//! | forward | backward |
//! |---|---|
//! | all-reduce (sum) | all-reduce (sum) |
//! | all-gather | reduce-scatter (sum) |
//! | reduce-scatter (sum) | all-gather |
//! | all-to-all | all-to-all, split and concatenated dims exchanged |
//! | permute | permute along the turned pairs |

use crate::reduce::reducer_of;
use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Collective, CollectiveKind, Op};
use meshwright_ir::{Build, InstId, ValueId};
use meshwright_shard::Reducer;

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Collective, cotangents: &[Option<ValueId>]) {
    let sums = op.has_reducer() && {
        let region = t.func.inst(inst).regions.first().copied();
        region.and_then(|region| reducer_of(&t.func, region)) == Some(Reducer::Sum)
    };
    match &op.kind {
        CollectiveKind::AllReduce if sums => each(t, inst, op, CollectiveKind::AllReduce, cotangents),
        CollectiveKind::AllGather { dim } => {
            each(t, inst, op, CollectiveKind::ReduceScatter { dim: *dim }, cotangents)
        }
        CollectiveKind::ReduceScatter { dim } if sums => {
            each(t, inst, op, CollectiveKind::AllGather { dim: *dim }, cotangents)
        }
        CollectiveKind::AllToAll { split_dim, concat_dim, split_count } => {
            let turned = CollectiveKind::AllToAll {
                split_dim: *concat_dim,
                concat_dim: *split_dim,
                split_count: *split_count,
            };
            each(t, inst, op, turned, cotangents)
        }
        CollectiveKind::AllToAllTuple => tuple(t, inst, op, cotangents),
        CollectiveKind::Permute { pairs } => {
            let pairs = pairs.iter().map(|(source, target)| (*target, *source)).collect();
            each(t, inst, op, CollectiveKind::Permute { pairs }, cotangents)
        }
        CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. } | CollectiveKind::Broadcast => {
            t.no_derivative(inst)
        }
    }
}

/// Operand by operand; those without cotangent take no part.
fn each(
    t: &mut Tape<'_>,
    inst: InstId,
    op: &Collective,
    kind: CollectiveKind,
    cotangents: &[Option<ValueId>],
) {
    let operands = t.func.inst(inst).operands.clone();
    let turned = Collective { kind, ..op.clone() };
    for (operand, c) in operands.into_iter().zip(cotangents) {
        if let Some(c) = c.filter(|_| t.is_varied(operand)) {
            let given = apply(t, &turned, c);
            let dtype = t.dtype(operand);
            let given = t.convert(given, dtype);
            t.pull(operand, given);
        }
    }
}

/// A collective of one value; sums where it reduces.
pub(crate) fn apply(t: &mut Tape<'_>, op: &Collective, x: ValueId) -> ValueId {
    let regions = if op.has_reducer() {
        let dtype = t.dtype(x);
        vec![t.reducer(BinaryOp::Add, dtype)]
    } else {
        Vec::new()
    };
    t.push_in(Op::Collective(op.clone()), vec![x], regions)
}

/// Piece `i` went to member `i`, so its cotangent comes from there.
fn tuple(t: &mut Tape<'_>, inst: InstId, op: &Collective, cotangents: &[Option<ValueId>]) {
    let it = t.func.inst(inst).clone();
    let mut passed = Vec::new();
    for (result, c) in it.results.iter().zip(cotangents) {
        passed.push(c.unwrap_or_else(|| t.zeros_like(*result)));
    }
    let given = t.push_all(Op::Collective(op.clone()), passed, Vec::new());
    for (operand, given) in it.operands.into_iter().zip(given) {
        t.pull(operand, given);
    }
}
