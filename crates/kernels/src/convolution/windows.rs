//! Convolutions with more positions of the window than places, as gradients of kernels are: sums over positions.
//!
//! ```text
//! for each group, for some images, rows of places, features by 32 (a piece):
//!     for each feature that is summed over, for planes of the window, rows of it, some at a time, or a part of one:
//!         copy the rows of the image they see into a padded band; pack the window's rows
//!         for (place in a row, image) by K::rows:           tiles of sums, kept in the second cache, over these positions
//! ```
//!
//! Places in a row are as far apart as channels of a band, so (place, image) are rows of one matrix that overlaps
//! itself, with no copy of the image for each place; if places are further apart, images are rows for each place. Where
//! features are few, rows of places are computed together: the same rows of the image, the window's rows packed once
//! for each row of places, a row later each time.
//!
//! A sum goes by features, then by planes, then by rows of the window, as many at a time as have 512 positions, or by
//! parts of a row that does not fit: fused multiply-adds among these, then added. All this is decided for the largest
//! tile, whatever the CPU has.

use super::band::{self, Channels, Lines, Runs};
use super::kernel::{Kernel, MOST_COLUMNS, MOST_ROWS};
use super::{At, ConvolutionStep, Phase, Spatial};
use crate::gemm::sums::Segments;
use crate::gemm::{SCRATCH, Target, with_scratch};
use meshwright_runtime::Workers;

/// Positions of the window that are added at once, about.
const DEPTH: usize = 512;

/// Bytes of sums, and of what is packed, at most.
const SUMS: usize = SCRATCH / 4;

/// How the work is cut.
pub struct Windows<'a> {
    step: &'a ConvolutionStep,
    phase: &'a Phase,
    /// Columns of sums of a piece.
    panels: Vec<Panel>,
    /// Images of a piece.
    images: usize,
    /// Rows of the window at a time, and positions of each.
    rows: usize,
    across: usize,
}

/// Columns of sums: rows of places of a plane, so far apart, by features.
#[derive(Clone, Copy)]
struct Panel {
    plane: usize,
    place: usize,
    places: usize,
    apart: usize,
    first: usize,
    features: usize,
}

impl Panel {
    fn columns(&self) -> usize {
        self.places * self.features
    }
}

/// Positions of the window that are added at once: some of a row, as a dim of its own.
struct Chunk {
    row: usize,
    rows: usize,
    w: Spatial,
}

