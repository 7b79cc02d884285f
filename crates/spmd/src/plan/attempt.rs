//! Change several things of a plan together, and keep that if the plan as a whole is the better for it.
//!
//! What changes is noted, so that an attempt takes as long as what it touches and not as what there is: the price of
//! the whole is the old one with the changed part in the place of what was there.

use crate::Goal;
use crate::plan::draft::Changes;
use crate::plan::{Compared, Planner, Price};

impl Planner<'_> {
    /// Have something done if it can be (`change` says whether it could), let whoever stands beside it choose anew,
    /// and take all back unless it `stays`, given the prices of the plan before and behind. Returns what the plan costs
    /// now; `total` is what it cost before, where that is known.
    pub(super) fn attempt(
        &mut self,
        total: Option<Price>,
        change: impl FnOnce(&mut Self) -> bool,
        stays: impl FnOnce(Price, Price, Goal) -> bool,
    ) -> Price {
        let before = total.unwrap_or_else(|| self.price());
        self.draft.note_changes();
        let is_done = change(self);
        if is_done {
            self.run(Compared::Early);
        }
        let changes = self.draft.take_changes();
        let made = self.price_of(&changes);
        let again = self.draft.take_back(&changes);
        let after = before.exchanged(self.price_of(&changes), made);
        let changes = self.draft.take_back(&again);
        let after = if after.is_finite() { after } else { self.price() };
        debug_assert!(after.is_near(self.price()), "{after:?}, but {:?} by adding all up", self.price());
        if is_done && stays(before, after, self.table.goal) {
            return after;
        }
        self.draft.take_back(&changes);
        self.agenda.mark_all_fresh();
        before
    }

    /// What that part of the plan costs that was changed.
    fn price_of(&mut self, changes: &Changes) -> Price {
        let mut price = Price::default();
        for inst in changes.insts() {
            price.add(self.known.times(inst), self.own_price(inst));
        }
        for value in changes.values() {
            self.add_reshards(&mut price, value);
        }
        price
    }
}
