//! Eight layers as a pipeline of four stages, two devices each, in three ways. The stage is a function of one device;
//! so is the pipeline, until the stages' dim of its weights is split. Prints for each number of microbatches the share
//! of bubbles, how long a step takes, and what a device sends and holds.
//!
//!     cargo run --release --example pipeline
//!     cargo run --release --example pipeline trips      larger layers: is time that of the trips?
//!     cargo run --release --example pipeline memory     what a device holds, beside what it has to
//!     cargo run --release --example pipeline quarter    GPipe, and a circular pipeline at a quarter of its batch

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;
use std::time::Instant;

/// The rows of all microbatches, and the layers' widths.
#[derive(Clone, Copy)]
pub struct Size {
    pub rows: i64,
    pub width: i64,
    pub hidden: i64,
}

pub const SMALL: Size = Size { rows: 512, width: 64, hidden: 256 };
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

/// Loss and gradients of small layers, over the mesh if there is one.
pub fn step(way: Way, microbatches: i64, mesh: Option<&Mesh>) -> Result<Program, Errors> {
    step_of(SMALL, way, microbatches, mesh)
}

pub fn step_of(size: Size, way: Way, microbatches: i64, mesh: Option<&Mesh>) -> Result<Program, Errors> {
    let Size { rows, width, hidden } = size;
    trace("step", |t| {
        let x = t.input("x", f32, [microbatches, rows / microbatches, width]);
        let up = t.param("up", [STAGES, LAYERS, width, hidden]);
        let down = t.param("down", [STAGES, LAYERS, hidden, width]);
        let (x, up, down) = match mesh {
            Some(mesh) => (
                x.mesh_split(mesh, [-1, 1, -1]),
                up.mesh_split(mesh, [0, -1, -1, -1]),
                down.mesh_split(mesh, [0, -1, -1, -1]),
            ),
            None => (x, up, down),
        };
        let ((loss, ()), slopes) =
            value_and_grad((up, down), |weights| (way.trunk(x, weights).square().mean(..), ()));
        (loss, slopes)
    })
}

fn numbers(dims: &[i64]) -> Result<Array, Error> {
    let number = |i: i64| (i * 37 % 101) as f32 / 505.0 - 0.1;
    Array::new(dims, &(0..dims.iter().product()).map(number).collect::<Vec<_>>())
}

