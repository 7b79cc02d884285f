//! Functions of single elements, for ops that no model spends its time in.

use crate::math::{max64, min64};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, UnaryOp};

/// Whether the engine has the function on floats.
pub fn has_float_unary(op: UnaryOp) -> bool {
    !matches!(op, UnaryOp::BesselI1e | UnaryOp::Digamma | UnaryOp::ErfInv)
}

pub fn has_float_binary(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::Polygamma | BinaryOp::Zeta)
}

pub fn has_complex_unary(op: UnaryOp) -> bool {
    use UnaryOp as U;
    matches!(
        op,
        U::Abs
            | U::Real
            | U::Imag
            | U::Conj
            | U::Copy
            | U::Negate
            | U::Square
            | U::Exponential
            | U::Sine
            | U::Cosine
    )
}

pub fn has_complex_binary(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(op, B::Add | B::Subtract | B::Multiply | B::Divide)
}

pub fn int_unary(op: UnaryOp, x: i64, bits: u32) -> i64 {
    match op {
        UnaryOp::Abs => x.wrapping_abs(),
        UnaryOp::Negate => x.wrapping_neg(),
        UnaryOp::Sign => x.signum(),
        UnaryOp::Not => !x,
        UnaryOp::Square => x.wrapping_mul(x),
        UnaryOp::PopulationCount => i64::from(low_bits(x as u64, bits).count_ones()),
        UnaryOp::CountLeadingZeros => i64::from(low_bits(x as u64, bits).leading_zeros() + bits) - 64,
        _ => x,
    }
}

pub fn uint_unary(op: UnaryOp, x: u64, bits: u32) -> u64 {
    match op {
        UnaryOp::Abs | UnaryOp::Copy => x,
        UnaryOp::Sign => u64::from(x != 0),
        _ => int_unary(op, x as i64, bits) as u64,
    }
}

fn low_bits(x: u64, bits: u32) -> u64 {
    if bits >= 64 { x } else { x & ((1 << bits) - 1) }
}

fn power_u64(mut base: u64, mut exponent: u64) -> u64 {
    let mut product = 1u64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    product
}

fn power_i64(base: i64, exponent: i64) -> i64 {
    match (base, exponent < 0) {
        (_, false) => power_u64(base as u64, exponent as u64) as i64,
        (1, true) => 1,
        (-1, true) => 1 - 2 * (exponent & 1),
        (_, true) => 0,
    }
}

pub fn int_binary(op: BinaryOp, a: i64, b: i64, bits: u32) -> i64 {
    let shift = (0..i64::from(bits)).contains(&b);
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => {
            if b == 0 {
                -1
            } else {
                a.wrapping_div(b)
            }
        }
        BinaryOp::Remainder => {
            if b == 0 {
                a
            } else {
                a.wrapping_rem(b)
            }
        }
        BinaryOp::Maximum => a.max(b),
        BinaryOp::Minimum => a.min(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Power => power_i64(a, b),
        BinaryOp::ShiftLeft => {
            if shift {
                a << b
            } else {
                0
            }
        }
        BinaryOp::ShiftRightArithmetic => {
            if shift {
                a >> b
            } else {
                a >> 63
            }
        }
        BinaryOp::ShiftRightLogical => {
            if shift {
                (low_bits(a as u64, bits) >> b) as i64
            } else {
                0
            }
        }
        _ => a,
    }
}

pub fn uint_binary(op: BinaryOp, a: u64, b: u64, bits: u32) -> u64 {
    let shift = b < u64::from(bits);
    match op {
        BinaryOp::Divide => a.checked_div(b).unwrap_or(u64::MAX),
        BinaryOp::Remainder => a.checked_rem(b).unwrap_or(a),
        BinaryOp::Maximum => a.max(b),
        BinaryOp::Minimum => a.min(b),
        BinaryOp::Power => power_u64(a, b),
        BinaryOp::ShiftLeft => {
            if shift {
                a << b
            } else {
                0
            }
        }
        BinaryOp::ShiftRightLogical => {
            if shift {
                a >> b
            } else {
                0
            }
        }
        BinaryOp::ShiftRightArithmetic => {
            let spread = 64 - bits;
            (((a << spread) as i64) >> spread >> b.min(u64::from(bits) - 1)) as u64
        }
        _ => int_binary(op, a as i64, b as i64, bits) as u64,
    }
}

/// Tests of floats; `None` if the op is none.
pub fn float_test(op: UnaryOp, x: f64) -> Option<bool> {
    match op {
        UnaryOp::IsFinite => Some(x.is_finite()),
        UnaryOp::IsInf => Some(x.is_infinite()),
        UnaryOp::IsPosInf => Some(x == f64::INFINITY),
        UnaryOp::IsNegInf => Some(x == f64::NEG_INFINITY),
        _ => None,
    }
}

