//! Selects, comparisons and clamps whose outcome is known on every device.
//!
//! ```text
//! iota of 8 < 8                            true
//! select(true, a, b)                       a
//! select(p, a, a)                          a, also if both are 0 everywhere
//! select(p, select(p, a, b), c)            select(p, a, c)
//! clamp(0, partition_id of 4, 7)           partition_id
//! ```

use super::range::{self, Range};
use super::{At, Now, View};
use meshwright_ir::op::{Compare, Direction};
use meshwright_ir::{Op, ValueId};

pub(super) fn compare(at: At<'_>, op: &Compare) -> Option<Now> {
    let [a, b] = at.inst.operands[..] else { return None };
    let truth = decided(at.view, op, a, b, None)?;
    at.all(&[u8::from(truth)])
}

/// The outcome of comparing whole numbers, if it is the same everywhere (in a window).
fn decided(
    view: View<'_>,
    op: &Compare,
    a: ValueId,
    b: ValueId,
    window: Option<&[(i64, i64)]>,
) -> Option<bool> {
    if !view.ty(a)?.dtype.is_integer() {
        return None;
    }
    if a == b {
        return Some(matches!(op.direction, Direction::Eq | Direction::Ge | Direction::Le));
    }
    let range = |value| match window {
        None => range::range(view, value),
        Some(window) => range::within(view, value, window.to_vec()),
    };
    // The bound is a constant as a rule: looked at first, it ends the search soonest.
    let (b, a) = (range(b)?, range(a)?);
    outcome(op.direction, a, b)
}

fn outcome(direction: Direction, a: Range, b: Range) -> Option<bool> {
    let less = |a: Range, b: Range| if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) };
    let equal = match (a.0 == a.1 && a == b, a.1 < b.0 || b.1 < a.0) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match direction {
        Direction::Eq => equal,
        Direction::Ne => equal.map(|equal| !equal),
        Direction::Lt => less(a, b),
        Direction::Ge => less(a, b).map(|less| !less),
        Direction::Gt => less(b, a),
        Direction::Le => less(b, a).map(|less| !less),
    }
}

pub(super) fn select(at: At<'_>) -> Option<Now> {
    let [pred, on_true, on_false] = at.inst.operands[..] else { return None };
    let same = at.view.everywhere(on_true).is_some_and(|one| at.view.everywhere(on_false) == Some(one));
    if on_true == on_false || same {
        return at.instead(on_true);
    }
    if let Some(truth) = at.view.number(pred) {
        return at.instead(if truth != 0 { on_true } else { on_false });
    }
    let inner = |value: ValueId, branch: usize| {
        let inst = at.view.def(value)?;
        let same = inst.op == Op::Select && inst.operands.first() == Some(&pred);
        inst.operands.get(branch).copied().filter(|_| same)
    };
    let chosen = [inner(on_true, 1).unwrap_or(on_true), inner(on_false, 2).unwrap_or(on_false)];
    let shorter = vec![pred, chosen[0], chosen[1]];
    (chosen != [on_true, on_false]).then_some(Now::op(Op::Select, shorter))
}

/// The side that a select has in all of a window.
pub(super) fn side(view: View<'_>, select: ValueId, window: &[(i64, i64)]) -> Option<ValueId> {
    let inst = view.def(select).filter(|inst| inst.op == Op::Select)?;
    let [pred, on_true, on_false] = inst.operands[..] else { return None };
    let test = view.def(pred)?;
    let (Op::Compare(op), [a, b]) = (&test.op, &test.operands[..]) else { return None };
    let window = (view.ty(pred)?.rank() == window.len()).then_some(window);
    Some(if decided(view, op, *a, *b, window)? { on_true } else { on_false })
}

pub(super) fn clamp(at: At<'_>) -> Option<Now> {
    let [low, value, high] = at.inst.operands[..] else { return None };
    if !at.ty.dtype.is_integer() {
        return None;
    }
    let range = |value| range::range(at.view, value);
    let (low, high, within) = (range(low)?, range(high)?, range(value)?);
    (low.1 <= within.0 && within.1 <= high.0).then_some(Now::Value(value))
}
