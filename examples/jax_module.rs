//! A module that JAX exported, called in a trace: annotated from outside, differentiated and split over 8 devices.
//! `data/jax_module.py` made its text.
//!
//!     cargo run --release --example jax_module

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

const BATCH: i64 = 16;
const LENGTH: i64 = 8;
const MODEL: i64 = 12;
const HEAD: i64 = 4;

/// The weights in JAX's order: a `dict` is flattened by its keys.
#[derive(Clone, Copy, Tree)]
struct Attention {
    key: Tensor,
    out: Tensor,
    query: Tensor,
    value: Tensor,
}

fn weights() -> Attention {
    let (to_head, from_head) = (zeros(f32, [MODEL, HEAD]), zeros(f32, [HEAD, MODEL]));
    Attention { key: to_head, out: from_head, query: to_head, value: to_head }
}

pub fn main() -> Result<(), Error> {
    let attention = parse("jax_module.mlir", include_str!("data/jax_module.mlir"))?;
    let mesh = Mesh::new([("data", 4), ("heads", 2)])?;
    let step = trace("step", |t| {
        let x = t.input("x", f32, [BATCH, LENGTH, MODEL]).mesh_split(&mesh, ("data", (), ()));
        let weights = t.params("weights", weights());
        value_and_grad(weights, |w| {
            let w = Attention { value: w.value.mesh_split(&mesh, ((), "heads")), ..w };
            let y: Tensor = attention.call((w, x));
            y.square().mean(..)
        })
    })?;
    let partitioned = step.partition()?;
    println!("{}", partitioned.explain());

    let numbers = |shape: &[i64], scale: f32| {
        let number = |i: i64| ((i * 31 % 101) as f32 / 101.0 - 0.5) * scale;
        Array::new(shape, &(0..shape.iter().product()).map(number).collect::<Vec<_>>())
    };
    let x = numbers(&[BATCH, LENGTH, MODEL], 4.0)?;
    let (to_head, from_head) = (numbers(&[MODEL, HEAD], 1.0)?, numbers(&[HEAD, MODEL], 1.0)?);
    let results = partitioned.load(8)?.run(&[
        ("x", &x),
        ("weights.key", &to_head),
        ("weights.out", &from_head),
        ("weights.query", &to_head),
        ("weights.value", &to_head),
    ])?;
    let (loss, slope) = (results.number("0")?, results.get("1.value")?.to_vec::<f32>()?.iter().sum::<f32>());
    println!("loss {loss:.6}, slope along all of `value` {slope:.6}");
    assert!((loss - LOSS_IN_JAX).abs() < 1e-5, "JAX says {LOSS_IN_JAX}");
    assert!((slope - SLOPE_IN_JAX).abs() < 1e-4, "JAX says {SLOPE_IN_JAX}");
    Ok(())
}

/// What `data/jax_module.py` prints.
const LOSS_IN_JAX: f64 = 1.2953964;
const SLOPE_IN_JAX: f32 = -0.08724777;
