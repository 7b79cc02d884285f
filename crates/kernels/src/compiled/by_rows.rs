//! Loops whose operands and results go on by equal steps: from row to row, or from element to element.
//!
//! ```text
//! point streams to the first row -> one call for all rows
//! ```
//!
//! Nothing is collected and no memory is taken: between loops of a few rows, that took a fifth of the time. An operand
//! that is the same for many rows, and another one for the next so many, goes on by equal steps within such blocks:
//! there is a call for each.

use super::{Ahead, LINE, LoopCode};
use crate::fused::{Fused, Input, Output, Source};
use crate::step::{Bases, BufId};
use crate::tile::Reg;
use meshwright_jit::{Fold, From, Port};

/// Elements of the shortest rows: shorter ones are many in a tile, and folded there.
const SHORTEST: usize = 64;
/// Elements of runs of results that are short enough to be rows.
const SHORT: usize = 4096;
/// Elements of the longest rows.
const LONGEST: usize = 1 << 26;
/// Streams of a loop at most.
pub const STREAMS: usize = 64;
/// Reductions of a loop at most.
const SINKS: usize = 2;

/// Rows of operands, at equal steps.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Elements of a row; one, if elements follow each other in all operands.
    unit: usize,
    feeds: Vec<Feed>,
    ahead: Vec<Ahead>,
}

/// The first row of an operand, and the bytes to the next.
#[derive(Clone, Debug)]
struct Feed {
    reg: Reg,
    buf: BufId,
    offset: isize,
    step: isize,
    /// Rows that go on by this step; behind them, blocks of as many.
    block: usize,
    /// How many blocks, and the bytes from one to the next, by dims: the innermost first.
    blocks: Vec<(usize, isize)>,
}

/// The length of the rows of an operand with several dims.
fn inner(input: &Input) -> Option<usize> {
    let Source::View { dims, .. } = &input.source else { return None };
    if dims.len() > 1 { dims.last().copied() } else { None }
}

impl Feed {
    fn of(input: &Input, from: From, count: usize, unit: usize) -> Option<Feed> {
        let Source::View { buf, dims, strides, offset } = &input.source else { return None };
        let width = input.dtype.bytes() as isize;
        let first = |step: isize, block: usize, blocks: Vec<(usize, isize)>| {
            i32::try_from(step * width).ok()?;
            let blocks = blocks.into_iter().map(|(size, step)| (size, step * width)).collect();
            Some(Feed {
                reg: input.reg,
                buf: *buf,
                offset: offset * width,
                step: step * width,
                block,
                blocks,
            })
        };
        // One element is a row of any kind.
        if count == 1 && from == From::Memory {
            return first(0, usize::MAX, Vec::new());
        }
        let own = match from {
            From::Memory => 1,
            From::One => 0,
            From::Tile | From::Count | From::Known(_) => return None,
        };
        let (inner, stride) = (*dims.last()?, *strides.last()?);
        let whole = dims.iter().product::<usize>() == count && (unit > 1 || dims.len() == 1);
        if stride != own || !whole || !inner.is_multiple_of(unit) {
            return None;
        }
        let around = dims.iter().copied().zip(strides.iter().copied()).rev().skip(1);
        let rows = Some((inner / unit, own * unit as isize)).filter(|(rows, _)| *rows > 1 || dims.len() == 1);
        let mut levels = rows.into_iter().chain(around);
        let (block, step) = levels.next()?;
        let blocks: Vec<(usize, isize)> = levels.collect();
        first(step, if blocks.is_empty() { usize::MAX } else { block }, blocks)
    }

    /// Bytes from the first row to another.
    fn place(&self, row: usize) -> isize {
        let (mut at, mut left) = ((row % self.block) as isize * self.step, row / self.block);
        for (size, step) in &self.blocks {
            at += (left % size) as isize * step;
            left /= size;
        }
        at
    }
}

impl Rows {
    /// How the operands of a loop lie, if it goes by equal steps: those of rows of this length, or of its own.
    pub fn of(fused: &Fused, from: &[From], ahead: &[Ahead], row: Option<usize>) -> Option<Rows> {
        let short = || fused.runs().map(|runs| runs.len).find(|len| (SHORTEST..=SHORT).contains(len));
        let inner = fused.inputs.iter().filter_map(inner).min().or_else(short);
        let own = if fused.sinks.is_empty() { inner.unwrap_or(row.unwrap_or(1)) } else { fused.row };
        let unit = row.unwrap_or(own);
        if own != unit {
            return None;
        }
        let fits = unit == 1 || ((SHORTEST..=LONGEST).contains(&unit) && fused.count.is_multiple_of(unit));
        let fits = fits && fused.runs().all(|runs| runs.len.is_multiple_of(unit));
        if !fits || fused.sinks.len() > SINKS || fused.regs.len() + SINKS + ahead.len() > STREAMS {
            return None;
        }
        let streams = fused.inputs.iter().zip(from).filter(|(_, from)| !matches!(from, From::Known(_)));
        let feeds = streams.map(|(input, from)| Feed::of(input, *from, fused.count, unit));
        let feeds: Vec<Feed> = feeds.collect::<Option<_>>()?;
        // What others go along with, or ask for, is known by rows.
        if (row.is_some() || !ahead.is_empty()) && feeds.iter().any(|feed| !feed.blocks.is_empty()) {
            return None;
        }
        let rows = Rows { unit, feeds, ahead: ahead.to_vec() };
        fused.outputs.iter().all(|output| i32::try_from(rows.step(output)).is_ok()).then_some(rows)
    }

