//! The known schedules.
//!
//! ```text
//! gpipe, circular            all forward passes, then all backward passes, each in lockstep
//! one_forward_one_backward   as few forward passes ahead as keep the stages behind at work
//! interleaved                the same with several layers on each stage, which stages take turns with
//! zero_bubble                gradients of weights, which nobody waits for, where a stage would wait
//! ```

use super::super::slots::Slots;
use super::{Fault, Phase, Schedule, Work};

impl Schedule {
    /// All forward passes, then all backward passes in reverse.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::gpipe(1, 2)?.to_string(), "F0 F1 B1 B0\n");
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn gpipe(stages: i64, microbatches: i64) -> Result<Schedule, Fault> {
        Schedule::circular(stages, 1, microbatches)
    }

    /// The order of [`Pipeline::circular`](crate::Pipeline::circular) and its gradient.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::circular(1, 2, 1)?.to_string(), "F0 F0.1 B0.1 B0\n");
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn circular(stages: i64, rounds: i64, microbatches: i64) -> Result<Schedule, Fault> {
        positive(stages, rounds, microbatches)?;
        let slots = Slots { stages, rounds, microbatches };
        let order = |stage| {
            let at = |trip| slots.at(trip, stage);
            let forward: Vec<(i64, i64)> = (0..slots.trips()).filter_map(at).collect();
            let backward = forward.iter().rev().map(|at| work(Phase::Backward, *at));
            forward.iter().map(|at| work(Phase::Forward, *at)).chain(backward).collect()
        };
        Schedule::of((0..stages).map(order).collect())
    }

    /// A backward pass as soon as there is one (1F1B): waits as long as [`gpipe`](Schedule::gpipe), and keeps no more
    /// microbatches than there are stages.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let schedule = Schedule::one_forward_one_backward(2, 3)?;
    /// assert_eq!(schedule.to_string(), "F0 F1 B0 F2 B1 B2\nF0 B0 F1 B1 F2 B2\n");
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn one_forward_one_backward(stages: i64, microbatches: i64) -> Result<Schedule, Fault> {
        positive(stages, 1, microbatches)?;
        let all = |phase| (0..microbatches).map(move |microbatch| work(phase, (microbatch, 0))).collect();
        let order = |stage| alternating(all(Phase::Forward), all(Phase::Backward), stages - 1 - stage);
        Schedule::of((0..stages).map(order).collect())
    }

    /// 1F1B with several layers on each stage: trips are shorter, so stages wait less, for more sent between them.
    /// Microbatches go in groups of as many as there are stages.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let of = |schedule: Schedule| schedule.run(Durations::default()).bubble();
    /// assert_eq!(of(Schedule::interleaved(4, 2, 8)?), 3.0 / 19.0); // (stages - 1) / (rounds * microbatches + stages - 1)
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn interleaved(stages: i64, rounds: i64, microbatches: i64) -> Result<Schedule, Fault> {
        positive(stages, rounds, microbatches)?;
        if rounds == 1 {
            return Schedule::one_forward_one_backward(stages, microbatches);
        }
        if microbatches % stages != 0 {
            let message = format!("{microbatches} microbatches do not fall into groups of {stages}");
            let help = "an interleaved schedule has a multiple of as many microbatches as there are stages";
            return Err(Fault::Sizes { message, help });
        }
        let all = |phase| {
            let groups =
                (0..microbatches / stages).flat_map(|group| (0..rounds).map(move |round| (group, round)));
            let of = |(group, round)| (0..stages).map(move |place| (group * stages + place, round));
            let turned = |(microbatch, round)| match phase {
                Phase::Forward => (microbatch, round),
                Phase::Backward | Phase::Inputs | Phase::Weights => (microbatch, rounds - 1 - round),
            };
            groups.flat_map(of).map(|at| work(phase, turned(at))).collect::<Vec<Work>>()
        };
        let ahead = |stage| 2 * (stages - 1 - stage) + (rounds - 1) * stages;
        let order = |stage| alternating(all(Phase::Forward), all(Phase::Backward), ahead(stage));
        Schedule::of((0..stages).map(order).collect())
    }

    /// The backward pass in two halves: gradients of inputs as soon as there is one, since the stage before waits for
    /// them; gradients of weights where there is nothing else to do (ZB-H1). No stage keeps more than the first one
    /// does in [`one_forward_one_backward`](Schedule::one_forward_one_backward).
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::zero_bubble(2, 2)?.to_string(), "F0 F1 I0 W0 I1 W1\nF0 I0 F1 I1 W0 W1\n");
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn zero_bubble(stages: i64, microbatches: i64) -> Result<Schedule, Fault> {
        positive(stages, 1, microbatches)?;
        Schedule::of((0..stages).map(|stage| in_halves(stages, microbatches, stage)).collect())
    }
}

fn work(phase: Phase, (microbatch, round): (i64, i64)) -> Work {
    Work { phase, microbatch, round }
}

fn positive(stages: i64, rounds: i64, microbatches: i64) -> Result<(), Fault> {
    if stages > 0 && rounds > 0 && microbatches > 0 {
        return Ok(());
    }
    let message = format!("a schedule of {stages} stages, {rounds} rounds and {microbatches} microbatches");
    Err(Fault::Sizes { message, help: "there is at least one of each" })
}

/// So many forward passes, then one of each in turn, then the backward passes that are left.
fn alternating(forward: Vec<Work>, backward: Vec<Work>, ahead: i64) -> Vec<Work> {
    let ahead = (ahead as usize).min(forward.len());
    let (first, rest) = forward.split_at(ahead);
    let (turns, last) = backward.split_at(rest.len());
    let turns = rest.iter().zip(turns).flat_map(|(forward, backward)| [*forward, *backward]);
    first.iter().copied().chain(turns).chain(last.iter().copied()).collect()
}

/// In turn a gradient of inputs, one of weights, and a forward pass: weights as many microbatches later as there are
/// stages before, so that all stages keep as much.
fn in_halves(stages: i64, microbatches: i64, stage: i64) -> Vec<Work> {
    let ahead = (stages - stage).min(microbatches);
    let first = (0..ahead).map(|microbatch| (Phase::Forward, microbatch));
    let turn = |at| [(Phase::Inputs, at), (Phase::Weights, at - stage), (Phase::Forward, ahead + at)];
    let turns = (0..microbatches + stage).flat_map(turn);
    let all = first.chain(turns).filter(|(_, microbatch)| (0..microbatches).contains(microbatch));
    all.map(|(phase, microbatch)| work(phase, (microbatch, 0))).collect()
}
