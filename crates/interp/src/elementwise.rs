//! Ops that work element by element: unary, binary, compare, select, clamp.
//!
//! Each op is looked up once per class as a *kernel*, a plain function of wide numbers; the same kernel serves whole
//! tensors and the scalar programs of regions. Results are rounded to their element type after the kernel.

use crate::complex::Complex;
use crate::fault::Fault;
use crate::round::{next_after, round, wrap_int, wrap_uint};
use crate::special;
use crate::tensor::{Data, Scalar, Tensor, each_pair};
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Direction, UnaryOp};
use meshwright_ir::{Class, DType};
use std::cmp::Ordering;

/// A function of one element. Integer kernels also get the width in bits.
#[derive(Clone, Copy)]
pub(crate) enum Unary {
    Pred(fn(bool) -> bool),
    Int(fn(i64, u32) -> i64),
    Uint(fn(u64, u32) -> u64),
    Float(fn(f64) -> f64),
    Complex(fn(Complex) -> Complex),
    Test(fn(f64) -> bool),
    TestComplex(fn(Complex) -> bool),
    Part(fn(Complex) -> f64),
}

/// A function of two elements.
#[derive(Clone, Copy)]
pub(crate) enum Binary {
    Pred(fn(bool, bool) -> bool),
    Int(fn(i64, i64, u32) -> i64),
    Uint(fn(u64, u64, u32) -> u64),
    Float(fn(f64, f64) -> f64),
    FloatOf(fn(DType, f64, f64) -> f64),
    Complex(fn(Complex, Complex) -> Complex),
    Pair(fn(f64, f64) -> Complex),
}

fn undefined(op: impl std::fmt::Debug, dtype: DType) -> Fault {
    Fault::unsound(format!("{op:?} is not defined on {dtype}"))
}

/// The kernel of a unary op on an element type.
pub(crate) fn unary(op: UnaryOp, dtype: DType) -> Result<Unary, Fault> {
    let kernel = match dtype.class() {
        Class::Pred => unary_pred(op),
        Class::Signed => unary_int(op),
        Class::Unsigned => unary_uint(op),
        Class::Float => unary_float(op),
        Class::Complex => unary_complex(op),
    };
    kernel.ok_or_else(|| undefined(op, dtype))
}

fn unary_pred(op: UnaryOp) -> Option<Unary> {
    match op {
        UnaryOp::Not => Some(Unary::Pred(|x| !x)),
        UnaryOp::Copy => Some(Unary::Pred(|x| x)),
        _ => None,
    }
}

fn unary_int(op: UnaryOp) -> Option<Unary> {
    let kernel: fn(i64, u32) -> i64 = match op {
        UnaryOp::Abs => |x, _| x.wrapping_abs(),
        UnaryOp::Negate => |x, _| x.wrapping_neg(),
        UnaryOp::Sign => |x, _| x.signum(),
        UnaryOp::Not => |x, _| !x,
        UnaryOp::Copy => |x, _| x,
        UnaryOp::Square => |x, _| x.wrapping_mul(x),
        UnaryOp::PopulationCount => |x, bits| i64::from(wrap_uint(bits, x as u64).count_ones()),
        UnaryOp::CountLeadingZeros => |x, bits| leading_zeros(x as u64, bits) as i64,
        _ => return None,
    };
    Some(Unary::Int(kernel))
}

fn unary_uint(op: UnaryOp) -> Option<Unary> {
    let kernel: fn(u64, u32) -> u64 = match op {
        UnaryOp::Abs | UnaryOp::Copy => |x, _| x,
        UnaryOp::Negate => |x, _| x.wrapping_neg(),
        UnaryOp::Sign => |x, _| u64::from(x != 0),
        UnaryOp::Not => |x, _| !x,
        UnaryOp::Square => |x, _| x.wrapping_mul(x),
        UnaryOp::PopulationCount => |x, _| u64::from(x.count_ones()),
        UnaryOp::CountLeadingZeros => leading_zeros,
        _ => return None,
    };
    Some(Unary::Uint(kernel))
}

fn leading_zeros(x: u64, bits: u32) -> u64 {
    u64::from(wrap_uint(bits, x).leading_zeros()).saturating_sub(64 - u64::from(bits))
}

