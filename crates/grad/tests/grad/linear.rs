//! Convolutions, transforms, decompositions, normalization.

use crate::check::{Check, check, check_inputs, noise, parse};
use meshwright_ir::{DType, TensorType};

fn one(params: &str, result: &str, body: &str) -> String {
    format!("func.func @main({params}) -> {result} {{\n{body}\nreturn %r : {result}\n}}")
}

/// One spatial dim.
fn convolution(
    x: &str,
    w: &str,
    y: &str,
    numbers: &str,
    window: &str,
    groups: (i64, i64),
    ty: &str,
) -> String {
    one(
        &format!("%x: tensor<{x}x{ty}>, %w: tensor<{w}x{ty}>"),
        &format!("tensor<{y}x{ty}>"),
        &format!(
            "%r = stablehlo.convolution(%x, %w) dim_numbers = {numbers}, window = {{{window}}}
               {{batch_group_count = {} : i64, feature_group_count = {} : i64}}
               : (tensor<{x}x{ty}>, tensor<{w}x{ty}>) -> tensor<{y}x{ty}>",
            groups.0, groups.1
        ),
    )
}

#[test]
fn convolutions_with_every_attribute() {
    let plain = "[b, f, 0]x[o, i, 0]->[b, f, 0]";
    for (window, size) in [
        ("", 6),
        ("stride = [2]", 3),
        ("pad = [[2, 1]]", 9),
        ("pad = [[-1, -2]]", 3),
        ("lhs_dilate = [2]", 13),
        ("rhs_dilate = [3]", 2),
        ("stride = [3], pad = [[3, 2]], lhs_dilate = [2], rhs_dilate = [2]", 6),
        ("stride = [2], pad = [[0, -1]], lhs_dilate = [3], rhs_dilate = [1]", 10),
        ("stride = [2], pad = [[1, 1]], reverse = [true]", 4),
    ] {
        check(&convolution("2x3x8", "4x3x3", &format!("2x4x{size}"), plain, window, (1, 1), "f64"));
    }
    check(&convolution("2x3x8", "4x3x3", "2x4x6", plain, "", (1, 1), "complex<f64>"));
    check(&convolution("8x2x3", "3x3x4", "6x4x2", "[0, b, f]x[i, 0, o]->[0, f, b]", "", (1, 1), "f64"));
}

#[test]
fn convolutions_in_groups() {
    let plain = "[b, f, 0]x[o, i, 0]->[b, f, 0]";
    check(&convolution("2x6x5", "4x3x3", "2x4x3", plain, "", (1, 2), "f64"));
    check(&convolution("2x6x5", "6x1x3", "2x6x2", plain, "stride = [2]", (1, 6), "f64"));
    check(&convolution("4x3x5", "6x3x3", "2x6x3", plain, "", (2, 1), "f64"));
    check(&convolution(
        "5x4x3",
        "3x3x6",
        "6x3x2",
        "[0, b, f]x[0, i, o]->[f, 0, b]",
        "pad = [[1, 1]], stride = [2]",
        (2, 1),
        "f64",
    ));
    check(&convolution(
        "5x2x6",
        "3x3x4",
        "2x3x4",
        "[0, b, f]x[0, i, o]->[b, 0, f]",
        "reverse = [true]",
        (1, 2),
        "f64",
    ));
}

