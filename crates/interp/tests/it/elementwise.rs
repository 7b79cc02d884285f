//! Element-wise ops beside evaluations in f64 or wider that numpy and scipy made (`tests/elementwise/make.py`): at most
//! 8 ulps apart, at points away from zeros of the function.

use crate::support;

use meshwright_interp::{Tensor, run};
use meshwright_ir::op::{BinaryOp, Op, UnaryOp};
use meshwright_ir::{Class, DType, TensorType};
use std::collections::BTreeMap;
use support::*;

const REFERENCE: &str = include_str!("../../../../tests/elementwise/reference.txt");
const MOST_ULPS: f64 = 8.0;

/// Ops on floats that are not computed but read off bits, or have no float to show.
const NOT_COMPUTED: [&str; 10] = [
    "complex",
    "conj",
    "copy",
    "imag",
    "is_finite",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "next_after",
    "real",
];

/// Element-wise ops on floats by their names.
fn float_ops() -> BTreeMap<&'static str, Op> {
    let floats = |classes: &[Class]| classes.contains(&Class::Float);
    let unary = UnaryOp::ALL.iter().filter(|op| floats(op.classes()));
    let binary = BinaryOp::ALL.iter().filter(|op| floats(op.classes()));
    let unary = unary.map(|op| (op.mnemonic(), Op::Unary(*op)));
    unary.chain(binary.map(|op| (op.mnemonic(), Op::Binary(*op)))).collect()
}

fn dtype_named(name: &str) -> DType {
    [DType::F32, DType::BF16, DType::F16, DType::F64]
        .into_iter()
        .find(|dtype| dtype.to_string() == name)
        .unwrap()
}

/// Distance between neighbours of the type around `x`.
fn ulp(dtype: DType, x: f64) -> f64 {
    let (digits, smallest) = match dtype {
        DType::F64 => (52, -1022),
        DType::F32 => (23, -126),
        DType::F16 => (10, -14),
        DType::BF16 => (7, -126),
        other => panic!("{other}"),
    };
    let exponent = x.abs().log2().floor() as i32;
    2f64.powi(exponent.max(smallest) - digits)
}

/// Arguments per line, and results, of one op on one type.
type Points = BTreeMap<(&'static str, &'static str), Vec<Vec<f64>>>;

fn points() -> Points {
    let mut points = Points::new();
    for line in REFERENCE.lines() {
        let mut words = line.split(' ');
        let key = (words.next().unwrap(), words.next().unwrap());
        let number = |word| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
        points.entry(key).or_default().push(words.map(number).collect());
    }
    points
}

#[test]
fn elementwise_ops_are_within_8_ulps_of_an_evaluation_in_f64() {
    let ops = float_ops();
    let (mut checked, mut wrong) = (0, Vec::new());
    for ((name, kind), lines) in points() {
        let dtype = dtype_named(kind);
        let count = lines.len() as i64;
        let params = vec![TensorType::new(dtype, [count]); lines[0].len() - 1];
        let module = module(&params, |b, p| vec![b.with(ops[name].clone(), p, &[])]);
        let column = |at: usize| lines.iter().map(|line| line[at]).collect::<Vec<_>>();
        let inputs: Vec<Tensor> =
            (0..params.len()).map(|at| Tensor::from_f64s(dtype, &[count], &column(at)).unwrap()).collect();
        let results = run(&module, &inputs).unwrap_or_else(|error| panic!("{name} {kind}: {error}"));
        for (line, ours) in lines.iter().zip(results[0].to_f64s()) {
            let (args, expected) = line.split_at(line.len() - 1);
            let ulps = (ours - expected[0]).abs() / ulp(dtype, expected[0]);
            checked += 1;
            if !(ulps <= MOST_ULPS || ours == expected[0]) {
                wrong.push(format!("{name} {kind} {args:?}: {ours}, not {} ({ulps:.1} ulps)", expected[0]));
            }
        }
    }
    assert!(checked > 4_000, "{checked} points");
    assert!(wrong.is_empty(), "{} of {checked}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_elementwise_op_on_floats_has_points() {
    let points = points();
    let lacks = |name: &str| !points.keys().any(|(found, _)| *found == name);
    let lacking: Vec<&str> = float_ops().into_keys().filter(|name| lacks(name)).collect();
    assert_eq!(lacking, NOT_COMPUTED, "tests/elementwise/make.py writes them");
}
