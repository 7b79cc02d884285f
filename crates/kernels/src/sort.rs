//! Sorting along a dim with any comparator, and the largest or smallest k.
//!
//! A comparator that compares keys, one after the other, is not called: the keys are computed by tiles, brought to
//! unsigned numbers of the same order, and sorted together with the places, so equal keys keep their order (`radix`
//! sorts long rows). Any other comparator sorts by merging. Rows are cut among workers; of a few long rows each is cut
//! itself.

mod radix;

use crate::load::load;
use crate::step::{At, Bases, BufId};
use crate::tile::{Held, Reg, TILE, TileOp, Tiles, run};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::memory::Counted;
use meshwright_runtime::pool::{Alone, Workers};
use radix::PIECE;
use std::sync::atomic::{AtomicBool, Ordering};

/// From so many rows on, each is one worker's.
const MANY: usize = 16;

/// A number of each element of an input, by which a comparator orders them.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    pub input: usize,
    /// Tile that takes the elements, what is computed of them, and the result.
    pub element: Reg,
    pub ops: Vec<TileOp>,
    pub reg: Reg,
    pub dtype: DType,
    /// Floats in their total order; else zeros are equal, and what is no number cannot be ordered.
    pub total: bool,
    pub descending: bool,
}

impl Key {
    fn is_narrow(&self) -> bool {
        Held::of(self.dtype).bytes() <= 4
    }

    /// Numbers of the same order as `n` elements of the tile; false if they have none.
    fn numbers(&self, tiles: &Tiles, n: usize, to: &mut [u64]) -> bool {
        let flip = match (self.descending, self.is_narrow()) {
            (false, _) => 0,
            (true, true) => u64::from(u32::MAX),
            (true, false) => u64::MAX,
        };
        let mut ordered = true;
        let (reg, total) = (self.reg, self.total);
        // SAFETY: the tile holds `n` elements of the type.
        unsafe {
            match Held::of(self.dtype) {
                Held::Bool => each(tiles.ptr::<u8>(reg), n, to, |x| u64::from(x) ^ flip),
                Held::U32 => each(tiles.ptr::<u32>(reg), n, to, |x| u64::from(x) ^ flip),
                Held::I32 => each(tiles.ptr::<u32>(reg), n, to, |x| u64::from(x ^ 1 << 31) ^ flip),
                Held::U64 => each(tiles.ptr::<u64>(reg), n, to, |x| x ^ flip),
                Held::I64 => each(tiles.ptr::<u64>(reg), n, to, |x| x ^ 1 << 63 ^ flip),
                Held::F32 if total => each(tiles.ptr::<f32>(reg), n, to, |x| u64::from(total_f32(x)) ^ flip),
                Held::F32 => each(tiles.ptr::<f32>(reg), n, to, |x| {
                    ordered &= !x.is_nan();
                    u64::from(total_f32(x + 0.0)) ^ flip
                }),
                Held::F64 if total => each(tiles.ptr::<f64>(reg), n, to, |x| total_f64(x) ^ flip),
                Held::F64 => each(tiles.ptr::<f64>(reg), n, to, |x| {
                    ordered &= !x.is_nan();
                    total_f64(x + 0.0) ^ flip
                }),
                Held::C64 | Held::C128 => return false,
            }
        }
        ordered
    }
}

/// # Safety
/// There must be `n` elements.
#[inline(always)]
unsafe fn each<T: Copy>(from: *const T, n: usize, to: &mut [u64], mut number: impl FnMut(T) -> u64) {
    // SAFETY: the caller's.
    let from = unsafe { std::slice::from_raw_parts(from, n) };
    from.iter().zip(to).for_each(|(x, to)| *to = number(*x));
}

/// Unsigned numbers in the total order of floats: negative ones with all bits flipped, positive ones above them.
#[inline(always)]
fn total_f32(x: f32) -> u32 {
    let bits = x.to_bits() | u32::from(x.is_nan()) << 22;
    bits ^ (((bits as i32 >> 31) as u32) | 1 << 31)
}

