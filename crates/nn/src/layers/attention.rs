//! Attention with several heads: self or cross, with masks and a position bias.
//!
//! As in T5 there are no biases, and no division by sqrt(kv) unless asked: the initializer makes up for it. Logits and
//! softmax are computed in `f32` at least, unless asked for in the type of activations. Where fewer heads have keys and
//! values, these are repeated for the queries' heads that they serve.

use crate::init::Init;
use crate::layers::dropout;
use crate::layers::position::places;
use crate::layers::rotary::Rotary;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;

/// Sizes of an attention layer.
#[derive(Clone, Debug)]
pub struct Attention {
    pub path: String,
    pub model: i64,
    pub heads: i64,
    pub kv: i64,
    /// Divide logits by sqrt(kv).
    pub scaled: bool,
    /// Logits and softmax in the type of activations.
    pub narrow: bool,
    pub dropout: f64,
    /// s of the initializer.
    pub scale: f64,
    /// Heads of keys and values; divides `heads`.
    pub groups: i64,
    pub biases: bool,
    /// How queries and keys are turned by their places.
    pub rotary: Option<Rotary>,
}

/// What queries may look at. Everything that is given must allow a pair.
#[derive(Clone, Copy, Default, Tree)]
pub struct Mask {
    /// Only keys at or before the query.
    #[tree(skip)]
    pub causal: bool,
    /// Keys that are not padding, `pred[batch, keys]`.
    pub real: Option<Tensor>,
    /// Packed sequences: the numbers of the sequences that queries and keys belong to, `s32[batch, length]`.
    pub segments: Option<(Tensor, Tensor)>,
}

impl Mask {
    /// Pairs that are allowed, broadcast to `[batch, 1, queries, keys]`; nothing if all are.
    pub(super) fn allowed(self, queries: i64, keys: i64) -> Option<Tensor> {
        let causal = self.causal.then(|| {
            let (q, k) = (iota(i32, [1, 1, queries, keys], 2), iota(i32, [1, 1, queries, keys], 3));
            q.ge(k)
        });
        let real = self.real.map(|real| real.unsqueeze(1).unsqueeze(1));
        let same = self.segments.map(|(q, k)| q.unsqueeze(1).unsqueeze(-1).eq(k.unsqueeze(1).unsqueeze(1)));
        [causal, real, same].into_iter().flatten().reduce(|a, b| a & b)
    }
}

impl Attention {
    /// Logits divided by sqrt(kv), as many heads of keys as of queries, nothing dropped.
    pub fn new(path: impl Into<String>, model: i64, heads: i64, kv: i64) -> Attention {
        Attention {
            path: path.into(),
            model,
            heads,
            kv,
            scaled: true,
            narrow: false,
            dropout: 0.0,
            scale: 1.0,
            groups: heads,
            biases: false,
            rotary: None,
        }
    }

