//! A feed-forward layer of experts (GShard, Algorithm 2).
//!
//! ```text
//! x [B, L, M] => groups [G, S, M] => gates [G, S, E] => dispatched [E, G, C, M] => experts => combined [G, S, M]
//! ```
//!
//! The router works in `f32` at least, dispatch and combine in the type of `x` (selective precision, Switch 2.4). A
//! token without a place gets 0: the residual around the layer carries it.
//!
//! Groups are `group`s and lie where the batch lies, with all experts at home (`home_expert`); what experts compute has
//! `expert` and `expert_group`: a table that splits `expert` over the axis of the batch makes the change from one to the
//! other an all-to-all. Both sides are annotated, so that the gradients are exchanged as often and no value twice.

use super::capacity::Capacity;
use super::exchange::Exchange;
use super::route::{self, Routing, Top2};
use crate::init::Init;
use crate::layers::attention::wide;
use crate::layers::dropout;
use crate::layers::ffn::Activation;
use crate::params::{Params, Specs, join};
use meshwright_ground::{Code, Diagnostic};
use meshwright_tensor::prelude::*;

/// A layer of experts that cannot be.
pub const CONFIG: Code = Code(901);

/// How tokens choose.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Gate {
    /// One expert (Switch Transformer).
    Top1(Explore),
    /// Two (GShard).
    Top2(Top2),
    /// Switch's, with another chance for who finds no place.
    NoneLeftBehind(usize),
}

/// How the Switch Transformer's router explores in training (appendix C).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Explore {
    /// It does not: the best expert.
    Argmax,
    /// An expert drawn from the softmax.
    Sample,
    /// The router's input times a number from 1 - eps to 1 + eps.
    Jitter(f64),
    /// Dropout of the router's input.
    InputDropout(f64),
}

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
    pub activation: Activation,
    /// Dropout inside of experts (Switch 2.4: 0.4 in fine-tuning).
    pub dropout: f64,
    /// s of the initializer.
    pub scale: f64,
}

impl Experts {
    /// What is wrong with the sizes, for a batch of this many tokens.
    pub fn check(&self, tokens: i64) -> Result<(), Diagnostic> {
        let refuse = |message: String, help: &str| Err(Diagnostic::error(CONFIG, message).help(help));
        let least = match self.gate {
            Gate::Top1(_) => 1,
            Gate::Top2(_) => 2,
            Gate::NoneLeftBehind(stages) => stages.max(1) as i64,
        };
        if self.experts < least {
            let message = format!("{} experts are too few for a gate that chooses {least}", self.experts);
            return refuse(message, "use more experts, or a gate that chooses fewer");
        }
        if self.groups < 1 || tokens % self.groups != 0 {
            let message = format!("{tokens} tokens do not divide into {} groups", self.groups);
            return refuse(message, "use a number of groups that divides batch size times length");
        }
        Ok(())
    }

    pub fn declare(&self, specs: &mut Specs) {
        let (model, hidden, expert) =
            (("model", self.model), ("expert_hidden", self.hidden), ("expert", self.experts));
        let init = |fan_in| Init::Truncated { scale: self.scale, fan_in };
        // The router is replicated: its dims have names of their own.
        let router = [("router_model", self.model), ("router_expert", self.experts)];
        specs.add(join(&self.path, "router"), router, init(self.model));
        specs.add(join(&self.path, "wi"), [expert, model, hidden], init(self.model));
        if self.activation.is_gated() {
            specs.add(join(&self.path, "wg"), [expert, model, hidden], init(self.model));
        }
        specs.add(join(&self.path, "wo"), [expert, hidden, model], init(self.hidden));
    }

    /// Of `x [B, L, M]`; and where its tokens went. `key` is for training, `real` (`pred[B, L]`) tells padding.
    pub fn apply(&self, p: &Params, x: Tensor, real: Option<Tensor>, key: Option<Key>) -> (Tensor, Routing) {
        let tokens = x.dim(0) * x.dim(1);
        let groups = self.groups.max(1);
        let size = tokens / groups;
        let grouped = x.reshape([groups, size, self.model]).logical(["group", "", ""]);
        let real = real.map(|real| real.reshape([groups, size]));
        let keys: Option<[Key; 2]> = key.map(Key::split);
        let routing = self.route(p, grouped, real, keys.map(|keys| keys[0]));
        let out = self.compute(p, grouped, &routing, keys.map(|keys| keys[1]));
        (out.reshape(x.dims()), routing)
    }

    /// Gates, in `f32` at least, and what follows from them.
    fn route(&self, p: &Params, x: Tensor, real: Option<Tensor>, key: Option<Key>) -> Routing {
        let input = x.cast(wide(x.dtype()));
        let explore = if let Gate::Top1(explore) = self.gate { explore } else { Explore::Argmax };
        let input = explored(input, explore, key);
        let logits = input.matmul(p.get(&join(&self.path, "router")).cast(input.dtype()));
        let gates = logits.softmax(-1);
        let (groups, size) = (x.dim(0), x.dim(1));
        let choices = if let Gate::Top2(_) = self.gate { 2 } else { 1 };
        let places = self.capacity.places(size, self.experts, choices);
        match self.gate {
            Gate::Top1(Explore::Sample) => {
                let drawn = key.map(|key| key.categorical(logits.stop_gradient()));
                route::top1(gates, places, drawn, real)
            }
            Gate::Top1(_) => route::top1(gates, places, None, real),
            Gate::Top2(options) => {
                let chance = key.map(|key| key.uniform(gates.dtype(), [groups, size]));
                route::top2(gates, places, &options, chance, real)
            }
            Gate::NoneLeftBehind(stages) => route::none_left_behind(gates, places, stages, real),
        }
    }

    /// GShard's Algorithm 2 from dispatch to combine.
    fn compute(&self, p: &Params, x: Tensor, routing: &Routing, key: Option<Key>) -> Tensor {
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(x.dtype());
        let sent = self.exchange.send(x, routing).logical(["home_expert", "group", "", ""]);
        let sent = sent.logical(["expert", "expert_group", "", ""]);
        let into = |name: &str| einsum("egcm,emh->egch", [sent, weight(name)]);
        let inner = dropout(self.activation.of(into("wi"), || into("wg")), self.dropout, key);
        let back = einsum("egch,ehm->egcm", [inner, weight("wo")]);
        let back = back.logical(["expert", "expert_group", "", ""]).logical(["home_expert", "group", "", ""]);
        self.exchange.bring(back, routing).logical(["group", "", ""])
    }
}

fn explored(x: Tensor, explore: Explore, key: Option<Key>) -> Tensor {
    match (explore, key) {
        (Explore::Jitter(eps), Some(key)) => {
            x * (key.uniform(x.dtype(), x.dims()) * (2.0 * eps) + (1.0 - eps))
        }
        (Explore::InputDropout(rate), key) => dropout(x, rate, key),
        _ => x,
    }
}
