//! When each piece of work of a schedule begins, how long stages wait, and what they keep.

use super::{Give, Phase, Schedule, Work};
use std::collections::BTreeMap;
use std::fmt;

/// How long passes of one layer take, in any unit.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let schedule = Schedule::zero_bubble(4, 8)?;
/// // With stages that are computed again from what entered them.
/// let again = Durations { inputs: 2, ..Durations::default() };
/// assert!(schedule.run(again).end() > schedule.run(Durations::default()).end());
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Durations {
    pub forward: i64,
    /// Of the backward pass, up to the gradient of what entered.
    pub inputs: i64,
    /// The rest of it.
    pub weights: i64,
}

impl Default for Durations {
    /// All alike: a backward pass takes twice as long as a forward pass.
    fn default() -> Self {
        Durations { forward: 1, inputs: 1, weights: 1 }
    }
}

impl Durations {
    fn of(self, phase: Phase) -> i64 {
        match phase {
            Phase::Forward => self.forward,
            Phase::Backward => self.inputs + self.weights,
            Phase::Inputs => self.inputs,
            Phase::Weights => self.weights,
        }
    }
}

/// A schedule in time. Printed, it is a picture.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let picture = Schedule::gpipe(2, 2)?.run(Durations::default()).to_string();
/// assert_eq!(picture, "F0 F1 .  .  .  B1 -  B0 -\n.  F0 F1 B1 -  B0 -  .  .\n");
/// # Ok::<(), Fault>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Timeline {
    /// Each stage's work with when it begins and how long it takes.
    stages: Vec<Vec<(Work, i64, i64)>>,
}

impl Schedule {
    /// Every piece of work begins as soon as the stage is free and what it needs is there.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::gpipe(4, 4)?.run(Durations::default()).bubble(), 3.0 / 7.0);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn run(&self, durations: Durations) -> Timeline {
        let begun = begun(self, durations).unwrap_or_default();
        let stage = |(order, begun): (&Vec<Work>, Vec<i64>)| {
            order.iter().zip(begun).map(|(work, at)| (*work, at, durations.of(work.phase))).collect()
        };
        Timeline { stages: self.orders.iter().zip(begun).map(stage).collect() }
    }
}

/// When each piece of each stage's work begins; how far each stage comes, if they wait for each other.
pub(super) fn begun(schedule: &Schedule, durations: Durations) -> Result<Vec<Vec<i64>>, Vec<usize>> {
    let mut given: BTreeMap<(Give, i64, i64), i64> = BTreeMap::new();
    let mut begun: Vec<Vec<i64>> = schedule.orders.iter().map(|_| Vec::new()).collect();
    let mut free = vec![0i64; schedule.stages()];
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for (stage, order) in schedule.orders.iter().enumerate() {
            while let Some(work) = order.get(begun[stage].len()) {
                let needs = schedule.needs(stage, *work);
                let there: Option<Vec<i64>> = needs.iter().map(|need| given.get(need).copied()).collect();
                let Some(there) = there else { break };
                let start = there.into_iter().fold(free[stage], i64::max);
                free[stage] = start + durations.of(work.phase);
                begun[stage].push(start);
                let layer = schedule.layer(stage, *work);
                match work.phase {
                    Phase::Forward => given.insert((Give::Result, layer, work.microbatch), free[stage]),
                    Phase::Backward | Phase::Inputs => {
                        given.insert((Give::Slope, layer, work.microbatch), free[stage])
                    }
                    Phase::Weights => None,
                };
                goes_on = true;
            }
        }
    }
    let is_whole = schedule.orders.iter().zip(&begun).all(|(order, begun)| order.len() == begun.len());
    if is_whole { Ok(begun) } else { Err(begun.iter().map(Vec::len).collect()) }
}

impl Timeline {
    /// What a stage does, in order: each piece of work with when it begins and how long it takes.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let timeline = Schedule::gpipe(2, 2)?.run(Durations::default());
    /// let begins: Vec<i64> = timeline.works(1).iter().map(|(_, start, _)| *start).collect();
    /// assert_eq!(begins, [1, 2, 3, 5]);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn works(&self, stage: usize) -> &[(Work, i64, i64)] {
        self.stages.get(stage).map_or(&[], Vec::as_slice)
    }

    /// When the last stage is done.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// assert_eq!(Schedule::gpipe(1, 4)?.run(Durations::default()).end(), 12);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn end(&self) -> i64 {
        let ends = self.stages.iter().flatten().map(|(_, start, takes)| start + takes);
        ends.max().unwrap_or(0)
    }

    /// The share of all time in which stages wait.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let of = |schedule: Schedule| schedule.run(Durations::default()).bubble();
    /// assert!(of(Schedule::zero_bubble(4, 8)?) < of(Schedule::one_forward_one_backward(4, 8)?));
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn bubble(&self) -> f64 {
        let works: i64 = self.stages.iter().flatten().map(|(_, _, takes)| takes).sum();
        let all = self.end() * self.stages.len() as i64;
        if all == 0 { 0.0 } else { (all - works) as f64 / all as f64 }
    }

    /// The most microbatches a stage keeps something of at one time, from the start of a forward pass to the end of the
    /// backward pass; each round of each counts.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let eager = Schedule::one_forward_one_backward(4, 8)?.run(Durations::default());
    /// assert_eq!([0, 1, 2, 3].map(|stage| eager.live(stage)), [4, 3, 2, 1]);
    /// # Ok::<(), Fault>(())
    /// ```
    pub fn live(&self, stage: usize) -> i64 {
        let (mut live, mut most) = (0, 0);
        for (work, ..) in self.stages.get(stage).into_iter().flatten() {
            match work.phase {
                Phase::Forward => live += 1,
                Phase::Backward | Phase::Weights => live -= 1,
                Phase::Inputs => {}
            }
            most = live.max(most);
        }
        most
    }
}

/// A column for each unit of time: `.` where a stage waits, `-` where it goes on with what it began.
impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.stages.iter().flatten().map(|(work, ..)| work.to_string().len());
        let width = labels.max().unwrap_or(1) + 1;
        for stage in &self.stages {
            let mut line = String::new();
            let mut cell = |text: &str| line += &format!("{text:width$}");
            let mut now = 0;
            for (work, start, takes) in stage {
                (now..*start).for_each(|_| cell("."));
                cell(&work.to_string());
                (1..*takes).for_each(|_| cell("-"));
                now = start + takes;
            }
            (now..self.end()).for_each(|_| cell("."));
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
