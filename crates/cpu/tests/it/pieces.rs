//! Into how many pieces a step is cut, as plans are told, is what workers are asked to do.

use meshwright_base::{Id, SourceText};
use meshwright_cpu::Cpu;
use meshwright_ir::TensorType;
use meshwright_runtime::{Buffer, Compiler, DeviceMemory, Event, RunError, Workers};
use std::sync::Mutex;

use crate::support;
use support::one_device;

/// Counts steps as they begin, and keeps what each asks for.
#[derive(Default)]
struct Asked {
    begun: Mutex<usize>,
    pieces: Mutex<Vec<(usize, usize)>>,
}

impl Workers for Asked {
    fn each(&self, count: usize, run: &(dyn Fn(usize) + Sync)) {
        let step = *self.begun.lock().unwrap() - 1;
        self.pieces.lock().unwrap().push((step, count));
        (0..count).for_each(run);
    }

    fn stop(&self) -> Option<RunError> {
        *self.begun.lock().unwrap() += 1;
        None
    }
}

fn buffers(types: &[TensorType]) -> Vec<Buffer> {
    let bytes = |ty: &TensorType| usize::try_from(ty.elements()).unwrap() * ty.dtype.bytes();
    types.iter().map(|ty| Buffer::zeroed(bytes(ty)).unwrap()).collect()
}

/// How many steps of several pieces said what they were asked; none of a program with jumps, where steps run again.
fn compared(name: &str, text: String) -> usize {
    let module = meshwright_text::parse(&SourceText::new(name.to_string(), text)).unwrap();
    let program = Cpu::default().compile(&one_device(module).unwrap(), 1).unwrap();
    if program.steps().iter().any(|info| info.kind == "control") {
        return 0;
    }
    let arena = Buffer::zeroed(program.memory().arena).unwrap();
    let (inputs, results) = (buffers(program.params()), buffers(program.results()));
    let places = |of: &[Buffer]| of.iter().map(Buffer::as_ptr).collect();
    let memory = DeviceMemory { arena: arena.as_ptr(), inputs: places(&inputs), results: places(&results) };
    let asked = Asked::default();
    let event = program.start(Id::from_index(0), memory).resume(&asked).unwrap();
    assert!(matches!(event, Event::Done), "{name}");
    let asked = asked.pieces.into_inner().unwrap();
    let mut compared = 0;
    for (at, info) in program.steps().iter().enumerate() {
        let Some(said) = info.work.pieces else { continue };
        for (_, count) in asked.iter().filter(|(step, _)| *step == at) {
            assert_eq!(*count as u64, said, "{name}: step {at}, {}", info.name);
            compared += usize::from(said > 1);
        }
    }
    compared
}

#[test]
fn steps_are_cut_into_as_many_pieces_as_they_say() {
    let golden = |name: &str| {
        let path = format!("{}/../../tests/golden/{name}/module.mlir", env!("CARGO_MANIFEST_DIR"));
        (name.to_string(), std::fs::read_to_string(path).unwrap())
    };
    for name in ["transformer", "mlp", "moe", "convnet", "lstm", "adam"] {
        let (name, text) = golden(name);
        compared(&name, text);
    }
    assert!(compared("large", LARGE.to_string()) >= 8);
}

/// Of each kind one that is large enough to be shared.
const LARGE: &str = r#"
func.func @main(%x: tensor<1024x512xf32>, %w: tensor<512x2048xf32>, %t: tensor<4096x64xf32>, %i: tensor<2048x1xi32>,
    %s: tensor<2xui64>) -> (tensor<1024x2048xf32>, tensor<1024xf32>, tensor<512xf32>, tensor<512x1024xf32>, tensor<2048x64xf32>,
    tensor<2xui64>, tensor<300x301xui32>, tensor<3x1024x512xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x2048xf32>) -> tensor<1024x2048xf32>
  %q = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1024x512xf32>, tensor<f32>) -> tensor<1024xf32>
  %c = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1024x512xf32>, tensor<f32>) -> tensor<512xf32>
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<1024x512xf32>) -> tensor<512x1024xf32>
  %g = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>}> : (tensor<4096x64xf32>, tensor<2048x1xi32>) -> tensor<2048x64xf32>
  %n, %b = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<300x301xui32>)
  %k = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<1024x512xf32>) -> tensor<3x1024x512xf32>
  %l = stablehlo.reshape %x : (tensor<1024x512xf32>) -> tensor<2x262144xf32>
  %r = stablehlo.reduce(%l init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x262144xf32>, tensor<f32>) -> tensor<2xf32>
  return %p, %q, %c, %y, %g, %n, %b, %k, %r : tensor<1024x2048xf32>, tensor<1024xf32>, tensor<512xf32>, tensor<512x1024xf32>, tensor<2048x64xf32>, tensor<2xui64>, tensor<300x301xui32>, tensor<3x1024x512xf32>, tensor<2xf32>
}
"#;
