//! Fourier transform, Cholesky decomposition, triangular solve.

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FftKind {
    Fft,
    Ifft,
    Rfft,
    Irfft,
}

/// Over the last `length.len()` dims.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fft {
    pub kind: FftKind,
    pub length: Vec<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TransposeKind {
    NoTranspose,
    Transpose,
    Adjoint,
}

/// Over the last two dims; the dims before are batch.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Linalg {
    Cholesky { lower: bool },
    /// `(a, b)`.
    TriangularSolve { left_side: bool, lower: bool, unit_diagonal: bool, transpose_a: TransposeKind },
}
