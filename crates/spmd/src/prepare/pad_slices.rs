//! A slice of a split dim that is padded at once along it, or a padding of which a slice is taken, written as one
//! padding that takes away and adds.
//!
//! ```text
//! %a = slice %x [0:1]                     x: 16 rows over 8        the one row goes to the first device, then to all,
//! %b = pad %a, low 15                                              then the last keeps it
//! =>
//! %b = pad %x, low 15, high -15                                    the first device sends it to the last
//! ```
//!
//! ```text
//! %a = pad %x, low 1                      x: 4 rows over 4         the five rows lie otherwise than four: they go there
//! %b = slice %a [0:4]                                              and back
//! =>
//! %b = pad %x, low 1, high -1                                      each device sends its row to the next
//! ```
//!
//! Gradients of rolls and shifts are such pairs, and the shifting buffer of a pipeline is (GSPMD 3.3 and 4.6). One
//! padding shows all of its operand but for its edges, so along each dim elements go or come at an edge, not both.

use crate::blocks::program_blocks;
use crate::reshard::sharding_of;
use meshwright_base::IdMap;
use meshwright_ir::op::{Movement, Pad, Slice};
use meshwright_ir::{BlockId, Build, Builder, Editor, Function, InstId, Op, ValueId};

/// Rewrite the paddings of a function, until none is left: what two were made into may be the first of two.
pub fn join(func: &mut Function) {
    while join_once(func) {}
}

/// Whether there were some. An instruction that went into another is not looked at again.
fn join_once(func: &mut Function) -> bool {
    let blocks = program_blocks(func);
    let uses = reads(func, &blocks);
    let insts: Vec<InstId> = blocks.iter().flat_map(|block| func.block(*block).insts.clone()).collect();
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for inst in insts {
        let is_replaced = |value: &ValueId| replaced.get(*value).copied().flatten().is_some();
        if func.inst(inst).operands.iter().any(is_replaced) {
            continue;
        }
        let found = padded_slice(func, inst, &uses).or_else(|| sliced_padding(func, inst, &uses));
        let Some(Joined { first, source, fill, pad }) = found else { continue };
        let Some(result) = func.inst(inst).results.first().copied() else { continue };
        let Some(sharding) = sharding_of(func, result) else { continue };
        let name = func.value(result).name.clone();
        let mut b = Builder::before(func, inst);
        let made = b.split_as(&sharding).push(Op::Movement(Movement::Pad(pad)), [source, fill]);
        let mut editor = b.editor;
        editor.set_name(made, name);
        replaced[result] = Some(made);
        editor.unlink(inst);
        editor.unlink(first);
    }
    let changed = replaced.values().any(Option::is_some);
    if changed {
        Editor::new(func).map_uses(|value| replaced.get(value).copied().flatten().unwrap_or(value));
    }
    changed
}

/// Two instructions as one padding.
struct Joined {
    /// The instruction that only the other one reads.
    first: InstId,
    source: ValueId,
    fill: ValueId,
    pad: Pad,
}

/// How often each value is read in these blocks.
pub(super) fn reads(func: &Function, blocks: &[BlockId]) -> IdMap<ValueId, usize> {
    let mut uses: IdMap<ValueId, usize> = IdMap::filled(func.value_count(), 0);
    for block in blocks {
        let block = func.block(*block);
        let read = block.insts.iter().flat_map(|inst| &func.inst(*inst).operands);
        read.chain(&block.results).for_each(|value| uses[*value] += 1);
    }
    uses
}

/// The instruction behind a value that only `inst` reads, in the same block.
pub(super) fn only_read_by(
    func: &Function,
    value: ValueId,
    inst: InstId,
    uses: &IdMap<ValueId, usize>,
) -> Option<InstId> {
    let first = func.def_inst(value)?;
    (uses.get(value) == Some(&1) && func.block_of(first) == func.block_of(inst)).then_some(first)
}

