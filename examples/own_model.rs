//! A model of one's own: a struct of layers, a loss, an optimizer; trained on 4 devices with one annotation.
//!
//!     cargo run --release --example own_model

#![allow(clippy::print_stdout)]

use meshwright::nn::layers::dense::Dense;
use meshwright::nn::optim::Optimizer;
use meshwright::prelude::*;

#[derive(Clone, Copy, Tree)]
struct Net {
    up: Dense,
    down: Dense,
}

impl Net {
    fn new(key: Key) -> Net {
        let [up, down] = key.split();
        Net { up: Dense::new(up, 2, 32), down: Dense::new(down, 32, 1) }
    }

    fn apply(&self, x: Tensor) -> Tensor {
        self.down.apply(self.up.apply(x).tanh())
    }
}

const BATCH: i64 = 256;

pub fn main() -> Result<(), Error> {
    for (number, loss) in train(200)?.into_iter().enumerate().step_by(20) {
        println!("step {number}: loss {loss:.6}");
    }
    Ok(())
}

/// Learn the product of two numbers; the losses on the way.
pub fn train(steps: usize) -> Result<Vec<f64>, Error> {
    let mesh = Mesh::new([("data", 4)])?;
    let optimizer = Optimizer::adamw(0.02, 1e-4).clip(1.0);
    let net = || Net::new(Key::seed(1));
    let first = trace("first", |_| optimizer.first("net", net()))?;
    let step = trace("step", |t| {
        let x = t.input("x", f32, [BATCH, 2]).mesh_split(&mesh, [0, -1]); // the batch over the devices
        let y = x.slice_dim(1, 0..1) * x.slice_dim(1, 1..2);
        optimizer.train(t, "net", net(), |net| (net.apply(x) - y).square().mean(..))
    })?;
    let mut loaded = step.partition()?.load(4)?;
    loaded.set_all(&first.partition()?.load(1)?.run(&[])?)?;
    let numbers: Vec<f32> = (0..BATCH * 2).map(|i| (i * 7919 % 997) as f32 / 498.5 - 1.0).collect();
    let x = Array::new([BATCH, 2], &numbers)?;
    (0..steps).map(|_| loaded.run(&[("x", &x)])?.number("loss")).collect()
}
