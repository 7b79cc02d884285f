//! Random bits of which every device makes its own: the numbers of the whole array, from their place in the stream on.
//!
//! ```text
//! %s1, %bits = rng_bit_generator %s : u32[1024, 6] over 4      every device: u32[1536] from block 384 * tile on
//! ```
//!
//! Bits are a cipher of a counter, and elements follow each other in blocks of one counter each. Dims are cut from the
//! left as long as what a device holds is one run of elements: along those it makes its own only. A dim that is split
//! behind a dim of several elements leaves a run in every row: long ones are made one after another, in a loop; short
//! ones (of less than 1024 elements) are not worth a trip each, so there the dim is made whole and cut.
//!
//! Philox gives four elements to a block (two of 64 bits): a run that starts inside a block begins a few elements
//! early. Threefry gives 64-bit elements a block each, and of others two, which are neighbours along one dim: words
//! `[2, blocks]` are made and put in their places.
//!
//! The numbers of `rng` are an engine's own: it has no state, so no part of them can be asked for. Every device makes
//! all of them and keeps its piece, which is right where engines number them by their place, as ours do.
//!
//! The state goes on by what the whole array takes, on every device. Philox's counter has 128 bits; a state of two
//! words leaves the high half to the key, so a device's own state says all three. The default algorithm is taken to be
//! Philox, as everywhere here.

use crate::localize::emit::Emit;
use crate::localize::halo::{self, Fill};
use crate::localize::subject::{Local, Subject};
use meshwright_ir::op::{BinaryOp, Direction, Dynamic, Random, RngAlgorithm};
use meshwright_ir::{Build, DType, Dim, Op, TensorType, ValueId};
use meshwright_shard::Sharding;

/// Localize random bits; `None` if they are not split.
pub fn random(emit: &mut Emit<'_, '_>, subject: &Subject<'_>, op: &Random) -> Option<Local> {
    let Random::BitGenerator { algorithm, bits } = op else { return None };
    let to =
        subject.to.get(1)?.sharding.as_ref().filter(|to| to.dims.iter().any(|dim| !dim.axes.is_empty()))?;
    let local = subject.locals(emit).into_iter().nth(1)?;
    let state = *subject.operands.first()?;
    let words = emit.tensor(state);
    if words.dtype != DType::U64 || !(2..=3).contains(&words.elements()) {
        let made = generate(emit, *algorithm, state, bits.clone());
        let own = cut(emit, made.1, to, &local.dims, 0);
        return Some(Local::Values(vec![made.0, own]));
    }
    let stream = Stream::of(emit, state, *algorithm);
    let taken = emit.splat_int(&TensorType::scalar(DType::U64), stream.taken(bits));
    let after = stream.after(emit, taken);
    let own = if local.dims.contains(&0) {
        emit.splat_int(&local, 0)
    } else {
        own_bits(emit, &stream, bits, to, &local)
    };
    Some(Local::Values(vec![after, own]))
}

/// New state and bits.
fn generate(
    emit: &mut Emit<'_, '_>,
    algorithm: RngAlgorithm,
    state: ValueId,
    bits: TensorType,
) -> (ValueId, ValueId) {
    let op = Op::Random(Random::BitGenerator { algorithm, bits });
    let results = emit.push_all(op, vec![state], Vec::new());
    (results[0], results[1])
}

/// What a device holds of dims from `from` on, of a value that has them whole.
fn cut(emit: &mut Emit<'_, '_>, value: ValueId, to: &Sharding, local: &[i64], from: usize) -> ValueId {
    let mut whole = value;
    for (dim, size) in local.iter().enumerate().skip(from) {
        let held = size * crate::axes::tiles(&to.dims[dim].axes);
        let missing = held - emit.tensor(whole).dims[dim];
        whole = halo::pad(emit, whole, Dim::new(dim), [0, 0, missing], Fill::Anything);
    }
    let axes: Vec<_> =
        (0..local.len()).map(|dim| if dim < from { Vec::new() } else { to.dims[dim].axes.clone() }).collect();
    if axes.iter().all(Vec::is_empty) { whole } else { emit.slice_by_axes(whole, to.mesh, &axes) }
}

/// The words of a state, and what makes numbers of them.
struct Stream {
    is_threefry: bool,
    key: ValueId,
    low: ValueId,
    /// The upper half of the counter, where the state says it.
    high: Option<ValueId>,
}

