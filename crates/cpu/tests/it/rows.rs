//! Loops over the same rows run together: what they give is what the interpreter gives, on one and on two workers, for
//! rows that are short, long, no multiple of a vector, and longer than what is worked on at once.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;
use support::{one_device, same_enough};

const SOFTMAX: &str = r#"
func.func public @main(%a: tensor<ROWSxROWxf32>) -> (tensor<ROWSxROWxf32>, tensor<ROWSxf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %s = stablehlo.subtract %a, %mb : tensor<ROWSxROWxf32>
  %e = stablehlo.exponential %s : tensor<ROWSxROWxf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %q = stablehlo.divide %e, %tb : tensor<ROWSxROWxf32>
  return %q, %t : tensor<ROWSxROWxf32>, tensor<ROWSxf32>
}
"#;

/// What every row has in common is used by loops further on, as are whole rows.
const GRADIENT: &str = r#"
func.func public @main(%a: tensor<ROWSxROWxf32>, %g: tensor<ROWSxROWxf32>, %b: tensor<ROWxf32>) -> tensor<ROWSxROWxf32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %s = stablehlo.subtract %a, %mb : tensor<ROWSxROWxf32>
  %e = stablehlo.exponential %s : tensor<ROWSxROWxf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %h = stablehlo.sqrt %t : tensor<ROWSxf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %q = stablehlo.divide %e, %tb : tensor<ROWSxROWxf32>
  %w = stablehlo.multiply %q, %g : tensor<ROWSxROWxf32>
  %v = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %u = stablehlo.multiply %v, %h : tensor<ROWSxf32>
  %ub = stablehlo.broadcast_in_dim %u, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %vb = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<ROWxf32>) -> tensor<ROWSxROWxf32>
  %d = stablehlo.subtract %g, %vb : tensor<ROWSxROWxf32>
  %k = stablehlo.multiply %q, %d : tensor<ROWSxROWxf32>
  %l = stablehlo.add %k, %ub : tensor<ROWSxROWxf32>
  %r = stablehlo.add %l, %bb : tensor<ROWSxROWxf32>
  return %r : tensor<ROWSxROWxf32>
}
"#;

/// Roots and quotients that are the same for a whole row.
const NORMALIZATION: &str = r#"
func.func public @main(%x: tensor<ROWSxROWxf32>) -> tensor<ROWSxROWxf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<0.0078125> : tensor<ROWSxROWxf32>
  %eps = stablehlo.constant dense<1.0e-6> : tensor<ROWSxROWxf32>
  %g = stablehlo.constant dense<1.25> : tensor<ROWSxROWxf32>
  %s0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %s = stablehlo.broadcast_in_dim %s0, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %mean = stablehlo.multiply %s, %n : tensor<ROWSxROWxf32>
  %d = stablehlo.subtract %x, %mean : tensor<ROWSxROWxf32>
  %q = stablehlo.multiply %d, %d : tensor<ROWSxROWxf32>
  %v0 = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %v = stablehlo.broadcast_in_dim %v0, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %var = stablehlo.multiply %v, %n : tensor<ROWSxROWxf32>
  %w = stablehlo.add %var, %eps : tensor<ROWSxROWxf32>
  %i = stablehlo.sqrt %w : tensor<ROWSxROWxf32>
  %j = stablehlo.divide %g, %i : tensor<ROWSxROWxf32>
  %k = stablehlo.multiply %d, %j : tensor<ROWSxROWxf32>
  %r = stablehlo.add %k, %i : tensor<ROWSxROWxf32>
  return %r : tensor<ROWSxROWxf32>
}
"#;

/// As JAX writes it: a maximum of `bf16`, one number a row that is rounded, exponentials that are rounded.
const NARROW_SOFTMAX: &str = r#"
func.func public @main(%a: tensor<ROWSxROWxT>) -> tensor<ROWSxROWxT> {
  %least = stablehlo.constant dense<-60000.0> : tensor<T>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %leasts = stablehlo.broadcast_in_dim %least, dims = [] : (tensor<T>) -> tensor<ROWSxT>
  %m0 = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<ROWSxROWxT>, tensor<T>) -> tensor<ROWSxT>
  %m = stablehlo.maximum %leasts, %m0 : tensor<ROWSxT>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<ROWSxT>) -> tensor<ROWSxROWxT>
  %s = stablehlo.subtract %a, %mb : tensor<ROWSxROWxT>
  %e = stablehlo.exponential %s : tensor<ROWSxROWxT>
  %w = stablehlo.convert %e : (tensor<ROWSxROWxT>) -> tensor<ROWSxROWxf32>
  %t = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %n = stablehlo.convert %t : (tensor<ROWSxf32>) -> tensor<ROWSxT>
  %nb = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<ROWSxT>) -> tensor<ROWSxROWxT>
  %q = stablehlo.divide %e, %nb : tensor<ROWSxROWxT>
  return %q : tensor<ROWSxROWxT>
}
"#;

