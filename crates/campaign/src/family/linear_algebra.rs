//! Transforms over several dims at once: Fourier transforms, Cholesky decompositions, triangular systems.

use crate::build::{Gen, Info, Val, Want};
use meshwright_ir::op::linalg::{Fft, FftKind};
use meshwright_ir::op::{
    BinaryOp, Compare, Direction, Iota, Linalg, Movement, Transpose, TransposeKind, UnaryOp,
};
use meshwright_ir::{DType, Op, TensorType};

/// A value of a rounded computation, added as usable.
fn rounded(g: &mut Gen, op: Op, operands: &[&Val], bound: f64) -> Option<Val> {
    let like = Info { exact: false, ..crate::build::joined(operands) };
    g.emit_as(op, operands, Vec::new(), &[bound], like)?.pop()
}

/// There, of real or complex numbers, and then back or one part of what came out. Complex values are not offered to
/// others.
pub fn fft(g: &mut Gen) -> Option<()> {
    if !g.approximate {
        return None;
    }
    let x = g.operand_if(Want::Float, 1, 3, |value| {
        value.ty.dtype == DType::F64 && value.ty.elements() <= 256 && value.info.bound <= 100.0
    });
    let count = 1 + g.choices.index(x.ty.rank().min(2));
    let length = x.ty.dims[x.ty.rank() - count..].to_vec();
    let bound = x.info.bound * length.iter().product::<i64>().max(1) as f64 * 2.0;
    let is_real = g.choices.chance(50);
    let (there, kind) = if is_real {
        (x.clone(), FftKind::Rfft)
    } else {
        let pair = rounded(g, Op::Binary(BinaryOp::Complex), &[&x, &x], x.info.bound * 2.0)?;
        g.withdraw(pair.id);
        (pair, g.choices.pick(&[FftKind::Fft, FftKind::Ifft]))
    };
    let transformed = rounded(g, Op::Fft(Fft { kind, length: length.clone() }), &[&there], bound)?;
    g.withdraw(transformed.id);
    let back = Op::Fft(Fft { kind: FftKind::Irfft, length });
    let part = Op::Unary(g.choices.pick(&[UnaryOp::Real, UnaryOp::Imag]));
    let last = if is_real && g.choices.chance(40) { back } else { part };
    rounded(g, last, &[&transformed], bound).map(|_| ())
}

/// Of matrices that are symmetric and have large numbers on the diagonal, so that they have a decomposition.
pub fn cholesky(g: &mut Gen) -> Option<()> {
    const LARGEST: i64 = 5;
    if !g.approximate {
        return None;
    }
    let size = 1 + g.choices.index(LARGEST as usize) as i64;
    let mut dims = g.dims(0, 2);
    dims.retain(|dim| *dim <= 8);
    dims.extend([size, size]);
    let x = g.of_type(DType::F64, &dims);
    if x.info.bound > 50.0 {
        return None;
    }
    let rank = dims.len();
    let mut permutation: Vec<usize> = (0..rank).collect();
    permutation.swap(rank - 1, rank - 2);
    let turned = Op::Movement(Movement::Transpose(Transpose { permutation }));
    let turned = g.emit(turned, &[&x], x.info.bound)?;
    let even = rounded(g, Op::Binary(BinaryOp::Add), &[&x, &turned], x.info.bound * 2.0)?;
    let on_diagonal = places(g, &dims, Direction::Eq)?;
    let most = (x.info.bound * 2.0 * size as f64 + 1.0).ceil();
    let large = g.splat(even.ty.clone(), most as i64);
    let matrix = rounded(g, Op::Select, &[&on_diagonal, &large, &even], most)?;
    let lower = g.choices.chance(50);
    let made = rounded(g, Op::Linalg(Linalg::Cholesky { lower }), &[&matrix], most)?;
    // What stands in the other triangle is nobody's business.
    g.withdraw(made.id);
    let inside = places(g, &dims, if lower { Direction::Ge } else { Direction::Le })?;
    let zero = g.splat(made.ty.clone(), 0);
    rounded(g, Op::Select, &[&inside, &made, &zero], most).map(|_| ())
}

/// How the last two indices compare.
fn places(g: &mut Gen, dims: &[i64], direction: Direction) -> Option<Val> {
    let ty = TensorType::new(DType::S32, dims);
    let most = dims.iter().max().copied().unwrap_or(1) as f64;
    let mut count = |dim: usize| g.emit(Op::Iota(Iota { dim, ty: ty.clone() }), &[], most);
    let (row, column) = (count(dims.len() - 2)?, count(dims.len() - 1)?);
    g.emit(Op::Compare(Compare { direction, kind: None }), &[&row, &column], 1.0)
}

/// Small triangular systems with ones on the diagonal: whole numbers stay whole numbers.
pub fn triangular_solve(g: &mut Gen) -> Option<()> {
    const LARGEST: i64 = 4;
    let b = g.operand_if(Want::Float, 2, 4, |value| value.info.exact);
    let left_side = g.choices.chance(50);
    let [batch @ .., rows, columns] = &b.ty.dims[..] else { return None };
    let size = if left_side { *rows } else { *columns };
    if size > LARGEST {
        return None;
    }
    let dims = [batch, &[size, size]].concat();
    let a = g.of_type(b.ty.dtype, &dims);
    let op = Linalg::TriangularSolve {
        left_side,
        lower: g.choices.chance(50),
        unit_diagonal: true,
        transpose_a: TransposeKind::NoTranspose,
    };
    let bound = b.info.bound * (1.0 + a.info.bound).powi(size as i32);
    g.emit(Op::Linalg(op), &[&a, &b], bound).map(|_| ())
}
