//! GSPMD 5.1: "annotating just 7 tensors per Transformer layer (roughly 0.7% of all tensors in the entire XLA graph)".
//! Here: annotated tensors of a layer in the forward pass, and their share of all tensors of a training step.
//!
//! Blocks are traced one after the other. Two small depths give the count of a layer, which is extrapolated to the
//! depth of the preset. A table's rows name dims of weights and of activations; every tensor with such a dim is
//! annotated. All other names are left to completion, or, as in the presets, annotated as whole. Both are partitioned.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::program::{Bytes, partitioned};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_ir::Module;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::presets::{Built, Preset, find};
use meshwright_nn::models::step::{Model, batch_inputs, train_step};
use meshwright_nn::models::transformer::Transformer;
use meshwright_tensor::Errors;
use meshwright_tensor::prelude::*;

const PRESETS: [&str; 3] = ["gspmd-64b-2048", "gspmd-16b-32x8", "gspmd-hybrid-804b"];

/// The paper's numbers.
pub const PER_LAYER: f64 = 7.0;
pub const PERCENT: f64 = 0.7;

/// Tensors, and those of them that are annotated.
#[derive(Clone, Copy)]
struct Tensors {
    all: f64,
    annotated: f64,
}

fn tensors(module: &Module) -> Tensors {
    let main = module.main();
    let made = main.insts_in_order().into_iter().flat_map(|inst| main.inst(inst).results.clone());
    let all: Vec<bool> = main
        .param_values()
        .iter()
        .copied()
        .chain(made)
        .map(|value| main.value(value).sharding.is_some())
        .collect();
    Tensors {
        all: all.len() as f64,
        annotated: all.iter().filter(|is_annotated| **is_annotated).count() as f64,
    }
}

/// The model with `blocks` blocks, traced one by one.
fn unstacked(preset: &Preset, blocks: usize) -> Result<Language, Errors> {
    let Built::Language(model) = preset.model() else { return Err(Errors::from(Vec::new())) };
    Ok(Language { blocks, net: Transformer { stacked: false, ..model.net }, ..model })
}

fn forward(preset: &Preset, blocks: usize, rules: &Rules) -> Result<Program, Errors> {
    let model = unstacked(preset, blocks)?;
    trace_with("forward", rules, |t| {
        let batch = batch_inputs(t, &model, &preset.training());
        let params = model.specs().params(t, "params", f32);
        model.losses(&params, &batch, model.predicted(&batch), None).loss
    })
}

/// Annotated tensors of a layer, and in percent of all of a training step with all layers.
struct Count {
    per_layer: f64,
    percent: f64,
}

fn count(preset: &Preset, rules: &Rules) -> Result<Count, Failure> {
    let few = 2 * preset.sizes.every.max(1);
    let traced = |program: Result<Program, Errors>| match program {
        Ok(program) => Ok(tensors(program.module())),
        Err(_) => Err(Failure::bug(&format!("`{}` does not trace", preset.name))),
    };
    let step = |blocks| {
        traced(unstacked(preset, blocks).and_then(|model| train_step(&model, &preset.training(), rules)))
    };
    let slope = |one: f64, two: f64| (two - one) / few as f64;
    let layer = slope(
        traced(forward(preset, few, rules))?.annotated,
        traced(forward(preset, 2 * few, rules))?.annotated,
    );
    let (one, two) = (step(few)?, step(2 * few)?);
    let at_depth = |one: f64, two: f64| one + slope(one, two) * (preset.blocks - few) as f64;
    // Copies of an annotation on gradients are the tracer's, not the user's.
    let by_user = traced(forward(preset, few, rules))?.annotated + layer * (preset.blocks - few) as f64;
    Ok(Count { per_layer: layer, percent: 100.0 * by_user / at_depth(one.all, two.all) })
}

pub fn table() -> Result<Report, Failure> {
    let mut grid = Grid::new([
        "model",
        "a layer",
        "paper",
        "% of tensors",
        "paper %",
        "with whole dims",
        "%",
        "sent GB",
        "sent GB, whole dims",
        "peak GB",
        "peak GB, whole dims",
    ]);
    let mut items = Vec::new();
    for name in PRESETS {
        let Some(preset) = find(name) else { return Err(Failure::bug(&format!("no preset `{name}`"))) };
        let mesh = Mesh::new(preset.mesh.iter().copied());
        let mesh = mesh.map_err(|_| Failure::bug("a mesh of a preset"))?;
        let [named, all] = [preset.table.rows_alone(&mesh), preset.table.rules(&mesh)];
        let (few, many) = (count(&preset, &named)?, count(&preset, &all)?);
        let bytes = |rules: &Rules| -> Result<Bytes, Failure> {
            let step = preset.model().train_step(&preset.training(), rules);
            Ok(Bytes::of(partitioned(step, None)?.program.module()))
        };
        let (alone, whole) = (bytes(&named)?, bytes(&all)?);
        grid.row([
            Cell::text(name),
            Cell::number(few.per_layer, 1),
            Cell::number(PER_LAYER, 0),
            Cell::number(few.percent, 2),
            Cell::number(PERCENT, 1),
            Cell::number(many.per_layer, 1),
            Cell::number(many.percent, 2),
            Cell::number(alone.sent / 1e9, 1),
            Cell::number(whole.sent / 1e9, 1),
            Cell::number(alone.peak / 1e9, 1),
            Cell::number(whole.peak / 1e9, 1),
        ]);
        items.push(Beside::new(
            format!("GSPMD 5.1: annotated tensors of a layer of {name}, and of all"),
            Evidence::Counted,
            if few.per_layer <= PER_LAYER { "as few" } else { "more than the paper's" },
            format!("{:.1}, {:.2} % for {PER_LAYER}, {PERCENT} %", few.per_layer, few.percent),
        ));
    }
    let text = format!(
        "GSPMD 5.1: tensors that are annotated, of a layer and of a training step.\n\n{}\nThe first counts are of tensors with a dim \
         that the strategy's table names; `whole dims` adds those that the presets annotate as whole, with the bytes \
         that the partitioned step sends and holds in either case. Our step is counted before any pass; the paper counts an XLA \
         graph.\n",
        grid.to_text()
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/annotated.rs", items)))
}
