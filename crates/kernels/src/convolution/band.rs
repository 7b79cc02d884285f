//! Bands of padded images: a few rows, copied so that whatever a window sees lies at constant strides.
//!
//! ```text
//! band[row][column][channel]        zero where the image ends
//! ```
//!
//! One copy of what is read serves all places of the window, so nothing is unrolled, and no loop asks where the image
//! ends.

use super::Spatial;
use super::kernel::{Kernel, OnVectors, Vector, ask_to_read};

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
/// The image exists; the band has room.
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

/// Lines of a few elements (two vectors at most), so many apart, that go to lines of a panel.
#[derive(Clone, Copy)]
pub struct Runs {
    pub from: *const f32,
    /// Elements from line to line, and from element to element.
    pub apart: isize,
    pub stride: isize,
    pub lines: usize,
    pub count: usize,
    pub to: *mut f32,
    /// Elements from line to line of the panel.
    pub pitch: usize,
}

impl Runs {
    /// # Safety
    /// The elements exist, and there is room for them; the CPU has what `K` needs.
    pub unsafe fn copy<K: Kernel>(self) {
        // SAFETY: the caller's.
        unsafe {
            if self.stride == 1 {
                return K::on_vectors(&self);
            }
            for line in 0..self.lines {
                let from = self.from.wrapping_offset(line as isize * self.apart);
                let to = self.to.wrapping_add(line * self.pitch);
                (0..self.count).for_each(|i| *to.add(i) = *from.offset(i as isize * self.stride));
            }
        }
    }
}

impl OnVectors for Runs {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        // SAFETY: who made this says so.
        unsafe {
            match (self.count / V::LANES, self.count % V::LANES) {
                (0, _) => self.lines::<V, 0, true>(),
                (1, 0) => self.lines::<V, 1, false>(),
                (1, _) => self.lines::<V, 1, true>(),
                _ => self.lines::<V, 2, false>(),
            }
        }
    }
}

impl Runs {
    /// Lines of so many vectors and a rest.
    ///
    /// # Safety
    /// As [`Runs::copy`].
    #[inline(always)]
    unsafe fn lines<V: Vector, const WHOLE: usize, const REST: bool>(&self) {
        debug_assert!(self.count <= 2 * V::LANES);
        let rest = V::first(self.count % V::LANES);
        let (mut from, mut to) = (self.from, self.to);
        for _ in 0..self.lines {
            let soon = from.wrapping_offset(SOON * self.apart);
            ask_to_read(soon);
            ask_to_read(soon.wrapping_add(16));
            // SAFETY: the caller's.
            unsafe {
                for vector in 0..WHOLE {
                    V::load(from.add(vector * V::LANES)).store(to.add(vector * V::LANES));
                }
                if REST {
                    let at = WHOLE * V::LANES;
                    V::load_first(from.add(at), rest).store_first(to.add(at), rest);
                }
            }
            (from, to) = (from.wrapping_offset(self.apart), to.wrapping_add(self.pitch));
        }
    }
}
