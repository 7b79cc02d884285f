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
    /// What the counter gains per trip; not zero.
    pub step: i64,
    /// At least one.
    pub trips: i64,
}

/// The counter of a `while`, if it provably counts by constant steps to a constant.
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
    let constant = |value: ValueId| constant_of(module, func, value, &known);
    let found = bounds(func, goes_on)?.into_iter().find_map(|(counter, direction, limit)| {
        let at = position(&cond.params, counter).filter(|at| !unchanged(*at))?;
        Some((at, direction, constant(limit)?))
    });
    let (at, direction, limit) = found?;
    let start = constant_of(module, func, it.operands[at], &|_| None)?;
    let (step, subtracted) = step(func, body.params[at], body.results[at])?;
    let step = if subtracted { constant(step)?.checked_neg()? } else { constant(step)? };
    let trips = trips(start, step, direction, limit)?;
    let dtype = func.ty(cond.params[at]).as_tensor()?.dtype;
    // It must not wrap on the way to the limit.
    let fits = Linear::counter(start, step, trips.checked_add(1)?).fits(dtype);
    fits.then_some(Counted { at, start, step, trips })
}

fn position(values: &[ValueId], value: ValueId) -> Option<usize> {
    values.iter().position(|other| *other == value)
}

/// What is compared, either side as the counter: `(counter, direction, limit)`.
fn bounds(func: &Function, goes_on: ValueId) -> Option<[(ValueId, Direction, ValueId); 2]> {
    let it = func.inst(func.def_inst(goes_on)?);
    let (Op::Compare(Compare { direction, .. }), [a, b]) = (&it.op, &it.operands[..]) else { return None };
    let is_integer = func.ty(*a).as_tensor().is_some_and(|ty| ty.dtype.is_integer());
    is_integer.then_some([(*a, *direction, *b), (*b, swapped(*direction), *a)])
}

/// The same comparison with its sides exchanged.
fn swapped(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        Direction::Eq => Direction::Eq,
        Direction::Ne => Direction::Ne,
    }
}

/// How often `start`, `start + step`, .. stands so to the limit before it does not; at least once.
fn trips(start: i64, step: i64, direction: Direction, limit: i64) -> Option<i64> {
    let distance = limit.checked_sub(start)?;
    let (distance, step) = match direction {
        Direction::Lt | Direction::Le if step > 0 => (distance, step),
        Direction::Gt | Direction::Ge if step < 0 => (distance.checked_neg()?, step.checked_neg()?),
        _ => return None,
    };
    let included = matches!(direction, Direction::Le | Direction::Ge);
    let last = distance.checked_add(i64::from(included))?.checked_sub(1).filter(|last| *last >= 0)?;
    (last / step).checked_add(1)
}

/// What is added to `counter` to make `next`, or subtracted from it.
fn step(func: &Function, counter: ValueId, next: ValueId) -> Option<(ValueId, bool)> {
    let it = func.inst(func.def_inst(next)?);
    match (&it.op, &it.operands[..]) {
        (Op::Binary(BinaryOp::Add), [a, b]) if *a == counter => Some((*b, false)),
        (Op::Binary(BinaryOp::Add), [a, b]) if *b == counter => Some((*a, false)),
        (Op::Binary(BinaryOp::Subtract), [a, b]) if *a == counter => Some((*b, true)),
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
