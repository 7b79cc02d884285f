//! What devices send each other inside an op whose dims are split: arithmetic only.
//!
//! ```text
//! fetches     an interval of a dim that a device needs of others: windows, slices, pads, reshapes     interval, windows, shifts
//! merges      sorted pieces, two devices at a time                                                    merge, ties
//! gathers     the few results of each piece, put together before they are combined
//! ```
//!
//! Planning prices what is found here and localization writes it down, from the same numbers: the price is what is
//! sent.

pub mod interval;
pub mod layout;
pub mod merge;
pub mod shifts;
pub mod ties;
pub mod windows;

use interval::{Need, Source};
use layout::{Cut, Layout, TileCount};
use merge::Merging;
use meshwright_ir::Dim;
use meshwright_ir::Op;
use meshwright_ir::op::{Convolution, Reduce, ReduceWindow, SelectAndScatter, TopK};
use std::ops::Range;
use ties::Ties;

/// All that is sent inside an op.
#[derive(Default)]
pub struct Inside {
    pub merge: Option<Merge>,
    pub fetches: Vec<Fetch>,
    pub gathers: Vec<Gather>,
}

/// Pieces of a line that are merged.
pub struct Merge {
    /// Of the first operand.
    pub dim: usize,
    pub cut: Cut,
    pub merging: Merging,
}

/// What every device needs of an operand.
pub struct Fetch {
    pub operand: usize,
    /// Several if they are one line of elements.
    pub dims: Range<usize>,
    pub source: Source,
    pub need: Need,
}

/// What is gathered to be combined.
pub struct Gather {
    /// From how many devices, which share these dims of the first operand.
    pub tiles: TileCount,
    pub dims: Vec<usize>,
    /// Of each.
    pub elements: f64,
    /// Of an element.
    pub bits: f64,
}

/// What an op sends whose dims are cut so; `bits` are those of an element of each operand.
pub fn inside(op: &Op, ties: Option<Ties>, operands: &[Vec<Cut>], result: &[Cut], bits: &[f64]) -> Inside {
    let fetches = |fetches| Inside { fetches, ..Inside::default() };
    let gathers = |gathers| Inside { gathers, ..Inside::default() };
    match op {
        Op::Movement(op) => {
            fetches(shifts::parts(op, operands, result).into_iter().map(Fetch::from).collect())
        }
        Op::Convolution(op) => fetches(of_convolution(op, operands, result)),
        Op::SelectAndScatter(op) => fetches(of_select_and_scatter(op, operands, result)),
        Op::ReduceWindow(op) => Inside {
            fetches: of_reduce_window(op, operands, result),
            gathers: totals(op, operands, result, bits),
            merge: None,
        },
        Op::Reduce(op) => gathers(reduced(op, operands, result, bits)),
        Op::TopK(op) => gathers(best(op, operands, bits)),
        Op::Sort(op) => {
            let cut = result.get(op.dim).copied();
            let bits = bits.iter().sum::<f64>() as i64;
            let merge = |(cut, ties)| Merge { dim: op.dim, cut, merging: Merging::new(cut, ties, bits) };
            Inside { merge: cut.zip(ties).map(merge), ..Inside::default() }
        }
        Op::Constant(_) | Op::Iota(_) | Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Select => {
            Inside::default()
        }
        Op::Clamp | Op::Convert(_) | Op::Dynamic(_) | Op::Gather(_) | Op::Scatter(_) | Op::Dot(_) => {
            Inside::default()
        }
        Op::Map(_) | Op::Random(_) | Op::Fft(_) | Op::Linalg(_) | Op::BatchNorm(_) | Op::Control(_) => {
            Inside::default()
        }
        Op::Scan(_) | Op::Call(_) | Op::Collective(_) | Op::PartitionId | Op::ReplicaId | Op::Foreign(_) => {
            Inside::default()
        }
        Op::OptimizationBarrier | Op::Token(_) | Op::Sharding(_) => Inside::default(),
    }
}

