//! Annotations in regions that compute one element (a reducer, a comparator): there is nothing to split, so they go.
//!
//! ```text
//! %r = all_reduce %a ({                                  %r = all_reduce %a ({
//!   %s = add %x, %y                             =>         return add %x, %y
//!   return sdy.sharding_constraint %s <@mesh, []> })       })
//! ```
//!
//! Left in place they would hide a plain reducer from the rules.

use meshwright_base::IdMap;
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{BlockId, Editor, Function, InstId, Module, Op, ValueId};

pub(crate) fn forget_annotations(func: &mut Function) {
    let found = annotations(func);
    if found.is_empty() {
        return;
    }
    let mut replaced: IdMap<ValueId, Option<ValueId>> = IdMap::filled(func.value_count(), None);
    for inst in &found {
        let info = func.inst(*inst);
        for (result, operand) in info.results.iter().zip(&info.operands) {
            replaced[*result] = Some(*operand);
        }
    }
    let mut editor = Editor::new(func);
    found.into_iter().for_each(|inst| editor.unlink(inst));
    editor.map_uses(|mut value| {
        while let Some(Some(next)) = replaced.get(value) {
            value = *next;
        }
        value
    });
}

/// A completed module as people read it: values of these regions say nothing, and plain reducers are short again.
/// Completing what is written gives the same module.
pub fn without_scalar_shardings(mut module: Module) -> Module {
    for func in module.funcs.values_mut() {
        let blocks = func.blocks_in_order().into_iter().filter(|block| computes_one_element(func, *block));
        let values: Vec<ValueId> = blocks
            .flat_map(|block| {
                let results = func.block(block).insts.iter().flat_map(|inst| &func.inst(*inst).results);
                func.block(block).params.iter().chain(results).copied()
            })
            .filter(|value| func.dims(*value).is_empty())
            .collect();
        let mut editor = Editor::new(func);
        values.into_iter().for_each(|value| editor.set_sharding(value, None));
    }
    module
}

/// Whether a block is the region of an op that is not control flow.
fn computes_one_element(func: &Function, block: BlockId) -> bool {
    func.block(block).parent.is_some_and(|owner| !func.inst(owner).op.runs_regions())
}

/// Identities with a sharding, in regions of ops that are not control flow.
fn annotations(func: &Function) -> Vec<InstId> {
    let is_scalar = |inst: &InstId| computes_one_element(func, func.block_of(*inst));
    let says = |op: &Op| {
        matches!(
            op,
            Op::Sharding(
                ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } | ShardingOp::Group { .. }
            )
        )
    };
    func.insts_in_order().into_iter().filter(|inst| says(&func.inst(*inst).op) && is_scalar(inst)).collect()
}
