//! Cholesky factors and triangular systems, of real matrices over the last two dims.
//!
//! Everything is computed in `f64` and rounded once. A matrix is factored by one worker; columns of one system are cut
//! among workers, `COLUMNS` at a time. Costs `f64` copies of what one piece works on.

use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_runtime::Workers;

/// Columns of a system that are solved together.
const COLUMNS: usize = 64;

#[derive(Clone, PartialEq, Debug)]
pub struct CholeskyStep {
    pub from: BufId,
    pub to: BufId,
    pub dtype: DType,
    pub lower: bool,
    pub batch: usize,
    pub n: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SolveStep {
    pub a: BufId,
    pub b: BufId,
    pub to: BufId,
    pub dtype: DType,
    pub batch: usize,
    pub n: usize,
    /// Systems of a matrix. On the left of what is solved they are columns of `b`, else rows.
    pub count: usize,
    pub left: bool,
    /// Whether element `(i, j)` of the system's matrix is at `(j, i)` of `a`.
    pub transposed: bool,
    /// Whether the system's matrix is lower: solved from the first unknown on.
    pub forward: bool,
    pub unit: bool,
}

/// Elements of a real type.
trait Element: Copy {
    fn wide(self) -> f64;
    fn narrow(x: f64) -> Self;
}

impl Element for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn narrow(x: f64) -> f32 {
        x as f32
    }
}

impl Element for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn narrow(x: f64) -> f64 {
        x
    }
}

/// Types that are done here.
pub fn can(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

/// `sum of a[i] * b[i]`, in lanes.
#[inline(always)]
fn dot_any(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let mut sums = [0.0; 32];
    for (a, b) in a.iter().zip(b) {
        for i in 0..32 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// `to - x * from`, element by element.
#[inline(always)]
fn less_any(to: &mut [f64], x: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to -= x * from);
}

macro_rules! widest {
    ($name:ident, $wide:ident, $any:ident, ($($arg:ident: $ty:ty),*) $(-> $result:ty)?) => {
        fn $name($($arg: $ty),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx512() {
                // SAFETY: the features are there.
                return unsafe { $wide($($arg),*) };
            }
            $any($($arg),*)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
        fn $wide($($arg: $ty),*) $(-> $result)? {
            $any($($arg),*)
        }
    };
}
widest!(dot, dot_avx512, dot_any, (a: &[f64], b: &[f64]) -> f64);
widest!(less, less_avx512, less_any, (to: &mut [f64], x: f64, from: &[f64]));

impl CholeskyStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            DType::F32 => self.factor::<f32>(bases, workers),
            _ => self.factor::<f64>(bases, workers),
        }
    }

    fn factor<T: Element>(&self, bases: &Bases, workers: &dyn Workers) {
        let n = self.n;
        let (from, to) = (At(bases.at(self.from)), At(bases.at(self.to)));
        workers.each(self.batch, &|matrix| {
            // SAFETY: both arrays have all matrices; each is one piece's.
            let (from, to) = unsafe {
                let from = std::slice::from_raw_parts(from.ptr().cast::<T>().add(matrix * n * n), n * n);
                (from, std::slice::from_raw_parts_mut(to.ptr().cast::<T>().add(matrix * n * n), n * n))
            };
            let at = |i: usize, j: usize| from[if self.lower { i * n + j } else { j * n + i }].wide();
            let factor = lower_factor(n, at);
            for i in 0..n {
                for j in 0..n {
                    let (row, column) = if self.lower { (i, j) } else { (j, i) };
                    to[i * n + j] = T::narrow(if column <= row { factor[row * n + column] } else { 0.0 });
                }
            }
        });
    }
}

/// Rows of the lower factor; all are NaN if the matrix has none.
fn lower_factor(n: usize, at: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut factor = vec![0.0; n * n];
    let mut inverses = vec![0.0; n];
    for i in 0..n {
        let (above, rest) = factor.split_at_mut(i * n);
        let row = &mut rest[..n];
        for j in 0..i {
            let sum = dot(&row[..j], &above[j * n..j * n + j]);
            row[j] = (at(i, j) - sum) * inverses[j];
        }
        row[i] = (at(i, i) - dot(&row[..i], &row[..i])).sqrt();
        inverses[i] = 1.0 / row[i];
    }
    if factor.iter().any(|x| !x.is_finite()) {
        factor.fill(f64::NAN);
    }
    factor
}

impl SolveStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            DType::F32 => self.solve::<f32>(bases, workers),
            _ => self.solve::<f64>(bases, workers),
        }
    }

    fn solve<T: Element>(&self, bases: &Bases, workers: &dyn Workers) {
        let (a, b, to) = (At(bases.at(self.a)), At(bases.at(self.b)), At(bases.at(self.to)));
        let cuts = self.count.div_ceil(COLUMNS);
        workers.each(self.batch * cuts, &|piece| {
            let (matrix, first) = (piece / cuts, piece % cuts * COLUMNS);
            let width = COLUMNS.min(self.count - first);
            let (n, count) = (self.n, self.count);
            // SAFETY: the arrays have all matrices; the systems are one piece's.
            let a = unsafe { std::slice::from_raw_parts(a.ptr().cast::<T>().add(matrix * n * n), n * n) };
            let place = |i: usize, column: usize| {
                if self.left {
                    matrix * n * count + i * count + first + column
                } else {
                    matrix * n * count + (first + column) * n + i
                }
            };
            let mut x = vec![0.0; n * width];
            for i in 0..n {
                for column in 0..width {
                    // SAFETY: as above.
                    x[i * width + column] = unsafe { (*b.ptr().cast::<T>().add(place(i, column))).wide() };
                }
            }
            self.substitute(a, &mut x, width);
            for i in 0..n {
                for column in 0..width {
                    // SAFETY: as above.
                    unsafe { *to.ptr().cast::<T>().add(place(i, column)) = T::narrow(x[i * width + column]) };
                }
            }
        });
    }

    /// Row `i` of `x` are the unknowns `i` of some systems.
    fn substitute<T: Element>(&self, a: &[T], x: &mut [f64], width: usize) {
        let n = self.n;
        let at = |i: usize, j: usize| a[if self.transposed { j * n + i } else { i * n + j }].wide();
        for step in 0..n {
            let i = if self.forward { step } else { n - 1 - step };
            let (before, rest) = x.split_at_mut(i * width);
            let (own, after) = rest.split_at_mut(width);
            let solved = if self.forward { 0..i } else { i + 1..n };
            for j in solved {
                let known = if self.forward {
                    &before[j * width..(j + 1) * width]
                } else {
                    &after[(j - i - 1) * width..(j - i) * width]
                };
                less(own, at(i, j), known);
            }
            if !self.unit {
                let diagonal = at(i, i);
                own.iter_mut().for_each(|x| *x /= diagonal);
            }
        }
    }
}