fn unary_float(op: UnaryOp) -> Option<Unary> {
    let kernel: fn(f64) -> f64 = match op {
        UnaryOp::Abs => f64::abs,
        UnaryOp::Acos => libm::acos,
        UnaryOp::Acosh => special::acosh,
        UnaryOp::Asin => libm::asin,
        UnaryOp::Asinh => libm::asinh,
        UnaryOp::Atan => libm::atan,
        UnaryOp::Atanh => libm::atanh,
        UnaryOp::BesselI1e => special::bessel_i1e,
        UnaryOp::Cbrt => libm::cbrt,
        UnaryOp::Ceil => f64::ceil,
        UnaryOp::Conj | UnaryOp::Copy | UnaryOp::Real => |x| x,
        UnaryOp::Cosh => libm::cosh,
        UnaryOp::Cosine => libm::cos,
        UnaryOp::Digamma => special::digamma,
        UnaryOp::Erf => libm::erf,
        UnaryOp::Erfc => libm::erfc,
        UnaryOp::ErfInv => special::erf_inv,
        UnaryOp::Exponential => libm::exp,
        UnaryOp::ExponentialMinusOne => libm::expm1,
        UnaryOp::Floor => f64::floor,
        UnaryOp::Imag => |_| 0.0,
        UnaryOp::Lgamma => special::lgamma,
        UnaryOp::Log => libm::log,
        UnaryOp::LogPlusOne => libm::log1p,
        UnaryOp::Logistic => special::logistic,
        UnaryOp::Negate => |x| -x,
        UnaryOp::RoundNearestAfz => f64::round,
        UnaryOp::RoundNearestEven => f64::round_ties_even,
        UnaryOp::Rsqrt => |x| 1.0 / x.sqrt(),
        UnaryOp::Sign => |x| if x == 0.0 || x.is_nan() { x } else { x.signum() },
        UnaryOp::Sine => libm::sin,
        UnaryOp::Sinh => libm::sinh,
        UnaryOp::Sqrt => f64::sqrt,
        UnaryOp::Square => |x| x * x,
        UnaryOp::Tan => libm::tan,
        UnaryOp::Tanh => libm::tanh,
        UnaryOp::IsFinite => return Some(Unary::Test(f64::is_finite)),
        UnaryOp::IsInf => return Some(Unary::Test(f64::is_infinite)),
        UnaryOp::IsNegInf => return Some(Unary::Test(|x| x == f64::NEG_INFINITY)),
        UnaryOp::IsPosInf => return Some(Unary::Test(|x| x == f64::INFINITY)),
        UnaryOp::CountLeadingZeros | UnaryOp::Not | UnaryOp::PopulationCount => return None,
    };
    Some(Unary::Float(kernel))
}

fn unary_complex(op: UnaryOp) -> Option<Unary> {
    let kernel: fn(Complex) -> Complex = match op {
        UnaryOp::Abs => return Some(Unary::Part(Complex::abs)),
        UnaryOp::Real => return Some(Unary::Part(|z| z.re)),
        UnaryOp::Imag => return Some(Unary::Part(|z| z.im)),
        UnaryOp::IsFinite => return Some(Unary::TestComplex(Complex::is_finite)),
        UnaryOp::Acos => Complex::acos,
        UnaryOp::Acosh => Complex::acosh,
        UnaryOp::Asin => Complex::asin,
        UnaryOp::Asinh => Complex::asinh,
        UnaryOp::Atan => Complex::atan,
        UnaryOp::Atanh => Complex::atanh,
        UnaryOp::Cbrt => Complex::cbrt,
        UnaryOp::Conj => Complex::conj,
        UnaryOp::Copy => |z| z,
        UnaryOp::Cosh => Complex::cosh,
        UnaryOp::Cosine => Complex::cos,
        UnaryOp::Exponential => Complex::exp,
        UnaryOp::ExponentialMinusOne => Complex::exp_m1,
        UnaryOp::Log => Complex::ln,
        UnaryOp::LogPlusOne => Complex::ln_1p,
        UnaryOp::Logistic => |z| Complex::ONE / (Complex::ONE + (-z).exp()),
        UnaryOp::Negate => |z| -z,
        UnaryOp::Rsqrt => |z| Complex::ONE / z.sqrt(),
        UnaryOp::Sign => Complex::sign,
        UnaryOp::Sine => Complex::sin,
        UnaryOp::Sinh => Complex::sinh,
        UnaryOp::Sqrt => Complex::sqrt,
        UnaryOp::Square => |z| z * z,
        UnaryOp::Tan => Complex::tan,
        UnaryOp::Tanh => Complex::tanh,
        _ => return None,
    };
    Some(Unary::Complex(kernel))
}

