//! Scatters by index vectors: windows that do not lie inside are skipped, updates are applied in row-major order of the
//! indices.
//!
//! Where equal starts are the only windows that meet, pieces share the windows by their starts: each piece goes over
//! all index vectors, so windows must have some elements for that. Otherwise one worker does it all.

use crate::fold::{Element, Folding, fold_with};
use crate::gather::{Outside, Run, Start, Windows};
use crate::load::{load, store};
use crate::step::{Bases, BufId};
use crate::tile::{Reg, TILE, TileOp, Tiles, run};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;
use meshwright_steps::{Access, Extent};

/// Elements of a window from which on pieces share the windows.
const SHARED: usize = 32;
/// Elements of a piece, about, and pieces at most.
const PIECE: usize = 1 << 16;
const PIECES: usize = 8;

/// How an update meets the element it falls on.
#[derive(Clone, PartialEq, Debug)]
pub enum Meeting {
    Overwrite,
    /// One operand of a type that [`folds`](crate::fold::folds).
    Fold(Reducer),
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
    /// Whether windows that start at different places share no element.
    pub apart: bool,
    pub meeting: Meeting,
}

impl ScatterStep {
    pub fn accesses(&self) -> Vec<Access> {
        let operands = self.updates.iter().copied().chain([self.indices]);
        let targets = self.targets.iter().flat_map(|target| {
            [Access::read(*target, Extent::Somewhere), Access::write(*target, Extent::Somewhere)]
        });
        Access::reads(operands).chain(targets).collect()
    }

    pub fn pieces(&self) -> usize {
        let size = self.windows.size();
        if self.apart && size >= SHARED { (self.windows.count() * size / PIECE).clamp(1, PIECES) } else { 1 }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let size = self.windows.size();
        if size == 0 {
            return;
        }
        let pieces = self.pieces();
        workers.each(pieces, &|piece| {
            let share = Share { size, pieces, piece };
            match &self.meeting {
                Meeting::Overwrite => self.overwrite(bases, share),
                Meeting::Fold(reducer) => self.fold(bases, *reducer, share),
                Meeting::Program { regs, ops, new } => self.program(bases, (regs, ops, new), share),
            }
        });
    }

    /// The windows that lie inside and are this piece's.
    fn each(&self, bases: &Bases, share: Share, each: &mut dyn FnMut(&[Start])) {
        let all = 0..self.windows.count();
        self.windows.each(bases.at(self.indices), all, Outside::Skipped, &mut |starts| match share.pieces {
            1 => each(starts),
            _ => starts.chunks(1).filter(|start| share.owns(start[0])).for_each(&mut *each),
        });
    }

    fn overwrite(&self, bases: &Bases, share: Share) {
        for ((target, update), dtype) in self.targets.iter().zip(&self.updates).zip(&self.dtypes) {
            let meet = Meet { step: self, bases, share, target: *target, update: *update };
            match dtype.bytes() {
                1 => meet.by::<u8>(|_, new| new),
                2 => meet.by::<u16>(|_, new| new),
                4 => meet.by::<u32>(|_, new| new),
                8 => meet.by::<u64>(|_, new| new),
                _ => meet.by::<[u64; 2]>(|_, new| new),
            }
        }
    }

    fn fold(&self, bases: &Bases, reducer: Reducer, share: Share) {
        let ([dtype], [target], [update]) = (&self.dtypes[..], &self.targets[..], &self.updates[..]) else {
            return;
        };
        let meet = Meet { step: self, bases, share, target: *target, update: *update };
        fold_with(*dtype, reducer, &meet);
    }

    fn program(&self, bases: &Bases, (regs, ops, new): (&[DType], &[TileOp], &[Reg]), share: Share) {
        let tiles = Tiles::new(regs);
        let mut run = |run: Run| {
            // Tiles are written back side by side.
            let most = if run.steps[0] == 1 { TILE } else { 1 };
            for start in (0..run.len).step_by(most) {
                self.tile(bases, &tiles, (ops, new), run, start..(start + most).min(run.len));
            }
        };
        self.each(bases, share, &mut |starts| {
            starts.iter().for_each(|at| self.windows.each_run(*at, &mut run));
        });
    }

