//! A Transformer layer over a 2D mesh, in the three ways of GSPMD's Table 1. The model stands once and names its dims;
//! each way is a table. The first splits weights and activations alike, the second gathers weights on demand, the third
//! splits everything that lives long over all devices.
//!
//!     cargo run --release --example transformer_2d

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;
use meshwright::{InputInfo, Role};

const BATCH: i64 = 32;
const LENGTH: i64 = 16;
const MODEL: i64 = 64;
const HEADS: i64 = 4;
const HEAD: i64 = 16;
const HIDDEN: i64 = 256;

#[derive(Clone, Copy, Tree)]
struct Layer {
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    up: Tensor,
    down: Tensor,
}

/// Shapes of the weights. Their model dim has a name of its own: it is split otherwise than that of activations.
fn weights() -> Layer {
    let m = Dim::new("weight_model", MODEL);
    let (n, d, h) = (Dim::new("heads", HEADS), Dim::of(HEAD), Dim::new("hidden", HIDDEN));
    let to_heads = zeros(f32, [m, n, d]);
    let out = zeros(f32, [n, d, m]);
    Layer {
        query: to_heads,
        key: to_heads,
        value: to_heads,
        out,
        up: zeros(f32, [m, h]),
        down: zeros(f32, [h, m]),
    }
}

fn layer(x: Tensor, w: Layer) -> Tensor {
    let heads = |w| einsum("bsm,mnd->bsnd", [x, w]).logical(["batch", "length", "heads", ""]);
    let scores = einsum("bsnd,btnd->bnst", [heads(w.query), heads(w.key)]) / (HEAD as f64).sqrt();
    let mixed = einsum("bnst,btnd->bsnd", [scores.softmax(-1), heads(w.value)]);
    let x = x + einsum("bsnd,ndm->bsm", [mixed, w.out]).logical(["batch", "length", "model"]);
    let hidden = einsum("bsm,mh->bsh", [x, w.up]).relu().logical(["batch", "length", "hidden"]);
    x + einsum("bsh,hm->bsm", [hidden, w.down]).logical(["batch", "length", "model"])
}

#[derive(Tree)]
struct Step {
    loss: Tensor,
    w: Layer,
}

/// The loss, and the weights one step further down.
fn step(t: Trace) -> Step {
    let x = t.input("x", f32, [("batch", BATCH), ("length", LENGTH), ("model", MODEL)]);
    let w = t.states("w", weights());
    let (loss, slopes) = value_and_grad(w, |w| layer(x, w).square().mean(..));
    Step { loss, w: w.zip_map(&slopes, |w, slope| w - 0.1 * slope) }
}

/// Some numbers for an input.
fn numbers(input: &InputInfo) -> Result<(String, Array), Error> {
    let scale = if input.role == Role::State { 0.2 } else { 2.0 };
    let number = |i: i64| ((i * 31 % 101) as f32 / 101.0 - 0.5) * scale;
    let values: Vec<f32> = (0..input.ty.elements()).map(number).collect();
    Ok((input.name.to_string(), Array::new(&input.ty.dims, &values)?))
}

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    let weights_2d = Rules::of(&mesh, [("weight_model", "x"), ("heads", "y"), ("hidden", "y")]);
    let tables = [
        ("attempt 1", weights_2d.clone().with("model", "x")),
        ("attempt 2", weights_2d.clone().with("batch", "x")),
        ("finalized", weights_2d.with("batch", "x").with("model", "y")),
    ];
    let mut losses = Vec::new();
    for (name, rules) in &tables {
        let program = trace_with("step", rules, step)?;
        let partitioned = program.partition()?;
        println!("{name}: {}", partitioned.explain());
        let arrays = program.inputs().iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<(&str, &Array)> = arrays.iter().map(|(name, array)| (&**name, array)).collect();
        losses.push(partitioned.load(8)?.run(&inputs)?.number("loss")?);
    }
    println!("losses {losses:.6?}");
    assert!(losses.iter().all(|loss| (loss - losses[0]).abs() < 1e-5), "the tables change no number");
    Ok(())
}
