//! Bands give what the interpreter gives, and the bits of their steps one by one. Limits are small here (see `cut.rs`),
//! so that small programs have bands of every kind. A program of few batches has none: it is what others are held to.

use crate::Cpu;
use meshwright_base::SourceText;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::{Module, Placement, SpmdModule, TensorType, ValueId};
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions};
use meshwright_shard::{Mesh, Sharding};
use std::sync::Arc;

/// Batches, rows, columns and depth.
type Size = (usize, usize, usize, usize);

const FORWARD: &str = r#"
func.func public @main(%q: tensor<BxSxDxT>, %k: tensor<BxKxDxT>, %v: tensor<BxKxDxT>) -> (tensor<BxSxDxT>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<BxSxDxT>, tensor<BxKxDxT>) -> tensor<BxSxKxf32>
  %m = stablehlo.reduce(%s init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<BxSxKxf32>, tensor<f32>) -> tensor<BxSxf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<BxSxf32>) -> tensor<BxSxKxf32>
  %d = stablehlo.subtract %s, %mb : tensor<BxSxKxf32>
  %e = stablehlo.exponential %d : tensor<BxSxKxf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<BxSxKxf32>, tensor<f32>) -> tensor<BxSxf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<BxSxf32>) -> tensor<BxSxKxf32>
  %p = stablehlo.divide %e, %tb : tensor<BxSxKxf32>
  %n = stablehlo.convert %p : (tensor<BxSxKxf32>) -> tensor<BxSxKxT>
  %o = stablehlo.dot_general %n, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<BxSxKxT>, tensor<BxKxDxT>) -> tensor<BxSxDxT>
  return %o : tensor<BxSxDxT>
}
"#;

const BACKWARD: &str = r#"
func.func public @main(%q: tensor<BxSxDxT>, %k: tensor<BxKxDxT>, %v: tensor<BxKxDxT>, %p: tensor<BxSxKxT>, %g: tensor<BxSxDxT>) -> (tensor<BxSxDxT>, tensor<BxKxDxT>, tensor<BxDxKxT>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.dot_general %g, %v, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<BxSxDxT>, tensor<BxKxDxT>) -> tensor<BxSxKxf32>
  %pw = stablehlo.convert %p : (tensor<BxSxKxT>) -> tensor<BxSxKxf32>
  %b = stablehlo.multiply %a, %pw : tensor<BxSxKxf32>
  %t = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<BxSxKxf32>, tensor<f32>) -> tensor<BxSxf32>
  %dv = stablehlo.dot_general %p, %g, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<BxSxKxT>, tensor<BxSxDxT>) -> tensor<BxKxDxT>
  %dvt = stablehlo.transpose %dv, dims = [0, 2, 1] : (tensor<BxKxDxT>) -> tensor<BxDxKxT>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<BxSxf32>) -> tensor<BxSxKxf32>
  %c = stablehlo.subtract %a, %tb : tensor<BxSxKxf32>
  %w = stablehlo.multiply %c, %pw : tensor<BxSxKxf32>
  %ds = stablehlo.convert %w : (tensor<BxSxKxf32>) -> tensor<BxSxKxT>
  %dk = stablehlo.dot_general %ds, %q, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<BxSxKxT>, tensor<BxSxDxT>) -> tensor<BxKxDxT>
  %dq = stablehlo.dot_general %ds, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<BxSxKxT>, tensor<BxKxDxT>) -> tensor<BxSxDxT>
  return %dq, %dk, %dvt : tensor<BxSxDxT>, tensor<BxKxDxT>, tensor<BxDxKxT>
}
"#;

