//! Windows that are folded, and the gradient of their extremes, against the interpreter: exact on small whole numbers,
//! of several types, with dims that no window moves over first, last or nowhere; the same bits on one and two workers.

use crate::support;

use meshwright_base::SourceText;
use meshwright_interp::{Style, Tensor, random_inputs, run_global};
use meshwright_ir::Module;
use support::launch;

/// Per dim: size, window, stride, low and high padding, dilation of the array and of the window.
type Dim = [i64; 7];

const STILL: fn(i64) -> Dim = |size| [size, 1, 1, 0, 0, 1, 1];

fn output([size, window, stride, low, high, spread, apart]: Dim) -> i64 {
    let size = if size == 0 { 0 } else { (size - 1) * spread + 1 };
    let left = size + low + high - (window - 1) * apart - 1;
    if left < 0 { 0 } else { left / stride + 1 }
}

fn all(dims: &[Dim], pick: impl Fn(&Dim) -> String, by: &str) -> String {
    dims.iter().map(pick).collect::<Vec<_>>().join(by)
}

fn parse(text: String) -> Module {
    meshwright_text::parse(&SourceText::new("m.mlir", text)).unwrap()
}

fn folded(dims: &[Dim], ty: &str, op: &str, init: &str) -> Module {
    let x = format!("tensor<{}x{ty}>", all(dims, |d| d[0].to_string(), "x"));
    let y = format!("tensor<{}x{ty}>", all(dims, |d| output(*d).to_string(), "x"));
    let attribute = |i: usize| all(dims, |d| d[i].to_string(), ", ");
    let pad = all(dims, |d| format!("[{}, {}]", d[3], d[4]), ", ");
    parse(format!(
        "func.func @main(%x: {x}) -> {y} {{
  %i = stablehlo.constant dense<{init}> : tensor<{ty}>
  %r = \"stablehlo.reduce_window\"(%x, %i) <{{base_dilations = array<i64: {}>, padding = dense<[{pad}]> : tensor<{}x2xi64>, window_dilations = array<i64: {}>, window_dimensions = array<i64: {}>, window_strides = array<i64: {}>}}> ({{
  ^bb0(%a: tensor<{ty}>, %b: tensor<{ty}>):
    %s = stablehlo.{op} %a, %b : tensor<{ty}>
    stablehlo.return %s : tensor<{ty}>
  }}) : ({x}, tensor<{ty}>) -> {y}
  return %r : {y}
}}",
        attribute(5), dims.len(), attribute(6), attribute(1), attribute(2),
    ))
}

fn selected(dims: &[Dim], ty: &str, order: &str) -> Module {
    let x = format!("tensor<{}x{ty}>", all(dims, |d| d[0].to_string(), "x"));
    let y = format!("tensor<{}x{ty}>", all(dims, |d| output(*d).to_string(), "x"));
    let attribute = |i: usize| all(dims, |d| d[i].to_string(), ", ");
    let pad = all(dims, |d| format!("[{}, {}]", d[3], d[4]), ", ");
    parse(format!(
        "func.func @main(%x: {x}, %y: {y}) -> {x} {{
  %i = stablehlo.constant dense<0.0> : tensor<{ty}>
  %r = \"stablehlo.select_and_scatter\"(%x, %y, %i) <{{padding = dense<[{pad}]> : tensor<{}x2xi64>, window_dimensions = array<i64: {}>, window_strides = array<i64: {}>}}> ({{
  ^bb0(%a: tensor<{ty}>, %b: tensor<{ty}>):
    %s = stablehlo.compare {order} : (tensor<{ty}>, tensor<{ty}>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<{ty}>, %b: tensor<{ty}>):
    %s = stablehlo.add %a, %b : tensor<{ty}>
    stablehlo.return %s : tensor<{ty}>
  }}) : ({x}, {y}, tensor<{ty}>) -> {x}
  return %r : {x}
}}",
        dims.len(), attribute(1), attribute(2),
    ))
}

fn hold(module: impl Fn() -> Module, inputs: &[Tensor], what: &str) {
    let expected = run_global(&module(), inputs).unwrap();
    let [one, two] = [1, 2].map(|workers| launch(module(), inputs, workers));
    assert_eq!(support::same_enough(&one, &expected[0], true), None, "{what}");
    assert_eq!(one.bytes, two.bytes, "{what}");
}

