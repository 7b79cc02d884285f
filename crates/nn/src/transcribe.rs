//! Labels without times: what logits spell, and by how much two spellings differ.
//!
//! ```text
//! best class at each time   - a a - a b b    (- is the blank)   =>   a a b
//! ```
//!
//! The loss that belongs to it is [`ctc`](crate::losses::ctc).

use meshwright_tensor::prelude::*;

/// Labels of each sequence of a batch.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Spelt {
    /// `s32[batch, most]`; behind the last of a sequence stand zeros.
    pub labels: Tensor,
    /// How many of them count, `s32[batch]`.
    pub lengths: Tensor,
}

/// What logits `[batch, time, classes]` spell if the best class is taken at each of the first `times[b]` times:
/// repeated classes are one, and class `blank` is nothing.
#[track_caller]
pub fn spelt(logits: Tensor, times: Tensor, blank: i64) -> Spelt {
    let best = logits.argmax(-1);
    let (batch, most) = (best.dim(0), best.dim(1));
    let at = iota(i32, [batch, most], 1);
    let is_new = at.eq(0) | best.ne(best.roll(1, 1));
    let counts = (best.ne(blank) & is_new & at.lt(times.unsqueeze(-1))).cast(i32);
    // A label's place is how many stand before it.
    let places = counts.gt(0).select(counts.cumsum(1) - 1, -1);
    let is_there = places.unsqueeze(1).eq(iota(i32, [1, most, 1], 1));
    let labels = is_there.select(best.unsqueeze(1), 0).sum(-1);
    Spelt { labels, lengths: counts.sum(-1) }
}

/// How many labels have to be put in, left out or replaced to make the second of the first: `s32[batch]`.
///
/// One row of the usual table at a time. Within a row, `row[j] = min(new[j], row[j - 1] + 1)` is the least of
/// `new[i] - i` up to `j`, and `j` more.
#[track_caller]
pub fn edits(found: Spelt, wanted: Spelt) -> Tensor {
    let (batch, most) = (wanted.labels.dim(0), wanted.labels.dim(1));
    let at = iota(i32, [batch, most + 1], 1);
    let rows = (found.labels.swap_dims(0, 1), range(i32, found.labels.dim(1)));
    let (row, ()) = scan(at, rows, |row, (label, turn)| {
        let differs = wanted.labels.ne(label.unsqueeze(-1)).cast(i32);
        let replaced = row.slice((.., ..most)) + differs;
        let left_out = row + 1;
        let new = concat([left_out.slice((.., ..1)), left_out.slice((.., 1..)).minimum(replaced)], 1);
        let next = at - (at - new).cummax(1);
        (found.lengths.unsqueeze(-1).gt(turn).select(next, row), ())
    });
    at.eq(wanted.lengths.unsqueeze(-1)).select(row, 0).sum(-1)
}
