//! Send once what collective permutes send twice.
//!
//! ```text
//! %b = permute %a, 0->1 1->2                    %c = permute %a, 0->2           one after another is one
//! %c = permute %b, 1->0 2->2 ..        =>                                       (or none, where all comes home)
//!
//! %c = permute %a, P                            %e = add %a, %b
//! %d = permute %b, P                   =>       %f = permute %e, P              one for all operands of an
//! %f = add %c, %d                                                               elementwise op
//! ```
//!
//! Only where nobody else looks at what goes. A device to which nobody sends holds zeros after a permute, so the second
//! form needs permutes that send to every device; the first keeps the zeros. The same numbers are computed from the
//! same numbers, on another device. Merging happens where the later permute stands, in program order: a chain of any
//! length goes in one walk; then one walk for the second form, whose permutes may be operands of the next. Linear in
//! instructions and pairs.

use crate::Changed;
use crate::uses;
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_base::arrange::map;
use meshwright_ir::op::{Collective, CollectiveKind};
use meshwright_ir::{At, BlockId, Build, Builder, Editor, Function, InstId, Module, Op, Type, ValueId};
use std::collections::BTreeMap;

pub fn permute_motion(module: &mut Module) -> Changed {
    let devices = module.num_partitions.unwrap_or(1).max(1) as usize;
    let replicas = module.num_replicas.unwrap_or(1);
    let each = module.funcs.values_mut().map(|func| {
        if replicas > 1 || !has_permutes(func) {
            return false;
        }
        let merged = merge_chains(func, devices);
        move_behind(func, devices) || merged
    });
    each.fold(false, |any, changed| any | changed)
}

/// The pairs of a collective permute between partitions.
fn pairs(func: &Function, inst: InstId) -> Option<(&Collective, &Vec<(u32, u32)>)> {
    let Op::Collective(collective) = &func.inst(inst).op else { return None };
    let CollectiveKind::Permute { pairs } = &collective.kind else { return None };
    collective.channel.id.map(|_| (collective, pairs))
}

fn has_permutes(func: &Function) -> bool {
    func.insts_in_order().into_iter().any(|inst| pairs(func, inst).is_some())
}

/// The permute that makes a value which nothing else uses, if it stands in this block.
fn only_permute(
    func: &Function,
    counts: &IdMap<ValueId, u32>,
    value: ValueId,
    block: BlockId,
) -> Option<InstId> {
    let inst = func.def_inst(value)?;
    pairs(func, inst)?;
    (counts[value] == 1 && func.block_of(inst) == block).then_some(inst)
}

fn merge_chains(func: &mut Function, devices: usize) -> Changed {
    let counts = uses::counts(func);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    let mut changed = false;
    for later in func.insts_in_order() {
        let block = func.block_of(later);
        let Some((collective, second)) = pairs(func, later) else { continue };
        let [value] = func.inst(later).operands[..] else { continue };
        let value = replaced[value].unwrap_or(value);
        if comes_home(collective, devices) {
            replaced[func.inst(later).results[0]] = Some(value);
            changed = true;
            continue;
        }
        let Some(earlier) = only_permute(func, &counts, value, block) else { continue };
        let Some((_, first)) = pairs(func, earlier) else { continue };
        let kind = CollectiveKind::Permute { pairs: one_after_another(first, second) };
        let merged = Collective { kind, ..collective.clone() };
        let [source] = func.inst(earlier).operands[..] else { continue };
        if comes_home(&merged, devices) {
            replaced[func.inst(later).results[0]] = Some(source);
        }
        let mut editor = Editor::new(func);
        editor.set_op(later, Op::Collective(merged));
        editor.set_operands(later, vec![source]);
        changed = true;
    }
    if changed {
        Editor::new(func).map_uses(|value| replaced[value].unwrap_or(value));
    }
    changed
}

/// Who ends up with whose value after both.
fn one_after_another(first: &[(u32, u32)], second: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let from: BTreeMap<u32, u32> = map(first.iter().map(|(source, target)| (*target, *source)));
    let through = second.iter().filter_map(|(source, target)| Some((*from.get(source)?, *target)));
    let mut pairs: Vec<(u32, u32)> = through.collect();
    pairs.arrange();
    pairs
}

