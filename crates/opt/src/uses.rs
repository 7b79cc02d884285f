//! What an instruction uses, with all in its regions.

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
