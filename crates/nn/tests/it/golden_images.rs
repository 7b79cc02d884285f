//! Layers of images beside what PyTorch computes (`tests/golden_nn/images.txt`).

use crate::support;

use meshwright_nn::layers::attention::{Attention, Mask};
use meshwright_nn::layers::bag::Pool;
use meshwright_nn::layers::batch_norm::{BatchNorm, Statistics};
use meshwright_nn::layers::conv::Conv;
use meshwright_nn::layers::gates::{SqueezeExcite, glu};
use meshwright_nn::layers::norm::GroupNorm;
use meshwright_nn::layers::patch::PatchEmbedding;
use meshwright_nn::layers::pool::Pooling;
use meshwright_nn::layers::relative::RelativeAttention;
use meshwright_nn::layers::resize::{Between, resize};
use meshwright_nn::params::Params;
use meshwright_tensor::prelude::*;
use support::golden::{self, Given};

const IMAGES: &str = include_str!("../../../../tests/golden_nn/images.txt");

/// All inputs but `x` as the parameters of a layer called `l`.
fn params(given: &Given<'_>) -> Params {
    let others = given.1.inputs.iter().filter(|array| array.name != "x");
    Params { list: others.map(|array| (format!("l.{}", array.name), given.of(&array.name, f64))).collect() }
}

fn holds<R: Tree>(name: &str, apply: impl FnOnce(&Params, Tensor) -> R) {
    golden::holds(IMAGES, name, |given| apply(&params(given), given.of("x", f64)));
}

#[test]
fn convolutions() {
    let conv = |name: &str, conv: Conv| holds(name, |p, x| conv.apply(p, x));
    conv("conv of sound", Conv::new("l", [3], 3, 4));
    let by_two = Conv::new("l", [3, 3], 3, 4).padded(Padding::Edges(vec![(1, 1), (1, 1)]));
    conv("conv of images", Conv { window: Window { strides: vec![2, 1], ..by_two.window }, ..by_two });
    conv("conv of volumes", Conv::new("l", [2, 3, 2], 2, 3).padded(Padding::Valid).without_bias());
    let grouped = Window { groups: 2, dilation: vec![2, 3], ..Window::new(2) };
    conv("conv dilated in groups", Conv { window: grouped, ..Conv::new("l", [3, 2], 4, 6) });
    conv("conv of each feature alone", Conv::depthwise("l", [3, 3], 4));
    conv("transposed side by side", Conv::transposed("l", [2, 2], 2, 3, 2));
    conv("transposed over each other", Conv::transposed("l", [4, 4], 2, 2, 3));
    conv("transposed volumes", Conv::transposed("l", [3, 3, 3], 2, 2, 2).padded(Padding::Valid));
}

#[test]
fn pools() {
    let pool = |name: &str, pool: Pool| {
        let edges = Padding::Edges(vec![(1, 1), (1, 1)]);
        holds(name, |_, x| Pooling::new(pool, [3, 3]).strided(2).padded(edges).apply(x));
    };
    pool("largest of windows", Pool::Max);
    pool("mean of windows", Pool::Mean);
}

#[test]
fn norms() {
    let norm = BatchNorm::new("l", 6);
    holds("batch norm in training", |p, x| {
        let mut statistics = Statistics::of_batch();
        let y = norm.apply(p, x, &mut statistics);
        (y, statistics.new)
    });
    holds("batch norm afterwards", |p, x| norm.apply(p, x, &mut Statistics::running()));
    holds("group norm", |p, x| GroupNorm::new("l", 6, 3).apply(p, x));
    holds("instance norm", |p, x| GroupNorm::instance("l", 6).apply(p, x));
}

#[test]
fn gates() {
    holds("glu", |_, x| glu(x));
    holds("squeeze and excitation", |p, x| SqueezeExcite::new("l", 6, 2).apply(p, x));
}

#[test]
fn other_sizes() {
    for to in [[12, 12], [3, 2], [9, 6], [4, 5], [7, 3], [25, 23]] {
        for (name, between) in [("nearest", Between::Nearest), ("linear", Between::Linear)] {
            holds(&format!("{name} {} {}", to[0], to[1]), |_, x| resize(x, &to, between));
        }
    }
    holds("linear volumes", |_, x| resize(x, &[4, 6, 8], Between::Linear));
}

#[test]
fn tokens() {
    holds("patches", |p, x| PatchEmbedding::new("l", [3, 2], 3, 5).apply(p, x));
    for (name, causal) in [("relative attention", false), ("causal relative attention", true)] {
        holds(name, |p, x| {
            let attention = Attention::new("l", 6, 2, 3);
            RelativeAttention { attention }.apply(p, x, Mask { causal, ..Mask::default() }, None)
        });
    }
}
