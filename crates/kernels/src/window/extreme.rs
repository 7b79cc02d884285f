//! The largest or smallest of what windows see, of `f32` and `bf16`, with AVX-512.
//!
//! Written out, as a maximum that minds zeros and what is no number has too many branches for a compiler: which lanes
//! saw what is no number is kept beside the extremes.

use super::Lines;
use crate::gemm::avx512::masks;
use std::arch::x86_64::*;

/// Elements of a vector, and vectors at once.
const LANES: usize = 16;
const AT_ONCE: usize = 4;

/// Which extreme (5: the largest, 4: the smallest), of what, starting from what.
#[derive(Clone, Copy)]
pub struct Extreme {
    pub how: i32,
    pub narrow: bool,
    pub init: f32,
}

/// One line of results; no window moves over the last dim.
///
/// # Safety
/// What is seen exists; nobody else touches the line; the CPU has AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub unsafe fn line(lines: &Lines<'_>, outer: &[isize], (from, to): (*const u8, *mut u8), extreme: Extreme) {
    // SAFETY: the caller's.
    unsafe {
        match (extreme.how, extreme.narrow) {
            (5, false) => typed::<5, false>(lines, outer, (from, to), extreme.init),
            (5, true) => typed::<5, true>(lines, outer, (from, to), extreme.init),
            (_, false) => typed::<4, false>(lines, outer, (from, to), extreme.init),
            (_, true) => typed::<4, true>(lines, outer, (from, to), extreme.init),
        }
    }
}

/// # Safety
/// As [`line()`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn typed<const HOW: i32, const NARROW: bool>(
    lines: &Lines<'_>,
    outer: &[isize],
    (from, to): (*const u8, *mut u8),
    init: f32,
) {
    let count = lines.inner.output;
    let width = if NARROW { 2 } else { 4 };
    let wide = count / (AT_ONCE * LANES) * AT_ONCE * LANES;
    for (place, across) in lines.across.iter().enumerate() {
        let to = to.wrapping_add(place * count * width);
        let at = |lane: usize| (from.wrapping_add(lane * width), to.wrapping_add(lane * width));
        // SAFETY: the caller's.
        unsafe {
            for lane in (0..wide).step_by(AT_ONCE * LANES) {
                block::<HOW, NARROW, AT_ONCE>((outer, across), at(lane), init, !0);
            }
            for lane in (wide..count).step_by(LANES) {
                block::<HOW, NARROW, 1>((outer, across), at(lane), init, masks(count - lane).0);
            }
        }
    }
}

/// # Safety
/// As [`line()`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn block<const HOW: i32, const NARROW: bool, const V: usize>(
    (outer, across): (&[isize], &[isize]),
    (from, to): (*const u8, *mut u8),
    init: f32,
    mask: __mmask16,
) {
    let init = _mm512_set1_ps(init);
    let mut found = [init; V];
    let mut broken = [_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(init, init); V];
    let width = if NARROW { 2 } else { 4 };
    for first in outer {
        for second in across {
            let from = from.wrapping_offset((first + second) * width);
            for (at, (found, broken)) in found.iter_mut().zip(&mut broken).enumerate() {
                // SAFETY: masked elements are not touched.
                let x = unsafe { load::<NARROW>(from.wrapping_offset((at * LANES) as isize * width), mask) };
                *broken |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
                *found = _mm512_range_ps::<HOW>(*found, x);
            }
        }
    }
    for (at, (found, broken)) in found.iter().zip(&broken).enumerate() {
        let to = to.wrapping_offset((at * LANES) as isize * width);
        let found = _mm512_mask_mov_ps(*found, *broken, _mm512_set1_ps(f32::NAN));
        // SAFETY: as above.
        unsafe { store::<NARROW>(to, mask, found) };
    }
}

/// # Safety
/// The elements of the mask exist.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn load<const NARROW: bool>(from: *const u8, mask: __mmask16) -> __m512 {
    // SAFETY: the caller's.
    unsafe {
        if !NARROW {
            return _mm512_maskz_loadu_ps(mask, from.cast());
        }
        let bits = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from.cast()));
        _mm512_castsi512_ps(_mm512_slli_epi32::<16>(bits))
    }
}

/// An extreme of numbers of `bf16` is one of them.
///
/// # Safety
/// As [`load`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn store<const NARROW: bool>(to: *mut u8, mask: __mmask16, x: __m512) {
    // SAFETY: the caller's.
    unsafe {
        if !NARROW {
            return _mm512_mask_storeu_ps(to.cast(), mask, x);
        }
        let bits = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_castps_si512(x)));
        _mm256_mask_storeu_epi16(to.cast(), mask, bits);
    }
}
