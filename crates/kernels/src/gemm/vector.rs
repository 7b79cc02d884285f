//! Products of one row, or of one column: the matrix is read once and as it lies.
//!
//! ```text
//! results side by side in memory:  for results by 512, for k by 8:   sums in the first cache += 8 rows of the matrix
//! k side by side in memory:        for results by 32, for k by 16:   blocks of 8 x 8 transposed in registers
//! ```
//!
//! Packing pays by being read by many rows; here it would be most of the time. Each result is added up in the order of
//! all products of `f32` (the parent's), so it has their bits.

use super::{DEPTH, Strided, Target};
use std::arch::x86_64::*;

/// Results whose sums are kept in the first cache.
const CHUNK: usize = 512;
/// Rows of the matrix that are added to them at once.
const AT_ONCE: usize = 8;
/// Results that lie in the lanes of a vector, and vectors of them at once.
const LANES: usize = 8;
const VECTORS: usize = 4;
/// Products in a result up to which the next results' are asked for: so short, the CPU does not ask for them itself.
const SHORT: usize = 512;

/// `to[j] (+)= sum over k of x[k] * matrix[k, j]`.
#[derive(Clone, Copy)]
struct Work {
    /// Of the vector: its first element and how far they are apart.
    x: (*const f32, isize),
    /// Rows go along `k`.
    matrix: Strided,
    to: (*mut f32, isize),
    add: bool,
    /// Results, and products in each.
    size: (usize, usize),
}

/// Multiply, if there is one row or one column and a matrix that lies well.
///
/// # Safety
/// As [`super::gemm`]; the CPU has AVX2 and FMA.
pub unsafe fn run((m, n, k): super::Size, a: Strided, b: Strided, c: Target) -> bool {
    let work = if m == 1 {
        Work { x: (a.at, a.column), matrix: b, to: (c.at, c.column), add: c.add, size: (n, k) }
    } else if n == 1 {
        let matrix = Strided { row: a.column, column: a.row, ..a };
        Work { x: (b.at, b.row), matrix, to: (c.at, c.row), add: c.add, size: (m, k) }
    } else {
        return false;
    };
    // SAFETY: the caller's; the features are there.
    unsafe {
        match (work.matrix.column, work.matrix.row) {
            (1, _) if crate::isa::avx512() => work.by_rows_avx512(),
            (1, _) => work.by_rows_avx2(),
            (_, 1) => work.by_columns(),
            _ => return false,
        }
    }
    true
}

