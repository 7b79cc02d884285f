//! Halo exchange: every device gets its own interval of a split dim.
//!
//! The one primitive behind windows, padding, slices, concatenations and reversals. What is sent to whom is decided in
//! [`Exchange::plan`]; here it is written down:
//!
//! ```text
//! run = concatenate(pieces from the left, own, pieces from the right)       one collective permute each, zeros round it
//! dynamic_slice(run, offset of this tile, width)
//! select(position < size, slice, fill)                                      where somebody would see what is not there
//! ```

use crate::exchange::interval::{Exchange, Need, Piece, Source, Takers, keeps};
use crate::localize::emit::{Emit, devices, stride};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{BinaryOp, CollectiveKind, Direction, Pad};
use meshwright_ir::{Build, DType, Literal, Op, TensorType, ValueId};
use meshwright_shard::placement::index_along;
use meshwright_shard::{AxisRef, Dim, Mesh, MeshId, Sharding};

/// What elements that the dim does not have look like to the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Nobody looks at them.
    Anything,
    Zero,
    /// A scalar.
    Scalar(ValueId),
}

/// The devices that share a dim: its mesh and axes.
#[derive(Clone, Copy)]
pub struct Along<'a> {
    pub mesh: MeshId,
    pub axes: &'a [AxisRef],
}

/// The first of these dims that is split.
pub fn along<'a>(dims: &[(&'a Sharding, Dim)]) -> Option<Along<'a>> {
    let split = dims.iter().find(|(sharding, dim)| !sharding.dims[*dim].axes.is_empty())?;
    Some(Along { mesh: split.0.mesh, axes: &split.0.dims[split.1].axes })
}

/// This device's interval of a dim, `need.width` elements of it.
pub fn exchange(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    source: Source,
    need: Need,
    fill: Fill,
) -> ValueId {
    let stays = keeps(source, need);
    if stays && (fill == Fill::Anything || source.size == source.tiles.get().saturating_mul(source.piece)) {
        return value;
    }
    let interval =
        if stays { value } else { assemble(emit, value, dim, along, &Exchange::plan(source, need)) };
    mask(emit, interval, dim, along, source, need, fill)
}

/// The own piece of a dim, with the fill where the whole has nothing.
pub fn own(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    source: Source,
    fill: Fill,
) -> ValueId {
    exchange(emit, value, dim, along, source, Need::linear(source.piece, 0, source.piece), fill)
}

/// A yes (1) or no (0) that depends on the tile this device has.
pub fn flag(emit: &mut Emit<'_, '_>, along: Along<'_>, values: &[i64]) -> ValueId {
    let value = per_tile(emit, along, values);
    let one = emit.splat_int(&TensorType::scalar(DType::S32), 1);
    emit.compare(Direction::Eq, value, one)
}

fn assemble(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    exchange: &Exchange,
) -> ValueId {
    let mut parts: Vec<ValueId> = Vec::new();
    for piece in &exchange.pieces {
        parts.push(fetch(emit, value, dim, along, piece, exchange.offsets.len() as i64));
    }
    let run = match parts[..] {
        [] => emit.slice_dim(value, dim, 0..0),
        _ => emit.concatenate(parts, dim),
    };
    let run = pad(emit, run, dim, [exchange.low, 0, exchange.high], Fill::Zero);
    cut(emit, run, dim, along, &exchange.offsets, exchange.width)
}

/// One permute per round; a device takes the round it is in, and zeros if it is in none.
fn fetch(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    piece: &Piece,
    tiles: i64,
) -> ValueId {
    let Takers::Others { own, rounds } = &piece.takers else {
        return emit.slice_dim(value, dim, piece.from..piece.to);
    };
    let mut fetched = None;
    for round in rounds {
        let sent = emit.slice_dim(value, dim, round.from..round.to);
        let pairs = pairs(&emit.meshes[along.mesh], along.axes, &round.pairs);
        let got = emit.collective(CollectiveKind::Permute { pairs }, along.mesh, &[], sent, None);
        let around = [round.from - piece.from, 0, piece.to - round.to];
        let got = pad(emit, got, dim, around, Fill::Zero);
        fetched = Some(match fetched {
            None => got,
            Some(before) => {
                let targets: Vec<i64> = round.pairs.iter().map(|(_, target)| *target).collect();
                only_on(emit, along, tiles, &targets, got, before)
            }
        });
    }
    let mut ty = emit.tensor(value);
    ty.dims[dim] = piece.to - piece.from;
    let fetched = fetched.unwrap_or_else(|| emit.splat_int(&ty, 0));
    if own.is_empty() {
        return fetched;
    }
    let here = emit.slice_dim(value, dim, piece.from..piece.to);
    only_on(emit, along, tiles, own, here, fetched)
}

