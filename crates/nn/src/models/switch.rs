//! The Switch Transformer as a language model: decoder only, T5's layers, experts in every other block.
//!
//! One definition. The tables ([`Strategy`]) say how it is split; no line of the model knows of devices.

use crate::init::SWITCH_SCALE;
use crate::layers::attention::{Attention, Mask};
use crate::layers::embed::Embedding;
use crate::layers::ffn::{Activation, Ffn};
use crate::layers::norm::RmsNorm;
use crate::layers::position::RelativePosition;
use crate::moe::capacity::Capacity;
use crate::moe::exchange::Exchange;
use crate::moe::layer::{Experts, Explore, Gate};
use crate::moe::route::Counts;
use crate::optim::Optimizer;
use crate::optim::clip;
use crate::optim::schedule::Schedule;
use crate::params::{Params, Specs};
use meshwright_ground::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Sizes and choices.
#[derive(Clone, Debug)]
pub struct Switch {
    pub vocab: i64,
    pub model: i64,
    pub hidden: i64,
    pub heads: i64,
    pub kv: i64,
    pub blocks: usize,
    pub experts: i64,
    /// Every so many blocks has experts, the last of them: 2 for blocks 1, 3, 5. 0 for none.
    pub every: usize,
    pub groups: i64,
    pub gate: Gate,
    pub capacity: Capacity,
    pub exchange: Exchange,
    /// alpha of the balancing loss.
    pub balance: f64,
    pub activation: Activation,
    pub dropout: f64,
    pub expert_dropout: f64,
    /// Type of activations.
    pub compute: DType,
}

impl Switch {
    /// A small one, to be trained on a few cores.
    pub fn small() -> Switch {
        Switch {
            vocab: 256,
            model: 64,
            hidden: 128,
            heads: 4,
            kv: 16,
            blocks: 2,
            experts: 8,
            every: 2,
            groups: 8,
            gate: Gate::Top1(Explore::Argmax),
            capacity: Capacity::Switch(1.25),
            exchange: Exchange::Einsum,
            balance: 1e-2,
            activation: Activation::Relu,
            dropout: 0.0,
            expert_dropout: 0.0,
            compute: DType::F32,
        }
    }

    /// What is wrong with the sizes, for batches of `batch` sequences of `length` tokens.
    pub fn check(&self, batch: i64, length: i64) -> Result<(), Diagnostic> {
        match (0..self.blocks).find(|at| self.has_experts(*at)) {
            Some(at) => self.experts_of(at).check(batch.saturating_mul(length)),
            None => Ok(()),
        }
    }

    fn has_experts(&self, block: usize) -> bool {
        self.every > 0 && block % self.every == self.every - 1
    }

    fn norm(&self, path: String) -> RmsNorm {
        RmsNorm::new(path, self.model)
    }

    fn attention(&self, block: usize) -> Attention {
        Attention {
            path: format!("block_{block}.attention"),
            model: self.model,
            heads: self.heads,
            kv: self.kv,
            scaled: false,
            dropout: self.dropout,
            scale: SWITCH_SCALE,
        }
    }

    fn ffn(&self, block: usize) -> Ffn {
        Ffn {
            path: format!("block_{block}.mlp"),
            model: self.model,
            hidden: self.hidden,
            activation: self.activation,
            dropout: self.dropout,
            scale: SWITCH_SCALE,
        }
    }

    fn experts_of(&self, block: usize) -> Experts {
        Experts {
            path: format!("block_{block}.moe"),
            model: self.model,
            hidden: self.hidden,
            experts: self.experts,
            groups: self.groups,
            gate: self.gate,
            capacity: self.capacity,
            exchange: self.exchange,
            activation: self.activation,
            dropout: self.expert_dropout,
            scale: SWITCH_SCALE,
        }
    }

    fn embedding(&self) -> Embedding {
        Embedding { path: "embed".to_string(), vocab: self.vocab, model: self.model, tied: true }
    }

    fn position(&self) -> RelativePosition {
        RelativePosition::t5("position".to_string(), self.heads, false)
    }

    /// All parameters.
    pub fn specs(&self) -> Specs {
        let mut specs = Specs::default();
        self.embedding().declare(&mut specs);
        self.position().declare(&mut specs);
        for block in 0..self.blocks {
            self.norm(format!("block_{block}.attention_norm")).declare(&mut specs);
            self.attention(block).declare(&mut specs);
            self.norm(format!("block_{block}.mlp_norm")).declare(&mut specs);
            match self.has_experts(block) {
                true => self.experts_of(block).declare(&mut specs),
                false => self.ffn(block).declare(&mut specs),
            }
        }
        self.norm("final_norm".to_string()).declare(&mut specs);
        specs
    }