#[test]
fn convolutions_of_two_dims() {
    check(&one(
        "%x: tensor<2x5x6x3xf64>, %w: tensor<2x3x3x4xf64>",
        "tensor<2x4x2x4xf64>",
        "%r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
             window = {stride = [1, 3], pad = [[0, 0], [1, 0]], rhs_dilate = [1, 1]}
             {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
             : (tensor<2x5x6x3xf64>, tensor<2x3x3x4xf64>) -> tensor<2x4x2x4xf64>",
    ));
}

#[test]
fn fourier_transforms() {
    check(&one(
        "%x: tensor<2x3x5xcomplex<f64>>",
        "tensor<2x3x5xcomplex<f64>>",
        "%a = stablehlo.fft %x, type = FFT, length = [3, 5] : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>
         %b = stablehlo.multiply %a, %x : tensor<2x3x5xcomplex<f64>>
         %r = stablehlo.fft %b, type = IFFT, length = [5] : (tensor<2x3x5xcomplex<f64>>) -> tensor<2x3x5xcomplex<f64>>",
    ));
    for (n, half) in [(6, 4), (5, 3)] {
        check(&one(
            &format!("%x: tensor<2x3x{n}xf64>"),
            &format!("tensor<2x3x{n}xf64>"),
            &format!(
                "%a = stablehlo.fft %x, type = RFFT, length = [3, {n}] : (tensor<2x3x{n}xf64>) -> tensor<2x3x{half}xcomplex<f64>>
                 %b = stablehlo.sine %a : tensor<2x3x{half}xcomplex<f64>>
                 %r = stablehlo.fft %b, type = IRFFT, length = [3, {n}] : (tensor<2x3x{half}xcomplex<f64>>) -> tensor<2x3x{n}xf64>"
            ),
        ));
    }
}

#[test]
fn cholesky_of_either_triangle() {
    for ty in ["f64", "complex<f64>"] {
        for lower in [true, false] {
            let text = one(
                &format!("%a: tensor<2x3x3x{ty}>"),
                &format!("tensor<2x3x3x{ty}>"),
                &format!("%r = stablehlo.cholesky %a, lower = {lower} : tensor<2x3x3x{ty}>"),
            );
            check_inputs(&text, &[positive(&text)], &Check::default());
        }
    }
}

/// Two matrices that are far from singular, real on the diagonal.
fn positive(text: &str) -> meshwright_interp::Tensor {
    use meshwright_interp::{Complex, Data, Tensor};
    let module = parse(text);
    let ty: TensorType = module.main().ty(module.main().param_values()[0]).as_tensor().unwrap().clone();
    let data = match noise(&ty, 5).data() {
        Data::Float(v) => Data::Float(v.iter().enumerate().map(|(i, x)| 0.3 * x + on(i)).collect()),
        Data::Complex(v) => Data::Complex(
            v.iter()
                .enumerate()
                .map(|(i, z)| Complex {
                    re: 0.3 * z.re + on(i),
                    im: if on(i) > 0.0 { 0.0 } else { 0.3 * z.im },
                })
                .collect(),
        ),
        _ => panic!(),
    };
    Tensor::new(ty, data).unwrap()
}

fn on(index: usize) -> f64 {
    if (index % 9).is_multiple_of(4) { 3.0 } else { 0.0 }
}

#[test]
fn triangular_solves_of_every_kind() {
    for ty in ["f64", "complex<f64>"] {
        for left in [true, false] {
            for lower in [true, false] {
                for unit in [true, false] {
                    for transpose in ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"] {
                        let b = if left { "2x3x4" } else { "2x4x3" };
                        let text = one(
                            &format!("%a: tensor<2x3x3x{ty}>, %b: tensor<{b}x{ty}>"),
                            &format!("tensor<{b}x{ty}>"),
                            &format!(
                                "%r = \"stablehlo.triangular_solve\"(%a, %b) <{{left_side = {left}, lower = {lower},
                                    transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = {unit}}}>
                                    : (tensor<2x3x3x{ty}>, tensor<{b}x{ty}>) -> tensor<{b}x{ty}>"
                            ),
                        );
                        let module = parse(&text);
                        let of = |at: usize| {
                            module.main().ty(module.main().param_values()[at]).as_tensor().unwrap().clone()
                        };
                        let inputs = [positive(&text), noise(&of(1), 9)];
                        check_inputs(&text, &inputs, &Check::default());
                    }
                }
            }
        }
    }
    let _ = DType::F64;
}

#[test]
fn batch_normalization() {
    check(
        "func.func @main(%x: tensor<4x3x2xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>) -> (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>) {
           %r:3 = \"stablehlo.batch_norm_training\"(%x, %s, %o) <{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}>
             : (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>)
           return %r#0, %r#1, %r#2 : tensor<4x3x2xf64>, tensor<3xf64>, tensor<3xf64>
         }",
    );
    check(&one(
        "%x: tensor<4x3xf64>, %s: tensor<3xf64>, %o: tensor<3xf64>, %m: tensor<3xf64>, %u: tensor<3xf64>",
        "tensor<4x3xf64>",
        "%v = stablehlo.exponential %u : tensor<3xf64>
         %r = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %m, %v) <{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}>
           : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<4x3xf64>",
    ));
}
