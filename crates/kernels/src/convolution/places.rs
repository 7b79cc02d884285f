//! Convolutions with more places than positions of the window: products of places by window times features.
//!
//! ```text
//! for each group, some images, plane, band of rows, cut of a row, some features to make (a piece):
//!     for some planes of the window, some features to sum over:
//!         copy the rows these images have of them into padded bands
//!         for features made, by K::COLUMNS:            pack the kernel, all positions
//!             for images, rows, places by K::rows:     a tile of results: one sum over positions and features
//! ```
//!
//! What is packed of kernel and image fits a worker's scratch: long rows are cut, and so are sums over many features.
//! The sums of such passes are added to the result one after the other. Small images share what is packed of the
//! kernel, and pieces are cut by features then.
//!
//! Positions along a row of the band lie side by side, so that few channels make long sums. Where features are few,
//! several rows of the result are computed together: the kernel is packed once for each, a row lower each time. So are
//! parts of a convolution of a dilated image: they see the same band, each at some of the positions. Within a pass
//! positions are added in row-major order, fused multiply-adds, features innermost. Where passes end is the same on all
//! CPUs ([`Split`]), and what is computed together changes no sum.

use super::band::{self, Channels, Lines, Runs};
use super::kernel::{Kernel, MOST_COLUMNS, MOST_ROWS, OnVectors, Vector, ask, nothing};
use super::{At, ConvolutionStep, Phase, Spatial};
use crate::gemm::sums::Segments;
use crate::gemm::{SCRATCH, Strided, Target, with_scratch};
use meshwright_runtime::Workers;
use std::mem::MaybeUninit;

/// Flops of a piece, about.
const PIECE: usize = 1 << 27;
/// Lines of the packed kernel at most, which then is half of the scratch: the rest is for the band.
const LINES: usize = SCRATCH / 2 / 4 / MOST_COLUMNS;
/// Places for which a kernel is packed, better more: packing 32 features takes as long as six places or so.
const MANY: usize = 784;
/// Pieces, better more: they are shared out among workers.
const PIECES: usize = 4;
/// Columns of parts that are computed together at most.
const MOST_TOGETHER: usize = 64;

/// What is summed before the sum is added to the result.
#[derive(Clone, Copy)]
pub struct Split {
    /// Planes of the window, and features.
    planes: usize,
    inner: usize,
}

impl Split {
    /// `None` if the kernel of one feature does not fit a worker's scratch, or a band of a few places.
    pub fn of(step: &ConvolutionStep, phases: &[Phase]) -> Option<Split> {
        let of = |size: &dyn Fn(&Phase) -> usize| phases.iter().map(size).max().unwrap_or(0);
        let planes = of(&|phase| phase.d.window);
        let first = phases.first()?;
        // Parts that are computed together begin at different positions.
        let joined = |dim: &dyn Fn(&Phase) -> Spatial| {
            let rest = phases.iter().map(dim);
            rest.fold(dim(first), |all, dim| all.joined(&dim))
        };
        let (h, w) = (joined(&|phase| phase.h.clone()), joined(&|phase| phase.w.clone()));
        let positions = h.window.checked_mul(w.window)?;
        // Where features are few, room for the rows that are computed together.
        let lines = if step.outer.0 <= MOST_COLUMNS / 2 { LINES / 2 } else { LINES };
        let span = band::columns(&Spatial { output: 1, ..h.clone() });
        let band = |width: usize| {
            let columns = band::columns(&Spatial { output: width, ..w.clone() });
            columns.checked_add(MOST_ROWS * w.step as usize)?.checked_mul(span)
        };
        let least = band(MOST_ROWS.min(of(&|phase| phase.w.output)))?;
        let whole = band(of(&|phase| phase.w.output))?;
        let fits = |inner: usize, lines: usize, band: usize| {
            let within = |x: usize, most: usize| x.checked_mul(inner).is_some_and(|x| x <= most);
            within(positions, lines) && within(band, SCRATCH / 2 / 4 - MOST_COLUMNS)
        };
        let mut inner = step.inner.0.max(1);
        while !fits(inner, lines, least) {
            inner = (inner > 1).then(|| inner.div_ceil(2))?;
        }
        let mut split = Split { planes: 1, inner };
        // Few features make short sums: planes of the window go together.
        while inner >= step.inner.0 && split.planes < planes {
            let more = inner * (split.planes + 1);
            if !fits(more, lines, whole.saturating_mul(2)) {
                break;
            }
            split.planes += 1;
        }
        Some(split)
    }
}

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
    /// Images of a piece, and columns that it makes.
    images: usize,
    columns: usize,
    split: Split,
    /// Rows of a plane of the band that rows computed together see, relative to the first.
    seen: Vec<usize>,
    runs: Vec<Run>,
}