impl Stream {
    fn of(emit: &mut Emit<'_, '_>, state: ValueId, algorithm: RngAlgorithm) -> Stream {
        let count = emit.tensor(state).elements();
        let mut word = |at: i64| {
            let one = emit.slice_dim(state, Dim::new(0), at..at + 1);
            emit.reshape(one, &[])
        };
        let (key, low) = (word(0), word(1));
        let high = if count > 2 { Some(word(2)) } else { None };
        Stream { is_threefry: algorithm == RngAlgorithm::ThreeFry, key, low, high }
    }

    /// Elements of a block of Philox.
    fn per_block(dtype: DType) -> i64 {
        if dtype.bits() == 64 { 2 } else { 4 }
    }

    /// Blocks that an array takes.
    fn taken(&self, bits: &TensorType) -> i64 {
        match (self.is_threefry, bits.dtype.bits() == 64) {
            (false, _) => (bits.elements() + Self::per_block(bits.dtype) - 1) / Self::per_block(bits.dtype),
            (true, true) => bits.elements(),
            (true, false) => Pairs::of(&bits.dims).blocks(),
        }
    }

    /// The low word moved on, and by how much the high word moves with it.
    fn moved(&self, emit: &mut Emit<'_, '_>, by: ValueId) -> (ValueId, ValueId) {
        let low = emit.binary(BinaryOp::Add, self.low, by);
        let wrapped = emit.compare(Direction::Lt, low, self.low);
        (low, emit.convert(wrapped, DType::U64))
    }

    /// The state behind `by` blocks, as the op returns it.
    fn after(&self, emit: &mut Emit<'_, '_>, by: ValueId) -> ValueId {
        let (low, carry) = self.moved(emit, by);
        let mut words = vec![self.key, low];
        words.extend(
            self.high
                .map(|high| if self.is_threefry { high } else { emit.binary(BinaryOp::Add, high, carry) }),
        );
        emit.stack(&words)
    }

    /// Bits from a block on.
    fn draw(&self, emit: &mut Emit<'_, '_>, from: ValueId, bits: TensorType) -> ValueId {
        let (low, carry) = self.moved(emit, from);
        let mut words = vec![self.key, low];
        if !self.is_threefry {
            words.push(emit.binary(BinaryOp::Add, self.high.unwrap_or(self.key), carry));
        }
        let state = emit.stack(&words);
        let algorithm = if self.is_threefry { RngAlgorithm::ThreeFry } else { RngAlgorithm::Philox };
        generate(emit, algorithm, state, bits).1
    }
}

/// How Threefry makes narrow elements: two of a block lie side by side along one dim.
struct Pairs {
    dim: usize,
    major: i64,
    /// Blocks along the dim.
    half: i64,
    minor: i64,
}

impl Pairs {
    /// The first even dim, or else the first of the largest ones.
    fn of(dims: &[i64]) -> Pairs {
        let largest = dims.iter().max().and_then(|most| dims.iter().position(|size| size == most));
        let dim = dims.iter().position(|size| size % 2 == 0).or(largest).unwrap_or(0);
        let size = dims.get(dim).copied().unwrap_or(1);
        let product = |dims: Option<&[i64]>| dims.unwrap_or(&[]).iter().product();
        let (major, minor) = (product(dims.get(..dim)), product(dims.get(dim + 1..)));
        Pairs { dim, major, half: size / 2 + size % 2, minor }
    }

    fn blocks(&self) -> i64 {
        self.major * self.half * self.minor
    }
}

/// A device's part of the whole array: one place along each dim before `along`, a run of `count` along that, and what
/// is behind it whole.
struct Run<'a> {
    whole: &'a [i64],
    along: usize,
    count: i64,
    /// First place along each dim up to `along`, and whether it depends on the device.
    first: Vec<(ValueId, bool)>,
}