    fn tile(
        &self,
        bases: &Bases,
        tiles: &Tiles,
        (ops, new): (&[TileOp], &[Reg]),
        part: Run,
        range: std::ops::Range<usize>,
    ) {
        let count = self.targets.len();
        let place = |buf: BufId, dtype: DType, at: isize, step: isize| {
            bases.at(buf).wrapping_offset((at + range.start as isize * step) * dtype.bytes() as isize)
        };
        let take = |base: *mut u8, dtype: DType, step: isize, reg: usize| {
            let (dims, strides) = ([range.len()], [step]);
            let mut walk = Walk::new(&dims, &strides, 0);
            // SAFETY: the run lies in its buffer.
            unsafe { load(dtype, base, &mut walk, (&dims, &strides), tiles, reg as Reg, range.len()) };
        };
        let [own, from] = part.steps;
        for (i, dtype) in self.dtypes.iter().enumerate() {
            take(place(self.targets[i], *dtype, part.operand, own), *dtype, own, i);
            take(place(self.updates[i], *dtype, part.slice, from), *dtype, from, count + i);
        }
        run(ops, tiles, range.len());
        for (i, dtype) in self.dtypes.iter().enumerate() {
            let target = place(self.targets[i], *dtype, part.operand, own);
            // SAFETY: as above.
            unsafe { store(*dtype, tiles, new[i], target, range.len()) };
        }
    }
}

/// Which windows are a piece's.
#[derive(Clone, Copy)]
struct Share {
    /// Elements of a window.
    size: usize,
    pieces: usize,
    piece: usize,
}

impl Share {
    fn owns(&self, start: Start) -> bool {
        start.operand as usize / self.size % self.pieces == self.piece
    }
}

/// Updates that meet one target.
struct Meet<'a> {
    step: &'a ScatterStep,
    bases: &'a Bases,
    share: Share,
    target: BufId,
    update: BufId,
}

impl Folding for Meet<'_> {
    fn by<E: Element>(&self, combine: impl Fn(E::Sum, E::Sum) -> E::Sum + Copy + Sync) {
        self.by::<E>(|old: E, new: E| E::narrow(combine(old.widen(), new.widen())));
    }
}

impl Meet<'_> {
    fn by<T: Copy>(&self, met: impl Fn(T, T) -> T + Copy) {
        let target = self.bases.at(self.target).cast::<T>();
        let update = self.bases.at(self.update).cast::<T>().cast_const();
        let one = move |to: isize, from: isize| {
            // SAFETY: the window lies in the target, the slice in the updates; no other piece writes the window.
            unsafe {
                let to = target.offset(to);
                *to = met(*to, *update.offset(from));
            }
        };
        let mut part = |run: Run| match run.steps {
            // SAFETY: as above.
            [1, 1] => unsafe {
                let to = std::slice::from_raw_parts_mut(target.offset(run.operand), run.len);
                let from = std::slice::from_raw_parts(update.offset(run.slice), run.len);
                side_by_side(to, from, &met);
            },
            [a, b] => (0..run.len as isize).for_each(|i| one(run.operand + i * a, run.slice + i * b)),
        };
        let (step, windows) = (self.step, &self.step.windows);
        if windows.window.is_empty() {
            let (indices, all) = (self.bases.at(step.indices), 0..windows.count());
            return windows.each_element(indices, all, Outside::Skipped, move |at| one(at.operand, at.slice));
        }
        step.each(self.bases, self.share, &mut |starts| {
            starts.iter().for_each(|at| windows.each_run(*at, &mut part));
        });
    }
}

#[inline(always)]
fn side_by_side<T: Copy>(to: &mut [T], from: &[T], met: &impl Fn(T, T) -> T) {
    #[cfg(target_arch = "x86_64")]
    if crate::isa::avx512() {
        // SAFETY: the features are there.
        return unsafe { side_by_side_avx512(to, from, met) };
    }
    #[cfg(target_arch = "x86_64")]
    if crate::isa::avx2() {
        // SAFETY: the features are there.
        return unsafe { side_by_side_avx2(to, from, met) };
    }
    to.iter_mut().zip(from).for_each(|(to, from)| *to = met(*to, *from));
}

/// # Safety
/// The features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn side_by_side_avx512<T: Copy>(to: &mut [T], from: &[T], met: &impl Fn(T, T) -> T) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = met(*to, *from));
}

/// # Safety
/// The features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn side_by_side_avx2<T: Copy>(to: &mut [T], from: &[T], met: &impl Fn(T, T) -> T) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = met(*to, *from));
}
