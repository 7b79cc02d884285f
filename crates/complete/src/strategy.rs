//! The order of propagation: nested loops, each to a fixed point before the next.
//!
//! ```text
//! for each user priority, p0 first
//!   for each level: dims kept, dims changed, broadcast backward, broadcast forward       (steps.rs)
//!     for basic, then aggressive                                                         (propagate.rs)
//!       sweep forward, sweep backward, until nothing changes
//! ```
//!
//! Only steps beside a changed slot are visited again. A level starts with the steps it adds: those below are at their
//! fixed point. Aggressive starts with the steps where basic left a disagreement. As lists only grow and are bounded by
//! the mesh, it ends.

use crate::levels::{LEVELS, Level};
use crate::propagate::{Direction, Mode, Propagator, Sweep};
use crate::state::{NEVER, SlotId, State};
use crate::steps::{StepId, Steps};
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;

/// Run propagation to its end; the number of sweeps it took.
pub(crate) fn run(propagator: &mut Propagator) -> usize {
    let mut run = Run {
        users: Users::of(propagator.state, propagator.steps),
        forward: Bits::new(propagator.steps.steps.len()),
        backward: Bits::new(propagator.steps.steps.len()),
        disagreed: Bits::new(propagator.steps.steps.len()),
        sweeps: 0,
        propagator,
    };
    for priority in priorities(run.propagator.state) {
        for level in LEVELS {
            run.start(level, priority);
            for mode in [Mode::Basic, Mode::Aggressive] {
                run.reach_fixpoint(level, Sweep { direction: Direction::Forward, mode, priority });
            }
        }
    }
    run.sweeps
}

/// The priorities that occur, ascending; always 0.
fn priorities(state: &State) -> Vec<u32> {
    let occur = |priority: &u32| !matches!(*priority, 0 | NEVER);
    let mut priorities: Vec<u32> = state.dims.values().map(|dim| dim.priority).filter(occur).collect();
    priorities.push(0);
    priorities.arrange();
    priorities.dedup();
    priorities
}

struct Run<'r, 'a> {
    propagator: &'r mut Propagator<'a>,
    users: Users,
    forward: Bits,
    backward: Bits,
    disagreed: Bits,
    sweeps: usize,
}

impl Run<'_, '_> {
    /// Put the steps on the list that a level adds. A later user priority shows new axes to every step.
    fn start(&mut self, level: Level, priority: u32) {
        let added = |at: Level| at == level || (priority > 0 && at < level);
        for (id, step) in self.propagator.steps.steps.iter() {
            let form = self.propagator.steps.form(step);
            if added(form.forward) {
                self.forward.insert(id);
            }
            if added(form.backward) {
                self.backward.insert(id);
            }
        }
    }

    fn reach_fixpoint(&mut self, level: Level, sweep: Sweep) {
        if sweep.mode == Mode::Aggressive {
            self.take_disagreements(level);
        }
        while !self.forward.is_empty() || !self.backward.is_empty() {
            self.sweep(level, Sweep { direction: Direction::Forward, ..sweep });
            self.sweep(level, Sweep { direction: Direction::Backward, ..sweep });
        }
    }

    fn take_disagreements(&mut self, level: Level) {
        let mut at = 0;
        while let Some(id) = self.disagreed.next_from(at) {
            let form = self.propagator.steps.form(&self.propagator.steps.steps[id]);
            if form.forward <= level {
                self.forward.insert(id);
            }
            if form.backward <= level {
                self.backward.insert(id);
            }
            at = id.index() + 1;
        }
        self.disagreed.clear();
    }

    fn sweep(&mut self, level: Level, sweep: Sweep) {
        self.sweeps += 1;
        let mut at = match sweep.direction {
            Direction::Forward => self.forward.next_from(0),
            Direction::Backward => self.backward.next_to(self.propagator.steps.steps.len()),
        };
        while let Some(id) = at {
            self.visit(id, level, sweep);
            at = match sweep.direction {
                Direction::Forward => self.forward.next_from(id.index() + 1),
                Direction::Backward => self.backward.next_to(id.index()),
            };
        }
    }

    fn visit(&mut self, id: StepId, level: Level, sweep: Sweep) {
        match sweep.direction {
            Direction::Forward => self.forward.remove(id),
            Direction::Backward => self.backward.remove(id),
        }
        if self.propagator.visit(id, sweep) {
            self.disagreed.insert(id);
        }
        for slot in &self.propagator.changed {
            for user in self.users.of_slot(*slot) {
                let form = self.propagator.steps.form(&self.propagator.steps.steps[*user]);
                let itself = *user == id;
                if form.forward <= level && !(itself && sweep.direction == Direction::Forward) {
                    self.forward.insert(*user);
                }
                if form.backward <= level && !(itself && sweep.direction == Direction::Backward) {
                    self.backward.insert(*user);
                }
            }
        }
    }
}

/// Which steps touch a slot.
struct Users {
    first: Vec<u32>,
    steps: Vec<StepId>,
}

impl Users {
    fn of(state: &State, steps: &Steps) -> Users {
        let mut first = vec![0u32; state.slots.len() + 1];
        for tensor in &steps.tensors {
            first[tensor.slot.index() + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut free = first.clone();
        let mut users = vec![StepId::from_index(0); steps.tensors.len()];
        for (id, step) in steps.steps.iter() {
            for tensor in &steps.tensors[step.tensors.clone()] {
                let place = &mut free[tensor.slot.index()];
                users[*place as usize] = id;
                *place += 1;
            }
        }
        Users { first, steps: users }
    }

    fn of_slot(&self, slot: SlotId) -> &[StepId] {
        let at = slot.index();
        &self.steps[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

/// A set of steps that is walked in order.
struct Bits {
    words: Vec<u64>,
    count: usize,
}

impl Bits {
    fn new(steps: usize) -> Bits {
        Bits { words: vec![0; steps.div_ceil(64)], count: 0 }
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn clear(&mut self) {
        self.words.fill(0);
        self.count = 0;
    }

    fn insert(&mut self, id: StepId) {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        self.count += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    fn remove(&mut self, id: StepId) {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        self.count -= usize::from(self.words[word] & bit != 0);
        self.words[word] &= !bit;
    }

    /// The first member that is not before `at`.
    fn next_from(&self, at: usize) -> Option<StepId> {
        let mut word = at / 64;
        let mut rest = *self.words.get(word)? & (u64::MAX << (at % 64));
        while rest == 0 {
            word += 1;
            rest = *self.words.get(word)?;
        }
        Some(StepId::from_index(word * 64 + rest.trailing_zeros() as usize))
    }

    /// The last member before `at`.
    fn next_to(&self, at: usize) -> Option<StepId> {
        let mut word = at / 64;
        let mut rest = self.words.get(word).map_or(0, |bits| bits & !(u64::MAX << (at % 64)));
        while rest == 0 {
            word = word.checked_sub(1)?;
            rest = self.words[word];
        }
        Some(StepId::from_index(word * 64 + 63 - rest.leading_zeros() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_steps_is_walked_both_ways() {
        let mut bits = Bits::new(200);
        for at in [0, 63, 64, 150] {
            bits.insert(StepId::from_index(at));
        }
        let up: Vec<_> =
            std::iter::successors(bits.next_from(0), |id| bits.next_from(id.index() + 1)).collect();
        let mut down: Vec<_> =
            std::iter::successors(bits.next_to(200), |id| bits.next_to(id.index())).collect();
        down.reverse();
        assert_eq!(up, down);
        assert_eq!(up.len(), 4);
    }
}
