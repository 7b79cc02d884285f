//! Bring small all-reduces of one kind together, so that they can be one.
//!
//! ```text
//! %a = all-reduce %x, min             %a = all-reduce %x, min
//! %c = subtract %y, %a                %b = all-reduce %z, min         does not depend on %a
//! %b = all-reduce %z, min       =>    %c = subtract %y, %a
//! ```
//!
//! The level of an instruction is how many small all-reduces stand one behind another in front of it. Those of one
//! level do not depend on each other: between the first and the last, what has a higher level can wait. Only over short
//! ways, where nothing has an effect, and only if the program's peak does not rise. Two walks.

use super::{Key, key};
use crate::effects::Effects;
use crate::uses;
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{BlockId, Editor, FuncId, Function, InstId, Module, ValueId};
use std::ops::Range;

/// All-reduces of so many bytes take as long as a message does.
const SMALL: i64 = 1 << 16;

/// Instructions over which an all-reduce is brought to another.
const NEAR: usize = 256;

/// Order blocks anew in a module with this program peak; whether any changed.
pub(super) fn bring_together(module: &mut Module, peak: i64) -> bool {
    let mut found: Vec<(FuncId, BlockId, Vec<InstId>)> = Vec::new();
    let effects = Effects::of(module);
    for (id, func) in module.funcs.iter() {
        let mut levels = IdMap::filled(func.value_count(), 0);
        for block in func.blocks_in_order() {
            found.extend(ordered(func, block, &mut levels, &effects).map(|order| (id, block, order)));
        }
    }
    if found.is_empty() {
        return false;
    }
    let old = set_orders(module, found);
    let rises = meshwright_cost::program_peak(module) > peak;
    if rises {
        set_orders(module, old);
    }
    !rises
}

/// Give blocks other orders; those they had.
fn set_orders(
    module: &mut Module,
    orders: Vec<(FuncId, BlockId, Vec<InstId>)>,
) -> Vec<(FuncId, BlockId, Vec<InstId>)> {
    let set = |(func, block, order): (FuncId, BlockId, Vec<InstId>)| {
        let mut editor = Editor::new(&mut module.funcs[func]);
        let old = editor.take_order(block);
        order.into_iter().for_each(|inst| editor.append(block, inst));
        (func, block, old)
    };
    orders.into_iter().map(set).collect()
}

/// All-reduces of one key and level.
struct Like {
    key: Key,
    level: u32,
    first: usize,
    last: usize,
}

/// The order of a block in which those that are alike stand together, if that is another.
fn ordered(
    func: &Function,
    block: BlockId,
    levels: &mut IdMap<ValueId, u32>,
    effects: &Effects,
) -> Option<Vec<InstId>> {
    let insts = &func.block(block).insts;
    let mut level_of = Vec::with_capacity(insts.len());
    let (mut open, mut spans): (Vec<Like>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    for (place, inst) in insts.iter().enumerate() {
        let mut level = 0;
        uses::each(func, *inst, &mut |value| level = level.max(levels[value]));
        level_of.push(level);
        let key = key(func, *inst).filter(|_| is_small(func, *inst));
        let made = level + u32::from(key.is_some());
        func.inst(*inst).results.iter().for_each(|result| levels[*result] = made);
        let Some(key) = key else { continue };
        open.retain(|like| place - like.first < NEAR);
        match open.iter_mut().find(|like| like.key == key && like.level == level) {
            Some(like) => {
                let waits = level_of[like.last..place].iter().any(|other| *other > level);
                spans.extend(waits.then_some(like.first..place + 1));
                like.last = place;
            }
            None => open.push(Like { key, level, first: place, last: place }),
        }
    }
    let spans = joined(spans);
    let mut order = insts.clone();
    for span in &spans {
        if insts[span.clone()].iter().any(|inst| effects.has_effect(func, *inst)) {
            continue;
        }
        let mut places: Vec<usize> = span.clone().collect();
        places.arrange_by_key(|place| level_of[*place]);
        order[span.clone()].iter_mut().zip(places).for_each(|(inst, place)| *inst = insts[place]);
    }
    (order != *insts).then_some(order)
}

fn is_small(func: &Function, inst: InstId) -> bool {
    func.inst(inst).operands.iter().map(|value| func.ty(*value).byte_size()).sum::<i64>() <= SMALL
}

/// Ranges that overlap as one, up to twice the way; what would be longer is left out.
fn joined(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.arrange_by_key(|span| (span.start, span.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match joined.last_mut().filter(|last| span.start < last.end) {
            Some(last) if span.end - last.start <= 2 * NEAR => last.end = last.end.max(span.end),
            Some(_) => {}
            None => joined.push(span),
        }
    }
    joined
}
