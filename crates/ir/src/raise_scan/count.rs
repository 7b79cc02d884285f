//! The counter of a loop: where it starts and how many trips there are.

use super::index::{Index, Linear};
use super::live::is_pure;
use crate::module::{Function, Inst, Module, ValueId};
use crate::op::{BinaryOp, Compare, Direction, Op};

/// A loop that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Position of the counter in the state.
    pub at: usize,
    pub start: i64,
    /// At least one.
    pub trips: i64,
}

/// The counter of a `while`, if it provably counts up by one to a constant.
pub fn counted(module: &Module, func: &Function, it: &Inst) -> Option<Counted> {
    let [cond, body] = it.regions[..] else { return None };
    let (cond, body) = (func.block(cond), func.block(body));
    let lists = [&cond.params, &body.params, &body.results, &it.results];
    let pure = cond.insts.iter().all(|inst| is_pure(&func.inst(*inst).op));
    if !pure || lists.iter().any(|list| list.len() != it.operands.len()) {
        return None;
    }
    let unchanged = |at: usize| body.params[at] == body.results[at];
    // A parameter of either region that keeps its constant initial value.
    let known = |value: ValueId| {
        let at = [&cond.params, &body.params].into_iter().find_map(|params| position(params, value))?;
        unchanged(at).then(|| constant_of(module, func, it.operands[at], &|_| None)).flatten()
    };
    let [goes_on] = cond.results[..] else { return None };
    let (counter, limit, included) = bound(func, goes_on)?;
    let at = position(&cond.params, counter)?;
    let start = constant_of(module, func, it.operands[at], &|_| None)?;
    let limit = constant_of(module, func, limit, &known)?.checked_add(i64::from(included))?;
    let trips = limit.checked_sub(start).filter(|trips| *trips > 0)?;
    let dtype = func.ty(counter).as_tensor()?.dtype;
    // It must not wrap on the way to the limit.
    if !Linear::counter(start, trips.checked_add(1)?).fits(dtype) {
        return None;
    }
    let step = step(func, body.params[at], body.results[at])?;
    (constant_of(module, func, step, &known)? == 1).then_some(Counted { at, start, trips })
}

fn position(values: &[ValueId], value: ValueId) -> Option<usize> {
    values.iter().position(|other| *other == value)
}

/// `(counter, limit, whether the limit is counted too)`.
fn bound(func: &Function, goes_on: ValueId) -> Option<(ValueId, ValueId, bool)> {
    let it = func.inst(func.def_inst(goes_on)?);
    let (Op::Compare(Compare { direction, .. }), [a, b]) = (&it.op, &it.operands[..]) else { return None };
    let is_integer = func.ty(*a).as_tensor().is_some_and(|ty| ty.dtype.is_integer());
    match direction {
        _ if !is_integer => None,
        Direction::Lt => Some((*a, *b, false)),
        Direction::Le => Some((*a, *b, true)),
        Direction::Gt => Some((*b, *a, false)),
        Direction::Ge => Some((*b, *a, true)),
        Direction::Eq | Direction::Ne => None,
    }
}

/// What is added to `counter` to make `next`.
fn step(func: &Function, counter: ValueId, next: ValueId) -> Option<ValueId> {
    let it = func.inst(func.def_inst(next)?);
    match (&it.op, &it.operands[..]) {
        (Op::Binary(BinaryOp::Add), [a, b]) if *a == counter => Some(*b),
        (Op::Binary(BinaryOp::Add), [a, b]) if *b == counter => Some(*a),
        _ => None,
    }
}

/// The one value a scalar always has.
pub fn constant_of(
    module: &Module,
    func: &Function,
    value: ValueId,
    known: &dyn Fn(ValueId) -> Option<i64>,
) -> Option<i64> {
    let known = |value: ValueId| known(value).map(Linear::constant);
    let index = Index { module, func, counter: Linear::constant(0), known: &known };
    index.of(value).filter(|found| found.scale == 0).and_then(|found| i64::try_from(found.offset).ok())
}
