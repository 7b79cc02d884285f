//! Beam search: the best few hypotheses of each sentence at a time.
//!
//! ```text
//! score        sum of log p of the tokens, the end among them
//! normalized   score / ((5 + tokens) / 6)^alpha                    (GNMT's; alpha 0 for none)
//! ```
//!
//! A turn:
//!
//! 1. Every hypothesis offers its `2 beam` likeliest tokens; of those of a sentence the `2 beam` best are candidates.
//! 2. Candidates that end, among the first `beam`, go to the end pool, which keeps the `beam` best by normalized score.
//! 3. The first `beam` of the others are the hypotheses of the next turn. Each takes its parent's keys and values
//!    along, or, of a flat sequence, its parent's mask (GShard, A.1): [`CacheLayout`].
//!
//! A sentence is done when `beam` hypotheses have ended, or after its last turn; with a beam of 1 that is greedy
//! search. Where none has ended, the best one under way is the answer, cut off.
//!
//! A first token that is given takes the first turn: it is the only candidate, adds nothing to the score, and is not
//! counted among a hypothesis' tokens.
//!
//! Of equals the first stands before: the hypothesis that stood before, then the lower token, whatever the layout.
//!
//! The text of a hypothesis is not carried along: each turn writes down tokens and parents, and whoever reads the
//! [`Searched`] follows them back.

use super::cache::{CacheLayout, KeysValues};
use super::writer::Writing;
use meshwright_tensor::prelude::*;

/// What sentences begin and end with, how many turns each may take, and how scores are normalized.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// What every sentence begins with, of which nothing is scored: its language.
    pub first: Option<i64>,
    pub end: i64,
    /// `s32[batch]`; none of a sentence that is not there.
    pub until: Tensor,
    pub alpha: f64,
}

/// Of so many tokens those that a model has chosen: all but a first one that was given.
pub fn own(tokens: usize, has_first: bool) -> usize {
    tokens.saturating_sub(usize::from(has_first)).max(1)
}

/// By what the score of so many tokens is divided.
pub fn length_penalty(tokens: usize, alpha: f64) -> f64 {
    ((5.0 + tokens as f64) / 6.0).powf(alpha)
}

/// What a search has found: whole on every device.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Searched {
    /// Of the end pool, normalized, best first: `[batch, beam]`; minus infinity where nobody stands.
    pub scores: Tensor,
    /// Turn times beam plus the place of the hypothesis that ended then, `s32[batch, beam]`.
    pub ends: Tensor,
    /// Of the best hypothesis under way at the sentence's last turn, not normalized: `[batch]`.
    pub cut: Tensor,
    /// Of each turn, the tokens chosen and whose they follow: `s32[places, batch, beam]`.
    pub tokens: Tensor,
    pub parents: Tensor,
}

#[derive(Clone, Tree)]
struct State {
    place: Tensor,
    /// What the hypotheses say last, `s32[batch, beam]`.
    tokens: Tensor,
    /// `[batch, beam]`, best first.
    scores: Tensor,
    is_done: Tensor,
    found: Searched,
    kept: Vec<KeysValues>,
    /// Of a flat sequence: which tokens are each hypothesis' own.
    mine: Option<Tensor>,
}

/// The best `k` of `[batch, candidates]`, with what else is said of them.
fn best<const N: usize>(scores: Tensor, k: i64, others: [Tensor; N]) -> (Tensor, [Tensor; N]) {
    let (scores, at) = scores.top_k(k);
    (by_sentence(scores), others.map(|other| by_sentence(other.take_along(at, -1))))
}

fn by_sentence(x: Tensor) -> Tensor {
    x.logical(["batch", ""])
}

/// Search from an empty text.
pub fn search(writing: &Writing<'_>, limits: Limits) -> Searched {
    let found = while_loop(
        begun(writing, limits),
        |state| (!state.is_done).any(..),
        |state| after_turn(writing, limits, state),
    )
    .found;
    found.map(&mut |x| x.replicate())
}

/// One hypothesis without words; the others are worse than any.
fn begun(writing: &Writing<'_>, limits: Limits) -> State {
    let size = writing.size;
    let (batch, beam, places) = (size.batch, size.beam, size.places);
    let dtype = writing.dtype();
    let nobody = || by_sentence(full(dtype, [batch, beam], f64::NEG_INFINITY));
    let first = iota(i32, [batch, beam], 1).eq(0);
    let trail = || zeros(i32, [places, batch, beam]).logical(["", "batch", ""]);
    State {
        place: scalar(i32, 0),
        tokens: by_sentence(zeros(i32, [batch, beam])),
        scores: by_sentence(first.select(zeros(dtype, [batch, beam]), nobody())),
        is_done: limits.until.le(0),
        found: Searched {
            scores: nobody(),
            ends: by_sentence(zeros(i32, [batch, beam])),
            cut: zeros(dtype, [batch]).logical(["batch"]),
            tokens: trail(),
            parents: trail(),
        },
        kept: writing.nothing(),
        mine: (size.layout == CacheLayout::Flat).then(|| {
            let none = zeros(i32, [batch, beam, size.keys()]).ne(0);
            none.logical(["batch", "", ""])
        }),
    }
}