#[inline(always)]
fn total_f64(x: f64) -> u64 {
    let bits = x.to_bits();
    bits ^ (((bits as i64 >> 63) as u64) | 1 << 63)
}

#[derive(Clone, PartialEq, Debug)]
pub struct SortStep {
    pub inputs: Vec<BufId>,
    pub outputs: Vec<BufId>,
    pub dtypes: Vec<DType>,
    /// Elements before, along and after the sorted dim.
    pub outer: usize,
    pub size: usize,
    pub inner: usize,
    /// The comparator: tiles `2i` and `2i + 1` are the two elements of input `i`.
    pub regs: Vec<DType>,
    pub ops: Vec<TileOp>,
    pub answer: Reg,
    /// What the comparator compares, the weightiest first, if that is all it does.
    pub keys: Option<Vec<Key>>,
}

/// What a worker keeps from row to row.
struct Kept {
    tiles: Tiles,
    numbers: Vec<u64>,
    /// Two lists each: passes go from one to the other.
    narrow: [Vec<u64>; 2],
    wide: [Vec<(u64, u32)>; 2],
    order: Vec<u32>,
    before: Vec<u32>,
}

impl Kept {
    fn new(step: &SortStep) -> Kept {
        Kept {
            tiles: Tiles::new(&step.regs),
            numbers: Vec::new(),
            narrow: Default::default(),
            wide: Default::default(),
            order: Vec::new(),
            before: Vec::new(),
        }
    }
}

/// Make a list piece by piece: each piece is told where it begins.
fn fill<T: Copy + Default>(
    list: &mut Vec<T>,
    size: usize,
    workers: &dyn Workers,
    each: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    list.resize(size, T::default());
    let at = At(list.as_mut_ptr().cast());
    workers.each(size.div_ceil(PIECE), &|piece| {
        let (start, end) = (piece * PIECE, size.min((piece + 1) * PIECE));
        // SAFETY: the list is as long, and pieces are apart.
        let part = unsafe { std::slice::from_raw_parts_mut(at.ptr().cast::<T>().add(start), end - start) };
        each(start, part);
    });
}

impl SortStep {
    /// Bytes of what a worker keeps from row to row.
    pub fn scratch(&self) -> usize {
        let has = |narrow: bool| self.keys.iter().flatten().any(|key| key.is_narrow() == narrow);
        let pairs = [
            (true, self.size * size_of::<u64>() + radix::scratch::<u64>(self.size)),
            (false, self.size * size_of::<(u64, u32)>() + radix::scratch::<(u64, u32)>(self.size)),
        ];
        let pairs: usize = pairs.iter().filter(|(narrow, _)| has(*narrow)).map(|(_, bytes)| bytes).sum();
        // The order, the one before, and what is merged.
        let orders = 3 * size_of::<u32>();
        self.size * (size_of::<u64>() + orders) + pairs
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let rows = self.outer * self.inner;
        let start = |row: usize| row / self.inner * self.size * self.inner + row % self.inner;
        if rows < MANY && self.size > PIECE {
            let _counted = Counted::new(self.scratch());
            let mut kept = Kept::new(self);
            return (0..rows).for_each(|row| self.row(bases, &mut kept, start(row), workers));
        }
        let per = ((1 << 12) / self.size.max(1)).max(1);
        workers.each(rows.div_ceil(per), &|piece| {
            let _counted = Counted::new(self.scratch());
            let mut kept = Kept::new(self);
            for row in piece * per..((piece + 1) * per).min(rows) {
                self.row(bases, &mut kept, start(row), &Alone);
            }
        });
    }

