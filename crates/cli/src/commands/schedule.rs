//! `schedule`: orders of work in a pipeline, in time: how long stages wait, and what they keep.

use crate::args::{PipelineArgs, ScheduleArgs};
use crate::failure::Failure;
use crate::load;
use crate::report::Report;
use meshwright_base::{Code, Diagnostic};
use meshwright_tensor::schedule::{Durations, Fault, Schedule, Timeline};
use serde_json::{Value, json};
use std::path::Path;

/// What makes a known schedule, from stages, rounds and microbatches.
type Make = fn(i64, i64, i64) -> Result<Schedule, Fault>;

/// The known schedules by name.
const KNOWN: [(&str, Make); 5] = [
    ("gpipe", |stages, _, microbatches| Schedule::gpipe(stages, microbatches)),
    ("circular", Schedule::circular),
    ("1f1b", |stages, _, microbatches| Schedule::one_forward_one_backward(stages, microbatches)),
    ("interleaved", Schedule::interleaved),
    ("zero-bubble", |stages, _, microbatches| Schedule::zero_bubble(stages, microbatches)),
];

/// Most pieces of work that are laid out.
const MOST: i64 = 1 << 20;

/// Sizes where nobody says them.
const STAGES: i64 = 4;
const ROUNDS: i64 = 2;
const MICROBATCHES: i64 = 8;

pub fn schedule(args: &ScheduleArgs) -> Result<Report, Failure> {
    let Some(which) = &args.of.which else { return compared(&args.of) };
    let schedule = named(&args.of, which)?;
    if args.orders {
        return Ok(Report::new(schedule.to_string()).with("orders", schedule.to_string()));
    }
    let timeline = schedule.run(durations(&args.of));
    Ok(shown(&schedule, &timeline))
}

/// The one that is asked for, or the known ones that there are at these sizes; with their names.
pub fn schedules(args: &PipelineArgs) -> Result<Vec<(String, Schedule)>, Failure> {
    if let Some(which) = &args.which {
        return Ok(vec![(which.display().to_string(), named(args, which)?)]);
    }
    let mut found = Vec::new();
    for (name, schedule) in all_known(args)? {
        found.extend(schedule.ok().map(|schedule| (name.to_string(), schedule)));
    }
    Ok(found)
}

fn named(args: &PipelineArgs, which: &Path) -> Result<Schedule, Failure> {
    let known = KNOWN.iter().find(|(name, _)| which.as_os_str() == *name);
    match known {
        Some((_, make)) => made(args, *make)?.map_err(|fault| Failure::input(fault.told(|_| None))),
        None => written(args, which),
    }
}

