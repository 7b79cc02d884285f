//! Windows that slide over an array: each result folds the elements it sees with a plain reducer.
//!
//! ```text
//! for each line of results:                    the places of all dims but the last two
//!     for each place of the line, for the last dim by 64:    fold what the window sees of it, in row-major order
//! ```
//!
//! The sums of 64 places (16 without AVX-512) of a last dim that no window moves over (channels) stay in registers; one
//! that a window does move over goes by its positions. What lies in the padding is not asked for, so no padded copy is
//! made. A narrow float is folded in `f32` and rounded once. Dims that no window moves over are joined where one stride
//! walks them ([`joined`]).
//!
//! The gradient of a maximum is in [`scatter`].

use crate::convolution::{Reach, Spatial};
use crate::fold::{Element, Folding, fold_with, folds};
use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;

#[cfg(target_arch = "x86_64")]
mod extreme;
pub mod scatter;

/// Elements read by a piece, about.
const PIECE: usize = 1 << 16;
/// Results that are folded together: by AVX-512, and at least.
#[cfg(target_arch = "x86_64")]
const WIDE: usize = 64;
const BLOCK: usize = 16;

/// A window over one array; the result is dense.
#[derive(Clone, PartialEq, Debug)]
pub struct WindowStep {
    pub from: (BufId, isize),
    pub to: BufId,
    pub dtype: DType,
    pub reducer: Reducer,
    /// One element.
    pub init: [u8; 16],
    /// At least two.
    pub dims: Vec<Spatial>,
}

/// Whether windows over this type are folded here.
pub fn can(dtype: DType) -> bool {
    dtype != DType::Pred && folds(dtype)
}

/// Dims as few as they can be, but two at least: neighbours that no window moves over are one where one stride walks
/// both.
pub fn joined(dims: Vec<Spatial>) -> Vec<Spatial> {
    let mut all: Vec<Spatial> = Vec::new();
    for dim in dims {
        match all.last_mut() {
            Some(last) if still(last) && still(&dim) && follows(last, &dim) => {
                let size = last.input * dim.input;
                *last = Spatial { input: size, output: size, ..dim };
            }
            _ => all.push(dim),
        }
    }
    all.retain(|dim| !still(dim) || dim.output != 1);
    while all.len() < 2 {
        all.insert(0, Spatial::single());
    }
    all
}

/// Whether one stride walks both dims, in what is read and in what is written.
fn follows(outer: &Spatial, inner: &Spatial) -> bool {
    let size = inner.input as isize;
    outer.input_stride == inner.input_stride * size && outer.output_stride == inner.output_stride * size
}

/// Whether no window moves over a dim.
pub(super) fn still(dim: &Spatial) -> bool {
    let plain = dim.window == 1 && dim.step == 1 && dim.base_dilation == 1;
    plain && dim.pad_low == 0 && dim.input == dim.output
}

/// Offsets of what is seen along a dim, for each place of the result.
fn seen(dim: &Spatial) -> Vec<Vec<isize>> {
    let of = |place: usize| {
        let all = (0..dim.window).filter_map(|at| dim.sees(place, at));
        all.map(|index| index * dim.input_stride).collect()
    };
    (0..dim.output).map(of).collect()
}

/// Offsets of what all of some dims see together, at the place of this number.
pub(super) fn together(dims: &[Vec<Vec<isize>>], mut number: usize) -> Vec<isize> {
    let mut places = vec![0; dims.len()];
    for (place, dim) in places.iter_mut().zip(dims).rev() {
        (*place, number) = (number % dim.len(), number / dim.len());
    }
    let add =
        |all: Vec<isize>, dim: &[isize]| all.iter().flat_map(|x| dim.iter().map(move |y| x + y)).collect();
    dims.iter().zip(&places).fold(vec![0], |all, (dim, place)| add(all, &dim[*place]))
}

/// What the lines of a window have in common.
struct Lines<'a> {
    /// All dims but the last two.
    outer: Vec<Vec<Vec<isize>>>,
    across: Vec<Vec<isize>>,
    inner: &'a Spatial,
    /// How positions of the window reach along the last dim, unless none moves over it.
    reaches: Option<Vec<Reach>>,
}

