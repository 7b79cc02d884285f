//! Fused loops: a tile program over whole arrays.
//!
//! ```text
//! for each tile of the result:  load operands -> run the ops in cache -> store results, fold rows
//! ```
//!
//! A row that is reduced (a sum of exponentials, of squares) is folded while it is in cache: by tiles in order, each in
//! lanes.

use crate::compiled::LoopCode;
use crate::fold::{combine_f32, fold_f32};
use crate::load::{held_as_is, load, splat, store};
use crate::step::{Bases, BufId, touched};
use crate::tile::{Held, Reg, TILE, TileOp, Tiles, run};
use crate::view::Walk;
use meshwright_ir::DType;
use meshwright_runtime::{Workers, stream};
use meshwright_shard::Reducer;
use meshwright_steps::{Access, Extent, Mode};

/// Elements of a piece.
pub const PIECE: usize = 64 * TILE;

/// Where the elements of an operand come from.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// A collapsed view of a buffer.
    View {
        buf: BufId,
        dims: Vec<usize>,
        strides: Vec<isize>,
        offset: isize,
    },
    Splat([u8; 16]),
    /// Element at linear place `i` is `i / inner % size`.
    Iota {
        inner: usize,
        size: usize,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    pub reg: Reg,
    pub dtype: DType,
    pub source: Source,
}

impl Input {
    fn access(&self) -> Option<Access> {
        let Source::View { buf, dims, strides, offset } = &self.source else { return None };
        Some(Access::read(*buf, Extent::of_view(self.dtype.bytes(), *offset, dims, strides)))
    }

    /// Whether it comes from a buffer.
    pub fn is_of(&self, from: BufId) -> bool {
        matches!(&self.source, Source::View { buf, .. } if *buf == from)
    }

    /// Whether it is all of a buffer, element by element.
    pub fn is_whole(&self, count: usize) -> bool {
        let Source::View { dims, strides, offset: 0, .. } = &self.source else { return false };
        dims.len() <= 1 && strides.iter().all(|s| *s == 1) && dims.iter().product::<usize>() == count
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    pub reg: Reg,
    pub dtype: DType,
    pub buf: BufId,
    /// How it lies, if its elements do not lie one after another from the start of the buffer.
    pub runs: Option<Runs>,
    /// No operand lies where the result does.
    pub alone: bool,
}

/// Elements lie one after another in runs, which begin at equal steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Runs {
    pub len: usize,
    pub step: isize,
    pub offset: isize,
}

impl Runs {
    fn place(self, at: usize) -> isize {
        self.offset + (at / self.len) as isize * self.step + (at % self.len) as isize
    }

    /// So many elements as an operand.
    pub fn seen(self, buf: BufId, count: usize) -> Source {
        let Runs { len, step, offset } = self;
        let (dims, strides) =
            if len == count { (vec![len], vec![1]) } else { (vec![count / len, len], vec![step, 1]) };
        Source::View { buf, dims, strides, offset }
    }

    /// Elements from here to the end of the run.
    pub fn left(self, at: usize) -> usize {
        self.len - at % self.len
    }
}

impl Output {
    fn access(&self, count: usize) -> Access {
        let Runs { len, step, offset } =
            self.runs.unwrap_or(Runs { len: count, step: count as isize, offset: 0 });
        let dims = [count.checked_div(len).unwrap_or(0), len];
        Access::write(self.buf, Extent::of_view(self.dtype.bytes(), offset, &dims, &[step, 1]))
    }

    /// Where an element goes, and those after it as far as the run reaches.
    pub fn at(&self, bases: &Bases, at: usize) -> *mut u8 {
        let place = self.runs.map_or(at as isize, |runs| runs.place(at));
        bases.at(self.buf).wrapping_offset(place * self.dtype.bytes() as isize)
    }

    /// Whether its tile may lie in the result itself.
    fn direct(&self) -> bool {
        self.alone && held_as_is(self.dtype)
    }
}

/// A reduction of `f32` rows of one of the loop's values.
#[derive(Clone, PartialEq, Debug)]
pub struct Sink {
    pub reg: Reg,
    pub reducer: Reducer,
    pub init: f32,
    pub buf: BufId,
}

#[derive(Clone, Debug)]
pub struct Fused {
    pub count: usize,
    pub regs: Vec<DType>,
    pub inputs: Vec<Input>,
    pub ops: Vec<TileOp>,
    pub outputs: Vec<Output>,
    pub sinks: Vec<Sink>,
    /// Elements of a row that sinks fold; without sinks, of all.
    pub row: usize,
    /// How it runs, if not on tiles.
    pub code: Option<LoopCode>,
}

impl Fused {
    pub fn accesses(&self) -> Vec<Access> {
        let inputs = self.inputs.iter().filter_map(Input::access);
        let outputs = self.outputs.iter().map(|output| output.access(self.count));
        let rows = self.count.checked_div(self.row).unwrap_or(0);
        let sinks =
            self.sinks.iter().map(|sink| Access::write(sink.buf, Extent::of_view(4, 0, &[rows], &[1])));
        inputs.chain(outputs).chain(sinks).collect()
    }

