//! Where the largest or smallest element along a dim lies: the first of equals; what is no number is above and below
//! all.
//!
//! A row is folded tile by tile, and the place is looked for in the best tile only. Elements that are kept side by side
//! are compared side by side. Long rows are cut into parts by their length.

use crate::fold::{Element, Fold, fold_run};
use crate::load::{held_as_is, load};
use crate::step::{At, Bases, BufId};
use crate::tile::{Held, TILE, Tiles};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;
use std::ops::Range;

/// Elements read by a piece, about.
const PIECE: usize = 1 << 16;

#[derive(Clone, PartialEq, Debug)]
pub struct ArgStep {
    pub from: BufId,
    pub dtype: DType,
    pub offset: isize,
    pub kept: Vec<usize>,
    pub strides: Vec<isize>,
    /// Elements along the dim, at least one, and their distance.
    pub n: usize,
    pub stride: isize,
    pub to: BufId,
    /// Bytes of a place.
    pub width: usize,
    pub largest: bool,
}

impl ArgStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match Held::of(self.dtype) {
            Held::Bool => self.places::<u8>(bases, workers),
            Held::I32 => self.places::<i32>(bases, workers),
            Held::I64 => self.places::<i64>(bases, workers),
            Held::U32 => self.places::<u32>(bases, workers),
            Held::U64 => self.places::<u64>(bases, workers),
            Held::F32 => self.places::<f32>(bases, workers),
            Held::F64 | Held::C64 | Held::C128 => self.places::<f64>(bases, workers),
        }
    }

    fn count(&self) -> usize {
        self.kept.iter().product()
    }

    fn places<T: Element<Sum = T> + Fold + PartialOrd>(&self, bases: &Bases, workers: &dyn Workers) {
        let side_by_side = self.strides.last() == Some(&1) && self.kept.last().is_some_and(|n| *n >= 8);
        if side_by_side && self.stride != 1 {
            return self.columns::<T>(bases, workers);
        }
        let (count, n) = (self.count(), self.n);
        let parts = if count < 16 { n.div_ceil(PIECE) } else { 1 };
        let part = n.div_ceil(parts);
        let per = (PIECE / part).max(1);
        let tasks = count * parts;
        let mut found = vec![(T::default(), 0usize); tasks];
        let at = At(found.as_mut_ptr().cast());
        workers.each(tasks.div_ceil(per), &|piece| {
            let tiles = Tiles::new(&[self.dtype]);
            for task in piece * per..((piece + 1) * per).min(tasks) {
                let range = task % parts * part..((task % parts + 1) * part).min(n);
                let best = self.row::<T>(bases, &tiles, task / parts, range);
                // SAFETY: every task has its own place.
                unsafe { *at.ptr().cast::<(T, usize)>().add(task) = best };
            }
        });
        for (kept, parts) in found.chunks(parts).enumerate() {
            let first = parts[0];
            let best =
                parts.iter().fold(first, |best, next| if self.beats(next.0, best.0) { *next } else { best });
            self.put(bases, kept, best.1);
        }
    }

    /// Whether a later element takes the place of an earlier one.
    #[inline(always)]
    fn beats<T: PartialOrd>(&self, next: T, best: T) -> bool {
        beats(self.largest, next, best)
    }

    fn put(&self, bases: &Bases, kept: usize, place: usize) {
        let to = bases.at(self.to);
        // SAFETY: the result has a place for each element that is kept.
        unsafe {
            match self.width {
                4 => *to.cast::<u32>().add(kept) = place as u32,
                _ => *to.cast::<u64>().add(kept) = place as u64,
            }
        }
    }

    /// The best of a part of a row, and where it is.
    fn row<T: Element<Sum = T> + Fold + PartialOrd>(
        &self,
        bases: &Bases,
        tiles: &Tiles,
        kept: usize,
        range: Range<usize>,
    ) -> (T, usize) {
        let reducer = if self.largest { Reducer::Max } else { Reducer::Min };
        let start = self.offset + Walk::new(&self.kept, &self.strides, kept).at;
        let mut best: Option<(T, usize)> = None;
        for at in range.clone().step_by(TILE) {
            let tile = self.tile::<T>(bases, tiles, start, at..(at + TILE).min(range.end));
            let next = fold_run(reducer, tile);
            if best.is_none_or(|best| self.beats(next, best.0)) {
                best = Some((next, at));
            }
        }
        let Some((value, at)) = best else { return (T::default(), 0) };
        let tile = self.tile::<T>(bases, tiles, start, at..(at + TILE).min(range.end));
        #[allow(clippy::eq_op)]
        let is_it = |x: &T| *x == value || *x != *x;
        (value, at + tile.iter().position(is_it).unwrap_or(0))
    }

    fn tile<'t, T: Copy>(
        &self,
        bases: &Bases,
        tiles: &'t Tiles,
        start: isize,
        range: Range<usize>,
    ) -> &'t [T] {
        let width = self.dtype.bytes() as isize;
        let first = start + range.start as isize * self.stride;
        let base = bases.at(self.from).wrapping_offset(first * width);
        // SAFETY: the elements lie in the buffer.
        unsafe {
            if self.stride == 1 && held_as_is(self.dtype) {
                return std::slice::from_raw_parts(base.cast::<T>(), range.len());
            }
            let (dims, strides) = ([range.len()], [self.stride]);
            let mut walk = Walk::new(&dims, &strides, 0);
            load(self.dtype, base, &mut walk, (&dims, &strides), tiles, 0, range.len());
            std::slice::from_raw_parts(tiles.ptr::<T>(0), range.len())
        }
    }

    fn columns<T: Element<Sum = T> + Fold + PartialOrd>(&self, bases: &Bases, workers: &dyn Workers) {
        let run = self.kept.last().copied().unwrap_or(1);
        let strips = run.div_ceil(TILE);
        let tasks = self.count() / run * strips;
        let width = self.dtype.bytes() as isize;
        workers.each(tasks, &|task| {
            let within = task % strips * TILE;
            let (first, len) = (task / strips * run + within, TILE.min(run - within));
            let start = self.offset + Walk::new(&self.kept, &self.strides, first).at;
            let tiles = Tiles::new(&[self.dtype]);
            let (mut best, mut places) = ([T::default(); TILE], [0u32; TILE]);
            let (dims, strides) = ([len], [1]);
            for row in 0..self.n {
                let at = start + row as isize * self.stride;
                let base = bases.at(self.from).wrapping_offset(at * width);
                // SAFETY: the elements lie in the buffer.
                let elements = unsafe {
                    if held_as_is(self.dtype) {
                        std::slice::from_raw_parts(base.cast::<T>(), len)
                    } else {
                        let mut walk = Walk::new(&dims, &strides, 0);
                        load(self.dtype, base, &mut walk, (&dims, &strides), &tiles, 0, len);
                        std::slice::from_raw_parts(tiles.ptr::<T>(0).cast_const(), len)
                    }
                };
                match row {
                    0 => best[..len].copy_from_slice(elements),
                    _ => compare(self.largest, row as u32, elements, &mut best[..len], &mut places[..len]),
                }
            }
            places[..len]
                .iter()
                .enumerate()
                .for_each(|(i, place)| self.put(bases, first + i, *place as usize));
        });
    }
}

