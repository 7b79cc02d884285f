//! Switch, Table 1, its last columns at the paper's size, on the 32 cores of TPU v3 that it names: examples a second,
//! simulated, and the hours to a quality that follow from them. Figures 5 and 6 plot quality over time: how much sooner
//! a model is there is how many steps fewer it needs, which is the paper's, times its simulated speed.
//!
//! Experts have places by the paper's factor alone, as in the authors' library: a second choice shares them.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::program::partitioned_by;
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_compile::Options;
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::family::Sizes;
use meshwright_nn::models::presets::{Built, Preset, find};
use meshwright_nn::models::step::train_step;
use meshwright_nn::models::transformer::{Moe, Transformer};
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::layer::Gate;
use meshwright_nn::moe::route::Top2;
use meshwright_spmd::Loops;
use meshwright_tensor::prelude::*;
use meshwright_tensor::{Errors, Program};

const TARGET: &str = "tpu-v3:4x4";

/// A row of the table.
pub struct SpeedRow {
    pub name: &'static str,
    preset: &'static str,
    /// Examples a second as printed.
    pub speed: f64,
    /// Hours to a negative log perplexity of -1.50 as printed.
    pub hours: Option<f64>,
    routing: Routing,
}

/// How a row's tokens go to experts.
#[derive(Clone, Copy)]
enum Routing {
    Dense,
    /// To one, with a capacity factor.
    One(f64),
    Two(f64),
}

const fn row(name: &'static str, preset: &'static str, speed: f64, hours: f64, routing: Routing) -> SpeedRow {
    SpeedRow { name, preset, speed, hours: Some(hours), routing }
}

pub const ROWS: [SpeedRow; 9] = [
    SpeedRow { hours: None, ..row("T5-Base", "t5-base", 1600.0, 0.0, Routing::Dense) },
    row("T5-Large", "t5-large", 470.0, 131.1, Routing::Dense),
    row("MoE-Base 2.0", "switch-base", 840.0, 68.7, Routing::Two(2.0)),
    row("Switch-Base 2.0", "switch-base", 860.0, 72.8, Routing::One(2.0)),
    row("MoE-Base 1.25", "switch-base", 790.0, 80.7, Routing::Two(1.25)),
    row("Switch-Base 1.25", "switch-base", 910.0, 65.0, Routing::One(1.25)),
    row("MoE-Base 1.0", "switch-base", 860.0, 80.1, Routing::Two(1.0)),
    row("Switch-Base 1.0", "switch-base", 1000.0, 62.8, Routing::One(1.0)),
    row("Switch-Base+ 1.0", "switch-base-plus", 780.0, 67.6, Routing::One(1.0)),
];

/// Thousands of steps to one quality (Figure 4's text), and how much sooner Figures 5 and 6 have a model there.
const DENSE_STEPS: f64 = 450.0;
const SPARSE_STEPS: f64 = 60.0;
const SOONER_THAN_BASE: f64 = 7.0;
const SOONER_THAN_LARGE: f64 = 2.5;

/// Row, quantity and value of the ledger.
pub const PRINTED: [(&str, &str, f64); 4] = [
    ("T5-Base", "steps_thousands", DENSE_STEPS),
    ("64 experts", "steps_thousands", SPARSE_STEPS),
    ("speed-up over T5-Base", "times", SOONER_THAN_BASE),
    ("over T5-Large", "times", SOONER_THAN_LARGE),
];

impl SpeedRow {
    fn routed(&self, model: EncoderDecoder) -> EncoderDecoder {
        let (gate, factor) = match self.routing {
            Routing::Dense => return model,
            Routing::One(factor) => (None, factor),
            Routing::Two(factor) => (Some(Gate::Top2(Top2::CODE)), factor),
        };
        let moe = model.net.moe.map(|moe| Moe {
            gate: gate.unwrap_or(moe.gate),
            capacity: Capacity::Switch(factor),
            ..moe
        });
        EncoderDecoder { net: Transformer { moe, ..model.net }, ..model }
    }

    fn step(&self, preset: &Preset) -> Result<Program, Errors> {
        let Built::EncoderDecoder(model) = preset.model() else { return Err(Errors::from(Vec::new())) };
        let mesh = Mesh::new(preset.mesh.iter().copied())?;
        train_step(&self.routed(model), &preset.training(), &preset.table.rules(&mesh))
    }

    /// Examples a second.
    fn simulated(&self) -> Result<f64, Failure> {
        self.speed_of(&self.found()?)
    }

    fn found(&self) -> Result<Preset, Failure> {
        find(self.preset).ok_or_else(|| Failure::bug(&format!("no preset `{}`", self.preset)))
    }

    fn speed_of(&self, preset: &Preset) -> Result<f64, Failure> {
        let mut options = Options::default();
        options.partition.loops = Loops::Never;
        let timed = Timed::of(partitioned_by(self.step(preset), &options)?.program.module(), TARGET)?;
        Ok(preset.batch as f64 / timed.step(&timed.machine).seconds)
    }

