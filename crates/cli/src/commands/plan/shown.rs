//! A plan for people and for programs.

use super::fit::Ways;
use super::memory::{Inputs, Live, Memory};
use super::order::Better;
use super::planned::{Parts, Planned};
use super::sweep::{Candidate, Outcome};
use crate::commands::partition::{spared_json, spared_text};
use crate::failure::Fault;
use crate::plan_args::PlanArgs;
use crate::report::{Report, place_json};
use crate::training::{mesh_text, shown_axes};
use crate::units;
use meshwright_base::Ask;
use meshwright_base::diagnostic::Place;
use meshwright_base::units::count;
use meshwright_cost::simulate::Communication;
use meshwright_cost::traffic::Members;
use meshwright_cost::{Estimate, Pattern};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Everything that was found.
pub fn report(
    planned: &Planned,
    limit: i64,
    ways: Option<&Ways>,
    better: Option<&Better>,
    args: &PlanArgs,
) -> Report {
    let parts = planned.parts();
    let roofline = planned.roofline();
    let text = head(planned)
        + &memory_text(&planned.memory, planned.machine.fuses && planned.native.is_none(), limit, args.top)
        + &planned.spared.as_ref().map_or(String::new(), |spared| format!("  {}\n", spared_text(spared)))
        + &ways.map_or(String::new(), ways_text)
        + &step_text(planned, &parts)
        + &communication_text(planned)
        + &rates_text(planned, &parts, roofline)
        + &better.map_or(String::new(), better_text)
        + &unknown_text(planned);
    let json = members(planned, &parts, roofline, limit, ways, better, args);
    let exit = if planned.memory.peak > limit { Fault::Input as u8 } else { 0 };
    Report { text, json, exit, ..Report::default() }
}

/// ```text
/// step.mlir on 8 devices of tpu-v4 (line 2, line 2, line 2), mesh data=4,model=2
///   axis data   line 1 (2 of 2), line 0 (2 of 2)
/// ```
fn head(planned: &Planned) -> String {
    let machine = &planned.machine;
    let name = &planned.text.name;
    let mesh =
        if planned.mesh.0.is_empty() { String::new() } else { format!(", {}", mesh_text(&planned.mesh)) };
    let devices = count(usize::try_from(planned.devices()).unwrap_or(0), "device");
    let idle = machine.network.devices() - planned.devices();
    match machine.workers {
        // Threads of one process have no network.
        Some(workers) => {
            let workers = count(usize::try_from(workers).unwrap_or(0), "worker");
            format!("{name} on {devices} of {} (one process, {workers}){mesh}\n", machine.name)
        }
        None => {
            let network = machine.network.text();
            let idle = match usize::try_from(idle).unwrap_or(0) {
                0 => String::new(),
                idle => format!("  the mesh leaves {} of the target idle\n", count(idle, "device")),
            };
            format!("{name} on {devices} of {} ({network}){mesh}\n", machine.name)
                + &idle
                + &axes_text(planned)
        }
    }
}

/// The place of each axis of the mesh in the network.
fn axes_text(planned: &Planned) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (_, mesh, wiring) in planned.wired.meshes() {
        for axis in mesh.whole_axes().into_iter().filter(|axis| axis.size > 1) {
            rows.push((&mesh.axes[axis.axis].name, wiring.text(mesh, axis, &planned.machine.network)));
        }
    }
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(name, place)| format!("  axis {name:widest$}  {place}\n")).collect()
}

fn memory_text(memory: &Memory, fuses: bool, limit: i64, top: usize) -> String {
    let mut out = String::from("\nmemory per device\n");
    for (name, bytes) in memory.inputs.rows().into_iter().chain([("activations", memory.activations)]) {
        let _ = writeln!(out, "  {name:26}  {:>10}", units::bytes(bytes));
    }
    let verdict = if memory.peak <= limit { "fits in" } else { "does not fit in" };
    let fused = if fuses { "after loop fusion, " } else { "" };
    let _ = writeln!(
        out,
        "  {:26}  {:>10}  {fused}{verdict} {}",
        "peak memory",
        units::bytes(memory.peak),
        units::bytes(limit)
    );
    if !memory.largest.is_empty() && top > 0 {
        out += "  largest values live at the peak\n";
    }
    let widest = memory.largest.iter().take(top).map(|live| live.ty.chars().count()).max().unwrap_or(0);
    for live in memory.largest.iter().take(top) {
        let place = live.place.as_ref().map_or(String::new(), |place| format!(", {}", shown_place(place)));
        let _ =
            writeln!(out, "  {:>10}  {:widest$}  {}{place}", units::bytes(live.bytes), live.ty, live.what);
    }
    out
}

fn shown_place(place: &Place) -> String {
    match place {
        Place::Source { file, line, .. } => format!("{file}:{line}"),
        Place::Span(span) => format!("byte {}", span.start),
    }
}

