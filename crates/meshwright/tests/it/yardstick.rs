//! The yardstick's training step, written with the front end, beside JAX's: losses of `tests/golden_steps/yardstick`,
//! which `peers/yardstick_losses.py` writes, and the flops of both texts.

#[allow(dead_code)]
#[path = "../../../../examples/yardstick.rs"]
mod example;

#[allow(dead_code)]
#[path = "../../../grad/tests/grad/npz.rs"]
mod npz;

use example::Model;
use meshwright::DType;
use meshwright::prelude::*;
use meshwright_base::SourceText;
use meshwright_cost::{Machine, traffic};
use meshwright_interp::{Data, Tensor as Numbers};
use std::path::{Path, PathBuf};

fn tests(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(path)
}

fn floats(numbers: &Numbers) -> &[f64] {
    match numbers.data() {
        Data::Float(floats) => floats,
        _ => panic!("not floats"),
    }
}

fn array(numbers: &Numbers, dtype: DType) -> Array {
    let dims = numbers.ty().dims.clone();
    match dtype {
        DType::F64 => Array::new(dims, floats(numbers)),
        _ => Array::from_bytes(numbers.dtype(), dims, numbers.to_bytes()),
    }
    .unwrap()
}

/// Losses of five steps from the fixture's weights, on as many devices as the mesh has.
fn losses(dtype: DType, axes: [(&str, i64); 2]) -> Vec<f64> {
    let model = Model { dtype, ..Model::default() };
    let inputs = npz::read(&tests("golden_steps/yardstick/inputs.npz"));
    let partitioned = model.train_step(&Mesh::new(axes).unwrap()).unwrap().partition().unwrap();
    let mut step = partitioned.load(partitioned.devices()).unwrap();
    let mut names: Vec<String> = model.specs().into_iter().map(|(name, ..)| name).collect();
    names.sort();
    assert_eq!(names.len() + 1, inputs.len());
    for (name, weight) in names.iter().zip(&inputs) {
        step.set(&format!("p.{name}"), &array(weight, dtype)).unwrap();
        for slot in ["m", "v"] {
            let zeros = Array::zeros(dtype, weight.ty().dims.clone());
            step.set(&format!("{slot}.{name}"), &zeros).unwrap();
        }
    }
    let tokens = array(&inputs[names.len()], DType::S32);
    (0..5).map(|_| step.run(&[("tokens", &tokens)]).unwrap().number("loss").unwrap()).collect()
}

fn apart(ours: &[f64], theirs: &[f64]) -> f64 {
    let pairs = ours.iter().zip(theirs);
    pairs.map(|(a, b)| (a - b).abs() / b.abs()).fold(0.0, f64::max)
}

#[test]
fn five_adam_steps_have_the_losses_of_jax() {
    let expected = npz::read(&tests("golden_steps/yardstick/outputs.npz"));
    let (wide, narrow) = (floats(&expected[0]), floats(&expected[1]));
    for axes in [[("x", 1), ("y", 1)], [("x", 8), ("y", 1)], [("x", 4), ("y", 2)]] {
        let ours = losses(DType::F64, axes);
        assert!(apart(&ours, wide) <= 1e-10, "f64 on {axes:?}: {ours:?} beside {wide:?}");
        let ours = losses(DType::F32, axes);
        assert!(apart(&ours[..1], &narrow[..1]) <= 1e-6, "f32 on {axes:?}: {ours:?} beside {narrow:?}");
    }
}

/// Flops of a module on global shapes, as it is written.
fn flops(text: &str) -> f64 {
    let module = meshwright_text::stablehlo::parse(&SourceText::new("step.mlir", text)).unwrap();
    traffic(&module, &Machine::default()).flops
}

#[test]
fn the_step_takes_no_more_flops_than_jax() {
    let mesh = Mesh::new([("x", 4), ("y", 2)]).unwrap();
    let ours = flops(&Model::default().train_step(&mesh).unwrap().to_stablehlo());
    let theirs = flops(&std::fs::read_to_string(tests("golden/yardstick/stablehlo.mlir")).unwrap());
    assert!(ours <= theirs, "ours {ours}, JAX's {theirs}: {:.4}", ours / theirs);
}

#[test]
fn the_example_trains() {
    let step = Model::default().train_step(&Mesh::new([("x", 4), ("y", 2)]).unwrap()).unwrap();
    example::train(&Model::default(), &step).unwrap();
}
