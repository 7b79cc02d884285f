//! Take collectives out of loops in which they give the same every time.
//!
//! ```text
//! while (%w = %w0, ..) {                           %g = all-gather %w0
//!   %g = all-gather %w                             while (%w = %w0, ..) {
//!   .. %g ..                               =>        .. %g ..
//!   return %w, .. }                                  return %w, .. }
//! ```
//!
//! Invariant is what is made outside, a carried value that the body returns as it came, and what is computed from
//! invariant values alone. Collectives move before the loop with what they are computed from; everything else stays:
//! what costs no communication may as well be made anew and need no memory between trips. A loop that never runs has
//! sent something for nothing, but nothing wrong. The order of what moves is kept, so all devices agree on it still.
//! Inner loops come first, so that what leaves them may leave the next one too.

use crate::Changed;
use crate::effects::Effects;
use meshwright_base::IdMap;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, Def, Editor, Function, InstId, Module, Op, ValueId};

pub fn hoist(module: &mut Module) -> Changed {
    let effects = Effects::of(module);
    let hoisted = module.funcs.values_mut().map(|func| hoist_function(func, &effects));
    hoisted.fold(false, |any, changed| any | changed)
}

fn hoist_function(func: &mut Function, effects: &Effects) -> Changed {
    let loops: Vec<InstId> =
        func.insts_in_order().into_iter().rev().filter(|inst| body_of(func, *inst).is_some()).collect();
    loops.into_iter().map(|inst| hoist_loop(func, inst, effects)).fold(false, |any, changed| any | changed)
}

/// The body of a loop and how many of its parameters are carried.
fn body_of(func: &Function, inst: InstId) -> Option<(BlockId, usize)> {
    let info = func.inst(inst);
    match (&info.op, &info.regions[..]) {
        (Op::Control(Control::While), [_, body]) => Some((*body, info.operands.len())),
        (Op::Scan(scan), [body]) => Some((*body, scan.carries)),
        _ => None,
    }
}

fn hoist_loop(func: &mut Function, inst: InstId, effects: &Effects) -> Changed {
    let Some((body, carries)) = body_of(func, inst) else { return false };
    let outside = carried_as_they_are(func, inst, body, carries);
    let movable = movable(func, body, &outside, effects);
    let moved = needed(func, body, &movable);
    if moved.is_empty() {
        return false;
    }
    for inner in &moved {
        let operands = func.inst(*inner).operands.iter().map(|value| outer(&outside, *value)).collect();
        Editor::new(func).set_operands(*inner, operands);
    }
    let stays: Vec<InstId> =
        func.block(body).insts.iter().copied().filter(|inner| !moved.contains(inner)).collect();
    let around = func.block_of(inst);
    let mut order = func.block(around).insts.clone();
    let at = order.iter().position(|other| *other == inst).unwrap_or(order.len());
    order.splice(at..at, moved);
    let mut editor = Editor::new(func);
    editor.set_order(body, stays);
    editor.set_order(around, order);
    true
}

/// Parameters that the body returns in their own place, and what the loop is given for them.
fn carried_as_they_are(
    func: &Function,
    inst: InstId,
    body: BlockId,
    carries: usize,
) -> Vec<(ValueId, ValueId)> {
    let block = func.block(body);
    let pairs = block.params.iter().zip(&block.results).zip(&func.inst(inst).operands).take(carries);
    pairs.filter(|((param, result), _)| param == result).map(|((param, _), given)| (*param, *given)).collect()
}

fn outer(outside: &[(ValueId, ValueId)], value: ValueId) -> ValueId {
    outside.iter().find(|(param, _)| *param == value).map_or(value, |(_, given)| *given)
}

/// Instructions of the body that would give the same outside.
fn movable(
    func: &Function,
    body: BlockId,
    outside: &[(ValueId, ValueId)],
    effects: &Effects,
) -> IdMap<InstId, bool> {
    let mut movable: IdMap<InstId, bool> = IdMap::filled(func.inst_count(), false);
    for inst in &func.block(body).insts {
        let info = func.inst(*inst);
        let is_invariant = |value: &ValueId| match func.value(*value).def {
            Def::Param { block, .. } if block == body => outer(outside, *value) != *value,
            Def::Param { .. } => true,
            Def::Result { inst, .. } => func.block_of(inst) != body || movable[inst],
        };
        let is_plain =
            effects.is_pure(func, *inst) && (info.regions.is_empty() || is_collective(func, *inst));
        let same = is_plain && info.operands.iter().all(is_invariant);
        movable[*inst] = same;
    }
    movable
}

fn is_collective(func: &Function, inst: InstId) -> bool {
    matches!(func.inst(inst).op, Op::Collective(_))
}

/// The collectives among them and what they are computed from, in order.
fn needed(func: &Function, body: BlockId, movable: &IdMap<InstId, bool>) -> Vec<InstId> {
    let mut needed: IdMap<InstId, bool> = IdMap::filled(func.inst_count(), false);
    for inst in func.block(body).insts.iter().rev() {
        if !movable[*inst] || !(needed[*inst] || is_collective(func, *inst)) {
            continue;
        }
        needed[*inst] = true;
        for value in &func.inst(*inst).operands {
            if let Some(made) = func.def_inst(*value) {
                needed[made] |= movable[made];
            }
        }
    }
    func.block(body).insts.iter().copied().filter(|inst| needed[*inst] && movable[*inst]).collect()
}
