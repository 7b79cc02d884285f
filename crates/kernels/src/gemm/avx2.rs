//! Products of `f32` with AVX2: packing and 6 x 16 results in registers. How they are cut is said in `blocks`.

use super::blocks::{Kernel, LINE, apart};
use super::prefetch::Prefetches;
use super::sums::Rows;
use super::sums::avx2::{COLUMNS, ROWS, Sums, multiply_prefetching};
use super::{DEPTH, Strided, Target};
use std::arch::x86_64::*;

/// Elements of a vector.
const LANES: usize = 8;
/// Depths that are asked for before they are packed.
const SOON: isize = 8;
/// Depths of a panel that are packed before those of the next panel.
const TOGETHER: usize = 4;

/// 6 x 16 results in twelve registers. The CPU has AVX2 and FMA.
pub struct Avx2;

impl Kernel for Avx2 {
    const ROWS: usize = ROWS;
    const COLUMNS: usize = COLUMNS;
    const BLOCK: usize = 512;
    const PLACES: usize = LANES;
    const CLOSE: usize = 64;

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
        const APART: usize = DEPTH + LINE;
        for row in 0..count {
            let (from, to) = (a.at.wrapping_offset(row as isize * a.row), to.wrapping_add(row * APART));
            // SAFETY: the caller's.
            unsafe { std::ptr::copy_nonoverlapping(from, to, depth) };
        }
        Strided { at: to, row: APART as isize, column: 1 }
    }
}

/// One tile of results.
///
/// # Safety
/// As [`Kernel::tile`].
#[target_feature(enable = "avx2,fma")]
unsafe fn tile(
    rows: usize,
    columns: usize,
    a: Strided,
    prefetches: &mut Prefetches,
    panel: *const f32,
    depth: usize,
    c: Target,
) {
    // SAFETY: the caller's.
    unsafe {
        let sums = match rows {
            ROWS => {
                let rows = Rows { at: a.at, row: a.row, step: a.column };
                multiply_prefetching(rows, prefetches.all(panel), panel)
            }
            _ => {
                prefetches.now();
                match rows {
                    5 => few::<5>(a, panel, depth),
                    4 => few::<4>(a, panel, depth),
                    3 => few::<3>(a, panel, depth),
                    2 => few::<2>(a, panel, depth),
                    _ => few::<1>(a, panel, depth),
                }
            }
        };
        for (row, sums) in sums.iter().enumerate().take(rows) {
            put(c.at.offset(row as isize * c.row), columns, sums, c.add);
        }
    }
}

/// Sums of fewer rows than a tile has.
///
/// # Safety
/// The rows and the panel exist.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn few<const R: usize>(a: Strided, panel: *const f32, depth: usize) -> Sums {
    let mut found = [[_mm256_setzero_ps(); 2]; ROWS];
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    for k in 0..depth as isize {
        let panel = panel.wrapping_offset(k * COLUMNS as isize);
        // SAFETY: the caller's.
        unsafe {
            let line = [_mm256_load_ps(panel), _mm256_load_ps(panel.add(LANES))];
            for (row, sums) in sums.iter_mut().enumerate() {
                let x = _mm256_set1_ps(*a.at.offset(k * a.column + row as isize * a.row));
                *sums = [_mm256_fmadd_ps(x, line[0], sums[0]), _mm256_fmadd_ps(x, line[1], sums[1])];
            }
        }
    }
    found[..R].copy_from_slice(&sums);
    found
}

/// Store a row of a tile.
///
/// # Safety
/// So many columns exist.
#[target_feature(enable = "avx2")]
#[inline]
pub unsafe fn put(at: *mut f32, columns: usize, sums: &[__m256; 2], add: bool) {
    // SAFETY: the caller's.
    unsafe {
        if columns == COLUMNS {
            for (i, sum) in sums.iter().enumerate() {
                let at = at.add(i * LANES);
                let sum = if add { _mm256_add_ps(*sum, _mm256_loadu_ps(at)) } else { *sum };
                _mm256_storeu_ps(at, sum);
            }
            return;
        }
        let mut row = [0f32; COLUMNS];
        _mm256_storeu_ps(row.as_mut_ptr(), sums[0]);
        _mm256_storeu_ps(row.as_mut_ptr().add(LANES), sums[1]);
        for (i, sum) in row.iter().enumerate().take(columns) {
            let at = at.add(i);
            *at = if add { *sum + *at } else { *sum };
        }
    }
}

