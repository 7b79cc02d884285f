//! Write a plan into the function: shardings on values, reshards before the first use that needs them.

use crate::plan::{Decided, Use};
use meshwright_ir::op::{ReshardOp, ShardingOp};
use meshwright_ir::{Annotation, At, BlockId, Def, Editor, Function, InstId, Op, ValueId};
use meshwright_shard::Sharding;

/// Apply what was decided for one function.
pub fn apply(func: &mut Function, decided: Decided) {
    let mut editor = Editor::new(func);
    for (value, sharding) in decided.have {
        editor.set_sharding(value, Some(Annotation::Mesh(sharding)));
    }
    let mut made: Vec<(ValueId, Sharding, ValueId)> = Vec::new();
    for (value, from, to) in decided.reshards {
        let source = made
            .iter()
            .rev()
            .find(|(of, sharding, _)| *of == value && *sharding == from)
            .map_or(value, |(_, _, copy)| *copy);
        let users = decided.uses.iter().filter(|(of, _, _)| *of == value).map(|(_, of, _)| *of);
        let copy = insert(&mut editor, value, source, to.clone(), users.collect());
        made.push((value, to, copy));
    }
    for (value, of, need) in decided.uses {
        let copy = made.iter().find(|(from, sharding, _)| *from == value && *sharding == need);
        if let Some((_, _, copy)) = copy {
            redirect(&mut editor, of, *copy);
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

/// Insert a reshard in the block of the value's definition (so outside of loops that only use it), before the first of
/// the users in program order.
fn insert(
    editor: &mut Editor<'_>,
    value: ValueId,
    source: ValueId,
    to: Sharding,
    users: Vec<Use>,
) -> ValueId {
    let func = editor.func();
    let block = block_of(func, value);
    let first = users
        .into_iter()
        .filter_map(|of| user_in(func, block, of))
        .min_by_key(|inst| position(func, block, *inst));
    let at = first.map_or(At::End(block), At::Before);
    let place = first.map_or(func.block(block).insts.len(), |inst| position(func, block, inst));
    // A chained reshard has to stand behind its source.
    let at = match func.def_inst(source) {
        Some(inst) if func.block_of(inst) == block && position(func, block, inst) >= place => At::After(inst),
        _ => at,
    };
    let ty = func.ty(value).clone();
    let location =
        func.def_inst(value).map_or(meshwright_ir::SourceId::unknown(), |inst| func.inst(inst).source);
    let op = Op::Sharding(ShardingOp::Reshard(ReshardOp::Any));
    let inst = editor.push_typed(at, op, vec![source], Vec::new(), vec![ty], location);
    let copy = editor.func().inst(inst).results[0];
    editor.set_sharding(copy, Some(Annotation::Mesh(to)));
    copy
}

fn block_of(func: &Function, value: ValueId) -> BlockId {
    match func.value(value).def {
        Def::Param { block, .. } => block,
        Def::Result { inst, .. } => func.block_of(inst),
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

fn position(func: &Function, block: BlockId, inst: InstId) -> usize {
    func.block(block).insts.iter().position(|other| *other == inst).unwrap_or(usize::MAX)
}
