//! A Transformer whose layers are one `scan` over stacked weights: the program has one layer, however many there are.
//! Prints how long tracing and differentiating take, and how large the gradient program is.
//!
//!     cargo run --release --example scanned_layers

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;
use std::time::Instant;

const BATCH: i64 = 8;
const LENGTH: i64 = 128;
const MODEL: i64 = 256;
const HEADS: i64 = 4;
const HIDDEN: i64 = 1024;
const VOCAB: i64 = 8192;

/// The weights of one layer; of all layers where each has one more leading dim.
#[derive(Clone, Tree)]
struct Layer {
    qkv: Tensor,
    out: Tensor,
    up: Tensor,
    down: Tensor,
    attention_scale: Tensor,
    mlp_scale: Tensor,
}

impl Layer {
    fn stacked(t: Trace, layers: i64) -> Layer {
        let depth = MODEL / HEADS;
        Layer {
            qkv: t.param("qkv", [layers, 3, MODEL, HEADS, depth]),
            out: t.param("out", [layers, HEADS, depth, MODEL]),
            up: t.param("up", [layers, MODEL, HIDDEN]),
            down: t.param("down", [layers, HIDDEN, MODEL]),
            attention_scale: t.param("attention_scale", [layers, MODEL]),
            mlp_scale: t.param("mlp_scale", [layers, MODEL]),
        }
    }

    fn apply(self, x: Tensor) -> Tensor {
        let h = x.rms_normalize(-1, 1e-6) * self.attention_scale;
        let qkv = einsum("bsm,cmnd->cbsnd", [h, self.qkv]);
        let (q, k, v) = (qkv.slice((0,)), qkv.slice((1,)), qkv.slice((2,)));
        let scores = einsum("bsnd,btnd->bnst", [q, k]) / ((MODEL / HEADS) as f64).sqrt();
        let causal = iota(i32, [LENGTH, LENGTH], 0).ge(iota(i32, [LENGTH, LENGTH], 1));
        let attention = causal.select(scores, -1e9).softmax(-1);
        let seen = einsum("bnst,btnd->bsnd", [attention, v]);
        let x = x + einsum("bsnd,ndm->bsm", [seen, self.out]);
        let h = x.rms_normalize(-1, 1e-6) * self.mlp_scale;
        x + h.matmul(self.up).relu().matmul(self.down)
    }
}

/// The mean of -log p of each next token.
pub fn loss(t: Trace, layers: i64) -> Tensor {
    let tokens = t.input("tokens", i32, [BATCH, LENGTH]);
    let table = t.param("table", [VOCAB, MODEL]);
    let weights = Layer::stacked(t, layers);
    let x = table.take(tokens, 0);
    let (x, ()) = scan(x, weights, |x, layer: Layer| (layer.apply(x), ()));
    let logits = einsum("bsm,vm->bsv", [x, table]);
    logits.cross_entropy(tokens.roll(-1, 1)).mean(..)
}

/// Loss and gradients of all weights.
pub fn gradient(layers: i64) -> Result<Program, Errors> {
    let program = trace("loss", |t| loss(t, layers))?;
    let weights = program.inputs().iter().map(|input| input.name.to_string()).filter(|name| name != "tokens");
    let weights: Vec<String> = weights.collect();
    program.value_and_grad(&weights.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Instructions of a program, all its functions together.
pub fn size(program: &Program) -> usize {
    program.module().funcs.values().map(|func| func.insts_in_order().len()).sum()
}

pub fn main() -> Result<(), Errors> {
    for layers in [1, 4, 16, 64, 256] {
        let mut times = Vec::new();
        let mut instructions = 0;
        for _ in 0..9 {
            let start = Instant::now();
            instructions = size(&gradient(layers)?);
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        println!("{layers:3} layers: {instructions} instructions, {:.2} ms", times[times.len() / 2]);
    }
    Ok(())
}
