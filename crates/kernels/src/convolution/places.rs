//! Convolutions with more places than positions of the window: products of places by window times features.
//!
//! ```text
//! for each group, some images, plane, band of rows, cut of a row, some features to make (a piece):
//!     for some planes of the window, some features to sum over:
//!         copy the rows these images have of them into padded bands
//!         for features made, by 32:                    pack the kernel, all positions
//!             for images, rows, places by 14:          14 x 32 results: one sum over positions and features
//! ```
//!
//! What is packed of kernel and image fits a worker's scratch: long rows are cut, and so are sums over many features.
//! The sums of such passes are added to the result one after the other. Small images share what is packed of the
//! kernel, and pieces are cut by features then.
//!
//! Positions along a row of the band lie side by side, so that few channels make long sums. Where features are few,
//! several rows of the result are computed together: the kernel is packed once for each, a row lower each time. So are
//! parts of a convolution of a dilated image: they see the same band, each at some of the positions. Within a pass
//! positions are added in row-major order, fused multiply-adds, features innermost.

use super::band::{self, Channels, Lines};
use super::{At, ConvolutionStep, Phase, Spatial};
use crate::gemm::avx512::{masks, put};
use crate::gemm::sums::{COLUMNS, ROWS, Segments, Sums, multiply};
use crate::gemm::{SCRATCH, with_scratch};
use meshwright_runtime::Workers;
use std::arch::x86_64::*;

/// Flops of a piece, about.
const PIECE: usize = 1 << 27;
/// Bytes of the packed kernel at most: the rest is for the band.
const PANEL: usize = SCRATCH / 2;
/// Places for which a kernel is packed, better more: packing 32 features takes as long as six places or so.
const MANY: usize = 784;
/// Pieces, better more: they are shared out among workers.
const PIECES: usize = 4;

/// How the work is cut.
pub struct Places<'a> {
    step: &'a ConvolutionStep,
    /// The places and positions of all parts.
    phase: Phase,
    /// Parts that are computed together.
    phases: &'a [Phase],
    /// Rows of the result that are computed together.
    fold: usize,
    /// Rows of the result of a piece, and places in each.
    rows: usize,
    width: usize,
    /// Images of a piece, and features that it makes.
    images: usize,
    features: usize,
    /// Planes of the window, and features, that are summed before the sum is added to the result.
    planes: usize,
    inner: usize,
    /// Rows of a plane of the band that rows computed together see, relative to the first.
    seen: Vec<usize>,
}

/// What is summed before it is added to the result.
struct Pass<'a> {
    /// Positions of the window between planes, and the planes of the image that they see.
    planes: &'a [(usize, isize)],
    /// The first feature, and how many.
    first: usize,
    inner: usize,
    /// Add to what is there.
    add: bool,
    /// Where runs of the band begin, in bytes from a place, and how long they are.
    starts: Vec<isize>,
    depth: usize,
    columns: usize,
}

/// Which parts may be computed together: those between the same planes, as many as have 32 columns.
pub fn together<'a>(step: &ConvolutionStep, phases: &'a [Phase]) -> Vec<&'a [Phase]> {
    let most = (COLUMNS / step.outer.0.max(1)).max(1);
    let even = |all: &'a [Phase]| all.chunks(all.len().div_ceil(all.len().div_ceil(most)).max(1));
    phases.chunk_by(|a, b| a.plane == b.plane).flat_map(even).collect()
}

