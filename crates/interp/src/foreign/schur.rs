//! Eigenvalues and eigenvectors of any square matrix: `geev`, and its first step `gehrd`.
//!
//! Reflectors leave one diagonal below the main one, shifted QR steps with rotations remove it: `a = z t z^H` with an
//! upper triangle `t`. A value that does not settle in 60 steps is a failure; NaN and infinities fail at once.

use super::matrix::{Matrix, square};
use super::reflect::{from_left, from_right, product, reflect_column};
use crate::complex::Complex;

const STEPS: usize = 60;

/// Zero below the first diagonal under the main one, where reflectors are held; their factors.
pub(super) fn hessenberg(mut a: Matrix) -> (Matrix, Vec<Complex>) {
    let mut taus = Vec::new();
    for k in 0..a.rows.saturating_sub(1) {
        let (v, tau) = reflect_column(&mut a, k + 1, k);
        from_right(&mut a, &v, tau, 0, k + 1);
        from_left(&mut a, &v, tau.conj(), k + 1, k + 1);
        taus.push(tau);
    }
    (a, taus)
}

/// Eigenvalues, and eigenvectors of length 1 in columns, their largest element real.
pub(super) struct Eigen {
    pub values: Vec<Complex>,
    /// `v^H a = value v^H`.
    pub left: Matrix,
    pub right: Matrix,
}

/// `None` if that fails.
pub(super) fn eigen(a: &Matrix) -> Option<Eigen> {
    if !a.is_finite() {
        return None;
    }
    let n = a.rows;
    let is_real = a.values().iter().all(|z| z.im == 0.0);
    let (held, taus) = hessenberg(a.clone());
    let z = product(&held, &taus, 1, n);
    let mut t = held;
    for i in 2..n {
        t.row_mut(i)[..i - 1].fill(Complex::ZERO);
    }
    let mut work = Schur { t, z };
    work.settle_all().then_some(())?;
    let mut made = work.vectors();
    if is_real {
        pair_up(&mut made);
    }
    Some(made)
}

struct Schur {
    t: Matrix,
    z: Matrix,
}

impl Schur {
    fn settle_all(&mut self) -> bool {
        let mut end = self.t.rows;
        let mut steps = 0;
        while end > 1 {
            let start = self.start_of_block(end - 1);
            if start == end - 1 {
                (end, steps) = (end - 1, 0);
                continue;
            }
            steps += 1;
            if steps > STEPS {
                return false;
            }
            let shift = self.shift(end - 1, steps);
            self.step(start, end, shift);
        }
        true
    }

    /// The first row that is tied to row `last`.
    fn start_of_block(&mut self, last: usize) -> usize {
        let t = &self.t;
        let is_small = |i: &usize| {
            let around = t[(i - 1, i - 1)].abs() + t[(*i, *i)].abs();
            let beside = t[(*i, i - 1)].abs();
            beside <= f64::EPSILON * around || beside < f64::MIN_POSITIVE
        };
        let start = (1..=last).rev().find(is_small).unwrap_or(0);
        if start > 0 {
            self.t[(start, start - 1)] = Complex::ZERO;
        }
        start
    }

    /// The eigenvalue of the last two rows that is nearer to the last; now and then another one, against circles.
    fn shift(&self, last: usize, steps: usize) -> Complex {
        let t = &self.t;
        let (a, b, c, d) =
            (t[(last - 1, last - 1)], t[(last - 1, last)], t[(last, last - 1)], t[(last, last)]);
        if steps.is_multiple_of(10) {
            return d + Complex::real(c.abs());
        }
        let half = (a - d).scale(0.5);
        let root = (half * half + b * c).sqrt();
        let (plus, minus) = (half + root, half - root);
        d + if plus.abs() < minus.abs() { plus } else { minus }
    }

    /// One QR step on the rows from `start` to `end`.
    fn step(&mut self, start: usize, end: usize, shift: Complex) {
        (start..end).for_each(|i| self.t[(i, i)] = self.t[(i, i)] - shift);
        let mut rotations = Vec::with_capacity(end - start);
        for k in start..end - 1 {
            let (a, b) = (self.t[(k, k)], self.t[(k + 1, k)]);
            let length = square(&[a, b]).sqrt();
            let rotation = if length > 0.0 {
                (a.scale(1.0 / length), b.scale(1.0 / length))
            } else {
                (Complex::ONE, Complex::ZERO)
            };
            rotate_rows(&mut self.t, k, rotation);
            self.t[(k + 1, k)] = Complex::ZERO;
            rotations.push(rotation);
        }
        for (k, rotation) in (start..).zip(rotations) {
            rotate_columns(&mut self.t, k, rotation, (k + 2).min(end));
            let rows = self.z.rows;
            rotate_columns(&mut self.z, k, rotation, rows);
        }
        (start..end).for_each(|i| self.t[(i, i)] = self.t[(i, i)] + shift);
    }

