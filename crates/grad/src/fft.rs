//! Derivatives of fft: not yet.

use crate::tape::Tape;
use meshwright_ir::op::linalg::Fft;
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &Fft, _: ValueId) {
    t.no_derivative(inst)
}
