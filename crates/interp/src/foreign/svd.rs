//! Singular values and vectors: `gesdd`, `gesvd`.
//!
//! A QR decomposition with pivots leaves a small triangle; rotations of its rows (one-sided Jacobi) make these
//! orthogonal. Their lengths are the singular values, each as exact as it can be. NaN and infinities fail at once, and
//! so does what is not orthogonal after 60 rounds.

use super::matrix::{Matrix, inner, square};
use super::reflect::{apply, pivoted_qr};
use crate::complex::Complex;
use meshwright_base::arrange::Arrange;

const ROUNDS: usize = 60;

pub(super) struct Svd {
    /// Left vectors, in columns.
    pub u: Matrix,
    /// Descending.
    pub values: Vec<f64>,
    /// Right vectors, conjugated, in rows.
    pub vh: Matrix,
}

/// With at least so many left and right vectors. `None` if that fails.
pub(super) fn svd(a: &Matrix, left: usize, right: usize) -> Option<Svd> {
    if !a.is_finite() {
        return None;
    }
    if a.rows >= a.columns {
        return tall(a, left);
    }
    let Svd { u, values, vh } = tall(&a.adjoint(), right)?;
    Some(Svd { u: vh.adjoint(), values, vh: u.adjoint() })
}

/// `a p = q r`, and `r = w s z^H` gives `a = (q w) s (p z)^H`.
fn tall(a: &Matrix, left: usize) -> Option<Svd> {
    let (rows, n) = (a.rows, a.columns);
    let (held, order, taus) = pivoted_qr(a.clone(), &[]);
    let r = held.corner(n, n).upper();
    // Rows of r, turned until they are orthogonal: j r = s z^H, j = w^H.
    let (mut turned, mut j) = (r, Matrix::identity(n, n));
    (0..ROUNDS).any(|_| round(&mut turned, &mut j)).then_some(())?;
    let lengths: Vec<f64> = (0..n).map(|i| square(turned.row(i)).sqrt()).collect();
    let mut places: Vec<usize> = (0..n).collect();
    places.arrange_by(|a, b| lengths[*b].total_cmp(&lengths[*a]));
    let values: Vec<f64> = places.iter().map(|at| lengths[*at]).collect();
    let (mut u, mut zh) = (Matrix::identity(rows, left.clamp(n, rows)), Matrix::zeros(n, n));
    for (to, from) in places.into_iter().enumerate() {
        for (i, z) in j.row(from).iter().enumerate() {
            u[(i, to)] = z.conj();
        }
        set_unit(&mut zh, to, turned.row(from), values[to]);
    }
    apply(&held, &taus, 0, false, &mut u);
    let mut vh = Matrix::zeros(n, n);
    for i in 0..n {
        for (k, column) in order.iter().enumerate() {
            vh[(i, *column - 1)] = zh[(i, k)];
        }
    }
    Some(Svd { u, values, vh })
}

/// One round over all pairs of rows; whether all are orthogonal.
fn round(a: &mut Matrix, j: &mut Matrix) -> bool {
    let mut is_done = true;
    for p in 0..a.rows {
        for q in p + 1..a.rows {
            let (first, second) = a.two_rows(p, q);
            // Of conjugated rows: these are the columns of the adjoint.
            let (alpha, beta, gamma) = (square(first), square(second), inner(second, first));
            let size = gamma.abs();
            if size <= f64::EPSILON * (alpha * beta).sqrt() || size < f64::MIN_POSITIVE {
                continue;
            }
            is_done = false;
            let phase = gamma.scale(1.0 / size);
            let zeta = (beta - alpha) / (2.0 * size);
            let tangent = 1f64.copysign(zeta) / (zeta.abs() + libm::hypot(zeta, 1.0));
            let cosine = 1.0 / libm::hypot(tangent, 1.0);
            let rotation = (cosine, phase.scale(cosine * tangent));
            rotate(first, second, rotation);
            let (first, second) = j.two_rows(p, q);
            rotate(first, second, rotation);
        }
    }
    is_done
}

fn rotate(first: &mut [Complex], second: &mut [Complex], (cosine, sine): (f64, Complex)) {
    for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (a.scale(cosine) - sine * *b, sine.conj() * *a + b.scale(cosine));
    }
}

/// A row of length 1: one divided by its length, or, where that is zero, one at right angles to those before.
fn set_unit(to: &mut Matrix, at: usize, row: &[Complex], length: f64) {
    if length > 0.0 {
        let scaled = row.iter().map(|z| Complex::new(z.re / length, z.im / length));
        to.row_mut(at).iter_mut().zip(scaled).for_each(|(to, z)| *to = z);
        return;
    }
    let candidates = (0..row.len()).map(|k| perpendicular(to, at, k));
    let best = candidates.max_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or_default();
    let scale = 1.0 / square(&best).sqrt();
    to.row_mut(at).iter_mut().zip(best).for_each(|(to, z)| *to = z.scale(scale));
}

/// What is left of a unit vector when the first rows are taken out, twice for exactness.
fn perpendicular(rows: &Matrix, count: usize, unit: usize) -> Vec<Complex> {
    let mut made = vec![Complex::ZERO; rows.columns];
    made[unit] = Complex::ONE;
    for row in (0..count).chain(0..count) {
        let part = inner(rows.row(row), &made);
        super::matrix::add_scaled(&mut made, -part, rows.row(row));
    }
    made
}
