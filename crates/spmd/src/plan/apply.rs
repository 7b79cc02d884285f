//! Write a plan into the function: shardings on values, reshards before the first use that needs them.

use crate::plan::{Decided, Use};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{ReshardOp, ShardingOp};
use meshwright_ir::{Annotation, At, BlockId, Editor, Function, InstId, Op, SourceId, ValueId};
use meshwright_shard::Sharding;
use std::sync::Arc;

/// Apply what was decided for one function. Everything decided of one value stands together, in the order of values.
pub fn apply(func: &mut Function, decided: Decided) {
    let mut copies = Copies::new(func);
    let mut editor = Editor::new(func);
    for (value, sharding) in decided.have {
        editor.set_sharding(value, Some(Annotation::Mesh(sharding)));
    }
    let mut uses = &decided.uses[..];
    for of_value in decided.reshards.chunk_by(|a, b| a.0 == b.0) {
        let Some((value, ..)) = of_value.first() else { continue };
        // Uses of values before this one need what those have.
        uses = &uses[uses.iter().position(|(of, ..)| of == value).unwrap_or(uses.len())..];
        let count = uses.iter().take_while(|(of, ..)| of == value).count();
        let users = &uses[..count];
        uses = &uses[count..];
        copies.add(&mut editor, of_value, users);
    }
    copies.order(&mut editor);
}

/// The reshards that are added, and where they go.
struct Copies {
    /// Where each instruction stands in its block.
    place: IdMap<InstId, usize>,
    /// How many instructions a block had.
    counts: IdMap<BlockId, usize>,
    /// For each: the place of the instruction it goes before.
    added: Vec<(BlockId, usize, InstId)>,
}

impl Copies {
    fn new(func: &Function) -> Self {
        let mut place = IdMap::filled(func.inst_count(), 0);
        let mut counts = IdMap::filled(func.block_count(), 0);
        for block in func.blocks_in_order() {
            let insts = &func.block(block).insts;
            insts.iter().enumerate().for_each(|(at, inst)| place[*inst] = at);
            counts[block] = insts.len();
        }
        Copies { place, counts, added: Vec::new() }
    }

    /// The reshards of one value, and its users with what they need: each is handed the copy that has it.
    fn add(
        &mut self,
        editor: &mut Editor<'_>,
        reshards: &[(ValueId, Arc<Sharding>, Arc<Sharding>)],
        users: &[(ValueId, Use, Arc<Sharding>)],
    ) {
        let mut made: Vec<(&Arc<Sharding>, ValueId, usize)> = Vec::new();
        for (value, from, to) in reshards {
            let source = made.iter().rev().find(|(sharding, ..)| *sharding == from);
            let (source, behind) = source.map_or((*value, 0), |(_, copy, place)| (*copy, *place));
            let (copy, place) = self.insert(editor, *value, (source, behind), to.clone(), users);
            made.push((to, copy, place));
        }
        for (_, of, need) in users {
            if let Some((_, copy, _)) = made.iter().find(|(sharding, ..)| *sharding == need) {
                redirect(editor, *of, *copy);
            }
        }
    }

    /// A reshard in the block of the value's definition (so outside of loops that only use it), before the first of the
    /// users in program order, and behind its source.
    fn insert(
        &mut self,
        editor: &mut Editor<'_>,
        value: ValueId,
        (source, behind): (ValueId, usize),
        to: Arc<Sharding>,
        users: &[(ValueId, Use, Arc<Sharding>)],
    ) -> (ValueId, usize) {
        let func = editor.func();
        let block = func.def_block(value);
        let places =
            users.iter().filter_map(|(_, of, _)| user_in(func, block, *of)).map(|user| self.place[user]);
        let place = places.min().unwrap_or(self.counts[block]).max(behind);
        let ty = func.ty(value).clone();
        let location = func.def_inst(value).map_or(SourceId::unknown(), |inst| func.inst(inst).source);
        let op = Op::Sharding(ShardingOp::Reshard(ReshardOp::Any));
        let inst = editor.push_typed(At::End(block), op, vec![source], Vec::new(), vec![ty], location);
        let copy = editor.func().inst(inst).results[0];
        editor.set_sharding(copy, Some(Annotation::Mesh(to)));
        self.added.push((block, place, inst));
        (copy, place)
    }

    /// Put every copy where it goes; those of one place in the order they were made.
    fn order(mut self, editor: &mut Editor<'_>) {
        self.added.arrange_by_key(|(block, place, _)| (*block, *place));
        for added in self.added.chunk_by(|a, b| a.0 == b.0) {
            let Some((block, ..)) = added.first() else { continue };
            let mut added = added.iter().peekable();
            let old = editor.take_order(*block);
            for (at, inst) in old.iter().take(self.counts[*block]).enumerate() {
                while let Some((.., copy)) = added.next_if(|(_, place, _)| *place <= at) {
                    editor.append(*block, *copy);
                }
                editor.append(*block, *inst);
            }
            added.for_each(|(.., copy)| editor.append(*block, *copy));
        }
    }
}

fn redirect(editor: &mut Editor<'_>, of: Use, copy: ValueId) {
    match of {
        Use::Operand(inst, at) => editor.set_operand(inst, at, copy),
        Use::Result(block, at) => {
            let mut results = editor.func().block(block).results.clone();
            results[at] = copy;
            editor.set_results(block, results);
        }
    }
}

/// The instruction of `block` that a use stands in: the user itself, or the owner of the region around it.
fn user_in(func: &Function, block: BlockId, of: Use) -> Option<InstId> {
    let mut inst = match of {
        Use::Operand(inst, _) => inst,
        Use::Result(inner, _) => func.block(inner).parent.filter(|_| inner != block)?,
    };
    while func.block_of(inst) != block {
        inst = func.block(func.block_of(inst)).parent?;
    }
    Some(inst)
}