/// Columns that go side by side to the result.
#[derive(Clone, Copy)]
struct Run {
    column: usize,
    count: usize,
    /// Elements of the result before the first one, for the first row.
    offset: isize,
    /// Which of the rows that are computed together, and how many rows and places there are.
    row: usize,
    rows: usize,
    places: usize,
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

/// Where features are few, places of a row take turns: each turn is a part of its own, `turns` places apart, so that
/// several places are computed together. They share most of what they see.
pub fn by_turns<K: Kernel>(step: &ConvolutionStep, phases: &[Phase], split: Split) -> Vec<Phase> {
    let of_plane = |parts: &[Phase]| -> Vec<Phase> {
        let Some(Phase { h, w, .. }) = around(parts) else { return Vec::new() };
        let room = K::COLUMNS / (parts.len() * step.outer.0).max(1);
        let lines = LINES / (split.inner * split.planes);
        // Positions that are multiplied for each place, by a thousand.
        let cost = |turns: usize| {
            let across = w.window + (turns - 1) * w.step as usize;
            let (rows, seen) = fold(&h, room / turns, lines / across.max(1));
            let fits = turns == 1 || seen.len() * across <= lines;
            if fits { 1000 * seen.len() * across / (rows * turns) } else { usize::MAX }
        };
        let most = if w.window_dilation == 1 { room.min(w.output) } else { 1 };
        let turns = (1..=most).min_by_key(|turns| cost(*turns)).unwrap_or(1);
        (0..turns).flat_map(|turn| parts.iter().map(move |part| part.turn(turn, turns))).collect()
    };
    phases.chunk_by(|a, b| a.plane == b.plane).flat_map(of_plane).collect()
}

/// Which parts are computed together: those between the same planes, so that tiles and positions are fewest.
pub fn together<'a, K: Kernel>(step: &ConvolutionStep, phases: &'a [Phase]) -> Vec<&'a [Phase]> {
    let outer = step.outer.0.max(1);
    let cost = |parts: &[Phase]| {
        let positions = around(parts).map_or(0, |all| all.h.window * all.w.window);
        (parts.len() * outer).div_ceil(K::COLUMNS) * positions
    };
    let cut = |all: &'a [Phase]| {
        let most = (MOST_TOGETHER / outer).clamp(1, all.len());
        let count = (1..=most).min_by_key(|count| all.chunks(*count).map(cost).sum::<usize>());
        all.chunks(count.unwrap_or(1))
    };
    phases.chunk_by(|a, b| a.plane == b.plane).flat_map(cut).collect()
}

