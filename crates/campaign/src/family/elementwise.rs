//! Unary and binary ops, comparisons, selections, clamps, conversions.

use crate::build::{Gen, Info, Val, Want, exact_up_to, joined, largest};
use meshwright_ir::op::{BinaryOp, Compare, Convert, Direction, UnaryOp};
use meshwright_ir::{Class, DType, Op, TensorType};

pub fn unary(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    match x.ty.dtype.class() {
        Class::Float if g.approximate => smooth(g, &x),
        Class::Float | Class::Complex => plain_float(g, &x),
        Class::Signed => signed(g, &x),
        Class::Unsigned => {
            let op = g.choices.pick(&[UnaryOp::Not, UnaryOp::PopulationCount, UnaryOp::CountLeadingZeros]);
            integer(g, op, &x)
        }
        Class::Pred => g.emit(Op::Unary(UnaryOp::Not), &[&x], 1.0).map(|_| ()),
    }
}

fn signed(g: &mut Gen, x: &Val) -> Option<()> {
    let ops = [
        UnaryOp::Negate,
        UnaryOp::Abs,
        UnaryOp::Sign,
        UnaryOp::Not,
        UnaryOp::PopulationCount,
        UnaryOp::CountLeadingZeros,
    ];
    let op = g.choices.pick(&ops);
    integer(g, op, x)
}

fn integer(g: &mut Gen, op: UnaryOp, x: &Val) -> Option<()> {
    let bound = match op {
        UnaryOp::Not => x.info.bound + largest(x.ty.dtype).min(256.0),
        UnaryOp::PopulationCount | UnaryOp::CountLeadingZeros => 64.0,
        _ => x.info.bound,
    };
    let bound = if x.ty.dtype.class() == Class::Unsigned { largest(x.ty.dtype) } else { bound };
    g.emit(Op::Unary(op), &[x], bound).map(|_| ())
}

/// Ops that keep integers integers. Steps (sign, rounding) only on exact values: a rounding error could cross them.
fn plain_float(g: &mut Gen, x: &Val) -> Option<()> {
    let smooth = [UnaryOp::Negate, UnaryOp::Abs];
    let steps = [
        UnaryOp::Negate,
        UnaryOp::Abs,
        UnaryOp::Sign,
        UnaryOp::Floor,
        UnaryOp::Ceil,
        UnaryOp::RoundNearestAfz,
        UnaryOp::RoundNearestEven,
    ];
    let op = if x.info.exact { g.choices.pick(&steps) } else { g.choices.pick(&smooth) };
    g.emit(Op::Unary(op), &[x], x.info.bound).map(|_| ())
}

/// Ops that round, on arguments where they are finite and not steep.
fn smooth(g: &mut Gen, x: &Val) -> Option<()> {
    if g.choices.chance(25) {
        return plain_float(g, x);
    }
    let anywhere = [
        (UnaryOp::Tanh, 1.0),
        (UnaryOp::Logistic, 1.0),
        (UnaryOp::Sine, 1.0),
        (UnaryOp::Cosine, 1.0),
        (UnaryOp::Atan, 2.0),
        (UnaryOp::Erf, 1.0),
    ];
    match g.choices.below(4) {
        0 if x.info.bound <= 8.0 => rounded(g, UnaryOp::Exponential, x, 3000.0),
        1 if x.info.bound <= 8.0 => rounded(g, UnaryOp::ExponentialMinusOne, x, 3000.0),
        2 => {
            let op = g.choices.pick(&[UnaryOp::Sqrt, UnaryOp::LogPlusOne]);
            let x = g.emit(Op::Unary(UnaryOp::Abs), &[x], x.info.bound)?;
            // A root is steep at 0, where a sum that cancels may be off by a little.
            if op == UnaryOp::Sqrt && !x.info.exact {
                return None;
            }
            rounded(g, op, &x, x.info.bound.sqrt().max(1.0).max((x.info.bound + 1.0).ln()))
        }
        _ => {
            let (op, bound) = g.choices.pick(&anywhere);
            rounded(g, op, x, bound)
        }
    }
}

fn rounded(g: &mut Gen, op: UnaryOp, x: &Val, bound: f64) -> Option<()> {
    let like = Info { exact: false, ..x.info };
    g.emit_as(Op::Unary(op), &[x], Vec::new(), &[bound], like).map(|_| ())
}

