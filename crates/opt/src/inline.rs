//! Put a function that is called from one place in that place.
//!
//! ```text
//! func @main(%x) { %y = call @f(%x)  return %y }
//! func private @f(%a) { %b = sine %a  return %b }      =>      func @main(%x) { %y = sine %x  return %y }
//! ```
//!
//! What looks at one block at a time (merging, ordering, what is alive at the peak) sees through the call then. A
//! function with several callers stays one, and so does one that a custom call or a composite names; the entry and
//! public functions stay, with calls of them. No instruction is made twice, so the program does not grow. The function
//! itself is empty then and goes ([`prune`](crate::prune())). One walk over all, and one over what moves.

use crate::Changed;
use crate::prune::prune;
use meshwright_base::IdMap;
use meshwright_base::arrange::map;
use meshwright_ir::copy::{Copier, Names, Renaming};
use meshwright_ir::{Editor, FuncId, Function, InstId, Module, Op, ValueId};
use std::collections::BTreeMap;

/// Regions within regions at most; deeper functions stay where they are.
const DEEPEST: usize = 64;

pub fn inline(module: &mut Module) -> Changed {
    let once = called_once(module);
    let mut changed = false;
    for id in callers_last(module) {
        let fits = |callee: FuncId| callee != id && once[callee] && is_shallow(&module.funcs[callee]);
        let calls: Vec<(InstId, FuncId)> = calls_of(&module.funcs[id]).filter(|(_, to)| fits(*to)).collect();
        let bodies = calls.into_iter().map(|(call, callee)| {
            (call, std::mem::replace(&mut module.funcs[callee], Function::new("", false)))
        });
        let bodies: BTreeMap<InstId, Function> = map(bodies);
        changed |= !bodies.is_empty();
        put(&mut module.funcs[id], &bodies);
    }
    if changed {
        prune(module);
    }
    changed
}

fn calls_of(func: &Function) -> impl Iterator<Item = (InstId, FuncId)> {
    func.insts_in_order().into_iter().filter_map(|inst| match &func.inst(inst).op {
        Op::Call(call) => Some((inst, call.callee)),
        _ => None,
    })
}

/// Functions that one call names, and nothing else.
fn called_once(module: &Module) -> IdMap<FuncId, bool> {
    let mut named: IdMap<FuncId, (u32, bool)> = IdMap::filled(module.funcs.len(), (0, true));
    for func in module.funcs.values() {
        for inst in func.insts_in_order() {
            let op = &func.inst(inst).op;
            for callee in op.callees().iter().filter(|callee| module.funcs.get(**callee).is_some()) {
                named[*callee].0 += 1;
                named[*callee].1 &= matches!(op, Op::Call(_));
            }
        }
    }
    let mut once = IdMap::filled(module.funcs.len(), false);
    for (id, func) in module.funcs.iter() {
        once[id] = named[id] == (1, true) && id != module.entry && !func.is_public;
    }
    once
}

/// All functions, each behind those it calls, as far as nothing calls itself.
fn callers_last(module: &Module) -> Vec<FuncId> {
    let mut seen = IdMap::filled(module.funcs.len(), false);
    let mut order = Vec::new();
    let mut work: Vec<(FuncId, bool)> = module.funcs.keys().map(|id| (id, false)).collect();
    while let Some((id, is_done)) = work.pop() {
        if is_done {
            order.push(id);
        } else if !std::mem::replace(&mut seen[id], true) {
            work.push((id, true));
            let inner = calls_of(&module.funcs[id]).map(|(_, callee)| callee);
            work.extend(
                inner.filter(|callee| module.funcs.get(*callee).is_some()).map(|callee| (callee, false)),
            );
        }
    }
    order
}

fn is_shallow(func: &Function) -> bool {
    let mut work = vec![(func.root(), 0)];
    while let Some((block, depth)) = work.pop() {
        let inner = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).regions);
        work.extend(inner.map(|region| (*region, depth + 1)));
        if depth > DEEPEST {
            return false;
        }
    }
    true
}

/// Bodies in place of calls.
fn put(func: &mut Function, bodies: &BTreeMap<InstId, Function>) {
    if bodies.is_empty() {
        return;
    }
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for block in func.blocks_in_order() {
        let mut order = Vec::new();
        for inst in func.block(block).insts.clone() {
            let Some(body) = bodies.get(&inst) else {
                order.push(inst);
                continue;
            };
            let args = func.inst(inst).operands.iter().map(|value| replaced.now(*value)).collect();
            let (insts, results) = copied(func, body, args);
            order.extend(insts);
            for (old, new) in func.inst(inst).results.clone().into_iter().zip(results) {
                name(func, old, new);
                replaced.rename(old, new);
            }
        }
        Editor::new(func).set_order(block, order);
    }
    Editor::new(func).map_uses(|value| replaced.now(value));
}

/// The instructions of a body on these arguments, and what they return; in no block yet.
fn copied(func: &mut Function, body: &Function, args: Vec<ValueId>) -> (Vec<InstId>, Vec<ValueId>) {
    let mut now = IdMap::filled(body.value_count(), None);
    for (param, arg) in body.param_values().iter().zip(args) {
        now.rename(*param, arg);
    }
    let scratch = Editor::new(func).block();
    let mut copier = Copier { from: Some(body), to: func, map: &mut now, names: Names::Taken };
    let results = copier.body(body.root(), scratch);
    (Editor::new(func).take_order(scratch), results)
}

/// What a call's result was named, unless what stands for it has a name of its own.
fn name(func: &mut Function, old: ValueId, new: ValueId) {
    if func.value(new).name.is_none() {
        let name = func.value(old).name.clone();
        Editor::new(func).set_name(new, name);
    }
}
