//! Plans of this machine held against it: steps that are predicted, and run.

use super::bench_step::{Ran, StepRan, ran};
use crate::args::DumpArgs;
use crate::engine::prepare;
use crate::failure::{Failure, Fault};
use crate::grid::{Cell, Grid, spread};
use crate::load::load_located;
use crate::native::Native;
use crate::report::Report;
use crate::watching::Shown;
use meshwright_base::Diagnostic;
use meshwright_cost::interval::estimates;
use meshwright_cost::machine::target::TARGET;
use meshwright_cost::{Estimate, Machine};
use meshwright_train::run::Watch;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Modules of a checkout that run on this machine.
pub const MODULES: [&str; 9] = [
    "tests/golden_steps/yardstick/small_step.mlir",
    "tests/golden/yardstick/stablehlo_shardy.mlir",
    "tests/golden/transformer/module.mlir",
    "tests/golden/transformer_scanned/module.mlir",
    "tests/golden/moe/module.mlir",
    "tests/golden/mlp/module.mlir",
    "tests/golden/lstm/module.mlir",
    "tests/golden/convnet/module.mlir",
    "tests/golden/adam/module.mlir",
];

/// A step as it was predicted and as it ran.
struct Beside {
    name: String,
    devices: usize,
    /// CPU seconds.
    cpu: Estimate,
    seconds: f64,
    peak: usize,
    ran: Ran,
    kinds: BTreeMap<&'static str, OfKind>,
    steps: Vec<Value>,
}

/// Steps of one kind, all together.
#[derive(Clone, Copy, Default)]
struct OfKind {
    runs: usize,
    /// CPU seconds with one worker.
    predicted: f64,
    measured: f64,
    /// Seconds with all workers.
    shared: f64,
    shared_measured: f64,
}

/// What a launch takes beside its steps, and waits of workers for each other.
const BETWEEN: &str = "between steps";

/// The machine of a file, which has to be there.
pub fn measured_machine(path: &Path) -> Result<Machine, Failure> {
    let target = crate::target::target(&path.display().to_string()).map_err(|told| {
        let diagnostic = Diagnostic::error(TARGET, told).help("run `meshwright bench machine` first");
        Failure::new(Fault::Environment, diagnostic)
    })?;
    Ok(target.device().clone())
}

/// Predicted steps beside measured ones.
pub fn against(path: &Path, files: &[PathBuf], repeat: u32, by_kind: bool) -> Result<Report, Failure> {
    let machine = measured_machine(path)?;
    let mut told = Shown::new(false);
    let mut rows = Vec::new();
    for file in files {
        told.note(&format!("{}", file.display()));
        rows.push(beside(file, &machine, repeat)?);
    }
    Ok(report(&rows, by_kind))
}

fn beside(file: &Path, machine: &Machine, repeat: u32) -> Result<Beside, Failure> {
    let loaded = load_located(file)?;
    let prepared = prepare(&loaded, None, &DumpArgs::default(), true)?;
    let native = Native::of(&prepared.program, prepared.devices)?;
    let [cpu] = estimates(machine, |machine| [native.cpu_seconds(machine)]);
    let ran = ran(&loaded, &prepared, repeat)?;
    let (kinds, steps) = by_kind(&native, machine, &ran);
    Ok(Beside {
        name: file.display().to_string(),
        devices: prepared.devices,
        cpu,
        seconds: native.step(machine).seconds,
        peak: native.peak(1),
        ran,
        kinds,
        steps,
    })
}

/// Predicted and measured seconds of each kind of step, and of each step.
fn by_kind(native: &Native, machine: &Machine, ran: &Ran) -> (BTreeMap<&'static str, OfKind>, Vec<Value>) {
    let mut kinds: BTreeMap<&'static str, OfKind> = BTreeMap::new();
    let mut steps = Vec::new();
    // Devices go side by side.
    let side_by_side = native.workers(machine).min(native.devices()) as f64;
    let parts = native.parts(machine).into_iter().zip(native.shared_parts(machine));
    for (at, (part, all)) in parts.enumerate() {
        let Some(found) = ran.steps.get(at).filter(|found| found.runs() > 0) else { continue };
        let measured = took(found, part.groups);
        let shared_measured = ran.shared.get(at).map_or(0.0, |found| took(found, part.groups)) / side_by_side;
        let info = part.info;
        let of = OfKind {
            runs: found.runs(),
            predicted: part.seconds,
            measured,
            shared: all.seconds,
            shared_measured,
        };
        kinds.entry(info.kind).or_default().add(of);
        steps.push(json!({
            "step": at, "name": info.name, "kind": info.kind, "runs": found.runs(), "bytes": info.bytes,
            "flops": info.flops(), "predicted_s": of.predicted, "measured_s": of.measured,
            "all_workers_predicted_s": of.shared, "all_workers_measured_s": of.shared_measured,
            "work": format!("{:?}", info.work), "distances": part.distances,
        }));
    }
    let sum = |of: fn(&OfKind) -> f64| kinds.values().map(of).sum::<f64>();
    let rest = OfKind {
        runs: 1,
        predicted: native.cpu_seconds(machine) - sum(|kind| kind.predicted),
        measured: ran.cpu - sum(|kind| kind.measured),
        shared: native.step(machine).seconds - sum(|kind| kind.shared),
        shared_measured: ran.seconds - sum(|kind| kind.shared_measured),
    };
    kinds.insert(BETWEEN, rest);
    (kinds, steps)
}

