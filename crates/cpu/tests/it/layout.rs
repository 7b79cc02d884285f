//! Arrays that copies make lie as the products want them that read them, and are made once, or by who makes their
//! elements.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;
use support::{one_device, same_enough};

/// Three gradients side by side, as the gradient of three slices leaves them, and the two products that use them.
const PIECES: &str = r#"
func.func public @main(%q: tensor<2x8x4x4xf32>, %k: tensor<2x8x4x4xf32>, %v: tensor<2x8x4x4xf32>, %x: tensor<2x8x16xf32>, %w: tensor<3x16x4x4xf32>) -> (tensor<3x4x4x16xf32>, tensor<2x8x16xf32>) {
  PUT_TOGETHER
  %t = stablehlo.transpose %g, dims = [0, 3, 4, 1, 2] : (tensor<3x2x8x4x4xf32>) -> tensor<3x4x4x2x8xf32>
  %dw = stablehlo.dot_general %t, %x, contracting_dims = [3, 4] x [0, 1] : (tensor<3x4x4x2x8xf32>, tensor<2x8x16xf32>) -> tensor<3x4x4x16xf32>
  %dx = stablehlo.dot_general %t, %w, contracting_dims = [0, 1, 2] x [0, 2, 3] : (tensor<3x4x4x2x8xf32>, tensor<3x16x4x4xf32>) -> tensor<2x8x16xf32>
  return %dw, %dx : tensor<3x4x4x16xf32>, tensor<2x8x16xf32>
}
"#;

const ONES: &str = "
  %q1 = stablehlo.reshape %q : (tensor<2x8x4x4xf32>) -> tensor<1x2x8x4x4xf32>
  %k1 = stablehlo.reshape %k : (tensor<2x8x4x4xf32>) -> tensor<1x2x8x4x4xf32>
  %v1 = stablehlo.reshape %v : (tensor<2x8x4x4xf32>) -> tensor<1x2x8x4x4xf32>
";

const CONCATENATED: &str = "
  %g = stablehlo.concatenate %q1, %k1, %v1, dim = 0 : (tensor<1x2x8x4x4xf32>, tensor<1x2x8x4x4xf32>, tensor<1x2x8x4x4xf32>) -> tensor<3x2x8x4x4xf32>
";

const ADDED: &str = "
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %qp = stablehlo.pad %q1, %zero, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x4x4xf32>, tensor<f32>) -> tensor<3x2x8x4x4xf32>
  %kp = stablehlo.pad %k1, %zero, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x4x4xf32>, tensor<f32>) -> tensor<3x2x8x4x4xf32>
  %vp = stablehlo.pad %v1, %zero, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x2x8x4x4xf32>, tensor<f32>) -> tensor<3x2x8x4x4xf32>
  %qk = stablehlo.add %qp, %kp : tensor<3x2x8x4x4xf32>
  %g = stablehlo.add %qk, %vp : tensor<3x2x8x4x4xf32>
";

/// What attention hands to the product after it: values times weights, heads beside depths; and that product's
/// gradient.
const HEADS: &str = r#"
func.func public @main(%p: tensor<2x3x8x8xf32>, %v: tensor<2x8x3x4xf32>, %w: tensor<3x4x16xf32>, %g: tensor<2x8x16xf32>) -> (tensor<2x8x16xf32>, tensor<3x4x16xf32>) {
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<2x8x3x4xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x4x8xf32>
  %t = stablehlo.transpose %o, dims = [0, 3, 1, 2] : (tensor<2x3x4x8xf32>) -> tensor<2x8x3x4xf32>
  %y = stablehlo.dot_general %t, %w, contracting_dims = [3, 2] x [1, 0] : (tensor<2x8x3x4xf32>, tensor<3x4x16xf32>) -> tensor<2x8x16xf32>
  %dw = stablehlo.dot_general %t, %g, contracting_dims = [0, 1] x [0, 1] : (tensor<2x8x3x4xf32>, tensor<2x8x16xf32>) -> tensor<3x4x16xf32>
  return %y, %dw : tensor<2x8x16xf32>, tensor<3x4x16xf32>
}
"#;

fn pieces(put_together: &str) -> Module {
    module(PIECES.replace("PUT_TOGETHER", &format!("{ONES}{put_together}")))
}

fn module(text: String) -> Module {
    let parsed = meshwright_text::parse(&SourceText::new("module".to_string(), text));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| d.to_string())).unwrap()
}

/// Kinds and names of the steps, and the results.
fn launch(module: Module, inputs: &[Tensor]) -> (Vec<(&'static str, String)>, Vec<HostArray>) {
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module).unwrap(), &LoadOptions::default()).unwrap();
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    let kinds = loaded.steps().iter().map(|step| (step.kind, step.name.clone())).collect();
    (kinds, results.iter().filter_map(|array| array.shard(0)).collect())
}

/// Steps of a module whose results are the interpreter's.
fn steps(module: Module) -> Vec<(&'static str, String)> {
    let inputs = random_inputs(&module, 3, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let (steps, results) = launch(module, &inputs);
    for (result, expected) in results.iter().zip(&expected) {
        assert_eq!(same_enough(result, expected, false), None);
    }
    steps
}

fn count(steps: &[(&'static str, String)], kind: &str) -> usize {
    steps.iter().filter(|step| step.0 == kind).count()
}

#[test]
fn pieces_lie_as_both_products_want_them_and_no_zeros_are_written_under_them() {
    for put_together in [CONCATENATED, ADDED] {
        let steps = steps(pieces(put_together));
        // Three pieces, and the weights in the order of the sum.
        assert_eq!(count(&steps, "copy"), 4, "{steps:?}");
        assert_eq!(count(&steps, "fill"), 0, "{steps:?}");
    }
}

#[test]
fn a_product_writes_rows_as_two_others_read_them() {
    let steps = steps(module(HEADS.to_string()));
    // The copy that both would read needs not be made, as the product is made turned.
    assert_eq!(count(&steps, "copy"), 0, "{steps:?}");
    assert!(steps.iter().any(|step| step.1.ends_with("6x[8x8x4]")), "{steps:?}");
}
