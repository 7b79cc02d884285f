//! Who meets whom when sorted pieces are merged, and what they send each other.
//!
//! Who meets whom is known beforehand: a network of comparisons between devices. Equal elements stay in order (every
//! comparator is taken to be stable), which takes one of these:
//!
//! ```text
//! bitonic, log n (log n + 1) / 2 rounds      elements carry their places, unless equal ones cannot be told apart anyway
//!                                            or some operand numbers the places as it is (an argsort)
//! neighbours only, n rounds                  the lower piece stands before the other, so nothing has to be carried
//! ```
//!
//! The one that sends less is taken. Both only ever send lesser elements to the device with the lesser number.

use crate::exchange::layout::{Cut, TileCount};
use crate::exchange::ties::Ties;
use meshwright_ir::DType;

/// How pieces are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merging {
    tiles: TileCount,
    pub order: Order,
    /// Bits of the places that are sent along with every element.
    pub place_bits: i64,
}

/// How equal elements are kept in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    None,
    /// By an operand.
    Carried(usize),
    /// By places that travel along.
    Sent,
    /// By which piece they are in.
    Neighbours,
}

impl Merging {
    /// The way that sends least, for elements of so many bits (all operands together).
    pub fn new(cut: Cut, ties: Ties, element_bits: i64) -> Merging {
        let (order, place_bits) = match ties {
            Ties::Same => (Order::None, 0),
            Ties::Carried(operand) => (Order::Carried(operand), 0),
            Ties::Place => (Order::Sent, i64::from(place_type(cut).bits())),
        };
        let network = Merging { tiles: cut.tiles, order, place_bits };
        let neighbours = Merging { order: Order::Neighbours, place_bits: 0, ..network };
        if neighbours.bits(element_bits) < network.bits(element_bits) { neighbours } else { network }
    }

    /// How many rounds it takes.
    pub fn rounds(&self) -> i64 {
        let stages = i64::from(stages(self.tiles));
        match self.order {
            Order::Neighbours if self.tiles.get() <= 2 => self.tiles.get() - 1,
            Order::Neighbours => self.tiles.get(),
            Order::None | Order::Carried(_) | Order::Sent => stages * (stages + 1) / 2,
        }
    }

    /// Who meets whom in each: pairs of tiles, the lesser first.
    pub fn pairs(&self) -> Vec<Vec<(i64, i64)>> {
        match self.order {
            Order::Neighbours => neighbours(self.tiles),
            Order::None | Order::Carried(_) | Order::Sent => bitonic(self.tiles),
        }
    }

    /// What a device sends for each element of its piece.
    pub fn bits(&self, element_bits: i64) -> i64 {
        self.rounds().saturating_mul(element_bits.saturating_add(self.place_bits))
    }
}

/// log2 of the tiles, rounded up.
fn stages(tiles: TileCount) -> u32 {
    u64::try_from(tiles.get()).unwrap_or(1).max(1).next_power_of_two().ilog2()
}

/// The least type that has all places.
pub fn place_type(cut: Cut) -> DType {
    match cut.piece().saturating_mul(cut.tiles.get()) {
        ..=0x100 => DType::U8,
        0x101..=0x1_0000 => DType::U16,
        _ => DType::U32,
    }
}

/// Rounds of a network in which the lesser always goes to the lesser tile: runs of twice the length in every stage,
/// whose first round mirrors and whose others go straight. Tiles that there are not would only be sent what is
/// greatest.
fn bitonic(tiles: TileCount) -> Vec<Vec<(i64, i64)>> {
    let pairs = |mask: i64| {
        let meets = |tile: i64| (tile, tile ^ mask);
        tiles.each().map(meets).filter(|(low, high)| low < high && *high < tiles.get()).collect::<Vec<_>>()
    };
    let stage = |stage: u32| {
        std::iter::once((1i64 << stage) - 1).chain((0..stage.saturating_sub(1)).rev().map(|bit| 1i64 << bit))
    };
    (1..=stages(tiles)).flat_map(stage).map(pairs).filter(|round| !round.is_empty()).collect()
}

/// Rounds between neighbours: as many as there are tiles.
fn neighbours(tiles: TileCount) -> Vec<Vec<(i64, i64)>> {
    let round =
        |first: i64| (first..tiles.get() - 1).step_by(2).map(|tile| (tile, tile + 1)).collect::<Vec<_>>();
    tiles.each().map(|number| round(number % 2)).filter(|round| !round.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every arrangement of zeros and ones comes out sorted, so everything does.
    fn sorts(tiles: TileCount, rounds: &[Vec<(i64, i64)>]) -> bool {
        (0u32..1 << tiles.get()).all(|bits| {
            let mut line: Vec<bool> = tiles.each().map(|tile| bits >> tile & 1 == 1).collect();
            for (low, high) in rounds.iter().flatten() {
                let (low, high) = (*low as usize, *high as usize);
                if line[low] && !line[high] {
                    line.swap(low, high);
                }
            }
            line.is_sorted()
        })
    }

    #[test]
    fn both_networks_sort_any_number_of_tiles() {
        for tiles in (1..=12).map(TileCount::new) {
            for order in [Order::None, Order::Neighbours] {
                let merging = Merging { tiles, order, place_bits: 0 };
                assert!(sorts(tiles, &merging.pairs()), "{merging:?}");
                assert_eq!(merging.pairs().len() as i64, merging.rounds(), "{merging:?}");
            }
        }
    }

    #[test]
    fn the_way_that_sends_less_is_taken() {
        let bits = |tiles, ties, bits| Merging::new(Cut::of(1 << 20, tiles), ties, bits).bits(bits);
        assert_eq!(bits(2, Ties::Place, 32), 32);
        assert_eq!(bits(4, Ties::Place, 32), 4 * 32);
        assert_eq!(bits(8, Ties::Same, 32), 6 * 32);
        assert_eq!(bits(8, Ties::Carried(1), 64), 6 * 64);
        assert_eq!(bits(32, Ties::Place, 32), 15 * 64);
    }
}