/// Two products of experts: bias and activation in between, and what came in added at the end.
const EXPERTS: &str = r#"
func.func public @main(%x: tensor<BxSxDxT>, %u: tensor<BxDxKxT>, %a: tensor<BxKxT>, %w: tensor<BxKxDxT>) -> (tensor<BxSxDxf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<BxSxKxf32>
  %h = stablehlo.dot_general %x, %u, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<BxSxDxT>, tensor<BxDxKxT>) -> tensor<BxSxKxf32>
  %c = stablehlo.convert %a : (tensor<BxKxT>) -> tensor<BxKxf32>
  %ab = stablehlo.broadcast_in_dim %c, dims = [0, 2] : (tensor<BxKxf32>) -> tensor<BxSxKxf32>
  %i = stablehlo.add %h, %ab : tensor<BxSxKxf32>
  %r = stablehlo.maximum %i, %zero : tensor<BxSxKxf32>
  %n = stablehlo.convert %r : (tensor<BxSxKxf32>) -> tensor<BxSxKxT>
  %y = stablehlo.dot_general %n, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<BxSxKxT>, tensor<BxKxDxT>) -> tensor<BxSxDxf32>
  %xw = stablehlo.convert %x : (tensor<BxSxDxT>) -> tensor<BxSxDxf32>
  %z = stablehlo.add %y, %xw : tensor<BxSxDxf32>
  return %z : tensor<BxSxDxf32>
}
"#;

fn module(text: &str, (b, s, k, d): Size, dtype: &str) -> Module {
    let dims = |text: &str| {
        let mut out = text.to_string();
        for (name, size) in [("<B", b), ("xS", s), ("xK", k), ("xD", d)] {
            let (open, _) = name.split_at(1);
            out = out.replace(&format!("{name}x"), &format!("{open}{size}x"));
        }
        out.replace("xT>", &format!("x{dtype}>"))
    };
    let parsed = meshwright_text::parse(&SourceText::new("band".to_string(), dims(text)));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| d.to_string())).unwrap()
}

fn one_device(mut module: Module) -> SpmdModule {
    let mesh = module.meshes.push(Mesh::new("one", [("d", 1)], None).unwrap());
    let place = |ty: TensorType| Placement { sharding: Sharding::replicated(mesh, ty.rank()), global: ty };
    let types = |values: &[ValueId]| -> Vec<TensorType> {
        values.iter().filter_map(|value| module.main().ty(*value).as_tensor().cloned()).collect()
    };
    let (params, results) = (types(module.main().param_values()), types(module.main().result_values()));
    let place = |types: Vec<TensorType>| types.into_iter().map(place).collect();
    let (params, results) = (place(params), place(results));
    SpmdModule::new(module, params, results).unwrap()
}

/// How many bands with products there are, and the results.
fn launch(module: Module, workers: usize, inputs: &[HostArray]) -> (usize, Vec<HostArray>) {
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module), &LoadOptions::default()).unwrap();
    let args = inputs.iter().map(|x| DeviceArray::repeated(x, 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    let bands = loaded.steps().iter().filter(|step| step.kind == "band").count();
    (bands, results.iter().filter_map(|array| array.shard(0)).collect())
}

fn host(x: &Tensor) -> HostArray {
    HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }
}

/// Some of the batches of an array.
fn batches(x: &HostArray, all: usize, range: std::ops::Range<usize>, ty: TensorType) -> HostArray {
    let one = x.bytes.len() / all;
    HostArray { ty, bytes: x.bytes[range.start * one..range.end * one].to_vec() }
}

/// Four batches at a time, which is no band.
fn by_parts(text: &str, (b, s, k, d): Size, dtype: &str, inputs: &[HostArray]) -> Vec<Vec<u8>> {
    let part = module(text, (4, s, k, d), dtype);
    let types: Vec<TensorType> =
        part.main().param_values().iter().filter_map(|v| part.main().ty(*v).as_tensor().cloned()).collect();
    let mut out: Vec<Vec<u8>> = Vec::new();
    for first in (0..b).step_by(4) {
        let own = inputs.iter().zip(&types).map(|(x, ty)| batches(x, b, first..first + 4, ty.clone()));
        let (bands, results) = launch(part.clone(), 1, &own.collect::<Vec<_>>());
        assert_eq!(bands, 0);
        out.resize(results.len(), Vec::new());
        results.iter().zip(&mut out).for_each(|(part, out)| out.extend(&part.bytes));
    }
    out
}

