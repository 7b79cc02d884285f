//! The few instructions completion knows by name: about sharding, with regions that hold tensors, or calling.
//!
//! Found in one walk, so that the parts that care for them need none of their own. Copying functions changes the list,
//! copying values does not.

use meshwright_ir::op::Foreign;
use meshwright_ir::{FuncId, InstId, Module, Op};

/// Where such an instruction stands.
pub(crate) type Landmark = (FuncId, InstId);

/// All of a module, functions in order, each in program order.
pub(crate) fn landmarks(module: &Module) -> Vec<Landmark> {
    let mut found = Vec::new();
    for (id, func) in module.funcs.iter() {
        let is_one = |inst: &InstId| {
            let op = &func.inst(*inst).op;
            let composite = matches!(op, Op::Foreign(Foreign::Composite(_)));
            composite || matches!(op, Op::Sharding(_) | Op::Control(_) | Op::Scan(_) | Op::Call(_))
        };
        found.extend(func.insts_in_order().into_iter().filter(is_one).map(|inst| (id, inst)));
    }
    found
}

/// The op of a landmark.
pub(crate) fn op_of(module: &Module, (func, inst): Landmark) -> &Op {
    &module.funcs[func].inst(inst).op
}
