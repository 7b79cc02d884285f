//! Matrix products of `bf16` with `f32` sums, where the CPU multiplies pairs of `bf16` (AVX-512 BF16).
//!
//! The same blocks and tiles as [`super::gemm`]; what lies in a place is a pair of elements of neighbouring `k`. Products
//! are added in `f32`, blocks of 512 ascending. CPUs without the instruction widen operands first (`lower/dot.rs`).

use crate::kernel::gemm::Target;

/// A matrix of `bf16` by its first element and strides in elements.
#[derive(Clone, Copy, Debug)]
pub struct Strided16 {
    pub at: *const u16,
    pub row: isize,
    pub column: isize,
}

/// Whether this CPU has the instruction.
pub fn available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx512bf16") && std::arch::is_x86_feature_detected!("avx512bw")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// `c (+)= a * b`; columns of `c` lie side by side.
///
/// # Safety
/// [`available`], and as [`super::gemm::gemm`].
#[cfg(target_arch = "x86_64")]
pub unsafe fn gemm(m: usize, n: usize, k: usize, a: Strided16, b: Strided16, c: Target) {
    // SAFETY: the caller's.
    unsafe { pairs::gemm(m, n, k, a, b, c) }
}

/// Never called: nothing is [`available`].
///
/// # Safety
/// None.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn gemm(_: usize, _: usize, _: usize, _: Strided16, _: Strided16, _: Target) {}

#[cfg(target_arch = "x86_64")]
mod pairs {
    use super::{Strided16, Target};
    use crate::kernel::gemm::wide::{BLOCK, COLUMNS, GROUP, ROWS, masks, put, turn, with_scratch};
    use std::arch::x86_64::*;

    /// Pairs of `k` in a block.
    const DEPTH: usize = 256;

    /// # Safety
    /// As [`super::gemm`].
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    pub unsafe fn gemm(m: usize, n: usize, k: usize, a: Strided16, b: Strided16, c: Target) {
        with_scratch(|panels| {
            let panels = panels.cast::<u32>();
            let rows = panels.wrapping_add(BLOCK * DEPTH);
            for column in (0..n).step_by(BLOCK) {
                let width = BLOCK.min(n - column);
                for from in (0..k).step_by(2 * DEPTH) {
                    let depth = (2 * DEPTH).min(k - from);
                    // SAFETY: the block lies in the matrices, and packed it fits the scratch.
                    unsafe {
                        let at = b.at.offset(column as isize * b.column + from as isize * b.row);
                        let turned = Strided16 { at, row: b.column, column: b.row };
                        for panel in (0..width).step_by(COLUMNS) {
                            let count = COLUMNS.min(width - panel);
                            let at = turned.at.offset(panel as isize * turned.row);
                            let to = panels.add(panel * depth.div_ceil(2));
                            pack::<COLUMNS>(Strided16 { at, ..turned }, count, depth, to);
                        }
                        let at = a.at.offset(from as isize * a.column);
                        let target = Target { at: c.at.add(column), add: c.add || from > 0, ..c };
                        block(Strided16 { at, ..a }, (m, width, depth), panels, rows, target);
                    }
                }
            }
        });
    }

    /// # Safety
    /// As [`gemm()`].
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    unsafe fn block(
        a: Strided16,
        (m, n, depth): (usize, usize, usize),
        panels: *const u32,
        rows: *mut u32,
        c: Target,
    ) {
        let pairs = depth.div_ceil(2);
        for group in (0..m).step_by(ROWS * GROUP) {
            let until = (group + ROWS * GROUP).min(m);
            for row in (group..until).step_by(ROWS) {
                // SAFETY: the rows exist.
                unsafe {
                    let at = a.at.offset(row as isize * a.row);
                    let to = rows.add((row - group) / ROWS * 16 * pairs);
                    pack::<16>(Strided16 { at, ..a }, ROWS.min(m - row), depth, to);
                }
            }
            for row in (group..until).step_by(ROWS) {
                let count = ROWS.min(m - row);
                // SAFETY: as above.
                unsafe {
                    let piece = rows.add((row - group) / ROWS * 16 * pairs);
                    for column in (0..n).step_by(COLUMNS) {
                        let panel = panels.add(column * pairs);
                        let at = c.at.offset(row as isize * c.row).add(column);
                        tile(count, COLUMNS.min(n - column), piece, panel, pairs, Target { at, ..c });
                    }
                }
            }
        }
    }

    /// `count` rows of pairs side by side for each pair of `k`, `WIDE` places apart; what lacks is zero.
    ///
    /// # Safety
    /// The elements exist; `to` has room.
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn pack<const WIDE: usize>(x: Strided16, count: usize, depth: usize, to: *mut u32) {
        let whole = depth / 2;
        // SAFETY: the caller's.
        unsafe {
            let done = match (x.row, x.column) {
                (1, _) => pack_side_by_side::<WIDE>(x, count, whole, to),
                (_, 1) => pack_turned::<WIDE>(x, count, whole, to),
                _ => 0,
            };
            for pair in done..depth.div_ceil(2) {
                for i in 0..WIDE {
                    let element = |k: usize| match i < count && k < depth {
                        true => u32::from(*x.at.offset(i as isize * x.row + k as isize * x.column)),
                        false => 0,
                    };
                    *to.add(pair * WIDE + i) = element(2 * pair) | element(2 * pair + 1) << 16;
                }
            }
        }
    }

