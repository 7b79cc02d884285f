//! Convolutions with more positions of the window than places, as gradients of kernels are: sums over positions.
//!
//! ```text
//! for each group, for rows of places, features by 32 (a piece):
//!     for each feature that is summed over, for rows of the window, some at a time:
//!         copy the rows of the image they see into a padded band; pack the window's rows
//!         for (place in a row, image) by 14:                14 x 32 sums, kept in the first cache, over these positions
//! ```
//!
//! Places in a row are as far apart as channels of a band, so (place, image) are rows of one matrix that overlaps itself, with
//! no copy of the image for each place. Where features are few, rows of places are computed together: the same rows of the
//! image, the window's rows packed once for each row of places, a row later each time.
//!
//! A sum goes by features, then by rows of the window, as many at a time as have 512 positions: fused multiply-adds among
//! these, then added.

use super::band::{self, Channels, Lines};
use super::{At, ConvolutionStep, Part};
use crate::kernel::gemm::sums::{COLUMNS, ROWS, Segments, multiply};
use crate::kernel::gemm::{SCRATCH, with_scratch};
use meshwright_runtime::Workers;
use std::arch::x86_64::*;

/// Positions of the window that are added at once, about.
const DEPTH: usize = 512;
/// Elements of a tile of sums.
const TILE: usize = ROWS * COLUMNS;

/// How the work is cut.
pub struct Windows<'a> {
    step: &'a ConvolutionStep,
    part: &'a Part,
    /// Columns of sums of a piece.
    panels: Vec<Panel>,
    /// Rows of the window at a time.
    rows: usize,
    /// Columns of the band.
    columns: usize,
}

/// Columns of sums: rows of places, so far apart, by features.
#[derive(Clone, Copy)]
struct Panel {
    place: usize,
    places: usize,
    apart: usize,
    first: usize,
    features: usize,
}