fn check(module: impl Fn() -> Module, what: &str) {
    hold(&module, &random_inputs(&module(), 5, Style::SmallInts).unwrap(), what);
}

const SHAPES: [&[Dim]; 8] = [
    &[[2, 1, 1, 0, 0, 1, 1], [9, 3, 2, 1, 1, 1, 1], [11, 2, 2, 0, 0, 1, 1], [70, 1, 1, 0, 0, 1, 1]],
    &[[2, 1, 1, 0, 0, 1, 1], [3, 1, 1, 0, 0, 1, 1], [9, 3, 2, 1, 1, 1, 1], [21, 3, 2, 0, 1, 1, 1]],
    &[[40, 4, 4, 0, 0, 1, 1], [17, 1, 1, 0, 0, 1, 1]],
    &[[65, 5, 1, 4, 0, 1, 1]],
    &[[3, 2, 1, 0, 0, 1, 1], [4, 2, 1, 1, 0, 1, 1], [5, 3, 2, 1, 1, 1, 1], [16, 1, 1, 0, 0, 1, 1]],
    &[[6, 3, 3, -1, 1, 1, 1], [7, 2, 1, 3, 2, 1, 1]],
    &[[1, 1, 1, 0, 0, 1, 1]],
    &[[2, 1, 1, 0, 0, 1, 1], [3, 5, 1, 0, 0, 1, 1], [4, 1, 1, 0, 0, 1, 1]],
];

#[test]
fn plain_reducers_fold_windows_of_all_kinds() {
    for dims in SHAPES {
        check(|| folded(dims, "f32", "add", "0.0"), &format!("{dims:?}"));
        check(|| folded(dims, "f32", "add", "2.0"), &format!("from another value {dims:?}"));
        check(|| folded(dims, "f32", "maximum", "0xFF800000"), &format!("{dims:?}"));
        check(|| folded(dims, "f64", "minimum", "0x7FF0000000000000"), &format!("{dims:?}"));
        check(|| folded(dims, "bf16", "add", "0.0"), &format!("{dims:?}"));
        check(|| folded(dims, "i32", "maximum", "-9"), &format!("{dims:?}"));
        check(|| folded(dims, "i64", "xor", "0"), &format!("{dims:?}"));
    }
}

#[test]
fn dilated_arrays_and_windows_are_folded() {
    let rows = [STILL(2), [7, 3, 1, 2, 2, 2, 1], [6, 2, 2, 1, 0, 3, 1], STILL(33)];
    let last = [STILL(2), [9, 3, 1, 2, 2, 1, 2], [6, 2, 2, 1, 0, 3, 2]];
    for op in ["add", "maximum"] {
        check(|| folded(&rows, "f32", op, "0.0"), op);
        check(|| folded(&last, "f32", op, "0.0"), op);
    }
}

#[test]
fn what_is_no_number_is_found_in_the_windows_that_see_it() {
    let dims = [STILL(1), [8, 2, 2, 0, 0, 1, 1], [8, 3, 2, 0, 1, 1, 1], STILL(20)];
    for op in ["maximum", "minimum", "add"] {
        let module = || folded(&dims, "f32", op, "0.0");
        let mut input = random_inputs(&module(), 5, Style::SmallInts).unwrap().remove(0);
        let mut bytes = input.to_bytes();
        bytes[400..404].copy_from_slice(&f32::NAN.to_le_bytes());
        bytes[804..808].copy_from_slice(&f32::INFINITY.to_le_bytes());
        input = Tensor::from_bytes(input.ty().clone(), &bytes).unwrap();
        hold(module, &[input], op);
    }
}

#[test]
fn elements_go_where_their_window_selects() {
    for dims in SHAPES {
        for order in ["GE, %a, %b", "GT, %a, %b", "LT, %b, %a", "LE, %a, %b"] {
            check(|| selected(dims, "f32", order), &format!("{order} {dims:?}"));
        }
        check(|| selected(dims, "bf16", "GE, %a, %b"), &format!("{dims:?}"));
        check(|| selected(dims, "f64", "GT, %b, %a"), &format!("{dims:?}"));
    }
}
