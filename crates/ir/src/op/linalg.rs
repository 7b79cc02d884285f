//! Fourier transform, Cholesky decomposition, triangular solve.

use crate::expect::ensure;
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{Linear, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType};
use meshwright_shard::Reducer;

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
    Cholesky {
        lower: bool,
    },
    /// `(a, b)`.
    TriangularSolve {
        left_side: bool,
        lower: bool,
        unit_diagonal: bool,
        transpose_a: TransposeKind,
    },
}

impl Fft {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        let (count, rank) = (self.length.len(), operand.rank());
        ensure!((1..=3).contains(&count), "fft goes over 1 to 3 dims, not {count}");
        ensure!(count <= rank, "fft goes over {count} dims, but the operand is {operand}");
        let dtype = self.result_dtype(operand.dtype)?;
        let mut dims = operand.dims.clone();
        for (index, &length) in self.length.iter().enumerate() {
            let dim = rank - count + index;
            ensure!(length >= 0, "the fft length of dim {dim} must be at least 0, not {length}");
            let half = length / 2 + i64::from(length > 0);
            let is_minor = dim + 1 == rank;
            let (wanted, gives) = match self.kind {
                FftKind::Rfft if is_minor => (length, half),
                FftKind::Irfft if is_minor => (half, length),
                _ => (length, length),
            };
            let size = operand.dims[dim];
            ensure!(
                size == wanted,
                "dim {dim} of the operand has {size} elements, but fft length {length} needs {wanted}"
            );
            dims[dim] = gives;
        }
        Ok(vec![TensorType::new(dtype, dims).into()])
    }

    fn result_dtype(&self, operand: DType) -> Result<DType, InferError> {
        match (self.kind, operand) {
            (FftKind::Fft | FftKind::Ifft, DType::C64 | DType::C128) => Ok(operand),
            (FftKind::Rfft, DType::F32) => Ok(DType::C64),
            (FftKind::Rfft, DType::F64) => Ok(DType::C128),
            (FftKind::Irfft, DType::C64 | DType::C128) => Ok(operand.part()),
            (kind, other) => Err(InferError::new(format!("{kind:?} is not defined on {other}"))),
        }
    }

    /// Transformed dims must stay together; the others pass through.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for dim in 0..cx.operands[0].rank().saturating_sub(self.length.len()) {
            rule.pass(cx.size(OperandIdx(0).dim(dim)), OperandIdx(0).dim(dim), ResultIdx(0).dim(dim));
        }
        rule.fill_whole(cx);
        rule.with_linear(Linear::jointly([Reducer::Sum], [0]))
    }

    pub fn mnemonic(&self) -> &'static str {
        "fft"
    }
}

impl Linalg {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self {
            Linalg::Cholesky { .. } => infer_cholesky(operands),
            Linalg::TriangularSolve { left_side, .. } => infer_solve(operands, *left_side),
        }
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        match self {
            Linalg::Cholesky { .. } => rule_cholesky(cx),
            Linalg::TriangularSolve { left_side, .. } => rule_solve(cx, *left_side),
        }
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Linalg::Cholesky { .. } => "cholesky",
            Linalg::TriangularSolve { .. } => "triangular_solve",
        }
    }
}

/// Batch dims and the size of square matrices of floats.
fn expect_square<'a>(name: &str, ty: &'a TensorType) -> Result<(&'a [i64], i64), InferError> {
    ensure!(ty.dtype.is_float() || ty.dtype.is_complex(), "{name} is not defined on {}", ty.dtype);
    let [batch @ .., rows, columns] = &ty.dims[..] else {
        return Err(InferError::new(format!("{name} takes matrices, not {ty}")));
    };
    ensure!(
        rows == columns,
        "{name} takes square matrices, but these have {rows} rows and {columns} columns"
    );
    Ok((batch, *rows))
}

fn infer_cholesky(operands: Operands<'_>) -> Inferred {
    let [a] = operands.tensors()?;
    expect_square("cholesky", a)?;
    Ok(vec![a.clone().into()])
}

fn infer_solve(operands: Operands<'_>, left_side: bool) -> Inferred {
    let [a, b] = operands.tensors()?;
    let (batch, size) = expect_square("triangular_solve", a)?;
    ensure!(a.dtype == b.dtype, "a is {a}, but b is {b}: the element types must agree");
    let [b_batch @ .., rows, columns] = &b.dims[..] else {
        return Err(InferError::new(format!("triangular_solve takes matrices, but b is {b}")));
    };
    ensure!(batch == b_batch, "a is {a}, but b is {b}: the batch dims must agree");
    let solved = if left_side { *rows } else { *columns };
    ensure!(solved == size, "a has {size} rows, but b has {solved} elements along the solved dim");
    Ok(vec![b.clone().into()])
}

/// A factorization needs its whole matrix; batch dims pass through.
fn rule_cholesky(cx: RuleCx<'_>) -> Rule {
    let mut rule = Rule::empty(cx);
    for dim in 0..cx.operands[0].rank() - 2 {
        rule.pass(cx.size(OperandIdx(0).dim(dim)), OperandIdx(0).dim(dim), ResultIdx(0).dim(dim));
    }
    rule.fill_whole(cx);
    rule
}

/// Each right-hand side is solved by itself.
fn rule_solve(cx: RuleCx<'_>, left_side: bool) -> Rule {
    let mut rule = Rule::empty(cx);
    let rank = cx.operands[1].rank();
    for dim in 0..rank - 2 {
        rule.pass_all(
            cx.size(OperandIdx(1).dim(dim)),
            [OperandIdx(0).dim(dim), OperandIdx(1).dim(dim), ResultIdx(0).dim(dim)],
        );
    }
    let free = if left_side { rank - 1 } else { rank - 2 };
    rule.pass(cx.size(OperandIdx(1).dim(free)), OperandIdx(1).dim(free), ResultIdx(0).dim(free));
    rule.fill_whole(cx);
    rule.with_linear(Linear::singly([Reducer::Sum], [1]))
}
