//! Plans of this machine held against it: steps that are predicted, and run.

use super::bench_step::{Ran, ran};
use crate::args::DumpArgs;
use crate::engine::prepare;
use crate::failure::{Failure, Fault};
use crate::load::load_located;
use crate::native::Native;
use crate::papers::grid::{Cell, Grid};
use crate::report::Report;
use crate::watching::Shown;
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_cost::interval::estimates;
use meshwright_cost::machine::target::TARGET;
use meshwright_cost::{Estimate, Machine};
use meshwright_train::run::Watch;
use std::path::{Path, PathBuf};

/// A step as it was predicted and as it ran.
struct Beside {
    name: String,
    devices: usize,
    /// CPU seconds.
    cpu: Estimate,
    seconds: f64,
    peak: usize,
    ran: Ran,
}

/// The machine of a file, which has to be there.
pub fn measured_machine(path: &Path) -> Result<Machine, Failure> {
    let target = crate::target::target(&path.display().to_string()).map_err(|told| {
        let diagnostic = Diagnostic::error(TARGET, told).help("run `meshwright bench machine` first");
        Failure::new(Fault::Environment, diagnostic)
    })?;
    Ok(target.device().clone())
}

/// Predicted steps beside measured ones.
pub fn against(path: &Path, files: &[PathBuf], repeat: u32) -> Result<Report, Failure> {
    let machine = measured_machine(path)?;
    let mut told = Shown::new(false);
    let mut rows = Vec::new();
    for file in files {
        told.note(&format!("{}", file.display()));
        rows.push(beside(file, &machine, repeat)?);
    }
    Ok(report(&rows))
}

fn beside(file: &Path, machine: &Machine, repeat: u32) -> Result<Beside, Failure> {
    let loaded = load_located(file)?;
    let prepared = prepare(&loaded, None, &DumpArgs::default(), true)?;
    let native = Native::of(&prepared.program, prepared.devices)?;
    let [cpu] = estimates(machine, |machine| [native.cpu_seconds(machine)]);
    Ok(Beside {
        name: file.display().to_string(),
        devices: prepared.devices,
        cpu,
        seconds: native.step(machine).seconds,
        peak: native.peak(1),
        ran: ran(&loaded, &prepared, repeat)?,
    })
}

fn report(rows: &[Beside]) -> Report {
    let mut grid = Grid::new([
        "program",
        "devices",
        "CPU ms predicted",
        "between",
        "CPU ms measured",
        "off %",
        "step ms predicted",
        "step ms measured",
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
            Cell::count(row.peak as i64),
            Cell::count(row.ran.peak as i64),
        ]);
    }
    let median = |error: &dyn Fn(&Beside) -> f64| {
        let mut errors: Vec<f64> = rows.iter().map(error).collect();
        errors.arrange_by(f64::total_cmp);
        100.0 * errors.get(errors.len() / 2).copied().unwrap_or(0.0)
    };
    let cpu = median(&|row| (row.cpu.value / row.ran.cpu - 1.0).abs());
    let seconds = median(&|row| (row.seconds / row.ran.seconds - 1.0).abs());
    let within = rows.iter().filter(|row| row.cpu.contains(row.ran.cpu)).count();
    let peaks = rows.iter().filter(|row| row.peak == row.ran.peak).count();
    let all = rows.len();
    let text = format!(
        "{}\nmedian error: {cpu:.1} % of CPU seconds with one worker, {within} of {all} in their intervals; {seconds:.1} % of \
         seconds with all workers\npeaks of the engine with one worker as planned: {peaks} of {all}\n",
        grid.to_text()
    );
    Report::new(text)
        .with("rows", grid.to_json())
        .with("median_error", cpu / 100.0)
        .with("equal_peaks", peaks)
}
