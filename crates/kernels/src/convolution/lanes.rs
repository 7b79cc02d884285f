//! Convolutions of many groups with few features each (depthwise), where groups lie side by side: groups are lanes of
//! vectors.
//!
//! ```text
//! a group makes m features:        result lane l sees lane l / m of the image, which is spread as it is read
//! a group sums over m features:    m lanes of sums, added in the end
//! ```
//!
//! Where places are many, a place's sum goes by features, then by positions in row-major order: fused multiply-adds.
//! Where positions are many, as in gradients of kernels, see [`across`].

use super::{At, ConvolutionStep, Phase, Spatial};
use crate::gemm::avx512::masks;
use meshwright_runtime::Workers;
use std::arch::x86_64::*;
use std::ops::Range;

mod across;

/// Vectors of sums at once.
const AT_ONCE: usize = 4;
/// Elements of a vector.
const LANES: usize = 16;

/// How groups lie.
#[derive(Clone, Copy)]
pub struct Lanes<'a> {
    step: &'a ConvolutionStep,
    /// Lanes of sums, of the kernel and of what a vector is made of.
    count: usize,
    /// Lanes that see the same lane of the image.
    spread: usize,
    /// Lanes of sums that are added to one result.
    fold: usize,
    /// Features that are summed over, one after the other: strides in image and kernel.
    inner: (usize, isize, isize),
}

impl<'a> Lanes<'a> {
    /// `None` if groups do not lie side by side.
    pub fn of(step: &'a ConvolutionStep) -> Option<Lanes<'a>> {
        let (made, summed, [image, kernel, result]) = (step.outer, step.inner, step.group_strides);
        if step.groups < LANES / 2 {
            return None;
        }
        let side_by_side = made.0 == 1 || (made.1, made.2) == (1, 1);
        let m = made.0 as isize;
        if side_by_side && [image, kernel, result] == [1, m, m] {
            return Some(Lanes { step, count: step.groups * made.0, spread: made.0, fold: 1, inner: summed });
        }
        let m = summed.0 as isize;
        if made.0 == 1 && (summed.1, summed.2) == (1, 1) && [image, kernel, result] == [m, m, 1] {
            let count = step.groups * summed.0;
            return Some(Lanes { step, count, spread: 1, fold: summed.0, inner: (1, 0, 0) });
        }
        None
    }

    pub fn run(&self, phase: &Phase, at: (At, At, At), workers: &dyn Workers) {
        let positions = phase.d.window * phase.h.window * phase.w.window;
        let places = phase.d.output * phase.h.output * phase.w.output;
        if positions > places && self.fold == 1 {
            across::run(self, phase, at, workers)
        } else {
            self.places(phase, at, workers)
        }
    }

    fn places(&self, phase: &Phase, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let (step, rows, planes) = (self.step, phase.h.output, phase.d.output);
        workers.each(step.batch.0 * planes * rows, &|piece| {
            let (image, row) = ((piece / rows / planes) as isize, piece % rows);
            let plane = piece / rows % planes;
            let from = input.ptr().wrapping_offset(image * step.batch.1);
            let kernel = kernel.ptr().wrapping_offset(phase.kernel);
            let to = to.ptr().wrapping_offset(image * step.batch.2 + phase.output);
            let to = to.wrapping_offset(row as isize * phase.h.output_stride);
            let to = to.wrapping_offset(plane as isize * phase.d.output_stride);
            let mut folded = vec![0f32; if self.fold > 1 { self.count } else { 0 }];
            for place in 0..phase.w.output {
                let seen = self.at_place(phase, [plane, row, place], (from, kernel));
                let to = to.wrapping_offset(place as isize * phase.w.output_stride);
                // SAFETY: the CPU has AVX-512, or this would not be chosen; positions that are seen exist.
                unsafe {
                    if self.fold == 1 {
                        self.sums(&seen, to);
                        continue;
                    }
                    self.sums(&seen, folded.as_mut_ptr());
                    for (group, sums) in folded.chunks(self.fold).enumerate() {
                        *to.add(group) = sums.iter().sum();
                    }
                }
            }
        });
    }

    fn at_place(
        &self,
        phase: &Phase,
        [plane, row, place]: [usize; 3],
        (mut image, mut kernel): (*const f32, *const f32),
    ) -> Seen {
        let mut along = |dim: &Spatial, place: usize| {
            let seen = seen(dim, place);
            let first = place as i64 * dim.step + seen.start as i64 * dim.window_dilation - dim.pad_low;
            image = image.wrapping_offset(first as isize * dim.input_stride);
            kernel = kernel.wrapping_offset(seen.start as isize * dim.kernel_stride);
            (seen.len(), dim.window_dilation as isize * dim.input_stride, dim.kernel_stride)
        };
        let (planes, rows, positions) =
            (along(&phase.d, plane), along(&phase.h, row), along(&phase.w, place));
        Seen { image, kernel, inner: self.inner, planes, rows, positions }
    }

    /// # Safety
    /// All that is seen exists; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    unsafe fn sums(&self, seen: &Seen, to: *mut f32) {
        let wide = self.count / (AT_ONCE * LANES) * AT_ONCE * LANES;
        // SAFETY: the caller's.
        unsafe {
            for lane in (0..wide).step_by(AT_ONCE * LANES) {
                match self.spread {
                    1 => block::<AT_ONCE, false>(self, seen, lane, to),
                    _ => block::<AT_ONCE, true>(self, seen, lane, to),
                }
            }
            for lane in (wide..self.count).step_by(LANES) {
                match self.spread {
                    1 => block::<1, false>(self, seen, lane, to),
                    _ => block::<1, true>(self, seen, lane, to),
                }
            }
        }
    }

