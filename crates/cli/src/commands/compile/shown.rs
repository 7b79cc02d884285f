//! What a compiler says of a program, for people and for programs.

use super::Told;
use crate::commands::plan::planned::Planned;
use crate::report::Report;
use crate::units::{self, Unit};
use meshwright_pjrt::{CompiledMemory, NamedValue};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

pub fn report(planned: &Planned, told: &Told) -> Report {
    let text = head(planned, told)
        + &memory_text(planned, told)
        + &costs_text(planned, told)
        + &collectives_text(told);
    let saved = told.saved.as_ref().map_or(String::new(), |(path, bytes)| {
        format!("saved in {path}, {}\n", units::bytes(i64::try_from(*bytes).unwrap_or(i64::MAX)))
    });
    Report { text: text + &saved, json: members(planned, told), ..Report::default() }
}

fn head(planned: &Planned, told: &Told) -> String {
    let (major, minor) = told.plugin.version();
    let count = if told.devices == 1 { "1 device".into() } else { format!("{} devices", told.devices) };
    format!(
        "{} for {count} of {}, compiled in {:.1} s by {} (PJRT {major}.{minor})\n",
        planned.text.name,
        told.machine,
        told.seconds,
        told.plugin.path()
    )
}

/// Rows of the compiler's memory.
fn rows(memory: &CompiledMemory) -> [(&'static str, Option<i64>); 7] {
    [
        ("arguments", memory.arguments),
        ("results", memory.results),
        ("results in arguments", memory.aliased),
        ("temporaries", memory.temporaries),
        ("program", memory.code),
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
    let _ = writeln!(out, "  {:24} {:>10}", "planned here", unit.text(peak as f64));
    if let Some(total) = memory.total().filter(|_| planned.machine.network.devices() < i64::MAX) {
        let verdict = if total <= planned.machine.capacity { "fits" } else { "does not fit" };
        let _ = writeln!(out, "  {verdict} in {}", units::bytes(planned.machine.capacity));
    }
    out
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

fn costs_text(planned: &Planned, told: &Told) -> String {
    let known = COSTS.iter().filter_map(|(name, shown)| Some((*name, *shown, cost(told, name)?)));
    let mut out = String::new();
    for (name, shown, value) in known {
        let beside = match name {
            "flops" => format!(", planned here {:.4e} in products", planned.flops().0),
            "optimal_seconds" => format!(", planned here {:.4e}", planned.step.seconds),
            _ => String::new(),
        };
        let _ = writeln!(out, "  {shown:24} {value:>10.4e}{beside}");
    }
    if out.is_empty() { out } else { "a step of a device, as the compiler estimates it\n".to_string() + &out }
}

fn collectives_text(told: &Told) -> String {
    let Some(kept) = &told.kept else {
        return "the compiled program cannot be looked at\n".into();
    };
    let kinds: BTreeSet<&str> = told.written.keys().chain(kept.keys()).copied().collect();
    let mut out = format!("{:26} {:>10} {:>10}\n", "collectives", "written", "compiled");
    for kind in kinds {
        let count = |of: &meshwright_pjrt::Collectives| of.get(kind).copied().unwrap_or(0);
        let _ = writeln!(out, "  {kind:24} {:>10} {:>10}", count(&told.written), count(kept));
    }
    out
}

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
        ("collectives_written", json!(told.written)),
        ("collectives_compiled", json!(told.kept)),
        ("planned", json!({ "peak": planned.memory.peak, "step_s": planned.step.seconds })),
        ("capacity", json!(planned.machine.capacity)),
        ("saved", json!(told.saved.as_ref().map(|(path, _)| path))),
    ];
    members.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
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
