//! Derivatives of element-wise ops. Complex numbers as JAX has them: a holomorphic op multiplies by its derivative,
//! with no conjugation, so that `df = Re(cotangent * dz)`.

use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Constant, Direction, Movement, Op, UnaryOp};
use meshwright_ir::{Build, InstId, TensorType, ValueId};
use std::f64::consts::PI;

pub(crate) fn unary(t: &mut Tape<'_>, inst: InstId, op: UnaryOp, c: ValueId) {
    let (operand, result) = (t.func.inst(inst).operands[0], t.func.inst(inst).results[0]);
    let x = |t: &mut Tape<'_>| t.primal(operand);
    let y = |t: &mut Tape<'_>| t.primal(result);
    let given = match op {
        UnaryOp::Copy => c,
        UnaryOp::Negate => return t.pull_minus(operand, c),
        UnaryOp::Abs => abs(t, operand, result, c),
        UnaryOp::Acos => {
            let given = inverse_sine(t, operand, c);
            return t.pull_minus(operand, given);
        }
        UnaryOp::Acosh => inverse_cosh(t, operand, c),
        UnaryOp::Asin => inverse_sine(t, operand, c),
        UnaryOp::Asinh => {
            let (x, one) = with_one(t, operand);
            let square = t.mul(x, x);
            let inner = t.add(square, one);
            let root = t.unary(UnaryOp::Rsqrt, inner);
            t.mul(c, root)
        }
        UnaryOp::Atan => {
            let (x, one) = with_one(t, operand);
            let square = t.mul(x, x);
            let inner = t.add(one, square);
            t.div(c, inner)
        }
        UnaryOp::Atanh => {
            let (x, one) = with_one(t, operand);
            let square = t.mul(x, x);
            let inner = t.sub(one, square);
            t.div(c, inner)
        }
        UnaryOp::Cbrt => {
            let y = y(t);
            let square = t.mul(y, y);
            let third = t.scale(c, 1.0 / 3.0);
            t.div(third, square)
        }
        UnaryOp::Conj => conj(t, c),
        UnaryOp::Cosh => times(t, operand, UnaryOp::Sinh, c),
        UnaryOp::Sinh => times(t, operand, UnaryOp::Cosh, c),
        UnaryOp::Sine => times(t, operand, UnaryOp::Cosine, c),
        UnaryOp::Cosine => {
            let given = times(t, operand, UnaryOp::Sine, c);
            return t.pull_minus(operand, given);
        }
        UnaryOp::Digamma => {
            let x = x(t);
            let one = t.splat_like(x, 1.0);
            let d = t.binary(BinaryOp::Polygamma, one, x);
            t.mul(c, d)
        }
        UnaryOp::Erf => gauss(t, operand, c, 2.0 / PI.sqrt()),
        UnaryOp::Erfc => gauss(t, operand, c, -2.0 / PI.sqrt()),
        UnaryOp::ErfInv => {
            let y = y(t);
            let square = t.mul(y, y);
            let bell = t.unary(UnaryOp::Exponential, square);
            let scaled = t.scale(c, PI.sqrt() / 2.0);
            t.mul(scaled, bell)
        }
        UnaryOp::Exponential => {
            let y = y(t);
            t.mul(c, y)
        }
        UnaryOp::ExponentialMinusOne => {
            let y = y(t);
            let one = t.splat_like(y, 1.0);
            let exp = t.add(y, one);
            t.mul(c, exp)
        }
        UnaryOp::Imag => imag(t, operand, c),
        UnaryOp::Real => real(t, operand, c),
        UnaryOp::Lgamma => times(t, operand, UnaryOp::Digamma, c),
        UnaryOp::Log => {
            let x = x(t);
            t.div(c, x)
        }
        UnaryOp::LogPlusOne => {
            let (x, one) = with_one(t, operand);
            let inner = t.add(x, one);
            t.div(c, inner)
        }
        UnaryOp::Logistic => {
            let y = y(t);
            let one = t.splat_like(y, 1.0);
            let rest = t.sub(one, y);
            let slope = t.mul(y, rest);
            t.mul(c, slope)
        }
        UnaryOp::Rsqrt => {
            let (x, y) = (x(t), y(t));
            let slope = t.div(y, x);
            let half = t.scale(slope, -0.5);
            t.mul(c, half)
        }
        UnaryOp::Sqrt => {
            let y = y(t);
            let half = t.scale(c, 0.5);
            t.div(half, y)
        }
        UnaryOp::Square => {
            let x = x(t);
            let twice = t.scale(x, 2.0);
            t.mul(c, twice)
        }
        UnaryOp::Tan => {
            let y = y(t);
            let square = t.mul(y, y);
            let one = t.splat_like(y, 1.0);
            let slope = t.add(one, square);
            t.mul(c, slope)
        }
        UnaryOp::Tanh => {
            let y = y(t);
            let square = t.mul(y, y);
            let one = t.splat_like(y, 1.0);
            let slope = t.sub(one, square);
            t.mul(c, slope)
        }
        // There is no op for the Bessel function its derivative needs.
        UnaryOp::BesselI1e => return t.no_derivative(inst),
        // Steps and predicates: activity analysis has told that nothing varies here.
        UnaryOp::Ceil | UnaryOp::Floor | UnaryOp::RoundNearestAfz | UnaryOp::RoundNearestEven => return,
        UnaryOp::Sign | UnaryOp::IsFinite | UnaryOp::IsInf | UnaryOp::IsNegInf | UnaryOp::IsPosInf => return,
        UnaryOp::CountLeadingZeros | UnaryOp::PopulationCount | UnaryOp::Not => return,
    };
    t.pull(operand, given);
}

