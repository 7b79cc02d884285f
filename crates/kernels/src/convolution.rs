//! Convolutions as matrix products. Nothing is unrolled in memory.
//!
//! With one to three spatial dims, what is largest decides:
//!
//! ```text
//! groups of few features, side by side   lanes.rs      groups are lanes of vectors
//! more positions than places             windows.rs    sums over positions of the window
//! else                                   places.rs     sums over features at all positions of the window
//! ```
//!
//! Both products read padded bands of a few rows of the image (`band`). A dilated image (the gradient of a stride)
//! becomes one convolution for each remainder of places by the dilation, of an image that is not dilated and a part of
//! the kernel. All is written once for every kind of vectors ([`kernel`]), and has the same bits with each.
//!
//! With more dims, with windows of thousands of places, and with strides of dilated images, there is a product for each
//! position of the window, summed in place:
//!
//! ```text
//! for each group, for each place of the result but those along one dim (the rows):
//!     for each position of the window:  result[rows, features] += input[rows, features] * kernel[features, features]
//! ```
//!
//! The rows are the largest of the result's batch and spatial dims. Positions are added in row-major order.

use crate::gemm::{Strided, Target, gemm};
use crate::isa::Isa;
use crate::step::{Bases, BufId};
use kernel::Kernel;
use meshwright_runtime::Workers;
use meshwright_shard::axis::gcd;
use meshwright_steps::{Access, Extent};

/// One spatial dim: sizes, strides in elements and how the window moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Spatial {
    pub input: usize,
    pub output: usize,
    pub window: usize,
    pub input_stride: isize,
    pub output_stride: isize,
    pub kernel_stride: isize,
    pub step: i64,
    pub pad_low: i64,
    pub base_dilation: i64,
    pub window_dilation: i64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConvolutionStep {
    pub input: (BufId, isize),
    pub kernel: (BufId, isize),
    pub to: BufId,
    /// Elements before the result.
    pub to_offset: isize,
    pub spatial: Vec<Spatial>,
    /// Result batch: size, strides in input and result.
    pub batch: (usize, isize, isize),
    /// Features summed over: size, strides in input and kernel.
    pub inner: (usize, isize, isize),
    /// Features made by one group: size, strides in kernel and result.
    pub outer: (usize, isize, isize),
    pub groups: usize,
    /// From group to group: elements in input, kernel and result.
    pub group_strides: [isize; 3],
}

mod band;
mod kernel;
mod lanes;
mod places;
mod windows;

/// A convolution over three dims of an image that is not dilated, with how far what it reads and makes lies from the
/// whole one's.
#[derive(Clone, Debug)]
struct Phase {
    /// The first place between planes: phases with the same have the same `d`.
    plane: usize,
    d: Spatial,
    h: Spatial,
    w: Spatial,
    kernel: isize,
    output: isize,
}

impl Phase {
    /// Every so many places of a row.
    fn turn(&self, turn: usize, turns: usize) -> Phase {
        let w = &self.w;
        let w = Spatial {
            output: w.output.saturating_sub(turn).div_ceil(turns),
            output_stride: w.output_stride * turns as isize,
            step: w.step * turns as i64,
            pad_low: w.pad_low - turn as i64 * w.step,
            ..w.clone()
        };
        Phase { output: self.output + turn as isize * self.w.output_stride, w, ..self.clone() }
    }
}

#[derive(Clone, Copy)]
struct At(*mut f32);
// SAFETY: pieces write disjoint places.
unsafe impl Send for At {}
// SAFETY: as above.
unsafe impl Sync for At {}

impl At {
    fn ptr(self) -> *mut f32 {
        self.0
    }
}

/// What the rows of the products are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Batch,
    Spatial(usize),
}

/// Places along one dim that a window position reaches: first, how many, how far apart, and where the input begins.
pub(super) struct Reach {
    pub first: usize,
    pub count: usize,
    pub apart: usize,
    pub from: i64,
    /// Input elements from one place to the next.
    pub by: i64,
}

