//! A slice of a split dim that is padded at once along it, written as one padding that takes away and adds.
//!
//! ```text
//! %a = slice %x [0:1]                     x: 16 rows over 8        the one row goes to the first device, then to all,
//! %b = pad %a, low 15                                              then the last keeps it
//! =>
//! %b = pad %x, low 15, high -15                                    the first device sends it to the last
//! ```
//!
//! Gradients of rolls and shifts are such pairs. One padding shows all of its operand but for its edges, so along each
//! dim elements go or come at an edge, not both.

use crate::blocks::program_blocks;
use crate::reshard::sharding_of;
use meshwright_base::IdMap;
use meshwright_ir::op::{Movement, Pad, Slice};
use meshwright_ir::{Build, Builder, Editor, Function, InstId, Op, ValueId};

/// Rewrite the paddings of a function.
pub fn join(func: &mut Function) {
    let blocks = program_blocks(func);
    let mut uses: IdMap<ValueId, usize> = IdMap::filled(func.value_count(), 0);
    for block in &blocks {
        let block = func.block(*block);
        let read = block.insts.iter().flat_map(|inst| &func.inst(*inst).operands);
        read.chain(&block.results).for_each(|value| uses[*value] += 1);
    }
    let insts: Vec<InstId> = blocks.iter().flat_map(|block| func.block(*block).insts.clone()).collect();
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for inst in insts {
        let Some((slice, source, op)) = joined(func, inst, &uses) else { continue };
        let info = func.inst(inst);
        let (Some(fill), Some(result)) = (info.operands.get(1).copied(), info.results.first().copied())
        else {
            continue;
        };
        let Some(sharding) = sharding_of(func, result) else { continue };
        let name = func.value(result).name.clone();
        let mut b = Builder::before(func, inst);
        let made = b.split_as(&sharding).push(Op::Movement(Movement::Pad(op)), [source, fill]);
        let mut editor = b.editor;
        editor.set_name(made, name);
        replaced[result] = Some(made);
        editor.unlink(inst);
        editor.unlink(slice);
    }
    Editor::new(func).map_uses(|value| replaced.get(value).copied().flatten().unwrap_or(value));
}

/// The slice that a padding alone reads, what that is of, and the padding that does both.
fn joined(func: &Function, inst: InstId, uses: &IdMap<ValueId, usize>) -> Option<(InstId, ValueId, Pad)> {
    let info = func.inst(inst);
    let (Op::Movement(Movement::Pad(pad)), [sliced, _]) = (&info.op, &info.operands[..]) else { return None };
    let slice = func.def_inst(*sliced)?;
    let (Op::Movement(Movement::Slice(op)), [source]) =
        (&func.inst(slice).op, &func.inst(slice).operands[..])
    else {
        return None;
    };
    let sizes = func.dims(*source);
    let tiles = sharding_of(func, *source)?.tiles();
    let both = (0..sizes.len()).map(|dim| at_edges(op, pad, dim, sizes[dim])).collect::<Option<Vec<_>>>()?;
    let is_shifted = (0..sizes.len()).any(|dim| tiles[dim] > 1 && !op.takes_all(dim, sizes[dim]));
    let is_alone = uses.get(*sliced) == Some(&1) && func.block_of(slice) == func.block_of(inst);
    let (low, high) = both.into_iter().unzip();
    (is_shifted && is_alone).then(|| (slice, *source, Pad { low, interior: pad.interior.clone(), high }))
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
