//! Whole steps on the papers' machines: the papers' measurements beside our programs on the model of a machine.
//!
//! Nothing here is adjusted to a row. The constants of the machine are in `meshwright_cost::machine::table`; those that
//! were fitted to rows are fitted by [`fit`](super::fit), to every second row of four tables. Intervals of a table are
//! calibrated on all other tables: by the share that nine of ten of their rows are off beyond the uncertainty of the
//! constants. So the rows inside intervals are counted on a table that the intervals do not know.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::program::partitioned_by;
use super::rows::{
    self, Beyond, DENSE_STEPS, DENSE_TRAINING, Measured, TABLES, TRAININGS, Table, Use, WholeTraining,
};
use super::timed::{Timed, waits};
use meshwright_base::arrange::Arrange;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid, spread};
use meshwright_cli::report::Report;
use meshwright_compile::Options;
use meshwright_cost::interval::estimates;
use meshwright_cost::{Coefficient, Estimate, Pattern};
use meshwright_nn::models::piped::Piped;
use meshwright_nn::models::presets::{Preset, find};
use meshwright_nn::models::strategy::DATA;
use meshwright_spmd::Loops;

/// A row and our simulation of it.
pub struct Compared {
    pub row: &'static Measured,
    pub used: Use,
    /// By the uncertainty of constants alone.
    shaken: Estimate,
    pub seconds: Estimate,
    pub peak: Estimate,
    /// Percent of peak flops.
    pub utilization: f64,
    /// Percent of the step in all-to-alls.
    pub all_to_all: f64,
    /// Percent of the step that waits for links.
    pub waits: f64,
}

impl Compared {
    fn of(row: &'static Measured, used: Use, beyond: Beyond) -> Result<Compared, Failure> {
        let timed = Timed::row(row)?;
        let step = timed.step(&timed.machine);
        let [shaken] = estimates(&timed.machine, |machine| [timed.step(machine).seconds]);
        let share = |of: f64| 100.0 * of / step.seconds;
        Ok(Compared {
            row,
            used,
            shaken,
            seconds: shaken.loosened(beyond.seconds),
            peak: Estimate::exact(timed.peak).loosened(beyond.peak),
            utilization: share(step.flops / timed.machine[Coefficient::Products]),
            all_to_all: share(waits(&step, Pattern::AllToAll)),
            waits: share(step.exposed()),
        })
    }

    fn time_error(&self) -> f64 {
        self.seconds.value / self.row.seconds - 1.0
    }

    fn peak_error(&self) -> Option<f64> {
        self.row.peak_gb.map(|printed| self.peak.value / (1e9 * printed) - 1.0)
    }

    /// Shares by which intervals must be loosened to contain the paper's seconds and peak.
    fn needed(&self) -> (f64, Option<f64>) {
        let peak = self.row.peak_gb.map(|printed| needed(Estimate::exact(self.peak.value), 1e9 * printed));
        (needed(self.shaken, self.row.seconds), peak)
    }

    fn cells(&self, table: &'static Table) -> Vec<Cell> {
        let between = |of: Estimate, unit: f64, digits: usize| {
            Cell::text(format!("{:.digits$} to {:.digits$}", of.low / unit, of.high / unit))
        };
        vec![
            Cell::text(table.name),
            Cell::text(self.row.preset),
            Cell::text(self.used.name()),
            Cell::number(self.row.seconds, 2),
            Cell::number(self.seconds.value, 2),
            between(self.seconds, 1.0, 2),
            Cell::number(100.0 * self.time_error(), 1),
            Cell::maybe(self.row.peak_gb, 1),
            Cell::number(self.peak.value / 1e9, 1),
            between(self.peak, 1e9, 1),
            Cell::maybe(self.peak_error().map(|error| 100.0 * error), 1),
            Cell::maybe(self.row.utilization, 1),
            Cell::number(self.utilization, 1),
            Cell::maybe(self.row.all_to_all, 0),
            Cell::number(self.all_to_all, 1),
            Cell::number(self.waits, 1),
        ]
    }
}

/// The share by which an estimate must be loosened to contain a value.
fn needed(of: Estimate, value: f64) -> f64 {
    let off = (value / of.value).ln();
    let half = if off > 0.0 { (of.high / of.value).ln() } else { (of.value / of.low).ln() };
    (off * off - half * half).max(0.0).sqrt().exp() - 1.0
}