impl<'a> Lines<'a> {
    fn of(dims: &'a [Spatial]) -> Option<Lines<'a>> {
        let (inner, rest) = dims.split_last()?;
        let (across, outer) = rest.split_last()?;
        let moved = !still(inner) || inner.input_stride != 1;
        let reaches = moved.then(|| (0..inner.window).map(|at| inner.reach(at)).collect());
        Some(Lines { outer: outer.iter().map(seen).collect(), across: seen(across), inner, reaches })
    }

    fn count(&self) -> usize {
        self.outer.iter().map(Vec::len).product()
    }

    /// Results of a line.
    fn len(&self) -> usize {
        self.across.len() * self.inner.output
    }
}

impl WindowStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        fold_with(self.dtype, self.reducer, &All { step: self, bases, workers });
    }

    /// The extremes that have code of their own: of floats that lie side by side.
    #[cfg(target_arch = "x86_64")]
    fn extreme(&self, lines: &Lines<'_>) -> Option<extreme::Extreme> {
        let narrow = self.dtype == DType::BF16;
        let how = match self.reducer {
            Reducer::Max => 5,
            Reducer::Min => 4,
            _ => return None,
        };
        let [a, b, c, d, ..] = self.init;
        let init = if narrow { f32::from_le_bytes([0, 0, a, b]) } else { f32::from_le_bytes([a, b, c, d]) };
        let here = lines.reaches.is_none() && (narrow || self.dtype == DType::F32);
        (here && crate::isa::avx512()).then_some(extreme::Extreme { how, narrow, init })
    }

    fn all<E: Element>(&self, bases: &Bases, workers: &dyn Workers, fold: FoldLine<'_, E>) {
        let Some(lines) = Lines::of(&self.dims) else { return };
        // SAFETY: an element fits 16 bytes.
        let init = unsafe { self.init.as_ptr().cast::<E>().read_unaligned() }.widen();
        let (from, to) = (At(bases.at(self.from.0)), At(bases.at(self.to)));
        let window: usize = self.dims.iter().map(|dim| dim.window).product();
        let per = (PIECE / (lines.len() * window).max(1)).max(1);
        #[cfg(target_arch = "x86_64")]
        let extreme = self.extreme(&lines);
        workers.each(lines.count().div_ceil(per), &|piece| {
            let from = from.ptr().cast::<E>().cast_const().wrapping_offset(self.from.1);
            let mut sums = Vec::new();
            for line in piece * per..((piece + 1) * per).min(lines.count()) {
                let to = to.ptr().cast::<E>().wrapping_add(line * lines.len());
                let outer = together(&lines.outer, line);
                #[cfg(target_arch = "x86_64")]
                if let Some(extreme) = extreme {
                    // SAFETY: offsets are those of elements that exist; the line belongs to this piece alone; the CPU
                    // has AVX-512.
                    unsafe { extreme::line(&lines, &outer, (from.cast(), to.cast()), extreme) };
                    continue;
                }
                // Offsets are those of elements that exist; the line belongs to this piece alone.
                fold(Line { lines: &lines, outer: &outer, from, to }, init, &mut sums);
            }
        });
    }
}

/// All lines of a step.
struct All<'a> {
    step: &'a WindowStep,
    bases: &'a Bases,
    workers: &'a dyn Workers,
}

impl Folding for All<'_> {
    fn by<E: Element>(&self, combine: impl Fn(E::Sum, E::Sum) -> E::Sum + Copy + Sync) {
        // SAFETY: whoever calls sees to it that what is seen exists, and gives each line to one piece.
        self.step.all::<E>(self.bases, self.workers, &|line, init, sums| unsafe {
            line.on_this_cpu((init, combine), sums);
        });
    }
}