    /// How lanes from one on are read of the image, and which there are.
    #[target_feature(enable = "avx512f")]
    fn vector(&self, lane: usize) -> Vector {
        let mask = |count: usize| masks(count).0;
        let (first, last) = (lane / self.spread, (lane + LANES - 1) / self.spread);
        let lanes: [i32; LANES] = std::array::from_fn(|i| ((lane + i) / self.spread - first) as i32);
        // SAFETY: 16 numbers of 4 bytes.
        let from = unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
        let read = (self.count / self.spread - first).min(last - first + 1);
        Vector { first, read: mask(read), from, mask: mask(self.count - lane) }
    }
}

/// Positions at which a place sees the image.
fn seen(dim: &Spatial, place: usize) -> Range<usize> {
    let (from, apart) = (dim.pad_low - place as i64 * dim.step, dim.window_dilation);
    let until = |x: i64| if x <= 0 { 0 } else { usize::try_from((x - 1) / apart + 1).unwrap_or(0) };
    until(from).min(dim.window)..until(from + dim.input as i64).min(dim.window)
}

/// What a place sees: first elements, and how far apart planes, rows and positions are.
struct Seen {
    image: *const f32,
    kernel: *const f32,
    inner: (usize, isize, isize),
    planes: (usize, isize, isize),
    rows: (usize, isize, isize),
    positions: (usize, isize, isize),
}

/// Sixteen lanes: where they lie in the image, and to which of them each goes.
#[derive(Clone, Copy)]
struct Vector {
    first: usize,
    read: __mmask16,
    from: __m512i,
    mask: __mmask16,
}

impl Vector {
    /// # Safety
    /// The lanes exist; the CPU has AVX-512.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn image<const SPREAD: bool>(&self, at: *const f32) -> __m512 {
        // SAFETY: masked elements are not touched.
        let seen = unsafe { _mm512_maskz_loadu_ps(self.read, at.wrapping_add(self.first)) };
        if SPREAD { _mm512_permutexvar_ps(self.from, seen) } else { seen }
    }
}

/// # Safety
/// As [`Lanes::sums`].
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn block<const V: usize, const SPREAD: bool>(
    lanes: &Lanes<'_>,
    seen: &Seen,
    lane: usize,
    to: *mut f32,
) {
    let mut sums = [_mm512_setzero_ps(); V];
    let vectors: [Vector; V] = std::array::from_fn(|at| lanes.vector(lane + at * LANES));
    let (image, kernel) = (seen.image, seen.kernel.wrapping_add(lane));
    let lines = seen.inner.0 * seen.planes.0 * seen.rows.0;
    for line in 0..lines {
        let (rest, row) = (line / seen.rows.0, (line % seen.rows.0) as isize);
        let (inner, plane) = ((rest / seen.planes.0) as isize, (rest % seen.planes.0) as isize);
        let mut a = image.wrapping_offset(inner * seen.inner.1 + plane * seen.planes.1 + row * seen.rows.1);
        let mut b = kernel.wrapping_offset(inner * seen.inner.2 + plane * seen.planes.2 + row * seen.rows.2);
        for _ in 0..seen.positions.0 {
            for (at, sum) in sums.iter_mut().enumerate() {
                // SAFETY: masked elements are not touched.
                unsafe {
                    let x = vectors[at].image::<SPREAD>(a);
                    let y = _mm512_maskz_loadu_ps(vectors[at].mask, b.wrapping_add(at * LANES));
                    *sum = _mm512_fmadd_ps(x, y, *sum);
                }
            }
            (a, b) = (a.wrapping_offset(seen.positions.1), b.wrapping_offset(seen.positions.2));
        }
    }
    for (at, sum) in sums.iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm512_mask_storeu_ps(to.wrapping_add(lane + at * LANES), vectors[at].mask, *sum) };
    }
}
