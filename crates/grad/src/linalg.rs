//! Derivatives of linalg: not yet.

use crate::tape::Tape;
use meshwright_ir::op::Linalg;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &Linalg, _: ValueId) {
    t.no_derivative(inst)
}
