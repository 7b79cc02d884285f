//! Factors of a matrix by elimination: `getrf`, and `gtsv` for three diagonals.

use super::matrix::{Matrix, add_scaled};
use crate::complex::Complex;

/// What elimination makes of a matrix.
pub(super) struct Factors {
    /// The unit lower factor below the diagonal, the upper one from there on.
    pub both: Matrix,
    /// The row each row was exchanged with, from 1.
    pub pivots: Vec<usize>,
    /// The first pivot that is zero, from 1; 0 if none is.
    pub singular: usize,
}

/// The size by which pivots are chosen.
fn size(z: Complex) -> f64 {
    z.re.abs() + z.im.abs()
}

pub(super) fn factor(mut a: Matrix) -> Factors {
    let (mut pivots, mut singular) = (Vec::new(), 0);
    for k in 0..a.rows.min(a.columns) {
        let pivot =
            (k..a.rows).fold(k, |best, i| if size(a[(i, k)]) > size(a[(best, k)]) { i } else { best });
        pivots.push(pivot + 1);
        if a[(pivot, k)] == Complex::ZERO {
            singular = if singular == 0 { k + 1 } else { singular };
            continue;
        }
        a.swap_rows(k, pivot);
        for i in k + 1..a.rows {
            let (upper, row) = a.two_rows(k, i);
            let share = row[k] / upper[k];
            row[k] = share;
            add_scaled(&mut row[k + 1..], -share, &upper[k + 1..]);
        }
    }
    Factors { both: a, pivots, singular }
}

/// Three diagonals of a matrix: `lower[i]` and `upper[i]` stand between rows `i` and `i + 1`.
pub(super) struct Diagonals {
    pub lower: Vec<Complex>,
    pub main: Vec<Complex>,
    pub upper: Vec<Complex>,
}

impl Diagonals {
    /// Solve for all columns of `b`. The diagonals become those of the upper factor, the lowest its farthest one. Gives
    /// the first pivot that is zero, from 1.
    pub fn solve(&mut self, b: &mut Matrix) -> usize {
        let n = self.main.len();
        for k in 0..n.saturating_sub(1) {
            if let Err(pivot) = self.eliminate(k, b) {
                return pivot;
            }
        }
        if n > 0 && self.main[n - 1] == Complex::ZERO {
            return n;
        }
        for k in (0..n).rev() {
            self.substitute(k, b);
        }
        0
    }

    fn eliminate(&mut self, k: usize, b: &mut Matrix) -> Result<(), usize> {
        let (lower, main) = (self.lower[k], self.main[k]);
        let exchange = size(lower) > size(main);
        let pivot = if exchange { lower } else { main };
        if pivot == Complex::ZERO {
            // Nothing below it either; LAPACK's complex routine stops here, its real one at zero pivots alike.
            return Err(k + 1);
        }
        let share = if exchange { main / lower } else { lower / main };
        let (next, upper) = (self.main[k + 1], self.upper[k]);
        self.lower[k] = Complex::ZERO;
        if exchange {
            (self.main[k], self.upper[k], self.main[k + 1]) = (lower, next, upper - share * next);
            if k + 1 < self.upper.len() {
                self.lower[k] = self.upper[k + 1];
                self.upper[k + 1] = -(share * self.lower[k]);
            }
            b.swap_rows(k, k + 1);
        } else {
            self.main[k + 1] = next - share * upper;
        }
        let (from, to) = b.two_rows(k, k + 1);
        add_scaled(to, -share, from);
        Ok(())
    }

    fn substitute(&self, k: usize, b: &mut Matrix) {
        let n = self.main.len();
        if k + 1 < n {
            let (to, from) = b.two_rows(k, k + 1);
            add_scaled(to, -self.upper[k], from);
        }
        if k + 2 < n {
            let (to, from) = b.two_rows(k, k + 2);
            add_scaled(to, -self.lower[k], from);
        }
        let pivot = self.main[k];
        b.row_mut(k).iter_mut().for_each(|z| *z = *z / pivot);
    }
}
