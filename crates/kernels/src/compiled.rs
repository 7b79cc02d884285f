//! Fused loops that run as machine code.
//!
//! ```text
//! while elements are left:  point streams to operands and results -> run the code on as many as lie side by side
//! ```
//!
//! Loops whose operands and results go on by equal steps take them as they are (`by_rows`); several of them over the
//! same rows may run as one (`staggered`).
//!
//! What lies side by side in memory is read where it lies, and what is the same for a run of elements is read once per
//! vector. Other operands are collected into tiles first, as for loops on tiles.

mod by_rows;
mod staggered;
#[cfg(test)]
mod tests;

use crate::fused::{Fused, Input, Source};
use crate::isa::Isa;
use crate::load::load;
use crate::step::{Bases, BufId};
use crate::tile::{Reg, TILE, Tiles};
use crate::view::Walk;
use by_rows::Rows;
use meshwright_ir::DType;
use meshwright_jit::{Code, Fold, From, Loop, Port, Prefetch, To, held_bits};
use meshwright_runtime::stream;
pub use staggered::Staggered;

/// Elements that must lie side by side, or be the same, for an operand to be read where it lies.
const RUN: usize = 64;
/// Elements at once where no tile is in use.
const CHUNK: usize = 1 << 13;
/// Bytes of a line of the caches, to which results past them are aligned.
const LINE: usize = 64;
/// Bytes of an operand from which on it is not expected in the caches: it is asked for so many bytes ahead. What the
/// CPU asks for by itself comes too late for loops that compute long.
const FAR: usize = 4 << 20;
const NEAR: i32 = 8 << 10;

/// Code for the instructions that this process uses; between rows, streams go on by so many bytes.
fn compile(loops: &[Loop<'_>], steps: &[(Reg, i32)]) -> Option<Code> {
    meshwright_jit::compile(Isa::used().target()?, loops, steps)
}

/// Code of a loop, and how it takes its operands.
#[derive(Clone, Debug)]
pub struct LoopCode {
    code: Code,
    /// The same with large results past the caches, for results that are aligned.
    past: Option<Code>,
    feeds: Vec<From>,
    /// Tiles of the loop, then one for each reduction, and one for each value that is asked for.
    regs: Vec<DType>,
    /// Which of them have memory of their own.
    tiles: Vec<bool>,
    /// Whether reductions are made in registers.
    folds: bool,
    /// Elements at once at most.
    chunk: usize,
    /// How operands lie, if all go on by equal steps.
    rows: Option<Rows>,
}

/// What a loop must know of others that run on the same rows.
#[derive(Default)]
pub struct Around {
    /// Read again while they are in the cache.
    pub soon: Vec<BufId>,
    /// Parts of the next rows that this loop asks for.
    pub ahead: Vec<Ahead>,
}

/// A part of the next rows of a value that loops before this one read: the loops after the first one that reads it
/// share in asking for them, so that memory has something to do while each of them computes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ahead {
    pub buf: BufId,
    /// Bytes of an element.
    pub width: usize,
    /// Bytes that are asked for with each element of the loop.
    pub share: usize,
    /// Bytes from the first of these rows to what is asked for.
    pub from: usize,
}

impl Ahead {
    /// How so many loops share in asking for rows of these bytes, each element of so many.
    pub fn shared(buf: BufId, width: usize, bytes: usize, loops: usize) -> Vec<Ahead> {
        let (mut left, mut asked) = (width, Vec::new());
        for place in 1..=loops {
            let share = if place == loops || left == 1 { left } else { left / 2 };
            let from = bytes + (width - left) * (bytes / width.max(1));
            asked.push(Ahead { buf, width, share, from });
            left -= share;
            if left == 0 {
                break;
            }
        }
        asked
    }
}

impl Around {
    /// What a loop asks for of a large operand that it alone goes over: what comes next.
    fn prefetch(&self, input: &Input, count: usize) -> Option<Prefetch> {
        let Source::View { dims, strides, .. } = &input.source else { return None };
        let whole = dims[..] == [count] && strides[..] == [1];
        let far = count * input.dtype.bytes() >= FAR && self.soon.is_empty();
        let prefetch = Prefetch { of: input.reg, width: input.dtype.bytes(), ahead: NEAR, near: false };
        (whole && far).then_some(prefetch)
    }
}

