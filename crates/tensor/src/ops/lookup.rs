//! Rows by index: take, take_along, gather by index vectors, and scatter.
//!
//! An index beyond the end reads the last element (and below 0 the first); scattering there does nothing.

use crate::codes;
use crate::dims::At;
use crate::ops::reduce::reducer;
use crate::state::{self, Line};
use crate::tensor::{Tensor, emit, emit_all, fail, poison};
use meshwright_base::Diagnostic;
use meshwright_ir::op::{BinaryOp, Gather, Scatter};
use meshwright_ir::{BlockId, Op};
use std::panic::Location;

impl Tensor {
    /// The rows of dim `dim` that the indices name: their dims stand in its place. An embedding is `table.take(ids,
    /// 0)`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.param("table", [100, 8]).take(t.input("ids", i32, [2, 5]), 0))?; // f32[2,5,8]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn take(self, indices: Tensor, dim: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else { return poison(self.ty(), line) };
        let ranks = (self.rank(), indices.rank());
        let mut slice_sizes = self.dims();
        slice_sizes[dim] = 1;
        let gather = Gather {
            offset_dims: (0..dim).chain(dim + ranks.1..ranks.0 - 1 + ranks.1).collect(),
            collapsed_slice_dims: vec![dim],
            operand_batching_dims: Vec::new(),
            start_indices_batching_dims: Vec::new(),
            start_index_map: vec![dim],
            index_vector_dim: ranks.1,
            slice_sizes,
            indices_are_sorted: false,
        };
        emit(Op::Gather(gather), &[self, indices], line)
    }

    /// For each place of the indices, the element of dim `dim` they name there. All other dims must be equal.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 9]).take_along(t.input("at", i32, [4, 2]), -1))?; // f32[4,2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn take_along(self, indices: Tensor, dim: impl Into<At>) -> Tensor {
        let line = Location::caller();
        let Some(dim) = self.one_dim(dim.into(), line) else {
            return poison(indices.ty().with_dtype(self.dtype()), line);
        };
        if !aligned(self, indices, dim) {
            return misaligned("take_along", self, indices, dim, line);
        }
        let others: Vec<usize> = (0..self.rank()).filter(|at| *at != dim).collect();
        let gather = Gather {
            offset_dims: Vec::new(),
            collapsed_slice_dims: vec![dim],
            operand_batching_dims: others.clone(),
            start_indices_batching_dims: others,
            start_index_map: vec![dim],
            index_vector_dim: self.rank(),
            slice_sizes: vec![1; self.rank()],
            indices_are_sorted: false,
        };
        emit(Op::Gather(gather), &[self, indices], line)
    }

    /// Elements, or rows, by index vectors: the last dim of the indices names a place in the first dims of this tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 5, 6]).gather_nd(t.input("at", i32, [7, 2])))?; // f32[7,6]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn gather_nd(self, indices: Tensor) -> Tensor {
        let line = Location::caller();
        let Some(depth) = depth("gather_nd", self, indices, line) else { return poison(self.ty(), line) };
        let batch = indices.rank() - 1;
        let mut slice_sizes = self.dims();
        slice_sizes[..depth].fill(1);
        let gather = Gather {
            offset_dims: (batch..batch + self.rank() - depth).collect(),
            collapsed_slice_dims: (0..depth).collect(),
            operand_batching_dims: Vec::new(),
            start_indices_batching_dims: Vec::new(),
            start_index_map: (0..depth).collect(),
            index_vector_dim: batch,
            slice_sizes,
            indices_are_sorted: false,
        };
        emit(Op::Gather(gather), &[self, indices], line)
    }

    /// This tensor with rows added to it: row `indices[i]` of dim 0 gets `updates[i]`. Rows named twice get both.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let counts = zeros(f32, [10, 4]);
    ///     counts.scatter_add(t.input("at", i32, [6]), t.input("rows", f32, [6, 4]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn scatter_add(self, indices: Tensor, updates: Tensor) -> Tensor {
        let line = Location::caller();
        scatter(Some(BinaryOp::Add), self, indices, updates, 1, false, line)
    }

    /// This tensor with rows replaced. Of rows named twice, any one stays.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [10, 4]);
    ///     x.scatter_set(t.input("at", i32, [6]), t.input("rows", f32, [6, 4]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn scatter_set(self, indices: Tensor, updates: Tensor) -> Tensor {
        scatter(None, self, indices, updates, 1, false, Location::caller())
    }

    /// This tensor with the larger of itself and the updates, row by row.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [10]);
    ///     x.scatter_max(t.input("at", i32, [6]), t.input("values", f32, [6]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn scatter_max(self, indices: Tensor, updates: Tensor) -> Tensor {
        scatter(Some(BinaryOp::Maximum), self, indices, updates, 1, false, Location::caller())
    }

    /// This tensor with the smaller of itself and the updates, row by row.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [10]);
    ///     x.scatter_min(t.input("at", i32, [6]), t.input("values", f32, [6]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn scatter_min(self, indices: Tensor, updates: Tensor) -> Tensor {
        scatter(Some(BinaryOp::Minimum), self, indices, updates, 1, false, Location::caller())
    }

    /// This tensor with rows multiplied: row `indices[i]` of dim 0 by `updates[i]`. Rows named twice by both.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [10]);
    ///     x.scatter_mul(t.input("at", i32, [6]), t.input("factors", f32, [6]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn scatter_mul(self, indices: Tensor, updates: Tensor) -> Tensor {
        scatter(Some(BinaryOp::Multiply), self, indices, updates, 1, false, Location::caller())
    }

    /// [`scatter_add`](Tensor::scatter_add) by index vectors: the last dim of the indices names a place in the first
    /// dims of this tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     zeros(f32, [4, 5, 6]).scatter_add_nd(t.input("at", i32, [7, 2]), t.input("rows", f32, [7, 6]))
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn scatter_add_nd(self, indices: Tensor, updates: Tensor) -> Tensor {
        let line = Location::caller();
        let Some(depth) = depth("scatter_add_nd", self, indices, line) else {
            return poison(self.ty(), line);
        };
        scatter(Some(BinaryOp::Add), self, indices, updates, depth, true, line)
    }
}