/// One value on some tiles, another on the others.
fn only_on(
    emit: &mut Emit<'_, '_>,
    along: Along<'_>,
    tiles: i64,
    targets: &[i64],
    there: ValueId,
    elsewhere: ValueId,
) -> ValueId {
    let values: Vec<i64> = (0..tiles).map(|tile| i64::from(targets.contains(&tile))).collect();
    let is_there = flag(emit, along, &values);
    emit.select(is_there, there, elsewhere)
}

/// `width` elements from this tile's offset on.
pub fn cut(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    offsets: &[i64],
    width: i64,
) -> ValueId {
    let mut sizes = emit.tensor(value).dims;
    let is_same = offsets.windows(2).all(|pair| pair[0] == pair[1]);
    if is_same {
        let from = offsets.first().copied().unwrap_or(0);
        return emit.slice_dim(value, dim, from..from + width);
    }
    sizes[dim] = width;
    let zero = emit.splat_int(&TensorType::scalar(DType::S32), 0);
    let mut starts = vec![zero; sizes.len()];
    starts[dim] = per_tile(emit, along, offsets);
    emit.dynamic_slice(value, &starts, &sizes)
}

/// Put the fill where the interval shows what the dim does not have.
fn mask(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    along: Along<'_>,
    source: Source,
    need: Need,
    fill: Fill,
) -> ValueId {
    let starts: Vec<i64> = source.tiles.each().map(|tile| need.start(tile)).collect();
    let (before, behind) = (
        starts.iter().any(|start| *start < 0),
        starts.iter().any(|start| start.saturating_add(need.width) > source.end()),
    );
    // What no device holds arrives as zeros; only padding of the last shards does not.
    let held = if source.is_split { source.tiles.get() * source.piece } else { source.piece };
    let (before, behind) = match fill {
        Fill::Anything => (false, false),
        Fill::Zero => (false, behind && held > source.size),
        Fill::Scalar(_) => (before, behind),
    };
    if !(before || behind) || need.width == 0 {
        return value;
    }
    let ty = emit.tensor(value);
    let index = ty.with_dtype(DType::S32);
    let iota = emit.iota(index.dtype, &index.dims, dim);
    let start = per_tile(emit, along, &starts);
    let start = emit.broadcast(start, Vec::new(), &ty.dims);
    let position = emit.binary(BinaryOp::Add, iota, start);
    let mut test = |direction, bound| {
        let bound = emit.splat_int(&index, bound);
        emit.compare(direction, position, bound)
    };
    let keep = match (before, behind) {
        (true, false) => test(Direction::Ge, 0),
        (false, _) => test(Direction::Lt, source.size),
        (true, true) => {
            let (from, to) = (test(Direction::Ge, 0), test(Direction::Lt, source.size));
            emit.binary(BinaryOp::And, from, to)
        }
    };
    let filler = filler(emit, fill, &ty);
    emit.select(keep, value, filler)
}

/// A scalar as a fill: zeros come by themselves.
pub fn fill_of(emit: &Emit<'_, '_>, scalar: ValueId) -> Fill {
    let func = emit.func();
    match func.def_inst(scalar).map(|inst| &func.inst(inst).op) {
        Some(Op::Constant(constant)) if is_plain_zero(&constant.0) => Fill::Zero,
        _ => Fill::Scalar(scalar),
    }
}

/// Zero as permutes leave it: not a negative one.
fn is_plain_zero(literal: &Literal) -> bool {
    literal.as_splat().is_some_and(|element| element.iter().all(|byte| *byte == 0))
}

