//! Copies of instructions: into another place of the same function, or into another function.
//!
//! What a copy uses is looked up in a map; a value that is not in it is used as it is. Copies keep locations,
//! attributes, shardings and valid parts; names stay with the original, unless the copy is what is left of it.

use crate::edit::{At, Editor};
use crate::module::{BlockId, Function, InstId, ValueId};
use meshwright_base::{IdMap, LookupMap};

/// Old value to new value, for a few of them.
pub type ValueMap = LookupMap<ValueId, ValueId>;

/// What stands for a value by now.
pub trait Renaming {
    /// The value itself where nothing does.
    fn now(&self, value: ValueId) -> ValueId;
    fn rename(&mut self, old: ValueId, new: ValueId);
}

impl Renaming for ValueMap {
    fn now(&self, value: ValueId) -> ValueId {
        self.get(&value).copied().unwrap_or(value)
    }

    fn rename(&mut self, old: ValueId, new: ValueId) {
        self.insert(old, new);
    }
}

/// For most values of a function.
impl Renaming for IdMap<ValueId, Option<ValueId>> {
    fn now(&self, value: ValueId) -> ValueId {
        self.get(value).copied().flatten().unwrap_or(value)
    }

    fn rename(&mut self, old: ValueId, new: ValueId) {
        self[old] = Some(new);
    }
}

/// For a handful, in the order they were renamed in; the first name counts.
impl Renaming for Vec<(ValueId, ValueId)> {
    fn now(&self, value: ValueId) -> ValueId {
        self.iter().find(|(old, _)| *old == value).map_or(value, |(_, new)| *new)
    }

    fn rename(&mut self, old: ValueId, new: ValueId) {
        self.push((old, new));
    }
}

/// Whether copies are called what the originals are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    Left,
    Taken,
}

/// Copy an instruction to the end of `block` of `to`. `from` is the function it stands in, `None` for `to` itself.
pub fn copy_inst(
    from: Option<&Function>,
    to: &mut Function,
    inst: InstId,
    block: BlockId,
    map: &mut impl Renaming,
) {
    Copier { from, to, map, names: Names::Left }.inst(inst, At::End(block));
}

/// Copy a block with its parameters; the new one is nobody's region yet.
pub fn copy_region(
    from: Option<&Function>,
    to: &mut Function,
    region: BlockId,
    map: &mut impl Renaming,
) -> BlockId {
    Copier { from, to, map, names: Names::Left }.region(region)
}

/// The value that stands for `value`.
pub fn mapped(map: &impl Renaming, value: ValueId) -> ValueId {
    map.now(value)
}

/// Writes copies of what stands in one function into another one.
pub struct Copier<'a, M> {
    /// The function that is copied from, `None` for the one that is written.
    pub from: Option<&'a Function>,
    pub to: &'a mut Function,
    pub map: &'a mut M,
    pub names: Names,
}

impl<M: Renaming> Copier<'_, M> {
    /// Copy an instruction with its regions; the copy.
    pub fn inst(&mut self, inst: InstId, at: At) -> InstId {
        let old = self.original().inst(inst).clone();
        let regions = old.regions.iter().map(|region| self.region(*region)).collect();
        let operands = self.now(&old.operands);
        let types = old.results.iter().map(|value| self.original().ty(*value).clone()).collect();
        let mut editor = Editor::new(self.to);
        let new = editor.push_typed(at, old.op, operands, regions, types, old.source);
        *editor.attrs_mut(new) = old.attrs;
        if self.names == Names::Taken {
            editor.set_inst_name(new, old.name);
        }
        let results = self.to.inst(new).results.clone();
        old.results.into_iter().zip(results).for_each(|(old, new)| self.value(old, new));
        new
    }

    /// Copy a block with its parameters; the new one is nobody's region yet.
    pub fn region(&mut self, region: BlockId) -> BlockId {
        let block = Editor::new(self.to).block();
        let name = self.original().block(region).name.clone();
        Editor::new(self.to).set_block_name(block, name);
        for param in self.original().block(region).params.clone() {
            let ty = self.original().ty(param).clone();
            let new = Editor::new(self.to).param(block, ty);
            self.value(param, new);
        }
        let results = self.body(region, block);
        Editor::new(self.to).set_results(block, results);
        block
    }

    /// Copy a block's instructions to the end of another one; what stands for its results. Its parameters are renamed
    /// already.
    pub fn body(&mut self, block: BlockId, into: BlockId) -> Vec<ValueId> {
        for inst in self.original().block(block).insts.clone() {
            self.inst(inst, At::End(into));
        }
        self.now(&self.original().block(block).results)
    }

    fn original(&self) -> &Function {
        self.from.unwrap_or(self.to)
    }

    fn now(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|value| self.map.now(*value)).collect()
    }

    /// `new` stands for `old` and looks like it.
    fn value(&mut self, old: ValueId, new: ValueId) {
        let value = self.original().value(old);
        let (sharding, valid) = (value.sharding.clone(), value.valid.clone());
        let name = value.name.clone().filter(|_| self.names == Names::Taken);
        let mut editor = Editor::new(self.to);
        editor.set_sharding(new, sharding);
        editor.set_valid(new, valid);
        editor.set_name(new, name);
        self.map.rename(old, new);
    }
}
