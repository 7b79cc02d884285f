//! Whether a finished program reads what it means to read: an independent judge of everything that shares memory.
//!
//! ```text
//! after each step: which values are whole where they lie?        a step reads only such; what it writes destroys all
//!                                                                others that lie there
//! ```
//!
//! It follows values through the flat list along every jump, knowing the finished places and what each step touches,
//! and nothing of how the places were found: no lifetime, no union of buffers, no code of any pass is asked. So a
//! value that was written over, never written, or put where it does not fit is found here whatever pass is to blame.
//!
//! What must hold:
//!
//! 1. Each region lies inside its buffer, each buffer inside what it is placed in.
//! 2. What a step reads is whole on every path that leads there.
//! 3. A step writes nothing that it reads under another name, unless it says that it may ([`Effects::may_share`]); it
//!    writes nothing twice.
//! 4. A value that is renamed does not move. Nothing is written to constants, to parameters that were not given away,
//!    or through a part.
//! 5. All results are whole at the end.
//!
//! A buffer that is written piece by piece is whole from its first piece on, the first step in the list that touches
//! it; a later piece does not bring it back. Whether pieces fit together is the verifier's to say. One walk until
//! nothing changes, mostly two; memory for one bit for each buffer at each place that is jumped to.

use crate::body::{Effects, Kind, StepId, Steps};
use crate::flow::Pieces;
use crate::line::{Life, Line, Point};
use crate::region::{Access, BufId, Extent, Mode};
use meshwright_base::{Id, IdMap};
use std::fmt;
use std::ops::Range;

/// Where each buffer lies on a device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PlacedAt {
    Arena(usize),
    Input(usize),
    Result(usize),
    Constant(usize),
    /// Never used.
    Nowhere,
}

/// A plan of memory.
#[derive(Clone, Debug)]
pub struct Places {
    pub of: IdMap<BufId, PlacedAt>,
    /// Bytes of the arena.
    pub arena: usize,
    /// Which parameters may be written.
    pub donated: Vec<bool>,
    /// How long buffers of the arena keep their bytes, of those that are one asked of the root; nothing here asks it.
    pub lives: IdMap<BufId, Option<Life>>,
}

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The place in the list.
    pub at: usize,
    pub step: String,
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} ({}): {}", self.at, self.step, self.message)
    }
}

/// A bit for each buffer.
#[derive(Clone, PartialEq, Eq)]
struct Whole(Vec<u64>);

impl Whole {
    fn none(count: usize) -> Whole {
        Whole(vec![0; count.div_ceil(64)])
    }

    fn has(&self, buf: BufId) -> bool {
        self.0[buf.index() / 64] >> (buf.index() % 64) & 1 == 1
    }

    fn put(&mut self, buf: BufId, whole: bool) {
        let (word, bit) = (&mut self.0[buf.index() / 64], 1 << (buf.index() % 64));
        if whole { *word |= bit } else { *word &= !bit }
    }

    /// Keep what is whole on both ways; whether anything went.
    fn meet(&mut self, other: &Whole) -> bool {
        let before = self.clone();
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= other);
        *self != before
    }
}

struct Checker<'a, W> {
    steps: &'a Steps<W>,
    line: &'a Line,
    places: &'a Places,
    /// Other buffers whose bytes lie where those of a buffer do, and parts of it.
    there: IdMap<BufId, Vec<BufId>>,
    /// Where a buffer is touched first.
    first: IdMap<BufId, usize>,
    faults: Vec<Fault>,
}

/// All that is wrong with a finished program; at most one fault for each step.
pub fn check<W: Effects>(steps: &Steps<W>, line: &Line, places: &Places) -> Vec<Fault> {
    let there = there(steps, places);
    let first = first(steps, line);
    let mut checker = Checker { steps, line, places, there, first, faults: Vec::new() };
    checker.regions();
    let pieces = Pieces::of(line);
    let start = checker.at_start();
    let reached = pieces.reach(start, &mut |piece, whole| checker.piece(piece, whole, false), Whole::meet);
    for (first, mut whole) in reached {
        checker.piece(pieces.from(first), &mut whole, true);
    }
    checker.faults.sort_by_key(|fault| fault.at);
    checker.faults.dedup_by_key(|fault| fault.at);
    checker.faults
}

/// The bytes of a buffer: in which memory, from where to where.
fn bytes_of<W>(steps: &Steps<W>, places: &Places, buf: BufId) -> Option<(PlacedAt, usize, usize)> {
    let bytes = steps.bufs[buf].bytes;
    match places.of[buf] {
        PlacedAt::Nowhere => None,
        PlacedAt::Arena(at) => Some((PlacedAt::Arena(0), at, at + bytes)),
        whole @ (PlacedAt::Input(_) | PlacedAt::Result(_) | PlacedAt::Constant(_)) => Some((whole, 0, bytes)),
    }
}

