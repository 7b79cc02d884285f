//! Reductions over dims: `x.sum(-1)`, `x.sum([0, 1])`, `x.sum("batch")`, `x.sum(..)`.
//!
//! The `_keep` forms leave the reduced dims with size 1, so that the result broadcasts against the operand.

use crate::dims::{At, AtDims, Name};
use crate::ops::create::{constant_of, iota};
use crate::ops::shape::reshape_to;
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit_all, poison};
use meshwright_ir::op::{BinaryOp, Reduce};
use meshwright_ir::{BlockId, Build, DType, Literal, Op, TensorType};
use std::panic::Location;

/// A region of two scalars and one op.
pub(crate) fn reducer(op: BinaryOp, dtype: DType, line: Line) -> BlockId {
    let made = state::with(|state| {
        let source = state.source(line, op.mnemonic());
        state.regions(source).reducer(op, dtype)
    });
    made.unwrap_or_else(|| meshwright_base::Id::from_index(0))
}

/// What a reduction starts from.
pub(crate) fn neutral(op: BinaryOp, dtype: DType, line: Line) -> Tensor {
    let ty = TensorType::scalar(dtype);
    let identity = op.reducer().map(|reducer| Literal::identity(reducer, ty.clone()));
    constant_of(identity.unwrap_or_else(|| Literal::zeros(ty)), line)
}

/// Reduce over dims, given by number.
pub(crate) fn reduce(op: BinaryOp, x: Tensor, dims: Vec<usize>, line: Line) -> Tensor {
    if dims.is_empty() {
        return x;
    }
    let init = neutral(op, x.dtype(), line);
    let region = reducer(op, x.dtype(), line);
    let kept: Vec<usize> = (0..x.rank()).filter(|dim| !dims.contains(dim)).collect();
    let sizes = x.dims();
    let guess = x.ty().with_dims(kept.iter().map(|dim| sizes[*dim]).collect::<Vec<_>>());
    let results = emit_all(Op::Reduce(Reduce { dims }), &[x, init], vec![region], &[guess], line);
    results.first().copied().unwrap_or_else(Tensor::nowhere)
}

/// Reduce over dims that the user pointed at.
fn over(op: BinaryOp, x: Tensor, dims: AtDims, line: Line) -> Tensor {
    match x.some_dims(dims, line) {
        Some(dims) => reduce(op, x, dims, line),
        None => poison(x.ty(), line),
    }
}

/// The same with the reduced dims kept at size 1.
pub(crate) fn keep(reduced: Tensor, x: Tensor, dims: &[usize], line: Line) -> Tensor {
    let (mut sizes, names) = (x.dims(), x.names());
    for dim in dims {
        sizes[*dim] = 1;
    }
    let names: Vec<Name> =
        names.into_iter().enumerate().map(|(dim, name)| name.filter(|_| !dims.contains(&dim))).collect();
    let out = reshape_to(reduced, &sizes, line);
    out.set_names(names);
    out
}

fn over_keep(op: BinaryOp, x: Tensor, dims: AtDims, line: Line) -> Tensor {
    match x.some_dims(dims, line) {
        Some(dims) => keep(reduce(op, x, dims.clone(), line), x, &dims, line),
        None => poison(x.ty(), line),
    }
}

