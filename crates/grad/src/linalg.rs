//! Derivatives of matrix decompositions and solves, over the last two dims.
//!
//! Only the triangle that an op reads gets a cotangent.

use crate::contract::Matrices;
use crate::elementwise::conj;
use crate::tape::Tape;
use meshwright_ir::op::{BinaryOp, Direction, Linalg, Op, TransposeKind, UnaryOp};
use meshwright_ir::{Build, DType, Dim, InstId, ValueId};

pub(crate) fn grad(t: &mut Tape<'_>, inst: InstId, op: &Linalg, c: ValueId) {
    match op {
        Linalg::Cholesky { lower } => cholesky(t, inst, *lower, c),
        Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose_a } => {
            let solve =
                Solve { left: *left_side, lower: *lower, unit: *unit_diagonal, transpose: *transpose_a };
            triangular_solve(t, inst, solve, c)
        }
    }
}

#[derive(Clone, Copy)]
struct Solve {
    left: bool,
    lower: bool,
    unit: bool,
    transpose: TransposeKind,
}

impl Solve {
    fn op(self) -> Op {
        let Solve { left, lower, unit, transpose } = self;
        let op =
            Linalg::TriangularSolve { left_side: left, lower, unit_diagonal: unit, transpose_a: transpose };
        Op::Linalg(op)
    }
}

/// Matrices with rows and columns exchanged.
fn transposed(t: &mut Tape<'_>, x: ValueId) -> ValueId {
    let rank = t.func.dims(x).len();
    let mut permutation: Vec<usize> = (0..rank).collect();
    permutation.swap(rank - 1, rank - 2);
    t.transpose(x, permutation)
}

/// Where the row (of the lower triangle: otherwise the column) has the given relation to the other index.
fn where_rows(t: &mut Tape<'_>, like: ValueId, direction: Direction) -> ValueId {
    let dims = t.func.dims(like).to_vec();
    let rank = dims.len();
    let (rows, columns) = (Dim::new(rank - 2), Dim::new(rank - 1));
    let (rows, columns) = (t.iota(DType::S32, &dims, rows), t.iota(DType::S32, &dims, columns));
    t.compare(direction, rows, columns)
}

/// `A = L L^H`: `P = L^-H phi(L^H dL) L^-1`, where `phi` keeps the lower triangle and halves the diagonal. An element
/// of the triangle that is read stands for its mirror image too.
fn cholesky(t: &mut Tape<'_>, inst: InstId, lower: bool, c: ValueId) {
    let (operand, result) = (t.func.inst(inst).operands[0], t.func.inst(inst).results[0]);
    let factor = t.primal(result);
    // Written for the lower factor and the conjugated cotangent.
    let conjugate = conj(t, c);
    let (l, dl) = if lower {
        (factor, conjugate)
    } else {
        let (factor, conjugate) = (transposed(t, factor), transposed(t, conjugate));
        (conj(t, factor), conj(t, conjugate))
    };
    let lh = transposed(t, l);
    let lh = conj(t, lh);
    let product = t.matrix_product(lh, dl);
    let middle = phi(t, product);
    let solve = Solve { left: true, lower: true, unit: false, transpose: TransposeKind::Adjoint };
    let half = t.push(solve.op(), vec![l, middle]);
    let solve = Solve { left: false, lower: true, unit: false, transpose: TransposeKind::NoTranspose };
    let p = t.push(solve.op(), vec![l, half]);
    let given = read_triangle(t, p);
    let given = if lower {
        given
    } else {
        let turned = transposed(t, given);
        conj(t, turned)
    };
    t.pull(operand, given);
}

fn phi(t: &mut Tape<'_>, x: ValueId) -> ValueId {
    let (below, on) = (where_rows(t, x, Direction::Gt), where_rows(t, x, Direction::Eq));
    let diagonal = real_part(t, x);
    let half = t.scale(diagonal, 0.5);
    let strict = t.keep(below, x);
    t.select(on, half, strict)
}

/// The real part, in the same type.
fn real_part(t: &mut Tape<'_>, x: ValueId) -> ValueId {
    if !t.dtype(x).is_complex() {
        return x;
    }
    let real = t.unary(UnaryOp::Real, x);
    let zero = t.zeros_like(real);
    t.binary(BinaryOp::Complex, real, zero)
}

/// `conj(P) + P^T` below the diagonal, the real part of `P` on it.
fn read_triangle(t: &mut Tape<'_>, p: ValueId) -> ValueId {
    let (below, on) = (where_rows(t, p, Direction::Gt), where_rows(t, p, Direction::Eq));
    let (own, mirror) = (conj(t, p), transposed(t, p));
    let both = t.add(own, mirror);
    let strict = t.keep(below, both);
    let diagonal = real_part(t, p);
    t.select(on, diagonal, strict)
}

/// `op(A) X = B`: `dB` solves the transposed system; `d op(A) = -dB X^T`.
fn triangular_solve(t: &mut Tape<'_>, inst: InstId, solve: Solve, c: ValueId) {
    let [a, b] = t.func.inst(inst).operands[..] else { return };
    let result = t.func.inst(inst).results[0];
    let matrix = t.primal(a);
    let (matrix, transpose) = match solve.transpose {
        TransposeKind::NoTranspose => (matrix, TransposeKind::Transpose),
        TransposeKind::Transpose => (matrix, TransposeKind::NoTranspose),
        TransposeKind::Adjoint => (conj(t, matrix), TransposeKind::NoTranspose),
    };
    let db = t.push(Solve { transpose, ..solve }.op(), vec![matrix, c]);
    t.pull(b, db);
    if t.is_varied(a) {
        let x = t.primal(result);
        let product = if solve.left { t.outer_product(db, x) } else { t.inner_product(x, db) };
        let negative = t.neg(product);
        let whole = match solve.transpose {
            TransposeKind::NoTranspose => negative,
            TransposeKind::Transpose => transposed(t, negative),
            TransposeKind::Adjoint => {
                let turned = transposed(t, negative);
                conj(t, turned)
            }
        };
        let direction = match (solve.lower, solve.unit) {
            (true, false) => Direction::Ge,
            (true, true) => Direction::Gt,
            (false, false) => Direction::Le,
            (false, true) => Direction::Lt,
        };
        let read = where_rows(t, whole, direction);
        let given = t.keep(read, whole);
        t.pull(a, given);
    }
}
