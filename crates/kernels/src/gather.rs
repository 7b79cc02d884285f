//! Gathers by index vectors, and how index vectors name windows.
//!
//! A gather clamps each window into the operand. Index vectors are walked in rows of equal distance, so one costs a few
//! cycles. Where windows begin is handed on in blocks, so that only loops over single elements are compiled for each
//! use; windows that lie in one piece are copied as such.

use crate::load::integer;
use crate::step::{At, Bases, BufId};
use crate::view::{View, Walk, collapse_together};
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use std::ops::Range;

/// Elements that a piece moves, about.
const PIECE: usize = 1 << 15;

/// How index vectors name windows of an operand, which may lie in any strides. Indices and slices are dense.
#[derive(Clone, PartialEq, Debug)]
pub struct Windows {
    /// Type of the indices.
    pub dtype: DType,
    /// Distance of the components of an index vector.
    pub vector_stride: isize,
    /// Per component: stride of the operand dim, and the last start that fits.
    pub components: Vec<(isize, i64)>,
    /// Sizes of the batch dims; their strides in the indices, in the slices and (batching dims) in the operand.
    pub batch: Vec<usize>,
    pub batch_strides: [Vec<isize>; 3],
    /// Sizes of the window dims; their strides in the operand and in the slices.
    pub window: Vec<usize>,
    pub window_strides: [Vec<isize>; 2],
}

/// Where a window begins in the operand and in the slices.
#[derive(Clone, Copy, Default)]
pub struct Start {
    pub operand: isize,
    pub slice: isize,
}

/// Which windows are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// One that does not lie inside is moved there.
    Clamped,
    Skipped,
}

/// Starts that are handed on together.
const BLOCK: usize = 64;

/// Index vectors of equal distance.
#[derive(Clone, Copy)]
struct Row {
    /// Place of the first in the indices, and where its window begins if all its indices are 0.
    place: isize,
    begin: Start,
    /// Distances in the indices, the slices and the operand.
    steps: [isize; 3],
    len: usize,
}

impl Row {
    /// So many of its vectors.
    fn part(self, range: Range<usize>) -> Row {
        let by = |step: isize| range.start as isize * step;
        let [indices, slices, operand] = self.steps.map(by);
        let begin = Start { operand: self.begin.operand + operand, slice: self.begin.slice + slices };
        Row { place: self.place + indices, begin, len: range.len(), ..self }
    }

    #[inline(always)]
    fn each(
        self,
        windows: &Windows,
        outside: Outside,
        index: impl Fn(isize) -> i64,
        mut each: impl FnMut(Start),
    ) {
        let [indices, slices, operand] = self.steps;
        let begin = |at: isize| Start {
            operand: self.begin.operand + at * operand,
            slice: self.begin.slice + at * slices,
        };
        let clamped = outside == Outside::Clamped;
        let rows = 0..self.len as isize;
        match windows.components[..] {
            // The usual: one component, indices and slices one after another in one part of the operand.
            [component] if clamped && self.steps == [1, 1, 0] => rows.for_each(|at| {
                let begin = Start { slice: self.begin.slice + at, ..self.begin };
                each(begin.moved(index(self.place + at), component).0);
            }),
            // The same for windows that are skipped unless they lie inside: one comparison says so.
            [(stride, last)] if self.steps == [1, 1, 0] => rows.for_each(|at| {
                let index = index(self.place + at);
                if (0..=last).contains(&index) {
                    let operand = self.begin.operand + index as isize * stride;
                    each(Start { operand, slice: self.begin.slice + at });
                }
            }),
            // Nothing to look up in the loop.
            [component] => rows.for_each(|at| {
                let (start, inside) = begin(at).moved(index(self.place + at * indices), component);
                if inside | clamped {
                    each(start);
                }
            }),
            _ => rows.for_each(|at| {
                let (mut start, mut inside) = (begin(at), true);
                let mut place = self.place + at * indices;
                for component in &windows.components {
                    let (moved, its) = start.moved(index(place), *component);
                    (start, inside) = (moved, inside & its);
                    place += windows.vector_stride;
                }
                if inside | clamped {
                    each(start);
                }
            }),
        }
    }
}

