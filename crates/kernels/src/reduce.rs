//! Reductions: any computation over any dims of any view; `reduce_window` comes here as a view with overlapping
//! windows.
//!
//! Orders of loops, chosen by strides when the program is compiled:
//! * *by columns*: a tile of kept elements accumulates, one reduced index after the other, in row-major order;
//! * *by rows*: plain reducers over elements that lie side by side: a row is folded in lanes (by tiles that are
//!   combined in order, where it does not lie in one run), long rows in parts.
//! * *by strips*: plain reducers over elements that are kept side by side (`columns.rs`);
//!
//! All orders depend on shapes only. Narrow floats accumulate in `f32` and are rounded once.

mod columns;

pub use columns::add_rows;

use crate::fold::{Element, Fold, Narrow, fold_run};
use crate::load::{held_as_is, load, splat, splat_some, store};
use crate::step::{At, Bases, BufId};
use crate::tile::{Held, Reg, TILE, TileOp, Tiles, run};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_shard::Reducer;

/// Elements read by a piece, about.
const PIECE: usize = 1 << 16;

#[derive(Clone, PartialEq, Debug)]
pub struct ReduceInput {
    pub buf: BufId,
    pub dtype: DType,
    pub offset: isize,
    pub kept: Vec<isize>,
    pub reduced: Vec<isize>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Init {
    Splat([u8; 16]),
    Buf(BufId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ReduceStep {
    pub kept: Vec<usize>,
    pub reduced: Vec<usize>,
    pub inputs: Vec<ReduceInput>,
    pub inits: Vec<Init>,
    pub outputs: Vec<BufId>,
    /// Element types of the results.
    pub dtypes: Vec<DType>,
    /// Tiles: accumulators, elements, then what the ops need.
    pub regs: Vec<DType>,
    pub ops: Vec<TileOp>,
    /// Where the ops leave the new accumulators.
    pub new: Vec<Reg>,
    pub order: Order,
}

/// In which order elements are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Columns,
    /// A plain reducer of one input.
    Rows(Reducer),
    /// The same, of elements that are kept side by side, if `columns::can`.
    Strips(Reducer),
}

impl ReduceStep {
    pub fn reads(&self) -> Vec<BufId> {
        let inits = self.inits.iter().filter_map(|init| match init {
            Init::Buf(buf) => Some(*buf),
            Init::Splat(_) => None,
        });
        self.inputs.iter().map(|input| input.buf).chain(inits).collect()
    }

    fn count(&self) -> usize {
        self.kept.iter().product()
    }

    fn depth(&self) -> usize {
        self.reduced.iter().product()
    }

    /// How many tiles or rows it folds one after the other; `None` where it goes by strips, which are few.
    pub fn turns(&self) -> Option<usize> {
        match self.order {
            Order::Rows(_) => Some(self.count()),
            Order::Strips(_) if columns::can(self) => None,
            Order::Strips(_) | Order::Columns => Some(self.count().div_ceil(TILE) * self.depth()),
        }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        match self.order {
            Order::Rows(reducer) => self.run_rows(reducer, bases, workers),
            Order::Strips(reducer) if columns::can(self) => self.fold_columns(reducer, bases, workers),
            Order::Columns | Order::Strips(_) => self.run_columns(bases, workers),
        }
    }

    fn init(&self, i: usize, bases: &Bases) -> [u8; 16] {
        match &self.inits[i] {
            Init::Splat(element) => *element,
            Init::Buf(buf) => {
                let mut element = [0; 16];
                let width = self.dtypes[i].bytes();
                // SAFETY: the buffer holds one element.
                unsafe { std::ptr::copy_nonoverlapping(bases.at(*buf), element.as_mut_ptr(), width) };
                element
            }
        }
    }

    /// Kept elements of a piece that goes by tiles.
    fn columns_of_a_piece(&self) -> usize {
        (PIECE / self.depth().max(1)).max(1).div_ceil(TILE) * TILE
    }

    /// Parts of a row, as few long ones are cut: these are folded apart and combined in order. Elements of a part, and
    /// parts of a piece.
    fn parts(&self) -> [usize; 3] {
        let (count, depth) = (self.count(), self.depth());
        let parts = if count < 16 { depth.div_ceil(PIECE).max(1) } else { 1 };
        let part = depth.div_ceil(parts);
        [parts, part, (PIECE / part.max(1)).max(1)]
    }

    pub fn pieces(&self) -> usize {
        let by_columns = || self.count().div_ceil(self.columns_of_a_piece());
        match self.order {
            Order::Rows(_) if matches!(Held::of(self.inputs[0].dtype), Held::C64 | Held::C128) => {
                by_columns()
            }
            Order::Rows(_) => {
                let [parts, _, per] = self.parts();
                (self.count() * parts).div_ceil(per)
            }
            Order::Strips(_) if columns::can(self) => columns::pieces(self),
            Order::Strips(_) | Order::Columns => by_columns(),
        }
    }

    fn run_columns(&self, bases: &Bases, workers: &dyn Workers) {
        let count = self.count();
        let per = self.columns_of_a_piece();
        workers.each(count.div_ceil(per), &|piece| {
            let mut tiles = Tiles::new(&self.regs);
            let end = ((piece + 1) * per).min(count);
            for start in (piece * per..end).step_by(TILE) {
                self.columns(bases, &mut tiles, start, TILE.min(end - start));
            }
        });
    }

    fn columns(&self, bases: &Bases, tiles: &mut Tiles, start: usize, n: usize) {
        let inputs = self.inputs.len();
        for i in 0..inputs {
            splat(self.dtypes[i], &self.init(i, bases), tiles, i as Reg);
        }
        let moves: Vec<(Reg, Reg)> = self.new.iter().enumerate().map(|(i, new)| (i as Reg, *new)).collect();
        let mut walks: Vec<Walk> =
            self.inputs.iter().map(|input| Walk::new(&self.reduced, &input.reduced, 0)).collect();
        for _ in 0..self.depth() {
            for (i, input) in self.inputs.iter().enumerate() {
                let width = input.dtype.bytes() as isize;
                let base = bases.at(input.buf).wrapping_offset((input.offset + walks[i].at) * width);
                walks[i].advance(&self.reduced, &input.reduced, 1);
                let x = (inputs + i) as Reg;
                if input.kept == [1] && held_as_is(input.dtype) {
                    tiles.point(x, base.wrapping_offset(start as isize * width));
                    continue;
                }
                let mut walk = Walk::new(&self.kept, &input.kept, start);
                // SAFETY: the view lies in its buffer.
                unsafe { load(input.dtype, base, &mut walk, (&self.kept, &input.kept), tiles, x, n) };
            }
            run(&self.ops, tiles, n);
            renew(tiles, (&self.regs, 2 * inputs), &moves, n);
        }
        for i in 0..inputs {
            let to = bases.at(self.outputs[i]).wrapping_add(start * self.dtypes[i].bytes());
            round_tile(self.dtypes[i], tiles, i as Reg, n);
            // SAFETY: the result has an element for each kept one.
            unsafe { store(self.dtypes[i], tiles, i as Reg, to, n) };
        }
    }

    fn run_rows(&self, reducer: Reducer, bases: &Bases, workers: &dyn Workers) {
        match Held::of(self.inputs[0].dtype) {
            // Widened where it lies.
            _ if self.inputs[0].dtype == DType::BF16 => self.rows::<Narrow>(reducer, bases, workers),
            Held::Bool => self.rows::<u8>(reducer, bases, workers),
            Held::I32 => self.rows::<i32>(reducer, bases, workers),
            Held::I64 => self.rows::<i64>(reducer, bases, workers),
            Held::U32 => self.rows::<u32>(reducer, bases, workers),
            Held::U64 => self.rows::<u64>(reducer, bases, workers),
            Held::F32 => self.rows::<f32>(reducer, bases, workers),
            Held::F64 => self.rows::<f64>(reducer, bases, workers),
            Held::C64 | Held::C128 => self.run_columns(bases, workers),
        }
    }

    fn rows<E: Element>(&self, reducer: Reducer, bases: &Bases, workers: &dyn Workers) {
        let (count, depth) = (self.count(), self.depth());
        let [parts, part, per] = self.parts();
        // What has no parts and is held as it lies is written at once.
        let at_once = parts == 1 && self.dtypes[0] == self.inputs[0].dtype && held_as_is(self.dtypes[0]);
        let init = self.init_as::<E::Sum>(bases);
        let mut sums: Vec<E::Sum> = if at_once { Vec::new() } else { vec![E::Sum::default(); count * parts] };
        let at = if at_once { At(bases.at(self.outputs[0])) } else { At(sums.as_mut_ptr().cast()) };
        let tasks = count * parts;
        workers.each(tasks.div_ceil(per), &|piece| {
            // What is folded where it lies needs no tile.
            let tiles = (!self.is_direct::<E>(part)).then(|| Tiles::some(&self.regs[..2], &[false, true]));
            let strides = &self.inputs[0].kept;
            let mut walk = Walk::new(&self.kept, strides, piece * per / parts);
            for task in piece * per..((piece + 1) * per).min(tasks) {
                let from = task % parts * part;
                let range = from..(from + part).min(depth);
                let sum = self.row::<E>(reducer, bases, tiles.as_ref(), walk.at, range);
                if (task + 1) % parts == 0 {
                    walk.advance(&self.kept, strides, 1);
                }
                let sum = if at_once { E::Sum::combine(reducer, init, sum) } else { sum };
                // SAFETY: every task has its own place.
                unsafe { *at.ptr().cast::<E::Sum>().add(task) = sum };
            }
        });
        if at_once {
            return;
        }
        let tiles = Tiles::new(&self.regs[..1]);
        for start in (0..count).step_by(TILE) {
            let n = TILE.min(count - start);
            for i in 0..n {
                let row = &sums[(start + i) * parts..(start + i + 1) * parts];
                let sum = row.iter().fold(init, |sum, x| E::Sum::combine(reducer, sum, *x));
                // SAFETY: `i` lies in the tile.
                unsafe { *tiles.ptr::<E::Sum>(0).add(i) = sum };
            }
            round_tile(self.dtypes[0], &tiles, 0, n);
            let to = bases.at(self.outputs[0]).wrapping_add(start * self.dtypes[0].bytes());
            // SAFETY: the result has an element for each row.
            unsafe { store(self.dtypes[0], &tiles, 0, to, n) };
        }
    }

    /// What a fold begins with, as a tile holds it.
    fn init_as<T: Fold>(&self, bases: &Bases) -> T {
        let element = self.init(0, bases);
        if held_as_is(self.dtypes[0]) {
            // SAFETY: there are 16 bytes, and the first ones are a `T`.
            return unsafe { element.as_ptr().cast::<T>().read_unaligned() };
        }
        let tiles = Tiles::new(&self.regs[..1]);
        splat_some(self.dtypes[0], &element, &tiles, 0, 1);
        // SAFETY: the tile holds `T`.
        unsafe { *tiles.ptr::<T>(0) }
    }

    /// Whether elements are folded where they lie: side by side, in runs that no tile of a part goes beyond.
    fn is_direct<E: Element>(&self, part: usize) -> bool {
        let input = &self.inputs[0];
        let whole = |run: &usize| run.is_multiple_of(TILE) && part.is_multiple_of(TILE);
        input.reduced.last() == Some(&1)
            && size_of::<E>() == input.dtype.bytes()
            && (self.reduced.len() == 1 || self.reduced.last().is_some_and(whole))
    }

    fn row<E: Element>(
        &self,
        reducer: Reducer,
        bases: &Bases,
        tiles: Option<&Tiles>,
        kept: isize,
        range: std::ops::Range<usize>,
    ) -> E::Sum {
        let input = &self.inputs[0];
        let width = input.dtype.bytes() as isize;
        let base = bases.at(input.buf).wrapping_offset((input.offset + kept) * width);
        let at_once = self.reduced.len() == 1 && tiles.is_none() && held_as_is(input.dtype);
        if at_once && !range.is_empty() && range.len() <= PIECE {
            // SAFETY: the view lies in its buffer.
            return fold_run(reducer, unsafe {
                std::slice::from_raw_parts(base.cast::<E>().wrapping_add(range.start), range.len())
            });
        }
        let mut walk = Walk::new(&self.reduced, &input.reduced, range.start);
        let mut sum: Option<E::Sum> = None;
        for start in range.clone().step_by(TILE) {
            let n = TILE.min(range.end - start);
            // SAFETY: the view lies in its buffer; tiles hold what elements are widened to.
            let part = unsafe {
                match tiles {
                    Some(tiles) => {
                        load(input.dtype, base, &mut walk, (&self.reduced, &input.reduced), tiles, 1, n);
                        let held = tiles.ptr::<E::Sum>(1).cast_const();
                        fold_run(reducer, std::slice::from_raw_parts(held, n))
                    }
                    None => {
                        let from = base.cast::<E>().cast_const().wrapping_offset(walk.at);
                        walk.advance(&self.reduced, &input.reduced, n);
                        fold_run(reducer, std::slice::from_raw_parts(from, n))
                    }
                }
            };
            sum = Some(sum.map_or(part, |sum| E::Sum::combine(reducer, sum, part)));
        }
        sum.unwrap_or_else(|| E::Sum::identity(reducer))
    }
}

/// New accumulators take the place of the old ones: pairs of what is old and what is new. The first `params` tiles are
/// given.
pub fn renew(tiles: &mut Tiles, (regs, params): (&[DType], usize), moves: &[(Reg, Reg)], n: usize) {
    let moves = || moves.iter().filter(|(old, new)| old != new);
    // A tile that an op made is written before it is read: it may lie where the old one lies.
    let is_free = |(_, new): &(Reg, Reg)| {
        usize::from(*new) >= params && moves().filter(|(_, other)| other == new).count() == 1
    };
    if moves().all(is_free) {
        return moves().for_each(|(old, new)| tiles.swap(*old, *new));
    }
    let copies: Vec<(Reg, Vec<u8>)> = moves()
        .map(|(old, new)| {
            let bytes = n * Held::of(regs[*old as usize]).bytes();
            // SAFETY: the tile has `n` elements.
            (*old, unsafe { std::slice::from_raw_parts(tiles.ptr::<u8>(*new), bytes) }.to_vec())
        })
        .collect();
    for (to, bytes) in copies {
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), tiles.ptr::<u8>(to), bytes.len()) };
    }
}

/// Bring wide accumulators to the result type.
pub fn round_tile(dtype: DType, tiles: &Tiles, reg: Reg, n: usize) {
    if dtype.is_float() && dtype.bits() < 32 {
        for i in 0..n {
            // SAFETY: `i` lies in the tile.
            unsafe {
                let x = tiles.ptr::<f32>(reg).add(i);
                *x = crate::tile::round(dtype, *x);
            }
        }
    }
}
