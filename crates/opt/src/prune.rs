//! Remove functions that nobody calls.
//!
//! ```text
//! func public @main() { .. }
//! func private @loss() { .. }      =>      func public @main() { .. }
//! ```
//!
//! What is left after a program was differentiated would be completed, planned and partitioned for nothing. The entry
//! and public functions stay, with all they refer to. One walk over the functions that stay.

use crate::Changed;
use meshwright_base::IdMap;
use meshwright_ir::op::Reference;
use meshwright_ir::{Editor, FuncId, Function, Module};

pub fn prune(module: &mut Module) -> Changed {
    let kept = reached(module);
    if kept.values().all(|kept| *kept) {
        return false;
    }
    let mut moved: IdMap<FuncId, Option<FuncId>> = IdMap::filled(module.funcs.len(), None);
    let mut funcs = IdMap::new();
    for (id, func) in std::mem::take(&mut module.funcs).iter_mut() {
        if kept[id] {
            let func = std::mem::replace(func, Function::new("", false));
            moved[id] = Some(funcs.push(func));
        }
    }
    module.funcs = funcs;
    module.entry = now(&moved, module.entry);
    for func in module.funcs.values_mut() {
        follow(func, &moved);
    }
    true
}

/// Functions that the entry or a public function leads to, or is.
fn reached(module: &Module) -> IdMap<FuncId, bool> {
    let mut reached = IdMap::filled(module.funcs.len(), false);
    let starts = module.funcs.iter().filter(|(id, func)| *id == module.entry || func.is_public);
    let mut work: Vec<FuncId> = starts.map(|(id, _)| id).collect();
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut reached[id], true) {
            continue;
        }
        let func = &module.funcs[id];
        let named = func.insts_in_order().into_iter().flat_map(|inst| func.inst(inst).op.callees());
        work.extend(named.filter(|callee| module.funcs.get(**callee).is_some()));
    }
    reached
}

/// Refer to functions by their new ids.
fn follow(func: &mut Function, moved: &IdMap<FuncId, Option<FuncId>>) {
    for inst in func.insts_in_order() {
        let followed = func.inst(inst).op.with_references(|reference| {
            if let Reference::Func(callee) = reference {
                *callee = now(moved, *callee);
            }
        });
        if let Some(op) = followed {
            Editor::new(func).set_op(inst, op);
        }
    }
}

fn now(moved: &IdMap<FuncId, Option<FuncId>>, old: FuncId) -> FuncId {
    moved.get(old).copied().flatten().unwrap_or(old)
}
