//! Bands of padded images: a few rows, copied so that whatever a window sees lies at constant strides.
//!
//! ```text
//! band[row][column][channel]        zero where the image ends
//! ```
//!
//! One copy of what is read serves all places of the window, so nothing is unrolled, and no loop asks where the image
//! ends.

use super::Spatial;
use crate::gemm::avx512::masks;
use crate::gemm::sums::COLUMNS;
use std::arch::x86_64::*;

/// Lines that are asked for before they are copied.
const SOON: isize = 8;

/// Channels of an image: how many, and how far apart.
#[derive(Clone, Copy, Debug)]
pub struct Channels {
    pub count: usize,
    pub stride: isize,
}

/// Rows of an image: the first, how many, and the distance.
#[derive(Clone, Copy, Debug)]
pub struct Lines {
    pub first: i64,
    pub count: usize,
    pub apart: i64,
}

/// Columns of a band: all that some place sees at some position of the window.
pub fn columns(w: &Spatial) -> usize {
    let span = |count: usize, apart: i64| count.saturating_sub(1) * usize::try_from(apart).unwrap_or(0);
    span(w.output, w.step) + span(w.window, w.window_dilation) + 1
}

/// Copy rows of an image into a band.
///
/// # Safety
/// The image exists; the band has room; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
pub unsafe fn copy(
    image: *const f32,
    (h, w): (&Spatial, &Spatial),
    channels: Channels,
    lines: Lines,
    to: *mut f32,
) {
    let (columns, count) = (columns(w), channels.count);
    let before = usize::try_from(w.pad_low).unwrap_or(0).min(columns);
    let skipped = usize::try_from(-w.pad_low).unwrap_or(0);
    let here = w.input.saturating_sub(skipped).min(columns - before);
    for line in 0..lines.count {
        let to = to.wrapping_add(line * columns * count);
        let y = lines.first + line as i64 * lines.apart;
        let inside = y >= 0 && y < h.input as i64;
        let here = if inside { here } else { 0 };
        let from = image.wrapping_offset(y as isize * h.input_stride + skipped as isize * w.input_stride);
        // SAFETY: the caller's; `before + here` columns are at most all.
        unsafe {
            to.write_bytes(0, before * count);
            copy_line(from, w.input_stride, channels, here, to.add(before * count));
            let done = (before + here) * count;
            to.add(done).write_bytes(0, columns * count - done);
        }
    }
}

/// # Safety
/// As [`copy`].
unsafe fn copy_line(from: *const f32, apart: isize, channels: Channels, columns: usize, to: *mut f32) {
    let Channels { count, stride } = channels;
    // SAFETY: the caller's.
    unsafe {
        if stride == 1 && apart == count as isize {
            return to.copy_from_nonoverlapping(from, columns * count);
        }
        for column in 0..columns {
            let (from, to) = (from.offset(column as isize * apart), to.add(column * count));
            match stride {
                1 => to.copy_from_nonoverlapping(from, count),
                _ => (0..count).for_each(|i| *to.add(i) = *from.offset(i as isize * stride)),
            }
        }
    }
}

/// Lines of at most 32 elements, so many apart, to lines of a panel.
///
/// # Safety
/// The elements exist; the CPU has AVX-512.
#[target_feature(enable = "avx512f")]
pub unsafe fn copy_runs(
    from: *const f32,
    (apart, stride): (isize, isize),
    (lines, count): (usize, usize),
    to: *mut f32,
) {
    let (low, high) = masks(count);
    for line in 0..lines {
        let from = from.wrapping_offset(line as isize * apart);
        let to = to.wrapping_add(line * COLUMNS);
        // SAFETY: masked elements are not touched.
        unsafe {
            if stride != 1 {
                (0..count).for_each(|i| *to.add(i) = *from.offset(i as isize * stride));
                continue;
            }
            let soon = from.wrapping_offset(SOON * apart);
            _mm_prefetch::<_MM_HINT_T0>(soon.cast());
            _mm_prefetch::<_MM_HINT_T0>(soon.wrapping_add(16).cast());
            _mm512_mask_storeu_ps(to, low, _mm512_maskz_loadu_ps(low, from));
            if count > 16 {
                let (from, to) = (from.wrapping_add(16), to.wrapping_add(16));
                _mm512_mask_storeu_ps(to, high, _mm512_maskz_loadu_ps(high, from));
            }
        }
    }
}