fn check(text: &str, size: Size, dtype: &str, bands: usize) {
    let module = module(text, size, dtype);
    let inputs = random_inputs(&module, 7, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let inputs: Vec<HostArray> = inputs.iter().map(host).collect();
    let (found, one) = launch(module.clone(), 1, &inputs);
    let (_, two) = launch(module, 2, &inputs);
    assert_eq!(found, bands, "{size:?} {dtype}");
    let parts = by_parts(text, size, dtype, &inputs);
    for (i, ((one, two), expected)) in one.iter().zip(&two).zip(&expected).enumerate() {
        assert_eq!(one.bytes, two.bytes, "workers: {size:?} {dtype} {i}");
        assert_eq!(one.bytes, parts[i], "batches alone: {size:?} {dtype} {i}");
        let ours = Tensor::from_bytes(one.ty.clone(), &one.bytes).unwrap();
        let worst = ours.max_difference(expected);
        let most = if dtype == "f32" { 2e-3 } else { 2e-1 };
        assert!(worst < most, "{size:?} {dtype} {i}: differs by {worst:e}");
    }
}

#[test]
fn attention_is_one_step_by_batches_and_by_rows() {
    // Whole batches to a block; blocks of rows within one; rows that are no multiple of anything.
    for size in [(16, 32, 32, 8), (8, 100, 70, 16), (24, 43, 33, 5), (8, 64, 48, 64), (8, 300, 40, 1)] {
        check(FORWARD, size, "f32", 1);
    }
}

#[test]
fn gradients_of_attention_are_one_step() {
    // Rows are summed over: all at once, or by as many as products add before they put down a sum.
    for size in [(16, 32, 32, 8), (8, 600, 33, 4), (8, 256, 64, 16), (12, 40, 36, 7)] {
        check(BACKWARD, size, "f32", 1);
    }
    // Where so many rows do not stay in the cache, those products are steps of their own.
    check(BACKWARD, (8, 300, 70, 8), "f32", 1);
}

#[test]
fn products_on_tiles_belong_to_bands() {
    // Without tiles they are products of `f32` between conversions.
    if !meshwright_kernels::amx::available() {
        return;
    }
    for size in [(16, 32, 32, 16), (8, 100, 32, 32), (8, 96, 40, 24)] {
        check(FORWARD, size, "bf16", 1);
        check(BACKWARD, size, "bf16", 1);
    }
}

#[test]
fn bias_activation_and_residual_belong_to_the_products_of_experts() {
    for size in [(8, 24, 40, 8), (16, 100, 48, 16), (8, 61, 33, 7)] {
        check(EXPERTS, size, "f32", 1);
    }
    check(EXPERTS, (8, 64, 32, 16), "bf16", 1);
}

#[test]
fn sizes_of_one_and_nothing_run() {
    for size in [(8, 1, 40, 4), (8, 40, 1, 4), (16, 1, 1, 1), (8, 0, 4, 4), (8, 4, 4, 0), (8, 4, 0, 4)] {
        let module = module(FORWARD, size, "f32");
        let inputs = random_inputs(&module, 7, Style::Natural).unwrap();
        let expected = run_global(&module, &inputs).unwrap();
        let (_, results) = launch(module, 2, &inputs.iter().map(host).collect::<Vec<_>>());
        let ours = Tensor::from_bytes(results[0].ty.clone(), &results[0].bytes).unwrap();
        let difference = ours.max_difference(&expected[0]);
        assert!(difference <= 1e-4, "{size:?}: {difference}");
    }
}

/// Logits, the loss of some of them, and their gradient: other steps stand between the loops over all of them.
const LOGITS: &str = r#"
func.func public @main(%a: tensor<64x8xf32>, %b: tensor<8x96xf32>, %at: tensor<64x1xi32>) -> (tensor<64x96xf32>, tensor<64xf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x96xf32>) -> tensor<64x96xf32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x96xf32>
  %e = stablehlo.exponential %d : tensor<64x96xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
  %own = stablehlo.negate %at : tensor<64x1xi32>
  %place = stablehlo.abs %own : tensor<64x1xi32>
  %picked = "stablehlo.gather"(%x, %place) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<64x96xf32>, tensor<64x1xi32>) -> tensor<64xf32>
  %loss = stablehlo.subtract %picked, %m : tensor<64xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %g = stablehlo.divide %e, %tb : tensor<64x96xf32>
  return %g, %loss : tensor<64x96xf32>, tensor<64xf32>
}
"#;

