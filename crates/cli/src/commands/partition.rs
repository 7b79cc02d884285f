//! `partition`: one program for all devices.

use crate::args::{GroupStyle, PartitionArgs, Stage, Style};
use crate::commands::complete::{options_on, write_grouped};
use crate::failure::Failure;
use crate::input;
use crate::load::{Loaded, load, partitioned_twice};
use crate::located::{located, told_in_place};
use crate::output::is_stdout;
use crate::read::read_with_spans;
use crate::report::Report;
use crate::stages::Stages;
use crate::units;
use crate::usefulness::{self, Of};
use crate::written;
use meshwright_base::arrange::Arrange;
use meshwright_base::units::{bytes, count};
use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_compile::{Compiled, Options, PLAIN, STORED, Spared, StopAfter, Takes, Unobserved};
use meshwright_cost::peak::held_peak;
use meshwright_cost::{Coefficient, Machine, Traffic, Usefulness, step_seconds, traffic};
use meshwright_ir::Module;
use meshwright_opt::Rematerialized;
use meshwright_spmd::Goal;
use meshwright_spmd::embed::{Border, embed};
use meshwright_spmd::plan::whole::WholeOperand;
use meshwright_text::stablehlo::GroupForm;
use serde_json::{Map, Value, json};

pub fn partition(args: &PartitionArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.input.file)?;
    let memory_limit = args.memory_limit.or(args.target.as_ref().map(|target| target.device().capacity));
    let options = options_on(&args.input, args.target.as_ref(), &module)?;
    let spares_memory = options.spares_memory && args.memory_limit.is_none();
    let options = Options { memory_limit, spares_memory, ..options };
    let mut early: Vec<Diagnostic> = partitioned_twice(&module, &text).into_iter().collect();
    let asks_for_points = args.output.is_some() && args.stop_after.is_none() && args.memory_limit.is_none();
    let given = asks_for_points.then(|| module.clone());
    let again = |module| match args.stop_after {
        Some(stage) => meshwright_compile::plan(module, &options, last(stage), &mut Unobserved).map(drop),
        None => meshwright_compile::partition(module, &options, &mut Unobserved).map(drop),
    };
    let failed = |found| Failure::in_text(text.clone(), told_in_place(found, &text, again));
    let mut stages = Stages::new(&args.input.dump)?;
    let (mut remade, mut spared) = (None, None);
    let machine = &options.partition.machine;
    let (made, counted, useful, mut stats) = match args.stop_after {
        Some(stage) => {
            let (planned, _) =
                meshwright_compile::plan(module, &options, last(stage), &mut stages).map_err(failed)?;
            let made = planned.into_module();
            let counted = traffic(&made, machine);
            let useful = meshwright_cost::usefulness(&made, machine, &counted);
            let stats = stats(&made, &counted, &useful, &stages.whole, machine);
            (made, counted, useful, stats)
        }
        None => {
            let compiled = meshwright_compile::partition(module, &options, &mut stages).map_err(failed)?;
            remade = compiled.rematerialized.filter(|remade| remade.values > 0);
            spared = compiled.spared;
            let is_told = |told: &&Diagnostic| [STORED, PLAIN].contains(&told.code);
            early.extend(compiled.completion.conflicts.iter().filter(is_told).cloned());
            // Of the program of one device, however it is written.
            let local = compiled.program.module();
            let counted = traffic(local, machine);
            let useful = meshwright_cost::usefulness(local, machine, &counted);
            let stats = stats(local, &counted, &useful, &stages.whole, machine);
            (styled(args.style, compiled)?, counted, useful, stats)
        }
    };
    let dumped = stages.finish()?;
    with_again(&mut stats, remade.as_ref(), spared.as_ref());
    if let Some(path) = &args.stats {
        input::write_file(path, format!("{stats:#}\n").as_bytes())?;
    }
    let groups = match args.groups {
        GroupStyle::Axes => GroupForm::Axes,
        GroupStyle::Lists => GroupForm::Lists,
    };
    let module = write_grouped(&made, args.format, &text, groups);
    let mut notes = dumped + &notes(&stages.whole, |operand| render(&operand.note(), Some(&text)));
    notes.extend(early.iter().map(|note| render(note, Some(&text))));
    notes.extend(remade.as_ref().map(again_note));
    notes.extend(spared.as_ref().map(|spared| format!("note: {}\n", spared_text(spared))));
    let report = Report { notes, ..Report::default() }.with("stats", stats);
    let report = match (&args.output, &args.stats) {
        // Standard output has the statistics, and a file was not asked for.
        (None, Some(path)) if is_stdout(path) => report,
        (None, _) => return written::module(report, module, None),
        (Some(path), _) => written::module(report, module, Some(path))?,
    };
    let counted_in = if made.num_partitions.unwrap_or(1) > 1 { Of::Device } else { Of::Whole };
    let in_short = given.is_some().then(|| in_short(&text, &options)).flatten().unwrap_or_default();
    let points = given.and_then(|module| points(module, &options)).unwrap_or_default();
    let text = table(&counted) + &usefulness::text(&useful, counted_in) + &in_short + &points_table(&points);
    let points: Vec<Value> = points.iter().map(point_json).collect();
    Ok(Report { text, ..report }.with("points", points))
}

