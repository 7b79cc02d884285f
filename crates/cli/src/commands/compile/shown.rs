//! What a compiler says of a program, for people and for programs.

use super::{Told, hlo_name};
use crate::commands::partition::{spared_json, spared_text};
use crate::commands::plan::order::better;
use crate::commands::plan::planned::Planned;
use crate::commands::plan::shown::{better_json, better_text};
use crate::failure::Fault;
use crate::plugins::Kind;
use crate::report::Report;
use crate::units::{self, Unit};
use meshwright_cost::traffic::PatternTotal;
use meshwright_pjrt::{Collectives, CompiledCollectives, CompiledMemory, Cycles, NamedValue, clock};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

pub fn report(planned: &Planned, told: &Told) -> Report {
    let text = head(planned, told)
        + &memory_text(planned, told)
        + &told.before.map_or(String::new(), |before| fitted_text(planned, before))
        + &planned.spared.as_ref().map_or(String::new(), |spared| format!("  {}\n", spared_text(spared)))
        + &costs_text(planned, told)
        + &better(planned).map_or(String::new(), |better| better_text(&better))
        + &collectives_text(planned, told);
    let saved = told.saved.as_ref().map_or(String::new(), |(path, bytes)| {
        format!("saved in {path}, {}\n", units::bytes(i64::try_from(*bytes).unwrap_or(i64::MAX)))
    });
    let exit = if fits(planned, told) == Some(false) { Fault::Input as u8 } else { 0 };
    Report { text: text + &saved, json: members(planned, told), exit, ..Report::default() }
}

/// Whether the compiler's total lies in the memory of the machine that was named, and in the limit that was asked for;
/// `None` where one side is unknown.
fn fits(planned: &Planned, told: &Told) -> Option<bool> {
    Some(told.memory.as_ref()?.total()? <= room(planned, told)?)
}

/// Bytes that a program may take of a device.
fn room(planned: &Planned, told: &Told) -> Option<i64> {
    let capacity = planned.machine.capacity;
    let named = (planned.machine.network.devices() < i64::MAX).then_some(capacity);
    [named, told.limit].into_iter().flatten().min()
}

fn head(planned: &Planned, told: &Told) -> String {
    let (major, minor) = told.plugin.version();
    let Told { devices, there, machine, seconds, .. } = told;
    let count = match devices {
        _ if devices < there => format!("{devices} of the {there} devices"),
        1 => "1 device".into(),
        _ => format!("{devices} devices"),
    };
    format!(
        "{} for {count} of {machine}, compiled in {seconds:.1} s by {} (PJRT {major}.{minor})\n",
        planned.text.name,
        told.plugin.path()
    )
}

