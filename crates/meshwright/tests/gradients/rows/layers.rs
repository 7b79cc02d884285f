//! Layers and losses of `nn`, each by its inputs and all of its weights.

use crate::check::In::{Apart, F, I};
use crate::check::{Row, row};
use meshwright::nn::layers::attention::Mask;
use meshwright::nn::layers::bag::{EmbeddingBag, Pool};
use meshwright::nn::layers::dense::Dense;
use meshwright::nn::layers::grouped::GroupedAttention;
use meshwright::nn::layers::recurrent::{Carried, Gates, Gru, Lstm};
use meshwright::nn::layers::rotary::Rotary;
use meshwright::nn::losses::{self, Transcripts};
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
