//! LAPACK's routines, as far as JAX calls them: each matrix of a batch by itself.
//!
//! Decompositions that are not unique (signs of eigenvectors and singular vectors) are right ones, not LAPACK's; what
//! is unique, and the signs of reflectors, agree up to rounding. What a routine leaves where nobody reads (an
//! overwritten operand) is not imitated.

use super::eigh::{Tridiagonal, eigh, hermitian, tridiagonal};
use super::lu::{Diagonals, Factors, factor};
use super::matrix::Matrix;
use super::reflect::{apply, pivoted_qr, product, qr};
use super::schur::{Eigen, eigen, hessenberg};
use super::svd::{Svd, svd};
use crate::complex::Complex;
use crate::fault::{Fault, NOT_RUN};
use crate::linalg;
use crate::tensor::{Data, Tensor};
use crate::view::sizes;
use meshwright_ir::op::foreign::CustomCall;
use meshwright_ir::op::lapack::Routine;
use meshwright_ir::{Class, TensorType};

/// Whether the routine is run. The other two are read as ops.
pub(super) fn is_run(routine: Routine) -> bool {
    !matches!(routine, Routine::Cholesky | Routine::TriangularSolve)
}

pub(super) fn eval(
    routine: Routine,
    call: &CustomCall,
    args: &[Tensor],
    types: &[&TensorType],
) -> Result<Vec<Data>, Fault> {
    let values = args.iter().map(numbers_of).collect::<Result<Vec<_>, _>>()?;
    let batch = Batch::of(routine, args, types).ok_or_else(|| misfit(call, args, types))?;
    let mut made: Vec<Vec<Complex>> = vec![Vec::new(); types.len()];
    for piece in 0..batch.count {
        let results = batch
            .matrices(&values, piece)
            .and_then(|matrices| one(routine, call, matrices, &batch.gives))
            .filter(|results| batch.fits(results))
            .ok_or_else(|| misfit(call, args, types))?;
        made.iter_mut().zip(results).for_each(|(all, one)| all.extend(one));
    }
    made.into_iter().zip(types).map(|(values, ty)| rounded(values, ty)).collect()
}

fn misfit(call: &CustomCall, args: &[Tensor], types: &[&TensorType]) -> Fault {
    let list = |types: &[String]| types.join(", ");
    let takes: Vec<String> = args.iter().map(|x| x.ty().to_string()).collect();
    let gives: Vec<String> = types.iter().map(|ty| ty.to_string()).collect();
    let message = format!("`{}` does not make {} of {}", call.target, list(&gives), list(&takes));
    Fault::new(NOT_RUN, message)
        .help("give it what LAPACK's routine takes of each matrix, behind equal batch dims, and the letters it asks for")
}

/// What all matrices of a call have in common.
struct Batch {
    count: usize,
    takes: Vec<MatrixSize>,
    gives: Vec<MatrixSize>,
}

impl Batch {
    fn of(routine: Routine, args: &[Tensor], types: &[&TensorType]) -> Option<Batch> {
        let operands: Vec<&[i64]> = args.iter().map(Tensor::dims).collect();
        let results: Vec<&[i64]> = types.iter().map(|ty| &ty.dims[..]).collect();
        let rank = routine.batch(&operands, &results)?;
        let inner =
            |all: &[&[i64]]| all.iter().map(|dims| MatrixSize::of(&dims[rank..])).collect::<Option<Vec<_>>>();
        Some(Batch {
            count: sizes(&operands.first()?[..rank]).iter().product(),
            takes: inner(&operands)?,
            gives: inner(&results)?,
        })
    }

    fn matrices(&self, values: &[Vec<Complex>], piece: usize) -> Option<Vec<Matrix>> {
        let of = |(values, shape): (&Vec<Complex>, &MatrixSize)| {
            let part = values.get(piece * shape.count()..(piece + 1) * shape.count())?;
            Matrix::of(shape.rows, shape.columns, part.to_vec())
        };
        values.iter().zip(&self.takes).map(of).collect()
    }

    fn fits(&self, results: &[Vec<Complex>]) -> bool {
        let mut pairs = results.iter().zip(&self.gives);
        results.len() == self.gives.len() && pairs.all(|(result, shape)| result.len() == shape.count())
    }
}

/// What one matrix of an operand or result is: a vector is one column.
#[derive(Clone, Copy)]
struct MatrixSize {
    rows: usize,
    columns: usize,
}

