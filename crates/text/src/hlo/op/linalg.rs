//! Fourier transform, Cholesky decomposition, triangular solve.

use super::Made;
use super::elementwise::word_of;
use crate::hlo::inst::InstText;
use crate::hlo::lex::Read;
use crate::hlo::line::Line;
use meshwright_ir::Op;
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{Linalg, TransposeKind};

const FFTS: [(FftKind, &str); 4] =
    [(FftKind::Fft, "FFT"), (FftKind::Ifft, "IFFT"), (FftKind::Rfft, "RFFT"), (FftKind::Irfft, "IRFFT")];

const TRANSPOSES: [(TransposeKind, &str); 3] = [
    (TransposeKind::NoTranspose, "NO_TRANSPOSE"),
    (TransposeKind::Transpose, "TRANSPOSE"),
    (TransposeKind::Adjoint, "ADJOINT"),
];

pub(super) fn read_fft<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    let kind = text.word("fft_type", &FFTS)?;
    let kind = kind.ok_or_else(|| text.fault("`fft` needs the attribute `fft_type`"))?;
    Ok(Made::of(Op::Fft(Fft { kind, length: text.ints("fft_length")? })))
}

pub(super) fn read_cholesky<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Linalg(Linalg::Cholesky { lower: text.flag("lower")? })))
}

pub(super) fn read_triangular_solve<'t>(text: &mut InstText<'_, 't>) -> Read<Made<'t>> {
    Ok(Made::of(Op::Linalg(Linalg::TriangularSolve {
        left_side: text.flag("left_side")?,
        lower: text.flag("lower")?,
        unit_diagonal: text.flag("unit_diagonal")?,
        transpose_a: text.word("transpose_a", &TRANSPOSES)?.unwrap_or(TransposeKind::NoTranspose),
    })))
}

pub(super) fn print_fft(op: &Fft, line: &mut Line<'_, '_, '_>) {
    line.op("fft").attr("fft_type", word_of(&op.kind, &FFTS)).list("fft_length", &op.length);
}

pub(super) fn print(op: &Linalg, line: &mut Line<'_, '_, '_>) {
    match op {
        Linalg::Cholesky { lower } => line.op("cholesky").flag("lower", *lower),
        Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose_a } => line
            .op("triangular-solve")
            .flag("left_side", *left_side)
            .flag("lower", *lower)
            .flag("unit_diagonal", *unit_diagonal)
            .attr("transpose_a", word_of(transpose_a, &TRANSPOSES)),
    };
}
