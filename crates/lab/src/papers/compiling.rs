//! GShard, Figure 2: the cost of compilation with operators for each device (MPMD) and with one program for all of them
//! (SPMD), for the figure's dot with both operands split along K.
//!
//! ```text
//! MPMD   D slices of A and of B, D dots, D - 1 sums        SPMD   one dot and an all-reduce
//! ```
//!
//! Both go through the whole pipeline of passes. CPU seconds are of this process, the least of some runs. They
//! depend on the machine, so no file keeps them; counts of instructions do not.

use super::catalogue::Evidence;
use super::items::{Beside, beside};
use super::program::{exponent, partitioned};
use meshwright_cli::failure::Failure;
use meshwright_cli::grid::{Cell, Grid};
use meshwright_cli::report::Report;
use meshwright_nn::models::strategy::Table;
use meshwright_runtime::clock::cpu_seconds;
use meshwright_tensor::Errors;
use meshwright_tensor::prelude::*;

const M: i64 = 8;
const N: i64 = 4;
/// The most devices divide it.
const K: i64 = 1 << 14;

const DEVICES: [i64; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048];

/// Runs of which the least counts, if the first takes less than a tenth of a second.
const REPEAT: usize = 5;

const SPLIT: Table = Table { name: "contracting", axes: &["x"], rows: &[("summed", &["x"])] };

fn one_for_all(devices: i64) -> Result<Program, Errors> {
    let mesh = Mesh::new([("x", devices)])?;
    trace_with("dot", &SPLIT.rules(&mesh), |t| {
        let a = t.input("a", f32, [("", M), ("summed", K)]);
        let b = t.input("b", f32, [("summed", K), ("", N)]);
        a.matmul(b)
    })
}

fn one_for_each(devices: i64) -> Result<Program, Errors> {
    let mesh = Mesh::new([("x", 1)])?;
    trace_with("dot", &SPLIT.rules(&mesh), |t| {
        let (a, b) = (t.input("a", f32, [M, K]), t.input("b", f32, [K, N]));
        let part = K / devices;
        let local = |device: i64| {
            let (first, last) = (device * part, (device + 1) * part);
            a.slice((.., first..last)).matmul(b.slice((first..last, ..)))
        };
        let mut sums: Vec<Tensor> = (0..devices).map(local).collect();
        while sums.len() > 1 {
            let pairs = sums.chunks(2);
            sums = pairs.map(|pair| pair.iter().copied().reduce(|a, b| a + b).unwrap_or(pair[0])).collect();
        }
        sums.remove(0)
    })
}

/// Instructions of a compiled program, and the CPU seconds of tracing and compiling it.
#[derive(Clone, Copy)]
struct Compiled {
    insts: usize,
    seconds: f64,
}

/// Programs for a number of devices: one for each, and one for all.
struct Pair {
    devices: i64,
    each: Compiled,
    all: Compiled,
}

fn compile(trace: fn(i64) -> Result<Program, Errors>, devices: i64) -> Result<Compiled, Failure> {
    let mut least = f64::INFINITY;
    let mut insts = 0;
    for _ in 0..REPEAT {
        let begun = cpu_seconds();
        let module = partitioned(trace(devices), None)?.program.into_module();
        let taken = cpu_seconds() - begun;
        least = least.min(taken);
        insts = module.main().insts_in_order().len();
        if taken > 0.1 {
            break;
        }
    }
    Ok(Compiled { insts, seconds: least })
}

pub fn table() -> Result<Report, Failure> {
    let mut grid =
        Grid::new(["devices", "MPMD instructions", "SPMD instructions", "MPMD CPU ms", "SPMD CPU ms"]);
    let mut pairs = Vec::new();
    for devices in DEVICES {
        let (each, all) = (compile(one_for_each, devices)?, compile(one_for_all, devices)?);
        let count = |one: Compiled| Cell::count(i64::try_from(one.insts).unwrap_or(i64::MAX));
        let millis = |one: Compiled| Cell::number(1e3 * one.seconds, 2);
        grid.row([Cell::count(devices), count(each), count(all), millis(each), millis(all)]);
        pairs.push(Pair { devices, each, all });
    }
    let [.., Pair { each, all, .. }] = pairs[..] else { return Err(Failure::bug("a table without rows")) };
    let power = |of: fn(&Pair) -> f64| {
        let large = pairs.iter().filter(|pair| pair.devices >= 64);
        let points: Vec<(f64, f64)> = large.map(|pair| (pair.devices as f64, of(pair))).collect();
        exponent(&points).unwrap_or(f64::NAN)
    };
    let items = vec![Beside::new(
        "GShard, Figure 2: instructions of one program for each of 2,048 devices, and of one for all",
        Evidence::Counted,
        "has a command",
        format!("{} and {}; the paper has no number", each.insts, all.insts),
    )];
    let text = format!(
        "GShard, Figure 2: a dot over devices, compiled as one program for each (MPMD) and as one for all (SPMD).\n\n{}\nFrom \
         64 devices on, CPU time grows as D^{:.2} for MPMD and D^{:.2} for SPMD; instructions as D^{:.2} and D^{:.2}. CPU time \
         is that of this machine, now; the paper prints none. It says \"linearly\" and \"constant\".\n",
        grid.to_text(),
        power(|pair| pair.each.seconds),
        power(|pair| pair.all.seconds),
        power(|pair| pair.each.insts as f64),
        power(|pair| pair.all.insts as f64),
    );
    Ok(Report::new(text)
        .with("rows", grid.to_json())
        .with("items", beside("crates/lab/src/papers/compiling.rs", items)))
}
