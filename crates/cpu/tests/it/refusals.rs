//! What is refused, and how it is said: wrong inputs, too little memory, numbers that are none. One test at a time
//! counts buffers, so there is one test.

use crate::support;

use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_ir::{DType, SpmdModule, TensorType};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions, RunErrorKind, memory};
use std::sync::Arc;

fn program(body: &str) -> SpmdModule {
    let text = format!("func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {{\n{body}\n}}");
    support::one_device(meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap()).unwrap()
}

fn filled(x: f32) -> HostArray {
    let bytes = std::iter::repeat_n(x.to_le_bytes(), 64 * 64).flatten().collect();
    HostArray::new(TensorType::new(DType::F32, [64, 64]), bytes).unwrap()
}

const CHAIN: &str = "  %d = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %l = stablehlo.log %d : tensor<64x64xf32>
  %s = stablehlo.subtract %l, %a : tensor<64x64xf32>
  return %s : tensor<64x64xf32>";

/// Steps that need room to work in.
const WITH_ROOM: [&str; 2] = [
    "  %s = \"stablehlo.sort\"(%a) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 1 : i64, is_stable = true} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>",
    "  %c = stablehlo.cholesky %a, lower = true : tensor<64x64xf32>
  return %c : tensor<64x64xf32>",
];

#[test]
fn programs_and_inputs_are_refused_with_the_numbers() {
    let program = program(CHAIN);
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));

    let narrow = HostArray::zeros(TensorType::new(DType::F32, [64, 32]));
    let error = place_all(&program, &[narrow], &set.local()).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::BadInput);
    assert!(error.to_string().contains("f32[64,32]") && error.to_string().contains("f32[64,64]"), "{error}");
    let error = place_all(&program, &[], &set.local()).unwrap_err();
    assert!(error.to_string().contains("0 inputs are given to 1 parameters"), "{error}");

    let error = set.load(&program, &LoadOptions { memory_limit: Some(20_000) }).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::TooMuchMemory);
    assert!(error.notes.iter().any(|note| note.contains("takes 16384 bytes")), "{error}");

    // The plan is what is allocated: arena, inputs, results, and the scratch of the one worker.
    memory::reset_peak();
    let before = memory::live_bytes();
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let args = place_all(&program, &[filled(1.0)], &set.local()).unwrap();
    let results = loaded.launch(args, None).unwrap();
    let planned = loaded.memory().peak() + loaded.memory().scratch;
    assert_eq!(memory::peak_bytes() - before, planned);
    drop(results);
    WITH_ROOM.iter().for_each(|body| room_is_planned(body, &set));

    // Off: nothing is said. On: the first op that makes a NaN of finite numbers is named.
    let args = place_all(&program, &[filled(-1.0)], &set.local()).unwrap();
    assert!(loaded.launch(args, None).is_ok());
    let mut negative = filled(1.0);
    negative.bytes[..4].copy_from_slice(&(-1000.0f32).to_le_bytes());
    let watching = InProcess::new(1, Some(1), Arc::new(Cpu { check_numbers: true, ..Cpu::default() }));
    let mut loaded = watching.load(&program, &LoadOptions::default()).unwrap();
    let args = place_all(&program, &[negative], &watching.local()).unwrap();
    let error = loaded.launch(args, None).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::BadNumber);
    assert_eq!(error.op.as_deref(), Some("log f32[64,64]"), "{error}");
}

/// What a step works in while it runs is part of the plan, and of what is counted.
fn room_is_planned(body: &str, set: &InProcess) {
    let program = program(body);
    memory::reset_peak();
    let before = memory::live_bytes();
    let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
    let args = place_all(&program, &[filled(1.0)], &set.local()).unwrap();
    let results = loaded.launch(args, None).unwrap();
    assert!(loaded.memory().scratch > 0);
    let planned = loaded.memory().peak() + loaded.memory().scratch;
    assert_eq!(memory::peak_bytes() - before, planned, "{body}");
    drop(results);
}
