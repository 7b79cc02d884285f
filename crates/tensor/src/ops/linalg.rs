//! Matrices and spectra: Fourier transforms over the last dims, Cholesky factors and triangular systems of the last two.
//! Dims before these are batches.

use crate::ops::create::iota;
use crate::state::Line;
use crate::tensor::{Tensor, emit, emit_all};
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{Linalg, TransposeKind};
use meshwright_ir::{DType, Op};
use std::panic::Location;

/// Which half of a matrix a triangular system reads, and how. Begin with [`Triangle::lower`] or [`Triangle::upper`] and
/// change what differs.
///
/// ```
/// use meshwright_tensor::prelude::*;
/// use meshwright_tensor::Triangle;
/// let program = trace("f", |t| {
///     let (a, b) = (t.input("a", f32, [3, 3]), t.input("b", f32, [2, 3]));
///     a.triangular_solve(b, Triangle { left: false, ..Triangle::lower() }) // x with x a = b
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// The half on and below the diagonal; the other is not read.
    pub lower: bool,
    /// Ones are meant on the diagonal, whatever stands there.
    pub unit_diagonal: bool,
    /// The matrix stands left of the unknown.
    pub left: bool,
    /// The matrix is transposed before, and conjugated too if `conjugate`.
    pub transpose: bool,
    /// With `transpose`: the conjugate of the matrix.
    pub conjugate: bool,
}

impl Triangle {
    /// `a x = b`, by the lower half of `a`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Triangle;
    /// assert!(Triangle::lower().lower && Triangle::lower().left);
    /// ```
    pub fn lower() -> Triangle {
        Triangle { lower: true, unit_diagonal: false, left: true, transpose: false, conjugate: false }
    }

    /// `a x = b`, by the upper half of `a`.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Triangle;
    /// assert!(!Triangle::upper().lower);
    /// ```
    pub fn upper() -> Triangle {
        Triangle { lower: false, ..Triangle::lower() }
    }

    fn kind(self) -> TransposeKind {
        match (self.transpose, self.conjugate) {
            (true, true) => TransposeKind::Adjoint,
            (true, false) => TransposeKind::Transpose,
            (false, _) => TransposeKind::NoTranspose,
        }
    }
}

impl Tensor {
    /// The discrete Fourier transform of complex numbers over the last `dims` dims (1 to 3).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", c64, [4, 8]).fft(1))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn fft(self, dims: usize) -> Tensor {
        transform(FftKind::Fft, self, last(self, dims), Location::caller())
    }

    /// The inverse of [`fft`](Tensor::fft).
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", c64, [4, 8]).ifft(2))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn ifft(self, dims: usize) -> Tensor {
        transform(FftKind::Ifft, self, last(self, dims), Location::caller())
    }

    /// The Fourier transform of real numbers over the last `dims` dims, without the half of the last dim that repeats.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 8]).rfft(1))?; // c64[4,5]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn rfft(self, dims: usize) -> Tensor {
        transform(FftKind::Rfft, self, last(self, dims), Location::caller())
    }

    /// The inverse of [`rfft`](Tensor::rfft): real numbers, `size` of them along the last dim.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", c64, [4, 5]).irfft(1, 8))?; // f32[4,8]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn irfft(self, dims: usize, size: i64) -> Tensor {
        let mut length = last(self, dims);
        if let Some(end) = length.last_mut() {
            *end = size;
        }
        transform(FftKind::Irfft, self, length, Location::caller())
    }

    /// The lower triangular `l` with `l l^H = x`, of a symmetric (or Hermitian) positive definite matrix. Only the lower
    /// half of `x` is read.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let x = t.input("x", f32, [4, 4]);
    ///     (x.matmul(x.t()) + eye(f32, 4)).cholesky()
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn cholesky(self) -> Tensor {
        emit(Op::Linalg(Linalg::Cholesky { lower: true }), &[self], Location::caller()).tril()
    }

    /// The `x` with `a x = b`, where `a` is this tensor, read as a triangle.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// use meshwright_tensor::Triangle;
    /// let program = trace("f", |t| {
    ///     t.input("a", f32, [3, 3]).triangular_solve(t.input("b", f32, [3, 2]), Triangle::lower())
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn triangular_solve(self, b: Tensor, triangle: Triangle) -> Tensor {
        let op = Linalg::TriangularSolve {
            left_side: triangle.left,
            lower: triangle.lower,
            unit_diagonal: triangle.unit_diagonal,
            transpose_a: triangle.kind(),
        };
        let solved = emit_all(Op::Linalg(op), &[self, b], Vec::new(), &[b.ty()], Location::caller());
        solved.first().copied().unwrap_or(b)
    }

    /// The matrices with zeros above the diagonal.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 4]).tril())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn tril(self) -> Tensor {
        half(self, |row, column| row.ge(column))
    }

    /// The matrices with zeros below the diagonal.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [4, 4]).triu())?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn triu(self) -> Tensor {
        half(self, |row, column| row.le(column))
    }
}

/// Sizes of the last so many dims.
fn last(x: Tensor, dims: usize) -> Vec<i64> {
    let sizes = x.dims();
    sizes[sizes.len().saturating_sub(dims)..].to_vec()
}

fn transform(kind: FftKind, x: Tensor, length: Vec<i64>, line: Line) -> Tensor {
    emit(Op::Fft(Fft { kind, length }), &[x], line)
}

#[track_caller]
fn half(x: Tensor, keeps: impl FnOnce(Tensor, Tensor) -> Tensor) -> Tensor {
    let sizes = last(x, 2);
    let (row, column) = (iota(DType::S32, &sizes, -2), iota(DType::S32, &sizes, -1));
    keeps(row, column).select(x, 0)
}
