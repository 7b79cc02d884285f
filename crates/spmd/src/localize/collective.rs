//! Reshard steps become collectives on local values.

use crate::localize::emit::{Emit, devices};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{CollectiveKind, ReshardOp};
use meshwright_ir::{Build, Literal, Op, ValueId};
use meshwright_shard::placement::index_along;
use meshwright_shard::{AxisRef, Meshes, Reducer, Sharding};

/// The local form of one reshard step from one sharding to another.
pub fn localize(
    emit: &mut Emit<'_, '_>,
    step: &ReshardOp,
    value: ValueId,
    from: &Sharding,
    to: &Sharding,
) -> ValueId {
    let mesh = from.mesh;
    match step {
        ReshardOp::Any => value,
        ReshardOp::AllGather { axes } => each_dim(axes).fold(value, |value, (dim, axes)| {
            emit.collective(CollectiveKind::AllGather { dim }, mesh, axes, value, None)
        }),
        ReshardOp::AllSlice { axes } => emit.slice_by_axes(value, to.mesh, axes),
        ReshardOp::AllToAll { moves } => moves.iter().fold(value, |value, step| {
            let split_count = crate::axes::tiles(&step.axes);
            let kind = CollectiveKind::AllToAll { split_dim: step.to, concat_dim: step.from, split_count };
            emit.collective(kind, mesh, &step.axes, value, None)
        }),
        ReshardOp::Permute => permute(emit, value, from, to),
        ReshardOp::AllReduce { axes, reducer } => {
            emit.collective(CollectiveKind::AllReduce, mesh, axes, value, Some(*reducer))
        }
        ReshardOp::ReduceScatter { axes, reducer } => each_dim(axes).fold(value, |value, (dim, axes)| {
            emit.collective(CollectiveKind::ReduceScatter { dim }, mesh, axes, value, Some(*reducer))
        }),
        ReshardOp::ToPartial { axes, reducer } => to_partial(emit, value, to, axes, *reducer),
    }
}

fn each_dim(axes: &[Vec<AxisRef>]) -> impl Iterator<Item = (usize, &Vec<AxisRef>)> {
    axes.iter().enumerate().filter(|(_, axes)| !axes.is_empty())
}

/// Keep the value on the first device along the axes, the identity elsewhere.
fn to_partial(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    to: &Sharding,
    axes: &[AxisRef],
    reducer: Reducer,
) -> ValueId {
    let ty = emit.tensor(value);
    let identity = Literal::identity(reducer, ty.clone());
    if is_constant(emit, value, &identity) || matches!(reducer, Reducer::Min | Reducer::Max) {
        return value;
    }
    let first = emit.is_first(to.mesh, axes);
    let identity = emit.constant(identity);
    emit.select(first, value, identity)
}

fn is_constant(emit: &Emit<'_, '_>, value: ValueId, literal: &meshwright_ir::Literal) -> bool {
    let func = emit.func();
    func.def_inst(value).is_some_and(|inst| match &func.inst(inst).op {
        Op::Constant(constant) => constant.0 == *literal || (constant.0.is_zero() && literal.is_zero()),
        _ => false,
    })
}

fn permute(emit: &mut Emit<'_, '_>, value: ValueId, from: &Sharding, to: &Sharding) -> ValueId {
    let pairs = permute_pairs(emit.meshes, from, to);
    if pairs.iter().all(|(source, target)| source == target) {
        return value;
    }
    emit.collective(CollectiveKind::Permute { pairs }, from.mesh, &[], value, None)
}

/// Who sends to whom so that every device gets its tile of the target layout. A device that holds its tile already
/// keeps it; the others are matched in mesh order. Expanded here, at the very end.
pub fn permute_pairs(meshes: &Meshes, from: &Sharding, to: &Sharding) -> Vec<(u32, u32)> {
    let (source_mesh, target_mesh) = (&meshes[from.mesh], &meshes[to.mesh]);
    let axes = |sharding: &Sharding| -> Vec<AxisRef> {
        // Partial and manual axes tell values apart too: they must not be mixed up.
        let dims = sharding.dims.iter().flat_map(|dim| dim.axes.clone());
        dims.chain(sharding.partial.clone()).chain(sharding.manual.clone()).collect()
    };
    let (source_axes, target_axes) = (axes(from), axes(to));
    let tiles = |mesh, axes: &[AxisRef]| -> Vec<(u32, i64)> {
        let list = devices(mesh).into_iter().enumerate();
        list.map(|(position, device)| (device, index_along(mesh, axes, position as i64))).collect()
    };
    let sources = tiles(source_mesh, &source_axes);
    let targets = tiles(target_mesh, &target_axes);
    let mut has: Vec<(u32, i64)> = sources.clone();
    has.arrange();
    let tile_of = |device: u32| has.binary_search_by_key(&device, |(d, _)| *d).ok().map(|at| has[at].1);
    let mut pairs = Vec::new();
    let mut free: Vec<(i64, u32)> = Vec::new();
    let mut open: Vec<(i64, u32)> = Vec::new();
    for (device, tile) in &targets {
        if tile_of(*device) == Some(*tile) {
            pairs.push((*device, *device))
        } else {
            open.push((*tile, *device))
        }
    }
    for (device, tile) in &sources {
        let stays = pairs.iter().any(|(_, target)| target == device);
        if !stays {
            free.push((*tile, *device));
        }
    }
    free.arrange();
    open.arrange();
    pairs.extend(free.into_iter().zip(open).map(|((_, source), (_, target))| (source, target)));
    pairs.arrange();
    pairs
}
