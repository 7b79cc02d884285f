//! Layers and losses of `nn`, each by its inputs and all of its weights.

use crate::gradients::check::In::{Apart, F, I};
use crate::gradients::check::{Row, row};
use meshwright::nn::layers::attention::{Attention, Mask};
use meshwright::nn::layers::bag::{EmbeddingBag, Pool};
use meshwright::nn::layers::batch_norm::{BatchNorm, Statistics};
use meshwright::nn::layers::conv::Conv;
use meshwright::nn::layers::dense::Dense;
use meshwright::nn::layers::gates::{SqueezeExcite, glu};
use meshwright::nn::layers::grouped::GroupedAttention;
use meshwright::nn::layers::norm::GroupNorm;
use meshwright::nn::layers::patch::PatchEmbedding;
use meshwright::nn::layers::pool::{Pooling, global};
use meshwright::nn::layers::recurrent::{Carried, Gates, Gru, Lstm};
use meshwright::nn::layers::relative::RelativeAttention;
use meshwright::nn::layers::resize::{Between, resize};
use meshwright::nn::layers::rotary::Rotary;
use meshwright::nn::losses::{self, Transcripts};
use meshwright::nn::params::Params;
use meshwright::prelude::*;

fn gates(x: &[Tensor]) -> Gates {
    Gates { wi: x[0], wh: x[1], bi: x[2], bh: x[3] }
}

pub fn layers() -> Vec<Row> {
    let f = |dims: &'static [i64]| F(dims, -1.0, 1.0);
    let numbers = I(&[2, 3], &[0, 3, 3, 1, 2, 0]);
    let heads = [f(&[2, 3, 4]), f(&[4, 4, 2]), f(&[4, 2, 2]), f(&[4, 2, 2]), f(&[4, 2, 4])];
    vec![
        row("dense", &[f(&[2, 3]), f(&[3, 4]), f(&[4])], |x| {
            vec![Dense { w: x[1], b: Some(x[2]) }.apply(x[0])]
        }),
        row("bags of rows", &[Apart(&[4, 2]), numbers], |x| {
            let bag = EmbeddingBag { table: x[0] };
            [Pool::Sum, Pool::Mean, Pool::Max].map(|pool| bag.apply(x[1], None, pool)).to_vec()
        }),
        row("gru", &[f(&[2, 6]), f(&[2, 6]), f(&[6]), f(&[6]), f(&[2, 3, 2])], |x| {
            let (all, last) = Gru { gates: gates(x) }.apply(x[4], None);
            vec![all, last]
        })
        .once(),
        row(
            "lstm",
            &[f(&[2, 8]), f(&[2, 8]), f(&[8]), f(&[8]), f(&[2, 2, 2]), f(&[2, 2]), f(&[2, 2])],
            |x| {
                let (all, last) = Lstm { gates: gates(x) }.apply(x[4], Some(Carried { h: x[5], c: x[6] }));
                vec![all, last.h, last.c]
            },
        )
        .once(),
        row("grouped attention with rotary positions", &heads, |x| {
            let layer = GroupedAttention { query: x[1], key: x[2], value: x[3], out: x[4], rotary: None };
            let layer = layer.rotary(Rotary { base: 10.0, neighbours: true });
            vec![layer.apply(x[0], x[0], Mask { causal: true, ..Mask::default() })]
        })
        .once(),
    ]
}

/// Parameters of a layer called `l`, by name.
fn named(names: &[&str], tensors: &[Tensor]) -> Params {
    Params { list: names.iter().map(|name| format!("l.{name}")).zip(tensors.iter().copied()).collect() }
}

/// A convolution of `x[0]` by the kernel `x[1]` and the bias `x[2]`.
fn conv(name: &'static str, conv: Conv, image: &'static [i64], kernel: &'static [i64]) -> Row {
    let width = *kernel.last().unwrap();
    let bias: &'static [i64] = if width == 2 { &[2] } else { &[3] };
    let f = |dims: &'static [i64]| F(dims, -1.0, 1.0);
    row(name, &[f(image), f(kernel), f(bias)], move |x| {
        vec![conv.apply(&named(&["kernel", "bias"], &x[1..]), x[0])]
    })
    .once()
}

pub fn convolutions() -> Vec<Row> {
    let strided = Conv::new("l", [3, 2], 2, 3).strided(2);
    let causal = Conv::new("l", [3], 2, 3).dilated(2).padded(Padding::Causal);
    vec![
        conv("strided convolution", strided, &[1, 5, 4, 2], &[3, 2, 2, 3]),
        conv("causal dilated convolution", causal, &[2, 6, 2], &[3, 2, 3]),
        conv("depthwise convolution", Conv::depthwise("l", [3, 3], 3), &[1, 4, 3, 3], &[3, 3, 1, 3]),
        conv("transposed convolution", Conv::transposed("l", [3, 3], 2, 3, 2), &[1, 3, 2, 3], &[3, 3, 3, 2]),
        conv("convolution of volumes", Conv::new("l", [2, 2, 2], 2, 2), &[1, 3, 2, 3, 2], &[2, 2, 2, 2, 2]),
        row(
            "patches",
            &[F(&[1, 4, 6, 2], -1.0, 1.0), F(&[2, 3, 2, 3], -1.0, 1.0), F(&[3], -1.0, 1.0)],
            |x| {
                let patches = PatchEmbedding::new("l", [2, 3], 2, 3);
                vec![patches.apply(&named(&["kernel", "bias"], &x[1..]), x[0])]
            },
        )
        .once(),
    ]
}

