//! What windows over split dims reach into: convolution and its gradients, reduce_window, select_and_scatter.
//!
//! ```text
//! output split    device i makes places [i*t, (i+1)*t)    of all taps            needs t*stride*i - low  on
//! kernel split    device i takes taps   [i*k, (i+1)*k)    at all places: a sum   needs k*dilation*i - low  on
//! ```
//!
//! Cumulative windows are not exchanged: pieces are scanned, and one total of each is gathered.

use crate::exchange::interval::{Need, Source};
use crate::exchange::layout::{Cut, Layout, Span, TileCount};
use meshwright_ir::Dim;
use meshwright_ir::op::convolution::SpatialRole;
use meshwright_ir::op::{Convolution, ReduceWindow, SelectAndScatter, WindowDim};

/// Span of a window whose places are split; `None` if they are not.
pub fn places(window: &WindowDim, result: Cut) -> Option<Span> {
    if !result.tiles.is_split() || result.size == 0 {
        return None;
    }
    let places = result.piece();
    Some(Span {
        step: places.saturating_mul(window.stride),
        first: -window.pad_low,
        length: reach(places, window.stride, window.size, window.window_dilation),
    })
}

/// Span of a window whose taps are split.
fn taps(window: &WindowDim, kernel: Cut, places: i64) -> Option<Span> {
    if !kernel.tiles.is_split() {
        return None;
    }
    let taps = kernel.piece();
    let step = taps.saturating_mul(window.window_dilation);
    let last = (window.size - taps) * window.window_dilation;
    let (step, first) = if window.reversal { (-step, last) } else { (step, 0) };
    let length = reach(places.max(1), window.stride, taps, window.window_dilation);
    Some(Span { step, first: first - window.pad_low, length })
}

/// Elements from the first tap at the first place to the last tap at the last.
fn reach(places: i64, stride: i64, taps: i64, dilation: i64) -> i64 {
    let from_first = (places - 1).saturating_mul(stride);
    from_first.saturating_add((taps - 1).max(0).saturating_mul(dilation)).saturating_add(1)
}

/// A spatial dim of a convolution whose pieces need others.
#[derive(Clone, Copy, Debug)]
pub struct ConvolutionDim {
    pub index: usize,
    pub layout: Layout,
    pub source: Source,
    /// Taps of the local window, and places it takes.
    pub taps: i64,
    pub places: i64,
}

/// The dims of a convolution that are exchanged, for `cut(tensor, dim)` of (input, kernel, result).
pub fn convolution_dims(op: &Convolution, cut: impl Fn(usize, usize) -> Cut) -> Vec<ConvolutionDim> {
    let dim = |index: usize| {
        let dims = &op.dims;
        let input = cut(0, dims.input_spatial[index]);
        let kernel = cut(1, dims.kernel_spatial[index]);
        let result = cut(2, dims.output_spatial[index]);
        let role = op.spatial_role(index, input.size);
        if !matches!(role, SpatialRole::Window | SpatialRole::Taps) {
            return None;
        }
        let window = &op.window[index];
        let (span, tiles) = match places(window, result) {
            Some(span) => (span, result.tiles),
            None => (taps(window, kernel, result.size)?, kernel.tiles),
        };
        let layout = Layout::new(span, window.base_dilation, tiles);
        let source = input.source(tiles);
        Some(ConvolutionDim { index, layout, source, taps: kernel.piece(), places: result.piece() })
    };
    (0..op.window.len()).filter_map(dim).collect()
}

