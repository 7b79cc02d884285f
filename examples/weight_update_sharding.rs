//! Weight-update sharding (GSPMD 3.2): the weight and its momentum lie in pieces; the weight is gathered where the
//! layer needs it, the gradient comes back by a reduce-scatter, and each device updates its piece.
//!
//!     cargo run --release --example weight_update_sharding

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 4), ("y", 2)])?;
    let step = trace("train_step", |t| {
        let bd = t.input("bd", f32, [256, 64]).mesh_split(&mesh, [0, -1]);
        let target = t.input("target", f32, [256, 128]).mesh_split(&mesh, [0, 1]);
        let w = t.state("w", f32, [64, 128]).mesh_split(&mesh, [0, 1]);
        let m = t.state("m", f32, [64, 128]).mesh_split(&mesh, [0, 1]);
        let (loss, dw) = value_and_grad(w, |w| (bd.matmul(w) - target).square().mean(..));
        let m = 0.9 * m + dw;
        [("loss", loss), ("w", w - 2.0 * m), ("m", m)]
    })?;
    let partitioned = step.partition()?;
    println!("{}", partitioned.explain());

    let numbers = |n: i64| (0..n).map(|i| (i * 31 % 101) as f32 / 101.0 - 0.5).collect::<Vec<_>>();
    let mut loaded = partitioned.load(8)?;
    loaded.set("w", &Array::filled([64, 128], 0.0f32))?;
    loaded.set("m", &Array::filled([64, 128], 0.0f32))?;
    let (bd, target) =
        (Array::new([256, 64], &numbers(256 * 64))?, Array::new([256, 128], &numbers(256 * 128))?);
    for number in 0..5 {
        let loss = loaded.run(&[("bd", &bd), ("target", &target)])?.number("loss")?;
        println!("step {number}: loss {loss:.6}");
    }
    Ok(())
}