    fn vectors(self) -> Eigen {
        let (t, z) = (self.t, self.z);
        let n = t.rows;
        let least = f64::EPSILON * square(t.values()).sqrt().max(f64::MIN_POSITIVE);
        let away = |i: usize, k: usize| {
            let apart = t[(i, i)] - t[(k, k)];
            if apart.abs() < least { Complex::real(least) } else { apart }
        };
        let (mut left, mut right) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
        for k in 0..n {
            let (mut x, mut y) = (vec![Complex::ZERO; n], vec![Complex::ZERO; n]);
            (x[k], y[k]) = (Complex::ONE, Complex::ONE);
            for i in (0..k).rev() {
                let sum = (i + 1..=k).fold(Complex::ZERO, |sum, j| sum + t[(i, j)] * x[j]);
                x[i] = -sum / away(i, k);
            }
            // Of the conjugated row.
            for j in k + 1..n {
                let sum = (k..j).fold(Complex::ZERO, |sum, i| sum + y[i] * t[(i, j)]);
                y[j] = -sum / away(j, k);
            }
            y.iter_mut().for_each(|z| *z = z.conj());
            set_column(&mut right, k, &z, &x);
            set_column(&mut left, k, &z, &y);
        }
        Eigen { values: (0..n).map(|i| t[(i, i)]).collect(), left, right }
    }
}

/// The column `z x`, of length 1.
fn set_column(to: &mut Matrix, k: usize, z: &Matrix, x: &[Complex]) {
    let mut made: Vec<Complex> = (0..z.rows)
        .map(|i| z.row(i).iter().zip(x).fold(Complex::ZERO, |sum, (z, x)| sum + *z * *x))
        .collect();
    let largest = made.iter().copied().fold(Complex::ZERO, |a, b| if b.abs() > a.abs() { b } else { a });
    let scale = largest.conj().scale(1.0 / (largest.abs() * square(&made).sqrt()));
    made.iter_mut().for_each(|z| *z = *z * scale);
    made.into_iter().enumerate().for_each(|(i, value)| to[(i, k)] = value);
}

fn rotate_rows(a: &mut Matrix, k: usize, (c, s): (Complex, Complex)) {
    let (first, second) = a.two_rows(k, k + 1);
    for (x, y) in first.iter_mut().zip(second).skip(k) {
        (*x, *y) = (c.conj() * *x + s.conj() * *y, c * *y - s * *x);
    }
}

fn rotate_columns(a: &mut Matrix, k: usize, (c, s): (Complex, Complex), rows: usize) {
    for i in 0..rows {
        let (x, y) = (a[(i, k)], a[(i, k + 1)]);
        (a[(i, k)], a[(i, k + 1)]) = (c * x + s * y, c.conj() * y - s.conj() * x);
    }
}

/// A real matrix has real eigenvalues and conjugated pairs: these stand side by side, the one above the real line
/// first. A value is one of a pair if another one is nearer to its conjugate than the real line is to it.
fn pair_up(made: &mut Eigen) {
    let n = made.values.len();
    let mut k = 0;
    while k < n {
        let value = made.values[k];
        let apart = |i: usize| (made.values[i] - value.conj()).abs();
        let nearest = (k + 1..n).min_by(|a, b| apart(*a).total_cmp(&apart(*b)));
        match nearest.filter(|i| apart(*i) < value.im.abs()) {
            Some(partner) => {
                swap(made, k + 1, partner);
                if value.im < 0.0 {
                    swap(made, k, k + 1);
                }
                conjugate_next(made, k);
                k += 2;
            }
            None => {
                make_real(made, k);
                k += 1;
            }
        }
    }
}

/// Vectors of a real value are real but for rounding: their largest element is.
fn make_real(made: &mut Eigen, k: usize) {
    made.values[k].im = 0.0;
    for vectors in [&mut made.left, &mut made.right] {
        (0..vectors.rows).for_each(|i| vectors[(i, k)].im = 0.0);
    }
}

fn swap(made: &mut Eigen, a: usize, b: usize) {
    made.values.swap(a, b);
    made.left.swap_columns(a, b);
    made.right.swap_columns(a, b);
}

fn conjugate_next(made: &mut Eigen, k: usize) {
    made.values[k + 1] = made.values[k].conj();
    for vectors in [&mut made.left, &mut made.right] {
        (0..vectors.rows).for_each(|i| vectors[(i, k + 1)] = vectors[(i, k)].conj());
    }
}
