//! Triangular systems and lower factors of `f32`, halved until blocks are small: nearly all of the work is products.
//!
//! ```text
//! solve(M, X):   solve(M11, X1);  X2 += M21 * X1;  solve(M22, X2)          X1 is the negated solution
//! factor(A):     factor(A11);  A12 = A21^T;  solve(A11, A12);  A21 = -A12^T;  A22 += A21 * A12;  factor(A22)
//! ```
//!
//! Solutions stay negated until all are known, since products are added ([`gemm`]) and never subtracted. What lies
//! above the diagonal of a matrix that is factored is room for `A12`. Blocks of [`BLOCK`] unknowns are solved by
//! substitution, [`LANES`] systems side by side and [`ROWS`] rows at a time, fused and in ascending order; those of a
//! factor in `f64`. So bits depend on sizes alone.

use super::{At, lower_factor, widest};
use crate::gemm::{Strided, Target, gemm, transposed_rows};
use meshwright_runtime::Workers;
use meshwright_runtime::memory::Counted;

/// Unknowns that are solved by substitution, and rows of a factor that is made in `f64`.
const BLOCK: usize = 32;
/// Systems that are solved side by side.
const LANES: usize = 16;
/// Rows that are solved together.
const ROWS: usize = 4;
/// Systems of a piece at most, and at least where there are more.
const MOST: usize = 256;
const LEAST: usize = 64;

/// Bytes of a small factor while it is made.
pub const FACTOR: usize = size_of::<f64>() * BLOCK * BLOCK;

/// Unknowns of systems side by side.
type Lanes = [f32; LANES];

/// A lower matrix, or an upper one that is solved from the last row on.
#[derive(Clone, Copy)]
pub struct Triangle {
    pub at: *const f32,
    /// Elements from row to row, and from column to column.
    pub row: isize,
    pub column: isize,
    pub forward: bool,
    pub unit: bool,
}

/// What systems come to, then their negated solutions: a row for each unknown, systems side by side.
#[derive(Clone, Copy)]
pub struct Systems {
    pub at: *mut f32,
    pub row: isize,
    pub count: usize,
}

/// How many of so many systems a piece has.
pub fn share(count: usize) -> usize {
    count.div_ceil(2).next_multiple_of(LEAST).min(MOST).min(count.max(1))
}

impl Triangle {
    /// Element `(i, j)`.
    ///
    /// # Safety
    /// It exists.
    unsafe fn element(&self, i: usize, j: usize) -> f32 {
        // SAFETY: the caller's.
        unsafe { *self.at.offset(i as isize * self.row + j as isize * self.column) }
    }

    /// The negated solutions in place of what systems come to, for `n` unknowns from `first` on.
    ///
    /// # Safety
    /// The elements of both exist, and nobody else touches the systems.
    pub unsafe fn solve(&self, first: usize, n: usize, x: Systems) {
        if n <= BLOCK {
            // SAFETY: the caller's.
            return unsafe { self.substitute(first, n, x) };
        }
        let half = (n / 2).next_multiple_of(BLOCK);
        let (low, high) = ((first, half), (first + half, n - half));
        let (known, left) = if self.forward { (low, high) } else { (high, low) };
        let row = |at: usize| x.at.wrapping_offset(at as isize * x.row);
        // SAFETY: the caller's; both halves are different rows.
        unsafe {
            self.solve(known.0, known.1, x);
            let at = self.at.offset(left.0 as isize * self.row + known.0 as isize * self.column);
            let a = Strided { at, row: self.row, column: self.column };
            let b = Strided { at: row(known.0).cast_const(), row: x.row, column: 1 };
            let c = Target { at: row(left.0), row: x.row, column: 1, add: true };
            gemm((left.1, x.count, known.1), a, b, c, None);
            self.solve(left.0, left.1, x);
        }
    }

    /// One block, some systems at a time.
    ///
    /// # Safety
    /// As [`Triangle::solve`].
    unsafe fn substitute(&self, first: usize, n: usize, x: Systems) {
        // The row that is solved as the `i`-th.
        let place = |i: usize| if self.forward { first + i } else { first + n - 1 - i };
        let mut block = Block { rows: [[[0.0; ROWS]; BLOCK]; BLOCK / ROWS], less: [0.0; BLOCK] };
        for i in 0..n {
            for j in 0..=i {
                // SAFETY: the caller's.
                let x = unsafe { self.element(place(i), place(j)) };
                block.rows[i / ROWS][j][i % ROWS] = x;
                if i == j {
                    block.less[i] = if self.unit { -1.0 } else { -1.0 / x };
                }
            }
        }
        for system in (0..x.count).step_by(LANES) {
            let width = LANES.min(x.count - system);
            let at = |i: usize| x.at.wrapping_offset(place(i) as isize * x.row).wrapping_add(system);
            let mut lanes = [[0.0; LANES]; BLOCK];
            for (i, lanes) in lanes.iter_mut().enumerate().take(n) {
                // SAFETY: so many systems are there.
                unsafe { std::ptr::copy_nonoverlapping(at(i), lanes.as_mut_ptr(), width) };
            }
            block.solve(&mut lanes, n.div_ceil(ROWS));
            for (i, lanes) in lanes.iter().enumerate().take(n) {
                // SAFETY: as above.
                unsafe { std::ptr::copy_nonoverlapping(lanes.as_ptr(), at(i), width) };
            }
        }
    }
}

