//! Models of images and sound on eight devices, each as its forward pass and as its whole training step.
//!
//! Sizes divide, so that what windows need can be counted by hand; they are small, for bytes are counted and nothing is
//! run.

use meshwright_nn::models::conformer::{Conformer, ConvNorm};
use meshwright_nn::models::family::{self, Sizes};
use meshwright_nn::models::images::dilated::Dilated;
use meshwright_nn::models::images::joined::{BY_MODE, Joined};
use meshwright_nn::models::images::residual::{Residual, Stage};
use meshwright_nn::models::images::vit::Vit;
use meshwright_nn::models::step::{Model, Training, batch_inputs, train_step};
use meshwright_nn::models::strategy::{DATA, SPATIAL};
use meshwright_nn::models::transformer::Transformer;
use meshwright_nn::models::unet::{Down, Normal, UNet};
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::stored::Stored;
use meshwright_tensor::prelude::*;

/// Rows of a batch.
pub const BATCH: i64 = 4;

/// A model over a mesh.
pub struct Case {
    pub name: &'static str,
    pub forward: Program,
    pub step: Program,
}

pub fn unet() -> UNet {
    UNet {
        sizes: vec![32, 16, 16],
        channels: 1,
        classes: 3,
        levels: vec![[4, 8], [8, 16]],
        down: Down::Stride,
        narrows_up: true,
        normal: Normal::Instance,
        overlap: 1.0,
        compute: f32,
    }
}

pub fn conformer() -> Conformer {
    Conformer {
        features: 16,
        channels: 8,
        model: 32,
        hidden: 64,
        heads: 4,
        kv: 8,
        window: 9,
        norm: ConvNorm::Layer,
        blocks: 2,
        labels: 10,
        most: 6,
        dropout: 0.0,
        compute: f32,
        stacked: false,
        recompute: false,
        pipeline: None,
    }
}

pub fn residual() -> Residual {
    let stages = [Stage { blocks: 1, width: 8 }, Stage { blocks: 2, width: 16 }];
    Residual::plain([64, 64], 3, stages, 10)
}

pub fn dilated() -> Dilated {
    Dilated {
        image: vec![64, 64],
        channels: 4,
        features: 8,
        dilations: vec![1, 2, 4, 8],
        stacks: 2,
        told: vec![64, 64],
        classes: 6,
        compute: f32,
    }
}

fn transformer() -> Transformer {
    let sizes = Sizes {
        model: 32,
        hidden: 64,
        heads: 4,
        kv: 8,
        gated: false,
        experts: 0,
        every: 2,
        groups: 8,
        room: 200,
    };
    family::looking_both_ways(&sizes)
}

pub fn vit() -> Vit {
    Vit {
        image: vec![32, 32],
        channels: 3,
        patch: vec![4, 4],
        net: transformer(),
        blocks: 2,
        classes: 10,
        factors: [0.0; 2],
    }
}

pub fn joined() -> Joined {
    Joined { image: residual(), text: transformer(), blocks: 2, vocab: 40, length: 16 }
}

fn training(batch: i64) -> Training {
    Training {
        optimizer: Optimizer::sgd(0.05, 0.9),
        batch,
        microbatches: 1,
        length: 96,
        dtype: f32,
        stored: Stored::Wide,
        seed: 3,
    }
}

fn case<M: Model>(name: &'static str, model: &M, batch: i64, rules: &Rules) -> Result<Case, Errors> {
    let training = training(batch);
    let forward = trace_with("forward", rules, |t| {
        let inputs = batch_inputs(t, model, &training);
        let p = model.specs().params(t, "params", f32);
        model.judged(&p, &inputs).nats
    })?;
    Ok(Case { name, forward, step: train_step(model, &training, rules)? })
}

/// All of them.
pub fn all() -> Result<Vec<Case>, Errors> {
    let by = |first: (&str, i64), second: (&str, i64)| Mesh::new([first, second]);
    let space = by(("x", 2), ("y", 4))?;
    let both_ways = Rules::of(&space, [("space", "x"), ("space_2", "y")]);
    let rows = Rules::of(&by(("data", 2), ("rows", 4))?, [("batch", "data"), ("space", "rows")]);
    Ok(vec![
        case("unet", &unet(), BATCH, &SPATIAL.rules(&SPATIAL.mesh([("data", 2), ("spatial", 4)])?))?,
        case("conformer", &conformer(), 2 * BATCH, &DATA.rules(&Mesh::new([("data", 8)])?))?,
        case("residual", &residual(), BATCH, &both_ways)?,
        case("dilated", &dilated(), BATCH, &both_ways)?,
        case("vit", &vit(), BATCH, &rows)?,
        case("joined", &joined(), BATCH, &BY_MODE.rules(&space))?,
    ])
}