impl Work {
    /// # Safety
    /// As [`run`]; the CPU has AVX-512.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    unsafe fn by_rows_avx512(self) {
        // SAFETY: the caller's.
        unsafe { self.by_rows() }
    }

    /// # Safety
    /// As [`run`].
    #[target_feature(enable = "avx2,fma")]
    unsafe fn by_rows_avx2(self) {
        // SAFETY: the caller's.
        unsafe { self.by_rows() }
    }

    /// The elements of the vector that a block of `k` is multiplied by.
    ///
    /// # Safety
    /// As [`run`].
    #[inline(always)]
    unsafe fn factors(&self, from: usize, depth: usize) -> [f32; DEPTH] {
        let mut factors = [0.0; DEPTH];
        let x = self.x.0.wrapping_offset(from as isize * self.x.1);
        // SAFETY: the caller's.
        unsafe {
            if self.x.1 == 1 {
                std::ptr::copy_nonoverlapping(x, factors.as_mut_ptr(), depth);
            } else {
                for (k, factor) in factors.iter_mut().enumerate().take(depth) {
                    *factor = *x.offset(k as isize * self.x.1);
                }
            }
        }
        factors
    }

    /// Put sums of a block of `k` where results are, from one on.
    ///
    /// # Safety
    /// As [`run`].
    #[inline(always)]
    unsafe fn put(&self, at: usize, sums: &[f32], add: bool) {
        for (j, sum) in sums.iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let to = self.to.0.offset((at + j) as isize * self.to.1);
                *to = if add { *sum + *to } else { *sum };
            }
        }
    }

    /// Results lie side by side in the matrix.
    ///
    /// # Safety
    /// As [`run`].
    #[inline(always)]
    unsafe fn by_rows(self) {
        let (count, k) = self.size;
        for first in (0..count).step_by(CHUNK) {
            let len = CHUNK.min(count - first);
            for from in (0..k).step_by(DEPTH) {
                let depth = DEPTH.min(k - from);
                let mut sums = [0.0; CHUNK];
                let sums = &mut sums[..len];
                // SAFETY: so many elements of the vector and rows of the matrix exist.
                unsafe {
                    let factors = self.factors(from, depth);
                    let at = first as isize + from as isize * self.matrix.row;
                    let rows = Strided { at: self.matrix.at.wrapping_offset(at), ..self.matrix };
                    add_rows(sums, &factors[..depth], rows);
                    self.put(first, sums, self.add || from > 0);
                }
            }
        }
    }

    /// Products of one result lie side by side in the matrix.
    ///
    /// # Safety
    /// As [`run`].
    #[target_feature(enable = "avx2,fma")]
    unsafe fn by_columns(self) {
        let count = self.size.0;
        let many = count / (VECTORS * LANES) * (VECTORS * LANES);
        // SAFETY: so many results exist.
        unsafe {
            for first in (0..many).step_by(VECTORS * LANES) {
                self.group::<VECTORS>(first);
            }
            let whole = count / LANES * LANES;
            for first in (many..whole).step_by(LANES) {
                self.group::<1>(first);
            }
            if whole < count {
                self.few(whole, count - whole);
            }
        }
    }

    /// A few vectors of results.
    ///
    /// # Safety
    /// As [`run`]; so many results exist.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    unsafe fn group<const V: usize>(self, first: usize) {
        let (k, apart) = (self.size.1, self.matrix.column);
        let columns = self.matrix.at.wrapping_offset(first as isize * apart);
        let ahead = if k <= SHORT { (V * LANES) as isize * apart } else { 0 };
        for from in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - from);
            let mut sums = [[0.0; LANES]; V];
            // SAFETY: so many products of each result exist.
            unsafe {
                let factors = self.factors(from, depth);
                add_columns(&mut sums, &factors[..depth], columns.add(from), (apart, ahead));
                self.put(first, sums.as_flattened(), self.add || from > 0);
            }
        }
    }

    /// Fewer results than a vector has.
    ///
    /// # Safety
    /// As [`run`]; so many results exist.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    unsafe fn few(self, first: usize, count: usize) {
        let (k, apart) = (self.size.1, self.matrix.column);
        let columns = self.matrix.at.wrapping_offset(first as isize * apart);
        for from in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - from);
            let mut sums = [0.0f32; LANES];
            let sums = &mut sums[..count];
            // SAFETY: so many products of each result exist.
            unsafe {
                let factors = self.factors(from, depth);
                add_rest(sums, &factors[..depth], columns.add(from), apart);
                self.put(first, sums, self.add || from > 0);
            }
        }
    }
}

/// Add rows of the matrix, each times its factor, to sums; several at once, so that sums are read and written less
/// often.
///
/// # Safety
/// As many elements of each row exist as there are sums.
#[inline(always)]
unsafe fn add_rows(sums: &mut [f32], factors: &[f32], rows: Strided) {
    let len = sums.len();
    let row = |k: usize| {
        let at = rows.at.wrapping_offset(k as isize * rows.row);
        // SAFETY: the caller's.
        unsafe { std::slice::from_raw_parts(at, len) }
    };
    let (chunks, rest) = factors.as_chunks::<AT_ONCE>();
    for (chunk, factors) in chunks.iter().enumerate() {
        let rows: [&[f32]; AT_ONCE] = std::array::from_fn(|i| row(chunk * AT_ONCE + i));
        for (j, sum) in sums.iter_mut().enumerate() {
            // SAFETY: rows are as long as sums.
            let of = |row: &[f32]| unsafe { *row.get_unchecked(j) };
            *sum = rows.iter().zip(factors).fold(*sum, |sum, (row, x)| x.mul_add(of(row), sum));
        }
    }
    for (i, x) in rest.iter().enumerate() {
        let row = row(chunks.len() * AT_ONCE + i);
        sums.iter_mut().zip(row).for_each(|(sum, y)| *sum = x.mul_add(*y, *sum));
    }
}

