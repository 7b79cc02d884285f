//! Eigenvalues and eigenvectors of Hermitian matrices: `syevd`, and its first half `sytrd`.
//!
//! Reflectors make the matrix tridiagonal, implicit QL steps with shifts make that diagonal. A value that does not
//! settle in 60 steps is a failure; matrices with NaN or infinities fail at once.

use super::matrix::Matrix;
use super::reflect::{from_left, from_right, product, reflect_column};
use crate::complex::Complex;
use meshwright_base::arrange::Arrange;

const STEPS: usize = 60;

/// `a = q t q^H` with a real `t` of two diagonals.
pub(super) struct Tridiagonal {
    /// Reflectors below the first diagonal under the main one.
    pub held: Matrix,
    pub taus: Vec<Complex>,
    pub main: Vec<f64>,
    pub beside: Vec<f64>,
}

/// A whole matrix from one of its triangles.
pub(super) fn hermitian(a: &Matrix, lower: bool) -> Matrix {
    let mut made = Matrix::zeros(a.rows, a.rows);
    for i in 0..a.rows {
        made[(i, i)] = Complex::real(a[(i, i)].re);
        for j in 0..i {
            let below = if lower { a[(i, j)] } else { a[(j, i)].conj() };
            (made[(i, j)], made[(j, i)]) = (below, below.conj());
        }
    }
    made
}

pub(super) fn tridiagonal(mut a: Matrix) -> Tridiagonal {
    let (mut taus, mut beside) = (Vec::new(), Vec::new());
    for k in 0..a.rows.saturating_sub(1) {
        let (v, tau) = reflect_column(&mut a, k + 1, k);
        beside.push(a[(k + 1, k)].re);
        from_left(&mut a, &v, tau.conj(), k + 1, k + 1);
        from_right(&mut a, &v, tau, k + 1, k + 1);
        taus.push(tau);
    }
    let main = (0..a.rows).map(|i| a[(i, i)].re).collect();
    Tridiagonal { held: a, taus, main, beside }
}

/// Eigenvectors in columns and ascending eigenvalues; `None` if that fails.
pub(super) fn eigh(a: &Matrix, lower: bool) -> Option<(Matrix, Vec<f64>)> {
    let a = hermitian(a, lower);
    if !a.is_finite() {
        return None;
    }
    let n = a.rows;
    let Tridiagonal { held, taus, main, beside } = tridiagonal(a);
    // Rotations mix neighbouring columns: kept as rows they lie side by side.
    let vectors = product(&held, &taus, 1, n).adjoint();
    let mut work = Ql { main, beside, vectors };
    work.beside.push(0.0);
    (0..n).all(|k| work.converge(k)).then(|| work.sorted())
}

struct Ql {
    main: Vec<f64>,
    /// Between each element of `main` and the next; one more at the end.
    beside: Vec<f64>,
    /// Conjugated eigenvectors in rows.
    vectors: Matrix,
}

impl Ql {
    /// Step until the first value from `k` on stands alone.
    fn converge(&mut self, k: usize) -> bool {
        for _ in 0..STEPS {
            let end = self.end_of_block(k);
            if end == k {
                return true;
            }
            self.step(k, end);
        }
        false
    }

    /// The last row that is tied to row `k`.
    fn end_of_block(&self, k: usize) -> usize {
        let is_small = |i: usize| {
            let around = self.main[i].abs() + self.main[i + 1].abs();
            self.beside[i].abs() <= f64::EPSILON * around || self.beside[i].abs() < f64::MIN_POSITIVE
        };
        (k..self.main.len() - 1).find(|i| is_small(*i)).unwrap_or(self.main.len() - 1)
    }

    /// One implicit step on rows `k` to `end`, from the end upwards.
    fn step(&mut self, k: usize, end: usize) {
        let (d, e) = (&mut self.main, &mut self.beside);
        let half = (d[k + 1] - d[k]) / (2.0 * e[k]);
        let shift = d[k] - e[k] / (half + libm::hypot(half, 1.0).copysign(half));
        let (mut sine, mut cosine, mut change) = (1.0, 1.0, 0.0);
        let mut bulge = d[end] - shift;
        for i in (k..end).rev() {
            let (over, beside) = (sine * e[i], cosine * e[i]);
            let length = libm::hypot(over, bulge);
            e[i + 1] = length;
            if length == 0.0 {
                // The block falls apart here.
                d[i + 1] -= change;
                e[end] = 0.0;
                return;
            }
            (sine, cosine) = (over / length, bulge / length);
            let rest = d[i + 1] - change;
            let turned = (d[i] - rest) * sine + 2.0 * cosine * beside;
            change = sine * turned;
            d[i + 1] = rest + change;
            bulge = cosine * turned - beside;
            rotate(&mut self.vectors, i, sine, cosine);
        }
        d[k] -= change;
        e[k] = bulge;
        e[end] = 0.0;
    }

    fn sorted(self) -> (Matrix, Vec<f64>) {
        let n = self.main.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.arrange_by(|a, b| self.main[*a].total_cmp(&self.main[*b]));
        let mut vectors = Matrix::zeros(n, n);
        for (to, from) in order.iter().enumerate() {
            vectors.row_mut(to).copy_from_slice(self.vectors.row(*from));
        }
        (vectors.adjoint(), order.into_iter().map(|at| self.main[at]).collect())
    }
}

fn rotate(vectors: &mut Matrix, row: usize, sine: f64, cosine: f64) {
    let (first, second) = vectors.two_rows(row, row + 1);
    for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (a.scale(cosine) - b.scale(sine), a.scale(sine) + b.scale(cosine));
    }
}