/// Rows of the compiler's memory.
fn rows(memory: &CompiledMemory) -> [(&'static str, Option<i64>); 7] {
    [
        ("arguments", memory.arguments),
        ("results", memory.results),
        ("aliased results", memory.aliased),
        ("temporaries", memory.temporaries),
        // One that has none to tell says zero.
        ("program", memory.code.filter(|bytes| *bytes > 0)),
        ("total", memory.total()),
        ("peak", memory.peak),
    ]
}

fn memory_text(planned: &Planned, told: &Told) -> String {
    let Some(memory) = &told.memory else {
        return "the plugin tells nothing of memory\n".into();
    };
    let rows = rows(memory);
    let peak = planned.memory.peak;
    let largest = rows.iter().filter_map(|(_, bytes)| *bytes).fold(peak, i64::max);
    let unit = Unit::of_bytes(largest as f64);
    let mut out = format!("memory of a device, {}\n", unit.name);
    for (name, bytes) in rows {
        if let Some(bytes) = bytes {
            let _ = writeln!(out, "  {name:24} {:>10}", unit.text(bytes as f64));
        }
    }
    let _ = writeln!(out, "  {:24} {:>10}", "peak, planned here", unit.text(peak as f64));
    if memory.peak > memory.total() {
        out += "  the compiler's peak has values in memory on the chip, too; the total is of the device's memory alone\n";
    }
    if let (Some(fits), Some(room)) = (fits(planned, told), room(planned, told)) {
        let verdict = if fits { "fits" } else { "does not fit" };
        let asked = if told.limit == Some(room) { ", the limit that was asked for" } else { "" };
        let _ = writeln!(out, "  {verdict} in {}{asked}", units::bytes(room));
    }
    out
}

/// What it took to fit the machine.
fn fitted_text(planned: &Planned, (peak, seconds): (i64, f64)) -> String {
    let (now, slower) = (planned.memory.peak, 100.0 * (planned.step.seconds / seconds - 1.0));
    format!(
        "  loops and values that are computed or gathered again make it fit: {} at the peak instead of {}, and {slower:.1} % \
         more time, as planned here; the compiler may fit more: `--memory-limit` takes what is fastest within it\n",
        units::bytes(now),
        units::bytes(peak)
    )
}

/// What a compiler says of a run, by names that people read.
const COSTS: [(&str, &str); 4] = [
    ("flops", "flops"),
    ("transcendentals", "transcendentals"),
    ("bytes accessed", "bytes read and written"),
    ("optimal_seconds", "seconds"),
];

fn cost(told: &Told, wanted: &str) -> Option<f64> {
    let found = told.costs.iter().find(|(name, _)| name == wanted);
    // A compiler that has no estimate says less than nothing.
    found.and_then(|(_, value)| value.number()).filter(|number| *number > 0.0)
}

/// Seconds with the body of each loop as often as it runs: the compiler's own count it once. `None` where the machine's
/// clock would have to be known, and is not.
fn seconds(told: &Told) -> Option<f64> {
    let once = cost(told, "optimal_seconds")?;
    match looped(told) {
        Some(cycles) => Some(once + cycles.more_trips(clock(&told.machine)?)),
        None => Some(once),
    }
}

/// The cycles of a program that has loops.
fn looped(told: &Told) -> Option<Cycles> {
    told.cycles.filter(|cycles| cycles.loops > 0)
}

fn costs_text(planned: &Planned, told: &Told) -> String {
    let known = COSTS.iter().filter_map(|(name, shown)| Some((*name, *shown, cost(told, name)?)));
    let (looped, whole) = (looped(told), seconds(told));
    let mut out = String::new();
    for (name, shown, value) in known {
        let (value, beside) = match name {
            "flops" => (value, flops_text(planned, looped.is_some())),
            "optimal_seconds" => {
                let links = ", without the way over links";
                (
                    whole.unwrap_or(value),
                    format!("{links}; planned here, with it, {:.4e}", planned.step.seconds),
                )
            }
            _ => (value, String::new()),
        };
        let is_once = looped.is_some() && (name != "optimal_seconds" || whole.is_none());
        let once = if is_once { ", a loop's body once" } else { "" };
        let _ = writeln!(out, "  {shown:24} {value:>10.4e}{once}{beside}");
    }
    if cost(told, "optimal_seconds").is_none() {
        let _ = writeln!(
            out,
            "  {:24} {:>10}, this compiler estimates none here; planned here {:.4e}",
            "seconds", "none", planned.step.seconds
        );
    }
    if let Some(cycles) = looped {
        let _ =
            writeln!(out, "  {:24} {:>10.4e}, a loop's body once {:.4e}", "cycles", cycles.all, cycles.once);
        let _ = writeln!(out, "  {}", loops_text(told, &cycles));
    }
    "a step of a device, as the compiler estimates it\n".to_string() + &out
}

/// Flops of a device as they are counted here, in the compiler's way first.
fn flops_text(planned: &Planned, is_looped: bool) -> String {
    let (once, all) = planned_flops(planned);
    if is_looped {
        format!("; planned here {once:.4e} so, and {all:.4e} with all trips")
    } else {
        format!("; planned here {all:.4e}")
    }
}

/// All flops of a device: with a loop's body once, and as often as it runs.
fn planned_flops(planned: &Planned) -> (f64, f64) {
    let module = planned.module();
    (meshwright_cost::flops_once(module), meshwright_cost::traffic(module, &planned.machine).flops)
}

/// How the trips of loops come into what is told.
fn loops_text(told: &Told, cycles: &Cycles) -> String {
    let count = if cycles.loops == 1 { "1 loop".into() } else { format!("{} loops", cycles.loops) };
    let seconds = match (cost(told, "optimal_seconds"), clock(&told.machine)) {
        (Some(once), Some(clock)) => format!(
            "seconds are the compiler's {once:.4e} of one trip of each, and the cycles of all others at {:.2} GHz",
            clock / 1e9
        ),
        (Some(_), None) => {
            "the compiler's seconds have one trip of each: the clock of this machine is not known here".into()
        }
        (None, Some(clock)) => format!(
            "the cycles of all trips, at {:.2} GHz, are {:.4e} seconds",
            clock / 1e9,
            cycles.all as f64 / clock
        ),
        (None, None) => "the cycles of all trips are counted".into(),
    };
    let unread = match cycles.unread {
        0 => String::new(),
        unread => format!("; the trips of {unread} are not known, and count once"),
    };
    format!("{count}: {seconds}{unread}")
}

/// Runs and bytes of a device, by kind of collective.
fn sent(planned: &Planned) -> BTreeMap<&'static str, PatternTotal> {
    let counted = meshwright_cost::traffic(planned.module(), &planned.machine);
    counted.by_pattern.iter().map(|(pattern, total)| (hlo_name(*pattern), *total)).collect()
}

