//! Attention whose projections are experts (Switch Transformer, appendix A, figure 10): one layer of experts makes the
//! queries, another, with a router of its own, the keys and values, which are the same numbers.
//!
//! ```text
//! x => experts of queries [B, L, N, D] ;  x => experts of keys and values [B, L, N, D]  => attention => out
//! ```
//!
//! The paper found better quality in `f32` and divergence in `bf16`. A token without a place has a query (or key) of 0:
//! it looks at all alike.

use super::capacity::Capacity;
use super::exchange::Exchange;
use super::route::Routing;
use super::router::{Gate, Precision, Router};
use crate::init::Init;
use crate::layers::attention::{Attention, Mask};
use crate::params::{Params, Specs, join};
use meshwright_base::Diagnostic;
use meshwright_tensor::prelude::*;

/// What an expert of attention is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Projection {
    /// One matrix.
    Linear,
    /// `relu(x wi) wo` with this hidden dim.
    Ffn(i64),
}

/// Experts in place of the matrices of attention.
#[derive(Clone, Debug)]
pub struct SwitchAttention {
    /// Sizes; its `query`, `key` and `value` are not used.
    pub attention: Attention,
    pub experts: i64,
    pub groups: i64,
    pub gate: Gate,
    pub capacity: Capacity,
    pub exchange: Exchange,
    pub precision: Precision,
    pub projection: Projection,
}

/// The layers of experts.
const SIDES: [&str; 2] = ["query_experts", "memory_experts"];

impl SwitchAttention {
    fn router(&self, side: &str) -> Router {
        Router {
            path: join(&self.attention.path, side),
            model: self.attention.model,
            experts: self.experts,
            groups: self.groups,
            gate: self.gate,
            capacity: self.capacity,
            exchange: self.exchange,
            precision: self.precision,
            scale: self.attention.scale,
        }
    }

    /// Of queries, and of keys and values.
    pub fn routers(&self) -> [Router; 2] {
        SIDES.map(|side| self.router(side))
    }

    /// What is wrong with the sizes, for a batch of this many tokens.
    pub fn check(&self, tokens: i64) -> Result<(), Diagnostic> {
        self.routers()[0].check(tokens)
    }

    pub fn declare(&self, specs: &mut Specs) {
        SIDES.iter().for_each(|side| self.declare_side(side, specs));
        let Attention { path, model, heads, kv, scale, .. } = &self.attention;
        let out = [("heads", *heads), ("kv", *kv), ("model", *model)];
        specs.add(join(path, "out"), out, Init::Truncated { scale: *scale, fan_in: heads * kv });
    }

    fn declare_side(&self, side: &str, specs: &mut Specs) {
        let router = self.router(side);
        router.declare(specs);
        let Attention { model, heads, kv, scaled, scale, .. } = self.attention;
        // As in attention, logits are not divided by sqrt(kv): the queries' initializer makes up for it.
        let fold = if scaled || side != SIDES[0] { 1 } else { kv };
        let init = |fan_in| Init::Truncated { scale, fan_in };
        let (expert, into, width) =
            (("expert", self.experts), ("expert_model", model), ("expert_width", heads * kv));
        match self.projection {
            Projection::Linear => {
                specs.add(join(&router.path, "w"), [expert, into, width], init(model * fold))
            }
            Projection::Ffn(hidden) => {
                let hidden = ("expert_hidden", hidden);
                specs.add(join(&router.path, "wi"), [expert, into, hidden], init(model));
                specs.add(join(&router.path, "wo"), [expert, hidden, width], init(hidden.1 * fold));
            }
        }
    }

    /// Of `x [B, L, M]` to itself; and where its tokens went, for queries and for keys and values.
    pub fn apply(
        &self,
        p: &Params,
        x: Tensor,
        mask: Mask,
        bias: Option<Tensor>,
        real: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, [Routing; 2]) {
        let keys: Option<[Key; 3]> = key.map(Key::split);
        let [to_queries, to_memory, to_chances] = std::array::from_fn(|at| keys.map(|keys| keys[at]));
        let ([q, kv], routings) = self.projected(p, x, real, [to_queries, to_memory]);
        let seen = self.attention.attend(q, kv, kv, mask, bias, to_chances);
        (self.attention.out(p, seen), routings)
    }

    /// Queries of `x [B, L, M]`, and what are both its keys and its values, by head; and where its tokens went.
    pub fn projected(
        &self,
        p: &Params,
        x: Tensor,
        real: Option<Tensor>,
        keys: [Option<Key>; 2],
    ) -> ([Tensor; 2], [Routing; 2]) {
        let (q, asked) = self.project(p, SIDES[0], x, real, keys[0]);
        let (kv, told) = self.project(p, SIDES[1], x, real, keys[1]);
        ([q, kv], [asked, told])
    }

    /// What one side's experts make of `x`, by head.
    fn project(
        &self,
        p: &Params,
        side: &str,
        x: Tensor,
        real: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Routing) {
        let router = self.router(side);
        let (grouped, real) = router.grouped(x, real);
        let routing = router.route(p, grouped, real, key);
        let weight = |name: &str| p.get(&join(&router.path, name));
        let out = router.visit(grouped, &routing, |sent| match self.projection {
            Projection::Linear => sent.times(weight("w")),
            Projection::Ffn(_) => sent.with(sent.times(weight("wi")).relu()).times(weight("wo")),
        });
        let Attention { heads, kv, .. } = self.attention;
        let by_head = out.reshape([x.dim(0), x.dim(1), heads, kv]).logical(["batch", "", "act_heads", ""]);
        (by_head, routing)
    }
}
