//! Eight layers as a pipeline of four stages, two devices each, in three ways. The stage is a function of one device;
//! so is the pipeline, until the stages' dim of its weights is split. Prints for each number of microbatches the share
//! of bubbles, how long a step takes, and what a device sends and holds.
//!
//!     cargo run --profile quick --example pipeline

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;
use std::time::Instant;

const ROWS: i64 = 512;
const WIDTH: i64 = 64;
const HIDDEN: i64 = 256;
const STAGES: i64 = 4;
const LAYERS: i64 = 2; // of a stage

fn layer(x: Tensor, (up, down): (Tensor, Tensor)) -> (Tensor, ()) {
    (x + x.rms_normalize(-1, 1e-6).matmul(up).gelu().matmul(down), ())
}

/// A way to compute the layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    Kept,
    Recomputed,
    Circular,
}

impl Way {
    pub fn how(self) -> Pipeline {
        match self {
            Way::Kept => Pipeline::gpipe(STAGES),
            Way::Recomputed => Pipeline::gpipe(STAGES).recompute(),
            Way::Circular => Pipeline::circular(STAGES, LAYERS).recompute(),
        }
    }

    /// Both layers of a stage one after the other, or one in each round.
    fn trunk(self, x: Tensor, weights: (Tensor, Tensor)) -> Tensor {
        let (y, ()) = match self {
            Way::Kept | Way::Recomputed => {
                pipeline(x, weights, self.how(), |x, layers| scan(x, layers, layer))
            }
            Way::Circular => pipeline(x, weights, self.how(), layer),
        };
        y
    }
}

/// Loss and gradients, over the mesh if there is one.
pub fn step(way: Way, microbatches: i64, mesh: Option<&Mesh>) -> Result<Program, Errors> {
    trace("step", |t| {
        let x = t.input("x", f32, [ROWS, WIDTH]);
        let up = t.param("up", [STAGES, LAYERS, WIDTH, HIDDEN]);
        let down = t.param("down", [STAGES, LAYERS, HIDDEN, WIDTH]);
        let ((loss, ()), slopes) = value_and_grad((up, down), |(up, down)| {
            let x = x.reshape([microbatches, ROWS / microbatches, WIDTH]);
            let (x, up, down) = match mesh {
                Some(mesh) => (
                    x.mesh_split(mesh, [-1, 1, -1]),
                    up.mesh_split(mesh, [0, -1, -1, -1]),
                    down.mesh_split(mesh, [0, -1, -1, -1]),
                ),
                None => (x, up, down),
            };
            (way.trunk(x, (up, down)).square().mean(..), ())
        });
        (loss, slopes)
    })
}

fn numbers(dims: &[i64]) -> Result<Array, Error> {
    let number = |i: i64| (i * 37 % 101) as f32 / 505.0 - 0.1;
    Array::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>())
}

/// The loss of a step, and how many seconds it took the second time.
pub fn run(program: &Program, devices: usize) -> Result<(f64, f64), Error> {
    let inputs = program.inputs().iter().map(|input| Ok((input.name.to_string(), numbers(&input.ty.dims)?)));
    let inputs = inputs.collect::<Result<Vec<_>, Error>>()?;
    let inputs: Vec<(&str, &Array)> = inputs.iter().map(|(name, array)| (&**name, array)).collect();
    let mut loaded = program.partition()?.load(devices)?;
    loaded.run(&inputs)?;
    let start = Instant::now();
    let loss = loaded.run(&inputs)?.number("0")?;
    Ok((loss, start.elapsed().as_secs_f64()))
}

pub fn table(all: &[i64]) -> Result<(), Error> {
    let mesh = Mesh::new([("stage", STAGES), ("data", 2)])?;
    for way in [Way::Kept, Way::Recomputed, Way::Circular] {
        for microbatches in all {
            let program = step(way, *microbatches, Some(&mesh))?;
            let (_, seconds) = run(&program, 8)?;
            let told = program.partition()?.explain();
            let (bubble, milliseconds) = (100.0 * way.how().bubble(*microbatches), 1e3 * seconds);
            let device = told.lines().last().unwrap_or("").trim();
            let way = format!("{way:?}");
            println!(
                "{way:<10} {microbatches:>3} microbatches {bubble:>5.1} % bubbles {milliseconds:>7.1} ms  {device}"
            );
        }
    }
    Ok(())
}

pub fn main() -> Result<(), Error> {
    table(&[4, 8, 16, 32])
}