/// `x` and a one of its type.
fn with_one(t: &mut Tape<'_>, operand: ValueId) -> (ValueId, ValueId) {
    let x = t.primal(operand);
    (x, t.splat_like(x, 1.0))
}

/// `c * op(x)`.
fn times(t: &mut Tape<'_>, operand: ValueId, op: UnaryOp, c: ValueId) -> ValueId {
    let x = t.primal(operand);
    let slope = t.unary(op, x);
    t.mul(c, slope)
}

/// `c / sqrt(1 - x * x)`.
fn inverse_sine(t: &mut Tape<'_>, operand: ValueId, c: ValueId) -> ValueId {
    let (x, one) = with_one(t, operand);
    let square = t.mul(x, x);
    let inner = t.sub(one, square);
    let root = t.unary(UnaryOp::Rsqrt, inner);
    t.mul(c, root)
}

/// `c / (sqrt(x - 1) * sqrt(x + 1))`: two roots, so that complex numbers stay on the right branch.
fn inverse_cosh(t: &mut Tape<'_>, operand: ValueId, c: ValueId) -> ValueId {
    let (x, one) = with_one(t, operand);
    let (low, high) = (t.sub(x, one), t.add(x, one));
    let (low, high) = (t.unary(UnaryOp::Rsqrt, low), t.unary(UnaryOp::Rsqrt, high));
    let slope = t.mul(low, high);
    t.mul(c, slope)
}

/// `c * factor * exp(-x * x)`.
fn gauss(t: &mut Tape<'_>, operand: ValueId, c: ValueId, factor: f64) -> ValueId {
    let x = t.primal(operand);
    let square = t.mul(x, x);
    let negative = t.neg(square);
    let bell = t.unary(UnaryOp::Exponential, negative);
    let scaled = t.scale(c, factor);
    t.mul(scaled, bell)
}

/// Real: `c * sign(x)`. Complex: `c * conj(x) / |x|`, zero at zero.
fn abs(t: &mut Tape<'_>, operand: ValueId, result: ValueId, c: ValueId) -> ValueId {
    if !t.dtype(operand).is_complex() {
        return times(t, operand, UnaryOp::Sign, c);
    }
    let (x, y) = (t.primal(operand), t.primal(result));
    let (zero, one) = (t.zeros_like(y), t.splat_like(y, 1.0));
    let is_zero = t.compare(Direction::Eq, y, zero);
    let length = t.select(is_zero, one, y);
    let share = t.div(c, length);
    let share = t.binary(BinaryOp::Complex, share, zero);
    let conjugate = t.unary(UnaryOp::Conj, x);
    t.mul(share, conjugate)
}

