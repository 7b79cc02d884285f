//! GSPMD, Table 5: Conformers in pipelines, by GPipe's schedule and the circular one: what a device holds, how long a
//! step takes, and what of its flops are bubbles or computed again.
//!
//! The text of the table has lost its columns. Peaks stand in order; the rest is put together by the trips of the
//! pipelines, whose flops and bubbles tell the columns apart. One share that is computed again, 29.9 %, is as printed.

use super::program::partitioned;
use super::rows::{self, Measured};
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid, spread};
use meshwright_cli::report::Report;
use meshwright_cost::{Coefficient, Machine, program_peak, traffic, usefulness};
use meshwright_nn::models::presets::{Preset, find};

/// A column of the table: its row of [`rows`], and the percentages of time in bubbles and in recomputation.
struct Column {
    row: &'static Measured,
    bubbles: f64,
    again: f64,
}

/// Percent of the time that the paper prints for bubbles and for computing again.
pub const SHARES: [(&str, f64, f64); 6] = [
    ("gspmd-conformer-6b-gpipe-64", 9.6, 22.9),
    ("gspmd-conformer-6b-gpipe-16", 29.9, 22.3),
    ("gspmd-conformer-6b-circular-16", 9.0, 21.3),
    ("gspmd-conformer-13b-gpipe-128", 10.4, 29.9),
    ("gspmd-conformer-13b-gpipe-32", 31.0, 22.8),
    ("gspmd-conformer-13b-circular-32", 10.0, 22.4),
];

fn columns() -> Vec<Column> {
    let column = |(preset, bubbles, again): &(&str, f64, f64)| {
        Some(Column { row: rows::find(preset)?.1, bubbles: *bubbles, again: *again })
    };
    SHARES.iter().filter_map(column).collect()
}

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
    let Some(preset) = find(column.row.preset) else {
        return Err(Failure::bug(&format!("no preset `{}`", column.row.preset)));
    };
    let module = partitioned(preset.step(), None)?.program.into_module();
    let machine = Machine::default();
    let useful = usefulness(&module, &machine, &traffic(&module, &machine));
    let share = |flops: f64| 100.0 * flops / useful.flops;
    let forward = useful.loops.first().map_or((0.0, 0.0), |one| (one.trips as f64, one.stages as f64 - 1.0));
    let timed = Timed::of(&module, column.row.target)?;
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
    let columns = columns();
    for column in &columns {
        let found = found(column)?;
        let piped =
            found.preset.pipeline.map_or((1, 1, 1), |piped| (piped.stages, piped.rounds, piped.microbatches));
        let (stages, rounds, microbatches) = piped;
        grid.row([
            Cell::text(column.row.preset),
            Cell::count(found.preset.blocks as i64),
            Cell::count(stages),
            Cell::text(if rounds > 1 { "circular" } else { "gpipe" }),
            Cell::text(format!("{microbatches}x{}", found.preset.batch / microbatches.max(1))),
            Cell::maybe(column.row.peak_gb, 1),
            Cell::number(found.planned_peak / 1e9, 1),
            Cell::number(found.program_peak / 1e9, 1),
            Cell::number(found.trips.0, 0),
            Cell::number(found.trips.1, 0),
            Cell::number(column.bubbles, 1),
            Cell::number(found.bubbles, 1),
            Cell::number(column.again, 1),
            Cell::number(found.again, 1),
            Cell::number(column.row.seconds, 2),
            Cell::number(found.seconds, 2),
            Cell::maybe(column.row.utilization, 1),
            Cell::number(found.utilization, 1),
        ]);
        all.push(found);
    }
    let peaks = columns.iter().zip(&all).map(|(column, found)| {
        (found.program_peak / (1e9 * column.row.peak_gb.unwrap_or(f64::NAN)) - 1.0).abs()
    });
    let (peak, peak_worst) = spread(peaks);
    let times = |circular: bool| {
        let rounds = |found: &Found| found.preset.pipeline.is_some_and(|piped| piped.rounds > 1);
        let all = columns.iter().zip(&all).filter(|(_, found)| rounds(found) == circular);
        let all = all.map(|(column, found)| found.seconds / column.row.seconds);
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
