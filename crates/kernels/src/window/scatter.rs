//! Each element of a source goes to the element that its window selects: the gradient of a maximum over windows.
//!
//! ```text
//! for what no window moves over (images; channels by 64), a piece:
//!     for each place of the source, in row-major order:   which element the window keeps, then add to that one
//! ```
//!
//! A piece owns its part of the result, so windows may overlap. Of two elements the earlier is kept if the comparison
//! says so. A narrow float is rounded with each element that is added, as the op says.

use super::{seen, still, together};
use crate::convolution::Spatial;
use crate::fold::{Element, Fold, Narrow};
use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_ir::op::Direction;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;

/// Neighbouring elements of the last dim that are selected together.
const BLOCK: usize = 64;

/// Operand, source and result are dense.
#[derive(Clone, PartialEq, Debug)]
pub struct SelectScatterStep {
    pub from: BufId,
    pub source: BufId,
    pub to: BufId,
    pub dtype: DType,
    /// The earlier element is kept if it compares so with a later one: an order, not equality.
    pub keeps: Direction,
    pub reducer: Reducer,
    /// One element.
    pub init: [u8; 16],
    /// At least two: sizes of the operand as `input`, of the source as `output`.
    pub dims: Vec<Spatial>,
}

/// How the work is cut.
struct ScatterWork {
    /// Elements of the operand and of the source from image to image, and how many images.
    images: (usize, usize, usize),
    /// Offsets of the elements under a window, for each place along each dim that windows move over: the last is
    /// `across`.
    outer: Vec<Vec<Vec<isize>>>,
    across: Vec<Vec<isize>>,
    /// Elements of the last dim.
    lanes: usize,
}

impl SelectScatterStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.dtype {
            DType::F32 => self.typed::<f32>(bases, workers),
            DType::BF16 => self.typed::<Narrow>(bases, workers),
            DType::F64 => self.typed::<f64>(bases, workers),
            DType::S32 => self.typed::<i32>(bases, workers),
            DType::S64 => self.typed::<i64>(bases, workers),
            DType::U64 => self.typed::<u64>(bases, workers),
            _ => self.typed::<u32>(bases, workers),
        }
    }

    fn cut(&self) -> Option<ScatterWork> {
        let (first, rest) = self.dims.split_first()?;
        let last = rest.last().filter(|last| still(last));
        let lanes = last.map_or(1, |last| last.output);
        let rest = if last.is_some() { &rest[..rest.len() - 1] } else { rest };
        let (images, moved) = if still(first) {
            (first.output, rest)
        } else {
            (1, &self.dims[..self.dims.len() - usize::from(last.is_some())])
        };
        let size = |pick: fn(&Spatial) -> usize| moved.iter().map(pick).product::<usize>() * lanes;
        let (from, source) = (size(|dim| dim.input), size(|dim| dim.output));
        let mut outer: Vec<Vec<Vec<isize>>> = moved.iter().map(seen).collect();
        let across = outer.pop().unwrap_or_else(|| vec![vec![0]]);
        Some(ScatterWork { images: (from, source, images), outer, across, lanes })
    }

    fn typed<T: Element>(&self, bases: &Bases, workers: &dyn Workers) {
        match self.keeps {
            Direction::Ge => self.by::<T>(bases, workers, |a, b| a >= b),
            Direction::Gt => self.by::<T>(bases, workers, |a, b| a > b),
            Direction::Le => self.by::<T>(bases, workers, |a, b| a <= b),
            Direction::Lt => self.by::<T>(bases, workers, |a, b| a < b),
            // Not lowered.
            Direction::Eq | Direction::Ne => {}
        }
    }

    fn by<T: Element>(
        &self,
        bases: &Bases,
        workers: &dyn Workers,
        keeps: impl Fn(T::Sum, T::Sum) -> bool + Copy + Sync,
    ) {
        let Some(cut) = self.cut() else { return };
        let (from_len, source_len, images) = cut.images;
        let blocks = cut.lanes.div_ceil(BLOCK);
        // SAFETY: an element fits 16 bytes.
        let init = unsafe { self.init.as_ptr().cast::<T>().read_unaligned() };
        let (from, source, to) = (At(bases.at(self.from)), At(bases.at(self.source)), At(bases.at(self.to)));
        workers.each(images * blocks, &|piece| {
            let (image, lane) = (piece / blocks, piece % blocks * BLOCK);
            let from = from.ptr().cast::<T>().wrapping_add(image * from_len + lane);
            let source = source.ptr().cast::<T>().wrapping_add(image * source_len + lane);
            let to = to.ptr().cast::<T>().wrapping_add(image * from_len + lane);
            let piece = Piece { cut: &cut, from, source, to, lanes: BLOCK.min(cut.lanes - lane) };
            // SAFETY: the piece's lanes of its image belong to it alone.
            unsafe { piece.run(init, keeps, self.reducer) };
        });
    }
}

/// Some lanes of an image.
struct Piece<'a, T> {
    cut: &'a ScatterWork,
    from: *const T,
    source: *const T,
    to: *mut T,
    lanes: usize,
}

