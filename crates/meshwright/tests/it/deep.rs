//! A deep model written with `scan` is as large as a shallow one.

#[allow(dead_code)]
#[path = "../../../../examples/scanned_layers.rs"]
mod scanned_layers;

use meshwright::prelude::*;
use scanned_layers::{gradient, size};

#[test]
fn a_gradient_program_does_not_grow_with_the_number_of_layers() {
    let (few, many) = (gradient(4).unwrap(), gradient(64).unwrap());
    assert_eq!(size(&few), size(&many));
    let lines = |program: &Program| program.to_stablehlo().lines().count();
    assert_eq!(lines(&few), lines(&many));
}

#[test]
fn the_example_runs() {
    scanned_layers::main().unwrap();
}