    fn row(&self, bases: &Bases, kept: &mut Kept, start: usize, workers: &dyn Workers) {
        kept.order.clear();
        kept.order.extend(0..self.size as u32);
        let sorted = match &self.keys {
            Some(keys) => keys.iter().rev().all(|key| self.by_key(bases, kept, start, key, workers)),
            None => false,
        };
        if !sorted {
            self.by_comparator(bases, kept, start);
        }
        for (input, dtype) in self.dtypes.iter().enumerate() {
            let (from, to) = (At(bases.at(self.inputs[input])), At(bases.at(self.outputs[input])));
            workers.each(self.size.div_ceil(PIECE), &|piece| {
                let places = piece * PIECE..self.size.min((piece + 1) * PIECE);
                let (order, first) = (&kept.order[places.clone()], start + places.start * self.inner);
                let (from, to) = (from.ptr(), to.ptr());
                // SAFETY: rows lie in their buffers, and places of pieces are apart.
                unsafe {
                    match dtype.bytes() {
                        1 => self.put::<u8>(order, from, to, start, first),
                        2 => self.put::<u16>(order, from.cast(), to.cast(), start, first),
                        4 => self.put::<u32>(order, from.cast(), to.cast(), start, first),
                        8 => self.put::<u64>(order, from.cast(), to.cast(), start, first),
                        _ => self.put::<[u64; 2]>(order, from.cast(), to.cast(), start, first),
                    }
                }
            });
        }
    }

    /// Put elements of the row that begins at `start` to places from `first` on.
    ///
    /// # Safety
    /// Both must lie in their buffers, and nobody else write there.
    unsafe fn put<T: Copy>(&self, order: &[u32], from: *const T, to: *mut T, start: usize, first: usize) {
        for (place, source) in order.iter().enumerate() {
            // SAFETY: the caller's.
            unsafe { *to.add(first + place * self.inner) = *from.add(start + *source as usize * self.inner) };
        }
    }

    /// Bring the order so far into that of a key; false if it orders nothing.
    fn by_key(&self, bases: &Bases, kept: &mut Kept, start: usize, key: &Key, workers: &dyn Workers) -> bool {
        if !self.numbers(bases, kept, start, key, workers) {
            return false;
        }
        std::mem::swap(&mut kept.order, &mut kept.before);
        let (before, numbers) = (&kept.before, &kept.numbers);
        let number = |place: usize| numbers[before[place] as usize];
        if key.is_narrow() {
            let [entries, other] = &mut kept.narrow;
            fill(entries, self.size, workers, &|start, part| {
                let part = part.iter_mut().zip(start..);
                part.for_each(|(entry, place)| *entry = number(place) << 32 | place as u64);
            });
            radix::sort(entries, other, workers);
            fill(&mut kept.order, self.size, workers, &|start, part| {
                let part = part.iter_mut().zip(&entries[start..]);
                part.for_each(|(order, entry)| *order = before[*entry as u32 as usize]);
            });
        } else {
            let [entries, other] = &mut kept.wide;
            fill(entries, self.size, workers, &|start, part| {
                let part = part.iter_mut().zip(start..);
                part.for_each(|(entry, place)| *entry = (number(place), place as u32));
            });
            radix::sort(entries, other, workers);
            fill(&mut kept.order, self.size, workers, &|start, part| {
                let part = part.iter_mut().zip(&entries[start..]);
                part.for_each(|(order, (_, place))| *order = before[*place as usize]);
            });
        }
        true
    }

    /// A key's numbers of a row; false if some have none.
    fn numbers(
        &self,
        bases: &Bases,
        kept: &mut Kept,
        start: usize,
        key: &Key,
        workers: &dyn Workers,
    ) -> bool {
        let dtype = self.dtypes[key.input];
        let base = At(bases.at(self.inputs[key.input]).wrapping_add(start * dtype.bytes()));
        let (step, size) = (self.inner as isize, self.size);
        let row = |from: usize, size: usize| {
            let base = base.ptr().wrapping_offset(from as isize * step * dtype.bytes() as isize);
            Row { dtype, base, step, size }
        };
        if size <= PIECE {
            kept.numbers.resize(size, 0);
            let numbers = &mut kept.numbers;
            let put = |at: usize, found: &[u64]| numbers[at..at + found.len()].copy_from_slice(found);
            return row(0, size).each(key, &kept.tiles, put);
        }
        let ordered = AtomicBool::new(true);
        fill(&mut kept.numbers, size, workers, &|from, part| {
            let tiles = Tiles::new(&self.regs);
            let elements = row(from, part.len());
            let put = |at: usize, found: &[u64]| part[at..at + found.len()].copy_from_slice(found);
            if !elements.each(key, &tiles, put) {
                ordered.store(false, Ordering::Relaxed);
            }
        });
        ordered.load(Ordering::Relaxed)
    }

