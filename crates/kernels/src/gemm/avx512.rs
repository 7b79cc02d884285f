//! Products of `f32` with AVX-512: packing and 14 x 32 results in registers. How they are cut is said in `blocks`.

use super::blocks::{Kernel, LINE, apart};
use super::prefetch::Prefetches;
use super::sums::Rows;
use super::sums::avx512::{COLUMNS, ROWS, multiply_prefetching};
use super::{DEPTH, Strided, Target};
use std::arch::x86_64::*;

/// Depths that are asked for before they are packed.
const SOON: isize = 8;
/// Depths of a panel that are packed before those of the next panel.
const TOGETHER: usize = 4;

/// 14 x 32 results in 28 registers. The CPU has AVX-512.
pub struct Avx512;

impl Kernel for Avx512 {
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const BLOCK: usize = 1024;
    const PLACES: usize = 16;
    const CLOSE: usize = 256;

    unsafe fn tile(
        (rows, columns): (usize, usize),
        a: Strided,
        prefetches: &mut Prefetches,
        panel: *const f32,
        depth: usize,
        c: Target,
    ) {
        // SAFETY: the caller's.
        unsafe { tile(rows, columns, a, prefetches, panel, depth, c) };
    }

    unsafe fn pack_panels(b: Strided, depth: usize, width: usize, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe { pack_panels(b, depth, width, to) };
    }

    unsafe fn pack_rows(a: Strided, count: usize, depth: usize, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe { pack_rows(a, count, depth, to) };
    }

    unsafe fn copy_rows(a: Strided, count: usize, depth: usize, to: *mut f32) -> Strided {
        // SAFETY: the caller's.
        unsafe { copy_rows(a, count, depth, to) }
    }
}

/// Rows along memory, copied to where they do not fall on the same sets.
///
/// # Safety
/// The rows exist; `to` has room for 14 of them and a line each.
#[target_feature(enable = "avx512f")]
unsafe fn copy_rows(a: Strided, count: usize, depth: usize, to: *mut f32) -> Strided {
    const APART: usize = DEPTH + LINE;
    for row in 0..count {
        let (from, to) = (a.at.wrapping_offset(row as isize * a.row), to.wrapping_add(row * APART));
        for k in (0..depth).step_by(LINE) {
            let (mask, _) = masks(depth - k);
            // SAFETY: masked elements are not touched.
            unsafe { _mm512_store_ps(to.add(k), _mm512_maskz_loadu_ps(mask, from.wrapping_add(k))) };
        }
    }
    Strided { at: to, row: APART as isize, column: 1 }
}

