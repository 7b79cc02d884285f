//! Derivatives of changes of element type.

use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Convert, Op};
use meshwright_ir::{Build, DType, InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Convert, c: ValueId) {
    let operand = t.func.inst(inst).operands[0];
    match op {
        Convert::To(_) => {
            let to = t.dtype(operand);
            let given = cast(t, c, to);
            t.pull(operand, given);
        }
        Convert::ReducePrecision { .. } => {
            let given = t.push(Op::Convert(op.clone()), vec![c]);
            t.pull(operand, given);
        }
        // Bits have no derivative; nothing varies here.
        Convert::Bitcast(_) => {}
    }
}

/// The cotangent of a converted value: a complex one that became real only had its real part taken.
pub(crate) fn cast(t: &mut Tape<'_>, c: ValueId, to: DType) -> ValueId {
    let from = t.dtype(c);
    if from.is_complex() || !to.is_complex() {
        return t.convert(c, to);
    }
    let part = t.convert(c, to.part());
    let zero = t.zeros_like(part);
    t.push(Op::Binary(BinaryOp::Complex), vec![part, zero])
}
