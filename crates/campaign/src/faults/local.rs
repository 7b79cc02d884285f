//! Faults of localization, on local shapes with collectives.

use super::change::Change;
use super::planned::another;
use super::{FaultRow, Site};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{
    BinaryOp, Collective, CollectiveKind, Compare, Convert, Direction, Dynamic, Groups, Movement,
};
use meshwright_ir::{Op, TensorType};
use meshwright_shard::axis::{difference, product};
use meshwright_shard::{AxisRef, MeshId, Reducer};

pub(super) const FAULTS: &[FaultRow] = &[
    ("sum reduced as a maximum", sum_as_max),
    ("maximum reduced as a sum", max_as_sum),
    ("reduction dropped", reduction_dropped),
    ("reduced over too few axes", too_few_axes),
    ("reduced over too many axes", too_many_axes),
    ("collective over another axis", another_axis),
    ("gathered in the wrong order", gathered_order),
    ("scattered in the wrong order", scattered_order),
    ("gathered along the wrong dim", gathered_dim),
    ("exchanged the wrong way round", exchanged),
    ("permute shifted", permute_shifted),
    ("permute turned round", permute_reversed),
    ("permute dropped", permute_dropped),
    ("slice starts one late", slice_late),
    ("device order ignored", order_ignored),
    ("axis index without remainder", no_remainder),
    ("axis index without stride", no_stride),
    ("replicated value counted on every device", counted_everywhere),
    ("lookup reaches one too far", reaches_too_far),
    ("lookup misses the first row", misses_first),
    ("lookup without offset", lookup_offset),
    ("rows from elsewhere not zeroed", rows_elsewhere),
    ("count without offset", count_offset),
];

fn collective(site: Site<'_>) -> Option<&Collective> {
    match site.op() {
        Op::Collective(collective) => Some(collective),
        _ => None,
    }
}

fn reduction(site: Site<'_>) -> Option<&Collective> {
    collective(site).filter(|collective| collective.has_reducer())
}

fn reducer(site: Site<'_>) -> Option<Reducer> {
    reduction(site)?;
    site.func.region_reducer(*site.body().regions.first()?)
}

fn sum_as_max(site: Site<'_>) -> Option<Change> {
    (reducer(site)? == Reducer::Sum).then_some(Change::Reducer(BinaryOp::Maximum))
}

fn max_as_sum(site: Site<'_>) -> Option<Change> {
    matches!(reducer(site)?, Reducer::Max | Reducer::Min).then_some(Change::Reducer(BinaryOp::Add))
}

fn is(site: Site<'_>, kind: CollectiveKind) -> bool {
    collective(site).is_some_and(|collective| collective.kind == kind)
}

fn reduction_dropped(site: Site<'_>) -> Option<Change> {
    Some(Change::Value(site.operand(0).filter(|_| is(site, CollectiveKind::AllReduce))?))
}

fn axes(collective: &Collective) -> Option<(MeshId, &Vec<AxisRef>)> {
    match &collective.groups {
        Groups::Axes { mesh, axes } => Some((*mesh, axes)),
        Groups::All | Groups::List(_) | Groups::Iota { .. } => None,
    }
}

/// The same collective over other axes.
fn over(collective: &Collective, mesh: MeshId, axes: Vec<AxisRef>) -> Change {
    let group_size = product(&axes);
    Change::Op(Op::Collective(Collective {
        groups: Groups::Axes { mesh, axes },
        group_size,
        ..collective.clone()
    }))
}

fn too_few_axes(site: Site<'_>) -> Option<Change> {
    let all_reduce = reduction(site).filter(|found| found.kind == CollectiveKind::AllReduce)?;
    let (mesh, axes) = axes(all_reduce)?;
    let mut axes = axes.clone();
    let last = axes.pop()?;
    let divisor = (2..last.size).find(|n| last.size % n == 0);
    axes.extend(divisor.and_then(|n| last.split(n)).map(|(major, _)| major));
    (!axes.is_empty()).then(|| over(all_reduce, mesh, axes))
}

