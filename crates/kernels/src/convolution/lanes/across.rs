//! Lanes of sums over many positions at few places: gradients of depthwise kernels.
//!
//! ```text
//! for rows of places, two vectors of lanes (a piece):
//!     for features, planes, rows of the window:        sums of the places in a row, in registers, six or eight at a time
//!         for positions of the row:                    one vector of the kernel, as many of the image as places
//! ```
//!
//! So image and kernel are read once for each row of places. The sums of a row of the window are fused multiply-adds in
//! ascending order; sums of rows are added by features, planes and rows.

use super::{Block, Lanes, SOME, SPREAD, seen};
use crate::convolution::kernel::{Kernel, OnVectors, Vector};
use crate::convolution::{At, Phase, Spatial};
use meshwright_runtime::Workers;

/// Vectors of lanes, and places whose sums are in registers, at most.
const VECTORS: usize = 2;
const PLACES: usize = 8;

pub fn run<K: Kernel>(
    lanes: &Lanes<'_>,
    phase: &Phase,
    (input, kernel, to): (At, At, At),
    workers: &dyn Workers,
) {
    let (step, rows, planes) = (lanes.step, phase.h.output, phase.d.output);
    let wide = VECTORS * K::Vector::LANES;
    let places = PLACES.min(K::Vector::SUMS / VECTORS);
    let blocks = lanes.count.div_ceil(wide);
    let cuts = phase.w.output.div_ceil(places);
    workers.each(step.batch.0 * planes * rows * cuts * blocks, &|piece| {
        let (piece, lane) = (piece / blocks, piece % blocks * wide);
        let (piece, first) = (piece / cuts, piece % cuts * places);
        let (piece, row) = (piece / rows, piece % rows);
        let (image, plane) = ((piece / planes) as isize, piece % planes);
        let to = to.ptr().wrapping_offset(image * step.batch.2 + phase.output).wrapping_add(lane);
        let to = to.wrapping_offset(plane as isize * phase.d.output_stride);
        let to = to.wrapping_offset(row as isize * phase.h.output_stride);
        let row = Row {
            lanes,
            phase,
            from: input.ptr().wrapping_offset(image * step.batch.1),
            kernel: kernel.ptr().wrapping_offset(phase.kernel).wrapping_add(lane),
            to: to.wrapping_offset(first as isize * phase.w.output_stride),
            lane,
            plane,
            row,
            first,
            count: places.min(phase.w.output - first),
        };
        // SAFETY: the CPU has what the kernel needs, or it would not be chosen; positions that are seen exist.
        unsafe { K::on_vectors(&row) };
    });
}

/// Some places of a row, some lanes.
struct Row<'a> {
    lanes: &'a Lanes<'a>,
    phase: &'a Phase,
    from: *const f32,
    kernel: *const f32,
    to: *mut f32,
    lane: usize,
    plane: usize,
    row: usize,
    first: usize,
    count: usize,
}

type Sums<V> = [[V; VECTORS]; PLACES];

impl OnVectors for Row<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        let whole = self.lanes.count - self.lane >= VECTORS * V::LANES;
        // SAFETY: who made this says so.
        unsafe {
            match (self.lanes.spread, whole) {
                (1, true) => self.all::<V, 0>(),
                (1, false) => self.all::<V, SOME>(),
                _ => self.all::<V, { SPREAD | SOME }>(),
            }
        }
    }
}

