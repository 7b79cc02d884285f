//! The router: gates from a token's features, then who goes where; and the way to the experts and back, whatever they
//! compute.
//!
//! ```text
//! x [B, L, M] => groups [G, S, M] => gates [G, S, E] => sent [E, G, C, M] => experts => brought [G, S, N]
//! ```
//!
//! Works in what its [`Precision`] says, of itself in `f32` at least, however narrow `x` is; what is sent and brought
//! has the type of `x`.

use super::capacity::Capacity;
use super::exchange::Exchange;
use super::route::{self, Routing, Top2, Weights};
use super::rows::Rows;
use super::sorted;
use crate::init::Init;
use crate::layers::attention::wide;
use crate::layers::dropout;
use crate::params::{Params, Specs, join};
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// A layer of experts that cannot be.
pub const CONFIG: Code = Code(830);

/// How tokens choose.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Gate {
    /// One expert (Switch Transformer).
    Top1(Explore),
    /// Two (GShard).
    Top2(Top2),
    /// Switch's, with so many chances for who finds no place. It does not sample experts.
    NoneLeftBehind(usize, Explore),
    /// This many, all first choices before any second.
    TopN(usize, Weights),
    /// One; an expert takes the tokens with the largest gates, not the first. Not for decoding.
    Prioritized,
    /// Experts choose tokens. Not for decoding.
    ExpertChoice,
}

impl Gate {
    /// Experts of a token, as conventions of capacity count them.
    pub fn choices(self) -> usize {
        match self {
            Gate::Top2(_) => 2,
            Gate::TopN(choices, _) => choices.max(1),
            Gate::Top1(_) | Gate::NoneLeftBehind(..) | Gate::Prioritized | Gate::ExpertChoice => 1,
        }
    }

    /// Whether where a token goes may depend on tokens after it: a decoder must not choose so.
    pub fn looks_ahead(self) -> bool {
        matches!(self, Gate::Prioritized | Gate::ExpertChoice)
    }

    /// How the router explores.
    fn explore(self) -> Explore {
        match self {
            Gate::Top1(explore) | Gate::NoneLeftBehind(_, explore) => explore,
            Gate::Top2(_) | Gate::TopN(..) | Gate::Prioritized | Gate::ExpertChoice => Explore::Argmax,
        }
    }

    /// How many experts there must be.
    fn least(self) -> i64 {
        match self {
            Gate::NoneLeftBehind(stages, _) => stages.max(1) as i64,
            other => other.choices() as i64,
        }
    }
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
    /// A number from 1 - eps to 1 + eps added to each logit, as Figure 15 has it. Appendix C and the authors' code
    /// multiply the input instead ([`Explore::Jitter`]); the 1 in common to all logits changes no gate.
    LogitJitter(f64),
}

/// What a router computes in: its input, logits, gates and masks (Switch, Table 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Precision {
    /// `f32` at least, however narrow activations are (selective precision, 2.4).
    #[default]
    Selective,
    /// What activations are stored in. In `bf16` the paper's model diverges.
    Activations,
}

impl Precision {
    /// The type of a router's numbers, for activations of `dtype`.
    fn of(self, dtype: DType) -> DType {
        match self {
            Precision::Selective => wide(dtype),
            Precision::Activations => dtype,
        }
    }
}

/// Sizes and choices of a router. `path` is the layer's: the weights are `path.router`.
#[derive(Clone, Debug)]
pub struct Router {
    pub path: String,
    pub model: i64,
    pub experts: i64,
    pub groups: i64,
    pub gate: Gate,
    pub capacity: Capacity,
    pub exchange: Exchange,
    pub precision: Precision,
    /// s of the initializer.
    pub scale: f64,
}

impl Router {
    /// What is wrong with the sizes, for a batch of this many tokens.
    pub fn check(&self, tokens: i64) -> Result<(), Diagnostic> {
        let refuse = |message: String, help: &str| Err(Diagnostic::error(CONFIG, message).help(help));
        let least = self.gate.least();
        if self.experts < least {
            let message = format!("{} experts are too few for a gate that chooses {least}", self.experts);
            return refuse(message, "use more experts, or a gate that chooses fewer");
        }
        if self.groups < 1 || tokens % self.groups != 0 {
            let message = format!("{tokens} tokens do not divide into {} groups", self.groups);
            return refuse(message, "use a number of groups that divides batch size times length");
        }
        let sorts = matches!(self.exchange, Exchange::Sorted { .. });
        if sorts && self.gate == Gate::ExpertChoice {
            let message =
                "experts that choose their tokens cannot be sent rows sorted by the tokens' choices";
            return refuse(message.to_string(), "exchange by masks or by index");
        }
        if let Exchange::Sorted { block } = self.exchange
            && block < 1
        {
            let message = format!("rows sorted by expert cannot stand in blocks of {block}");
            return refuse(
                message,
                "use blocks of 1 row at least; as many as a group has per expert is good",
            );
        }
        Ok(())
    }

