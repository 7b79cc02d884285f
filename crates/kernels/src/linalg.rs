//! Cholesky factors and triangular systems, of real and complex matrices over the last two dims.
//!
//! Everything is computed in `f64` and rounded once. A large matrix is factored by one worker; small ones go side by
//! side, [`MATRICES`] at a time, one in each lane. Columns of one system are cut among workers, `COLUMNS` at a time.
//! Real and imaginary parts of a row lie in two runs, so that both are what real rows are. Costs `f64` copies of what
//! one piece works on.

mod side_by_side;

use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_runtime::memory::Counted;
use side_by_side::{MATRICES, factors_of_many};

/// Columns of a system that are solved together.
const COLUMNS: usize = 64;
/// Rows of the largest matrices that are factored side by side.
const SMALL: usize = 64;

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
    /// Whether it is the conjugate of what is there.
    pub conjugated: bool,
    /// Whether the system's matrix is lower: solved from the first unknown on.
    pub forward: bool,
    pub unit: bool,
}

/// Elements of a real or complex type: the real part, and the imaginary one if there is one.
trait Element: Copy {
    const PARTS: usize;
    fn part(self, part: usize) -> f64;
    fn of(parts: [f64; 2]) -> Self;
}

macro_rules! element {
    ($real:ty) => {
        impl Element for $real {
            const PARTS: usize = 1;
            fn part(self, _: usize) -> f64 {
                f64::from(self)
            }
            fn of([re, _]: [f64; 2]) -> $real {
                re as $real
            }
        }
        impl Element for [$real; 2] {
            const PARTS: usize = 2;
            fn part(self, part: usize) -> f64 {
                f64::from(self[part])
            }
            fn of(parts: [f64; 2]) -> [$real; 2] {
                parts.map(|x| x as $real)
            }
        }
    };
}
element!(f32);
element!(f64);

/// Types that are done here.
pub fn can(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128)
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
    ($name:ident, [$avx512:ident, $avx2:ident], $any:expr, ($($arg:ident: $ty:ty),*) $(-> $result:ty)?) => {
        fn $name($($arg: $ty),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx512() {
                // SAFETY: the features are there.
                return unsafe { $avx512($($arg),*) };
            } else if crate::isa::avx2() {
                // SAFETY: the features are there.
                return unsafe { $avx2($($arg),*) };
            }
            $any($($arg),*)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
        fn $avx512($($arg: $ty),*) $(-> $result)? {
            $any($($arg),*)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $ty),*) $(-> $result)? {
            $any($($arg),*)
        }
    };
}
use widest;

widest!(dot, [dot_avx512, dot_avx2], dot_any, (a: &[f64], b: &[f64]) -> f64);
widest!(less, [less_avx512, less_avx2], less_any, (to: &mut [f64], x: f64, from: &[f64]));

impl CholeskyStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            DType::F32 => self.factor::<f32>(bases, workers),
            DType::C64 => self.factor::<[f32; 2]>(bases, workers),
            DType::C128 => self.factor::<[f64; 2]>(bases, workers),
            _ => self.factor::<f64>(bases, workers),
        }
    }

    /// Matrices of a piece.
    fn at_once(&self) -> usize {
        if self.n <= SMALL && self.batch > 1 { MATRICES } else { 1 }
    }

    /// Bytes of `f64` that a worker works on.
    pub fn scratch(&self) -> usize {
        let parts = if self.dtype.is_complex() { 2 } else { 1 };
        size_of::<f64>() * parts * self.n * self.n * self.at_once()
    }

    fn factor<T: Element>(&self, bases: &Bases, workers: &dyn Workers) {
        let (n, at_once) = (self.n, self.at_once());
        let (from, to) = (At(bases.at(self.from)), At(bases.at(self.to)));
        workers.each(self.batch.div_ceil(at_once), &|piece| {
            let _counted = Counted::new(self.scratch());
            let first = piece * at_once;
            let count = at_once.min(self.batch - first);
            let len = count * n * n;
            // SAFETY: both arrays have all matrices; each is one piece's.
            let (from, to) = unsafe {
                let from = std::slice::from_raw_parts(from.ptr().cast::<T>().add(first * n * n), len);
                (from, std::slice::from_raw_parts_mut(to.ptr().cast::<T>().add(first * n * n), len))
            };
            // Of an upper triangle, the conjugates are the lower one.
            let sign = |part: usize| if self.lower || part == 0 { 1.0 } else { -1.0 };
            let at = |matrix: usize, i: usize, j: usize, part: usize| {
                let (row, column) = if self.lower { (i, j) } else { (j, i) };
                from[matrix * n * n + row * n + column].part(part) * sign(part)
            };
            if at_once == 1 {
                let factor = lower_factor(n, T::PARTS, |i, j, part| at(0, i, j, part));
                return self.put(to, |i, j, part| factor[(i * T::PARTS + part) * n + j] * sign(part));
            }
            let factors = factors_of_many(n, T::PARTS, count, &at);
            for (matrix, to) in to.chunks_exact_mut(n * n).enumerate() {
                self.put(to, |i, j, part| factors[(i * n + j) * T::PARTS + part][matrix] * sign(part));
            }
        });
    }

    /// Write one triangle, and zeros above or below it.
    fn put<T: Element>(&self, to: &mut [T], factor: impl Fn(usize, usize, usize) -> f64) {
        let n = self.n;
        for i in 0..n {
            for j in 0..n {
                let (row, column) = if self.lower { (i, j) } else { (j, i) };
                let part = |part: usize| if part < T::PARTS { factor(row, column, part) } else { 0.0 };
                to[i * n + j] = T::of(if column <= row { [part(0), part(1)] } else { [0.0; 2] });
            }
        }
    }
}

