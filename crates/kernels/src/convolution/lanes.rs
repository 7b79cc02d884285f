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

use super::kernel::{Kernel, OnVectors, Vector};
use super::{At, ConvolutionStep, Phase, Spatial};
use meshwright_runtime::Workers;
use std::ops::Range;

mod across;

/// Vectors of sums at once.
const AT_ONCE: usize = 4;
/// Groups, at least.
const FEWEST: usize = 8;

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
        if step.groups < FEWEST {
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

    pub fn run<K: Kernel>(&self, phase: &Phase, at: (At, At, At), workers: &dyn Workers) {
        let positions = phase.d.window * phase.h.window * phase.w.window;
        let places = phase.d.output * phase.h.output * phase.w.output;
        if positions > places && self.fold == 1 {
            across::run::<K>(self, phase, at, workers)
        } else {
            self.places::<K>(phase, at, workers)
        }
    }

    fn places<K: Kernel>(&self, phase: &Phase, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let (step, rows, planes) = (self.step, phase.h.output, phase.d.output);
        workers.each(step.batch.0 * planes * rows, &|piece| {
            let (image, row) = ((piece / rows / planes) as isize, piece % rows);
            let plane = piece / rows % planes;
            let to = to.ptr().wrapping_offset(image * step.batch.2 + phase.output);
            let to = to.wrapping_offset(row as isize * phase.h.output_stride);
            let row = LaneRow {
                lanes: self,
                phase,
                at: [plane, row],
                from: input.ptr().wrapping_offset(image * step.batch.1),
                kernel: kernel.ptr().wrapping_offset(phase.kernel),
                to: to.wrapping_offset(plane as isize * phase.d.output_stride),
            };
            // SAFETY: the CPU has what the kernel needs, or it would not be chosen; positions that are seen exist.
            unsafe { K::on_vectors(&row) };
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

    /// How lanes from one on are read of the image, and which there are.
    #[inline(always)]
    fn block<V: Vector>(&self, lane: usize) -> Block<V> {
        let (first, last) = (lane / self.spread, (lane + V::LANES - 1) / self.spread);
        let read = (self.count / self.spread - first).min(last - first + 1);
        Block {
            first,
            read: V::first(read),
            from: V::order(|i| (lane + i) / self.spread - first),
            there: V::first(self.count - lane),
        }
    }
}

/// A row of places.
struct LaneRow<'a> {
    lanes: &'a Lanes<'a>,
    phase: &'a Phase,
    /// The plane and the row.
    at: [usize; 2],
    from: *const f32,
    kernel: *const f32,
    to: *mut f32,
}

impl OnVectors for LaneRow<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        let LaneRow { lanes, phase, at: [plane, row], .. } = *self;
        let mut folded = vec![0f32; if lanes.fold > 1 { lanes.count } else { 0 }];
        let places = (0..phase.w.output).map(|place| {
            let seen = lanes.at_place(phase, [plane, row, place], (self.from, self.kernel));
            (seen, self.to.wrapping_offset(place as isize * phase.w.output_stride))
        });
        // SAFETY: who made this says so.
        unsafe {
            if lanes.fold == 1 {
                return sums::<V>(lanes, places);
            }
            for (seen, to) in places {
                sums::<V>(lanes, std::iter::once((seen, folded.as_mut_ptr())));
                for (group, sums) in folded.chunks(lanes.fold).enumerate() {
                    *to.add(group) = sums.iter().sum();
                }
            }
        }
    }
}

/// # Safety
/// All that is seen exists, and all lanes of the results.
#[inline(always)]
unsafe fn sums<V: Vector>(lanes: &Lanes<'_>, places: impl Iterator<Item = (Seen, *mut f32)> + Clone) {
    let together = AT_ONCE * V::LANES;
    let wide = lanes.count / together * together;
    let whole = lanes.count / V::LANES * V::LANES;
    // SAFETY: the caller's.
    unsafe {
        if lanes.spread > 1 {
            for lane in (0..wide).step_by(together) {
                block::<V, AT_ONCE, SPREAD>(lanes, places.clone(), lane);
            }
            for lane in (wide..lanes.count).step_by(V::LANES) {
                block::<V, 1, { SPREAD | SOME }>(lanes, places.clone(), lane);
            }
            return;
        }
        for lane in (0..wide).step_by(together) {
            block::<V, AT_ONCE, 0>(lanes, places.clone(), lane);
        }
        for lane in (wide..whole).step_by(V::LANES) {
            block::<V, 1, 0>(lanes, places.clone(), lane);
        }
        if whole < lanes.count {
            block::<V, 1, SOME>(lanes, places, whole);
        }
    }
}

