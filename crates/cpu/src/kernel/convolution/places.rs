//! Convolutions with more places than positions of the window: products of places by window times features.
//!
//! ```text
//! for each group, image, band of rows of the result (a piece):  copy the rows it sees into a padded band
//!     for features by 32:                                       pack the kernel, all positions
//!         for rows, for places by 14:                           14 x 32 results: one sum over positions and features
//! ```
//!
//! Positions along a row of the band lie side by side, so that few channels make long sums. Where features are few, several
//! rows of the result are computed together: the kernel is packed once for each, a row lower each time.
//! Positions are added in row-major order, fused multiply-adds, features innermost.

use super::band::{self, Channels, Lines};
use super::{At, ConvolutionStep, Part, Spatial};
use crate::kernel::gemm::wide::{COLUMNS, ROWS, Segments, Sums, masks, multiply, put};
use crate::kernel::gemm::{SCRATCH, with_scratch};
use meshwright_runtime::Workers;
use std::arch::x86_64::*;

/// Flops of a piece, about.
const PIECE: usize = 1 << 27;

/// How the work is cut.
pub struct Places<'a> {
    step: &'a ConvolutionStep,
    part: &'a Part,
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
    /// `None` if a band does not fit a worker's scratch.
    pub fn of(step: &'a ConvolutionStep, part: &'a Part) -> Option<Places<'a>> {
        let (h, w) = (&part.h, &part.w);
        let fold = (COLUMNS / step.outer.0.max(1)).clamp(1, h.output.max(1));
        let (apart, dilation) = (usize::try_from(h.step).ok()?, usize::try_from(h.window_dilation).ok()?);
        let mut seen: Vec<usize> =
            (0..fold).flat_map(|row| (0..h.window).map(move |at| row * apart + at * dilation)).collect();
        seen.sort_unstable();
        seen.dedup();
        let mut plan = Places { step, part, fold, rows: fold, seen, columns: band::columns(w) };
        let row = 2 * w.output * h.window * w.window * step.inner.0 * step.outer.0;
        let wanted = (PIECE / row.max(1)).clamp(1, h.output.max(1)).next_multiple_of(fold);
        while plan.rows < wanted && plan.fits(plan.rows + fold) {
            plan.rows += fold;
        }
        // Bands of about the same height.
        let bands = h.output.div_ceil(plan.rows).max(1);
        plan.rows = h.output.div_ceil(bands).next_multiple_of(fold).max(fold);
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
            let kernel = kernel.wrapping_offset(group * b + self.part.kernel);
            let to = to.wrapping_offset(group * c + image * step.batch.2 + self.part.output);
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
            for at in 0..w.window as isize {
                // SAFETY: the caller's; a panel has so many lines.
                unsafe { lines.write_bytes(0, inner.0 * COLUMNS) };
                for row in 0..self.fold {
                    let Some(position) = position(h, *seen, row) else { continue };
                    let from = position as isize * h.kernel_stride + at * w.kernel_stride;
                    let from = kernel.wrapping_offset(from + first as isize * outer.1);
                    let to = lines.wrapping_add(row * outer.0);
                    // SAFETY: as above.
                    unsafe { band::copy_runs(from, (inner.2, outer.1), (inner.0, features), to) };
                }
                lines = lines.wrapping_add(inner.0 * COLUMNS);
            }
        }
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
        let apart = w.step as usize * inner;
        for place in (0..w.output).step_by(ROWS) {
            let at = line.wrapping_add(place * apart);
            let segments = Segments { at, starts, depth: *depth, row: apart as isize, step: 1 };
            // SAFETY: the caller's; 14 places lie in the band and what was cleared beyond it.
            unsafe {
                let sums = match starts.is_empty() || *depth == 0 {
                    true => [[_mm512_setzero_ps(); 2]; ROWS],
                    false => multiply(segments, panel),
                };
                self.put(&sums, place, target, to);
            }
        }
    }

    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn put(&self, sums: &Sums, place: usize, target: Target, to: *mut f32) {
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
                if self.fold == 1 && outer.2 == 1 {
                    put(to, low, sums[0], false);
                    put(to.wrapping_add(16), high, sums[1], false);
                    continue;
                }
                let sums = std::mem::transmute::<[__m512; 2], [f32; COLUMNS]>(*sums);
                for row in 0..self.fold.min(h.output - target.row) {
                    let to = to.wrapping_offset(row as isize * h.output_stride);
                    let sums = &sums[row * outer.0..][..target.features];
                    for (feature, sum) in sums.iter().enumerate() {
                        *to.offset(feature as isize * outer.2) = *sum;
                    }
                }
            }
        }
    }
}

/// Which results are computed: the first row, the first feature and how many.
#[derive(Clone, Copy)]
struct Target {
    row: usize,
    first: usize,
    features: usize,
}

/// The position of the window at which a row sees a row of the band.
fn position(h: &Spatial, seen: usize, row: usize) -> Option<usize> {
    let from = seen.checked_sub(row * h.step as usize)?;
    let (at, dilation) = (from / h.window_dilation as usize, h.window_dilation as usize);
    (from % dilation == 0 && at < h.window).then_some(at)
}