fn ways_text(ways: &Ways) -> String {
    let mut out = String::from("\nchanges that fit (each was partitioned)\n");
    for way in &ways.fitting {
        let (peak, seconds) = (units::bytes(way.peak), units::seconds(way.seconds));
        let _ =
            writeln!(out, "  {}\n    {}: peak memory {peak}, estimated step {seconds}", way.typed, way.what);
    }
    if ways.fitting.is_empty() {
        let _ = writeln!(out, "  none found; the smallest peak memory is {}", units::bytes(ways.least));
    }
    out
}

fn seconds_text(name: &str, of: Estimate, whole: f64) -> String {
    // A sum of nothing is no less than nothing.
    let share = 100.0 * of.value / whole.max(f64::MIN_POSITIVE) + 0.0;
    let [value, low, high] = [of.value, of.low, of.high].map(units::seconds);
    format!("  {name:26}  {value:>10}  {low:>8} to {high:>8}  {share:5.1}%\n")
}

fn step_text(planned: &Planned, parts: &Parts) -> String {
    let whole = parts.seconds.value;
    let mut out =
        format!("\nestimated step on {}, per device (with its 90% interval)\n", planned.machine.name);
    out += &seconds_text("step", parts.seconds, whole);
    out += &seconds_text("compute", parts.compute, whole);
    for (kind, seconds) in &planned.step.computing {
        let share = 100.0 * seconds / whole;
        let _ = writeln!(out, "    {:24}  {:>10}{share:29.1}%", kind.name(), units::seconds(*seconds));
    }
    out += &seconds_text("exposed communication", parts.exposed, whole);
    out += &seconds_text("hidden communication", parts.hidden, whole);
    if parts.bubbles.value > 0.0 {
        out += &seconds_text("pipeline bubbles, of step", parts.bubbles, whole);
    }
    if parts.again.value > 0.0 {
        out += &seconds_text("recomputation, of compute", parts.again, whole);
    }
    out
}

fn communication_text(planned: &Planned) -> String {
    if planned.step.communication.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{:16}  {:20} {:>8} {:>12} {:>10} {:>10} {:>10}\n",
        "collectives", "axes", "count", "sent", "time", "exposed", "hidden",
    );
    for ((pattern, members), of) in &planned.step.communication {
        let axes = match &members.axes {
            Some(axes) => axes.replace(['{', '}', '"'], "").replace(", ", "*"),
            None => format!("groups of {}", members.size),
        };
        let _ = writeln!(
            out,
            "  {:14}  {axes:20} {:8.0} {:>12} {:>10} {:>10} {:>10}",
            pattern.to_string(),
            of.count,
            units::bytes(of.sent as i64),
            units::seconds(of.seconds),
            units::seconds(of.exposed),
            units::seconds(of.hidden()),
        );
    }
    out
}

fn rates_text(planned: &Planned, parts: &Parts, roofline: f64) -> String {
    let (raw, useful) = planned.flops();
    let share = |flops: f64| parts.seconds.under(flops / planned.peak_flops()).times(100.0);
    let (useful, raw) = (share(useful), share(raw));
    let mut out = String::from("\nflops\n");
    let _ = writeln!(
        out,
        "  utilization  useful {:.1}% ({:.1}% to {:.1}%), raw {:.1}%\n  \
         roofline     {} per step, of which the step reaches {:.1}%",
        useful.value,
        useful.low,
        useful.high,
        raw.value,
        units::seconds(roofline),
        100.0 * roofline / parts.seconds.value
    );
    let (all, used) = planned.flops();
    let forward = planned.forward / planned.devices() as f64;
    let _ = writeln!(
        out,
        "  per device   {all:.4e} in products per step, {used:.4e} of them useful, {forward:.4e} in the forward pass"
    );
    let by = |all: Option<f64>| all.map(|all| planned.forward / all);
    if let (Some(token), Some(sequence)) = (by(planned.tokens), by(planned.sequences)) {
        let rate = planned.tokens_per_second().unwrap_or(0.0);
        let _ = writeln!(
            out,
            "  forward pass {token:.4e} per token, {sequence:.4e} per sequence\n  throughput   {rate:.4e} tokens/s"
        );
    }
    out
}

pub fn better_text(better: &Better) -> String {
    let mut out = format!(
        "\nmesh `{}` does not match the network: estimated step {}, and {} with its devices in another order\n",
        better.mesh,
        units::seconds(better.seconds),
        units::seconds(better.better)
    );
    for (axis, before, after) in &better.lies {
        let _ = writeln!(out, "  axis {axis}: {before} -> {after}");
    }
    let axes: Vec<_> = better.axes.iter().map(|(name, size)| (name.to_string(), *size as usize)).collect();
    let _ = writeln!(
        out,
        "  list the axes as `{}`, or give the mesh a device order ({} has it)",
        Ask::Sizes("mesh", &axes),
        Ask::Either { line: "`--json`", python: "`data`" }
    );
    out
}

fn unknown_text(planned: &Planned) -> String {
    let mut out = String::new();
    for unknown in planned.unknown() {
        let place = planned.module().place(unknown.source).map(|place| format!(" ({})", shown_place(&place)));
        let _ = writeln!(out, "\nnot included, cost unknown: {}{}", unknown.what, place.unwrap_or_default());
    }
    out
}

