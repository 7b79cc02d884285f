//! Reflectors, and what is made of them: `geqrf`, `geqp3`, `orgqr`, `ormqr`.
//!
//! `H = I - tau v v^H` with `v = (1, ..)`, chosen so that `H^H x = (beta, 0, ..)` with a real `beta` of the sign
//! opposite to `x`'s first element: LAPACK's choice, so that signs agree with its.

use super::matrix::{Matrix, add_scaled, square};
use crate::complex::Complex;

/// Replace `x` by `(beta, v behind its 1)`; gives `tau`.
pub(super) fn reflect(x: &mut [Complex]) -> Complex {
    let Some((alpha, tail)) = x.split_first_mut() else { return Complex::ZERO };
    let rest = square(tail);
    if rest == 0.0 && alpha.im == 0.0 {
        return Complex::ZERO;
    }
    let length = (square(&[*alpha]) + rest).sqrt();
    let beta = Complex::real(if alpha.re.is_sign_negative() { length } else { -length });
    let tau = (beta - *alpha) / beta;
    let scale = Complex::ONE / (*alpha - beta);
    tail.iter_mut().for_each(|z| *z = *z * scale);
    *alpha = beta;
    tau
}

/// `(I - tau v v^H) a` on the rows from `first` on, as far as `v` reaches, and on the columns from `from` on.
pub(super) fn from_left(a: &mut Matrix, v: &[Complex], tau: Complex, first: usize, from: usize) {
    let mut sums = vec![Complex::ZERO; a.columns.saturating_sub(from)];
    for (i, z) in v.iter().enumerate() {
        add_scaled(&mut sums, z.conj(), &a.row(first + i)[from..]);
    }
    for (i, z) in v.iter().enumerate() {
        add_scaled(&mut a.row_mut(first + i)[from..], -(tau * *z), &sums);
    }
}

/// `a (I - tau v v^H)` on the rows from `from` on, and on the columns from `first` on as far as `v` reaches.
pub(super) fn from_right(a: &mut Matrix, v: &[Complex], tau: Complex, from: usize, first: usize) {
    for i in from..a.rows {
        let row = &mut a.row_mut(i)[first..];
        let sum = row.iter().zip(v).fold(Complex::ZERO, |sum, (a, v)| sum + *a * *v);
        let factor = -(sum * tau);
        row.iter_mut().zip(v).for_each(|(a, v)| *a = *a + factor * v.conj());
    }
}

/// The part of a column from `row` on.
fn below(a: &Matrix, row: usize, column: usize) -> Vec<Complex> {
    (row..a.rows).map(|i| a[(i, column)]).collect()
}

/// `v` of the reflector that a column holds below `row`.
fn held(a: &Matrix, row: usize, column: usize) -> Vec<Complex> {
    let mut v = below(a, row, column);
    if let Some(first) = v.first_mut() {
        *first = Complex::ONE;
    }
    v
}

/// Reflect a column from `row` on; gives `v` and `tau`, which also lie in the matrix.
pub(super) fn reflect_column(a: &mut Matrix, row: usize, column: usize) -> (Vec<Complex>, Complex) {
    let mut x = below(a, row, column);
    let tau = reflect(&mut x);
    x.iter().enumerate().for_each(|(i, z)| a[(row + i, column)] = *z);
    (held(a, row, column), tau)
}

/// `r` on and above the diagonal, reflectors below; their factors.
pub(super) fn qr(mut a: Matrix) -> (Matrix, Vec<Complex>) {
    let taus = (0..a.rows.min(a.columns)).map(|k| qr_step(&mut a, k)).collect();
    (a, taus)
}

fn qr_step(a: &mut Matrix, k: usize) -> Complex {
    let (v, tau) = reflect_column(a, k, k);
    from_left(a, &v, tau.conj(), k, k + 1);
    tau
}

/// The same with columns in order of what is left of them, except that those with a place other than 0 come first.
pub(super) fn pivoted_qr(mut a: Matrix, places: &[usize]) -> (Matrix, Vec<usize>, Vec<Complex>) {
    let mut order: Vec<usize> = (1..=a.columns).collect();
    let mut fixed = 0;
    for column in 0..a.columns {
        if places.get(column).is_some_and(|place| *place != 0) {
            a.swap_columns(column, fixed);
            order.swap(column, fixed);
            fixed += 1;
        }
    }
    let mut taus = Vec::new();
    for k in 0..a.rows.min(a.columns) {
        if k >= fixed {
            let longest = longest(&a, k);
            a.swap_columns(k, longest);
            order.swap(k, longest);
        }
        taus.push(qr_step(&mut a, k));
    }
    (a, order, taus)
}

/// The column from `k` on of which most is left from row `k` on.
fn longest(a: &Matrix, k: usize) -> usize {
    let left: Vec<f64> = (k..a.columns).map(|column| square(&below(a, k, column))).collect();
    (0..left.len()).fold(0, |best, at| if left[at] > left[best] { at } else { best }) + k
}

/// The product of the reflectors that columns hold from `shift` rows below the diagonal on, applied to a matrix from
/// the left: `H1 H2 .. a`, or with `adjoint` `.. H2^H H1^H a`.
pub(super) fn apply(held_in: &Matrix, taus: &[Complex], shift: usize, adjoint: bool, a: &mut Matrix) {
    let mut step = |k: usize| {
        let tau = if adjoint { taus[k].conj() } else { taus[k] };
        from_left(a, &held(held_in, k + shift, k), tau, k + shift, 0);
    };
    if adjoint { (0..taus.len()).for_each(&mut step) } else { (0..taus.len()).rev().for_each(&mut step) }
}

/// The first columns of the product of reflectors.
pub(super) fn product(held_in: &Matrix, taus: &[Complex], shift: usize, columns: usize) -> Matrix {
    let mut made = Matrix::identity(held_in.rows, columns);
    apply(held_in, taus, shift, false, &mut made);
    made
}
