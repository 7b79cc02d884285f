//! What keeps orders of work from being a schedule, found before anything runs.

use super::timeline::{Durations, begun};
use super::{Phase, Schedule, Spot, Work};
use crate::codes;
use crate::error::Errors;
use meshwright_base::Diagnostic;
use meshwright_base::diagnostic::Place;
use std::collections::BTreeMap;
use std::fmt;

/// Why something is no schedule.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let alone = Work { phase: Phase::Forward, microbatch: 0, round: 0 };
/// assert!(matches!(Schedule::of(vec![vec![alone]]), Err(Fault::Undefined { .. })));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no stage, or one that does nothing.
    Nothing { stages: usize },
    /// Sizes from which no schedule of this name can be made.
    Sizes { message: String, help: &'static str },
    /// The same work stands twice.
    Twice { work: Work, first: Spot, again: Spot },
    /// A whole backward pass, and a half of it.
    Overlap { whole: Spot, half: Spot, work: Work },
    /// Nobody does a pass.
    Undefined { stage: usize, work: Work },
    /// Stages that wait for each other, or for themselves: each piece of work with what it waits for.
    Deadlock { waits: Vec<Wait> },
}

/// A stage that waits.
///
/// ```
/// use meshwright_tensor::schedule::*;
/// let late = [Phase::Backward, Phase::Forward].map(|phase| Work { phase, microbatch: 0, round: 0 });
/// let Err(Fault::Deadlock { waits }) = Schedule::of(vec![late.to_vec()]) else { panic!("it would end") };
/// assert_eq!((waits[0].at, waits[0].for_at), (Spot { stage: 0, at: 0 }, Spot { stage: 0, at: 1 }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    pub at: Spot,
    pub work: Work,
    pub for_at: Spot,
    pub for_work: Work,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(|_| None).message)
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for Errors {
    fn from(fault: Fault) -> Errors {
        fault.told(|_| None).into()
    }
}

impl Fault {
    /// In words; `place` tells where something stands in the text it was read from.
    ///
    /// ```
    /// # use meshwright_tensor::schedule::*;
    /// let told = Schedule::gpipe(0, 4).map_err(|fault| fault.told(|_| None).message);
    /// assert_eq!(told, Err("a schedule of 0 stages, 1 rounds and 4 microbatches".to_string()));
    /// ```
    pub fn told(&self, place: impl Fn(Spot) -> Option<Place>) -> Diagnostic {
        let error = |message: String| Diagnostic::error(codes::CONTROL, message);
        match self {
            Fault::Nothing { stages: 0 } => error("a schedule of no stages".to_string())
                .help("write a line for each stage, as `F0 F1 B0 B1`"),
            Fault::Nothing { .. } => error("a schedule in which nothing is done".to_string())
                .help("write what each stage does, as `F0 F1 B0 B1`"),
            Fault::Sizes { message, help } => error(message.clone()).help(*help),
            Fault::Twice { work, first, again } => {
                error(format!("stage {} does `{work}` twice", again.stage))
                    .at_place(place(*again))
                    .label(place(*first), "here first")
                    .help("a microbatch passes each layer once: drop one of them, or number it otherwise")
            }
            Fault::Overlap { whole, half, work } => {
                let message =
                    format!("stage {} does `{work}` beside a backward pass that includes it", half.stage);
                error(message)
                    .at_place(place(*half))
                    .label(place(*whole), "the whole backward pass")
                    .help("`B` is `I` and `W` in one: write either")
            }
            Fault::Undefined { stage, work } => {
                let message =
                    format!("stage {stage} has no {} of microbatch {}", work.phase.word(), work.microbatch);
                error(in_round(message, *work)).help(format!("write `{work}` where it is to be done"))
            }
            Fault::Deadlock { waits } => deadlock(waits, place),
        }
    }
}

fn in_round(message: String, work: Work) -> String {
    match work.round {
        0 => message,
        round => format!("{message} in round {round}"),
    }
}

