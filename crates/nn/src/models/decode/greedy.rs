//! One hypothesis a row: the likeliest token each time, or one drawn by chance.
//!
//! A row begins with tokens that are given (a prompt), of which at least the first, and then goes on with its own until
//! its end token or its last turn. All rows are at the same place: one whose prompt is longer begins to write later.

use super::cache::KeysValues;
use super::writer::Writing;
use meshwright_tensor::prelude::*;

/// How the next token is chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum NextToken {
    /// The likeliest; the lower number of equals.
    Likeliest,
    /// Drawn from the softmax of logits divided by a temperature, one number by chance for each row and place.
    Drawn { temperature: f64, seed: u64 },
}

/// What rows begin with.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// `s32[batch, places + 1]`; less than 0 where the model chooses.
    pub tokens: Tensor,
    /// How many turns each row takes, `s32[batch]`; none of one that is not there.
    pub until: Tensor,
    /// What rows are called when tokens are drawn, `s32[batch]`.
    pub rows: Tensor,
}

#[derive(Clone, Tree)]
struct State {
    place: Tensor,
    token: Tensor,
    is_done: Tensor,
    written: Tensor,
    kept: Vec<KeysValues>,
}

/// The token that follows the one read at each place, `s32[places, batch]`. What stands behind a row's end means
/// nothing.
pub fn greedy(writing: &Writing<'_>, given: Begun, end: i64, choice: NextToken) -> Tensor {
    let (batch, places) = (writing.size.batch, writing.size.places);
    let first = State {
        place: scalar(i32, 0),
        token: given.tokens.slice((.., 0..1)).squeeze(1),
        is_done: given.until.le(0),
        written: zeros(i32, [places, batch]).logical(["", "batch"]),
        kept: writing.nothing(),
    };
    let body = |state: State| {
        let State { place, token, is_done, written, kept } = state;
        let real = (!is_done).unsqueeze(1);
        let (logits, kept) = writing.turn(token.unsqueeze(1), place, &kept, None, Some(real));
        let chosen = chosen(logits.squeeze(1), choice, given.rows, place);
        let after = place + 1;
        let told = given.tokens.dynamic_slice([scalar(i32, 0), after], [batch, 1]).squeeze(1);
        let is_told = told.ge(0);
        let token = is_told.select(told, chosen);
        let written = written.dynamic_update(token.unsqueeze(0), [place, scalar(i32, 0)]);
        let ends = !is_told & token.eq(end);
        State { place: after, token, is_done: is_done | ends | given.until.le(after), written, kept }
    };
    while_loop(first, |state| (!state.is_done).any(..), body).written
}

/// A token for each row of `[batch, vocab]`.
fn chosen(logits: Tensor, choice: NextToken, rows: Tensor, place: Tensor) -> Tensor {
    match choice {
        NextToken::Likeliest => logits.argmax(-1),
        NextToken::Drawn { temperature, seed } => {
            let chances = (logits / temperature).softmax(-1);
            let up_to = chances.cumsum(-1);
            let vocab = chances.dim(-1);
            let dtype = chances.dtype();
            let at = vmap(rows, |row| Key::seed(seed).fold_in(row).fold_in(place).uniform(dtype, ()));
            let all = up_to.slice_dim(-1, vocab - 1..vocab);
            let passed = up_to.le(at.unsqueeze(1) * all);
            passed.cast(i32).sum(-1).minimum(vocab - 1)
        }
    }
}