/// The kernel of a binary op on an element type.
pub(crate) fn binary(op: BinaryOp, dtype: DType) -> Result<Binary, Fault> {
    let kernel = match dtype.class() {
        Class::Pred => binary_pred(op).map(Binary::Pred),
        Class::Signed => binary_int(op).map(Binary::Int),
        Class::Unsigned => binary_uint(op).map(Binary::Uint),
        Class::Float => binary_float(op),
        Class::Complex => binary_complex(op).map(Binary::Complex),
    };
    kernel.ok_or_else(|| undefined(op, dtype))
}

fn binary_pred(op: BinaryOp) -> Option<fn(bool, bool) -> bool> {
    match op {
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Maximum => Some(|a, b| a | b),
        BinaryOp::Multiply | BinaryOp::And | BinaryOp::Minimum => Some(|a, b| a & b),
        BinaryOp::Xor => Some(|a, b| a ^ b),
        _ => None,
    }
}

fn binary_int(op: BinaryOp) -> Option<fn(i64, i64, u32) -> i64> {
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
        BinaryOp::Power => |a, b, _| power_int(a, b),
        BinaryOp::ShiftLeft => |a, b, bits| if in_width(b, bits) { a << b } else { 0 },
        BinaryOp::ShiftRightArithmetic => |a, b, bits| if in_width(b, bits) { a >> b } else { a >> 63 },
        BinaryOp::ShiftRightLogical => {
            |a, b, bits| if in_width(b, bits) { (wrap_uint(bits, a as u64) >> b) as i64 } else { 0 }
        }
        _ => return None,
    })
}

/// Whether a shift amount is below the width (a negative one counts as very large).
fn in_width(amount: i64, bits: u32) -> bool {
    (0..i64::from(bits)).contains(&amount)
}

/// Modulo 2^64; a negative exponent leaves only what 1 and -1 have.
fn power_int(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => 1 - 2 * (exponent & 1),
            _ => 0,
        };
    }
    power_uint(base as u64, exponent as u64) as i64
}

fn power_uint(mut base: u64, mut exponent: u64) -> u64 {
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

fn binary_uint(op: BinaryOp) -> Option<fn(u64, u64, u32) -> u64> {
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
        BinaryOp::Power => |a, b, _| power_uint(a, b),
        BinaryOp::ShiftLeft => |a, b, bits| if b < u64::from(bits) { a << b } else { 0 },
        BinaryOp::ShiftRightLogical => |a, b, bits| if b < u64::from(bits) { a >> b } else { 0 },
        BinaryOp::ShiftRightArithmetic => {
            |a, b, bits| (wrap_int(bits, a as i64) >> b.min(u64::from(bits) - 1)) as u64
        }
        _ => return None,
    })
}

fn binary_float(op: BinaryOp) -> Option<Binary> {
    let kernel: fn(f64, f64) -> f64 = match op {
        BinaryOp::Add => |a, b| a + b,
        BinaryOp::Subtract => |a, b| a - b,
        BinaryOp::Multiply => |a, b| a * b,
        BinaryOp::Divide => |a, b| a / b,
        BinaryOp::Remainder => |a, b| a % b,
        BinaryOp::Maximum => maximum,
        BinaryOp::Minimum => |a, b| -maximum(-a, -b),
        BinaryOp::Power => libm::pow,
        BinaryOp::Atan2 => libm::atan2,
        BinaryOp::Polygamma => special::polygamma,
        BinaryOp::Zeta => special::zeta,
        BinaryOp::NextAfter => return Some(Binary::FloatOf(next_after)),
        BinaryOp::Complex => return Some(Binary::Pair(Complex::new)),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return None,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightArithmetic | BinaryOp::ShiftRightLogical => return None,
    };
    Some(Binary::Float(kernel))
}

/// IEEE 754 maximum: NaN wins, and 0 is above -0.
pub(crate) fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b || (a == b && b.is_sign_negative()) { a } else { b }
}

fn binary_complex(op: BinaryOp) -> Option<fn(Complex, Complex) -> Complex> {
    Some(match op {
        BinaryOp::Add => |a, b| a + b,
        BinaryOp::Subtract => |a, b| a - b,
        BinaryOp::Multiply => |a, b| a * b,
        BinaryOp::Divide => |a, b| a / b,
        BinaryOp::Power => Complex::powc,
        BinaryOp::Atan2 => {
            // -i ln((x + i y) / sqrt(x^2 + y^2))
            |y, x| {
                let turned = ((x + y.times_i()) / (x * x + y * y).sqrt()).ln();
                Complex { re: turned.im, im: -turned.re }
            }
        }
        _ => return None,
    })
}