/// Columns by 32, each panel by `k`; what lacks to 32 is zero. What lies side by side is read in long runs.
///
/// # Safety
/// The block of `b` exists; `to` has room for it.
#[target_feature(enable = "avx512f")]
pub unsafe fn pack_panels(b: Strided, depth: usize, width: usize, to: *mut f32) {
    let together = if b.column == 1 { TOGETHER } else { depth.max(1) };
    for k in (0..depth).step_by(together) {
        for column in (0..width).step_by(COLUMNS) {
            let count = COLUMNS.min(width - column);
            // SAFETY: the caller's.
            unsafe {
                let from = b.at.offset(column as isize * b.column + k as isize * b.row);
                let to = to.add(column * depth + k * COLUMNS);
                match (b.column, b.row) {
                    (1, _) => pack_side_by_side(from, b.row, together.min(depth - k), count, to),
                    (_, 1) if count == COLUMNS => pack_transposed(from, b.column, depth, to),
                    _ => pack_any(from, b, depth, count, to),
                }
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
            let soon = from.wrapping_offset(SOON * row);
            _mm_prefetch::<_MM_HINT_T0>(soon.cast());
            _mm_prefetch::<_MM_HINT_T0>(soon.wrapping_add(LINE).cast());
            _mm512_store_ps(to, _mm512_maskz_loadu_ps(first, from));
            _mm512_store_ps(to.add(16), _mm512_maskz_loadu_ps(second, from.wrapping_add(16)));
        }
    }
}

/// Columns that lie along memory: blocks of 16 x 16 are transposed in registers.
///
/// # Safety
/// As [`pack_panels`]; there are 32 columns.
#[target_feature(enable = "avx512f")]
unsafe fn pack_transposed(from: *const f32, column: isize, depth: usize, to: *mut f32) {
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
                transpose_16(&mut block);
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
                let x =
                    if i < count { *from.offset(k as isize * b.row + i as isize * b.column) } else { 0.0 };
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
                    let soon = from.wrapping_offset(SOON * a.column).wrapping_add(row);
                    _mm_prefetch::<_MM_HINT_T0>(soon.cast());
                    let line = _mm512_maskz_loadu_ps(mask, from.add(row));
                    _mm512_store_ps(to.add(row / ROWS * apart(16, depth) + k * 16), line);
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
                to.add(row / ROWS * apart(16, depth)),
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
            transpose_16(&mut block);
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

/// As [`super::transposed_rows`]: blocks of 16 x 16 in registers. What the next blocks read and write is asked for
/// before.
///
/// # Safety
/// All elements exist; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
pub unsafe fn transposed_rows(
    from: *const f32,
    step: isize,
    to: *mut f32,
    to_row: isize,
    (rows, columns): (usize, usize),
) {
    for column in (0..columns).step_by(LINE) {
        for row in (0..rows).step_by(LINE) {
            let from = from.wrapping_offset(column as isize * step).wrapping_add(row);
            let to = to.wrapping_offset(row as isize * to_row).wrapping_add(column);
            for line in 0..LINE as isize {
                _mm_prefetch::<_MM_HINT_T0>(from.wrapping_offset((line + LINE as isize) * step).cast());
                _mm_prefetch::<_MM_HINT_ET0>(to.wrapping_offset(line * to_row).wrapping_add(LINE).cast());
            }
            let size = (LINE.min(rows - row), LINE.min(columns - column));
            // SAFETY: the caller's.
            unsafe { copy_transposed(from, step, to, to_row, size) };
        }
    }
}

/// Copy at most 16 x 16 elements transposed: element (i, j) of `from` goes to (j, i) of `to`, which has `rows` rows.
///
/// # Safety
/// All elements exist; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
unsafe fn copy_transposed(
    from: *const f32,
    step: isize,
    to: *mut f32,
    to_row: isize,
    (rows, columns): (usize, usize),
) {
    let (down, across) = (masks(rows).0, masks(columns).0);
    let mut block = [_mm512_setzero_ps(); LINE];
    for (i, line) in block.iter_mut().enumerate().take(columns) {
        // SAFETY: masked elements are not touched.
        *line = unsafe { _mm512_maskz_loadu_ps(down, from.offset(i as isize * step)) };
    }
    transpose_16(&mut block);
    for (i, line) in block.iter().enumerate().take(rows) {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_ps(to.offset(i as isize * to_row), across, *line) };
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
pub fn transpose_16(x: &mut [__m512; 16]) {
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
/// As [`Kernel::tile`].
#[target_feature(enable = "avx512f")]
unsafe fn tile(
    rows: usize,
    columns: usize,
    a: Strided,
    prefetches: &mut Prefetches,
    panel: *const f32,
    depth: usize,
    c: Target,
) {
    macro_rules! by_rows {
        ($($rows:literal)*) => {
            match rows {
                $($rows => kernel::<$rows>(columns, a, prefetches, panel, depth, c),)*
                _ => {}
            }
        };
    }
    // SAFETY: the caller's.
    unsafe { by_rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14) }
}

/// # Safety
/// As [`Kernel::tile`].
#[target_feature(enable = "avx512f")]
unsafe fn kernel<const R: usize>(
    columns: usize,
    a: Strided,
    prefetches: &mut Prefetches,
    panel: *const f32,
    depth: usize,
    c: Target,
) {
    /// Write something once for each row there is: loops over registers are not unrolled reliably.
    macro_rules! each_row {
        ($do:ident) => {
            each_row!($do 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
        };
        ($do:ident $($row:literal)*) => {
            $(if $row < R {
                $do!($row);
            })*
        };
    }
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    // SAFETY: the caller's.
    unsafe {
        if R == ROWS {
            let rows = Rows { at: a.at, row: a.row, step: a.column };
            sums = multiply_prefetching(rows, prefetches.all(panel), panel);
        } else {
            prefetches.now();
            for k in 0..depth as isize {
                let panel = panel.offset(k * COLUMNS as isize);
                let x = [_mm512_load_ps(panel), _mm512_load_ps(panel.add(16))];
                macro_rules! multiply {
                    ($row:literal) => {
                        let y = _mm512_set1_ps(*a.at.offset(k * a.column + $row * a.row));
                        sums[$row][0] = _mm512_fmadd_ps(y, x[0], sums[$row][0]);
                        sums[$row][1] = _mm512_fmadd_ps(y, x[1], sums[$row][1]);
                    };
                }
                each_row!(multiply);
            }
        }
        let (first, second) = masks(columns);
        macro_rules! store {
            ($row:literal) => {
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
