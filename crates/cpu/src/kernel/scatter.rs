//! Scatters by index vectors: windows that do not lie inside are skipped, updates are applied in row-major order of the
//! indices.
//!
//! Where equal starts are the only windows that meet, pieces share the windows by their starts: each piece goes over all
//! index vectors, so windows must have some elements for that. Otherwise one worker does it all.

use crate::kernel::gather::{Run, Start, Windows};
use crate::kernel::load::{load, store};
use crate::kernel::reduce::{Fold, narrowed, widened};
use crate::step::{Bases, BufId};
use crate::tile::{Reg, TILE, TileOp, Tiles, run};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;

/// Elements of a window from which on pieces share the windows.
const SHARED: usize = 32;
/// Elements of a piece, about, and pieces at most.
const PIECE: usize = 1 << 16;
const PIECES: usize = 8;

/// How an update meets the element it falls on.
#[derive(Clone, PartialEq, Debug)]
pub enum Meeting {
    Overwrite,
    /// One operand of a type that [`folds`].
    Fold(Reducer),
    /// A tile program: tiles 0.. are the old elements, then the updates; `new` are the results.
    Program {
        regs: Vec<DType>,
        ops: Vec<TileOp>,
        new: Vec<Reg>,
    },
}

/// Types that need no tile program. Every step is rounded, so other narrow ones do.
pub fn folds(dtype: DType) -> bool {
    use DType::{BF16, F32, F64, Pred, S32, S64, U32, U64};
    matches!(dtype, Pred | F32 | F64 | BF16 | S32 | U32 | S64 | U64)
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
    pub fn reads(&self) -> Vec<BufId> {
        let mut all = self.targets.clone();
        all.extend(&self.updates);
        all.push(self.indices);
        all
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let size = self.windows.size();
        if size == 0 {
            return;
        }
        let pieces = match self.apart && size >= SHARED {
            true => (self.windows.count() * size / PIECE).clamp(1, PIECES),
            false => 1,
        };
        workers.each(pieces, &|piece| {
            let own = |start: isize| pieces == 1 || start as usize / size % pieces == piece;
            match &self.meeting {
                Meeting::Overwrite => self.overwrite(bases, own),
                Meeting::Fold(reducer) => self.fold(bases, *reducer, own),
                Meeting::Program { regs, ops, new } => self.program(bases, (regs, ops, new), own),
            }
        });
    }

    /// The windows that lie inside and are this piece's.
    #[inline(always)]
    fn each(&self, bases: &Bases, own: impl Fn(isize) -> bool, mut each: impl FnMut(Start)) {
        let all = 0..self.windows.count();
        self.windows.each(bases.at(self.indices), all, |start| {
            if start.inside && own(start.operand) {
                each(start);
            }
        });
    }

    fn overwrite(&self, bases: &Bases, own: impl Fn(isize) -> bool + Copy) {
        let parts = self.targets.iter().zip(&self.updates).zip(&self.dtypes);
        for ((target, update), dtype) in parts {
            let (target, update) = (bases.at(*target), bases.at(*update).cast_const());
            match dtype.bytes() {
                1 => self.meet::<u8>(bases, own, (target, update), |_, new| new),
                2 => self.meet::<u16>(bases, own, (target.cast(), update.cast()), |_, new| new),
                4 => self.meet::<u32>(bases, own, (target.cast(), update.cast()), |_, new| new),
                8 => self.meet::<u64>(bases, own, (target.cast(), update.cast()), |_, new| new),
                _ => self.meet::<[u64; 2]>(bases, own, (target.cast(), update.cast()), |_, new| new),
            }
        }
    }

    fn fold(&self, bases: &Bases, reducer: Reducer, own: impl Fn(isize) -> bool + Copy) {
        let (Some(dtype), Some(target), Some(update)) =
            (self.dtypes.first(), self.targets.first(), self.updates.first())
        else {
            return;
        };
        let at = (bases.at(*target), bases.at(*update).cast_const());
        match dtype {
            DType::F32 => self.fold_as::<f32, f32>(bases, reducer, own, at, |x| x, |x| x),
            DType::BF16 => self.fold_as::<u16, f32>(bases, reducer, own, at, widened, narrowed),
            DType::F64 => self.fold_as::<f64, f64>(bases, reducer, own, at, |x| x, |x| x),
            DType::S32 => self.fold_as::<i32, i32>(bases, reducer, own, at, |x| x, |x| x),
            DType::U32 => self.fold_as::<u32, u32>(bases, reducer, own, at, |x| x, |x| x),
            DType::S64 => self.fold_as::<i64, i64>(bases, reducer, own, at, |x| x, |x| x),
            DType::U64 => self.fold_as::<u64, u64>(bases, reducer, own, at, |x| x, |x| x),
            _ => self.fold_as::<u8, u8>(bases, reducer, own, at, |x| x, |x| x),
        }
    }

    /// Elements lie in memory as `S` and are folded as `T`.
    fn fold_as<S: Copy, T: Fold>(
        &self,
        bases: &Bases,
        reducer: Reducer,
        own: impl Fn(isize) -> bool,
        (target, update): (*mut u8, *const u8),
        wide: impl Fn(S) -> T,
        narrow: impl Fn(T) -> S,
    ) {
        let at = (target.cast::<S>(), update.cast::<S>());
        macro_rules! by {
            ($reducer:expr) => {
                self.meet::<S>(bases, own, at, |old, new| narrow(T::combine($reducer, wide(old), wide(new))))
            };
        }
        match reducer {
            Reducer::Sum => by!(Reducer::Sum),
            Reducer::Product => by!(Reducer::Product),
            Reducer::Min => by!(Reducer::Min),
            Reducer::Max => by!(Reducer::Max),
            Reducer::And => by!(Reducer::And),
            Reducer::Or => by!(Reducer::Or),
            Reducer::Xor => by!(Reducer::Xor),
        }
    }

    #[inline(always)]
    fn meet<T: Copy>(
        &self,
        bases: &Bases,
        own: impl Fn(isize) -> bool,
        (target, update): (*mut T, *const T),
        met: impl Fn(T, T) -> T,
    ) {
        let one = |to: isize, from: isize| {
            // SAFETY: the window lies in the target, the slice in the updates; no other piece writes the window.
            unsafe {
                let to = target.offset(to);
                *to = met(*to, *update.offset(from));
            }
        };
        if self.windows.window.is_empty() {
            return self.each(bases, own, |at| one(at.operand, at.slice));
        }
        self.each(bases, own, |at| {
            self.windows.each_run(at, |run| match run.steps {
                // SAFETY: as above.
                [1, 1] => unsafe {
                    let to = std::slice::from_raw_parts_mut(target.offset(run.operand), run.len);
                    let from = std::slice::from_raw_parts(update.offset(run.slice), run.len);
                    side_by_side(to, from, &met);
                },
                [a, b] => (0..run.len as isize).for_each(|i| one(run.operand + i * a, run.slice + i * b)),
            });
        });
    }

    fn program(
        &self,
        bases: &Bases,
        (regs, ops, new): (&[DType], &[TileOp], &[Reg]),
        own: impl Fn(isize) -> bool,
    ) {
        let tiles = Tiles::new(regs);
        self.each(bases, own, |at| {
            self.windows.each_run(at, |run| {
                // Tiles are written back side by side.
                let most = if run.steps[0] == 1 { TILE } else { 1 };
                for start in (0..run.len).step_by(most) {
                    self.tile(bases, &tiles, (ops, new), run, start..(start + most).min(run.len));
                }
            });
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

#[inline(always)]
fn side_by_side<T: Copy>(to: &mut [T], from: &[T], met: &impl Fn(T, T) -> T) {
    #[cfg(target_arch = "x86_64")]
    if crate::isa::avx512() {
        // SAFETY: the features are there.
        return unsafe { side_by_side_avx512(to, from, met) };
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
