//! Copies of instructions: into another place of the same function, or into another function.
//!
//! What a copy uses is looked up in a map; a value that is not in it is used as it is. Copies keep locations, attributes,
//! shardings and valid parts; names stay with the original.

use crate::edit::{At, Editor};
use crate::module::{BlockId, Function, InstId, ValueId};
use meshwright_base::LookupMap;

/// Old value to new value.
pub type ValueMap = LookupMap<ValueId, ValueId>;

/// Copy an instruction to the end of `block` of `to`. `from` is the function it stands in, `None` for `to` itself.
pub fn copy_inst(
    from: Option<&Function>,
    to: &mut Function,
    inst: InstId,
    block: BlockId,
    map: &mut ValueMap,
) {
    let old = from.unwrap_or(to).inst(inst).clone();
    let regions = old.regions.iter().map(|region| copy_region(from, to, *region, map)).collect();
    let operands = old.operands.iter().map(|value| mapped(map, *value)).collect();
    let types = old.results.iter().map(|value| from.unwrap_or(to).ty(*value).clone()).collect();
    let new = Editor::new(to).push_typed(At::End(block), old.op, operands, regions, types, old.source);
    *Editor::new(to).attrs_mut(new) = old.attrs;
    let results = to.inst(new).results.clone();
    for (old, new) in old.results.into_iter().zip(results) {
        copy_looks(from, to, old, new);
        map.insert(old, new);
    }
}

/// Copy a block with its parameters; the new one is nobody's region yet.
pub fn copy_region(
    from: Option<&Function>,
    to: &mut Function,
    region: BlockId,
    map: &mut ValueMap,
) -> BlockId {
    let old = from.unwrap_or(to).block(region).clone();
    let block = Editor::new(to).block();
    Editor::new(to).set_block_name(block, old.name);
    for param in old.params {
        let ty = from.unwrap_or(to).ty(param).clone();
        let new = Editor::new(to).param(block, ty);
        copy_looks(from, to, param, new);
        map.insert(param, new);
    }
    for inst in old.insts {
        copy_inst(from, to, inst, block, map);
    }
    let results = old.results.into_iter().map(|value| mapped(map, value)).collect();
    Editor::new(to).set_results(block, results);
    block
}

/// The value that stands for `value`.
pub fn mapped(map: &ValueMap, value: ValueId) -> ValueId {
    map.get(&value).copied().unwrap_or(value)
}

fn copy_looks(from: Option<&Function>, to: &mut Function, old: ValueId, new: ValueId) {
    let value = from.unwrap_or(to).value(old);
    let (sharding, valid) = (value.sharding.clone(), value.valid.clone());
    let mut editor = Editor::new(to);
    editor.set_sharding(new, sharding);
    editor.set_valid(new, valid);
}
