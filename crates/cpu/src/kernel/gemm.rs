//! Matrix products of `f32`: `c[m, n] (+)= sum over k of a[m, k] * b[k, n]`, any strides of `a` and `b`.
//!
//! ```text
//! for columns by 1024, for k by 256:   pack b into panels of 32 columns (second cache)
//!     for rows by 14:                  use a as it lies, or packed 16 times 14 rows at once (second cache)
//!         for panels of b:             14 x 32 results in registers
//! ```
//!
//! The order in which a result's products are added depends on `k` alone: blocks of 256 ascending, fused multiply-adds
//! within a block. So cutting rows or columns into pieces changes no bit. CPUs without AVX-512 use the `gemm` crate.

use gemm::Parallelism;
use meshwright_runtime::Buffer;
use std::cell::RefCell;

/// A matrix by its first element and strides in elements.
#[derive(Clone, Copy, Debug)]
pub struct Strided {
    pub at: *const f32,
    pub row: isize,
    pub column: isize,
}

/// Where results go: rows `row` elements apart, columns side by side unless `column` says otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub at: *mut f32,
    pub row: isize,
    pub column: isize,
    /// Add to what is there.
    pub add: bool,
}

/// Multiply.
///
/// # Safety
/// All elements the sizes and strides name must exist, and nobody else may touch those of `c`.
pub unsafe fn gemm(m: usize, n: usize, k: usize, a: Strided, b: Strided, c: Target) {
    if m == 0 || n == 0 {
        return;
    }
    if k == 0 {
        // SAFETY: the caller's.
        unsafe { zero(m, n, c) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if c.column == 1 && std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the feature is there; the rest is the caller's.
        unsafe { wide::gemm(m, n, k, a, b, c) };
        return;
    }
    // SAFETY: the caller's.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.at,
            c.column,
            c.row,
            c.add,
            a.at,
            a.column,
            a.row,
            b.at,
            b.column,
            b.row,
            if c.add { 1.0 } else { 0.0 },
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

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

thread_local! {
    static SCRATCH_OF_WORKER: RefCell<Option<Buffer>> = const { RefCell::new(None) };
}

/// Room for packed operands or sums, this worker's own.
pub fn with_scratch(work: impl FnOnce(*mut f32)) {
    SCRATCH_OF_WORKER.with_borrow_mut(|scratch| {
        let buffer = scratch.get_or_insert_with(|| Buffer::zeroed(SCRATCH));
        work(buffer.as_ptr().cast());
    });
}

/// Bytes of packed operands that one worker keeps.
pub const SCRATCH: usize = if cfg!(target_arch = "x86_64") { (1024 * 256 + 16 * 16 * 256) * 4 } else { 0 };

/// Copy 16 x 16 elements of 4 bytes turned; `false` if this CPU has no quick way.
///
/// # Safety
/// All elements must exist.
pub unsafe fn copy_turned(from: *const u32, row: isize, to: *mut u32, to_row: isize) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the feature is there; moves keep all bits.
        unsafe { wide::copy_turned(from.cast(), row, to.cast(), to_row) };
        return true;
    }
    let _ = (from, row, to, to_row);
    false
}

#[cfg(target_arch = "x86_64")]
pub mod wide {
    use super::{Strided, Target, with_scratch};
    use std::arch::x86_64::*;

    /// Rows and columns of results in registers.
    pub const ROWS: usize = 14;
    pub const COLUMNS: usize = 32;
    /// Depth and columns of a packed block of `b`.
    const DEPTH: usize = 256;
    pub const BLOCK: usize = 1024;
    /// Panels of rows that are packed at once.
    pub const GROUP: usize = 16;

