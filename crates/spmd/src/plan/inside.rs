//! What an op costs inside, where its pieces need elements of others: exchanges, merges, gathers.
//!
//! The arithmetic is that of localization, on the same sizes, so the price is what will be sent.

use crate::exchange::interval::{Exchange, keeps};
use crate::exchange::layout::Cut;
use crate::exchange::ties::Ties;
use crate::exchange::{self, Fetch, Gather, Merge};
use crate::plan::price::Price;
use meshwright_cost::network::Group;
use meshwright_cost::{Coefficient, CollectiveCost, Machine, Pattern};
use meshwright_ir::Op;

/// Most pieces of a dim that an exchange is planned for: it looks at each of them.
const MOST_TILES: i64 = 4096;

/// Devices on a machine's network.
pub struct Placed<'a> {
    pub machine: &'a Machine,
    /// The devices that share dims of an operand, if it is known where they are.
    pub sharing: &'a dyn Fn(usize, &[usize]) -> Option<Group>,
}

impl Placed<'_> {
    /// A collective of so many among those that share dims of an operand.
    fn cost(
        &self,
        pattern: Pattern,
        (operand, dims): (usize, &[usize]),
        size: i64,
        [input, output]: [i64; 2],
    ) -> CollectiveCost {
        match (self.sharing)(operand, dims) {
            Some(group) => CollectiveCost::among(pattern, &group, input, output, self.machine),
            None => CollectiveCost::of(pattern, size, input, output, self.machine),
        }
    }
}

/// Price of what an op sends whose dims are cut so; `bits` are those of an element of each operand.
pub fn price(
    op: &Op,
    ties: Option<Ties>,
    operands: &[Vec<Cut>],
    result: &[Cut],
    bits: &[f64],
    placed: &Placed<'_>,
) -> Price {
    let inside = exchange::inside(op, ties, operands, result, bits);
    if let Some(merge) = inside.merge {
        return merged(&merge, result, bits, placed);
    }
    let mut price = Price::default();
    for fetch in inside.fetches.iter().filter(|fetch| !keeps(fetch.source, fetch.need)) {
        if fetch.source.tiles.get() > MOST_TILES {
            return Price::ENDLESS;
        }
        fetched(&mut price, fetch, &operands[fetch.operand], bits[fetch.operand], placed);
    }
    inside.gathers.iter().for_each(|gather| gathered(&mut price, gather, placed));
    price
}

/// Besides sorting its own, a device sends, compares and sorts a piece in every round.
fn merged(merge: &Merge, result: &[Cut], bits: &[f64], placed: &Placed<'_>) -> Price {
    let (Merge { dim, cut, merging }, machine) = (merge, placed.machine);
    if cut.tiles.get() > MOST_TILES {
        return Price::ENDLESS;
    }
    let elements: f64 = result.iter().map(|cut| cut.piece() as f64).product();
    let bytes = |bits: f64| elements * bits / 8.0;
    let sent = bits.iter().copied().chain((merging.place_bits > 0).then_some(merging.place_bits as f64));
    let all = bytes(bits.iter().sum::<f64>() + merging.place_bits as f64);
    let mut price = Price::default();
    // Both pieces side by side, sorted, and a half of them taken.
    let moved = all * (4.0 * levels(2 * cut.piece()) + 6.0);
    price.add(
        1.0,
        Price {
            sent: 0.0,
            seconds: 4.0 * machine[Coefficient::Launch] + moved / machine[Coefficient::Memory],
        },
    );
    for bits in sent {
        let bytes = bytes(bits) as i64;
        add(&mut price, placed.cost(Pattern::Permute, (0, &[*dim]), 1, [bytes, bytes]));
    }
    let rounds = merging.rounds() as f64;
    Price { sent: price.sent * rounds, seconds: price.seconds * rounds }
}

/// How often sorting so many elements goes over all of them.
pub fn levels(elements: i64) -> f64 {
    (elements.max(2) as f64).log2()
}

/// One permute after another, for a tensor cut so.
fn fetched(price: &mut Price, fetch: &Fetch, cuts: &[Cut], bits: f64, placed: &Placed<'_>) {
    let dims: Vec<usize> = fetch.dims.clone().collect();
    let others = cuts.iter().enumerate().filter(|(other, _)| !fetch.dims.contains(other));
    let line: f64 = others.map(|(_, cut)| cut.piece() as f64).product();
    for count in Exchange::plan(fetch.source, fetch.need).sent() {
        let bytes = (count as f64 * line * bits / 8.0) as i64;
        add(price, placed.cost(Pattern::Permute, (fetch.operand, &dims), 1, [bytes, bytes]));
    }
}

fn gathered(price: &mut Price, Gather { tiles, dims, elements, bits }: &Gather, placed: &Placed<'_>) {
    let bytes = (elements * bits / 8.0) as i64;
    let all = bytes.saturating_mul(tiles.get());
    add(price, placed.cost(Pattern::AllGather, (0, dims), tiles.get(), [bytes, all]));
}

fn add(price: &mut Price, cost: CollectiveCost) {
    price.add(1.0, Price { sent: cost.sent, seconds: cost.seconds });
}
