//! Faults of padding and resharding, on global shapes.

use super::change::Change;
use super::{FaultRow, Site};
use meshwright_base::Id;
use meshwright_ir::op::{Compare, Direction, Movement, Pad, ReshardOp, ShardingOp, Slice};
use meshwright_ir::{Inst, InstId, Literal, Op, ValueId};
use meshwright_shard::{AxisRef, Mesh};

pub(super) const FAULTS: &[FaultRow] = &[
    ("mask bound off by one", mask_bound),
    ("mask fills with zero", mask_filler),
    ("mask dropped", mask_dropped),
    ("mask of scatter indices dropped", index_mask_dropped),
    ("padding cut off at the wrong end", crop_shifted),
    ("padding put at the wrong end", pad_at_front),
    ("slice with axes in the wrong order", slice_order),
    ("slice along another axis", slice_axis),
];

impl<'a> Site<'a> {
    pub(super) fn body(&self) -> &'a Inst {
        self.func.inst(self.inst)
    }

    pub(super) fn op(&self) -> &'a Op {
        &self.body().op
    }

    /// The instruction behind an operand.
    pub(super) fn operand_inst(&self, at: usize) -> Option<InstId> {
        self.func.def_inst(*self.body().operands.get(at)?)
    }

    pub(super) fn operand_op(&self, at: usize) -> Option<&'a Op> {
        self.operand_inst(at).map(|inst| &self.func.inst(inst).op)
    }

    /// The constant behind an operand.
    pub(super) fn operand_literal(&self, at: usize) -> Option<&'a Literal> {
        match self.operand_op(at)? {
            Op::Constant(constant) => Some(&constant.0),
            _ => None,
        }
    }

    /// Whether the partitioner added the instruction behind an operand.
    pub(super) fn operand_is_added(&self, at: usize) -> bool {
        self.operand_inst(at).is_some_and(|inst| inst.index() >= self.added_from)
    }

    pub(super) fn operand(&self, at: usize) -> Option<ValueId> {
        self.body().operands.get(at).copied()
    }

    pub(super) fn mesh(&self) -> Option<&'a Mesh> {
        self.module.meshes.values().next()
    }
}

/// `iota < size` becomes `iota <= size`.
fn mask_bound(site: Site<'_>) -> Option<Change> {
    let Op::Compare(Compare { direction: Direction::Lt, kind }) = site.op() else { return None };
    matches!(site.operand_op(0)?, Op::Iota(_))
        .then_some(Change::Op(Op::Compare(Compare { direction: Direction::Le, kind: *kind })))
}

fn mask_filler(site: Site<'_>) -> Option<Change> {
    let literal = site.operand_literal(2).filter(|literal| *site.op() == Op::Select && !literal.is_zero())?;
    (!masks_indices(site)).then(|| Change::Operand(2, Literal::zeros(literal.ty().clone())))
}

fn mask_dropped(site: Site<'_>) -> Option<Change> {
    let is_mask = *site.op() == Op::Select && !masks_indices(site);
    Some(Change::Value(site.operand(1).filter(|_| is_mask)?))
}

fn index_mask_dropped(site: Site<'_>) -> Option<Change> {
    let is_mask = *site.op() == Op::Select && masks_indices(site);
    Some(Change::Value(site.operand(1).filter(|_| is_mask)?))
}

/// Whether the result goes to a scatter as its indices.
fn masks_indices(site: Site<'_>) -> bool {
    let result = site.body().results.first().copied();
    let takes = |inst: &Inst| {
        matches!(inst.op, Op::Scatter(_)) && inst.operands.get(inst.operands.len() / 2).copied() == result
    };
    site.func.insts_in_order().into_iter().any(|inst| takes(site.func.inst(inst)))
}

/// The first elements are cut off in place of the last.
fn crop_shifted(site: Site<'_>) -> Option<Change> {
    let Op::Movement(Movement::Slice(slice)) = site.op() else { return None };
    let dims = site.func.dims(site.operand(0)?);
    let over: Vec<i64> = dims.iter().zip(&slice.limit).map(|(size, limit)| size - limit).collect();
    let shift = |from: &[i64]| from.iter().zip(&over).map(|(at, over)| at + over).collect();
    let shifted =
        Slice { start: shift(&slice.start), limit: shift(&slice.limit), stride: slice.stride.clone() };
    over.iter().any(|over| *over > 0).then_some(Change::Op(Op::Movement(Movement::Slice(shifted))))
}

fn pad_at_front(site: Site<'_>) -> Option<Change> {
    let Op::Movement(Movement::Pad(pad)) = site.op() else { return None };
    let turned = Pad { low: pad.high.clone(), high: pad.low.clone(), interior: pad.interior.clone() };
    (turned != *pad).then_some(Change::Op(Op::Movement(Movement::Pad(turned))))
}

fn sliced(site: Site<'_>) -> Option<&Vec<Vec<AxisRef>>> {
    match site.op() {
        Op::Sharding(ShardingOp::Reshard(ReshardOp::AllSlice { axes })) => Some(axes),
        _ => None,
    }
}

fn slice_order(site: Site<'_>) -> Option<Change> {
    let mut axes = sliced(site)?.clone();
    let several = axes.iter_mut().find(|axes| axes.len() > 1)?;
    several.reverse();
    Some(Change::Op(Op::Sharding(ShardingOp::Reshard(ReshardOp::AllSlice { axes }))))
}

fn slice_axis(site: Site<'_>) -> Option<Change> {
    let mut axes = sliced(site)?.clone();
    let axis = axes.iter_mut().flatten().next()?;
    *axis = another(site.mesh()?, *axis)?;
    Some(Change::Op(Op::Sharding(ShardingOp::Reshard(ReshardOp::AllSlice { axes }))))
}

/// Another axis of the mesh of the same size.
pub(super) fn another(mesh: &Mesh, axis: AxisRef) -> Option<AxisRef> {
    let others = mesh.whole_axes().into_iter().filter(|other| other.axis != axis.axis);
    others.into_iter().find(|other| other.size == axis.size && axis.size > 1)
}