fn collectives_text(planned: &Planned, told: &Told) -> String {
    let Some(kept) = &told.kept else {
        return "the compiled program cannot be looked at\n".into();
    };
    let sent = sent(planned);
    let kinds = told.written.keys().chain(kept.counts.keys()).chain(sent.keys());
    let kinds: BTreeSet<&str> = kinds.copied().collect();
    if kinds.is_empty() {
        return "no collectives, neither written nor compiled\n".into();
    }
    let unit = Unit::of_bytes(sent.values().map(|total| total.sent).fold(0.0, f64::max));
    let mut out = format!(
        "{:26} {:>10} {:>10} {:>10} {:>14}\n",
        "collectives",
        "written",
        "compiled",
        "runs",
        format!("{} sent", unit.name)
    );
    for kind in kinds {
        let count = |of: &Collectives| of.get(kind).copied().unwrap_or(0);
        let (compiled, arrays) = (count(&kept.counts), count(&kept.arrays));
        let joined = if arrays > compiled { format!(", of {arrays} arrays") } else { String::new() };
        let total = sent.get(kind).copied().unwrap_or_default();
        let _ = writeln!(
            out,
            "  {kind:24} {:>10} {compiled:>10} {:>10.0} {:>14}{joined}",
            count(&told.written),
            total.count,
            unit.text(total.sent)
        );
    }
    let is_joined = |kind: &&&str| kept.arrays.get(**kind) > kept.counts.get(**kind);
    let joined: Vec<String> = kept.counts.keys().filter(is_joined).map(|kind| format!("{kind}s")).collect();
    if !joined.is_empty() {
        let _ = writeln!(out, "  several {} were joined in one (its combiners)", joined.join(", several "));
    }
    let is_tpu = Kind::of(Path::new(told.plugin.path())) == Kind::Tpu;
    let is_fewer = |(kind, count): (&&str, &usize)| kept.arrays.get(*kind).unwrap_or(&0) < count;
    if !is_tpu && told.written.iter().any(is_fewer) {
        out += "  fewer than were written: the compiler drops and merges those that give the same\n";
    }
    PASSES.iter().filter(|pass| is_tpu && (pass.shows)(&told.written, kept)).for_each(|pass| {
        let _ = writeln!(out, "  {}", pass.does);
    });
    out
}

/// A pass of the compiler that changes how often a kind of collective stands in a program.
struct CompilerPass {
    /// Whether the counts are such as it leaves them.
    shows: fn(&Collectives, &CompiledCollectives) -> bool,
    does: &'static str,
}

