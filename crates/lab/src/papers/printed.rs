//! Compares the papers' numbers in the code with a ledger of them that was transcribed from the documents separately.
//!
//! A value that moves in the code alone is found here; one that is in no document cannot be in the ledger either.

use super::rows::{DENSE_STEPS, DENSE_TRAINING, TABLES, TRAININGS};
use super::{annotated, blog, conformers, speeds};
use meshwright_nn::models::presets;

/// A number in the code that a document prints.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// The preset of its row.
    pub row: String,
    pub quantity: &'static str,
    /// Digits, or a number as the code has it.
    pub printed: String,
}

/// Every number of rows and presets.
pub fn values() -> Vec<Value> {
    let mut all = Vec::new();
    let mut push =
        |row: &str, quantity, printed: String| all.push(Value { row: row.into(), quantity, printed });
    for table in &TABLES {
        for row in table.rows {
            match table.name {
                "gshard-table-3" => {
                    push(row.preset, "steps_per_second", format!("{:.9}", 1.0 / row.seconds));
                }
                _ => push(row.preset, "seconds", row.seconds.to_string()),
            }
            for (quantity, number) in
                [("peak_gb", row.peak_gb), ("utilization", row.utilization), ("all_to_all", row.all_to_all)]
            {
                if let Some(number) = number {
                    push(row.preset, quantity, number.to_string());
                }
            }
        }
    }
    for (preset, bubbles, again) in conformers::SHARES {
        push(preset, "bubbles", bubbles.to_string());
        push(preset, "again", again.to_string());
    }
    for one in TRAININGS.into_iter().chain([DENSE_TRAINING]) {
        push(one.preset, "days", one.days.to_string());
        push(one.preset, "core_years", one.core_years.to_string());
    }
    push(DENSE_TRAINING.preset, "steps_thousands", (DENSE_STEPS / 1e3).to_string());
    for row in &speeds::ROWS {
        push(row.name, "examples_per_second", row.speed.to_string());
        if let Some(hours) = row.hours {
            push(row.name, "hours", hours.to_string());
        }
    }
    for (row, quantity, printed) in speeds::PRINTED.iter().chain(&blog::PRINTED) {
        push(row, quantity, printed.to_string());
    }
    push("dense layer", "annotated_tensors", annotated::PER_LAYER.to_string());
    push("dense layer", "annotated_percent", annotated::PERCENT.to_string());
    for preset in presets::all() {
        if let Some(printed) = preset.printed {
            push(preset.name, "parameters", printed.digits.into());
        }
    }
    all
}

/// One line of the ledger: document, row, quantity, digits.
pub type Line<'a> = [&'a str; 4];

/// The lines of the ledger.
pub fn lines(ledger: &str) -> Vec<Line<'_>> {
    ledger
        .lines()
        .skip(1)
        .filter_map(|text| {
            let mut cells = text.split(',');
            Some([cells.next()?, cells.next()?, cells.next()?, cells.next()?])
        })
        .collect()
}

/// Values that the ledger does not have, or has otherwise.
pub fn differences(ledger: &str, values: &[Value]) -> Vec<String> {
    let lines = lines(ledger);
    let is_same = |ours: &str, printed: &str| match (ours.parse::<f64>(), printed.parse::<f64>()) {
        (Ok(ours), Ok(printed)) => (ours - printed).abs() < 1e-6,
        _ => ours == printed,
    };
    let wrong = values.iter().filter_map(|value| {
        let line =
            lines.iter().find(|[_, row, quantity, _]| *row == value.row && *quantity == value.quantity);
        match line {
            None => Some(format!("{} {}: {} is in no document", value.row, value.quantity, value.printed)),
            Some([document, .., printed]) if !is_same(&value.printed, printed) => Some(format!(
                "{} {}: {document} prints {printed}, and not {}",
                value.row, value.quantity, value.printed
            )),
            Some(_) => None,
        }
    });
    wrong.collect()
}
