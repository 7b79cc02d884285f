//! Gather and scatter by index vectors.
//!
//! A gather clamps each window into the operand. A scatter skips windows that do not lie inside, and applies updates in
//! row-major order of the indices.

use crate::kernel::load::integer;
use crate::step::{At, Bases, BufId};
use crate::tile::{Reg, TileOp, Tiles, run};
use crate::view::{Walk, row_major};
use meshwright_ir::DType;
use meshwright_runtime::Workers;

/// How index vectors name windows of an operand, which may lie in any strides. Indices and slices are dense.
#[derive(Clone, PartialEq, Debug)]
pub struct Windows {
    pub dtype: DType,
    /// Sizes and strides of the batch dims, in the indices.
    pub batch: Vec<usize>,
    pub batch_strides: Vec<isize>,
    /// Distance of the components of an index vector.
    pub vector_stride: isize,
    /// Per component: stride of the operand dim, and the last start that fits.
    pub components: Vec<(isize, i64)>,
    /// Per operand batching dim: stride of the operand, and which batch dim gives the position.
    pub batching: Vec<(isize, usize)>,
    /// Sizes of the window dims, and their strides in the operand and in the slices.
    pub window: Vec<usize>,
    pub window_strides: Vec<isize>,
    pub slice_strides: Vec<isize>,
    /// Strides of the batch dims in the slices.
    pub slice_batch: Vec<isize>,
}

impl Windows {
    fn count(&self) -> usize {
        self.batch.iter().product()
    }

    /// Start of a window in the operand, and whether it lies inside as it is.
    fn start(&self, indices: *const u8, at: usize) -> (isize, bool) {
        let from = Walk::new(&self.batch, &self.batch_strides, at).at;
        let width = self.dtype.bytes() as isize;
        let (mut start, mut inside) = (0, true);
        for (i, (stride, last)) in self.components.iter().enumerate() {
            let place = from + i as isize * self.vector_stride;
            // SAFETY: the indices have an element for each batch place and component.
            let index = unsafe { integer(self.dtype, indices.offset(place * width)) };
            let clamped = index.clamp(0, *last);
            inside &= clamped == index;
            start += clamped as isize * stride;
        }
        if !self.batching.is_empty() {
            let dims = row_major(&self.batch);
            for (stride, dim) in &self.batching {
                start += (at as isize / dims[*dim]) % self.batch[*dim] as isize * stride;
            }
        }
        (start, inside)
    }

    fn slice_start(&self, at: usize) -> isize {
        Walk::new(&self.batch, &self.slice_batch, at).at
    }

    /// Runs of a window: (place in the operand's window, place in the slice, length), `length` elements side by side
    /// in both.
    fn each_run(&self, mut run: impl FnMut(isize, isize, usize)) {
        let rank = self.window.len();
        let joined = rank > 0 && self.window_strides[rank - 1] == 1 && self.slice_strides[rank - 1] == 1;
        let (outer, len) = if joined { (rank - 1, self.window[rank - 1]) } else { (rank, 1) };
        let dims = &self.window[..outer];
        let (a, b) = (&self.window_strides[..outer], &self.slice_strides[..outer]);
        let (mut from, mut to) = (Walk::new(dims, a, 0), Walk::new(dims, b, 0));
        for _ in 0..dims.iter().product::<usize>() {
            run(from.at, to.at, len);
            from.advance(dims, a, 1);
            to.advance(dims, b, 1);
        }
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
        let windows = &self.windows;
        let size: usize = windows.window.iter().product();
        if size == 0 {
            return;
        }
        let count = windows.count();
        let per = ((1 << 15) / size).max(1);
        let (from, indices, to) =
            (At(bases.at(self.operand)), At(bases.at(self.indices)), At(bases.at(self.to)));
        workers.each(count.div_ceil(per), &|piece| {
            let (from, indices, to) = (from, indices, to);
            for at in piece * per..((piece + 1) * per).min(count) {
                let start = self.offset + windows.start(indices.0, at).0;
                let slice = windows.slice_start(at);
                windows.each_run(|a, b, len| {
                    let (a, b) = ((start + a) * self.width as isize, (slice + b) * self.width as isize);
                    // SAFETY: the window lies in the operand, the slice in the result.
                    unsafe {
                        std::ptr::copy_nonoverlapping(from.0.offset(a), to.0.offset(b), len * self.width)
                    };
                });
            }
        });
    }
}