    /// Logits of the next token, the sum of the balancing losses, and the counts of each layer of experts.
    pub fn logits(&self, p: &Params, tokens: Tensor, key: Option<Key>) -> (Tensor, Tensor, Vec<Counts>) {
        let length = tokens.dim(1);
        let bias = self.position().apply(p, length, length);
        let mut x = self.embedding().apply(p, tokens).cast(self.compute).logical(["batch", "", ""]);
        let (mut balance, mut counts) = (None, Vec::new());
        for block in 0..self.blocks {
            let key = key.map(|key| key.fold_in(block));
            let (out, found) = scope(&format!("block_{block}"), || self.block(p, x, block, bias, key));
            x = out.logical(["batch", "", ""]);
            if let Some((loss, count)) = found {
                balance = Some(balance.map_or(loss, |sum: Tensor| sum + loss));
                counts.push(count);
            }
        }
        let x = self.norm("final_norm".to_string()).apply(p, x);
        let none = || scalar(crate::layers::attention::wide(self.compute), 0);
        (self.embedding().logits(p, x), balance.unwrap_or_else(none), counts)
    }

    fn block(
        &self,
        p: &Params,
        x: Tensor,
        block: usize,
        bias: Tensor,
        key: Option<Key>,
    ) -> (Tensor, Option<(Tensor, Counts)>) {
        let keys: Option<[Key; 2]> = key.map(Key::split);
        let inner = self.norm(format!("block_{block}.attention_norm")).apply(p, x);
        let mask = Mask { causal: true, ..Mask::default() };
        let seen = self.attention(block).apply(p, inner, inner, mask, Some(bias), keys.map(|keys| keys[0]));
        let x = x + seen;
        let inner = self.norm(format!("block_{block}.mlp_norm")).apply(p, x);
        let key = keys.map(|keys| keys[1]);
        if !self.has_experts(block) {
            return (x + self.ffn(block).apply(p, inner, key), None);
        }
        let (out, routing) = self.experts_of(block).apply(p, inner, None, key);
        (x + out, Some((routing.balance_loss, routing.counts)))
    }

    /// The loss: the mean of -log p over all tokens that have a next one, plus alpha times the balancing losses. And
    /// the first part alone (in nats), and the counts.
    pub fn loss(&self, p: &Params, tokens: Tensor, key: Option<Key>) -> (Tensor, Tensor, Vec<Counts>) {
        let length = tokens.dim(1);
        let (logits, balance, counts) = self.logits(p, tokens.slice((.., 0..length - 1)), key);
        let logits = logits.cast(crate::layers::attention::wide(self.compute));
        let nats = logits.cross_entropy(tokens.slice((.., 1..length))).mean(..);
        (nats + balance * self.balance, nats, counts)
    }
}

/// How a training step goes about.
#[derive(Clone, Debug)]
pub struct Training {
    pub optimizer: Optimizer,
    pub schedule: Schedule,
    /// Most norm of all gradients together; none is no limit.
    pub clip: Option<f64>,
    /// Sequences in a batch.
    pub batch: i64,
    /// Parts of the batch that go one after the other, their gradients added up; each has its share of the groups, so
    /// that the losses are those of the whole batch.
    pub microbatches: i64,
    /// Tokens of a sequence, the first of which is only read and the last only predicted.
    pub length: i64,
    /// Type of parameters and states.
    pub dtype: DType,
    /// Seed of dropout and routing.
    pub seed: u64,
}

impl Training {
    /// Whether batch and groups can be cut into microbatches.
    fn check(&self, model: &Switch) -> Result<(), Diagnostic> {
        let n = self.microbatches;
        let (batch, groups) = (self.batch, model.groups);
        if n >= 1 && batch % n == 0 && (n == 1 || groups % n == 0) && self.length >= 2 {
            return Ok(());
        }
        let message = format!(
            "a batch of {batch} sequences of {} tokens in {groups} groups does not divide into {n} microbatches",
            self.length
        );
        let help = "use a number of microbatches that divides both, and sequences of 2 tokens at least";
        Err(Diagnostic::error(crate::moe::layer::CONFIG, message).help(help))
    }
}

/// What a batch says of the parameters.
#[derive(Tree)]
struct Gradients {
    loss: Tensor,
    nats: Tensor,
    counts: Vec<Counts>,
    gradients: Params,
}

/// Loss and gradients of a batch, by microbatches one after the other. Each takes every `n`-th sequence, so that a batch
/// that is split over devices stays where it is.
fn accumulated(model: &Switch, params: &Params, tokens: Tensor, key: Key, n: i64) -> Gradients {
    let one = |model: &Switch, tokens: Tensor, key: Key| {
        let ((loss, nats, counts), gradients) =
            value_and_grad(params.clone(), |p| model.loss(&p, tokens, Some(key)));
        Gradients { loss, nats, counts, gradients }
    };
    if n <= 1 {
        return one(model, tokens, key);
    }
    let part = Switch { groups: model.groups / n, ..model.clone() };
    let (batch, length) = (tokens.dim(0), tokens.dim(1));
    let parts = tokens.reshape([batch / n, n, length]).transpose([1, 0, 2]).logical(["", "batch", ""]);
    let wide = crate::layers::attention::wide(model.compute);
    let none = (scalar(wide, 0), scalar(wide, 0), params.map(&mut |x| x.zeros_like()));
    let (sums, counts) = scan(none, (parts, range(i32, n)), |(loss, nats, sum), (tokens, turn)| {
        let found = one(&part, tokens, key.fold_in(turn));
        let mut more = found.gradients.leaves().into_iter();
        let sum = sum.map(&mut |x| more.next().map_or(x, |y| x + y));
        ((loss + found.loss, nats + found.nats, sum), found.counts)
    });
    let (loss, nats, sum) = sums;
    let counts = counts.map(&mut |count| count.reshape([-1, model.experts]));
    Gradients { loss: loss / n, nats: nats / n, counts, gradients: sum.map(&mut |x| x / n) }
}

