//! Which instructions may be dropped, merged or moved over others.

use meshwright_ir::op::{Convert, Foreign, Random};
use meshwright_ir::{Function, InstId, Op};

/// Whether an instruction does something besides making its results.
pub fn has_effect(func: &Function, inst: InstId) -> bool {
    match &func.inst(inst).op {
        Op::Token(_) => true,
        Op::Foreign(Foreign::CustomCall(call)) => call.has_side_effect,
        _ => func
            .inst(inst)
            .regions
            .iter()
            .any(|region| func.block(*region).insts.iter().any(|inner| has_effect(func, *inner))),
    }
}

/// Whether two equal instructions always make equal results.
pub fn is_pure(func: &Function, inst: InstId) -> bool {
    let random = matches!(func.inst(inst).op, Op::Random(Random::Rng { .. }));
    !random && !has_effect(func, inst)
}

/// Whether each element of the result depends on the elements of the operands at its place, and on nothing else.
pub fn is_elementwise(op: &Op) -> bool {
    match op {
        Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Clamp | Op::Convert(_) => true,
        Op::Constant(_) | Op::Iota(_) | Op::Movement(_) | Op::Dynamic(_) | Op::Gather(_) => false,
        Op::Scatter(_) | Op::Dot(_) | Op::Convolution(_) | Op::Reduce(_) | Op::Map(_) => false,
        Op::ReduceWindow(_) | Op::SelectAndScatter(_) | Op::Sort(_) | Op::TopK(_) => false,
        Op::Random(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) => false,
        Op::Scan(_) | Op::Call(_) | Op::Collective(_) | Op::PartitionId | Op::ReplicaId => false,
        Op::Foreign(_) | Op::OptimizationBarrier | Op::Token(_) | Op::Sharding(_) => false,
    }
}

/// Whether an op does the same to any number of elements: it is elementwise, and says nothing of a shape.
pub fn is_shapeless(op: &Op) -> bool {
    is_elementwise(op) && !matches!(op, Op::Convert(Convert::Bitcast(_)))
}