/// The conjugate of a complex number; a real one is its own.
pub(crate) fn conj(t: &mut Tape<'_>, x: ValueId) -> ValueId {
    if t.dtype(x).is_complex() { t.unary(UnaryOp::Conj, x) } else { x }
}

fn real(t: &mut Tape<'_>, operand: ValueId, c: ValueId) -> ValueId {
    if !t.dtype(operand).is_complex() {
        return c;
    }
    let zero = t.zeros_like(c);
    t.binary(BinaryOp::Complex, c, zero)
}

fn imag(t: &mut Tape<'_>, operand: ValueId, c: ValueId) -> ValueId {
    let zero = t.zeros_like(c);
    if !t.dtype(operand).is_complex() {
        return zero;
    }
    let negative = t.neg(c);
    t.binary(BinaryOp::Complex, zero, negative)
}

pub(crate) fn binary(t: &mut Tape<'_>, inst: InstId, op: BinaryOp, c: ValueId) {
    let [lhs, rhs] = t.func.inst(inst).operands[..] else { return };
    let result = t.func.inst(inst).results[0];
    match op {
        BinaryOp::Add => {
            t.pull(lhs, c);
            t.pull(rhs, c);
        }
        BinaryOp::Subtract => {
            t.pull(lhs, c);
            t.pull_minus(rhs, c);
        }
        BinaryOp::Multiply => multiply(t, lhs, rhs, c),
        BinaryOp::Divide => divide(t, lhs, rhs, result, c),
        BinaryOp::Maximum => extremum(t, [lhs, rhs], Direction::Gt, c),
        BinaryOp::Minimum => extremum(t, [lhs, rhs], Direction::Lt, c),
        BinaryOp::Power => power(t, lhs, rhs, result, c),
        BinaryOp::Remainder => remainder(t, lhs, rhs, c),
        BinaryOp::Atan2 => atan2(t, lhs, rhs, c),
        BinaryOp::Complex => complex(t, lhs, rhs, c),
        BinaryOp::Polygamma => polygamma(t, inst, lhs, rhs, c),
        BinaryOp::Zeta => zeta(t, inst, lhs, rhs, c),
        // Bits and steps: nothing varies here.
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::NextAfter => {}
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightArithmetic | BinaryOp::ShiftRightLogical => {}
    }
}

fn multiply(t: &mut Tape<'_>, lhs: ValueId, rhs: ValueId, c: ValueId) {
    if lhs == rhs && t.is_varied(lhs) {
        let x = t.primal(lhs);
        let half = t.mul(c, x);
        let given = t.add(half, half);
        return t.pull(lhs, given);
    }
    for (operand, other) in [(lhs, rhs), (rhs, lhs)] {
        if t.is_varied(operand) {
            let other = t.primal(other);
            let given = t.mul(c, other);
            t.pull(operand, given);
        }
    }
}

/// `d(x / y) = dx / y - (x / y) dy / y`.
fn divide(t: &mut Tape<'_>, lhs: ValueId, rhs: ValueId, result: ValueId, c: ValueId) {
    let y = t.primal(rhs);
    let share = t.div(c, y);
    t.pull(lhs, share);
    if t.is_varied(rhs) {
        let quotient = t.primal(result);
        let product = t.mul(share, quotient);
        t.pull_minus(rhs, product);
    }
}

