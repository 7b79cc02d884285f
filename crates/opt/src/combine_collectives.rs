//! Merge all-reduces of one group and reducer that do not depend on each other into one.
//!
//! ```text
//! %g1 = all-reduce %a, over={x}
//! %g2 = all-reduce %b, over={x}     =>     %g1, %g2 = all-reduce %a, %b, over={x}
//! ```
//!
//! Keeps the order of collectives: the merged one stands where its last member stood, and only members whose results
//! are not used before that place join; small ones are brought together first (`near`). One walk per block; all
//! devices issue the same sequence.

mod near;

use crate::Changed;
use crate::uses;
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{Collective, CollectiveKind, Groups, Mode};
use meshwright_ir::{At, BlockId, DType, Editor, Function, InstId, Module, Op, Type, ValueId};
use meshwright_shard::Reducer;

/// All that a merged collective takes and gives is alive at once, and none of it can be used up before: a larger share
/// of the program's peak is not worth a message saved. Of a small program fewer bytes are not either, and no more ever
/// go in one.
const SHARE: i64 = 64;
const LEAST: i64 = 1 << 20;
const MOST: i64 = 1 << 30;

pub fn combine_collectives(module: &mut Module) -> Changed {
    if !has_several(module) {
        return false;
    }
    let peak = meshwright_cost::program_peak(module);
    let mut changed = near::bring_together(module, peak);
    let most = (peak / SHARE).clamp(LEAST, MOST);
    for func in module.funcs.values_mut() {
        let mut merged: Vec<(ValueId, ValueId)> = Vec::new();
        let mut waiting: IdMap<ValueId, Option<InstId>> = IdMap::filled(func.value_count(), None);
        for block in func.blocks_in_order() {
            let found = combinable(func, block, most, &mut waiting);
            merge_all(func, block, &found, &mut merged);
        }
        merged.arrange();
        if !merged.is_empty() {
            let now = |value| merged.binary_search_by_key(&value, |(old, _)| *old).map(|at| merged[at].1);
            Editor::new(func).map_uses(|value| now(value).unwrap_or(value));
            changed = true;
        }
    }
    changed
}

/// Whether there is more than one all-reduce at all.
fn has_several(module: &Module) -> bool {
    let is_one = |func: &Function, inst: InstId| matches!(&func.inst(inst).op, Op::Collective(op) if op.kind == CollectiveKind::AllReduce);
    let each = module
        .funcs
        .values()
        .flat_map(|func| func.insts_in_order().into_iter().filter(move |inst| is_one(func, *inst)));
    each.take(2).count() > 1
}

/// What members of one merged collective share.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    groups: Groups,
    mode: Mode,
    group_size: i64,
    reducer: Reducer,
    dtype: DType,
}

struct Pending {
    key: Key,
    /// The member that opened it, by which it is known.
    first: InstId,
    members: Vec<InstId>,
    bytes: i64,
}

/// The all-reduces of a block that become one, of at most so many bytes. `waiting` are results that a group has, by its
/// first member.
fn combinable(
    func: &Function,
    block: BlockId,
    most: i64,
    waiting: &mut IdMap<ValueId, Option<InstId>>,
) -> Vec<Pending> {
    let mut closed: Vec<Pending> = Vec::new();
    let mut open: Vec<Pending> = Vec::new();
    for inst in &func.block(block).insts {
        close(func, *inst, &mut open, &mut closed, waiting);
        let Some(key) = key(func, *inst) else { continue };
        let bytes: i64 = func.inst(*inst).operands.iter().map(|value| func.ty(*value).byte_size()).sum();
        let at = open.iter().position(|pending| pending.key == key && pending.bytes + bytes <= most);
        let at = at.unwrap_or_else(|| {
            open.push(Pending { key, first: *inst, members: Vec::new(), bytes: 0 });
            open.len() - 1
        });
        let pending = &mut open[at];
        pending.members.push(*inst);
        pending.bytes += bytes;
        for result in &func.inst(*inst).results {
            waiting[*result] = Some(pending.first);
        }
    }
    closed.append(&mut open);
    closed.retain(|pending| pending.members.len() > 1);
    closed
}

/// Close the groups of which an instruction uses a result.
fn close(
    func: &Function,
    inst: InstId,
    open: &mut Vec<Pending>,
    closed: &mut Vec<Pending>,
    waiting: &mut IdMap<ValueId, Option<InstId>>,
) {
    if open.is_empty() {
        return;
    }
    let mut used: Vec<InstId> = Vec::new();
    uses::each(func, inst, &mut |value| used.extend(waiting[value]));
    if used.is_empty() {
        return;
    }
    let (ended, still): (Vec<_>, Vec<_>) =
        std::mem::take(open).into_iter().partition(|pending| used.contains(&pending.first));
    for result in
        ended.iter().flat_map(|pending| &pending.members).flat_map(|member| &func.inst(*member).results)
    {
        waiting[*result] = None;
    }
    *open = still;
    closed.extend(ended);
}

fn key(func: &Function, inst: InstId) -> Option<Key> {
    let info = func.inst(inst);
    let Op::Collective(Collective {
        kind: kind @ CollectiveKind::AllReduce,
        groups,
        group_size,
        channel,
        ..
    }) = &info.op
    else {
        return None;
    };
    let reducer = func.region_reducer(*info.regions.first()?)?;
    let dtype = func.ty(*info.operands.first()?).as_tensor()?.dtype;
    let mode = Mode::of(kind, *channel);
    Some(Key { groups: groups.clone(), mode, group_size: *group_size, reducer, dtype })
}

/// Write a block again with one instruction for each group, where its last member stood.
fn merge_all(func: &mut Function, block: BlockId, groups: &[Pending], merged: &mut Vec<(ValueId, ValueId)>) {
    if groups.is_empty() {
        return;
    }
    let mut group_of: IdMap<InstId, Option<usize>> = IdMap::filled(func.inst_count(), None);
    for (at, group) in groups.iter().enumerate() {
        group.members.iter().for_each(|member| group_of[*member] = Some(at));
    }
    for inst in Editor::new(func).take_order(block) {
        match group_of[inst].map(|at| &groups[at].members) {
            None => Editor::new(func).append(block, inst),
            Some(members) if members.last() == Some(&inst) => merge(func, block, members, merged),
            Some(_) => {}
        }
    }
}

/// One instruction for all members, at the end of a block.
fn merge(func: &mut Function, block: BlockId, members: &[InstId], merged: &mut Vec<(ValueId, ValueId)>) {
    let Some(last) = members.last().copied() else { return };
    let info = func.inst(last).clone();
    let operands: Vec<ValueId> =
        members.iter().flat_map(|member| func.inst(*member).operands.clone()).collect();
    let old: Vec<ValueId> = members.iter().flat_map(|member| func.inst(*member).results.clone()).collect();
    let types: Vec<Type> = old.iter().map(|value| func.ty(*value).clone()).collect();
    let names: Vec<_> = old.iter().map(|value| func.value(*value).name.clone()).collect();
    let mut editor = Editor::new(func);
    let made = editor.push_typed(At::End(block), info.op, operands, info.regions, types, info.source);
    let new = editor.func().inst(made).results.clone();
    for (value, name) in new.iter().zip(names) {
        editor.set_name(*value, name);
    }
    merged.extend(old.into_iter().zip(new));
}
