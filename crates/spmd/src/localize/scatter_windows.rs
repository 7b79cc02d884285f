//! select_and_scatter over split dims: the gradient of a maximum over windows.
//!
//! ```text
//! piece of the operand      | 8 9 10 11 12 13 14 15 |          stride 2, windows of 3
//! windows that touch it   (6 7 8)(8 9 10) .. (14 15 16)        places 3 to 7 of the source
//! what they look at       6 .. 16                              a halo of the operand
//! ```
//!
//! Each device has every window that touches its piece choose, from all it looks at, and keeps its piece of what they
//! scatter. A window that there is not chooses too, but has nothing to scatter. So windows across edges are chosen
//! several times, once on each side. Windows that reach beyond the operand are not split.

use crate::localize::emit::Emit;
use crate::localize::halo::{self, Fill, Need, Source};
use crate::localize::op::{Local, Subject};
use crate::localize::window::{Cut, along};
use meshwright_ir::op::{SelectAndScatter, WindowDim};
use meshwright_ir::{Op, Type};

/// A dim whose windows lie across pieces.
pub struct Dim {
    pub dim: usize,
    /// The windows that touch a piece, and what they look at.
    pub source: (Source, Need),
    pub operand: (Source, Need),
}

/// The exchanged dims, for the cuts of operand and source.
pub fn dims(op: &SelectAndScatter, operand: &[Cut], source: &[Cut], result: &[Cut]) -> Vec<Dim> {
    let dim = |dim: usize| {
        let tiles = result[dim].tiles;
        let window = &op.window[dim];
        if tiles <= 1 || window.is_trivial(operand[dim].size) {
            return None;
        }
        let windows = touching(window, operand[dim].piece(), tiles);
        let seen = Need {
            times: window.stride,
            width: (windows.width - 1).saturating_mul(window.stride) + window.size,
            ..windows
        };
        let (source, operand) = (source[dim].source(tiles), operand[dim].source(tiles));
        Some(Dim { dim, source: (source, windows), operand: (operand, seen) })
    };
    (0..op.window.len()).filter_map(dim).collect()
}

/// The windows that touch pieces. If there are gaps between windows, one more on each side, so that what they look at
/// covers the piece.
fn touching(window: &WindowDim, piece: i64, tiles: i64) -> Need {
    let (size, stride) = (window.size, window.stride);
    let covers = stride <= size;
    let first = if covers { stride - size } else { 1 - size };
    let last = |tile: i64| {
        let end = (tile + 1).saturating_mul(piece) - 1;
        (if covers { end } else { end + stride - 1 }).div_euclid(stride)
    };
    let need = Need { step: piece, first, per: stride, times: 1, width: 1 };
    let width = (0..tiles).map(|tile| last(tile) - need.start(tile) + 1).max().unwrap_or(1);
    Need { width: width.max(1), ..need }
}

/// Localize; `None` if no split dim has windows.
pub fn select_and_scatter(
    emit: &mut Emit<'_, '_>,
    subject: &Subject,
    op: &SelectAndScatter,
) -> Option<Local> {
    let [operand, source, init] = subject.operands[..] else { return None };
    let Some(Some(to)) = subject.to.first() else { return None };
    let ty = subject.types.first()?.as_tensor()?.clone();
    let cuts = |at: usize| Cut::all(&subject.padded[at], subject.from[at].as_ref());
    let dims = dims(op, &cuts(0), &cuts(1), &Cut::all(&subject.made[0], Some(to)));
    let regions = emit.func().inst(subject.inst).regions.clone();
    let reducer = emit.func().region_reducer(*regions.get(1)?);
    if dims.is_empty() {
        return None;
    }
    if ty.dims.contains(&0) {
        return Some(Local::Value(emit.splat(ty, 0)));
    }
    let scalar = emit.tensor(source).with_dims(Vec::new());
    let nothing = emit.identity(reducer?, scalar);
    let nothing = halo::fill_of(emit, nothing);
    let (mut seen, mut windows) = (operand, source);
    for dim in &dims {
        let along = along(&[(to, dim.dim)])?;
        seen = halo::exchange(emit, seen, dim.dim, along, dim.operand.0, dim.operand.1, Fill::Anything);
        windows = halo::exchange(emit, windows, dim.dim, along, dim.source.0, dim.source.1, nothing);
    }
    let made = emit.tensor(seen).with_dtype(ty.dtype);
    let op = Op::SelectAndScatter(op.clone());
    let types = vec![Type::Tensor(made)];
    let inst = emit.editor.push_typed(emit.at, op, vec![seen, windows, init], regions, types, emit.source);
    let mut value = emit.func().inst(inst).results[0];
    for dim in &dims {
        let along = along(&[(to, dim.dim)])?;
        let piece = ty.dims[dim.dim];
        let start = |tile: i64| tile * piece - dim.operand.1.start(tile);
        let offsets: Vec<i64> = (0..crate::axes::tiles(along.axes)).map(start).collect();
        value = halo::cut(emit, value, dim.dim, along, &offsets, piece);
    }
    Some(Local::Value(value))
}
