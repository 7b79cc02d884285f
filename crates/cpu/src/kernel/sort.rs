//! Sorting along a dim with any comparator, and the largest or smallest k.

use crate::kernel::load::load;
use crate::step::{Bases, BufId};
use crate::tile::{Reg, TileOp, Tiles, run, total_key};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::Workers;

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
}

impl SortStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let rows = self.outer * self.inner;
        let per = ((1 << 12) / self.size.max(1)).max(1);
        workers.each(rows.div_ceil(per), &|piece| {
            let tiles = Tiles::new(&self.regs);
            for row in piece * per..((piece + 1) * per).min(rows) {
                self.row(bases, &tiles, row);
            }
        });
    }

    fn row(&self, bases: &Bases, tiles: &Tiles, row: usize) {
        let start = row / self.inner * self.size * self.inner + row % self.inner;
        let at = |i: usize| start + i * self.inner;
        let element = |input: usize, i: usize, reg: usize| {
            let dtype = self.dtypes[input];
            let base = bases.at(self.inputs[input]).wrapping_add(at(i) * dtype.bytes());
            // SAFETY: the element lies in the input.
            unsafe { load(dtype, base, &mut Walk::new(&[], &[], 0), (&[], &[]), tiles, reg as Reg, 1) };
        };
        let before = |a: usize, b: usize| {
            for input in 0..self.inputs.len() {
                element(input, a, 2 * input);
                element(input, b, 2 * input + 1);
            }
            run(&self.ops, tiles, 1);
            // SAFETY: the answer is a pred.
            unsafe { *tiles.ptr::<u8>(self.answer) != 0 }
        };
        let mut order: Vec<usize> = (0..self.size).collect();
        merge_sort(&mut order, &before);
        for (input, dtype) in self.dtypes.iter().enumerate() {
            let width = dtype.bytes();
            for (to, from) in order.iter().enumerate() {
                // SAFETY: both elements lie in their buffers.
                unsafe {
                    let from = bases.at(self.inputs[input]).add(at(*from) * width);
                    std::ptr::copy_nonoverlapping(
                        from,
                        bases.at(self.outputs[input]).add(at(to) * width),
                        width,
                    );
                }
            }
        }
    }
}

/// Stable; ends also with comparators that order nothing.
fn merge_sort(order: &mut [usize], before: &dyn Fn(usize, usize) -> bool) {
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
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let per = ((1 << 13) / self.size.max(1)).max(1);
        workers.each(self.rows.div_ceil(per), &|piece| {
            for row in piece * per..((piece + 1) * per).min(self.rows) {
                self.row(bases, row);
            }
        });
    }

    fn row(&self, bases: &Bases, row: usize) {
        let tiles = Tiles::new(&[self.dtype]);
        let width = self.dtype.bytes();
        let base = bases.at(self.input).wrapping_add(row * self.size * width);
        let key = |i: usize| {
            // SAFETY: the element lies in the input.
            unsafe {
                load(self.dtype, base.add(i * width), &mut Walk::new(&[], &[], 0), (&[], &[]), &tiles, 0, 1)
            };
            rank(self.dtype, &tiles)
        };
        let mut keyed: Vec<(i128, usize)> = (0..self.size).map(|i| (key(i), i)).collect();
        keyed.sort_by_key(|(key, i)| (if self.largest { -*key } else { *key }, *i));
        for (place, (_, from)) in keyed.iter().take(self.k).enumerate() {
            let to = row * self.k + place;
            // SAFETY: both elements lie in their buffers.
            unsafe {
                let source = base.add(from * width);
                std::ptr::copy_nonoverlapping(source, bases.at(self.values).add(to * width), width);
                *bases.at(self.places).cast::<i32>().add(to) = *from as i32;
            }
        }
    }
}

/// The place of the first element of tile 0 in the total order of its type.
fn rank(dtype: DType, tiles: &Tiles) -> i128 {
    use crate::tile::Held;
    // SAFETY: the tile holds this type.
    unsafe {
        match Held::of(dtype) {
            Held::Bool => i128::from(*tiles.ptr::<u8>(0)),
            Held::I32 => i128::from(*tiles.ptr::<i32>(0)),
            Held::I64 => i128::from(*tiles.ptr::<i64>(0)),
            Held::U32 => i128::from(*tiles.ptr::<u32>(0)),
            Held::U64 => i128::from(*tiles.ptr::<u64>(0)),
            Held::F32 => i128::from(total_key(f64::from(*tiles.ptr::<f32>(0)))),
            _ => i128::from(total_key(*tiles.ptr::<f64>(0))),
        }
    }
}
