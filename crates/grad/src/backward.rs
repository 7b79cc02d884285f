//! Which family writes the derivative of an op.

use crate::tape::Tape;
use crate::{
    batch_norm, branch, call, collective, contract, convert, convolution, dynamic, elementwise, fft, gather,
    linalg, movement, reduce, region, scan, scatter, sharding, sort, window,
};
use meshwright_ir::op::{Control, Foreign};
use meshwright_ir::{InstId, Op, ValueId};

/// Whether a region of scalars uses a varied value from outside: only regions that are walked give it a cotangent.
fn uses_outside(t: &Tape<'_>, inst: InstId) -> bool {
    let it = t.func.inst(inst);
    let is_walked = matches!(it.op, Op::Scan(_) | Op::Control(_) | Op::Sharding(_));
    !is_walked && !it.regions.is_empty() && t.func.captures(inst).iter().any(|value| t.is_varied(*value))
}

/// Write the backward instructions of one instruction: from the cotangents of its results, of which there is at least
/// one, to those of its operands.
pub(crate) fn backward(t: &mut Tape<'_>, inst: InstId, cotangents: &[Option<ValueId>]) {
    let op = t.func.inst(inst).op.clone();
    if uses_outside(t, inst) {
        return t.no_derivative(inst);
    }
    // Of an op with one result: that has a cotangent.
    let Some(c) = cotangents.iter().copied().flatten().next() else { return };
    match &op {
        Op::Constant(_) | Op::Iota(_) | Op::Compare(_) | Op::PartitionId | Op::ReplicaId => {}
        Op::Random(_) => {}
        Op::Unary(op) => elementwise::unary(t, inst, *op, c),
        Op::Binary(op) => elementwise::binary(t, inst, *op, c),
        Op::Select => elementwise::select(t, inst, c),
        Op::Clamp => elementwise::clamp(t, inst, c),
        Op::Convert(op) => convert::grad(t, inst, op, c),
        Op::Movement(op) => movement::grad(t, inst, op, c),
        Op::Dynamic(op) => dynamic::grad(t, inst, op, c),
        Op::Gather(op) => gather::grad(t, inst, op, c),
        Op::Scatter(op) => scatter::grad(t, inst, op, cotangents),
        Op::Dot(op) => contract::grad(t, inst, op, c),
        Op::Convolution(op) => convolution::grad(t, inst, op, c),
        Op::Reduce(op) => reduce::grad(t, inst, op, cotangents),
        // Expanded before.
        Op::Map(_) => t.no_derivative(inst),
        Op::ReduceWindow(op) => window::reduce(t, inst, op, cotangents),
        Op::SelectAndScatter(op) => window::select_and_scatter(t, inst, op, c),
        Op::Sort(op) => sort::sort(t, inst, op, cotangents),
        Op::TopK(op) => sort::top_k(t, inst, op, cotangents),
        Op::Fft(op) => fft::grad(t, inst, op, c),
        Op::Linalg(op) => linalg::grad(t, inst, op, c),
        Op::BatchNorm(op) => batch_norm::grad(t, inst, op, cotangents),
        Op::Control(Control::While) => t.no_derivative(inst),
        Op::Control(Control::If | Control::Case) => branch::grad(t, inst, cotangents),
        Op::Control(Control::Fusion { .. }) => region::grad(t, inst, cotangents),
        Op::Scan(op) => scan::grad(t, inst, op, cotangents),
        Op::Call(op) => call::grad(t, inst, op.callee, cotangents),
        Op::Collective(op) => collective::grad(t, inst, op, cotangents),
        Op::Foreign(Foreign::Composite(op)) => call::composite(t, inst, op.decomposition, cotangents),
        Op::Foreign(Foreign::CustomCall(_)) => sharding::custom_call(t, inst, cotangents),
        Op::OptimizationBarrier => sharding::barrier(t, inst, cotangents),
        Op::Token(_) => t.no_derivative(inst),
        Op::Sharding(op) => sharding::grad(t, inst, op, cotangents),
    }
}
