//! Ops that move elements, contractions, reductions.

use crate::check::{check, check_once};

fn one(params: &str, result: &str, body: &str) -> String {
    format!("func.func @main({params}) -> {result} {{\n{body}\nreturn %r : {result}\n}}")
}

#[test]
fn broadcast_new_stretched_and_permuted_dims() {
    for (from, dims, to) in [
        ("3", "[1]", "2x3x4"),
        ("1x3", "[0, 1]", "5x3"),
        ("3x2", "[2, 0]", "2x4x3"),
        ("1x1", "[1, 2]", "2x1x4"),
        ("3x1x2", "[3, 1, 0]", "2x4x5x3"),
    ] {
        check(&one(
            &format!("%a: tensor<{from}xf64>"),
            &format!("tensor<{to}xf64>"),
            &format!(
                "%s = stablehlo.sine %a : tensor<{from}xf64>
                 %r = stablehlo.broadcast_in_dim %s, dims = {dims} : (tensor<{from}xf64>) -> tensor<{to}xf64>"
            ),
        ));
    }
}

#[test]
fn reshape_transpose_reverse() {
    check(&one(
        "%a: tensor<2x3x4xf64>",
        "tensor<4x6xf64>",
        "%s = stablehlo.sine %a : tensor<2x3x4xf64>
         %t = stablehlo.transpose %s, dims = [2, 0, 1] : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
         %v = stablehlo.reverse %t, dims = [0, 2] : tensor<4x2x3xf64>
         %r = stablehlo.reshape %v : (tensor<4x2x3xf64>) -> tensor<4x6xf64>",
    ));
}

#[test]
fn slices_with_strides() {
    for (slice, to) in
        [("[1:6:2, 0:3]", "3x3"), ("[0:7:3, 1:2]", "3x1"), ("[2:2, 0:3:2]", "0x2"), ("[1:7:2, 2:3]", "3x1")]
    {
        check(&one(
            "%a: tensor<7x3xf64>",
            &format!("tensor<{to}xf64>"),
            &format!(
                "%s = stablehlo.sine %a : tensor<7x3xf64>
                 %r = stablehlo.slice %s {slice} : (tensor<7x3xf64>) -> tensor<{to}xf64>"
            ),
        ));
    }
}

#[test]
fn pads_with_negative_edges_and_gaps() {
    for (low, high, interior, to) in [
        ("1, 0", "2, 3", "0, 0", "8x6"),
        ("-1, 2", "1, -1", "0, 0", "5x4"),
        ("0, 1", "0, 0", "1, 2", "9x8"),
        ("-1, -2", "-2, 1", "1, 1", "6x4"),
    ] {
        check(&one(
            "%a: tensor<5x3xf64>, %p: tensor<f64>",
            &format!("tensor<{to}xf64>"),
            &format!(
                "%s = stablehlo.sine %a : tensor<5x3xf64>
                 %r = stablehlo.pad %s, %p, low = [{low}], high = [{high}], interior = [{interior}]
                    : (tensor<5x3xf64>, tensor<f64>) -> tensor<{to}xf64>"
            ),
        ));
    }
}

#[test]
fn concatenates_of_several_operands_one_twice() {
    check(&one(
        "%a: tensor<2x3xf64>, %b: tensor<2x1xf64>",
        "tensor<2x7xf64>",
        "%s = stablehlo.sine %a : tensor<2x3xf64>
         %r = stablehlo.concatenate %s, %b, %s, dim = 1 : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x3xf64>) -> tensor<2x7xf64>",
    ));
}

#[test]
fn dots_of_all_dim_orders() {
    for (l, r, numbers, to) in [
        ("3x4", "4x5", "contracting_dims = [1] x [0]", "3x5"),
        ("4x3", "5x4", "contracting_dims = [0] x [1]", "3x5"),
        ("2x3x4", "2x4x5", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "2x3x5"),
        ("3x2x4", "4x5x2", "batching_dims = [1] x [2], contracting_dims = [2] x [0]", "2x3x5"),
        ("3x4x5", "5x6x4", "contracting_dims = [1, 2] x [2, 0]", "3x6"),
        ("3", "3", "contracting_dims = [0] x [0]", ""),
        ("3", "4", "contracting_dims = [] x []", "3x4"),
        ("2x3", "3x2", "batching_dims = [0, 1] x [1, 0], contracting_dims = [] x []", "2x3"),
        ("2x3x4x5", "4x2x6x5", "batching_dims = [2, 0] x [0, 1], contracting_dims = [3] x [3]", "4x2x3x6"),
    ] {
        for ty in ["f64", "complex<f64>"] {
            let shaped = |dims: &str| {
                if dims.is_empty() { format!("tensor<{ty}>") } else { format!("tensor<{dims}x{ty}>") }
            };
            check(&one(
                &format!("%a: {}, %b: {}", shaped(l), shaped(r)),
                &shaped(to),
                &format!(
                    "%r = stablehlo.dot_general %a, %b, {numbers} : ({}, {}) -> {}",
                    shaped(l),
                    shaped(r),
                    shaped(to)
                ),
            ));
        }
    }
}

#[test]
fn reductions() {
    for (op, init) in [
        ("add", "0.0"),
        ("maximum", "0xFFF0000000000000"),
        ("minimum", "0x7FF0000000000000"),
        ("multiply", "1.0"),
    ] {
        for (dims, to) in [("[1]", "3x2xf64"), ("[0, 2]", "4xf64"), ("[0, 1, 2]", "f64")] {
            check(&one(
                "%a: tensor<3x4x2xf64>",
                &format!("tensor<{to}>"),
                &format!(
                    "%i = stablehlo.constant dense<{init}> : tensor<f64>
                     %s = stablehlo.sine %a : tensor<3x4x2xf64>
                     %r = stablehlo.reduce(%s init: %i) applies stablehlo.{op} across dimensions = {dims}
                       : (tensor<3x4x2xf64>, tensor<f64>) -> tensor<{to}>"
                ),
            ));
        }
    }
}

#[test]
fn reductions_by_their_initial_value() {
    for op in ["add", "maximum", "minimum", "multiply"] {
        check(&one(
            "%a: tensor<3x4xf64>, %i: tensor<f64>",
            "tensor<3xf64>",
            &format!(
                "%r = stablehlo.reduce(%a init: %i) applies stablehlo.{op} across dimensions = [1]
                   : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>"
            ),
        ));
    }
}

#[test]
fn a_product_with_zeros() {
    check_once(&one(
        "%a: tensor<3x4xf64>",
        "tensor<3xf64>",
        "%i = stablehlo.constant dense<1.0> : tensor<f64>
         %m = stablehlo.constant dense<[[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 0.0]]> : tensor<3x4xf64>
         %n = stablehlo.multiply %a, %m : tensor<3x4xf64>
         %r = stablehlo.reduce(%n init: %i) applies stablehlo.multiply across dimensions = [1]
           : (tensor<3x4xf64>, tensor<f64>) -> tensor<3xf64>",
    ));
}