/// As [`Kernel::pack_panels`]. What lies side by side is read in long runs.
///
/// # Safety
/// The block of `b` exists; `to` has room for it.
#[target_feature(enable = "avx2")]
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
                    (1, _) if count == COLUMNS => side_by_side(from, b.row, together.min(depth - k), to),
                    (_, 1) if count == COLUMNS => {
                        transposed(from, b.column, depth, (to, COLUMNS));
                        transposed(from.offset(8 * b.column), b.column, depth, (to.add(LANES), COLUMNS));
                    }
                    _ => pack_any(Strided { at: from, ..b }, together.min(depth - k), count, to),
                }
            }
        }
    }
}

/// # Safety
/// As [`pack_panels`].
#[target_feature(enable = "avx2")]
unsafe fn side_by_side(from: *const f32, row: isize, depth: usize, to: *mut f32) {
    for k in 0..depth {
        let (from, to) = (from.wrapping_offset(k as isize * row), to.wrapping_add(k * COLUMNS));
        // SAFETY: the caller's; what is asked for need not exist.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(from.wrapping_offset(SOON * row).cast());
            _mm256_store_ps(to, _mm256_loadu_ps(from));
            _mm256_store_ps(to.add(LANES), _mm256_loadu_ps(from.add(LANES)));
        }
    }
}

/// Eight lines along memory, `line` apart, so that eight elements follow each other, `places` apart.
///
/// # Safety
/// The lines exist; there is room for them.
#[target_feature(enable = "avx2")]
unsafe fn transposed(from: *const f32, line: isize, depth: usize, (to, places): (*mut f32, usize)) {
    let whole = depth / LANES * LANES;
    // SAFETY: the caller's.
    unsafe {
        for k in (0..whole).step_by(LANES) {
            let mut block = [_mm256_setzero_ps(); LANES];
            for (i, row) in block.iter_mut().enumerate() {
                *row = _mm256_loadu_ps(from.offset(i as isize * line).add(k));
            }
            for (i, row) in transpose_8(block).iter().enumerate() {
                _mm256_store_ps(to.add((k + i) * places), *row);
            }
        }
        for k in whole..depth {
            for i in 0..LANES {
                *to.add(k * places + i) = *from.offset(i as isize * line).add(k);
            }
        }
    }
}

/// Transpose 8 x 8.
#[target_feature(enable = "avx2")]
#[inline]
fn transpose_8(x: [__m256; LANES]) -> [__m256; LANES] {
    let [a, b, c, d, e, f, g, h] = x;
    let quarter = |a: __m256, b: __m256, c: __m256, d: __m256| {
        let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (low2, high2) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(low, low2),
            _mm256_shuffle_ps::<0xee>(low, low2),
            _mm256_shuffle_ps::<0x44>(high, high2),
            _mm256_shuffle_ps::<0xee>(high, high2),
        ]
    };
    let (above, below) = (quarter(a, b, c, d), quarter(e, f, g, h));
    let mut found = [_mm256_setzero_ps(); LANES];
    for i in 0..4 {
        found[i] = _mm256_permute2f128_ps::<0x20>(above[i], below[i]);
        found[i + 4] = _mm256_permute2f128_ps::<0x31>(above[i], below[i]);
    }
    found
}

/// # Safety
/// As [`pack_panels`].
unsafe fn pack_any(b: Strided, depth: usize, count: usize, to: *mut f32) {
    for k in 0..depth {
        for i in 0..COLUMNS {
            // SAFETY: the caller's.
            unsafe {
                let x =
                    if i < count { *b.at.offset(k as isize * b.row + i as isize * b.column) } else { 0.0 };
                *to.add(k * COLUMNS + i) = x;
            }
        }
    }
}