fn after_turn(writing: &Writing<'_>, limits: Limits, state: State) -> State {
    let State { place, tokens, scores, is_done, found, kept, mine } = state;
    let (beam, zero, after) = (writing.size.beam, scalar(i32, 0), place + 1);
    let mine = mine.map(|mine| with_own(mine, place, beam));
    let real = (!is_done).unsqueeze(1).broadcast_to(tokens.dims());
    let (logits, kept) = writing.turn(tokens, place, &kept, mine, Some(real));
    let logits = limits.first.map_or(logits, |first| forced(logits, first, place));
    let all = candidates(logits, scores);
    let (pool, ended) = pooled(&all, &found, is_done, place, limits, writing.size.places);
    let is_end = all.tokens.eq(limits.end);
    let going = is_end.select(f64::NEG_INFINITY, all.scores);
    let (next, [tokens, parents]) = best(going, beam, [all.tokens, all.parents]);
    let note = |trail: Tensor, x: Tensor| trail.dynamic_update(x.unsqueeze(0), [place, zero, zero]);
    let leader = next.slice((.., 0..1)).squeeze(1);
    let found = Searched {
        scores: pool,
        ends: ended,
        cut: is_done.select(found.cut, leader),
        tokens: note(found.tokens, tokens),
        parents: note(found.parents, parents),
    };
    let is_full = pool.slice((.., beam - 1..beam)).squeeze(1).gt(f64::NEG_INFINITY);
    State {
        place: after,
        tokens,
        scores: next,
        is_done: is_done | is_full | limits.until.le(after),
        found,
        kept: kept.into_iter().map(|kept| kept.reordered(parents, writing.size.layout)).collect(),
        mine: mine.map(|mine| inherited(mine, parents)),
    }
}

/// The mask with the tokens that are read now, each its hypothesis' own.
fn with_own(mine: Tensor, place: Tensor, beam: i64) -> Tensor {
    let (slot, hypothesis) = (iota(i32, mine.dims(), 2), iota(i32, mine.dims(), 1));
    mine | slot.eq(hypothesis + place * beam)
}

/// Each hypothesis with its parent's mask: all that is reordered of a flat sequence.
fn inherited(mine: Tensor, parents: Tensor) -> Tensor {
    let parents = parents.unsqueeze(2).broadcast_to(mine.dims());
    mine.take_along(parents, 1).logical(["batch", "", ""])
}

/// Logits of which the first turn leaves one token alone, so that its logarithm is 0.
fn forced(logits: Tensor, first: i64, place: Tensor) -> Tensor {
    let is_other = iota(i32, logits.dims(), -1).ne(first) & place.eq(0);
    is_other.select(f64::NEG_INFINITY, logits)
}

/// Continuations of a sentence, best first: `[batch, 2 beam]` each.
struct Candidates {
    scores: Tensor,
    tokens: Tensor,
    parents: Tensor,
}

/// The best of what hypotheses `[batch, beam]` may say next, by `logits [batch, beam, vocab]`.
fn candidates(logits: Tensor, scores: Tensor) -> Candidates {
    let (batch, beam) = (scores.dim(0), scores.dim(1));
    let each = (2 * beam).min(logits.dim(-1));
    let (likeliest, tokens) = logits.top_k(each);
    // In the order of the logits themselves, whatever sums round to.
    let scores = likeliest - logits.logsumexp(-1).unsqueeze(-1) + scores.unsqueeze(-1);
    let parents = iota(i32, tokens.dims(), 1);
    let flat = |x: Tensor| by_sentence(x.reshape([batch, beam * each]));
    let most = (2 * beam).min(beam * each);
    let (scores, [tokens, parents]) = best(flat(scores), most, [flat(tokens), flat(parents)]);
    Candidates { scores, tokens, parents }
}

/// The end pool with those that end in this turn.
fn pooled(
    all: &Candidates,
    found: &Searched,
    is_done: Tensor,
    place: Tensor,
    limits: Limits,
    places: i64,
) -> (Tensor, Tensor) {
    let (dims, beam) = (all.scores.dims(), found.scores.dim(1));
    let penalties: Vec<f64> = (1..=places)
        .map(|tokens| length_penalty(own(tokens as usize, limits.first.is_some()), limits.alpha))
        .collect();
    let penalty = constant(all.scores.dtype(), [places], &penalties).dynamic_slice([place], [1]);
    let is_first = iota(i32, &dims[..], 1).lt(beam);
    let ends = all.tokens.eq(limits.end) & is_first & !is_done.unsqueeze(1);
    let scores = ends.select(all.scores / penalty, f64::NEG_INFINITY);
    let both = |old: Tensor, new: Tensor| by_sentence(concat([old, new], 1));
    let scores = both(found.scores, scores);
    let (scores, [ends]) = best(scores, beam, [both(found.ends, all.parents + place * beam)]);
    (scores, ends)
}
