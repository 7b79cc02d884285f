//! A band of a transposed copy: a few rows of the target that are written side by side, columns of its source.
//!
//! * elements of 4 bytes by blocks in registers, where the CPU has vectors for that (`gemm`);
//! * elements of 2 bytes by 8 x 8 in registers of x86-64, if rows are long;
//! * two to four rows whose source is dense (channels of a picture): each row takes every second to fourth element;
//! * others one by one, by blocks that stay in the first cache.

use crate::gemm::transposed_rows;

/// Rows of the target that are written side by side: two lines of the source.
pub const BAND: usize = 32;

/// Columns of few rows that are gone over together: the source is read from the first cache for all rows but one.
const CHUNK: usize = 512;

/// # Safety
/// All elements must exist.
pub unsafe fn band<T: Copy>(
    from: *const T,
    to: *mut T,
    steps: (isize, isize),
    (rows, columns): (usize, usize),
) {
    // SAFETY: the caller's; elements are copied as what they are.
    unsafe {
        match rows {
            2 if steps.0 == 2 => return few::<T, 2>(from, to, steps.1, columns),
            3 if steps.0 == 3 => return few::<T, 3>(from, to, steps.1, columns),
            4 if steps.0 == 4 => return few::<T, 4>(from, to, steps.1, columns),
            _ => {}
        }
        let size = (rows, columns);
        if size_of::<T>() == 4 && transposed_rows(from.cast(), steps.0, to.cast(), steps.1, size) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if size_of::<T>() == 2 && columns >= 2 * BAND {
            return halves(from.cast(), to.cast(), steps, size);
        }
        for column in (0..columns).step_by(BAND) {
            one_by_one(from, to, steps, 0..rows, column..(column + BAND).min(columns));
        }
    }
}

/// # Safety
/// All elements must exist.
#[inline(always)]
unsafe fn one_by_one<T: Copy>(
    from: *const T,
    to: *mut T,
    (step_a, step_b): (isize, isize),
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) {
    for row in rows {
        for column in columns.clone() {
            let (row, column) = (row as isize, column as isize);
            // SAFETY: the caller's.
            unsafe { *to.offset(row * step_b + column) = *from.offset(row + column * step_a) };
        }
    }
}

/// Each of `N` rows takes every `N`th element.
///
/// # Safety
/// All elements must exist.
unsafe fn few<T: Copy, const N: usize>(from: *const T, to: *mut T, step: isize, columns: usize) {
    // SAFETY: the caller's; the features are there.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx512() {
            return few_avx512::<T, N>(from, to, step, columns);
        }
        #[cfg(target_arch = "x86_64")]
        if crate::isa::avx2() {
            return few_avx2::<T, N>(from, to, step, columns);
        }
        few_any::<T, N>(from, to, step, columns);
    }
}

/// # Safety
/// As [`few`]; the CPU has AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn few_avx512<T: Copy, const N: usize>(from: *const T, to: *mut T, step: isize, columns: usize) {
    // SAFETY: the caller's.
    unsafe { few_any::<T, N>(from, to, step, columns) }
}

/// # Safety
/// As [`few`]; the CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn few_avx2<T: Copy, const N: usize>(from: *const T, to: *mut T, step: isize, columns: usize) {
    // SAFETY: the caller's.
    unsafe { few_any::<T, N>(from, to, step, columns) }
}

/// # Safety
/// As [`few`].
#[inline(always)]
unsafe fn few_any<T: Copy, const N: usize>(from: *const T, to: *mut T, step: isize, columns: usize) {
    for column in (0..columns).step_by(CHUNK) {
        let len = CHUNK.min(columns - column);
        // SAFETY: the caller's; what is read and what is written are two arrays.
        let source = unsafe { std::slice::from_raw_parts(from.cast::<[T; N]>().add(column), len) };
        for row in 0..N {
            let to = to.wrapping_offset(row as isize * step).wrapping_add(column);
            // SAFETY: as above.
            let to = unsafe { std::slice::from_raw_parts_mut(to, len) };
            to.iter_mut().zip(source).for_each(|(to, x)| *to = x[row]);
        }
    }
}

