//! Matrix products of `f32`: `c[m, n] (+)= sum over k of a[m, k] * b[k, n]`, any strides of `a` and `b`.
//!
//! ```text
//! for columns by 1024, for k by 256:   pack b into panels of 32 columns (second cache)
//!     for rows by 14:                  use a as it lies, or copied, or packed 16 times 14 rows at once (second cache)
//!         for panels of b:             14 x 32 results in registers; with AVX2, 6 x 16
//! ```
//!
//! What is needed next is asked for early and within the loop that multiplies: the rows that come next, the next block
//! of the right operand, the next product of a batch, and results before their sums are done. Else a tenth of the time
//! goes into waiting where `n` is small, and a fifth where products are small. What is packed is asked for a few depths
//! ahead.
//!
//! The order in which a result's products are added depends on `k` alone: blocks of 256 ascending, fused multiply-adds
//! within a block. So cutting rows or columns into pieces changes no bit. CPUs without AVX2 cut blocks of other
//! sizes in the same order (`any`), and give the same bits.

use crate::isa::Isa;
use any::{Right, Work};
use meshwright_runtime::Buffer;
use std::cell::RefCell;

/// A matrix by its first element and strides in elements.
#[derive(Clone, Copy, Debug)]
pub struct Strided<T = f32> {
    pub at: *const T,
    pub row: isize,
    pub column: isize,
}

/// Where results go: rows `row` elements apart, columns side by side unless `column` says otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Target<T = f32> {
    pub at: *mut T,
    pub row: isize,
    pub column: isize,
    /// Add to what is there.
    pub add: bool,
}

/// Rows, columns and depth.
pub type Size = (usize, usize, usize);

/// Operands of the product that comes next, of the same sizes and strides: they are asked for meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Next {
    pub left: *const f32,
    pub right: *const f32,
}

/// Multiply.
///
/// # Safety
/// All elements the sizes and strides name must exist, and nobody else may touch those of `c`.
pub unsafe fn gemm((m, n, k): Size, a: Strided, b: Strided, c: Target, next: Option<Next>) {
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        // SAFETY: the caller's.
        unsafe { zero(m, n, c) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the features are there; the rest is the caller's.
    if crate::isa::avx2() && unsafe { vector::run((m, n, k), a, b, c) } {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if c.column == 1 {
        // SAFETY: the features are there; the rest is the caller's.
        unsafe {
            match Isa::used() {
                Isa::Portable | Isa::Neon => {}
                Isa::Avx2 => return blocks::gemm::<avx2::Avx2>((m, n, k), a, b, c, next),
                Isa::Avx512 | Isa::Amx => return blocks::gemm::<avx512::Avx512>((m, n, k), a, b, c, next),
            }
        }
    }
    let _ = next;
    let work = Work { size: (m, n, k), a, b: Right::Lies(b), c };
    // SAFETY: the caller's.
    unsafe { any::run(&work) };
}

/// Whether a left operand of these strides is read where it lies: it costs nothing to read it again.
pub fn reads_in_place(row: isize, column: isize) -> bool {
    column == 1 && row % ALIAS != 0
}

/// Elements between rows that fall on the same set of the first cache.
const ALIAS: isize = 1024;

/// # Safety
/// As [`gemm()`].
unsafe fn zero(m: usize, n: usize, c: Target) {
    if c.add {
        return;
    }
    for row in 0..m as isize {
        for column in 0..n as isize {
            // SAFETY: the caller's.
            unsafe { *c.at.offset(row * c.row + column * c.column) = 0.0 };
        }
    }
}

/// Elements of a right operand that is packed once for several products.
pub fn packed_len(n: usize, k: usize) -> usize {
    match Isa::used() {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 | Isa::Amx => blocks::packed_len::<avx512::Avx512>(n, k),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => blocks::packed_len::<avx2::Avx2>(n, k),
        _ => any::packed_len::<f32>(n, k),
    }
}

/// Pack a right operand.
///
/// # Safety
/// [`packed_len`] says how much room `to` has, aligned to lines; all elements of `b` must exist.
pub unsafe fn pack(n: usize, k: usize, b: Strided, to: *mut f32) {
    // SAFETY: the features are there; the rest is the caller's.
    unsafe {
        match Isa::used() {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Amx => blocks::pack::<avx512::Avx512>(n, k, b, to),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => blocks::pack::<avx2::Avx2>(n, k, b, to),
            _ => any::pack(n, k, b, to),
        }
    }
}

/// [`gemm()`] with a right operand that was packed: the same bits.
///
/// # Safety
/// As [`gemm()`] and [`pack`]; columns of `c` lie side by side.
pub unsafe fn gemm_packed(m: usize, n: usize, k: usize, a: Strided, b: *const f32, c: Target) {
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        // SAFETY: the caller's.
        unsafe { zero(m, n, c) };
        return;
    }
    // SAFETY: the features are there; the rest is the caller's.
    unsafe {
        match Isa::used() {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Amx => blocks::gemm_packed::<avx512::Avx512>((m, n, k), a, b, c),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => blocks::gemm_packed::<avx2::Avx2>((m, n, k), a, b, c),
            _ => any::run(&Work { size: (m, n, k), a, b: Right::Packed(b), c }),
        }
    }
}

thread_local! {
    static SCRATCH_OF_WORKER: RefCell<Option<Buffer>> = const { RefCell::new(None) };
}

/// Room for packed operands or sums, this worker's own.
pub fn with_scratch(work: impl FnOnce(*mut f32)) {
    SCRATCH_OF_WORKER.with_borrow_mut(|scratch| {
        let buffer = scratch.get_or_insert_with(|| Buffer::scratch(SCRATCH));
        work(buffer.as_ptr().cast());
    });
}

/// Products that are added before their sum is added to a result: sums of parts of `k` that end at multiples of it are
/// those of all of `k`.
pub const DEPTH: usize = 256;

/// Bytes of packed operands that one worker keeps.
pub const SCRATCH: usize = (1024 * 256 + 16 * (16 * 256 + 16)) * 4;

/// Copy elements of 4 bytes transposed: `rows` side by side in each of so many columns, which are `step` apart, become
/// rows `to_row` apart. `false` if this CPU has no quick way.
///
/// # Safety
/// All elements must exist.
pub unsafe fn transposed_rows(
    from: *const u32,
    step: isize,
    to: *mut u32,
    to_row: isize,
    (rows, columns): (usize, usize),
) -> bool {
    let size = (rows, columns);
    match Isa::used() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the features are there; moves keep all bits.
        Isa::Avx512 | Isa::Amx => unsafe {
            avx512::transposed_rows(from.cast(), step, to.cast(), to_row, size);
            true
        },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx2 => unsafe {
            avx2::transposed_rows(from.cast(), step, to.cast(), to_row, size);
            true
        },
        _ => {
            let _ = (from, step, to, to_row, size);
            false
        }
    }
}