/// How lanes are read: some of a vector, and several the same lane of the image.
const SOME: u8 = 1;
const SPREAD: u8 = 2;

/// Positions at which a place sees the image.
fn seen(dim: &Spatial, place: usize) -> Range<usize> {
    let (from, apart) = (dim.pad_low - place as i64 * dim.step, dim.window_dilation);
    let until = |x: i64| if x <= 0 { 0 } else { usize::try_from((x - 1) / apart + 1).unwrap_or(0) };
    until(from).min(dim.window)..until(from + dim.input as i64).min(dim.window)
}

/// What a place sees: first elements, and how far apart planes, rows and positions are.
#[derive(Clone)]
struct Seen {
    image: *const f32,
    kernel: *const f32,
    inner: (usize, isize, isize),
    planes: (usize, isize, isize),
    rows: (usize, isize, isize),
    positions: (usize, isize, isize),
}

/// A vector of lanes: where they lie in the image, and to which of them each goes.
#[derive(Clone, Copy)]
struct Block<V: Vector> {
    first: usize,
    read: V::First,
    from: V::Order,
    there: V::First,
}

impl<V: Vector> Block<V> {
    #[inline(always)]
    fn none() -> Block<V> {
        Block { first: 0, read: V::first(0), from: V::order(|_| 0), there: V::first(0) }
    }

    /// # Safety
    /// The lanes exist.
    #[inline(always)]
    unsafe fn image<const HOW: u8>(&self, at: *const f32) -> V {
        let at = at.wrapping_add(self.first);
        // SAFETY: the caller's.
        unsafe {
            match HOW {
                0 => V::load(at),
                SOME => V::load_first(at, self.there),
                _ => V::load_first(at, self.read).taken(self.from),
            }
        }
    }

    /// # Safety
    /// The lanes exist.
    #[inline(always)]
    unsafe fn kernel<const HOW: u8>(&self, at: *const f32) -> V {
        // SAFETY: the caller's.
        unsafe { if HOW & SOME == 0 { V::load(at) } else { V::load_first(at, self.there) } }
    }

    /// # Safety
    /// The lanes exist.
    #[inline(always)]
    unsafe fn put<const HOW: u8>(&self, sum: V, to: *mut f32) {
        // SAFETY: the caller's.
        unsafe { if HOW & SOME == 0 { sum.store(to) } else { sum.store_first(to, self.there) } }
    }
}

/// Some lanes of all places.
///
/// # Safety
/// As [`sums`].
#[inline(always)]
unsafe fn block<V: Vector, const N: usize, const HOW: u8>(
    lanes: &Lanes<'_>,
    places: impl Iterator<Item = (Seen, *mut f32)>,
    lane: usize,
) {
    let mut blocks = [Block::<V>::none(); N];
    for (at, block) in blocks.iter_mut().enumerate() {
        *block = lanes.block(lane + at * V::LANES);
    }
    for (seen, to) in places {
        // SAFETY: the caller's.
        unsafe { place::<V, N, HOW>(&blocks, &seen, lane, to) };
    }
}

/// # Safety
/// As [`sums`].
#[inline(always)]
unsafe fn place<V: Vector, const N: usize, const HOW: u8>(
    blocks: &[Block<V>; N],
    seen: &Seen,
    lane: usize,
    to: *mut f32,
) {
    let mut sums = [V::zero(); N];
    let (image, kernel) = (seen.image, seen.kernel.wrapping_add(lane));
    let lines = seen.inner.0 * seen.planes.0 * seen.rows.0;
    for line in 0..lines {
        let (rest, row) = (line / seen.rows.0, (line % seen.rows.0) as isize);
        let (inner, plane) = ((rest / seen.planes.0) as isize, (rest % seen.planes.0) as isize);
        let mut a = image.wrapping_offset(inner * seen.inner.1 + plane * seen.planes.1 + row * seen.rows.1);
        let mut b = kernel.wrapping_offset(inner * seen.inner.2 + plane * seen.planes.2 + row * seen.rows.2);
        for _ in 0..seen.positions.0 {
            for (at, sum) in sums.iter_mut().enumerate() {
                // SAFETY: the caller's.
                unsafe {
                    let x = blocks[at].image::<HOW>(a);
                    let y = blocks[at].kernel::<HOW>(b.wrapping_add(at * V::LANES));
                    *sum = sum.fused(x, y);
                }
            }
            (a, b) = (a.wrapping_offset(seen.positions.1), b.wrapping_offset(seen.positions.2));
        }
    }
    for (at, sum) in sums.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { blocks[at].put::<HOW>(*sum, to.wrapping_add(lane + at * V::LANES)) };
    }
}