/// A padding of a slice.
fn padded_slice(func: &Function, inst: InstId, uses: &IdMap<ValueId, usize>) -> Option<Joined> {
    let info = func.inst(inst);
    let (Op::Movement(Movement::Pad(pad)), [sliced, fill]) = (&info.op, &info.operands[..]) else {
        return None;
    };
    let first = only_read_by(func, *sliced, inst, uses)?;
    let (Op::Movement(Movement::Slice(op)), [source]) =
        (&func.inst(first).op, &func.inst(first).operands[..])
    else {
        return None;
    };
    let sizes = func.dims(*source);
    let tiles = sharding_of(func, *source)?.tiles();
    let both = (0..sizes.len()).map(|dim| at_edges(op, pad, dim, sizes[dim])).collect::<Option<Vec<_>>>()?;
    let is_shifted = (0..sizes.len()).any(|dim| tiles[dim] > 1 && !op.takes_all(dim, sizes[dim]));
    let (low, high) = both.into_iter().unzip();
    let pad = Pad { low, interior: pad.interior.clone(), high };
    is_shifted.then_some(Joined { first, source: *source, fill: *fill, pad })
}

/// A slice of a padding, or a padding of one that only takes away, which is another way to write it.
fn sliced_padding(func: &Function, inst: InstId, uses: &IdMap<ValueId, usize>) -> Option<Joined> {
    let info = func.inst(inst);
    let padded = *info.operands.first()?;
    let first = only_read_by(func, padded, inst, uses)?;
    let (Op::Movement(Movement::Pad(pad)), [source, fill]) =
        (&func.inst(first).op, &func.inst(first).operands[..])
    else {
        return None;
    };
    let taken = taken_away(&info.op, func.dims(padded))?;
    let tiles = sharding_of(func, *source)?.tiles();
    let is_cut = |dim: usize| tiles[dim] > 1 && taken[dim] != (0, 0);
    let joined = (0..taken.len()).any(is_cut) && pad.interior.iter().all(|between| *between == 0);
    let low = pad.low.iter().zip(&taken).map(|(low, (before, _))| low - before).collect();
    let high = pad.high.iter().zip(&taken).map(|(high, (_, behind))| high - behind).collect();
    let pad = Pad { low, interior: pad.interior.clone(), high };
    joined.then_some(Joined { first, source: *source, fill: *fill, pad })
}

/// How many elements an op takes away before and behind each dim, if that is all it does.
fn taken_away(op: &Op, sizes: &[i64]) -> Option<Vec<(i64, i64)>> {
    let each = |one: &dyn Fn(usize) -> (i64, i64)| (0..sizes.len()).map(one).collect();
    if let Op::Movement(Movement::Slice(op)) = op {
        let is_plain = op.stride.iter().all(|stride| *stride == 1);
        return is_plain.then(|| each(&|dim| (op.start[dim], sizes[dim] - op.limit[dim])));
    }
    let Op::Movement(Movement::Pad(op)) = op else { return None };
    let takes = op.low.iter().chain(&op.high).all(|edge| *edge <= 0);
    let is_plain = op.interior.iter().all(|between| *between == 0);
    (takes && is_plain).then(|| each(&|dim| (-op.low[dim], -op.high[dim])))
}

/// What one padding takes or adds before and behind a dim of so many elements.
fn at_edges(slice: &Slice, pad: &Pad, dim: usize, size: i64) -> Option<(i64, i64)> {
    let (low, high) = (pad.low[dim], pad.high[dim]);
    if slice.takes_all(dim, size) {
        return Some((low, high));
    }
    let (before, behind) = (slice.start[dim], size - slice.limit[dim]);
    let is_one = (before == 0 || low <= 0) && (behind == 0 || high <= 0);
    let is_plain = slice.stride[dim] == 1 && pad.interior[dim] == 0;
    (is_one && is_plain).then_some((low - before, high - behind))
}
