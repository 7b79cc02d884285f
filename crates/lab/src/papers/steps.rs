//! Whole steps on the papers' machines: what they measured, and what the model of a machine says of our programs.
//!
//! Nothing here is adjusted to a row. The constants of the machine are in `meshwright_cost::machine::table`; those that
//! were fitted to rows are fitted by [`fit`](super::fit), to every second row of a table, and the others test them. By
//! how much intervals are loosened beyond what is not known of the machine is read from the fitted rows too.

use super::fit::TABLES_FITTED;
use super::rows::{Measured, TABLES, Table, Use};
use super::timed::{Timed, waits};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid, spread};
use meshwright_cli::report::Report;
use meshwright_cost::interval::estimates;
use meshwright_cost::{Coefficient, Estimate, Pattern};

/// A row and what we say of it.
pub struct Compared {
    pub row: &'static Measured,
    pub used: Use,
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
    fn of(row: &'static Measured, used: Use, is_stated: bool) -> Result<Compared, Failure> {
        let timed = Timed::row(row)?;
        let step = timed.step(&timed.machine);
        let [seconds] = estimates(&timed.machine, |machine| [timed.step(machine).seconds]);
        let sizes = if is_stated { STATED } else { INFERRED };
        let share = |of: f64| 100.0 * of / step.seconds;
        Ok(Compared {
            row,
            used,
            seconds: seconds.loosened(sizes.seconds),
            peak: Estimate::exact(timed.peak).loosened(sizes.peak),
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

    fn cells(&self, table: &'static Table) -> Vec<Cell> {
        let between = |of: Estimate, unit: f64, digits: usize| {
            Cell::text(format!("{:.digits$} to {:.digits$}", of.low / unit, of.high / unit))
        };
        let used = match self.used {
            Use::Fit => "fit",
            Use::Test => "test",
        };
        vec![
            Cell::text(table.name),
            Cell::text(self.row.preset),
            Cell::text(used),
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

/// By which shares a step and its peak are off beyond what is not known of the machine.
struct Beyond {
    seconds: f64,
    peak: f64,
}

/// Where a paper states all sizes of a model: six of seven fitted rows are within the seconds, all within the peak.
const STATED: Beyond = Beyond { seconds: 0.10, peak: 0.20 };

/// Where some are what fits its counts: three of four, and all.
const INFERRED: Beyond = Beyond { seconds: 0.22, peak: 0.30 };

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
    table.uses().map(|(row, used)| Compared::of(row, used, table.is_stated)).collect()
}

/// Tables, one below the other, under one head.
fn grid(tables: &[(&'static Table, Vec<Compared>)]) -> Grid {
    let mut grid = Grid::new(HEAD);
    for (table, rows) in tables {
        rows.iter().for_each(|row| grid.row(row.cells(table)));
    }
    grid
}

/// What is said of rows for each use.
fn summaries(rows: &[&Compared]) -> String {
    [Use::Fit, Use::Test].map(|used| summary(rows, Some(used))).join("\n")
}

/// The table of a name.
pub fn table(name: &'static str) -> Result<Report, Failure> {
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        return Err(Failure::bug(&format!("no rows of `{name}`")));
    };
    let tables = [(table, compared(table)?)];
    let (grid, rows) = (grid(&tables), tables[0].1.iter().collect::<Vec<_>>());
    let text = format!("{}, on TPU v3.\n\n{}\n{}\n{NOTE}\n", table.title, grid.to_text(), summaries(&rows));
    Ok(Report::new(text).with("rows", grid.to_json()))
}

const NOTE: &str = "\nSeconds are simulated for our partitioned program on the machine of the row; peaks are those of values' lives, those \
within fused loops left out.\nIntervals are what comes of coefficients shaken by what is not known of them, and of what fitted rows \
are off beyond that.\n`meshwright reproduce step-times` has all rows and how they are told from those that were fitted.";

/// Of the errors of rows for one use, or of all.
fn summary(rows: &[&Compared], used: Option<Use>) -> String {
    let of: Vec<&&Compared> = rows.iter().filter(|row| used.is_none_or(|used| row.used == used)).collect();
    let name = match used {
        Some(Use::Fit) => "fitted",
        Some(Use::Test) | None => "not fitted",
    };
    let inside = of.iter().filter(|row| row.seconds.contains(row.row.seconds)).count();
    let peaks: Vec<(f64, bool)> = of
        .iter()
        .filter_map(|row| Some((row.peak_error()?.abs(), row.peak.contains(1e9 * row.row.peak_gb?))))
        .collect();
    let inside_peak = peaks.iter().filter(|(_, inside)| *inside).count();
    let (time, time_worst) = spread(of.iter().map(|row| row.time_error().abs()));
    let (peak, peak_worst) = spread(peaks.iter().map(|(error, _)| *error));
    format!(
        "rows {name}: {}; step time off by {time:.1} % in the median, {time_worst:.1} % at worst, {inside} within their \
         intervals; peak off by {peak:.1} % and {peak_worst:.1} %, {inside_peak} of {} within",
        of.len(),
        peaks.len(),
    )
}

/// All rows in one table, and what may be said of them.
pub fn all() -> Result<Report, Failure> {
    let tables: Vec<(&Table, Vec<Compared>)> =
        TABLES.iter().map(|table| Ok((table, compared(table)?))).collect::<Result<_, Failure>>()?;
    let grid = grid(&tables);
    let of = |keeps: &dyn Fn(&Table) -> bool| -> Vec<&Compared> {
        tables.iter().filter(|(table, _)| keeps(table)).flat_map(|(_, rows)| rows).collect()
    };
    let fitted = of(&|table| TABLES_FITTED.contains(&table.name));
    let others = of(&|table| !TABLES_FITTED.contains(&table.name));
    let text = format!(
        "Steps of GSPMD's and GShard's tables on TPU v3.\n\n{}\nTables of which every second row was fitted:\n{}\n\nTables \
         of which none was:\n{}\n{NOTE}\n",
        grid.to_text(),
        summaries(&fitted),
        summary(&others, None),
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}

/// Of the blog's four models, those whose sizes are in one of the documents; chips there, so twice as many cores.
const BLOG: [(&str, &str, f64, Option<&str>); 4] = [
    ("LaMDA 137B, 1024 TPU v3", "64 layers of GSPMD's Table 2: 137e9 = 64 x 2^31", 56.5, Some("gspmd-128b")),
    ("MLPerf BERT 480B, 2048 TPU v4", "its sizes are in none of the documents", 63.0, None),
    ("GShard-M4 577B, 1024 TPU v3", "GSPMD's Table 6", 46.8, Some("gspmd-moe-577b")),
    ("sparse decoder 1.2T, 1024 TPU v3", "the largest of GSPMD's Table 7", 53.8, Some("gspmd-hybrid-804b")),
];

pub fn blog() -> Result<Report, Failure> {
    let mut grid = Grid::new(["model", "taken for", "paper util %", "ours util %", "error %"]);
    for (model, taken, printed, preset) in BLOG {
        let known = |name| TABLES.iter().flat_map(Table::uses).find(|(row, _)| row.preset == name);
        let ours = match preset.and_then(known) {
            Some((row, used)) => Some(Compared::of(row, used, true)?.utilization),
            None => None,
        };
        grid.row([
            Cell::text(model),
            Cell::text(taken),
            Cell::number(printed, 1),
            Cell::maybe(ours, 1),
            Cell::maybe(ours.map(|ours| 100.0 * (ours / printed - 1.0)), 1),
        ]);
    }
    let text = format!("The blog's table: utilization of four large models.\n\n{}", grid.to_text());
    Ok(Report::new(text).with("rows", grid.to_json()))
}