fn is_part<W>(steps: &Steps<W>, buf: BufId) -> bool {
    matches!(steps.bufs[buf].kind, Kind::PartOf(_))
}

/// Who lies where others do, by going over the bytes of each memory in order.
fn there<W>(steps: &Steps<W>, places: &Places) -> IdMap<BufId, Vec<BufId>> {
    let mut there: IdMap<BufId, Vec<BufId>> = IdMap::filled(steps.bufs.len(), Vec::new());
    let own = steps.bufs.keys().filter(|buf| !is_part(steps, *buf));
    let mut all: Vec<_> = own
        .filter_map(|buf| bytes_of(steps, places, buf).map(|(memory, from, to)| (memory, from, to, buf)))
        .collect();
    all.sort_unstable();
    let mut open: Vec<(PlacedAt, usize, BufId)> = Vec::new();
    for (memory, from, to, buf) in all {
        open.retain(|(other, end, _)| *other == memory && *end > from);
        if from == to {
            continue;
        }
        for (_, _, other) in &open {
            there[*other].push(buf);
            there[buf].push(*other);
        }
        open.push((memory, to, buf));
    }
    for part in steps.bufs.keys().filter(|buf| is_part(steps, *buf)) {
        let of = steps.memory_of(part);
        let also = there[of].clone();
        also.into_iter().chain([of]).for_each(|other| there[other].push(part));
    }
    there
}

fn first<W: Effects>(steps: &Steps<W>, line: &Line) -> IdMap<BufId, usize> {
    let mut first = IdMap::filled(steps.bufs.len(), usize::MAX);
    for (at, point) in line.points.iter().enumerate() {
        let touched = point.step().map(|step| steps.work(*step).accesses()).unwrap_or_default();
        let touched = touched.into_iter().map(|access| access.region.buf);
        touched.chain(point.test()).for_each(|buf| first[buf] = at.min(first[buf]));
    }
    first
}

