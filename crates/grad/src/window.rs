//! Derivatives of windows: not yet.

use crate::tape::Tape;
use meshwright_ir::op::{ReduceWindow, SelectAndScatter};
use meshwright_ir::{InstId, ValueId};

pub(crate) fn reduce(t: &mut Tape<'_>, inst: InstId, _: &ReduceWindow, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
pub(crate) fn select_and_scatter(t: &mut Tape<'_>, inst: InstId, _: &SelectAndScatter, _: ValueId) {
    t.no_derivative(inst)
}
