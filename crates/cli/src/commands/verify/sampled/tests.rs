//! Faults planted in what the engine makes: drawn elements must show them, and the verdict name the instruction.

use super::*;
use meshwright_base::SourceText;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, random_inputs};
use meshwright_ir::DType;
use meshwright_runtime::{
    Args, Buffer, DeviceId, Executable, InProcess, LoadOptions, MemoryPlan, RunError, StepInfo, Trace,
    feed::Feed,
};
use std::sync::Arc;

/// Something wrong in a result of so many elements.
type Fault = fn(&mut [f32]);

/// The engine, but results of one shape come out wrong.
struct Faulty {
    right: InProcess,
    dims: Vec<i64>,
    fault: Fault,
}

struct Wrong {
    right: Box<dyn Executable>,
    dims: Vec<i64>,
    fault: Fault,
}

impl Devices for Faulty {
    fn count(&self) -> usize {
        self.right.count()
    }

    fn local(&self) -> Vec<DeviceId> {
        self.right.local()
    }

    fn load(&self, module: &SpmdModule, options: &LoadOptions) -> Result<Box<dyn Executable>, RunError> {
        let right = self.right.load(module, options)?;
        Ok(Box::new(Wrong { right, dims: self.dims.clone(), fault: self.fault }))
    }
}

impl Executable for Wrong {
    fn memory(&self) -> &MemoryPlan {
        self.right.memory()
    }

    fn fingerprint(&self) -> u64 {
        self.right.fingerprint()
    }

    fn launch(&mut self, args: Args, trace: Option<&Trace>) -> Result<Vec<DeviceArray>, RunError> {
        let mut results = self.right.launch(args, trace)?;
        for result in results.iter_mut().filter(|result| result.ty.dims == self.dims) {
            assert_eq!(result.ty.dtype, DType::F32);
            let (numbers, _) = result.shards()?[0].bytes().as_chunks::<4>();
            let mut numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
            (self.fault)(&mut numbers);
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            *result = DeviceArray::new(result.ty.clone(), vec![Arc::new(Buffer::from_bytes(&bytes)?)]);
        }
        Ok(results)
    }

    fn connect(&mut self, feed: Arc<Feed>) {
        self.right.connect(feed);
    }

    fn steps(&self) -> &[StepInfo] {
        self.right.steps()
    }
}

/// What is found where results of a shape come out wrong.
fn found(text: &str, dims: &[i64], fault: Fault) -> Result<Sampled, String> {
    let module = meshwright_text::stablehlo::parse(&SourceText::new("test", text)).expect("a module");
    let right = InProcess::new(1, Some(2), Arc::new(Cpu { check_numbers: false, verify_each: false }));
    let devices = Faulty { right, dims: dims.to_vec(), fault };
    let inputs = random_inputs(&module, 3, Style::Natural).expect("inputs");
    let (engine, found) = (EngineArgs::default(), Sampled::default());
    let mut sampler =
        Sampler { module: &module, devices: &devices, engine: &engine, limit: 1e-3, found, draw: 5 };
    let inputs: Vec<HostArray> = inputs.iter().map(crate::engine::to_host).collect();
    match sampler.run(&inputs) {
        Ok(_) => Ok(sampler.found),
        Err(failure) => Err(failure.diagnostics.iter().map(|told| format!("{told:?}")).collect()),
    }
}

/// Nothing is wrong.
fn right(_: &mut [f32]) {}

/// 8 images of 64 x 64, 3 to 16 channels, 7 x 7 by 2.
const CONVOLUTION: &str = r#"
func.func @main(%x: tensor<8x64x64x3xf32>, %k: tensor<7x7x3x16xf32>) -> tensor<8x32x32x16xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[3, 2], [3, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x64x64x3xf32>, tensor<7x7x3x16xf32>) -> tensor<8x32x32x16xf32>
  return %y : tensor<8x32x32x16xf32>
}
"#;
const IMAGES: [i64; 4] = [8, 32, 32, 16];

/// The gradient of another by its kernel: sums over 16 images, of which all 49 places would take 20 million steps.
const BY_KERNEL: &str = r#"
func.func @main(%x: tensor<16x118x118x3xf32>, %g: tensor<16x112x112x4xf32>) -> tensor<7x7x3x4xf32> {
  %y = stablehlo.convolution(%x, %g) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<16x118x118x3xf32>, tensor<16x112x112x4xf32>) -> tensor<7x7x3x4xf32>
  return %y : tensor<7x7x3x4xf32>
}
"#;

/// A matrix by its own transpose.
const SQUARE: &str = r#"
func.func @main(%x: tensor<301x2048xf32>) -> tensor<301x301xf32> {
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<301x2048xf32>, tensor<301x2048xf32>) -> tensor<301x301xf32>
  return %y : tensor<301x301xf32>
}
"#;

fn last_row(numbers: &mut [f32], length: usize) {
    let start = numbers.len() - length;
    numbers[start..].iter_mut().for_each(|number| *number += 1e3);
}

#[test]
fn what_is_right_is_found_right() {
    for (text, dims, elements) in
        // Images of one channel; one place of the window; single elements.
        [
            (CONVOLUTION, &IMAGES[..], 8 * 32 * 32),
            (BY_KERNEL, &[7, 7, 3, 4], 8),
            (SQUARE, &[301, 301], 8),
        ]
    {
        let found = found(text, dims, right).expect("nothing is wrong");
        assert_eq!((found.instructions, found.elements), (1, elements));
        assert!(found.left_out.is_empty() && found.worst < 1e-4, "{}", found.worst);
    }
}

#[test]
fn a_wrong_kernel_is_found() {
    let faults: [Fault; 3] = [
        |numbers| numbers.iter_mut().for_each(|number| *number *= 1.01),
        |numbers| numbers.rotate_right(1),
        |numbers| numbers.fill(0.0),
    ];
    for (text, dims) in [(CONVOLUTION, &IMAGES[..]), (BY_KERNEL, &[7, 7, 3, 4]), (SQUARE, &[301, 301])] {
        for fault in faults {
            let told = found(text, dims, fault).err().expect("a wrong kernel");
            assert!(told.contains("%y") && told.contains("differs from the interpreter's"), "{told}");
        }
    }
}

#[test]
fn a_wrong_row_at_an_edge_is_found() {
    let cases: [(&str, &[i64], Fault); 6] = [
        // The last row and the first, the last column.
        (SQUARE, &[301, 301], |numbers| last_row(numbers, 301)),
        (SQUARE, &[301, 301], |numbers| numbers[..301].fill(-1e3)),
        (SQUARE, &[301, 301], |numbers| numbers.chunks_mut(301).for_each(|row| row[300] = 1e3)),
        // The last row of every image, the first column of the last image.
        (CONVOLUTION, &IMAGES, |numbers| {
            numbers.chunks_mut(32 * 32 * 16).for_each(|image| last_row(image, 32 * 16))
        }),
        (CONVOLUTION, &IMAGES, |numbers| {
            let start = numbers.len() - 32 * 32 * 16;
            numbers[start..].chunks_mut(32 * 16).for_each(|row| row[..16].fill(1e3));
        }),
        (BY_KERNEL, &[7, 7, 3, 4], |numbers| last_row(numbers, 3 * 4)),
    ];
    for (at, (text, dims, fault)) in cases.into_iter().enumerate() {
        assert!(found(text, dims, fault).is_err(), "case {at}");
    }
}
