//! Derivatives of convolutions: not yet.

use crate::tape::Tape;
use meshwright_ir::op::Convolution;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &Convolution, _: ValueId) {
    t.no_derivative(inst)
}
