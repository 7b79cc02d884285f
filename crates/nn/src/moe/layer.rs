//! A feed-forward layer of experts (GShard, Algorithm 2).
//!
//! ```text
//! x [B, L, M] => groups [G, S, M] => gates [G, S, E] => dispatched [E, G, C, M] => experts => combined [G, S, M]
//! ```
//!
//! A token without a place gets 0: the residual around the layer carries it. How tokens are routed and moved is the
//! [`Router`]'s.

use super::capacity::Capacity;
use super::exchange::Exchange;
use super::route::Routing;
pub use super::router::{CONFIG, Explore, Gate};
use super::router::{Precision, Router};
use crate::init::Init;
use crate::layers::dropout;
use crate::layers::ffn::Activation;
use crate::params::{Params, Specs, join};
use meshwright_base::Diagnostic;
use meshwright_tensor::prelude::*;

/// Sizes of a layer of experts.
#[derive(Clone, Debug)]
pub struct Experts {
    pub path: String,
    pub model: i64,
    pub hidden: i64,
    pub experts: i64,
    pub groups: i64,
    pub gate: Gate,
    pub capacity: Capacity,
    pub exchange: Exchange,
    pub precision: Precision,
    pub activation: Activation,
    /// Dropout inside of experts (Switch 2.4: 0.4 in fine-tuning).
    pub dropout: f64,
    /// s of the initializer.
    pub scale: f64,
    /// Whether both products of an expert have biases.
    pub biases: bool,
    /// Share of what experts say that training leaves out, number by number; otherwise all of it is made smaller by as
    /// much (NLLB's expert output masking, as Hugging Face has it).
    pub masking: f64,
}

impl Experts {
    pub fn router(&self) -> Router {
        Router {
            path: self.path.clone(),
            model: self.model,
            experts: self.experts,
            groups: self.groups,
            gate: self.gate,
            capacity: self.capacity,
            exchange: self.exchange,
            precision: self.precision,
            scale: self.scale,
        }
    }

    /// What is wrong with the sizes, for a batch of this many tokens.
    pub fn check(&self, tokens: i64) -> Result<(), Diagnostic> {
        self.router().check(tokens)
    }

    pub fn declare(&self, specs: &mut Specs) {
        let (model, hidden, expert) =
            (("expert_model", self.model), ("expert_hidden", self.hidden), ("expert", self.experts));
        let init = |fan_in| Init::Truncated { scale: self.scale, fan_in };
        self.router().declare(specs);
        specs.add(join(&self.path, "wi"), [expert, model, hidden], init(self.model));
        if self.activation.is_gated() {
            specs.add(join(&self.path, "wg"), [expert, model, hidden], init(self.model));
        }
        specs.add(join(&self.path, "wo"), [expert, hidden, model], init(self.hidden));
        if self.biases {
            specs.add(join(&self.path, "wi_bias"), [expert, hidden], Init::Zeros);
            specs.add(join(&self.path, "wo_bias"), [expert, model], Init::Zeros);
        }
    }

    /// Of `x [B, L, M]`; and where its tokens went. `key` is for training, `real` (`pred[B, L]`) tells padding.
    pub fn apply(&self, p: &Params, x: Tensor, real: Option<Tensor>, key: Option<Key>) -> (Tensor, Routing) {
        let router = self.router();
        let (grouped, real) = router.grouped(x, real);
        let keys: Option<[Key; 2]> = key.map(Key::split);
        let routing = router.route(p, grouped, real, keys.map(|keys| keys[0]));
        let weight = |name: &str| p.get(&join(&self.path, name));
        let out = router.visit(grouped, &routing, |sent| {
            let biased = |rows: Tensor, name: &str| {
                if self.biases { sent.with(rows).plus(weight(name)) } else { rows }
            };
            let inner = biased(sent.times(weight("wi")), "wi_bias");
            let inner = self.activation.of(inner, || sent.times(weight("wg")));
            let inner = inner.logical(["expert", "expert_group", "", "act_hidden"]);
            let inner = dropout(inner, self.dropout, keys.map(|keys| keys[1]));
            let out = biased(sent.with(inner).times(weight("wo")), "wo_bias");
            match key.filter(|_| self.masking > 0.0) {
                Some(key) => dropout(out, self.masking, Some(key.fold_in(2))),
                None if self.masking > 0.0 => out * (1.0 - self.masking),
                None => out,
            }
        });
        (out.reshape(x.dims()), routing)
    }
}