/// As [`Kernel::pack_rows`]: rows by 6, 8 places apart. Rows that lie side by side are read in long runs.
///
/// # Safety
/// The rows exist; `to` has room for a group of panels.
#[target_feature(enable = "avx2")]
unsafe fn pack_rows(a: Strided, count: usize, depth: usize, to: *mut f32) {
    // SAFETY: the caller's.
    unsafe {
        if a.row == 1 {
            // Two more than are wanted, as long as they are there.
            let whole = (count + ROWS).saturating_sub(LANES) / ROWS * ROWS;
            let step = apart(LANES, depth);
            for k in 0..depth {
                let from = a.at.offset(k as isize * a.column);
                for line in (0..count).step_by(LINE) {
                    let soon = from.wrapping_offset(SOON * a.column).wrapping_add(line);
                    _mm_prefetch::<_MM_HINT_T0>(soon.cast());
                }
                let mut to = to.add(k * LANES);
                for row in (0..whole).step_by(ROWS) {
                    _mm256_storeu_ps(to, _mm256_loadu_ps(from.add(row)));
                    to = to.wrapping_add(step);
                }
                for row in (whole..count).step_by(ROWS) {
                    (0..ROWS.min(count - row)).for_each(|i| *to.add(i) = *from.add(row + i));
                    to = to.wrapping_add(step);
                }
            }
            return;
        }
        for row in (0..count).step_by(ROWS) {
            for k in 0..depth {
                for i in 0..ROWS.min(count - row) {
                    let from = a.at.offset((row + i) as isize * a.row + k as isize * a.column);
                    *to.add(row / ROWS * apart(LANES, depth) + k * LANES + i) = *from;
                }
            }
        }
    }
}

/// As [`super::transposed_rows`]: blocks of 8 x 8 in registers. What the block after the next reads and writes is asked
/// for before.
///
/// # Safety
/// All elements exist; the CPU has AVX2.
#[target_feature(enable = "avx2")]
pub unsafe fn transposed_rows(
    from: *const f32,
    step: isize,
    to: *mut f32,
    to_row: isize,
    (rows, columns): (usize, usize),
) {
    for column in (0..columns).step_by(LANES) {
        for row in (0..rows).step_by(LANES) {
            let from = from.wrapping_offset(column as isize * step).wrapping_add(row);
            let to = to.wrapping_offset(row as isize * to_row).wrapping_add(column);
            for line in 0..LANES as isize {
                _mm_prefetch::<_MM_HINT_T0>(from.wrapping_offset(line * step).wrapping_add(LINE).cast());
                _mm_prefetch::<_MM_HINT_T0>(to.wrapping_offset((line + LINE as isize) * to_row).cast());
            }
            let size = (LANES.min(rows - row), LANES.min(columns - column));
            // SAFETY: the caller's.
            unsafe { copy_transposed(from, step, to, to_row, size) };
        }
    }
}

/// Copy at most 8 x 8 elements transposed: element (i, j) of `from` goes to (j, i) of `to`, which has `rows` rows.
///
/// # Safety
/// All elements exist; the CPU has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn copy_transposed(
    from: *const f32,
    step: isize,
    to: *mut f32,
    to_row: isize,
    (rows, columns): (usize, usize),
) {
    // SAFETY: the caller's.
    unsafe {
        if (rows, columns) != (LANES, LANES) {
            for (i, j) in (0..columns as isize).flat_map(|i| (0..rows as isize).map(move |j| (i, j))) {
                *to.offset(j * to_row + i) = *from.offset(i * step + j);
            }
            return;
        }
        let mut block = [_mm256_setzero_ps(); LANES];
        for (i, line) in block.iter_mut().enumerate() {
            *line = _mm256_loadu_ps(from.offset(i as isize * step));
        }
        for (i, line) in transpose_8(block).iter().enumerate() {
            _mm256_storeu_ps(to.offset(i as isize * to_row), *line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_any_number_of_rows_and_columns_change_places() {
        if crate::isa::Isa::of_cpu() < crate::isa::Isa::Avx2 {
            return;
        }
        for (rows, columns) in [(1, 1), (8, 8), (7, 19), (24, 16), (33, 9)] {
            let from: Vec<f32> = (0..rows * columns).map(|x| x as f32).collect();
            let mut to = vec![-1f32; rows * columns];
            let (step, to_row) = (rows as isize, columns as isize);
            // SAFETY: the CPU has AVX2; sizes are those of the arrays.
            unsafe { transposed_rows(from.as_ptr(), step, to.as_mut_ptr(), to_row, (rows, columns)) };
            for (i, j) in (0..columns).flat_map(|i| (0..rows).map(move |j| (i, j))) {
                assert_eq!(to[j * columns + i], from[i * rows + j], "{rows} x {columns}");
            }
        }
    }
}