/// Rows of the lower factor, each part of a row by itself; all are NaN if the matrix has none.
fn lower_factor(n: usize, parts: usize, at: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
    let mut factor = vec![0.0; n * n * parts];
    let mut inverses = vec![0.0; n];
    for i in 0..n {
        let (above, rest) = factor.split_at_mut(i * n * parts);
        let (re, im) = rest[..n * parts].split_at_mut(n);
        for j in 0..i {
            let (other_re, other_im) = above[j * n * parts..(j + 1) * n * parts].split_at(n);
            let sum = dot(&re[..j], &other_re[..j]);
            if parts == 2 {
                let turned = dot(&im[..j], &other_re[..j]) - dot(&re[..j], &other_im[..j]);
                let along = dot(&im[..j], &other_im[..j]);
                im[j] = (at(i, j, 1) - turned) * inverses[j];
                re[j] = (at(i, j, 0) - (sum + along)) * inverses[j];
            } else {
                re[j] = (at(i, j, 0) - sum) * inverses[j];
            }
        }
        let squares = dot(&re[..i], &re[..i]) + if parts == 2 { dot(&im[..i], &im[..i]) } else { 0.0 };
        re[i] = (at(i, i, 0) - squares).sqrt();
        inverses[i] = 1.0 / re[i];
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
            DType::C64 => self.solve::<[f32; 2]>(bases, workers),
            DType::C128 => self.solve::<[f64; 2]>(bases, workers),
            _ => self.solve::<f64>(bases, workers),
        }
    }

    /// Bytes of `f64` that a worker works on.
    pub fn scratch(&self) -> usize {
        let parts = if self.dtype.is_complex() { 2 } else { 1 };
        size_of::<f64>() * parts * self.n * COLUMNS.min(self.count)
    }

    fn solve<T: Element>(&self, bases: &Bases, workers: &dyn Workers) {
        let (a, b, to) = (At(bases.at(self.a)), At(bases.at(self.b)), At(bases.at(self.to)));
        let cuts = self.count.div_ceil(COLUMNS);
        workers.each(self.batch * cuts, &|piece| {
            let _counted = Counted::new(self.scratch());
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
            let mut x = vec![0.0; n * width * T::PARTS];
            for i in 0..n {
                for column in 0..width {
                    // SAFETY: as above.
                    let element = unsafe { *b.ptr().cast::<T>().add(place(i, column)) };
                    (0..T::PARTS)
                        .for_each(|part| x[(i * T::PARTS + part) * width + column] = element.part(part));
                }
            }
            self.substitute(a, &mut x, width);
            for i in 0..n {
                for column in 0..width {
                    let part =
                        |part: usize| x.get((i * T::PARTS + part) * width + column).copied().unwrap_or(0.0);
                    let solved = T::of([part(0), if T::PARTS == 2 { part(1) } else { 0.0 }]);
                    // SAFETY: as above.
                    unsafe { *to.ptr().cast::<T>().add(place(i, column)) = solved };
                }
            }
        });
    }

    /// Row `i` of `x` are the unknowns `i` of some systems, each part by itself.
    fn substitute<T: Element>(&self, a: &[T], x: &mut [f64], width: usize) {
        let (n, row) = (self.n, width * T::PARTS);
        let at = |i: usize, j: usize| {
            let element = a[if self.transposed { j * n + i } else { i * n + j }];
            let im = if T::PARTS == 2 { element.part(1) } else { 0.0 };
            [element.part(0), if self.conjugated { -im } else { im }]
        };
        for step in 0..n {
            let i = if self.forward { step } else { n - 1 - step };
            let (before, rest) = x.split_at_mut(i * row);
            let (own, after) = rest.split_at_mut(row);
            let solved = if self.forward { 0..i } else { i + 1..n };
            for j in solved {
                let known = if self.forward {
                    &before[j * row..(j + 1) * row]
                } else {
                    &after[(j - i - 1) * row..(j - i) * row]
                };
                let [re, im] = at(i, j);
                less(own, re, known);
                if T::PARTS == 2 {
                    let ((own_re, own_im), (known_re, known_im)) =
                        (own.split_at_mut(width), known.split_at(width));
                    less(own_re, -im, known_im);
                    less(own_im, im, known_re);
                }
            }
            if !self.unit {
                divide(own, at(i, i), T::PARTS == 2);
            }
        }
    }
}

/// Divide numbers by one.
fn divide(own: &mut [f64], [re, im]: [f64; 2], complex: bool) {
    if !complex {
        return own.iter_mut().for_each(|x| *x /= re);
    }
    let square = re * re + im * im;
    let (own_re, own_im) = own.split_at_mut(own.len() / 2);
    for (x, y) in own_re.iter_mut().zip(own_im) {
        (*x, *y) = ((*x * re + *y * im) / square, (*y * re - *x * im) / square);
    }
}
