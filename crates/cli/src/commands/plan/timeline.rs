//! A simulated step as Chrome's trace JSON: complete events on three rows of one process, with metadata that names
//! them.
//!
//! Times are microseconds, as the format says. Of a loop the first trip is shown, under an event as long as all of
//! them.

use super::planned::Planned;
use meshwright_base::diagnostic::Place;
use meshwright_cost::Detail;
use meshwright_cost::simulate::{Event, Lane};
use meshwright_ir::Module;
use serde_json::{Value, json};

const PROCESS: u32 = 0;

/// The text of the file.
pub fn json_text(planned: &Planned) -> String {
    let step = planned.step_on(&planned.machine, Detail::Events);
    let named = |(lane, name): (Lane, &str)| {
        json!({
            "name": "thread_name", "ph": "M", "pid": PROCESS, "tid": row(lane),
            "args": { "name": name },
        })
    };
    let lanes = [(Lane::Loops, "loops"), (Lane::Compute, "compute"), (Lane::Links, "links")];
    let title = format!("one of {} devices of {}", planned.devices(), planned.machine.name);
    let process = json!({ "name": "process_name", "ph": "M", "pid": PROCESS, "args": { "name": title } });
    let events = step.events.iter().filter(|event| event.seconds > 0.0);
    let all: Vec<Value> = std::iter::once(process)
        .chain(lanes.into_iter().map(named))
        .chain(events.map(|event| complete(event, planned.module())))
        .collect();
    let trace = json!({ "displayTimeUnit": "ms", "traceEvents": all });
    format!("{trace:#}\n")
}

fn row(lane: Lane) -> u32 {
    match lane {
        Lane::Loops => 0,
        Lane::Compute => 1,
        Lane::Links => 2,
    }
}

fn complete(event: &Event, module: &Module) -> Value {
    let source = event.source.and_then(|id| module.sources.get(id));
    let op = source.and_then(|source| source.op_name.as_deref());
    let place = event.source.and_then(|id| module.place(id)).map(|place| match place {
        Place::Source { file, line, column } => format!("{file}:{line}:{column}"),
        Place::Span(span) => format!("bytes {}..{}", span.start, span.end),
    });
    json!({
        "name": event.name,
        "cat": match event.lane {
            Lane::Loops => "loop",
            Lane::Compute => "compute",
            Lane::Links => "collective",
        },
        "ph": "X",
        "ts": event.start * 1e6,
        "dur": event.seconds * 1e6,
        "pid": PROCESS,
        "tid": row(event.lane),
        "args": { "op": op, "place": place, "trips": event.trips },
    })
}