impl<'a> Windows<'a> {
    /// `None` if what a few images need does not fit a worker's scratch.
    pub fn of(step: &'a ConvolutionStep, phase: &'a Phase) -> Option<Windows<'a>> {
        let (d, h, w) = (&phase.d, &phase.h, &phase.w);
        if [d, h, w].iter().any(|dim| dim.window == 0 || dim.output == 0) || step.inner.0 == 0 {
            return None;
        }
        let rows = (DEPTH / w.window).clamp(1, h.window);
        let (images, across) = (step.batch.0, w.window);
        let mut plan = Windows { step, phase, panels: panels(step, phase)?, images, rows, across };
        while plan.sums_len().saturating_mul(4) > SUMS {
            plan.images = (plan.images > 1).then(|| plan.images.div_ceil(2))?;
        }
        while !plan.fits() {
            match (plan.rows, plan.across) {
                (2.., _) => plan.rows = plan.rows.div_ceil(2),
                (_, 64..) => plan.across = plan.across.div_ceil(2),
                _ => plan.images = (plan.images > MOST_ROWS).then(|| plan.images.div_ceil(2))?,
            }
        }
        Some(plan)
    }

    fn fits(&self) -> bool {
        let floats = self.band_len().checked_add(self.panel_len());
        let floats = floats.and_then(|floats| floats.checked_add(self.sums_len()));
        floats.and_then(|floats| floats.checked_mul(4)).is_some_and(|bytes| bytes <= SCRATCH)
    }

    /// Elements of a line of sums for each place in a row of each image.
    fn sums_len(&self) -> usize {
        self.phase.w.output.saturating_mul(self.images).saturating_mul(MOST_COLUMNS)
    }

    fn panel_len(&self) -> usize {
        self.rows.saturating_mul(self.across).saturating_mul(MOST_COLUMNS)
    }

    /// Elements of a band, and more that the last rows see.
    fn band_len(&self) -> usize {
        let columns = band::columns(&Spatial { window: self.across, ..self.phase.w.clone() });
        let len = self.rows.saturating_mul(columns).saturating_mul(self.images);
        len.saturating_add(MOST_ROWS).next_multiple_of(16)
    }

    pub fn run<K: Kernel>(&self, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let step = self.step;
        let cuts = step.batch.0.div_ceil(self.images);
        workers.each(step.groups * self.panels.len() * cuts, &|piece| {
            let (input, kernel, to) = (input.ptr(), kernel.ptr(), to.ptr());
            let (piece, first) = (piece / cuts, piece % cuts * self.images);
            let (group, panel) =
                ((piece / self.panels.len()) as isize, self.panels[piece % self.panels.len()]);
            let [a, b, c] = step.group_strides;
            let from = input.wrapping_offset(group * a + first as isize * step.batch.1);
            let kernel = kernel.wrapping_offset(group * b + self.phase.kernel);
            let to = to.wrapping_offset(group * c + self.phase.output + first as isize * step.batch.2);
            let images = self.images.min(step.batch.0 - first);
            // SAFETY: the CPU has what the kernel needs, or it would not be chosen; the panel's results belong to the
            // piece alone, and what it packs fits the scratch.
            with_scratch(|scratch| unsafe { self.piece::<K>(panel, images, from, kernel, to, scratch) });
        });
    }

    /// # Safety
    /// As [`super::ConvolutionStep::run`]; the CPU has what the kernel needs.
    unsafe fn piece<K: Kernel>(
        &self,
        panel: Panel,
        images: usize,
        from: *const f32,
        kernel: *const f32,
        to: *mut f32,
        scratch: *mut f32,
    ) {
        let sums = scratch.wrapping_add(self.band_len() + self.panel_len());
        // SAFETY: the caller's.
        unsafe {
            self.sum::<K>(panel, images, from, kernel, scratch);
            let all = std::slice::from_raw_parts(sums, self.phase.w.output * images * MOST_COLUMNS);
            if panel.places == 1 || !all.iter().any(|sum| sum.is_nan()) {
                return self.bring(panel, images, sums, to);
            }
            // What is packed as zero for one of the rows makes what is no number of an infinity: each row by itself.
            for row in 0..panel.places {
                let alone = Panel { place: panel.place + row * panel.apart, places: 1, ..panel };
                self.sum::<K>(alone, images, from, kernel, scratch);
                self.bring(alone, images, sums, to);
            }
        }
    }

    /// The sums of a panel.
    ///
    /// # Safety
    /// As [`Self::piece`].
    unsafe fn sum<K: Kernel>(
        &self,
        panel: Panel,
        images: usize,
        from: *const f32,
        kernel: *const f32,
        scratch: *mut f32,
    ) {
        let packed = scratch.wrapping_add(self.band_len());
        let sums = packed.wrapping_add(self.panel_len());
        let (inner, d) = (self.step.inner, &self.phase.d);
        let chunks = self.chunks(panel);
        // SAFETY: the caller's.
        unsafe { sums.write_bytes(0, self.phase.w.output * images * MOST_COLUMNS) };
        for feature in 0..inner.0 as isize {
            let planes = (0..d.window).filter_map(|at| Some((at as isize, d.sees(panel.plane, at)?)));
            for (at, plane) in planes {
                let from = from.wrapping_offset(feature * inner.1 + plane * d.input_stride);
                let kernel = kernel.wrapping_offset(feature * inner.2 + at * d.kernel_stride);
                for (chunk, first) in &chunks {
                    let kernel = kernel.wrapping_offset(*first as isize * self.phase.w.kernel_stride);
                    // SAFETY: the caller's.
                    unsafe {
                        self.copy(panel, images, chunk, from, scratch);
                        self.pack::<K>(panel, chunk, kernel, packed);
                        self.add::<K>(panel, images, chunk, scratch, packed, sums);
                    }
                }
            }
        }
    }

    /// Positions of a plane of the window, those of a piece, and the first of each in its row.
    fn chunks(&self, panel: Panel) -> Vec<(Chunk, usize)> {
        let (h, w) = (&self.phase.h, &self.phase.w);
        // Rows of places that are later by one see the window's row before.
        let all = h.window + panel.places - 1;
        let of = |row: usize, first: usize| {
            let window = self.across.min(w.window - first);
            let pad_low = w.pad_low - first as i64 * w.window_dilation;
            let rows = self.rows.min(all - row);
            (Chunk { row, rows, w: Spatial { window, pad_low, ..w.clone() } }, first)
        };
        let rows = (0..all).step_by(self.rows);
        rows.flat_map(|row| (0..w.window).step_by(self.across).map(move |first| of(row, first))).collect()
    }

    /// The rows of the image that so many rows of the window see.
    ///
    /// # Safety
    /// As [`Self::piece`].
    unsafe fn copy(&self, panel: Panel, images: usize, chunk: &Chunk, from: *const f32, to: *mut f32) {
        let h = &self.phase.h;
        let first = panel.place as i64 * h.step + chunk.row as i64 * h.window_dilation - h.pad_low;
        let lines = Lines { first, count: chunk.rows, apart: h.window_dilation };
        let channels = Channels { count: images, stride: self.step.batch.1 };
        // SAFETY: the caller's.
        unsafe {
            band::copy(from, (h, &chunk.w), channels, lines, to);
            to.add(chunk.rows * band::columns(&chunk.w) * images).write_bytes(0, MOST_ROWS);
        }
    }

    /// Rows of the window: for each tile of columns, a line for each position.
    ///
    /// # Safety
    /// As [`Self::piece`].
    unsafe fn pack<K: Kernel>(&self, panel: Panel, chunk: &Chunk, kernel: *const f32, to: *mut f32) {
        let (h, outer, window) = (&self.phase.h, self.step.outer, chunk.w.window);
        let kernel = kernel.wrapping_offset(panel.first as isize * outer.1);
        let columns = panel.columns();
        let of_tile = chunk.rows * window * K::COLUMNS;
        for at in chunk.row..chunk.row + chunk.rows {
            let to = to.wrapping_add((at - chunk.row) * window * K::COLUMNS);
            if !columns.is_multiple_of(K::COLUMNS) || at + 1 < panel.places || at >= h.window {
                for tile in 0..columns.div_ceil(K::COLUMNS) {
                    // SAFETY: the caller's; the lines are part of the panel.
                    unsafe { to.add(tile * of_tile).write_bytes(0, window * K::COLUMNS) };
                }
            }
            for place in 0..panel.places.min(at + 1) {
                if at - place >= h.window {
                    continue;
                }
                let from = kernel.wrapping_offset((at - place) as isize * h.kernel_stride);
                let own = place * panel.features;
                let mut begin = own;
                while begin < own + panel.features {
                    let (tile, first) = (begin / K::COLUMNS, begin % K::COLUMNS);
                    let count = (own + panel.features - begin).min(K::COLUMNS - first);
                    let runs = Runs {
                        from: from.wrapping_offset((begin - own) as isize * outer.1),
                        apart: chunk.w.kernel_stride,
                        stride: outer.1,
                        lines: window,
                        count,
                        to: to.wrapping_add(tile * of_tile + first),
                        pitch: K::COLUMNS,
                    };
                    // SAFETY: the caller's.
                    unsafe { runs.copy::<K>() };
                    begin += count;
                }
            }
        }
    }

    /// # Safety
    /// As [`Self::piece`].
    unsafe fn add<K: Kernel>(
        &self,
        panel: Panel,
        images: usize,
        chunk: &Chunk,
        band: *const f32,
        packed: *const f32,
        sums: *mut f32,
    ) {
        let (places, apart) = (self.phase.w.output, self.phase.w.step as usize);
        let columns = band::columns(&chunk.w);
        let starts: Vec<isize> = (0..chunk.rows).map(|row| (4 * row * columns * images) as isize).collect();
        let step = chunk.w.window_dilation as isize * images as isize;
        // Places one apart are rows of one matrix.
        let (matrices, rows) = if apart == 1 { (1, places * images) } else { (places, images) };
        let of_tile = chunk.rows * chunk.w.window * K::COLUMNS;
        for tile in 0..panel.columns().div_ceil(K::COLUMNS) {
            let packed = packed.wrapping_add(tile * of_tile);
            for matrix in 0..matrices {
                let (band, line) = (band.wrapping_add(matrix * apart * images), matrix * rows);
                let mut row = 0;
                while row < rows {
                    let count = K::rows(rows - row);
                    let at = band.wrapping_add(row);
                    let a = Segments { at, starts: &starts, depth: chunk.w.window, row: 1, step };
                    let at = sums.wrapping_add((line + row) * MOST_COLUMNS + tile * K::COLUMNS);
                    let c = Target { at, row: MOST_COLUMNS as isize, column: 1, add: true };
                    // SAFETY: the caller's; rows lie in the band and what was cleared beyond it.
                    unsafe { K::tile((count, K::COLUMNS), a, packed, c) };
                    row += count;
                }
            }
        }
    }

    /// # Safety
    /// As [`Self::piece`].
    unsafe fn bring(&self, panel: Panel, images: usize, sums: *const f32, to: *mut f32) {
        let (d, h, w) = (&self.phase.d, &self.phase.h, &self.phase.w);
        let (batch, outer) = (self.step.batch, self.step.outer);
        let to = to.wrapping_offset(panel.plane as isize * d.output_stride);
        for line in 0..w.output * images {
            let (place, image) = (line / images, line % images);
            let to = to.wrapping_offset(place as isize * w.output_stride + image as isize * batch.2);
            for column in 0..panel.columns() {
                let row = panel.place + column / panel.features * panel.apart;
                let feature = (panel.first + column % panel.features) as isize;
                // SAFETY: the caller's.
                unsafe {
                    let sum = *sums.add(line * MOST_COLUMNS + column);
                    *to.offset(row as isize * h.output_stride + feature * outer.2) = sum;
                }
            }
        }
    }
}

/// Rows of places that may be computed together are as far apart as positions of the window, if places are one row
/// apart.
fn panels(step: &ConvolutionStep, phase: &Phase) -> Option<Vec<Panel>> {
    let (h, outer) = (&phase.h, step.outer.0);
    let apart = usize::try_from(h.window_dilation).ok()?.max(1);
    let together = if h.step == 1 { (MOST_COLUMNS / outer.max(1)).max(1) } else { 1 };
    let mut all = Vec::new();
    for plane in 0..phase.d.output {
        for residue in 0..apart.min(h.output) {
            let places: Vec<usize> = (residue..h.output).step_by(apart).collect();
            for chunk in places.chunks(together) {
                let features = (0..outer).step_by(MOST_COLUMNS);
                all.extend(features.map(|first| Panel {
                    plane,
                    place: chunk[0],
                    places: chunk.len(),
                    apart,
                    first,
                    features: MOST_COLUMNS.min(outer - first),
                }));
            }
        }
    }
    Some(all)
}
