//! Loops over the same rows as one loop, each a few rows behind the one before.
//!
//! ```text
//! for a few rows:  maxima of rows 4, 5; exponentials and sums of rows 2, 3; quotients of rows 0, 1, by turns
//! ```
//!
//! So memory is read, values are computed and results are written all the time; loops that run one after the other
//! leave two of these idle. What one loop leaves for the next one takes the place of what that has just read: element
//! by element, the later loop goes first. A value that is read by a loop further behind has a place for each turn in
//! between.
//!
//! The first and the last rows of a piece go through the loops one by one. Sums are those of the loops alone.

use super::by_rows::{Rows, STREAMS};
use super::compile;
use super::{Draft, NEAR};
use crate::bands::{BandStep, Local, Member, SCRATCH};
use crate::fused::{Fused, Source};
use crate::step::{Bases, BufId};
use crate::tile::Reg;
use meshwright_base::Id;
use meshwright_jit::{Code, Loop, Port, Prefetch, To};
use std::ops::Range;

/// Elements of the rows of one turn, about: what loops leave for each other stays in the first cache.
const TURN: usize = 1 << 11;
/// Elements of the longest rows.
const LONGEST: usize = 1 << 16;
/// Elements of the smallest arrays that are gone over like this: smaller ones stay in the second cache.
const FEWEST: usize = 1 << 18;
/// Where local values begin. Large arrays begin at pages, and a load waits for stores before it whose addresses have
/// the same twelve last bits: values lie where no load of the next few rows does.
const ASIDE: usize = 3 << 10;
/// Bytes of rows of which no three stay in the first cache: they are asked for once more, so many bytes ahead.
const LEAVES: usize = 16 << 10;
const SOON: i32 = 1 << 10;
/// Turns of one piece of the work: the fewest, the most, and what all are cut by in between.
const TURNS: (usize, usize, usize) = (8, 64, 32);

/// Loops of a band as one.
#[derive(Clone, Debug)]
pub struct Staggered {
    code: Code,
    /// The same with large results past the caches, for results that are aligned.
    past: Option<Code>,
    loops: Vec<Stage>,
    /// Members over one element a row, and the loop after which they run.
    small: Vec<(usize, usize)>,
    places: Vec<Place>,
    /// Elements of a row.
    row: usize,
    /// Rows of a turn.
    turn: usize,
}

#[derive(Clone, Debug)]
struct Stage {
    member: usize,
    rows: Rows,
    /// Its first stream.
    first: usize,
}

/// A local value's places in the scratch, one for each of some turns.
#[derive(Clone, Debug)]
struct Place {
    buf: BufId,
    /// Of one row.
    bytes: usize,
    at: usize,
    turns: usize,
    /// Bytes of a turn.
    apart: usize,
}

impl Staggered {
    pub fn of(band: &BandStep) -> Option<Staggered> {
        let row = band.members.first()?.per_row;
        let rows = band.cut.rows;
        let turn = (TURN / row.max(1)).max(1);
        let fits = row <= LONGEST && rows * row >= FEWEST && rows >= turn * TURNS.0;
        let loops: Option<Vec<&Fused>> = band.members.iter().map(Member::as_loop).collect();
        let loops = loops.filter(|_| fits)?;
        let order = Order::of(band, row)?;
        let drafts: Option<Vec<Draft>> =
            order.whole.iter().map(|member| Draft::by_rows_of(loops[*member], row)).collect();
        let mut drafts = drafts?;
        let soon: Vec<BufId> = band.members.iter().flat_map(Member::reads).collect();
        let mut seen: Vec<BufId> = band.members.iter().flat_map(Member::writes).collect();
        for (draft, member) in drafts.iter_mut().zip(&order.whole) {
            draft.prefetches = prefetches(loops[*member], row, &mut seen);
            draft.keep_near(loops[*member], &soon);
        }
        let mut first = 0;
        let mut found = Vec::new();
        for (draft, member) in drafts.iter().zip(&order.whole) {
            found.push(Stage { member: *member, rows: draft.rows.clone()?, first });
            first += draft.regs.len();
        }
        if first > STREAMS {
            return None;
        }
        let code = written(&loops, &drafts, &found, false)?;
        let past = drafts.iter().any(Draft::goes_past);
        let past = if past { Some(written(&loops, &drafts, &found, true)?) } else { None };
        let places = places(band, &order, turn)?;
        Some(Staggered { code, past, loops: found, small: order.small, places, row, turn })
    }

