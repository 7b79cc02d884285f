//! Factors, triangular systems and batch normalization, real and complex, give what the interpreter gives: small
//! matrices side by side and large ones alone, on every side, in every form of the matrix.

use crate::support;

use meshwright_base::SourceText;
use meshwright_base::random::Random;
use meshwright_cpu::Cpu;
use meshwright_interp::{Complex, Data, Style, Tensor, random_inputs, run};
use meshwright_ir::{DType, Module, TensorType};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;
use support::{one_device, tolerance};

struct Draw(Random);

impl Draw {
    fn number(&mut self) -> f64 {
        self.0.unit() - 0.5
    }

    fn complex(&mut self) -> Complex {
        Complex { re: self.number(), im: self.number() }
    }
}

fn tensor(dtype: DType, dims: &[i64], numbers: Vec<Complex>) -> Tensor {
    let data = if dtype.is_complex() {
        Data::Complex(numbers)
    } else {
        Data::Float(numbers.into_iter().map(|z| z.re).collect())
    };
    let wide = Tensor::new(TensorType::new(dtype, dims.to_vec()), data).unwrap();
    Tensor::from_bytes(wide.ty().clone(), &wide.to_bytes()).unwrap()
}

/// Matrices that have factors, but for one of them.
fn definite(draw: &mut Draw, dtype: DType, batch: usize, n: usize, broken: Option<usize>) -> Tensor {
    let mut numbers = Vec::new();
    for matrix in 0..batch {
        let half: Vec<Complex> = (0..n * n).map(|_| draw.complex()).collect();
        let half: Vec<Complex> =
            half.into_iter().map(|z| if dtype.is_complex() { z } else { Complex { im: 0.0, ..z } }).collect();
        for i in 0..n {
            for j in 0..n {
                let products = (0..n).map(|k| half[i * n + k] * half[j * n + k].conj());
                let mut sum = products.fold(Complex { re: 0.0, im: 0.0 }, |sum, x| sum + x);
                if i == j {
                    sum.re += if broken == Some(matrix) { -1e3 } else { 1.0 };
                }
                numbers.push(sum);
            }
        }
    }
    tensor(dtype, &[batch as i64, n as i64, n as i64], numbers)
}

fn parsed(text: &str) -> Module {
    meshwright_text::parse(&SourceText::new("m.mlir", text))
        .unwrap_or_else(|found| panic!("{found:?}\n{text}"))
}

/// Both, on all results; the engine ran no instruction on the interpreter.
fn check(text: &str, inputs: &[Tensor], allowed: f64) {
    let expected = run(&parsed(text), inputs).unwrap();
    let program = one_device(parsed(text)).unwrap();
    for workers in [1, 2] {
        let set = InProcess::new(1, Some(workers), Arc::new(Cpu::default()));
        let mut loaded = set.load(&program, &LoadOptions::default()).unwrap();
        assert!(loaded.steps().iter().all(|step| step.kind != "plain"), "{text}");
        let arrays: Vec<HostArray> =
            inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
        let args = place_all(&program, &arrays, &set.local()).unwrap();
        let results = loaded.launch(args, None).unwrap();
        for (at, (result, expected)) in results.iter().zip(&expected).enumerate() {
            let own = result.shard(0).unwrap();
            let difference = Tensor::from_bytes(own.ty, &own.bytes).unwrap().max_difference(expected);
            assert!(difference <= allowed, "result {at} is apart by {difference:.3e}\n{text}");
        }
    }
}

const TYPES: [(DType, &str); 4] =
    [(DType::F32, "f32"), (DType::F64, "f64"), (DType::C64, "complex<f32>"), (DType::C128, "complex<f64>")];

#[test]
fn factors_of_many_small_and_of_large_matrices() {
    let mut draw = Draw(Random::new(1, 0));
    for (dtype, name) in TYPES {
        for (batch, n, broken) in [(1, 5, None), (11, 6, Some(9)), (8, 33, None), (2, 70, Some(0))] {
            for lower in [true, false] {
                let a = definite(&mut draw, dtype, batch, n, broken);
                let ty = format!("tensor<{batch}x{n}x{n}x{name}>");
                let text = format!(
                    "func.func @main(%a: {ty}) -> {ty} {{
                       %c = stablehlo.cholesky %a, lower = {lower} : {ty}
                       return %c : {ty}
                     }}"
                );
                check(&text, &[a], 10.0 * tolerance(dtype));
            }
        }
    }
}

#[test]
fn systems_on_both_sides_of_every_form_of_the_matrix() {
    let mut draw = Draw(Random::new(2, 0));
    for (dtype, name) in TYPES {
        for form in ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"] {
            for (left, lower, unit) in
                [(true, true, false), (true, false, true), (false, true, true), (false, false, false)]
            {
                let (n, count) = (9, 67);
                let (rows, columns) = if left { (n, count) } else { (count, n) };
                let near_one = |draw: &mut Draw, i: usize| {
                    let z = draw.complex();
                    if i % n == i / n % n { Complex { re: z.re + 3.0, ..z } } else { z }
                };
                let a: Vec<Complex> = (0..3 * n * n).map(|i| near_one(&mut draw, i)).collect();
                let b: Vec<Complex> = (0..3 * n * count).map(|_| draw.complex()).collect();
                let a = tensor(dtype, &[3, n as i64, n as i64], a);
                let b = tensor(dtype, &[3, rows as i64, columns as i64], b);
                let (at, bt) =
                    (format!("tensor<3x{n}x{n}x{name}>"), format!("tensor<3x{rows}x{columns}x{name}>"));
                let text = format!(
                    "func.func @main(%a: {at}, %b: {bt}) -> {bt} {{
                       %x = \"stablehlo.triangular_solve\"(%a, %b) <{{left_side = {left}, lower = {lower}, \
                     unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {form}>}}> : ({at}, {bt}) -> {bt}
                       return %x : {bt}
                     }}"
                );
                check(&text, &[a, b], 10.0 * tolerance(dtype));
            }
        }
    }
}