/// How the code takes an operand; `None` if it cannot.
fn feed(input: &Input, fused: &Fused) -> Option<From> {
    let (count, whole) = (fused.count, whole(fused));
    let (dims, strides) = match &input.source {
        Source::Splat(element) => return held_bits(input.dtype, element).map(From::Known),
        Source::Iota { inner, size } => return Some(counting(*inner, *size, input.dtype, whole)),
        Source::View { dims, strides, .. } => (dims, strides),
    };
    if count == 1 {
        return Some(From::Memory);
    }
    let inner = dims.last().copied().unwrap_or(1);
    let long = inner == count || inner >= RUN && inner.is_multiple_of(whole);
    Some(match strides.last() {
        Some(1) if long => From::Memory,
        Some(0) if long && matches!(input.dtype.bytes(), 2 | 4 | 8) => From::One,
        _ => From::Tile,
    })
}

/// Elements that are worked on together: a short row that is folded is never cut, so an operand that lies in pieces
/// which end within one is gathered.
fn whole(fused: &Fused) -> usize {
    if fused.sinks.is_empty() || fused.row >= TILE { 1 } else { fused.row }
}

/// How the code takes an operand whose element at place `i` is `i / inner % size`.
fn counting(inner: usize, size: usize, dtype: DType, whole: usize) -> From {
    let exact = match dtype {
        DType::S32 | DType::U32 => size < 1 << 31,
        DType::F32 => size < 1 << 24,
        _ => false,
    };
    match (exact, inner) {
        (true, 1) if size >= RUN && size.is_multiple_of(whole) => From::Count,
        (true, inner) if inner >= RUN && inner.is_multiple_of(whole) => From::One,
        _ => From::Tile,
    }
}

/// How many elements from a place on an operand counts, or repeats one number, and the number that is first.
fn counted(input: &Input, feed: From, at: usize) -> Option<(usize, usize)> {
    let Source::Iota { inner, size } = input.source else { return None };
    match feed {
        From::Count => Some((size - at % size, at % size)),
        From::One => Some((inner - at % inner, at / inner % size)),
        _ => None,
    }
}

/// What code of a loop is made from.
struct Draft {
    feeds: Vec<From>,
    inputs: Vec<Port<From>>,
    /// Results, and the same with large ones past the caches.
    plain: Vec<Port<To>>,
    past: Vec<Port<To>>,
    /// Reductions that are made in registers.
    folds: Vec<Port<Fold>>,
    prefetches: Vec<Prefetch>,
    /// Tiles of the loop, then one for each reduction, and one for each value that is asked for.
    regs: Vec<DType>,
    rows: Option<Rows>,
}

impl Draft {
    fn of(fused: &Fused, around: &Around) -> Option<Draft> {
        let feeds = fused.inputs.iter().map(|input| feed(input, fused));
        let feeds = feeds.collect::<Option<Vec<_>>>()?;
        let rows = Rows::of(fused, &feeds, &around.ahead, None);
        let streams = fused.inputs.iter().zip(&feeds).filter(|(_, feed)| **feed == From::Memory);
        let prefetches = streams.filter_map(|(input, _)| around.prefetch(input, fused.count)).collect();
        Some(Draft::with(fused, feeds, rows, prefetches, &around.soon))
    }

    /// Of a loop that goes by rows of this length.
    fn by_rows_of(fused: &Fused, row: usize) -> Option<Draft> {
        let feeds = fused.inputs.iter().map(|input| feed(input, fused));
        let feeds = feeds.collect::<Option<Vec<_>>>()?;
        let rows = Rows::of(fused, &feeds, &[], Some(row))?;
        Some(Draft::with(fused, feeds, Some(rows), Vec::new(), &[]))
    }

    fn with(
        fused: &Fused,
        feeds: Vec<From>,
        rows: Option<Rows>,
        mut prefetches: Vec<Prefetch>,
        soon: &[BufId],
    ) -> Draft {
        let inputs = fused.inputs.iter().zip(&feeds);
        let inputs: Vec<Port<From>> =
            inputs.map(|(input, at)| Port { reg: input.reg, dtype: input.dtype, at: *at }).collect();
        // Short rows are many in a tile, and folded there.
        let in_registers = fused.row >= TILE || (rows.is_some() && !fused.sinks.is_empty());
        let first = fused.regs.len();
        let folds = fused.sinks.iter().enumerate().filter(|_| in_registers).map(|(i, sink)| {
            let init = rows.is_some().then_some(sink.init);
            let at = Fold { reducer: sink.reducer, to: (first + i) as Reg, init };
            Port { reg: sink.reg, dtype: DType::F32, at }
        });
        let folds: Vec<Port<Fold>> = folds.collect();
        let asked = rows.iter().flat_map(Rows::asked).enumerate();
        let of = |i: usize| (first + folds.len() + i) as Reg;
        prefetches.extend(asked.map(|(i, width)| Prefetch { of: of(i), width, ahead: 0, near: false }));
        let more = (0..folds.len() + rows.iter().flat_map(Rows::asked).count()).map(|_| DType::F32);
        let regs = fused.regs.iter().copied().chain(more).collect();
        let (plain, past) = (Vec::new(), Vec::new());
        let mut draft = Draft { feeds, inputs, plain, past, folds, prefetches, regs, rows };
        draft.keep_near(fused, soon);
        draft
    }

