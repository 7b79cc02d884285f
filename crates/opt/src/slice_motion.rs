//! Cut first, compute then.
//!
//! ```text
//! %s = add %a, %b                      %c = slice %a
//! %r = slice %s             =>         %d = slice %b
//!                                      %r = add %c, %d
//! ```
//!
//! Where only slices of what an elementwise op makes are used, one of it, the op need not make the rest. Dynamic slices
//! move the same way. Only where no more bytes are cut than before: the operands that are cut, but for constants and
//! what is repeated, of which a slice is a smaller one (`simplify`), are together no larger than the result was. A
//! slice moves as far up as it can. Each element is computed from the same elements as before. One walk over the
//! instructions.

use crate::Changed;
use crate::uses;
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_cost::peak::room;
use meshwright_ir::op::{Dynamic, Movement};
use meshwright_ir::{At, Build, Builder, Editor, Function, InstId, Module, Op, ValueId};

pub fn slice_motion(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(move_slices).fold(false, |any, changed| any | changed)
}

fn move_slices(func: &mut Function) -> Changed {
    let is_slice = |inst: &InstId| cuts(&func.inst(*inst).op);
    let mut work: Vec<InstId> = func.insts_in_order().into_iter().filter(is_slice).collect();
    if work.is_empty() {
        return false;
    }
    let mut counts = uses::counts(func);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    let mut changed = false;
    while let Some(slice) = work.pop() {
        let Some(op) = computed(func, &counts, slice) else { continue };
        let Some(moved) = exchange(func, slice, op) else { continue };
        for _ in counts.len()..func.value_count() {
            counts.push(1);
            replaced.push(None);
        }
        replaced[moved.old] = Some(moved.new);
        work.extend(moved.slices);
        changed = true;
    }
    if changed {
        Editor::new(func).map_uses(|value| last(&replaced, value));
    }
    changed
}

/// What stands for a value in the end.
fn last(replaced: &IdMap<ValueId, Option<ValueId>>, value: ValueId) -> ValueId {
    std::iter::successors(Some(value), |value| replaced[*value]).last().unwrap_or(value)
}

fn cuts(op: &Op) -> bool {
    matches!(op, Op::Movement(Movement::Slice(_)) | Op::Dynamic(Dynamic::Slice { .. }))
}

/// The elementwise op in the same block that makes what is sliced, if nothing else uses that and moving pays.
fn computed(func: &Function, counts: &IdMap<ValueId, u32>, slice: InstId) -> Option<InstId> {
    let value = *func.inst(slice).operands.first()?;
    let op = func.def_inst(value).filter(|op| func.block_of(*op) == func.block_of(slice))?;
    let is_annotated = func.value(value).sharding.is_some() || func.value(value).valid.is_some();
    if !func.inst(op).op.facts().is_shapeless || counts[value] != 1 || is_annotated {
        return None;
    }
    let (whole, part) =
        (func.ty(value).as_tensor()?, func.ty(*func.inst(slice).results.first()?).as_tensor()?);
    let moved: i64 = full(func, op).iter().map(|operand| room(func, *operand)).sum();
    let pays = part.elements() < whole.elements() && moved <= func.ty(value).byte_size();
    pays.then_some(op)
}

/// The operands of an elementwise op that have its result's shape, each once.
fn full(func: &Function, op: InstId) -> Vec<ValueId> {
    let info = func.inst(op);
    let dims = info.results.first().map(|result| func.dims(*result));
    let mut full: Vec<ValueId> =
        info.operands.iter().copied().filter(|value| Some(func.dims(*value)) == dims).collect();
    full.arrange();
    full.dedup();
    full
}

struct Moved {
    old: ValueId,
    new: ValueId,
    slices: Vec<InstId>,
}

/// Cut the operands, and compute the part, where the slice stands.
fn exchange(func: &mut Function, slice: InstId, op: InstId) -> Option<Moved> {
    let (cut, computed) = (func.inst(slice).clone(), func.inst(op).clone());
    let old = *cut.results.first()?;
    let mut now: Vec<(ValueId, ValueId)> = Vec::new();
    let mut slices = Vec::new();
    for operand in full(func, op) {
        let mut operands = cut.operands.clone();
        operands[0] = operand;
        let made = Builder::before(func, slice).push(cut.op.clone(), operands);
        now.push((operand, made));
        slices.push(func.def_inst(made)?);
    }
    let current = |value: &ValueId| now.iter().find(|(old, _)| old == value).map_or(*value, |(_, new)| *new);
    let operands = computed.operands.iter().map(current).collect();
    let (name, ty) = (func.value(old).name.clone(), func.ty(old).clone());
    let mut editor = Editor::new(func);
    let at = At::Before(slice);
    let made = editor.push_typed(at, computed.op, operands, Vec::new(), vec![ty], computed.source);
    *editor.attrs_mut(made) = computed.attrs;
    let new = *editor.func().inst(made).results.first()?;
    editor.set_name(new, name);
    editor.unlink(slice);
    editor.unlink(op);
    Some(Moved { old, new, slices })
}