    pub fn declare(&self, specs: &mut Specs) {
        let into = [("model", self.model), ("heads", self.heads), ("kv", self.kv)];
        // T5 folds the division of logits by sqrt(kv) into the queries' initializer.
        let fold = if self.scaled { 1 } else { self.kv };
        let init = |fan_in| Init::Truncated { scale: self.scale, fan_in };
        specs.add(join(&self.path, "query"), into, init(self.model * fold));
        let shared = [("model", self.model), ("heads", self.groups), ("kv", self.kv)];
        specs.add(join(&self.path, "key"), shared, init(self.model));
        specs.add(join(&self.path, "value"), shared, init(self.model));
        let out = [("heads", self.heads), ("kv", self.kv), ("model", self.model)];
        specs.add(join(&self.path, "out"), out, init(self.heads * self.kv));
        if self.biases {
            let mut zeros = |name: &str, dims: &[(&'static str, i64)]| {
                specs.add(join(&self.path, name), dims, Init::Zeros);
            };
            zeros("query_bias", &into[1..]);
            zeros("key_bias", &shared[1..]);
            zeros("value_bias", &shared[1..]);
            zeros("out_bias", &out[2..]);
        }
    }

    /// `x [batch, queries, model]` looks at `memory [batch, keys, model]`, which is `x` itself in self-attention.
    pub fn apply(
        &self,
        p: &Params,
        x: Tensor,
        memory: Tensor,
        mask: Mask,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> Tensor {
        let places = self.rotary.map(|_| places(x, mask.segments.map(|(own, _)| own)));
        let q = self.queries(p, x, places);
        let (k, v) = self.memories(p, memory, places);
        self.out(p, by_heads(self.attend(q, k, v, mask, bias, key)))
    }

    /// The queries of `x [batch, queries, model]`, by head. Places, `[1 or batch, queries]`, are for rotary ones.
    pub fn queries(&self, p: &Params, x: Tensor, places: Option<Tensor>) -> Tensor {
        by_heads(self.rotated(self.by_head(p, "query", x), places))
    }

    /// The keys and values of `memory [batch, keys, model]`, by head of queries.
    pub fn memories(&self, p: &Params, memory: Tensor, places: Option<Tensor>) -> (Tensor, Tensor) {
        let keys = self.rotated(self.by_head(p, "key", memory), places);
        (self.repeated(keys), self.repeated(self.by_head(p, "value", memory)))
    }

    fn by_head(&self, p: &Params, name: &str, x: Tensor) -> Tensor {
        let weight = p.get(&join(&self.path, name)).cast(x.dtype());
        self.biased(p, name, einsum("bqm,mhd->bqhd", [x, weight]))
    }

    fn biased(&self, p: &Params, name: &str, x: Tensor) -> Tensor {
        let bias = || p.get(&join(&self.path, &format!("{name}_bias"))).cast(x.dtype());
        if self.biases { x + bias() } else { x }
    }

    fn rotated(&self, x: Tensor, places: Option<Tensor>) -> Tensor {
        match (self.rotary, places) {
            (Some(rotary), Some(places)) => rotary.apply(x, places),
            _ => x,
        }
    }

    /// `[batch, keys, groups, kv]` for all heads of queries.
    fn repeated(&self, x: Tensor) -> Tensor {
        if self.groups == self.heads {
            return by_heads(x);
        }
        let (batch, keys, each) = (x.dim(0), x.dim(1), self.heads / self.groups.max(1));
        let all = x.unsqueeze(3).broadcast_to([batch, keys, self.groups, each, self.kv]);
        by_heads(all.reshape([batch, keys, self.heads, self.kv]))
    }

    /// What queries saw, by head, as features again.
    pub fn out(&self, p: &Params, seen: Tensor) -> Tensor {
        let weight = p.get(&join(&self.path, "out")).cast(seen.dtype());
        self.biased(p, "out", einsum("bqhd,hdm->bqm", [seen, weight]))
    }

    /// What queries see of values, `[batch, queries, heads, kv]`, all of them given by head.
    pub fn attend(
        &self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Mask,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> Tensor {
        let chances = self.chances(q, k, mask, bias);
        let chances = dropout(chances, self.dropout, key).cast(v.dtype());
        einsum("bhqk,bkhd->bqhd", [chances, v])
    }

    /// How much of each key every query takes.
    fn chances(&self, q: Tensor, k: Tensor, mask: Mask, bias: Option<Tensor>) -> Tensor {
        let (queries, keys) = (q.dim(1), k.dim(1));
        let products = einsum("bqhd,bkhd->bhqk", [q, k]);
        self.shares(products, mask.allowed(queries, keys), bias.map(|bias| bias.unsqueeze(0)))
    }

    /// How much of each key a query takes, by their products; keys are the last dim. Which pairs are allowed, and the
    /// bias, broadcast to that.
    pub fn shares(&self, products: Tensor, allowed: Option<Tensor>, bias: Option<Tensor>) -> Tensor {
        let logits = if self.narrow { products } else { products.cast(wide(products.dtype())) };
        let logits = if self.scaled { logits / (self.kv as f64).sqrt() } else { logits };
        let logits = bias.map_or(logits, |bias| logits + bias.cast(logits.dtype()));
        // Finite, so that a query that may look at nothing gets even chances and not NaN.
        allowed.map_or(logits, |allowed| allowed.select(logits, -1e9)).softmax(-1)
    }
}

fn by_heads(x: Tensor) -> Tensor {
    x.logical(["batch", "", "act_heads", ""])
}

/// `f32` for narrower floats.
pub fn wide(dtype: meshwright_ir::DType) -> meshwright_ir::DType {
    if dtype == f64 { f64 } else { f32 }
}
