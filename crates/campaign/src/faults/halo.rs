//! Faults of exchanges between the pieces of one dim, on local shapes.

use super::change::Change;
use super::{FaultRow, Site};
use meshwright_ir::op::{
    BinaryOp, CollectiveKind, Compare, Concatenate, Direction, Dynamic, Movement, Slice,
};
use meshwright_ir::{Inst, Op};

pub(super) const FAULTS: &[FaultRow] = &[
    ("halo sent from one further", halo_shifted),
    ("interval cut one late", interval_late),
    ("pieces put together in the wrong order", pieces_reversed),
    ("interval mask reaches one too far", bound_too_far),
    ("interval mask misses the first", bound_too_late),
    ("interval mask dropped", mask_dropped),
    ("one round of two not taken", round_lost),
    ("own total counted twice", own_total),
    ("places of candidates without offset", candidates_offset),
    ("update cut out one early", update_early),
    ("half of a merge one late", half_late),
    ("padding sorted from one further on", padding_kept),
];

fn users(site: Site<'_>) -> impl Iterator<Item = &Inst> {
    let result = site.body().results.first().copied();
    let all = site.func.insts_in_order().into_iter().map(move |inst| site.func.inst(inst));
    all.filter(move |inst| result.is_some_and(|result| inst.operands.contains(&result)))
}

fn is_permute(inst: &Inst) -> bool {
    matches!(&inst.op, Op::Collective(op) if matches!(op.kind, CollectiveKind::Permute { .. }))
}

/// A slice by one element further on, or further back.
fn shifted(site: Site<'_>, slice: &Slice) -> Option<Change> {
    let sizes = site.func.dims(site.operand(0)?);
    let mut slice = slice.clone();
    for (dim, size) in sizes.iter().enumerate() {
        let by = if slice.limit[dim] < *size { 1 } else { -1 };
        if slice.start[dim] + by >= 0 && slice.limit[dim] - slice.start[dim] < *size {
            slice.start[dim] += by;
            slice.limit[dim] += by;
            return Some(Change::Op(Op::Movement(Movement::Slice(slice))));
        }
    }
    None
}

fn slice(site: Site<'_>) -> Option<&Slice> {
    match site.op() {
        Op::Movement(Movement::Slice(slice)) => Some(slice),
        _ => None,
    }
}

fn halo_shifted(site: Site<'_>) -> Option<Change> {
    let slice = slice(site).filter(|_| users(site).any(is_permute))?;
    shifted(site, slice)
}

/// Where the run was put together of several pieces or padded.
fn interval_late(site: Site<'_>) -> Option<Change> {
    let Op::Dynamic(Dynamic::Slice { .. }) = site.op() else { return None };
    let is_run = matches!(site.operand_op(0)?, Op::Movement(Movement::Concatenate(_) | Movement::Pad(_)));
    let computed = |at: &usize| !matches!(site.operand_op(*at), Some(Op::Constant(_)) | None);
    (1..site.body().operands.len()).find(|at| is_run && computed(at)).map(Change::Plus1)
}

fn pieces_reversed(site: Site<'_>) -> Option<Change> {
    let Op::Movement(Movement::Concatenate(Concatenate { dim })) = site.op() else { return None };
    let (first, second) = (site.operand(0)?, site.operand(1)?);
    let is_fetched = |at: usize| site.operand_inst(at).is_some_and(|inst| is_permute(site.func.inst(inst)));
    let same = site.func.dims(first)[*dim] == site.func.dims(second)[*dim];
    (same && (is_fetched(0) || is_fetched(1))).then_some(Change::Swap(0, 1))
}

/// A comparison of positions: a count plus this device's place.
fn of_position(site: Site<'_>, from: Direction, to: Direction) -> Option<Change> {
    let Op::Compare(Compare { direction, kind }) = site.op() else { return None };
    let is_position = matches!(site.operand_op(0)?, Op::Binary(BinaryOp::Add)) && site.operand_is_added(0);
    (*direction == from && is_position)
        .then_some(Change::Op(Op::Compare(Compare { direction: to, kind: *kind })))
}

fn bound_too_far(site: Site<'_>) -> Option<Change> {
    of_position(site, Direction::Lt, Direction::Le)
}

fn bound_too_late(site: Site<'_>) -> Option<Change> {
    of_position(site, Direction::Ge, Direction::Gt)
}

fn mask_dropped(site: Site<'_>) -> Option<Change> {
    let by_position = |op: &Op| {
        let ordered = matches!(op, Op::Compare(Compare { direction: Direction::Lt | Direction::Ge, .. }));
        ordered || matches!(op, Op::Binary(BinaryOp::And))
    };
    let is_mask = *site.op() == Op::Select && site.operand_is_added(0) && by_position(site.operand_op(0)?);
    Some(Change::Value(site.operand(1).filter(|_| is_mask)?))
}

fn round_lost(site: Site<'_>) -> Option<Change> {
    let is_choice = *site.op() == Op::Select && is_permute(site.func.inst(site.operand_inst(1)?));
    Some(Change::Value(site.operand(2).filter(|_| is_choice)?))
}

/// Totals of the devices before this one: this one's too.
fn own_total(site: Site<'_>) -> Option<Change> {
    let Op::Compare(Compare { direction: Direction::Lt, kind }) = site.op() else { return None };
    let counts = matches!(site.operand_op(0)?, Op::Iota(_));
    let against = matches!(site.operand_op(1)?, Op::Movement(Movement::Broadcast(_)));
    (counts && against && site.operand_is_added(1))
        .then_some(Change::Op(Op::Compare(Compare { direction: Direction::Le, kind: *kind })))
}

fn candidates_offset(site: Site<'_>) -> Option<Change> {
    let is_shifted = *site.op() == Op::Binary(BinaryOp::Add)
        && site.operand_is_added(0)
        && matches!(site.operand_op(0), Some(Op::TopK(_)));
    Some(Change::Value(site.operand(0).filter(|_| is_shifted)?))
}

fn update_early(site: Site<'_>) -> Option<Change> {
    let slice = slice(site)?;
    let of_update = matches!(site.operand_op(0)?, Op::Dynamic(Dynamic::UpdateSlice));
    if of_update { shifted(site, slice) } else { None }
}

fn half_late(site: Site<'_>) -> Option<Change> {
    let Op::Dynamic(Dynamic::Slice { .. }) = site.op() else { return None };
    let computed = |at: &usize| !matches!(site.operand_op(*at), Some(Op::Constant(_)) | None);
    let is_merge = matches!(site.operand_op(0)?, Op::Sort(_));
    (1..site.body().operands.len()).find(|at| is_merge && computed(at)).map(Change::Plus1)
}

/// What is real ends one later.
fn padding_kept(site: Site<'_>) -> Option<Change> {
    let Op::Compare(Compare { direction: Direction::Ge, kind }) = site.op() else { return None };
    let is_sorted = users(site).any(|inst| matches!(inst.op, Op::Sort(_)));
    (is_sorted && matches!(site.operand_op(0)?, Op::Iota(_)) && site.operand_is_added(1))
        .then_some(Change::Op(Op::Compare(Compare { direction: Direction::Gt, kind: *kind })))
}
