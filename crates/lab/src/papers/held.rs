//! GShard, Figure 7: what a device holds of each model of its family, as trained, and what of it is weights.
//!
//! Exact for our program: states are summed up, and the peak is that of its values' lives. The paper says in words that
//! both stay constant as experts grow, that both grow with the layers, and how much is computed again where a device's
//! memory is too small; its figure's bars carry no numbers. The paper's share is of cycles: here it is the simulated
//! seconds that a step takes more than one without a limit, of its own.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::program::{Bytes, partitioned};
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::{Machine, traffic};
use meshwright_ir::Module;
use meshwright_nn::models::family::Sizes;
use meshwright_nn::models::presets::{Preset, find};

/// Memory of a core of a TPU v3.
const LIMIT: i64 = 16 << 30;

/// Sequences on each device, so that all have as many tokens as those of the batch of 4M on 2,048 cores.
const SEQUENCES: i64 = 16;

/// A model, its machine, and the share of cycles that the paper says are spent on computing again.
const MODELS: [(&str, &str, f64); 6] = [
    ("gshard-12l-128e", "tpu-v3:8x8", 0.0),
    ("gshard-12l-512e", "tpu-v3:16x16", 0.0),
    ("gshard-12l-2048e", "tpu-v3:32x32", 0.0),
    ("gshard-24l-2048e", "tpu-v3:32x32", 0.0),
    ("gshard-36l-2048e", "tpu-v3:32x32", 0.28),
    ("gshard-60l-2048e", "tpu-v3:32x32", 0.34),
];

/// One model within a device's memory.
struct Held {
    bytes: Bytes,
    unlimited: f64,
    /// Shares of flops, and of seconds.
    again: f64,
    again_seconds: f64,
}

fn row(name: &str, target: &str) -> Result<Held, Failure> {
    let Some(preset) = find(name) else { return Err(Failure::bug(&format!("no preset `{name}`"))) };
    let sizes = Sizes { groups: preset.devices(), ..preset.sizes };
    let preset = Preset { batch: SEQUENCES * preset.devices(), sizes, ..preset };
    let unlimited = partitioned(preset.step(), None)?;
    let compiled = partitioned(preset.step(), Some(LIMIT))?;
    let again = compiled.rematerialized.map_or(0.0, |again| again.again);
    let module = compiled.program.module();
    let all = traffic(module, &Machine::default()).contraction_flops;
    let seconds = |module: &Module| -> Result<f64, Failure> {
        let timed = Timed::of(module, target)?;
        Ok(timed.step(&timed.machine).seconds)
    };
    let again_seconds =
        if again > 0.0 { 1.0 - seconds(unlimited.program.module())? / seconds(module)? } else { 0.0 };
    let unlimited = Bytes::of(unlimited.program.module()).peak;
    Ok(Held { bytes: Bytes::of(module), unlimited, again: again / all.max(1.0), again_seconds })
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "model",
        "weights GB",
        "activations GB",
        "peak GB",
        "without a limit GB",
        "again, % of flops",
        "again, % of time",
        "paper, % of cycles",
    ]);
    let (mut rows, mut items) = (Vec::new(), Vec::new());
    for (name, target, paper) in MODELS {
        let found = row(name, target)?;
        let giga = |bytes: f64| Cell::number(bytes / 1e9, 2);
        grid.row([
            Cell::text(name),
            giga(found.bytes.states),
            giga(found.bytes.peak - found.bytes.states),
            giga(found.bytes.peak),
            giga(found.unlimited),
            Cell::number(100.0 * found.again, 1),
            Cell::number(100.0 * found.again_seconds, 1),
            Cell::number(100.0 * paper, 0),
        ]);
        items.push(Beside::new(
            format!("GShard, Figure 7: share of time that {name} computes again"),
            Evidence::Simulated,
            if (found.again_seconds - paper).abs() < 0.05 { "within 5 points" } else { "not shown" },
            format!("{:.1} % for {:.0} %", 100.0 * found.again_seconds, 100.0 * paper),
        ));
        rows.push(found);
    }
    let growth = |of: fn(&Held) -> f64| 100.0 * (of(&rows[2]) / of(&rows[0]) - 1.0);
    let text = format!(
        "GShard, Figure 7: what a device of {} GiB holds, with {} tokens on every device.\n\n{}\nWith 16 times the experts \
         of 12 layers, weights are {:+.1} % and the peak is {:+.1} %: O(1). The bars of the figure carry no numbers; the last \
         column is its text's. The share of time is what a step takes more than one without a limit. Ours is far below the \
         paper's: without a limit the models exceed a core by 1 and 2 GB only, and values that are cheap for their size are \
         computed again.\n",
        LIMIT >> 30,
        SEQUENCES * 128,
        grid.to_text(),
        growth(|row| row.bytes.states),
        growth(|row| row.bytes.peak),
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/held.rs", items)))
}