impl<T: Element> Piece<'_, T> {
    /// # Safety
    /// The lanes exist; nobody else touches those of the result.
    unsafe fn run(&self, init: T, keeps: impl Fn(T::Sum, T::Sum) -> bool + Copy, reducer: Reducer) {
        let rows = self.cut.images.0 / self.cut.lanes.max(1);
        for row in 0..rows {
            let to = self.to.wrapping_add(row * self.cut.lanes);
            // SAFETY: the caller's.
            (0..self.lanes).for_each(|lane| unsafe { *to.add(lane) = init });
        }
        // SAFETY: the caller's; the features are there.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if T::HOT && reducer == Reducer::Sum && crate::isa::avx512() {
                return self.places_avx512(keeps, |a, b| Fold::combine(Reducer::Sum, a, b));
            }
            #[cfg(target_arch = "x86_64")]
            if T::HOT && reducer == Reducer::Sum && crate::isa::avx2() {
                return self.places_avx2(keeps, |a, b| Fold::combine(Reducer::Sum, a, b));
            }
            self.places::<16>(keeps, |a, b| Fold::combine(reducer, a, b));
        }
    }

    /// # Safety
    /// As [`Self::run`]; the CPU has AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2")]
    unsafe fn places_avx512(
        &self,
        keeps: impl Fn(T::Sum, T::Sum) -> bool + Copy,
        add: impl Fn(T::Sum, T::Sum) -> T::Sum + Copy,
    ) {
        // SAFETY: the caller's.
        unsafe { self.places::<BLOCK>(keeps, add) }
    }

    /// # Safety
    /// As [`Self::run`]; the CPU has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn places_avx2(
        &self,
        keeps: impl Fn(T::Sum, T::Sum) -> bool + Copy,
        add: impl Fn(T::Sum, T::Sum) -> T::Sum + Copy,
    ) {
        // SAFETY: the caller's.
        unsafe { self.places::<16>(keeps, add) }
    }

    /// # Safety
    /// As [`Self::run`].
    #[inline(always)]
    unsafe fn places<const N: usize>(
        &self,
        keeps: impl Fn(T::Sum, T::Sum) -> bool + Copy,
        add: impl Fn(T::Sum, T::Sum) -> T::Sum + Copy,
    ) {
        let ScatterWork { outer, across, lanes, .. } = self.cut;
        let lines: usize = outer.iter().map(Vec::len).product();
        for line in 0..lines {
            let outer = together(outer, line);
            for (place, across) in across.iter().enumerate() {
                let source = self.source.wrapping_add((line * self.cut.across.len() + place) * lanes);
                // SAFETY: the caller's.
                unsafe { self.place::<N>((&outer, across), source, keeps, add) };
            }
        }
    }

    /// One place of the source.
    ///
    /// # Safety
    /// As [`Self::run`].
    #[inline(always)]
    unsafe fn place<const N: usize>(
        &self,
        seen: (&[isize], &[isize]),
        source: *const T,
        keeps: impl Fn(T::Sum, T::Sum) -> bool + Copy,
        add: impl Fn(T::Sum, T::Sum) -> T::Sum + Copy,
    ) {
        let (wide, whole) = (self.lanes / N * N, self.lanes / 16 * 16);
        // SAFETY: the caller's.
        unsafe {
            for lane in (0..wide).step_by(N) {
                self.block::<N>(seen, source, lane, keeps, add);
            }
            for lane in (wide..whole).step_by(16) {
                self.block::<16>(seen, source, lane, keeps, add);
            }
            for lane in whole..self.lanes {
                self.block::<1>(seen, source, lane, keeps, add);
            }
        }
    }

    /// # Safety
    /// As [`Self::run`].
    #[inline(always)]
    unsafe fn block<const N: usize>(
        &self,
        (outer, across): (&[isize], &[isize]),
        source: *const T,
        lane: usize,
        keeps: impl Fn(T::Sum, T::Sum) -> bool,
        add: impl Fn(T::Sum, T::Sum) -> T::Sum,
    ) {
        let all = || outer.iter().flat_map(|x| across.iter().map(move |y| x + y));
        let mut later = all();
        let Some(first) = later.next() else { return };
        // SAFETY: the caller's; elements may lie anywhere.
        let read = |from: *const T, at: isize| unsafe {
            from.wrapping_add(lane).wrapping_offset(at).cast::<[T; N]>().read_unaligned()
        };
        let mut best = read(self.from, first).map(T::widen);
        let mut which = [0u32; N];
        for (at, offset) in later.enumerate() {
            let here = read(self.from, offset);
            for lane in 0..N {
                let (x, kept) = (here[lane].widen(), best[lane]);
                let keeps = keeps(kept, x);
                best[lane] = if keeps { kept } else { x };
                which[lane] = if keeps { which[lane] } else { at as u32 + 1 };
            }
        }
        let added = read(source, 0);
        for (at, offset) in all().enumerate() {
            let mut sums = read(self.to, offset);
            for lane in 0..N {
                let sum = T::narrow(add(sums[lane].widen(), added[lane].widen()));
                sums[lane] = if which[lane] == at as u32 { sum } else { sums[lane] };
            }
            let to = self.to.wrapping_add(lane).wrapping_offset(offset);
            // SAFETY: as above.
            unsafe { to.cast::<[T; N]>().write_unaligned(sums) };
        }
    }
}