/// Those of the compiler of TPUs, as they were seen in what it dumps behind each pass.
const PASSES: [CompilerPass; 4] = [
    CompilerPass {
        shows: |written, kept| kept.arrays.get("reduce-scatter") < written.get("reduce-scatter"),
        does: "a reduce-scatter may become an all-reduce and a slice (`reduce-scatter-decomposer`), which run as one",
    },
    CompilerPass {
        shows: |written, kept| {
            let more = kept.counts.get("collective-permute") > written.get("collective-permute");
            more && kept.arrays.get("reduce-scatter") < written.get("reduce-scatter")
        },
        does: "where such a slice is not whole tiles, a permute moves the rest (`tpu-all-reduce-scatter-fusion`)",
    },
    CompilerPass {
        shows: |written, kept| kept.arrays.get("all-gather") < written.get("all-gather"),
        does: "an all-gather may become an all-reduce of pieces within zeros (`all_gather_decomposer`)",
    },
    CompilerPass {
        shows: |written, kept| kept.counts.get("all-gather") > written.get("all-gather"),
        does: "all-gathers are done again rather than kept, to fit the memory (`rematerialization`)",
    },
];

fn members(planned: &Planned, told: &Told) -> Map<String, Value> {
    let (major, minor) = told.plugin.version();
    let memory = told.memory.as_ref().map(|memory| {
        json!({
            "arguments": memory.arguments,
            "results": memory.results,
            "aliased": memory.aliased,
            "temporaries": memory.temporaries,
            "program": memory.code,
            "total": memory.total(),
            "peak": memory.peak,
        })
    });
    let cycles = told.cycles.map(
        |Cycles { once, all, loops, unread }| json!({ "once": once, "all": all, "loops": loops, "unread": unread }),
    );
    // Those of single operands are many, and of no use here.
    let costs = told.costs.iter().filter(|(name, _)| !name.contains('{'));
    let costs: Map<String, Value> = costs.map(|(name, value)| (name.clone(), cost_json(value))).collect();
    let members = [
        ("subject", json!(planned.text.name)),
        ("machine", json!(told.machine)),
        ("devices", json!(told.devices)),
        ("plugin", json!({ "path": told.plugin.path(), "api": format!("{major}.{minor}") })),
        ("compile_s", json!(told.seconds)),
        ("memory", json!(memory)),
        ("costs", Value::Object(costs)),
        ("optimal_s", json!(cost(told, "optimal_seconds"))),
        ("estimated_s", json!(seconds(told))),
        ("cycles", json!(cycles)),
        ("collectives_written", json!(told.written)),
        ("collectives_compiled", json!(told.kept.as_ref().map(|kept| &kept.counts))),
        ("collectives_sent", Value::Object(sent_json(planned))),
        ("collectives_arrays", json!(told.kept.as_ref().map(|kept| &kept.arrays))),
        (
            "planned",
            json!({
                "peak": planned.memory.peak,
                "step_s": planned.step.seconds,
                "flops": planned_flops(planned).1,
                "flops_once": planned_flops(planned).0,
                "spared": planned.spared.as_ref().map(spared_json),
                "before_it_fitted": told.before.map(|(peak, seconds)| json!({ "peak": peak, "step_s": seconds })),
            }),
        ),
        ("better_order", better(planned).as_ref().map_or(Value::Null, better_json)),
        ("capacity", json!(planned.machine.capacity)),
        ("limit", json!(told.limit)),
        ("fits", json!(fits(planned, told))),
        ("saved", json!(told.saved.as_ref().map(|(path, _)| path))),
    ];
    members.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn sent_json(planned: &Planned) -> Map<String, Value> {
    let total = |total: PatternTotal| json!({ "runs": total.count, "bytes": total.sent });
    sent(planned).into_iter().map(|(kind, of)| (kind.to_string(), total(of))).collect()
}

fn cost_json(value: &NamedValue) -> Value {
    match value {
        NamedValue::Text(text) => json!(text),
        NamedValue::Int(number) => json!(number),
        NamedValue::Ints(numbers) => json!(numbers),
        NamedValue::Float(number) => json!(number),
        NamedValue::Flag(flag) => json!(flag),
    }
}
