//! What these devices could do at best: products of matrices, each device its own, nothing else under way.

use super::error::Error;
use super::load::{Host, Loaded};
use meshwright_nn::tensor::prelude::*;
use std::time::Instant;

/// Sizes of a device's product: large enough to run at full speed, small enough to be done at once.
const ROWS: i64 = 256;
const SIZE: i64 = 512;
const TRIES: usize = 5;

/// Floating point operations per second of all devices together, the best of some tries.
pub fn attainable(host: &Host<'_>) -> Result<f64, Error> {
    let devices = i64::try_from(host.devices.count()).unwrap_or(1).max(1);
    let mesh = Mesh::new([("all", devices)])?;
    let rules = Rules::new(&mesh).with("rows", "all").with("whole", ());
    let program = trace_with("attainable", &rules, |_| {
        let x = ones(f32, [devices * ROWS, SIZE]).logical(["rows", "whole"]);
        // Not a constant to the compiler: it depends on where the row stands.
        let x = x + iota(f32, [devices * ROWS, SIZE], 0).logical(["rows", "whole"]) * 1e-6;
        let w = iota(f32, [SIZE, SIZE], 1).logical(["whole", "whole"]) * 1e-6;
        let y = x.matmul(w).logical(["rows", "whole"]).matmul(w).logical(["rows", "whole"]);
        vec![("y".to_string(), y)]
    })?;
    let mut loaded = Loaded::new(program, host)?;
    let flops = (4 * devices * ROWS * SIZE * SIZE) as f64;
    let mut best = f64::MAX;
    for _ in 0..TRIES {
        let begun = Instant::now();
        loaded.launch(Vec::new())?;
        best = best.min(begun.elapsed().as_secs_f64());
    }
    Ok(flops / best.max(1e-9))
}
