//! What loops compute is stored where it is put together with others, in runs of any length, whoever else reads it.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;
use support::{one_device, same_enough};

/// A halo, as partitioning makes it, around what a loop computes; both are read again.
fn halo(dtype: &str, dims: [usize; 3], dim: usize) -> String {
    let ty = |along: usize| {
        let mut dims = dims;
        dims[dim] = along;
        format!("tensor<{}x{}x{}x{dtype}>", dims[0], dims[1], dims[2])
    };
    let (x, edge, all) = (ty(dims[dim]), ty(1), ty(dims[dim] + 2));
    let at = |from: usize, to: usize| {
        let range = |d: usize| if d == dim { format!("{from}:{to}") } else { format!("0:{}", dims[d]) };
        format!("[{}, {}, {}]", range(0), range(1), range(2))
    };
    let (first, last, inside) = (at(0, 1), at(dims[dim] - 1, dims[dim]), at(1, dims[dim] + 1));
    let bias = format!("tensor<{}x{dtype}>", dims[2]);
    format!(
        r#"
func.func public @main(%x: {x}, %b: {bias}) -> ({all}, {x}, {x}, {x}) {{
  %bb = stablehlo.broadcast_in_dim %b, dims = [2] : ({bias}) -> {x}
  %s = stablehlo.add %x, %bb : {x}
  %y = stablehlo.abs %s : {x}
  %low = stablehlo.slice %y {first} : ({x}) -> {edge}
  %high = stablehlo.slice %y {last} : ({x}) -> {edge}
  %c = stablehlo.concatenate %high, %y, %low, dim = {dim} : ({edge}, {x}, {edge}) -> {all}
  %n = stablehlo.negate %c : {all}
  %i = stablehlo.slice %n {inside} : ({all}) -> {x}
  %p = stablehlo.add %i, %y : {x}
  %q = stablehlo.multiply %y, %x : {x}
  return %c, %p, %q, %y : {all}, {x}, {x}, {x}
}}
"#
    )
}

/// Halves side by side, as places turn them in attention.
const TURNED: &str = r#"
func.func public @main(%x: tensor<40x128xf32>, %c: tensor<40x64xf32>, %s: tensor<40x64xf32>) -> tensor<40x128xf32> {
  %a = stablehlo.slice %x [0:40, 0:64] : (tensor<40x128xf32>) -> tensor<40x64xf32>
  %b = stablehlo.slice %x [0:40, 64:128] : (tensor<40x128xf32>) -> tensor<40x64xf32>
  %ac = stablehlo.multiply %a, %c : tensor<40x64xf32>
  %bs = stablehlo.multiply %b, %s : tensor<40x64xf32>
  %as = stablehlo.multiply %a, %s : tensor<40x64xf32>
  %bc = stablehlo.multiply %b, %c : tensor<40x64xf32>
  %u = stablehlo.subtract %ac, %bs : tensor<40x64xf32>
  %v = stablehlo.add %as, %bc : tensor<40x64xf32>
  %r = stablehlo.concatenate %u, %v, dim = 1 : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<40x128xf32>
  return %r : tensor<40x128xf32>
}
"#;

/// A part whose rows are summed in its loop, and one that is put together twice.
const SUMMED: &str = r#"
func.func public @main(%x: tensor<ROWSxROWxf32>, %h: tensor<2xROWxf32>) -> (tensor<WHOLExROWxf32>, tensor<WHOLExROWxf32>, tensor<ROWSxf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<ROWSxROWxf32>
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %c = stablehlo.concatenate %h, %y, dim = 0 : (tensor<2xROWxf32>, tensor<ROWSxROWxf32>) -> tensor<WHOLExROWxf32>
  %d = stablehlo.concatenate %y, %h, dim = 0 : (tensor<ROWSxROWxf32>, tensor<2xROWxf32>) -> tensor<WHOLExROWxf32>
  return %c, %d, %s : tensor<WHOLExROWxf32>, tensor<WHOLExROWxf32>, tensor<ROWSxf32>
}
"#;

/// Trips that put their parts together anew.
const TRIPS: &str = r#"
func.func public @main(%x: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4x9xf32>
  cond {
    %end = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<5.0e-1> : tensor<4x9xf32>
    %y = stablehlo.multiply %v, %half : tensor<4x9xf32>
    %edge = stablehlo.slice %y [1:2, 0:9] : (tensor<4x9xf32>) -> tensor<1x9xf32>
    %c = stablehlo.concatenate %edge, %y, dim = 0 : (tensor<1x9xf32>, tensor<4x9xf32>) -> tensor<5x9xf32>
    %up = stablehlo.slice %c [0:4, 0:9] : (tensor<5x9xf32>) -> tensor<4x9xf32>
    %next = stablehlo.add %up, %y : tensor<4x9xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<4x9xf32>
  }
  return %r#1 : tensor<4x9xf32>
}
"#;

