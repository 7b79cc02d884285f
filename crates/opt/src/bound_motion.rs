//! Compare behind a bound, not in front of it.
//!
//! ```text
//! %y = maximum %x, %c                   %y = maximum %x, %c
//! %p = compare GT, %x, %c       =>      %p = compare GT, %y, %c
//! ```
//!
//! That is how the gradient of a rectifier is masked, and nothing else then keeps `%x` until the gradient is there. The
//! outcome is the same for all numbers, NaNs and both zeros: `%y` is above the bound just where `%x` is, and a NaN
//! stays one. So it is with LE; with LT and GE for a minimum; total order is left alone. Only where `%x` is used for
//! nothing else, since else it stays alive anyhow. One walk.

use crate::Changed;
use crate::uses;
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Direction, Movement};
use meshwright_ir::{BlockId, Editor, Function, Inst, InstId, Module, Op, ValueId};
use std::collections::BTreeMap;

pub fn bound_motion(module: &mut Module) -> Changed {
    module.funcs.values_mut().map(compare_behind).fold(false, |any, changed| any | changed)
}

/// The uses of a value that is bounded.
#[derive(Default)]
struct Uses {
    /// The results, one for each bound.
    bounded: Vec<ValueId>,
    /// Comparisons that may look at the result instead, and what they would take.
    compared: Vec<(InstId, Vec<ValueId>)>,
}

fn compare_behind(func: &mut Function) -> Changed {
    let found: Vec<(ValueId, Uses)> =
        func.blocks_in_order().into_iter().flat_map(|block| in_block(func, block)).collect();
    if found.iter().all(|(_, uses)| uses.compared.is_empty()) {
        return false;
    }
    let counts = uses::counts(func);
    let mut changed = false;
    for (value, Uses { bounded, compared }) in found {
        let dies = bounded.len() == 1 && counts[value] as usize == compared.len() + 1;
        if dies && !compared.is_empty() {
            changed = true;
            compared.into_iter().for_each(|(inst, now)| Editor::new(func).set_operands(inst, now));
        }
    }
    changed
}

/// What bounds a value: a number is the same one however it is written.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Bound<'f> {
    Value(ValueId),
    Number(&'f [u8]),
}

impl Bound<'_> {
    fn of(func: &Function, value: ValueId) -> Bound<'_> {
        let def = |value: ValueId| func.def_inst(value).map(|inst| func.inst(inst));
        let repeated = match def(value) {
            Some(Inst { op: Op::Movement(Movement::Broadcast(_)), operands, .. }) => {
                operands.first().copied()
            }
            _ => None,
        };
        match def(repeated.unwrap_or(value)).map(|inst| &inst.op) {
            Some(Op::Constant(constant)) => constant.0.as_splat().map_or(Bound::Value(value), Bound::Number),
            _ => Bound::Value(value),
        }
    }
}

/// Bounds, and comparisons with the same ones after them.
fn in_block(func: &Function, block: BlockId) -> BTreeMap<ValueId, Uses> {
    let mut bounds: BTreeMap<(ValueId, Bound<'_>), (BinaryOp, ValueId)> = BTreeMap::new();
    let mut found: BTreeMap<ValueId, Uses> = BTreeMap::new();
    for id in &func.block(block).insts {
        let inst = func.inst(*id);
        let ([a, b], [result]) = (&inst.operands[..], &inst.results[..]) else { continue };
        if let Op::Binary(op @ (BinaryOp::Maximum | BinaryOp::Minimum)) = &inst.op
            && a != b
            && is_plain(func, *result)
        {
            for (value, bound) in [(*a, *b), (*b, *a)] {
                bounds.insert((value, Bound::of(func, bound)), (*op, *result));
                found.entry(value).or_default().bounded.push(*result);
            }
        }
        let Op::Compare(op) = &inst.op else { continue };
        for (value, bound, first) in [(*a, *b, true), (*b, *a, false)] {
            let Some((kind, bounded)) = bounds.get(&(value, Bound::of(func, bound))) else { continue };
            if sees_the_same(*kind, op, first) {
                let now = if first { vec![*bounded, bound] } else { vec![bound, *bounded] };
                found.entry(value).or_default().compared.push((*id, now));
            }
        }
    }
    found
}

fn is_plain(func: &Function, value: ValueId) -> bool {
    func.value(value).sharding.is_none() && func.value(value).valid.is_none()
}

/// Whether a comparison of a value with its bound comes out as that of what is bounded; `first`: the value is on the
/// left.
fn sees_the_same(bound: BinaryOp, op: &Compare, first: bool) -> bool {
    let direction = match (op.direction, first) {
        (direction, true) => direction,
        (Direction::Gt, false) => Direction::Lt,
        (Direction::Lt, false) => Direction::Gt,
        (Direction::Ge, false) => Direction::Le,
        (Direction::Le, false) => Direction::Ge,
        (Direction::Eq | Direction::Ne, false) => return false,
    };
    let same = match bound {
        BinaryOp::Maximum => matches!(direction, Direction::Gt | Direction::Le),
        _ => matches!(direction, Direction::Lt | Direction::Ge),
    };
    same && op.kind != Some(CompareKind::TotalOrder)
}
