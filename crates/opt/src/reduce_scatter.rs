//! An all-reduce of which every device keeps its own piece becomes a reduce-scatter.
//!
//! ```text
//! %sum = all-reduce %a, over={x}
//! %own = dynamic-slice %sum, position * piece     =>     %own = reduce-scatter %a, over={x}
//! ```
//!
//! Half the bytes. A reshape between the two moves before the reduce-scatter. The slice has to be the only use, to cut
//! one dim into as many pieces as the group has members, and to start at the piece of the device's position in its
//! group. The last is proved for all devices at once (`device_number.rs`), whatever their number.

use crate::Changed;
use crate::device_number::{number_of, place_in_group};
use meshwright_base::IdMap;
use meshwright_ir::op::{Collective, CollectiveKind, Dynamic, Movement};
use meshwright_ir::{Build, Builder, Editor, Function, InstId, Module, Op, TensorType, ValueId};

pub fn reduce_scatter(module: &mut Module) -> Changed {
    let devices = module.num_partitions.unwrap_or(1);
    if devices < 2 || module.num_replicas.unwrap_or(1) > 1 {
        return false;
    }
    let mut changed = false;
    for id in module.funcs.keys() {
        let found = found_in(module, &module.funcs[id], devices);
        changed |= !found.is_empty();
        rewrite(&mut module.funcs[id], &found);
    }
    changed
}

/// An all-reduce and the slice of its result.
struct Pair {
    all_reduce: InstId,
    slice: InstId,
    /// The dim that is cut, of the sliced shape.
    dim: usize,
    /// Shape of what is sliced.
    whole: TensorType,
}

fn found_in(module: &Module, func: &Function, devices: i64) -> Vec<Pair> {
    let users = only_users(func);
    let insts = func.insts_in_order().into_iter();
    insts
        .filter_map(|inst| pair(func, inst, &users))
        .filter(|pair| starts_at_own_piece(module, func, pair, devices) == Some(true))
        .collect()
}

/// How a value is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    None,
    One(InstId),
    More,
}

/// The only user of every value that has just one; what a block returns has more.
fn only_users(func: &Function) -> IdMap<ValueId, Users> {
    let mut users = IdMap::filled(func.value_count(), Users::None);
    for inst in func.insts_in_order() {
        for value in &func.inst(inst).operands {
            users[*value] = if users[*value] == Users::None { Users::One(inst) } else { Users::More };
        }
    }
    for block in func.blocks_in_order() {
        for value in &func.block(block).results {
            users[*value] = Users::More;
        }
    }
    users
}

/// The pattern, but for where the slice starts.
fn pair(func: &Function, all_reduce: InstId, users: &IdMap<ValueId, Users>) -> Option<Pair> {
    let size = plain_all_reduce(func, all_reduce)?.group_size;
    let mut value = *func.inst(all_reduce).results.first()?;
    let mut user = users[value];
    while let Users::One(reshape) = user
        && matches!(func.inst(reshape).op, Op::Movement(Movement::Reshape(_)))
    {
        value = *func.inst(reshape).results.first()?;
        user = users[value];
    }
    let Users::One(slice) = user else { return None };
    let info = func.inst(slice);
    let Op::Dynamic(Dynamic::Slice { sizes }) = &info.op else { return None };
    let whole = func.ty(value).as_tensor().filter(|_| info.operands.first() == Some(&value))?.clone();
    let is_cut = |dim: &usize| sizes[*dim] != whole.dims[*dim];
    let mut cut = (0..sizes.len().min(whole.rank())).filter(is_cut);
    let (dim, None) = (cut.next()?, cut.next()) else { return None };
    let fits = sizes[dim].checked_mul(size) == Some(whole.dims[dim]);
    let same_block = func.block_of(slice) == func.block_of(all_reduce);
    (fits && same_block).then_some(Pair { all_reduce, slice, dim, whole })
}

/// An all-reduce of one value by a plain reducer.
fn plain_all_reduce(func: &Function, inst: InstId) -> Option<&Collective> {
    let info = func.inst(inst);
    let Op::Collective(collective) = &info.op else { return None };
    func.region_reducer(*info.regions.first()?)?;
    let fits = collective.kind == CollectiveKind::AllReduce && collective.group_size > 1;
    (fits && info.operands.len() == 1).then_some(collective)
}

/// Whether the slice starts at `piece * place in the group` on every device.
fn starts_at_own_piece(module: &Module, func: &Function, pair: &Pair, devices: i64) -> Option<bool> {
    let collective = plain_all_reduce(func, pair.all_reduce)?;
    let whole = *pair.whole.dims.get(pair.dim)?;
    let piece = whole / collective.group_size;
    let start = *func.inst(pair.slice).operands.get(1 + pair.dim)?;
    let start = number_of(func, start, devices)?.clamped(0, whole - piece)?;
    Some(place_in_group(module, collective, devices)?.times(piece)?.same(&start))
}

/// Make each all-reduce the reduce-scatter, where it stands. What only said where the slice starts is left to `dce`.
fn rewrite(func: &mut Function, found: &[Pair]) {
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for pair in found {
        if let Some((old, new)) = replace(func, pair) {
            replaced[old] = Some(new);
        }
    }
    if !found.is_empty() {
        let of = |value: ValueId| replaced.get(value).copied().flatten().unwrap_or(value);
        Editor::new(func).map_uses(of);
    }
}

/// Turn one all-reduce; returns the slice's result and what stands for it now.
fn replace(func: &mut Function, pair: &Pair) -> Option<(ValueId, ValueId)> {
    let collective = plain_all_reduce(func, pair.all_reduce)?.clone();
    let old = *func.inst(pair.slice).results.first()?;
    let (name, ty) = (func.value(old).name.clone(), func.ty(old).clone());
    let regions = func.inst(pair.all_reduce).regions.clone();
    let operand = shaped_operand(func, pair)?;
    let kind = CollectiveKind::ReduceScatter { dim: pair.dim };
    let op = Op::Collective(Collective { kind, ..collective });
    let between = between(func, pair);
    let mut editor = Editor::new(func);
    between.into_iter().for_each(|inst| editor.unlink(inst));
    let new = *editor.replace(pair.all_reduce, op, vec![operand], regions, vec![ty]).first()?;
    editor.set_name(new, name);
    Some((old, new))
}

/// The slice, and the reshapes behind the all-reduce that it is of: they use what is no longer made.
fn between(func: &Function, pair: &Pair) -> Vec<InstId> {
    let before = |inst: &InstId| func.def_inst(*func.inst(*inst).operands.first()?);
    std::iter::successors(Some(pair.slice), before).take_while(|inst| *inst != pair.all_reduce).collect()
}

/// The operand of the all-reduce in the shape that is sliced.
fn shaped_operand(func: &mut Function, pair: &Pair) -> Option<ValueId> {
    let operand = *func.inst(pair.all_reduce).operands.first()?;
    Some(Builder::before(func, pair.all_reduce).reshape(operand, &pair.whole.dims))
}
