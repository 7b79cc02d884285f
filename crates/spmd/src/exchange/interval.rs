//! Which elements of a split dim every device needs, and the permutes that bring them.
//!
//! The device of tile `i` needs the elements `[start(i), start(i) + width)`, where `start` is a linear function of `i`
//! rounded down; halos differ per device and may be negative.
//!
//! ```text
//! shards        | 0 1 2 | 3 4 5 | 6 7 8 | 9 . . |        pieces that cover every need, relative to an anchor shard,
//! needs           0 1 2 3 4                              one collective permute each
//!                       3 4 5 6 7                    =>  run = left pieces, own, right pieces, zeros round it
//!                             6 7 8 9 .                  offsets: where each tile's interval starts in the run
//!                                   9 . . . .
//! ```
//!
//! The anchor is the device's own shard (neighbours at fixed distances, as windows need them) or the first shard it
//! needs (elements move far, as when the second half of a dim is cut out), whichever sends less. Elements that no
//! device holds arrive as zeros. Lists here have one entry per tile of the dim.

use std::ops::Range;

/// Into how many tiles a dim is cut: no tile, and no number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TileCount(i64);

impl TileCount {
    pub fn new(count: i64) -> TileCount {
        TileCount(count)
    }

    pub fn get(self) -> i64 {
        self.0
    }

    pub fn is_split(self) -> bool {
        self.0 > 1
    }

    /// Their numbers.
    pub fn each(self) -> Range<i64> {
        0..self.0
    }
}

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
    pub tiles: TileCount,
    pub piece: i64,
    pub is_split: bool,
    /// Behind the last shard comes the first again. Only if all shards are full.
    pub is_ring: bool,
}

impl Source {
    /// Where elements end: a ring goes round once more.
    pub fn end(&self) -> i64 {
        if self.is_ring { self.size.saturating_mul(2) } else { self.size }
    }
}

/// The elements `[from, to)` of a shard, and who gets them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub from: i64,
    pub to: i64,
    pub takers: Takers,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Takers {
    /// Every device takes its own.
    Own,
    /// These tiles take their own, others from each other: in several rounds if a shard has several takers.
    Others { own: Vec<i64>, rounds: Vec<Round> },
}

/// One permute: of each piece only what somebody takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    pub from: i64,
    pub to: i64,
    /// (source tile, target tile).
    pub pairs: Vec<(i64, i64)>,
}

/// How an interval is put together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    pub pieces: Vec<Piece>,
    /// Zeros before and after the pieces.
    pub low: i64,
    pub high: i64,
    /// Where each tile's interval starts in the run.
    pub offsets: Vec<i64>,
    pub width: i64,
}

impl Exchange {
    /// The cheapest way to meet a need.
    pub fn plan(source: Source, need: Need) -> Exchange {
        let tiles = source.tiles.each();
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
    let sender = |wanted: &Wanted| (wanted.anchor + number).rem_euclid(source.tiles.get().max(1));
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

/// Whether every device needs what it has.
pub fn keeps(source: Source, need: Need) -> bool {
    let stays = source.is_split || !source.tiles.is_split();
    stays
        && (need.per, need.times, need.shift, need.first) == (1, 1, 0, 0)
        && (need.step, need.width) == (source.piece, source.piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(size: i64, tiles: i64) -> Source {
        let piece = (size + tiles - 1) / tiles;
        Source { from: 0, size, tiles: TileCount::new(tiles), piece, is_split: true, is_ring: false }
    }

    /// What every tile ends up with, by moving the numbers of the elements themselves; -1 is a zero.
    fn carried_out(source: Source, need: Need) -> Vec<Vec<i64>> {
        let exchange = Exchange::plan(source, need);
        let shard = |tile: i64, from: i64, to: i64| -> Vec<i64> {
            (from..to).map(|at| tile * source.piece + at).collect()
        };
        source
            .tiles
            .each()
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
}
