//! Annotations in regions that compute one element (a reducer, a comparator): there is nothing to split, so they go.
//!
//! ```text
//! %r = all_reduce %a ({                                  %r = all_reduce %a ({
//!   %s = add %x, %y                             =>         return add %x, %y
//!   return sdy.sharding_constraint %s <@mesh, []> })       })
//! ```
//!
//! Left in place they would hide a plain reducer from the rules.

use meshwright_ground::IdMap;
use meshwright_ir::op::ShardingOp;
use meshwright_ir::{Editor, Function, InstId, Op, ValueId};

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

/// Identities with a sharding, in regions of ops that are not control flow.
fn annotations(func: &Function) -> Vec<InstId> {
    let is_scalar = |inst: &InstId| {
        let owner = func.block(func.block_of(*inst)).parent;
        owner.is_some_and(|owner| {
            !matches!(func.inst(owner).op, Op::Control(_) | Op::Scan(_) | Op::Sharding(_))
        })
    };
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
