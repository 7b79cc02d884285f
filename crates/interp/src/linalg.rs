//! Cholesky decomposition and triangular solve, over the last two dims.
//!
//! Textbook loops in `f64` (complex parts too), rounded at the end; a matrix that is not positive definite gives NaN.

use crate::complex::Complex;
use crate::elementwise::round_complex;
use crate::fault::Fault;
use crate::tensor::{Data, Tensor};
use meshwright_ir::DType;
use meshwright_ir::op::{Linalg, TransposeKind};

pub(crate) fn eval(op: &Linalg, args: &[Tensor], out: DType) -> Result<Data, Fault> {
    match (op, args) {
        (Linalg::Cholesky { lower }, [a]) => cholesky(a, *lower, out),
        (Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose_a }, [a, b]) => {
            let solve =
                Solve { left: *left_side, lower: *lower, unit: *unit_diagonal, transpose: *transpose_a };
            triangular_solve(solve, a, b, out)
        }
        _ => Err(Fault::unsound(format!("has {} operands", args.len()))),
    }
}

/// Real elements become complex ones with no imaginary part: one set of loops for both.
pub(crate) fn complex_of(x: &Tensor) -> Result<Vec<Complex>, Fault> {
    match x.data() {
        Data::Float(v) => Ok(v.iter().map(|x| Complex::real(*x)).collect()),
        Data::Complex(v) => Ok(v.clone()),
        Data::Pred(_) | Data::Int(_) | Data::Uint(_) => Err(Fault::unsound("is not defined on integers")),
    }
}

pub(crate) fn rounded(values: Vec<Complex>, out: DType) -> Data {
    if out.is_complex() {
        Data::Complex(values.into_iter().map(|z| round_complex(out, z)).collect())
    } else {
        Data::Float(crate::elementwise::round_all(out, values.into_iter().map(|z| z.re)))
    }
}

/// Rows and columns of the matrices in a tensor.
fn matrix_dims(x: &Tensor) -> Result<(usize, usize), Fault> {
    match x.dims() {
        [.., rows, columns] => Ok((*rows as usize, *columns as usize)),
        _ => Err(Fault::unsound(format!("needs matrices, not {}", x.ty()))),
    }
}

fn cholesky(a: &Tensor, lower: bool, out: DType) -> Result<Data, Fault> {
    let (n, columns) = matrix_dims(a)?;
    if n != columns {
        return Err(Fault::unsound(format!("needs square matrices, not {}", a.ty())));
    }
    let mut values = complex_of(a)?;
    if n > 0 {
        values.chunks_exact_mut(n * n).for_each(|matrix| factor(matrix, n, lower));
    }
    Ok(rounded(values, out))
}