/// The share that nine of ten such rows need, and one that is still to come.
fn nine_of_ten(shares: impl Iterator<Item = f64>) -> f64 {
    let mut shares: Vec<f64> = shares.collect();
    shares.arrange_by(f64::total_cmp);
    let at = (9 * (shares.len() + 1)).div_ceil(10).clamp(1, shares.len().max(1)) - 1;
    shares.get(at).copied().unwrap_or(0.0)
}

/// Rows of all tables, compared.
type All = [(&'static Table, Vec<Compared>)];

/// Returns the shares that all other tables need.
fn calibrated(all: &All, without: &str) -> Beyond {
    let others = || all.iter().filter(|(table, _)| table.name != without).flat_map(|(_, rows)| rows);
    Beyond {
        seconds: nine_of_ten(others().map(|row| row.needed().0)),
        peak: nine_of_ten(others().filter_map(|row| row.needed().1)),
    }
}

const HEAD: [&str; 16] = [
    "table",
    "row",
    "for",
    "paper s",
    "ours s",
    "interval",
    "error %",
    "paper GB",
    "ours GB",
    "interval GB",
    "error GB %",
    "paper util %",
    "ours util %",
    "paper a2a %",
    "ours a2a %",
    "waits %",
];

/// Rows of a table, compared.
fn compared(table: &'static Table) -> Result<Vec<Compared>, Failure> {
    table.uses().map(|(row, used)| Compared::of(row, used, table.beyond)).collect()
}

/// Tables, one below the other, under one head.
fn grid(tables: &All) -> Grid {
    let mut grid = Grid::new(HEAD);
    for (table, rows) in tables {
        rows.iter().for_each(|row| grid.row(row.cells(table)));
    }
    grid
}

/// The table of a name.
pub fn table(name: &'static str) -> Result<Report, Failure> {
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        return Err(Failure::bug(&format!("no rows of `{name}`")));
    };
    let tables = [(table, compared(table)?)];
    let grid = grid(&tables);
    let mut text = format!("{}, on TPU v3.\n\n{}\n{}\n", table.title, grid.to_text(), summaries(&tables));
    if name == "gspmd-table-4" {
        text += &beside_two_dims(&tables[0].1)?;
    }
    let Some(trainings) = (name == "gshard-table-3").then(|| Trainings::of(&tables[0].1)).transpose()? else {
        return Ok(Report::new(text + NOTE + "\n").with("rows", grid.to_json()));
    };
    text += &trainings.text();
    Ok(Report::new(text + NOTE + "\n")
        .with("rows", grid.to_json())
        .with("trainings", trainings.grid.to_json())
        .with("dense", trainings.pipelines.to_json())
        .with("items", beside("crates/lab/src/papers/steps.rs", trainings.items())))
}

/// Days, core-years and costs of whole trainings with the paper's number of steps.
struct Trainings {
    grid: Grid,
    rows: Vec<(WholeTraining, f64)>,
    pipelines: Grid,
    /// The fastest plan of T(96L) that fits.
    dense: Dense,
}

/// A dense baseline as a pipeline of stages, or data parallel with one.
struct Dense {
    stages: i64,
    seconds: f64,
    peak: f64,
    /// Seconds that its flops take at the peak rate.
    at_peak: f64,
    fits: bool,
}

const SECONDS_A_DAY: f64 = 86_400.0;
const DENSE_TARGET: &str = "tpu-v3:32x32";
/// Meshes of 2,048 cores, and the deeper model's.
const DENSE_MESHES: [&[(&str, i64)]; 4] = [
    &[("data", 2_048)],
    &[("stage", 2), ("data", 1_024)],
    &[("stage", 4), ("data", 512)],
    &[("stage", 8), ("data", 256)],
];

impl Dense {
    fn of(name: &str, mesh: &'static [(&'static str, i64)]) -> Result<Dense, Failure> {
        let Some(preset) = find(name) else { return Err(Failure::bug(&format!("no preset `{name}`"))) };
        let stages = mesh.iter().find(|(axis, _)| *axis == "stage").map_or(1, |(_, size)| *size);
        let piped = preset.pipeline.map(|piped| Piped { stages, microbatches: 4 * stages, ..piped });
        let preset = match stages {
            1 => Preset { table: &DATA, mesh, recompute: true, pipeline: None, ..preset },
            _ => Preset { mesh, pipeline: piped, ..preset },
        };
        let mut options = Options::default();
        options.partition.loops = Loops::Never;
        let compiled = partitioned_by(preset.step(), &options)?;
        let timed = Timed::of(compiled.program.module(), DENSE_TARGET)?;
        let step = timed.step(&timed.machine);
        Ok(Dense {
            stages,
            seconds: step.seconds,
            peak: timed.peak,
            at_peak: step.flops / timed.machine[Coefficient::Products],
            fits: timed.peak <= timed.machine.capacity as f64,
        })
    }

    fn cells(&self, name: &str) -> [Cell; 6] {
        [
            Cell::text(name),
            Cell::count(self.stages),
            Cell::number(self.peak / 1e9, 1),
            Cell::text(if self.fits { "yes" } else { "no" }),
            Cell::number(self.seconds, 2),
            Cell::number(self.at_peak, 2),
        ]
    }
}