impl From<shifts::DimFetch> for Fetch {
    fn from(part: shifts::DimFetch) -> Fetch {
        let first = part.dim.index();
        let dims = first..first + part.dims;
        Fetch { operand: part.operand, dims, source: part.source, need: part.layout.need }
    }
}

fn of_convolution(op: &Convolution, operands: &[Vec<Cut>], result: &[Cut]) -> Vec<Fetch> {
    let cut = |tensor: usize, dim: usize| operands.get(tensor).map_or(result, |cuts| cuts)[dim];
    let fetch = |dim: windows::ConvolutionDim| {
        let at = op.dims.input_spatial[dim.index];
        Fetch { operand: 0, dims: only(Dim::new(at)), source: dim.source, need: dim.layout.need }
    };
    windows::convolution_dims(op, cut).into_iter().map(fetch).collect()
}

/// A dim by itself.
fn only(dim: Dim) -> Range<usize> {
    dim.index()..dim.index() + 1
}

/// Of every input.
fn of_reduce_window(op: &ReduceWindow, operands: &[Vec<Cut>], result: &[Cut]) -> Vec<Fetch> {
    let inputs = operands.len() / 2;
    let fetches = |(dim, source, layout): (Dim, Source, Layout)| {
        (0..inputs).map(move |operand| Fetch { operand, dims: only(dim), source, need: layout.need })
    };
    windows::reduce_window_dims(op, &operands[0], result).into_iter().flat_map(fetches).collect()
}

fn of_select_and_scatter(op: &SelectAndScatter, operands: &[Vec<Cut>], result: &[Cut]) -> Vec<Fetch> {
    let fetches = |one: windows::SelectDim| {
        [one.operand, one.source].into_iter().enumerate().map(move |(operand, (source, need))| Fetch {
            operand,
            dims: only(one.dim),
            source,
            need,
        })
    };
    windows::select_and_scatter_dims(op, &operands[0], &operands[1], result)
        .into_iter()
        .flat_map(fetches)
        .collect()
}

/// Elements of a piece, along all dims or all but one.
fn elements(cuts: &[Cut], but: Option<usize>) -> f64 {
    let kept = cuts.iter().enumerate().filter(|(dim, _)| Some(*dim) != but);
    kept.map(|(_, cut)| cut.piece() as f64).product()
}

/// Of cumulative windows: one total of each piece.
fn totals(op: &ReduceWindow, operands: &[Vec<Cut>], result: &[Cut], bits: &[f64]) -> Vec<Gather> {
    let (Some(first), Some(bits)) = (operands.first(), bits.first()) else { return Vec::new() };
    let total = |(dim, _): (Dim, _)| Gather {
        tiles: first[dim].tiles,
        dims: vec![dim.index()],
        elements: elements(first, Some(dim.index())),
        bits: *bits,
    };
    windows::cumulative_dims(op, first, result).into_iter().map(total).collect()
}

/// What each piece of every operand comes to.
fn reduced(op: &Reduce, operands: &[Vec<Cut>], result: &[Cut], bits: &[f64]) -> Vec<Gather> {
    let Some(first) = operands.first() else { return Vec::new() };
    let tiles = op.dims.iter().map(|dim| first[*dim].tiles.get()).product();
    let tiles = TileCount::new(tiles);
    let of =
        |bits: &f64| Gather { tiles, dims: op.dims.clone(), elements: elements(result, None), bits: *bits };
    bits[..bits.len() / 2].iter().map(of).collect()
}

/// The best of each piece, and their places.
fn best(op: &TopK, operands: &[Vec<Cut>], bits: &[f64]) -> Vec<Gather> {
    let Some((last, rest)) = operands.first().and_then(|cuts| cuts.split_last()) else { return Vec::new() };
    let elements = elements(rest, None) * op.k.min(last.piece()) as f64;
    let places = 32.0;
    bits.first()
        .iter()
        .flat_map(|bits| [**bits, places])
        .map(|bits| Gather { tiles: last.tiles, dims: vec![rest.len()], elements, bits })
        .collect()
}
