//! What a loop's body makes for the next turn is made where the carry lies, if nothing needs the old value any more.
//!
//! ```text
//! top:  %t = copy %c;  %t[i] = ..;  %c = copy %t;  jump top        =>        top:  %c[i] = ..;  jump top
//! top:  %t = loop of %c ..;         %c = copy %t;  jump top        =>        top:  %c = loop of %c ..;  jump top
//! top:  %t = ..;  %s[i] = %c;       %c = copy %t;  jump top        =>        top:  %s[i] = %c;  %c = ..;  jump top
//! ```
//!
//! Without that, a loop that writes one row of an array per turn copies all of the array twice per turn. Whether both
//! may be one is asked of [`Spans`]. Copies that keep the old value, as a stack of what each turn began with, run
//! before the new one is made where that lets both be one. Only copies into what is there already move: nothing is held
//! longer. The copy with which an inner loop begins counts too. Walks over the copies of each loop until none goes.

use super::spans::Spans;
use crate::lower::{Kind, Lowered};
use meshwright_kernels::step::{BufId, Step};
use meshwright_steps::{LoopSpan, StepId};

/// Make values of bodies in the place of carries.
pub fn place_carries(lowered: &mut Lowered) {
    let mut spans = Spans::of(lowered);
    for at in 0..spans.lives.line.loops.len() {
        // A copy that is left out may make a carry of what another one is to or from.
        while unite_copies(lowered, &mut spans, at) || read_early(lowered, &mut spans, at) {}
    }
}

/// Leave out the copies into and out of carries that need not be made; whether there is one.
fn unite_copies(lowered: &mut Lowered, spans: &mut Spans, at: usize) -> bool {
    let turn = spans.lives.line.loops[at];
    let mut united = false;
    for end in turn.0..=turn.1 {
        let Some((from, to)) = copy_at(lowered, spans, end, turn) else { continue };
        if let Some(pair) = spans.may_unite(lowered, from, to) {
            spans.unite(lowered, pair);
            united = true;
        }
    }
    united
}

/// Let the copies of an old value run before the new one is made, for the first copy that is left out then; whether
/// there is one.
fn read_early(lowered: &mut Lowered, spans: &mut Spans, at: usize) -> bool {
    let turn = spans.lives.line.loops[at];
    for end in turn.0..=turn.1 {
        let Some((from, to)) = copy_at(lowered, spans, end, turn) else { continue };
        let Some((readers, before)) = readers_of_old(lowered, spans, (from, to), end, turn) else { continue };
        let body = lowered.steps.body.clone();
        let moved = readers.iter().all(|reader| move_up(lowered, spans, *reader, before));
        if moved {
            let moved_spans = Spans::of(lowered);
            if let Some(pair) = moved_spans.may_unite(lowered, from, to) {
                *spans = moved_spans;
                spans.unite(lowered, pair);
                return true;
            }
        }
        lowered.steps.body = body;
    }
    false
}

/// The copy at a place of a loop, if it moves all of a carry or into all of one.
fn copy_at(lowered: &Lowered, spans: &Spans, at: usize, turn: LoopSpan) -> Option<(BufId, BufId)> {
    let Step::Copy(copy) = spans.lives.step(lowered, at).filter(|_| turn.0 <= at)? else { return None };
    let carried = |buf: BufId| {
        let root = lowered.steps.shared.root(buf);
        spans.lives.first[root] < turn.0 && matches!(lowered.kind(root), Kind::Arena | Kind::Result(_))
    };
    (copy.whole && (carried(copy.to) || carried(copy.from))).then_some((copy.from, copy.to))
}

/// The steps that read the old value after the step that begins the new one, and that step.
fn readers_of_old(
    lowered: &Lowered,
    spans: &Spans,
    (from, to): (BufId, BufId),
    at: usize,
    turn: LoopSpan,
) -> Option<(Vec<StepId>, StepId)> {
    let is_carry = |buf: BufId| spans.lives.first[lowered.steps.shared.root(buf)] < turn.0;
    let (old, begin, until) = if is_carry(to) {
        (to, spans.begin(lowered, from, (turn.0, at))?, at - 1)
    } else {
        (from, at, turn.1)
    };
    let readers = spans.readers(lowered, old, (begin + 1, until))?;
    (!readers.is_empty()).then_some((readers, spans.lives.id(begin)?))
}

/// Move a copy into what is there already up, with the copies that it needs.
fn move_up(lowered: &mut Lowered, spans: &Spans, step: StepId, before: StepId) -> bool {
    let place = |step: StepId| spans.lives.line.points.iter().position(|point| point.step() == Some(&step));
    let Some(begin) = place(before) else { return false };
    let lives_there = |buf: BufId| spans.lives.first[buf] < begin;
    let shared = lowered.steps.shared.clone();
    lowered.steps.move_up(step, before, &|steps, moved| match steps.work(moved) {
        Step::Rename { from, to } => shared.root(*from) == shared.root(*to),
        Step::Copy(copy) => lives_there(shared.root(copy.to)),
        _ => false,
    })
}
