//! fft, cholesky, triangular_solve.

use super::{bare, case, flag, ints, word_of};
use crate::stablehlo::op::Draft;
use crate::stablehlo::parser::{Parsed, Parser};
use crate::stablehlo::tree::Prop;
use meshwright_ir::Op;
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{Linalg, TransposeKind};

const FFTS: [(&str, FftKind); 4] =
    [("FFT", FftKind::Fft), ("IFFT", FftKind::Ifft), ("RFFT", FftKind::Rfft), ("IRFFT", FftKind::Irfft)];

const TRANSPOSES: [(&str, TransposeKind); 3] = [
    ("NO_TRANSPOSE", TransposeKind::NoTranspose),
    ("TRANSPOSE", TransposeKind::Transpose),
    ("ADJOINT", TransposeKind::Adjoint),
];

pub fn fft<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let kind = p.case(draft, "fft_type", &FFTS)?;
    let length = p.ints(draft, "fft_length")?;
    bare(p, draft, 1, Op::Fft(Fft { kind, length }))
}

pub fn fft_props(fft: &Fft) -> Vec<Prop<'static>> {
    vec![case("fft_type", "fft_type", word_of(&FFTS, &fft.kind)), ints("fft_length", &fft.length)]
}

pub fn cholesky<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let lower = p.flag(draft, "lower")?;
    bare(p, draft, 1, Op::Linalg(Linalg::Cholesky { lower }))
}

pub fn triangular_solve<'a>(p: &mut Parser<'a>, draft: &mut Draft<'a>) -> Parsed<Op> {
    let op = Linalg::TriangularSolve {
        left_side: p.flag(draft, "left_side")?,
        lower: p.flag(draft, "lower")?,
        unit_diagonal: p.flag(draft, "unit_diagonal")?,
        transpose_a: p.case(draft, "transpose_a", &TRANSPOSES)?,
    };
    bare(p, draft, 2, Op::Linalg(op))
}

pub fn name(linalg: &Linalg) -> &'static str {
    match linalg {
        Linalg::Cholesky { .. } => "stablehlo.cholesky",
        Linalg::TriangularSolve { .. } => "stablehlo.triangular_solve",
    }
}

pub fn props(linalg: &Linalg) -> Vec<Prop<'static>> {
    match linalg {
        Linalg::Cholesky { lower } => vec![flag("lower", *lower)],
        Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose_a } => vec![
            flag("left_side", *left_side),
            flag("lower", *lower),
            case("transpose_a", "transpose", word_of(&TRANSPOSES, transpose_a)),
            flag("unit_diagonal", *unit_diagonal),
        ],
    }
}
