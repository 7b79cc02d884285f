//! Derivatives of collectives: not yet.

use crate::tape::Tape;
use meshwright_ir::op::Collective;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &Collective, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
