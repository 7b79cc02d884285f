//! Order along a dim: sort, argsort, top-k, cumulative sums.

use crate::codes;
use crate::dims::At;
use crate::ops::create::iota;
use crate::ops::reduce::{neutral, reducer};
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit_all, fail, poison};
use meshwright_base::Diagnostic;
use meshwright_ir::op::window::WindowDim;
use meshwright_ir::op::{BinaryOp, Compare, CompareKind, Direction, ReduceWindow, Sort, TopK};
use meshwright_ir::{BlockId, Build, DType, Op, TensorType, Type};
use std::panic::Location;

impl Tensor {
    /// Ascending along a dim; equal elements keep their order, NaN stands last.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).sort(-1))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn sort(self, dim: impl Into<At>) -> Tensor {
        let sorted = sort_with(self, &[], dim.into(), Location::caller());
        sorted.first().copied().unwrap_or(self)
    }

    /// Where each element of the sorted tensor comes from: `i32`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).argsort(-1))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn argsort(self, dim: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else {
            return poison(self.ty().with_dtype(DType::S32), line);
        };
        let places = iota(DType::S32, self.dims(), dim);
        let sorted = sort_with(self, &[places], At::Number(dim as i64), line);
        sorted.get(1).copied().unwrap_or(places)
    }

    /// Ascending along a dim, with other tensors of this shape in the same order.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [3]).sort_by_key(&[t.input("y", i32, [3])], 0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn sort_by_key(self, others: &[Tensor], dim: impl Into<At>) -> Vec<Tensor> {
        sort_with(self, others, dim.into(), Location::caller())
    }

    /// The `k` largest elements of the last dim, largest first, and where they stand (`i32`); ties by lower place.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let (gates, experts) = t.input("x", f32, [2, 8]).top_k(2);
    ///     (gates, experts)
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn top_k(self, k: i64) -> (Tensor, Tensor) {
        let line = Location::caller();
        let mut dims = self.dims();
        if let Some(last) = dims.last_mut() {
            *last = k.max(0);
        }
        let guesses = [self.ty().with_dims(dims.clone()), TensorType::new(DType::S32, dims)];
        let results = emit_all(Op::TopK(TopK { k, largest: true }), &[self], Vec::new(), &guesses, line);
        match results[..] {
            [values, places] => (values, places),
            _ => (self, self),
        }
    }

    /// Sums of the elements up to and with each, along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [5]).cumsum(0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn cumsum(self, dim: impl Into<At>) -> Tensor {
        cumulative(BinaryOp::Add, self, dim.into(), Location::caller())
    }

    /// Products of the elements up to and with each, along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [5]).cumprod(0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn cumprod(self, dim: impl Into<At>) -> Tensor {
        cumulative(BinaryOp::Multiply, self, dim.into(), Location::caller())
    }

    /// The largest of the elements up to and with each, along a dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [5]).cummax(0))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn cummax(self, dim: impl Into<At>) -> Tensor {
        cumulative(BinaryOp::Maximum, self, dim.into(), Location::caller())
    }
}

/// A window of the whole dim that begins before it: one op, which engines know as a running sum.
fn cumulative(op: BinaryOp, x: Tensor, dim: At, line: Line) -> Tensor {
    let Some(dim) = x.one_dim(dim, line) else { return poison(x.ty(), line) };
    let size = x.dims()[dim];
    if size == 0 {
        return x;
    }
    let mut window = vec![WindowDim::TRIVIAL; x.rank()];
    window[dim] = WindowDim { size, pad_low: size - 1, ..WindowDim::TRIVIAL };
    let init = neutral(op, x.dtype(), line);
    let region = reducer(op, x.dtype(), line);
    let results =
        emit_all(Op::ReduceWindow(ReduceWindow { window }), &[x, init], vec![region], &[x.ty()], line);
    let out = results.first().copied().unwrap_or(x);
    out.set_names(x.names());
    out
}

fn sort_with(keys: Tensor, others: &[Tensor], dim: At, line: Line) -> Vec<Tensor> {
    let all = [&[keys][..], others].concat();
    let Some(dim) = keys.one_dim(dim, line) else { return all };
    if keys.dtype().is_complex() {
        let message = format!("sort of {}: complex numbers have no order", keys.words());
        let diagnostic = Diagnostic::error(codes::DTYPE, message).help("sort by `.abs()` or `.real()`");
        return vec![fail(keys.ty(), line, &[keys], diagnostic); all.len()];
    }
    let dtypes: Vec<DType> = all.iter().map(|tensor| tensor.dtype()).collect();
    let region = comparator(&dtypes, line);
    let guesses: Vec<TensorType> = all.iter().map(|tensor| tensor.ty()).collect();
    emit_all(Op::Sort(Sort { dim, stable: true }), &all, vec![region], &guesses, line)
}

/// "The first of the first pair is smaller."
fn comparator(dtypes: &[DType], line: Line) -> BlockId {
    let made = state::with(|state| {
        let source = state.source(line, "compare");
        let params = dtypes.iter().flat_map(|dtype| [*dtype; 2]).map(TensorType::scalar).map(Type::from);
        let kind = dtypes[0].is_float().then_some(CompareKind::TotalOrder);
        let compare = Op::Compare(Compare { direction: Direction::Lt, kind });
        state.regions(source).region(params, |b, params| vec![b.push(compare, &params[..2])])
    });
    made.unwrap_or_else(|| meshwright_base::Id::from_index(0))
}
