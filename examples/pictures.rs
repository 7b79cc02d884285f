//! Two models that see, on the same 8 devices: a residual network whose images are split by batch and rows, and a ViT
//! whose images are split by batch and heads. Each learns to tell kinds of bodies in noise, and is judged by pictures
//! that it has not seen.
//!
//!     cargo run --release --example pictures

#![allow(clippy::print_stdout)]

use meshwright::nn::models::family::{self, Sizes};
use meshwright::nn::models::images::residual::{Residual, Stage};
use meshwright::nn::models::images::vit::Vit;
use meshwright::nn::models::step::{Model, Training, batch_inputs, train_step};
use meshwright::nn::models::strategy::DATA_MODEL;
use meshwright::nn::optim::Optimizer;
use meshwright::nn::optim::stored::Stored;
use meshwright::prelude::*;

const BATCH: i64 = 16;
const SIZE: i64 = 16;
const KINDS: i64 = 4;
const CHANNELS: i64 = 1;

/// Numbers that look random, from -1 to 1.
fn noise(seed: i64, at: i64) -> f64 {
    let mut bits =
        (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (at as u64).wrapping_mul(0xd1b5_4a32_d192_ed03);
    for _ in 0..2 {
        bits = (bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A disc, a ring, a square or a frame, anywhere and of any size.
fn picture(number: i64) -> (i32, Vec<f32>) {
    let kind = number % KINDS;
    let draw = |at: i64, low: f64, high: f64| low + (high - low) * (noise(number, -at) + 1.0) / 2.0;
    let half = draw(1, 3.0, 6.0);
    let [y, x] = [2, 3].map(|at| draw(at, half, SIZE as f64 - half));
    let is_bright = |row: f64, column: f64| {
        let (y, x) = ((row - y) / half, (column - x) / half);
        let from = if kind < 2 { y.hypot(x) } else { y.abs().max(x.abs()) };
        from <= 1.0 && (kind % 2 == 0 || from > 0.55)
    };
    let pixel = |at: i64| {
        let bright = is_bright((at / SIZE) as f64 + 0.5, (at % SIZE) as f64 + 0.5);
        (f64::from(u8::from(bright)) + 0.3 * noise(number, at + 1)) as f32
    };
    (kind as i32, (0..SIZE * SIZE).map(pixel).collect())
}

/// Pictures from a number on, as a batch.
fn batch(from: i64) -> Result<[Array; 2], Error> {
    let (kinds, pixels): (Vec<i32>, Vec<Vec<f32>>) = (from..from + BATCH).map(picture).unzip();
    Ok([Array::new([BATCH, SIZE, SIZE, CHANNELS], &pixels.concat())?, Array::new([BATCH], &kinds)?])
}

pub fn residual() -> Residual {
    let stages = [Stage { blocks: 1, width: 8 }, Stage { blocks: 1, width: 16 }];
    Residual::plain([SIZE, SIZE], CHANNELS, stages, KINDS)
}

pub fn vit() -> Vit {
    let sizes = Sizes {
        model: 32,
        hidden: 64,
        heads: 4,
        kv: 8,
        gated: false,
        experts: 0,
        every: 2,
        groups: 1,
        room: 100,
    };
    Vit {
        image: vec![SIZE, SIZE],
        channels: CHANNELS,
        patch: vec![4, 4],
        net: family::looking_both_ways(&sizes),
        factors: [0.0; 2],
        blocks: 2,
        classes: KINDS,
    }
}

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("data", 2), ("rows", 4)])?;
    let by_rows = Rules::of(&mesh, [("batch", "data"), ("space", "rows")]);
    println!("residual network: {:.0}% right", 100.0 * train(&residual(), &by_rows, 0.01, 120)?);
    let mesh = Mesh::new([("data", 2), ("model", 4)])?;
    println!("ViT: {:.0}% right", 100.0 * train(&vit(), &DATA_MODEL.rules(&mesh), 0.003, 300)?);
    Ok(())
}

/// The share of 64 unseen pictures that are told right after so many steps.
pub fn train<M: Model>(model: &M, rules: &Rules, rate: f64, steps: usize) -> Result<f64, Error> {
    let training = Training {
        optimizer: Optimizer::adam(rate),
        batch: BATCH,
        microbatches: 1,
        length: 2,
        dtype: f32,
        stored: Stored::Wide,
        seed: 1,
    };
    let mut loaded = train_step(model, &training, rules)?.partition()?.load(8)?;
    let first = trace_with("first", rules, |_| {
        let drawn = model.specs().draw(Key::seed(1), f32);
        let weights = model.specs().parted().0.draw(Key::seed(1), f32);
        let states = training.optimizer.zeros("", &weights).list;
        let named = drawn.list.into_iter().map(|(name, x)| (format!("params.{name}"), x));
        named.chain(states).chain([("step".to_string(), scalar(i32, 0))]).collect::<Vec<_>>()
    })?;
    loaded.set_all(&first.partition()?.load(8)?.run(&[])?)?;
    for step in 0..steps as i64 {
        let [image, labels] = batch(step * BATCH)?;
        loaded.run(&[("image", &image), ("labels", &labels)])?;
    }
    let judge = trace_with("judge", rules, |t| {
        let batch = batch_inputs(t, model, &training);
        model.judged(&model.specs().params(t, "params", f32), &batch).right.sum(..)
    })?;
    let mut judge = judge.partition()?.load(8)?;
    for spec in model.specs().list {
        let name = format!("params.{}", spec.name);
        judge.set(&name, &loaded.get(&name)?)?;
    }
    let mut right = 0.0;
    for number in 0..4 {
        let [image, labels] = batch(1_000_000 + number * BATCH)?;
        right += judge.run(&[("image", &image), ("labels", &labels)])?.number("result")?;
    }
    Ok(right / (4 * BATCH) as f64)
}
