//! Take out of loops what is the same on every trip: what they only hand on, and collectives of it.
//!
//! ```text
//! %s = while (%w = %w0, ..) {                      %g = all-gather %w0
//!   %g = all-gather %w                             %s = while (..) {
//!   .. %g .. %w ..                         =>        .. %g .. %w0 ..
//!   return %w, .. }                                  return .. }
//! ```
//!
//! A carried value that the body returns as it came is read where it was made, and is carried no more: a loop inside
//! another would need a copy of it on every trip, since what is carried may be written in place. A loop that hands on
//! all it carries never ends or never runs, and stays as it is.
//!
//! Invariant is what is made outside and what is computed from invariant values alone. Collectives move before the
//! loop with what they are computed from; everything else stays: what costs no communication may as well be made anew
//! and need no memory between trips. A loop that never runs has sent something for nothing, but nothing wrong. The
//! order of what moves is kept, so all devices agree on it still. Inner loops come first, so that what leaves them may
//! leave the next one too.

use crate::Changed;
use crate::effects::Effects;
use meshwright_base::IdMap;
use meshwright_ir::op::Control;
use meshwright_ir::{BlockId, Editor, Function, InstId, Module, Op, ValueId};

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
pub(crate) fn body_of(func: &Function, inst: InstId) -> Option<(BlockId, usize)> {
    let info = func.inst(inst);
    match (&info.op, &info.regions[..]) {
        (Op::Control(Control::While), [_, body]) => Some((*body, info.operands.len())),
        (Op::Scan(scan), [body]) => Some((*body, scan.carries)),
        _ => None,
    }
}

fn hoist_loop(func: &mut Function, inst: InstId, effects: &Effects) -> Changed {
    let Some((body, carries)) = body_of(func, inst) else { return false };
    let handed_on = handed_on(func, inst, body, carries);
    let is_read_outside = handed_on.contains(&true) && handed_on.contains(&false);
    if is_read_outside {
        read_where_it_was_made(func, inst, &handed_on);
        carry_no_more(func, inst, &handed_on);
    }
    let movable = movable(func, body, effects);
    let moved = needed(func, body, &movable);
    if moved.is_empty() {
        return is_read_outside;
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

/// Which carried values the body returns in their own place.
fn handed_on(func: &Function, inst: InstId, body: BlockId, carries: usize) -> Vec<bool> {
    let block = func.block(body);
    let pairs = block.params.iter().zip(&block.results).zip(&func.inst(inst).operands).take(carries);
    let is_same = |param: ValueId, given: ValueId| {
        let (param, given) = (func.value(param), func.value(given));
        param.ty == given.ty && param.valid == given.valid
    };
    pairs.map(|((param, result), given)| param == result && is_same(*param, *given)).collect()
}

/// Give every reader of what a loop hands on, inside and behind it, what the loop was given.
fn read_where_it_was_made(func: &mut Function, inst: InstId, handed_on: &[bool]) {
    let mut given: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    let info = func.inst(inst);
    let names = info.regions.iter().map(|region| &func.block(*region).params).chain([&info.results]);
    for names in names {
        for ((name, is_same), operand) in names.iter().zip(handed_on).zip(&info.operands) {
            given[*name] = is_same.then_some(*operand);
        }
    }
    Editor::new(func).map_uses(|value| given[value].unwrap_or(value));
}

/// Take what nobody reads under its names in the loop any more out of what the loop carries.
fn carry_no_more(func: &mut Function, inst: InstId, handed_on: &[bool]) {
    let left = |values: &[ValueId]| -> Vec<ValueId> {
        let is_left = |at: usize| !handed_on.get(at).is_some_and(|is_same| *is_same);
        values.iter().enumerate().filter(|(at, _)| is_left(*at)).map(|(_, value)| *value).collect()
    };
    let info = func.inst(inst);
    let (regions, is_loop) = (info.regions.clone(), matches!(info.op, Op::Control(_)));
    let (operands, results) = (left(&info.operands), left(&info.results));
    let mut editor = Editor::new(func);
    for (at, region) in regions.into_iter().enumerate() {
        let block = editor.func().block(region);
        let (params, returned) = (left(&block.params), left(&block.results));
        editor.set_params(region, params);
        let is_condition = is_loop && at == 0;
        if !is_condition {
            editor.set_results(region, returned);
        }
    }
    if let Op::Scan(mut scan) = editor.func().inst(inst).op.clone() {
        scan.carries -= handed_on.iter().filter(|is_same| **is_same).count();
        editor.set_op(inst, Op::Scan(scan));
    }
    editor.set_operands(inst, operands);
    editor.keep_results(inst, results);
}

/// Instructions of the body that would give the same outside.
fn movable(func: &Function, body: BlockId, effects: &Effects) -> IdMap<InstId, bool> {
    let mut movable: IdMap<InstId, bool> = IdMap::filled(func.inst_count(), false);
    for inst in &func.block(body).insts {
        let info = func.inst(*inst);
        let is_invariant = |value: &ValueId| {
            func.def_block(*value) != body || func.def_inst(*value).is_some_and(|inst| movable[inst])
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