impl<'a> Windows<'a> {
    /// `None` if places are not one element apart, or what is packed does not fit a worker's scratch.
    pub fn of(step: &'a ConvolutionStep, part: &'a Part) -> Option<Windows<'a>> {
        let (h, w) = (&part.h, &part.w);
        if h.step != 1 || w.step != 1 || w.window == 0 || h.window == 0 || step.inner.0 == 0 {
            return None;
        }
        let rows = (DEPTH / w.window).clamp(1, h.window);
        let plan = Windows { step, part, panels: panels(step, part)?, rows, columns: band::columns(w) };
        let floats = plan.band_len().checked_add(plan.panel_len())?.checked_add(plan.sums_len())?;
        (floats.checked_mul(4)? <= SCRATCH).then_some(plan)
    }

    /// Rows of sums: (place in a row, image).
    fn lines(&self) -> usize {
        self.part.w.output * self.step.batch.0
    }

    fn sums_len(&self) -> usize {
        self.lines().div_ceil(ROWS).saturating_mul(TILE)
    }

    fn panel_len(&self) -> usize {
        self.rows.saturating_mul(self.part.w.window).saturating_mul(COLUMNS)
    }

    /// Elements of a band, and 14 more that the last rows see.
    fn band_len(&self) -> usize {
        let len = self.rows.saturating_mul(self.columns).saturating_mul(self.step.batch.0);
        len.saturating_add(ROWS).next_multiple_of(16)
    }

    pub fn run(&self, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let step = self.step;
        workers.each(step.groups * self.panels.len(), &|piece| {
            let (input, kernel, to) = (input.ptr(), kernel.ptr(), to.ptr());
            let (group, panel) =
                ((piece / self.panels.len()) as isize, self.panels[piece % self.panels.len()]);
            let [a, b, c] = step.group_strides;
            let from = input.wrapping_offset(group * a);
            let kernel = kernel.wrapping_offset(group * b + self.part.kernel);
            let to = to.wrapping_offset(group * c + self.part.output);
            // SAFETY: the CPU has AVX-512, or there would be no such plan; the panel's results belong to the piece alone,
            // and what it packs fits the scratch.
            with_scratch(|scratch| unsafe { self.piece(panel, from, kernel, to, scratch) });
        });
    }

    /// # Safety
    /// As [`super::ConvolutionStep::run`]; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    unsafe fn piece(
        &self,
        panel: Panel,
        from: *const f32,
        kernel: *const f32,
        to: *mut f32,
        scratch: *mut f32,
    ) {
        let sums = scratch.wrapping_add(self.band_len() + self.panel_len());
        // SAFETY: the caller's.
        unsafe {
            self.sum(panel, from, kernel, scratch);
            let all = std::slice::from_raw_parts(sums, self.sums_len());
            if panel.places == 1 || !all.iter().any(|sum| sum.is_nan()) {
                return self.bring(panel, sums, to);
            }
            // What is packed as zero for one of the rows makes what is no number of an infinity: each row by itself.
            for row in 0..panel.places {
                let alone = Panel { place: panel.place + row * panel.apart, places: 1, ..panel };
                self.sum(alone, from, kernel, scratch);
                self.bring(alone, sums, to);
            }
        }
    }

    /// The sums of a panel.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn sum(&self, panel: Panel, from: *const f32, kernel: *const f32, scratch: *mut f32) {
        let packed = scratch.wrapping_add(self.band_len());
        let sums = packed.wrapping_add(self.panel_len());
        let inner = self.step.inner;
        // SAFETY: the caller's.
        unsafe {
            sums.write_bytes(0, self.sums_len());
            for feature in 0..inner.0 as isize {
                let from = from.wrapping_offset(feature * inner.1);
                let kernel = kernel.wrapping_offset(feature * inner.2);
                // Rows of places that are later by one see the window's row before.
                let all = self.part.h.window + panel.places - 1;
                for row in (0..all).step_by(self.rows) {
                    let rows = self.rows.min(all - row);
                    self.copy(panel, row, rows, from, scratch);
                    self.pack(panel, row, rows, kernel, packed);
                    self.add(rows, scratch, packed, sums);
                }
            }
        }
    }

    /// The rows of the image that so many rows of the window see.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn copy(&self, panel: Panel, row: usize, rows: usize, from: *const f32, to: *mut f32) {
        let (h, w, batch) = (&self.part.h, &self.part.w, self.step.batch);
        let first = panel.place as i64 + row as i64 * h.window_dilation - h.pad_low;
        let lines = Lines { first, count: rows, apart: h.window_dilation };
        let channels = Channels { count: batch.0, stride: batch.1 };
        // SAFETY: the caller's.
        unsafe {
            band::copy(from, (h, w), channels, lines, to);
            to.add(rows * self.columns * batch.0).write_bytes(0, ROWS);
        }
    }

    /// Rows of the window: a line of 32 for each position.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn pack(&self, panel: Panel, row: usize, rows: usize, kernel: *const f32, to: *mut f32) {
        let (h, w, outer) = (&self.part.h, &self.part.w, self.step.outer);
        let kernel = kernel.wrapping_offset(panel.first as isize * outer.1);
        let whole = panel.places * panel.features == COLUMNS;
        for at in row..row + rows {
            let to = to.wrapping_add((at - row) * w.window * COLUMNS);
            if !(whole && at + 1 >= panel.places && at < h.window) {
                // SAFETY: the caller's; the lines are part of the panel.
                unsafe { to.write_bytes(0, w.window * COLUMNS) };
            }
            for place in 0..panel.places.min(at + 1) {
                if at - place >= h.window {
                    continue;
                }
                let from = kernel.wrapping_offset((at - place) as isize * h.kernel_stride);
                let (to, strides) = (to.wrapping_add(place * panel.features), (w.kernel_stride, outer.1));
                // SAFETY: the caller's.
                unsafe { band::copy_runs(from, strides, (w.window, panel.features), to) };
            }
        }
    }

    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn add(&self, rows: usize, band: *const f32, packed: *const f32, sums: *mut f32) {
        let (w, count) = (&self.part.w, self.step.batch.0);
        let starts: Vec<isize> = (0..rows).map(|row| (4 * row * self.columns * count) as isize).collect();
        let step = w.window_dilation as isize * count as isize;
        for strip in 0..self.lines().div_ceil(ROWS) {
            let at = band.wrapping_add(strip * ROWS);
            let segments = Segments { at, starts: &starts, depth: w.window, row: 1, step };
            // SAFETY: the caller's; 14 rows lie in the band and what was cleared beyond it.
            unsafe {
                let found = multiply(segments, packed);
                for (line, found) in found.iter().enumerate() {
                    let at = sums.add(strip * TILE + line * COLUMNS);
                    _mm512_store_ps(at, _mm512_add_ps(_mm512_load_ps(at), found[0]));
                    let at = at.add(16);
                    _mm512_store_ps(at, _mm512_add_ps(_mm512_load_ps(at), found[1]));
                }
            }
        }
    }

    /// # Safety
    /// As [`Self::piece`].
    unsafe fn bring(&self, panel: Panel, sums: *const f32, to: *mut f32) {
        let (h, w, batch, outer) = (&self.part.h, &self.part.w, self.step.batch, self.step.outer);
        for line in 0..self.lines() {
            let (place, image) = ((line / batch.0) as isize, (line % batch.0) as isize);
            let to = to.wrapping_offset(place * w.output_stride + image * batch.2);
            for column in 0..panel.places * panel.features {
                let row = panel.place + column / panel.features * panel.apart;
                let feature = (panel.first + column % panel.features) as isize;
                // SAFETY: the caller's.
                unsafe {
                    let sum = *sums.add(line * COLUMNS + column);
                    *to.offset(row as isize * h.output_stride + feature * outer.2) = sum;
                }
            }
        }
    }
}

/// Rows of places that may be computed together are as far apart as positions of the window.
fn panels(step: &ConvolutionStep, part: &Part) -> Option<Vec<Panel>> {
    let (h, outer) = (&part.h, step.outer.0);
    let apart = usize::try_from(h.window_dilation).ok()?.max(1);
    let together = (COLUMNS / outer.max(1)).max(1);
    let mut all = Vec::new();
    for residue in 0..apart.min(h.output) {
        let places: Vec<usize> = (residue..h.output).step_by(apart).collect();
        for chunk in places.chunks(together) {
            for first in (0..outer).step_by(COLUMNS) {
                let features = COLUMNS.min(outer - first);
                all.push(Panel { place: chunk[0], places: chunk.len(), apart, first, features });
            }
        }
    }
    Some(all)
}
