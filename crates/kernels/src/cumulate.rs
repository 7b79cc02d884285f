//! Running folds along a dim: `to[.., i, ..] = from[.., 0, ..] + .. + from[.., i, ..]`, in ascending order, or from the
//! end.
//!
//! A window over all that came before would add `n * n / 2` numbers for `n` results. Narrow floats are carried on in
//! `f32` and rounded where they are written.

use crate::fold::{Element, Fold, Folding, fold_with, folds};
use crate::load::{load, splat, store};
use crate::reduce::{renew, round_tile};
use crate::step::{At, Bases, BufId};
use crate::tile::{Reg, TILE, TileOp, Tiles, run};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;
use std::ops::Range;

/// Both are dense; the dim has `n` places of `inner` elements each, `outer` times.
#[derive(Clone, PartialEq, Debug)]
pub struct CumulateStep {
    pub from: BufId,
    pub to: BufId,
    pub dtype: DType,
    pub outer: usize,
    pub n: usize,
    pub inner: usize,
    /// From the last place to the first.
    pub reverse: bool,
    pub by: By,
}

#[derive(Clone, PartialEq, Debug)]
pub enum By {
    /// From its identity on, in a type that [`can`] do that.
    Fold(Reducer),
    /// A tile program: tile 0 is what came before, tile 1 the next element; from the end it is the other way round.
    Program { regs: Vec<DType>, ops: Vec<TileOp>, new: Reg, init: [u8; 16] },
}

/// Neighbouring elements that one piece folds side by side.
const COLUMNS: usize = 256;
/// Columns that are folded by turns where they do not lie side by side: one waits for the sum before.
const TURNS: usize = 8;
/// Elements of a piece, about.
const PIECE: usize = 1 << 15;

/// Whether folds of this type need no tile program.
pub fn can(dtype: DType) -> bool {
    folds(dtype)
}

