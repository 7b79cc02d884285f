//! 14 x 32 results, and vectors of 16 lanes. The CPU has AVX-512.

use super::{Kernel, OnVectors, Vector};
use crate::gemm::avx512::{masks, pack_panels, put};
use crate::gemm::sums::Segments;
use crate::gemm::sums::avx512::{COLUMNS, ROWS, multiply};
use crate::gemm::{Strided, Target};
use std::arch::x86_64::*;

pub struct Avx512;

impl Kernel for Avx512 {
    type Vector = Sixteen;
    const COLUMNS: usize = COLUMNS;

    fn rows(left: usize) -> usize {
        left.min(ROWS)
    }

    unsafe fn tile(size: (usize, usize), a: Segments<'_>, panel: *const f32, c: Target) {
        /// # Safety
        /// As [`Kernel::tile`].
        #[target_feature(enable = "avx512f")]
        unsafe fn tile<const R: usize>(
            (rows, columns): (usize, usize),
            a: Segments<'_>,
            panel: *const f32,
            c: Target,
        ) {
            let (low, high) = masks(columns);
            // SAFETY: the caller's; masked elements are not touched.
            unsafe {
                let sums = multiply::<R>(a, panel);
                for (row, sums) in sums.iter().enumerate().take(rows) {
                    let to = c.at.wrapping_offset(row as isize * c.row);
                    put(to, low, sums[0], c.add);
                    put(to.wrapping_add(16), high, sums[1], c.add);
                }
            }
        }
        // SAFETY: the caller's.
        unsafe {
            match size.0 {
                0..=7 => tile::<7>(size, a, panel, c),
                _ => tile::<ROWS>(size, a, panel, c),
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
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
        unsafe fn run(work: &impl OnVectors) {
            // SAFETY: the caller's.
            unsafe { work.run::<Sixteen>() }
        }
        // SAFETY: the caller's.
        unsafe { run(work) }
    }
}

/// Sixteen numbers.
#[derive(Clone, Copy)]
pub struct Sixteen(__m512);

impl Vector for Sixteen {
    const LANES: usize = 16;
    const SUMS: usize = 16;
    type First = __mmask16;
    type Order = __m512i;

    #[inline(always)]
    fn first(count: usize) -> __mmask16 {
        masks(count).0
    }

    #[inline(always)]
    fn order(from: impl Fn(usize) -> usize) -> __m512i {
        let mut lanes = [0i32; 16];
        for (lane, to) in lanes.iter_mut().enumerate() {
            *to = from(lane) as i32;
        }
        // SAFETY: 16 numbers of 4 bytes.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn zero() -> Sixteen {
        // SAFETY: the CPU has it.
        Sixteen(unsafe { _mm512_setzero_ps() })
    }

    #[inline(always)]
    unsafe fn load(at: *const f32) -> Sixteen {
        // SAFETY: the caller's.
        Sixteen(unsafe { _mm512_loadu_ps(at) })
    }

    #[inline(always)]
    unsafe fn load_first(at: *const f32, first: __mmask16) -> Sixteen {
        // SAFETY: masked elements are not touched.
        Sixteen(unsafe { _mm512_maskz_loadu_ps(first, at) })
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut f32) {
        // SAFETY: the caller's.
        unsafe { _mm512_storeu_ps(at, self.0) }
    }

    #[inline(always)]
    unsafe fn store_first(self, at: *mut f32, first: __mmask16) {
        // SAFETY: masked elements are not touched.
        unsafe { _mm512_mask_storeu_ps(at, first, self.0) }
    }

    #[inline(always)]
    fn taken(self, order: __m512i) -> Sixteen {
        // SAFETY: the CPU has it.
        Sixteen(unsafe { _mm512_permutexvar_ps(order, self.0) })
    }

    #[inline(always)]
    fn fused(self, x: Sixteen, y: Sixteen) -> Sixteen {
        // SAFETY: the CPU has it.
        Sixteen(unsafe { _mm512_fmadd_ps(x.0, y.0, self.0) })
    }

    #[inline(always)]
    fn plus(self, x: Sixteen) -> Sixteen {
        // SAFETY: the CPU has it.
        Sixteen(unsafe { _mm512_add_ps(self.0, x.0) })
    }
}