    /// Thousands of steps of a batch in the printed hours at the printed speed.
    fn steps(&self, batch: f64) -> Option<f64> {
        self.hours.map(|hours| hours * 3_600.0 * self.speed / batch / 1e3)
    }
}

/// The row of a name with its simulated speed.
fn find_row<'a>(all: &[(&'a SpeedRow, f64)], name: &str) -> Result<(&'a SpeedRow, f64), Failure> {
    let found = all.iter().find(|(row, _)| row.name == name).copied();
    found.ok_or_else(|| Failure::bug(&format!("no row `{name}`")))
}

/// Figures 5 and 6: how much sooner a sparse model is at a dense one's quality.
fn figures(all: &[(&SpeedRow, f64)]) -> Result<(String, Vec<Beside>), Failure> {
    let base = find_row(all, "T5-Base")?;
    let large = find_row(all, "T5-Large")?;
    let sparse = find_row(all, "Switch-Base 1.25")?;
    let preset = sparse.0.found()?;
    let few = Preset { sizes: Sizes { experts: 64, ..preset.sizes }, ..preset };
    let of_64 = sparse.0.speed_of(&few)?;
    let batch = preset.batch as f64;
    let fewer_than_large =
        large.0.steps(batch).zip(sparse.0.steps(batch)).map(|(dense, sparse)| dense / sparse);
    let rows = [
        (
            "Figure 5: 64 experts by T5-Base",
            Some(DENSE_STEPS / SPARSE_STEPS),
            of_64 / base.1,
            SOONER_THAN_BASE,
        ),
        ("Figure 6: Switch-Base by T5-Large", fewer_than_large, sparse.1 / large.1, SOONER_THAN_LARGE),
    ];
    let mut grid = Grid::new(["figure", "steps fewer, paper", "speed, ours", "sooner", "paper sooner"]);
    let mut items = Vec::new();
    for (figure, fewer, speed, printed) in rows {
        let sooner = fewer.unwrap_or(f64::NAN) * speed;
        grid.row([
            Cell::text(figure),
            Cell::maybe(fewer, 2),
            Cell::number(speed, 2),
            Cell::number(sooner, 1),
            Cell::number(printed, 1),
        ]);
        let state = if sooner >= printed { "as soon" } else { "sooner, by less" };
        items.push(Beside::new(
            format!("Switch, {figure}: sooner by the clock, with the paper's steps"),
            Evidence::Simulated,
            state,
            format!("{sooner:.1} times for {printed}"),
        ));
    }
    let text = format!(
        "Figures 5 and 6: the paper's steps at our speeds.\n\n{}\nThe speeds of its own Table 1 give {:.1} times by its steps of \
         Figure 4, and {:.1} by its hours to -1.50: both are short of the figures, as ours are. No learning is simulated \
         here.\n",
        grid.to_text(),
        DENSE_STEPS / SPARSE_STEPS * sparse.0.speed / base.0.speed,
        large.0.hours.zip(sparse.0.hours).map_or(f64::NAN, |(dense, sparse)| dense / sparse),
    );
    Ok((text, items))
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "model",
        "for",
        "paper examples/s",
        "examples/s",
        "error %",
        "paper hours to -1.50",
        "hours at our speed",
        "thousand steps of both",
    ]);
    let all: Vec<(&SpeedRow, f64)> =
        ROWS.iter().map(|row| Ok((row, row.simulated()?))).collect::<Result<_, Failure>>()?;
    let batch = find_row(&all, "T5-Base")?.0.found()?.batch as f64;
    let mut items = Vec::new();
    for (row, ours) in &all {
        let error = ours / row.speed - 1.0;
        grid.row([
            Cell::text(row.name),
            Cell::text("unseen table"),
            Cell::number(row.speed, 0),
            Cell::number(*ours, 0),
            Cell::number(100.0 * error, 1),
            Cell::maybe(row.hours, 1),
            Cell::maybe(row.hours.map(|hours| hours * row.speed / ours), 1),
            Cell::maybe(row.steps(batch), 0),
        ]);
        items.push(Beside::new(
            format!("Switch, Table 1: speed of {}", row.name),
            Evidence::Simulated,
            if error.abs() < 0.2 { "within a fifth" } else { "off by more than a fifth" },
            format!("{ours:.0} examples/s for {}", row.speed),
        ));
    }
    let base = find_row(&all, "T5-Base")?;
    let large = find_row(&all, "T5-Large")?;
    let sparse = find_row(&all, "Switch-Base 1.25")?;
    let (figures, more) = figures(&all)?;
    items.extend(more);
    let text = format!(
        "Switch, Table 1: speed at the paper's size, on {TARGET}, simulated.\n\n{}\nSwitch-Base has {:.2} of the speed of \
         T5-Base (the paper: {:.2}) and {:.2} times that of T5-Large ({:.2}). Steps to -1.50 are the paper's: its hours times \
         its speed.\n\n{figures}",
        grid.to_text(),
        sparse.1 / base.1,
        sparse.0.speed / base.0.speed,
        sparse.1 / large.1,
        sparse.0.speed / large.0.speed
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/speeds.rs", items)))
}
