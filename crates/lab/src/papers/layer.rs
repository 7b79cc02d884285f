//! GShard, Figure 8: where the forward pass of a layer of experts and of the dense layer beside it spends its time,
//! with as many tokens on every device, beside what it would take at the machine's peaks.
//!
//! A pair of layers is what an encoder of two pairs takes more than one of one: embedding, decoder and softmax fall
//! out.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::program::partitioned_by;
use super::timed::{Timed, waits};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_compile::Options;
use meshwright_cost::activity::Kind;
use meshwright_cost::{Pattern, StepTime};
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::family::Sizes;
use meshwright_nn::models::presets::{Built, Preset, find};
use meshwright_nn::models::step::{Model, batch_inputs};
use meshwright_spmd::Loops;
use meshwright_tensor::prelude::*;

/// Sequences on each device: those of the batch of 4M tokens on 2,048 cores.
const SEQUENCES: i64 = 16;

/// What the paper's text says of a bar: by how much it is longer than the first, percent of the roofline, and of time
/// in all-to-alls.
#[derive(Clone, Copy)]
struct Said {
    slower: Option<f64>,
    roofline: Option<f64>,
    all_to_all: Option<f64>,
}

/// Model and machine.
const MODELS: [(&str, &str, Said); 3] = [
    ("gshard-36l-128e", "tpu-v3:8x8", Said { slower: None, roofline: Some(70.0), all_to_all: Some(16.0) }),
    ("gshard-36l-512e", "tpu-v3:16x16", Said { slower: None, roofline: None, all_to_all: None }),
    (
        "gshard-36l-2048e",
        "tpu-v3:32x32",
        Said { slower: Some(1.7), roofline: Some(48.0), all_to_all: Some(36.0) },
    ),
];

/// The forward pass with so many pairs of layers in the encoder.
fn forward(preset: &Preset, pairs: usize) -> Result<Program, Errors> {
    let mesh = Mesh::new(preset.mesh.iter().copied())?;
    let model = match preset.model() {
        Built::EncoderDecoder(model) => EncoderDecoder { encoder: 2 * pairs, decoder: 2, ..model },
        Built::Language(_) | Built::Conformer(_) => return Err(Errors::from(Vec::new())),
    };
    trace_with("forward", &preset.table.rules(&mesh), |t| {
        let batch = batch_inputs(t, &model, &preset.training());
        let params = model.specs().params(t, "params", f32);
        model.losses(&params, &batch, model.predicted(&batch), None).loss
    })
}

/// Seconds of a pair of layers.
struct Pair {
    whole: f64,
    roofline: f64,
    all_to_all: f64,
    kinds: [f64; Kind::ALL.len()],
}

fn pair(name: &str, target: &str) -> Result<Pair, Failure> {
    let Some(preset) = find(name) else { return Err(Failure::bug(&format!("no preset `{name}`"))) };
    let sizes = Sizes { groups: preset.devices(), ..preset.sizes };
    let preset = Preset { batch: SEQUENCES * preset.devices(), sizes, ..preset };
    let mut options = Options::default();
    options.partition.loops = Loops::Never;
    let timed =
        |pairs| Timed::of(partitioned_by(forward(&preset, pairs), &options)?.program.module(), target);
    let (one, two) = (timed(2)?, timed(3)?);
    let steps = [&one, &two].map(|of| of.step(&of.machine));
    let more = |of: &dyn Fn(&StepTime) -> f64| of(&steps[1]) - of(&steps[0]);
    Ok(Pair {
        whole: more(&|step| step.seconds),
        roofline: two.roofline() - one.roofline(),
        all_to_all: more(&|step| waits(step, Pattern::AllToAll)),
        kinds: Kind::ALL.map(|kind| more(&|step| step.computing.get(&kind).copied().unwrap_or(0.0))),
    })
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "model",
        "us",
        "of the first",
        "paper",
        "of roofline %",
        "paper %",
        "all-to-all %",
        "paper's %",
        "products us",
        "batched us",
        "loops us",
        "moves us",
        "running us",
    ]);
    let (mut first, mut items) = (None, Vec::new());
    for (name, target, said) in MODELS {
        let found = pair(name, target)?;
        let base = *first.get_or_insert(found.whole);
        let micros = |seconds: f64| Cell::number(1e6 * seconds, 0);
        let mut cells = vec![
            Cell::text(name),
            micros(found.whole),
            Cell::number(found.whole / base, 2),
            Cell::maybe(said.slower, 1),
            Cell::number(100.0 * found.roofline / found.whole, 0),
            Cell::maybe(said.roofline, 0),
            Cell::number(100.0 * found.all_to_all / found.whole, 1),
            Cell::maybe(said.all_to_all, 0),
        ];
        cells.extend(found.kinds.iter().map(|seconds| micros(*seconds)));
        grid.row(cells);
        if let Some(paper) = said.roofline {
            let ours = 100.0 * found.roofline / found.whole;
            items.push(Beside::new(
                format!("GShard, Figure 8: share of the roofline, {name}"),
                Evidence::Simulated,
                if ours < 1.2 * paper { "within a fifth" } else { "stays off" },
                format!("{ours:.0} % for {paper:.0} %"),
            ));
        }
    }
    let circular = super::constants::fitted_on("gshard-figure-8")?;
    let text = format!(
        "GShard, Figure 8: forward pass of a dense layer and one of experts, {} tokens on each core of TPU v3.\n\n{}\nThe \
         paper prints the bars without numbers; the columns of the paper are what its text says of them. The roofline rows stay \
         off: all-to-alls are 16 and 36 % of the paper's time and fewer here, and our compiler fuses gating and one-hot masks into \
         loops that reach 78 % of the memory's rate. The paper does not say what its compiler made of them.\n{circular}",
        SEQUENCES * 128,
        grid.to_text(),
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/layer.rs", items)))
}
