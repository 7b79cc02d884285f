//! Derivatives of gather lookups: not yet.

use crate::tape::Tape;
use meshwright_ir::op::Gather;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &Gather, _: ValueId) {
    t.no_derivative(inst)
}
