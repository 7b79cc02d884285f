//! What the exchanges inside an op cost: dims whose pieces need their neighbours.
//!
//! The same planning as localization does, on the same sizes, so the price is what will be sent.

use crate::localize::halo::{self, Exchange, Need, Source};
use crate::localize::sort::{Merging, Ties};
use crate::localize::window::{self, Cut, Layout};
use crate::localize::{combine, scatter_windows, shift};
use crate::plan::table::Price;
use meshwright_cost::{CollectiveCost, Machine, Pattern};
use meshwright_ir::op::{Sort, WindowDim};
use meshwright_ir::{Op, Rule};
use std::ops::Range;

/// Most pieces of a dim that an exchange is planned for: it looks at each of them.
const MOST_TILES: i64 = 4096;

/// Whether localization exchanges pieces along the dims of an op that move elements. Windows of reductions that are no
/// plain ones have nothing to put where they reach beyond the edges, or into holes.
pub fn is_exchanged(op: &Op, rule: &Rule) -> bool {
    match op {
        Op::Movement(_) | Op::Convolution(_) | Op::SelectAndScatter(_) | Op::Dynamic(_) => true,
        Op::ReduceWindow(op) => {
            let stays_inside = |dim: &WindowDim| (dim.pad_low, dim.pad_high, dim.base_dilation) == (0, 0, 1);
            !rule.linear.reducers.is_empty() || op.window.iter().all(stays_inside)
        }
        _ => false,
    }
}

/// Whether pieces are worked on by themselves and what comes of them is combined.
pub fn is_combined(op: &Op) -> bool {
    matches!(op, Op::TopK(_) | Op::Reduce(_) | Op::Sort(_))
}

/// Price of sorting in pieces: besides sorting its own, a device sends, compares and sorts a piece in every round.
pub fn merging(sort: &Sort, ties: Ties, result: &[Cut], bits: &[f64], machine: &Machine) -> Price {
    let Some(cut) = result.get(sort.dim).copied().filter(|cut| cut.tiles <= MOST_TILES) else {
        return Price { sent: f64::INFINITY, seconds: f64::INFINITY };
    };
    let merging = Merging::new(cut, ties, bits.iter().sum::<f64>() as i64);
    let elements: f64 = result.iter().map(|cut| cut.piece() as f64).product();
    let bytes = |bits: f64| elements * bits / 8.0;
    let sent = bits.iter().copied().chain((merging.place_bits > 0).then_some(merging.place_bits as f64));
    let all = bytes(bits.iter().sum::<f64>() + merging.place_bits as f64);
    let mut price = Price::default();
    // Both pieces side by side, sorted, and a half of them taken.
    let moved = all * (4.0 * levels(2 * cut.piece()) + 6.0);
    price.add(1.0, Price { sent: 0.0, seconds: 4.0 * machine.launch + moved / machine.memory });
    for bits in sent {
        let bytes = bytes(bits) as i64;
        let cost = CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, machine);
        price.add(1.0, Price { sent: cost.sent, seconds: cost.seconds });
    }
    let rounds = merging.rounds() as f64;
    Price { sent: price.sent * rounds, seconds: price.seconds * rounds }
}

/// How often sorting so many elements goes over all of them.
pub fn levels(elements: i64) -> f64 {
    (elements.max(2) as f64).log2()
}