impl Trainings {
    fn of(rows: &[Compared]) -> Result<Trainings, Failure> {
        let mut pipelines =
            Grid::new(["model", "stages", "GB of a core", "fits", "step s", "flops at peak s"]);
        let mut dense: Option<Dense> = None;
        for name in [DENSE_TRAINING.preset, "gshard-t128l"] {
            for mesh in DENSE_MESHES {
                let one = Dense::of(name, mesh)?;
                pipelines.row(one.cells(name));
                let is_better = dense.as_ref().is_none_or(|best| one.seconds < best.seconds);
                if name == DENSE_TRAINING.preset && one.fits && is_better {
                    dense = Some(one);
                }
            }
        }
        let Some(dense) = dense else { return Err(Failure::bug("no plan of T(96L) fits")) };
        let mut all = Vec::new();
        for one in TRAININGS {
            let Some(row) = rows.iter().find(|row| row.row.preset == one.preset) else { continue };
            all.push((one, one.days * (1.0 + row.time_error())));
        }
        all.push((DENSE_TRAINING, DENSE_STEPS * dense.seconds / SECONDS_A_DAY));
        let mut grid = Grid::new([
            "model",
            "cores",
            "paper days",
            "days",
            "paper core-years",
            "core-years",
            "paper cost of (1)",
            "cost of (1)",
        ]);
        let Some((first, first_days)) = all.first().copied() else {
            return Err(Failure::bug("Table 3 has no rows"));
        };
        for (one, days) in &all {
            grid.row([
                Cell::text(one.preset),
                Cell::number(one.cores, 0),
                Cell::number(one.days, 1),
                Cell::number(*days, 1),
                Cell::number(one.core_years, 1),
                Cell::number(core_years(one, *days), 1),
                Cell::number(one.core_years / first.core_years, 2),
                Cell::number(core_years(one, *days) / core_years(&first, first_days), 2),
            ]);
        }
        Ok(Trainings { grid, rows: all, pipelines, dense })
    }

    /// Core-years of a row by those of another: the paper's, and ours.
    fn times(&self, row: &str, of: &str) -> (f64, f64) {
        let find = |name: &str| self.rows.iter().find(|(one, _)| one.preset == name);
        let (Some((row, days)), Some((of, of_days))) = (find(row), find(of)) else {
            return (f64::NAN, f64::NAN);
        };
        (row.core_years / of.core_years, core_years(row, *days) / core_years(of, *of_days))
    }