    /// Let results go where they go, but those that are read again soon not past the caches.
    fn keep_near(&mut self, fused: &Fused, soon: &[BufId]) {
        self.plain = self.outputs(fused, &|_| false);
        self.past = self.outputs(fused, &|buf| !soon.contains(&buf));
    }

    fn outputs(&self, fused: &Fused, past: &dyn Fn(BufId) -> bool) -> Vec<Port<To>> {
        let in_tiles = self.folds.is_empty();
        let sunk = |reg| in_tiles && fused.sinks.iter().any(|sink| sink.reg == reg);
        let stored = fused.outputs.iter().map(|output| {
            let large = fused.count * output.dtype.bytes() >= stream::LARGE;
            let past = past(output.buf) && output.alone && large && !sunk(output.reg);
            let at = To { memory: true, last: !output.alone, past };
            Port { reg: output.reg, dtype: output.dtype, at }
        });
        let stored: Vec<Port<To>> = stored.collect();
        let own =
            |reg| stored.iter().all(|port| port.reg != reg) && self.inputs.iter().all(|port| port.reg != reg);
        let kept = fused.sinks.iter().filter(|sink| in_tiles && own(sink.reg)).map(|sink| {
            let at = To { memory: false, last: false, past: false };
            Port { reg: sink.reg, dtype: fused.regs[sink.reg as usize], at }
        });
        stored.iter().copied().chain(kept).collect()
    }

    fn goes_past(&self) -> bool {
        self.plain != self.past
    }

    /// As one of the loops that run as one; its streams begin at a number.
    fn part<'a>(&'a self, fused: &'a Fused, outputs: &'a [Port<To>], first: usize) -> Loop<'a> {
        let Draft { inputs, folds, prefetches, .. } = self;
        Loop { ops: &fused.ops, inputs, outputs, folds, prefetches, first }
    }
}

impl LoopCode {
    /// Code for a loop whose results' places are known.
    pub fn of(fused: &Fused, around: &Around) -> Option<LoopCode> {
        let draft = Draft::of(fused, around)?;
        let steps = draft.rows.as_ref().map_or(Vec::new(), |rows| rows.steps(fused, &draft.folds));
        let compiled = |outputs: &[Port<To>]| compile(&[draft.part(fused, outputs, 0)], &steps);
        let code = compiled(&draft.plain)?;
        let past = if draft.goes_past() { Some(compiled(&draft.past)?) } else { None };
        let (first, folds) = (fused.regs.len(), !draft.folds.is_empty());
        let Draft { feeds, inputs, plain, regs, rows, folds: made, .. } = draft;
        let mut tiles: Vec<bool> =
            (0..regs.len()).map(|reg| (first..first + made.len()).contains(&reg)).collect();
        let fed = inputs.iter().filter(|port| port.at == From::Tile).map(|port| port.reg);
        let counts = fused.inputs.iter().filter(|input| matches!(input.source, Source::Iota { .. }));
        let kept = plain.iter().filter(|port| !port.at.memory).map(|port| port.reg);
        fed.chain(kept).for_each(|reg| tiles[reg as usize] = true);
        let tiled = tiles[..first].contains(&true) || !(folds || fused.sinks.is_empty());
        // Where it counts from is read from memory.
        counts.for_each(|input| tiles[input.reg as usize] = true);
        let chunk = if tiled { TILE } else { CHUNK };
        Some(LoopCode { code, past, feeds, regs, tiles, folds, chunk, rows })
    }

    /// Whether an operand is collected, or counted, into tiles before the code runs on it.
    pub fn collects(&self, input: usize) -> bool {
        self.feeds.get(input) == Some(&From::Tile)
    }