/// Computed twice: once to be reduced, once to be stored.
const TWICE: &str = r#"
func.func public @main(%a: tensor<ROWSxROWxf32>) -> (tensor<ROWSxROWxf32>, tensor<ROWSxf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.tanh %a : tensor<ROWSxROWxf32>
  %u = stablehlo.tanh %a : tensor<ROWSxROWxf32>
  %m = stablehlo.reduce(%t init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<ROWSxf32>) -> tensor<ROWSxROWxf32>
  %s = stablehlo.reduce(%mb init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  return %u, %s : tensor<ROWSxROWxf32>, tensor<ROWSxf32>
}
"#;

const FUNCTIONS: &str = r#"
func.func public @main(%x: tensor<ROWSxROWxf32>) -> (tensor<ROWSxROWxf32>, tensor<ROWSxROWxf32>, tensor<ROWSxf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.sine %x : tensor<ROWSxROWxf32>
  %c = stablehlo.cosine %x : tensor<ROWSxROWxf32>
  %r = stablehlo.cbrt %x : tensor<ROWSxROWxf32>
  %e = stablehlo.exponential_minus_one %x : tensor<ROWSxROWxf32>
  %t = stablehlo.tan %x : tensor<ROWSxROWxf32>
  %a = stablehlo.multiply %s, %e : tensor<ROWSxROWxf32>
  %b = stablehlo.add %a, %r : tensor<ROWSxROWxf32>
  %d = stablehlo.add %b, %c : tensor<ROWSxROWxf32>
  %m = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  return %d, %t, %m : tensor<ROWSxROWxf32>, tensor<ROWSxROWxf32>, tensor<ROWSxf32>
}
"#;

/// Types of 32 and of 64 bits in one loop.
const BOTH_SIZES: &str = r#"
func.func public @main(%x: tensor<ROWSxROWxf32>, %k: tensor<ROWSxROWxi32>) -> (tensor<ROWSxROWxf32>, tensor<ROWSxROWxi64>, tensor<ROWSxROWxf64>) {
  %w = stablehlo.convert %x : (tensor<ROWSxROWxf32>) -> tensor<ROWSxROWxf64>
  %s = stablehlo.multiply %w, %w : tensor<ROWSxROWxf64>
  %l = stablehlo.convert %k : (tensor<ROWSxROWxi32>) -> tensor<ROWSxROWxi64>
  %q = stablehlo.multiply %l, %l : tensor<ROWSxROWxi64>
  %f = stablehlo.convert %q : (tensor<ROWSxROWxi64>) -> tensor<ROWSxROWxf64>
  %p = stablehlo.compare GT, %s, %w : (tensor<ROWSxROWxf64>, tensor<ROWSxROWxf64>) -> tensor<ROWSxROWxi1>
  %n = stablehlo.convert %s : (tensor<ROWSxROWxf64>) -> tensor<ROWSxROWxf32>
  %e = stablehlo.exponential %x : tensor<ROWSxROWxf32>
  %r = stablehlo.select %p, %n, %e : tensor<ROWSxROWxi1>, tensor<ROWSxROWxf32>
  return %r, %q, %f : tensor<ROWSxROWxf32>, tensor<ROWSxROWxi64>, tensor<ROWSxROWxf64>
}
"#;

fn module(text: &str, rows: usize, row: usize) -> Module {
    let text = text.replace("ROWS", &rows.to_string()).replace("ROW", &row.to_string());
    let parsed = meshwright_text::parse(&SourceText::new("rows".to_string(), text));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| d.to_string())).unwrap()
}

/// Names of the steps, and the results.
fn launch(module: Module, workers: usize, inputs: &[Tensor]) -> (Vec<String>, Vec<HostArray>) {
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module).unwrap(), &LoadOptions::default()).unwrap();
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    let names = loaded.steps().iter().map(|step| step.name.clone()).collect();
    (names, results.iter().filter_map(|array| array.shard(0)).collect())
}

