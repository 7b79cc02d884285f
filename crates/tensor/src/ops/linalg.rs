//! Matrices and spectra: Fourier transforms over the last dims, Cholesky factors and triangular systems of the last
//! two. Dims before these are batches.

use crate::codes;
use crate::ops::create::iota;
use crate::state::Line;
use crate::tensor::{Tensor, emit, emit_all, fail};
use meshwright_base::Diagnostic;
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
        transform("fft", FftKind::Fft, self, dims, None, Location::caller())
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
        transform("ifft", FftKind::Ifft, self, dims, None, Location::caller())
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
        transform("rfft", FftKind::Rfft, self, dims, None, Location::caller())
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
        transform("irfft", FftKind::Irfft, self, dims, Some(size), Location::caller())
    }

    /// The lower triangular `l` with `l l^H = x`, of a symmetric (or Hermitian) positive definite matrix. Only the
    /// lower half of `x` is read.
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
        let line = Location::caller();
        if !is_square(self) {
            let message = format!("cholesky of {}: the last two dims are no square matrix", self.words());
            let help = "give it as many rows as columns; dims before them are batches";
            return fail(self.ty(), line, &[self], Diagnostic::error(codes::SHAPE, message).help(help));
        }
        emit(Op::Linalg(Linalg::Cholesky { lower: true }), &[self], line).tril()
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
        let line = Location::caller();
        let sizes = last(b, 2);
        let along = if triangle.left { sizes.first() } else { sizes.last() };
        if !is_square(self) || sizes.len() != 2 || along != self.dims().last() {
            let (a, b_words) = (self.words(), b.words());
            let message = format!("triangular_solve of {a} and {b_words}: the matrices do not fit");
            let side = if triangle.left { "rows" } else { "columns" };
            let help = format!(
                "the first is a square matrix, the second has as many {side}; dims before them are equal"
            );
            return fail(b.ty(), line, &[self, b], Diagnostic::error(codes::SHAPE, message).help(help));
        }
        let op = Linalg::TriangularSolve {
            left_side: triangle.left,
            lower: triangle.lower,
            unit_diagonal: triangle.unit_diagonal,
            transpose_a: triangle.kind(),
        };
        let solved = emit_all(Op::Linalg(op), &[self, b], Vec::new(), &[b.ty()], line);
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
        half("tril", self, |row, column| row.ge(column), Location::caller())
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
        half("triu", self, |row, column| row.le(column), Location::caller())
    }
}

/// Sizes of the last so many dims.
fn last(x: Tensor, dims: usize) -> Vec<i64> {
    let sizes = x.dims();
    sizes[sizes.len().saturating_sub(dims)..].to_vec()
}

fn is_square(x: Tensor) -> bool {
    let sizes = last(x, 2);
    sizes.len() == 2 && sizes[0] == sizes[1]
}

/// Transform the last `dims` dims; the last of the result has `size` elements, if that is not the operand's.
fn transform(name: &str, kind: FftKind, x: Tensor, dims: usize, size: Option<i64>, line: Line) -> Tensor {
    if let Some((why, help)) = misfit(kind, x, dims, size) {
        let message = format!("{name} of {}: {why}", x.words());
        return fail(x.ty(), line, &[x], Diagnostic::error(codes::SHAPE, message).help(help));
    }
    let mut length = last(x, dims);
    if let (Some(end), Some(size)) = (length.last_mut(), size) {
        *end = size;
    }
    emit(Op::Fft(Fft { kind, length }), &[x], line)
}

/// What does not fit, and what would.
fn misfit(kind: FftKind, x: Tensor, dims: usize, size: Option<i64>) -> Option<(String, String)> {
    let (dtype, rank) = (x.dtype(), x.rank());
    if !(1..=rank.min(3)).contains(&dims) {
        let help = "1 to 3 of its last dims can be transformed";
        return Some((format!("it cannot go over {dims} of {rank} dims"), help.to_string()));
    }
    match (kind, dtype.is_complex()) {
        (FftKind::Rfft, true) => {
            return Some((
                "it is for real numbers".into(),
                format!("use `.fft({dims})` for complex numbers"),
            ));
        }
        (FftKind::Fft | FftKind::Ifft | FftKind::Irfft, false) => {
            let help =
                format!("use `.rfft({dims})` for real numbers, or make it complex with `.complex(0.0)`");
            return Some(("it is for complex numbers".into(), help));
        }
        _ => {}
    }
    let (has, size) = (x.dims()[rank - 1], size?);
    if size >= 1 && size / 2 + 1 == has {
        return None;
    }
    let most = has.saturating_mul(2).saturating_sub(1).max(1);
    let why = format!("{size} real numbers come from {}, but the last dim has {has}", size / 2 + 1);
    Some((why, format!("ask for {} or {most} numbers", (most - 1).max(1))))
}

fn half(name: &str, x: Tensor, keeps: impl FnOnce(Tensor, Tensor) -> Tensor, line: Line) -> Tensor {
    let sizes = last(x, 2);
    if sizes.len() < 2 {
        let message = format!("{name} of {}: a matrix has two dims", x.words());
        let help = "give it one more dim, for instance with `.unsqueeze(0)`";
        return fail(x.ty(), line, &[x], Diagnostic::error(codes::SHAPE, message).help(help));
    }
    let (row, column) = (iota(DType::S32, &sizes, 0), iota(DType::S32, &sizes, 1));
    keeps(row, column).select(x, 0)
}
