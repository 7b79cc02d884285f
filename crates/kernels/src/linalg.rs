//! Cholesky factors and triangular systems, of real and complex matrices over the last two dims.
//!
//! Systems of `f32`, and factors of its large matrices, are halved until blocks are small, so that most of the work is
//! products of `f32` (`blocked`). Everything else is computed in `f64` and rounded once: there a large matrix is
//! factored by one worker, small ones go side by side, `MATRICES` at a time, one in each lane, and systems are solved
//! some rows and columns at a time in registers (`substitute`). Columns of one system are cut among workers. Real and
//! imaginary parts lie in two runs, so that both are what real rows are. Costs copies of what one piece works on.

mod blocked;
mod side_by_side;
mod substitute;

use crate::step::{At, Bases, BufId};
use blocked::{FACTOR, Systems, Triangle, factor, share, transpose};
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_runtime::memory::Counted;
use side_by_side::{MATRICES, factors_of_many};
use substitute::{LANES, Matrix, ROWS, Unknowns};

/// Columns of a system that are solved together.
const COLUMNS: usize = 64;
/// Rows of the largest matrices that are factored side by side.
const SMALL: usize = 64;
/// Rows of a matrix that are copied as one piece.
const COPIED: usize = 64;

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
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
        fn $avx512($($arg: $ty),*) $(-> $result)? {
            $any($($arg),*)
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $avx2($($arg: $ty),*) $(-> $result)? {
            $any($($arg),*)
        }
    };
}
use widest;

widest!(dot, [dot_avx512, dot_avx2], dot_any, (a: &[f64], b: &[f64]) -> f64);