/// Whether the indices have the tensor's dims but for one.
fn aligned(x: Tensor, indices: Tensor, dim: usize) -> bool {
    let (a, b) = (x.dims(), indices.dims());
    a.len() == b.len() && (0..a.len()).all(|at| at == dim || a[at] == b[at])
}

fn misaligned(name: &str, x: Tensor, indices: Tensor, dim: usize, line: Line) -> Tensor {
    let message = format!("{name} of {} by {}: the dims but dim {dim} differ", x.words(), indices.words());
    let help = "the indices have the tensor's rank and sizes, but for the dim they look up; `take` looks up whole rows";
    let ty = indices.ty().with_dtype(x.dtype());
    fail(ty, line, &[x, indices], Diagnostic::error(codes::SHAPE, message).help(help))
}

/// Length of the index vectors.
fn depth(name: &str, x: Tensor, indices: Tensor, line: Line) -> Option<usize> {
    let last = indices.dims().last().copied().and_then(|size| usize::try_from(size).ok());
    if let Some(depth) = last.filter(|depth| *depth <= x.rank()) {
        return Some(depth);
    }
    let message =
        format!("{name} of {} by {}: the last dim of the indices must name dims", x.words(), indices.words());
    let help = format!("it has one number per looked-up dim, 0 to {} of them", x.rank());
    x.report(line, Diagnostic::error(codes::SHAPE, message).help(help));
    None
}

/// Scatter into the first `depth` dims; the indices have a dim for the vector if `vectors`.
fn scatter(
    op: Option<BinaryOp>,
    x: Tensor,
    indices: Tensor,
    updates: Tensor,
    depth: usize,
    vectors: bool,
    line: Line,
) -> Tensor {
    if x.rank() < depth {
        let diagnostic = Diagnostic::error(codes::SHAPE, "a scalar has no rows to scatter into");
        return fail(x.ty(), line, &[x], diagnostic.help("give it at least one dim"));
    }
    let batch = indices.rank() - usize::from(vectors);
    let scatter = Scatter {
        update_window_dims: (batch..batch + x.rank() - depth).collect(),
        inserted_window_dims: (0..depth).collect(),
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: (0..depth).collect(),
        index_vector_dim: batch,
        indices_are_sorted: false,
        unique_indices: false,
    };
    let region = match op {
        Some(op) => reducer(op, x.dtype(), line),
        None => second(x),
    };
    let results = emit_all(Op::Scatter(scatter), &[x, indices, updates], vec![region], &[x.ty()], line);
    results.first().copied().unwrap_or_else(Tensor::nowhere)
}

/// A region that returns its second scalar.
fn second(x: Tensor) -> BlockId {
    let ty = meshwright_ir::TensorType::scalar(x.dtype());
    let made = state::with(|state| {
        let mut editor = state.editor();
        let block = editor.block();
        editor.param(block, ty.clone().into());
        let update = editor.param(block, ty.into());
        editor.set_results(block, vec![update]);
        block
    });
    made.unwrap_or_else(|| meshwright_base::Id::from_index(0))
}