fn too_many_axes(site: Site<'_>) -> Option<Change> {
    let all_reduce = reduction(site).filter(|found| found.kind == CollectiveKind::AllReduce)?;
    let (mesh, axes) = axes(all_reduce)?;
    let more = difference(&site.module.meshes.get(mesh)?.whole_axes(), axes);
    let axes: Vec<AxisRef> = axes.iter().copied().chain(more.first().copied()).collect();
    (!more.is_empty()).then(|| over(all_reduce, mesh, axes))
}

fn another_axis(site: Site<'_>) -> Option<Change> {
    let collective = collective(site)?;
    let (mesh, axes) = axes(collective)?;
    let [axis] = axes[..] else { return None };
    let other = another(site.module.meshes.get(mesh)?, axis)?;
    Some(over(collective, mesh, vec![other]))
}

/// The group's members in another order, major for minor; an axis that is a product is cut for that.
fn reordered(collective: &Collective) -> Option<Change> {
    let (mesh, axes) = axes(collective)?;
    let mut axes = axes.clone();
    if let [only] = axes[..] {
        let divisor = (2..only.size).find(|n| only.size % n == 0)?;
        let (major, minor) = only.split(divisor)?;
        axes = vec![major, minor];
    }
    axes.reverse();
    (axes.len() > 1).then(|| over(collective, mesh, axes))
}

fn gathered_order(site: Site<'_>) -> Option<Change> {
    reordered(collective(site).filter(|found| matches!(found.kind, CollectiveKind::AllGather { .. }))?)
}

fn scattered_order(site: Site<'_>) -> Option<Change> {
    let scatters = |found: &&Collective| {
        matches!(found.kind, CollectiveKind::ReduceScatter { .. } | CollectiveKind::AllToAll { .. })
    };
    reordered(collective(site).filter(scatters)?)
}

fn operand_type(site: Site<'_>) -> Option<&TensorType> {
    site.func.ty(site.operand(0)?).as_tensor()
}

fn gathered_dim(site: Site<'_>) -> Option<Change> {
    let gather = collective(site)?;
    let CollectiveKind::AllGather { dim } = gather.kind else { return None };
    let mut ty = operand_type(site)?.clone();
    let other = (0..ty.rank()).find(|other| *other != dim && ty.dims[*other] > 1)?;
    ty.dims[other] *= gather.group_size;
    let kind = CollectiveKind::AllGather { dim: other };
    Some(Change::OpOfType(Op::Collective(Collective { kind, ..gather.clone() }), ty))
}

fn exchanged(site: Site<'_>) -> Option<Change> {
    let exchange = collective(site)?;
    let CollectiveKind::AllToAll { split_dim, concat_dim, split_count } = exchange.kind else { return None };
    let mut ty = operand_type(site)?.clone();
    if split_dim == concat_dim || ty.dims[concat_dim] % split_count != 0 {
        return None;
    }
    ty.dims[concat_dim] /= split_count;
    ty.dims[split_dim] *= split_count;
    let kind = CollectiveKind::AllToAll { split_dim: concat_dim, concat_dim: split_dim, split_count };
    Some(Change::OpOfType(Op::Collective(Collective { kind, ..exchange.clone() }), ty))
}

fn pairs(site: Site<'_>) -> Option<(&Collective, &Vec<(u32, u32)>)> {
    let collective = collective(site)?;
    match &collective.kind {
        CollectiveKind::Permute { pairs } => Some((collective, pairs)),
        _ => None,
    }
}

fn permuted(collective: &Collective, pairs: Vec<(u32, u32)>) -> Change {
    Change::Op(Op::Collective(Collective { kind: CollectiveKind::Permute { pairs }, ..collective.clone() }))
}

fn permute_shifted(site: Site<'_>) -> Option<Change> {
    let (permute, pairs) = pairs(site)?;
    let targets = pairs.iter().cycle().skip(1).map(|pair| pair.1);
    let shifted = pairs.iter().zip(targets).map(|(pair, target)| (pair.0, target)).collect();
    Some(permuted(permute, shifted))
}

