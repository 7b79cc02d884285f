//! Convolutions of many groups with one feature each (depthwise), where groups lie side by side: groups are lanes of vectors.
//!
//! A sum goes by features, then by positions in row-major order: fused multiply-adds.

use super::{At, ConvolutionStep, Part, Spatial};
use crate::kernel::gemm::wide::masks;
use meshwright_runtime::Workers;
use std::arch::x86_64::*;
use std::ops::Range;

/// Vectors of sums at once.
const AT_ONCE: usize = 4;
/// Elements of a vector.
const LANES: usize = 16;

/// Whether groups lie side by side.
pub fn fits(step: &ConvolutionStep) -> bool {
    step.outer.0 == 1 && step.groups >= LANES / 2 && step.group_strides == [1; 3]
}

/// Positions at which a place sees the image.
fn seen(dim: &Spatial, place: usize) -> Range<usize> {
    let (from, apart) = (dim.pad_low - place as i64 * dim.step, dim.window_dilation);
    let until = |x: i64| if x <= 0 { 0 } else { usize::try_from((x - 1) / apart + 1).unwrap_or(0) };
    until(from).min(dim.window)..until(from + dim.input as i64).min(dim.window)
}

/// What a place sees: first elements, and how far apart rows and positions are.
struct Seen {
    image: *const f32,
    kernel: *const f32,
    inner: (usize, isize, isize),
    rows: (usize, isize, isize),
    positions: (usize, isize, isize),
}

pub fn run(step: &ConvolutionStep, part: &Part, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
    let rows = part.h.output;
    workers.each(step.batch.0 * rows, &|piece| {
        let (image, row) = ((piece / rows) as isize, piece % rows);
        let from = input.ptr().wrapping_offset(image * step.batch.1);
        let kernel = kernel.ptr().wrapping_offset(part.kernel);
        let to = to.ptr().wrapping_offset(image * step.batch.2 + part.output);
        let to = to.wrapping_offset(row as isize * part.h.output_stride);
        for place in 0..part.w.output {
            let seen = at_place(step, part, (row, place), (from, kernel));
            let to = to.wrapping_offset(place as isize * part.w.output_stride);
            // SAFETY: the CPU has AVX-512, or this would not be chosen; positions that are seen exist.
            unsafe { sums(&seen, step.groups, to) };
        }
    });
}

fn at_place(
    step: &ConvolutionStep,
    part: &Part,
    (row, place): (usize, usize),
    (mut image, mut kernel): (*const f32, *const f32),
) -> Seen {
    let mut along = |dim: &Spatial, place: usize| {
        let seen = seen(dim, place);
        let first = place as i64 * dim.step + seen.start as i64 * dim.window_dilation - dim.pad_low;
        image = image.wrapping_offset(first as isize * dim.input_stride);
        kernel = kernel.wrapping_offset(seen.start as isize * dim.kernel_stride);
        (seen.len(), dim.window_dilation as isize * dim.input_stride, dim.kernel_stride)
    };
    let (rows, positions) = (along(&part.h, row), along(&part.w, place));
    Seen { image, kernel, inner: step.inner, rows, positions }
}

/// # Safety
/// All that is seen exists; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
unsafe fn sums(seen: &Seen, groups: usize, to: *mut f32) {
    let wide = groups / (AT_ONCE * LANES) * AT_ONCE * LANES;
    // SAFETY: the caller's.
    unsafe {
        for lane in (0..wide).step_by(AT_ONCE * LANES) {
            block::<AT_ONCE>(seen, lane, !0, to);
        }
        for lane in (wide..groups).step_by(LANES) {
            block::<1>(seen, lane, masks(groups - lane).0, to);
        }
    }
}

/// # Safety
/// As [`sums`].
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn block<const V: usize>(seen: &Seen, lane: usize, mask: __mmask16, to: *mut f32) {
    let mut sums = [_mm512_setzero_ps(); V];
    let (image, kernel) = (seen.image.wrapping_add(lane), seen.kernel.wrapping_add(lane));
    for inner in 0..seen.inner.0 as isize {
        for row in 0..seen.rows.0 as isize {
            let mut a = image.wrapping_offset(inner * seen.inner.1 + row * seen.rows.1);
            let mut b = kernel.wrapping_offset(inner * seen.inner.2 + row * seen.rows.2);
            for _ in 0..seen.positions.0 {
                for (at, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: masked elements are not touched.
                    unsafe {
                        let x = _mm512_maskz_loadu_ps(mask, a.wrapping_add(at * LANES));
                        let y = _mm512_maskz_loadu_ps(mask, b.wrapping_add(at * LANES));
                        *sum = _mm512_fmadd_ps(x, y, *sum);
                    }
                }
                (a, b) = (a.wrapping_offset(seen.positions.1), b.wrapping_offset(seen.positions.2));
            }
        }
    }
    for (at, sum) in sums.iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_ps(to.wrapping_add(lane + at * LANES), mask, *sum) };
    }
}
