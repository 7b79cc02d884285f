//! An annotated feed-forward layer on 8 devices: trained for ten steps, with two annotations.
//!
//!     cargo run --release --example quickstart

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

const BATCH: i64 = 64;
const MODEL: i64 = 32;
const HIDDEN: i64 = 128;

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    let step = trace("train_step", |t| {
        let bd = t.input("bd", f32, [BATCH, MODEL]).mesh_split(&mesh, [0, -1]); // the batch over x
        let up = t.state("up", f32, [MODEL, HIDDEN]).mesh_split(&mesh, [-1, 1]); // the hidden dim over y
        let down = t.state("down", f32, [HIDDEN, MODEL]);
        let (loss, (d_up, d_down)) = value_and_grad((up, down), |(up, down)| {
            let h = einsum("bd,df->bf", [bd, up]).relu(); // inferred: [0, 1]
            let out = einsum("bf,fd->bd", [h, down]);
            (out - bd).square().mean(..)
        });
        [("loss", loss), ("up", up - 0.5 * d_up), ("down", down - 0.5 * d_down)]
    })?;
    let partitioned = step.partition()?;
    println!("{}", partitioned.explain());

    let numbers = |n: i64, scale: f32| {
        (0..n).map(|i| ((i * 7919 % 997) as f32 / 997.0 - 0.5) * scale).collect::<Vec<_>>()
    };
    let mut loaded = partitioned.load(8)?;
    loaded.set("up", &Array::new([MODEL, HIDDEN], &numbers(MODEL * HIDDEN, 0.5))?)?;
    loaded.set("down", &Array::new([HIDDEN, MODEL], &numbers(HIDDEN * MODEL, 0.25))?)?;
    let bd = Array::new([BATCH, MODEL], &numbers(BATCH * MODEL, 2.0))?;
    for number in 0..10 {
        println!("step {number}: loss {:.6}", loaded.run(&[("bd", &bd)])?.number("loss")?);
    }
    Ok(())
}