/// A known schedule by its name; of one that sizes do not fit, why.
type Known = (&'static str, Result<Schedule, String>);

/// All of the same sizes.
fn all_known(args: &PipelineArgs) -> Result<Vec<Known>, Failure> {
    let (stages, rounds, microbatches) = sizes(args);
    let mut found = Vec::new();
    for (name, make) in KNOWN {
        found.push(match made(args, make)? {
            Ok(schedule) => (name, Ok(schedule)),
            Err(Fault::Sizes { message, .. }) if stages > 0 && rounds > 0 && microbatches > 0 => {
                (name, Err(message))
            }
            Err(fault) => return Err(Failure::input(fault.told(|_| None))),
        });
    }
    Ok(found)
}

fn made(args: &PipelineArgs, make: Make) -> Result<Result<Schedule, Fault>, Failure> {
    let (stages, rounds, microbatches) = sizes(args);
    let works = [stages, rounds, microbatches, 3].into_iter().try_fold(1i64, i64::checked_mul);
    if works.is_none_or(|works| works > MOST) {
        let message = format!(
            "{stages} stages, {rounds} rounds and {microbatches} microbatches are too many to lay out"
        );
        let help = format!(
            "at most {MOST} passes are: what is long repeats itself, so fewer microbatches tell as much"
        );
        return Err(Failure::input(Diagnostic::error(TOO_MANY, message).help(help)));
    }
    Ok(make(stages, rounds, microbatches))
}

const TOO_MANY: Code = Code(630);
const NO_SIZES: Code = Code(631);

fn sizes(args: &PipelineArgs) -> (i64, i64, i64) {
    (args.stages.unwrap_or(STAGES), args.rounds.unwrap_or(ROUNDS), args.microbatches.unwrap_or(MICROBATCHES))
}

/// A schedule that somebody wrote.
fn written(args: &PipelineArgs, file: &Path) -> Result<Schedule, Failure> {
    if args.stages.or(args.rounds).or(args.microbatches).is_some() {
        let message =
            format!("`{}` says itself how many stages, rounds and microbatches there are", file.display());
        let help = format!("drop `--stages`, `--rounds` and `--microbatches`; {}", known());
        return Err(Failure::input(Diagnostic::error(NO_SIZES, message).help(help)));
    }
    let text = load::text(file).map_err(|mut failure| {
        failure
            .diagnostics
            .iter_mut()
            .for_each(|told| told.help = Some(format!("check the path; {}", known())));
        failure
    })?;
    Schedule::parse(&text.text).map_err(|found| Failure::in_text(text, vec![found]))
}

fn known() -> String {
    let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
    format!("the known ones are {}", names.join(", "))
}

/// What passes take.
pub fn durations(args: &PipelineArgs) -> Durations {
    let [forward, inputs, weights] = args.durations.unwrap_or([1, 1, 1]);
    Durations { forward, inputs, weights }
}

fn shown(schedule: &Schedule, timeline: &Timeline) -> Report {
    let width = (schedule.stages() - 1).to_string().len();
    let picture = timeline.to_string();
    let lines = picture.lines().enumerate();
    let picture: String = lines.map(|(stage, line)| format!("stage {stage:<width$}  {line}\n")).collect();
    let row = Told::of(schedule, timeline);
    let runs = match schedule.pipeline() {
        Some(_) => "one program runs all stages in this order: `pipeline` makes it",
        None => "no one program for all stages runs in this order: those of gpipe and circular do",
    };
    let (short, kept) = (in_short(schedule, timeline), row.kept());
    let text = format!("{picture}\n{short}\npasses that are kept at one time: {kept}\n{runs}\n");
    Report { text, json: row.json().as_object().cloned().unwrap_or_default(), ..Report::default() }
}

/// `8 microbatches: 33 units of time, of which stages wait 27.3 %`.
pub fn in_short(schedule: &Schedule, timeline: &Timeline) -> String {
    let rounds = match schedule.rounds() {
        1 => String::new(),
        rounds => format!(", in {rounds} rounds"),
    };
    format!(
        "{} microbatches{rounds}: {} units of time, of which stages wait {:.1} %",
        schedule.microbatches(),
        timeline.end(),
        100.0 * timeline.bubble(),
    )
}

/// What is told of one schedule.
struct Told {
    end: i64,
    bubble: f64,
    live: Vec<i64>,
    is_one_program: bool,
}

impl Told {
    fn of(schedule: &Schedule, timeline: &Timeline) -> Told {
        Told {
            end: timeline.end(),
            bubble: timeline.bubble(),
            live: (0..schedule.stages()).map(|stage| timeline.live(stage)).collect(),
            is_one_program: schedule.pipeline().is_some(),
        }
    }

    /// The first stages, and the last.
    fn kept(&self) -> String {
        let words = |live: &[i64]| live.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        match &self.live[..] {
            [first @ .., last] if first.len() > 8 => format!("{}, .., {last}", words(&first[..6])),
            all => words(all),
        }
    }

    fn json(&self) -> Value {
        json!({ "end": self.end, "bubble": self.bubble, "kept": self.live, "one_program": self.is_one_program })
    }
}

/// All known schedules of the same sizes.
fn compared(args: &PipelineArgs) -> Result<Report, Failure> {
    let (stages, rounds, microbatches) = sizes(args);
    let mut text = format!(
        "{stages} stages, {microbatches} microbatches; {rounds} rounds where a stage takes turns with several layers\n\n\
         {:12} {:>6} {:>7}  {:11}  passes that are kept at one time, by stage\n",
        "", "units", "waits", "one program",
    );
    let mut rows = serde_json::Map::new();
    for (name, schedule) in all_known(args)? {
        match schedule {
            Ok(schedule) => {
                let row = Told::of(&schedule, &schedule.run(durations(args)));
                let one = if row.is_one_program { "yes" } else { "no" };
                let (end, bubble) = (row.end, 100.0 * row.bubble);
                text += &format!("{name:12} {end:6} {bubble:6.1}%  {one:11}  {}\n", row.kept());
                rows.insert(name.to_string(), row.json());
            }
            Err(message) => text += &format!("{name:12} {message}\n"),
        }
    }
    text += "\nunits are of one layer's forward pass; with rounds a layer is that part of what a stage has\n\
             `meshwright schedule NAME` draws one of them\n";
    Ok(Report::new(text).with("schedules", rows))
}
