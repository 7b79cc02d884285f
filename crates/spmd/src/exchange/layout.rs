//! Dims cut into tiles, and how the elements that a device fetches lie in what it needs.
//!
//! In coordinates of the padded and dilated base every device needs a span of one length; [`Layout`] says which
//! elements lie in it and how they are padded there. With base dilation the spans may start at different places of the
//! holes, by a [`Phase`].

pub use crate::exchange::interval::TileCount;
use crate::exchange::interval::{Need, Source};
use meshwright_shard::Sharding;

/// What one device needs of a dim, in coordinates of the padded and dilated base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Tile `i` starts at `step * i + first`.
    pub step: i64,
    pub first: i64,
    pub length: i64,
}

/// Where spans start that stand differently in the holes of a dilated base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// Tile `i` starts later the fewer holes it has before its first element.
    pub span: Span,
    dilation: i64,
    /// The most holes that a tile has there.
    low: i64,
    /// The latest start.
    pub most: i64,
}

/// Which elements lie in the span, and how they are padded and dilated to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    pub need: Need,
    pub low: i64,
    pub high: i64,
    pub dilation: i64,
    /// The span starts late: it is longer by the latest start.
    pub phase: Option<Phase>,
}

impl Layout {
    pub fn new(span: Span, dilation: i64, tiles: TileCount) -> Layout {
        let Span { step, first, length } = span;
        if dilation <= 1 {
            let need = Need::linear(step, first, length);
            return Layout { need, low: 0, high: 0, dilation: 1, phase: None };
        }
        let holes = |tile: i64| holes(span, dilation, tile);
        let fewest = tiles.each().map(holes).min().unwrap_or(0);
        let low = tiles.each().map(holes).max().unwrap_or(0);
        let (width, most) = ((length - 1 - fewest).max(0) / dilation + 1, low - fewest);
        Layout {
            need: Need { step, first: first + dilation - 1, per: dilation, times: 1, shift: 0, width },
            low,
            high: most + length - low - ((width - 1) * dilation + 1),
            dilation,
            phase: (most > 0).then_some(Phase { span, dilation, low, most }),
        }
    }
}

/// Holes before the first element of a tile's span.
fn holes(Span { step, first, .. }: Span, dilation: i64, tile: i64) -> i64 {
    step.saturating_mul(tile).saturating_add(first).saturating_neg().rem_euclid(dilation)
}

impl Phase {
    /// How late each tile's span starts.
    pub fn offsets(&self, tiles: TileCount) -> Vec<i64> {
        tiles.each().map(|tile| self.low - holes(self.span, self.dilation, tile)).collect()
    }
}

/// A dim cut into tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    pub size: i64,
    pub tiles: TileCount,
}

impl Cut {
    pub fn of(size: i64, tiles: i64) -> Cut {
        Cut { size, tiles: TileCount::new(tiles) }
    }

    /// The dims of a tensor.
    pub fn all(sizes: &[i64], sharding: Option<&Sharding>) -> Vec<Cut> {
        let tiles = |dim: usize| sharding.map_or(1, |sharding| sharding.dims[dim].tiles());
        sizes.iter().enumerate().map(|(dim, size)| Cut::of(*size, tiles(dim))).collect()
    }

    /// Elements of one shard.
    pub fn piece(&self) -> i64 {
        let tiles = self.tiles.get();
        self.size.div_euclid(tiles) + i64::from(self.size % tiles != 0)
    }

    /// As the source of an exchange over its own tiles.
    pub fn own(&self) -> Source {
        self.source(self.tiles)
    }

    /// As the source of an exchange over `tiles` tiles.
    pub fn source(&self, tiles: TileCount) -> Source {
        let (piece, is_split) = (self.piece(), self.tiles.is_split());
        Source { from: 0, size: self.size, tiles, piece, is_split, is_ring: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a tile sees of its span, once its interval is dilated, padded and cut: the element at each place, `None`
    /// for a hole or beyond the interval.
    fn seen(layout: &Layout, span: Span, tile: i64, tiles: TileCount) -> Vec<Option<i64>> {
        let Layout { need, low, high, dilation, phase } = *layout;
        let spread = (need.width - 1) * dilation + 1;
        let at = |place: i64| {
            let place = place - low;
            let is_element = (0..spread).contains(&place) && place % dilation == 0;
            is_element.then(|| need.start(tile) + place / dilation)
        };
        let all: Vec<Option<i64>> = (0..low + spread + high).map(at).collect();
        let from = phase.map_or(0, |phase| phase.offsets(tiles)[tile as usize]) as usize;
        all[from..from + span.length as usize].to_vec()
    }

    #[test]
    fn every_tile_sees_the_elements_of_its_span_between_the_holes() {
        for (dilation, tiles) in [(1, 3), (2, 4), (3, 4), (4, 2)] {
            let tiles = TileCount::new(tiles);
            for (step, first, length) in [(4, -1, 6), (3, 0, 5), (-5, 7, 4), (2, -3, 1), (6, 2, 9)] {
                let span = Span { step, first, length };
                let layout = Layout::new(span, dilation, tiles);
                for tile in tiles.each() {
                    let place = |at: i64| step * tile + first + at;
                    let wanted = |at: i64| {
                        (place(at).rem_euclid(dilation) == 0).then(|| place(at).div_euclid(dilation))
                    };
                    let wanted: Vec<_> = (0..length).map(wanted).collect();
                    assert_eq!(seen(&layout, span, tile, tiles), wanted, "{span:?} {dilation} tile {tile}");
                }
            }
        }
    }

    #[test]
    fn spans_that_start_at_the_same_place_of_the_holes_have_no_phase() {
        let span = |step| Span { step, first: -1, length: 6 };
        assert_eq!(Layout::new(span(4), 2, TileCount::new(4)).phase, None);
        assert!(Layout::new(span(3), 2, TileCount::new(4)).phase.is_some_and(|phase| phase.most == 1));
    }
}