    fn text(&self) -> String {
        let Dense { stages, seconds, at_peak, .. } = self.dense;
        let printed = DENSE_TRAINING.days * SECONDS_A_DAY / DENSE_STEPS;
        let (ten, ours) = self.times("gshard-t96l", "gshard-36l-2048e");
        let (grown, grown_ours) = self.times("gshard-36l-2048e", "gshard-36l-128e");
        format!(
            "\n{}\nThe dense baselines on 2,048 cores, with 4 microbatches a stage; one stage is data parallel, every block \
             recomputed:\n\n{}\nThe fastest plan of T(96L) that fits has {stages} stages and takes {seconds:.2} s a step, of which \
             its flops at the peak rate are {at_peak:.2} s. The paper's 42 days of 300,000 steps are {printed:.1} s a step, {:.0} times \
             the latter.\nSo T(96L) costs {ours:.1} times MoE(2048E, 36L) here, for {ten:.1} in the paper (\"more than ten \
             times\"): our plans do not show the factor. No sentence of the paper says where its dense steps spend their time.\n\
             From 37B to 600B parameters the cost grows {grown_ours:.1} times here, for {grown:.1} (\"3.6x\").\n",
            self.grid.to_text(),
            self.pipelines.to_text(),
            printed / at_peak,
        )
    }

    fn items(&self) -> Vec<Beside> {
        let cost = |row: &str, of: &str, item: &str| {
            let (paper, ours) = self.times(row, of);
            let state = if (ours / paper - 1.0).abs() < 0.5 { "within a half" } else { "not shown" };
            Beside::new(item, Evidence::Simulated, state, format!("{ours:.1} times for {paper:.1}"))
        };
        let training = |(one, days): &(WholeTraining, f64)| {
            let number = format!(
                "{days:.1} days for {}, {:.1} core-years for {}",
                one.days,
                core_years(one, *days),
                one.core_years
            );
            let item = format!("GShard, Table 3: training of {}", one.preset);
            Beside::new(item, Evidence::Simulated, "has a command", number)
        };
        let compared = [
            cost("gshard-t96l", "gshard-36l-2048e", "GShard, Table 3: cost of T(96L) by MoE(2048E, 36L)"),
            cost("gshard-36l-2048e", "gshard-36l-128e", "GShard, Figure 1: cost of 600B by 37B"),
        ];
        self.rows.iter().map(training).chain(compared).collect()
    }
}

fn core_years(training: &WholeTraining, days: f64) -> f64 {
    training.cores * days / 365.0
}

/// Table 4's second observation: how much slower the best pipeline is than two dims of sharding.
fn beside_two_dims(rows: &[Compared]) -> Result<String, Failure> {
    const SEQUENCES: f64 = 1_024.0;
    const BESIDE: (&str, f64) = ("gspmd-16b-32x8", 192.0);
    let Some((table, row, used)) = rows::find(BESIDE.0) else {
        return Err(Failure::bug(&format!("no row of `{}`", BESIDE.0)));
    };
    let beside = Compared::of(row, used, table.beyond)?;
    let least = |of: &dyn Fn(&Compared) -> f64| rows.iter().map(of).fold(f64::INFINITY, f64::min);
    let slower = |best: f64, beside: f64| 100.0 * (best / SEQUENCES / (beside / BESIDE.1) - 1.0);
    Ok(format!(
        "\nThe best pipeline is slower than (32,8) without stages, by sequence: {:.0} % in the paper (\"24% slower\"), {:.0} % \
         here.\n",
        slower(least(&|row| row.row.seconds), row.seconds),
        slower(least(&|row| row.seconds.value), beside.seconds.value),
    ))
}

const NOTE: &str = "\nSeconds are simulated for our partitioned program on the machine of the row; peaks are those of values' lives, those \
within fused loops left out.\nIntervals are coefficients shaken by their uncertainty, loosened by what nine of ten rows of all other tables are off \
beyond that.\n`meshwright reproduce step-times` has all rows, and the rows within intervals on each table left out.";

/// The errors of rows for each use.
fn summaries(tables: &All) -> String {
    let of = |used: Use| {
        let rows: Vec<&Compared> =
            tables.iter().flat_map(|(_, rows)| rows).filter(|row| row.used == used).collect();
        (!rows.is_empty()).then(|| format!("{}: {}", used.name(), summary(&rows)))
    };
    Use::ALL.into_iter().filter_map(of).collect::<Vec<_>>().join("\n")
}

