//! Functions of single elements, for ops that no model spends its time in. `None` is a function that the engine has
//! not: the interpreter computes the op.

use crate::math::{max64, min64};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, UnaryOp};

pub type FloatUnary = fn(f64) -> f64;
pub type FloatBinary = fn(f64, f64) -> f64;
/// The last argument is the width of the type in bits.
pub type IntUnary = fn(i64, u32) -> i64;
pub type IntBinary = fn(i64, i64, u32) -> i64;
pub type UintUnary = fn(u64, u32) -> u64;
pub type UintBinary = fn(u64, u64, u32) -> u64;
pub type ComplexUnary = fn([f64; 2]) -> [f64; 2];
pub type ComplexBinary = fn([f64; 2], [f64; 2]) -> [f64; 2];

pub fn int_unary(op: UnaryOp) -> Option<IntUnary> {
    Some(match op {
        UnaryOp::Abs => |x, _| x.wrapping_abs(),
        UnaryOp::Copy => |x, _| x,
        UnaryOp::Negate => |x, _| x.wrapping_neg(),
        UnaryOp::Sign => |x, _| x.signum(),
        UnaryOp::Not => |x, _| !x,
        UnaryOp::Square => |x, _| x.wrapping_mul(x),
        UnaryOp::PopulationCount => |x, bits| i64::from(low_bits(x as u64, bits).count_ones()),
        UnaryOp::CountLeadingZeros => {
            |x, bits| i64::from(low_bits(x as u64, bits).leading_zeros() + bits) - 64
        }
        _ => return None,
    })
}

