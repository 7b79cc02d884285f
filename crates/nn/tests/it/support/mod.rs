//! What the tests of this crate share: numbers in and out of the interpreter, and a small random generator.

#![allow(dead_code)]

pub mod golden;
pub mod tiny;

use meshwright_interp::{Data, Tensor as Array};
use meshwright_tensor::Program;

/// Deterministic random words (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end.max(1) as u64) as usize
    }

    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The array for an input of a program.
pub fn array(program: &Program, name: &str, values: &[f64]) -> Array {
    let at = program.input(name).expect("an input of this name");
    let ty = program.inputs()[at].ty.clone();
    let data = match ty.dtype.class() {
        meshwright_ir::Class::Pred => Data::Pred(values.iter().map(|x| *x != 0.0).collect()),
        meshwright_ir::Class::Signed => Data::Int(values.iter().map(|x| *x as i64).collect()),
        meshwright_ir::Class::Unsigned => Data::Uint(values.iter().map(|x| *x as u64).collect()),
        _ => Data::Float(values.to_vec()),
    };
    Array::new(ty, data).expect("as many numbers as elements")
}

/// Numbers of an array, whatever they are.
pub fn numbers(array: &Array) -> Vec<f64> {
    match array.data() {
        Data::Pred(v) => v.iter().map(|x| f64::from(u8::from(*x))).collect(),
        Data::Int(v) => v.iter().map(|x| *x as f64).collect(),
        Data::Uint(v) => v.iter().map(|x| *x as f64).collect(),
        Data::Float(v) => v.clone(),
        Data::Complex(_) => panic!("complex numbers"),
    }
}

/// Run a program on inputs by name; results by position.
pub fn run(program: &Program, inputs: &[(&str, &[f64])]) -> Vec<Vec<f64>> {
    let find =
        |name: &str| inputs.iter().find(|(known, _)| *known == name).expect("a value for each input").1;
    let arrays: Vec<Array> =
        program.inputs().iter().map(|input| array(program, &input.name, find(&input.name))).collect();
    let results = meshwright_interp::run(program.module(), &arrays).expect("the program runs");
    results.iter().map(numbers).collect()
}

/// Equal up to a relative error.
pub fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        let off = (a - b).abs();
        assert!(off <= tolerance * (1.0 + a.abs().max(b.abs())), "at {at}: {a} and {b}");
    }
}