pub fn images() -> Vec<Row> {
    let f = |dims: &'static [i64]| F(dims, -1.0, 1.0);
    let (image, apart, each) = (f(&[2, 3, 2, 4]), Apart(&[1, 5, 4, 2]), f(&[4]));
    let norms = [image, each, each, each, F(&[4], 0.5, 1.5)];
    let by_batch = |x: &[Tensor], mut by: Statistics| {
        let p = named(&["scale", "bias", "mean", "variance"], &x[1..]);
        let y = BatchNorm::new("l", 4).apply(&p, x[0], &mut by);
        // What running averages learn has no gradient.
        assert!(by.new.list.iter().all(|(name, _)| name.starts_with("l.")));
        vec![y]
    };
    let heads: &'static [i64] = &[4, 2, 3];
    let relative =
        [f(&[1, 3, 4]), f(heads), f(heads), f(heads), f(&[2, 3, 4]), f(heads), f(&[2, 3]), f(&[2, 3])];
    vec![
        row("pools that count what is there", &[apart], |x| {
            let pool = |pool| Pooling::new(pool, [3, 2]).strided(2).padded(Padding::Same).apply(x[0]);
            vec![pool(Pool::Max), pool(Pool::Mean), global(Pool::Mean, x[0]), global(Pool::Max, x[0])]
        })
        .once(),
        row("batch norm in training", &norms, move |x| by_batch(x, Statistics::of_batch())).once(),
        row("batch norm afterwards", &norms, move |x| by_batch(x, Statistics::running())).once(),
        row("group and instance norm", &[image, each, each], |x| {
            let p = named(&["scale", "bias"], &x[1..]);
            [2, 4].map(|groups| GroupNorm::new("l", 4, groups).apply(&p, x[0])).to_vec()
        })
        .once(),
        row("gated linear unit", &[image], |x| vec![glu(x[0])]),
        row("squeeze and excitation", &[image, f(&[4, 3]), f(&[3]), f(&[3, 4]), each], |x| {
            vec![SqueezeExcite::new("l", 4, 3).apply(&named(&["wi", "bi", "wo", "bo"], &x[1..]), x[0])]
        })
        .once(),
        row("other sizes", &[f(&[1, 4, 3, 2])], |x| {
            let to = |to: [i64; 2], between| resize(x[0], &to, between);
            vec![to([8, 2], Between::Nearest), to([8, 2], Between::Linear), to([33, 3], Between::Linear)]
        })
        .once(),
        row("relative attention", &relative, |x| {
            let names = ["query", "key", "value", "out", "position", "content_bias", "position_bias"];
            let attention = Attention {
                path: "l".to_string(),
                model: 4,
                heads: 2,
                kv: 3,
                scaled: true,
                narrow: false,
                dropout: 0.0,
                scale: 1.0,
                groups: 2,
                biases: false,
                rotary: None,
            };
            vec![RelativeAttention { attention }.apply(&named(&names, &x[1..]), x[0], Mask::default(), None)]
        })
        .once(),
    ]
}

pub fn losses() -> Vec<Row> {
    let (x, share) = (F(&[3, 4], -1.0, 1.0), F(&[3, 4], 0.1, 0.9));
    let labels = I(&[2, 2], &[1, 2, 2, 2]);
    vec![
        row("squared error", &[x, x], |x| vec![losses::mse(x[0], x[1])]),
        row("huber", &[Apart(&[3, 4]), F(&[3, 4], -0.01, 0.01)], |x| vec![losses::huber(x[0], x[1], 0.55)]),
        row("binary cross entropy", &[x, share], |x| vec![losses::binary_cross_entropy(x[0], x[1])]),
        row("divergence", &[share, x], |x| vec![losses::kl_divergence(x[0], x[1])]),
        row("label smoothing", &[x, I(&[3], &[0, 3, 1])], |x| {
            vec![losses::smoothed_cross_entropy(x[0], x[1], 0.2)]
        }),
        row("ctc", &[F(&[2, 5, 3], -1.0, 1.0), labels, I(&[2], &[2, 2]), I(&[2], &[5, 4])], |x| {
            vec![losses::ctc(x[0], Transcripts { labels: x[1], label_lengths: x[2], times: x[3] }, 0)]
        })
        .once(),
    ]
}
