//! Derivatives of the edges of manual code: from whole values to pieces and back.
//!
//! The annotation of the whole says how it is cut. Devices that were given the same piece add up their cotangents; devices
//! that gave the same piece share it.

use crate::collective::apply;
use crate::tape::Tape;
use meshwright_ir::op::collective::Channel;
use meshwright_ir::op::{Collective, CollectiveKind, Groups, Op, ShardingOp};
use meshwright_ir::{Annotation, Editor, InstId, ValueId};
use meshwright_shard::axis::{difference, product};
use meshwright_shard::{HloShardingKind, Subgroup, TileDevices};

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
    let result = t.op(Op::Sharding(op), vec![x]);
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

/// Who has the same piece, where the annotation of the whole says how all devices cut it.
fn copies(t: &Tape<'_>, whole: Option<&Annotation>, piece: Option<&Annotation>) -> Option<Copies> {
    match whole? {
        Annotation::Mesh(whole) => {
            // Over the axes around it the whole is a piece itself.
            let manual = difference(&piece?.as_mesh()?.manual, &whole.manual);
            let used: Vec<_> = whole.dims.iter().flat_map(|dim| dim.axes.iter().copied()).collect();
            let axes = difference(&manual, &used);
            Some(Copies { size: product(&axes), groups: Groups::Axes { mesh: whole.mesh, axes } })
        }
        Annotation::Hlo(whole) => copies_of_tiles(t, &whole.kind),
    }
}

fn copies_of_tiles(t: &Tape<'_>, whole: &HloShardingKind) -> Option<Copies> {
    match whole {
        HloShardingKind::Replicated => Some(Copies { size: t.module.num_partitions?, groups: Groups::All }),
        HloShardingKind::Tiled { tiles, devices, subgroups, .. } => {
            if subgroups.iter().any(|kind| *kind != Subgroup::Replicated) {
                return None;
            }
            let (split, copies) = tiles.split_at(tiles.len().checked_sub(subgroups.len())?);
            let count = |tiles: &[i64]| tiles.iter().fold(1i64, |n, tile| n.saturating_mul(*tile));
            Some(Copies { size: count(copies), groups: groups(devices, count(split), count(copies)) })
        }
        HloShardingKind::Manual
        | HloShardingKind::Unknown
        | HloShardingKind::Unreduced
        | HloShardingKind::Maximal { .. }
        | HloShardingKind::Tuple(_)
        | HloShardingKind::Named(_) => None,
    }
}

/// Devices come tile by tile: those of one tile are a group.
fn groups(devices: &TileDevices, groups: i64, size: i64) -> Groups {
    match devices {
        TileDevices::Iota { reshape, transpose } => {
            Groups::Iota { groups, size, reshape: reshape.clone(), transpose: transpose.clone() }
        }
        TileDevices::List(list) => {
            let each = usize::try_from(size).unwrap_or(1).max(1);
            Groups::List(list.chunks(each).map(<[u32]>::to_vec).collect())
        }
    }
}
