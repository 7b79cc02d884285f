//! Orders of work in a pipeline: which stage does which pass of which microbatch, one after another.
//!
//! ```text
//! F0 F1 B0 F2 B1 B2        stage 0: forward and backward passes of three microbatches
//! F0 B0 F1 B1 F2 B2        stage 1
//! ```
//!
//! A schedule is data. It says an order for each stage; when each piece of work begins follows from what it needs
//! (`timeline`). What is undefined somewhere, done twice or waits for itself is refused before anything runs, so a
//! [`Schedule`] always ends. The known ones are made by [`orders`]; others are written down (`text`).

mod fault;
mod orders;
mod text;
mod timeline;

pub use fault::{Fault, Wait};
pub use timeline::{Durations, Timeline};

use super::Pipeline;
use std::collections::BTreeMap;

/// What a stage does with a microbatch.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let schedule = Schedule::zero_bubble(2, 2)?;
/// assert!(schedule.order(0).iter().any(|work| work.phase == Phase::Weights));
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    Forward,
    /// Gradients of what entered the stage and of its weights.
    Backward,
    /// The first half of that alone: what the stage before waits for.
    Inputs,
    /// The other half, which nobody waits for.
    Weights,
}

impl Phase {
    const ALL: [Phase; 4] = [Phase::Forward, Phase::Backward, Phase::Inputs, Phase::Weights];

    fn letter(self) -> char {
        match self {
            Phase::Forward => 'F',
            Phase::Backward => 'B',
            Phase::Inputs => 'I',
            Phase::Weights => 'W',
        }
    }

    fn word(self) -> &'static str {
        match self {
            Phase::Forward => "forward pass",
            Phase::Backward => "backward pass",
            Phase::Inputs => "backward pass to its inputs",
            Phase::Weights => "backward pass to its weights",
        }
    }
}

/// One pass of one microbatch through one of a stage's layers (the one of this round).
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let first = Schedule::gpipe(2, 4)?.order(1)[0];
/// assert_eq!((first.phase, first.microbatch, first.round), (Phase::Forward, 0, 0));
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Work {
    pub phase: Phase,
    pub microbatch: i64,
    pub round: i64,
}

/// The order of each stage's work: sound, so it ends when it is run.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let (gpipe, eager) = (Schedule::gpipe(4, 8)?, Schedule::one_forward_one_backward(4, 8)?);
/// let (a, b) = (gpipe.run(Durations::default()), eager.run(Durations::default()));
/// assert_eq!(a.bubble(), b.bubble()); // they wait as long,
/// assert_eq!((a.live(0), b.live(0)), (8, 4)); // but what is kept differs
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    rounds: i64,
    microbatches: i64,
    orders: Vec<Vec<Work>>,
}

/// A place in a schedule: a stage, and the number of a piece of its work.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let twice = Schedule::parse("F0 B0 F0").map_err(|told| told.message);
/// assert_eq!(twice, Err("stage 0 does `F0` twice".to_string())); // the first at `Spot { stage: 0, at: 0 }`
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub stage: usize,
    pub at: usize,
}

impl Schedule {
    /// From the order of each stage.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let one = |phase| Work { phase, microbatch: 0, round: 0 };
    /// let schedule = Schedule::of(vec![vec![one(Phase::Forward), one(Phase::Backward)]])?;
    /// assert_eq!(schedule.to_string(), "F0 B0\n");
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn of(orders: Vec<Vec<Work>>) -> Result<Schedule, Fault> {
        let works = || orders.iter().flatten();
        let count = |number: fn(&Work) -> i64| works().map(number).max().map_or(0, |most| most + 1);
        let (microbatches, rounds) = (count(|work| work.microbatch), count(|work| work.round));
        let schedule = Schedule { rounds, microbatches, orders };
        fault::check(&schedule).map_or(Ok(schedule), Err)
    }

    /// How many stages there are.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::gpipe(4, 8)?.stages(), 4);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn stages(&self) -> usize {
        self.orders.len()
    }

    /// How many microbatches pass them.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::gpipe(4, 8)?.microbatches(), 8);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn microbatches(&self) -> i64 {
        self.microbatches
    }

    /// How many layers (or runs of layers) each stage has.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::circular(4, 2, 8)?.rounds(), 2);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn rounds(&self) -> i64 {
        self.rounds
    }

    /// What a stage does, in order.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::gpipe(4, 8)?.order(3).len(), 16);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn order(&self, stage: usize) -> &[Work] {
        self.orders.get(stage).map_or(&[], Vec::as_slice)
    }

    /// The pipeline that runs in this order as one program for all stages: every stage does the same at the same time
    /// there, one microbatch further than the next. `None` if no such program has this order.
    ///
    /// ```
    /// use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::circular(2, 3, 4)?.pipeline(), Some(meshwright_tensor::Pipeline::circular(2, 3)));
    /// assert_eq!(Schedule::one_forward_one_backward(2, 4)?.pipeline(), None);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn pipeline(&self) -> Option<Pipeline> {
        let stages = self.stages() as i64;
        let lockstep = Schedule::circular(stages, self.rounds, self.microbatches).ok()?;
        let pipeline = match self.rounds {
            1 => Pipeline::gpipe(stages),
            rounds => Pipeline::circular(stages, rounds),
        };
        (lockstep == *self).then_some(pipeline)
    }

    /// The layer that a piece of work passes.
    fn layer(&self, stage: usize, work: Work) -> i64 {
        work.round * self.stages() as i64 + stage as i64
    }

    /// What has to be done before a piece of work begins, by layer.
    fn needs(&self, stage: usize, work: Work) -> Vec<(Give, i64, i64)> {
        let (layer, last) = (self.layer(stage, work), self.stages() as i64 * self.rounds - 1);
        let of = |give, layer| (give, layer, work.microbatch);
        match work.phase {
            Phase::Forward if layer == 0 => Vec::new(),
            Phase::Forward => vec![of(Give::Result, layer - 1)],
            Phase::Backward | Phase::Inputs if layer == last => vec![of(Give::Result, layer)],
            Phase::Backward | Phase::Inputs => vec![of(Give::Result, layer), of(Give::Slope, layer + 1)],
            Phase::Weights => vec![of(Give::Slope, layer)],
        }
    }

    /// Where each result and each gradient comes from.
    fn givers(&self) -> BTreeMap<(Give, i64, i64), Spot> {
        let mut givers = BTreeMap::new();
        for (stage, order) in self.orders.iter().enumerate() {
            for (at, work) in order.iter().enumerate() {
                let give = match work.phase {
                    Phase::Forward => Give::Result,
                    Phase::Backward | Phase::Inputs => Give::Slope,
                    Phase::Weights => continue,
                };
                givers.insert((give, self.layer(stage, *work), work.microbatch), Spot { stage, at });
            }
        }
        givers
    }
}

/// What others wait for, of a layer and a microbatch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Give {
    Result,
    /// The gradient of what entered.
    Slope,
}

#[cfg(test)]
mod tests;