impl CholeskyStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            _ if self.n == 0 => {}
            DType::F32 if self.packs() => self.factor_blocked(bases, workers),
            DType::F32 => self.factor::<f32>(bases, workers),
            DType::C64 => self.factor::<[f32; 2]>(bases, workers),
            DType::C128 => self.factor::<[f64; 2]>(bases, workers),
            _ => self.factor::<f64>(bases, workers),
        }
    }

    /// Whether most of it are products of `f32`.
    pub fn packs(&self) -> bool {
        self.dtype == DType::F32 && self.n > SMALL
    }

    /// Matrices one after the other, each by all workers.
    fn factor_blocked(&self, bases: &Bases, workers: &dyn Workers) {
        let (n, pieces) = (self.n, self.n.div_ceil(COPIED));
        let at = |buf: BufId, matrix: usize| bases.at(buf).cast::<f32>().wrapping_add(matrix * n * n);
        for matrix in 0..self.batch {
            let (from, to) = (At(at(self.from, matrix).cast()), At(at(self.to, matrix).cast()));
            let place = move |i: usize, j: usize| to.ptr().cast::<f32>().wrapping_add(i * n + j);
            workers.each(pieces, &|piece| {
                let (first, end) = (piece * COPIED, ((piece + 1) * COPIED).min(n));
                let from = from.ptr().cast::<f32>().cast_const();
                // SAFETY: both arrays have all matrices; each piece has rows of its own.
                unsafe {
                    if self.lower {
                        let from = from.add(first * n);
                        std::ptr::copy_nonoverlapping(from, place(first, 0), (end - first) * n);
                    } else {
                        transpose((from.add(first), n), (place(first, 0), n), (end - first, end), 1.0);
                    }
                }
            });
            // SAFETY: as above.
            unsafe { factor(to, n, n, workers) };
            let row = |i: usize| {
                // SAFETY: the matrix has this row, and nobody writes it now.
                unsafe { std::slice::from_raw_parts(place(i, 0), i + 1) }
            };
            let is_there = (0..n).all(|i| row(i).iter().all(|x| x.is_finite()));
            workers.each(pieces, &|piece| {
                let rows = piece * COPIED..((piece + 1) * COPIED).min(n);
                // SAFETY: each piece has rows of its own, and columns of their numbers.
                unsafe { self.finish(place, rows, is_there) };
            });
        }
    }

    /// Put what rows of a lower factor hold where it belongs, and zeros on the other side.
    ///
    /// # Safety
    /// The matrix has these rows, and columns of these numbers, and nobody else touches them.
    unsafe fn finish(
        &self,
        place: impl Fn(usize, usize) -> *mut f32,
        rows: std::ops::Range<usize>,
        is_there: bool,
    ) {
        let (first, n) = (rows.start, self.n);
        // SAFETY: the caller's, here and below.
        let fill = |i: usize, columns: std::ops::Range<usize>, x: f32| unsafe {
            std::slice::from_raw_parts_mut(place(i, columns.start), columns.len()).fill(x);
        };
        if is_there && !self.lower {
            // SAFETY: as above; rows before these ones and columns before their numbers do not overlap.
            unsafe {
                transpose((place(first, 0), n), (place(0, first), n), (first, rows.len()), 1.0);
                for (i, j) in rows.clone().flat_map(|i| (first..i).map(move |j| (i, j))) {
                    *place(j, i) = *place(i, j);
                }
            }
        }
        for i in rows {
            let (factor, other) = if self.lower { (0..i + 1, i + 1..n) } else { (i..n, 0..i) };
            fill(i, other, 0.0);
            if !is_there {
                fill(i, factor, f32::NAN);
            }
        }
    }

    /// Matrices of a piece.
    fn at_once(&self) -> usize {
        if self.n <= SMALL && self.batch > 1 { MATRICES } else { 1 }
    }

    /// Bytes of `f64` that a worker works on.
    pub fn scratch(&self) -> usize {
        if self.packs() {
            return FACTOR;
        }
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
        for (i, to) in to.chunks_exact_mut(n).enumerate() {
            let (own, other) = if self.lower { (0..i + 1, i + 1..n) } else { (i..n, 0..i) };
            for j in own {
                let (row, column) = if self.lower { (i, j) } else { (j, i) };
                let part = |part: usize| if part < T::PARTS { factor(row, column, part) } else { 0.0 };
                to[j] = T::of([part(0), part(1)]);
            }
            to[other].fill(T::of([0.0; 2]));
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
            _ if self.n == 0 || self.count == 0 => {}
            DType::F32 => self.solve_blocked(bases, workers),
            DType::C64 => self.solve::<[f32; 2]>(bases, workers),
            DType::C128 => self.solve::<[f64; 2]>(bases, workers),
            _ => self.solve::<f64>(bases, workers),
        }
    }

    /// Whether most of it are products of `f32`.
    pub fn packs(&self) -> bool {
        self.dtype == DType::F32
    }

    /// Bytes that a worker works on: unknowns, and in `f64` coefficients of some rows.
    pub fn scratch(&self) -> usize {
        if self.packs() {
            return size_of::<f32>() * self.n * share(self.count);
        }
        let (parts, packed) = if self.dtype.is_complex() { (2, 3) } else { (1, 1) };
        let lanes = COLUMNS.min(self.count).next_multiple_of(LANES);
        size_of::<f64>() * self.n * (parts * lanes + packed * ROWS)
    }

    /// Some systems at a time, in a row for each unknown.
    fn solve_blocked(&self, bases: &Bases, workers: &dyn Workers) {
        let (a, b, to) = (At(bases.at(self.a)), At(bases.at(self.b)), At(bases.at(self.to)));
        let (n, count, most) = (self.n, self.count, share(self.count));
        let cuts = count.div_ceil(most);
        let (row, column) = if self.transposed { (1, n as isize) } else { (n as isize, 1) };
        workers.each(self.batch * cuts, &|piece| {
            let _counted = Counted::new(self.scratch());
            let (matrix, first) = (piece / cuts, piece % cuts * most);
            let width = most.min(count - first);
            let mut room = vec![0f32; n * width];
            let x = Systems { at: room.as_mut_ptr(), row: width as isize, count: width };
            // Where the first unknown of the first system is among all.
            let start = matrix * n * count + if self.left { first } else { first * n };
            let at = |all: At, start: usize| all.ptr().cast::<f32>().wrapping_add(start);
            let triangle = Triangle {
                at: at(a, matrix * n * n).cast_const(),
                row,
                column,
                forward: self.forward,
                unit: self.unit,
            };
            // SAFETY: the arrays have all matrices; of a matrix of results each element is written by one piece only.
            unsafe {
                let (b, to) = (at(b, start).cast_const(), at(to, start));
                if self.left {
                    (0..n).for_each(|i| {
                        std::ptr::copy_nonoverlapping(b.add(i * count), x.at.add(i * width), width)
                    });
                } else {
                    transpose((b, n), (x.at, width), (n, width), 1.0);
                }
                triangle.solve(0, n, x);
                if self.left {
                    (0..n).for_each(|i| {
                        let to = std::slice::from_raw_parts_mut(to.add(i * count), width);
                        to.iter_mut().zip(&room[i * width..]).for_each(|(to, x)| *to = -x);
                    });
                } else {
                    transpose((x.at.cast_const(), width), (to, n), (width, n), -1.0);
                }
            }
        });
    }

    fn solve<T: Element>(&self, bases: &Bases, workers: &dyn Workers) {
        let (a, b, to) = (At(bases.at(self.a)), At(bases.at(self.b)), At(bases.at(self.to)));
        let cuts = self.count.div_ceil(COLUMNS);
        workers.each(self.batch * cuts, &|piece| {
            let _counted = Counted::new(self.scratch());
            let (matrix, first) = (piece / cuts, piece % cuts * COLUMNS);
            let width = COLUMNS.min(self.count - first);
            let (n, count) = (self.n, self.count);
            let (start, length) = (matrix * n * count, n * count);
            // SAFETY: the arrays have all matrices; of a matrix of results each element is written by one piece only.
            let (a, b) = unsafe {
                let a = std::slice::from_raw_parts(a.ptr().cast::<T>().add(matrix * n * n), n * n);
                (a, std::slice::from_raw_parts(b.ptr().cast::<T>().add(start), length))
            };
            // Where the unknowns of a column begin, and how far columns lie apart.
            let (row, column) = if self.left { (count, 1) } else { (1, n) };
            let place = |i: usize, at: usize| i * row + (first + at) * column;
            let mut x = Unknowns::new(n, width, T::PARTS);
            x.each(|i, at, part, x| {
                let from = b[place(i, at)..].iter().step_by(column);
                x.iter_mut().zip(from).for_each(|(x, from)| *x = from.part(part));
            });
            let apart = if self.transposed { (1, n) } else { (n, 1) };
            let (conjugated, forward, unit) = (self.conjugated, self.forward, self.unit);
            x.solve(&Matrix { elements: a, apart, conjugated, forward, unit });
            x.each_number(|i, at, [re, im]| {
                for (lane, (re, im)) in re.iter().zip(im).enumerate() {
                    // SAFETY: as above; the place lies within the matrix.
                    unsafe { *to.ptr().cast::<T>().add(start + place(i, at + lane)) = T::of([*re, *im]) };
                }
            });
        });
    }
}
