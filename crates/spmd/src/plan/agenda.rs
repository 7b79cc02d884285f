//! Which instructions have to think again: those at whose values something has changed since they were chosen.
//!
//! A sweep visits those alone, so that it costs what has changed and not what there is.

use crate::plan::Use;
use meshwright_base::{Id, IdMap, IdSet, define_id};
use meshwright_ir::{Function, InstId, ValueId};

define_id!(
    /// Where an instruction stands in the program.
    pub OrderIdx, "at"
);

/// Of a value with more users, not each is called when it changes: the next sweep looks at every instruction.
const MANY: usize = 64;

pub(super) struct Agenda {
    places: IdMap<InstId, Option<OrderIdx>>,
    /// How many there are.
    len: usize,
    /// All that may have to think again, and some that need not.
    waiting: IdSet<OrderIdx>,
    /// Whether anybody may have to, and whether the sweep that goes on began so.
    everybody: bool,
    visits_all: bool,
    /// When an instruction was last called though nothing around it had changed, and when a value was last disturbed.
    called: IdMap<InstId, u64>,
    disturbed: IdMap<ValueId, u64>,
    /// When an instruction was last chosen, and when all were as they should be.
    settled: IdMap<InstId, u64>,
    all_settled: u64,
    now: u64,
}

impl Agenda {
    /// Everybody is to be chosen.
    pub(super) fn new(func: &Function, order: &[InstId]) -> Self {
        let mut places = IdMap::filled(func.inst_count(), None);
        for (place, inst) in order.iter().enumerate() {
            places[*inst] = Some(OrderIdx::from_index(place));
        }
        Agenda {
            places,
            len: order.len(),
            waiting: IdSet::new(order.len()),
            everybody: true,
            visits_all: false,
            called: IdMap::filled(func.inst_count(), 1),
            disturbed: IdMap::filled(func.value_count(), 0),
            settled: IdMap::filled(func.inst_count(), 0),
            all_settled: 0,
            now: 1,
        }
    }

    pub(super) fn call(&mut self, inst: InstId) {
        self.now += 1;
        self.called[inst] = self.now;
        self.note(inst);
    }

    fn note(&mut self, inst: InstId) {
        if let Some(place) = self.places[inst] {
            self.waiting.insert(place);
        }
    }

    /// Everyone at a value has to think again: who makes it and who uses it.
    pub(super) fn disturb(&mut self, value: ValueId, maker: Option<InstId>, uses: &[Use]) {
        self.now += 1;
        self.disturbed[value] = self.now;
        maker.into_iter().for_each(|inst| self.note(inst));
        if uses.len() > MANY {
            self.everybody = true;
            return;
        }
        for of in uses {
            match of {
                Use::Operand(inst, _) => self.note(*inst),
                Use::Result(..) => {}
            }
        }
    }

    /// Nothing around an instruction has changed since now.
    pub(super) fn mark_fresh(&mut self, inst: InstId) {
        self.settled[inst] = self.now;
    }

    /// Nothing has changed since now.
    pub(super) fn mark_all_fresh(&mut self) {
        self.all_settled = self.now;
        self.everybody = false;
    }

    /// Whether an instruction on these tensors may have to think again.
    pub(super) fn is_waiting(&self, inst: InstId, tensors: &[ValueId]) -> bool {
        let settled = self.settled[inst].max(self.all_settled);
        let is_new = |value: &ValueId| self.disturbed[*value] > settled;
        self.called[inst] > settled || tensors.iter().any(is_new)
    }

    /// Begin a sweep, from the first instruction on or from the last back: the place to visit first.
    pub(super) fn begin(&mut self, backward: bool) -> Option<OrderIdx> {
        self.visits_all = std::mem::take(&mut self.everybody);
        self.take(if backward { self.before(self.len) } else { self.from(0) })
    }

    /// The place to visit when another has been.
    pub(super) fn next(&mut self, at: OrderIdx, backward: bool) -> Option<OrderIdx> {
        self.take(if backward { self.before(at.index()) } else { self.from(at.index() + 1) })
    }

    fn take(&mut self, place: Option<OrderIdx>) -> Option<OrderIdx> {
        place.inspect(|place| self.waiting.remove(*place))
    }

    fn from(&self, at: usize) -> Option<OrderIdx> {
        if self.visits_all || self.everybody {
            return (at < self.len).then(|| OrderIdx::from_index(at));
        }
        self.waiting.next_from(at)
    }

    fn before(&self, at: usize) -> Option<OrderIdx> {
        if self.visits_all || self.everybody {
            return at.checked_sub(1).map(OrderIdx::from_index);
        }
        self.waiting.next_to(at)
    }
}
