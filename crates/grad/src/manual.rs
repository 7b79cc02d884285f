//! Derivatives of manual regions: not yet.

use crate::tape::Tape;
use meshwright_ir::op::{ManualComputation, ShardingOp};
use meshwright_ir::{InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, _: &ManualComputation, _: &[Option<ValueId>]) {
    t.no_derivative(inst)
}
pub(crate) fn boundary(t: &mut Tape<'_>, inst: InstId, _: &ShardingOp, _: ValueId) {
    t.no_derivative(inst)
}