#[test]
fn softmax_is_one_step_and_gives_what_the_interpreter_gives() {
    for (rows, row) in [(2, 9000), (64, 600), (40, 512), (300, 128), (500, 33)] {
        let module = module(SOFTMAX, rows, row);
        let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
        let expected = run_global(&module, &inputs).unwrap();
        let (names, one) = launch(module.clone(), 1, &inputs);
        let (_, two) = launch(module, 2, &inputs);
        if rows >= 16 {
            assert_eq!(names, [format!("3 loops over {rows} rows of {row}")]);
        }
        for ((one, two), expected) in one.iter().zip(&two).zip(&expected) {
            assert_eq!(one.bytes, two.bytes, "{rows} x {row}");
            assert_eq!(same_enough(one, expected, false), None, "{rows} x {row}");
        }
    }
}

/// Arrays that do not stay in the second cache, with rows of all lengths and a part of a turn at the end.
#[test]
fn loops_that_take_turns_give_what_the_interpreter_gives() {
    let sizes = [
        (2100, 128),
        (2090, 127),
        (2110, 129),
        (300, 1024),
        (33, 8192),
        (35, 8191),
        (37500, 7),
        (263_000, 1),
    ];
    for (rows, row) in sizes {
        [SOFTMAX, GRADIENT, NORMALIZATION].into_iter().for_each(|text| check(text, rows, row));
    }
}

#[test]
fn softmax_of_narrow_floats_is_one_step_of_three_loops() {
    for (rows, row) in [(64, 600), (300, 1024), (2100, 128), (520, 513), (33, 8192)] {
        for ty in ["bf16", "f16"] {
            let text = NARROW_SOFTMAX.replace("xT>", &format!("x{ty}>")).replace("<T>", &format!("<{ty}>"));
            check(&text, rows, row);
            let module = module(&text, rows, row);
            let inputs = random_inputs(&module, 5, Style::Natural).unwrap();
            let (names, _) = launch(module, 1, &inputs);
            let loops = if row < 512 { 5 } else { 3 };
            assert_eq!(names, [format!("{loops} loops over {rows} rows of {row}")], "{ty}");
        }
    }
}

#[test]
fn functions_and_types_of_both_sizes_give_what_the_interpreter_gives() {
    for (rows, row) in [(70, 1), (9, 7), (5, 127), (5, 128), (5, 129), (3, 8191)] {
        [FUNCTIONS, BOTH_SIZES].into_iter().for_each(|text| check(text, rows, row));
    }
}

/// Operands that lie in pieces which end amid the rows that are summed: a part of each line of `%a`, numbers counted
/// along other lines, and one number for a stretch of them.
const PIECES: &str = r#"
func.func public @main(%a: tensor<16x80xf32>, %b: tensor<16xf32>) -> tensor<ROWSxf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %part = stablehlo.slice %a [0:16, 4:76] : (tensor<16x80xf32>) -> tensor<16x72xf32>
  %count = stablehlo.iota dim = 1 : tensor<16x72xf32>
  %each = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<16xf32>) -> tensor<16x72xf32>
  %p = stablehlo.multiply %part, %count : tensor<16x72xf32>
  %q = stablehlo.add %p, %each : tensor<16x72xf32>
  %rows = stablehlo.reshape %q : (tensor<16x72xf32>) -> tensor<ROWSxROWxf32>
  %s = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<ROWSxROWxf32>, tensor<f32>) -> tensor<ROWSxf32>
  return %s : tensor<ROWSxf32>
}
"#;

#[test]
fn pieces_that_end_amid_a_row_are_summed_by_rows() {
    for row in [1, 3, 9, 16, 64, 96, 128, 144, 384, 576] {
        check(PIECES, 16 * 72 / row, row);
    }
}

#[test]
fn what_is_computed_twice_is_stored_too() {
    for (rows, row) in [(6, 8), (40, 300)] {
        check(TWICE, rows, row);
    }
}

fn check(text: &str, rows: usize, row: usize) {
    let module = module(text, rows, row);
    let inputs = random_inputs(&module, 5, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let (_, one) = launch(module.clone(), 1, &inputs);
    let (_, two) = launch(module, 2, &inputs);
    for ((one, two), expected) in one.iter().zip(&two).zip(&expected) {
        assert_eq!(one.bytes, two.bytes, "{rows} x {row}");
        assert_eq!(same_enough(one, expected, false), None, "{rows} x {row}");
    }
}
