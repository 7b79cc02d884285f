//! Derivatives of the edges of manual code: from whole values to pieces and back.
//!
//! The annotation of the whole says how it is cut. Devices that were given the same piece add up their cotangents;
//! devices that gave the same piece share it.

use crate::collective::apply;
use crate::tape::Tape;
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{Collective, CollectiveKind, Groups, Op, ShardingOp};
use meshwright_ir::{Annotation, Build, Editor, InstId, ValueId};
use meshwright_shard::axis::{difference, product};
use meshwright_shard::{HloSharding, HloShardingKind, Sharding, export, import_all};

/// Devices with the same piece of a value.
struct Copies {
    groups: Groups,
    size: i64,
}

/// The derivative of cutting a whole into pieces: pieces are put together.
pub(crate) fn to_shard(t: &mut Tape<'_>, inst: InstId, unspecified: &[usize], c: ValueId) {
    let (operand, result) = (t.func.inst(inst).operands[0], t.func.inst(inst).results[0]);
    let (whole, piece) = (t.func.value(operand).sharding.clone(), t.func.value(result).sharding.clone());
    let Some(copies) = copies(t, whole.as_ref(), piece.as_ref()) else { return t.no_derivative(inst) };
    let sum = all_reduce(t, copies, c);
    let local = annotated(t, ShardingOp::Constraint { unspecified: Vec::new() }, sum, piece);
    let shape = t.func.dims(operand).to_vec();
    let back = ShardingOp::ShardToFull { unspecified: unspecified.to_vec(), shape };
    let given = annotated(t, back, local, whole);
    t.pull(operand, given);
}

/// The derivative of putting pieces together: the cotangent is cut.
pub(crate) fn to_full(t: &mut Tape<'_>, inst: InstId, unspecified: &[usize], c: ValueId) {
    let (operand, result) = (t.func.inst(inst).operands[0], t.func.inst(inst).results[0]);
    let (piece, whole) = (t.func.value(operand).sharding.clone(), t.func.value(result).sharding.clone());
    let Some(copies) = copies(t, whole.as_ref(), piece.as_ref()) else { return t.no_derivative(inst) };
    let share = if copies.size == 1 { c } else { t.scale(c, 1.0 / copies.size as f64) };
    let full = annotated(t, ShardingOp::Constraint { unspecified: Vec::new() }, share, whole);
    let shape = t.func.dims(operand).to_vec();
    let cut = ShardingOp::FullToShard { unspecified: unspecified.to_vec(), shape };
    let given = annotated(t, cut, full, piece);
    t.pull(operand, given);
}

fn annotated(t: &mut Tape<'_>, op: ShardingOp, x: ValueId, sharding: Option<Annotation>) -> ValueId {
    let result = t.push(Op::Sharding(op), vec![x]);
    Editor::new(&mut t.func).set_sharding(result, sharding);
    result
}

fn all_reduce(t: &mut Tape<'_>, copies: Copies, x: ValueId) -> ValueId {
    if copies.size == 1 {
        return x;
    }
    let sum = Collective {
        kind: CollectiveKind::AllReduce,
        groups: copies.groups,
        group_size: copies.size,
        channel: Channel { id: Some(1), kind: 1, use_global_device_ids: true },
        wide: None,
    };
    apply(t, &sum, x)
}

/// Who has the same piece, where the annotations say how all devices cut the whole.
fn copies(t: &mut Tape<'_>, whole: Option<&Annotation>, piece: Option<&Annotation>) -> Option<Copies> {
    let (whole, piece) = match (whole?, piece) {
        (Annotation::Mesh(whole), Some(Annotation::Mesh(piece))) => {
            (Sharding::clone(whole), Sharding::clone(piece))
        }
        (whole, piece) => {
            let everywhere = HloSharding::new(HloShardingKind::Manual);
            let whole = in_tiles(t, whole)?;
            let piece = piece.map_or(Some(everywhere), |piece| in_tiles(t, piece))?;
            over_one_mesh(t, &whole, &piece)?
        }
    };
    // Over the axes around it the whole is a piece itself.
    let manual = difference(&piece.manual, &whole.manual);
    let used: Vec<_> = whole.dims.iter().flat_map(|dim| dim.axes.iter().copied()).collect();
    let axes = difference(&manual, &used);
    Some(Copies { size: product(&axes), groups: Groups::Axes { mesh: whole.mesh, axes } })
}

/// The sharding in HLO's form.
fn in_tiles(t: &Tape<'_>, annotation: &Annotation) -> Option<HloSharding> {
    match annotation {
        Annotation::Mesh(sharding) => Some(export(sharding, t.module.meshes.get(sharding.mesh)?)),
        Annotation::Hlo(sharding) => Some(HloSharding::clone(sharding)),
    }
}

/// Both, as shardings over one mesh of the module. What is replicated or manual everywhere is so on any.
fn over_one_mesh(t: &mut Tape<'_>, whole: &HloSharding, piece: &HloSharding) -> Option<(Sharding, Sharding)> {
    let devices = t.module.num_partitions.or(whole.device_count()).or(piece.device_count())?;
    let both = [(whole, rank(whole)), (piece, rank(piece))];
    let meshes = &mut t.module.meshes;
    let mut found = import_all(&both, devices, meshes).ok()?.into_iter();
    let (mut whole, mut piece) = (found.next()?, found.next()?);
    if whole.mesh != piece.mesh && both[0].0.kind == HloShardingKind::Replicated {
        whole = Sharding::replicated(piece.mesh, 0);
    }
    if whole.mesh != piece.mesh && both[1].0.kind == HloShardingKind::Manual {
        piece = Sharding { manual: meshes[whole.mesh].whole_axes(), ..Sharding::replicated(whole.mesh, 0) };
    }
    (whole.mesh == piece.mesh).then_some((whole, piece))
}

/// The rank of the values such a sharding is for; any, where it does not say.
fn rank(sharding: &HloSharding) -> usize {
    match &sharding.kind {
        HloShardingKind::Tiled { tiles, subgroups, .. } => tiles.len().saturating_sub(subgroups.len()),
        HloShardingKind::Named(named) => named.1.rank(),
        HloShardingKind::Replicated
        | HloShardingKind::Manual
        | HloShardingKind::Unknown
        | HloShardingKind::Unreduced
        | HloShardingKind::Maximal { .. }
        | HloShardingKind::Tuple(_) => 0,
    }
}
