//! Values that are cheaper to make again than to move: constants, iota, broadcasts of a scalar constant.
//!
//! ```text
//! %c = broadcast 0 : [8,8]              %c  = broadcast 0        %c2 = broadcast 0
//! use1 %c; use2 %c               =>     use1 %c                  use2 %c2
//! ```
//!
//! One copy per user before completion: each gets its user's sharding, and no sharding travels from one user to another
//! through a constant. Afterwards copies that ended up equal are one again. Scalars and annotated values stay single.

use crate::alike::{Alike, quick_hash};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::Movement;
use meshwright_ir::{At, BlockId, Editor, Function, Inst, InstId, Op, Value, ValueId};

/// A constant with more different elements is data, not something to make again.
const MOST_ELEMENTS: i64 = 1 << 16;

/// Whether an instruction only makes a tensor out of nothing or of one scalar.
fn is_cheap(func: &Function, inst: &Inst) -> bool {
    if let Op::Constant(constant) = &inst.op {
        constant.0.is_splat() || constant.0.ty().elements() <= MOST_ELEMENTS
    } else if let (Op::Movement(Movement::Broadcast(_)), [operand]) = (&inst.op, inst.operands.as_slice()) {
        let def = func.def_inst(*operand).map(|inst| &func.inst(inst).op);
        func.dims(*operand).is_empty() && matches!(def, Some(Op::Constant(_)))
    } else {
        matches!(inst.op, Op::Iota(_))
    }
}

fn may_copy(func: &Function, inst: &Inst) -> bool {
    let plain = |value: &ValueId| func.value(*value).sharding.is_none() && !func.dims(*value).is_empty();
    is_cheap(func, inst) && inst.results.iter().all(plain)
}

/// Give every user of a cheap value its own copy, beside the original; how many copies were made.
pub(crate) fn copy_per_user(func: &mut Function) -> usize {
    let order = func.insts_in_order();
    let mut cheap = IdMap::<ValueId, bool>::filled(func.value_count(), false);
    for inst in order.iter().map(|inst| func.inst(*inst)).filter(|inst| may_copy(func, inst)) {
        inst.results.iter().for_each(|value| cheap[*value] = true);
    }
    let mut copies = Copies { taken: IdMap::filled(func.value_count(), false), after: Vec::new(), cheap };
    for inst in order {
        copies.for_inst(func, inst);
    }
    for block in func.blocks_in_order() {
        copies.for_results(func, block);
    }
    let count = copies.after.len();
    copies.place(func);
    count
}

struct Copies {
    cheap: IdMap<ValueId, bool>,
    /// Whether the original has its user already.
    taken: IdMap<ValueId, bool>,
    /// Each copy, by the instruction it stands behind.
    after: Vec<(InstId, InstId)>,
}

impl Copies {
    fn is_cheap(&self, value: ValueId) -> bool {
        self.cheap.get(value).copied().unwrap_or(false)
    }

    fn for_inst(&mut self, func: &mut Function, inst: InstId) {
        let operands = &func.inst(inst).operands;
        if !operands.iter().any(|value| self.is_cheap(*value)) {
            return;
        }
        let operands = operands.clone();
        let operands = self.replace(func, operands);
        Editor::new(func).set_operands(inst, operands);
    }

    fn for_results(&mut self, func: &mut Function, block: BlockId) {
        let results = &func.block(block).results;
        if !results.iter().any(|value| self.is_cheap(*value)) {
            return;
        }
        let results = results.clone();
        let results = self.replace(func, results);
        Editor::new(func).set_results(block, results);
    }

    /// The values one user sees: a value it uses twice is copied once.
    fn replace(&mut self, func: &mut Function, mut values: Vec<ValueId>) -> Vec<ValueId> {
        let mut own: Vec<(ValueId, ValueId)> = Vec::new();
        for value in &mut values {
            if let Some((_, copy)) = own.iter().find(|(original, _)| original == value) {
                *value = *copy;
            } else if self.is_cheap(*value) {
                let copy = self.copy(func, *value);
                own.push((*value, copy));
                *value = copy;
            }
        }
        values
    }

