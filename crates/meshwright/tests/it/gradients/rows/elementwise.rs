//! Element by element: functions of one and two numbers, choices, changes of type, complex numbers.

use crate::gradients::check::In::{Apart, C, F};
use crate::gradients::check::{Row, row};
use meshwright::prelude::*;

const X: &[i64] = &[3, 4];

/// A function of one tensor, between two bounds.
fn unary(name: &'static str, (low, high): (f64, f64), function: impl Fn(Tensor) -> Tensor + 'static) -> Row {
    row(name, &[F(X, low, high)], move |x| vec![function(x[0])])
}

/// A function of complex numbers whose parts lie between two bounds.
fn complex(
    name: &'static str,
    (low, high): (f64, f64),
    function: impl Fn(Tensor) -> Tensor + 'static,
) -> Row {
    row(name, &[C(X, low, high)], move |x| vec![function(x[0])])
}

fn binary(
    name: &'static str,
    a: (f64, f64),
    b: (f64, f64),
    function: impl Fn(Tensor, Tensor) -> Tensor + 'static,
) -> Row {
    row(name, &[F(X, a.0, a.1), F(X, b.0, b.1)], move |x| vec![function(x[0], x[1])])
}

pub fn rows() -> Vec<Row> {
    let (any, positive, inner) = ((-2.0, 2.0), (0.3, 2.5), (-0.8, 0.8));
    let mut rows = vec![
        unary("abs", positive, |x| (-x).abs()),
        unary("negate", any, |x| -x),
        unary("exp", any, Tensor::exp),
        unary("exp_m1", any, Tensor::exp_m1),
        unary("log", positive, Tensor::log),
        unary("log_1p", positive, Tensor::log_1p),
        unary("sqrt", positive, Tensor::sqrt),
        unary("rsqrt", positive, Tensor::rsqrt),
        unary("cbrt", positive, Tensor::cbrt),
        unary("sin", any, Tensor::sin),
        unary("cos", any, Tensor::cos),
        unary("tan", inner, Tensor::tan),
        unary("asin", inner, Tensor::asin),
        unary("acos", inner, Tensor::acos),
        unary("atan", any, Tensor::atan),
        unary("sinh", any, Tensor::sinh),
        unary("cosh", any, Tensor::cosh),
        unary("tanh", any, Tensor::tanh),
        unary("asinh", any, Tensor::asinh),
        unary("acosh", (1.3, 3.0), Tensor::acosh),
        unary("atanh", inner, Tensor::atanh),
        unary("sigmoid", any, Tensor::sigmoid),
        unary("erf", any, Tensor::erf),
        unary("erfc", any, Tensor::erfc),
        unary("erf_inv", inner, Tensor::erf_inv),
        unary("lgamma", positive, Tensor::lgamma),
        unary("digamma", positive, Tensor::digamma),
        unary("square", any, Tensor::square),
        unary("powi", any, |x| x.powi(5)),
        unary("recip", positive, Tensor::recip),
        unary("relu", positive, |x| (x - 1.4).relu()),
        unary("clip", any, |x| x.clip(-0.51, 0.73)),
        unary("silu", any, Tensor::silu),
        unary("gelu", any, Tensor::gelu),
        unary("gelu_exact", any, Tensor::gelu_exact),
        unary("softplus", positive, Tensor::softplus),
        unary("steps have slope zero", (0.1, 0.4), |x| {
            x * (x.floor() + x.ceil() + x.round() + x.sign() + x.is_finite().cast(f64))
        }),
        unary("stop_gradient of a step", any, |x| x.sin() * (x.floor() * 0.5).stop_gradient()),
    ];
    rows.extend([
        binary("add", any, any, |a, b| a + b),
        binary("subtract", any, any, |a, b| a - b),
        binary("multiply", any, any, |a, b| a * b),
        binary("divide", any, positive, |a, b| a / b),
        binary("remainder", (2.1, 2.9), (0.95, 1.0), |a, b| a % b),
        binary("power", positive, any, Tensor::pow),
        unary("power by a number", positive, |x| x.pow(2.5) + x.pow(2.0) + x.pow(-1.0)),
        unary("number to a power", any, |x| full(f64, X.to_vec(), 1.7).pow(x)),
        binary("atan2", positive, any, Tensor::atan2),
        row("maximum and minimum", &[Apart(&[24])], |x| {
            let halves = x[0].chunks(2, 0);
            vec![halves[0].maximum(halves[1]), halves[0].minimum(halves[1])]
        }),
        row("maximum beside a number", &[Apart(&[12])], |x| vec![x[0].maximum(0.04), x[0].minimum(0.06)]),
        row(
            "numbers that broadcast",
            &[F(&[3, 4], -1.0, 1.0), F(&[4], 0.5, 1.0), F(&[3, 1], 0.5, 1.0)],
            |x| vec![x[0] * x[1] / x[2]],
        ),
        row("select", &[F(X, -1.0, 1.0), F(X, -1.0, 1.0)], |x| {
            let chosen = iota(i32, X.to_vec(), 1).gt(1);
            vec![chosen.select(x[0].sin(), x[1] * x[0])]
        }),
        row("select by compared numbers", &[Apart(&[12])], |x| {
            vec![x[0].gt(0.04).select(x[0].sin(), x[0] * 3.0)]
        }),
        row("both sides of a select are one", &[F(X, -1.0, 1.0)], |x| {
            let y = x[0].sin();
            vec![x[0].gt(0.0).select(y, y)]
        }),
    ]);
    rows.extend([
        row("cast through an integer has slope zero", &[F(X, 0.2, 0.4)], |x| {
            vec![x[0] * x[0].cast(i32).cast(f64) + x[0]]
        }),
        row("complex from parts", &[F(X, -1.0, 1.0), F(X, -1.0, 1.0)], |x| vec![x[0].complex(x[1]).exp()]),
        complex("parts of complex", any, |z| z.real() * z.imag()),
        complex("conj", any, |z| z.conj() * z * z),
        complex("abs of complex", positive, Tensor::abs),
        complex("complex add", any, |z| z + z * 2.0),
        complex("complex multiply", any, |z| z * z * z),
        complex("complex divide", positive, |z| z.exp() / z),
        complex("complex negate", any, |z| -z * z),
        complex("complex power", positive, |z| z.pow(z)),
        complex("complex exp", any, Tensor::exp),
        complex("complex log", positive, Tensor::log),
        complex("complex sqrt", positive, Tensor::sqrt),
        complex("complex rsqrt", positive, Tensor::rsqrt),
        complex("complex sin", any, Tensor::sin),
        complex("complex cos", any, Tensor::cos),
        complex("complex tan", inner, Tensor::tan),
        complex("complex tanh", inner, Tensor::tanh),
        complex("complex sigmoid", inner, Tensor::sigmoid),
        complex("complex log_1p", positive, Tensor::log_1p),
        complex("complex exp_m1", inner, Tensor::exp_m1),
        complex("complex select", any, |z| z.real().gt(0.0).select(z.exp(), z * z)),
        complex("real number cast to complex", any, |z| z * z.real().cast(c128)),
    ]);
    rows
}