pub fn binary(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    let y = g.of_type(x.ty.dtype, &x.ty.dims);
    let (x, y) = if g.choices.chance(50) { (y, x) } else { (x, y) };
    let op = match x.ty.dtype.class() {
        Class::Float if g.approximate && g.choices.chance(20) => return quotient(g, &x, &y),
        Class::Float | Class::Complex => g.choices.pick(&ARITHMETIC),
        Class::Pred => g.choices.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Maximum]),
        Class::Signed | Class::Unsigned => g.choices.pick(&INTEGER),
    };
    let (a, b) = (x.info.bound, y.info.bound);
    let bound = match op {
        BinaryOp::Add | BinaryOp::Subtract if x.ty.dtype.class() != Class::Unsigned => a + b,
        BinaryOp::Add => a + b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Maximum | BinaryOp::Minimum => a.max(b),
        _ => largest(x.ty.dtype),
    };
    g.emit(Op::Binary(op), &[&x, &y], bound).map(|_| ())
}

const ARITHMETIC: [BinaryOp; 6] = [
    BinaryOp::Add,
    BinaryOp::Multiply,
    BinaryOp::Subtract,
    BinaryOp::Maximum,
    BinaryOp::Minimum,
    BinaryOp::Add,
];

const INTEGER: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Multiply,
    BinaryOp::Subtract,
    BinaryOp::Maximum,
    BinaryOp::Minimum,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRightArithmetic,
    BinaryOp::ShiftRightLogical,
];

/// `x / (|y| + 1)`: finite whatever y is.
fn quotient(g: &mut Gen, x: &Val, y: &Val) -> Option<()> {
    let one = g.splat(y.ty.clone(), 1);
    let y = g.emit(Op::Unary(UnaryOp::Abs), &[y], y.info.bound)?;
    let y = g.emit(Op::Binary(BinaryOp::Add), &[&y, &one], y.info.bound + 1.0)?;
    let like = Info { exact: false, ..joined(&[x, &y]) };
    g.emit_as(Op::Binary(BinaryOp::Divide), &[x, &y], Vec::new(), &[x.info.bound], like).map(|_| ())
}

pub fn compare(g: &mut Gen) -> Option<()> {
    let x = g.operand_if(Want::Any, 0, 3, |value| value.info.exact);
    let y = exact_like(g, &x);
    compared(g, &x, &y).map(|_| ())
}

/// An exact value of the same type.
pub fn exact_like(g: &mut Gen, x: &Val) -> Val {
    let y = g.of_type(x.ty.dtype, &x.ty.dims);
    if y.info.exact { y } else { g.fresh(x.ty.clone()) }
}

fn compared(g: &mut Gen, x: &Val, y: &Val) -> Option<Val> {
    let all = [Direction::Lt, Direction::Gt, Direction::Le, Direction::Ge, Direction::Eq, Direction::Ne];
    let direction = g.choices.pick(&all);
    g.emit(Op::Compare(Compare { direction, kind: None }), &[x, y], 1.0)
}

pub fn select(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    let y = g.of_type(x.ty.dtype, &x.ty.dims);
    let pred = match g.choices.below(3) {
        0 => g.of_type(DType::Pred, &x.ty.dims),
        1 => g.scalar(DType::Pred),
        _ if x.info.exact && y.info.exact => compared(g, &x, &y)?,
        _ => g.of_type(DType::Pred, &x.ty.dims),
    };
    g.emit(Op::Select, &[&pred, &x, &y], x.info.bound.max(y.info.bound)).map(|_| ())
}

pub fn clamp(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 0, 3);
    let dims = if g.choices.chance(50) { x.ty.dims.clone() } else { Vec::new() };
    let low = g.of_type(x.ty.dtype, &dims);
    let high = g.of_type(x.ty.dtype, &dims);
    let bound = joined(&[&low, &x, &high]).bound;
    g.emit(Op::Clamp, &[&low, &x, &high], bound).map(|_| ())
}

pub fn convert(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    let to = g.dtype(Want::Any);
    let steps = !to.is_float() && !x.info.exact;
    if steps || (to.is_float() && x.info.exact && x.info.bound > exact_up_to(to)) {
        return None;
    }
    let bound = match to.class() {
        Class::Pred => 1.0,
        Class::Unsigned => largest(to),
        Class::Signed if x.info.bound >= largest(to) => largest(to),
        _ => x.info.bound,
    };
    g.emit(Op::Convert(Convert::To(to)), &[&x], bound).map(|_| ())
}

/// Constants and counts as operands of their own.
pub fn data(g: &mut Gen) -> Option<()> {
    let dtype = g.dtype(Want::Any);
    let dims = g.dims(0, 3);
    let value = g.fresh(TensorType::new(dtype, dims));
    g.offer(value);
    Some(())
}

pub fn barrier(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    let y = g.operand(Want::Any, 0, 3);
    g.emit_all(Op::OptimizationBarrier, &[&x, &y], Vec::new(), &[x.info.bound, y.info.bound]).map(|_| ())
}
