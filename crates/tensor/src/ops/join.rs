//! Putting tensors together and taking them apart: concat, stack, split, pad, roll, tile.

use crate::arg::Arg;
use crate::codes;
use crate::dims::At;
use crate::ops::slice::window;
use crate::state::Line;
use crate::tensor::{Tensor, emit, fail, poison};
use meshwright_base::Diagnostic;
use meshwright_ir::op::{Concatenate, Movement, Pad};
use meshwright_ir::{DType, Op, TensorType};
use std::panic::Location;

/// Tensors one after another along a dim.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| concat([t.input("a", f32, [2, 3]), t.input("b", f32, [4, 3])], 0))?; // f32[6,3]
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn concat(tensors: impl AsRef<[Tensor]>, dim: impl Into<At>) -> Tensor {
    join(tensors.as_ref(), dim.into(), Location::caller())
}

pub(crate) fn join(tensors: &[Tensor], dim: At, line: Line) -> Tensor {
    let Some(first) = tensors.first() else {
        let diagnostic = Diagnostic::error(codes::SHAPE, "concat of no tensors").help("give at least one");
        return fail(TensorType::scalar(DType::F32), line, &[], diagnostic);
    };
    let Some(dim) = first.one_dim(dim, line) else { return poison(first.ty(), line) };
    emit(Op::Movement(Movement::Concatenate(Concatenate { dim })), tensors, line)
}

/// Tensors of one shape, side by side in a new dim.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| stack([t.input("a", f32, [3]), t.input("b", f32, [3])], 0))?; // f32[2,3]
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn stack(tensors: impl AsRef<[Tensor]>, dim: i64) -> Tensor {
    let line = Location::caller();
    let mut wide = Vec::new();
    for tensor in tensors.as_ref() {
        wide.push(tensor.unsqueeze(dim));
    }
    join(&wide, At::Number(dim), line)
}

impl Tensor {
    /// Equal pieces along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [6, 3]).chunks(3, 0))?; // three of f32[2,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn chunks(self, pieces: usize, dim: impl Into<At>) -> Vec<Tensor> {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else { return vec![poison(self.ty(), line); pieces] };
        let (size, count) = (self.dims()[dim], pieces as i64);
        if count == 0 || size % count != 0 {
            let message = format!("dim {dim} of {} does not divide into {count} equal pieces", self.words());
            let diagnostic =
                Diagnostic::error(codes::SHAPE, message).help("use `split_at` for pieces of other sizes");
            let mut dims = self.dims();
            dims[dim] = (size / count.max(1)).max(1);
            return vec![fail(self.ty().with_dims(dims), line, &[self], diagnostic); pieces];
        }
        let step = size / count;
        (0..count).map(|at| window(self, dim, at * step, (at + 1) * step, line)).collect()
    }

    /// Pieces along a dim that begin at these places (and the first at 0).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [6, 3]).split_at(&[1, 4], 0))?; // 1, 3 and 2 rows
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn split_at(self, places: &[i64], dim: impl Into<At>) -> Vec<Tensor> {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else {
            return vec![poison(self.ty(), line); places.len() + 1];
        };
        let ends = places.iter().copied().chain([self.dims()[dim]]);
        let starts = [0].into_iter().chain(places.iter().copied());
        starts.zip(ends).map(|(start, end)| window(self, dim, start, end, line)).collect()
    }

    /// Elements added before and after, per dim; negative numbers crop.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).pad([(1, 0), (0, 2)], 0.0))?; // f32[3,5]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn pad<const N: usize>(self, edges: [(i64, i64); N], value: impl Into<Arg>) -> Tensor {
        pad_edges(self, &edges, value.into(), Location::caller())
    }

    /// The elements moved by `by` places along a dim; those that leave at one end come in at the other.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4]).roll(1, 0))?; // [3, 0, 1, 2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn roll(self, by: i64, dim: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else { return poison(self.ty(), line) };
        let size = self.dims()[dim];
        let cut = if size == 0 { 0 } else { (-by).rem_euclid(size) };
        match (cut, size) {
            (0, _) => return self,
            // Two that change places, in one op.
            (1, 2) => return self.flip(dim as i64),
            _ => {}
        }
        let parts = [window(self, dim, cut, size, line), window(self, dim, 0, cut, line)];
        join(&parts, At::Number(dim as i64), line)
    }

    /// The tensor repeated along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).repeat_dim(2, 0))?; // f32[4,3]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn repeat_dim(self, times: usize, dim: impl Into<At>) -> Tensor {
        join(&vec![self; times], dim.into(), Location::caller())
    }
}

pub(crate) fn pad_edges(x: Tensor, edges: &[(i64, i64)], value: Arg, line: Line) -> Tensor {
    if edges.len() != x.rank() {
        let message = format!("pad speaks of {} dims, {} has {}", edges.len(), x.words(), x.rank());
        let diagnostic = Diagnostic::error(codes::SHAPE, message).help("give (before, after) for each dim");
        return fail(x.ty(), line, &[x], diagnostic);
    }
    let pad = Pad {
        low: edges.iter().map(|edge| edge.0).collect(),
        high: edges.iter().map(|edge| edge.1).collect(),
        interior: vec![0; edges.len()],
    };
    let value = value.tensor(x.dtype(), line);
    emit(Op::Movement(Movement::Pad(pad)), &[x, value], line)
}