/// What is sent for which line, the peak and the time, of a program that is written to a file. It is partitioned once
/// more for that, with places of its own.
fn in_short(text: &SourceText, options: &Options) -> Option<String> {
    const MOST: usize = 30_000;
    let (read, spans) = read_with_spans(text).ok()?;
    let instructions: usize = read.funcs.values().map(|func| func.inst_count()).sum();
    if instructions > MOST {
        return None;
    }
    let options = Options { trust: true, ..options.clone() };
    let module = located(read, &spans, text);
    let explained = meshwright_explain::explain(module, &options, &mut Unobserved).ok()?;
    Some(meshwright_explain::in_short(&explained.explanation))
}

/// Time and memory of a program that could be had instead.
struct Costs {
    limit: Option<i64>,
    goal: Goal,
    seconds: f64,
    sent: f64,
    peak: i64,
}

/// Programs of more instructions are not made several times without being asked for.
const MOST_INSTRUCTIONS: usize = 4_000;

/// What the program costs in more and in less memory; `None` if there is no choice, or looking for it would take long.
fn points(module: Module, options: &Options) -> Option<Vec<Costs>> {
    let instructions: usize = module.funcs.values().map(|func| func.inst_count()).sum();
    if instructions > MOST_INSTRUCTIONS {
        return None;
    }
    let points = meshwright_compile::points(module, options).ok().filter(|points| points.len() > 1)?;
    let costs = points.iter().map(|point| {
        let (module, machine) = (point.program.module(), &options.partition.machine);
        let (limit, goal, peak) = (point.limit, point.goal, point.peak);
        let (seconds, sent) = (step_seconds(module, machine), traffic(module, machine).sent);
        Costs { limit, goal, seconds, sent, peak }
    });
    Some(costs.collect())
}

/// ```text
/// time against memory (each was partitioned)
///   estimated step  bytes sent  peak memory
///          1.25 us     2.05 kB      26.6 kB  no memory limit
/// ```
fn points_table(points: &[Costs]) -> String {
    let mut out = String::new();
    if !points.is_empty() {
        out += "\ntime against memory (each was partitioned)\n  estimated step  bytes sent  peak memory\n";
    }
    for point in points {
        let typed = match (point.limit, point.goal) {
            (None, Goal::Bytes) => "no memory limit".into(),
            (None, Goal::Seconds) => "--least seconds".into(),
            (Some(limit), Goal::Bytes) => format!("--memory-limit {limit}"),
            (Some(limit), Goal::Seconds) => format!("--least seconds --memory-limit {limit}"),
        };
        let (sent, peak) = (bytes(point.sent), bytes(point.peak as f64));
        out += &format!("  {:>14}  {sent:>10}  {peak:>11}  {typed}\n", units::seconds(point.seconds));
    }
    out
}

fn point_json(point: &Costs) -> Value {
    json!({
        "memory_limit": point.limit,
        "least": match point.goal {
            Goal::Bytes => "bytes",
            Goal::Seconds => "seconds",
        },
        "estimated_seconds": point.seconds,
        "bytes_sent": point.sent,
        "program_peak_bytes": point.peak,
    })
}

fn last(stage: Stage) -> StopAfter {
    match stage {
        Stage::Plan => StopAfter::Plan,
        Stage::Pad => StopAfter::Pad,
        Stage::Reshard => StopAfter::Reshard,
    }
}

fn styled(style: Style, compiled: Compiled) -> Result<Module, Failure> {
    match style {
        Style::Plain => Ok(compiled.program.into_module()),
        Style::Embedded => embed(&compiled.program, Border::Exact).map_err(Failure::input),
    }
}

