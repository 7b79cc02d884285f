//! Loops over the same rows run together: what they give is what the interpreter gives, on one and on two workers, for rows
//! that are short, long, no multiple of a vector, and longer than what is worked on at once.

mod support;

use meshwright_cpu::Cpu;
use meshwright_ground::SourceText;
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

fn module(rows: usize, row: usize) -> Module {
    let text = SOFTMAX.replace("ROWS", &rows.to_string()).replace("ROW", &row.to_string());
    let parsed = meshwright_text::parse(&SourceText::new("softmax".to_string(), text));
    parsed.map_err(|all| all.first().map_or(String::new(), |d| d.to_string())).unwrap()
}

/// Names of the steps, and the results.
fn launch(module: Module, workers: usize, inputs: &[Tensor]) -> (Vec<String>, Vec<HostArray>) {
    let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(&one_device(module).unwrap(), &LoadOptions::default()).unwrap();
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1)).collect();
    let results = loaded.launch(args, None).unwrap();
    let names = loaded.steps().iter().map(|step| step.name.clone()).collect();
    (names, results.iter().filter_map(|array| array.shard(0)).collect())
}

#[test]
fn softmax_is_one_step_and_gives_what_the_interpreter_gives() {
    for (rows, row) in [(2, 9000), (64, 600), (40, 512), (300, 128), (500, 33)] {
        let module = module(rows, row);
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