/// A small lower matrix; what lacks to a whole one is zero.
struct Block {
    /// [`ROWS`] rows at a time, by columns.
    rows: [[[f32; ROWS]; BLOCK]; BLOCK / ROWS],
    /// What a row is multiplied by at last: less the inverse of its own element.
    less: [f32; BLOCK],
}

impl Block {
    fn solve(&self, x: &mut [Lanes; BLOCK], groups: usize) {
        solve_block(self, x, groups);
    }
}

#[inline(always)]
fn add_product(sum: &mut Lanes, a: f32, x: &Lanes) {
    for (sum, x) in sum.iter_mut().zip(x) {
        *sum = a.mul_add(*x, *sum);
    }
}

#[inline(always)]
fn solve_block_any(block: &Block, x: &mut [Lanes; BLOCK], groups: usize) {
    for (group, rows) in block.rows.iter().enumerate().take(groups) {
        let first = group * ROWS;
        let (known, left) = x.split_at_mut(first);
        let mut sums = [[0.0; LANES]; ROWS];
        sums.copy_from_slice(&left[..ROWS]);
        for (a, x) in rows.iter().zip(known.iter()) {
            for (sum, a) in sums.iter_mut().zip(a) {
                add_product(sum, *a, x);
            }
        }
        // By values, so that sums stay in registers.
        for i in 0..ROWS {
            let mut own = sums[i];
            for (j, x) in sums.iter().enumerate().take(i) {
                add_product(&mut own, rows[first + j][i], x);
            }
            sums[i] = own.map(|x| x * block.less[first + i]);
        }
        left[..ROWS].copy_from_slice(&sums);
    }
}

widest!(solve_block, [solve_block_avx512, solve_block_avx2], solve_block_any, (block: &Block, x: &mut [Lanes; BLOCK], groups: usize));

/// The lower factor in place of a matrix of which the lower triangle is read; what is left above it is of no use. Not
/// finite where there is none.
///
/// # Safety
/// `at` has `n` rows of `n` elements, `row` apart, and nobody else touches them.
pub unsafe fn factor(at: At, row: usize, n: usize, workers: &dyn Workers) {
    let place = move |i: usize, j: usize| at.ptr().cast::<f32>().wrapping_add(i * row + j);
    if n <= BLOCK {
        let _counted = Counted::new(FACTOR);
        // SAFETY: the caller's.
        let factor = lower_factor(n, 1, |i, j, _| f64::from(unsafe { *place(i, j) }));
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            // SAFETY: as above.
            unsafe { *place(i, j) = factor[i * n + j] as f32 };
        }
        return;
    }
    let half = (n / 2).next_multiple_of(BLOCK);
    let (rest, step) = (n - half, row as isize);
    // SAFETY: the caller's.
    unsafe { factor(at, row, half, workers) };
    let triangle = Shared(Triangle { at: place(0, 0), row: step, column: 1, forward: true, unit: false });
    let width = share(rest);
    workers.each(rest.div_ceil(width), &|piece| {
        let first = half + piece * width;
        let count = width.min(n - first);
        let above = Systems { at: place(0, first), row: step, count };
        // SAFETY: the caller's; each piece has columns above the diagonal, and the rows that are their transpose.
        unsafe {
            transpose((place(first, 0), row), (above.at, row), (half, count), 1.0);
            triangle.get().solve(0, half, above);
            transpose((above.at, row), (place(first, 0), row), (count, half), -1.0);
        }
    });
    workers.each(rest.div_ceil(LEAST), &|piece| {
        let first = half + piece * LEAST;
        let size = (n - first, LEAST.min(n - first), half);
        let a = Strided { at: place(first, 0).cast_const(), row: step, column: 1 };
        let b = Strided { at: place(0, first).cast_const(), row: step, column: 1 };
        let c = Target { at: place(first, first), row: step, column: 1, add: true };
        // SAFETY: the caller's; each piece has columns of its own from the diagonal on.
        unsafe { gemm(size, a, b, c, None) };
    });
    // SAFETY: the caller's.
    unsafe { factor(At(place(half, half).cast()), row, rest, workers) };
}

/// What pieces read and nobody writes meanwhile.
struct Shared(Triangle);

// SAFETY: it is read only.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(&self) -> &Triangle {
        &self.0
    }
}

/// Element `(i, j)` of `to` becomes element `(j, i)` of `from`, times 1 or -1; with each stands how far rows are apart.
///
/// # Safety
/// All elements exist; the two do not overlap.
pub unsafe fn transpose(
    (from, step): (*const f32, usize),
    (to, row): (*mut f32, usize),
    (rows, columns): (usize, usize),
    sign: f32,
) {
    // SAFETY: the caller's.
    unsafe {
        if !transposed_rows(from.cast(), step as isize, to.cast(), row as isize, (rows, columns)) {
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                *to.add(i * row + j) = *from.add(j * step + i);
            }
        }
        if sign < 0.0 {
            for i in 0..rows {
                std::slice::from_raw_parts_mut(to.add(i * row), columns).iter_mut().for_each(|x| *x = -*x);
            }
        }
    }
}
