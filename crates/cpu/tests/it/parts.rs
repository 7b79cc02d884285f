//! Slices at places that are known when the program runs are read where they lie, and nothing is written under them.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;
use support::{one_device, same_enough};

/// Read by a loop, by a sum, as a result, and by a loop that could write over what it is a part of.
const SLICED: &str = r#"
func.func public @main(%x: tensor<12x9xf32>, %at: tensor<i32>) -> (tensor<8x9xf32>, tensor<8xf32>, tensor<8x9xf32>, tensor<12x9xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.abs %x : tensor<12x9xf32>
  %s = stablehlo.dynamic_slice %y, %at, %zero, sizes = [8, 9] : (tensor<12x9xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
  %n = stablehlo.negate %s : tensor<8x9xf32>
  %r = stablehlo.reduce(%s init: %none) applies stablehlo.add across dimensions = [1] : (tensor<8x9xf32>, tensor<f32>) -> tensor<8xf32>
  %w = stablehlo.add %y, %y : tensor<12x9xf32>
  return %n, %r, %s, %w : tensor<8x9xf32>, tensor<8xf32>, tensor<8x9xf32>, tensor<12x9xf32>
}
"#;

/// What was there before an update is read after it.
const UPDATED: &str = r#"
func.func public @main(%x: tensor<6x4xf32>, %u: tensor<2x4xf32>, %at: tensor<i32>) -> (tensor<6x4xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %y = stablehlo.abs %x : tensor<6x4xf32>
  %s = stablehlo.dynamic_slice %y, %at, %zero, sizes = [4, 4] : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<4x4xf32>
  %d = stablehlo.dynamic_update_slice %y, %u, %at, %zero : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>
  %e = stablehlo.add %d, %d : tensor<6x4xf32>
  %t = stablehlo.negate %s : tensor<4x4xf32>
  return %e, %t : tensor<6x4xf32>, tensor<4x4xf32>
}
"#;

/// Weights stacked by layer that a loop goes through; a slice of what the loop carries becomes what it carries next.
const LOOPED: &str = r#"
func.func public @main(%w: tensor<5x3x3xf32>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x3xf32>, tensor<5x3x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<3x3xf32>
  %r:4 = stablehlo.while(%i = %zero, %v = %x, %seen = %none, %all = %w) : tensor<i32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<5x3x3xf32>
  cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.dynamic_slice %all, %i, %o, %o, sizes = [1, 3, 3] : (tensor<5x3x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x3xf32>
    %m = stablehlo.reshape %s : (tensor<1x3x3xf32>) -> tensor<3x3xf32>
    %p = stablehlo.dot_general %v, %m, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
    %next = stablehlo.tanh %p : tensor<2x3xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    ALL
    stablehlo.return %j, %next, %m, %new : tensor<i32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<5x3x3xf32>
  }
  return %r#1, %r#2, %r#3 : tensor<2x3xf32>, tensor<3x3xf32>, tensor<5x3x3xf32>
}
"#;

const KEPT: &str = "%new = stablehlo.optimization_barrier %all : tensor<5x3x3xf32>";
const HALVED: &str = "
    %half = stablehlo.constant dense<5.0e-1> : tensor<5x3x3xf32>
    %new = stablehlo.multiply %all, %half : tensor<5x3x3xf32>";

/// A product of the slice and of a slice of the new weights.
const BOTH: &str = "
    %t = stablehlo.dynamic_slice %new, %i, %o, %o, sizes = [1, 3, 3] : (tensor<5x3x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x3xf32>
    %u = stablehlo.reshape %t : (tensor<1x3x3xf32>) -> tensor<3x3xf32>
    %y = stablehlo.dot_general %m, %u, contracting_dims = [1] x [0] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %mixed = stablehlo.dot_general %next, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>";

/// What a product makes of what a loop carries takes its place only when slices of that are read no more.
const SQUARED: &str = r#"
func.func public @main(%w: tensor<4x4xf32>, %at: tensor<i32>) -> (tensor<4x4xf32>, tensor<3x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<3x4xf32>
  %r:3 = stablehlo.while(%i = %zero, %v = %w, %sum = %none) : tensor<i32>, tensor<4x4xf32>, tensor<3x4xf32>
  cond {
    %end = stablehlo.constant dense<3> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %o = stablehlo.constant dense<0> : tensor<i32>
    %s = stablehlo.dynamic_slice %v, %at, %o, sizes = [3, 4] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    PRODUCT -> tensor<4x4xf32>
    %next = stablehlo.subtract %s, %sum : tensor<3x4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %p, %next : tensor<i32>, tensor<4x4xf32>, tensor<3x4xf32>
  }
  return %r#1, %r#2 : tensor<4x4xf32>, tensor<3x4xf32>
}
"#;

fn module(text: String) -> Module {
    let parsed = meshwright_text::parse(&SourceText::new("module".to_string(), text));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| d.to_string())).unwrap()
}

fn launch(module: Module, inputs: &[Tensor]) -> (Vec<&'static str>, Vec<HostArray>) {
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module).unwrap(), &LoadOptions::default()).unwrap();
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    let kinds = loaded.steps().iter().map(|step| step.kind).collect();
    (kinds, results.iter().filter_map(|array| array.shard(0)).collect())
}

/// How many copies a module makes whose results are the interpreter's, wherever its slices begin.
fn copies(text: &str) -> usize {
    let mut found = 0;
    for seed in 0..6 {
        let module = module(text.to_string());
        let inputs = random_inputs(&module, seed, Style::Natural).unwrap();
        let expected = run_global(&module, &inputs).unwrap();
        let (kinds, results) = launch(module, &inputs);
        for (result, expected) in results.iter().zip(&expected) {
            assert_eq!(same_enough(result, expected, false), None, "{text}");
        }
        found = kinds.iter().filter(|kind| **kind == "copy").count();
    }
    found
}

#[test]
fn a_large_slice_is_copied_only_as_a_result() {
    assert_eq!(copies(SLICED), 1);
}

#[test]
fn an_update_does_not_write_under_a_slice() {
    // The array that is updated, and the update.
    assert_eq!(copies(UPDATED), 2);
}

#[test]
fn a_loop_goes_through_its_weights_without_copies() {
    // Three values are copied in, and the slice into its carry before what it is a part of changes in place. Where a
    // product reads the slice and new weights, both are there: a slice of the new ones is copied, they are, and the
    // number of the turn by which the slice is found.
    let kept = copies(&LOOPED.replace("ALL", KEPT));
    let halved = copies(&LOOPED.replace("ALL", HALVED));
    let both =
        copies(&LOOPED.replace("ALL", &format!("{HALVED}{BOTH}")).replace("%j, %next,", "%j, %mixed,"));
    assert_eq!((kept, halved, both), (4, 4, 7));
}

#[test]
fn a_product_does_not_write_under_a_slice_nor_under_its_operands() {
    let square = "%p = stablehlo.dot_general %v, %v, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>)";
    let other = "%p = stablehlo.dot_general %sum, %sum, contracting_dims = [0] x [0] : (tensor<3x4xf32>, tensor<3x4xf32>)";
    assert_eq!([square, other].map(|product| copies(&SQUARED.replace("PRODUCT", product))), [3, 3]);
}
