//! The only mutator of a function.
//!
//! Parsers and passes build with `push_typed` (types as the text says; the verifier judges) or `push` (types inferred).
//! Nothing is ever freed: what is unlinked from its block is gone from the program.

use crate::attr::Attrs;
use crate::infer::{InferCx, InferError};
use crate::module::*;
use crate::op::Op;
use crate::types::Type;
use std::sync::Arc;

/// Write access to one function.
pub struct Editor<'a> {
    func: &'a mut Function,
}

/// Where a new instruction goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    End(BlockId),
    Before(InstId),
    After(InstId),
}

impl<'a> Editor<'a> {
    pub fn new(func: &'a mut Function) -> Self {
        Editor { func }
    }

    /// The same write access for a while.
    pub fn reborrow(&mut self) -> Editor<'_> {
        Editor { func: self.func }
    }

    /// The function, for code that makes an editor of its own.
    pub fn func_mut(&mut self) -> &mut Function {
        self.func
    }

    /// Read access meanwhile.
    pub fn func(&self) -> &Function {
        self.func
    }

    /// A new, empty block that is nobody's region yet.
    pub fn block(&mut self) -> BlockId {
        self.func.blocks.push(Block::default())
    }

    pub fn set_block_name(&mut self, block: BlockId, name: Option<Arc<str>>) {
        self.func.blocks[block].name = name;
    }

    /// A new parameter at the end of a block's list. For the root block a [`ParamInfo`] is added too.
    pub fn param(&mut self, block: BlockId, ty: Type) -> ValueId {
        let index = self.func.blocks[block].params.len();
        let value = self.value(ty, Def::Param { block, index });
        self.func.blocks[block].params.push(value);
        if block == self.func.root {
            self.func.params.push(ParamInfo::default());
        }
        value
    }

    fn value(&mut self, ty: Type, def: Def) -> ValueId {
        self.func.values.push(Value { ty, def, name: None, sharding: None, valid: None })
    }

    /// Add an instruction with the given result types.
    pub fn push_typed(
        &mut self,
        at: At,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
        source: SourceId,
    ) -> InstId {
        let block = match at {
            At::End(block) => block,
            At::Before(inst) | At::After(inst) => self.func.insts[inst].block,
        };
        let inst = self.func.insts.push(Inst {
            op,
            operands,
            results: Vec::new(),
            regions: regions.clone(),
            source,
            attrs: Attrs::default(),
            name: None,
            block,
        });
        for region in regions {
            self.func.blocks[region].parent = Some(inst);
        }
        let results = types
            .into_iter()
            .enumerate()
            .map(|(index, ty)| self.value(ty, Def::Result { inst, index }))
            .collect();
        self.func.insts[inst].results = results;
        self.func.order.forget();
        let place = self.place_of(at, block);
        self.func.blocks[block].insts.insert(place, inst);
        inst
    }

    fn place_of(&self, at: At, block: BlockId) -> usize {
        let list = &self.func.blocks[block].insts;
        let find = |inst| list.iter().position(|other| *other == inst);
        match at {
            At::End(_) => list.len(),
            At::Before(inst) => find(inst).unwrap_or(list.len()),
            At::After(inst) => find(inst).map_or(list.len(), |place| place + 1),
        }
    }

    /// Add an instruction; result types are inferred. Regions must be complete.
    pub fn push(
        &mut self,
        at: At,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        source: SourceId,
        cx: &InferCx<'_>,
    ) -> Result<InstId, InferError> {
        let types = crate::infer::infer_types(self.func, &op, &operands, &regions, cx)?;
        Ok(self.push_typed(at, op, operands, regions, types, source))
    }

    /// Set what a block returns. For the root block the [`ResultInfo`]s are made to fit, kept where they exist.
    pub fn set_results(&mut self, block: BlockId, results: Vec<ValueId>) {
        if block == self.func.root {
            let types: Vec<Type> = results.iter().map(|value| self.func.values[*value].ty.clone()).collect();
            self.func.results.truncate(types.len());
            for (i, ty) in types.into_iter().enumerate() {
                match self.func.results.get_mut(i) {
                    Some(info) => info.ty = ty,
                    None => {
                        self.func.results.push(ResultInfo { ty, sharding: None, attrs: Attrs::default() })
                    }
                }
            }
        }
        self.func.blocks[block].results = results;
    }

    pub fn set_name(&mut self, value: ValueId, name: Option<Arc<str>>) {
        self.func.values[value].name = name;
    }

    #[inline]
    pub fn set_sharding(&mut self, value: ValueId, sharding: Option<Annotation>) {
        self.func.values[value].sharding = sharding;
    }

    pub fn set_valid(&mut self, value: ValueId, valid: Option<Box<[i64]>>) {
        self.func.values[value].valid = valid;
    }

    pub fn set_type(&mut self, value: ValueId, ty: Type) {
        self.func.values[value].ty = ty;
    }

    /// Leave of what a value is only this type: as a device has it. What it was before: its type, its sharding, how
    /// much of it is real.
    pub fn strip(&mut self, value: ValueId, ty: Type) -> (Type, Option<Annotation>, Option<Box<[i64]>>) {
        let info = &mut self.func.values[value];
        (std::mem::replace(&mut info.ty, ty), info.sharding.take(), info.valid.take())
    }

    /// Take an instruction's op, to look at it while the function changes; it is [`set`](Self::set_op) again behind
    /// that.
    pub fn take_op(&mut self, inst: InstId) -> Op {
        std::mem::replace(&mut self.func.insts[inst].op, Op::PartitionId)
    }

    pub fn set_op(&mut self, inst: InstId, op: Op) {
        self.func.insts[inst].op = op;
    }

    /// Make an instruction another one, where it stands: place, location, name and attributes stay. Returns the new
    /// results; users of the old ones have to be mapped to them.
    pub fn replace(
        &mut self,
        inst: InstId,
        op: Op,
        operands: Vec<ValueId>,
        regions: Vec<BlockId>,
        types: Vec<Type>,
    ) -> Vec<ValueId> {
        for region in &regions {
            self.func.blocks[*region].parent = Some(inst);
        }
        self.func.order.forget();
        let results = types.into_iter().enumerate();
        let results: Vec<_> =
            results.map(|(index, ty)| self.value(ty, Def::Result { inst, index })).collect();
        let body = &mut self.func.insts[inst];
        (body.op, body.operands, body.regions, body.results) = (op, operands, regions, results.clone());
        results
    }

    /// One more result at the end of an instruction's list; its op or regions must say so too.
    pub fn add_result(&mut self, inst: InstId, ty: Type) -> ValueId {
        let index = self.func.insts[inst].results.len();
        let value = self.value(ty, Def::Result { inst, index });
        self.func.insts[inst].results.push(value);
        value
    }

    /// Leave an instruction only some of its results; its op or regions must say so too.
    pub fn keep_results(&mut self, inst: InstId, results: Vec<ValueId>) {
        for (index, result) in results.iter().enumerate() {
            self.func.values[*result].def = Def::Result { inst, index };
        }
        self.func.insts[inst].results = results;
    }

    /// Replace the list of a region's parameters: their order, or which of them are left. Not for the root block.
    pub fn set_params(&mut self, block: BlockId, params: Vec<ValueId>) {
        for (index, param) in params.iter().enumerate() {
            self.func.values[*param].def = Def::Param { block, index };
        }
        self.func.blocks[block].params = params;
    }

    #[inline]
    pub fn set_operand(&mut self, inst: InstId, index: usize, value: ValueId) {
        self.func.insts[inst].operands[index] = value;
    }

    pub fn set_operands(&mut self, inst: InstId, operands: Vec<ValueId>) {
        self.func.insts[inst].operands = operands;
    }

    pub fn set_inst_name(&mut self, inst: InstId, name: Option<Arc<str>>) {
        self.func.insts[inst].name = name;
    }

    pub fn attrs_mut(&mut self, inst: InstId) -> &mut Attrs {
        &mut self.func.insts[inst].attrs
    }

    pub fn set_source(&mut self, inst: InstId, source: SourceId) {
        self.func.insts[inst].source = source;
    }

    /// Replace the order of a block's instructions: also how many are dropped or moved in one go.
    pub fn set_order(&mut self, block: BlockId, insts: Vec<InstId>) {
        for inst in &insts {
            self.func.insts[*inst].block = block;
        }
        self.func.blocks[block].insts = insts;
        self.func.order.forget();
    }

    /// Take all instructions out of a block, to [`append`](Self::append) those that stay: in a long block that is much
    /// less work than to find the place of each.
    pub fn take_order(&mut self, block: BlockId) -> Vec<InstId> {
        self.func.order.forget();
        let insts = &mut self.func.blocks[block].insts;
        let room = Vec::with_capacity(insts.len());
        std::mem::replace(insts, room)
    }

    /// Put an instruction that is in no block at the end of one.
    #[inline]
    pub fn append(&mut self, block: BlockId, inst: InstId) {
        self.func.insts[inst].block = block;
        self.func.blocks[block].insts.push(inst);
        self.func.order.forget();
    }

    /// Take an instruction out of its block. Its results must have no users left.
    pub fn unlink(&mut self, inst: InstId) {
        let block = self.func.insts[inst].block;
        self.func.blocks[block].insts.retain(|other| *other != inst);
        self.func.order.forget();
    }

    /// Rewrite every operand and block result by `map`. One walk over the whole function.
    pub fn map_uses(&mut self, mut map: impl FnMut(ValueId) -> ValueId) {
        for inst in self.func.insts.values_mut() {
            for operand in &mut inst.operands {
                *operand = map(*operand);
            }
        }
        for block in self.func.blocks.values_mut() {
            for result in &mut block.results {
                *result = map(*result);
            }
        }
    }

    pub fn result_info_mut(&mut self) -> &mut Vec<ResultInfo> {
        &mut self.func.results
    }

    pub fn param_info_mut(&mut self) -> &mut Vec<ParamInfo> {
        &mut self.func.params
    }
}
