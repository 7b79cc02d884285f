//! Derivatives of slices at computed places.

use crate::tape::Tape;
use meshwright_ir::op::Dynamic;
use meshwright_ir::{Build, InstId, ValueId};

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
    let (zeros, starts) = (t.zeros_like(*operand), t.primals(starts));
    let given = t.dynamic_update_slice(zeros, c, &starts);
    t.pull(*operand, given);
}

/// What was overwritten has no part in the result.
fn update(t: &mut Tape<'_>, operands: &[ValueId], c: ValueId) {
    let [operand, update, starts @ ..] = operands else { return };
    let starts = t.primals(starts);
    if t.is_varied(*operand) {
        let zeros = t.zeros_like(*update);
        let given = t.dynamic_update_slice(c, zeros, &starts);
        t.pull(*operand, given);
    }
    if t.is_varied(*update) {
        let sizes = t.func.dims(*update).to_vec();
        let given = t.dynamic_slice(c, &starts, &sizes);
        t.pull(*update, given);
    }
}
