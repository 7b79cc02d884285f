//! Manual regions: some axes are the program's own business, with collectives over them.
//!
//! Results must not depend on which of several devices is asked: an axis over which a value differs has to split it at
//! the region's edge, or be reduced or gathered away inside.

use super::{Family, PLAIN, one_op};
use crate::build::{Gen, Info, Val, Want, axis_bit};
use meshwright_base::arrange::Arrange;
use meshwright_ir::Op;
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{BinaryOp, Collective, CollectiveKind, Groups, ManualComputation, ShardingOp};
use meshwright_shard::axis::canonical_set;
use meshwright_shard::{AxisRef, DimSharding, Sharding};

/// Collectives over manual axes.
const COLLECTIVES: &[Family] = &[
    ("all_reduce", all_reduce),
    ("all_gather", all_gather),
    ("reduce_scatter", reduce_scatter),
    ("all_to_all", all_to_all),
    ("permute", permute),
];

pub fn region(g: &mut Gen) -> Option<()> {
    if !g.manual.is_empty() || g.depth > 1 {
        return None;
    }
    let axes = manual_axes(g);
    let operands: Vec<Val> = (0..1 + g.choices.index(2)).map(|_| g.operand(Want::Any, 0, 3)).collect();
    let mut in_shardings = Vec::new();
    let mut inside = Vec::new();
    for operand in &operands {
        let sharding = edge(g, &operand.ty.dims, &axes, true);
        inside.push(local(operand, &sharding, &axes));
        in_shardings.push(sharding);
    }
    let (body, params) = g.region(&inside);
    g.manual = axes.clone();
    g.enter(body, true);
    params.iter().for_each(|param| g.offer(param.clone()));
    some_local_ops(g);
    let outs = results(g, &axes, true);
    g.leave();
    g.manual.clear();
    let (results, out_shardings): (Vec<Val>, Vec<Sharding>) = outs.into_iter().unzip();
    if results.is_empty() {
        return None;
    }
    g.returns(body, &results);
    let bounds: Vec<f64> = results.iter().map(|value| value.info.bound).collect();
    let exact = results.iter().all(|value| value.info.exact);
    let like = Info { exact, varying: 0, bound: 0.0 };
    let manual = ManualComputation { mesh: g.mesh, axes, in_shardings, out_shardings };
    let op = Op::Sharding(ShardingOp::Manual(manual));
    let operands: Vec<&Val> = operands.iter().collect();
    g.emit_as(op, &operands, vec![body], &bounds, like).map(|_| ())
}

fn some_local_ops(g: &mut Gen) {
    for _ in 0..1 + g.choices.index(3) {
        let families = if g.choices.chance(40) { COLLECTIVES } else { PLAIN };
        one_op(g, families);
    }
}

/// The same without a region: values become local at FullToShard and global again at ShardToFull.
pub fn edges(g: &mut Gen) -> Option<()> {
    if !g.manual.is_empty() || g.depth > 0 {
        return None;
    }
    let axes = manual_axes(g);
    let mut inside = Vec::new();
    for _ in 0..1 + g.choices.index(2) {
        let x = g.operand(Want::Any, 1, 3);
        inside.push(to_shard(g, &x, &axes)?);
    }
    g.manual = axes.clone();
    g.enter(g.block(), true);
    inside.iter().for_each(|value| g.offer(value.clone()));
    some_local_ops(g);
    let outs = results(g, &axes, false);
    g.leave();
    g.manual.clear();
    for (value, sharding) in outs {
        to_full(g, &value, sharding, &axes);
    }
    Some(())
}

/// Annotated outside with how it is cut, inside as local.
fn to_shard(g: &mut Gen, x: &Val, axes: &[AxisRef]) -> Option<Val> {
    let sharding = edge(g, &x.ty.dims, axes, false);
    let local = local(x, &sharding, axes);
    let split = Op::Sharding(ShardingOp::Constraint { unspecified: Vec::new() });
    let split = g.emit(split, &[x], x.info.bound)?;
    g.annotate(split.id, sharding);
    let op = Op::Sharding(ShardingOp::FullToShard { unspecified: Vec::new(), shape: local.ty.dims.clone() });
    let inside = g.emit_as(op, &[&split], Vec::new(), &[x.info.bound], local.info)?.pop()?;
    g.annotate(inside.id, manual_over(g, inside.ty.rank(), axes));
    g.withdraw(inside.id);
    Some(inside)
}

fn to_full(g: &mut Gen, x: &Val, sharding: Sharding, axes: &[AxisRef]) -> Option<()> {
    let local = Op::Sharding(ShardingOp::Constraint { unspecified: Vec::new() });
    let x = &g.emit(local, &[x], x.info.bound)?;
    g.annotate(x.id, manual_over(g, x.ty.rank(), axes));
    g.withdraw(x.id);
    let tiles = sharding.tiles();
    let shape: Vec<i64> = x.ty.dims.iter().zip(tiles).map(|(size, tiles)| size * tiles).collect();
    let op = Op::Sharding(ShardingOp::ShardToFull { unspecified: Vec::new(), shape });
    let like = Info { varying: 0, ..x.info };
    let whole = g.emit_as(op, &[x], Vec::new(), &[x.info.bound], like)?.pop()?;
    g.annotate(whole.id, sharding);
    Some(())
}