impl Unary {
    /// On one element.
    pub fn one(self, x: Scalar, out: DType) -> Option<Scalar> {
        let bits = out.bits();
        Some(match (self, x) {
            (Unary::Pred(f), Scalar::Pred(x)) => Scalar::Pred(f(x)),
            (Unary::Int(f), Scalar::Int(x)) => Scalar::Int(wrap_int(bits, f(x, bits))),
            (Unary::Uint(f), Scalar::Uint(x)) => Scalar::Uint(wrap_uint(bits, f(x, bits))),
            (Unary::Float(f), Scalar::Float(x)) => Scalar::Float(round(out, f(x))),
            (Unary::Complex(f), Scalar::Complex(x)) => Scalar::Complex(round_complex(out, f(x))),
            (Unary::Test(f), Scalar::Float(x)) => Scalar::Pred(f(x)),
            (Unary::TestComplex(f), Scalar::Complex(x)) => Scalar::Pred(f(x)),
            (Unary::Part(f), Scalar::Complex(x)) => Scalar::Float(round(out, f(x))),
            _ => return None,
        })
    }

    /// On all elements.
    pub fn all(self, x: &Data, out: DType) -> Option<Data> {
        let bits = out.bits();
        Some(match (self, x) {
            (Unary::Pred(f), Data::Pred(x)) => Data::Pred(x.iter().map(|x| f(*x)).collect()),
            (Unary::Int(f), Data::Int(x)) => {
                Data::Int(x.iter().map(|x| wrap_int(bits, f(*x, bits))).collect())
            }
            (Unary::Uint(f), Data::Uint(x)) => {
                Data::Uint(x.iter().map(|x| wrap_uint(bits, f(*x, bits))).collect())
            }
            (Unary::Float(f), Data::Float(x)) => Data::Float(round_all(out, x.iter().map(|x| f(*x)))),
            (Unary::Complex(f), Data::Complex(x)) => {
                Data::Complex(x.iter().map(|x| round_complex(out, f(*x))).collect())
            }
            (Unary::Test(f), Data::Float(x)) => Data::Pred(x.iter().map(|x| f(*x)).collect()),
            (Unary::TestComplex(f), Data::Complex(x)) => Data::Pred(x.iter().map(|x| f(*x)).collect()),
            (Unary::Part(f), Data::Complex(x)) => Data::Float(round_all(out, x.iter().map(|x| f(*x)))),
            _ => return None,
        })
    }
}