/// Number of elements that a reduction over dims joins.
pub(crate) fn joined(x: Tensor, dims: &[usize]) -> i64 {
    let sizes = x.dims();
    dims.iter().fold(1, |n: i64, dim| n.saturating_mul(sizes[*dim]))
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $keep:ident = $op:ident on $dtype:ident,)*) => {
        /// Reductions.
        impl Tensor {
            $(
                $(#[$doc])*
                ///
                /// ```
                /// use meshwright_tensor::prelude::*;
                #[doc = concat!("let program = trace(\"f\", |t| t.input(\"x\", ", stringify!($dtype), ", [2, 3]).", stringify!($name), "(-1))?; // of shape [2]")]
                /// # Ok::<(), Errors>(())
                /// ```
                #[track_caller]
                pub fn $name(self, dims: impl Into<AtDims>) -> Tensor {
                    over(BinaryOp::$op, self, dims.into(), Location::caller())
                }

                $(#[$doc])*
                ///
                /// The reduced dims stay with size 1.
                ///
                /// ```
                /// use meshwright_tensor::prelude::*;
                #[doc = concat!("let program = trace(\"f\", |t| t.input(\"x\", ", stringify!($dtype), ", [2, 3]).", stringify!($keep), "(-1))?; // of shape [2, 1]")]
                /// # Ok::<(), Errors>(())
                /// ```
                #[track_caller]
                pub fn $keep(self, dims: impl Into<AtDims>) -> Tensor {
                    over_keep(BinaryOp::$op, self, dims.into(), Location::caller())
                }
            )*
        }
    };
}

reductions! {
    /// The sum over dims.
    sum sum_keep = Add on f32,
    /// The product over dims.
    prod prod_keep = Multiply on f32,
    /// The largest element over dims; NaN if there is one.
    max max_keep = Maximum on f32,
    /// The smallest element over dims; NaN if there is one.
    min min_keep = Minimum on f32,
    /// Whether any is true.
    any any_keep = Or on pred,
    /// Whether all are true.
    all all_keep = And on pred,
}

impl Tensor {
    /// The mean over dims.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).mean(..))?; // f32[]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn mean(self, dims: impl Into<AtDims>) -> Tensor {
        let line = Location::caller();
        match self.some_dims(dims.into(), line) {
            Some(dims) => mean_of(self, dims, line),
            None => poison(self.ty(), line),
        }
    }

    /// The mean over dims, which stay with size 1.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).mean_keep(-1))?; // f32[2,1]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn mean_keep(self, dims: impl Into<AtDims>) -> Tensor {
        let line = Location::caller();
        match self.some_dims(dims.into(), line) {
            Some(dims) => keep(mean_of(self, dims.clone(), line), self, &dims, line),
            None => poison(self.ty(), line),
        }
    }

    /// The mean of squared distances from the mean, which stays with size 1.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).variance_keep(-1))?; // f32[2,1]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn variance_keep(self, dims: impl Into<AtDims>) -> Tensor {
        let dims: AtDims = dims.into();
        let centered = self - self.mean_keep(dims.clone());
        (centered * centered).mean_keep(dims)
    }

    /// Where the largest element stands along a dim, the first if there are several: `i32`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).argmax(-1))?; // s32[2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn argmax(self, dim: impl Into<At>) -> Tensor {
        first_at(BinaryOp::Maximum, self, dim.into(), Location::caller())
    }

    /// Where the smallest element stands along a dim, the first if there are several: `i32`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).argmin(-1))?; // s32[2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn argmin(self, dim: impl Into<At>) -> Tensor {
        first_at(BinaryOp::Minimum, self, dim.into(), Location::caller())
    }
}

fn mean_of(x: Tensor, dims: Vec<usize>, line: Line) -> Tensor {
    let count = joined(x, &dims);
    super::elementwise::expect_float("mean", x, line);
    let sum = reduce(BinaryOp::Add, x, dims, line);
    super::elementwise::binary(BinaryOp::Divide, sum.into(), count.into(), line)
}

/// Two plain reductions (the extreme, then the smallest place that has it) instead of one over pairs: both can be
/// split. A NaN counts as the extreme, as it does for `max` and `min`.
fn first_at(op: BinaryOp, x: Tensor, at: At, line: Line) -> Tensor {
    let Some(dim) = x.one_dim(at, line) else { return poison(x.ty().with_dtype(DType::S32), line) };
    let best = keep(reduce(op, x, vec![dim], line), x, &[dim], line);
    let found = x.eq(best) | x.ne(x);
    let places = iota(DType::S32, x.dims(), dim);
    let end = x.dims()[dim];
    let out = reduce(BinaryOp::Minimum, found.select(places, end), vec![dim], line);
    let names: Vec<Name> =
        x.names().into_iter().enumerate().filter(|(at, _)| *at != dim).map(|(_, name)| name).collect();
    out.set_names(names);
    out
}
