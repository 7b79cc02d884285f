//! Which instructions may be dropped or merged.

use meshwright_ir::op::{Foreign, Random};
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