impl<W: Effects> Checker<'_, W> {
    fn fault(&mut self, at: usize, message: String) {
        let step = self.line.points.get(at).and_then(Point::step);
        let step = step.map_or("control".to_string(), |step| self.steps.arena[*step].name.clone());
        self.faults.push(Fault { at, step, message });
    }

    fn show(&self, buf: BufId) -> String {
        format!("%{} ({})", buf.index(), self.steps.bufs[buf].name)
    }

    /// Regions lie inside buffers, and buffers inside what they are placed in.
    fn regions(&mut self) {
        for at in 0..self.line.points.len() {
            let Some(step) = self.line.points[at].step() else { continue };
            for Access { region, .. } in self.steps.work(*step).accesses() {
                // A part keeps the strides of what it is a part of, and begins somewhere in it.
                let part = is_part(self.steps, region.buf);
                let bytes = self.steps.bufs[self.steps.memory_of(region.buf)].bytes;
                let span = match &region.extent {
                    Extent::Strided(strided) => strided.span(),
                    Extent::All | Extent::Somewhere => None,
                };
                let span = span.map(|(low, high)| if part { (0, high - low) } else { (low, high) });
                if let Some((low, high)) = span.filter(|(low, high)| *low < 0 || *high > bytes as isize) {
                    let shown = self.show(region.buf);
                    self.fault(at, format!("touches bytes {low}..{high} of {shown}, which has {bytes}"));
                }
                let end = match self.places.of[region.buf] {
                    PlacedAt::Arena(offset) if !part => offset + bytes,
                    _ => 0,
                };
                if end > self.places.arena {
                    let (shown, arena) = (self.show(region.buf), self.places.arena);
                    self.fault(at, format!("{shown} ends at byte {end} of an arena of {arena}"));
                }
            }
        }
    }

    /// What is whole before the first step.
    fn at_start(&self) -> Whole {
        let mut start = Whole::none(self.steps.bufs.len());
        for (buf, info) in self.steps.bufs.iter() {
            start.put(buf, matches!(info.kind, Kind::Input(_) | Kind::Constant(_)));
        }
        start
    }

    /// The steps of a straight piece of the list; behind the last one, the results.
    fn piece(&mut self, piece: Range<usize>, whole: &mut Whole, tell: bool) {
        let line = self.line;
        for at in piece.clone() {
            let point = &line.points[at];
            let test = point.test().and_then(|test| self.not_whole(test, whole));
            let wrong = test.map(|message| format!("chooses by {message}"));
            let wrong = wrong.or_else(|| point.step().and_then(|step| self.step(at, *step, whole)));
            if let Some(message) = wrong.filter(|_| tell) {
                self.fault(at, message);
            }
        }
        if tell && piece.is_empty() {
            self.results(line.points.len(), whole);
        }
    }

    fn results(&mut self, at: usize, whole: &Whole) {
        let results = self.steps.bufs.iter().filter(|(_, info)| matches!(info.kind, Kind::Result(_)));
        let lost: Vec<BufId> = results.map(|(buf, _)| buf).filter(|buf| !whole.has(*buf)).collect();
        for buf in lost {
            let message = format!("the result {} is not whole at the end", self.show(buf));
            self.fault(at, message);
        }
    }

    /// Why a value cannot be read here.
    fn not_whole(&self, buf: BufId, whole: &Whole) -> Option<String> {
        let mut seen = buf;
        loop {
            if !whole.has(seen) {
                let part =
                    if seen == buf { String::new() } else { format!(", a part of {}", self.show(seen)) };
                return Some(format!(
                    "{}{part}, which was not written on every way here, or was written over",
                    self.show(buf)
                ));
            }
            match self.steps.bufs[seen].kind {
                Kind::PartOf(of) => seen = of,
                Kind::Arena | Kind::Input(_) | Kind::Result(_) | Kind::Constant(_) => return None,
            }
        }
    }

    /// What one step leaves whole; what is wrong with it.
    fn step(&self, at: usize, step: StepId, whole: &mut Whole) -> Option<String> {
        let work = self.steps.work(step);
        if let Some((from, to)) = work.renames() {
            let wrong = self.not_whole(from, whole).map(|message| format!("renames {message}"));
            whole.put(to, whole.has(from));
            return wrong.or_else(|| self.moves(from, to));
        }
        let accesses = work.accesses();
        let of = |mode: Mode| accesses.iter().filter(move |access| access.mode == mode);
        let mut wrong = of(Mode::Read)
            .find_map(|read| self.not_whole(read.region.buf, whole))
            .map(|message| format!("reads {message}"))
            .or_else(|| self.shared(work, &accesses));
        for Access { region, .. } in of(Mode::Write) {
            wrong = wrong.or_else(|| self.may_not_write(work, region.buf));
            if work.finds() == Some(region.buf) {
                whole.put(region.buf, true);
                continue;
            }
            let bytes = self.steps.bufs[region.buf].bytes;
            let begins = region.extent.is_all(bytes) || self.first[region.buf] == at;
            if !begins && !whole.has(region.buf) {
                let shown = self.show(region.buf);
                wrong = wrong.or(Some(format!("writes a piece of {shown}, of which nothing is there")));
            }
            self.there[region.buf].iter().for_each(|other| whole.put(*other, false));
            whole.put(region.buf, begins || whole.has(region.buf));
        }
        wrong
    }

    fn moves(&self, from: BufId, to: BufId) -> Option<String> {
        let apart = bytes_of(self.steps, self.places, from) != bytes_of(self.steps, self.places, to);
        apart.then(|| format!("{} is renamed to {}, which lies elsewhere", self.show(from), self.show(to)))
    }

    /// Something that is written lies where another thing lies that the step touches.
    fn shared(&self, work: &W, accesses: &[Access]) -> Option<String> {
        let of = |mode: Mode| {
            accesses.iter().filter(move |access| access.mode == mode).map(|access| access.region.buf)
        };
        for to in of(Mode::Write).filter(|to| !is_part(self.steps, *to)) {
            let meets = |other: &BufId| self.there[to].contains(other);
            let bytes = |buf: BufId| bytes_of(self.steps, self.places, buf);
            let over = |from: BufId| bytes(from) == bytes(to) && work.may_share(from, to);
            // What a step makes and reads itself may be written over by what it makes of it.
            let both = |other: &BufId| meets(other) && !over(*other) && !work.may_share(to, *other);
            if let Some(other) = of(Mode::Write).find(both).filter(|other| !is_part(self.steps, *other)) {
                return Some(format!("writes {} and {}, which share bytes", self.show(to), self.show(other)));
            }
            if let Some(from) = of(Mode::Read).find(|from| meets(from) && !over(*from)) {
                let shown = format!("writes {} over {}", self.show(to), self.show(from));
                return Some(format!("{shown}, which it reads in another order"));
            }
        }
        None
    }

    fn may_not_write(&self, work: &W, buf: BufId) -> Option<String> {
        let why = match self.places.of[buf] {
            _ if work.finds() == Some(buf) => None,
            _ if is_part(self.steps, buf) => Some("a part of another buffer"),
            PlacedAt::Constant(_) => Some("a constant"),
            PlacedAt::Input(param) if !self.places.donated.get(param).copied().unwrap_or(false) => {
                Some("a parameter that was not given away")
            }
            PlacedAt::Nowhere if self.steps.bufs[buf].bytes > 0 => Some("a buffer that lies nowhere"),
            PlacedAt::Arena(_) | PlacedAt::Input(_) | PlacedAt::Result(_) | PlacedAt::Nowhere => None,
        };
        why.map(|why| format!("writes to {why}: {}", self.show(buf)))
    }
}
