//! Attention whose queries have more heads than keys and values: each head of keys serves a group of heads of queries.
//! With as many it is the usual attention, with one it is multi-query attention.

use super::attention::{Mask, wide};
use super::position::places;
use super::rotary::Rotary;
use crate::init::Init;
use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// Weights, without biases.
#[derive(Clone, Copy, Debug, Tree)]
pub struct GroupedAttention {
    /// `[model, heads, kv]`.
    pub query: Tensor,
    /// `[model, groups, kv]`.
    pub key: Tensor,
    /// `[model, groups, kv]`.
    pub value: Tensor,
    /// `[heads, kv, model]`.
    pub out: Tensor,
    #[tree(skip)]
    pub rotary: Option<Rotary>,
}

/// Sizes of an attention layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heads {
    pub heads: i64,
    /// Heads of keys and values; divides `heads`.
    pub groups: i64,
    pub kv: i64,
}

impl GroupedAttention {
    /// Normal, of variance `1 / inputs`.
    pub fn new(key: Key, model: i64, Heads { heads, groups, kv }: Heads) -> GroupedAttention {
        let draw = |at: i64, fan_in: i64, dims: [i64; 3]| {
            Init::Normal((fan_in.max(1) as f64).powf(-0.5)).draw(key.fold_in(at), default_float(), &dims)
        };
        GroupedAttention {
            query: draw(0, model, [model, heads, kv]),
            key: draw(1, model, [model, groups, kv]),
            value: draw(2, model, [model, groups, kv]),
            out: draw(3, heads * kv, [heads, kv, model]),
            rotary: None,
        }
    }

    /// With queries and keys turned by their places.
    pub fn rotary(self, rotary: Rotary) -> GroupedAttention {
        GroupedAttention { rotary: Some(rotary), ..self }
    }

    /// `x [batch, queries, model]` looks at `memory [batch, keys, model]`, which is `x` itself in self-attention.
    #[track_caller]
    pub fn apply(&self, x: Tensor, memory: Tensor, mask: Mask) -> Tensor {
        let q = einsum("bqm,mhd->bqhd", [x, self.query]);
        let k = einsum("bkm,mgd->bkgd", [memory, self.key]);
        let v = einsum("bkm,mgd->bkgd", [memory, self.value]);
        let turned = |x: Tensor| match self.rotary {
            Some(rotary) => rotary.apply(x, places(x, None)),
            None => x,
        };
        einsum("bqhd,hdm->bqm", [attend(turned(q), turned(k), v, mask), self.out])
    }
}

/// What queries `[batch, queries, heads, kv]` see of values `[batch, keys, groups, kv]`; logits are divided by
/// `sqrt(kv)`.
#[track_caller]
pub fn attend(q: Tensor, k: Tensor, v: Tensor, mask: Mask) -> Tensor {
    let (heads, groups) = (q.dim(2), k.dim(2));
    if groups == 0 || heads % groups != 0 {
        let message = format!("{heads} heads of queries for {groups} heads of keys: they form no groups");
        return refuse(
            &[q, k],
            q.ty(),
            &message,
            "use a number of heads of keys that divides that of queries",
        );
    }
    let dims = q.dims();
    let grouped = q.reshape([dims[0], dims[1], groups, heads / groups, dims[3]]);
    let logits = einsum("bqgrd,bkgd->bgrqk", [grouped, k]);
    let logits = logits.cast(wide(logits.dtype())) / (dims[3] as f64).sqrt();
    let allowed = mask.allowed(dims[1], k.dim(1)).map(|allowed| allowed.unsqueeze(1));
    let logits = allowed.map_or(logits, |allowed| allowed.select(logits, -1e9));
    let chances = logits.softmax(-1).cast(v.dtype());
    einsum("bgrqk,bkgd->bqgrd", [chances, v]).reshape(&dims[..])
}
