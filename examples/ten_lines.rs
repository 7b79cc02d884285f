//! The README's ten lines: a feed-forward layer with two annotations, partitioned and run.
//!
//!     cargo run --release -p meshwright --example ten_lines

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

/// The layer, with its annotations.
pub fn layer() -> Result<meshwright::Program, Error> {
    let mesh = Mesh::new([("data", 4), ("model", 2)])?;
    let layer = trace("layer", |t| {
        let x = t.input("x", f32, [64, 32]).mesh_split(&mesh, ("data", ()));
        let up = t.param("up", [32, 128]).mesh_split(&mesh, ((), "model"));
        let down = t.param("down", [128, 32]);
        x.matmul(up).relu().matmul(down)
    })?;
    Ok(layer)
}

pub fn main() -> Result<(), Error> {
    let partitioned = layer()?.partition()?;
    println!("{}", partitioned.explain());
    let mut loaded = partitioned.load(8)?;
    loaded.set("up", &Array::filled([32, 128], 0.5f32))?;
    loaded.set("down", &Array::filled([128, 32], 0.25f32))?;
    let y = loaded.run(&[("x", &Array::filled([64, 32], 1.0f32))])?.get("result")?;
    assert!(y.to_vec::<f32>()?.iter().all(|y| *y == 32.0 * 0.5 * 128.0 * 0.25));
    Ok(())
}
