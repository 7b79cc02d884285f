//! Pieces that are cut out of split values and put together again: a roll, a shifted buffer.
//!
//! ```text
//! %b = slice %a [0:1]                 all pieces from one all-gather of %a: each change alone keeps the gather and
//! %c = slice %a [1:4]         =>      sends a piece besides. Changed together, neighbours exchange pieces
//! %d = concatenate %c, %b
//! ```
//!
//! Tried for every instruction that puts pieces together of which one is cut from a value brought together for it. What
//! is tried stays if the plan as a whole is no worse for it: less is held.

use crate::plan::Planner;
use crate::plan::strategy::{Strategy, StrategyId};
use crate::plan::table::ShardingId;
use meshwright_ir::{FactorKind, InstId};

impl Planner<'_> {
    /// Cut and put together where the pieces are, if that is better as a whole.
    pub(super) fn leave_pieces(&mut self) {
        let mut total = None;
        for inst in self.known.order.clone() {
            let Some(makers) = self.makers_of_pieces(inst) else { continue };
            let stay = |planner: &mut Self| planner.stay(inst, &makers);
            total = Some(self.attempt(total, stay, |before, after, goal| !before.beats(after, goal)));
        }
    }

    /// What makes the operands of an instruction that puts pieces together, if one of them has its own operand moved.
    fn makers_of_pieces(&self, inst: InstId) -> Option<Vec<InstId>> {
        let operands = &self.known.func.inst(inst).operands;
        if operands.len() < 2 || !self.moves_along(inst) {
            return None;
        }
        let makers: Option<Vec<InstId>> =
            operands.iter().map(|value| self.known.func.def_inst(*value)).collect();
        let makers = makers.filter(|makers| makers.iter().all(|maker| self.moves_along(*maker)))?;
        makers.iter().any(|maker| self.has_operand_moved(*maker)).then_some(makers)
    }

    /// Whether it moves elements along a dim.
    fn moves_along(&self, inst: InstId) -> bool {
        let Some(kind) = self.known.kind[inst] else { return false };
        self.kinds.rule(kind).factors.values().any(|factor| factor.kind == FactorKind::Permute)
    }

    fn has_operand_moved(&self, inst: InstId) -> bool {
        let operands = &self.known.func.inst(inst).operands;
        let chosen = self.chosen(inst);
        chosen.is_some_and(|chosen| {
            operands.iter().zip(&chosen.operands).any(|(value, need)| self.draft.have[*value] != Some(*need))
        })
    }

    /// Put pieces together as the result is split, each made where it is needed; whether all can be done so.
    fn stay(&mut self, inst: InstId, makers: &[InstId]) -> bool {
        let Some(result) = self.known.func.inst(inst).results.first().copied() else { return false };
        let Some(wanted) = self.known.wish[result] else { return false };
        let splits =
            |planner: &Self, id: &ShardingId| planner.table.sharding(*id).tiles().iter().any(|n| *n > 1);
        self.think(inst);
        let joined = self.idea(inst, |planner, idea| {
            idea.results.first() == Some(&wanted) && idea.operands.iter().all(|id| splits(planner, id))
        });
        let Some(joined) = joined else { return false };
        let needs: Vec<ShardingId> = self.kinds.strategy(joined).operands.to_vec();
        self.adopt(inst, joined);
        makers.iter().zip(needs).all(|(maker, need)| {
            self.think(*maker);
            let made = self.idea(*maker, |_, idea| idea.results.first() == Some(&need));
            made.map(|made| self.adopt(*maker, made)).is_some()
        })
    }

    /// The first strategy at hand that fits.
    fn idea(&self, inst: InstId, fits: impl Fn(&Self, &Strategy) -> bool) -> Option<StrategyId> {
        self.ideas_of(inst).find(|(_, idea)| fits(self, idea)).map(|(id, _)| id)
    }
}