    pub fn reads(&self) -> Vec<BufId> {
        touched(&self.accesses(), Mode::Read)
    }

    pub fn writes(&self) -> Vec<BufId> {
        touched(&self.accesses(), Mode::Write)
    }

    /// Whether a result may lie where an operand does: each element is read before the same one is written, by one
    /// piece, and not read again.
    pub fn may_share(&self, from: BufId, to: BufId) -> bool {
        let reads = self.inputs.iter().filter(|input| input.is_of(from));
        let mut writes = self.outputs.iter().filter(|output| output.buf == to);
        let (Some(output), None) = (writes.next(), writes.next()) else { return false };
        let width = output.dtype.bytes();
        output.runs.is_none()
            && !self.writes().contains(&from)
            && self.sinks.iter().all(|sink| sink.buf != to)
            && reads.into_iter().all(|input| input.is_whole(self.count) && input.dtype.bytes() == width)
    }

    /// Elements of a piece: whole rows, if rows are folded.
    fn piece_len(&self) -> usize {
        if self.sinks.is_empty() { PIECE } else { (PIECE / self.row).max(1) * self.row }
    }

    pub fn pieces(&self) -> usize {
        self.count.div_ceil(self.piece_len())
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let piece_len = self.piece_len();
        let streams = self.outputs.iter().any(|output| self.count * output.dtype.bytes() >= stream::LARGE);
        workers.each(self.pieces(), &|piece| {
            let start = piece * piece_len;
            self.part(bases, start, (start + piece_len).min(self.count));
            if streams {
                stream::finish();
            }
        });
    }

    /// From one element to another; with sinks, whole rows. Results may be on their way past the caches still.
    pub fn part(&self, bases: &Bases, start: usize, end: usize) {
        match &self.code {
            Some(code) => code.piece(self, bases, start, end),
            None => self.piece(bases, start, end),
        }
    }

    /// Runs in which results lie.
    pub fn runs(&self) -> impl Iterator<Item = Runs> {
        self.outputs.iter().filter_map(|output| output.runs)
    }

    /// Elements from here to where a run of results ends.
    pub fn left(&self, at: usize) -> usize {
        self.runs().map(|runs| runs.left(at)).min().unwrap_or(usize::MAX)
    }

    /// How many elements the next tile takes: with sinks, whole rows or a part of one; never beyond a run.
    pub fn tile(&self, at: usize, end: usize, most: usize) -> usize {
        let n = most.min(end - at).min(self.left(at));
        match (self.sinks.is_empty(), self.row >= TILE) {
            (true, _) => n,
            (false, true) => n.min(self.row - at % self.row),
            (false, false) => n / self.row * self.row,
        }
    }

    /// Fold what lies in the sinks' tiles.
    pub fn fold(&self, bases: &Bases, tiles: &Tiles, sums: &mut [f32], at: usize, n: usize) {
        for (sink, sum) in self.sinks.iter().zip(sums) {
            let to = bases.at(sink.buf).cast::<f32>();
            let x = tiles.ptr::<f32>(sink.reg).cast_const();
            // SAFETY: the tile holds `n` elements, the result one for each row.
            unsafe {
                if self.row < TILE {
                    for i in 0..n / self.row {
                        let row = std::slice::from_raw_parts(x.add(i * self.row), self.row);
                        let folded = fold_f32(sink.reducer, row);
                        *to.add(at / self.row + i) = combine_f32(sink.reducer, sink.init, folded);
                    }
                    continue;
                }
                let part = fold_f32(sink.reducer, std::slice::from_raw_parts(x, n));
                let first = at.is_multiple_of(self.row);
                *sum = if first { part } else { combine_f32(sink.reducer, *sum, part) };
                if (at + n).is_multiple_of(self.row) {
                    *to.add(at / self.row) = combine_f32(sink.reducer, sink.init, *sum);
                }
            }
        }
    }

    /// Combine what code left of a row, or of a part of one: one number for each sink, in tiles behind those of the
    /// loop.
    pub fn fold_parts(&self, bases: &Bases, tiles: &Tiles, sums: &mut [f32], at: usize, n: usize) {
        for (i, (sink, sum)) in self.sinks.iter().zip(sums).enumerate() {
            let part = tiles.ptr::<f32>((self.regs.len() + i) as Reg);
            // SAFETY: a tile holds more; the result has an element for each row.
            unsafe {
                let part = *part;
                let first = at.is_multiple_of(self.row);
                *sum = if first { part } else { combine_f32(sink.reducer, *sum, part) };
                if (at + n).is_multiple_of(self.row) {
                    *bases.at(sink.buf).cast::<f32>().add(at / self.row) =
                        combine_f32(sink.reducer, sink.init, *sum);
                }
            }
        }
    }

