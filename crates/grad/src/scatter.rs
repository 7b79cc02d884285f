//! Derivatives of scatters: not yet.

use crate::tape::Tape;
use meshwright_ir::op::Scatter;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &Scatter, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