/// What a step took on all devices; a collective that these groups join, as long as who comes last.
fn took(found: &StepRan, groups: &[Vec<u32>]) -> f64 {
    match groups {
        [] => found.seconds(),
        groups => groups.iter().map(|group| found.joined(group)).sum(),
    }
}

impl OfKind {
    fn add(&mut self, other: OfKind) {
        self.runs += other.runs;
        self.predicted += other.predicted;
        self.measured += other.measured;
        self.shared += other.shared;
        self.shared_measured += other.shared_measured;
    }
}

/// Where predictions fail: the time of all programs by kinds of steps, and how far off each program's are.
fn kinds_grid(rows: &[Beside]) -> Grid {
    let mut grid = Grid::new([
        "kind of step",
        "programs",
        "runs",
        "CPU ms predicted",
        "CPU ms measured",
        "off %",
        "share of its programs %",
        "off by so many % of a program, median",
        "all workers: ms predicted",
        "ms measured",
        "off by so many % of a step, median",
    ]);
    let mut all: BTreeMap<&'static str, Vec<(OfKind, &Ran)>> = BTreeMap::new();
    for row in rows {
        for (kind, of) in &row.kinds {
            all.entry(kind).or_default().push((*of, &row.ran));
        }
    }
    for (kind, of) in all {
        let sum = |pick: &dyn Fn(&(OfKind, &Ran)) -> f64| of.iter().map(pick).sum::<f64>();
        let (predicted, measured) = (sum(&|of| of.0.predicted), sum(&|of| of.0.measured));
        let milli = |seconds: f64| Cell::shown(1e3 * seconds, format!("{:.3}", 1e3 * seconds));
        grid.row([
            Cell::text(kind),
            Cell::count(of.len() as i64),
            Cell::count(of.iter().map(|of| of.0.runs as i64).sum()),
            milli(predicted),
            milli(measured),
            Cell::number(100.0 * (predicted / measured - 1.0), 1),
            Cell::number(100.0 * measured / sum(&|of| of.1.cpu), 1),
            Cell::number(spread(of.iter().map(|(of, ran)| (of.predicted - of.measured) / ran.cpu)).0, 1),
            milli(sum(&|of| of.0.shared)),
            milli(sum(&|of| of.0.shared_measured)),
            Cell::number(
                spread(of.iter().map(|(of, ran)| (of.shared - of.shared_measured) / ran.seconds)).0,
                1,
            ),
        ]);
    }
    grid
}

fn report(rows: &[Beside], by_kind: bool) -> Report {
    let mut grid = Grid::new([
        "program",
        "devices",
        "CPU ms predicted",
        "between",
        "CPU ms measured",
        "off %",
        "step ms predicted",
        "step ms measured",
        "step off %",
        "peak bytes predicted",
        "peak bytes measured",
    ]);
    let milli = |seconds: f64| Cell::shown(1e3 * seconds, format!("{:.3}", 1e3 * seconds));
    for row in rows {
        let off = 100.0 * (row.cpu.value / row.ran.cpu - 1.0);
        grid.row([
            Cell::text(&row.name),
            Cell::count(row.devices as i64),
            milli(row.cpu.value),
            Cell::text(format!("{:.3} to {:.3}", 1e3 * row.cpu.low, 1e3 * row.cpu.high)),
            milli(row.ran.cpu),
            Cell::number(off, 1),
            milli(row.seconds),
            milli(row.ran.seconds),
            Cell::number(100.0 * (row.seconds / row.ran.seconds - 1.0), 1),
            Cell::count(row.peak as i64),
            Cell::count(row.ran.peak as i64),
        ]);
    }
    let (cpu, _) = spread(rows.iter().map(|row| (row.cpu.value / row.ran.cpu - 1.0).abs()));
    let (seconds, _) = spread(rows.iter().map(|row| (row.seconds / row.ran.seconds - 1.0).abs()));
    let within = rows.iter().filter(|row| row.cpu.contains(row.ran.cpu)).count();
    let peaks = rows.iter().filter(|row| row.peak == row.ran.peak).count();
    let all = rows.len();
    let text = format!(
        "{}\nmedian error: {cpu:.1} % of CPU seconds with one worker, {within} of {all} in their intervals; {seconds:.1} % of \
         seconds with all workers\npeaks of the engine with one worker as planned: {peaks} of {all}\n",
        grid.to_text()
    );
    let kinds = kinds_grid(rows);
    let text = if by_kind { format!("{text}\n{}", kinds.to_text()) } else { text };
    let steps = rows.iter().map(|row| json!({ "program": row.name, "steps": row.steps }));
    let report = Report::new(text).with("kinds", kinds.to_json());
    let report = if by_kind { report.with("steps", steps.collect::<Vec<_>>()) } else { report };
    report.with("rows", grid.to_json()).with("median_error", cpu / 100.0).with("equal_peaks", peaks)
}
