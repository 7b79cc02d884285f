//! What an instruction uses, with all in its regions, and how often values are used.

use meshwright_ground::IdMap;
use meshwright_ir::{Function, InstId, ValueId};

/// Every operand of an instruction and of all in its regions, and what these return.
pub fn each(func: &Function, inst: InstId, note: &mut impl FnMut(ValueId)) {
    let mut left = vec![inst];
    while let Some(inst) = left.pop() {
        let info = func.inst(inst);
        info.operands.iter().for_each(|value| note(*value));
        for region in &info.regions {
            let block = func.block(*region);
            block.results.iter().for_each(|value| note(*value));
            left.extend(&block.insts);
        }
    }
}

/// How often each value is used.
pub fn counts(func: &Function) -> IdMap<ValueId, u32> {
    let mut counts = IdMap::filled(func.value_count(), 0);
    for inst in func.insts_in_order() {
        func.inst(inst).operands.iter().for_each(|value| counts[*value] += 1);
    }
    for block in func.blocks_in_order() {
        func.block(block).results.iter().for_each(|value| counts[*value] += 1);
    }
    counts
}