/// The larger (or smaller) one gets the cotangent; equal ones get half each. Beside a constant zero that is a ReLU,
/// whose derivative at zero is zero.
fn extremum(t: &mut Tape<'_>, [lhs, rhs]: [ValueId; 2], better: Direction, c: ValueId) {
    for (operand, other) in [(lhs, rhs), (rhs, lhs)] {
        if constant_float(t, other) == Some(0.0) {
            let x = t.primal(operand);
            let zero = t.zeros_like(x);
            let wins = t.compare(better, x, zero);
            let given = t.keep(wins, c);
            return t.pull(operand, given);
        }
    }
    let (x, y) = (t.primal(lhs), t.primal(rhs));
    let tie = t.compare(Direction::Eq, x, y);
    let half = t.scale(c, 0.5);
    for (operand, [x, y]) in [(lhs, [x, y]), (rhs, [y, x])] {
        if t.is_varied(operand) {
            let wins = t.compare(better, x, y);
            let alone = t.keep(wins, c);
            let given = t.select(tie, half, alone);
            t.pull(operand, given);
        }
    }
}

fn power(t: &mut Tape<'_>, lhs: ValueId, rhs: ValueId, result: ValueId, c: ValueId) {
    if t.is_varied(lhs) {
        let slope = power_base(t, lhs, rhs);
        let given = t.mul(c, slope);
        t.pull(lhs, given);
    }
    if t.is_varied(rhs) {
        let (x, power) = (t.primal(lhs), t.primal(result));
        let (zero, one) = (t.zeros_like(x), t.splat_like(x, 1.0));
        let is_zero = t.compare(Direction::Eq, x, zero);
        let safe = t.select(is_zero, one, x);
        let log = t.unary(UnaryOp::Log, safe);
        let slope = t.mul(log, power);
        let given = t.mul(c, slope);
        t.pull(rhs, given);
    }
}

/// `y * x^(y - 1)`, zero where `y` is zero (also at `x = 0`).
fn power_base(t: &mut Tape<'_>, lhs: ValueId, rhs: ValueId) -> ValueId {
    let x = t.primal(lhs);
    if let Some(exponent) = constant_float(t, rhs) {
        let less = t.splat_like(x, exponent - 1.0);
        let power = if exponent == 2.0 { x } else { t.binary(BinaryOp::Power, x, less) };
        return t.scale(power, exponent);
    }
    let y = t.primal(rhs);
    let (zero, one) = (t.zeros_like(y), t.splat_like(y, 1.0));
    let is_zero = t.compare(Direction::Eq, y, zero);
    let less = t.sub(y, one);
    let less = t.select(is_zero, one, less);
    let power = t.binary(BinaryOp::Power, x, less);
    let slope = t.mul(y, power);
    t.select(is_zero, zero, slope)
}

/// The number that a real value is everywhere, if it is written so.
pub(crate) fn constant_float(t: &Tape<'_>, value: ValueId) -> Option<f64> {
    let it = t.func.inst(t.func.def_inst(value)?);
    match &it.op {
        Op::Constant(Constant(literal)) if literal.ty().dtype.is_float() => {
            Some(meshwright_ir::retype::float_of(literal.ty().dtype, literal.as_splat()?))
        }
        Op::Movement(Movement::Broadcast(_)) => constant_float(t, *it.operands.first()?),
        _ => None,
    }
}

/// `d rem(x, y) = dx - trunc(x / y) dy`.
fn remainder(t: &mut Tape<'_>, lhs: ValueId, rhs: ValueId, c: ValueId) {
    t.pull(lhs, c);
    if t.is_varied(rhs) {
        let (x, y) = (t.primal(lhs), t.primal(rhs));
        let quotient = t.div(x, y);
        let (sign, size) = (t.unary(UnaryOp::Sign, quotient), t.unary(UnaryOp::Abs, quotient));
        let whole = t.unary(UnaryOp::Floor, size);
        let whole = t.mul(sign, whole);
        let product = t.mul(c, whole);
        t.pull_minus(rhs, product);
    }
}

/// `d atan2(x, y) = (y dx - x dy) / (x x + y y)`.
fn atan2(t: &mut Tape<'_>, lhs: ValueId, rhs: ValueId, c: ValueId) {
    let (x, y) = (t.primal(lhs), t.primal(rhs));
    let (xx, yy) = (t.mul(x, x), t.mul(y, y));
    let square = t.add(xx, yy);
    let share = t.div(c, square);
    if t.is_varied(lhs) {
        let given = t.mul(share, y);
        t.pull(lhs, given);
    }
    if t.is_varied(rhs) {
        let product = t.mul(share, x);
        t.pull_minus(rhs, product);
    }
}