    /// # Safety
    /// As [`super::gemm`]; the CPU has AVX-512 and columns of `c` lie side by side.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn gemm(m: usize, n: usize, k: usize, a: Strided, b: Strided, c: Target) {
        with_scratch(|panels| {
            let rows = panels.wrapping_add(BLOCK * DEPTH);
            for column in (0..n).step_by(BLOCK) {
                let width = BLOCK.min(n - column);
                for from in (0..k).step_by(DEPTH) {
                    let depth = DEPTH.min(k - from);
                    // SAFETY: the block lies in the matrices, and packed it fits the buffer.
                    unsafe {
                        let at = b.at.offset(column as isize * b.column + from as isize * b.row);
                        pack_panels(Strided { at, ..b }, depth, width, panels);
                        let at = a.at.offset(from as isize * a.column);
                        let target = Target { at: c.at.add(column), add: c.add || from > 0, ..c };
                        block(Strided { at, ..a }, (m, width, depth), panels, rows, target);
                    }
                }
            }
        });
    }

    /// All rows against a packed block.
    ///
    /// # Safety
    /// As [`gemm()`]; `rows` has room for 14 rows.
    #[target_feature(enable = "avx512f")]
    unsafe fn block(
        a: Strided,
        (m, n, depth): (usize, usize, usize),
        panels: *const f32,
        rows: *mut f32,
        c: Target,
    ) {
        // Rows that lie a multiple of 4 KiB apart would all fall on the same set of the first cache.
        let direct = a.column == 1 && a.row % 1024 != 0;
        for group in (0..m).step_by(ROWS * GROUP) {
            let until = (group + ROWS * GROUP).min(m);
            if !direct {
                // SAFETY: the rows exist.
                unsafe {
                    let at = a.at.offset(group as isize * a.row);
                    pack_rows(Strided { at, ..a }, until - group, depth, rows);
                }
            }
            for row in (group..until).step_by(ROWS) {
                let count = ROWS.min(m - row);
                // SAFETY: the rows exist.
                unsafe {
                    let piece = match direct {
                        true => Strided { at: a.at.offset(row as isize * a.row), ..a },
                        false => {
                            let at = rows.add((row - group) / ROWS * 16 * depth).cast_const();
                            Strided { at, row: 1, column: 16 }
                        }
                    };
                    for column in (0..n).step_by(COLUMNS) {
                        let width = COLUMNS.min(n - column);
                        let panel = panels.add(column * depth);
                        let at = c.at.offset(row as isize * c.row).add(column);
                        tile(count, width, piece, panel, depth, Target { at, ..c });
                    }
                }
            }
        }
    }

    /// Columns by 32, each panel by `k`; what lacks to 32 is zero.
    ///
    /// # Safety
    /// The block of `b` exists; `to` has room for it.
    #[target_feature(enable = "avx512f")]
    unsafe fn pack_panels(b: Strided, depth: usize, width: usize, to: *mut f32) {
        for column in (0..width).step_by(COLUMNS) {
            let count = COLUMNS.min(width - column);
            // SAFETY: the caller's.
            unsafe {
                let from = b.at.offset(column as isize * b.column);
                let to = to.add(column * depth);
                match (b.column, b.row) {
                    (1, _) => pack_side_by_side(from, b.row, depth, count, to),
                    (_, 1) if count == COLUMNS => pack_turned(from, b.column, depth, to),
                    _ => pack_any(from, b, depth, count, to),
                }
            }
        }
    }

    /// # Safety
    /// As [`pack_panels`].
    #[target_feature(enable = "avx512f")]
    unsafe fn pack_side_by_side(from: *const f32, row: isize, depth: usize, count: usize, to: *mut f32) {
        let (first, second) = masks(count);
        for k in 0..depth {
            // SAFETY: masked elements are not touched.
            unsafe {
                let from = from.offset(k as isize * row);
                let to = to.add(k * COLUMNS);
                _mm512_store_ps(to, _mm512_maskz_loadu_ps(first, from));
                _mm512_store_ps(to.add(16), _mm512_maskz_loadu_ps(second, from.wrapping_add(16)));
            }
        }
    }

    /// Columns that lie along memory: blocks of 16 x 16 are turned in registers.
    ///
    /// # Safety
    /// As [`pack_panels`]; there are 32 columns.
    #[target_feature(enable = "avx512f")]
    unsafe fn pack_turned(from: *const f32, column: isize, depth: usize, to: *mut f32) {
        let whole = depth / 16 * 16;
        for half in 0..2 {
            let from = from.wrapping_offset(half as isize * 16 * column);
            let to = to.wrapping_add(half * 16);
            for k in (0..whole).step_by(16) {
                // SAFETY: 16 elements of 16 columns.
                unsafe {
                    let mut block = [_mm512_setzero_ps(); 16];
                    for (i, line) in block.iter_mut().enumerate() {
                        *line = _mm512_loadu_ps(from.offset(i as isize * column).add(k));
                    }
                    turn(&mut block);
                    for (i, line) in block.iter().enumerate() {
                        _mm512_store_ps(to.add((k + i) * COLUMNS), *line);
                    }
                }
            }
            for k in whole..depth {
                for i in 0..16 {
                    // SAFETY: as above.
                    unsafe { *to.add(k * COLUMNS + i) = *from.offset(i as isize * column).add(k) };
                }
            }
        }
    }

    /// # Safety
    /// As [`pack_panels`].
    unsafe fn pack_any(from: *const f32, b: Strided, depth: usize, count: usize, to: *mut f32) {
        for k in 0..depth {
            for i in 0..COLUMNS {
                // SAFETY: the caller's.
                unsafe {
                    let x = match i < count {
                        true => *from.offset(k as isize * b.row + i as isize * b.column),
                        false => 0.0,
                    };
                    *to.add(k * COLUMNS + i) = x;
                }
            }
        }
    }

    /// Rows by 14, each panel by `k`, 16 places apart. Rows that lie side by side are read in long runs.
    ///
    /// # Safety
    /// The rows exist; `to` has room for 16 panels.
    #[target_feature(enable = "avx512f")]
    unsafe fn pack_rows(a: Strided, count: usize, depth: usize, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe {
            if a.row == 1 {
                for k in 0..depth {
                    let from = a.at.offset(k as isize * a.column);
                    for row in (0..count).step_by(ROWS) {
                        let (mask, _) = masks(ROWS.min(count - row));
                        let line = _mm512_maskz_loadu_ps(mask, from.add(row));
                        _mm512_store_ps(to.add(row / ROWS * 16 * depth + k * 16), line);
                    }
                }
                return;
            }
            for row in (0..count).step_by(ROWS) {
                let at = a.at.offset(row as isize * a.row);
                pack_panel(
                    Strided { at, ..a },
                    ROWS.min(count - row),
                    depth,
                    to.add(row / ROWS * 16 * depth),
                );
            }
        }
    }

    /// One panel of rows that do not lie side by side.
    ///
    /// # Safety
    /// As [`pack_rows`].
    #[target_feature(enable = "avx512f")]
    unsafe fn pack_panel(a: Strided, count: usize, depth: usize, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe {
            let whole = if a.column == 1 { depth / 16 * 16 } else { 0 };
            for k in (0..whole).step_by(16) {
                let mut block = [_mm512_setzero_ps(); 16];
                for (i, line) in block.iter_mut().enumerate().take(count) {
                    *line = _mm512_loadu_ps(a.at.offset(i as isize * a.row).add(k));
                }
                turn(&mut block);
                for (i, line) in block.iter().enumerate() {
                    _mm512_store_ps(to.add((k + i) * 16), *line);
                }
            }
            for k in whole..depth {
                for i in 0..count {
                    *to.add(k * 16 + i) = *a.at.offset(i as isize * a.row + k as isize * a.column);
                }
            }
        }
    }

    /// Copy 16 x 16 elements turned: element (i, j) of `from` goes to (j, i) of `to`.
    ///
    /// # Safety
    /// All elements exist; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn copy_turned(from: *const f32, row: isize, to: *mut f32, to_row: isize) {
        // SAFETY: the caller's.
        unsafe {
            let mut block = [_mm512_setzero_ps(); 16];
            for (i, line) in block.iter_mut().enumerate() {
                *line = _mm512_loadu_ps(from.offset(i as isize * row));
            }
            turn(&mut block);
            for (i, line) in block.iter().enumerate() {
                _mm512_storeu_ps(to.offset(i as isize * to_row), *line);
            }
        }
    }

    /// Masks of the first `count` of 32 columns.
    pub fn masks(count: usize) -> (__mmask16, __mmask16) {
        let mask = |count: usize| if count >= 16 { 0xffff } else { (1u16 << count) - 1 };
        (mask(count), mask(count.saturating_sub(16)))
    }

    /// Transpose 16 x 16.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn turn(x: &mut [__m512; 16]) {
        let mut y = [_mm512_setzero_ps(); 16];
        for i in 0..8 {
            y[2 * i] = _mm512_unpacklo_ps(x[2 * i], x[2 * i + 1]);
            y[2 * i + 1] = _mm512_unpackhi_ps(x[2 * i], x[2 * i + 1]);
        }
        for i in 0..4 {
            let d = |v: __m512| _mm512_castps_pd(v);
            let s = |v: __m512d| _mm512_castpd_ps(v);
            let (a, b, c, e) = (y[4 * i], y[4 * i + 1], y[4 * i + 2], y[4 * i + 3]);
            x[4 * i] = s(_mm512_unpacklo_pd(d(a), d(c)));
            x[4 * i + 1] = s(_mm512_unpackhi_pd(d(a), d(c)));
            x[4 * i + 2] = s(_mm512_unpacklo_pd(d(b), d(e)));
            x[4 * i + 3] = s(_mm512_unpackhi_pd(d(b), d(e)));
        }
        // Now line 4i + j holds column j, 4 + j, 8 + j, 12 + j of rows 4i..4i+4, by quarters.
        for j in 0..4 {
            let low = _mm512_shuffle_f32x4::<0x88>(x[j], x[4 + j]);
            let high = _mm512_shuffle_f32x4::<0xdd>(x[j], x[4 + j]);
            let low2 = _mm512_shuffle_f32x4::<0x88>(x[8 + j], x[12 + j]);
            let high2 = _mm512_shuffle_f32x4::<0xdd>(x[8 + j], x[12 + j]);
            y[j] = _mm512_shuffle_f32x4::<0x88>(low, low2);
            y[4 + j] = _mm512_shuffle_f32x4::<0x88>(high, high2);
            y[8 + j] = _mm512_shuffle_f32x4::<0xdd>(low, low2);
            y[12 + j] = _mm512_shuffle_f32x4::<0xdd>(high, high2);
        }
        *x = y;
    }

    /// One tile of results: as many rows as there are.
    ///
    /// # Safety
    /// As [`gemm()`].
    #[target_feature(enable = "avx512f")]
    unsafe fn tile(rows: usize, columns: usize, a: Strided, panel: *const f32, depth: usize, c: Target) {
        macro_rules! by_rows {
            ($($rows:literal)*) => {
                match rows {
                    $($rows => kernel::<$rows>(columns, a, panel, depth, c),)*
                    _ => {}
                }
            };
        }
        // SAFETY: the caller's.
        unsafe { by_rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14) }
    }

    /// # Safety
    /// As [`gemm()`].
    #[target_feature(enable = "avx512f")]
    unsafe fn kernel<const R: usize>(columns: usize, a: Strided, panel: *const f32, depth: usize, c: Target) {
        /// Write something once for each row there is: loops over registers are not unrolled reliably.
        macro_rules! each_row {
            ($do:ident) => {
                each_row!($do 0 0 0, 1 0 1, 2 0 2, 3 1 0, 4 1 1, 5 1 2, 6 2 0, 7 2 1, 8 2 2, 9 3 0, 10 3 1, 11 3 2, 12 4 0, 13 4 1)
            };
            ($do:ident $($row:literal $line:literal $within:literal),*) => {
                $(if $row < R {
                    $do!($row, $line, $within);
                })*
            };
        }
        let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
        // SAFETY: the caller's.
        unsafe {
            // Rows are reached from every third one, so that addresses fit the registers.
            let line = |i: isize| a.at.wrapping_offset(3 * i * a.row);
            let mut lines = [line(0), line(1), line(2), line(3), line(4)];
            let mut panel = panel;
            for _ in 0..depth {
                let x = [_mm512_load_ps(panel), _mm512_load_ps(panel.add(16))];
                panel = panel.add(COLUMNS);
                macro_rules! multiply {
                    ($row:literal, $line:literal, $within:literal) => {
                        let y = _mm512_set1_ps(*lines[$line].offset($within * a.row));
                        sums[$row][0] = _mm512_fmadd_ps(y, x[0], sums[$row][0]);
                        sums[$row][1] = _mm512_fmadd_ps(y, x[1], sums[$row][1]);
                    };
                }
                each_row!(multiply);
                lines = lines.map(|line| line.wrapping_offset(a.column));
            }
            let (first, second) = masks(columns);
            macro_rules! store {
                ($row:literal, $line:literal, $within:literal) => {
                    let at = c.at.offset($row * c.row);
                    put(at, first, sums[$row][0], c.add);
                    put(at.wrapping_add(16), second, sums[$row][1], c.add);
                };
            }
            each_row!(store);
        }
    }

    /// # Safety
    /// The masked elements exist.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub unsafe fn put(at: *mut f32, mask: __mmask16, sum: __m512, add: bool) {
        // SAFETY: the caller's.
        unsafe {
            let sum = if add { _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, at)) } else { sum };
            _mm512_mask_storeu_ps(at, mask, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        (0..count as u32).map(|i| ((i.wrapping_mul(2_654_435_761) ^ seed) % 7) as f32 - 3.0).collect()
    }

    /// Small whole numbers: every order of adding gives the same.
    fn check(m: usize, n: usize, k: usize, turned: (bool, bool), add: bool) {
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let strides = |turned: bool, rows: usize, columns: usize| {
            if turned { (1, rows as isize) } else { (columns as isize, 1) }
        };
        let ((ar, ac), (br, bc)) = (strides(turned.0, m, k), strides(turned.1, k, n));
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
        unsafe { gemm(m, n, k, a, b, Target { at: c.as_mut_ptr(), row: n as isize, column: 1, add }) };
        assert_eq!(c, expected, "{m}x{k}x{n} {turned:?} {add}");
    }

    #[test]
    fn products_of_any_size_and_layout_are_exact_on_small_numbers() {
        let sizes =
            [(1, 1, 1), (14, 32, 256), (15, 33, 257), (3, 70, 19), (29, 8, 300), (2, 1030, 5), (16, 16, 16)];
        for (m, n, k) in sizes {
            for turned in [(false, false), (true, false), (false, true), (true, true)] {
                check(m, n, k, turned, false);
                check(m, n, k, turned, true);
            }
        }
        check(20, 40, 1024, (false, false), false);
    }
}