/// Folds what the windows of a line see.
type FoldLine<'a, E> = &'a (dyn Fn(Line<'_, E>, <E as Element>::Sum, &mut Vec<<E as Element>::Sum>) + Sync);

/// One line of results.
#[derive(Clone, Copy)]
struct Line<'a, E> {
    lines: &'a Lines<'a>,
    /// Offsets of what all dims but the last two see together.
    outer: &'a [isize],
    from: *const E,
    to: *mut E,
}

impl<E: Element> Line<'_, E> {
    /// # Safety
    /// What is seen exists; nobody else touches the line.
    unsafe fn on_this_cpu(
        self,
        fold: (E::Sum, impl Fn(E::Sum, E::Sum) -> E::Sum + Copy),
        sums: &mut Vec<E::Sum>,
    ) {
        // SAFETY: the caller's; the features are there.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if E::HOT && crate::isa::avx512() {
                return self.avx512(fold, sums);
            }
            #[cfg(target_arch = "x86_64")]
            if E::HOT && crate::isa::avx2() {
                return self.avx2(fold, sums);
            }
            self.any::<BLOCK>(fold, sums);
        }
    }

    /// # Safety
    /// As [`Line::on_this_cpu`]; the CPU has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2(self, fold: (E::Sum, impl Fn(E::Sum, E::Sum) -> E::Sum + Copy), sums: &mut Vec<E::Sum>) {
        // SAFETY: the caller's.
        unsafe { self.any::<BLOCK>(fold, sums) }
    }

    /// # Safety
    /// As [`Line::on_this_cpu`]; the CPU has AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    unsafe fn avx512(self, fold: (E::Sum, impl Fn(E::Sum, E::Sum) -> E::Sum + Copy), sums: &mut Vec<E::Sum>) {
        // SAFETY: the caller's.
        unsafe { self.any::<WIDE>(fold, sums) }
    }

    /// # Safety
    /// As [`Line::on_this_cpu`].
    #[inline(always)]
    unsafe fn any<const N: usize>(
        self,
        fold: (E::Sum, impl Fn(E::Sum, E::Sum) -> E::Sum + Copy),
        sums: &mut Vec<E::Sum>,
    ) {
        let inner = self.lines.inner.output;
        for (place, across) in self.lines.across.iter().enumerate() {
            let to = self.to.wrapping_add(place * inner);
            // SAFETY: the caller's.
            unsafe {
                match &self.lines.reaches {
                    Some(reaches) => {
                        let by = self.lines.inner.input_stride;
                        moved((self.outer, across), (reaches, by), self.from, to, inner, fold, sums);
                    }
                    None => columns::<E, N>((self.outer, across), self.from, to, inner, fold),
                }
            }
        }
    }
}

/// Places side by side that see elements side by side.
///
/// # Safety
/// As [`Line::on_this_cpu`].
#[inline(always)]
unsafe fn columns<T: Element, const N: usize>(
    seen: (&[isize], &[isize]),
    from: *const T,
    to: *mut T,
    count: usize,
    fold: (T::Sum, impl Fn(T::Sum, T::Sum) -> T::Sum + Copy),
) {
    let (wide, most) = (count / N * N, count / BLOCK * BLOCK);
    // SAFETY: the caller's.
    unsafe {
        for at in (0..wide).step_by(N) {
            block::<T, N>(seen, from.wrapping_add(at), to.wrapping_add(at), fold);
        }
        for at in (wide..most).step_by(BLOCK) {
            block::<T, BLOCK>(seen, from.wrapping_add(at), to.wrapping_add(at), fold);
        }
        for at in most..count {
            block::<T, 1>(seen, from.wrapping_add(at), to.wrapping_add(at), fold);
        }
    }
}

/// # Safety
/// As [`Line::on_this_cpu`].
#[inline(always)]
unsafe fn block<T: Element, const N: usize>(
    (outer, across): (&[isize], &[isize]),
    from: *const T,
    to: *mut T,
    (init, fold): (T::Sum, impl Fn(T::Sum, T::Sum) -> T::Sum),
) {
    let mut sums = [init; N];
    for first in outer {
        for second in across {
            let from = from.wrapping_offset(first + second).cast::<[T; N]>();
            // SAFETY: the caller's; elements may lie anywhere.
            let seen = unsafe { from.read_unaligned() };
            for (sum, x) in sums.iter_mut().zip(seen) {
                *sum = fold(*sum, x.widen());
            }
        }
    }
    // SAFETY: the caller's.
    unsafe { to.cast::<[T; N]>().write_unaligned(sums.map(T::narrow)) };
}

/// Places along a dim that the window moves over.
///
/// # Safety
/// As [`Line::on_this_cpu`].
#[inline(always)]
unsafe fn moved<T: Element>(
    (outer, across): (&[isize], &[isize]),
    (reaches, stride): (&[Reach], isize),
    from: *const T,
    to: *mut T,
    count: usize,
    (init, fold): (T::Sum, impl Fn(T::Sum, T::Sum) -> T::Sum),
    sums: &mut Vec<T::Sum>,
) {
    sums.clear();
    sums.resize(count, init);
    for first in outer {
        for second in across {
            for reach in reaches {
                let from = from.wrapping_offset(first + second + reach.from as isize * stride);
                let by = reach.by as isize * stride;
                let places = sums.iter_mut().skip(reach.first).step_by(reach.apart).take(reach.count);
                for (at, sum) in places.enumerate() {
                    // SAFETY: the caller's.
                    *sum = fold(*sum, unsafe { *from.offset(at as isize * by) }.widen());
                }
            }
        }
    }
    for (at, sum) in sums.iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { *to.add(at) = T::narrow(*sum) };
    }
}
