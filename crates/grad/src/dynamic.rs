//! Derivatives of slices at computed places.

use crate::tape::Tape;
use meshwright_ir::op::{Dynamic, Op};
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Dynamic, c: ValueId) {
    let operands = t.func.inst(inst).operands.clone();
    match op {
        Dynamic::Slice { .. } => slice(t, &operands, c),
        Dynamic::UpdateSlice => update(t, &operands, c),
    }
}

/// Zeros with the cotangent written into them.
fn slice(t: &mut Tape<'_>, operands: &[ValueId], c: ValueId) {
    let [operand, starts @ ..] = operands else { return };
    let mut passed = vec![t.zeros_like(*operand), c];
    passed.extend(t.primals(starts));
    let given = t.op(Op::Dynamic(Dynamic::UpdateSlice), passed);
    t.pull(*operand, given);
}

/// What was overwritten has no part in the result.
fn update(t: &mut Tape<'_>, operands: &[ValueId], c: ValueId) {
    let [operand, update, starts @ ..] = operands else { return };
    let starts = t.primals(starts);
    if t.is_varied(*operand) {
        let mut passed = vec![c, t.zeros_like(*update)];
        passed.extend(&starts);
        let given = t.op(Op::Dynamic(Dynamic::UpdateSlice), passed);
        t.pull(*operand, given);
    }
    if t.is_varied(*update) {
        let sizes = t.func.dims(*update).to_vec();
        let passed = [c].into_iter().chain(starts).collect();
        let given = t.op(Op::Dynamic(Dynamic::Slice { sizes }), passed);
        t.pull(*update, given);
    }
}
