//! Lanes of sums over many positions at few places: gradients of depthwise kernels.
//!
//! ```text
//! for rows of places, lanes by 32 (a piece):
//!     for features, planes, rows of the window:        sums of the places in a row, in registers, eight at a time
//!         for positions of the row:                    one vector of the kernel, as many of the image as places
//! ```
//!
//! So image and kernel are read once for each row of places. The sums of a row of the window are fused multiply-adds in
//! ascending order; sums of rows are added by features, planes and rows.

use super::{LANES, Lanes, Vector, seen};
use crate::convolution::{At, Phase, Spatial};
use meshwright_runtime::Workers;
use std::arch::x86_64::*;

/// Vectors of lanes, and places whose sums are in registers.
const VECTORS: usize = 2;
const PLACES: usize = 8;

pub fn run(lanes: &Lanes<'_>, phase: &Phase, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
    let (step, rows, planes) = (lanes.step, phase.h.output, phase.d.output);
    let blocks = lanes.count.div_ceil(VECTORS * LANES);
    let cuts = phase.w.output.div_ceil(PLACES);
    workers.each(step.batch.0 * planes * rows * cuts * blocks, &|piece| {
        let (piece, lane) = (piece / blocks, piece % blocks * VECTORS * LANES);
        let (piece, first) = (piece / cuts, piece % cuts * PLACES);
        let (piece, row) = (piece / rows, piece % rows);
        let (image, plane) = ((piece / planes) as isize, piece % planes);
        let row = Row {
            lanes,
            phase,
            from: input.ptr().wrapping_offset(image * step.batch.1),
            kernel: kernel.ptr().wrapping_offset(phase.kernel).wrapping_add(lane),
            lane,
            plane,
            row,
            first,
            count: PLACES.min(phase.w.output - first),
        };
        let to = to.ptr().wrapping_offset(image * step.batch.2 + phase.output).wrapping_add(lane);
        let to = to.wrapping_offset(plane as isize * phase.d.output_stride);
        let to = to.wrapping_offset(row.row as isize * phase.h.output_stride);
        let to = to.wrapping_offset(first as isize * phase.w.output_stride);
        // SAFETY: the CPU has AVX-512, or this would not be chosen; positions that are seen exist.
        unsafe { row.run(to) };
    });
}

/// Some places of a row, some lanes.
struct Row<'a> {
    lanes: &'a Lanes<'a>,
    phase: &'a Phase,
    from: *const f32,
    kernel: *const f32,
    lane: usize,
    plane: usize,
    row: usize,
    first: usize,
    count: usize,
}

type Sums = [[__m512; VECTORS]; PLACES];

impl Row<'_> {
    /// # Safety
    /// All that is seen exists, and the results; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    unsafe fn run(&self, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe {
            match self.lanes.spread {
                1 => self.all::<false>(to),
                _ => self.all::<true>(to),
            }
        }
    }

    /// # Safety
    /// As [`Self::run`].
    #[target_feature(enable = "avx512f")]
    unsafe fn all<const SPREAD: bool>(&self, to: *mut f32) {
        let none = Vector { first: 0, read: 0, from: _mm512_setzero_si512(), mask: 0 };
        let mut vectors = [none; VECTORS];
        for (at, vector) in vectors.iter_mut().enumerate() {
            if self.lane + at * LANES < self.lanes.count {
                *vector = self.lanes.vector(self.lane + at * LANES);
            }
        }
        let mut sums: Sums = [[_mm512_setzero_ps(); VECTORS]; PLACES];
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
                    unsafe { self.add::<SPREAD>(&vectors, from, kernel, &mut sums) };
                }
            }
        }
        for (place, sums) in sums.iter().enumerate().take(self.count) {
            let to = to.wrapping_offset(place as isize * self.phase.w.output_stride);
            for (at, sum) in sums.iter().enumerate() {
                // SAFETY: masked elements are not touched.
                unsafe { _mm512_mask_storeu_ps(to.wrapping_add(at * LANES), vectors[at].mask, *sum) };
            }
        }
    }

    /// Add what a row of the window gives.
    ///
    /// # Safety
    /// As [`Self::run`].
    #[target_feature(enable = "avx512f")]
    unsafe fn add<const SPREAD: bool>(
        &self,
        vectors: &[Vector; VECTORS],
        from: *const f32,
        kernel: *const f32,
        sums: &mut Sums,
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
        let mut found: Sums = [[_mm512_setzero_ps(); VECTORS]; PLACES];
        // SAFETY: the caller's.
        unsafe {
            for place in 0..self.count {
                for position in starts[place]..from_all.min(ends[place]) {
                    let kernel = kernel.wrapping_offset(position as isize * w.kernel_stride);
                    one::<SPREAD>(vectors, at(place, position), kernel, &mut found[place]);
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
                        $($places => together::<$places, SPREAD>(vectors, image_at, kernel_at, (count, steps), &mut found),)*
                        _ => {}
                    }
                };
            }
            by_places!(1 2 3 4 5 6 7 8);
            for place in 0..self.count {
                for position in until_all.max(starts[place])..ends[place] {
                    let kernel = kernel.wrapping_offset(position as isize * w.kernel_stride);
                    one::<SPREAD>(vectors, at(place, position), kernel, &mut found[place]);
                }
            }
        }
        for (sums, found) in sums.iter_mut().flatten().zip(found.iter().flatten()) {
            *sums = _mm512_add_ps(*sums, *found);
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
/// As [`Row::run`].
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn together<const P: usize, const SPREAD: bool>(
    vectors: &[Vector; VECTORS],
    mut image: *const f32,
    mut kernel: *const f32,
    (count, steps): (usize, Steps),
    found: &mut Sums,
) {
    let mut sums = [[_mm512_setzero_ps(); VECTORS]; P];
    sums.copy_from_slice(&found[..P]);
    for _ in 0..count {
        for (at, vector) in vectors.iter().enumerate() {
            // SAFETY: masked elements are not touched.
            unsafe {
                let y = _mm512_maskz_loadu_ps(vector.mask, kernel.wrapping_add(at * LANES));
                for (place, sums) in sums.iter_mut().enumerate() {
                    let x = vector.image::<SPREAD>(image.wrapping_offset(place as isize * steps.place));
                    sums[at] = _mm512_fmadd_ps(x, y, sums[at]);
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
/// As [`Row::run`].
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn one<const SPREAD: bool>(
    vectors: &[Vector; VECTORS],
    image: *const f32,
    kernel: *const f32,
    sums: &mut [__m512; VECTORS],
) {
    for (at, vector) in vectors.iter().enumerate() {
        // SAFETY: masked elements are not touched.
        unsafe {
            let x = vector.image::<SPREAD>(image);
            let y = _mm512_maskz_loadu_ps(vector.mask, kernel.wrapping_add(at * LANES));
            sums[at] = _mm512_fmadd_ps(x, y, sums[at]);
        }
    }
}
