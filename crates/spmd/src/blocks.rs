//! Blocks and instructions that hold program code: those of scalar regions (reducers, comparators) belong to their op.

use meshwright_ir::{BlockId, Function, InstId};

/// Instructions in program order, each before those of its regions.
pub fn program_insts(func: &Function) -> Vec<InstId> {
    let mut order = Vec::new();
    let mut stack = vec![(func.root(), 0)];
    while let Some((block, at)) = stack.pop() {
        let Some(inst) = func.block(block).insts.get(at) else { continue };
        order.push(*inst);
        stack.push((block, at + 1));
        let info = func.inst(*inst);
        if info.op.runs_regions() {
            stack.extend(info.regions.iter().rev().map(|region| (*region, 0)));
        }
    }
    order
}

/// Blocks, each before those inside it.
pub fn program_blocks(func: &Function) -> Vec<BlockId> {
    let is_program = |block: &BlockId| is_program(func, *block);
    func.blocks_in_order().into_iter().filter(is_program).collect()
}

/// Whether a block holds program code.
pub fn is_program(func: &Function, block: BlockId) -> bool {
    func.block(block).parent.is_none_or(|owner| func.inst(owner).op.runs_regions())
}