    fn by_comparator(&self, bases: &Bases, kept: &mut Kept, start: usize) {
        let tiles = &kept.tiles;
        let element = |input: usize, i: u32, reg: usize| {
            let dtype = self.dtypes[input];
            let at = start + i as usize * self.inner;
            let base = bases.at(self.inputs[input]).wrapping_add(at * dtype.bytes());
            // SAFETY: the element lies in the input.
            unsafe { load(dtype, base, &mut Walk::new(&[], &[], 0), (&[], &[]), tiles, reg as Reg, 1) };
        };
        let before = |a: u32, b: u32| {
            for input in 0..self.inputs.len() {
                element(input, a, 2 * input);
                element(input, b, 2 * input + 1);
            }
            run(&self.ops, tiles, 1);
            // SAFETY: the answer is a pred.
            unsafe { *tiles.ptr::<u8>(self.answer) != 0 }
        };
        kept.order.clear();
        kept.order.extend(0..self.size as u32);
        merge_sort(&mut kept.order, &before);
    }
}

/// Stable; ends also with comparators that order nothing.
fn merge_sort(order: &mut [u32], before: &dyn Fn(u32, u32) -> bool) {
    let mut width = 1;
    let mut from = order.to_vec();
    while width < order.len() {
        for start in (0..order.len()).step_by(2 * width) {
            let (middle, end) = ((start + width).min(order.len()), (start + 2 * width).min(order.len()));
            let (mut a, mut b) = (start, middle);
            for place in &mut order[start..end] {
                let take_second = a >= middle || (b < end && before(from[b], from[a]));
                let next = if take_second { &mut b } else { &mut a };
                *place = from[*next];
                *next += 1;
            }
        }
        from.copy_from_slice(order);
        width *= 2;
    }
}

/// Elements of an input, `step` apart.
struct Row {
    dtype: DType,
    base: *const u8,
    step: isize,
    size: usize,
}

impl Row {
    /// Hand on the numbers of the elements tile by tile; false as soon as some have none.
    fn each(&self, key: &Key, tiles: &Tiles, mut each: impl FnMut(usize, &[u64])) -> bool {
        let (dims, strides) = ([self.size], [self.step]);
        let mut walk = Walk::new(&dims, &strides, 0);
        let mut numbers = [0; TILE];
        for start in (0..self.size).step_by(TILE) {
            let n = TILE.min(self.size - start);
            // SAFETY: the row lies in its buffer.
            unsafe { load(self.dtype, self.base, &mut walk, (&dims, &strides), tiles, key.element, n) };
            run(&key.ops, tiles, n);
            if !key.numbers(tiles, n, &mut numbers) {
                return false;
            }
            each(start, &numbers[..n]);
        }
        true
    }
}

/// Along the last dim: the best `k` values, best first, and their places; ties by lower place.
#[derive(Clone, PartialEq, Debug)]
pub struct TopKStep {
    pub input: BufId,
    pub values: BufId,
    pub places: BufId,
    pub dtype: DType,
    pub rows: usize,
    pub size: usize,
    pub k: usize,
    pub largest: bool,
}