fn comes_home(permute: &Collective, devices: usize) -> bool {
    let CollectiveKind::Permute { pairs } = &permute.kind else { return false };
    pairs.len() == devices && pairs.iter().all(|(source, target)| source == target)
}

/// Move permutes behind elementwise ops all of whose operands they are, or constants.
fn move_behind(func: &mut Function, devices: usize) -> Changed {
    let mut counts = uses::counts(func);
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    let mut changed = false;
    for block in func.blocks_in_order() {
        let mut order = Vec::new();
        for inst in func.block(block).insts.clone() {
            order.push(inst);
            if func.inst(inst).operands.iter().any(|value| replaced[*value].is_some()) {
                let current = |value: &ValueId| replaced[*value].unwrap_or(*value);
                let operands: Vec<ValueId> = func.inst(inst).operands.iter().map(current).collect();
                Editor::new(func).set_operands(inst, operands);
            }
            let Some(permutes) = equal_permutes(func, &counts, inst, block, devices) else { continue };
            let Some(moved) = move_one(func, inst, &permutes) else { continue };
            order.push(moved.permute);
            counts.push(1);
            counts.push(counts[moved.old]);
            replaced.push(None);
            replaced.push(None);
            replaced[moved.old] = Some(moved.new);
            changed = true;
        }
        Editor::new(func).set_order(block, order);
    }
    if changed {
        Editor::new(func).map_uses(|value| replaced[value].unwrap_or(value));
    }
    changed
}

/// The permutes among an elementwise op's operands, if there are several, to every device, with the same pairs, and
/// the other operands are the same everywhere.
fn equal_permutes(
    func: &Function,
    counts: &IdMap<ValueId, u32>,
    inst: InstId,
    block: BlockId,
    devices: usize,
) -> Option<Vec<InstId>> {
    let info = func.inst(inst);
    if !info.op.facts().is_elementwise {
        return None;
    }
    let mut found = Vec::new();
    for value in &info.operands {
        match only_permute(func, counts, *value, block) {
            Some(permute) => found.push(permute),
            None => is_same_everywhere(func, *value).then_some(())?,
        }
    }
    let (_, first) = pairs(func, *found.first()?)?;
    let alike = found.iter().all(|permute| pairs(func, *permute).is_some_and(|(_, other)| other == first));
    let bytes = |value: ValueId| func.ty(value).byte_size();
    let sent: i64 = found.iter().map(|permute| bytes(func.inst(*permute).results[0])).sum();
    let saves = found.len() > 1 && bytes(*info.results.first()?) <= sent;
    (alike && saves && first.len() == devices).then_some(found)
}

/// Whether all devices hold the same: constants and what counts positions.
fn is_same_everywhere(func: &Function, value: ValueId) -> bool {
    func.def_inst(value).is_some_and(|inst| matches!(func.inst(inst).op, Op::Constant(_) | Op::Iota(_)))
}

/// What stands behind an op now, for its old result.
struct Moved {
    permute: InstId,
    old: ValueId,
    new: ValueId,
}

/// Have the op take what the permutes took, and permute what it makes: two new values, the op's and the permute's.
fn move_one(func: &mut Function, inst: InstId, permutes: &[InstId]) -> Option<Moved> {
    let old = *func.inst(inst).results.first()?;
    let ty: Type = func.ty(old).clone();
    let last = *permutes.last()?;
    let (permute, source) = (func.inst(last).op.clone(), func.inst(last).source);
    let name = func.value(old).name.clone();
    let taken = |value: &ValueId| match func.def_inst(*value).filter(|made| permutes.contains(made)) {
        Some(made) => func.inst(made).operands.first().copied(),
        None => Some(*value),
    };
    let operands: Vec<ValueId> = func.inst(inst).operands.iter().map(taken).collect::<Option<_>>()?;
    let op = func.inst(inst).op.clone();
    let made = *Editor::new(func).replace(inst, op, operands, Vec::new(), vec![ty]).first()?;
    let new = Builder::new(func, At::After(inst), source).push(permute, [made]);
    Editor::new(func).set_name(new, name);
    Some(Moved { permute: func.def_inst(new)?, old, new })
}
