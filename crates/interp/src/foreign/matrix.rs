//! One matrix of complex numbers, by rows: what the library functions work on.
//!
//! Real matrices have no imaginary parts: one set of loops for both, in `f64`, rounded when a result is written.

use crate::complex::Complex;
use std::ops::{Index, IndexMut};

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    values: Vec<Complex>,
}

impl Matrix {
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, values: vec![Complex::ZERO; rows * columns] }
    }

    /// Ones on the diagonal.
    pub fn identity(rows: usize, columns: usize) -> Matrix {
        let mut made = Matrix::zeros(rows, columns);
        (0..rows.min(columns)).for_each(|i| made[(i, i)] = Complex::ONE);
        made
    }

    /// Elements by rows, as many as there have to be.
    pub fn of(rows: usize, columns: usize, values: Vec<Complex>) -> Option<Matrix> {
        (values.len() == rows * columns).then_some(Matrix { rows, columns, values })
    }

    pub fn values(&self) -> &[Complex] {
        &self.values
    }

    pub fn into_values(self) -> Vec<Complex> {
        self.values
    }

    pub fn row(&self, row: usize) -> &[Complex] {
        &self.values[row * self.columns..][..self.columns]
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [Complex] {
        &mut self.values[row * self.columns..][..self.columns]
    }

    /// Two rows, the first in front of the second.
    pub fn two_rows(&mut self, first: usize, second: usize) -> (&mut [Complex], &mut [Complex]) {
        let (front, back) = self.values.split_at_mut(second * self.columns);
        (&mut front[first * self.columns..][..self.columns], &mut back[..self.columns])
    }

    pub fn swap_rows(&mut self, a: usize, b: usize) {
        if a != b {
            let (first, second) = self.two_rows(a.min(b), a.max(b));
            first.swap_with_slice(second);
        }
    }

    pub fn swap_columns(&mut self, a: usize, b: usize) {
        let columns = self.columns;
        self.values.chunks_exact_mut(columns.max(1)).for_each(|row| row.swap(a, b));
    }

    /// The first of its rows and columns.
    pub fn corner(&self, rows: usize, columns: usize) -> Matrix {
        let values = (0..rows).flat_map(|row| self.row(row)[..columns].to_vec()).collect();
        Matrix { rows, columns, values }
    }

    /// Conjugated and turned.
    pub fn adjoint(&self) -> Matrix {
        let mut made = Matrix::zeros(self.columns, self.rows);
        for i in 0..self.rows {
            for (j, value) in self.row(i).iter().enumerate() {
                made[(j, i)] = value.conj();
            }
        }
        made
    }

    #[cfg(test)]
    pub fn times(&self, other: &Matrix) -> Matrix {
        let mut made = Matrix::zeros(self.rows, other.columns);
        for i in 0..self.rows {
            for (k, factor) in self.row(i).iter().enumerate().take(other.rows) {
                add_scaled(made.row_mut(i), *factor, other.row(k));
            }
        }
        made
    }

    /// Zero below the diagonal.
    pub fn upper(mut self) -> Matrix {
        for i in 1..self.rows {
            let until = i.min(self.columns);
            self.row_mut(i)[..until].fill(Complex::ZERO);
        }
        self
    }

    pub fn is_finite(&self) -> bool {
        self.values.iter().all(|z| z.is_finite())
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = Complex;
    fn index(&self, (row, column): (usize, usize)) -> &Complex {
        &self.values[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut Complex {
        &mut self.values[row * self.columns + column]
    }
}

/// `to += factor * from`.
pub(super) fn add_scaled(to: &mut [Complex], factor: Complex, from: &[Complex]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *to + factor * *from);
}

/// The sum of `conj(a) * b`.
pub(super) fn inner(a: &[Complex], b: &[Complex]) -> Complex {
    a.iter().zip(b).fold(Complex::ZERO, |sum, (a, b)| sum + a.conj() * *b)
}

/// The sum of squares.
pub(super) fn square(a: &[Complex]) -> f64 {
    a.iter().map(|z| z.re * z.re + z.im * z.im).sum()
}