/// Elements of 2 bytes: blocks of 8 x 8 in registers, two beside each other in the target before those of the next
/// rows, as rows that lie whole pages apart drive each other from the first cache. What comes 32 columns later is asked
/// for.
///
/// # Safety
/// All elements must exist.
#[cfg(target_arch = "x86_64")]
unsafe fn halves(
    from: *const u16,
    to: *mut u16,
    (step_a, step_b): (isize, isize),
    (rows, columns): (usize, usize),
) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    const SIDE: usize = 8;
    let (whole_rows, whole_columns) = (rows / SIDE * SIDE, columns / SIDE * SIDE);
    for first in (0..whole_columns).step_by(2 * SIDE) {
        for later in (first + BAND..columns).take(2 * SIDE) {
            // SAFETY: every CPU of x86-64 has it; asking does nothing else.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_offset(later as isize * step_a).cast()) };
        }
        for row in (0..whole_rows).step_by(SIDE) {
            for column in (first..whole_columns.min(first + 2 * SIDE)).step_by(SIDE) {
                let from = from.wrapping_offset(column as isize * step_a).wrapping_add(row);
                let to = to.wrapping_offset(row as isize * step_b).wrapping_add(column);
                // SAFETY: the block exists.
                unsafe { block(from, to, (step_a, step_b)) };
            }
        }
    }
    // SAFETY: the caller's.
    unsafe {
        one_by_one(from, to, (step_a, step_b), whole_rows..rows, 0..columns);
        one_by_one(from, to, (step_a, step_b), 0..whole_rows, whole_columns..columns);
    }
}

/// 8 x 8 elements of 2 bytes.
///
/// # Safety
/// All elements must exist.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn block(from: *const u16, to: *mut u16, (step_a, step_b): (isize, isize)) {
    use std::arch::x86_64::*;
    // SAFETY: the caller's; every CPU of x86-64 has these instructions.
    unsafe {
        let [a, b, c, d, e, f, g, h]: [__m128i; 8] =
            std::array::from_fn(|i| _mm_loadu_si128(from.offset(i as isize * step_a).cast()));
        // Two columns side by side, then four, then all.
        let two = |x, y| [_mm_unpacklo_epi16(x, y), _mm_unpackhi_epi16(x, y)];
        let four = |[a, b]: [__m128i; 2], [c, d]: [__m128i; 2]| {
            let (low, high) = (_mm_unpacklo_epi32(a, c), _mm_unpackhi_epi32(a, c));
            [low, high, _mm_unpacklo_epi32(b, d), _mm_unpackhi_epi32(b, d)]
        };
        let (left, right) = (four(two(a, b), two(c, d)), four(two(e, f), two(g, h)));
        for (i, (left, right)) in left.into_iter().zip(right).enumerate() {
            let to = to.offset(2 * i as isize * step_b);
            _mm_storeu_si128(to.cast(), _mm_unpacklo_epi64(left, right));
            _mm_storeu_si128(to.offset(step_b).cast(), _mm_unpackhi_epi64(left, right));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy + PartialEq + std::fmt::Debug>(make: impl Fn(usize) -> T, nothing: T) {
        let sizes = [(1, 1), (2, 70), (3, 1030), (4, 515), (3, 2), (8, 8), (32, 64), (31, 75), (9, 100)];
        for (rows, columns) in sizes {
            for apart in [rows, rows + 5] {
                let from: Vec<T> = (0..columns * apart).map(&make).collect();
                let mut to = vec![nothing; rows * columns];
                let steps = (apart as isize, columns as isize);
                // SAFETY: sizes are those of the arrays.
                unsafe { band(from.as_ptr(), to.as_mut_ptr(), steps, (rows, columns)) };
                for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                    let wanted = from[column * apart + row];
                    assert_eq!(to[row * columns + column], wanted, "{rows} x {columns}, {apart} apart");
                }
            }
        }
    }

    #[test]
    fn elements_of_every_width_change_places() {
        check(|i| i as u8, 0);
        check(|i| i as u16, 0);
        check(|i| i as u32, 0);
        check(|i| i as u64, 0);
    }
}