fn filler(emit: &mut Emit<'_, '_>, fill: Fill, ty: &TensorType) -> ValueId {
    match fill {
        Fill::Scalar(scalar) => emit.broadcast(scalar, Vec::new(), &ty.dims),
        Fill::Anything | Fill::Zero => emit.splat_int(ty, 0),
    }
}

/// A number that depends on the tile this device has: a constant, a linear function of the tile's number, or looked up.
pub fn per_tile(emit: &mut Emit<'_, '_>, along: Along<'_>, values: &[i64]) -> ValueId {
    let scalar = TensorType::scalar(DType::S32);
    let first = values.first().copied().unwrap_or(0);
    let step = values.get(1).map_or(0, |second| second - first);
    if step == 0 && values.iter().all(|value| *value == first) {
        return emit.splat_int(&scalar, first);
    }
    let index = emit.axis_index(along.mesh, along.axes);
    let is_linear = values.windows(2).all(|pair| pair[1] - pair[0] == step);
    if !is_linear {
        let table = emit.vector(DType::S32, values);
        let entry = emit.dynamic_slice(table, &[index], &[1]);
        return emit.reshape(entry, &[]);
    }
    let step = emit.splat_int(&scalar, step);
    let scaled = emit.binary(BinaryOp::Multiply, index, step);
    if first == 0 {
        return scaled;
    }
    let first = emit.splat_int(&scalar, first);
    emit.binary(BinaryOp::Add, scaled, first)
}

/// Pairs of devices for pairs of tiles along some axes, everything else being equal.
pub fn pairs(mesh: &Mesh, axes: &[AxisRef], tiles: &[(i64, i64)]) -> Vec<(u32, u32)> {
    let devices = devices(mesh);
    let mut by_target: Vec<(i64, i64)> = tiles.iter().map(|(source, target)| (*target, *source)).collect();
    by_target.arrange();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (position, device) in devices.iter().enumerate() {
        let tile = index_along(mesh, axes, position as i64);
        let Ok(at) = by_target.binary_search_by_key(&tile, |(target, _)| *target) else { continue };
        let source = position as i64 + place(mesh, axes, by_target[at].1) - place(mesh, axes, tile);
        if let Some(source) = usize::try_from(source).ok().and_then(|source| devices.get(source)) {
            pairs.push((*source, *device));
        }
    }
    pairs.arrange();
    pairs
}

/// How far a tile along some axes stands from tile 0 in mesh order.
fn place(mesh: &Mesh, axes: &[AxisRef], mut tile: i64) -> i64 {
    let mut place = 0;
    for axis in axes.iter().rev() {
        place += tile % axis.size * stride(mesh, axis);
        tile /= axis.size;
    }
    place
}

/// `[low, interior, high]` elements before, between and after those of a dim; negative edges crop.
pub fn pad(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: Dim,
    [low, interior, high]: [i64; 3],
    fill: Fill,
) -> ValueId {
    let ty = emit.tensor(value);
    let zeros = || vec![0; ty.rank()];
    let mut op = Pad { low: zeros(), interior: zeros(), high: zeros() };
    let between = if ty.dims[dim] <= 1 { 0 } else { interior };
    (op.low[dim], op.interior[dim], op.high[dim]) = (low, between, high);
    match fill {
        Fill::Scalar(scalar) => emit.pad_with(value, scalar, op),
        Fill::Anything | Fill::Zero => emit.pad(value, op),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_stay_within_the_other_axes() {
        use meshwright_shard::{Axis, AxisId};
        let axis = |name: &str, size| Axis { name: name.into(), size };
        let mesh =
            Mesh { name: "m".into(), axes: [axis("x", 2), axis("y", 3)].into_iter().collect(), order: None };
        let y = AxisRef { axis: <AxisId as meshwright_base::Id>::from_index(1), pre: 1, size: 3 };
        assert_eq!(pairs(&mesh, &[y], &[(0, 1), (1, 2)]), [(0, 1), (1, 2), (3, 4), (4, 5)]);
    }
}