impl Run<'_> {
    /// Its elements, as many as there are, in whatever shape.
    fn draw(&self, emit: &mut Emit<'_, '_>, stream: &Stream, dtype: DType) -> ValueId {
        match (stream.is_threefry, dtype.bits() == 64) {
            (true, true) => {
                let rank = self.whole.len();
                let start = self.start(emit, 0..rank, 1);
                let count = self.count * self.stride(self.along, rank);
                stream.draw(emit, start, TensorType::new(dtype, [count]))
            }
            (true, false) => paired(emit, stream, dtype, self),
            (false, _) => consecutive(emit, stream, dtype, self),
        }
    }

    /// Elements between neighbours of a dim, of dims before `end`.
    fn stride(&self, dim: usize, end: usize) -> i64 {
        self.whole[dim + 1..end].iter().product()
    }

    /// The number of the first element, were dims `from..end` all there is, times `times`; dims behind the run count
    /// from 0.
    fn start(&self, emit: &mut Emit<'_, '_>, dims: std::ops::Range<usize>, times: i64) -> ValueId {
        let mut sum = emit.splat_int(&TensorType::scalar(DType::U64), 0);
        for dim in dims.start..dims.end.min(self.along + 1) {
            let (first, _) = self.first[dim];
            let step = emit.splat_int(&TensorType::scalar(DType::U64), self.stride(dim, dims.end) * times);
            let moved = emit.binary(BinaryOp::Multiply, first, step);
            sum = emit.binary(BinaryOp::Add, sum, moved);
        }
        sum
    }
}

/// Numbers that are worth a trip of a loop.
const LEAST_RUN: i64 = 1024;

fn own_bits(
    emit: &mut Emit<'_, '_>,
    stream: &Stream,
    bits: &TensorType,
    to: &Sharding,
    local: &TensorType,
) -> ValueId {
    let rank = local.rank();
    let along = local.dims.iter().position(|size| *size != 1).unwrap_or(rank - 1);
    let last = to.dims.iter().rposition(|dim| !dim.axes.is_empty()).unwrap_or(0);
    if last > along && local.dims[last..].iter().product::<i64>() >= LEAST_RUN {
        return row_by_row(emit, stream, bits, to, local, last);
    }
    let first = (0..=along).map(|dim| first_place(emit, to, local, dim)).collect();
    let run = Run { whole: &bits.dims, along, count: local.dims[along], first };
    let made = run.draw(emit, stream, bits.dtype);
    let mut shape = vec![1; along];
    shape.push(run.count);
    shape.extend_from_slice(&bits.dims[along + 1..]);
    let made = emit.reshape(made, &shape);
    cut(emit, made, to, &local.dims, along + 1)
}

/// First place of the own piece of a dim, and whether it depends on the device.
fn first_place(emit: &mut Emit<'_, '_>, to: &Sharding, local: &TensorType, dim: usize) -> (ValueId, bool) {
    let axes = &to.dims[dim].axes;
    let index = emit.axis_index(to.mesh, axes);
    let index = emit.convert(index, DType::U64);
    let piece = emit.splat_int(&TensorType::scalar(DType::U64), local.dims[dim]);
    (emit.binary(BinaryOp::Multiply, index, piece), !axes.is_empty())
}

/// One run along dim `last` for every combination of places before it.
fn row_by_row(
    emit: &mut Emit<'_, '_>,
    stream: &Stream,
    bits: &TensorType,
    to: &Sharding,
    local: &TensorType,
    last: usize,
) -> ValueId {
    let scalar = TensorType::scalar(DType::U64);
    let rows: i64 = local.dims[..last].iter().product();
    let row_size: i64 = local.dims[last..].iter().product();
    let starts: Vec<(ValueId, bool)> = (0..=last).map(|dim| first_place(emit, to, local, dim)).collect();
    let (zero, nothing) = (emit.splat_int(&scalar, 0), emit.splat_int(&local.with_dims([rows, row_size]), 0));
    let state = vec![zero, nothing];
    let (body, params) = emit.enter(&state);
    let (row, all) = (params[0], params[1]);
    let first = (0..=last).map(|dim| {
        if dim == last {
            return starts[dim];
        }
        let stride = emit.splat_int(&scalar, local.dims[dim + 1..last].iter().product());
        let size = emit.splat_int(&scalar, local.dims[dim]);
        let place = emit.binary(BinaryOp::Divide, row, stride);
        let place = emit.binary(BinaryOp::Remainder, place, size);
        (emit.binary(BinaryOp::Add, starts[dim].0, place), true)
    });
    let run = Run { whole: &bits.dims, along: last, count: local.dims[last], first: first.collect() };
    let made = run.draw(emit, stream, bits.dtype);
    let made = emit.reshape(made, &[1, row_size]);
    let at = [emit.convert(row, DType::S32), emit.splat_int(&TensorType::scalar(DType::S32), 0)];
    let update = Op::Dynamic(Dynamic::UpdateSlice);
    let all = emit.push(update, [vec![all, made], at.to_vec()].concat());
    let one = emit.splat_int(&scalar, 1);
    let next = emit.binary(BinaryOp::Add, row, one);
    let made = emit.leave(body, rows, state, vec![next, all]);
    emit.reshape(made[1], &local.dims)
}

