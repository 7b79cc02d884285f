//! How large a module is with every call written out, and whether that fits the host.
//!
//! Functions that each call the next one twice take a line each and unfold to twice as much with every link. Completion
//! copies functions per call and engines write calls out, so the size is asked for before.

use crate::op::{Foreign, Op};
use crate::{FuncId, Module};
use meshwright_base::{Diagnostic, IdMap, budget};

/// What an instruction that is written out takes in memory, about.
const BYTES: u64 = 1 << 10;

/// Refuse a module that is too large for the host with its calls written out.
pub fn check_unfolded(module: &Module) -> Result<(), Diagnostic> {
    let insts = unfolded(module);
    budget::check(insts.saturating_mul(BYTES), || {
        format!("the module with its calls written out, {insts} ops")
    })
}

/// Instructions that the entry comes to with every call written out, at most `u64::MAX`. One walk over the module.
pub fn unfolded(module: &Module) -> u64 {
    let mut sizes = IdMap::<FuncId, Option<u64>>::filled(module.funcs.len(), None);
    let mut work = vec![(module.entry, false)];
    while let Some((id, is_ready)) = work.pop() {
        let Some(func) = module.funcs.get(id) else { continue };
        if !is_ready && sizes[id].is_some() {
            continue;
        }
        let insts = func.insts_in_order();
        let callees = insts.iter().filter_map(|inst| callee(&func.inst(*inst).op));
        if is_ready {
            let size = |callee: FuncId| sizes.get(callee).copied().flatten().unwrap_or(0);
            let total = callees.map(size).fold(insts.len() as u64, u64::saturating_add);
            sizes[id] = Some(total);
        } else {
            // What calls itself is refused elsewhere; here it counts once.
            sizes[id] = Some(0);
            work.push((id, true));
            work.extend(callees.map(|callee| (callee, false)));
        }
    }
    sizes.get(module.entry).copied().flatten().unwrap_or(0)
}

fn callee(op: &Op) -> Option<FuncId> {
    if let Op::Call(call) = op {
        return Some(call.callee);
    }
    match op {
        Op::Foreign(Foreign::Composite(composite)) => Some(composite.decomposition),
        _ => None,
    }
}