impl Binary {
    /// On two elements.
    pub fn one(self, a: Scalar, b: Scalar, out: DType) -> Option<Scalar> {
        let bits = out.bits();
        Some(match (self, a, b) {
            (Binary::Pred(f), Scalar::Pred(a), Scalar::Pred(b)) => Scalar::Pred(f(a, b)),
            (Binary::Int(f), Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(wrap_int(bits, f(a, b, bits))),
            (Binary::Uint(f), Scalar::Uint(a), Scalar::Uint(b)) => {
                Scalar::Uint(wrap_uint(bits, f(a, b, bits)))
            }
            (Binary::Float(f), Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(round(out, f(a, b))),
            (Binary::FloatOf(f), Scalar::Float(a), Scalar::Float(b)) => Scalar::Float(f(out, a, b)),
            (Binary::Complex(f), Scalar::Complex(a), Scalar::Complex(b)) => {
                Scalar::Complex(round_complex(out, f(a, b)))
            }
            (Binary::Pair(f), Scalar::Float(a), Scalar::Float(b)) => Scalar::Complex(f(a, b)),
            _ => return None,
        })
    }

    /// On all pairs of elements of two tensors of one shape.
    pub fn all(self, a: &Data, b: &Data, out: DType) -> Option<Data> {
        let bits = out.bits();
        if a.len() != b.len() {
            return None;
        }
        Some(match (self, a, b) {
            (Binary::Pred(f), Data::Pred(a), Data::Pred(b)) => Data::Pred(zip(a, b, f)),
            (Binary::Int(f), Data::Int(a), Data::Int(b)) => {
                Data::Int(zip(a, b, |a, b| wrap_int(bits, f(a, b, bits))))
            }
            (Binary::Uint(f), Data::Uint(a), Data::Uint(b)) => {
                Data::Uint(zip(a, b, |a, b| wrap_uint(bits, f(a, b, bits))))
            }
            (Binary::Float(f), Data::Float(a), Data::Float(b)) => {
                Data::Float(round_all(out, a.iter().zip(b).map(|(a, b)| f(*a, *b))))
            }
            (Binary::FloatOf(f), Data::Float(a), Data::Float(b)) => {
                Data::Float(zip(a, b, |a, b| f(out, a, b)))
            }
            (Binary::Complex(f), Data::Complex(a), Data::Complex(b)) => {
                Data::Complex(zip(a, b, |a, b| round_complex(out, f(a, b))))
            }
            (Binary::Pair(f), Data::Float(a), Data::Float(b)) => Data::Complex(zip(a, b, f)),
            _ => return None,
        })
    }
}

fn zip<A: Copy, B>(a: &[A], b: &[A], f: impl Fn(A, A) -> B) -> Vec<B> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

/// Round many at once, looking at the type once.
pub(crate) fn round_all(dtype: DType, values: impl Iterator<Item = f64>) -> Vec<f64> {
    match dtype {
        DType::F64 => values.collect(),
        DType::F32 => values.map(|x| f64::from(x as f32)).collect(),
        _ => values.map(|x| round(dtype, x)).collect(),
    }
}

pub(crate) fn round_complex(dtype: DType, z: Complex) -> Complex {
    let part = dtype.part();
    Complex { re: round(part, z.re), im: round(part, z.im) }
}

/// Whether two elements stand in a relation.
pub(crate) fn compare_one(op: Compare, a: Scalar, b: Scalar) -> Option<bool> {
    let total = op.kind == Some(CompareKind::TotalOrder);
    let order = match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) if total => Some(a.total_cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(&b)),
        (Scalar::Uint(a), Scalar::Uint(b)) => Some(a.cmp(&b)),
        (Scalar::Pred(a), Scalar::Pred(b)) => Some(a.cmp(&b)),
        (Scalar::Complex(a), Scalar::Complex(b)) => (a == b).then_some(Ordering::Equal),
        _ => return None,
    };
    Some(holds(op.direction, order))
}

/// `order` is `None` for numbers that have none: then only "not equal" holds.
fn holds(direction: Direction, order: Option<Ordering>) -> bool {
    match direction {
        Direction::Eq => order == Some(Ordering::Equal),
        Direction::Ne => order != Some(Ordering::Equal),
        Direction::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Direction::Gt => order == Some(Ordering::Greater),
        Direction::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Direction::Lt => order == Some(Ordering::Less),
    }
}

fn compare_all(op: Compare, a: &Data, b: &Data) -> Option<Data> {
    let direction = op.direction;
    let total = op.kind == Some(CompareKind::TotalOrder);
    let result = match (a, b) {
        (Data::Float(a), Data::Float(b)) if total => {
            zip(a, b, |a, b| holds(direction, Some(a.total_cmp(&b))))
        }
        (Data::Float(a), Data::Float(b)) => zip(a, b, |a, b| holds(direction, a.partial_cmp(&b))),
        (Data::Int(a), Data::Int(b)) => zip(a, b, |a, b| holds(direction, Some(a.cmp(&b)))),
        (Data::Uint(a), Data::Uint(b)) => zip(a, b, |a, b| holds(direction, Some(a.cmp(&b)))),
        (Data::Pred(a), Data::Pred(b)) => zip(a, b, |a, b| holds(direction, Some(a.cmp(&b)))),
        (Data::Complex(a), Data::Complex(b)) => {
            zip(a, b, |a, b| holds(direction, (a == b).then_some(Ordering::Equal)))
        }
        _ => return None,
    };
    Some(Data::Pred(result))
}

fn mismatch() -> Fault {
    Fault::unsound("operands differ in shape or element type")
}

pub(crate) fn eval_unary(op: UnaryOp, x: &Tensor, out: DType) -> Result<Data, Fault> {
    if op == UnaryOp::Copy {
        return Ok(x.data().clone());
    }
    unary(op, x.dtype())?.all(x.data(), out).ok_or_else(mismatch)
}

pub(crate) fn eval_binary(op: BinaryOp, a: &Tensor, b: &Tensor, out: DType) -> Result<Data, Fault> {
    binary(op, a.dtype())?.all(a.data(), b.data(), out).ok_or_else(mismatch)
}

pub(crate) fn eval_compare(op: Compare, a: &Tensor, b: &Tensor) -> Result<Data, Fault> {
    if a.len() != b.len() {
        return Err(mismatch());
    }
    compare_all(op, a.data(), b.data()).ok_or_else(mismatch)
}

