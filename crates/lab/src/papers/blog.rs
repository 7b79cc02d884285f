//! The blog's table: parameters, share of them that is activated, and utilization of four large models.
//!
//! It prints layers and experts, no widths, so a width here is one of GSPMD's or GShard's that meets the count:
//!
//! ```text
//! M4 577B       32 layers, half with 2,048 experts: 16 x 2,048 x 2 x 1,024 x 9,216 = 576 x 2^30, and 1 x 2^30 beside
//! decoder 1.2T  64 layers, half with 64 experts:    32 x 64 x 2 x 8,192 x 32,768   = 1.10e12, and 0.05e12 beside
//! ```
//!
//! GShard's own 36 layers of 8,192 have the same 576 x 2^30: the blog's 32 is at odds with them, and both are shown.
//! For the encoder of 480B the blog prints 64 layers only. Two assumed shapes that meet its count show how much
//! depends on the rest: one near the proportions of GSPMD's Table 2 (H about 8 M), one near common ones (H about 4 M,
//! N D = M).

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::rows;
use super::timed::Timed;
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_cost::Coefficient;
use meshwright_ir::DType;
use meshwright_nn::models::family::Sizes;
use meshwright_nn::models::presets::{Family, Preset, Printed, find};
use meshwright_nn::models::strategy::{EXPERT, FINALIZED, HYBRID};

const GIBI: f64 = (1u64 << 30) as f64;

/// A model of the blog, as printed.
struct Model {
    name: &'static str,
    parameters: Printed,
    /// Percent.
    active: f64,
    utilization: f64,
    layers: f64,
    experts: f64,
}

const fn printed(digits: &'static str, billion: f64) -> Printed {
    Printed { digits, place: "Blog, Table 1", billion }
}

const LAMDA: Model = Model {
    name: "LaMDA 137B",
    parameters: printed("137B", 1e9),
    active: 100.0,
    utilization: 56.5,
    layers: 64.0,
    experts: 1.0,
};
const BERT: Model = Model {
    name: "BERT 480B",
    parameters: printed("480B", 1e9),
    active: 100.0,
    utilization: 63.0,
    layers: 64.0,
    experts: 1.0,
};
const M4: Model = Model {
    name: "GShard-M4 577B",
    parameters: printed("577B", GIBI),
    active: 0.25,
    utilization: 46.8,
    layers: 32.0,
    experts: 2_048.0,
};
const SPARSE: Model = Model {
    name: "sparse decoder 1.2T",
    parameters: printed("1.2T", 1e9),
    active: 8.0,
    utilization: 53.8,
    layers: 64.0,
    experts: 64.0,
};

/// Row, quantity and value of the ledger.
pub const PRINTED: [(&str, &str, f64); 16] = [
    (LAMDA.name, "utilization", LAMDA.utilization),
    (LAMDA.name, "active_percent", LAMDA.active),
    (LAMDA.name, "layers", LAMDA.layers),
    (LAMDA.name, "experts", LAMDA.experts),
    (BERT.name, "utilization", BERT.utilization),
    (BERT.name, "active_percent", BERT.active),
    (BERT.name, "layers", BERT.layers),
    (BERT.name, "experts", BERT.experts),
    (M4.name, "utilization", M4.utilization),
    (M4.name, "active_percent", M4.active),
    (M4.name, "layers", M4.layers),
    (M4.name, "experts", M4.experts),
    (SPARSE.name, "utilization", SPARSE.utilization),
    (SPARSE.name, "active_percent", SPARSE.active),
    (SPARSE.name, "layers", SPARSE.layers),
    (SPARSE.name, "experts", SPARSE.experts),
];

/// A model of ours for one of the blog.
struct Taken {
    of: &'static Model,
    note: &'static str,
    preset: Preset,
    target: &'static str,
}

/// 1,024 chips of two cores.
const V3: &str = "tpu-v3:32x32";
const V4: &str = "tpu-v4:16x16x8";

const fn block(model: i64, hidden: i64, heads: i64, kv: i64) -> Sizes {
    Sizes { model, hidden, heads, kv, gated: false, experts: 0, every: 0, groups: 1, room: 100 }
}

/// A decoder of GSPMD's family; its batch is that of Table 7's largest.
const DECODER: Preset = Preset {
    name: "blog",
    family: Family::Dense2d,
    blocks: 64,
    sizes: block(8_192, 32_768, 128, 128),
    printed: None,
    table: &HYBRID,
    mesh: &[("x", 64), ("y", 32)],
    batch: 512,
    length: 1_024,
    compute: DType::BF16,
    recompute: false,
    pipeline: None,
};

/// 64 layers of an encoder, over the mesh of Table 2.
const fn dense_encoder(sizes: Sizes) -> Preset {
    Preset { sizes, table: &FINALIZED, mesh: &[("x", 32), ("y", 64)], ..DECODER }
}

