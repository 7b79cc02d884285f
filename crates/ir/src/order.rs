//! Program order of a function, walked once and kept until its blocks change.
//!
//! Passes ask for it again and again, most of them without changing anything. Whoever changes what stands in a block
//! ([`Editor`](crate::Editor)) forgets it.

use crate::module::{BlockId, Function, InstId};
use meshwright_base::IdMap;
use std::sync::OnceLock;

/// What is kept. Not part of what a function says.
#[derive(Clone, Default)]
pub(crate) struct Order {
    insts: OnceLock<Vec<InstId>>,
    blocks: OnceLock<Vec<BlockId>>,
}

impl Order {
    /// The blocks have changed.
    #[inline]
    pub(crate) fn forget(&mut self) {
        if self.insts.get().is_some() {
            self.insts.take();
        }
        if self.blocks.get().is_some() {
            self.blocks.take();
        }
    }
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

impl Function {
    /// All blocks that are in use, each before the blocks inside it, in program order.
    pub fn blocks_in_order(&self) -> Vec<BlockId> {
        self.order.blocks.get_or_init(|| self.walk_blocks()).clone()
    }

    /// All instructions in program order, those of regions right after the instruction that owns them.
    pub fn insts_in_order(&self) -> Vec<InstId> {
        self.order.insts.get_or_init(|| self.walk_insts()).clone()
    }

    fn walk_blocks(&self) -> Vec<BlockId> {
        let mut order = Vec::with_capacity(self.blocks.len());
        let mut stack = vec![self.root];
        let owners = self.owners();
        while let Some(block) = stack.pop() {
            order.push(block);
            let at = stack.len();
            for inst in self.blocks[block].insts.iter().filter(|inst| owners[**inst]) {
                stack.extend_from_slice(&self.insts[*inst].regions);
            }
            stack[at..].reverse();
        }
        order
    }

    fn walk_insts(&self) -> Vec<InstId> {
        let mut order = Vec::with_capacity(self.insts.len());
        let mut stack: Vec<(BlockId, usize)> = vec![(self.root, 0)];
        let owners = self.owners();
        while let Some((block, at)) = stack.pop() {
            let rest = self.blocks[block].insts.get(at..).unwrap_or_default();
            let owner = rest.iter().position(|inst| owners[*inst]);
            let run = owner.map_or(rest.len(), |owner| owner + 1);
            order.extend_from_slice(&rest[..run]);
            if let Some(owner) = owner {
                stack.push((block, at + run));
                stack.extend(self.insts[rest[owner]].regions.iter().rev().map(|region| (*region, 0)));
            }
        }
        order
    }

    /// Which instructions have regions: asked of the blocks, which are fewer.
    fn owners(&self) -> IdMap<InstId, bool> {
        let mut owners = IdMap::filled(self.insts.len(), false);
        for parent in self.blocks.values().filter_map(|block| block.parent) {
            owners[parent] = true;
        }
        owners
    }
}