impl MatrixSize {
    fn of(dims: &[i64]) -> Option<MatrixSize> {
        match &sizes(dims)[..] {
            [] => Some(MatrixSize { rows: 1, columns: 1 }),
            [rows] => Some(MatrixSize { rows: *rows, columns: 1 }),
            [rows, columns] => Some(MatrixSize { rows: *rows, columns: *columns }),
            _ => None,
        }
    }

    fn count(self) -> usize {
        self.rows * self.columns
    }
}

fn numbers_of(x: &Tensor) -> Result<Vec<Complex>, Fault> {
    match x.data() {
        Data::Int(v) => Ok(v.iter().map(|x| Complex::real(*x as f64)).collect()),
        Data::Float(_) | Data::Complex(_) | Data::Pred(_) | Data::Uint(_) => linalg::complex_of(x),
    }
}

fn rounded(values: Vec<Complex>, ty: &TensorType) -> Result<Data, Fault> {
    match ty.dtype.class() {
        Class::Float | Class::Complex => Ok(linalg::rounded(values, ty.dtype)),
        Class::Signed => Ok(Data::Int(values.into_iter().map(|z| z.re as i64).collect())),
        Class::Pred | Class::Unsigned => Err(Fault::unsound(format!("has a result {ty}"))),
    }
}

/// The results for one matrix, by rows; `None` if operands, or what is asked for, make no sense.
fn one(
    routine: Routine,
    call: &CustomCall,
    args: Vec<Matrix>,
    gives: &[MatrixSize],
) -> Option<Vec<Vec<Complex>>> {
    match (routine, &args[..]) {
        (Routine::Lu, [a]) => Some(of_lu(a)),
        (Routine::Qr, [a]) => {
            let (held, taus) = qr(a.clone());
            Some(vec![held.into_values(), taus])
        }
        (Routine::PivotedQr, [a, places]) => {
            let places: Vec<usize> = places.values().iter().map(|z| z.re as usize).collect();
            let (held, order, taus) = pivoted_qr(a.clone(), &places);
            Some(vec![held.into_values(), numbers(&order), taus])
        }
        (Routine::Reflectors, [held, taus]) => {
            let taus = fitting(taus, held)?;
            Some(vec![product(held, taus, 0, held.columns).into_values()])
        }
        (Routine::ReflectorsTimes, [held, taus, c]) => {
            Some(vec![times(call, held, fitting(taus, held)?, c)?.into_values()])
        }
        (Routine::Eigh, [a]) => of_eigh(call, a),
        (Routine::Tridiagonal, [a]) => of_tridiagonal(call, a),
        (Routine::Svd, [a]) => of_svd(a, gives),
        (Routine::Eigen, [a]) => of_eigen(call, a, gives),
        (Routine::Hessenberg, [a]) => of_hessenberg(call, a),
        (Routine::TridiagonalSolve, [lower, main, upper, b]) => of_diagonals([lower, main, upper], b),
        _ => None,
    }
}

fn reals(values: &[f64]) -> Vec<Complex> {
    values.iter().map(|x| Complex::real(*x)).collect()
}

fn numbers(values: &[usize]) -> Vec<Complex> {
    values.iter().map(|x| Complex::real(*x as f64)).collect()
}

fn nans(count: usize) -> Vec<Complex> {
    vec![Complex { re: f64::NAN, im: f64::NAN }; count]
}

fn of_lu(a: &Matrix) -> Vec<Vec<Complex>> {
    let Factors { both, pivots, singular } = factor(a.clone());
    vec![both.into_values(), numbers(&pivots), numbers(&[singular])]
}

/// Factors of reflectors: no more than there are columns to hold them.
fn fitting<'a>(taus: &'a Matrix, held: &Matrix) -> Option<&'a [Complex]> {
    (taus.values().len() <= held.rows.min(held.columns)).then(|| taus.values())
}

/// `c` times the product of reflectors, on the side and turned as the call says.
fn times(call: &CustomCall, held: &Matrix, taus: &[Complex], c: &Matrix) -> Option<Matrix> {
    let (left, turned) = (call.config("left")? == "true", call.config("transpose")? == "true");
    let mut made = if left { c.clone() } else { c.adjoint() };
    if made.rows != held.rows {
        return None;
    }
    // c q is (q^H c^H)^H.
    apply(held, taus, 0, turned == left, &mut made);
    Some(if left { made } else { made.adjoint() })
}