    /// How many bytes streams go on from row to row.
    pub fn steps(&self, fused: &Fused, folds: &[Port<Fold>]) -> Vec<(Reg, i32)> {
        if self.unit == 1 {
            return Vec::new();
        }
        let feeds = self.feeds.iter().map(|feed| (feed.reg, feed.step as i32));
        let outputs = fused.outputs.iter().map(|output| (output.reg, self.step(output) as i32));
        let lanes = folds.iter().map(|fold| (fold.at.to, fold.dtype.bytes() as i32));
        let first = fused.regs.len() + folds.len();
        let asked = self.asked().enumerate().map(|(i, share)| ((first + i) as Reg, self.bytes(share) as i32));
        feeds.chain(outputs).chain(lanes).chain(asked).filter(|(_, bytes)| *bytes != 0).collect()
    }

    fn bytes(&self, width: usize) -> usize {
        self.unit * width
    }

    /// Bytes from a row of a result to the next.
    fn step(&self, output: &Output) -> isize {
        let step = match output.runs {
            Some(runs) if runs.len == self.unit => runs.step,
            _ => self.unit as isize,
        };
        step * output.dtype.bytes() as isize
    }

    /// Bytes of what is asked for with each element; streams behind those of the reductions.
    pub fn asked(&self) -> impl Iterator<Item = usize> {
        self.ahead.iter().map(|ahead| ahead.share)
    }

    /// Whether these elements are whole rows.
    pub fn cover(&self, start: usize, end: usize) -> bool {
        start.is_multiple_of(self.unit) && end.is_multiple_of(self.unit)
    }

    /// Run a loop on whole rows from one element to another. Runs of results are rows or hold several.
    pub fn in_runs(&self, code: &LoopCode, fused: &Fused, bases: &Bases, start: usize, end: usize) {
        let left = |at| {
            let long = fused.runs().filter(|runs| runs.len != self.unit || self.unit == 1);
            let blocks = self.feeds.iter().map(|feed| feed.block).filter(|block| *block < usize::MAX);
            let blocks = blocks.map(|block| (block - at / self.unit % block) * self.unit);
            long.map(|runs| runs.left(at)).chain(blocks).min().unwrap_or(usize::MAX)
        };
        let mut at = start;
        while at < end {
            let next = at.saturating_add(left(at)).min(end);
            self.run(code, fused, bases, at, next);
            at = next;
        }
    }

    fn run(&self, code: &LoopCode, fused: &Fused, bases: &Bases, start: usize, end: usize) {
        let (from, count) = (start / self.unit, (end - start) / self.unit);
        let mut streams = [std::ptr::null_mut::<u8>(); STREAMS];
        let aligned = self.point(fused, bases, from, &mut streams);
        let (elements, rows) = if self.unit == 1 { (count, 1) } else { (self.unit, count) };
        // SAFETY: streams are where the code takes them from, and have so many rows.
        unsafe { code.code(aligned).run(&mut streams, elements, rows) };
    }

    /// Point streams to a row; whether results are aligned to lines.
    pub fn point(&self, fused: &Fused, bases: &Bases, from: usize, streams: &mut [*mut u8]) -> bool {
        for feed in &self.feeds {
            let at = feed.offset + feed.place(from);
            streams[feed.reg as usize] = bases.at(feed.buf).wrapping_offset(at);
        }
        let mut aligned = true;
        for output in &fused.outputs {
            let to = output.at(bases, from * self.unit);
            let step = self.step(output).unsigned_abs();
            aligned &= to.align_offset(LINE) == 0 && (self.unit == 1 || step.is_multiple_of(LINE));
            streams[output.reg as usize] = to;
        }
        let own = fused.regs.len();
        for (sink, to) in fused.sinks.iter().zip(&mut streams[own..]) {
            *to = bases.at(sink.buf).wrapping_add(from * size_of::<f32>());
        }
        for (ahead, to) in self.ahead.iter().zip(&mut streams[own + fused.sinks.len()..]) {
            *to = bases.at(ahead.buf).wrapping_add(self.bytes(ahead.width) * from + ahead.from);
        }
        aligned
    }
}
