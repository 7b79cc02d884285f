//! What movement shifts between shards: slice, pad, concatenate, reverse, reshape.
//!
//! ```text
//! slice [4:12:2] of 16 over 2      needs 4 + stride * (piece * i) on, then every second
//! pad low 1                        needs piece * i - 1 on; what is not there is the padding value
//! concatenate a, b                 of each operand what falls into this device's part of the result, by position
//! reverse                          the mirrored interval, turned round
//! reshape [3,2] to [6]             runs of 4 elements become runs of 3
//! ```

use crate::exchange::interval::{Need, Source};
use crate::exchange::layout::{Cut, Layout, Span};
use meshwright_ir::Dim;
use meshwright_ir::op::{Movement, Slice};
use std::ops::Range;

/// What a device needs of one dim.
pub struct DimFetch {
    pub operand: usize,
    pub dim: Dim,
    /// How many dims are one line of elements here.
    pub dims: usize,
    pub source: Source,
    pub layout: Layout,
}

/// The dims that movement shifts between shards, for cuts of the operands' and the result's dims.
pub fn parts(op: &Movement, operands: &[Vec<Cut>], result: &[Cut]) -> Vec<DimFetch> {
    let [first, ..] = operands else { return Vec::new() };
    match op {
        Movement::Broadcast(_) | Movement::Transpose(_) => return Vec::new(),
        Movement::Reshape(_) => {
            return regrouped(first, result).into_iter().map(|group| group.part).collect();
        }
        Movement::Slice(_) | Movement::Pad(_) | Movement::Concatenate(_) | Movement::Reverse(_) => {}
    }
    let split = Dim::all(result.len()).filter(|dim| result[*dim].tiles.is_split());
    let of = |dim: Dim, span: Span, dilation: i64| {
        let source = first[dim].source(result[dim].tiles);
        vec![DimFetch {
            operand: 0,
            dim,
            dims: 1,
            source,
            layout: Layout::new(span, dilation, result[dim].tiles),
        }]
    };
    let moved = |dim: Dim| {
        let (size, piece) = (first[dim].size, result[dim].piece());
        match op {
            Movement::Slice(op) if !op.takes_all(dim.index(), size) => {
                let mut parts = of(dim, sliced(op, dim, piece), 1);
                parts.iter_mut().for_each(|part| limit(&mut part.source, op, dim, result[dim].size));
                parts
            }
            Movement::Pad(op) if !op.keeps(dim.index(), size) => {
                let span = Span { step: piece, first: -op.low[dim], length: piece };
                of(dim, span, op.interior[dim] + 1)
            }
            Movement::Reverse(op) if op.dims.contains(&dim.index()) => {
                of(dim, Span { step: -piece, first: size - piece, length: piece }, 1)
            }
            Movement::Concatenate(op) if op.dim == dim.index() => concatenated(dim, operands, result[dim]),
            Movement::Broadcast(_)
            | Movement::Reshape(_)
            | Movement::Transpose(_)
            | Movement::Slice(_)
            | Movement::Pad(_)
            | Movement::Reverse(_)
            | Movement::Concatenate(_) => Vec::new(),
        }
    };
    split.flat_map(moved).collect()
}

fn sliced(op: &Slice, dim: Dim, piece: i64) -> Span {
    let stride = op.stride[dim];
    let length = if piece == 0 { 0 } else { (piece - 1).saturating_mul(stride).saturating_add(1) };
    Span { step: piece.saturating_mul(stride), first: op.start[dim], length }
}

/// What lies around the elements a slice takes is nobody's: devices that have nothing of the result fetch nothing.
fn limit(source: &mut Source, op: &Slice, dim: Dim, taken: i64) {
    let reach = taken.saturating_sub(1).max(0).saturating_mul(op.stride[dim]);
    source.from = source.from.max(op.start[dim]);
    source.size = source.size.min(op.start[dim].saturating_add(reach).saturating_add(1));
}

fn concatenated(dim: Dim, operands: &[Vec<Cut>], result: Cut) -> Vec<DimFetch> {
    let piece = result.piece();
    let mut before = 0;
    let mut parts = Vec::new();
    for (operand, cuts) in operands.iter().enumerate() {
        let source = cuts[dim].source(result.tiles);
        let need = Need::linear(piece, -before, piece);
        let layout = Layout { need, low: 0, high: 0, dilation: 1, phase: None };
        parts.push(DimFetch { operand, dim, dims: 1, source, layout });
        before += cuts[dim].size;
    }
    parts
}

/// Dims of both sides of a reshape that hold the same elements, where shards hold different runs of them.
pub struct Regrouped {
    pub part: DimFetch,
    /// The major of the result's dims that are split.
    pub to: Dim,
}

pub fn regrouped(operand: &[Cut], result: &[Cut]) -> Vec<Regrouped> {
    let mut groups = Vec::new();
    let (mut from, mut to) = (0, 0);
    while from < operand.len() && to < result.len() {
        let (next_from, next_to) = boundary(operand, result, from, to);
        groups.extend(runs(operand, result, from..next_from, to..next_to));
        (from, to) = (next_from, next_to);
    }
    groups
}