fn permute_reversed(site: Site<'_>) -> Option<Change> {
    let (permute, pairs) = pairs(site)?;
    let mut turned: Vec<(u32, u32)> = pairs.iter().map(|(source, target)| (*target, *source)).collect();
    turned.arrange();
    (turned != *pairs).then(|| permuted(permute, turned))
}

fn permute_dropped(site: Site<'_>) -> Option<Change> {
    pairs(site)?;
    Some(Change::Value(site.operand(0)?))
}

/// A start index that was computed from this device's place.
fn slice_late(site: Site<'_>) -> Option<Change> {
    let Op::Dynamic(Dynamic::Slice { .. }) = site.op() else { return None };
    let computed = |at: &usize| matches!(site.operand_op(*at), Some(Op::Binary(BinaryOp::Multiply)));
    (1..site.body().operands.len()).find(computed).map(Change::Plus1)
}

/// The device's number in place of what the mesh's order says of it.
fn order_ignored(site: Site<'_>) -> Option<Change> {
    let Op::Movement(Movement::Reshape(_)) = site.op() else { return None };
    let looked_up = site.func.inst(site.operand_inst(0)?);
    let [_, device] = looked_up.operands[..] else { return None };
    let number = &site.func.inst(site.func.def_inst(device)?).op;
    (matches!(number, Op::Convert(Convert::To(_))) && looked_up.op.mnemonic() == "dynamic_slice")
        .then_some(Change::Value(device))
}

fn scalar_binary(site: Site<'_>, op: BinaryOp) -> Option<Change> {
    let is_scalar = operand_type(site)?.dims.is_empty();
    let value = site.operand(0)?;
    (*site.op() == Op::Binary(op) && is_scalar).then_some(Change::Value(value))
}

fn no_remainder(site: Site<'_>) -> Option<Change> {
    scalar_binary(site, BinaryOp::Remainder)
}

fn no_stride(site: Site<'_>) -> Option<Change> {
    scalar_binary(site, BinaryOp::Divide)
}

fn counted_everywhere(site: Site<'_>) -> Option<Change> {
    let first = |op: &Op| matches!(op, Op::Compare(Compare { direction: Direction::Eq, .. }));
    let is_choice =
        *site.op() == Op::Select && site.operand_is_added(0) && site.operand_op(0).is_some_and(first);
    Some(Change::Value(site.operand(1).filter(|_| is_choice)?))
}

/// A comparison of an index relative to this device's piece.
fn of_index(site: Site<'_>, from: Direction, to: Direction) -> Option<Change> {
    let Op::Compare(Compare { direction, kind }) = site.op() else { return None };
    let is_relative =
        matches!(site.operand_op(0)?, Op::Binary(BinaryOp::Subtract)) && site.operand_is_added(0);
    (*direction == from && is_relative)
        .then_some(Change::Op(Op::Compare(Compare { direction: to, kind: *kind })))
}

fn reaches_too_far(site: Site<'_>) -> Option<Change> {
    of_index(site, Direction::Lt, Direction::Le)
}

fn misses_first(site: Site<'_>) -> Option<Change> {
    of_index(site, Direction::Ge, Direction::Gt)
}

fn lookup_offset(site: Site<'_>) -> Option<Change> {
    Some(Change::Value(site.operand(0).filter(|_| *site.op() == Op::Binary(BinaryOp::Subtract))?))
}

fn rows_elsewhere(site: Site<'_>) -> Option<Change> {
    let is_masked = *site.op() == Op::Select && matches!(site.operand_op(1)?, Op::Gather(_));
    Some(Change::Value(site.operand(1).filter(|_| is_masked)?))
}

fn count_offset(site: Site<'_>) -> Option<Change> {
    let is_shifted = *site.op() == Op::Binary(BinaryOp::Add) && matches!(site.operand_op(0)?, Op::Iota(_));
    Some(Change::Value(site.operand(0).filter(|_| is_shifted)?))
}