pub fn uint_unary(op: UnaryOp) -> Option<UintUnary> {
    Some(match op {
        UnaryOp::Abs | UnaryOp::Copy => |x, _| x,
        UnaryOp::Sign => |x, _| u64::from(x != 0),
        UnaryOp::Negate => |x, _| x.wrapping_neg(),
        UnaryOp::Not => |x, _| !x,
        UnaryOp::Square => |x, _| x.wrapping_mul(x),
        UnaryOp::PopulationCount => |x, bits| u64::from(low_bits(x, bits).count_ones()),
        UnaryOp::CountLeadingZeros => |x, bits| u64::from(low_bits(x, bits).leading_zeros() + bits) - 64,
        _ => return None,
    })
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

pub fn int_binary(op: BinaryOp) -> Option<IntBinary> {
    Some(match op {
        BinaryOp::Add => |a, b, _| a.wrapping_add(b),
        BinaryOp::Subtract => |a, b, _| a.wrapping_sub(b),
        BinaryOp::Multiply => |a, b, _| a.wrapping_mul(b),
        BinaryOp::Divide => |a, b, _| if b == 0 { -1 } else { a.wrapping_div(b) },
        BinaryOp::Remainder => |a, b, _| if b == 0 { a } else { a.wrapping_rem(b) },
        BinaryOp::Maximum => |a, b, _| a.max(b),
        BinaryOp::Minimum => |a, b, _| a.min(b),
        BinaryOp::And => |a, b, _| a & b,
        BinaryOp::Or => |a, b, _| a | b,
        BinaryOp::Xor => |a, b, _| a ^ b,
        BinaryOp::Power => |a, b, _| power_i64(a, b),
        BinaryOp::ShiftLeft => |a, b, bits| if shifts(b, bits) { a << b } else { 0 },
        BinaryOp::ShiftRightArithmetic => |a, b, bits| a >> if shifts(b, bits) { b } else { 63 },
        BinaryOp::ShiftRightLogical => {
            |a, b, bits| if shifts(b, bits) { (low_bits(a as u64, bits) >> b) as i64 } else { 0 }
        }
        _ => return None,
    })
}

pub fn uint_binary(op: BinaryOp) -> Option<UintBinary> {
    Some(match op {
        BinaryOp::Add => |a, b, _| a.wrapping_add(b),
        BinaryOp::Subtract => |a, b, _| a.wrapping_sub(b),
        BinaryOp::Multiply => |a, b, _| a.wrapping_mul(b),
        BinaryOp::Divide => |a, b, _| a.checked_div(b).unwrap_or(u64::MAX),
        BinaryOp::Remainder => |a, b, _| a.checked_rem(b).unwrap_or(a),
        BinaryOp::Maximum => |a, b, _| a.max(b),
        BinaryOp::Minimum => |a, b, _| a.min(b),
        BinaryOp::And => |a, b, _| a & b,
        BinaryOp::Or => |a, b, _| a | b,
        BinaryOp::Xor => |a, b, _| a ^ b,
        BinaryOp::Power => |a, b, _| power_u64(a, b),
        BinaryOp::ShiftLeft => |a, b, bits| if b < u64::from(bits) { a << b } else { 0 },
        BinaryOp::ShiftRightLogical => |a, b, bits| if b < u64::from(bits) { a >> b } else { 0 },
        BinaryOp::ShiftRightArithmetic => |a, b, bits| {
            let spread = 64 - bits;
            (((a << spread) as i64) >> spread >> b.min(u64::from(bits) - 1)) as u64
        },
        _ => return None,
    })
}

/// Whether a shift by so much leaves anything of so many bits.
fn shifts(by: i64, bits: u32) -> bool {
    (0..i64::from(bits)).contains(&by)
}

/// Tests of floats.
pub fn float_test(op: UnaryOp) -> Option<fn(f64) -> bool> {
    Some(match op {
        UnaryOp::IsFinite => f64::is_finite,
        UnaryOp::IsInf => f64::is_infinite,
        UnaryOp::IsPosInf => |x| x == f64::INFINITY,
        UnaryOp::IsNegInf => |x| x == f64::NEG_INFINITY,
        _ => return None,
    })
}

/// All ops are listed: one that is forgotten would be computed slowly, and nobody would notice.
pub fn float_unary(op: UnaryOp) -> Option<FloatUnary> {
    use UnaryOp as U;
    Some(match op {
        U::Abs => f64::abs,
        U::Acos => libm::acos,
        U::Acosh => libm::acosh,
        U::Asin => libm::asin,
        U::Asinh => libm::asinh,
        U::Atan => libm::atan,
        U::Atanh => libm::atanh,
        U::Cbrt => libm::cbrt,
        U::Ceil => f64::ceil,
        U::Conj | U::Copy | U::Real => |x| x,
        U::Cosh => libm::cosh,
        U::Cosine => libm::cos,
        U::Erf => libm::erf,
        U::Erfc => libm::erfc,
        U::Exponential => libm::exp,
        U::ExponentialMinusOne => libm::expm1,
        U::Floor => f64::floor,
        U::Imag => |_| 0.0,
        U::Lgamma => libm::lgamma,
        U::Log => libm::log,
        U::LogPlusOne => libm::log1p,
        U::Logistic => |x| 1.0 / (1.0 + libm::exp(-x)),
        U::Negate => |x| -x,
        U::RoundNearestAfz => f64::round,
        U::RoundNearestEven => f64::round_ties_even,
        U::Rsqrt => |x| 1.0 / x.sqrt(),
        U::Sign => |x| if x == 0.0 || x.is_nan() { x } else { x.signum() },
        U::Sine => libm::sin,
        U::Sinh => libm::sinh,
        U::Sqrt => f64::sqrt,
        U::Square => |x| x * x,
        U::Tan => libm::tan,
        U::Tanh => libm::tanh,
        U::BesselI1e | U::Digamma | U::ErfInv => return None,
        // Of floats to `pred`: `float_test`.
        U::IsFinite | U::IsInf | U::IsNegInf | U::IsPosInf => return None,
        U::CountLeadingZeros | U::Not | U::PopulationCount => return None,
    })
}

pub fn float_binary(op: BinaryOp) -> Option<FloatBinary> {
    use BinaryOp as B;
    Some(match op {
        B::Add => |a, b| a + b,
        B::Subtract => |a, b| a - b,
        B::Multiply => |a, b| a * b,
        B::Divide => |a, b| a / b,
        B::Remainder => |a, b| a % b,
        B::Maximum => max64,
        B::Minimum => min64,
        B::Power => libm::pow,
        B::Atan2 => libm::atan2,
        B::Polygamma | B::Zeta => return None,
        // With results of another type, or by the type: `complex_of` and `next_after`.
        B::Complex | B::NextAfter => return None,
        B::And | B::Or | B::Xor | B::ShiftLeft | B::ShiftRightArithmetic | B::ShiftRightLogical => {
            return None;
        }
    })
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
        UnaryOp::Abs => Some(|z| libm::hypot(z[0], z[1])),
        UnaryOp::Real => Some(|z| z[0]),
        UnaryOp::Imag => Some(|z| z[1]),
        _ => None,
    }
}

pub fn complex_unary(op: UnaryOp) -> Option<ComplexUnary> {
    Some(match op {
        UnaryOp::Copy => |z| z,
        UnaryOp::Conj => |[re, im]| [re, -im],
        UnaryOp::Negate => |[re, im]| [-re, -im],
        UnaryOp::Square => |[re, im]| [re * re - im * im, 2.0 * re * im],
        UnaryOp::Exponential => |[re, im]| [libm::exp(re) * libm::cos(im), libm::exp(re) * libm::sin(im)],
        UnaryOp::Sine => |[re, im]| [libm::sin(re) * libm::cosh(im), libm::cos(re) * libm::sinh(im)],
        UnaryOp::Cosine => |[re, im]| [libm::cos(re) * libm::cosh(im), -libm::sin(re) * libm::sinh(im)],
        _ => return None,
    })
}

pub fn complex_binary(op: BinaryOp) -> Option<ComplexBinary> {
    Some(match op {
        BinaryOp::Add => |a, b| [a[0] + b[0], a[1] + b[1]],
        BinaryOp::Subtract => |a, b| [a[0] - b[0], a[1] - b[1]],
        BinaryOp::Multiply => |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
        BinaryOp::Divide => |a, b| {
            let norm = b[0] * b[0] + b[1] * b[1];
            [(a[0] * b[0] + a[1] * b[1]) / norm, (a[1] * b[0] - a[0] * b[1]) / norm]
        },
        _ => return None,
    })
}