/// How an update meets the element it falls on.
#[derive(Clone, PartialEq, Debug)]
pub enum Meeting {
    Overwrite,
    AddF32,
    /// A tile program: tiles 0.. are the old elements, then the updates; `new` are the results.
    Program {
        regs: Vec<DType>,
        ops: Vec<TileOp>,
        new: Vec<Reg>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct ScatterStep {
    /// Already hold the operands.
    pub targets: Vec<BufId>,
    pub dtypes: Vec<DType>,
    pub indices: BufId,
    pub updates: Vec<BufId>,
    pub windows: Windows,
    pub meeting: Meeting,
}

impl ScatterStep {
    pub fn reads(&self) -> Vec<BufId> {
        let mut all = self.targets.clone();
        all.extend(&self.updates);
        all.push(self.indices);
        all
    }

    pub fn run(&self, bases: &Bases) {
        let tiles = match &self.meeting {
            Meeting::Program { regs, .. } => Tiles::new(regs),
            Meeting::Overwrite | Meeting::AddF32 => Tiles::new(&[]),
        };
        let indices = bases.at(self.indices);
        for at in 0..self.windows.count() {
            let (start, inside) = self.windows.start(indices, at);
            if !inside {
                continue;
            }
            let slice = self.windows.slice_start(at);
            self.windows.each_run(|a, b, len| self.meet(bases, &tiles, start + a, slice + b, len));
        }
    }

    fn meet(&self, bases: &Bases, tiles: &Tiles, to: isize, from: isize, len: usize) {
        match &self.meeting {
            Meeting::Overwrite => {
                for (i, dtype) in self.dtypes.iter().enumerate() {
                    let width = dtype.bytes();
                    let target = bases.at(self.targets[i]).wrapping_offset(to * width as isize);
                    let source = bases.at(self.updates[i]).wrapping_offset(from * width as isize);
                    // SAFETY: the window lies in the target, the slice in the updates.
                    unsafe { std::ptr::copy_nonoverlapping(source, target, len * width) };
                }
            }
            Meeting::AddF32 => {
                let target = bases.at(self.targets[0]).cast::<f32>().wrapping_offset(to);
                let source = bases.at(self.updates[0]).cast::<f32>().wrapping_offset(from);
                for i in 0..len {
                    // SAFETY: as above.
                    unsafe { *target.add(i) += *source.add(i) };
                }
            }
            Meeting::Program { ops, new, .. } => {
                for i in 0..len as isize {
                    self.one(bases, tiles, (ops, new), to + i, from + i);
                }
            }
        }
    }

    fn one(&self, bases: &Bases, tiles: &Tiles, (ops, new): (&[TileOp], &[Reg]), to: isize, from: isize) {
        use crate::kernel::load::{load, store};
        let count = self.targets.len();
        let element = |buf: BufId, dtype: DType, at: isize, reg: usize| {
            let base = bases.at(buf).wrapping_offset(at * dtype.bytes() as isize);
            // SAFETY: the element lies in its buffer.
            unsafe { load(dtype, base, &mut Walk::new(&[], &[], 0), (&[], &[]), tiles, reg as Reg, 1) };
        };
        for (i, dtype) in self.dtypes.iter().enumerate() {
            element(self.targets[i], *dtype, to, i);
            element(self.updates[i], *dtype, from, count + i);
        }
        run(ops, tiles, 1);
        for (i, dtype) in self.dtypes.iter().enumerate() {
            let target = bases.at(self.targets[i]).wrapping_offset(to * dtype.bytes() as isize);
            // SAFETY: as above.
            unsafe { store(*dtype, tiles, new[i], target, 1) };
        }
    }
}
