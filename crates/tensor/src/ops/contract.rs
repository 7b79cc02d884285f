//! Matrix products of any rank, as NumPy's `matmul`.

use crate::codes;
use crate::ops::shape::{broadcast_in, common_shape};
use crate::state::Line;
use crate::tensor::{Tensor, emit, fail};
use meshwright_base::Diagnostic;
use meshwright_ir::Op;
use meshwright_ir::op::Dot;
use std::panic::Location;

/// The product of matrices: the last dim of `a` with the second-to-last of `b`; dims before them are batches and
/// broadcast. A tensor of rank 1 is a row on the left and a column on the right.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// let program = trace("f", |t| matmul(t.input("a", f32, [5, 2, 3]), t.input("b", f32, [3, 4])))?; // f32[5,2,4]
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn matmul(a: Tensor, b: Tensor) -> Tensor {
    product(a, b, Location::caller())
}

impl Tensor {
    /// [`matmul`] of this and another tensor.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("a", f32, [2, 3]).matmul(t.input("b", f32, [3, 4])))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn matmul(self, other: Tensor) -> Tensor {
        product(self, other, Location::caller())
    }
}

fn product(a: Tensor, b: Tensor, line: Line) -> Tensor {
    let (left, right) = (a.dims(), b.dims());
    let row = b.rank().saturating_sub(2);
    let fits = !left.is_empty() && !right.is_empty() && left[left.len() - 1] == right[row];
    let batch = common_shape(&left[..left.len().saturating_sub(2)], &right[..row]);
    let Some(batch) = batch.filter(|_| fits) else { return unequal(a, b, line) };
    if a.dtype() != b.dtype() {
        crate::arg::dtypes_differ("matmul", a, b, line);
        return crate::tensor::poison(a.ty().with_dims(result_dims(&left, &right)), line);
    }
    if right.len() <= 2 || left.len() < 2 && right.len() <= 2 {
        return dot(a, b, 0, line);
    }
    let widen = |x: Tensor, dims: &[i64]| {
        let inner = &dims[dims.len().saturating_sub(2)..];
        let wide = [&batch[..], inner].concat();
        let at: Vec<usize> = (wide.len() - dims.len()..wide.len()).collect();
        broadcast_in(x, &wide, &at, line)
    };
    dot(widen(a, &left), widen(b, &right), batch.len(), line)
}

/// Contract the last dim of `a` with the second-to-last of `b`.
fn dot(a: Tensor, b: Tensor, batch: usize, line: Line) -> Tensor {
    let pair = (a.rank() - 1, b.rank().saturating_sub(2));
    let dot = Dot {
        batch: (0..batch).map(|dim| (dim, dim)).collect(),
        contract: vec![pair],
        result: a.dtype(),
        precision: Vec::new(),
        algorithm: None,
    };
    emit(Op::Dot(dot), &[a, b], line)
}

fn result_dims(left: &[i64], right: &[i64]) -> Vec<i64> {
    let rows = &left[..left.len().saturating_sub(1)];
    [rows, &right[right.len().saturating_sub(usize::from(right.len() > 1))..]].concat()
}

fn unequal(a: Tensor, b: Tensor, line: Line) -> Tensor {
    let (left, right) = (a.dims(), b.dims());
    let message = format!("matmul of {} and {}: the shapes do not fit", a.words(), b.words());
    let mut diagnostic = Diagnostic::error(codes::SHAPE, message);
    if let (Some(last), Some(row)) = (left.last(), right.get(b.rank().saturating_sub(2))) {
        diagnostic = diagnostic.note(format!(
            "the last dim on the left has {last} elements, dim {} on the right {row}",
            b.rank().saturating_sub(2)
        ));
    }
    let help = "these two must be equal, and the dims before them equal or 1; `.t()` transposes, `einsum` says it freely";
    fail(a.ty().with_dims(result_dims(&left, &right)), line, &[a, b], diagnostic.help(help))
}
