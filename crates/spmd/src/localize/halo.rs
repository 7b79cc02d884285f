//! Halo exchange: every device gets its own interval of a split dim.
//!
//! The one primitive behind windows, padding, slices, concatenations and reversals. The device of tile `i` needs the
//! elements `[start(i), start(i) + width)`, where `start` is a linear function of `i` rounded down; halos differ per
//! device and may be negative.
//!
//! ```text
//! shards        | 0 1 2 | 3 4 5 | 6 7 8 | 9 . . |        pieces that cover every need, relative to an anchor shard,
//! needs           0 1 2 3 4                              one collective permute each
//!                       3 4 5 6 7                    =>  run = concat(left pieces, own, right pieces), zeros round it
//!                             6 7 8 9 .                  dynamic_slice(run, start(i) - start of the run, width)
//!                                   9 . . . .            select(position < 10, slice, fill)   where somebody would see
//! ```
//!
//! The anchor is the device's own shard (neighbours at fixed distances, as windows need them) or the first shard it
//! needs (elements move far, as when the second half of a dim is cut out), whichever sends less. Elements that no device
//! holds arrive as zeros. Lists here have one entry per tile of the dim.

use crate::localize::emit::{Emit, devices, stride};
use meshwright_base::arrange::Arrange;
use meshwright_ir::op::{BinaryOp, CollectiveKind, Concatenate, Direction, Movement, Pad, Slice};
use meshwright_ir::{DType, Literal, Op, TensorType, ValueId};
use meshwright_shard::placement::index_along;
use meshwright_shard::{AxisRef, Mesh, MeshId};

/// What each device needs: `width` elements from `floor((step * tile + first) / per) * times + shift` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    pub step: i64,
    pub first: i64,
    pub per: i64,
    pub times: i64,
    pub shift: i64,
    pub width: i64,
}

impl Need {
    /// `width` elements from `step * tile + first` on.
    pub fn linear(step: i64, first: i64, width: i64) -> Need {
        Need { step, first, per: 1, times: 1, shift: 0, width }
    }

    pub fn start(&self, tile: i64) -> i64 {
        let place = self.step.saturating_mul(tile).saturating_add(self.first).div_euclid(self.per.max(1));
        place.saturating_mul(self.times).saturating_add(self.shift)
    }
}

/// A dim of `size` real elements in `tiles` shards of `piece` elements; undivided, every device has all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Elements before this one are not wanted.
    pub from: i64,
    pub size: i64,
    pub tiles: i64,
    pub piece: i64,
    pub is_split: bool,
    /// Behind the last shard comes the first again. Only if all shards are full.
    pub is_ring: bool,
}

impl Source {
    /// Where elements end: a ring goes round once more.
    fn end(&self) -> i64 {
        if self.is_ring { self.size.saturating_mul(2) } else { self.size }
    }
}

/// What elements that the dim does not have look like to the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// Nobody looks at them.
    Anything,
    Zero,
    /// A scalar.
    Scalar(ValueId),
}

/// The elements `[from, to)` of a shard, and who gets them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    from: i64,
    to: i64,
    takers: Takers,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Takers {
    /// Every device takes its own.
    Own,
    /// These tiles take their own, others from each other: in several rounds if a shard has several takers.
    Others { own: Vec<i64>, rounds: Vec<Round> },
}

/// One permute: of each piece only what somebody takes.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Round {
    from: i64,
    to: i64,
    /// (source tile, target tile).
    pairs: Vec<(i64, i64)>,
}

/// How an interval is put together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    pieces: Vec<Piece>,
    /// Zeros before and after the pieces.
    low: i64,
    high: i64,
    /// Where each tile's interval starts in the run.
    offsets: Vec<i64>,
    width: i64,
}

impl Exchange {
    /// The cheapest way to meet a need.
    pub fn plan(source: Source, need: Need) -> Exchange {
        let tiles = 0..source.tiles;
        if !source.is_split {
            let wanted = tiles.map(|tile| Wanted::of(source, need, tile, 0)).collect();
            return Exchange::anchored(source, need, wanted, false);
        }
        let own = tiles.clone().map(|tile| Wanted::of(source, need, tile, tile)).collect();
        let first = |tile| {
            let start = need.start(tile).clamp(source.from, (source.end() - 1).max(source.from));
            Wanted::of(source, need, tile, start / source.piece.max(1))
        };
        let own = Exchange::anchored(source, need, own, true);
        let first = Exchange::anchored(source, need, tiles.map(first).collect(), true);
        if first.cost() < own.cost() { first } else { own }
    }

