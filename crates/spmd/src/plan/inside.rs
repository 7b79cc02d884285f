//! What an op costs inside, where its pieces need elements of others: exchanges, merges, gathers.
//!
//! The arithmetic is that of localization, on the same sizes, so the price is what will be sent.

use crate::exchange::interval::{Exchange, keeps};
use crate::exchange::layout::Cut;
use crate::exchange::ties::Ties;
use crate::exchange::{self, Fetch, Gather, Merge};
use crate::plan::price::Price;
use meshwright_cost::{Coefficient, CollectiveCost, Machine, Pattern};
use meshwright_ir::Op;

/// Most pieces of a dim that an exchange is planned for: it looks at each of them.
const MOST_TILES: i64 = 4096;

/// Price of what an op sends whose dims are cut so; `bits` are those of an element of each operand.
pub fn price(
    op: &Op,
    ties: Option<Ties>,
    operands: &[Vec<Cut>],
    result: &[Cut],
    bits: &[f64],
    machine: &Machine,
) -> Price {
    let inside = exchange::inside(op, ties, operands, result, bits);
    if let Some(merge) = inside.merge {
        return merged(&merge, result, bits, machine);
    }
    let mut price = Price::default();
    for fetch in inside.fetches.iter().filter(|fetch| !keeps(fetch.source, fetch.need)) {
        if fetch.source.tiles.get() > MOST_TILES {
            return Price::ENDLESS;
        }
        fetched(&mut price, fetch, &operands[fetch.operand], bits[fetch.operand], machine);
    }
    inside.gathers.iter().for_each(|gather| gathered(&mut price, gather, machine));
    price
}

/// Besides sorting its own, a device sends, compares and sorts a piece in every round.
fn merged(merge: &Merge, result: &[Cut], bits: &[f64], machine: &Machine) -> Price {
    let Merge { cut, merging } = merge;
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
        add(&mut price, CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, machine));
    }
    let rounds = merging.rounds() as f64;
    Price { sent: price.sent * rounds, seconds: price.seconds * rounds }
}

/// How often sorting so many elements goes over all of them.
pub fn levels(elements: i64) -> f64 {
    (elements.max(2) as f64).log2()
}

/// One permute after another, for a tensor cut so.
fn fetched(price: &mut Price, fetch: &Fetch, cuts: &[Cut], bits: f64, machine: &Machine) {
    let others = cuts.iter().enumerate().filter(|(other, _)| !fetch.dims.contains(other));
    let line: f64 = others.map(|(_, cut)| cut.piece() as f64).product();
    for count in Exchange::plan(fetch.source, fetch.need).sent() {
        let bytes = (count as f64 * line * bits / 8.0) as i64;
        add(price, CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, machine));
    }
}

fn gathered(price: &mut Price, Gather { tiles, elements, bits }: &Gather, machine: &Machine) {
    let bytes = (elements * bits / 8.0) as i64;
    let all = bytes.saturating_mul(tiles.get());
    add(price, CollectiveCost::of(Pattern::AllGather, tiles.get(), bytes, all, machine));
}

fn add(price: &mut Price, cost: CollectiveCost) {
    price.add(1.0, Price { sent: cost.sent, seconds: cost.seconds });
}