    pub fn declare(&self, specs: &mut Specs) {
        let init = Init::Truncated { scale: self.scale, fan_in: self.model };
        // Replicated in every table: its dims have names of their own.
        let dims = [("router_model", self.model), ("router_expert", self.experts)];
        specs.add(join(&self.path, "router"), dims, init);
    }

    /// `x [B, L, M]` in groups, and of a mask of its tokens.
    pub fn grouped(&self, x: Tensor, real: Option<Tensor>) -> (Tensor, Option<Tensor>) {
        let groups = self.groups.max(1);
        let size = x.dim(0) * x.dim(1) / groups;
        let x = x.reshape([groups, size, x.dim(2)]).logical(["group", "", "features"]);
        (x, real.map(|real| real.reshape([groups, size])))
    }

    /// What the router says of `x [G, S, M]`: `[G, S, E]`, in its own precision. With a key it explores.
    pub fn logits(&self, p: &Params, x: Tensor, key: Option<Key>) -> Tensor {
        let input = x.cast(self.precision.of(x.dtype()));
        let explore = self.gate.explore();
        let input = explored(input, explore, key);
        let logits = input.matmul(p.get(&join(&self.path, "router")).cast(input.dtype()));
        match (explore, key) {
            (Explore::LogitJitter(eps), Some(key)) => logits + around_one(logits, eps, key),
            _ => logits,
        }
    }

    /// Where the tokens of `x [G, S, M]` go. `key` is for training, `real` (`pred[G, S]`) tells padding.
    pub fn route(&self, p: &Params, x: Tensor, real: Option<Tensor>, key: Option<Key>) -> Routing {
        let [before, at]: [Option<Key>; 2] = match self.gate {
            // Only one of the two is ever random.
            Gate::Top1(Explore::Sample) | Gate::Top2(_) => [None, key],
            _ => [key, None],
        };
        let logits = self.logits(p, x, before);
        let gates = logits.softmax(-1);
        let (groups, size) = (x.dim(0), x.dim(1));
        let places = match self.exchange {
            Exchange::Sorted { .. } => Capacity::Unlimited,
            Exchange::Einsum | Exchange::Gather => self.capacity,
        };
        let places = places.places(size, self.experts, self.gate.choices() as i64);
        let routing = match self.gate {
            Gate::Top1(Explore::Sample) => {
                let drawn = at.map(|key| key.categorical(logits.stop_gradient()));
                route::top1(gates, places, drawn, real)
            }
            Gate::Top1(_) => route::top1(gates, places, None, real),
            Gate::Top2(options) => {
                let dims = [vec![groups, size], options.second.chances(self.experts)].concat();
                let chance = at.map(|key| key.uniform(gates.dtype(), &dims[..]));
                route::top2(gates, places, &options, chance, real)
            }
            Gate::NoneLeftBehind(stages, _) => route::none_left_behind(gates, places, stages, real),
            Gate::TopN(choices, weights) => route::top_n(gates, places, choices, weights, real),
            Gate::Prioritized => route::top1_by_gate(gates, places, real),
            Gate::ExpertChoice => route::expert_choice(gates, places.min(size), real),
        };
        Routing { z_loss: Some(route::z_loss(logits)), gates: Some(gates), ..routing }
    }

    /// Send `x [G, S, M]` to its experts, let `compute` make `[.., N]` of `[.., M]`, and bring it back: `[G, S, N]`.
    ///
    /// Groups lie where the batch lies, with all experts at home (`home_expert`); what experts compute has `expert` and
    /// `expert_group`: a table that splits `expert` over the axis of the batch makes the change from one to the other
    /// an all-to-all. Both sides are annotated, so that gradients are exchanged as often and no value twice.
    pub fn visit(&self, x: Tensor, routing: &Routing, compute: impl FnOnce(Rows) -> Tensor) -> Tensor {
        if let Exchange::Sorted { block } = self.exchange {
            return sorted::visit(x, routing, self.experts, block, compute)
                .logical(["group", "", "features"]);
        }
        let sent = self.exchange.send(x, routing).logical(["home_expert", "group", "", "features"]);
        let sent = sent.logical(["expert", "expert_group", "", "features"]);
        let back = compute(Rows::by_expert(sent));
        let back = back.logical(["expert", "expert_group", "", "features"]);
        let back = back.logical(["home_expert", "group", "", "features"]);
        self.exchange.bring(back, routing).logical(["group", "", "features"])
    }
}

fn explored(x: Tensor, explore: Explore, key: Option<Key>) -> Tensor {
    match (explore, key) {
        (Explore::Jitter(eps), Some(key)) => x * around_one(x, eps, key),
        (Explore::InputDropout(rate), key) => dropout(x, rate, key),
        _ => x,
    }
}

/// Numbers from 1 - eps to 1 + eps in the shape of a tensor.
fn around_one(like: Tensor, eps: f64, key: Key) -> Tensor {
    key.uniform(like.dtype(), like.dims()) * (2.0 * eps) + (1.0 - eps)
}