    fn anchored(source: Source, need: Need, wanted: Vec<Wanted>, moves: bool) -> Exchange {
        let there = || wanted.iter().filter(|wanted| wanted.from < wanted.to);
        let from = there().map(|wanted| wanted.from).min().unwrap_or(0);
        let to = there().map(|wanted| wanted.to).max().unwrap_or(0);
        let first = wanted.iter().map(|wanted| wanted.start).min().unwrap_or(0);
        let last = wanted.iter().map(|wanted| wanted.start).max().unwrap_or(0) + need.width;
        // With nothing to fetch the run is zeros.
        let (from, to) = if from < to { (from, to) } else { (first, first) };
        let size = source.piece.max(1);
        let numbers = if from < to { from.div_euclid(size)..(to - 1).div_euclid(size) + 1 } else { 0..0 };
        let piece = |number: i64| {
            let (from, to) = ((from - number * size).max(0), (to - number * size).min(size));
            let range = (number * size + from, number * size + to);
            let takers = if moves { takers(&wanted, number, range, source) } else { Takers::Own };
            Piece { from, to, takers }
        };
        Exchange {
            pieces: numbers.map(piece).collect(),
            low: from - first,
            high: (last - to).max(0),
            offsets: wanted.iter().map(|wanted| wanted.start - first).collect(),
            width: need.width,
        }
    }

    /// Elements sent, permutes, choices between what was sent, elements put together: what decides between anchors.
    fn cost(&self) -> (i64, usize, usize, i64) {
        let sent = self.sent();
        (sent.iter().sum(), sent.len(), self.pieces.iter().map(Piece::choices).sum(), self.run())
    }

    /// Elements along the dim that each permute sends.
    pub fn sent(&self) -> Vec<i64> {
        self.pieces.iter().flat_map(|piece| piece.rounds()).map(|round| round.to - round.from).collect()
    }

    fn run(&self) -> i64 {
        self.low + self.high + self.pieces.iter().map(|piece| piece.to - piece.from).sum::<i64>()
    }
}

/// What one tile wants, relative to its anchor shard: where its interval starts, and the part of it that is there.
struct Wanted {
    tile: i64,
    anchor: i64,
    start: i64,
    from: i64,
    to: i64,
}

impl Wanted {
    fn of(source: Source, need: Need, tile: i64, anchor: i64) -> Wanted {
        // An interval that lies outside may as well lie just outside.
        let start = need.start(tile).clamp(-need.width, source.end());
        let (from, to) = (start.max(source.from), (start + need.width).min(source.end()));
        let base = anchor * source.piece;
        Wanted { tile, anchor, start: start - base, from: from - base, to: to - base }
    }
}

impl Piece {
    fn rounds(&self) -> &[Round] {
        match &self.takers {
            Takers::Own => &[],
            Takers::Others { rounds, .. } => rounds,
        }
    }

    /// How often a device looks which of two it is to take.
    fn choices(&self) -> usize {
        match &self.takers {
            Takers::Own => 0,
            Takers::Others { own, rounds } => rounds.len().saturating_sub(1) + usize::from(!own.is_empty()),
        }
    }
}

/// Who sends piece `number` (elements `range` from the anchor shard's start) to whom; a device sends once per round.
fn takers(wanted: &[Wanted], number: i64, range: (i64, i64), source: Source) -> Takers {
    // A device that takes nothing may find its own shard there, as long as that is where it stands.
    if wanted.iter().all(|wanted| wanted.anchor + number == wanted.tile) {
        return Takers::Own;
    }
    let base = number * source.piece.max(1);
    let taken = |wanted: &Wanted| (wanted.from.max(range.0) - base, wanted.to.min(range.1) - base);
    let sender = |wanted: &Wanted| (wanted.anchor + number).rem_euclid(source.tiles.max(1));
    let takers: Vec<Taker> = wanted
        .iter()
        .map(|wanted| Taker { source: sender(wanted), target: wanted.tile, taken: taken(wanted) })
        .filter(|taker| taker.taken.0 < taker.taken.1)
        .collect();
    let (own, others): (Vec<Taker>, Vec<Taker>) =
        takers.iter().cloned().partition(|taker| taker.source == taker.target);
    let (all, without) = (in_rounds(&takers), in_rounds(&others));
    // A permute may send a piece to where it is; it does not take one more for it.
    if all.len() > without.len() {
        Takers::Others { own: own.iter().map(|taker| taker.target).collect(), rounds: without }
    } else {
        Takers::Others { own: Vec::new(), rounds: all }
    }
}

