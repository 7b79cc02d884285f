//! Which instructions of a loop body are still needed.

use crate::module::{BlockId, Function, InstId, ValueId};
use crate::op::Op;
use std::collections::BTreeSet;

/// Grows by [`need`](Live::need) and [`walk`](Live::walk).
pub struct Live<'a> {
    func: &'a Function,
    /// Replaced or of no use any more, whatever needs their results.
    pub gone: BTreeSet<InstId>,
    /// Stay if needed, but need nothing themselves: they will be made of something else.
    pub remade: BTreeSet<InstId>,
    pub insts: BTreeSet<InstId>,
    pub values: BTreeSet<ValueId>,
    /// State that must be carried.
    pub carries: BTreeSet<usize>,
}

impl<'a> Live<'a> {
    pub fn new(func: &'a Function) -> Self {
        Live {
            func,
            gone: BTreeSet::new(),
            remade: BTreeSet::new(),
            insts: BTreeSet::new(),
            values: BTreeSet::new(),
            carries: BTreeSet::new(),
        }
    }

    pub fn need(&mut self, value: ValueId) {
        self.values.insert(value);
    }

    /// Go through a block from its end; what has an effect is needed anyway.
    pub fn walk(&mut self, insts: &[InstId]) {
        for inst in insts.iter().rev().filter(|inst| !self.gone.contains(*inst)).copied().collect::<Vec<_>>()
        {
            let it = self.func.inst(inst);
            if !is_pure(&it.op) || it.results.iter().any(|result| self.values.contains(result)) {
                self.keep(inst);
            }
        }
    }

    fn keep(&mut self, inst: InstId) {
        let it = self.func.inst(inst);
        if !self.insts.insert(inst) || self.remade.contains(&inst) {
            return;
        }
        self.values.extend(it.operands.iter().copied());
        it.regions.iter().for_each(|region| self.need_all_of(*region));
    }

    /// Whatever a region uses, its own values among it.
    fn need_all_of(&mut self, region: BlockId) {
        let mut blocks = vec![region];
        while let Some(block) = blocks.pop() {
            let block = self.func.block(block);
            self.values.extend(block.results.iter().copied());
            for inst in &block.insts {
                self.values.extend(self.func.inst(*inst).operands.iter().copied());
                blocks.extend(self.func.inst(*inst).regions.iter().copied());
            }
        }
    }
}

/// Whether an instruction without users can go. Regions and calls are not looked into: they stay.
pub fn is_pure(op: &Op) -> bool {
    matches!(
        op,
        Op::Constant(_)
            | Op::Iota(_)
            | Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select
            | Op::Clamp
            | Op::Convert(_)
            | Op::Movement(_)
            | Op::Dynamic(_)
    )
}