/// What the memory limit costs.
fn again_note(again: &Rematerialized) -> String {
    format!(
        "note: {} recomputed to reduce peak memory from {} to {}, with {:.2}% more flops\n",
        count(again.values, "value"),
        units::bytes(again.before),
        units::bytes(again.after),
        100.0 * again.share()
    )
}

/// Notes that are shown; the statistics have all.
const SHOWN: usize = 10;

/// What is put together because it must be, the largest first.
fn notes(whole: &[WholeOperand], show: impl Fn(&WholeOperand) -> String) -> String {
    let mut largest: Vec<&WholeOperand> = whole.iter().collect();
    largest.arrange_by_key(|operand| std::cmp::Reverse(operand.bytes));
    let shown: String = largest.iter().take(SHOWN).map(|operand| show(operand)).collect();
    match largest.len().saturating_sub(SHOWN) {
        0 => shown,
        more => {
            let more = count(more, "smaller operand");
            format!("{shown}note: {more} gathered in full as well; `--stats` lists all\n")
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

/// Per-device totals of a program for who has it in memory: what `--stats` writes.
pub fn stats_of(compiled: &Compiled, whole: &[WholeOperand], machine: &Machine) -> Value {
    let local = compiled.program.module();
    let counted = traffic(local, machine);
    let useful = meshwright_cost::usefulness(local, machine, &counted);
    let mut stats = stats(local, &counted, &useful, whole, machine);
    let remade = compiled.rematerialized.as_ref().filter(|remade| remade.values > 0);
    with_again(&mut stats, remade, compiled.spared.as_ref());
    stats
}

/// What is done again, and for what.
fn with_again(stats: &mut Value, remade: Option<&Rematerialized>, spared: Option<&Spared>) {
    if let Some(again) = remade {
        stats["rematerialized"] = again_json(again);
    }
    if let Some(spared) = spared {
        stats["spared"] = spared_json(spared);
    }
}

/// What is computed or gathered again to spare memory, and what that costs.
pub fn spared_text(Spared { values, before, after }: &Spared) -> String {
    let (peak, was) = (units::bytes(after.bytes), units::bytes(before.bytes));
    let slower = 100.0 * (after.seconds / before.seconds - 1.0);
    let price = match slower {
        0.05.. => {
            format!("{slower:.1}% more time; `--memory-limit` keeps the faster program where it fits")
        }
        ..-0.05 => format!("{:.1}% less time", -slower),
        _ => "no more time".into(),
    };
    let values = count(*values, "value");
    format!(
        "{values} recomputed or gathered again to save memory: peak memory {peak} instead of {was}, {price}"
    )
}

pub fn spared_json(spared: &Spared) -> Value {
    let takes = |takes: &Takes| json!({ "seconds": takes.seconds, "peak_bytes": takes.bytes });
    json!({ "values": spared.values, "before": takes(&spared.before), "after": takes(&spared.after) })
}

fn again_json(again: &Rematerialized) -> Value {
    json!({ "values": again.values, "flops": again.again, "share": again.share() })
}

/// Per-device totals as JSON.
fn stats(
    module: &Module,
    traffic: &Traffic,
    useful: &Usefulness,
    whole: &[WholeOperand],
    machine: &Machine,
) -> Value {
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
        "program_peak_bytes": held_peak(module, machine.holds()),
        "whole_operands": whole.iter().map(whole_operand).collect::<Vec<_>>(),
        "bytes_sent": traffic.sent,
        "collectives_run": traffic.collectives,
        "contraction_flops": traffic.contraction_flops,
        "flops": traffic.flops,
        "work": usefulness::to_json(useful),
        "estimated_seconds": step_seconds(module, machine),
        "machine": machine_json(machine),
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

/// What decides between plans.
fn machine_json(machine: &Machine) -> Value {
    json!({
        "name": machine.name,
        "flops": machine[Coefficient::Products],
        "memory": machine[Coefficient::Memory],
        "link": machine[Coefficient::Link],
        "latency": machine[Coefficient::Start],
    })
}

/// The table of per-device totals.
pub fn table(traffic: &Traffic) -> String {
    let row =
        |name: String, count: f64, sent: f64| format!("  {name:14}  {count:6}  {:>10} sent\n", bytes(sent));
    let mut out = String::from("collectives per device and step\n");
    for (pattern, total) in &traffic.by_pattern {
        out += &row(pattern.to_string(), total.count, total.sent);
    }
    out += &row("total".into(), traffic.collectives, traffic.sent);
    out + &format!("contractions per device and step\n  {:.4e} flops\n", traffic.contraction_flops)
}