impl Row<'_> {
    /// # Safety
    /// All that is seen exists, and the results.
    #[inline(always)]
    unsafe fn all<V: Vector, const HOW: u8>(&self) {
        let mut blocks = [Block::<V>::none(); VECTORS];
        for (at, block) in blocks.iter_mut().enumerate() {
            if self.lane + at * V::LANES < self.lanes.count {
                *block = self.lanes.block(self.lane + at * V::LANES);
            }
        }
        let mut sums: Sums<V> = [[V::zero(); VECTORS]; PLACES];
        let (d, h, inner) = (&self.phase.d, &self.phase.h, self.lanes.inner);
        let lines = |dim: &Spatial, place: usize| {
            let first = place as i64 * dim.step - dim.pad_low;
            let (apart, strides) = (dim.window_dilation, (dim.input_stride, dim.kernel_stride));
            seen(dim, place).map(move |at| {
                let sees = first + at as i64 * apart;
                (sees as isize * strides.0, at as isize * strides.1)
            })
        };
        for feature in 0..inner.0 as isize {
            for plane in lines(d, self.plane) {
                for row in lines(h, self.row) {
                    let from = self.from.wrapping_offset(feature * inner.1 + plane.0 + row.0);
                    let kernel = self.kernel.wrapping_offset(feature * inner.2 + plane.1 + row.1);
                    // SAFETY: the caller's.
                    unsafe { self.add::<V, HOW>(&blocks, from, kernel, &mut sums) };
                }
            }
        }
        for (place, sums) in sums.iter().enumerate().take(self.count) {
            let to = self.to.wrapping_offset(place as isize * self.phase.w.output_stride);
            for (at, sum) in sums.iter().enumerate() {
                // SAFETY: the caller's.
                unsafe { blocks[at].put::<HOW>(*sum, to.wrapping_add(at * V::LANES)) };
            }
        }
    }

    /// Add what a row of the window gives.
    ///
    /// # Safety
    /// As [`Self::all`].
    #[inline(always)]
    unsafe fn add<V: Vector, const HOW: u8>(
        &self,
        blocks: &[Block<V>; VECTORS],
        from: *const f32,
        kernel: *const f32,
        sums: &mut Sums<V>,
    ) {
        let w = &self.phase.w;
        let of = |place: usize| seen(w, self.first + place);
        let starts: [usize; PLACES] = std::array::from_fn(|place| of(place.min(self.count - 1)).start);
        let ends: [usize; PLACES] = std::array::from_fn(|place| of(place.min(self.count - 1)).end);
        let from_all = starts.iter().copied().max().unwrap_or(0);
        let until_all = ends.iter().copied().min().unwrap_or(0).max(from_all);
        let at = |place: usize, position: usize| {
            let index =
                (self.first + place) as i64 * w.step + position as i64 * w.window_dilation - w.pad_low;
            from.wrapping_offset(index as isize * w.input_stride)
        };
        let mut found: Sums<V> = [[V::zero(); VECTORS]; PLACES];
        // SAFETY: the caller's.
        unsafe {
            for place in 0..self.count {
                for position in starts[place]..from_all.min(ends[place]) {
                    let kernel = kernel.wrapping_offset(position as isize * w.kernel_stride);
                    one::<V, HOW>(blocks, at(place, position), kernel, &mut found[place]);
                }
            }
            let steps = Steps {
                place: w.step as isize * w.input_stride,
                image: w.window_dilation as isize * w.input_stride,
                kernel: w.kernel_stride,
            };
            let kernel_at = kernel.wrapping_offset(from_all as isize * w.kernel_stride);
            let image_at = at(0, from_all);
            let count = until_all - from_all;
            macro_rules! by_places {
                ($($places:literal)*) => {
                    match self.count {
                        $($places => together::<V, $places, HOW>(blocks, image_at, kernel_at, (count, steps), &mut found),)*
                        _ => {}
                    }
                };
            }
            by_places!(1 2 3 4 5 6 7 8);
            for place in 0..self.count {
                for position in until_all.max(starts[place])..ends[place] {
                    let kernel = kernel.wrapping_offset(position as isize * w.kernel_stride);
                    one::<V, HOW>(blocks, at(place, position), kernel, &mut found[place]);
                }
            }
        }
        for (sums, found) in sums.iter_mut().flatten().zip(found.iter().flatten()) {
            *sums = sums.plus(*found);
        }
    }
}

/// From place to place in the image, and from position to position in the image and the kernel.
#[derive(Clone, Copy)]
struct Steps {
    place: isize,
    image: isize,
    kernel: isize,
}

/// Positions that all places see.
///
/// # Safety
/// As [`Row::all`].
#[inline(always)]
unsafe fn together<V: Vector, const P: usize, const HOW: u8>(
    blocks: &[Block<V>; VECTORS],
    mut image: *const f32,
    mut kernel: *const f32,
    (count, steps): (usize, Steps),
    found: &mut Sums<V>,
) {
    let mut sums = [[V::zero(); VECTORS]; P];
    sums.copy_from_slice(&found[..P]);
    for _ in 0..count {
        for (at, block) in blocks.iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let y = block.kernel::<HOW>(kernel.wrapping_add(at * V::LANES));
                for (place, sums) in sums.iter_mut().enumerate() {
                    let x = block.image::<HOW>(image.wrapping_offset(place as isize * steps.place));
                    sums[at] = sums[at].fused(x, y);
                }
            }
        }
        (image, kernel) = (image.wrapping_offset(steps.image), kernel.wrapping_offset(steps.kernel));
    }
    found[..P].copy_from_slice(&sums);
}

/// One position of one place.
///
/// # Safety
/// As [`Row::all`].
#[inline(always)]
unsafe fn one<V: Vector, const HOW: u8>(
    blocks: &[Block<V>; VECTORS],
    image: *const f32,
    kernel: *const f32,
    sums: &mut [V; VECTORS],
) {
    for (at, block) in blocks.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe {
            let x = block.image::<HOW>(image);
            let y = block.kernel::<HOW>(kernel.wrapping_add(at * V::LANES));
            sums[at] = sums[at].fused(x, y);
        }
    }
}