impl Start {
    /// One dim further, and whether the window lies inside there.
    #[inline(always)]
    fn moved(mut self, index: i64, (stride, last): (isize, i64)) -> (Start, bool) {
        let clamped = index.min(last).max(0);
        self.operand += clamped as isize * stride;
        (self, clamped == index)
    }
}

/// Reads indices of a type, which has one at each place that is asked for.
#[inline(always)]
fn index_of<T: Copy + Into<i64>>(indices: *const u8) -> impl Fn(isize) -> i64 {
    // SAFETY: as said.
    move |at| unsafe { (*indices.cast::<T>().offset(at)).into() }
}

/// Part of a window whose elements have equal distances.
#[derive(Clone, Copy)]
pub struct Run {
    pub operand: isize,
    pub slice: isize,
    pub steps: [isize; 2],
    pub len: usize,
}

impl Windows {
    pub fn joined(mut self) -> Windows {
        let [a, b, c] = &self.batch_strides;
        let (batch, strides) = collapse_together(&self.batch, &[a, b, c]);
        if let Ok(strides) = strides.try_into() {
            (self.batch, self.batch_strides) = (batch, strides);
        }
        let [a, b] = &self.window_strides;
        let (window, strides) = collapse_together(&self.window, &[a, b]);
        if let Ok(strides) = strides.try_into() {
            (self.window, self.window_strides) = (window, strides);
        }
        self
    }

    pub fn count(&self) -> usize {
        self.batch.iter().product()
    }

    /// Elements of a window.
    pub fn size(&self) -> usize {
        self.window.iter().product()
    }

    /// The starts that some of the index vectors name, in row-major order, a block at a time: what is done with them is
    /// compiled for itself.
    pub(crate) fn each(
        &self,
        indices: *const u8,
        range: Range<usize>,
        outside: Outside,
        each: &mut dyn FnMut(&[Start]),
    ) {
        match self.dtype {
            DType::S32 => self.blocks(index_of::<i32>(indices), range, outside, each),
            DType::U32 => self.blocks(index_of::<u32>(indices), range, outside, each),
            dtype => {
                let width = dtype.bytes() as isize;
                // SAFETY: the indices have an element at each place that is asked for.
                let index = |at| unsafe { integer(dtype, indices.offset(at * width)) };
                self.blocks(index, range, outside, each);
            }
        }
    }

    fn blocks(
        &self,
        index: impl Fn(isize) -> i64,
        range: Range<usize>,
        outside: Outside,
        each: &mut dyn FnMut(&[Start]),
    ) {
        let mut starts = [Start::default(); BLOCK];
        self.rows(range, &mut |row| {
            for first in (0..row.len).step_by(BLOCK) {
                let part = row.part(first..(first + BLOCK).min(row.len));
                let mut found = 0;
                part.each(self, outside, &index, |start| {
                    starts[found] = start;
                    found += 1;
                });
                each(&starts[..found]);
            }
        });
    }

    /// The same one by one, where a window is an element: the usual indices are read within the caller's loop.
    #[inline(always)]
    pub(crate) fn each_element(
        &self,
        indices: *const u8,
        range: Range<usize>,
        outside: Outside,
        each: impl Fn(Start) + Copy,
    ) {
        match self.dtype {
            // A copy of the loop's inside stays in registers: what it writes cannot change it.
            DType::S32 => self.rows(range, &mut |row| {
                row.each(self, outside, index_of::<i32>(indices), each);
            }),
            DType::U32 => self.rows(range, &mut |row| {
                row.each(self, outside, index_of::<u32>(indices), each);
            }),
            _ => self.each(indices, range, outside, &mut |starts| starts.iter().for_each(|at| each(*at))),
        }
    }

