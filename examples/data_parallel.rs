//! Data parallelism by one table: the model names its dims and says nothing of devices.
//!
//!     cargo run --release --example data_parallel

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

/// Two layers on a batch. Written for one device.
fn loss(t: Trace) -> Tensor {
    let x = t.input("x", f32, [("batch", 32), ("model", 16)]);
    let up = t.param("up", [("model", 16), ("hidden", 64)]);
    let down = t.param("down", [("hidden", 64), ("model", 16)]);
    (x.matmul(up).gelu().matmul(down) - x).square().mean(..)
}

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("data", 8)])?;
    let alone = trace("alone", loss)?.value_and_grad(&["up", "down"])?;
    let rules = Rules::of(&mesh, [("batch", "data")]);
    let parallel = trace_with("data_parallel", &rules, loss)?.value_and_grad(&["up", "down"])?;

    let numbers = |n: i64| (0..n).map(|i| (i * 31 % 17) as f32 / 17.0 - 0.5).collect::<Vec<_>>();
    let x = Array::new([32, 16], &numbers(32 * 16))?;
    let up = Array::new([16, 64], &numbers(16 * 64))?;
    let down = Array::new([64, 16], &numbers(64 * 16))?;
    let inputs = [("x", &x), ("up", &up), ("down", &down)];

    let partitioned = parallel.partition()?;
    println!("{}", partitioned.explain());
    let (one, eight) = (alone.partition()?.load(1)?.run(&inputs)?, partitioned.load(8)?.run(&inputs)?);
    println!("loss on 1 device {:.6}, on 8 {:.6}", one.number("result")?, eight.number("result")?);
    let pairs = one.get("grad.up")?.to_vec::<f32>()?.into_iter().zip(eight.get("grad.up")?.to_vec::<f32>()?);
    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "the gradients differ by {worst}");
    println!("largest difference of a gradient {worst:e}");
    Ok(())
}