    /// Whether reductions are made in registers.
    pub fn folds(&self) -> bool {
        self.folds
    }

    /// Elements that the code goes over at most before it is called again, where operands or results do not go on by
    /// equal steps.
    pub fn span(&self, fused: &Fused) -> usize {
        if self.rows.is_some() {
            return crate::fused::PIECE;
        }
        let operands =
            fused.inputs.iter().zip(&self.feeds).map(|(input, feed)| match (&input.source, feed) {
                (Source::View { dims, .. }, From::Memory | From::One) => dims.last().copied().unwrap_or(1),
                (Source::Iota { size, .. }, From::Count) => *size,
                (Source::Iota { inner, .. }, From::One) => *inner,
                _ => usize::MAX,
            });
        let results = fused.runs().map(|runs| runs.len);
        operands.chain(results).fold(self.chunk, usize::min).max(1)
    }

    /// Run the loop from one element to another; with sinks, whole rows.
    pub fn piece(&self, fused: &Fused, bases: &Bases, start: usize, end: usize) {
        match &self.rows {
            Some(rows) if rows.cover(start, end) => rows.in_runs(self, fused, bases, start, end),
            _ => self.by_chunks(fused, bases, start, end),
        }
    }

    fn code(&self, aligned: bool) -> &Code {
        self.past.as_ref().filter(|_| aligned).unwrap_or(&self.code)
    }

    fn by_chunks(&self, fused: &Fused, bases: &Bases, start: usize, end: usize) {
        let mut tiles = Tiles::some(&self.regs, &self.tiles);
        let mut views: Vec<Option<(*mut u8, Walk)>> = Vec::with_capacity(fused.inputs.len());
        for input in &fused.inputs {
            views.push(match &input.source {
                Source::View { buf, dims, strides, offset } => {
                    let base = bases.at(*buf).wrapping_offset(offset * input.dtype.bytes() as isize);
                    Some((base, Walk::new(dims, strides, start)))
                }
                Source::Splat(_) | Source::Iota { .. } => None,
            });
        }
        let mut sums = vec![0f32; fused.sinks.len()];
        let mut at = start;
        while at < end {
            let n = self.feed(fused, &mut tiles, &mut views, at, fused.tile(at, end, self.chunk));
            let mut aligned = true;
            for output in &fused.outputs {
                let to = output.at(bases, at);
                aligned &= to.align_offset(LINE) == 0;
                tiles.point(output.reg, to);
            }
            // SAFETY: streams are where the code takes them from, and have `n` elements.
            unsafe { self.code(aligned).run(tiles.places_mut(), n, 1) };
            if self.folds {
                fused.fold_parts(bases, &tiles, &mut sums, at, n)
            } else {
                fused.fold(bases, &tiles, &mut sums, at, n)
            }
            at += n;
        }
    }

    /// Point tiles to operands, or fill them; how many elements of at most `n` are there.
    fn feed(
        &self,
        fused: &Fused,
        tiles: &mut Tiles,
        views: &mut [Option<(*mut u8, Walk)>],
        at: usize,
        mut n: usize,
    ) -> usize {
        let operands = || fused.inputs.iter().zip(&self.feeds);
        for (input, feed) in operands() {
            n = counted(input, *feed, at).map_or(n, |(left, _)| n.min(left));
        }
        for ((input, feed), view) in operands().zip(views.iter()) {
            let (Source::View { dims, .. }, From::Memory | From::One, Some((_, walk))) =
                (&input.source, feed, view)
            else {
                continue;
            };
            n = n.min(walk.left(dims));
        }
        for ((input, feed), view) in operands().zip(views.iter_mut()) {
            let (Source::View { dims, strides, .. }, Some((base, walk))) = (&input.source, view) else {
                continue;
            };
            if *feed == From::Tile {
                // SAFETY: the walk visits the elements of the view.
                unsafe { load(input.dtype, *base, walk, (dims, strides), tiles, input.reg, n) };
                continue;
            }
            tiles.point(input.reg, base.wrapping_offset(walk.at * input.dtype.bytes() as isize));
            walk.advance(dims, strides, n);
        }
        for (input, feed) in operands() {
            match counted(input, *feed, at) {
                Some((_, number)) => fused.number(input, tiles, number, *feed == From::Count),
                None if *feed == From::Tile => fused.iota(input, tiles, at, n),
                None => {}
            }
        }
        n
    }
}
