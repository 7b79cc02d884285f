//! Gathers by index vectors, and how index vectors name windows.
//!
//! A gather clamps each window into the operand. Index vectors are walked in runs of equal distance, so one costs a few
//! cycles; where their windows begin is handed on in blocks, so the walk is compiled once. Windows that lie in one piece are
//! copied as such.

use crate::kernel::load::integer;
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

/// Starts that are handed on together.
const BLOCK: usize = 128;

/// Which windows are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// One that does not lie inside is moved there.
    Clamped,
    Skipped,
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
    pub fn each(
        &self,
        indices: *const u8,
        range: Range<usize>,
        outside: Outside,
        each: &mut dyn FnMut(&[Start]),
    ) {
        match self.dtype {
            DType::U32 => {
                // SAFETY: the indices have an element at each place that is asked for.
                let index = |at| unsafe { i64::from(*indices.cast::<u32>().offset(at)) };
                self.walk(range, index, outside, each);
            }
            DType::S32 => {
                // SAFETY: as above.
                let index = |at| unsafe { i64::from(*indices.cast::<i32>().offset(at)) };
                self.walk(range, index, outside, each);
            }
            other => {
                let width = other.bytes() as isize;
                // SAFETY: as above.
                let index = |at| unsafe { integer(other, indices.offset(at * width)) };
                self.walk(range, index, outside, each);
            }
        }
    }

    fn walk(
        &self,
        range: Range<usize>,
        index: impl Fn(isize) -> i64,
        outside: Outside,
        each: &mut dyn FnMut(&[Start]),
    ) {
        let [indices, slices, operand] = &self.batch_strides;
        let last = |strides: &[isize]| strides.last().copied().unwrap_or(0);
        let steps = [last(indices), last(slices), last(operand)];
        let walk = |strides: &[isize]| Walk::new(&self.batch, strides, range.start);
        let (mut i, mut s, mut o) = (walk(indices), walk(slices), walk(operand));
        let mut found = Found { starts: [Start::default(); BLOCK], count: 0, outside };
        let mut left = range.len();
        while left > 0 {
            let run = i.left(&self.batch).min(left).min(BLOCK - found.count);
            let begin = |at: isize| Start { operand: o.at + at * steps[2], slice: s.at + at * steps[1] };
            match self.components[..] {
                // The usual: one component, and nothing to look up in the loop.
                [component] => (0..run as isize)
                    .for_each(|at| found.push(begin(at), [(index(i.at + at * steps[0]), component)])),
                _ => (0..run as isize).for_each(|at| {
                    let place = |c: usize| i.at + at * steps[0] + c as isize * self.vector_stride;
                    let components = self.components.iter().enumerate();
                    found.push(begin(at), components.map(|(c, component)| (index(place(c)), *component)));
                }),
            }
            if found.count == BLOCK {
                each(&found.starts);
                found.count = 0;
            }
            i.advance(&self.batch, indices, run);
            s.advance(&self.batch, slices, run);
            o.advance(&self.batch, operand, run);
            left -= run;
        }
        each(&found.starts[..found.count]);
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

/// Starts that wait to be handed on.
struct Found {
    starts: [Start; BLOCK],
    /// There is room for one more.
    count: usize,
    outside: Outside,
}

impl Found {
    /// A window that begins here if all its indices are 0.
    #[inline(always)]
    fn push(&mut self, mut start: Start, components: impl IntoIterator<Item = (i64, (isize, i64))>) {
        let mut inside = true;
        for (index, (stride, last)) in components {
            let clamped = index.min(last).max(0);
            inside &= clamped == index;
            start.operand += clamped as isize * stride;
        }
        self.starts[self.count] = start;
        self.count += usize::from(inside | (self.outside == Outside::Clamped));
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

    fn moved<T: Copy>(&self, bases: &Bases, workers: &dyn Workers) {
        let windows = &self.windows;
        let (size, count) = (windows.size(), windows.count());
        if size == 0 {
            return;
        }
        let per = (PIECE / size).max(1);
        let from = At(bases.at(self.operand).cast::<T>().wrapping_offset(self.offset).cast());
        let (indices, to) = (At(bases.at(self.indices)), At(bases.at(self.to)));
        workers.each(count.div_ceil(per), &|piece| {
            let (from, indices, to) = (from.ptr().cast::<T>(), indices.ptr(), to.ptr().cast::<T>());
            let range = piece * per..((piece + 1) * per).min(count);
            windows.each(indices, range, Outside::Clamped, &mut |starts| {
                if windows.window.is_empty() {
                    // SAFETY: the element lies in the operand, its place in the result.
                    return starts.iter().for_each(|at| unsafe {
                        *to.offset(at.slice) = *from.offset(at.operand);
                    });
                }
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