fn estimate_json(of: Estimate) -> Value {
    json!({ "value": of.value, "low": of.low, "high": of.high })
}

fn members(
    planned: &Planned,
    parts: &Parts,
    roofline: f64,
    limit: i64,
    ways: Option<&Ways>,
    better: Option<&Better>,
    args: &PlanArgs,
) -> Map<String, Value> {
    let (raw, useful) = planned.flops();
    let share = |flops: f64| estimate_json(parts.seconds.under(flops / planned.peak_flops()));
    let collectives: Vec<Value> = planned.step.communication.iter().map(communication_json).collect();
    let computing = planned.step.computing.iter().map(|(kind, seconds)| (kind.name().into(), json!(seconds)));
    let unknown: Vec<&str> = planned.unknown().iter().map(|unknown| &*unknown.what).collect();
    let members = [
        ("subject", json!(planned.text.name)),
        ("devices", json!(planned.devices())),
        ("mesh", json!(shown_axes(&planned.mesh))),
        ("machine", Value::Object(crate::target::to_json(&planned.machine))),
        ("memory", memory_json(&planned.memory, limit, args.top)),
        ("spared", json!(planned.spared.as_ref().map(spared_json))),
        ("step_s", estimate_json(parts.seconds)),
        ("computing_s", estimate_json(parts.compute)),
        ("computing_by_kind_s", Value::Object(computing.collect())),
        ("exposed_s", estimate_json(parts.exposed)),
        ("hidden_s", estimate_json(parts.hidden)),
        ("bubbles_s", estimate_json(parts.bubbles)),
        ("again_s", estimate_json(parts.again)),
        ("collectives", json!(collectives)),
        ("useful_utilization", share(useful)),
        ("raw_utilization", share(raw)),
        ("flops", json!(raw)),
        ("useful_flops", json!(useful)),
        ("roofline_s", json!(roofline)),
        ("forward_flops", json!(planned.forward)),
        ("tokens", json!(planned.tokens)),
        ("sequences", json!(planned.sequences)),
        ("tokens_per_s", json!(planned.tokens_per_second())),
        ("would_fit", ways.map_or(Value::Null, ways_json)),
        ("better_order", better.map_or(Value::Null, better_json)),
        ("unknown", json!(unknown)),
    ];
    members.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn communication_json(((pattern, members), of): (&(Pattern, Members), &Communication)) -> Value {
    json!({
        "kind": pattern.to_string(),
        "axes": members.axes,
        "group_size": members.size,
        "count": of.count,
        "bytes": of.sent,
        "seconds": of.seconds,
        "exposed_s": of.exposed,
        "hidden_s": of.hidden(),
        "algorithm": of.algorithm.map(|algorithm| format!("{algorithm:?}").to_lowercase()),
    })
}

fn memory_json(memory: &Memory, limit: i64, top: usize) -> Value {
    let live = |live: &Live| {
        json!({
            "bytes": live.bytes,
            "type": live.ty,
            "op": live.what,
            "place": live.place.as_ref().map(|place| place_json(place, None)),
        })
    };
    let (named, plain) = match memory.inputs {
        Inputs::Named { parameters, optimizer, batch } => (Some([parameters, optimizer, batch]), None),
        Inputs::Plain { state, read } => (None, Some([state, read])),
    };
    json!({
        "parameters": named.map(|[parameters, ..]| parameters),
        "optimizer": named.map(|[_, optimizer, _]| optimizer),
        "batch": named.map(|[.., batch]| batch),
        "state": memory.inputs.state(),
        "read": plain.map(|[_, read]| read),
        "activations": memory.activations,
        "peak": memory.peak,
        "limit": limit,
        "fits": memory.peak <= limit,
        "largest": memory.largest.iter().take(top).map(live).collect::<Vec<_>>(),
    })
}

fn ways_json(ways: &Ways) -> Value {
    let one = |way: &super::fit::Fitting| json!({ "typed": way.typed, "what": way.what, "peak": way.peak, "step_s": way.seconds });
    json!({ "least_peak": ways.least, "ways": ways.fitting.iter().map(one).collect::<Vec<_>>() })
}

pub fn better_json(better: &Better) -> Value {
    json!({
        "mesh": better.mesh,
        "step_s": better.seconds,
        "better_s": better.better,
        "axes": better.axes.iter().map(|(name, size)| json!([name, size])).collect::<Vec<_>>(),
        "device_order": better.devices,
    })
}

/// A row of a sweep.
pub fn row_json(row: &Candidate) -> Value {
    let mesh = shown_axes(&row.mesh);
    match &row.outcome {
        Outcome::Refused(why) => json!({ "mesh": mesh, "batch": row.batch, "refused": why }),
        Outcome::Planned(of) => json!({
            "mesh": mesh,
            "batch": row.batch,
            "step_s": of.seconds,
            "peak": of.peak,
            "fits": of.fits,
            "useful_utilization": of.useful,
            "exposed_s": of.exposed,
            "tokens_per_s": of.tokens_per_second,
        }),
    }
}