    /// Rows lie side by side: two lines of `k` are put together.
    ///
    /// # Safety
    /// As [`pack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn pack_side_by_side<const WIDE: usize>(
        x: Strided16,
        count: usize,
        pairs: usize,
        to: *mut u32,
    ) -> usize {
        let mask = if count >= 32 { u32::MAX } else { (1u32 << count) - 1 };
        for pair in 0..pairs {
            // SAFETY: masked elements are not touched.
            unsafe {
                let line =
                    |k: usize| _mm512_maskz_loadu_epi16(mask, x.at.offset(k as isize * x.column).cast());
                let (even, odd) = (line(2 * pair), line(2 * pair + 1));
                for half in 0..WIDE / 16 {
                    let of = |line: __m512i| match half {
                        0 => _mm512_cvtepu16_epi32(_mm512_castsi512_si256(line)),
                        _ => _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(line)),
                    };
                    let both = _mm512_or_si512(of(even), _mm512_slli_epi32::<16>(of(odd)));
                    _mm512_store_si512(to.add(pair * WIDE + half * 16).cast(), both);
                }
            }
        }
        pairs
    }

    /// Pairs lie side by side along `k`: blocks of 16 x 16 are turned in registers.
    ///
    /// # Safety
    /// As [`pack`].
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn pack_turned<const WIDE: usize>(
        x: Strided16,
        count: usize,
        pairs: usize,
        to: *mut u32,
    ) -> usize {
        let whole = pairs / 16 * 16;
        for half in 0..WIDE / 16 {
            for pair in (0..whole).step_by(16) {
                let mut block = [_mm512_setzero_ps(); 16];
                for (i, line) in block.iter_mut().enumerate() {
                    if half * 16 + i < count {
                        // SAFETY: the row exists.
                        *line = unsafe {
                            _mm512_loadu_ps(
                                x.at.offset((half * 16 + i) as isize * x.row).add(2 * pair).cast(),
                            )
                        };
                    }
                }
                turn(&mut block);
                for (i, line) in block.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { _mm512_store_ps(to.add((pair + i) * WIDE + half * 16).cast(), *line) };
                }
            }
        }
        whole
    }

    /// # Safety
    /// As [`gemm()`].
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    unsafe fn tile(rows: usize, columns: usize, a: *const u32, panel: *const u32, pairs: usize, c: Target) {
        macro_rules! by_rows {
            ($($rows:literal)*) => {
                match rows {
                    $($rows => kernel::<$rows>(columns, a, panel, pairs, c),)*
                    _ => {}
                }
            };
        }
        // SAFETY: the caller's.
        unsafe { by_rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14) }
    }

    /// # Safety
    /// As [`gemm()`].
    #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
    unsafe fn kernel<const R: usize>(
        columns: usize,
        mut a: *const u32,
        mut panel: *const u32,
        pairs: usize,
        c: Target,
    ) {
        // Loops over registers are not unrolled reliably.
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
        // SAFETY: the caller's; vectors of 16 pairs and of 32 halves are the same bits.
        unsafe {
            for _ in 0..pairs {
                let x = [_mm512_load_si512(panel.cast()), _mm512_load_si512(panel.add(16).cast())];
                let x = x.map(|x| std::mem::transmute::<__m512i, __m512bh>(x));
                macro_rules! multiply {
                    ($row:literal) => {
                        let y =
                            std::mem::transmute::<__m512i, __m512bh>(_mm512_set1_epi32(*a.add($row) as i32));
                        sums[$row][0] = _mm512_dpbf16_ps(sums[$row][0], y, x[0]);
                        sums[$row][1] = _mm512_dpbf16_ps(sums[$row][1], y, x[1]);
                    };
                }
                each_row!(multiply);
                a = a.add(16);
                panel = panel.add(COLUMNS);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::bf16;

    fn check(m: usize, n: usize, k: usize, turned: (bool, bool)) {
        let numbers = |count: usize, seed: usize| -> Vec<f32> {
            (0..count).map(|i| ((i * 7 + seed) % 5) as f32 - 2.0).collect()
        };
        let narrow = |x: &[f32]| -> Vec<u16> { x.iter().map(|x| bf16::from_f32(*x).to_bits()).collect() };
        let strides = |turned: bool, rows: usize, columns: usize| {
            if turned { (1, rows as isize) } else { (columns as isize, 1) }
        };
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 3));
        let ((ar, ac), (br, bc)) = (strides(turned.0, m, k), strides(turned.1, k, n));
        let mut c = vec![0f32; m * n];
        let (a16, b16) = (narrow(&a), narrow(&b));
        let left = Strided16 { at: a16.as_ptr(), row: ar, column: ac };
        let right = Strided16 { at: b16.as_ptr(), row: br, column: bc };
        let target = Target { at: c.as_mut_ptr(), row: n as isize, column: 1, add: false };
        // SAFETY: sizes are those of the arrays.
        unsafe { gemm(m, n, k, left, right, target) };
        for row in 0..m {
            for column in 0..n {
                let at = |i: usize, r: isize, j: usize, s: isize| (i as isize * r + j as isize * s) as usize;
                let sum: f32 = (0..k).map(|i| a[at(row, ar, i, ac)] * b[at(i, br, column, bc)]).sum();
                assert_eq!(c[row * n + column], sum, "{m}x{k}x{n} {turned:?} at {row}, {column}");
            }
        }
    }

    #[test]
    fn products_of_pairs_are_exact_on_small_numbers() {
        if !available() {
            return;
        }
        for (m, n, k) in [(1, 1, 1), (14, 32, 512), (15, 33, 515), (3, 70, 19), (29, 8, 1100), (2, 1030, 6)] {
            for turned in [(false, false), (true, false), (false, true), (true, true)] {
                check(m, n, k, turned);
            }
        }
    }
}