/// Price of the exchanges of an op whose dims are cut so; `bits` are those of an element of each operand.
pub fn price(op: &Op, operands: &[Vec<Cut>], result: &[Cut], bits: &[f64], machine: &Machine) -> Price {
    let mut price = Price::default();
    for (operand, dims, source, need) in exchanges(op, operands, result) {
        if halo::keeps(source, need) {
            continue;
        }
        if source.tiles > MOST_TILES {
            return Price { sent: f64::INFINITY, seconds: f64::INFINITY };
        }
        let others = operands[operand].iter().enumerate().filter(|(other, _)| !dims.contains(other));
        let line: f64 = others.map(|(_, cut)| cut.piece() as f64).product();
        for count in Exchange::plan(source, need).sent() {
            let bytes = (count as f64 * line * bits[operand] / 8.0) as i64;
            let cost = CollectiveCost::of(Pattern::Permute, 1, bytes, bytes, machine);
            price.add(1.0, Price { sent: cost.sent, seconds: cost.seconds });
        }
    }
    for (tiles, elements, bits) in gathers(op, operands, result, bits) {
        let bytes = (elements * bits / 8.0) as i64;
        let cost = CollectiveCost::of(Pattern::AllGather, tiles, bytes, bytes.saturating_mul(tiles), machine);
        price.add(1.0, Price { sent: cost.sent, seconds: cost.seconds });
    }
    price
}

/// What is gathered to be combined: from how many devices, elements of each, bits of an element.
fn gathers(op: &Op, operands: &[Vec<Cut>], result: &[Cut], bits: &[f64]) -> Vec<(i64, f64, f64)> {
    let Some(first) = operands.first() else { return Vec::new() };
    let count = |cuts: &[Cut], but: Option<usize>| -> f64 {
        let kept = cuts.iter().enumerate().filter(|(dim, _)| Some(*dim) != but);
        kept.map(|(_, cut)| cut.piece() as f64).product()
    };
    match op {
        Op::TopK(top_k) => {
            let Some((last, rest)) = first.split_last() else { return Vec::new() };
            let elements = count(rest, None) * top_k.k.min(last.piece()) as f64;
            // Values and their places.
            vec![(last.tiles, elements, bits[0]), (last.tiles, elements, 32.0)]
        }
        Op::Reduce(reduce) => {
            let tiles = reduce.dims.iter().map(|dim| first[*dim].tiles).product();
            bits[..bits.len() / 2].iter().map(|bits| (tiles, count(result, None), *bits)).collect()
        }
        Op::ReduceWindow(op) => {
            let dims = combine::cumulative_dims(op, first, result).into_iter();
            dims.map(|(dim, _)| (first[dim].tiles, count(first, Some(dim)), bits[0])).collect()
        }
        _ => Vec::new(),
    }
}

/// Operand, dims (several if they are one line of elements), what there is of them, what is needed.
type One = (usize, Range<usize>, Source, Need);

fn exchanges(op: &Op, operands: &[Vec<Cut>], result: &[Cut]) -> Vec<One> {
    match op {
        Op::Movement(op) => {
            let parts = shift::parts(op, operands, result).into_iter();
            parts
                .map(|part| (part.operand, part.dim..part.dim + part.dims, part.source, part.layout.need))
                .collect()
        }
        Op::Convolution(op) => {
            let cut = |tensor: usize, dim: usize| operands.get(tensor).map_or(result, |cuts| cuts)[dim];
            let dims = window::convolution_dims(op, cut).into_iter();
            let place = |dim: usize| dim..dim + 1;
            dims.map(|dim| (0, place(op.dims.input_spatial[dim.index]), dim.source, dim.layout.need))
                .collect()
        }
        Op::ReduceWindow(op) => {
            let inputs = operands.len() / 2;
            let dims = window::reduce_window_dims(op, &operands[0], result);
            let each = |(dim, source, layout): (usize, Source, Layout)| {
                (0..inputs).map(move |at| (at, dim..dim + 1, source, layout.need))
            };
            dims.into_iter().flat_map(each).collect()
        }
        Op::SelectAndScatter(op) => {
            let dims = scatter_windows::dims(op, &operands[0], &operands[1], result).into_iter();
            dims.flat_map(|one| {
                let dim = one.dim..one.dim + 1;
                [(0, dim.clone(), one.operand.0, one.operand.1), (1, dim, one.source.0, one.source.1)]
            })
            .collect()
        }
        _ => Vec::new(),
    }
}