/// The next place where as many elements lie behind on both sides.
fn boundary(operand: &[Cut], result: &[Cut], mut from: usize, mut to: usize) -> (usize, usize) {
    let (mut behind_from, mut behind_to) = (1i64, 1i64);
    loop {
        match behind_from <= behind_to && from < operand.len() {
            true => {
                behind_from = behind_from.saturating_mul(operand[from].size);
                from += 1;
            }
            false if to < result.len() => {
                behind_to = behind_to.saturating_mul(result[to].size);
                to += 1;
            }
            false => return (operand.len(), result.len()),
        }
        if behind_from == behind_to && behind_from != 1 {
            return (from, to);
        }
    }
}

/// The exchange between two groups of dims, if runs differ.
fn runs(operand: &[Cut], result: &[Cut], from: Range<usize>, to: Range<usize>) -> Option<Regrouped> {
    let first = |cuts: &[Cut], range: Range<usize>| range.into_iter().find(|at| cuts[*at].tiles.is_split());
    let (dim, to_dim) = (first(operand, from.clone())?, first(result, to.clone())?);
    let run = |cuts: &[Cut], range: Range<usize>| range.map(|at| cuts[at].piece()).product::<i64>();
    let (piece, wanted) = (run(operand, from.clone()), run(result, to));
    let tiles = operand[dim].tiles;
    if piece == wanted || tiles != result[to_dim].tiles {
        return None;
    }
    let size = operand[from.clone()].iter().map(|cut| cut.size).product();
    let source = Source { from: 0, size, tiles, piece, is_split: true, is_ring: false };
    let layout = Layout::new(Span { step: wanted, first: 0, length: wanted }, 1, tiles);
    Some(Regrouped {
        part: DimFetch { operand: 0, dim: Dim::new(from.start), dims: from.len(), source, layout },
        to: Dim::new(to_dim),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_ir::op::{Concatenate, Pad, Reshape, Reverse};

    /// The element that tile `tile` has at place `at` of what it fetched, if the source has it.
    fn fetched(part: &DimFetch, tile: i64, at: i64) -> Option<i64> {
        let element = part.layout.need.start(tile) + at;
        (part.source.from..part.source.size).contains(&element).then_some(element)
    }

    #[test]
    fn a_slice_fetches_what_the_result_takes_and_nothing_around_it() {
        for (size, start, stride, tiles) in [(16, 4, 1, 4), (16, 1, 3, 2), (10, 9, 1, 2), (24, 5, 2, 8)] {
            let taken = (size - start + stride - 1) / stride;
            let op = Slice { start: vec![start], limit: vec![size], stride: vec![stride] };
            let result = Cut::of(taken, tiles);
            let parts = parts(&Movement::Slice(op), &[vec![Cut::of(size, tiles)]], &[result]);
            let [part] = &parts[..] else { panic!("one dim is shifted") };
            for place in 0..taken {
                let (tile, at) = (place / result.piece(), place % result.piece() * stride);
                assert!(at < part.layout.need.width);
                assert_eq!(fetched(part, tile, at), Some(start + place * stride));
            }
            assert_eq!((part.source.from, part.source.size), (start, start + (taken - 1) * stride + 1));
        }
    }

    #[test]
    fn a_reversal_needs_the_mirrored_piece_and_a_padding_what_stands_before() {
        let cuts = [Cut::of(12, 4)];
        let reverse = Movement::Reverse(Reverse { dims: vec![0] });
        let need = parts(&reverse, &[cuts.to_vec()], &cuts)[0].layout.need;
        assert_eq!((0..4).map(|tile| need.start(tile)).collect::<Vec<_>>(), [9, 6, 3, 0]);
        let pad = Movement::Pad(Pad { low: vec![1], interior: vec![0], high: vec![-1] });
        let need = parts(&pad, &[cuts.to_vec()], &cuts)[0].layout.need;
        assert_eq!((need.start(0), need.start(3), need.width), (-1, 8, 3));
    }

    #[test]
    fn parts_of_a_concatenation_cover_the_result() {
        let (sizes, tiles) = ([5, 4, 7], 4);
        let operands: Vec<Vec<Cut>> = sizes.iter().map(|size| vec![Cut::of(*size, tiles)]).collect();
        let result = Cut::of(16, tiles);
        let parts = parts(&Movement::Concatenate(Concatenate { dim: 0 }), &operands, &[result]);
        for place in 0..16 {
            let (tile, at) = (place / result.piece(), place % result.piece());
            let found: Vec<(usize, i64)> =
                parts.iter().filter_map(|part| Some((part.operand, fetched(part, tile, at)?))).collect();
            let before = [0, 5, 9];
            let operand = before.iter().rposition(|before| *before <= place).unwrap_or(0);
            assert_eq!(found, [(operand, place - before[operand])]);
        }
    }

    #[test]
    fn a_reshape_moves_runs_only_where_they_differ() {
        let reshape = |shape: &[i64]| Movement::Reshape(Reshape { shape: shape.to_vec() });
        // [3, 2] over 2 has runs of 4 elements, [6] over 2 has runs of 3.
        let runs = parts(&reshape(&[6]), &[vec![Cut::of(3, 2), Cut::of(2, 1)]], &[Cut::of(6, 2)]);
        let [part] = &runs[..] else { panic!("one line of elements") };
        assert_eq!((part.dim.index(), part.dims, part.source.piece, part.layout.need.width), (0, 2, 4, 3));
        assert_eq!((part.layout.need.start(0), part.layout.need.start(1)), (0, 3));
        assert!(parts(&reshape(&[8]), &[vec![Cut::of(4, 2), Cut::of(2, 1)]], &[Cut::of(8, 2)]).is_empty());
    }
}
