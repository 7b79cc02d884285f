//! Where numbers are rounded, and ops that JAX does not emit.

use crate::support;

use meshwright_interp::{Style, Tensor, random_inputs, run, run_devices};
use meshwright_ir::op::collective::{Channel, Collective, CollectiveKind, Groups};
use meshwright_ir::op::random::{Distribution, Random};
use meshwright_ir::op::{BatchNorm, BatchNormKind, BinaryOp, Op};
use meshwright_ir::{DType, Module};
use support::*;

#[test]
fn a_collective_sum_of_bf16_is_wide_and_rounds_once() {
    let bf16 = ty(DType::BF16, &[]);
    let module = module(&[bf16], |b, p| {
        let region = b.reducer(BinaryOp::Add, DType::BF16);
        let op = Collective {
            kind: CollectiveKind::AllReduce,
            groups: Groups::All,
            group_size: 3,
            channel: Channel::default(),
            wide: None,
        };
        vec![b.with(Op::Collective(op), p, &[region])]
    });
    // Step by step in bf16, 256 + 1 stays 256.
    let inputs = [256.0, 1.0, 1.0].map(|x| vec![Tensor::from_f64s(DType::BF16, &[], &[x]).unwrap()]);
    for own in run_devices(&module, 3, &inputs).unwrap() {
        assert_eq!(own[0].to_f64s(), [258.0]);
    }
}

#[test]
fn elementwise_results_are_rounded_after_every_op() {
    let module = module(&[f32(&[1]), f32(&[1])], |b, p| {
        let sum = b.binary(BinaryOp::Add, p[0], p[1]);
        vec![b.binary(BinaryOp::Subtract, sum, p[0])]
    });
    let inputs = [floats(&[1], &[1e8]), floats(&[1], &[3.0])];
    assert_eq!(run_one(&module, &inputs).to_f64s(), [0.0]);
}

/// Four elements of two features; operands after the first are vectors of two, but for the output's gradient.
fn batch_norm(kind: BatchNormKind, operands: &[Tensor]) -> Vec<Vec<f64>> {
    let types: Vec<_> = operands.iter().map(|x| x.ty().clone()).collect();
    let op = Op::BatchNorm(BatchNorm { kind, epsilon: 0.5f32.to_bits(), feature_dim: 1 });
    let module = module(&types, |b, p| b.all(op, p, &[]));
    run(&module, operands).unwrap().iter().map(Tensor::to_f64s).collect()
}

fn doubles(dims: &[i64], values: &[f64]) -> Tensor {
    Tensor::from_f64s(DType::F64, dims, values).unwrap()
}

const X: [f64; 4] = [1.0, 10.0, 3.0, 14.0];
const SCALE: [f64; 2] = [2.0, 3.0];
const OFFSET: [f64; 2] = [1.0, -1.0];

fn normalized(x: &[f64; 4]) -> Vec<Vec<f64>> {
    let operands = [doubles(&[2, 2], x), doubles(&[2], &SCALE), doubles(&[2], &OFFSET)];
    batch_norm(BatchNormKind::Training, &operands)
}

#[test]
fn batch_norm_trains_and_infers_alike() {
    let made = normalized(&X);
    assert_eq!(made[1], [2.0, 12.0]);
    assert_eq!(made[2], [1.0, 4.0]);
    let (a, b) = (2.0 / 1.5f64.sqrt(), 6.0 / 4.5f64.sqrt());
    for (ours, expected) in made[0].iter().zip([1.0 - a, -1.0 - b, 1.0 + a, -1.0 + b]) {
        assert!((ours - expected).abs() < 1e-14);
    }
    let mut operands = vec![doubles(&[2, 2], &X), doubles(&[2], &SCALE), doubles(&[2], &OFFSET)];
    operands.extend([doubles(&[2], &made[1]), doubles(&[2], &made[2])]);
    assert_eq!(batch_norm(BatchNormKind::Inference, &operands)[0], made[0]);
}

#[test]
fn the_gradient_of_batch_norm_is_the_slope_of_training() {
    let weights = [0.3, -1.0, 2.0, 0.7];
    let loss = |x: &[f64; 4]| -> f64 { normalized(x)[0].iter().zip(weights).map(|(y, w)| y * w).sum() };
    let made = normalized(&X);
    let operands = [
        doubles(&[2, 2], &X),
        doubles(&[2], &SCALE),
        doubles(&[2], &made[1]),
        doubles(&[2], &made[2]),
        doubles(&[2, 2], &weights),
    ];
    let gradient = batch_norm(BatchNormKind::Grad, &operands);
    for i in 0..4 {
        let mut moved = X;
        moved[i] += 1e-6;
        let slope = (loss(&moved) - loss(&X)) / 1e-6;
        assert!((slope - gradient[0][i]).abs() < 1e-5, "{i}: {slope} {}", gradient[0][i]);
    }
    assert!((gradient[2][0] - 2.3).abs() < 1e-14 && (gradient[2][1] + 0.3).abs() < 1e-14);
}

fn draw(distribution: Distribution, low: f64, high: f64) -> (Module, Vec<f64>) {
    let module = module(&[], |b, _| {
        let bounds = [b.constant(&floats(&[], &[low])), b.constant(&floats(&[], &[high]))];
        let op = Op::Random(Random::Rng { distribution, shape: vec![1000] });
        vec![b.op(op, &bounds)]
    });
    let numbers = run_one(&module, &[]).to_f64s();
    (module, numbers)
}

#[test]
fn rng_keeps_to_its_bounds_and_repeats() {
    let (module, numbers) = draw(Distribution::Uniform, 2.0, 3.0);
    assert!(numbers.iter().all(|x| (2.0..3.0).contains(x)));
    assert_eq!(run_one(&module, &[]).to_f64s(), numbers);
    let (_, numbers) = draw(Distribution::Normal, 5.0, 0.1);
    let mean = numbers.iter().sum::<f64>() / 1000.0;
    assert!((mean - 5.0).abs() < 0.02, "{mean}");
}

#[test]
fn random_inputs_fit_and_depend_on_the_seed() {
    let types = [f32(&[50]), s32(&[50]), ty(DType::Pred, &[50]), ty(DType::C64, &[50]), ty(DType::U8, &[50])];
    let module = module(&types, |_, p| p.to_vec());
    let inputs = random_inputs(&module, 1, Style::SmallInts).unwrap();
    assert!(inputs[0].to_f64s().iter().all(|x| x.fract() == 0.0 && x.abs() <= 3.0));
    assert!(inputs[1].to_ints().unwrap().iter().all(|x| (0..16).contains(x)));
    let again = random_inputs(&module, 1, Style::SmallInts).unwrap();
    assert!(inputs.iter().zip(&again).all(|(a, b)| a.same(b)));
    let other = random_inputs(&module, 2, Style::SmallInts).unwrap();
    assert!(inputs.iter().zip(&other).all(|(a, b)| !a.same(b)));
    assert!(run(&module, &inputs).is_ok());
    assert!(run(&module, &inputs[..2]).unwrap_err().message.contains("2 inputs are given to 5 parameters"));
}
