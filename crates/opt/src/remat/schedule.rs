//! The values of one block in the order of its instructions: where each is made and used, and what is at hand where.
//!
//! A view (`meshwright_cost::peak::viewed`) is at hand where what it shows is, and uses of it are uses of that.

use crate::uses;
use meshwright_base::IdMap;
use meshwright_cost::peak::{room, storage};
use meshwright_ir::{BlockId, Def, Function, InstId, Op, ValueId};

pub(super) struct Schedule<'f> {
    pub func: &'f Function,
    pub block: BlockId,
    pub places: IdMap<InstId, Option<usize>>,
    /// Places of the instructions that use a value or a view of it, themselves or in their regions.
    pub uses: IdMap<ValueId, Vec<usize>>,
    is_returned: IdMap<ValueId, bool>,
    /// What goes through a barrier was put there to stay.
    is_held: IdMap<ValueId, bool>,
}

impl<'f> Schedule<'f> {
    pub fn of(func: &'f Function, block: BlockId) -> Self {
        let info = func.block(block);
        let mut places = IdMap::filled(func.inst_count(), None);
        let mut uses = IdMap::filled(func.value_count(), Vec::new());
        let mut is_held = IdMap::filled(func.value_count(), false);
        for (place, inst) in info.insts.iter().enumerate() {
            places[*inst] = Some(place);
            let holds = matches!(func.inst(*inst).op, Op::OptimizationBarrier);
            uses::each(func, *inst, &mut |value| {
                let value = storage(func, value);
                is_held[value] |= holds;
                if uses[value].last() != Some(&place) {
                    uses[value].push(place);
                }
            });
        }
        let mut is_returned = IdMap::filled(func.value_count(), false);
        info.results.iter().for_each(|value| is_returned[storage(func, *value)] = true);
        Schedule { func, block, places, uses, is_returned, is_held }
    }

    /// Where a value is made; `None` for what another block makes or is given.
    pub fn made_at(&self, value: ValueId) -> Option<usize> {
        match self.func.value(value).def {
            Def::Param { .. } => None,
            Def::Result { inst, .. } => self.places[inst],
        }
    }

    /// Whether a value has to be there at the block's end, or behind a barrier.
    pub fn stays(&self, value: ValueId) -> bool {
        self.is_returned[value] || self.is_held[value]
    }

    /// Whether a value is alive at a place anyway.
    pub fn is_alive(&self, value: ValueId, place: usize) -> bool {
        let value = storage(self.func, value);
        let is_given = match self.func.value(value).def {
            Def::Param { block, index } => {
                let info = self.func.params.get(index);
                block != self.func.root()
                    || block != self.block
                    || info.is_none_or(|info| info.donation.is_none())
            }
            Def::Result { inst, .. } => self.places[inst].is_none(),
        };
        is_given || self.is_returned[value] || self.uses[value].last().is_some_and(|last| *last >= place)
    }

    /// Bytes of what a value is stored in.
    pub fn bytes(&self, value: ValueId) -> i64 {
        room(self.func, storage(self.func, value))
    }
}
