//! Which instructions have to think again: those at whose values something has changed since they were chosen.

use meshwright_base::IdMap;
use meshwright_ir::{Function, InstId, ValueId};

pub(super) struct Agenda {
    /// Instructions that are to be chosen though nothing around them has changed.
    called: IdMap<InstId, bool>,
    /// When a value was last disturbed, and when an instruction was last chosen.
    disturbed: IdMap<ValueId, u64>,
    settled: IdMap<InstId, u64>,
    now: u64,
}

impl Agenda {
    /// Everybody is to be chosen.
    pub(super) fn new(func: &Function) -> Self {
        Agenda {
            called: IdMap::filled(func.inst_count(), true),
            disturbed: IdMap::filled(func.value_count(), 0),
            settled: IdMap::filled(func.inst_count(), 0),
            now: 0,
        }
    }

    pub(super) fn call(&mut self, inst: InstId) {
        self.called[inst] = true;
    }

    /// Everyone at a value has to think again.
    pub(super) fn disturb(&mut self, value: ValueId) {
        self.now += 1;
        self.disturbed[value] = self.now;
    }

    /// Nothing around an instruction has changed since now.
    pub(super) fn mark_fresh(&mut self, inst: InstId) {
        self.called[inst] = false;
        self.settled[inst] = self.now;
    }

    /// Nothing has changed since now.
    pub(super) fn mark_all_fresh(&mut self) {
        self.called = IdMap::filled(self.called.len(), false);
        self.settled = IdMap::filled(self.settled.len(), self.now);
    }

    pub(super) fn is_waiting(&self, func: &Function, inst: InstId) -> bool {
        let info = func.inst(inst);
        let is_new = |value: &ValueId| self.disturbed[*value] > self.settled[inst];
        self.called[inst] || info.operands.iter().chain(&info.results).any(is_new)
    }
}
