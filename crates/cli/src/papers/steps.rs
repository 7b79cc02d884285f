//! Whole steps on the papers' machines: what they measured, and what the model of a machine says of our programs.
//!
//! Nothing here is adjusted to a row. The constants of the machine are in `meshwright_cost::machine::table`; those that
//! were fitted to rows are fitted by [`fit`](super::fit), to every second row of a table, and the others test them.

use super::grid::{Cell, Grid};
use super::rows::{Measured, TABLES, Table, Use};
use super::timed::{Timed, waits};
use crate::failure::Failure;
use crate::report::Report;
use meshwright_base::arrange::Arrange;
use meshwright_cost::interval::estimates;
use meshwright_cost::{Coefficient, Estimate, Pattern};

/// A row and what we say of it.
pub struct Compared {
    pub row: &'static Measured,
    pub used: Use,
    pub seconds: Estimate,
    pub peak: f64,
    /// Percent of peak flops.
    pub utilization: f64,
    /// Percent of the step in all-to-alls.
    pub all_to_all: f64,
    /// Percent of the step that waits for links.
    pub waits: f64,
}

impl Compared {
    fn of(row: &'static Measured, used: Use) -> Result<Compared, Failure> {
        let timed = Timed::row(row)?;
        let step = timed.step(&timed.machine);
        let [seconds] = estimates(&timed.machine, |machine| [timed.step(machine).seconds]);
        let share = |of: f64| 100.0 * of / step.seconds;
        Ok(Compared {
            row,
            used,
            seconds,
            peak: timed.peak,
            utilization: share(step.flops / timed.machine[Coefficient::Products]),
            all_to_all: share(waits(&step, Pattern::AllToAll)),
            waits: share(step.exposed()),
        })
    }

    fn time_error(&self) -> f64 {
        self.seconds.value / self.row.seconds - 1.0
    }

    fn peak_error(&self) -> Option<f64> {
        self.row.peak_gb.map(|printed| self.peak / (1e9 * printed) - 1.0)
    }

    fn cells(&self) -> Vec<Cell> {
        let Estimate { value, low, high } = self.seconds;
        let used = match self.used {
            Use::Fit => "fit",
            Use::Test => "test",
        };
        vec![
            Cell::text(self.row.preset),
            Cell::text(used),
            Cell::number(self.row.seconds, 2),
            Cell::number(value, 2),
            Cell::text(format!("{low:.2} to {high:.2}")),
            Cell::number(100.0 * self.time_error(), 1),
            Cell::maybe(self.row.peak_gb, 1),
            Cell::number(self.peak / 1e9, 1),
            Cell::maybe(self.peak_error().map(|error| 100.0 * error), 1),
            Cell::maybe(self.row.utilization, 1),
            Cell::number(self.utilization, 1),
            Cell::maybe(self.row.all_to_all, 0),
            Cell::number(self.all_to_all, 1),
            Cell::number(self.waits, 1),
        ]
    }
}

const HEAD: [&str; 14] = [
    "row",
    "for",
    "paper s",
    "ours s",
    "interval",
    "error %",
    "paper GB",
    "ours GB",
    "error GB %",
    "paper util %",
    "ours util %",
    "paper a2a %",
    "ours a2a %",
    "waits %",
];

/// Rows of a table, compared.
pub fn compared(table: &'static Table) -> Result<Vec<Compared>, Failure> {
    table.uses().map(|(row, used)| Compared::of(row, used)).collect()
}

fn grid(rows: &[Compared]) -> Grid {
    let mut grid = Grid::new(HEAD);
    rows.iter().for_each(|row| grid.row(row.cells()));
    grid
}

/// The table of a name.
fn table(name: &'static str) -> Result<Report, Failure> {
    let Some(table) = TABLES.iter().find(|table| table.name == name) else {
        return Err(Failure::bug(&format!("no rows of `{name}`")));
    };
    let rows = compared(table)?;
    let grid = grid(&rows);
    let text = format!(
        "{}, on TPU v3.\n\n{}\n{}\n{NOTE}\n",
        table.title,
        grid.to_text(),
        [Use::Fit, Use::Test].map(|used| summary(&rows.iter().collect::<Vec<_>>(), used)).join("\n"),
    );
    Ok(Report::new(text).with("rows", grid.to_json()))
}

const NOTE: &str = "\nSeconds are simulated for our partitioned program on the machine of the row, intervals are its at coefficients shaken by \
what is not known of them;\npeaks are those of values' lives in our program. `meshwright reproduce step-times` has all rows and how \
they are told from those that were fitted.";

/// Of the errors of rows for one use.
fn summary(rows: &[&Compared], used: Use) -> String {
    let of: Vec<&&Compared> = rows.iter().filter(|row| row.used == used).collect();
    let name = match used {
        Use::Fit => "fitted",
        Use::Test => "not fitted",
    };
    let inside = of.iter().filter(|row| row.seconds.contains(row.row.seconds)).count();
    let (time, time_worst) = spread(of.iter().map(|row| row.time_error().abs()).collect());
    let (peak, peak_worst) = spread(of.iter().filter_map(|row| row.peak_error()).map(f64::abs).collect());
    format!(
        "rows {name}: {}; step time off by {time:.1} % in the median, {time_worst:.1} % at worst, {inside} within their \
         intervals; peak off by {peak:.1} % and {peak_worst:.1} %",
        of.len()
    )
}

/// Median and worst, in percent.
fn spread(mut errors: Vec<f64>) -> (f64, f64) {
    errors.arrange_by(f64::total_cmp);
    let at = |index: usize| 100.0 * errors.get(index).copied().unwrap_or(0.0);
    let middle = errors.len() / 2;
    let median = if errors.len().is_multiple_of(2) && middle > 0 {
        (at(middle - 1) + at(middle)) / 2.0
    } else {
        at(middle)
    };
    (median, at(errors.len().saturating_sub(1)))
}

pub fn table_2() -> Result<Report, Failure> {
    table("gspmd-table-2")
}

pub fn table_3() -> Result<Report, Failure> {
    table("gspmd-table-3")
}

pub fn table_4() -> Result<Report, Failure> {
    table("gspmd-table-4")
}

pub fn table_6() -> Result<Report, Failure> {
    table("gspmd-table-6")
}

pub fn table_7() -> Result<Report, Failure> {
    table("gspmd-table-7")
}

pub fn gshard_table_3() -> Result<Report, Failure> {
    table("gshard-table-3")
}

/// All rows, and what may be said of them.
pub fn all() -> Result<Report, Failure> {
    let mut text = String::from("Steps of GSPMD's and GShard's tables on TPU v3, all rows.\n");
    let (mut every, mut json) = (Vec::new(), serde_json::Map::new());
    for table in &TABLES {
        let rows = compared(table)?;
        let grid = grid(&rows);
        text += &format!("\n{}\n\n{}", table.title, grid.to_text());
        json.insert(table.name.to_string(), grid.to_json());
        every.push((table, rows));
    }
    let of_gspmd: Vec<&Compared> = every
        .iter()
        .filter(|(table, _)| table.name.starts_with("gspmd"))
        .flat_map(|(_, rows)| rows)
        .collect();
    let sums = [Use::Fit, Use::Test].map(|used| summary(&of_gspmd, used)).join("\n");
    text += &format!("\nGSPMD's tables, of which every second row was fitted:\n{sums}\n");
    Ok(Report::new(text).with("tables", json))
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
            Some((row, used)) => Some(Compared::of(row, used)?.utilization),
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