fn deadlock(waits: &[Wait], place: impl Fn(Spot) -> Option<Place>) -> Diagnostic {
    let text = |wait: &Wait| {
        let whose = if wait.at.stage == wait.for_at.stage {
            "its own".to_string()
        } else {
            format!("stage {}'s", wait.for_at.stage)
        };
        format!("stage {} waits with `{}` for {whose} `{}`", wait.at.stage, wait.work, wait.for_work)
    };
    let Some(first) = waits.first() else {
        return Diagnostic::error(codes::CONTROL, "a schedule that never ends");
    };
    const HELP: &str = "move what is waited for before the work that waits";
    if waits.len() == 1 {
        let message = text(first) + ", which comes later";
        return Diagnostic::error(codes::CONTROL, message).at_place(place(first.at)).help(HELP);
    }
    let error = Diagnostic::error(codes::CONTROL, "stages of a schedule wait for each other");
    let error = waits.iter().fold(error, |error, wait| match place(wait.at) {
        Some(at) => error.label(Some(at), text(wait)),
        None => error.note(text(wait)),
    });
    error.help(HELP)
}

/// The first fault, if there is one.
pub(super) fn check(schedule: &Schedule) -> Option<Fault> {
    let stages = schedule.stages();
    if schedule.orders.iter().all(Vec::is_empty) {
        return Some(Fault::Nothing { stages });
    }
    let each = (0..stages).find_map(|stage| of_stage(schedule, stage));
    each.or_else(|| begun(schedule, Durations::default()).err().map(|stuck| waiting(schedule, &stuck)))
}

/// Every microbatch passes every layer of a stage once in each direction.
fn of_stage(schedule: &Schedule, stage: usize) -> Option<Fault> {
    let mut spots: BTreeMap<Work, Spot> = BTreeMap::new();
    for (at, work) in schedule.order(stage).iter().enumerate() {
        let again = Spot { stage, at };
        if let Some(first) = spots.insert(*work, again) {
            return Some(Fault::Twice { work: *work, first, again });
        }
    }
    let (rounds, microbatches) = (schedule.rounds, schedule.microbatches);
    let all = (0..microbatches).flat_map(|microbatch| (0..rounds).map(move |round| (microbatch, round)));
    for (microbatch, round) in all {
        let of = |phase| Work { phase, microbatch, round };
        let at = |phase| spots.get(&of(phase)).copied();
        if at(Phase::Forward).is_none() {
            return Some(Fault::Undefined { stage, work: of(Phase::Forward) });
        }
        for half in [Phase::Inputs, Phase::Weights] {
            match (at(Phase::Backward), at(half)) {
                (Some(whole), Some(spot)) => {
                    return Some(Fault::Overlap { whole, half: spot, work: of(half) });
                }
                (None, None) => {
                    let is_split = at(Phase::Inputs).or(at(Phase::Weights)).is_some();
                    let either = if is_split { half } else { Phase::Backward };
                    return Some(Fault::Undefined { stage, work: of(either) });
                }
                _ => {}
            }
        }
    }
    None
}

/// A circle of stages that wait, from how far each of them came.
fn waiting(schedule: &Schedule, came: &[usize]) -> Fault {
    let givers = schedule.givers();
    let wait = |stage: usize| {
        let at = *came.get(stage)?;
        let work = *schedule.order(stage).get(at)?;
        let is_behind = |spot: &Spot| came.get(spot.stage).is_some_and(|done| spot.at >= *done);
        let needs = schedule.needs(stage, work);
        let for_at = needs.iter().filter_map(|need| givers.get(need)).copied().find(is_behind)?;
        let for_work = *schedule.order(for_at.stage).get(for_at.at)?;
        Some(Wait { at: Spot { stage, at }, work, for_at, for_work })
    };
    let mut waits: Vec<Wait> = Vec::new();
    let mut stage = (0..schedule.stages()).find(|stage| wait(*stage).is_some());
    while let Some(next) = stage.and_then(wait) {
        if let Some(again) = waits.iter().position(|wait| wait.at.stage == next.at.stage) {
            waits.drain(..again);
            break;
        }
        waits.push(next);
        stage = Some(next.for_at.stage);
    }
    Fault::Deadlock { waits }
}