/// Sizes at and around those at which systems and factors are halved, and pieces of systems end.
#[test]
fn large_systems_and_factors_are_halved() {
    let mut draw = Draw(Random::new(3, 0));
    for (n, count) in [(32, 300), (33, 64), (65, 17), (130, 257), (97, 1)] {
        for (left, lower, unit, form) in [
            (true, true, false, "NO_TRANSPOSE"),
            (true, true, false, "TRANSPOSE"),
            (false, true, true, "NO_TRANSPOSE"),
            (false, false, false, "TRANSPOSE"),
            (true, false, false, "NO_TRANSPOSE"),
        ] {
            let (rows, columns) = if left { (n, count) } else { (count, n) };
            // So that no solution is much larger than what it is of.
            let near_one = |draw: &mut Draw, i: usize| {
                let x = draw.number() / n as f64;
                Complex { re: if i % n == i / n { x + 1.0 } else { x }, im: 0.0 }
            };
            let a: Vec<Complex> = (0..n * n).map(|i| near_one(&mut draw, i)).collect();
            let b: Vec<Complex> = (0..n * count).map(|_| Complex { re: draw.number(), im: 0.0 }).collect();
            let a = tensor(DType::F32, &[n as i64, n as i64], a);
            let b = tensor(DType::F32, &[rows as i64, columns as i64], b);
            let (at, bt) = (format!("tensor<{n}x{n}xf32>"), format!("tensor<{rows}x{columns}xf32>"));
            let text = format!(
                "func.func @main(%a: {at}, %b: {bt}) -> {bt} {{
                   %x = \"stablehlo.triangular_solve\"(%a, %b) <{{left_side = {left}, lower = {lower}, \
                 unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {form}>}}> : ({at}, {bt}) -> {bt}
                   return %x : {bt}
                 }}"
            );
            check(&text, &[a, b], 10.0 * tolerance(DType::F32));
        }
    }
    for (batch, n, broken) in [(1, 65, None), (2, 97, Some(1)), (1, 200, None), (1, 129, Some(0))] {
        for lower in [true, false] {
            let a = definite(&mut draw, DType::F32, batch, n, broken);
            let ty = format!("tensor<{batch}x{n}x{n}xf32>");
            let text = format!(
                "func.func @main(%a: {ty}) -> {ty} {{
                   %c = stablehlo.cholesky %a, lower = {lower} : {ty}
                   return %c : {ty}
                 }}"
            );
            check(&text, &[a], 10.0 * tolerance(DType::F32));
        }
    }
}

/// Found by the campaign, case 1389: matrices without elements, but many of them.
#[test]
fn systems_and_factors_without_elements() {
    for (_, name) in TYPES {
        for (at, bt) in [("3x0x0", "3x0x8"), ("3x0x0", "3x0x0"), ("3x4x4", "3x4x0"), ("0x4x4", "0x4x2")] {
            let (at, bt) = (format!("tensor<{at}x{name}>"), format!("tensor<{bt}x{name}>"));
            let text = format!(
                "func.func @main(%a: {at}, %b: {bt}) -> ({bt}, {at}) {{
                   %x = \"stablehlo.triangular_solve\"(%a, %b) <{{left_side = true, lower = true, \
                 unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}> : ({at}, {bt}) -> {bt}
                   %c = stablehlo.cholesky %a, lower = true : {at}
                   return %x, %c : {bt}, {at}
                 }}"
            );
            let inputs = random_inputs(&parsed(&text), 0, Style::Natural).unwrap();
            check(&text, &inputs, 10.0 * tolerance(DType::F32));
        }
    }
}

#[test]
fn batch_norms_have_kernels() {
    for (shape, feature, features) in [("4x6x5", 1, 6), ("3x7", 0, 3), ("2x3x3x16", 3, 16)] {
        for name in ["f32", "f64", "bf16"] {
            let (x, v) = (format!("tensor<{shape}x{name}>"), format!("tensor<{features}x{name}>"));
            let attributes = format!("<{{epsilon = 0.01 : f32, feature_index = {feature} : i64}}>");
            let text = format!(
                "func.func @main(%x: {x}, %s: {v}, %o: {v}, %g: {x}) -> ({x}, {v}, {v}, {x}, {x}, {v}, {v}) {{
                   %t:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) {attributes} : ({x}, {v}, {v}) -> ({x}, {v}, {v})
                   %w = stablehlo.multiply %s, %s : {v}
                   %i = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %o, %w) {attributes} : ({x}, {v}, {v}, {v}, {v}) -> {x}
                   %d:3 = \"stablehlo.batch_norm_grad\"(%x, %s, %o, %w, %g) {attributes} : ({x}, {v}, {v}, {v}, {x}) -> ({x}, {v}, {v})
                   return %t#0, %t#1, %t#2, %i, %d#0, %d#1, %d#2 : {x}, {v}, {v}, {x}, {x}, {v}, {v}
                 }}"
            );
            let inputs = random_inputs(&parsed(&text), 5, Style::Natural).unwrap();
            check(&text, &inputs, 10.0 * tolerance(inputs[0].dtype()));
        }
    }
}
