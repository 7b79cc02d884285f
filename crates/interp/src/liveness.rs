//! Which values an instruction uses for the last time, so that memory is given back as a program runs.
//!
//! A value belongs to the block that defines it. A use inside a region counts as a use by the instruction of that block
//! which owns the region, so a value captured by a loop lives as long as the loop.

use meshwright_base::IdMap;
use meshwright_ir::{BlockId, Function, InstId, ValueId};

/// For each instruction the values of its block that nobody needs afterwards.
pub(crate) struct Liveness {
    last: IdMap<InstId, Vec<ValueId>>,
}

impl Liveness {
    pub fn of(func: &Function) -> Liveness {
        let mut last_use: IdMap<ValueId, Option<InstId>> = IdMap::filled(func.value_count(), None);
        for block in func.blocks_in_order() {
            for inst in &func.block(block).insts {
                // A result nobody uses dies where it is made; a user found later takes over.
                for result in &func.inst(*inst).results {
                    last_use[*result] = Some(*inst);
                }
            }
        }
        for inst in func.insts_in_order() {
            for operand in &func.inst(inst).operands {
                last_use[*operand] = user_in_own_block(func, *operand, inst);
            }
            for region in &func.inst(inst).regions {
                for result in &func.block(*region).results {
                    note_result(func, *result, *region, inst, &mut last_use);
                }
            }
        }
        keep_block_results(func, &mut last_use);
        let mut last: IdMap<InstId, Vec<ValueId>> = IdMap::filled(func.inst_count(), Vec::new());
        for (value, user) in last_use.iter() {
            if let Some(user) = user {
                last[*user].push(value);
            }
        }
        Liveness { last }
    }

    /// Values used for the last time by an instruction (or made by it in vain).
    pub fn last_uses(&self, inst: InstId) -> &[ValueId] {
        self.last.get(inst).map_or(&[], |values| &values[..])
    }
}

/// A region that returns a value from around it uses it.
fn note_result(
    func: &Function,
    value: ValueId,
    region: BlockId,
    owner: InstId,
    last_use: &mut IdMap<ValueId, Option<InstId>>,
) {
    if func.def_block(value) != region {
        let user = user_in_own_block(func, value, owner);
        // The walk visits the owner before its region's instructions: a later user in the region climbs to the same
        // instruction or to a later one.
        last_use[value] = user;
    }
}

/// What a block returns is handed over at its end, not before.
fn keep_block_results(func: &Function, last_use: &mut IdMap<ValueId, Option<InstId>>) {
    for block in func.blocks_in_order() {
        for result in &func.block(block).results {
            if func.def_block(*result) == block {
                last_use[*result] = None;
            }
        }
    }
}

/// The instruction of the value's own block that contains a user (or is it).
fn user_in_own_block(func: &Function, value: ValueId, user: InstId) -> Option<InstId> {
    let home = func.def_block(value);
    let mut at = user;
    while func.block_of(at) != home {
        at = func.block(func.block_of(at)).parent?;
    }
    Some(at)
}
