//! Switch, Table 1, its last column: examples a second at the paper's size, on the 32 cores of TPU v3 that it names,
//! simulated.

use super::program::partitioned_by;
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_compile::Options;
use meshwright_nn::models::presets::find;
use meshwright_spmd::Loops;

const TARGET: &str = "tpu-v3:4x4";

/// Preset, row of the table, and the examples a second that it prints.
pub const ROWS: [(&str, &str, f64); 3] = [
    ("t5-base", "T5-Base", 1600.0),
    ("t5-large", "T5-Large", 470.0),
    ("switch-base", "Switch-Base 1.25", 910.0),
];

/// Examples a second of a preset.
fn speed(name: &str) -> Result<f64, Failure> {
    let Some(preset) = find(name) else { return Err(Failure::bug(&format!("no preset `{name}`"))) };
    let mut options = Options::default();
    options.partition.loops = Loops::Never;
    let timed = Timed::of(partitioned_by(preset.step(), &options)?.program.module(), TARGET)?;
    Ok(preset.batch as f64 / timed.step(&timed.machine).seconds)
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new(["model", "for", "paper examples/s", "examples/s", "error %"]);
    let mut all = Vec::new();
    for (preset, row, printed) in ROWS {
        let ours = speed(preset)?;
        grid.row([
            Cell::text(row),
            Cell::text("unseen table"),
            Cell::number(printed, 0),
            Cell::number(ours, 0),
            Cell::number(100.0 * (ours / printed - 1.0), 1),
        ]);
        all.push(ours);
    }
    let [base, large, sparse] = all[..] else { return Err(Failure::bug("a row is missing")) };
    let text = format!(
        "Switch, Table 1: speed at the paper's size, on {TARGET}, simulated.\n\n{}\nSwitch-Base has {:.2} of the speed of \
         T5-Base (the paper: {:.2}) and {:.2} times that of T5-Large ({:.2}). The table's rows of other capacities and of two \
         experts have no preset.\n",
        grid.to_text(),
        sparse / base,
        910.0 / 1600.0,
        sparse / large,
        910.0 / 470.0
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}