    fn rows(&self, range: Range<usize>, each: &mut dyn FnMut(Row)) {
        let [indices, slices, operand] = &self.batch_strides;
        let last = |strides: &[isize]| strides.last().copied().unwrap_or(0);
        let steps = [last(indices), last(slices), last(operand)];
        let walk = |strides: &[isize]| Walk::new(&self.batch, strides, range.start);
        let (mut i, mut s, mut o) = (walk(indices), walk(slices), walk(operand));
        let mut left = range.len();
        while left > 0 {
            let len = i.left(&self.batch).min(left);
            each(Row { place: i.at, begin: Start { operand: o.at, slice: s.at }, steps, len });
            i.advance(&self.batch, indices, len);
            s.advance(&self.batch, slices, len);
            o.advance(&self.batch, operand, len);
            left -= len;
        }
    }

    /// The runs of a window.
    pub fn each_run(&self, start: Start, run: &mut dyn FnMut(Run)) {
        let [operand, slices] = &self.window_strides;
        let (Some((len, outer)), [.., a], [.., b]) = (self.window.split_last(), &operand[..], &slices[..])
        else {
            return run(Run { operand: start.operand, slice: start.slice, steps: [1, 1], len: 1 });
        };
        let mut one = Run { operand: start.operand, slice: start.slice, steps: [*a, *b], len: *len };
        if outer.is_empty() {
            return run(one);
        }
        let (mut from, mut to) = (Walk::new(outer, operand, 0), Walk::new(outer, slices, 0));
        for _ in 0..outer.iter().product::<usize>() {
            (one.operand, one.slice) = (start.operand + from.at, start.slice + to.at);
            run(one);
            from.advance(outer, operand, 1);
            to.advance(outer, slices, 1);
        }
    }

    /// Whether all dims can be walked.
    pub fn is_walkable(&self) -> bool {
        View::is_walkable(&self.batch) && View::is_walkable(&self.window)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct GatherStep {
    pub operand: BufId,
    /// First element of the operand.
    pub offset: isize,
    pub indices: BufId,
    pub to: BufId,
    pub width: usize,
    pub windows: Windows,
}

impl GatherStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.width {
            1 => self.moved::<u8>(bases, workers),
            2 => self.moved::<u16>(bases, workers),
            4 => self.moved::<u32>(bases, workers),
            8 => self.moved::<u64>(bases, workers),
            _ => self.moved::<[u64; 2]>(bases, workers),
        }
    }

    /// Windows of a piece.
    fn per(&self) -> usize {
        (PIECE / self.windows.size().max(1)).max(1)
    }

    pub fn pieces(&self) -> usize {
        self.windows.count().div_ceil(self.per())
    }

    fn moved<T: Copy>(&self, bases: &Bases, workers: &dyn Workers) {
        let windows = &self.windows;
        let (size, count) = (windows.size(), windows.count());
        if size == 0 {
            return;
        }
        let per = self.per();
        let from = At(bases.at(self.operand).cast::<T>().wrapping_offset(self.offset).cast());
        let (indices, to) = (At(bases.at(self.indices)), At(bases.at(self.to)));
        workers.each(count.div_ceil(per), &|piece| {
            let (from, indices, to) = (from.ptr().cast::<T>(), indices.ptr(), to.ptr().cast::<T>());
            let range = piece * per..((piece + 1) * per).min(count);
            if windows.window.is_empty() {
                // SAFETY: the element lies in the operand, its place in the result.
                return windows.each_element(indices, range, Outside::Clamped, move |at| unsafe {
                    *to.offset(at.slice) = *from.offset(at.operand);
                });
            }
            windows.each(indices, range, Outside::Clamped, &mut |starts| {
                for at in starts {
                    // SAFETY: the window lies in the operand, the slice in the result.
                    windows.each_run(*at, &mut |run| unsafe {
                        copy_run(from.offset(run.operand), to.offset(run.slice), run.steps, run.len);
                    });
                }
            });
        });
    }
}

/// # Safety
/// All elements must exist.
#[inline(always)]
unsafe fn copy_run<T: Copy>(from: *const T, to: *mut T, steps: [isize; 2], len: usize) {
    // SAFETY: the caller's.
    unsafe {
        if steps == [1, 1] {
            return std::ptr::copy_nonoverlapping(from, to, len);
        }
        for i in 0..len as isize {
            *to.offset(i * steps[1]) = *from.offset(i * steps[0]);
        }
    }
}
