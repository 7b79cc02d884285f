//! `plan`: what a step takes on a machine that is not there, whether it fits, and what to change.

mod fit;
pub mod memory;
pub mod order;
pub mod planned;
pub mod shown;
pub mod subject;
mod sweep;
mod timeline;

use crate::failure::{Failure, Fault};
use crate::input;
use crate::load::Loaded;
use crate::plan_args::PlanArgs;
use crate::report::Report;
use crate::still::{Hearing, Still};
use crate::units;
use crate::watching::Shown;
use memory::Inputs;
use meshwright_base::{Code, Diagnostic};
use meshwright_train::run::Watch;
use planned::{Planned, Room};
use subject::{Change, Subject};

const LIMIT: Code = Code(1183);

pub fn plan(args: &PlanArgs) -> Result<Report, Failure> {
    plan_of(args, &Subject::open(&args.subject)?, Shown::new(false))
}

/// The same of a module in memory, with nobody at a terminal.
pub fn plan_loaded(args: &PlanArgs, loaded: Loaded) -> Result<Report, Failure> {
    plan_of(args, &Subject::File(Box::new(loaded)), Shown::new(true))
}

fn plan_of(args: &PlanArgs, subject: &Subject, mut told: Shown) -> Result<Report, Failure> {
    let change = Change { goal: args.least.goal(), ..Change::of(&args.subject)? };
    // Who says what memory there is has what is fastest in it.
    let room = if args.memory_limit.is_some() { Room::Any } else { Room::Worth };
    let still = Still::begun().filter(|_| !told.is_quiet());
    let planned = Planned::heard(subject, &change, &args.target, room, &mut Hearing(still.as_ref()))?;
    drop(still);
    let capacity = planned.machine.capacity;
    if let Some(limit) = args.memory_limit.filter(|limit| *limit > capacity) {
        let (limit, capacity) = (units::bytes(limit), units::bytes(capacity));
        told.note(&format!(
            "the target has {capacity}, less than the limit of {limit}: planning for {capacity}"
        ));
    }
    let limit = args.memory_limit.unwrap_or(capacity).min(capacity);
    if args.sweep {
        return Ok(swept(args, subject, &change, &planned, limit, told));
    }
    if let Some(path) = &args.timeline {
        input::write_file(path, timeline::json_text(&planned).as_bytes())?;
    }
    let ways = (planned.memory.peak > limit).then(|| {
        told.note("does not fit: searching for changes that fit");
        fit::ways(subject, &change, &args.target, &planned, limit)
    });
    if let Some(ways) = ways.as_ref().filter(|ways| ways.fitting.is_empty() && args.memory_limit.is_some()) {
        return Err(impossible(limit, &planned, ways.least));
    }
    let better = order::better(&planned);
    Ok(shown::report(&planned, limit, ways.as_ref(), better.as_ref(), args))
}

fn swept(
    args: &PlanArgs,
    subject: &Subject,
    change: &Change,
    planned: &Planned,
    limit: i64,
    mut told: Shown,
) -> Report {
    let tell = |at: usize, all: usize| {
        if at % 8 == 1 {
            told.note(&format!("plan {at} of {all}"));
        }
    };
    let rows = sweep::sweep(subject, change, &args.target, limit, &planned.mesh, &args.batches, tell);
    Report::new(sweep::text(&rows)).with("sweep", rows.iter().map(shown::row_json).collect::<Vec<_>>())
}

/// A limit that nothing fits in.
fn impossible(limit: i64, planned: &Planned, least: i64) -> Failure {
    let memory = &planned.memory;
    let size = units::bytes;
    let message = format!("no change tried fits in {} per device", size(limit));
    let state = match (&memory.inputs, memory.inputs.state()) {
        (Inputs::Named { .. }, state) => {
            format!(", {} of it parameters and optimizer state", size(state))
        }
        (Inputs::Plain { .. }, 0) => String::new(),
        (Inputs::Plain { .. }, state) => format!(", {} of it donated state", size(state)),
    };
    let diagnostic = Diagnostic::error(LIMIT, message)
        .note(format!("the step has a peak memory of {}{state}", size(memory.peak)))
        .note(format!("the smallest peak memory found is {}", size(least)))
        .help("raise the limit, or use a mesh of more devices");
    Failure::new(Fault::Input, diagnostic)
}