impl TopKStep {
    /// Bytes of what a worker collects.
    pub fn scratch(&self) -> usize {
        let narrow = Held::of(self.dtype).bytes() <= 4;
        most_collected(self.k) * if narrow { size_of::<u64>() } else { size_of::<(u64, usize)>() }
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let per = ((1 << 13) / self.size.max(1)).max(1);
        let key = Key {
            input: 0,
            element: 0,
            ops: Vec::new(),
            reg: 0,
            dtype: self.dtype,
            total: true,
            descending: self.largest,
        };
        let (values, places) = (At(bases.at(self.values)), At(bases.at(self.places)));
        workers.each(self.rows.div_ceil(per), &|piece| {
            let _counted = Counted::new(self.scratch());
            let tiles = Tiles::new(&[self.dtype]);
            let (mut narrow, mut wide) = (Best::new(self.k), Best::new(self.k));
            for row in piece * per..((piece + 1) * per).min(self.rows) {
                let base = bases.at(self.input).wrapping_add(row * self.size * self.dtype.bytes());
                let elements = Row { dtype: self.dtype, base, step: 1, size: self.size };
                if key.is_narrow() {
                    elements.each(&key, &tiles, |at, found| {
                        let found = found.iter().enumerate();
                        narrow.offer(found.map(|(i, number)| number << 32 | (at + i) as u64));
                    });
                    let found = narrow.take().map(|x| x as u32 as usize);
                    self.put(base, (values, places), row, found);
                } else {
                    elements.each(&key, &tiles, |at, found| {
                        wide.offer(found.iter().enumerate().map(|(i, number)| (*number, at + i)));
                    });
                    let found = wide.take().map(|(_, place)| place);
                    self.put(base, (values, places), row, found);
                }
            }
        });
    }

    fn put(
        &self,
        base: *const u8,
        (values, places): (At, At),
        row: usize,
        found: impl Iterator<Item = usize>,
    ) {
        let width = self.dtype.bytes();
        for (place, from) in found.enumerate() {
            let to = row * self.k + place;
            // SAFETY: both elements lie in their buffers.
            unsafe {
                std::ptr::copy_nonoverlapping(base.add(from * width), values.ptr().add(to * width), width);
                *places.ptr().cast::<i32>().add(to) = from as i32;
            }
        }
    }
}

/// So few are kept in order; of more a batch is collected and halved.
const FEW: usize = 16;

/// How many are collected before the worst are dropped.
fn most_collected(k: usize) -> usize {
    2 * k + 256
}

/// The least `k` of what is offered.
struct Best<P> {
    k: usize,
    kept: Vec<P>,
    /// Collected before the worst are dropped.
    most: usize,
    /// The worst that counts, once there are `k`.
    limit: Option<P>,
}

impl<P: Ord + Copy> Best<P> {
    fn new(k: usize) -> Best<P> {
        Best { k, kept: Vec::new(), most: most_collected(k), limit: None }
    }

    fn offer(&mut self, found: impl Iterator<Item = P>) {
        if self.k == 0 {
            return;
        }
        for x in found {
            match self.limit {
                Some(limit) if x >= limit => {}
                _ if self.k <= FEW => self.insert(x),
                _ => self.collect(x),
            }
        }
    }

    fn insert(&mut self, x: P) {
        self.kept.truncate(self.k - 1);
        let place = self.kept.iter().rposition(|kept| *kept < x).map_or(0, |before| before + 1);
        self.kept.insert(place, x);
        self.limit = self.kept.get(self.k - 1).copied();
    }

    fn collect(&mut self, x: P) {
        self.kept.push(x);
        if self.kept.len() == self.most {
            self.limit = Some(*self.kept.select_nth_unstable(self.k - 1).1);
            self.kept.truncate(self.k);
        }
    }

    /// In order; the next row begins with nothing.
    fn take(&mut self) -> impl Iterator<Item = P> {
        self.limit = None;
        self.kept.sort_unstable();
        self.kept.truncate(self.k);
        self.kept.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_total_order_of_floats() {
        let floats =
            [-f32::NAN, f32::NEG_INFINITY, -1.0, -1e-40, -0.0, 0.0, 1e-40, 2.0, f32::INFINITY, f32::NAN];
        assert!(floats.map(total_f32).is_sorted());
        assert!(floats.map(f64::from).map(total_f64).is_sorted());
        assert_eq!(total_f32(-0.0 + 0.0), total_f32(0.0));
    }

    #[test]
    fn the_best_are_the_first_of_all_in_order() {
        let all: Vec<u64> = (0..5000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).collect();
        let mut sorted = all.clone();
        sorted.sort_unstable();
        for k in [0, 1, 2, FEW, FEW + 1, 300, 5000] {
            let mut best = Best::new(k);
            best.offer(all[..700].iter().copied());
            best.offer(all[700..].iter().copied());
            assert_eq!(best.take().collect::<Vec<_>>(), sorted[..k]);
        }
    }
}