#[derive(Clone, Copy)]
struct Taker {
    source: i64,
    target: i64,
    /// Elements of the source's shard.
    taken: (i64, i64),
}

fn in_rounds(takers: &[Taker]) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    for taker in takers {
        let pair = (taker.source, taker.target);
        let free = |round: &&mut Round| round.pairs.iter().all(|(source, _)| *source != pair.0);
        match rounds.iter_mut().find(free) {
            Some(round) => {
                (round.from, round.to) = (round.from.min(taker.taken.0), round.to.max(taker.taken.1));
                round.pairs.push(pair);
            }
            None => rounds.push(Round { from: taker.taken.0, to: taker.taken.1, pairs: vec![pair] }),
        }
    }
    rounds
}

/// The devices that share a dim: its mesh and axes.
#[derive(Clone, Copy)]
pub struct Along<'a> {
    pub mesh: MeshId,
    pub axes: &'a [AxisRef],
}

/// This device's interval of a dim, `need.width` elements of it.
pub fn exchange(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: usize,
    along: Along<'_>,
    source: Source,
    need: Need,
    fill: Fill,
) -> ValueId {
    let stays = keeps(source, need);
    if stays && (fill == Fill::Anything || source.size == source.tiles.saturating_mul(source.piece)) {
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
    dim: usize,
    along: Along<'_>,
    source: Source,
    fill: Fill,
) -> ValueId {
    exchange(emit, value, dim, along, source, Need::linear(source.piece, 0, source.piece), fill)
}

/// A yes (1) or no (0) that depends on the tile this device has.
pub fn flag(emit: &mut Emit<'_, '_>, along: Along<'_>, values: &[i64]) -> ValueId {
    let value = per_tile(emit, along, values);
    let one = emit.splat(TensorType::scalar(DType::S32), 1);
    emit.compare(Direction::Eq, value, one)
}

/// Whether every device needs what it has.
pub fn keeps(source: Source, need: Need) -> bool {
    let stays = source.is_split || source.tiles == 1;
    stays
        && (need.per, need.times, need.shift, need.first) == (1, 1, 0, 0)
        && (need.step, need.width) == (source.piece, source.piece)
}

fn assemble(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: usize,
    along: Along<'_>,
    exchange: &Exchange,
) -> ValueId {
    let mut parts: Vec<ValueId> = Vec::new();
    for piece in &exchange.pieces {
        parts.push(fetch(emit, value, dim, along, piece, exchange.offsets.len() as i64));
    }
    let run = match parts[..] {
        [] => slice(emit, value, dim, 0, 0),
        _ => concatenate(emit, parts, dim),
    };
    let run = pad(emit, run, dim, [exchange.low, 0, exchange.high], Fill::Zero);
    cut(emit, run, dim, along, &exchange.offsets, exchange.width)
}

/// One permute per round; a device takes the round it is in, and zeros if it is in none.
fn fetch(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: usize,
    along: Along<'_>,
    piece: &Piece,
    tiles: i64,
) -> ValueId {
    let Takers::Others { own, rounds } = &piece.takers else {
        return slice(emit, value, dim, piece.from, piece.to);
    };
    let mut fetched = None;
    for round in rounds {
        let sent = slice(emit, value, dim, round.from, round.to);
        let ty = emit.tensor(sent);
        let pairs = pairs(&emit.meshes[along.mesh], along.axes, &round.pairs);
        let got = emit.collective(CollectiveKind::Permute { pairs }, along.mesh, &[], sent, None, ty);
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
    let fetched = fetched.unwrap_or_else(|| emit.splat(ty, 0));
    if own.is_empty() {
        return fetched;
    }
    let here = slice(emit, value, dim, piece.from, piece.to);
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
    dim: usize,
    along: Along<'_>,
    offsets: &[i64],
    width: i64,
) -> ValueId {
    let mut sizes = emit.tensor(value).dims;
    let is_same = offsets.windows(2).all(|pair| pair[0] == pair[1]);
    if is_same {
        let from = offsets.first().copied().unwrap_or(0);
        return slice(emit, value, dim, from, from + width);
    }
    sizes[dim] = width;
    let zero = emit.splat(TensorType::scalar(DType::S32), 0);
    let mut starts = vec![zero; sizes.len()];
    starts[dim] = per_tile(emit, along, offsets);
    emit.dynamic_slice(value, starts, &sizes)
}

/// Put the fill where the interval shows what the dim does not have.
fn mask(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: usize,
    along: Along<'_>,
    source: Source,
    need: Need,
    fill: Fill,
) -> ValueId {
    let starts: Vec<i64> = (0..source.tiles).map(|tile| need.start(tile)).collect();
    let (before, behind) = (
        starts.iter().any(|start| *start < 0),
        starts.iter().any(|start| start.saturating_add(need.width) > source.end()),
    );
    // What no device holds arrives as zeros; only padding of the last shards does not.
    let held = if source.is_split { source.tiles * source.piece } else { source.piece };
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
    let iota = emit.iota(index.clone(), dim);
    let start = per_tile(emit, along, &starts);
    let start = emit.broadcast(start, Vec::new(), &ty.dims);
    let position = emit.binary(BinaryOp::Add, iota, start);
    let mut test = |direction, bound| {
        let bound = emit.splat(index.clone(), bound);
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
        Fill::Anything | Fill::Zero => emit.splat(ty.clone(), 0),
    }
}

/// A number that depends on the tile this device has: a constant, a linear function of the tile's number, or looked up.
pub fn per_tile(emit: &mut Emit<'_, '_>, along: Along<'_>, values: &[i64]) -> ValueId {
    let scalar = TensorType::scalar(DType::S32);
    let first = values.first().copied().unwrap_or(0);
    let step = values.get(1).map_or(0, |second| second - first);
    if step == 0 && values.iter().all(|value| *value == first) {
        return emit.splat(scalar, first);
    }
    let index = emit.axis_index(along.mesh, along.axes);
    let is_linear = values.windows(2).all(|pair| pair[1] - pair[0] == step);
    if !is_linear {
        let table = emit.vector(DType::S32, values);
        let entry = emit.dynamic_slice(table, vec![index], &[1]);
        return emit.reshape(entry, &[]);
    }
    let step = emit.splat(scalar.clone(), step);
    let scaled = emit.binary(BinaryOp::Multiply, index, step);
    if first == 0 {
        return scaled;
    }
    let first = emit.splat(scalar, first);
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

/// Elements `[from, to)` of a dim.
pub fn slice(emit: &mut Emit<'_, '_>, value: ValueId, dim: usize, from: i64, to: i64) -> ValueId {
    let ty = emit.tensor(value);
    if (from, to) == (0, ty.dims[dim]) {
        return value;
    }
    let mut op = Slice { start: vec![0; ty.rank()], limit: ty.dims.clone(), stride: vec![1; ty.rank()] };
    (op.start[dim], op.limit[dim]) = (from, to);
    let mut dims = ty.dims.clone();
    dims[dim] = to - from;
    emit.push(Op::Movement(Movement::Slice(op)), vec![value], ty.with_dims(dims))
}

/// Values one after another along a dim.
pub fn concatenate(emit: &mut Emit<'_, '_>, values: Vec<ValueId>, dim: usize) -> ValueId {
    if let [only] = values[..] {
        return only;
    }
    let mut ty = emit.tensor(values[0]);
    ty.dims[dim] = values.iter().map(|value| emit.tensor(*value).dims[dim]).sum();
    emit.push(Op::Movement(Movement::Concatenate(Concatenate { dim })), values, ty)
}

/// `[low, interior, high]` elements before, between and after those of a dim; negative edges crop.
pub fn pad(
    emit: &mut Emit<'_, '_>,
    value: ValueId,
    dim: usize,
    [low, interior, high]: [i64; 3],
    fill: Fill,
) -> ValueId {
    let ty = emit.tensor(value);
    let between = if ty.dims[dim] <= 1 { 0 } else { interior };
    if (low, between, high) == (0, 0, 0) {
        return value;
    }
    let zeros = || vec![0; ty.rank()];
    let mut op = Pad { low: zeros(), interior: zeros(), high: zeros() };
    (op.low[dim], op.interior[dim], op.high[dim]) = (low, between, high);
    let mut dims = ty.dims.clone();
    dims[dim] += low + high + between * (dims[dim] - 1).max(0);
    let value_ty = ty.with_dims(Vec::new());
    let scalar = match fill {
        Fill::Scalar(scalar) => scalar,
        Fill::Anything | Fill::Zero => emit.splat(value_ty, 0),
    };
    emit.push(Op::Movement(Movement::Pad(op)), vec![value, scalar], ty.with_dims(dims))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(size: i64, tiles: i64) -> Source {
        Source { from: 0, size, tiles, piece: (size + tiles - 1) / tiles, is_split: true, is_ring: false }
    }

    /// What every tile ends up with, by moving the numbers of the elements themselves; -1 is a zero.
    fn carried_out(source: Source, need: Need) -> Vec<Vec<i64>> {
        let exchange = Exchange::plan(source, need);
        let shard = |tile: i64, from: i64, to: i64| -> Vec<i64> {
            (from..to).map(|at| tile * source.piece + at).collect()
        };
        (0..source.tiles)
            .map(|tile| {
                let mut run = vec![-1; exchange.low as usize];
                for piece in &exchange.pieces {
                    let nothing = vec![-1; (piece.to - piece.from) as usize];
                    let Takers::Others { own, rounds } = &piece.takers else {
                        run.extend(shard(tile, piece.from, piece.to));
                        continue;
                    };
                    if own.contains(&tile) {
                        run.extend(shard(tile, piece.from, piece.to));
                        continue;
                    }
                    let got = rounds.iter().find_map(|round| {
                        let sender = round.pairs.iter().find(|(_, target)| *target == tile)?.0;
                        let around = |count: i64| vec![-1; count as usize];
                        let sent = shard(sender, round.from, round.to);
                        Some([around(round.from - piece.from), sent, around(piece.to - round.to)].concat())
                    });
                    run.extend(got.unwrap_or(nothing));
                }
                run.extend(vec![-1; exchange.high as usize]);
                let offset = exchange.offsets[tile as usize] as usize;
                run[offset..offset + exchange.width as usize].to_vec()
            })
            .collect()
    }

    /// Wherever the dim has an element, it must be the right one; elsewhere a zero or padding of the last shards.
    fn check(source: Source, need: Need) {
        for (tile, got) in carried_out(source, need).into_iter().enumerate() {
            let wanted = (0..need.width).map(|at| need.start(tile as i64) + at);
            for (wanted, got) in wanted.zip(got) {
                let is_there = (0..source.size).contains(&wanted);
                let fits = if is_there { got == wanted } else { got == -1 || got >= source.size };
                assert!(fits, "{source:?} {need:?}: tile {tile} has {got} for {wanted}");
            }
        }
    }

    #[test]
    fn every_device_gets_its_interval_whatever_it_is() {
        for (size, tiles) in [(12, 4), (10, 4), (5, 4), (16, 2), (3, 4), (7, 3), (24, 8)] {
            for step in -9..=9 {
                for first in -13..=13 {
                    for width in [0, 1, 2, 3, 5, 8] {
                        check(even(size, tiles), Need::linear(step, first, width));
                        check(even(size, tiles), Need { step, first, per: 3, times: 1, shift: 0, width });
                    }
                }
            }
        }
    }

    #[test]
    fn figure_11_of_gshard_needs_one_permute_from_the_right() {
        // Base 12, window 3, stride 2, padding 1 on both sides, 4 shards: right halos 1, 2, 3, 4; left 1, 0, -1, -2.
        let (source, need) = (even(12, 4), Need::linear(4, -1, 5));
        let halos: Vec<(i64, i64)> = (0..4)
            .map(|tile| (tile * 3 - need.start(tile), need.start(tile) + need.width - (tile + 1) * 3))
            .collect();
        assert_eq!(halos, [(1, 1), (0, 2), (-1, 3), (-2, 4)]);
        assert_eq!(Exchange::plan(source, need).sent(), [3]);
    }

    #[test]
    fn a_window_sends_only_its_edges_and_a_reversal_each_shard_once() {
        assert_eq!(Exchange::plan(even(64, 4), Need::linear(16, -1, 18)).sent(), [1, 1]);
        assert_eq!(Exchange::plan(even(64, 4), Need::linear(-16, 48, 16)).sent(), [16]);
        assert_eq!(Exchange::plan(even(64, 4), Need::linear(16, 16, 16)).sent(), [16]);
    }

    #[test]
    fn a_ring_goes_round_with_one_permute() {
        let ring = Source { is_ring: true, ..even(12, 4) };
        for first in 0..=12 {
            let need = Need::linear(3, first, 3);
            let wanted: Vec<Vec<i64>> =
                (0..4).map(|tile| (0..3).map(|at| (first + 3 * tile + at) % 12).collect()).collect();
            assert_eq!(carried_out(ring, need), wanted);
        }
        assert_eq!(Exchange::plan(ring, Need::linear(3, 3, 3)).sent(), [3]);
    }

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