fn manual_over(g: &Gen, rank: usize, axes: &[AxisRef]) -> Sharding {
    Sharding { manual: canonical_set(axes), ..Sharding::replicated(g.mesh, rank) }
}

/// At least one axis of the mesh.
fn manual_axes(g: &mut Gen) -> Vec<AxisRef> {
    let all = g.mesh().whole_axes();
    let one = g.choices.index(all.len());
    let more = g.choices.some_of(all.len(), 40);
    (0..all.len()).filter(|at| *at == one || more.contains(at)).map(|at| all[at]).collect()
}

/// How a global value is cut at the region's edge: manual axes on dims they divide, then now and then free axes.
fn edge(g: &mut Gen, dims: &[i64], axes: &[AxisRef], more: bool) -> Sharding {
    let mut sharding = Sharding::replicated(g.mesh, dims.len());
    let mut left = dims.to_vec();
    for axis in g.choices.shuffled(axes.to_vec()) {
        let fits: Vec<usize> = (0..dims.len()).filter(|dim| left[*dim] % axis.size == 0).collect();
        if !fits.is_empty() && g.choices.chance(80) {
            let dim = g.choices.pick(&fits);
            left[dim] /= axis.size;
            sharding.dims[dim].axes.push(axis);
        }
    }
    if more {
        free_axes(g, &mut sharding, axes);
    }
    sharding
}

/// Now and then the axes that are not manual split dims further.
fn free_axes(g: &mut Gen, sharding: &mut Sharding, manual: &[AxisRef]) {
    if !g.choices.chance(25) || sharding.dims.is_empty() {
        return;
    }
    for axis in g.mesh().whole_axes() {
        if !manual.contains(&axis) && g.choices.chance(50) {
            let dim = g.choices.index(sharding.dims.len());
            sharding.dims[dim].axes.push(axis);
        }
    }
}

/// Tiles of a dim over manual axes.
fn manual_tiles(dim: &DimSharding, axes: &[AxisRef]) -> i64 {
    dim.axes.iter().filter(|axis| axes.contains(axis)).map(|axis| axis.size).product()
}

/// A value as the region sees it.
fn local(value: &Val, sharding: &Sharding, axes: &[AxisRef]) -> Val {
    let dims: Vec<i64> =
        value.ty.dims.iter().zip(&sharding.dims).map(|(size, dim)| size / manual_tiles(dim, axes)).collect();
    let split = sharding.dims.iter().flat_map(|dim| &dim.axes).filter(|axis| axes.contains(axis));
    let varying = split.fold(0, |all, axis| all | axis_bit(*axis));
    Val { ty: value.ty.with_dims(dims), info: Info { varying, ..value.info }, ..value.clone() }
}

/// What the region returns, with how each is put together outside.
fn results(g: &mut Gen, axes: &[AxisRef], more: bool) -> Vec<(Val, Sharding)> {
    let wanted = 1 + g.choices.index(2);
    let mut out = Vec::new();
    for _ in 0..wanted {
        let known: Vec<Val> = g.visible().to_vec();
        if known.is_empty() {
            break;
        }
        let back = g.choices.index(known.len()).min(g.choices.index(known.len()));
        let value = known[known.len() - 1 - back].clone();
        if let Some(sharding) = put_together(g, &value, axes, more) {
            out.push((value, sharding));
        }
    }
    out
}

/// Every axis a value differs over splits some dim; others may too (the same piece again).
fn put_together(g: &mut Gen, value: &Val, axes: &[AxisRef], more: bool) -> Option<Sharding> {
    let rank = value.ty.rank();
    let mut sharding = Sharding::replicated(g.mesh, rank);
    let mut elements = value.ty.elements();
    for axis in g.choices.shuffled(axes.to_vec()) {
        let needed = value.info.varying & axis_bit(axis) != 0;
        if needed && rank == 0 {
            return None;
        }
        if needed || (rank > 0 && g.choices.chance(15)) {
            let dim = g.choices.index(rank);
            sharding.dims[dim].axes.push(axis);
            elements *= axis.size;
        }
    }
    if more {
        free_axes(g, &mut sharding, axes);
    }
    (elements <= crate::build::MOST_ELEMENTS).then_some(sharding)
}

/// One or all of the manual axes, as groups.
fn groups(g: &mut Gen) -> (Vec<AxisRef>, Groups, i64) {
    let all = g.manual.clone();
    let axes = if all.len() > 1 && g.choices.chance(50) {
        g.choices.shuffled(all)
    } else {
        vec![g.choices.pick(&all)]
    };
    let size = axes.iter().map(|axis| axis.size).product();
    let named = Groups::Axes { mesh: g.mesh, axes: axes.clone() };
    let groups = if g.choices.chance(30) { listed(g, &axes) } else { named };
    (axes, groups, size)
}

