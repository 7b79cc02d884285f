//! Decompositions put together again.

use super::eigh::eigh;
use super::lu::{Diagonals, Factors, factor};
use super::matrix::{Matrix, square};
use super::reflect::{pivoted_qr, product, qr};
use super::schur::{Eigen, eigen, hessenberg};
use super::svd::{Svd, svd};
use crate::complex::Complex;

/// Complex numbers that look random; real ones for even seeds.
fn made_up(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    let values =
        (0..rows * columns).map(|_| Complex::new(next(), if seed.is_multiple_of(2) { 0.0 } else { next() }));
    Matrix::of(rows, columns, values.collect()).unwrap()
}

/// Matrices of many shapes: full rank, of rank 1, and zero.
fn all() -> Vec<Matrix> {
    let mut made = Vec::new();
    for (rows, columns) in [(1, 1), (2, 2), (5, 5), (7, 3), (3, 7), (12, 12), (4, 1), (1, 4)] {
        made.extend((0..4).map(|seed| made_up(rows, columns, seed)));
        made.push(made_up(rows, 1, 3).times(&made_up(1, columns, 5)));
        made.push(Matrix::zeros(rows, columns));
    }
    made
}

fn close(a: &Matrix, b: &Matrix) {
    assert_eq!((a.rows, a.columns), (b.rows, b.columns));
    let apart = a.values().iter().zip(b.values()).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
    assert!(apart <= 1e-13 * (1.0 + square(b.values()).sqrt()), "{apart:e} apart: {a:?} {b:?}");
}

fn is_unitary(a: &Matrix) {
    close(&a.adjoint().times(a), &Matrix::identity(a.columns, a.columns));
}

fn diagonal(rows: usize, columns: usize, values: &[f64]) -> Matrix {
    let mut made = Matrix::zeros(rows, columns);
    values.iter().enumerate().for_each(|(i, value)| made[(i, i)] = Complex::real(*value));
    made
}

#[test]
fn lu_factors_multiply_to_the_matrix_with_its_rows_exchanged() {
    for a in all() {
        let Factors { both, pivots, .. } = factor(a.clone());
        let count = a.rows.min(a.columns);
        let mut lower = Matrix::identity(a.rows, count);
        for i in 0..a.rows {
            (0..i.min(count)).for_each(|j| lower[(i, j)] = both[(i, j)]);
        }
        let mut exchanged = a;
        pivots.iter().enumerate().for_each(|(row, pivot)| exchanged.swap_rows(row, pivot - 1));
        close(&lower.times(&both.corner(count, both.columns).upper()), &exchanged);
    }
}

#[test]
fn qr_factors_multiply_to_the_matrix() {
    for a in all() {
        let (held, taus) = qr(a.clone());
        let q = product(&held, &taus, 0, a.rows);
        is_unitary(&q);
        close(&q.times(&held.upper()), &a);
        let (held, order, taus) = pivoted_qr(a.clone(), &[]);
        let (q, r) = (product(&held, &taus, 0, a.rows), held.upper());
        let made = q.times(&r);
        for (column, from) in order.iter().enumerate() {
            (0..a.rows).for_each(|i| assert!((made[(i, column)] - a[(i, from - 1)]).abs() < 1e-13));
        }
        let sizes: Vec<f64> = (0..a.rows.min(a.columns)).map(|i| r[(i, i)].abs()).collect();
        assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1] - 1e-13), "{sizes:?}");
    }
}

#[test]
fn eigenvectors_make_a_matrix_diagonal() {
    for a in all().into_iter().filter(|a| a.rows == a.columns) {
        let whole = a.times(&a.adjoint());
        for (lower, given) in [(true, lower_half(&whole)), (false, lower_half(&whole).adjoint())] {
            let (vectors, values) = eigh(&given, lower).unwrap();
            is_unitary(&vectors);
            assert!(values.is_sorted());
            let middle = diagonal(a.rows, a.rows, &values);
            close(&vectors.times(&middle).times(&vectors.adjoint()), &whole);
        }
    }
    let mut broken = Matrix::identity(3, 3);
    broken[(1, 0)] = Complex::real(f64::NAN);
    assert!(eigh(&broken, true).is_none() && svd(&broken, 3, 3).is_none());
}

fn lower_half(a: &Matrix) -> Matrix {
    let upper = a.adjoint().upper();
    upper.adjoint()
}

#[test]
fn singular_vectors_make_a_matrix_diagonal() {
    for a in all() {
        let Svd { u, values, vh } = svd(&a, a.rows, a.columns).unwrap();
        is_unitary(&u);
        is_unitary(&vh);
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]) && values.iter().all(|value| *value >= 0.0));
        close(&u.times(&diagonal(a.rows, a.columns, &values)).times(&vh), &a);
    }
}

#[test]
fn eigenvectors_are_kept_in_their_direction() {
    let mut matrices: Vec<Matrix> = all().into_iter().filter(|a| a.rows == a.columns).collect();
    // A rotation, whose eigenvalues lie on a circle, and a matrix with one eigenvector.
    let values = |numbers: [f64; 9]| numbers.into_iter().map(Complex::real).collect();
    matrices.push(Matrix::of(3, 3, values([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])).unwrap());
    matrices.push(Matrix::of(3, 3, values([2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0])).unwrap());
    for a in matrices {
        let Eigen { values, left, right } = eigen(&a).unwrap();
        let mut middle = Matrix::zeros(a.rows, a.rows);
        values.iter().enumerate().for_each(|(i, value)| middle[(i, i)] = *value);
        close(&a.times(&right), &right.times(&middle));
        close(&left.adjoint().times(&a), &middle.times(&left.adjoint()));
        if a.values().iter().all(|z| z.im == 0.0) {
            let above = values.iter().filter(|z| z.im > 0.0).count();
            assert_eq!(above, values.iter().filter(|z| z.im < 0.0).count());
        }
        let (held, taus) = hessenberg(a.clone());
        let q = product(&held, &taus, 1, a.rows);
        is_unitary(&q);
        let middle = q.adjoint().times(&a).times(&q);
        for i in 0..a.rows {
            for j in i.saturating_sub(1)..a.rows {
                assert!((middle[(i, j)] - held[(i, j)]).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn tridiagonal_systems_are_solved() {
    for seed in 0..8 {
        let n = 6;
        let (diagonals, x) = (made_up(3, n, seed), made_up(n, 2, seed));
        let mut a = Matrix::zeros(n, n);
        for i in 0..n {
            a[(i, i)] = diagonals[(1, i)];
        }
        for i in 0..n - 1 {
            (a[(i + 1, i)], a[(i, i + 1)]) = (diagonals[(0, i)], diagonals[(2, i)]);
        }
        let mut work = Diagonals {
            lower: diagonals.row(0)[..n - 1].to_vec(),
            main: diagonals.row(1).to_vec(),
            upper: diagonals.row(2)[..n - 1].to_vec(),
        };
        let mut solved = a.times(&x);
        assert_eq!(work.solve(&mut solved), 0);
        let apart = solved.values().iter().zip(x.values()).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-10, "{apart:e}");
    }
}