    /// Rows that one worker takes.
    pub fn piece(&self, rows: usize) -> usize {
        let (least, most, parts) = TURNS;
        (rows.div_ceil(self.turn) / parts).clamp(least, most) * self.turn
    }

    /// All members on some rows.
    pub fn run(&self, band: &BandStep, bases: &Bases, scratch: *mut u8, rows: Range<usize>) {
        let turns = rows.len().div_ceil(self.turn);
        let mut own = vec![bases.clone(); self.loops.len()];
        for round in 0..turns + self.loops.len() - 1 {
            let of = |stage: usize| self.turn_of(round, stage, &rows);
            for (stage, own) in own.iter_mut().enumerate() {
                if let Some((turn, part)) = of(stage) {
                    self.place(own, scratch, turn, part.start);
                }
            }
            if !self.together(band, &own, &of) {
                self.apart(band, &own, &of);
            }
            for (member, stage) in &self.small {
                part(band, *member, &own[*stage], of(*stage));
            }
        }
    }

    /// The turn a loop is at in a round, and its rows: each loop begins a round after the one before.
    fn turn_of(&self, round: usize, stage: usize, rows: &Range<usize>) -> Option<(usize, Range<usize>)> {
        let turn = round.checked_sub(stage)?;
        let from = rows.start + turn * self.turn;
        (from < rows.end).then(|| (turn, from..(from + self.turn).min(rows.end)))
    }

    /// Run one turn of all loops, if each of them has a whole one.
    fn together(
        &self,
        band: &BandStep,
        own: &[Bases],
        of: &dyn Fn(usize) -> Option<(usize, Range<usize>)>,
    ) -> bool {
        let whole = |stage| of(stage).is_some_and(|(_, rows)| rows.len() == self.turn);
        if !(0..self.loops.len()).all(whole) {
            return false;
        }
        let mut streams = [std::ptr::null_mut::<u8>(); STREAMS];
        let mut aligned = true;
        for (stage, one) in self.loops.iter().enumerate() {
            let (Some(fused), Some((_, rows))) = (band.members[one.member].as_loop(), of(stage)) else {
                return false;
            };
            aligned &= one.rows.point(fused, &own[stage], rows.start, &mut streams[one.first..]);
        }
        let code = self.past.as_ref().filter(|_| aligned).unwrap_or(&self.code);
        // SAFETY: streams are where the code takes them from, and have so many rows.
        unsafe { code.run(&mut streams, self.row, self.turn) };
        true
    }

    /// Run loops one by one, the last one first: it frees the places that the one before it needs.
    fn apart(&self, band: &BandStep, own: &[Bases], of: &dyn Fn(usize) -> Option<(usize, Range<usize>)>) {
        for (stage, one) in self.loops.iter().enumerate().rev() {
            part(band, one.member, &own[stage], of(stage));
        }
    }

    /// Let local values of a loop lie where those of its turn do.
    fn place(&self, bases: &mut Bases, scratch: *mut u8, turn: usize, first: usize) {
        for place in &self.places {
            let at = place.at + turn % place.turns * place.apart;
            bases.0[place.buf.index()] = scratch.wrapping_add(at).wrapping_sub(first * place.bytes);
        }
    }
}

fn part(band: &BandStep, member: usize, bases: &Bases, rows: Option<(usize, Range<usize>)>) {
    let member = &band.members[member];
    if let (Some(fused), Some((_, rows))) = (member.as_loop(), rows) {
        fused.part(bases, rows.start * member.per_row, rows.end * member.per_row);
    }
}

