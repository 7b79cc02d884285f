//! Values that are others seen in another way, and take no room of their own.

use meshwright_ir::op::Movement;
use meshwright_ir::{Def, Function, Inst, Op, ValueId};

/// What a value is seen through: behind a barrier, in another shape, or repeated, it is still the value that was given.
/// Every engine knows these without moving anything.
#[inline]
pub fn viewed(func: &Function, value: ValueId) -> Option<ValueId> {
    let Def::Result { inst, index } = func.value(value).def else { return None };
    viewed_by(func.inst(inst), index)
}

/// The same of a result of an instruction.
#[inline]
pub(crate) fn viewed_by(info: &Inst, index: usize) -> Option<ValueId> {
    match &info.op {
        Op::OptimizationBarrier => info.operands.get(index).copied(),
        Op::Movement(Movement::Broadcast(_) | Movement::Reshape(_)) => info.operands.first().copied(),
        _ => None,
    }
}

/// The value whose storage a value shares: itself, if it is no view.
#[inline]
pub fn storage(func: &Function, value: ValueId) -> ValueId {
    std::iter::successors(Some(value), |value| viewed(func, *value)).last().unwrap_or(value)
}
