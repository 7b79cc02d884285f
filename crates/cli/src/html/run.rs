//! The page of a training run: curves, loads of experts over steps, communication, layout of parameters, samples.

use super::template::{Slot, fill};
use super::{assemble_page, render_axes};
use serde_json::Value;

const BODY: &str = include_str!("run.html");
const SCRIPT: &str = include_str!("run.js");

/// Renders the data that `meshwright_train::run::view` gives.
pub fn run_page(data: &Value, axes: &[(String, usize)]) -> String {
    let title = data["title"].as_str().unwrap_or_default();
    let axes = render_axes(axes);
    let body = fill(BODY, &[("title", Slot::Text(title)), ("axes", Slot::Markup(&axes))]);
    assemble_page(title, &body, data, SCRIPT)
}
