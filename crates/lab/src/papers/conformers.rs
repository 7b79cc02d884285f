//! GSPMD, Table 5: Conformers in pipelines, by GPipe's schedule and the circular one: what a device holds, how long a
//! step takes, and what of its flops are bubbles or computed again.
//!
//! The text of the table has lost its columns. Peaks stand in order; the rest is put together by the trips of the
//! pipelines, whose flops and bubbles tell the columns apart. One share that is computed again, 29.9 %, is as printed.

use super::program::partitioned;
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid, spread};
use meshwright_cli::report::Report;
use meshwright_cost::{Coefficient, Machine, program_peak, traffic, usefulness};
use meshwright_nn::models::presets::{Preset, find};

/// A column of the table.
struct Column {
    preset: &'static str,
    target: &'static str,
    peak_gb: f64,
    seconds: f64,
    utilization: f64,
    bubbles: f64,
    again: f64,
}

const fn column(preset: &'static str, target: &'static str, found: [f64; 5]) -> Column {
    let [peak_gb, seconds, utilization, bubbles, again] = found;
    Column { preset, target, peak_gb, seconds, utilization, bubbles, again }
}

const CORES_8: &str = "tpu-v3:2x2";
const CORES_16: &str = "tpu-v3:2x4";

const COLUMNS: [Column; 6] = [
    column("gspmd-conformer-6b-gpipe-64", CORES_8, [13.8, 8.40, 59.4, 9.6, 22.9]),
    column("gspmd-conformer-6b-gpipe-16", CORES_8, [12.2, 2.80, 57.9, 29.9, 22.3]),
    column("gspmd-conformer-6b-circular-16", CORES_8, [14.1, 2.30, 53.9, 9.0, 21.3]),
    column("gspmd-conformer-13b-gpipe-128", CORES_16, [15.4, 18.37, 60.5, 10.4, 29.9]),
    column("gspmd-conformer-13b-gpipe-32", CORES_16, [12.8, 5.58, 59.0, 31.0, 22.8]),
    column("gspmd-conformer-13b-circular-32", CORES_16, [14.8, 4.42, 50.6, 10.0, 22.4]),
];

/// What we say of a column.
struct Found {
    preset: Preset,
    /// Bytes that the program of a device holds, value by value, and with fused loops as `plan` has them.
    program_peak: f64,
    planned_peak: f64,
    seconds: f64,
    utilization: f64,
    /// Percent of all flops.
    bubbles: f64,
    again: f64,
    /// Trips of the forward loop, and those of them that are bubbles.
    trips: (f64, f64),
}

fn found(column: &Column) -> Result<Found, Failure> {
    let Some(preset) = find(column.preset) else {
        return Err(Failure::bug(&format!("no preset `{}`", column.preset)));
    };
    let module = partitioned(preset.step(), None)?.program.into_module();
    let machine = Machine::default();
    let useful = usefulness(&module, &machine, &traffic(&module, &machine));
    let share = |flops: f64| 100.0 * flops / useful.flops;
    let forward = useful.loops.first().map_or((0.0, 0.0), |one| (one.trips as f64, one.stages as f64 - 1.0));
    let timed = Timed::of(&module, column.target)?;
    let step = timed.step(&timed.machine);
    Ok(Found {
        preset,
        program_peak: program_peak(&module) as f64,
        planned_peak: timed.peak,
        seconds: step.seconds,
        utilization: 100.0 * step.flops / timed.machine[Coefficient::Products] / step.seconds,
        bubbles: share(useful.bubbles),
        again: share(useful.again),
        trips: forward,
    })
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "row",
        "layers",
        "stages",
        "schedule",
        "batch",
        "paper GB",
        "plan GB",
        "partition GB",
        "trips",
        "bubbles",
        "paper bubbles %",
        "bubbles %",
        "paper again %",
        "again %",
        "paper s",
        "plan s",
        "paper util %",
        "plan util %",
    ]);
    let mut all = Vec::new();
    for column in &COLUMNS {
        let found = found(column)?;
        let piped =
            found.preset.pipeline.map_or((1, 1, 1), |piped| (piped.stages, piped.rounds, piped.microbatches));
        let (stages, rounds, microbatches) = piped;
        grid.row([
            Cell::text(column.preset),
            Cell::count(found.preset.blocks as i64),
            Cell::count(stages),
            Cell::text(if rounds > 1 { "circular" } else { "gpipe" }),
            Cell::text(format!("{microbatches}x{}", found.preset.batch / microbatches.max(1))),
            Cell::number(column.peak_gb, 1),
            Cell::number(found.planned_peak / 1e9, 1),
            Cell::number(found.program_peak / 1e9, 1),
            Cell::number(found.trips.0, 0),
            Cell::number(found.trips.1, 0),
            Cell::number(column.bubbles, 1),
            Cell::number(found.bubbles, 1),
            Cell::number(column.again, 1),
            Cell::number(found.again, 1),
            Cell::number(column.seconds, 2),
            Cell::number(found.seconds, 2),
            Cell::number(column.utilization, 1),
            Cell::number(found.utilization, 1),
        ]);
        all.push(found);
    }
    let peaks = COLUMNS
        .iter()
        .zip(&all)
        .map(|(column, found)| (found.program_peak / (1e9 * column.peak_gb) - 1.0).abs());
    let (peak, peak_worst) = spread(peaks);
    let times = |circular: bool| {
        let rounds = |found: &Found| found.preset.pipeline.is_some_and(|piped| piped.rounds > 1);
        let all = COLUMNS.iter().zip(&all).filter(|(_, found)| rounds(found) == circular);
        let all = all.map(|(column, found)| found.seconds / column.seconds);
        all.fold((f64::INFINITY, 0f64), |(least, most), time| (least.min(time), most.max(time)))
    };
    let ((least, most), (low, high)) = (times(false), times(true));
    let by_trips = |at: usize| 100.0 * all[at].trips.1 / all[at].trips.0.max(1.0);
    let text = format!(
        "GSPMD, Table 5: Conformers in pipelines, on TPU v3 with a stage on each core.\n\n{}\nA circular schedule has the \
         bubbles of GPipe at a quarter of the batch: {:.1} % of its trips instead of {:.1} % (8 stages), {:.1} % instead of \
         {:.1} % (16). Bubbles and what is computed again are shares of flops here, of time in the paper. Peaks: `plan` \
         leaves out what lives within fused loops, `partition` counts every value: that is off by {peak:.1} % in the \
         median, {peak_worst:.1} % at worst. Seconds are {least:.2} to {most:.2} times the paper's in \
         GPipe's schedule, and {low:.2} to {high:.2} in the circular one: there each trip adds the gradients of one \
         round to those of all. The paper does not say how long its sequences are, nor what is in front of the blocks.\n",
        grid.to_text(),
        by_trips(2),
        by_trips(0),
        by_trips(5),
        by_trips(3),
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}
