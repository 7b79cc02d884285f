//! Attention whose heads share keys, with rotary positions and smoothed labels; matrices stepped by Muon, the rest by
//! Adam.
//!
//!     cargo run --release --example grouped_heads

#![allow(clippy::print_stdout)]

use meshwright::nn::layers::attention::Mask;
use meshwright::nn::layers::bag::EmbeddingBag;
use meshwright::nn::layers::dense::Dense;
use meshwright::nn::layers::grouped::{GroupedAttention, Heads};
use meshwright::nn::layers::rotary::Rotary;
use meshwright::nn::losses::smoothed_cross_entropy;
use meshwright::nn::optim::Optimizer;
use meshwright::prelude::*;

const BATCH: i64 = 16;
const LENGTH: i64 = 9;
const WORDS: i64 = 12;
const MODEL: i64 = 16;

#[derive(Clone, Copy, Tree)]
struct Speaker {
    words: EmbeddingBag,
    attention: GroupedAttention,
    out: Dense,
}

impl Speaker {
    fn new(key: Key) -> Speaker {
        let [words, attention, out] = key.split();
        // Four heads of queries look by two heads of keys.
        let heads = Heads { heads: 4, groups: 2, kv: 4 };
        Speaker {
            words: EmbeddingBag::new(words, WORDS, MODEL),
            attention: GroupedAttention::new(attention, MODEL, heads).rotary(Rotary::default()),
            out: Dense::new(out, MODEL, WORDS),
        }
    }

    /// Logits of the word after each.
    fn apply(&self, words: Tensor) -> Tensor {
        let x = self.words.rows(words);
        let mask = Mask { causal: true, ..Mask::default() };
        self.out.apply(x + self.attention.apply(x, x, mask))
    }
}

pub fn main() -> Result<(), Error> {
    for (number, loss) in train(60)?.into_iter().enumerate().step_by(10) {
        println!("step {number}: loss {loss:.4}");
    }
    Ok(())
}

/// Learn to count on by one or two; the losses on the way.
pub fn train(steps: usize) -> Result<Vec<f64>, Error> {
    let mesh = Mesh::new([("data", 2), ("heads", 2)])?;
    let optimizer = Optimizer::muon(0.02, 0.01).clip(1.0);
    let net = || Speaker::new(Key::seed(1));
    let first = trace("first", |_| optimizer.first("net", net()))?;
    let step = trace("step", |t| {
        let words = t.input("words", i32, [BATCH, LENGTH]).mesh_split(&mesh, [0, -1]);
        let (read, next) = (words.slice((.., 0..LENGTH - 1)), words.slice((.., 1..LENGTH)));
        optimizer.train(t, "net", net(), |net| {
            // Devices along `heads` have a head of keys each, and the queries that look by it.
            let value = net.attention.value.mesh_split(&mesh, [-1, 1, -1]);
            let attention = GroupedAttention { value, ..net.attention };
            let logits = Speaker { attention, ..net }.apply(read);
            smoothed_cross_entropy(logits, next, 0.1).mean(..)
        })
    })?;
    let mut loaded = step.partition()?.load(4)?;
    loaded.set_all(&first.partition()?.load(1)?.run(&[])?)?;
    let word = |i: i64| ((i / LENGTH * 5 + i % LENGTH * (1 + i / LENGTH % 2)) % WORDS) as i32;
    let numbers: Vec<i32> = (0..BATCH * LENGTH).map(word).collect();
    let words = Array::new([BATCH, LENGTH], &numbers)?;
    (0..steps).map(|_| loaded.run(&[("words", &words)])?.number("loss")).collect()
}