/// The members of a band by what they go over.
struct Order {
    /// Over whole rows.
    whole: Vec<usize>,
    /// Over one element of each row, and which of the former they run after.
    small: Vec<(usize, usize)>,
}

impl Order {
    fn of(band: &BandStep, row: usize) -> Option<Order> {
        let mut order = Order { whole: Vec::new(), small: Vec::new() };
        for (at, member) in band.members.iter().enumerate() {
            match member.per_row {
                per_row if per_row == row => order.whole.push(at),
                1 => order.small.push((at, order.whole.len().checked_sub(1)?)),
                _ => return None,
            }
        }
        (order.whole.len() > 1).then_some(order)
    }

    /// The loop over whole rows that a member is, or runs after.
    fn stage(&self, member: usize) -> Option<usize> {
        let small = self.small.iter().find(|(at, _)| *at == member).map(|(_, stage)| *stage);
        small.or_else(|| self.whole.iter().position(|at| *at == member))
    }
}

/// What a loop asks for: operands from outside that it is the first to read, and others whose rows are so long that
/// they have left the first cache since.
fn prefetches(fused: &Fused, row: usize, seen: &mut Vec<BufId>) -> Vec<Prefetch> {
    let mut found = Vec::new();
    for input in &fused.inputs {
        let Source::View { buf, dims, strides, .. } = &input.source else { continue };
        let whole = dims[..] == [fused.count] && strides[..] == [1];
        let (known, width) = (seen.contains(buf), input.dtype.bytes());
        if whole && (!known || row * width >= LEAVES) {
            let ahead = if known { SOON } else { NEAR };
            found.push(Prefetch { of: input.reg, width, ahead, near: known });
        }
        if whole && !known {
            seen.push(*buf);
        }
    }
    found
}

fn written(loops: &[&Fused], drafts: &[Draft], stages: &[Stage], past: bool) -> Option<Code> {
    let mut all: Vec<Loop<'_>> = Vec::new();
    let mut steps: Vec<(Reg, i32)> = Vec::new();
    for (draft, stage) in drafts.iter().zip(stages).rev() {
        let fused = loops[stage.member];
        let outputs: &[Port<To>] = if past { &draft.past } else { &draft.plain };
        all.push(draft.part(fused, outputs, stage.first));
        let own = stage.rows.steps(fused, &draft.folds).into_iter();
        steps.extend(own.map(|(reg, bytes)| (reg + stage.first as Reg, bytes)));
    }
    compile(&all, &steps)
}

/// Where local values lie; `None` if there is no room.
fn places(band: &BandStep, order: &Order, turn: usize) -> Option<Vec<Place>> {
    let mut next = ASIDE;
    let mut found = Vec::new();
    for local in &band.locals {
        let place = place(band, order, turn, local, next)?;
        next += place.turns * place.apart;
        found.push(place);
    }
    (next <= SCRATCH).then_some(found)
}

fn place(band: &BandStep, order: &Order, turn: usize, local: &Local, at: usize) -> Option<Place> {
    let users = |uses: &dyn Fn(&Member) -> Vec<BufId>| -> Vec<usize> {
        let all = band.members.iter().enumerate();
        all.filter(|(_, member)| uses(member).contains(&local.buf))
            .filter_map(|(at, _)| order.stage(at))
            .collect()
    };
    let (first, last) = (*users(&Member::writes).iter().min()?, *users(&Member::reads).iter().max()?);
    let behind = last.checked_sub(first)?;
    // Values of whole rows are read by loops over whole rows, element by element before they are written anew. Others
    // are read by members that run after all of those, too.
    let turns = if local.bytes > size_of::<[u8; 16]>() { behind.max(1) } else { behind + 1 };
    if !local.fine || local.rows != 1 {
        return None;
    }
    let apart = (local.bytes * turn).next_multiple_of(64) + 64;
    Some(Place { buf: local.buf, bytes: local.bytes, at, turns, apart })
}