impl Spatial {
    /// Which places of the result see the input at this window position.
    pub(super) fn reach(&self, at: usize) -> Reach {
        // The input element of place `p` is `(p * step + shift) / dilation`, where that divides.
        let shift = at as i64 * self.window_dilation - self.pad_low;
        let dilation = self.base_dilation;
        let apart = dilation / gcd(dilation, self.step);
        let mut first = if shift >= 0 { 0 } else { (-shift + self.step - 1) / self.step };
        let last_first = first + apart;
        while first < last_first && (first * self.step + shift) % dilation != 0 {
            first += 1;
        }
        let from = (first * self.step + shift) / dilation;
        let by = apart * self.step / dilation;
        let within = if from >= self.input as i64 || first == last_first {
            0
        } else {
            (self.input as i64 - from + by - 1) / by.max(1)
        };
        let places = (self.output as i64 - first + apart - 1) / apart;
        let count = within.min(places).max(0) as usize;
        Reach { first: first as usize, count, apart: apart as usize, from, by }
    }

    /// The input element that one place sees at a window position.
    pub(super) fn sees(&self, place: usize, at: usize) -> Option<isize> {
        let spread = place as i64 * self.step + at as i64 * self.window_dilation - self.pad_low;
        let index = spread / self.base_dilation;
        let seen = spread >= 0 && spread % self.base_dilation == 0 && index < self.input as i64;
        seen.then_some(index as isize)
    }
}

/// Parts of a dim at most, and of all dims.
const MOST_PARTS: i64 = 64;
const MOST_PHASES: usize = 4096;

impl Spatial {
    /// A dim of one place, for images that have only columns.
    pub(super) fn single() -> Spatial {
        let (step, window_dilation, base_dilation) = (1, 1, 1);
        let (input_stride, output_stride, kernel_stride) = (0, 0, 0);
        let (input, output, window, pad_low) = (1, 1, 1, 0);
        Spatial {
            input,
            output,
            window,
            input_stride,
            output_stride,
            kernel_stride,
            step,
            pad_low,
            base_dilation,
            window_dilation,
        }
    }

    /// The places and positions of both: they differ in how many they have, and in their padding.
    fn joined(&self, other: &Spatial) -> Spatial {
        let last = |dim: &Spatial| dim.window as i64 - dim.pad_low;
        let (last, pad_low) = (last(self).max(last(other)), self.pad_low.max(other.pad_low));
        let window = usize::try_from(last + pad_low).unwrap_or(0);
        Spatial { output: self.output.max(other.output), window, pad_low, ..self.clone() }
    }

    /// Dims without dilation of the image that together are this one, with the first position and place of each. Places
    /// that leave the same remainder by the dilation see the image at the same positions:
    ///
    /// ```text
    /// dilation 2, window 0 1 2 3 4 5 6, padding 3:    even places see positions 1 3 5, odd ones 0 2 4 6
    /// ```
    fn phases(&self) -> Option<Vec<(Spatial, usize, usize)>> {
        let dilation = self.base_dilation;
        if dilation == 1 {
            return Some(vec![(self.clone(), 0, 0)]);
        }
        if self.step != 1 || self.window_dilation != 1 || dilation > MOST_PARTS {
            return None;
        }
        let one = |place: i64| {
            let position = (self.pad_low - place).rem_euclid(dilation);
            let left = |count: usize, first: i64| (count as i64 - first).max(0) as usize;
            let times = |count: usize| count.div_ceil(dilation as usize);
            let dim = Spatial {
                output: times(left(self.output, place)),
                window: times(left(self.window, position)),
                output_stride: self.output_stride * dilation as isize,
                kernel_stride: self.kernel_stride * dilation as isize,
                pad_low: (self.pad_low - place - position) / dilation,
                base_dilation: 1,
                ..self.clone()
            };
            (dim, position as usize, place as usize)
        };
        Some((0..dilation).map(one).filter(|phase| phase.0.output > 0).collect())
    }
}

impl ConvolutionStep {
    pub fn accesses(&self) -> Vec<Access> {
        let own = [self.batch.0, self.groups, self.outer.0];
        let spatial = self.spatial.iter().map(|dim| (dim.output, dim.output_stride));
        let (dims, strides): (Vec<usize>, Vec<isize>) =
            own.into_iter().zip([self.batch.2, self.group_strides[2], self.outer.2]).chain(spatial).unzip();
        let to = Extent::of_view(4, self.to_offset, &dims, &strides);
        Access::reads([self.input.0, self.kernel.0]).chain([Access::write(self.to, to)]).collect()
    }