/// Dims of input (0) and kernel (1) that are summed over pieces of which the last has padding. Taps that there are not
/// count as zeros; what they look at is real, or is filled with zeros where it is exchanged.
pub fn uneven_sums(op: &Convolution, cut: impl Fn(usize, usize) -> Cut) -> Vec<(usize, usize)> {
    let dims = |index: usize| {
        let (input, kernel) = (op.dims.input_spatial[index], op.dims.kernel_spatial[index]);
        let summed = match op.spatial_role(index, cut(0, input).size) {
            SpatialRole::Taps => vec![(1, kernel)],
            SpatialRole::Contracted => vec![(0, input), (1, kernel)],
            SpatialRole::InputFree | SpatialRole::KernelFree | SpatialRole::Batch | SpatialRole::Window => {
                Vec::new()
            }
        };
        summed.into_iter()
    };
    let is_uneven = |(tensor, dim): &(usize, usize)| {
        let cut = cut(*tensor, *dim);
        cut.piece().saturating_mul(cut.tiles.get()) != cut.size
    };
    (0..op.window.len()).flat_map(dims).filter(is_uneven).collect()
}

/// A dim of `size` whose windows are all that comes up to a place, or all from a place on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cumulative {
    Forward,
    Backward,
}

impl Cumulative {
    pub fn of(window: &WindowDim, size: i64) -> Option<Cumulative> {
        let plain = WindowDim {
            size: window.size,
            pad_low: window.pad_low,
            pad_high: window.pad_high,
            ..WindowDim::TRIVIAL
        };
        if *window != plain || window.size != size || size <= 1 {
            return None;
        }
        match (window.pad_low, window.pad_high) {
            (low, 0) if low == size - 1 => Some(Cumulative::Forward),
            (0, high) if high == size - 1 => Some(Cumulative::Backward),
            _ => None,
        }
    }

    /// The same over `size` elements.
    pub fn window(self, size: i64) -> WindowDim {
        let rest = (size - 1).max(0);
        let (pad_low, pad_high) = if self == Cumulative::Forward { (rest, 0) } else { (0, rest) };
        WindowDim { size: size.max(1), pad_low, pad_high, ..WindowDim::TRIVIAL }
    }
}

/// The split dims of a reduce_window that are cumulative.
pub fn cumulative_dims(op: &ReduceWindow, input: &[Cut], result: &[Cut]) -> Vec<(Dim, Cumulative)> {
    let dim = |dim: Dim| {
        let is_split = result[dim].tiles.is_split() && input[dim].tiles == result[dim].tiles;
        Some((dim, Cumulative::of(&op.window[dim], input[dim].size).filter(|_| is_split)?))
    };
    Dim::all(op.window.len()).filter_map(dim).collect()
}

/// The dims of a reduce_window that are exchanged; cumulative ones are not.
pub fn reduce_window_dims(op: &ReduceWindow, input: &[Cut], result: &[Cut]) -> Vec<(Dim, Source, Layout)> {
    let scanned = cumulative_dims(op, input, result);
    let dim = |dim: Dim| {
        let window = &op.window[dim];
        let is_cumulative = scanned.iter().any(|(other, _)| *other == dim);
        let span = places(window, result[dim]).filter(|_| !window.is_trivial(input[dim].size))?;
        if is_cumulative {
            return None;
        }
        let tiles = result[dim].tiles;
        Some((dim, input[dim].source(tiles), Layout::new(span, window.base_dilation, tiles)))
    };
    Dim::all(op.window.len()).filter_map(dim).collect()
}

/// A dim whose windows lie across pieces.
pub struct SelectDim {
    pub dim: Dim,
    /// The windows that touch a piece, and what they look at.
    pub source: (Source, Need),
    pub operand: (Source, Need),
}

/// The exchanged dims, for the cuts of operand and source.
pub fn select_and_scatter_dims(
    op: &SelectAndScatter,
    operand: &[Cut],
    source: &[Cut],
    result: &[Cut],
) -> Vec<SelectDim> {
    let dim = |dim: Dim| {
        let tiles = result[dim].tiles;
        let window = &op.window[dim];
        if !tiles.is_split() || window.is_trivial(operand[dim].size) {
            return None;
        }
        let windows = touching(window, operand[dim].piece(), tiles);
        let seen = Need {
            times: window.stride,
            shift: -window.pad_low,
            width: (windows.width - 1).saturating_mul(window.stride) + window.size,
            ..windows
        };
        let (source, operand) = (source[dim].source(tiles), operand[dim].source(tiles));
        Some(SelectDim { dim, source: (source, windows), operand: (operand, seen) })
    };
    Dim::all(op.window.len()).filter_map(dim).collect()
}

