//! Scalars of a loop body as `scale * counter + offset`, with the range the counter runs through.
//!
//! Exact: a node whose value might leave its element type's range is not followed.

use crate::literal::Literal;
use crate::module::{FuncId, Function, InstId, Module, ValueId};
use crate::op::{BinaryOp, Compare, Constant, Convert, Direction, Foreign, Op};
use crate::types::{DType, Type};

/// How deep definitions are followed; both sides of an addition are, so the cost may double with each step.
const DEPTH: usize = 10;

/// `scale * counter + offset`, always within `low..=high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linear {
    pub scale: i128,
    pub offset: i128,
    low: i128,
    high: i128,
}

impl Linear {
    pub fn constant(value: i64) -> Self {
        let value = i128::from(value);
        Linear { scale: 0, offset: value, low: value, high: value }
    }

    /// The counter itself, from `start` by `step` for `trips` trips (at least one).
    pub fn counter(start: i64, step: i64, trips: i64) -> Self {
        let start = i128::from(start);
        let last = start + i128::from(step) * (i128::from(trips) - 1);
        Linear { scale: 1, offset: 0, low: start.min(last), high: start.max(last) }
    }

    /// With the range of the counter it was made over.
    fn add(self, other: Self, counter: Self) -> Self {
        Linear::over(self.scale + other.scale, self.offset + other.offset, counter)
    }

    fn negate(self, counter: Self) -> Self {
        Linear::over(-self.scale, -self.offset, counter)
    }

    fn over(scale: i128, offset: i128, counter: Self) -> Self {
        let (a, b) = (scale * counter.low + offset, scale * counter.high + offset);
        Linear { scale, offset, low: a.min(b), high: a.max(b) }
    }

    /// Whether every value lies in the range of an integer type.
    pub fn fits(self, dtype: DType) -> bool {
        let (low, high) = range(dtype);
        // A bound on the scale keeps further arithmetic far from overflow.
        low <= self.low && self.high <= high && self.scale.abs() <= 1 << 32
    }
}

fn range(dtype: DType) -> (i128, i128) {
    let bits = dtype.bits();
    match dtype {
        DType::Pred => (0, 1),
        _ if !dtype.is_integer() => (1, 0),
        _ if dtype.class() == crate::types::Class::Signed => {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        }
        _ => (0, (1i128 << bits) - 1),
    }
}

/// Follows definitions in one function; `known` says what parameters and the counter are.
pub struct Index<'a> {
    pub module: &'a Module,
    pub func: &'a Function,
    pub counter: Linear,
    pub known: &'a dyn Fn(ValueId) -> Option<Linear>,
}

impl Index<'_> {
    /// A value as a linear function of the counter, if it is provably one.
    pub fn of(&self, value: ValueId) -> Option<Linear> {
        self.at(value, DEPTH)
    }

    fn at(&self, value: ValueId, depth: usize) -> Option<Linear> {
        let Type::Tensor(ty) = self.func.ty(value) else { return None };
        if depth == 0 || !ty.dims.is_empty() {
            return None;
        }
        let found =
            (self.known)(value).or_else(|| self.result(self.func.def_inst(value)?, value, depth - 1))?;
        found.fits(ty.dtype).then_some(found)
    }

    fn result(&self, inst: InstId, value: ValueId, depth: usize) -> Option<Linear> {
        let body = self.func.inst(inst);
        let operand = |index: usize| self.at(*body.operands.get(index)?, depth);
        match &body.op {
            Op::Constant(constant) => scalar_int(constant).map(Linear::constant),
            Op::Binary(BinaryOp::Add) => Some(operand(0)?.add(operand(1)?, self.counter)),
            Op::Binary(BinaryOp::Subtract) => {
                Some(operand(0)?.add(operand(1)?.negate(self.counter), self.counter))
            }
            Op::Convert(Convert::To(_)) | Op::Unary(crate::op::UnaryOp::Copy) => operand(0),
            Op::Select => {
                if self.truth(*body.operands.first()?, depth)? {
                    operand(1)
                } else {
                    operand(2)
                }
            }
            Op::Clamp => clamped(operand(0)?, operand(1)?, operand(2)?),
            Op::Call(call) => self.called(call.callee, inst, value, depth),
            Op::Foreign(Foreign::Composite(op)) => self.called(op.decomposition, inst, value, depth),
            _ => None,
        }
    }

    /// A result of a function on scalars.
    fn called(&self, callee: FuncId, inst: InstId, value: ValueId, depth: usize) -> Option<Linear> {
        let func = self.module.funcs.get(callee)?;
        let body = self.func.inst(inst);
        let at = body.results.iter().position(|result| *result == value)?;
        let params = func.param_values();
        let known = |param: ValueId| {
            let index = params.iter().position(|other| *other == param)?;
            self.at(*body.operands.get(index)?, depth)
        };
        let inner = Index { module: self.module, func, counter: self.counter, known: &known };
        inner.at(*func.result_values().get(at)?, depth)
    }

    /// A comparison that comes out one way on every trip.
    fn truth(&self, pred: ValueId, depth: usize) -> Option<bool> {
        let body = self.func.inst(self.func.def_inst(pred)?);
        let Op::Compare(Compare { direction, .. }) = &body.op else { return None };
        let left = self.at(*body.operands.first()?, depth)?;
        let right = self.at(*body.operands.get(1)?, depth)?;
        let (below, above) = (left.high < right.low, left.low > right.high);
        match direction {
            Direction::Lt => decide(below, left.low >= right.high),
            Direction::Ge => decide(left.low >= right.high, below),
            Direction::Gt => decide(above, left.high <= right.low),
            Direction::Le => decide(left.high <= right.low, above),
            Direction::Eq => decide(false, below || above),
            Direction::Ne => decide(below || above, false),
        }
    }
}

fn decide(surely: bool, surely_not: bool) -> Option<bool> {
    match (surely, surely_not) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// A clamp that changes nothing.
fn clamped(min: Linear, value: Linear, max: Linear) -> Option<Linear> {
    (min.high <= value.low && value.high <= max.low).then_some(value)
}

/// The value of a scalar integer constant.
pub fn scalar_int(Constant(literal): &Constant) -> Option<i64> {
    let is_scalar = literal.ty().dims.is_empty();
    Literal::as_int(literal).filter(|_| is_scalar)
}
