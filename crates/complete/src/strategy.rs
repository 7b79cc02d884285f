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
use meshwright_base::arrange::Arrange;
use meshwright_base::cancel;
use meshwright_base::{Id, IdSet};

/// Run propagation to its end; the number of sweeps it took.
pub(crate) fn run(propagator: &mut Propagator) -> usize {
    let mut run = Run {
        users: Users::of(propagator.state, propagator.steps),
        forward: IdSet::new(propagator.steps.steps.len()),
        backward: IdSet::new(propagator.steps.steps.len()),
        disagreed: IdSet::new(propagator.steps.steps.len()),
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
    forward: IdSet<StepId>,
    backward: IdSet<StepId>,
    disagreed: IdSet<StepId>,
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
            cancel::look();
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
