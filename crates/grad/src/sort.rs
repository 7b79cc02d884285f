//! Derivatives of sorts: not yet.

use crate::tape::Tape;
use meshwright_ir::op::{Reduce, Sort, TopK};
use meshwright_ir::{InstId, ValueId};

pub(crate) fn picked(t: &mut Tape<'_>, inst: InstId, _: &Reduce, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
pub(crate) fn sort(t: &mut Tape<'_>, inst: InstId, _: &Sort, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
pub(crate) fn top_k(t: &mut Tape<'_>, inst: InstId, _: &TopK, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
