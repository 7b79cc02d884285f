//! Attention has no place for its scores: they are made, turned into weights and used up block by block.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions, memory};
use std::sync::Arc;
use support::{one_device, same_enough};

/// As JAX writes it: heads beside depths, values times weights, masked.
const ATTENTION: &str = r#"
func.func public @main(%q: tensor<2x256x8x16xf32>, %k: tensor<2x256x8x16xf32>, %v: tensor<2x256x8x16xf32>) -> (tensor<2x256x8x16xf32>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %far = stablehlo.constant dense<-1.0e+09> : tensor<2x8x256x256xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x256x8x16xf32>, tensor<2x256x8x16xf32>) -> tensor<2x8x256x256xf32>
  %row = stablehlo.iota dim = 0 : tensor<256x256xi32>
  %column = stablehlo.iota dim = 1 : tensor<256x256xi32>
  %seen = stablehlo.compare GE, %row, %column, SIGNED : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi1>
  %mask = stablehlo.broadcast_in_dim %seen, dims = [2, 3] : (tensor<256x256xi1>) -> tensor<2x8x256x256xi1>
  %x = stablehlo.select %mask, %s, %far : tensor<2x8x256x256xi1>, tensor<2x8x256x256xf32>
  %m = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [3] : (tensor<2x8x256x256xf32>, tensor<f32>) -> tensor<2x8x256xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (tensor<2x8x256xf32>) -> tensor<2x8x256x256xf32>
  %d = stablehlo.subtract %x, %mb : tensor<2x8x256x256xf32>
  %e = stablehlo.exponential %d : tensor<2x8x256x256xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x8x256x256xf32>, tensor<f32>) -> tensor<2x8x256xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1, 2] : (tensor<2x8x256xf32>) -> tensor<2x8x256x256xf32>
  %p = stablehlo.divide %e, %tb : tensor<2x8x256x256xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<2x256x8x16xf32>, tensor<2x8x256x256xf32>) -> tensor<2x8x16x256xf32>
  %y = stablehlo.transpose %o, dims = [0, 3, 1, 2] : (tensor<2x8x16x256xf32>) -> tensor<2x256x8x16xf32>
  return %y : tensor<2x256x8x16xf32>
}
"#;

#[test]
fn attention_has_no_place_for_its_scores_and_takes_what_is_planned() {
    let module = meshwright_text::parse(&SourceText::new("attention".to_string(), ATTENTION.to_string()));
    let module = module.map_err(|all| all[0].to_string()).unwrap();
    let inputs = random_inputs(&module, 5, Style::Natural).unwrap();
    let expected = run_global(&module, &inputs).unwrap();
    let program = one_device(module).unwrap();
    let host = |x: &Tensor| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() };
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
    memory::reset_peak();
    let before = memory::live_bytes();
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let args = inputs.iter().map(|x| DeviceArray::repeated(&host(x), 1).unwrap()).collect();
    let results = loaded.launch(args, None).unwrap();
    let plan = loaded.memory();
    assert_eq!(memory::peak_bytes() - before, plan.peak() + plan.scratch);

    // One value of all scores takes 4 MiB.
    assert!(plan.arena < 1 << 20, "{plan}");
    let step = loaded.steps().iter().find(|step| step.kind == "band").unwrap();
    let of_products: usize = 2 * 2 * 16 * 256 * 256 * 16;
    assert!(step.name.contains("16x[256x16x256]") && step.name.contains("16x[256x256x16]"), "{}", step.name);
    assert!(step.flops() > of_products as u64, "{}", step.flops());
    assert_eq!(same_enough(&results[0].shard(0).unwrap(), &expected[0], false), None);

    // Looked at one by one, scores are there.
    let watching = InProcess::new(1, Some(1), Arc::new(Cpu { check_numbers: true, ..Cpu::default() }));
    let watched = watching.load(&program, &LoadOptions::default()).unwrap();
    assert!(watched.memory().arena >= 4 << 20 && watched.steps().iter().all(|step| step.kind != "band"));
}
