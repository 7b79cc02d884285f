//! Every element-wise op, real and complex.

use crate::check::{Check, check, check_once, check_with};

/// A unary op on `shape` applied to `scale * x + shift`.
fn unary(op: &str, ty: &str, scale: &str, shift: &str) -> String {
    let to = if op.starts_with("chlo") { format!("-> tensor<7x{ty}>") } else { String::new() };
    format!(
        "func.func @main(%a: tensor<7x{ty}>) -> tensor<7x{ty}> {{
           %s = stablehlo.constant dense<{scale}> : tensor<7x{ty}>
           %t = stablehlo.constant dense<{shift}> : tensor<7x{ty}>
           %m = stablehlo.multiply %a, %s : tensor<7x{ty}>
           %x = stablehlo.add %m, %t : tensor<7x{ty}>
           %r = {op} %x : tensor<7x{ty}> {to}
           return %r : tensor<7x{ty}>
         }}"
    )
}

#[test]
fn unary_ops_on_reals() {
    for op in [
        "stablehlo.abs",
        "stablehlo.cbrt",
        "stablehlo.cosine",
        "stablehlo.exponential",
        "stablehlo.exponential_minus_one",
        "stablehlo.logistic",
        "stablehlo.negate",
        "stablehlo.sine",
        "stablehlo.tan",
        "stablehlo.tanh",
        "chlo.asinh",
        "chlo.sinh",
        "chlo.cosh",
        "chlo.erf",
        "chlo.erfc",
        "chlo.square",
        "chlo.atan",
    ] {
        check(&unary(op, "f64", "0.4", "0.1"));
    }
}

#[test]
fn unary_ops_where_they_are_defined() {
    for op in [
        "stablehlo.log",
        "stablehlo.log_plus_one",
        "stablehlo.rsqrt",
        "stablehlo.sqrt",
        "chlo.lgamma",
        "chlo.digamma",
    ] {
        check(&unary(op, "f64", "0.1", "2.0"));
    }
    for op in ["chlo.acos", "chlo.asin", "chlo.atanh", "chlo.erf_inv"] {
        check(&unary(op, "f64", "0.05", "0.3"));
    }
    check(&unary("chlo.acosh", "f64", "0.1", "2.5"));
}

#[test]
fn unary_ops_on_complex_numbers() {
    for op in [
        "stablehlo.cosine",
        "stablehlo.exponential",
        "stablehlo.exponential_minus_one",
        "stablehlo.log",
        "stablehlo.logistic",
        "stablehlo.negate",
        "stablehlo.rsqrt",
        "stablehlo.sine",
        "stablehlo.sqrt",
        "stablehlo.tan",
        "stablehlo.tanh",
        "stablehlo.log_plus_one",
        "chlo.conj",
        "chlo.sinh",
        "chlo.cosh",
        "chlo.asinh",
        "chlo.acosh",
        "chlo.acos",
        "chlo.asin",
        "chlo.atan",
        "chlo.atanh",
        "chlo.square",
    ] {
        check(&unary(op, "complex<f64>", "(0.2, 0.1)", "(0.7, 0.6)"));
    }
}

#[test]
fn steps_have_derivative_zero() {
    for op in [
        "stablehlo.floor",
        "stablehlo.ceil",
        "stablehlo.sign",
        "stablehlo.round_nearest_afz",
        "stablehlo.round_nearest_even",
    ] {
        check(&unary(op, "f64", "3.0", "0.1"));
    }
}

fn binary(op: &str, ty: &str, rhs: &str) -> String {
    format!(
        "func.func @main(%a: tensor<7x{ty}>, %b: tensor<7x{ty}>) -> tensor<7x{ty}> {{
           %x = stablehlo.tanh %a : tensor<7x{ty}>
           %t = stablehlo.constant dense<{rhs}> : tensor<7x{ty}>
           %u = stablehlo.tanh %b : tensor<7x{ty}>
           %y = stablehlo.add %u, %t : tensor<7x{ty}>
           %r = {op} %x, %y : tensor<7x{ty}>
           return %r : tensor<7x{ty}>
         }}"
    )
}

#[test]
fn binary_ops_on_reals() {
    for op in ["add", "subtract", "multiply", "divide", "maximum", "minimum", "atan2", "remainder"] {
        check(&binary(&format!("stablehlo.{op}"), "f64", "3.0"));
    }
}

#[test]
fn binary_ops_on_complex_numbers() {
    for op in ["add", "subtract", "multiply", "divide", "power"] {
        check(&binary(&format!("stablehlo.{op}"), "complex<f64>", "(3.0, 1.0)"));
    }
}

#[test]
fn powers_of_positive_numbers() {
    check(
        "func.func @main(%a: tensor<7xf64>, %b: tensor<7xf64>) -> tensor<7xf64> {
           %x = stablehlo.exponential %a : tensor<7xf64>
           %r = stablehlo.power %x, %b : tensor<7xf64>
           return %r : tensor<7xf64>
         }",
    );
}