fn of_eigh(call: &CustomCall, a: &Matrix) -> Option<Vec<Vec<Complex>>> {
    let lower = call.config_letter("uplo")? == 'L';
    (a.rows == a.columns).then_some(())?;
    Some(match eigh(a, lower) {
        Some((vectors, values)) => vec![vectors.into_values(), reals(&values), numbers(&[0])],
        None => vec![nans(a.rows * a.rows), nans(a.rows), numbers(&[1])],
    })
}

/// Only from the lower triangle, as JAX asks for it.
fn of_tridiagonal(call: &CustomCall, a: &Matrix) -> Option<Vec<Vec<Complex>>> {
    (a.rows == a.columns && call.config_letter("uplo")? == 'L').then_some(())?;
    let Tridiagonal { mut held, taus, main, beside } = tridiagonal(hermitian(a, true));
    for i in 0..a.rows {
        for j in i + 1..a.rows {
            // What LAPACK does not touch.
            held[(i, j)] = a[(i, j)];
        }
    }
    Some(vec![held.into_values(), reals(&main), reals(&beside), taus, numbers(&[0])])
}

/// Vectors are cut to what the results have room for: all, or as many as there are values.
fn of_svd(a: &Matrix, gives: &[MatrixSize]) -> Option<Vec<Vec<Complex>>> {
    let [_, _, left, right, _] = gives else { return None };
    let fits = left.rows == a.rows
        && left.columns <= a.rows
        && right.rows <= a.columns
        && right.columns == a.columns;
    fits.then_some(())?;
    Some(match svd(a, left.columns, right.rows) {
        Some(Svd { u, values, vh }) => vec![
            a.values().to_vec(),
            reals(&values),
            u.corner(left.rows, left.columns).into_values(),
            vh.corner(right.rows, right.columns).into_values(),
            numbers(&[0]),
        ],
        None => {
            let count = a.rows.min(a.columns);
            vec![a.values().to_vec(), nans(count), nans(left.count()), nans(right.count()), numbers(&[1])]
        }
    })
}

/// Eigenvalues are one result, or two: real and imaginary parts.
fn of_eigen(call: &CustomCall, a: &Matrix, gives: &[MatrixSize]) -> Option<Vec<Vec<Complex>>> {
    let asks = |field: &str| Some(call.config_letter(field)? == 'V');
    let (asks_left, asks_right) = (asks("compute_left")?, asks("compute_right")?);
    (a.rows == a.columns && matches!(gives.len(), 4 | 5)).then_some(())?;
    let count = a.rows * a.rows;
    let (values, left, right, failed) = match eigen(a) {
        Some(Eigen { values, left, right }) => (values, left.into_values(), right.into_values(), 0),
        None => (nans(a.rows), nans(count), nans(count), 1),
    };
    let vectors = |asked: bool, vectors| if asked { vectors } else { vec![Complex::ZERO; count] };
    let parts = |part: fn(&Complex) -> f64| reals(&values.iter().map(part).collect::<Vec<_>>());
    let mut made =
        if gives.len() == 5 { vec![parts(|z| z.re), parts(|z| z.im)] } else { vec![values.clone()] };
    made.extend([vectors(asks_left, left), vectors(asks_right, right), numbers(&[failed])]);
    Some(made)
}

/// Only of whole matrices.
fn of_hessenberg(call: &CustomCall, a: &Matrix) -> Option<Vec<Vec<Complex>>> {
    let number = |field: &str| call.config(field)?.split_whitespace().next()?.parse::<usize>().ok();
    let whole = (number("low")?, number("high")?) == (1, a.rows);
    (whole && a.rows == a.columns).then_some(())?;
    let (held, taus) = hessenberg(a.clone());
    Some(vec![held.into_values(), taus, numbers(&[0])])
}

/// Diagonals are as long as the main one: the lower one begins with an element nobody reads, the upper one ends with
/// one.
fn of_diagonals(diagonals: [&Matrix; 3], b: &Matrix) -> Option<Vec<Vec<Complex>>> {
    let n = b.rows;
    diagonals.iter().all(|diagonal| diagonal.values().len() == n).then_some(())?;
    let [lower, main, upper] = diagonals.map(Matrix::values);
    let (first, rest) = lower.split_at(n.min(1));
    let (inside, last) = upper.split_at(n.saturating_sub(1));
    let mut work = Diagonals { lower: rest.to_vec(), main: main.to_vec(), upper: inside.to_vec() };
    let mut x = b.clone();
    let singular = work.solve(&mut x);
    let Diagonals { lower, main, upper } = work;
    Some(vec![
        [first, &lower].concat(),
        main,
        [&upper[..], last].concat(),
        x.into_values(),
        numbers(&[singular]),
    ])
}
