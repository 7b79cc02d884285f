//! `passes`: the stages and passes of a compilation, by name.

use crate::report::Report;
use meshwright_compile::names;
use serde_json::json;

pub fn passes() -> Report {
    let width = names().map(|(name, _)| name.len()).max().unwrap_or(0);
    let text: String = names().map(|(name, does)| format!("{name:width$}  {does}\n")).collect();
    let tail =
        "\nin the order in which they first run; `--dump-after NAME` writes the module behind one of them\n";
    let list: Vec<_> = names().map(|(name, does)| json!({ "name": name, "does": does })).collect();
    Report::new(text + tail).with("passes", list)
}