/// Replace a matrix by its factor: only the given triangle is read, the other becomes zero.
fn factor(matrix: &mut [Complex], n: usize, lower: bool) {
    // Element (row, column) of the lower factor; the upper one is its conjugate transpose.
    let read = |m: &[Complex], i: usize, j: usize| if lower { m[i * n + j] } else { m[j * n + i].conj() };
    let mut l = vec![Complex::ZERO; n * n];
    for j in 0..n {
        let square: f64 = (0..j).map(|k| l[j * n + k].re.powi(2) + l[j * n + k].im.powi(2)).sum();
        let diagonal = (read(matrix, j, j).re - square).sqrt();
        l[j * n + j] = Complex::real(diagonal);
        for i in j + 1..n {
            let sum = (0..j).fold(read(matrix, i, j), |sum, k| sum - l[i * n + k] * l[j * n + k].conj());
            l[i * n + j] = sum.scale(1.0 / diagonal);
        }
    }
    if l.iter().any(|z| !z.is_finite()) {
        let nan = Complex { re: f64::NAN, im: f64::NAN };
        (0..n).for_each(|i| (0..=i).for_each(|j| l[i * n + j] = nan));
    }
    for i in 0..n {
        for j in 0..n {
            matrix[i * n + j] = if lower { l[i * n + j] } else { l[j * n + i].conj() };
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
    /// Element of op(a).
    fn coefficient(self, a: &[Complex], n: usize, row: usize, column: usize) -> Complex {
        match self.transpose {
            TransposeKind::NoTranspose => a[row * n + column],
            TransposeKind::Transpose => a[column * n + row],
            TransposeKind::Adjoint => a[column * n + row].conj(),
        }
    }

    /// Whether op(a) is lower triangular.
    fn is_lower(self) -> bool {
        self.lower == (self.transpose == TransposeKind::NoTranspose)
    }
}

fn triangular_solve(solve: Solve, a: &Tensor, b: &Tensor, out: DType) -> Result<Data, Fault> {
    let ((n, columns), (rows, width)) = (matrix_dims(a)?, matrix_dims(b)?);
    let side = if solve.left { rows } else { width };
    let (coefficients, mut values) = (complex_of(a)?, complex_of(b)?);
    if n != columns || side != n || coefficients.len() * rows * width != values.len() * n * n {
        return Err(Fault::unsound(format!("{} and {} do not fit", a.ty(), b.ty())));
    }
    if values.is_empty() || n == 0 {
        return Ok(rounded(values, out));
    }
    for (a, b) in coefficients.chunks_exact(n * n).zip(values.chunks_exact_mut(rows * width)) {
        let (lines, step, along) = if solve.left { (width, 1, width) } else { (rows, width, 1) };
        for line in 0..lines {
            substitute(solve, a, n, b, line * step, along);
        }
    }
    Ok(rounded(values, out))
}

/// Solve for one column of `b` (or one row, when `a` stands on the right): element `i` lies at `start + i * along`.
fn substitute(solve: Solve, a: &[Complex], n: usize, b: &mut [Complex], start: usize, along: usize) {
    // x op(a) = b is op(a)^T x^T = b^T.
    let at = |i: usize, j: usize| {
        if solve.left { solve.coefficient(a, n, i, j) } else { solve.coefficient(a, n, j, i) }
    };
    let forward = solve.is_lower() == solve.left;
    for step in 0..n {
        let i = if forward { step } else { n - 1 - step };
        let solved = if forward { 0..i } else { i + 1..n };
        let sum = solved.fold(b[start + i * along], |sum, j| sum - at(i, j) * b[start + j * along]);
        b[start + i * along] = if solve.unit { sum } else { sum / at(i, i) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(values: &[f64]) -> Tensor {
        Tensor::from_f64s(DType::F64, &[2, 2], values).unwrap()
    }

    #[test]
    fn cholesky_of_a_known_matrix() {
        let a = matrix(&[4.0, 99.0, 2.0, 5.0]);
        let lower = Linalg::Cholesky { lower: true };
        assert_eq!(eval(&lower, &[a], DType::F64).unwrap(), Data::Float(vec![2.0, 0.0, 1.0, 2.0]));
        let a = matrix(&[4.0, 2.0, 99.0, 5.0]);
        let upper = Linalg::Cholesky { lower: false };
        assert_eq!(eval(&upper, &[a], DType::F64).unwrap(), Data::Float(vec![2.0, 1.0, 0.0, 2.0]));
    }

    #[test]
    fn triangular_solves_from_both_sides() {
        let a = matrix(&[2.0, 99.0, 1.0, 4.0]);
        let b = matrix(&[2.0, 4.0, 9.0, 6.0]);
        let solve = |left_side, transpose_a| {
            let op = Linalg::TriangularSolve { left_side, lower: true, unit_diagonal: false, transpose_a };
            eval(&op, &[a.clone(), b.clone()], DType::F64).unwrap()
        };
        // [2 0; 1 4] x = b
        assert_eq!(solve(true, TransposeKind::NoTranspose), Data::Float(vec![1.0, 2.0, 2.0, 1.0]));
        // x [2 0; 1 4] = b
        assert_eq!(solve(false, TransposeKind::NoTranspose), Data::Float(vec![0.5, 1.0, 3.75, 1.5]));
        // [2 1; 0 4] x = b
        assert_eq!(solve(true, TransposeKind::Transpose), Data::Float(vec![-0.125, 1.25, 2.25, 1.5]));
    }
}