fn complex(t: &mut Tape<'_>, re: ValueId, im: ValueId, c: ValueId) {
    if t.is_varied(re) {
        let given = t.unary(UnaryOp::Real, c);
        t.pull(re, given);
    }
    if t.is_varied(im) {
        let part = t.unary(UnaryOp::Imag, c);
        t.pull_minus(im, part);
    }
}

fn polygamma(t: &mut Tape<'_>, inst: InstId, order: ValueId, rhs: ValueId, c: ValueId) {
    if t.is_varied(order) {
        return t.no_derivative(inst);
    }
    let (order, x) = (t.primal(order), t.primal(rhs));
    let one = t.splat_like(order, 1.0);
    let next = t.add(order, one);
    let slope = t.binary(BinaryOp::Polygamma, next, x);
    let given = t.mul(c, slope);
    t.pull(rhs, given);
}

/// `d zeta(s, q) / dq = -s zeta(s + 1, q)`.
fn zeta(t: &mut Tape<'_>, inst: InstId, lhs: ValueId, rhs: ValueId, c: ValueId) {
    if t.is_varied(lhs) {
        return t.no_derivative(inst);
    }
    let (s, q) = (t.primal(lhs), t.primal(rhs));
    let one = t.splat_like(s, 1.0);
    let next = t.add(s, one);
    let value = t.binary(BinaryOp::Zeta, next, q);
    let slope = t.mul(s, value);
    let product = t.mul(c, slope);
    t.pull_minus(rhs, product);
}

pub(crate) fn select(t: &mut Tape<'_>, inst: InstId, c: ValueId) {
    let [pred, on_true, on_false] = t.func.inst(inst).operands[..] else { return };
    if on_true == on_false {
        return t.pull(on_true, c);
    }
    let pred = t.primal(pred);
    if t.is_varied(on_true) {
        let given = t.keep(pred, c);
        t.pull(on_true, given);
    }
    if t.is_varied(on_false) {
        let zero = t.zeros_like(c);
        let given = t.select(pred, zero, c);
        t.pull(on_false, given);
    }
}

/// Strictly inside the bounds the operand gets the cotangent, beyond one the bound does.
pub(crate) fn clamp(t: &mut Tape<'_>, inst: InstId, c: ValueId) {
    let [min, operand, max] = t.func.inst(inst).operands[..] else { return };
    let x = t.primal(operand);
    let ty = t.tensor(x);
    let (low, high) = (bound(t, min, &ty), bound(t, max, &ty));
    if t.is_varied(operand) {
        let (above, below) = (t.compare(Direction::Gt, x, low), t.compare(Direction::Lt, x, high));
        let inside = t.binary(BinaryOp::And, above, below);
        let given = t.keep(inside, c);
        t.pull(operand, given);
    }
    for (operand, bound, beyond) in [(min, low, Direction::Lt), (max, high, Direction::Gt)] {
        if t.is_varied(operand) {
            let outside = t.compare(beyond, x, bound);
            let kept = t.keep(outside, c);
            let given = if t.func.dims(operand).is_empty() { t.sum_all(kept) } else { kept };
            t.pull(operand, given);
        }
    }
}

fn bound(t: &mut Tape<'_>, value: ValueId, ty: &TensorType) -> ValueId {
    let value = t.primal(value);
    if t.func.dims(value).is_empty() { t.broadcast(value, Vec::new(), &ty.dims) } else { value }
}

/// `x` where `pred`, else zero; `x` where nothing is said.
pub(crate) fn keep_optional(t: &mut Tape<'_>, pred: Option<ValueId>, x: ValueId) -> ValueId {
    match pred {
        Some(pred) => t.keep(pred, x),
        None => x,
    }
}
