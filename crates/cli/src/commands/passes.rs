//! `passes`: the stages and passes of a compilation, and those of the CPU engine, by name.

use crate::report::Report;
use crate::stages::step_names;
use meshwright_compile::names;
use serde_json::json;

pub fn passes() -> Report {
    let width = names().chain(step_names()).map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = |list: &mut dyn Iterator<Item = (&'static str, &'static str)>| -> String {
        list.map(|(name, does)| format!("{name:width$}  {does}\n")).collect()
    };
    let text = rows(&mut names())
        + "\nin the order in which they first run; `--dump-after NAME` writes the module behind one of them\n\n"
        + &rows(&mut step_names())
        + "\nof the CPU engine, on steps; what runs on it (`run --backend cpu`, `bench step`, `train`) writes these too\n";
    let json = |list: &mut dyn Iterator<Item = (&'static str, &'static str)>| -> Vec<_> {
        list.map(|(name, does)| json!({ "name": name, "does": does })).collect()
    };
    Report::new(text).with("passes", json(&mut names())).with("step_passes", json(&mut step_names()))
}