/// The same groups as lists of devices.
fn listed(g: &Gen, axes: &[AxisRef]) -> Groups {
    use meshwright_shard::placement::index_along;
    let mesh = g.mesh();
    let others = meshwright_shard::axis::difference(&mesh.whole_axes(), axes);
    let mut members: Vec<(i64, i64, u32)> = (0..mesh.device_count())
        .filter_map(|at| {
            Some((index_along(mesh, &others, at), index_along(mesh, axes, at), mesh.device_at(at)?.number()))
        })
        .collect();
    members.arrange();
    let size = axes.iter().map(|axis| axis.size).product::<i64>().max(1) as usize;
    Groups::List(members.chunks(size).map(|group| group.iter().map(|member| member.2).collect()).collect())
}

fn collective(kind: CollectiveKind, groups: Groups, group_size: i64) -> Op {
    let channel = Channel { id: Some(1), kind: 1, use_global_device_ids: true };
    Op::Collective(Collective { kind, groups, group_size, channel, wide: None })
}

/// Over which axes a result still differs.
fn bits(axes: &[AxisRef]) -> u32 {
    axes.iter().fold(0, |all, axis| all | axis_bit(*axis))
}

fn all_reduce(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 0, 3);
    let (axes, groups, size) = groups(g);
    let op = g.choices.pick(&[BinaryOp::Add, BinaryOp::Maximum, BinaryOp::Minimum]);
    let bound = if op == BinaryOp::Add { x.info.bound * size as f64 } else { x.info.bound };
    let region = g.reducer(op, x.ty.dtype);
    let like = Info { varying: x.info.varying & !bits(&axes), ..x.info };
    let op = collective(CollectiveKind::AllReduce, groups, size);
    g.emit_as(op, &[&x], vec![region], &[bound], like).map(|_| ())
}

fn all_gather(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let (axes, groups, size) = groups(g);
    let dim = g.choices.index(x.ty.rank());
    let like = Info { varying: x.info.varying & !bits(&axes), ..x.info };
    let op = collective(CollectiveKind::AllGather { dim }, groups, size);
    g.emit_as(op, &[&x], Vec::new(), &[x.info.bound], like).map(|_| ())
}

fn reduce_scatter(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Number, 1, 3);
    let (axes, groups, size) = groups(g);
    let fits: Vec<usize> = (0..x.ty.rank()).filter(|dim| x.ty.dims[*dim] % size == 0).collect();
    if fits.is_empty() {
        return None;
    }
    let dim = g.choices.pick(&fits);
    let region = g.reducer(BinaryOp::Add, x.ty.dtype);
    let like = Info { varying: x.info.varying | bits(&axes), ..x.info };
    let op = collective(CollectiveKind::ReduceScatter { dim }, groups, size);
    g.emit_as(op, &[&x], vec![region], &[x.info.bound * size as f64], like).map(|_| ())
}

fn all_to_all(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 1, 3);
    let (axes, groups, size) = groups(g);
    let fits: Vec<usize> = (0..x.ty.rank()).filter(|dim| x.ty.dims[*dim] % size == 0).collect();
    if fits.is_empty() {
        return None;
    }
    let split_dim = g.choices.pick(&fits);
    let concat_dim = g.choices.index(x.ty.rank());
    let like = Info { varying: x.info.varying | bits(&axes), ..x.info };
    let op = collective(CollectiveKind::AllToAll { split_dim, concat_dim, split_count: size }, groups, size);
    g.emit_as(op, &[&x], Vec::new(), &[x.info.bound], like).map(|_| ())
}

/// Every device sends to its next along one axis, in a ring or with open ends.
fn permute(g: &mut Gen) -> Option<()> {
    let x = g.operand(Want::Any, 0, 3);
    let axes = g.manual.clone();
    let axis = g.choices.pick(&axes);
    let is_ring = !g.choices.chance(40);
    let pairs = neighbours(g, axis, is_ring);
    let like = Info { varying: x.info.varying | axis_bit(axis), ..x.info };
    let op = collective(CollectiveKind::Permute { pairs }, Groups::All, 1);
    g.emit_as(op, &[&x], Vec::new(), &[x.info.bound], like).map(|_| ())
}

fn neighbours(g: &Gen, axis: AxisRef, is_ring: bool) -> Vec<(u32, u32)> {
    let mesh = g.mesh();
    let next = |at: i64| {
        let mut place = mesh.coordinates(at);
        let along = place.get_mut(meshwright_base::Id::index(axis.axis))?;
        let is_last = *along + 1 == axis.size;
        *along = (*along + 1) % axis.size;
        (is_ring || !is_last).then(|| mesh.position_at(&place))
    };
    let pair = |at: i64| Some((mesh.device_at(at)?.number(), mesh.device_at(next(at)?)?.number()));
    (0..mesh.device_count()).filter_map(pair).collect()
}