impl CumulateStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let reducer = match &self.by {
            By::Fold(reducer) => *reducer,
            By::Program { regs, ops, new, init } => {
                return self.program(bases, (regs, ops, *new), init, workers);
            }
        };
        fold_with(self.dtype, reducer, &Columns { step: self, reducer, bases, workers });
    }

    fn folded<E: Element>(
        &self,
        bases: &Bases,
        first: E::Sum,
        combine: impl Fn(E::Sum, E) -> E::Sum + Sync,
        workers: &dyn Workers,
    ) {
        let (from, to) = (At(bases.at(self.from)), At(bases.at(self.to)));
        if self.inner < TURNS {
            let columns = self.outer * self.inner;
            let per = (PIECE / self.n.max(1)).max(1).next_multiple_of(TURNS);
            return workers.each(columns.div_ceil(per), &|piece| {
                let end = ((piece + 1) * per).min(columns);
                let (from, to) = (from.ptr().cast::<E>(), to.ptr().cast::<E>());
                for start in (piece * per..end).step_by(TURNS) {
                    match end - start {
                        TURNS.. => self.interleaved::<E, TURNS>(from, to, start, first, &combine),
                        few => (start..start + few)
                            .for_each(|column| self.interleaved::<E, 1>(from, to, column, first, &combine)),
                    }
                }
            });
        }
        let cuts = self.inner.div_ceil(COLUMNS);
        workers.each(self.outer * cuts, &|piece| {
            let first_column = piece % cuts * COLUMNS;
            let width = COLUMNS.min(self.inner - first_column);
            let mut sums = [first; COLUMNS];
            for place in 0..self.n {
                let at = (piece / cuts * self.n + self.row(place)) * self.inner + first_column;
                // SAFETY: both have `outer * n * inner` elements.
                let (from, to) = unsafe {
                    let from = std::slice::from_raw_parts(from.ptr().cast::<E>().add(at), width);
                    (from, std::slice::from_raw_parts_mut(to.ptr().cast::<E>().add(at), width))
                };
                for ((sum, x), to) in sums.iter_mut().zip(from).zip(to) {
                    *sum = combine(*sum, *x);
                    *to = E::narrow(*sum);
                }
            }
        });
    }

    /// The place that comes so many after the first.
    fn row(&self, place: usize) -> usize {
        if self.reverse { self.n - 1 - place } else { place }
    }

    /// Where a column begins.
    fn column(&self, column: usize) -> usize {
        column / self.inner * self.n * self.inner + column % self.inner
    }

    #[inline(always)]
    fn interleaved<E: Element, const WIDTH: usize>(
        &self,
        from: *const E,
        to: *mut E,
        start: usize,
        first: E::Sum,
        combine: &impl Fn(E::Sum, E) -> E::Sum,
    ) {
        let places: [usize; WIDTH] = std::array::from_fn(|i| self.column(start + i));
        let mut sums = [first; WIDTH];
        for place in 0..self.n {
            let at = self.row(place) * self.inner;
            for (sum, column) in sums.iter_mut().zip(&places) {
                // SAFETY: both have `outer * n * inner` elements.
                unsafe {
                    *sum = combine(*sum, *from.add(column + at));
                    *to.add(column + at) = E::narrow(*sum);
                }
            }
        }
    }

    fn program(
        &self,
        bases: &Bases,
        program: (&[DType], &[TileOp], Reg),
        init: &[u8; 16],
        workers: &dyn Workers,
    ) {
        let columns = self.outer * self.inner;
        workers.each(columns.div_ceil(TILE), &|piece| {
            let range = piece * TILE..((piece + 1) * TILE).min(columns);
            self.tile(bases, program, init, range);
        });
    }

    /// Some columns side by side, place by place.
    fn tile(
        &self,
        bases: &Bases,
        (regs, ops, new): (&[DType], &[TileOp], Reg),
        init: &[u8; 16],
        range: Range<usize>,
    ) {
        let (n, width) = (range.len(), self.dtype.bytes());
        let mut tiles = Tiles::new(regs);
        let rounded = Tiles::new(&[self.dtype]);
        let mut row = vec![0; n * width];
        let [own, next] = if self.reverse { [1, 0] } else { [0, 1] };
        splat(self.dtype, init, &tiles, own);
        let (dims, strides) = ([self.outer, self.inner], [(self.n * self.inner) as isize, 1]);
        for place in 0..self.n {
            let at = self.row(place) * self.inner * width;
            let mut walk = Walk::new(&dims, &strides, range.start);
            // SAFETY: both have `outer * n * inner` elements, and the row has room for `n`.
            unsafe {
                let from = bases.at(self.from).add(at);
                load(self.dtype, from, &mut walk, (&dims, &strides), &tiles, next, n);
                run(ops, &tiles, n);
                renew(&mut tiles, (regs, 2), &[(own, new)], n);
                copy_tile((&tiles, own), &rounded, self.dtype, n);
                round_tile(self.dtype, &rounded, 0, n);
                store(self.dtype, &rounded, 0, row.as_mut_ptr(), n);
            }
            for (column, element) in range.clone().zip(row.chunks_exact(width)) {
                // SAFETY: as above.
                unsafe {
                    let to = bases.at(self.to).add(self.column(column) * width + at);
                    std::ptr::copy_nonoverlapping(element.as_ptr(), to, width);
                }
            }
        }
    }
}

/// All columns of a step.
struct Columns<'a> {
    step: &'a CumulateStep,
    reducer: Reducer,
    bases: &'a Bases,
    workers: &'a dyn Workers,
}

impl Folding for Columns<'_> {
    fn by<E: Element>(&self, combine: impl Fn(E::Sum, E::Sum) -> E::Sum + Copy + Sync) {
        let first = E::Sum::identity(self.reducer);
        self.step.folded::<E>(self.bases, first, |sum, x| combine(sum, x.widen()), self.workers);
    }
}

/// # Safety
/// The tile and tile 0 of the other hold `n` elements of the type.
unsafe fn copy_tile((from, own): (&Tiles, Reg), to: &Tiles, dtype: DType, n: usize) {
    let bytes = n * crate::tile::Held::of(dtype).bytes();
    // SAFETY: the caller's.
    unsafe { std::ptr::copy_nonoverlapping(from.ptr::<u8>(own), to.ptr::<u8>(0), bytes) };
}
