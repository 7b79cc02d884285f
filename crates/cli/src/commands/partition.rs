//! `partition`: one program for all devices.

use crate::args::{PartitionArgs, Stage, Style};
use crate::commands::complete::{options, write};
use crate::failure::Failure;
use crate::input;
use crate::load::{Loaded, load};
use crate::located::told_in_place;
use crate::report::Report;
use crate::stages::Stages;
use meshwright_compile::{Compiled, Options, Unobserved};
use meshwright_cost::{Machine, Traffic, program_peak, traffic};
use meshwright_ground::render;
use meshwright_ir::Module;
use meshwright_opt::Rematerialized;
use meshwright_spmd::plan::whole::WholeOperand;
use serde_json::{Map, Value, json};

pub fn partition(args: &PartitionArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.input.file)?;
    let options = Options { memory_limit: args.memory_limit, ..options(&args.input) };
    let again = |module| match args.stop_after {
        Some(stage) => meshwright_compile::plan(module, &options, name(stage), &mut Unobserved).map(drop),
        None => meshwright_compile::partition(module, &options, &mut Unobserved).map(drop),
    };
    let failed = |found| Failure::in_text(text.clone(), told_in_place(found, &text, again));
    let mut stages = Stages::new();
    let mut remade = None;
    let made = match args.stop_after {
        Some(stage) => {
            let (planned, _) =
                meshwright_compile::plan(module, &options, name(stage), &mut stages).map_err(failed)?;
            planned.into_module()
        }
        None => {
            let compiled = meshwright_compile::partition(module, &options, &mut stages).map_err(failed)?;
            remade = compiled.rematerialized.filter(|remade| remade.values > 0);
            styled(args.style, compiled)?
        }
    };
    stages.finish()?;
    let counted = traffic(&made, &options.partition.machine);
    let mut stats = stats(&made, &counted, &stages.whole);
    if let Some(again) = &remade {
        stats["rematerialized"] =
            json!({ "values": again.values, "flops": again.again, "share": again.share() });
    }
    if let Some(path) = &args.stats {
        input::write_file(path, format!("{stats:#}\n").as_bytes())?;
    }
    let written = write(&made, args.format, &text);
    let mut notes = notes(&stages.whole, |operand| render(&operand.note(), Some(&text)));
    notes.extend(remade.as_ref().map(again_note));
    let report = Report { notes, ..Report::default() }.with("stats", stats);
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

/// What the memory limit costs.
fn again_note(again: &Rematerialized) -> String {
    format!(
        "note: {} values are computed again so that the program peak falls from {} to {} bytes: {:.2} % more flops\n",
        again.values,
        again.before,
        again.after,
        100.0 * again.share()
    )
}

/// Notes that are shown; the statistics have all.
const SHOWN: usize = 10;

/// What is put together because it must be, the largest first.
fn notes(whole: &[WholeOperand], show: impl Fn(&WholeOperand) -> String) -> String {
    let mut largest: Vec<&WholeOperand> = whole.iter().collect();
    largest.sort_by_key(|operand| std::cmp::Reverse(operand.bytes));
    let shown: String = largest.iter().take(SHOWN).map(|operand| show(operand)).collect();
    match largest.len().saturating_sub(SHOWN) {
        0 => shown,
        more => {
            format!("{shown}note: {more} smaller operands are put together as well; `--stats` lists all\n")
        }
    }
}

/// Count and bytes of each kind of collective, as JSON.
pub fn by_kind(traffic: &Traffic) -> Map<String, Value> {
    let kinds = traffic.by_pattern.iter();
    kinds
        .map(|(kind, total)| (kind.to_string(), json!({ "count": total.count, "bytes": total.sent })))
        .collect()
}

/// Per-device totals as JSON.
fn stats(module: &Module, traffic: &Traffic, whole: &[WholeOperand]) -> Value {
    let groups: Vec<Value> = traffic
        .by_group
        .iter()
        .map(|((pattern, members), total)| {
            json!({
                "kind": pattern.to_string(),
                "axes": members.axes,
                "group_size": members.size,
                "count": total.count,
                "bytes": total.sent,
            })
        })
        .collect();
    let main = module.main();
    let parameters: i64 = main.param_values().iter().map(|value| main.ty(*value).byte_size()).sum();
    json!({
        "collectives": by_kind(traffic),
        "groups": groups,
        "parameter_bytes": parameters,
        "program_peak_bytes": program_peak(module),
        "whole_operands": whole.iter().map(whole_operand).collect::<Vec<_>>(),
        "bytes_sent": traffic.sent,
        "collectives_run": traffic.collectives,
        "contraction_flops": traffic.contraction_flops,
        "flops": traffic.flops,
        "estimated_seconds": traffic.seconds,
        "machine": machine(&Machine::default()),
    })
}

fn whole_operand(operand: &WholeOperand) -> Value {
    json!({
        "value": operand.value,
        "op": operand.op,
        "place": operand.place.as_ref().map(|place| crate::report::place_json(place, None)),
        "dims": operand.dims,
        "bytes": operand.bytes,
        "reason": format!("{:?}", operand.reason).to_lowercase(),
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