/// A convolution whose result a loop stores around a halo, in the order its features ask for.
const CONVOLVED: &str = r#"
func.func public @main(%x: tensor<2x12x9xIxf32>, %k: tensor<3x3xIxOxf32>, %b: tensor<Oxf32>, %h: tensor<2x1x9xOxf32>) -> (tensor<2x13x9xOxf32>, tensor<2x12x9xOxf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<2x12x9xOxf32>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x12x9xIxf32>, tensor<3x3xIxOxf32>) -> tensor<2x12x9xOxf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<Oxf32>) -> tensor<2x12x9xOxf32>
  %s = stablehlo.add %y, %bb : tensor<2x12x9xOxf32>
  %r = stablehlo.maximum %s, %zero : tensor<2x12x9xOxf32>
  %c = stablehlo.concatenate %r, %h, dim = 1 : (tensor<2x12x9xOxf32>, tensor<2x1x9xOxf32>) -> tensor<2x13x9xOxf32>
  %p = stablehlo.negate %r : tensor<2x12x9xOxf32>
  return %c, %p : tensor<2x13x9xOxf32>, tensor<2x12x9xOxf32>
}
"#;

fn module(text: String) -> Module {
    let parsed = meshwright_text::parse(&SourceText::new("module".to_string(), text));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| d.to_string())).unwrap()
}

fn launch(module: Module, inputs: &[Tensor], workers: usize) -> (Vec<&'static str>, Vec<HostArray>) {
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module).unwrap(), &LoadOptions::default()).unwrap();
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    let kinds = loaded.steps().iter().map(|step| step.kind).collect();
    (kinds, results.iter().filter_map(|array| array.shard(0)).collect())
}

/// Kinds of the steps of a module whose results are the interpreter's.
fn steps(text: String) -> Vec<&'static str> {
    let module = module(text);
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let mut kinds = Vec::new();
    for workers in [1, 2] {
        let (found, results) = launch(module.clone(), &inputs, workers);
        for (result, expected) in results.iter().zip(&expected) {
            assert_eq!(same_enough(result, expected, false), None, "{workers} workers");
        }
        kinds = found;
    }
    kinds
}

fn copies(kinds: &[&str]) -> usize {
    kinds.iter().filter(|kind| **kind == "copy").count()
}

#[test]
fn a_loop_stores_its_part_of_a_halo_where_it_belongs() {
    for dtype in ["f32", "bf16", "f64"] {
        for dims in [[3, 5, 7], [2, 8, 64], [2, 33, 256], [3, 40, 1024], [1, 4, 64]] {
            for dim in 0..3 {
                // Two edges; and the part itself as a result.
                let kinds = steps(halo(dtype, dims, dim));
                assert_eq!(copies(&kinds), 3, "{dtype} {dims:?} {dim}: {kinds:?}");
            }
        }
    }
}

#[test]
fn halves_are_stored_side_by_side() {
    assert_eq!(copies(&steps(TURNED.to_string())), 0);
}

#[test]
fn rows_that_are_summed_and_parts_of_two_wholes_have_one_home() {
    for (rows, row) in [(5, 12), (64, 300), (700, 64), (3, 2000)] {
        let text = SUMMED.replace("WHOLE", &(rows + 2).to_string());
        let text = text.replace("ROWS", &rows.to_string()).replace("ROW", &row.to_string());
        assert_eq!(copies(&steps(text)), 3, "{rows} {row}");
    }
}

#[test]
fn every_trip_of_a_loop_puts_its_own_parts_together() {
    // The edges; what the loop carries is made where it lies.
    assert_eq!(copies(&steps(TRIPS.to_string())), 2);
}

#[test]
fn a_convolution_writes_where_the_loop_after_it_stores() {
    for (inner, outer) in [(1, 1), (3, 5), (16, 16), (8, 64), (40, 17)] {
        let text = CONVOLVED
            .replace('I', &inner.to_string())
            .replace("xO", &format!("x{outer}"))
            .replace("<O", &format!("<{outer}"));
        assert_eq!(copies(&steps(text)), 1, "{inner} {outer}");
    }
}
