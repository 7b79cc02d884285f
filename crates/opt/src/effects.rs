//! Which instructions may be dropped, merged or moved over others: facts of their ops (`ir::op::Facts`), with those in their regions.

use meshwright_ir::{Function, InstId};

/// Whether an instruction does something besides making its results.
pub fn has_effect(func: &Function, inst: InstId) -> bool {
    let info = func.inst(inst);
    let mut inside = info.regions.iter().flat_map(|region| &func.block(*region).insts);
    info.op.facts().has_effect || inside.any(|inner| has_effect(func, *inner))
}

/// Whether two equal instructions always make equal results.
pub fn is_pure(func: &Function, inst: InstId) -> bool {
    !func.inst(inst).op.facts().is_drawn && !has_effect(func, inst)
}