pub(crate) mod any;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
mod blocks;
#[cfg(target_arch = "x86_64")]
mod prefetch;
pub(crate) mod sums;
#[cfg(target_arch = "x86_64")]
mod vector;

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        (0..count as u32).map(|i| ((i.wrapping_mul(2_654_435_761) ^ seed) % 7) as f32 - 3.0).collect()
    }

    /// Small whole numbers: every order of adding gives the same.
    fn check(m: usize, n: usize, k: usize, transposed: (bool, bool), add: bool) {
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let strides = |transposed: bool, rows: usize, columns: usize| {
            if transposed { (1, rows as isize) } else { (columns as isize, 1) }
        };
        let ((ar, ac), (br, bc)) = (strides(transposed.0, m, k), strides(transposed.1, k, n));
        let mut c = numbers(m * n, 3);
        let mut expected = c.clone();
        for row in 0..m {
            for column in 0..n {
                let at = |i: usize, r: isize, j: usize, s: isize| (i as isize * r + j as isize * s) as usize;
                let sum: f32 = (0..k).map(|i| a[at(row, ar, i, ac)] * b[at(i, br, column, bc)]).sum();
                let x = &mut expected[row * n + column];
                *x = if add { *x + sum } else { sum };
            }
        }
        let a = Strided { at: a.as_ptr(), row: ar, column: ac };
        let b = Strided { at: b.as_ptr(), row: br, column: bc };
        // SAFETY: sizes are those of the arrays.
        unsafe {
            gemm((m, n, k), a, b, Target { at: c.as_mut_ptr(), row: n as isize, column: 1, add }, None)
        };
        assert_eq!(c, expected, "{m}x{k}x{n} {transposed:?} {add}");
    }

    #[test]
    fn products_of_any_size_and_layout_are_exact_on_small_numbers() {
        let sizes =
            [(1, 1, 1), (14, 32, 256), (15, 33, 257), (3, 70, 19), (29, 8, 300), (2, 1030, 5), (16, 16, 16)];
        // One row, or one column.
        let vectors = [(1, 1030, 531), (77, 1, 300), (1, 5, 24), (3, 1, 7), (1, 40, 256), (64, 1, 1000)];
        let sizes = sizes.into_iter().chain(vectors);
        for (m, n, k) in sizes {
            for transposed in [(false, false), (true, false), (false, true), (true, true)] {
                check(m, n, k, transposed, false);
                check(m, n, k, transposed, true);
            }
        }
        check(20, 40, 1024, (false, false), false);
        check(250, 70, 300, (true, false), false);
        check(250, 40, 520, (false, true), true);
    }
}