#[test]
fn powers_with_a_constant_exponent_of_any_sign() {
    for exponent in ["2.0", "3.0", "-1.0", "1.0", "0.0"] {
        check(&format!(
            "func.func @main(%a: tensor<7xf64>) -> tensor<7xf64> {{
               %c = stablehlo.constant dense<{exponent}> : tensor<f64>
               %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<7xf64>
               %r = stablehlo.power %a, %b : tensor<7xf64>
               return %r : tensor<7xf64>
             }}"
        ));
    }
}

#[test]
fn parts_of_complex_numbers() {
    check(
        "func.func @main(%a: tensor<5xf64>, %b: tensor<5xf64>, %z: tensor<5xcomplex<f64>>)
             -> (tensor<5xf64>, tensor<5xf64>, tensor<5xf64>) {
           %c = stablehlo.complex %a, %b : tensor<5xcomplex<f64>>
           %p = stablehlo.multiply %c, %z : tensor<5xcomplex<f64>>
           %re = stablehlo.real %p : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
           %im = stablehlo.imag %p : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
           %abs = stablehlo.abs %p : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
           return %re, %im, %abs : tensor<5xf64>, tensor<5xf64>, tensor<5xf64>
         }",
    );
}

#[test]
fn the_same_operand_twice() {
    for op in ["multiply", "add", "subtract", "divide"] {
        check(&format!(
            "func.func @main(%a: tensor<5xf64>) -> tensor<5xf64> {{
               %r = stablehlo.{op} %a, %a : tensor<5xf64>
               return %r : tensor<5xf64>
             }}"
        ));
    }
}

#[test]
fn special_functions_of_two_operands() {
    check(
        "func.func @main(%a: tensor<5xf64>) -> tensor<5xf64> {
           %n = stablehlo.constant dense<1.0> : tensor<5xf64>
           %x = stablehlo.exponential %a : tensor<5xf64>
           %r = chlo.polygamma %n, %x : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
           return %r : tensor<5xf64>
         }",
    );
    check(
        "func.func @main(%a: tensor<5xf64>) -> tensor<5xf64> {
           %n = stablehlo.constant dense<2.5> : tensor<5xf64>
           %x = stablehlo.exponential %a : tensor<5xf64>
           %r = chlo.zeta %n, %x : tensor<5xf64>, tensor<5xf64> -> tensor<5xf64>
           return %r : tensor<5xf64>
         }",
    );
}

#[test]
fn select_by_a_tensor_and_by_a_scalar() {
    check(
        "func.func @main(%p: tensor<5xi1>, %q: tensor<i1>, %a: tensor<5xf64>, %b: tensor<5xf64>) -> (tensor<5xf64>, tensor<5xf64>) {
           %r = stablehlo.select %p, %a, %b : tensor<5xi1>, tensor<5xf64>
           %s = stablehlo.select %q, %a, %b : tensor<i1>, tensor<5xf64>
           return %r, %s : tensor<5xf64>, tensor<5xf64>
         }",
    );
}

#[test]
fn clamp_with_scalar_and_full_bounds() {
    check(
        "func.func @main(%l: tensor<f64>, %a: tensor<9xf64>, %h: tensor<f64>) -> tensor<9xf64> {
           %one = stablehlo.constant dense<0.5> : tensor<f64>
           %low = stablehlo.subtract %l, %one : tensor<f64>
           %high = stablehlo.add %l, %one : tensor<f64>
           %x = stablehlo.clamp %low, %a, %high : (tensor<f64>, tensor<9xf64>, tensor<f64>) -> tensor<9xf64>
           return %x : tensor<9xf64>
         }",
    );
    check(
        "func.func @main(%l: tensor<9xf64>, %a: tensor<9xf64>) -> tensor<9xf64> {
           %one = stablehlo.constant dense<0.5> : tensor<9xf64>
           %high = stablehlo.add %l, %one : tensor<9xf64>
           %x = stablehlo.clamp %l, %a, %high : tensor<9xf64>
           return %x : tensor<9xf64>
         }",
    );
}

#[test]
fn converts_between_floats_and_to_complex() {
    // The step is far above the rounding of f32.
    check_with(
        "func.func @main(%a: tensor<5xf64>) -> tensor<5xcomplex<f64>> {
           %z = stablehlo.convert %a : (tensor<5xf64>) -> tensor<5xcomplex<f64>>
           %w = stablehlo.exponential %z : tensor<5xcomplex<f64>>
           return %w : tensor<5xcomplex<f64>>
         }",
        Check::default(),
    );
    check_once(
        "func.func @main(%a: tensor<5xcomplex<f64>>) -> tensor<5xf64> {
           %w = stablehlo.exponential %a : tensor<5xcomplex<f64>>
           %z = stablehlo.convert %w : (tensor<5xcomplex<f64>>) -> tensor<5xf64>
           return %z : tensor<5xf64>
         }",
    );
}