/// One training step as one program: `tokens` in, parameters, states and `step` replaced in place; `loss`, `nats`,
/// `gradient_norm` and the counts of each layer of experts out.
pub fn train_step(model: &Switch, training: &Training, rules: &Rules) -> Result<Program, Errors> {
    training.check(model)?;
    model.check(training.batch, training.length - 1)?;
    trace_with("train_step", rules, |t| {
        let tokens = t.input("tokens", i32, [("batch", training.batch), ("length", training.length)]);
        let before = t.state("step", i32, ());
        let specs = model.specs();
        let params = specs.states(t, "params", training.dtype);
        let states = training.optimizer.states(t, &specs, training.dtype);
        let key = Key::seed(training.seed).fold_in(before);
        let Gradients { loss, nats, counts, gradients } =
            accumulated(model, &params, tokens, key, training.microbatches);
        let most = training.clip.unwrap_or(f64::INFINITY);
        let norm = clip::norm(&gradients);
        let gradients = if most.is_finite() { clip::clip(gradients, most).0 } else { gradients };
        let step = before + 1;
        let count = step.cast(training.dtype);
        let rate = training.schedule.rate(count);
        let mut out = vec![
            ("loss".to_string(), loss),
            ("nats".to_string(), nats),
            ("gradient_norm".to_string(), norm),
            ("step".to_string(), step),
        ];
        for (at, spec) in specs.list.iter().enumerate() {
            let old: Vec<Tensor> = states[at].iter().map(|(_, state)| *state).collect();
            let pair = (params.list[at].1, gradients.list[at].1);
            let (w, new) = training.optimizer.update(spec, pair, &old, (count, rate));
            out.push((format!("params.{}", spec.name), w));
            out.extend(states[at].iter().map(|(name, _)| name.clone()).zip(new));
        }
        for (at, counts) in counts.iter().enumerate() {
            out.push((format!("routed.{at}"), counts.routed));
            out.push((format!("dropped.{at}"), counts.dropped));
        }
        out
    })
}

/// A program without inputs that draws the first parameters, named as the step's states are.
pub fn first_params(model: &Switch, dtype: DType, seed: u64, rules: &Rules) -> Result<Program, Errors> {
    trace_with("first_params", rules, |_| {
        let drawn = model.specs().draw(Key::seed(seed), dtype).list;
        drawn.into_iter().map(|(name, x)| (format!("params.{name}"), x)).collect::<Vec<_>>()
    })
}

/// How a model is split (Switch Transformer, section 5, figure 9). Mesh axes are `data`, `expert`,
/// `model`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The batch over `data`; all weights on every device.
    Data,
    /// The batch and the experts over `expert`: tokens travel.
    Expert,
    /// The batch over both, the experts over `expert`, repeated along `data`.
    ExpertData,
    /// Hidden dims and heads over `model`; activations between layers on every device.
    Model,
    /// The batch over `data`, weights as in `Model`.
    DataModel,
    /// As `ExpertData`, and hidden dims and heads over `model`.
    ExpertDataModel,
}

impl Strategy {
    /// The table: names of dims, and the mesh axes they are split over. What is not in it is left to completion.
    pub fn rules(self, mesh: &Mesh) -> Rules {
        let whole = ["model", "kv", "vocab", "buckets", "router_model", "router_expert", "home_expert"];
        let base = whole.iter().fold(Rules::new(mesh), |rules, name| rules.with(name, ()));
        let hidden = self.splits_hidden().then_some("model");
        let base =
            ["hidden", "heads", "expert_hidden"].iter().fold(base, |rules, name| rules.with(name, hidden));
        match self {
            Strategy::Model => placed(base, &[], None, None),
            Strategy::Data | Strategy::DataModel => placed(base, &["data"], None, Some("data")),
            Strategy::Expert => placed(base, &["expert"], Some("expert"), None),
            Strategy::ExpertData | Strategy::ExpertDataModel => {
                placed(base, &["data", "expert"], Some("expert"), Some("data"))
            }
        }
    }

    fn splits_hidden(self) -> bool {
        matches!(self, Strategy::Model | Strategy::DataModel | Strategy::ExpertDataModel)
    }
}

/// Where the batch lies, where experts do, and over which axis an expert's groups are split.
fn placed(base: Rules, batch: &[&str], expert: Option<&str>, groups: Option<&str>) -> Rules {
    let rules = base.with("expert", expert).with("expert_group", groups);
    match batch {
        [one, two] => rules.with("batch", [*one, *two]).with("group", [*one, *two]),
        [one] => rules.with("batch", *one).with("group", *one),
        _ => rules.with("batch", ()).with("group", ()),
    }
}