/// GShard's translation model with 2,048 experts, in the 16 bits and the batch of GSPMD's Table 6.
const fn translator(blocks: usize, hidden: i64) -> Preset {
    let sizes = Sizes { experts: 2_048, every: 2, groups: 2_048, ..block(1_024, hidden, 16, 128) };
    Preset {
        family: Family::GShard,
        blocks,
        sizes,
        table: &EXPERT,
        mesh: &[("expert", 2_048)],
        batch: 8_192,
        ..DECODER
    }
}

fn taken() -> Result<Vec<Taken>, Failure> {
    let known = |name: &str| find(name).ok_or_else(|| Failure::bug(&format!("no preset `{name}`")));
    let one = |of, note, preset, target| Taken { of, note, preset, target };
    let sparse = Sizes { experts: 64, every: 2, groups: 512, ..DECODER.sizes };
    Ok(vec![
        one(&LAMDA, "64 layers of GSPMD's Table 2", known("gspmd-128b")?, V3),
        one(&BERT, "assumed: M 16,384, N D = 3 M", dense_encoder(block(16_384, 130_304, 192, 256)), V4),
        one(&BERT, "assumed: M 24,576, N D = M", dense_encoder(block(24_576, 103_168, 192, 128)), V4),
        one(&M4, "the blog's 32 layers, H 9,216", translator(16, 9_216), V3),
        one(&M4, "GShard's 36 layers, H 8,192", translator(18, 8_192), V3),
        one(&M4, "the decoder of GSPMD's Table 6", known("gspmd-moe-577b")?, V3),
        one(&SPARSE, "64 layers, 64 experts", Preset { sizes: sparse, ..DECODER }, V3),
        one(&SPARSE, "12 layers of GSPMD's Table 7", known("gspmd-hybrid-804b")?, V3),
    ])
}

/// A model, counted and simulated.
struct Counted {
    parameters: i64,
    /// Percent.
    active: f64,
    utilization: f64,
    peak: f64,
}

fn counted(taken: &Taken) -> Result<Counted, Failure> {
    let Preset { sizes, blocks, .. } = taken.preset;
    let parameters = taken.preset.model().elements();
    // A token meets two experts of each layer that has them; an encoder-decoder has as many in either stack.
    let stacks = if taken.preset.family == Family::GShard { 2 } else { 1 };
    let layers = if sizes.experts > 0 { stacks * (blocks / sizes.every.max(1)) as i64 } else { 0 };
    let unused = layers * (sizes.experts - 2).max(0) * 2 * sizes.model * sizes.hidden;
    let timed = match rows::find(taken.preset.name) {
        Some((_, row, _)) => Timed::row(row)?,
        None => Timed::preset(&taken.preset, taken.target)?,
    };
    let step = timed.step(&timed.machine);
    Ok(Counted {
        parameters,
        active: 100.0 * (parameters - unused) as f64 / parameters as f64,
        utilization: 100.0 * step.flops / timed.machine[Coefficient::Products] / step.seconds,
        peak: timed.peak,
    })
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "model",
        "taken for it",
        "paper parameters",
        "parameters",
        "paper active %",
        "active %",
        "peak GB",
        "paper util %",
        "ours util %",
        "error %",
    ]);
    let mut items = Vec::new();
    for taken in taken()? {
        let found = counted(&taken)?;
        let of = taken.of;
        let is_met = of.parameters.is_met_by(found.parameters);
        let billions = found.parameters as f64 / of.parameters.billion;
        grid.row([
            Cell::text(of.name),
            Cell::text(taken.note),
            Cell::text(of.parameters.digits),
            Cell::shown(billions, format!("{billions:.1}B")),
            Cell::number(of.active, 2),
            Cell::number(found.active, 2),
            Cell::number(found.peak / 1e9, 1),
            Cell::number(of.utilization, 1),
            Cell::number(found.utilization, 1),
            Cell::number(100.0 * (found.utilization / of.utilization - 1.0), 1),
        ]);
        let item = |quantity: &str| format!("Blog: {quantity} of {}, {}", of.name, taken.note);
        let state = if is_met { "rounds to the printed digits" } else { "differs" };
        let number = format!("{billions:.1}B for {}", of.parameters.digits);
        items.push(Beside::new(item("parameters"), Evidence::Counted, state, number));
        let number = format!("{:.2} % for {} %", found.active, of.active);
        items.push(Beside::new(item("activated share"), Evidence::Counted, "has a command", number));
        let number = format!("{:.1} % for {} %", found.utilization, of.utilization);
        items.push(Beside::new(item("utilization"), Evidence::Simulated, "has a command", number));
    }
    let text = format!(
        "The blog's table: utilization of four large models.\n\n{}\n577B and its counts are in units of 2^30, the others in \
         10^9. Widths and batches are in none of the documents: they are those of GSPMD's and GShard's tables, chosen by the \
         counts. For BERT 480B the documents print 64 layers and 2,048 chips; its two rows are assumptions, and no test of \
         its 63 %.\n",
        grid.to_text()
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/blog.rs", items)))
}
