//! Arithmetic that changes nothing, conversions that lose nothing, whole numbers known beforehand.
//!
//! ```text
//! x + 0, x * 1, x & x (whole numbers)      x
//! 3 + 4                                    7
//! convert(convert(x : s8) : s32) : s64     convert(x) : s64
//! ```
//!
//! Of floats only conversions are looked at, and only those whose first step keeps every number.

use super::{At, Now};
use meshwright_ir::op::{BinaryOp, Convert, UnaryOp};
use meshwright_ir::{Class, DType, Literal, Op, TensorType};

pub(super) fn convert(at: At<'_>, op: &Convert) -> Option<Now> {
    let operand = at.operand(0)?;
    match op {
        Convert::To(dtype) => {
            if at.view.ty(operand)?.dtype == *dtype {
                return at.instead(operand);
            }
            if let Some(literal) = at.view.literal(operand) {
                return converted(literal, at.ty).map(Now::constant);
            }
            let inner = at.view.def(operand)?;
            let (Op::Convert(Convert::To(middle)), [source]) = (&inner.op, &inner.operands[..]) else {
                return None;
            };
            let from = at.view.ty(*source)?.dtype;
            keeps(from, *middle).then(|| Now::op(Op::Convert(op.clone()), vec![*source]))
        }
        Convert::Bitcast(ty) => (at.view.ty(operand)? == ty).then_some(Now::Value(operand)),
        // Of 16 bits it says more: XLA computes those in f32 and may leave roundings between two ops out.
        Convert::ReducePrecision { .. } => {
            (at.ty.dtype.bits() >= 32 && op.keeps_precision_of(at.ty.dtype)).then_some(Now::Value(operand))
        }
    }
}

/// Whether every number of one type is in the other, so that converting on gives what converting at once gives.
fn keeps(from: DType, to: DType) -> bool {
    let wider = from.bits() < to.bits();
    match (from.class(), to.class()) {
        (Class::Signed, Class::Signed) | (Class::Unsigned, Class::Unsigned | Class::Signed) => wider,
        (Class::Pred, Class::Signed | Class::Unsigned) => true,
        // From f16 or bf16 on; the small kinds have no infinities to agree on.
        (Class::Float, Class::Float) => wider && from.bits() >= 16,
        _ => false,
    }
}

/// A small whole number in another type.
fn converted(literal: &Literal, ty: &TensorType) -> Option<Literal> {
    /// Every type of 16 bits and more has the whole numbers up to here.
    const LARGEST: i64 = 256;
    let number = literal.as_int()?;
    let has = match ty.dtype.class() {
        Class::Signed if ty.dtype.bits() >= 16 => number.abs() <= LARGEST,
        Class::Float if ty.dtype.bits() >= 16 => number.abs() <= LARGEST,
        Class::Unsigned if ty.dtype.bits() >= 16 => (0..=LARGEST).contains(&number),
        Class::Pred | Class::Signed | Class::Unsigned | Class::Float | Class::Complex => false,
    };
    has.then(|| Literal::splat_int(ty.clone(), number))
}

pub(super) fn unary(at: At<'_>, op: UnaryOp) -> Option<Now> {
    let operand = at.operand(0)?;
    match op {
        UnaryOp::Copy => at.instead(operand),
        UnaryOp::Not => {
            let inner = at.view.def(operand)?;
            let source = *inner.operands.first()?;
            (inner.op == Op::Unary(UnaryOp::Not)).then_some(Now::Value(source))
        }
        _ => None,
    }
}

pub(super) fn binary(at: At<'_>, op: BinaryOp) -> Option<Now> {
    let dtype = at.ty.dtype;
    let [a, b] = at.inst.operands[..] else { return None };
    if !matches!(dtype.class(), Class::Pred | Class::Signed | Class::Unsigned) {
        return None;
    }
    if a == b && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Minimum | BinaryOp::Maximum) {
        return at.instead(a);
    }
    let (left, right) = (at.view.number(a), at.view.number(b));
    if let (Some(left), Some(right)) = (left, right) {
        let number = computed(op, dtype, left, right)?;
        return Some(Now::constant(Literal::splat_int(at.ty.clone(), number)));
    }
    match (left, right) {
        (Some(number), _) if is_neutral_left(op, dtype, number) => at.instead(b),
        (_, Some(number)) if is_neutral_right(op, dtype, number) => at.instead(a),
        (Some(number), _) if absorbs(op, dtype, number) => at.instead(a),
        (_, Some(number)) if absorbs(op, dtype, number) => at.instead(b),
        _ => None,
    }
}

/// Whether `number (op) x = x`.
fn is_neutral_left(op: BinaryOp, dtype: DType, number: i64) -> bool {
    match op {
        BinaryOp::Add => number == 0 && dtype != DType::Pred,
        BinaryOp::Or | BinaryOp::Xor => number == 0,
        BinaryOp::Multiply => number == 1 && dtype != DType::Pred,
        BinaryOp::And => is_all_ones(dtype, number),
        _ => false,
    }
}

/// Whether `x (op) number = x`.
fn is_neutral_right(op: BinaryOp, dtype: DType, number: i64) -> bool {
    match op {
        BinaryOp::Subtract => number == 0,
        BinaryOp::Divide => number == 1,
        _ => is_neutral_left(op, dtype, number),
    }
}

/// Whether `number (op) x = number`.
fn absorbs(op: BinaryOp, dtype: DType, number: i64) -> bool {
    match op {
        BinaryOp::Multiply => number == 0 && dtype != DType::Pred,
        BinaryOp::And => number == 0,
        BinaryOp::Or => is_all_ones(dtype, number),
        _ => false,
    }
}

fn is_all_ones(dtype: DType, number: i64) -> bool {
    if dtype == DType::Pred { number == 1 } else { number == -1 && dtype.class() == Class::Signed }
}

/// What an op gives, wrapped to the type; `None` where that is not certain.
pub(crate) fn computed(op: BinaryOp, dtype: DType, a: i64, b: i64) -> Option<i64> {
    let is_pred = dtype == DType::Pred;
    let is_plain = a >= 0 && b >= 0;
    match op {
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        _ if is_pred || dtype.bits() < 8 => None,
        BinaryOp::Add => Some(a.wrapping_add(b)),
        BinaryOp::Subtract => Some(a.wrapping_sub(b)),
        BinaryOp::Multiply => Some(a.wrapping_mul(b)),
        BinaryOp::Minimum if is_plain => Some(a.min(b)),
        BinaryOp::Maximum if is_plain => Some(a.max(b)),
        BinaryOp::Divide if is_plain && b > 0 => Some(a / b),
        BinaryOp::Remainder if is_plain && b > 0 => Some(a % b),
        _ => None,
    }
}