/// Elements of Philox: several to a block, one after another.
fn consecutive(emit: &mut Emit<'_, '_>, stream: &Stream, dtype: DType, run: &Run<'_>) -> ValueId {
    let rank = run.whole.len();
    let per = Stream::per_block(dtype);
    let count = run.count * run.stride(run.along, rank);
    let step = |dim: usize| {
        let piece = if dim == run.along { run.count } else { 1 };
        piece * run.stride(dim, rank)
    };
    let is_aligned = (0..=run.along).all(|dim| !run.first[dim].1 || step(dim) % per == 0);
    let start = run.start(emit, 0..rank, 1);
    let per_block = emit.splat_int(&TensorType::scalar(DType::U64), per);
    let block = emit.binary(BinaryOp::Divide, start, per_block);
    if is_aligned {
        return stream.draw(emit, block, TensorType::new(dtype, [count]));
    }
    let made = stream.draw(emit, block, TensorType::new(dtype, [count + per - 1]));
    let skipped = emit.binary(BinaryOp::Remainder, start, per_block);
    let skipped = emit.convert(skipped, DType::S32);
    emit.dynamic_slice(made, &[skipped], &[count])
}

/// Narrow elements of Threefry: words `[2, blocks]`, where the first index goes along the paired dim.
fn paired(emit: &mut Emit<'_, '_>, stream: &Stream, dtype: DType, run: &Run<'_>) -> ValueId {
    let rank = run.whole.len();
    let pairs = Pairs::of(run.whole);
    let (dim, minor) = (pairs.dim, pairs.minor);
    let two = emit.splat_int(&TensorType::scalar(DType::U64), 2);
    let outer = run.start(emit, 0..dim, pairs.half * minor);
    if run.along < dim {
        let rows = run.count * run.stride(run.along, dim);
        let words = stream.draw(emit, outer, TensorType::new(dtype, [2, rows * pairs.half * minor]));
        let placed = interleaved(emit, words, rows, pairs.half, minor);
        return emit.slice_dim(placed, Dim::new(1), 0..run.whole[dim]);
    }
    let (first, is_split) = run.first[dim];
    let block = emit.binary(BinaryOp::Divide, first, two);
    let step = emit.splat_int(&TensorType::scalar(DType::U64), minor);
    let inner = emit.binary(BinaryOp::Multiply, block, step);
    let start = emit.binary(BinaryOp::Add, outer, inner);
    let odd = emit.binary(BinaryOp::Remainder, first, two);
    let odd = emit.convert(odd, DType::S32);
    let zero = emit.splat_int(&TensorType::scalar(DType::S32), 0);
    if run.along > dim {
        let behind = run.start(emit, dim + 1..rank, 1);
        let start = emit.binary(BinaryOp::Add, start, behind);
        let count = run.count * run.stride(run.along, rank);
        let words = stream.draw(emit, start, TensorType::new(dtype, [2, count]));
        return emit.dynamic_slice(words, &[odd, zero], &[1, count]);
    }
    let is_aligned = !is_split || run.count % 2 == 0;
    let blocks = if is_aligned { run.count / 2 + run.count % 2 } else { run.count / 2 + 1 };
    let words = stream.draw(emit, start, TensorType::new(dtype, [2, blocks * minor]));
    let placed = interleaved(emit, words, 1, blocks, minor);
    if is_aligned {
        emit.slice_dim(placed, Dim::new(1), 0..run.count)
    } else {
        emit.dynamic_slice(placed, &[zero, odd, zero], &[1, run.count, minor])
    }
}

/// `[2, rows * blocks * minor]` words as `[rows, 2 * blocks, minor]` elements.
fn interleaved(emit: &mut Emit<'_, '_>, words: ValueId, rows: i64, blocks: i64, minor: i64) -> ValueId {
    let words = emit.reshape(words, &[2, rows, blocks, minor]);
    let turned = emit.transpose(words, vec![1, 2, 0, 3]);
    emit.reshape(turned, &[rows, 2 * blocks, minor])
}