/// A later element takes the place of an earlier one if it is better, or the first that is no number.
#[inline(always)]
fn beats<T: PartialOrd>(largest: bool, next: T, best: T) -> bool {
    #[allow(clippy::eq_op)]
    let (broken, already) = (next != next, best != best);
    !already & (broken | if largest { next > best } else { next < best })
}

fn compare<T: Copy + PartialOrd>(largest: bool, row: u32, next: &[T], best: &mut [T], places: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    if crate::isa::avx512() {
        // SAFETY: the features are there.
        return unsafe { compare_avx512(largest, row, next, best, places) };
    }
    #[cfg(target_arch = "x86_64")]
    if crate::isa::avx2() {
        // SAFETY: the features are there.
        return unsafe { compare_avx2(largest, row, next, best, places) };
    }
    compare_any(largest, row, next, best, places);
}

/// # Safety
/// The features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn compare_avx2<T: Copy + PartialOrd>(
    largest: bool,
    row: u32,
    next: &[T],
    best: &mut [T],
    places: &mut [u32],
) {
    compare_any(largest, row, next, best, places);
}

/// # Safety
/// The features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn compare_avx512<T: Copy + PartialOrd>(
    largest: bool,
    row: u32,
    next: &[T],
    best: &mut [T],
    places: &mut [u32],
) {
    compare_any(largest, row, next, best, places);
}

#[inline(always)]
fn compare_any<T: Copy + PartialOrd>(
    largest: bool,
    row: u32,
    next: &[T],
    best: &mut [T],
    places: &mut [u32],
) {
    for ((next, best), place) in next.iter().zip(best).zip(places) {
        let beats = beats(largest, *next, *best);
        *best = std::hint::select_unpredictable(beats, *next, *best);
        *place = std::hint::select_unpredictable(beats, row, *place);
    }
}