    pub fn flops(&self) -> usize {
        let places: usize = self.spatial.iter().map(|dim| dim.output * dim.window).product();
        2 * self.groups * self.batch.0 * self.inner.0 * self.outer.0 * places
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let at = |(buf, offset): (BufId, isize)| At(bases.at(buf).cast::<f32>().wrapping_offset(offset));
        let (input, kernel, to) = (at(self.input), at(self.kernel), at((self.to, self.to_offset)));
        let done = match Isa::used() {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 | Isa::Amx => self.by_phases::<kernel::avx512::Avx512>((input, kernel, to), workers),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => self.by_phases::<kernel::avx2::Avx2>((input, kernel, to), workers),
            _ => self.by_phases::<kernel::plain::Plain>((input, kernel, to), workers),
        };
        if !done {
            self.by_positions((input, kernel, to), workers);
        }
    }

    /// A product for each position of the window.
    fn by_positions(&self, (input, kernel, to): (At, At, At), workers: &dyn Workers) {
        let rows = self.rows();
        // Places of the result that are no rows: batch first, then spatial dims.
        let mut dims = vec![if rows == Rows::Batch { 1 } else { self.batch.0 }];
        let size = |(i, dim): (usize, &Spatial)| if rows == Rows::Spatial(i) { 1 } else { dim.output };
        dims.extend(self.spatial.iter().enumerate().map(size));
        let places: usize = dims.iter().product();
        workers.each(self.groups * places, &|piece| {
            let (input, kernel, to) = (input.ptr(), kernel.ptr(), to.ptr());
            let (group, mut rest) = ((piece / places) as isize, piece % places);
            let mut place = vec![0; dims.len()];
            for (at, size) in place.iter_mut().zip(&dims).rev() {
                (*at, rest) = (rest % size, rest / size);
            }
            let [a, b, c] = self.group_strides;
            let from = input.wrapping_offset(group * a + place[0] as isize * self.batch.1);
            let mut into = to.wrapping_offset(group * c + place[0] as isize * self.batch.2);
            for (dim, at) in self.spatial.iter().zip(&place[1..]) {
                into = into.wrapping_offset(*at as isize * dim.output_stride);
            }
            // SAFETY: the piece's places belong to it alone.
            unsafe { self.piece(rows, &place[1..], from, kernel.wrapping_offset(group * b), into) };
        });
    }

    /// One to three spatial dims, by phases.
    fn phases(&self) -> Option<Vec<Phase>> {
        let single = Spatial::single;
        let [d, h, w] = match &self.spatial[..] {
            [w] => [single(), single(), w.clone()],
            [h, w] => [single(), h.clone(), w.clone()],
            [d, h, w] => [d.clone(), h.clone(), w.clone()],
            _ => return None,
        };
        let of = [d.phases()?, h.phases()?, w.phases()?];
        if of.iter().map(Vec::len).product::<usize>() > MOST_PHASES {
            return None;
        }
        let one = |number: usize| {
            let (number, w_of) = (number / of[2].len(), &of[2][number % of[2].len()]);
            let (d_of, h_of) = (&of[0][number / of[1].len()], &of[1][number % of[1].len()]);
            let all = [(d_of, &d), (h_of, &h), (w_of, &w)];
            Phase {
                plane: d_of.2,
                d: d_of.0.clone(),
                h: h_of.0.clone(),
                w: w_of.0.clone(),
                kernel: all.iter().map(|(phase, whole)| phase.1 as isize * whole.kernel_stride).sum(),
                output: all.iter().map(|(phase, whole)| phase.2 as isize * whole.output_stride).sum(),
            }
        };
        Some((0..of.iter().map(Vec::len).product()).map(one).collect())
    }