#[test]
fn loops_far_from_each_other_are_one_step_that_writes_where_they_read() {
    let module = module(LOGITS, (1, 1, 1, 1), "f32");
    let inputs = random_inputs(&module, 7, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let set = InProcess::new(1, Some(2), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module), &LoadOptions::default()).unwrap();
    let rows = loaded.steps().iter().filter(|step| step.name.ends_with("loops over 64 rows of 96")).count();
    assert_eq!(rows, 1, "{:?}", loaded.steps());
    // The logits lie where their gradient will.
    assert!(loaded.memory().arena < 64 * 96 * 4, "{}", loaded.memory());
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    for (result, expected) in results.iter().zip(&expected) {
        let result = result.shard(0).unwrap();
        let worst = Tensor::from_bytes(result.ty.clone(), &result.bytes).unwrap().max_difference(expected);
        assert!(worst < 1e-5, "differs by {worst:e}");
    }
}

/// Heads side by side, as another product reads them, and gradients one after another.
const HEADS: &str = r#"
func.func public @main(%p: tensor<4x2x12x12xf32>, %v: tensor<4x2x12x8xf32>, %g: tensor<4x2x12x8xf32>, %w: tensor<16x6xf32>) -> (tensor<4x12x6xf32>, tensor<2x4x12x2x8xf32>) {
  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<4x2x12x12xf32>, tensor<4x2x12x8xf32>) -> tensor<4x2x12x8xf32>
  %ot = stablehlo.transpose %o, dims = [0, 2, 1, 3] : (tensor<4x2x12x8xf32>) -> tensor<4x12x2x8xf32>
  %of = stablehlo.reshape %ot : (tensor<4x12x2x8xf32>) -> tensor<4x12x16xf32>
  %y = stablehlo.dot_general %of, %w, contracting_dims = [2] x [0] : (tensor<4x12x16xf32>, tensor<16x6xf32>) -> tensor<4x12x6xf32>
  %a = stablehlo.dot_general %p, %g, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<4x2x12x12xf32>, tensor<4x2x12x8xf32>) -> tensor<4x2x12x8xf32>
  %at = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<4x2x12x8xf32>) -> tensor<4x12x2x8xf32>
  %af = stablehlo.reshape %at : (tensor<4x12x2x8xf32>) -> tensor<1x4x12x2x8xf32>
  %b = stablehlo.dot_general %p, %g, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<4x2x12x12xf32>, tensor<4x2x12x8xf32>) -> tensor<4x2x12x8xf32>
  %bt = stablehlo.transpose %b, dims = [0, 2, 1, 3] : (tensor<4x2x12x8xf32>) -> tensor<4x12x2x8xf32>
  %bf = stablehlo.reshape %bt : (tensor<4x12x2x8xf32>) -> tensor<1x4x12x2x8xf32>
  %c = stablehlo.concatenate %af, %bf, dim = 0 : (tensor<1x4x12x2x8xf32>, tensor<1x4x12x2x8xf32>) -> tensor<2x4x12x2x8xf32>
  return %y, %c : tensor<4x12x6xf32>, tensor<2x4x12x2x8xf32>
}
"#;

#[test]
fn products_write_where_copies_would_put_their_results() {
    let module = module(HEADS, (1, 1, 1, 1), "f32");
    let inputs = random_inputs(&module, 7, Style::SmallInts).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let set = InProcess::new(1, Some(2), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module), &LoadOptions::default()).unwrap();
    let copies: Vec<_> = loaded.steps().iter().filter(|step| step.kind == "copy").collect();
    assert!(copies.is_empty(), "{copies:?}");
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    for (result, expected) in results.iter().zip(&expected) {
        let result = result.shard(0).unwrap();
        assert_eq!(result.bytes, expected.to_bytes());
    }
}