/// Add the products of a block of `k` of columns that lie `apart`; what lies so many elements ahead is asked for.
///
/// # Safety
/// As many elements of each column exist as there are factors; the CPU has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn add_columns<const V: usize>(
    sums: &mut [[f32; LANES]; V],
    factors: &[f32],
    columns: *const f32,
    (apart, ahead): (isize, isize),
) {
    let mut found = [_mm256_setzero_ps(); V];
    let whole = factors.len() / LANES * LANES;
    // Two blocks of a column before the next column: a line of the cache.
    for pair in (0..whole).step_by(2 * LANES) {
        for (v, found) in found.iter_mut().enumerate() {
            let block = columns.wrapping_add(pair).wrapping_offset((v * LANES) as isize * apart);
            if ahead != 0 {
                for column in 0..LANES as isize {
                    _mm_prefetch::<_MM_HINT_T0>(block.wrapping_offset(ahead + column * apart).cast());
                }
            }
            // SAFETY: the caller's.
            unsafe {
                *found = add_block(*found, factors.as_ptr().add(pair), block, apart);
                if pair + LANES < whole {
                    let factors = factors.as_ptr().add(pair + LANES);
                    *found = add_block(*found, factors, block.add(LANES), apart);
                }
            }
        }
    }
    for (sums, found) in sums.iter_mut().zip(found) {
        // SAFETY: there is room for a vector.
        unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), found) };
    }
    // SAFETY: the caller's.
    unsafe { add_rest(sums.as_flattened_mut(), &factors[whole..], columns.wrapping_add(whole), apart) };
}

/// Add products of columns, one by one.
///
/// # Safety
/// As [`add_columns`].
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn add_rest(sums: &mut [f32], factors: &[f32], columns: *const f32, apart: isize) {
    for (k, x) in factors.iter().enumerate() {
        for (column, sum) in sums.iter_mut().enumerate() {
            // SAFETY: the caller's.
            *sum = x.mul_add(unsafe { *columns.add(k).offset(column as isize * apart) }, *sum);
        }
    }
}

/// Add the products of eight elements of each column.
///
/// # Safety
/// They and their factors exist; the CPU has AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn add_block(sum: __m256, factors: *const f32, columns: *const f32, apart: isize) -> __m256 {
    // SAFETY: the caller's.
    unsafe {
        let sum = add_half(sum, factors, columns, apart);
        add_half(sum, factors.add(LANES / 2), columns.add(LANES / 2), apart)
    }
}

/// The same of four elements: eight columns of four become four vectors.
///
/// # Safety
/// As [`add_block`].
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn add_half(sum: __m256, factors: *const f32, columns: *const f32, apart: isize) -> __m256 {
    // SAFETY: the caller's.
    let [a, b, c, d] = unsafe {
        let others = columns.offset(4 * apart);
        [
            both(columns, others),
            both(columns.offset(apart), others.offset(apart)),
            both(columns.offset(2 * apart), others.offset(2 * apart)),
            both(columns.offset(3 * apart), others.offset(3 * apart)),
        ]
    };
    let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
    let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
    // SAFETY: the caller's.
    let [first, second, third, fourth] = unsafe {
        [
            _mm256_set1_ps(*factors),
            _mm256_set1_ps(*factors.add(1)),
            _mm256_set1_ps(*factors.add(2)),
            _mm256_set1_ps(*factors.add(3)),
        ]
    };
    let sum = _mm256_fmadd_ps(first, _mm256_shuffle_ps::<0x44>(ab, cd), sum);
    let sum = _mm256_fmadd_ps(second, _mm256_shuffle_ps::<0xee>(ab, cd), sum);
    let sum = _mm256_fmadd_ps(third, _mm256_shuffle_ps::<0x44>(ab_high, cd_high), sum);
    _mm256_fmadd_ps(fourth, _mm256_shuffle_ps::<0xee>(ab_high, cd_high), sum)
}

/// Four elements of one column, and of another.
///
/// # Safety
/// They exist; the CPU has AVX2.
#[target_feature(enable = "avx2,fma")]
#[inline]
unsafe fn both(low: *const f32, high: *const f32) -> __m256 {
    // SAFETY: the caller's.
    unsafe {
        let low = _mm256_castps128_ps256(_mm_loadu_ps(low));
        _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(high))
    }
}