fn summary(rows: &[&Compared]) -> String {
    let inside = rows.iter().filter(|row| row.seconds.contains(row.row.seconds)).count();
    let peaks: Vec<(f64, bool)> = rows
        .iter()
        .filter_map(|row| Some((row.peak_error()?.abs(), row.peak.contains(1e9 * row.row.peak_gb?))))
        .collect();
    let inside_peak = peaks.iter().filter(|(_, inside)| *inside).count();
    let (time, time_worst) = spread(rows.iter().map(|row| row.time_error().abs()));
    let (peak, peak_worst) = spread(peaks.iter().map(|(error, _)| *error));
    format!(
        "{} rows; step time off by {time:.1} % in the median, {time_worst:.1} % at worst, {inside} within their intervals; peak \
         off by {peak:.1} % and {peak_worst:.1} %, {inside_peak} of {} within",
        rows.len(),
        peaks.len(),
    )
}

/// Lists for each table the shares that all other tables need, and its own rows within.
fn coverage(tables: &All) -> Grid {
    let mut grid = Grid::new([
        "table left out",
        "loosened by %",
        "in use %",
        "steps within",
        "peaks loosened by %",
        "peaks in use %",
        "peaks within",
    ]);
    let mut counts = [0usize; 4];
    for (table, rows) in tables {
        let found = calibrated(tables, table.name);
        let steps =
            rows.iter().filter(|row| row.shaken.loosened(found.seconds + CLOSE).contains(row.row.seconds));
        let peaks: Vec<bool> = rows
            .iter()
            .filter_map(|row| {
                let printed = 1e9 * row.row.peak_gb?;
                Some(Estimate::exact(row.peak.value).loosened(found.peak + CLOSE).contains(printed))
            })
            .collect();
        let own = [steps.count(), rows.len(), peaks.iter().filter(|inside| **inside).count(), peaks.len()];
        counts.iter_mut().zip(own).for_each(|(count, own)| *count += own);
        let percent = |share: f64| Cell::number(100.0 * share, 0);
        grid.row([
            Cell::text(table.name),
            percent(found.seconds),
            percent(table.beyond.seconds),
            Cell::text(format!("{} of {}", own[0], own[1])),
            percent(found.peak),
            percent(table.beyond.peak),
            Cell::text(format!("{} of {}", own[2], own[3])),
        ]);
    }
    grid.row([
        Cell::text("all"),
        Cell::none(),
        Cell::none(),
        Cell::text(format!("{} of {}", counts[0], counts[1])),
        Cell::none(),
        Cell::none(),
        Cell::text(format!("{} of {}", counts[2], counts[3])),
    ]);
    grid
}

/// Rounding.
const CLOSE: f64 = 1e-9;

/// Rows of all tables in one, with their labels, and how many are within intervals that do not know their table.
pub fn all() -> Result<Report, Failure> {
    let tables: Vec<(&'static Table, Vec<Compared>)> =
        TABLES.iter().map(|table| Ok((table, compared(table)?))).collect::<Result<_, Failure>>()?;
    let (grid, coverage) = (grid(&tables), coverage(&tables));
    let text = format!(
        "Steps of GSPMD's and GShard's tables on TPU v3.\n\n{}\n{}\n\nIntervals calibrated without a table, and its rows \
         within them:\n\n{}{}{NOTE}\n",
        grid.to_text(),
        summaries(&tables),
        coverage.to_text(),
        tables
            .iter()
            .find(|(table, _)| table.name == "gspmd-table-4")
            .map_or(Ok(String::new()), |(_, rows)| { beside_two_dims(rows) })?,
    );
    Ok(Report::new(text).with("rows", grid.to_json()).with("coverage", coverage.to_json()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_needs_to_be_loosened_until_it_reaches_a_value() {
        let of = Estimate::within(1.0, 1.1);
        assert_eq!(needed(of, 1.05), 0.0);
        for value in [1.5, 0.5] {
            let share = needed(of, value);
            assert!(of.loosened(share + CLOSE).contains(value) && !of.loosened(share - 0.01).contains(value));
        }
        assert!((needed(Estimate::exact(1.0), 1.25) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn nine_of_ten_are_within_and_one_to_come() {
        assert_eq!(nine_of_ten((1..=9).map(f64::from)), 9.0);
        assert_eq!(nine_of_ten((1..=19).map(f64::from)), 18.0);
        assert_eq!(nine_of_ten((1..=29).map(f64::from)), 27.0);
        assert_eq!(nine_of_ten(std::iter::empty()), 0.0);
    }
}