pub(crate) fn eval_select(pred: &Tensor, yes: &Tensor, no: &Tensor) -> Result<Data, Fault> {
    let Data::Pred(choice) = pred.data() else { return Err(mismatch()) };
    if yes.len() != no.len() {
        return Err(mismatch());
    }
    if let ([one], true) = (&choice[..], pred.dims().is_empty()) {
        return Ok(if *one { yes.data().clone() } else { no.data().clone() });
    }
    if choice.len() != yes.len() {
        return Err(mismatch());
    }
    let mut out = no.data().clone();
    each_pair!(&mut out, yes.data(), to, from => choose(to, from, choice)).ok_or_else(mismatch)?;
    Ok(out)
}

fn choose<T: Copy>(to: &mut [T], from: &[T], choice: &[bool]) {
    for ((to, from), yes) in to.iter_mut().zip(from).zip(choice) {
        if *yes {
            *to = *from;
        }
    }
}

/// `min(max(x, low), high)`.
pub(crate) fn eval_clamp(low: &Tensor, x: &Tensor, high: &Tensor) -> Result<Data, Fault> {
    let dtype = x.dtype();
    let (low, high) = (stretch(low, x.len()), stretch(high, x.len()));
    let raised = binary(BinaryOp::Maximum, dtype)?.all(x.data(), &low, dtype).ok_or_else(mismatch)?;
    binary(BinaryOp::Minimum, dtype)?.all(&raised, &high, dtype).ok_or_else(mismatch)
}

/// A scalar bound as often as there are elements.
fn stretch(bound: &Tensor, len: usize) -> Data {
    match bound.get(0) {
        Some(value) if bound.dims().is_empty() => Data::splat(value, len),
        _ => bound.data().clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: BinaryOp, bits: DType, a: i64, b: i64) -> Scalar {
        binary(op, bits).unwrap().one(Scalar::Int(a), Scalar::Int(b), bits).unwrap()
    }

    #[test]
    fn integer_corner_cases_follow_xla() {
        assert_eq!(int(BinaryOp::Divide, DType::S32, 7, 0), Scalar::Int(-1));
        assert_eq!(int(BinaryOp::Remainder, DType::S32, 7, 0), Scalar::Int(7));
        assert_eq!(int(BinaryOp::Divide, DType::S8, -128, -1), Scalar::Int(-128));
        assert_eq!(int(BinaryOp::Divide, DType::S64, i64::MIN, -1), Scalar::Int(i64::MIN));
        assert_eq!(int(BinaryOp::ShiftLeft, DType::S8, 1, 8), Scalar::Int(0));
        assert_eq!(int(BinaryOp::ShiftRightArithmetic, DType::S8, -2, 99), Scalar::Int(-1));
        assert_eq!(int(BinaryOp::ShiftRightLogical, DType::S8, -1, 4), Scalar::Int(15));
        assert_eq!(int(BinaryOp::Power, DType::S32, -1, -3), Scalar::Int(-1));
        assert_eq!(int(BinaryOp::Add, DType::S8, 127, 1), Scalar::Int(-128));
    }

    #[test]
    fn maximum_lets_nan_win_and_orders_zeros() {
        assert!(maximum(f64::NAN, 1.0).is_nan() && maximum(1.0, f64::NAN).is_nan());
        assert!(maximum(-0.0, 0.0).is_sign_positive() && maximum(0.0, -0.0).is_sign_positive());
    }

    #[test]
    fn nan_is_unordered_unless_the_order_is_total() {
        let nan = Scalar::Float(f64::NAN);
        let ask = |direction, kind| compare_one(Compare { direction, kind }, nan, nan).unwrap();
        assert!(!ask(Direction::Eq, None) && ask(Direction::Ne, None) && !ask(Direction::Ge, None));
        assert!(ask(Direction::Eq, Some(CompareKind::TotalOrder)));
    }

    #[test]
    fn narrow_counts_know_their_width() {
        let clz = unary(UnaryOp::CountLeadingZeros, DType::S8).unwrap();
        assert_eq!(clz.one(Scalar::Int(1), DType::S8), Some(Scalar::Int(7)));
        assert_eq!(clz.one(Scalar::Int(-1), DType::S8), Some(Scalar::Int(0)));
        let count = unary(UnaryOp::PopulationCount, DType::S8).unwrap();
        assert_eq!(count.one(Scalar::Int(-1), DType::S8), Some(Scalar::Int(8)));
    }
}