pub fn float_unary(op: UnaryOp, x: f64) -> f64 {
    match op {
        UnaryOp::Abs => x.abs(),
        UnaryOp::Acos => libm::acos(x),
        UnaryOp::Acosh => libm::acosh(x),
        UnaryOp::Asin => libm::asin(x),
        UnaryOp::Asinh => libm::asinh(x),
        UnaryOp::Atan => libm::atan(x),
        UnaryOp::Atanh => libm::atanh(x),
        UnaryOp::Cbrt => libm::cbrt(x),
        UnaryOp::Ceil => x.ceil(),
        UnaryOp::Cosh => libm::cosh(x),
        UnaryOp::Cosine => libm::cos(x),
        UnaryOp::Erf => libm::erf(x),
        UnaryOp::Erfc => libm::erfc(x),
        UnaryOp::Exponential => libm::exp(x),
        UnaryOp::ExponentialMinusOne => libm::expm1(x),
        UnaryOp::Floor => x.floor(),
        UnaryOp::Imag => 0.0,
        UnaryOp::Lgamma => libm::lgamma(x),
        UnaryOp::Log => libm::log(x),
        UnaryOp::LogPlusOne => libm::log1p(x),
        UnaryOp::Logistic => 1.0 / (1.0 + libm::exp(-x)),
        UnaryOp::Negate => -x,
        UnaryOp::RoundNearestAfz => x.round(),
        UnaryOp::RoundNearestEven => x.round_ties_even(),
        UnaryOp::Rsqrt => 1.0 / x.sqrt(),
        UnaryOp::Sign => {
            if x == 0.0 || x.is_nan() {
                x
            } else {
                x.signum()
            }
        }
        UnaryOp::Sine => libm::sin(x),
        UnaryOp::Sinh => libm::sinh(x),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Square => x * x,
        UnaryOp::Tan => libm::tan(x),
        UnaryOp::Tanh => libm::tanh(x),
        _ => x,
    }
}

pub fn float_binary(op: BinaryOp, a: f64, b: f64) -> f64 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a % b,
        BinaryOp::Maximum => max64(a, b),
        BinaryOp::Minimum => min64(a, b),
        BinaryOp::Power => libm::pow(a, b),
        BinaryOp::Atan2 => libm::atan2(a, b),
        _ => a,
    }
}

/// The next value of a type after `a` towards `b`.
pub fn next_after(ty: DType, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return b;
    }
    let up = (b > a) == (a > 0.0);
    macro_rules! step {
        ($x:expr, $smallest:expr, $from:expr) => {{
            let x = $x;
            if a == 0.0 { $from($smallest).copysign(b) } else { $from(if up { x + 1 } else { x - 1 }) }
        }};
    }
    match ty {
        DType::F64 => step!(a.to_bits(), 1u64, f64::from_bits),
        DType::BF16 => step!(half::bf16::from_f64(a).to_bits(), 1u16, |x| half::bf16::from_bits(x).to_f64()),
        DType::F16 => step!(half::f16::from_f64(a).to_bits(), 1u16, |x| half::f16::from_bits(x).to_f64()),
        _ => step!((a as f32).to_bits(), 1u32, |x| f64::from(f32::from_bits(x))),
    }
}

/// Functions from complex to real.
pub fn complex_part(op: UnaryOp) -> Option<fn([f64; 2]) -> f64> {
    match op {
        UnaryOp::Abs => Some(|z| z[0].hypot(z[1])),
        UnaryOp::Real => Some(|z| z[0]),
        UnaryOp::Imag => Some(|z| z[1]),
        _ => None,
    }
}

pub fn complex_unary(op: UnaryOp, [re, im]: [f64; 2]) -> [f64; 2] {
    match op {
        UnaryOp::Conj => [re, -im],
        UnaryOp::Negate => [-re, -im],
        UnaryOp::Square => [re * re - im * im, 2.0 * re * im],
        UnaryOp::Exponential => [libm::exp(re) * libm::cos(im), libm::exp(re) * libm::sin(im)],
        UnaryOp::Sine => [libm::sin(re) * libm::cosh(im), libm::cos(re) * libm::sinh(im)],
        UnaryOp::Cosine => [libm::cos(re) * libm::cosh(im), -libm::sin(re) * libm::sinh(im)],
        _ => [re, im],
    }
}

pub fn complex_binary(op: BinaryOp, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    match op {
        BinaryOp::Add => [a[0] + b[0], a[1] + b[1]],
        BinaryOp::Subtract => [a[0] - b[0], a[1] - b[1]],
        BinaryOp::Multiply => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        BinaryOp::Divide => {
            let norm = b[0] * b[0] + b[1] * b[1];
            [(a[0] * b[0] + a[1] * b[1]) / norm, (a[1] * b[0] - a[0] * b[1]) / norm]
        }
        _ => a,
    }
}