/// Rows of a band that so many rows of the result see.
fn seen(h: &Spatial, fold: usize) -> Option<Vec<usize>> {
    let (apart, dilation) = (usize::try_from(h.step).ok()?, usize::try_from(h.window_dilation).ok()?);
    let all = (0..fold).flat_map(|row| (0..h.window).map(move |at| row * apart + at * dilation));
    let mut all: Vec<usize> = all.collect();
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// As many rows as fit the columns, if rows that are computed together share what they see.
fn fold(h: &Spatial, most: usize) -> Option<(usize, Vec<usize>)> {
    let mut best = (1, seen(h, 1)?);
    for rows in 2..=most.min(h.output) {
        let seen = seen(h, rows)?;
        if seen.len() * best.0 < best.1.len() * rows {
            best = (rows, seen);
        }
    }
    Some(best)
}

impl<'a> Places<'a> {
    /// `None` if a band of a few places does not fit a worker's scratch, or results of several parts not 32 columns.
    pub fn of(step: &'a ConvolutionStep, phases: &'a [Phase]) -> Option<Places<'a>> {
        let phase = around(phases)?;
        if phases.len() > 1 && phases.len() * step.outer.0 > COLUMNS {
            return None;
        }
        let (fold, seen) = fold(&phase.h, COLUMNS / (phases.len() * step.outer.0).max(1))?;
        let (output, wide) = (phase.h.output, phase.w.output);
        let (width, inner) = (wide.max(1), step.inner.0);
        let (images, features) = (1, step.outer.0);
        let (rows, planes) = (fold, 1);
        let mut plan =
            Places { step, phase, phases, fold, rows, width, images, features, planes, inner, seen };
        while plan.panel_len() > PANEL / 4 {
            plan.inner = plan.halved(plan.inner, 1)?;
        }
        while !plan.fits(fold) {
            plan.width = plan.halved(plan.width, ROWS)?;
        }
        plan.width = plan.even(plan.width, ROWS);
        plan.more_planes();
        let row = plan.flops(plan.width).max(1);
        if row > PIECE {
            let many = (PIECE / plan.flops(1).max(1)).max(16 * ROWS);
            plan.width = plan.even(many.min(plan.width), ROWS);
        }
        let wanted = (PIECE / row).clamp(1, output.max(1)).next_multiple_of(fold);
        while plan.rows < wanted && plan.fits(plan.rows + fold) {
            plan.rows += fold;
        }
        // Bands of about the same height.
        let bands = output.div_ceil(plan.rows).max(1);
        plan.rows = output.div_ceil(bands).next_multiple_of(fold).max(fold);
        plan.more_images();
        let pieces = plan.pieces();
        let cuts = PIECES.div_ceil(pieces.max(1)).min(step.outer.0.div_ceil(COLUMNS)).max(1);
        plan.features = step.outer.0.div_ceil(cuts).next_multiple_of(COLUMNS);
        plan.fits(plan.rows).then_some(plan)
    }

    /// Pieces of one cut of features.
    fn pieces(&self) -> usize {
        let (phase, step) = (&self.phase, self.step);
        let of_image =
            phase.d.output * phase.h.output.div_ceil(self.rows) * phase.w.output.div_ceil(self.width);
        step.groups * step.batch.0.div_ceil(self.images) * of_image
    }

    /// Small images go together, with fewer features at a time if they have to.
    fn more_images(&mut self) {
        let (batch, places) = (self.step.batch.0, self.rows * self.width);
        let one = (self.images, self.inner, self.planes);
        let wanted = MANY.div_ceil(places.max(1)).min(batch);
        if wanted < 2 || self.step.outer.0 <= COLUMNS || self.rows < self.phase.h.output {
            return;
        }
        self.images = batch.div_ceil(batch.div_ceil(wanted));
        while !self.fits(self.rows) && self.inner > 64 {
            (self.inner, self.planes) = (self.inner.div_ceil(2), 1);
        }
        if !self.fits(self.rows) {
            (self.images, self.inner, self.planes) = one;
        }
    }

    /// Half of it, if that is not too little.
    fn halved(&self, count: usize, least: usize) -> Option<usize> {
        (count > least).then(|| count.div_ceil(2).next_multiple_of(least))
    }

    /// About so many places, so that all cuts have about as many.
    fn even(&self, width: usize, by: usize) -> usize {
        let all = self.phase.w.output.max(1);
        let cuts = all.div_ceil(width.max(1));
        if cuts == 1 { all } else { all.div_ceil(cuts).next_multiple_of(by) }
    }

    /// Few features make short sums: take planes of the window together.
    fn more_planes(&mut self) {
        while self.inner == self.step.inner.0 && self.planes < self.phase.d.window {
            self.planes += 1;
            if self.panel_len() > PANEL / 4 || !self.fits(self.fold) {
                self.planes -= 1;
                return;
            }
        }
    }

    /// Flops of so many places of a row.
    fn flops(&self, width: usize) -> usize {
        let window = self.phase.d.window * self.phase.h.window * self.phase.w.window;
        2 * width * window * self.step.inner.0 * self.step.outer.0 * self.phases.len()
    }

    fn fits(&self, rows: usize) -> bool {
        let floats = self.band_len(rows).checked_add(self.panel_len());
        floats.and_then(|floats| floats.checked_mul(4)).is_some_and(|bytes| bytes <= SCRATCH)
    }

    /// Rows of a plane of the band of so many rows of the result.
    fn lines(&self, rows: usize) -> usize {
        (rows - self.fold) * self.phase.h.step as usize + self.seen.last().map_or(0, |last| last + 1)
    }

    /// Elements of a band, and of what the last 14 places see beyond its end.
    fn band_len(&self, rows: usize) -> usize {
        let columns = band::columns(&Spatial { output: self.width, ..self.phase.w.clone() });
        let len = self.lines(rows).saturating_mul(columns).saturating_mul(self.inner);
        let len = len.saturating_mul(self.planes).saturating_mul(self.images);
        len.saturating_add(self.beyond(self.inner)).next_multiple_of(16)
    }

    fn beyond(&self, inner: usize) -> usize {
        ROWS.saturating_mul(self.phase.w.step as usize).saturating_mul(inner)
    }

    fn panel_len(&self) -> usize {
        let depth = self.phase.w.window.saturating_mul(self.inner).saturating_mul(self.planes);
        self.seen.len().saturating_mul(depth).saturating_mul(COLUMNS)
    }

    pub fn run(&self, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let (step, phase) = (self.step, &self.phase);
        let bands = phase.h.output.div_ceil(self.rows);
        let cuts = phase.w.output.div_ceil(self.width);
        let (planes, images) = (phase.d.output, step.batch.0.div_ceil(self.images));
        let features = step.outer.0.div_ceil(self.features);
        workers.each(self.pieces() * features, &|piece| {
            let (input, kernel, to) = (input.ptr(), kernel.ptr(), to.ptr());
            let (piece, first) = (piece / features, piece % features * self.features);
            let (piece, cut) = (piece / cuts, piece % cuts);
            let (piece, band) = (piece / bands, piece % bands);
            let (piece, plane) = (piece / planes, piece % planes);
            let (group, image) = ((piece / images) as isize, piece % images * self.images);
            let [a, b, c] = step.group_strides;
            let from = input.wrapping_offset(group * a + image as isize * step.batch.1);
            let kernel = kernel.wrapping_offset(group * b);
            let to = to.wrapping_offset(group * c + image as isize * step.batch.2);
            let to = to.wrapping_offset(plane as isize * phase.d.output_stride);
            let images = self.images.min(step.batch.0 - image);
            let at = Corner { plane, row: band * self.rows, place: cut * self.width, images, first };
            // SAFETY: the CPU has AVX-512, or there would be no such plan; the piece's places belong to it alone, and
            // what it packs fits the scratch.
            with_scratch(|scratch| unsafe { self.piece(at, from, kernel, to, scratch) });
        });
    }

    /// # Safety
    /// As [`super::ConvolutionStep::run`]; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    unsafe fn piece(
        &self,
        corner: Corner,
        from: *const f32,
        kernel: *const f32,
        to: *mut f32,
        scratch: *mut f32,
    ) {
        let (d, h, w) = (&self.phase.d, &self.phase.h, &self.phase.w);
        let w = Spatial {
            output: self.width.min(w.output - corner.place),
            pad_low: w.pad_low - corner.place as i64 * w.step,
            ..w.clone()
        };
        let rows = self.rows.min(h.output - corner.row);
        let lines = self.lines(rows.next_multiple_of(self.fold));
        let lines = Lines { first: corner.row as i64 * h.step - h.pad_low, count: lines, apart: 1 };
        // A part without positions sees nothing.
        let planes = if h.window * w.window == 0 { 0 } else { d.window };
        let planes: Vec<(usize, isize)> =
            (0..planes).filter_map(|at| Some((at, d.sees(corner.plane, at)?))).collect();
        let panel = scratch.wrapping_add(self.band_len(self.rows));
        let inner = self.step.inner;
        for pass in self.passes(&planes, &w, lines.count) {
            let channels = Channels { count: pass.inner, stride: inner.1 };
            let len = lines.count * pass.columns * pass.inner;
            let from = from.wrapping_offset(pass.first as isize * inner.1);
            let kernel = kernel.wrapping_offset(pass.first as isize * inner.2);
            // SAFETY: the caller's.
            unsafe {
                for image in 0..corner.images {
                    let from = from.wrapping_offset(image as isize * self.step.batch.1);
                    let to = scratch.add(image * pass.planes.len() * len);
                    for (at, (_, plane)) in pass.planes.iter().enumerate() {
                        let from = from.wrapping_offset(plane * d.input_stride);
                        band::copy(from, (h, &w), channels, lines, to.add(at * len));
                    }
                }
                let bands = corner.images * pass.planes.len();
                scratch.add(bands * len).write_bytes(0, self.beyond(pass.inner));
                let until = self.step.outer.0.min(corner.first + self.features);
                for first in (corner.first..until).step_by(COLUMNS) {
                    let features = COLUMNS.min(until - first);
                    self.pack(&pass, kernel, first, features, panel);
                    let target = Target { row: 0, place: corner.place, count: w.output, first, features };
                    for image in 0..corner.images {
                        let to = to.wrapping_offset(image as isize * self.step.batch.2);
                        let band = scratch.add(image * pass.planes.len() * len);
                        self.rows(band, &pass, panel, (corner.row, rows), target, to);
                    }
                }
            }
        }
    }

    /// What is summed at a time; nothing at all is a pass too.
    fn passes<'b>(&self, planes: &'b [(usize, isize)], w: &Spatial, lines: usize) -> Vec<Pass<'b>> {
        let all = self.step.inner.0;
        let columns = band::columns(w);
        let mut passes = Vec::new();
        for planes in planes.chunks(self.planes) {
            for first in (0..all).step_by(self.inner) {
                let inner = self.inner.min(all - first);
                let (starts, depth) = self.starts(planes.len(), lines, columns, inner);
                let add = !passes.is_empty();
                passes.push(Pass { planes, first, inner, add, starts, depth, columns });
            }
        }
        if passes.is_empty() {
            let (starts, planes) = (Vec::new(), &planes[..0]);
            passes.push(Pass { planes, first: 0, inner: 0, add: false, starts, depth: 0, columns });
        }
        passes
    }

    /// Where runs of the band begin, in bytes from a place, and how long they are.
    fn starts(&self, planes: usize, lines: usize, columns: usize, inner: usize) -> (Vec<isize>, usize) {
        let w = &self.phase.w;
        let line = |plane: usize, seen: &usize| (4 * (plane * lines + seen) * columns * inner) as isize;
        let all = (0..planes).flat_map(|plane| self.seen.iter().map(move |seen| line(plane, seen)));
        if w.window_dilation == 1 {
            return (all.collect(), w.window * inner);
        }
        let position = |at: usize| (4 * at * w.window_dilation as usize * inner) as isize;
        (all.flat_map(|line| (0..w.window).map(move |at| line + position(at))).collect(), inner)
    }

    /// The kernel of some features: a line of 32 for each element that is seen.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn pack(
        &self,
        pass: &Pass<'_>,
        kernel: *const f32,
        first: usize,
        features: usize,
        panel: *mut f32,
    ) {
        let (w, mut lines) = (&self.phase.w, panel);
        for (plane, _) in pass.planes {
            let kernel = kernel.wrapping_offset(*plane as isize * self.phase.d.kernel_stride);
            for seen in &self.seen {
                for at in 0..w.window {
                    // SAFETY: the caller's; a panel has so many lines.
                    unsafe { self.pack_position(pass.inner, (*seen, at), kernel, (first, features), lines) };
                    lines = lines.wrapping_add(pass.inner * COLUMNS);
                }
            }
        }
    }

    /// # Safety
    /// As [`Self::pack`].
    #[target_feature(enable = "avx512f")]
    unsafe fn pack_position(
        &self,
        count: usize,
        at: (usize, usize),
        kernel: *const f32,
        (first, features): (usize, usize),
        lines: *mut f32,
    ) {
        let (h, w, inner, outer) = (&self.phase.h, &self.phase.w, self.step.inner, self.step.outer);
        let whole = self.phases.len() * self.fold == 1 && features == COLUMNS;
        // SAFETY: the caller's.
        unsafe {
            if !whole {
                lines.write_bytes(0, count * COLUMNS);
            }
            for column in 0..self.phases.len() * self.fold {
                let (phase, row) = (&self.phases[column / self.fold], column % self.fold);
                let Some((down, across)) = self.position(phase, at, row) else { continue };
                let from = down as isize * h.kernel_stride + across as isize * w.kernel_stride;
                let from = kernel.wrapping_offset(phase.kernel + from + first as isize * outer.1);
                let to = lines.wrapping_add(column * outer.0);
                band::copy_runs(from, (inner.2, outer.1), (count, features), to);
            }
        }
    }

    /// The position of a part's window at which a row of places sees a row of the band, at a position of all parts.
    fn position(&self, phase: &Phase, (seen, at): (usize, usize), row: usize) -> Option<(usize, usize)> {
        let (h, w) = (&self.phase.h, &self.phase.w);
        let later = |all: &Spatial, own: &Spatial| usize::try_from(all.pad_low - own.pad_low).unwrap_or(0);
        let from = seen.checked_sub(row * h.step as usize)?;
        let dilation = h.window_dilation as usize;
        let down = (from / dilation).checked_sub(later(h, &phase.h))?;
        let across = at.checked_sub(later(w, &phase.w))?;
        let sees = from % dilation == 0 && down < phase.h.window && across < phase.w.window;
        sees.then_some((down, across))
    }

    /// Rows of the result of one image.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn rows(
        &self,
        band: *const f32,
        pass: &Pass<'_>,
        panel: *const f32,
        (first, rows): (usize, usize),
        target: Target,
        to: *mut f32,
    ) {
        let apart = self.phase.h.step as usize * pass.columns * pass.inner;
        for at in (0..rows).step_by(self.fold) {
            let target = Target { row: first + at, ..target };
            // SAFETY: the caller's.
            unsafe { self.row(band.wrapping_add(at * apart), pass, panel, target, to) };
        }
    }

    /// Rows of the result that are computed together.
    ///
    /// # Safety
    /// As [`Self::piece`].
    #[target_feature(enable = "avx512f")]
    unsafe fn row(&self, line: *const f32, pass: &Pass<'_>, panel: *const f32, target: Target, to: *mut f32) {
        let apart = w_apart(&self.phase.w, pass.inner);
        let Pass { starts, depth, .. } = pass;
        for place in (0..target.count).step_by(ROWS) {
            let at = line.wrapping_add(place * apart);
            let segments = Segments { at, starts, depth: *depth, row: apart as isize, step: 1 };
            let target =
                Target { place: target.place + place, count: ROWS.min(target.count - place), ..target };
            self.ask(target, to);
            // SAFETY: the caller's; 14 places lie in the band and what was cleared beyond it.
            unsafe {
                let sums = if starts.is_empty() || *depth == 0 {
                    [[_mm512_setzero_ps(); 2]; ROWS]
                } else {
                    multiply(segments, panel)
                };
                self.put(&sums, pass, target, (segments.at, panel), to);
            }
        }
    }

    /// Ask for the results of a tile before its sums are done, if they lie in lines.
    #[target_feature(enable = "avx512f")]
    fn ask(&self, target: Target, to: *mut f32) {
        let (h, w, outer) = (&self.phase.h, &self.phase.w, self.step.outer);
        let ([phase], 1, 1) = (self.phases, self.fold, outer.2) else { return };
        let to = to.wrapping_offset(phase.output + target.row as isize * h.output_stride);
        for place in target.place..target.place + target.count {
            let at = to.wrapping_offset(place as isize * w.output_stride).wrapping_add(target.first);
            _mm_prefetch::<_MM_HINT_ET0>(at.cast());
            _mm_prefetch::<_MM_HINT_ET0>(at.wrapping_add(16).cast());
        }
    }

    /// One result by the positions it sees alone: what is packed as zero for it makes what is no number of an infinity.
    ///
    /// # Safety
    /// As [`Self::piece`]; the place's band and the panel exist.
    #[target_feature(enable = "avx512f")]
    unsafe fn alone(
        &self,
        pass: &Pass<'_>,
        (band, panel): (*const f32, *const f32),
        column: usize,
        feature: usize,
    ) -> f32 {
        let (phase, row) = (&self.phases[column / self.fold], column % self.fold);
        let lane = panel.wrapping_add(column * self.step.outer.0 + feature);
        // Runs are in the order of the panel's lines: planes, rows, and positions if these are no one run.
        let positions = self.phase.w.window;
        let runs = pass.starts.len() * pass.depth / pass.inner.max(1);
        let mut sum = 0f32;
        for run in 0..runs {
            let seen = self.seen[run / positions % self.seen.len()];
            if self.position(phase, (seen, run % positions), row).is_none() {
                continue;
            }
            let (start, within) = (run * pass.inner / pass.depth, run * pass.inner % pass.depth);
            let from = band.wrapping_byte_offset(pass.starts[start]).wrapping_add(within);
            for i in 0..pass.inner {
                // SAFETY: the caller's.
                let (x, y) = unsafe { (*from.add(i), *lane.add((run * pass.inner + i) * COLUMNS)) };
                sum = x.mul_add(y, sum);
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
        pass: &Pass<'_>,
        target: Target,
        (band, panel): (*const f32, *const f32),
        to: *mut f32,
    ) {
        let apart = w_apart(&self.phase.w, pass.inner);
        let (h, w, outer) = (&self.phase.h, &self.phase.w, self.step.outer);
        let to = to.wrapping_offset(
            target.row as isize * h.output_stride
                + target.place as isize * w.output_stride
                + target.first as isize * outer.2,
        );
        let (low, high) = masks(target.features);
        for (at, sums) in sums.iter().enumerate().take(target.count) {
            let to = to.wrapping_offset(at as isize * w.output_stride);
            // SAFETY: the caller's.
            unsafe {
                if let ([phase], 1, 1) = (self.phases, self.fold, outer.2) {
                    let to = to.wrapping_offset(phase.output);
                    put(to, low, sums[0], pass.add);
                    put(to.wrapping_add(16), high, sums[1], pass.add);
                    continue;
                }
                // Few features: one store for each row and part, but where something is no number.
                let together = self.phases.len() * self.fold;
                let numbers = together == 1 || _mm512_cmpunord_ps_mask(sums[0], sums[1]) == 0;
                let sums = std::mem::transmute::<[__m512; 2], [f32; COLUMNS]>(*sums);
                for column in 0..together {
                    let (phase, row) = (&self.phases[column / self.fold], column % self.fold);
                    if target.row + row >= phase.h.output || target.place + at >= phase.w.output {
                        continue;
                    }
                    let to = to.wrapping_offset(phase.output + row as isize * h.output_stride);
                    let sums = &sums[column * outer.0..][..target.features];
                    if numbers && outer.2 == 1 && target.features <= 16 {
                        put(to, low, _mm512_maskz_loadu_ps(low, sums.as_ptr()), pass.add);
                        continue;
                    }
                    for (feature, sum) in sums.iter().enumerate() {
                        let sum = if !numbers && sum.is_nan() {
                            self.alone(pass, (band.add(at * apart), panel), column, feature)
                        } else {
                            *sum
                        };
                        let to = to.offset(feature as isize * outer.2);
                        *to = if pass.add { *to + sum } else { sum };
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

/// Where a piece begins.
#[derive(Clone, Copy)]
struct Corner {
    plane: usize,
    row: usize,
    place: usize,
    /// Images, and the first of the features that are made.
    images: usize,
    first: usize,
}

/// Which results are computed: the row, places and features from the first on, and how many.
#[derive(Clone, Copy)]
struct Target {
    row: usize,
    place: usize,
    count: usize,
    first: usize,
    features: usize,
}

/// The places and positions of all parts: parts differ in how many they have, and in their padding.
fn around(phases: &[Phase]) -> Option<Phase> {
    let (first, rest) = phases.split_first()?;
    let join = |dim: &mut Spatial, other: &Spatial| {
        let last = |dim: &Spatial| dim.window as i64 - dim.pad_low;
        let last = last(dim).max(last(other));
        dim.output = dim.output.max(other.output);
        dim.pad_low = dim.pad_low.max(other.pad_low);
        dim.window = usize::try_from(last + dim.pad_low).unwrap_or(0);
    };
    let mut all = first.clone();
    for phase in rest {
        debug_assert_eq!(all.plane, phase.plane);
        join(&mut all.h, &phase.h);
        join(&mut all.w, &phase.w);
    }
    Some(all)
}
