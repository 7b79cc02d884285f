//! Keys and values of the tokens that were read, and attention to them.
//!
//! ```text
//! by hypothesis   [batch, beam, places, heads, kv]      a hypothesis takes its own along when it changes its place
//! flat            [batch, places * beam, heads, kv]     all of a sentence in one sequence, place by place; nothing
//!                                                       moves, a mask says which tokens are a hypothesis' own
//! ```
//!
//! Flat is GShard's (A.1). Attention is `beam` times longer there, and keys and values are read once for all hypotheses
//! of a sentence instead of being copied after every token.

use crate::layers::attention::Attention;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// How the keys and values of several hypotheses lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheLayout {
    ByHypothesis,
    Flat,
}

/// How much is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheSize {
    /// Sentences.
    pub batch: i64,
    /// Hypotheses of each.
    pub beam: i64,
    /// Most tokens of a hypothesis.
    pub places: i64,
    pub layout: CacheLayout,
}

/// Keys and values of one block, or of what it sees of another stack: `[batch, keys, heads, kv]` there.
#[derive(Clone, Copy, Debug, Tree)]
pub struct KeysValues {
    pub keys: Tensor,
    pub values: Tensor,
}

/// What a turn's queries may look at.
#[derive(Clone, Copy, Debug)]
pub struct Visible {
    /// The place of the tokens that are read, `s32[]`.
    pub place: Tensor,
    /// Flat only: which tokens are a hypothesis' own, `pred[batch, beam, places * beam]`.
    pub mine: Option<Tensor>,
    /// Added to the logits of keys at each place: `[heads, places]`.
    pub bias: Option<Tensor>,
}

impl CacheSize {
    /// Keys of a sequence that a query is held against.
    pub fn keys(self) -> i64 {
        match self.layout {
            CacheLayout::ByHypothesis => self.places,
            CacheLayout::Flat => self.places * self.beam,
        }
    }
}

/// Annotated: sentences over the axes of the batch, heads over those of heads.
fn laid(x: Tensor, layout: CacheLayout) -> Tensor {
    match layout {
        CacheLayout::ByHypothesis => x.logical(["batch", "", "", "heads", ""]),
        CacheLayout::Flat => x.logical(["batch", "", "heads", ""]),
    }
}

impl KeysValues {
    /// Nothing yet.
    pub fn none(dtype: DType, size: CacheSize, attention: &Attention) -> KeysValues {
        let CacheSize { batch, beam, places, layout } = size;
        let Attention { heads, kv, .. } = *attention;
        let none = || match layout {
            CacheLayout::ByHypothesis => zeros(dtype, [batch, beam, places, heads, kv]),
            CacheLayout::Flat => zeros(dtype, [batch, places * beam, heads, kv]),
        };
        KeysValues { keys: laid(none(), layout), values: laid(none(), layout) }
    }

    /// With those of one more token of each hypothesis, `[batch, beam, heads, kv]`.
    pub fn with(self, more: KeysValues, place: Tensor, size: CacheSize) -> KeysValues {
        let zero = scalar(i32, 0);
        let put = |all: Tensor, one: Tensor| match size.layout {
            CacheLayout::ByHypothesis => {
                laid(all.dynamic_update(one.unsqueeze(2), [zero, zero, place, zero, zero]), size.layout)
            }
            CacheLayout::Flat => {
                laid(all.dynamic_update(one, [zero, place * size.beam, zero, zero]), size.layout)
            }
        };
        KeysValues { keys: put(self.keys, more.keys), values: put(self.values, more.values) }
    }

    /// Each hypothesis with what its parent has kept, `parents s32[batch, beam]`. In a flat sequence nothing moves.
    pub fn reordered(self, parents: Tensor, layout: CacheLayout) -> KeysValues {
        match layout {
            CacheLayout::Flat => self,
            CacheLayout::ByHypothesis => {
                self.map(&mut |all| laid(vmap((all, parents), |(all, parents)| all.take(parents, 0)), layout))
            }
        }
    }

    /// What queries `[batch, beam, heads, kv]` see of the tokens kept, in the same form.
    pub fn seen(self, attention: &Attention, q: Tensor, turn: Visible, size: CacheSize) -> Tensor {
        let CacheSize { beam, places, .. } = size;
        let seen = match (size.layout, turn.mine) {
            (CacheLayout::Flat, Some(mine)) => {
                let products = einsum("bqhd,bkhd->bhqk", [q, self.keys]);
                // Keys stand place by place, those of all hypotheses together.
                let spread = |bias: Tensor| {
                    let dims = [bias.dim(0), places, beam];
                    bias.unsqueeze(2).broadcast_to(dims).reshape([1, dims[0], 1, places * beam])
                };
                let shares = attention.shares(products, Some(mine.unsqueeze(1)), turn.bias.map(spread));
                einsum("bhqk,bkhd->bqhd", [shares.cast(self.values.dtype()), self.values])
            }
            (CacheLayout::ByHypothesis | CacheLayout::Flat, _) => {
                let products = einsum("bqhd,bqkhd->bqhk", [q, self.keys]);
                let so_far = iota(i32, [1, 1, 1, places], 3).le(turn.place);
                let bias = turn.bias.map(|bias| bias.unsqueeze(0).unsqueeze(0));
                let shares = attention.shares(products, Some(so_far), bias);
                einsum("bqhk,bqkhd->bqhd", [shares.cast(self.values.dtype()), self.values])
            }
        };
        seen.logical(["batch", "", "act_heads", ""])
    }
}