    fn copy(&mut self, func: &mut Function, value: ValueId) -> ValueId {
        let Some(inst) = func.def_inst(value) else { return value };
        if !std::mem::replace(&mut self.taken[value], true) {
            return value;
        }
        let info = func.inst(inst);
        let (op, operands, source, attrs) =
            (info.op.clone(), info.operands.clone(), info.source, info.attrs.clone());
        let ty = func.ty(value).clone();
        let block = func.block_of(inst);
        let mut editor = Editor::new(func);
        let copy = editor.push_typed(At::End(block), op, operands, Vec::new(), vec![ty], source);
        *editor.attrs_mut(copy) = attrs;
        self.after.push((inst, copy));
        func.inst(copy).results.first().copied().unwrap_or(value)
    }

    /// Copies were added at the ends of their blocks: put each behind its original.
    fn place(mut self, func: &mut Function) {
        if self.after.is_empty() {
            return;
        }
        self.after.arrange_by_key(|(original, _)| *original);
        // Where the copies of an instruction begin; a copy is none of its block's own.
        let mut first = IdMap::<InstId, Option<usize>>::filled(func.inst_count(), None);
        let mut is_copy = IdMap::<InstId, bool>::filled(func.inst_count(), false);
        for (at, (original, copy)) in self.after.iter().enumerate() {
            first[*original].get_or_insert(at);
            is_copy[*copy] = true;
        }
        let mut editor = Editor::new(func);
        for block in editor.func().blocks_in_order() {
            for inst in editor.take_order(block).into_iter().filter(|inst| !is_copy[*inst]) {
                editor.append(block, inst);
                let copies = first[inst].map_or(&[][..], |first| &self.after[first..]);
                let own = copies.iter().take_while(|(original, _)| *original == inst);
                own.for_each(|(_, copy)| editor.append(block, *copy));
            }
        }
    }
}

/// Make equal cheap values of one block (same op, operands, sharding, valid part) one again; how many went.
///
/// The first stays, so every use is still after its definition.
pub fn merge_copies(func: &mut Function) -> usize {
    let mut replace = IdMap::<ValueId, Option<ValueId>>::filled(func.value_count(), None);
    let mut count = 0;
    for block in func.blocks_in_order() {
        let gone = merge_block(func, block, &mut replace);
        if gone.is_empty() {
            continue;
        }
        count += gone.len();
        let mut dropped = IdMap::<InstId, bool>::filled(func.inst_count(), false);
        gone.iter().for_each(|inst| dropped[*inst] = true);
        let order = func.block(block).insts.iter().copied().filter(|inst| !dropped[*inst]).collect();
        Editor::new(func).set_order(block, order);
    }
    if count > 0 {
        Editor::new(func).map_uses(|value| resolve(&replace, value));
    }
    count
}

/// Operands of cheap values are scalars, which may have been merged themselves.
fn resolve(replace: &IdMap<ValueId, Option<ValueId>>, value: ValueId) -> ValueId {
    replace.get(value).copied().flatten().unwrap_or(value)
}

fn merge_block(
    func: &Function,
    block: BlockId,
    replace: &mut IdMap<ValueId, Option<ValueId>>,
) -> Vec<InstId> {
    let mut first: Alike<(InstId, Vec<ValueId>)> = Alike::new();
    let mut gone = Vec::new();
    for id in &func.block(block).insts {
        let inst = func.inst(*id);
        let [result] = inst.results.as_slice() else { continue };
        if !is_cheap(func, inst) {
            continue;
        }
        let operands: Vec<_> = inst.operands.iter().map(|value| resolve(replace, *value)).collect();
        let hash = quick_hash(&(&inst.op, &operands));
        let same = |(other, others): &(InstId, Vec<ValueId>)| {
            *others == operands && equal(func, inst, func.inst(*other))
        };
        let kept = first.first(hash, same, || (*id, operands.clone())).0;
        if kept != *id {
            replace[*result] = func.inst(kept).results.first().copied();
            gone.push(*id);
        }
    }
    gone
}

/// Whether two instructions are the same op with results of the same sharding and the same valid part.
fn equal(func: &Function, inst: &Inst, other: &Inst) -> bool {
    let results = inst.results.iter().zip(&other.results).map(|(a, b)| (func.value(*a), func.value(*b)));
    let same = |(a, b): (&Value, &Value)| a.ty == b.ty && a.sharding == b.sharding && a.valid == b.valid;
    inst.op == other.op && results.into_iter().all(same)
}