    /// Run by phases, if there is a way to do each of them.
    fn by_phases<K: Kernel>(&self, at: (At, At, At), workers: &dyn Workers) -> bool {
        let Some(phases) = self.phases() else { return false };
        if let Some(lanes) = lanes::Lanes::of(self) {
            phases.iter().for_each(|phase| lanes.run::<K>(phase, at, workers));
            return true;
        }
        let sums_positions =
            |phase: &Phase| phase.w.window > phase.w.output && phase.h.window >= phase.h.output;
        if phases.iter().all(sums_positions) {
            let windows: Option<Vec<_>> =
                phases.iter().map(|phase| windows::Windows::of(self, phase)).collect();
            if let Some(windows) = windows {
                windows.iter().for_each(|windows| windows.run::<K>(at, workers));
                return true;
            }
        }
        let Some(split) = places::Split::of(self, &phases) else { return false };
        let run = |phases: &[Phase]| {
            let together = places::together::<K>(self, phases).into_iter();
            let plans: Option<Vec<_>> =
                together.map(|phases| places::Places::of::<K>(self, phases, split)).collect();
            plans.map(|plans| plans.iter().for_each(|places| places.run::<K>(at, workers))).is_some()
        };
        run(&places::by_turns::<K>(self, &phases, split)) || run(&phases)
    }

    fn rows(&self) -> Rows {
        let mut best = (self.batch.0, Rows::Batch);
        for (i, dim) in self.spatial.iter().enumerate() {
            if dim.output >= best.0 {
                best = (dim.output, Rows::Spatial(i));
            }
        }
        best.1
    }

    /// # Safety
    /// Addresses are those of the group and place.
    unsafe fn piece(
        &self,
        rows: Rows,
        place: &[usize],
        from: *const f32,
        kernel: *const f32,
        into: *mut f32,
    ) {
        let (count, row) = match rows {
            Rows::Batch => (self.batch.0, self.batch.2),
            Rows::Spatial(i) => (self.spatial[i].output, self.spatial[i].output_stride),
        };
        for at in 0..count as isize {
            for feature in 0..self.outer.0 as isize {
                // SAFETY: the caller's.
                unsafe { *into.offset(at * row + feature * self.outer.2) = 0.0 };
            }
        }
        let positions: usize = self.spatial.iter().map(|dim| dim.window).product();
        for position in 0..positions {
            // SAFETY: the caller's.
            unsafe { self.position(rows, place, position, (from, kernel, into)) };
        }
    }

    /// Add what one window position gives.
    ///
    /// # Safety
    /// As [`Self::piece`].
    unsafe fn position(
        &self,
        rows: Rows,
        place: &[usize],
        position: usize,
        (mut from, mut kernel, mut into): (*const f32, *const f32, *mut f32),
    ) {
        let mut rest = position;
        let mut along = (self.batch.0, self.batch.1, self.batch.2);
        for (i, dim) in self.spatial.iter().enumerate().rev() {
            let at = rest % dim.window;
            rest /= dim.window;
            kernel = kernel.wrapping_offset(at as isize * dim.kernel_stride);
            if rows == Rows::Spatial(i) {
                let reach = dim.reach(at);
                from = from.wrapping_offset(reach.from as isize * dim.input_stride);
                into = into.wrapping_offset(reach.first as isize * dim.output_stride);
                along = (
                    reach.count,
                    reach.by as isize * dim.input_stride,
                    reach.apart as isize * dim.output_stride,
                );
                continue;
            }
            let Some(index) = dim.sees(place[i], at) else { return };
            from = from.wrapping_offset(index * dim.input_stride);
        }
        let (count, input_row, output_row) = along;
        let (inner, outer) = (self.inner, self.outer);
        let a = Strided { at: from, row: input_row, column: inner.1 };
        let b = Strided { at: kernel, row: inner.2, column: outer.1 };
        let exchange = |x: Strided| Strided { at: x.at, row: x.column, column: x.row };
        // SAFETY: the caller's.
        unsafe {
            if outer.2 != 1 && output_row == 1 {
                let c = Target { at: into, row: outer.2, column: 1, add: true };
                gemm((outer.0, count, inner.0), exchange(b), exchange(a), c, None);
            } else {
                let c = Target { at: into, row: output_row, column: outer.2, add: true };
                gemm((count, outer.0, inner.0), a, b, c, None);
            }
        }
    }
}
