//! Derivatives of bn: not yet.

use crate::tape::Tape;
use meshwright_ir::op::BatchNorm;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &BatchNorm, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
