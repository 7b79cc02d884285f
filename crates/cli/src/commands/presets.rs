//! `meshwright presets`: models that come with the program, by name, with their sizes.

use crate::failure::Failure;
use crate::preset::{PresetRow, rows};
use crate::report::Report;
use serde_json::json;

pub fn presets() -> Result<Report, Failure> {
    let rows = rows()?;
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let line = |row: &PresetRow| {
        let (name, parameters, devices) = (row.name, in_words(row.parameters), row.devices);
        format!("{name:width$}  {parameters:>10}  {devices:>7}  {}\n", row.about)
    };
    let head = format!("{:width$}  {:>10}  {:>7}  \n", "preset", "parameters", "devices");
    let text = head.trim_end().to_string() + "\n" + &rows.iter().map(line).collect::<String>();
    let tail = "\n`meshwright train NAME` for those that train here; `explain`, `partition` and `verify` take `preset:NAME` for all.\n";
    let list: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({ "name": row.name, "parameters": row.parameters, "devices": row.devices,
                    "trains_here": row.trains_here, "about": row.about })
        })
        .collect();
    Ok(Report::new(text + tail).with("presets", list))
}

/// `428 k`, `1.6 T`.
fn in_words(count: i64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let count = count as f64;
    let unit = units.into_iter().find(|(size, _)| count >= *size);
    unit.map_or(format!("{count}"), |(size, unit)| {
        let value = count / size;
        let digits = usize::from(value < 10.0);
        format!("{value:.digits$} {unit}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        assert_eq!(
            [999, 428_032, 1_600_000_000_000, 7_450_000_000].map(in_words),
            ["999", "428 k", "1.6 T", "7.5 G"]
        );
    }
}