/// The loss of a step, and the least seconds it took of three times more.
pub fn run(program: &Program, devices: usize) -> Result<(f64, f64), Error> {
    let inputs = program.inputs().iter().map(|input| Ok((input.name.to_string(), numbers(&input.ty.dims)?)));
    let inputs = inputs.collect::<Result<Vec<_>, Error>>()?;
    let inputs: Vec<(&str, &Array)> = inputs.iter().map(|(name, array)| (&**name, array)).collect();
    let mut loaded = program.partition()?.load(devices)?;
    let loss = loaded.run(&inputs)?.number("0")?;
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        loaded.run(&inputs)?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok((loss, least))
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

/// Microbatches of one size: stages compute in every trip, on padding where there is nothing else, so the share of
/// bubbles of the first row, and how often as many trips go into the others, say how long those take.
fn trips(all: &[i64]) -> Result<(), Error> {
    let mesh = Mesh::new([("stage", STAGES), ("data", 2)])?;
    for way in [Way::Recomputed, Way::Circular] {
        let mut useful = None;
        for microbatches in all {
            let size = Size { rows: 256 * microbatches, width: 512, hidden: 2048 };
            let (_, seconds) = run(&step_of(size, way, *microbatches, Some(&mesh))?, 8)?;
            let bubble = way.how().bubble(*microbatches);
            // Of one microbatch, without bubbles, by the first row.
            let useful = *useful.get_or_insert(seconds * (1.0 - bubble) / *microbatches as f64);
            let expected = useful * *microbatches as f64 / (1.0 - bubble);
            println!(
                "{:<10} {microbatches:>3} microbatches {:>5.1} % bubbles {seconds:>6.2} s, expected {expected:>6.2}: {:.2}",
                format!("{way:?}"),
                100.0 * bubble,
                seconds / expected,
            );
        }
    }
    Ok(())
}

/// GPipe, and a circular pipeline of four rounds with a quarter of the microbatches: as many trips, each a quarter as
/// long. Two stages of four layers, a device each, so that each has a core where there are two. Microbatches are of one
/// size: a step of twice as many takes longer by what these alone take, and what it takes besides is bubbles, by time.
fn quarter(turns: usize) -> Result<(), Error> {
    const LAYERS: i64 = 4;
    let mesh = Mesh::new([("stage", 2)])?;
    let (gpipe, circular) = (Pipeline::gpipe(2).recompute(), Pipeline::circular(2, LAYERS).recompute());
    let program = |how: Pipeline, microbatches: i64| {
        trace("step", |t| {
            let x = t.input("x", f32, [microbatches, 512, 512]);
            let up = t.param("up", [2, LAYERS, 512, 2048]).mesh_split(&mesh, [0, -1, -1, -1]);
            let down = t.param("down", [2, LAYERS, 2048, 512]).mesh_split(&mesh, [0, -1, -1, -1]);
            let ((loss, ()), slopes) = value_and_grad((up, down), |weights| {
                let (y, ()) = if how == circular {
                    pipeline(x, weights, how, layer)
                } else {
                    pipeline(x, weights, how, |x, layers| scan(x, layers, layer))
                };
                (y.square().mean(..), ())
            });
            (loss, slopes)
        })
    };
    for (name, how, microbatches) in [("gpipe", gpipe, 8), ("gpipe", gpipe, 2), ("circular", circular, 2)] {
        let (once, twice) = (program(how, microbatches)?, program(how, 2 * microbatches)?);
        let mut found = Vec::new();
        for _ in 0..turns {
            found.push((run(&once, 2)?.1, run(&twice, 2)?.1));
        }
        let mut share: Vec<f64> = found.iter().map(|(once, twice)| 2.0 - twice / once).collect();
        share.sort_by(f64::total_cmp);
        let least = |of: fn(&(f64, f64)) -> f64| found.iter().map(of).fold(f64::INFINITY, f64::min);
        println!(
            "{name:<8} {microbatches:>2} microbatches: {:>4.1} % bubbles by trips, {:>4.1} % by time [{:.1}, {:.1}]; {:.3} s, {:.3} s with {}",
            100.0 * how.bubble(microbatches),
            100.0 * share[turns / 2],
            100.0 * share[0],
            100.0 * share[turns - 1],
            least(|both| both.0),
            least(|both| both.1),
            2 * microbatches,
        );
    }
    Ok(())
}

/// What a device holds, beside what any order of the same trips has to: what a stage holds that computes a single
/// microbatch alone (its weights, their gradients, its activations), the sums of those gradients, what entered the
/// stage in each trip, and the batch on its way in and out. Twice: a batch of one size in more microbatches, and more
/// microbatches of one size.
fn memory(all: &[i64]) -> Result<(), Error> {
    let mesh = Mesh::new([("stage", STAGES), ("data", 2)])?;
    for (what, rows) in [("512 rows in all", None), ("32 rows in a microbatch", Some(32))] {
        println!("{what}");
        for way in [Way::Kept, Way::Recomputed, Way::Circular] {
            for microbatches in all {
                let size = rows.map_or(SMALL, |rows| Size { rows: rows * microbatches, ..SMALL });
                let held = held(&step_of(size, way, *microbatches, Some(&mesh))?)?;
                let (inputs, bound) = bound(size, way, *microbatches)?;
                println!(
                    "{:<10} {microbatches:>3} microbatches: {held:>7} bytes, {:.2} of {bound:>7}; {inputs:>7} are stages' inputs",
                    format!("{way:?}"),
                    held as f64 / bound as f64,
                );
            }
        }
    }
    Ok(())
}

/// Returns the peak memory of a device in bytes, which ends the explanation: `26.6 kB (26,624 bytes)`.
pub fn held(program: &Program) -> Result<i64, Error> {
    let told = program.partition()?.explain();
    let peak = told.rsplit("peak memory ").next().unwrap_or("");
    let exact = peak.rsplit('(').next().unwrap_or(peak);
    let digits: String = exact.chars().filter(char::is_ascii_digit).collect();
    Ok(digits.parse().unwrap_or(i64::MAX))
}

/// Bytes of what entered a device's stage, and of all that it cannot do without, where stages are computed again.
pub fn bound(size: Size, way: Way, microbatches: i64) -> Result<(i64, i64), Error> {
    let Size { rows, width, hidden } = size;
    let (layers, rounds) = if way == Way::Circular { (1, LAYERS) } else { (LAYERS, 1) };
    let rows = rows / microbatches / 2;
    let alone = trace("step", |t| {
        let x = t.input("x", f32, [rows, width]);
        let weights = (t.param("up", [layers, width, hidden]), t.param("down", [layers, hidden, width]));
        let ((loss, ()), slopes) = value_and_grad(weights, |weights| {
            let (y, ()) = scan(x, weights, layer);
            (y.square().mean(..), ())
        });
        (loss, slopes)
    })?;
    // Of all layers on a device; a round works on a copy of its own.
    let weights = 4 * LAYERS * 2 * width * hidden;
    let weights = if rounds == 1 { weights } else { 2 * weights };
    let trips = (rounds * microbatches) + STAGES - 1;
    let microbatch = 4 * rows * width;
    let (inputs, batch) = (trips * microbatch, (microbatches + trips) * microbatch);
    Ok((inputs, held(&alone)? + weights + inputs + batch))
}

pub fn main() -> Result<(), Error> {
    match std::env::args().nth(1).as_deref() {
        Some("memory") => memory(&[4, 8, 16, 32]),
        Some("trips") => trips(&[4, 8, 16, 32]),
        Some("quarter") => quarter(5),
        _ => table(&[4, 8, 16, 32]),
    }
}
