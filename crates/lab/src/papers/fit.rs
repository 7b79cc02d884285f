//! Constants of TPU v3 that no source states, fitted to the step times of every second row of GSPMD's Tables 2, 3, 6
//! and 7. What comes out stands in `meshwright_cost::machine::table`; this says whether it still does.
//!
//! ```text
//! least   sum over rows (ln(ours / paper) / ERROR)^2  +  sum over constants (ln(value / stated) / ln(1 + within))^2
//! ```
//!
//! Where a row prints the percent of its time in all-to-alls, those seconds are a row of their own, the less exact the
//! fewer the percent, which are whole.
//!
//! A constant moves from what is stated as far as rows ask for it, and no farther: the second sum is what is known of
//! it beforehand. Coordinates are tried one after the other by steps that halve; the same rows give the same
//! constants.

use super::rows::{Measured, TABLES, Table, Use};
use super::timed::{Timed, waits};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::{Coefficient, Machine, Pattern};

/// What is fitted: how near products, memory and links come to their peaks.
pub const FITTED: [Coefficient; 5] = [
    Coefficient::ProductShare,
    Coefficient::BatchedShare,
    Coefficient::MemoryShare,
    Coefficient::LinkShare,
    Coefficient::ExchangeShare,
];

/// By how much a step may be off where all constants are right.
const ERROR: f64 = 0.05;

/// A whole percent may be as much off.
const ROUNDED: f64 = 0.5;

/// No share is above this.
const MOST: f64 = 0.97;

/// Rows to fit, with what they took.
struct Sample {
    timed: Timed,
    seconds: f64,
    /// Percent of them in all-to-alls.
    all_to_all: Option<f64>,
}

fn samples() -> Result<Vec<Sample>, Failure> {
    let rows = TABLES.iter().flat_map(Table::uses).filter(|(_, used)| *used == Use::Fitted);
    let sample = |row: &Measured| {
        Ok(Sample { timed: Timed::row(row)?, seconds: row.seconds, all_to_all: row.all_to_all })
    };
    rows.map(|(row, _)| sample(row)).collect()
}

fn with(machine: &Machine, values: &[f64]) -> Machine {
    FITTED.iter().zip(values).fold(machine.clone(), |machine, (of, value)| machine.with(*of, *value))
}

fn loss(samples: &[Sample], known: &Machine, values: &[f64]) -> f64 {
    let rows = samples.iter().map(|sample| {
        let ours = sample.timed.step(&with(&sample.timed.machine, values));
        let exchanges = sample.all_to_all.map_or(0.0, |percent| {
            let error = ERROR + ROUNDED / percent;
            let printed = sample.seconds * percent / 100.0;
            ((waits(&ours, Pattern::AllToAll) / printed).ln() / error).powi(2)
        });
        ((ours.seconds / sample.seconds).ln() / ERROR).powi(2) + exchanges
    });
    let before = FITTED.iter().zip(values).map(|(of, value)| {
        let known = known.known(*of);
        ((value / known.value).ln() / (1.0 + known.within).ln()).powi(2)
    });
    rows.sum::<f64>() + before.sum::<f64>()
}

/// The constants that rows ask for, from those that are there on.
fn fitted(samples: &[Sample], known: &Machine) -> Vec<f64> {
    const FIRST: f64 = 0.2;
    const LAST: f64 = 0.002;
    let mut values: Vec<f64> = FITTED.iter().map(|of| known[*of]).collect();
    let (mut least, mut step) = (loss(samples, known, &values), FIRST);
    while step > LAST {
        let before = least;
        for at in 0..values.len() {
            for factor in [1.0 + step, 1.0 / (1.0 + step)] {
                let old = values[at];
                values[at] = (old * factor).min(MOST);
                let found = loss(samples, known, &values);
                if found < least {
                    least = found;
                } else {
                    values[at] = old;
                }
            }
        }
        if least == before {
            step /= 2.0;
        }
    }
    values
}

pub fn table() -> Result<Report, Failure> {
    let samples = samples()?;
    let Some(known) = samples.first().map(|sample| sample.timed.machine.clone()) else {
        return Err(Failure::bug("there are no rows to fit"));
    };
    let values = fitted(&samples, &known);
    let mut grid = Grid::new(["constant", "in use", "fitted", "by"]);
    for (of, value) in FITTED.iter().zip(&values) {
        let by = known.known(*of).source.to_string();
        grid.row([
            Cell::text(of.name()),
            Cell::number(known[*of], 3),
            Cell::number(*value, 3),
            Cell::text(by),
        ]);
    }
    let text = format!(
        "Constants of TPU v3, fitted to {} rows: every second one of {}.\n\n{}",
        samples.len(),
        TABLES.iter().filter(|table| table.is_fitted).map(|table| table.name).collect::<Vec<_>>().join(", "),
        grid.to_text()
    );
    Ok(Report::new(text).with("constants", grid.to_json()))
}