/// Rows of a band that so many rows of the result see.
fn seen(h: &Spatial, fold: usize) -> Vec<usize> {
    let (apart, dilation) = (h.step as usize, h.window_dilation as usize);
    let all = (0..fold).flat_map(|row| (0..h.window).map(move |at| row * apart + at * dilation));
    let mut all: Vec<usize> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// As many rows as fit the columns, if rows that are computed together share what they see, and that is not too much.
fn fold(h: &Spatial, most: usize, most_seen: usize) -> (usize, Vec<usize>) {
    let mut best = (1, seen(h, 1));
    for rows in 2..=most.min(h.output) {
        let seen = seen(h, rows);
        if seen.len() <= most_seen && seen.len() * best.0 < best.1.len() * rows {
            best = (rows, seen);
        }
    }
    best
}

impl<'a> Places<'a> {
    /// `None` if a band of a few places does not fit a worker's scratch, which does not happen to the parts that
    /// [`Split::of`] was asked for.
    pub fn of<K: Kernel>(step: &'a ConvolutionStep, phases: &'a [Phase], split: Split) -> Option<Places<'a>> {
        let phase = around(phases)?;
        let depth = phase.w.window * split.inner * split.planes;
        let (fold, seen) =
            fold(&phase.h, K::COLUMNS / (phases.len() * step.outer.0).max(1), LINES / depth.max(1));
        let (output, wide) = (phase.h.output, phase.w.output);
        let (width, rows, images, columns) = (wide.max(1), fold, 1, phases.len() * fold * step.outer.0);
        let runs = Vec::new();
        let mut plan = Places { step, phase, phases, fold, rows, width, images, columns, split, seen, runs };
        while !plan.fits(plan.fold) && plan.width > MOST_ROWS {
            plan.width = plan.width.div_ceil(2).next_multiple_of(MOST_ROWS);
        }
        while !plan.fits(plan.fold) && plan.fold > 1 {
            plan.fold /= 2;
            plan.seen = self::seen(&plan.phase.h, plan.fold);
        }
        plan.width = plan.even(plan.width, MOST_ROWS);
        plan.rows = plan.fold;
        let row = plan.flops(plan.width).max(1);
        if row > PIECE {
            let many = (PIECE / plan.flops(1).max(1) / MOST_ROWS).max(16) * MOST_ROWS;
            plan.width = plan.even(many.min(plan.width), MOST_ROWS);
        }
        let wanted = (PIECE / row).clamp(1, output.max(1)).next_multiple_of(plan.fold);
        while plan.rows < wanted && plan.fits(plan.rows + plan.fold) {
            plan.rows += plan.fold;
        }
        // Bands of about the same height.
        let bands = output.div_ceil(plan.rows).max(1);
        plan.rows = output.div_ceil(bands).next_multiple_of(plan.fold).max(plan.fold);
        plan.more_images();
        let (pieces, all) = (plan.pieces(), plan.all_columns());
        let cuts = PIECES.div_ceil(pieces.max(1)).min(all.div_ceil(MOST_COLUMNS)).max(1);
        plan.columns = all.div_ceil(cuts).next_multiple_of(MOST_COLUMNS);
        plan.runs = plan.runs();
        plan.fits(plan.rows).then_some(plan)
    }

    /// Columns of all tiles: features of all parts, and rows that are computed together.
    fn all_columns(&self) -> usize {
        self.phases.len() * self.fold * self.step.outer.0
    }

    /// The part and the row of a group of columns: parts lie side by side in the result.
    fn group(&self, group: usize) -> (&'a Phase, usize) {
        (&self.phases[group % self.phases.len()], group / self.phases.len())
    }

    fn runs(&self) -> Vec<Run> {
        let (h, outer) = (&self.phase.h, self.step.outer);
        let mut runs: Vec<Run> = Vec::new();
        for group in 0..self.phases.len() * self.fold {
            let (phase, row) = self.group(group);
            let offset = phase.output + row as isize * h.output_stride;
            let (rows, places) = (phase.h.output, phase.w.output);
            if let Some(last) = runs.last_mut()
                && outer.2 == 1
                && (last.row, last.rows, last.places) == (row, rows, places)
                && last.offset + last.count as isize == offset
            {
                last.count += outer.0;
                continue;
            }
            runs.push(Run { column: group * outer.0, count: outer.0, offset, row, rows, places });
        }
        runs
    }

    /// Pieces of one cut of columns.
    fn pieces(&self) -> usize {
        let (phase, step) = (&self.phase, self.step);
        let of_image =
            phase.d.output * phase.h.output.div_ceil(self.rows) * phase.w.output.div_ceil(self.width);
        step.groups * step.batch.0.div_ceil(self.images) * of_image
    }

    /// Small images go together, with fewer features at a time if they have to.
    fn more_images(&mut self) {
        let (batch, places) = (self.step.batch.0, self.rows * self.width);
        let one = (self.images, self.split);
        let wanted = MANY.div_ceil(places.max(1)).min(batch);
        if wanted < 2 || self.step.outer.0 <= MOST_COLUMNS || self.rows < self.phase.h.output {
            return;
        }
        self.images = batch.div_ceil(batch.div_ceil(wanted));
        while !self.fits(self.rows) && self.split.inner > 64 {
            self.split = Split { inner: self.split.inner.div_ceil(2), planes: 1 };
        }
        if !self.fits(self.rows) {
            (self.images, self.split) = one;
        }
    }

    /// About so many places, so that all cuts have about as many.
    fn even(&self, width: usize, by: usize) -> usize {
        let all = self.phase.w.output.max(1);
        let cuts = all.div_ceil(width.max(1));
        if cuts == 1 { all } else { all.div_ceil(cuts).next_multiple_of(by) }
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

    /// Elements of a band, and of what the last places see beyond its end.
    fn band_len(&self, rows: usize) -> usize {
        let columns = band::columns(&Spatial { output: self.width, ..self.phase.w.clone() });
        let len = self.lines(rows).saturating_mul(columns).saturating_mul(self.split.inner);
        let len = len.saturating_mul(self.split.planes).saturating_mul(self.images);
        len.saturating_add(self.beyond(self.split.inner)).next_multiple_of(16)
    }

    fn beyond(&self, inner: usize) -> usize {
        MOST_ROWS.saturating_mul(self.phase.w.step as usize).saturating_mul(inner)
    }

    fn panel_len(&self) -> usize {
        let depth = self.phase.w.window.saturating_mul(self.split.inner).saturating_mul(self.split.planes);
        self.seen.len().saturating_mul(depth).saturating_mul(MOST_COLUMNS)
    }

    pub fn run<K: Kernel>(&self, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let (step, phase) = (self.step, &self.phase);
        let bands = phase.h.output.div_ceil(self.rows);
        let cuts = phase.w.output.div_ceil(self.width);
        let (planes, images) = (phase.d.output, step.batch.0.div_ceil(self.images));
        let columns = self.all_columns().div_ceil(self.columns.max(1));
        workers.each(self.pieces() * columns, &|piece| {
            let (input, kernel, to) = (input.ptr(), kernel.ptr(), to.ptr());
            let (piece, first) = (piece / columns, piece % columns * self.columns);
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
            // SAFETY: the CPU has what the kernel needs, or it would not be chosen; the piece's places belong to it
            // alone, and what it packs fits the scratch.
            with_scratch(|scratch| unsafe { self.piece::<K>(at, from, kernel, to, scratch) });
        });
    }

    /// # Safety
    /// As [`super::ConvolutionStep::run`]; the CPU has what the kernel needs.
    unsafe fn piece<K: Kernel>(
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
            let of_plane = lines.count * pass.columns * pass.inner;
            let from = from.wrapping_offset(pass.first as isize * inner.1);
            let kernel = kernel.wrapping_offset(pass.first as isize * inner.2);
            // SAFETY: the caller's.
            unsafe {
                for image in 0..corner.images {
                    let from = from.wrapping_offset(image as isize * self.step.batch.1);
                    let to = scratch.add(image * pass.planes.len() * of_plane);
                    for (at, (_, plane)) in pass.planes.iter().enumerate() {
                        let from = from.wrapping_offset(plane * d.input_stride);
                        band::copy(from, (h, &w), channels, lines, to.add(at * of_plane));
                    }
                }
                let bands = corner.images * pass.planes.len();
                scratch.add(bands * of_plane).write_bytes(0, self.beyond(pass.inner));
                let until = self.all_columns().min(corner.first + self.columns);
                for first in (corner.first..until).step_by(MOST_COLUMNS) {
                    let tiles = (first..until.min(first + MOST_COLUMNS)).step_by(K::COLUMNS);
                    let tiles = tiles.map(|first| (first, K::COLUMNS.min(until - first)));
                    self.pack::<K>(&pass, kernel, tiles.clone(), panel);
                    let len = pass.starts.len() * pass.depth * K::COLUMNS;
                    for (at, (first, columns)) in tiles.enumerate() {
                        let panel = panel.wrapping_add(at * len);
                        let tile = Tile { row: 0, place: corner.place, count: w.output, first, columns };
                        for image in 0..corner.images {
                            let to = to.wrapping_offset(image as isize * self.step.batch.2);
                            let band = scratch.add(image * pass.planes.len() * of_plane);
                            self.rows::<K>(band, &pass, panel, (corner.row, rows), tile, to);
                        }
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
        for planes in planes.chunks(self.split.planes) {
            for first in (0..all).step_by(self.split.inner) {
                let inner = self.split.inner.min(all - first);
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

    /// The kernel of some tiles of columns: for each, a line for each element that is seen. Tiles share cache lines and
    /// pages.
    ///
    /// # Safety
    /// As [`Self::piece`].
    unsafe fn pack<K: Kernel>(
        &self,
        pass: &Pass<'_>,
        kernel: *const f32,
        tiles: impl Iterator<Item = (usize, usize)> + Clone,
        panel: *mut f32,
    ) {
        let (w, mut lines) = (&self.phase.w, panel);
        let len = pass.starts.len() * pass.depth * K::COLUMNS;
        for (plane, _) in pass.planes {
            let kernel = kernel.wrapping_offset(*plane as isize * self.phase.d.kernel_stride);
            for seen in &self.seen {
                for at in 0..w.window {
                    for (tile, columns) in tiles.clone().enumerate() {
                        let to = lines.wrapping_add(tile * len);
                        // SAFETY: the caller's; a panel has so many lines.
                        unsafe { self.pack_position::<K>(pass.inner, (*seen, at), kernel, columns, to) };
                    }
                    lines = lines.wrapping_add(pass.inner * K::COLUMNS);
                }
            }
        }
    }

    /// # Safety
    /// As [`Self::pack`].
    unsafe fn pack_position<K: Kernel>(
        &self,
        count: usize,
        at: (usize, usize),
        kernel: *const f32,
        (first, columns): (usize, usize),
        lines: *mut f32,
    ) {
        let (h, w, inner, outer) = (&self.phase.h, &self.phase.w, self.step.inner, self.step.outer);
        let alone = self.phases.len() * self.fold == 1;
        // SAFETY: the caller's.
        unsafe {
            if alone && outer.1 != 1 {
                let from = at.0 as isize / h.window_dilation as isize * h.kernel_stride;
                let from = from + at.1 as isize * w.kernel_stride + first as isize * outer.1;
                let at = kernel.wrapping_offset(self.phases[0].kernel + from);
                return K::pack(Strided { at, row: inner.2, column: outer.1 }, count, columns, lines);
            }
            if !alone || columns < K::COLUMNS {
                lines.write_bytes(0, count * K::COLUMNS);
            }
            for group in first / outer.0..(first + columns).div_ceil(outer.0) {
                let (phase, row) = self.group(group);
                let Some((down, across)) = self.position(phase, at, row) else { continue };
                let from = down as isize * h.kernel_stride + across as isize * w.kernel_stride;
                let own = group * outer.0;
                let (begin, end) = (first.max(own), (first + columns).min(own + outer.0));
                let feature = (begin - own) as isize;
                let runs = Runs {
                    from: kernel.wrapping_offset(phase.kernel + from + feature * outer.1),
                    apart: inner.2,
                    stride: outer.1,
                    lines: count,
                    count: end - begin,
                    to: lines.wrapping_add(begin - first),
                    pitch: K::COLUMNS,
                };
                runs.copy::<K>();
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
    unsafe fn rows<K: Kernel>(
        &self,
        band: *const f32,
        pass: &Pass<'_>,
        panel: *const f32,
        (first, rows): (usize, usize),
        tile: Tile,
        to: *mut f32,
    ) {
        let apart = self.phase.h.step as usize * pass.columns * pass.inner;
        for at in (0..rows).step_by(self.fold) {
            let tile = Tile { row: first + at, ..tile };
            // SAFETY: the caller's.
            unsafe { self.row::<K>(band.wrapping_add(at * apart), pass, panel, tile, to) };
        }
    }

    /// Rows of the result that are computed together.
    ///
    /// # Safety
    /// As [`Self::piece`].
    unsafe fn row<K: Kernel>(
        &self,
        line: *const f32,
        pass: &Pass<'_>,
        panel: *const f32,
        row: Tile,
        to: *mut f32,
    ) {
        let apart = w_apart(&self.phase.w, pass.inner);
        let Pass { starts, depth, .. } = pass;
        let (w, outer) = (&self.phase.w, self.step.outer);
        let direct = self.phases.len() * self.fold == 1 && outer.2 == 1;
        let mut place = 0;
        while place < row.count {
            let count = K::rows(row.count - place);
            let at = line.wrapping_add(place * apart);
            let a = Segments { at, starts, depth: *depth, row: apart as isize, step: 1 };
            let tile = Tile { place: row.place + place, count, ..row };
            place += count;
            // SAFETY: the caller's; places lie in the band and what was cleared beyond it.
            unsafe {
                if direct {
                    let c = self.target(tile, pass.add, to);
                    (0..count as isize).for_each(|place| {
                        let at = c.at.wrapping_offset(place * c.row);
                        (0..K::COLUMNS).step_by(16).for_each(|column| ask(at.wrapping_add(column)));
                    });
                    tile_of::<K>((count, tile.columns), a, panel, c);
                    continue;
                }
                let mut sums = MaybeUninit::<[f32; MOST_ROWS * MOST_COLUMNS]>::uninit();
                let at_sums = sums.as_mut_ptr().cast::<f32>();
                let c = Target { at: at_sums, row: K::COLUMNS as isize, column: 1, add: false };
                tile_of::<K>((count, K::COLUMNS), a, panel, c);
                let scatter = Scatter {
                    plan: self,
                    pass,
                    tile,
                    sums: std::slice::from_raw_parts(at_sums, count * K::COLUMNS),
                    pitch: K::COLUMNS,
                    operands: (at, panel),
                    to: to.wrapping_offset(tile.place as isize * w.output_stride),
                };
                K::on_vectors(&scatter);
            }
        }
    }

    /// Where a tile of one part goes.
    fn target(&self, tile: Tile, add: bool, to: *mut f32) -> Target {
        let (h, w) = (&self.phase.h, &self.phase.w);
        let to = to.wrapping_offset(self.phases[0].output + tile.row as isize * h.output_stride);
        let to = to.wrapping_offset(tile.place as isize * w.output_stride).wrapping_add(tile.first);
        Target { at: to, row: w.output_stride, column: 1, add }
    }

    /// One result by the positions it sees alone: what is packed as zero for it makes what is no number of an infinity.
    ///
    /// # Safety
    /// As [`Self::piece`]; the place's band and the panel exist.
    unsafe fn alone(
        &self,
        pass: &Pass<'_>,
        (band, lane): (*const f32, *const f32),
        pitch: usize,
        column: usize,
    ) -> f32 {
        let (phase, row) = self.group(column / self.step.outer.0);
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
                let (x, y) = unsafe { (*from.add(i), *lane.add((run * pass.inner + i) * pitch)) };
                sum = x.mul_add(y, sum);
            }
        }
        sum
    }
}

/// A tile, of whatever is summed.
///
/// # Safety
/// As [`Kernel::tile`].
unsafe fn tile_of<K: Kernel>(size: (usize, usize), a: Segments<'_>, panel: *const f32, c: Target) {
    // SAFETY: the caller's.
    unsafe { if a.starts.is_empty() || a.depth == 0 { nothing(size, c) } else { K::tile(size, a, panel, c) } }
}

/// Sums of a tile, on their way to the rows and parts they belong to.
struct Scatter<'a> {
    plan: &'a Places<'a>,
    pass: &'a Pass<'a>,
    tile: Tile,
    /// Lines of so many columns, one for each place.
    sums: &'a [f32],
    pitch: usize,
    /// The first place's band, and the panel.
    operands: (*const f32, *const f32),
    /// Where the first place's results go.
    to: *mut f32,
}

impl OnVectors for Scatter<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        let (plan, tile) = (self.plan, self.tile);
        let outer = plan.step.outer;
        let together = plan.phases.len() * plan.fold;
        let numbers = together == 1 || !self.sums.iter().fold(false, |no, sum| no | sum.is_nan());
        for run in &plan.runs {
            let (begin, end) =
                (tile.first.max(run.column), (tile.first + tile.columns).min(run.column + run.count));
            if begin >= end || tile.row + run.row >= run.rows || tile.place >= run.places {
                continue;
            }
            let places = tile.count.min(run.places - tile.place);
            let to = self.to.wrapping_offset(tile.row as isize * plan.phase.h.output_stride + run.offset);
            let to = to.wrapping_offset((begin - run.column) as isize * outer.2);
            // SAFETY: who made this says so.
            unsafe {
                if !numbers {
                    self.not_all_numbers((begin, end), places, to);
                } else if outer.2 == 1 {
                    self.side_by_side::<V>((begin, end), places, to);
                } else {
                    self.strided((begin, end), places, to);
                }
            }
        }
    }
}

impl Scatter<'_> {
    /// # Safety
    /// The results exist.
    #[inline(always)]
    unsafe fn side_by_side<V: Vector>(&self, (begin, end): (usize, usize), places: usize, to: *mut f32) {
        let (count, apart) = (end - begin, self.plan.phase.w.output_stride);
        let whole = count / V::LANES * V::LANES;
        let rest = V::first(count - whole);
        for place in 0..places {
            let from = self.sums[place * self.pitch + begin - self.tile.first..][..count].as_ptr();
            let to = to.wrapping_offset(place as isize * apart);
            // SAFETY: the caller's.
            unsafe {
                for at in (0..whole).step_by(V::LANES) {
                    let (sum, to) = (V::load(from.add(at)), to.add(at));
                    let sum = if self.pass.add { sum.plus(V::load(to)) } else { sum };
                    sum.store(to);
                }
                if whole < count {
                    let (sum, to) = (V::load_first(from.add(whole), rest), to.add(whole));
                    let sum = if self.pass.add { sum.plus(V::load_first(to, rest)) } else { sum };
                    sum.store_first(to, rest);
                }
            }
        }
    }

    /// Places may lie side by side where features do not.
    ///
    /// # Safety
    /// The results exist.
    #[inline(always)]
    unsafe fn strided(&self, (begin, end): (usize, usize), places: usize, to: *mut f32) {
        let apart = self.plan.phase.w.output_stride;
        for column in begin..end {
            let to = to.wrapping_offset((column - begin) as isize * self.plan.step.outer.2);
            for place in 0..places {
                let sum = self.sums[place * self.pitch + column - self.tile.first];
                // SAFETY: the caller's.
                unsafe {
                    let to = to.offset(place as isize * apart);
                    *to = if self.pass.add { *to + sum } else { sum };
                }
            }
        }
    }

    /// # Safety
    /// The results exist, and what was multiplied.
    unsafe fn not_all_numbers(&self, (begin, end): (usize, usize), places: usize, to: *mut f32) {
        let (plan, outer) = (self.plan, self.plan.step.outer);
        let apart = w_apart(&plan.phase.w, self.pass.inner);
        for (place, column) in (0..places).flat_map(|place| (begin..end).map(move |column| (place, column))) {
            let own = column - self.tile.first;
            let mut sum = self.sums[place * self.pitch + own];
            let to = to.wrapping_offset(place as isize * plan.phase.w.output_stride);
            let to = to.wrapping_offset((column - begin) as isize * outer.2);
            let operands = (self.operands.0.wrapping_add(place * apart), self.operands.1.wrapping_add(own));
            // SAFETY: the caller's.
            unsafe {
                if sum.is_nan() {
                    sum = plan.alone(self.pass, operands, self.pitch, column);
                }
                *to = if self.pass.add { *to + sum } else { sum };
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
    /// Images, and the first of the columns that are made.
    images: usize,
    first: usize,
}

/// Which results are computed: the row, places and columns from the first on, and how many.
#[derive(Clone, Copy)]
struct Tile {
    row: usize,
    place: usize,
    count: usize,
    first: usize,
    columns: usize,
}

/// The places and positions of all parts: parts differ in how many they have, and in their padding.
fn around(phases: &[Phase]) -> Option<Phase> {
    let (first, rest) = phases.split_first()?;
    let mut all = first.clone();
    for phase in rest {
        debug_assert_eq!(all.plane, phase.plane);
        (all.h, all.w) = (all.h.joined(&phase.h), all.w.joined(&phase.w));
    }
    Some(all)
}
