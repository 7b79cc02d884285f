//! Convolutions with more places than positions of the window: products of places by window times features.
//!
//! ```text
//! for each group, image, band of rows of the result (a piece):  copy the rows it sees into a padded band
//!     for features by 32:                                       pack the kernel, all positions
//!         for rows, for places by 14:                           14 x 32 results: one sum over positions and features
//! ```
//!
//! Positions along a row of the band lie side by side, so that few channels make long sums. Where features are few, several
//! rows of the result are computed together: the kernel is packed once for each, a row lower each time. So are parts of a
//! convolution of a dilated image: they see the same band, each at some of the positions.
//! Positions are added in row-major order, fused multiply-adds, features innermost.

use super::band::{self, Channels, Lines};
use super::{At, ConvolutionStep, Part, Spatial};
use crate::kernel::gemm::sums::{COLUMNS, ROWS, Segments, Sums, multiply};
use crate::kernel::gemm::wide::{masks, put};
use crate::kernel::gemm::{SCRATCH, with_scratch};
use meshwright_runtime::Workers;
use std::arch::x86_64::*;

/// Flops of a piece, about.
const PIECE: usize = 1 << 27;

/// How the work is cut.
pub struct Places<'a> {
    step: &'a ConvolutionStep,
    /// The places and positions of all parts.
    part: Part,
    /// Parts that are computed together.
    parts: &'a [Part],
    /// Rows of the result that are computed together.
    fold: usize,
    /// Rows of the result of a piece.
    rows: usize,
    /// Rows of the band that rows computed together see, relative to the first.
    seen: Vec<usize>,
    /// Columns of the band.
    columns: usize,
}

