//! `partition`: one program for all devices.

use crate::args::{PartitionArgs, Stage, Style};
use crate::commands::complete::{options, write};
use crate::failure::Failure;
use crate::input;
use crate::load::{Loaded, load};
use crate::report::Report;
use meshwright_compile::{Compiled, Unobserved};
use meshwright_cost::{Machine, Traffic, traffic};
use meshwright_ir::Module;
use serde_json::{Map, Value, json};

pub fn partition(args: &PartitionArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.input.file)?;
    let options = options(&args.input);
    let failed = |found| Failure::in_text(text.clone(), found);
    let made = match args.stop_after {
        Some(stage) => {
            let (planned, _) =
                meshwright_compile::plan(module, &options, name(stage), &mut Unobserved).map_err(failed)?;
            planned.into_module()
        }
        None => {
            let compiled =
                meshwright_compile::partition(module, &options, &mut Unobserved).map_err(failed)?;
            styled(args.style, compiled)?
        }
    };
    let counted = traffic(&made, &options.partition.machine);
    if let Some(path) = &args.stats {
        input::write_file(path, format!("{:#}\n", stats(&counted)).as_bytes())?;
    }
    let written = write(&made, args.format, &text);
    let report = Report::default().with("stats", stats(&counted));
    let Some(path) = &args.output else {
        return Ok(Report { text: written.clone(), ..report }.with("text", written));
    };
    input::write_file(path, written.as_bytes())?;
    Ok(Report { text: table(&counted), ..report }.with("output", path.display().to_string()))
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Plan => "plan",
        Stage::Pad => "pad",
        Stage::Reshard => "reshard",
    }
}

fn styled(style: Style, compiled: Compiled) -> Result<Module, Failure> {
    match style {
        Style::Plain => Ok(compiled.program.into_module()),
        Style::Embedded => meshwright_spmd::embed::embed(&compiled.program).map_err(Failure::input),
    }
}

/// Per-device totals as JSON.
pub fn stats(traffic: &Traffic) -> Value {
    let by_pattern: Map<String, Value> = traffic
        .by_pattern
        .iter()
        .map(|(pattern, total)| (pattern.to_string(), json!({ "count": total.count, "bytes": total.sent })))
        .collect();
    json!({
        "collectives": by_pattern,
        "bytes_sent": traffic.sent,
        "collectives_run": traffic.collectives,
        "contraction_flops": traffic.contraction_flops,
        "flops": traffic.flops,
        "estimated_seconds": traffic.seconds,
        "machine": machine(&Machine::default()),
    })
}

fn machine(machine: &Machine) -> Value {
    json!({ "flops": machine.flops, "memory": machine.memory, "link": machine.link, "latency": machine.latency })
}

/// Per-device totals for people.
pub fn table(traffic: &Traffic) -> String {
    let mut out = String::from("per device and run:\n");
    for (pattern, total) in &traffic.by_pattern {
        out += &format!("  {:15} {:6} {:>14.0} bytes sent\n", pattern.to_string(), total.count, total.sent);
    }
    out += &format!("  {:15} {:6} {:>14.0} bytes sent\n", "all", traffic.collectives, traffic.sent);
    out + &format!("  {:.4e} flops in contractions\n", traffic.contraction_flops)
}
