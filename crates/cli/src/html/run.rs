//! The page of a training run: curves, loads of experts over steps, what is sent, how parameters lie, samples.

use super::{PageParts, written};
use maud::html;
use serde_json::Value;

const SCRIPT: &str = include_str!("run.js");

const PLACES: [(&str, &str); 6] = [
    ("curves", "Curves"),
    ("loads", "Experts"),
    ("figures", "Classes"),
    ("samples", "Samples"),
    ("sent", "Sent"),
    ("layout", "Parameters"),
];

/// Of what `meshwright_train::run::view` gives.
pub fn run_page(data: &Value, axes: &[(String, usize)]) -> String {
    let tools = html! {
        span #live hidden {}
        button #theme title="light or dark (t)" { "Theme" }
    };
    let body = html! {
        div.stats #stats {}
        div.page {
            section #curves { h2 { "Curves" } div.charts #charts {} }
            section #loads hidden {
                h2 { "Experts" small { "each one's share of its layer's choices over steps; even is in between" } }
                div #maps {}
            }
            section #figures hidden {
                h2 { "What it sees" small { "of held-out examples, with what the model says of them" } }
                div.card.wide #slices {}
                div.card.wide { table #figures-table {} }
            }
            section #parts hidden { h2 { "By part of the corpus" small { "held out" } } div.card.wide { table #parts-table {} } }
            section #samples hidden {
                h2 #samples-told {}
                div.card.wide { table #samples-table {} }
            }
            section #sent hidden { h2 { "What a step sends" } div.card.wide { table #sent-table {} } }
            section #layout hidden { h2 { "How parameters lie on the devices" } div.card.wide { table #layout-table {} } }
        }
    };
    let title = data["title"].as_str().unwrap_or_default();
    written(&PageParts { title, axes, places: &PLACES, tools, body, data, script: SCRIPT })
}