impl<'a> Places<'a> {
    /// `None` if a band does not fit a worker's scratch, or results of several parts not 32 columns.
    pub fn of(step: &'a ConvolutionStep, parts: &'a [Part]) -> Option<Places<'a>> {
        let part = around(parts)?;
        let (h, w) = (&part.h, &part.w);
        if parts.len() > 1 && parts.len() * step.outer.0 > COLUMNS {
            return None;
        }
        let fold = (COLUMNS / (parts.len() * step.outer.0).max(1)).clamp(1, h.output.max(1));
        let (apart, dilation) = (usize::try_from(h.step).ok()?, usize::try_from(h.window_dilation).ok()?);
        let mut seen: Vec<usize> =
            (0..fold).flat_map(|row| (0..h.window).map(move |at| row * apart + at * dilation)).collect();
        seen.sort_unstable();
        seen.dedup();
        let row = 2 * w.output * h.window * w.window * step.inner.0 * step.outer.0 * parts.len();
        let (output, columns) = (h.output, band::columns(w));
        let wanted = (PIECE / row.max(1)).clamp(1, output.max(1)).next_multiple_of(fold);
        let mut plan = Places { step, part, parts, fold, rows: fold, seen, columns };
        while plan.rows < wanted && plan.fits(plan.rows + fold) {
            plan.rows += fold;
        }
        // Bands of about the same height.
        let bands = output.div_ceil(plan.rows).max(1);
        plan.rows = output.div_ceil(bands).next_multiple_of(fold).max(fold);
        plan.fits(plan.rows).then_some(plan)
    }

    fn fits(&self, rows: usize) -> bool {
        let floats = self.band_len(rows).checked_add(self.panel_len());
        floats.and_then(|floats| floats.checked_mul(4)).is_some_and(|bytes| bytes <= SCRATCH)
    }

    /// Rows of the band of so many rows of the result.
    fn lines(&self, rows: usize) -> usize {
        (rows - self.fold) * self.part.h.step as usize + self.seen.last().map_or(0, |last| last + 1)
    }

    /// Elements of a band, and of what the last 14 places see beyond its end.
    fn band_len(&self, rows: usize) -> usize {
        let inner = self.step.inner.0;
        let len = self.lines(rows).saturating_mul(self.columns).saturating_mul(inner);
        len.saturating_add(self.beyond()).next_multiple_of(16)
    }

    fn beyond(&self) -> usize {
        ROWS.saturating_mul(self.part.w.step as usize).saturating_mul(self.step.inner.0)
    }

    fn panel_len(&self) -> usize {
        let depth = self.part.w.window.saturating_mul(self.step.inner.0);
        self.seen.len().saturating_mul(depth).saturating_mul(COLUMNS)
    }

    pub fn run(&self, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let step = self.step;
        let bands = self.part.h.output.div_ceil(self.rows);
        workers.each(step.groups * step.batch.0 * bands, &|piece| {
            let (input, kernel, to) = (input.ptr(), kernel.ptr(), to.ptr());
            let (group, image, band) = (
                (piece / bands / step.batch.0) as isize,
                (piece / bands % step.batch.0) as isize,
                piece % bands,
            );
            let [a, b, c] = step.group_strides;
            let from = input.wrapping_offset(group * a + image * step.batch.1);
            let kernel = kernel.wrapping_offset(group * b);
            let to = to.wrapping_offset(group * c + image * step.batch.2);
            // SAFETY: the CPU has AVX-512, or there would be no such plan; the piece's rows belong to it alone, and what
            // it packs fits the scratch.
            with_scratch(|scratch| unsafe { self.piece(band * self.rows, from, kernel, to, scratch) });
        });
    }

    /// # Safety
    /// As [`super::ConvolutionStep::run`]; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    unsafe fn piece(
        &self,
        row: usize,
        from: *const f32,
        kernel: *const f32,
        to: *mut f32,
        scratch: *mut f32,
    ) {
        let (h, w, inner) = (&self.part.h, &self.part.w, self.step.inner);
        let rows = self.rows.min(h.output - row);
        let lines = self.lines(rows.next_multiple_of(self.fold));
        let lines = Lines { first: row as i64 * h.step - h.pad_low, count: lines, apart: 1 };
        let channels = Channels { count: inner.0, stride: inner.1 };
        let panel = scratch.wrapping_add(self.band_len(self.rows));
        let starts = self.starts();
        // SAFETY: the caller's.
        unsafe {
            band::copy(from, (h, w), channels, lines, scratch);
            scratch.add(lines.count * self.columns * inner.0).write_bytes(0, self.beyond());
            for first in (0..self.step.outer.0).step_by(COLUMNS) {
                let features = COLUMNS.min(self.step.outer.0 - first);
                self.pack(kernel, first, features, panel);
                for at in (0..rows).step_by(self.fold) {
                    let line = scratch.add(at * h.step as usize * self.columns * inner.0);
                    let target = Target { row: row + at, first, features };
                    self.row(line, &starts, panel, target, to);
                }
            }
        }
    }

    /// Where runs of the band begin, in bytes from a place, and how long they are.
    fn starts(&self) -> (Vec<isize>, usize) {
        let (w, inner) = (&self.part.w, self.step.inner.0);
        let line = |seen: &usize| (4 * seen * self.columns * inner) as isize;
        if w.window_dilation == 1 {
            return (self.seen.iter().map(line).collect(), w.window * inner);
        }
        let position = |at: usize| (4 * at * w.window_dilation as usize * inner) as isize;
        let all = |seen: &usize| {
            let line = line(seen);
            (0..w.window).map(move |at| line + position(at)).collect::<Vec<_>>()
        };
        (self.seen.iter().flat_map(all).collect(), inner)
    }

    /// The kernel of some features: a line of 32 for each element that is seen.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn pack(&self, kernel: *const f32, first: usize, features: usize, panel: *mut f32) {
        let (h, w, inner, outer) = (&self.part.h, &self.part.w, self.step.inner, self.step.outer);
        let mut lines = panel;
        for seen in &self.seen {
            for at in 0..w.window {
                // SAFETY: the caller's; a panel has so many lines.
                unsafe { lines.write_bytes(0, inner.0 * COLUMNS) };
                for column in 0..self.parts.len() * self.fold {
                    let (part, row) = (&self.parts[column / self.fold], column % self.fold);
                    let Some((down, across)) = self.position(part, (*seen, at), row) else { continue };
                    let from = down as isize * h.kernel_stride + across as isize * w.kernel_stride;
                    let from = kernel.wrapping_offset(part.kernel + from + first as isize * outer.1);
                    let to = lines.wrapping_add(column * outer.0);
                    // SAFETY: as above.
                    unsafe { band::copy_runs(from, (inner.2, outer.1), (inner.0, features), to) };
                }
                lines = lines.wrapping_add(inner.0 * COLUMNS);
            }
        }
    }

    /// The position of a part's window at which a row of places sees a row of the band, at a position of all parts.
    fn position(&self, part: &Part, (seen, at): (usize, usize), row: usize) -> Option<(usize, usize)> {
        let (h, w) = (&self.part.h, &self.part.w);
        let later = |all: &Spatial, own: &Spatial| usize::try_from(all.pad_low - own.pad_low).unwrap_or(0);
        let from = seen.checked_sub(row * h.step as usize)?;
        let dilation = h.window_dilation as usize;
        let down = (from / dilation).checked_sub(later(h, &part.h))?;
        let across = at.checked_sub(later(w, &part.w))?;
        let sees = from % dilation == 0 && down < part.h.window && across < part.w.window;
        sees.then_some((down, across))
    }

    /// Rows of the result that are computed together.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn row(
        &self,
        line: *const f32,
        (starts, depth): &(Vec<isize>, usize),
        panel: *const f32,
        target: Target,
        to: *mut f32,
    ) {
        let (w, inner) = (&self.part.w, self.step.inner.0);
        let apart = w_apart(w, inner);
        for place in (0..w.output).step_by(ROWS) {
            let at = line.wrapping_add(place * apart);
            let segments = Segments { at, starts, depth: *depth, row: apart as isize, step: 1 };
            // SAFETY: the caller's; 14 places lie in the band and what was cleared beyond it.
            unsafe {
                let sums = match starts.is_empty() || *depth == 0 {
                    true => [[_mm512_setzero_ps(); 2]; ROWS],
                    false => multiply(segments, panel),
                };
                self.put(&sums, place, target, (segments.at, panel), to);
            }
        }
    }

    /// One result by the positions it sees alone: what is packed as zero for it makes what is no number of an infinity.
    ///
    /// # Safety
    /// As [`Self::piece`]; the place's band and the panel exist.
    #[target_feature(enable = "avx512f")]
    unsafe fn alone(&self, band: *const f32, panel: *const f32, column: usize, feature: usize) -> f32 {
        let (w, inner) = (&self.part.w, self.step.inner.0);
        let (part, row) = (&self.parts[column / self.fold], column % self.fold);
        let lane = panel.wrapping_add(column * self.step.outer.0 + feature);
        let mut sum = 0f32;
        for (at, seen) in self.seen.iter().enumerate() {
            for position in 0..w.window {
                if self.position(part, (*seen, position), row).is_none() {
                    continue;
                }
                let from = (seen * self.columns + position * w.window_dilation as usize) * inner;
                let line = (at * w.window + position) * inner;
                for i in 0..inner {
                    // SAFETY: the caller's.
                    let (x, y) = unsafe { (*band.add(from + i), *lane.add((line + i) * COLUMNS)) };
                    sum = x.mul_add(y, sum);
                }
            }
        }
        sum
    }

    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn put(
        &self,
        sums: &Sums,
        place: usize,
        target: Target,
        (band, panel): (*const f32, *const f32),
        to: *mut f32,
    ) {
        let apart = w_apart(&self.part.w, self.step.inner.0);
        let (h, w, outer) = (&self.part.h, &self.part.w, self.step.outer);
        let count = ROWS.min(w.output - place);
        let to = to.wrapping_offset(
            target.row as isize * h.output_stride
                + place as isize * w.output_stride
                + target.first as isize * outer.2,
        );
        let (low, high) = masks(target.features);
        for (at, sums) in sums.iter().enumerate().take(count) {
            let to = to.wrapping_offset(at as isize * w.output_stride);
            // SAFETY: the caller's.
            unsafe {
                if let ([part], 1, 1) = (self.parts, self.fold, outer.2) {
                    let to = to.wrapping_offset(part.output);
                    put(to, low, sums[0], false);
                    put(to.wrapping_add(16), high, sums[1], false);
                    continue;
                }
                // Few features: one store for each row and part, but where something is no number.
                let together = self.parts.len() * self.fold;
                let numbers = together == 1 || _mm512_cmpunord_ps_mask(sums[0], sums[1]) == 0;
                let sums = std::mem::transmute::<[__m512; 2], [f32; COLUMNS]>(*sums);
                for column in 0..together {
                    let (part, row) = (&self.parts[column / self.fold], column % self.fold);
                    if target.row + row >= part.h.output || place + at >= part.w.output {
                        continue;
                    }
                    let to = to.wrapping_offset(part.output + row as isize * h.output_stride);
                    let sums = &sums[column * outer.0..][..target.features];
                    if numbers && outer.2 == 1 && target.features <= 16 {
                        _mm512_mask_storeu_ps(to, low, _mm512_maskz_loadu_ps(low, sums.as_ptr()));
                        continue;
                    }
                    for (feature, sum) in sums.iter().enumerate() {
                        let sum = match !numbers && sum.is_nan() {
                            true => self.alone(band.add(at * apart), panel, column, feature),
                            false => *sum,
                        };
                        *to.offset(feature as isize * outer.2) = sum;
                    }
                }
            }
        }
    }
}

/// Elements of a band from place to place.
fn w_apart(w: &Spatial, inner: usize) -> usize {
    w.step as usize * inner
}

/// Which results are computed: the first row, the first feature and how many.
#[derive(Clone, Copy)]
struct Target {
    row: usize,
    first: usize,
    features: usize,
}

/// The places and positions of all parts: parts differ in how many they have, and in their padding.
fn around(parts: &[Part]) -> Option<Part> {
    let (first, rest) = parts.split_first()?;
    let join = |dim: &mut Spatial, other: &Spatial| {
        let last = |dim: &Spatial| dim.window as i64 - dim.pad_low;
        let last = last(dim).max(last(other));
        dim.output = dim.output.max(other.output);
        dim.pad_low = dim.pad_low.max(other.pad_low);
        dim.window = usize::try_from(last + dim.pad_low).unwrap_or(0);
    };
    let mut all = first.clone();
    for part in rest {
        join(&mut all.h, &part.h);
        join(&mut all.w, &part.w);
    }
    Some(all)
}
