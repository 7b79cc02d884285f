//! Using a large value up where it is made.
//!
//! ```text
//! %g, %h = while ..                               %g, %h = while ..
//! %gg = %g * %g                                   %gg = %g * %g
//! %hh = %h * %h                                   %w' = %w - .. %g .. %gg ..       %g, %gg and %w are gone
//! %w' = %w - .. %g .. %gg ..              =>      %hh = %h * %h
//! %v' = %v - .. %h .. %hh ..                      %v' = %v - .. %h .. %hh ..
//! ```
//!
//! All users of the value run, and all of the large values that these make or use, with what they need that is not
//! there yet, up to what is returned. Small values may wait. It is done if less is alive behind it, and nowhere more
//! than there was anyway; what its members make is used up in the same way, as soon as that pays. Tried for what loops,
//! calls and collectives make, which others stand in line behind; given up beyond [`MOST`] instructions.

use super::{Raise, What};
use meshwright_base::IdMap;
use meshwright_base::arrange::Arrange;
use meshwright_ir::{Def, InstId, Op, ValueId};

/// Instructions that use up one value: an optimizer's update of a parameter has about 50.
const MOST: usize = 96;

/// What was looked at for the value that is looked at now.
#[derive(Default)]
pub(super) struct Marks {
    insts: IdMap<InstId, u32>,
    values: IdMap<ValueId, u32>,
    now: u32,
}

impl Raise<'_, '_> {
    /// Use up what an instruction made.
    pub(super) fn finish_behind(&mut self, inst: InstId) {
        let is_collective = matches!(self.uses.func.inst(inst).op, Op::Collective(_));
        if self.uses.moves(inst) && !is_collective {
            return;
        }
        for value in self.uses.func.inst(inst).results.clone() {
            self.finish(value, 0);
        }
    }

    /// Use a value up, if it is large and that pays.
    pub(super) fn finish(&mut self, value: ValueId, tries: u8) {
        let waits = self.left[value] > 0 && !self.uses.is_returned[value];
        if !waits || self.uses.bytes(value) < self.uses.least {
            return;
        }
        let marks = std::mem::take(&mut self.marks);
        let mut finish = Finish::new(self, marks);
        let group = finish.run(value).map(|()| std::mem::take(&mut finish.group));
        self.marks = finish.marks;
        if let Some(group) = group.filter(|group| self.pays_now(group, What::Users(value), tries)) {
            group.iter().for_each(|member| self.go_on(*member));
        }
    }
}

struct Finish<'r, 'u, 'f> {
    raise: &'r Raise<'u, 'f>,
    group: Vec<InstId>,
    /// Large values whose users have to run.
    large: Vec<ValueId>,
    /// Instructions that are still to be added; empty between two.
    work: Vec<InstId>,
    marks: Marks,
}

impl<'r, 'u, 'f> Finish<'r, 'u, 'f> {
    fn new(raise: &'r Raise<'u, 'f>, mut marks: Marks) -> Self {
        if marks.now == 0 {
            marks.insts = IdMap::filled(raise.uses.func.inst_count(), 0);
            marks.values = IdMap::filled(raise.uses.func.value_count(), 0);
        }
        marks.now += 1;
        Finish { raise, group: Vec::new(), large: Vec::new(), work: Vec::new(), marks }
    }

    /// Put the group together, in order; `None` if it gets long, or one may not move.
    fn run(&mut self, value: ValueId) -> Option<()> {
        self.touch(value);
        while let Some(value) = self.large.pop() {
            for user in self.raise.uses.users.of(value) {
                self.add(*user)?;
            }
        }
        self.group.arrange_by_key(|inst| self.raise.places[*inst]);
        Some(())
    }

    /// Add an instruction, with those it waits for.
    fn add(&mut self, inst: InstId) -> Option<()> {
        let uses = self.raise.uses;
        self.work.push(inst);
        while let Some(inst) = self.work.pop() {
            let now = self.marks.now;
            if self.raise.is_out[inst] || std::mem::replace(&mut self.marks.insts[inst], now) == now {
                continue;
            }
            let passes = self.raise.early.last().is_some_and(|early| *early < self.raise.places[inst]);
            if passes || !uses.moves(inst) || self.group.len() >= MOST {
                return None;
            }
            self.group.push(inst);
            uses.used
                .of(inst)
                .iter()
                .chain(&uses.func.inst(inst).results)
                .for_each(|value| self.touch(*value));
            self.work.extend(uses.needed.of(inst).iter().filter_map(
                |value| match uses.func.value(*value).def {
                    Def::Result { inst, .. } if uses.is_here[inst] => Some(inst),
                    Def::Result { .. } | Def::Param { .. } => None,
                },
            ));
        }
        Some(())
    }

    /// What is large has to be used up, unless it is returned.
    fn touch(&mut self, value: ValueId) {
        let (uses, now) = (self.raise.uses, self.marks.now);
        let is_large = uses.bytes(value) >= uses.least && !uses.is_returned[value];
        if is_large && std::mem::replace(&mut self.marks.values[value], now) != now {
            self.large.push(value);
        }
    }
}
