//! 6 x 16 results, and vectors of 8 lanes. The CPU has AVX2 and FMA.

use super::{Kernel, OnVectors, Vector};
use crate::gemm::avx2::{pack_panels, put};
use crate::gemm::sums::Segments;
use crate::gemm::sums::avx2::{COLUMNS, ROWS, multiply};
use crate::gemm::{Strided, Target};
use std::arch::x86_64::*;

pub struct Avx2;

impl Kernel for Avx2 {
    type Vector = Eight;
    const COLUMNS: usize = COLUMNS;

    /// Tiles of about the same height: five rows and four take as long as their multiplications, one takes as long as
    /// four.
    fn rows(left: usize) -> usize {
        left.div_ceil(left.div_ceil(ROWS).max(1))
    }

    unsafe fn tile(size: (usize, usize), a: Segments<'_>, panel: *const f32, c: Target) {
        /// # Safety
        /// As [`Kernel::tile`]; `R` rows of results exist.
        #[target_feature(enable = "avx2,fma")]
        unsafe fn tile<const R: usize>(columns: usize, a: Segments<'_>, panel: *const f32, c: Target) {
            // SAFETY: the caller's.
            unsafe {
                let sums = multiply::<R>(a, panel);
                for (row, sums) in sums.iter().enumerate().take(R) {
                    put(c.at.wrapping_offset(row as isize * c.row), columns, sums, c.add);
                }
            }
        }
        let (rows, columns) = size;
        // SAFETY: the caller's.
        unsafe {
            match rows {
                1 => tile::<1>(columns, a, panel, c),
                2 => tile::<2>(columns, a, panel, c),
                3 => tile::<3>(columns, a, panel, c),
                4 => tile::<4>(columns, a, panel, c),
                5 => tile::<5>(columns, a, panel, c),
                _ => tile::<ROWS>(columns, a, panel, c),
            }
        }
    }

    unsafe fn pack(b: Strided, depth: usize, columns: usize, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe { pack_panels(b, depth, columns, to) };
    }

    unsafe fn on_vectors(work: &impl OnVectors) {
        /// # Safety
        /// As [`Kernel::on_vectors`].
        #[target_feature(enable = "avx2,fma")]
        unsafe fn run(work: &impl OnVectors) {
            // SAFETY: the caller's.
            unsafe { work.run::<Eight>() }
        }
        // SAFETY: the caller's.
        unsafe { run(work) }
    }
}

/// Eight numbers.
#[derive(Clone, Copy)]
pub struct Eight(__m256);

/// The first lanes, and how many: stores by a mask take long on some CPUs.
#[derive(Clone, Copy)]
pub struct First {
    count: usize,
    mask: __m256i,
}

impl Vector for Eight {
    const LANES: usize = 8;
    const SUMS: usize = 12;
    type First = First;
    type Order = __m256i;

    #[inline(always)]
    fn first(count: usize) -> First {
        let mut mask = [0i32; 8];
        mask.iter_mut().take(count).for_each(|lane| *lane = -1);
        // SAFETY: 8 numbers of 4 bytes.
        First { count, mask: unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) } }
    }

    #[inline(always)]
    fn order(from: impl Fn(usize) -> usize) -> __m256i {
        let mut lanes = [0i32; 8];
        for (lane, to) in lanes.iter_mut().enumerate() {
            *to = from(lane) as i32;
        }
        // SAFETY: as above.
        unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn zero() -> Eight {
        // SAFETY: the CPU has AVX2, or nobody would make one; so in all that follow.
        Eight(unsafe { _mm256_setzero_ps() })
    }

    #[inline(always)]
    unsafe fn load(at: *const f32) -> Eight {
        // SAFETY: the caller's.
        Eight(unsafe { _mm256_loadu_ps(at) })
    }

    #[inline(always)]
    unsafe fn load_first(at: *const f32, first: First) -> Eight {
        // SAFETY: masked elements are not touched.
        Eight(unsafe { _mm256_maskload_ps(at, first.mask) })
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut f32) {
        // SAFETY: the caller's.
        unsafe { _mm256_storeu_ps(at, self.0) }
    }

    #[inline(always)]
    unsafe fn store_first(self, mut at: *mut f32, first: First) {
        // SAFETY: of the lanes that exist, by fours, a pair and one.
        unsafe {
            if first.count >= 8 {
                return _mm256_storeu_ps(at, self.0);
            }
            let mut left = _mm256_castps256_ps128(self.0);
            if first.count & 4 != 0 {
                _mm_storeu_ps(at, left);
                (left, at) = (_mm256_extractf128_ps::<1>(self.0), at.add(4));
            }
            if first.count & 2 != 0 {
                _mm_storel_pd(at.cast(), _mm_castps_pd(left));
                (left, at) = (_mm_movehl_ps(left, left), at.add(2));
            }
            if first.count & 1 != 0 {
                _mm_store_ss(at, left);
            }
        }
    }

    #[inline(always)]
    fn taken(self, order: __m256i) -> Eight {
        // SAFETY: the CPU has it.
        Eight(unsafe { _mm256_permutevar8x32_ps(self.0, order) })
    }

    #[inline(always)]
    fn fused(self, x: Eight, y: Eight) -> Eight {
        // SAFETY: the CPU has it.
        Eight(unsafe { _mm256_fmadd_ps(x.0, y.0, self.0) })
    }

    #[inline(always)]
    fn plus(self, x: Eight) -> Eight {
        // SAFETY: the CPU has it.
        Eight(unsafe { _mm256_add_ps(self.0, x.0) })
    }
}