    fn piece(&self, bases: &Bases, start: usize, end: usize) {
        let mut tiles = Tiles::new(&self.regs);
        let mut streams = Vec::new();
        for input in &self.inputs {
            match &input.source {
                Source::View { buf, dims, strides, offset } => {
                    let walk = Walk::new(dims, strides, start);
                    let width = input.dtype.bytes() as isize;
                    // SAFETY: views stay in their buffers.
                    let base = unsafe { bases.at(*buf).offset(offset * width) };
                    let dense = dims.len() <= 1 && strides.first().is_none_or(|s| *s == 1) && self.count > 1;
                    let dense = dense && held_as_is(input.dtype) && dims.first() == Some(&self.count);
                    streams.push((input, base, walk, (dims, strides), dense));
                }
                Source::Splat(element) => splat(input.dtype, element, &tiles, input.reg),
                Source::Iota { .. } => {}
            }
        }
        let mut at = start;
        let mut sums = vec![0f32; self.sinks.len()];
        while at < end {
            let n = self.tile(at, end, TILE);
            for (input, base, walk, (dims, strides), dense) in &mut streams {
                if *dense {
                    tiles.point(input.reg, base.wrapping_add(at * input.dtype.bytes()));
                    continue;
                }
                // SAFETY: the walk visits the elements of the view.
                unsafe { load(input.dtype, *base, walk, (dims, strides), &tiles, input.reg, n) };
            }
            self.iotas(&tiles, at, n);
            for output in self.outputs.iter().filter(|output| output.direct()) {
                tiles.point(output.reg, output.at(bases, at));
            }
            run(&self.ops, &tiles, n);
            self.fold(bases, &tiles, &mut sums, at, n);
            for output in self.outputs.iter().filter(|output| !output.direct()) {
                let to = output.at(bases, at);
                // SAFETY: the run has `n` more elements.
                unsafe { store(output.dtype, &tiles, output.reg, to, n) };
            }
            at += n;
        }
    }

    fn iotas(&self, tiles: &Tiles, at: usize, n: usize) {
        for input in &self.inputs {
            self.iota(input, tiles, at, n);
        }
    }

    /// Put one number into the tile of an operand that counts; `whole`: as a whole number, whatever the type.
    pub fn number(&self, input: &Input, tiles: &Tiles, value: usize, whole: bool) {
        let dtype = if whole { DType::S32 } else { input.dtype };
        number(dtype, tiles, input.reg, 0, value);
    }

    /// Fill the tile of an operand that counts.
    pub fn iota(&self, input: &Input, tiles: &Tiles, at: usize, n: usize) {
        let Source::Iota { inner, size } = input.source else { return };
        if inner == 1 && Held::of(input.dtype) == Held::I32 && input.dtype.bytes() == 4 {
            return count_up(tiles, input.reg, at % size, size, n);
        }
        let (mut minor, mut value) = (at % inner, at / inner % size);
        for i in 0..n {
            number(input.dtype, tiles, input.reg, i, value);
            minor += 1;
            if minor == inner {
                minor = 0;
                value = if value + 1 == size { 0 } else { value + 1 };
            }
        }
    }
}

/// `first`, `first + 1`, .. in `n` places, from 0 again at `size`.
fn count_up(tiles: &Tiles, to: Reg, first: usize, size: usize, n: usize) {
    let (mut done, mut value) = (0, first);
    while done < n {
        let run = (size - value).min(n - done);
        // SAFETY: the tile has `n` places of four bytes.
        let places = unsafe { std::slice::from_raw_parts_mut(tiles.ptr::<i32>(to).add(done), run) };
        places.iter_mut().enumerate().for_each(|(i, place)| *place = (value + i) as i32);
        (done, value) = (done + run, 0);
    }
}

fn number(dtype: DType, tiles: &Tiles, to: Reg, i: usize, value: usize) {
    use crate::tile::{round, wrap_i32, wrap_u32};
    // SAFETY: `i` lies in the tile, which holds this type.
    unsafe {
        match Held::of(dtype) {
            Held::Bool => *tiles.ptr::<u8>(to).add(i) = u8::from(value != 0),
            Held::I32 => *tiles.ptr::<i32>(to).add(i) = wrap_i32(dtype, value as i32),
            Held::U32 => *tiles.ptr::<u32>(to).add(i) = wrap_u32(dtype, value as u32),
            Held::I64 | Held::U64 => *tiles.ptr::<u64>(to).add(i) = value as u64,
            Held::F32 => *tiles.ptr::<f32>(to).add(i) = round(dtype, value as f32),
            Held::F64 => *tiles.ptr::<f64>(to).add(i) = value as f64,
            Held::C64 => *tiles.ptr::<[f32; 2]>(to).add(i) = [value as f32, 0.0],
            Held::C128 => *tiles.ptr::<[f64; 2]>(to).add(i) = [value as f64, 0.0],
        }
    }
}