/// The windows that touch pieces. If there are gaps between windows, one more on each side, so that what they look at
/// covers the piece.
fn touching(window: &WindowDim, piece: i64, tiles: TileCount) -> Need {
    let (size, stride) = (window.size, window.stride);
    let covers = stride <= size;
    let first = window.pad_low + if covers { stride - size } else { 1 - size };
    let last = |tile: i64| {
        let end = (tile + 1).saturating_mul(piece) - 1 + window.pad_low;
        (if covers { end } else { end + stride - 1 }).div_euclid(stride)
    };
    let need = Need { step: piece, first, per: stride, times: 1, shift: 0, width: 1 };
    let width = tiles.each().map(|tile| last(tile) - need.start(tile) + 1).max().unwrap_or(1);
    Need { width: width.max(1), ..need }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_all_windows_that_touch_it_and_all_that_they_look_at() {
        for (elements, tiles, size, stride, pad) in
            [(16, 2, 3, 2, 0), (16, 4, 2, 2, 0), (12, 3, 2, 3, 1), (12, 4, 5, 1, 2), (14, 2, 1, 4, 0)]
        {
            let window = WindowDim { size, stride, pad_low: pad, pad_high: pad, ..WindowDim::TRIVIAL };
            let places = (elements + 2 * pad - size) / stride + 1;
            let op = SelectAndScatter { window: vec![window] };
            let (cut, places_cut) = (Cut::of(elements, tiles), Cut::of(places, tiles));
            let dims = select_and_scatter_dims(&op, &[cut], &[places_cut], &[cut]);
            let [dim] = &dims[..] else { panic!("one dim has windows") };
            let ((_, windows), (_, seen)) = (dim.source, dim.operand);
            let within = |need: Need, tile: i64, at: i64| {
                (need.start(tile)..need.start(tile) + need.width).contains(&at)
            };
            for tile in 0..tiles {
                let piece = tile * cut.piece()..(tile + 1) * cut.piece();
                for place in 0..places {
                    let mut looks_at = (0..size).map(|tap| place * stride - pad + tap);
                    if looks_at.clone().any(|element| piece.contains(&element)) {
                        assert!(within(windows, tile, place), "{window:?}: window {place} of tile {tile}");
                        assert!(looks_at.all(|element| within(seen, tile, element)));
                    }
                }
                assert!(piece.into_iter().all(|element| within(seen, tile, element)), "{window:?}");
            }
        }
    }

    #[test]
    fn windows_over_all_that_came_before_are_gathered_not_exchanged() {
        let sum = WindowDim { size: 8, pad_low: 7, ..WindowDim::TRIVIAL };
        let near = WindowDim { size: 3, pad_low: 1, pad_high: 1, ..WindowDim::TRIVIAL };
        let op = ReduceWindow { window: vec![sum, near] };
        let cuts = [Cut::of(8, 2), Cut::of(6, 3)];
        assert_eq!(cumulative_dims(&op, &cuts, &cuts), [(Dim::new(0), Cumulative::Forward)]);
        let exchanged: Vec<usize> =
            reduce_window_dims(&op, &cuts, &cuts).iter().map(|(dim, ..)| dim.index()).collect();
        assert_eq!(exchanged, [1]);
        let backward = WindowDim { size: 8, pad_high: 7, ..WindowDim::TRIVIAL };
        assert_eq!(Cumulative::of(&backward, 8), Some(Cumulative::Backward));
        assert_eq!(Cumulative::of(&near, 6), None);
    }
}
