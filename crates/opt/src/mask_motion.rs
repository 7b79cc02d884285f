//! Drop a mask under elementwise ops that the same mask covers again.
//!
//! ```text
//! %a = select %p, %x, %0               %b = add %x, %y
//! %b = add %a, %y                      %r = select %p, %b, %1
//! %r = select %p, %b, %1        =>
//! ```
//!
//! Where `%p` is set, the first mask lets through what is there; where it is not, nobody sees what was computed. The
//! ops between the two have to be used by the second mask alone. Masks for the other side (`select %p, %0, %x` under
//! the third operand) go the same way. No instruction is added; the dropped mask is left to `dce`. One walk, a few
//! steps up from each select.

use crate::Changed;
use crate::uses;
use meshwright_base::IdMap;
use meshwright_ir::{Editor, Function, InstId, Module, Op, ValueId};

/// Ops looked at under one mask.
const MOST: usize = 16;

pub fn mask_motion(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(drop_masks).fold(false, |any, changed| any | changed)
}

fn drop_masks(func: &mut Function) -> Changed {
    let is_select = |inst: &InstId| func.inst(*inst).op == Op::Select;
    let selects: Vec<InstId> = func.insts_in_order().into_iter().filter(is_select).collect();
    if selects.len() < 2 {
        return false;
    }
    let counts = uses::counts(func);
    let each = selects.into_iter().flat_map(|inst| [(inst, 1), (inst, 2)]);
    each.map(|(inst, side)| drop_under(func, &counts, inst, side)).fold(false, |any, changed| any | changed)
}

/// Whether a mask was found under one side of a select.
fn drop_under(func: &mut Function, counts: &IdMap<ValueId, u32>, select: InstId, side: usize) -> Changed {
    let Some((pred, start)) =
        func.inst(select).operands.first().copied().zip(func.inst(select).operands.get(side).copied())
    else {
        return false;
    };
    if func.dims(pred) != func.dims(start) {
        return false;
    }
    let mut changed = false;
    let mut work: Vec<ValueId> = vec![start];
    for _ in 0..MOST {
        let Some(value) = work.pop() else { break };
        let Some(op) = covered(func, counts, value) else { continue };
        let operands: Vec<ValueId> = func.inst(op).operands.clone();
        let through = |value: &ValueId| chosen(func, *value, pred, side).unwrap_or(*value);
        // What decides a choice is no number that a mask hides: it stays.
        let first = usize::from(func.inst(op).op == Op::Select);
        let now: Vec<ValueId> = operands
            .iter()
            .enumerate()
            .map(|(at, value)| if at < first { *value } else { through(value) })
            .collect();
        if now != operands {
            Editor::new(func).set_operands(op, now.clone());
            changed = true;
        }
        work.extend(now);
    }
    changed
}

/// The elementwise op that makes a value which nothing else uses.
fn covered(func: &Function, counts: &IdMap<ValueId, u32>, value: ValueId) -> Option<InstId> {
    let inst = func.def_inst(value)?;
    let is_plain = func.value(value).sharding.is_none() && func.value(value).valid.is_none();
    (is_plain && counts[value] == 1 && func.inst(inst).op.facts().is_shapeless).then_some(inst)
}

/// What a mask lets through on one side.
fn chosen(func: &Function, value: ValueId, pred: ValueId, side: usize) -> Option<ValueId> {
    let info = func.inst(func.def_inst(value)?);
    let is_same = info.op == Op::Select && info.operands.first() == Some(&pred);
    info.operands.get(side).copied().filter(|_| is_same)
}
