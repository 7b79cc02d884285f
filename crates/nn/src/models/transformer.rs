//! What a Transformer is made of: its sizes and choices, its stacks of blocks, and their parameters. One definition for
//! all models of this crate.
//!
//! ```text
//! x + attention(norm x)    [x + attention(norm x, memory)]    x + ffn(norm x)  or  x + experts(norm x)
//! ```
//!
//! Blocks are traced one after the other, or, `stacked`, once for a period (from one block of experts to the next) that
//! a loop runs over weights with a leading dim `layer`: the program's text then does not grow with the depth.
//!
//! Not here: how blocks work on tensors (`blocks`, `stages`), embeddings, losses, steps.

use super::piped::Piped;
use crate::layers::attention::{Attention, Mask};
use crate::layers::embed::RowScale;
use crate::layers::ffn::{Activation, Ffn};
use crate::layers::norm::Norm;
use crate::layers::position::{RelativePosition, waves};
use crate::layers::rotary::Rotary;
use crate::moe::attention::{Projection, SwitchAttention};
use crate::moe::capacity::Capacity;
use crate::moe::exchange::Exchange;
use crate::moe::layer::{CONFIG, Experts, Gate};
use crate::moe::route::Counts;
use crate::moe::router::{Precision, Router};
use crate::params::{Params, Spec, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// How places are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// T5's bias, shared by the blocks of a stack.
    Relative,
    /// Waves added to embeddings.
    Waves,
    /// The same, where the first token stands at this place.
    WavesFrom(i64),
    /// Queries and keys turned by their places: pair `i` of `n` by `base^(-i/n)` a place, for this base.
    Rotary(i64),
}

impl Position {
    /// What is added to embeddings of tokens at these places, `[.., length]`.
    pub(in crate::models) fn waves(self, places: impl FnOnce() -> Tensor, model: i64) -> Option<Tensor> {
        match self {
            Position::Relative | Position::Rotary(_) => None,
            Position::Waves => Some(waves(places(), model)),
            Position::WavesFrom(first) => Some(waves(places() + first as f64, model)),
        }
    }
}

/// Where dropout is besides what enters a stack, what a layer adds to the residual, and attention's chances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropoutPlaces {
    /// Nowhere else (GShard, A.2).
    Residual,
    /// Also inside of feed-forward layers and behind the last norm of a stack (T5).
    Everywhere,
}

/// Which layers of a block with experts have them (Switch, Table 10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    Ffn,
    /// Attention to itself, whose projections are of this kind.
    Attention(Projection),
    Both(Projection),
}

impl Where {
    pub fn in_ffn(self) -> bool {
        matches!(self, Where::Ffn | Where::Both(_))
    }

    /// What experts of attention are, if there are any.
    pub fn in_attention(self) -> Option<Projection> {
        match self {
            Where::Ffn => None,
            Where::Attention(projection) | Where::Both(projection) => Some(projection),
        }
    }
}

/// Layers of experts in place of others.
#[derive(Clone, Debug)]
pub struct Moe {
    pub experts: i64,
    /// Hidden dim of an expert.
    pub hidden: i64,
    /// Every so many blocks has experts, the last of them: 2 for blocks 1, 3, 5.
    pub every: usize,
    pub groups: i64,
    pub gate: Gate,
    pub capacity: Capacity,
    /// What a stack that looks back has instead of both, if anything: `gate` may look ahead, which a decoder must not.
    pub back: Option<(Gate, Capacity)>,
    pub exchange: Exchange,
    pub precision: Precision,
    /// Dropout inside of experts.
    pub dropout: f64,
    pub layers: Where,
    /// Whether stacks that look back have them too: else they are dense.
    pub in_decoders: bool,
    /// Share of what experts say that is masked in training (`Experts::masking`).
    pub masking: f64,
    /// Whether padding is routed as any token, and takes places.
    pub routes_padding: bool,
    /// Over what the balancing and z-losses of a stack are taken.
    pub losses_over: LossesOver,
}

/// Over what the losses of a stack's routers are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LossesOver {
    /// Each layer for itself, summed up (Switch, GShard).
    #[default]
    Layers,
    /// The tokens of a group in all layers of the stack together, as Hugging Face's `transformers` has it: one loss,
    /// and who was dropped counts for the first expert.
    Stack,
}

/// Sizes and choices that all stacks of a model share.
#[derive(Clone, Debug)]
pub struct Transformer {
    pub model: i64,
    pub hidden: i64,
    pub heads: i64,
    /// Heads of keys and values, each of which serves as many heads of queries; 0 for one each.
    pub kv_heads: i64,
    pub kv: i64,
    pub activation: Activation,
    /// Whether the products of attention and of feed-forward layers have biases.
    pub biases: bool,
    pub norm: Norm,
    /// Added to the variance that a norm divides by.
    pub epsilon: f64,
    pub rows: RowScale,
    pub position: Position,
    /// Divide attention's logits by sqrt(kv).
    pub scaled: bool,
    /// Attention's logits and softmax in the type of activations.
    pub narrow_logits: bool,
    pub dropout: f64,
    pub dropout_places: DropoutPlaces,
    /// s of the initializer.
    pub scale: f64,
    pub moe: Option<Moe>,
    /// Type of activations.
    pub compute: DType,
    /// One traced period in a loop, instead of every block.
    pub stacked: bool,
    /// Compute blocks again in the backward pass, instead of keeping what they made.
    pub recompute: bool,
    /// Each stack as a pipeline of its own, if at all, `stacked` or not: the blocks of a stage are traced, for all
    /// stages.
    pub pipeline: Option<Piped>,
}

/// A stack of blocks.
#[derive(Clone, Debug)]
pub struct Stack<'a> {
    pub net: &'a Transformer,
    /// Prefix of its parameters; may be empty.
    pub path: &'static str,
    pub blocks: usize,
    /// Whether tokens look back only.
    pub causal: bool,
    /// Whether blocks also look at a memory.
    pub cross: bool,
}

/// What a stack is given besides `x`.
#[derive(Clone, Copy, Default, Tree)]
pub struct View {
    /// Of attention to itself; `causal` is the stack's.
    pub own: Mask,
    /// What another stack made of its tokens, and what of it may be seen.
    pub memory: Option<(Tensor, Mask)>,
    /// Tokens that are not padding, `pred[batch, length]`: the others take no expert's place.
    pub real: Option<Tensor>,
}

/// What the experts of a stack, or of several, add to the loss, and where tokens went.
#[derive(Clone, Debug, Default)]
pub struct Fates {
    /// The sum of the balancing losses.
    pub balance: Option<Tensor>,
    /// The sum of the routers' z-losses.
    pub z: Option<Tensor>,
    /// One per layer of experts.
    pub counts: Vec<Counts>,
}

impl Fates {
    /// Both.
    pub fn and(mut self, other: Fates) -> Fates {
        self.balance = sum(self.balance, other.balance);
        self.z = sum(self.z, other.z);
        self.counts.extend(other.counts);
        self
    }
}

fn sum(a: Option<Tensor>, b: Option<Tensor>) -> Option<Tensor> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

impl Transformer {
    /// Dropout inside of feed-forward layers and behind a stack.
    pub(super) fn inner_dropout(&self) -> f64 {
        match self.dropout_places {
            DropoutPlaces::Residual => 0.0,
            DropoutPlaces::Everywhere => self.dropout,
        }
    }

    /// The experts of a stack, if it has any.
    pub fn moe_of(&self, causal: bool) -> Option<&Moe> {
        self.moe.as_ref().filter(|moe| moe.every > 0 && (moe.in_decoders || !causal))
    }

    /// The same with experts in `1/n` of the groups: for a part of the batch.
    pub fn part(&self, n: i64) -> Transformer {
        let part = |moe: &Moe| Moe { groups: moe.groups / n.max(1), ..moe.clone() };
        Transformer { moe: self.moe.as_ref().map(part), ..self.clone() }
    }
}

impl Moe {
    /// Whether this block has them.
    pub fn are_in(&self, block: usize) -> bool {
        block % self.every.max(1) == self.every.max(1) - 1
    }
}

impl Stack<'_> {
    /// Its experts, if it has any.
    pub(super) fn moe(&self) -> Option<&Moe> {
        self.net.moe_of(self.causal)
    }

    pub(super) fn losses_over(&self) -> LossesOver {
        self.moe().map_or(LossesOver::Layers, |moe| moe.losses_over)
    }

    /// What routers are told of padding.
    pub(super) fn routed(&self, real: Option<Tensor>) -> Option<Tensor> {
        real.filter(|_| !self.moe().is_some_and(|moe| moe.routes_padding))
    }

    /// Blocks from one with experts to the next.
    pub(super) fn period(&self) -> usize {
        self.moe().map_or(1, |moe| moe.every)
    }

    pub(super) fn at(&self, block: usize, name: &str) -> String {
        under(self.path, &format!("block_{block}.{name}"))
    }

    pub(super) fn attention(&self, block: usize, name: &str) -> Attention {
        let net = self.net;
        Attention {
            path: self.at(block, name),
            model: net.model,
            heads: net.heads,
            kv: net.kv,
            scaled: net.scaled,
            narrow: net.narrow_logits,
            dropout: net.dropout,
            scale: net.scale,
            groups: if net.kv_heads == 0 { net.heads } else { net.kv_heads },
            biases: net.biases,
            rotary: match net.position {
                Position::Rotary(base) => Some(Rotary { base: base as f64, neighbours: false }),
                Position::Relative | Position::Waves | Position::WavesFrom(_) => None,
            },
        }
    }

    /// Attention of experts, if this block has it.
    pub(super) fn expert_attention(&self, block: usize) -> Option<SwitchAttention> {
        let moe = self.moe().filter(|moe| moe.are_in(block))?;
        Some(SwitchAttention {
            attention: self.attention(block, "attention"),
            experts: moe.experts,
            groups: moe.groups,
            gate: self.gate(moe).0,
            capacity: self.gate(moe).1,
            exchange: moe.exchange,
            precision: moe.precision,
            projection: moe.layers.in_attention()?,
        })
    }

    /// How tokens choose, and how much room there is.
    fn gate(&self, moe: &Moe) -> (Gate, Capacity) {
        moe.back.filter(|_| self.causal).unwrap_or((moe.gate, moe.capacity))
    }

    pub(super) fn ffn(&self, block: usize) -> Ffn {
        let net = self.net;
        Ffn {
            path: self.at(block, "mlp"),
            model: net.model,
            hidden: net.hidden,
            activation: net.activation,
            dropout: net.inner_dropout(),
            scale: net.scale,
            biases: net.biases,
        }
    }

    /// A feed-forward layer of experts, if this block has it.
    pub(super) fn experts(&self, block: usize) -> Option<Experts> {
        let net = self.net;
        let moe = self.moe().filter(|moe| moe.layers.in_ffn() && moe.are_in(block))?;
        Some(Experts {
            path: self.at(block, "moe"),
            model: net.model,
            hidden: moe.hidden,
            experts: moe.experts,
            groups: moe.groups,
            gate: self.gate(moe).0,
            capacity: self.gate(moe).1,
            exchange: moe.exchange,
            precision: moe.precision,
            activation: net.activation,
            dropout: moe.dropout,
            scale: net.scale,
            biases: net.biases,
            masking: moe.masking,
        })
    }

    pub(super) fn bias(&self) -> Option<RelativePosition> {
        let bias = || RelativePosition {
            scale: self.net.scale,
            ..RelativePosition::t5(under(self.path, "position"), self.net.heads, !self.causal)
        };
        (self.net.position == Position::Relative).then(bias)
    }

    /// What is wrong with the sizes, for a batch of this many sequences and tokens.
    pub fn check(&self, rows: i64, tokens: i64) -> Result<(), Diagnostic> {
        let period = self.period();
        if let Some(piped) = self.net.pipeline {
            let groups = self.moe().map(|moe| moe.groups);
            piped.check(self.blocks as i64, period as i64, rows, groups)?;
        }
        let is_stacked = self.net.stacked && self.net.pipeline.is_none();
        if is_stacked && !self.blocks.is_multiple_of(period) {
            let message = format!("{} blocks are not a multiple of the period of {period}", self.blocks);
            let help = "use a number of blocks that divides, or do not stack them";
            return Err(Diagnostic::error(CONFIG, message).help(help));
        }
        let Some(router) = (0..self.blocks).find_map(|block| self.router(block)) else { return Ok(()) };
        if self.causal && router.gate.looks_ahead() {
            let message = "experts that choose among all tokens of a group tell a decoder what comes later: with \
                           them it would be trained on what it is to predict";
            let help = "let only the encoder have such a gate (`Moe::back`), or take another";
            return Err(Diagnostic::error(CONFIG, message).help(help));
        }
        router.check(tokens)
    }

    /// A router of this block; all of a stack choose alike.
    fn router(&self, block: usize) -> Option<Router> {
        let of_ffn = self.experts(block).map(|experts| experts.router());
        of_ffn.or_else(|| self.expert_attention(block).map(|attention| attention.routers()[0].clone()))
    }

    /// Blocks that are traced: all, those of one period, or those of one stage.
    pub(super) fn traced(&self) -> usize {
        match self.net.pipeline {
            Some(piped) => self.blocks / piped.runs().max(1),
            None if self.net.stacked => self.period(),
            None => self.blocks,
        }
    }

    /// Dims in front of the parameters of each, over the blocks that it stands for.
    fn piles(&self) -> Vec<(&'static str, i64)> {
        match self.net.pipeline {
            Some(piped) => piped.piles(),
            None if self.net.stacked => vec![("layer", (self.blocks / self.period()) as i64)],
            None => Vec::new(),
        }
    }

    /// The weights of one block alone, and the number they are called by: that of the traced block that stands for it.
    pub(super) fn of_block(&self, p: &Params, block: usize) -> (usize, Params) {
        let traced = self.traced().max(1);
        let (run, number) = ((block / traced) as i64, block % traced);
        let places = match self.net.pipeline {
            Some(piped) => vec![run % piped.stages, run / piped.stages],
            None => vec![run],
        };
        let depth = self.piles().len();
        let laid = |x: Tensor| {
            let one = |x: Tensor, at: &i64| x.slice_dim(0, *at..at + 1).squeeze(0);
            places.iter().take(depth).fold(x, one)
        };
        let mine = self.at(number, "");
        let of_block = p.list.iter().filter(|(name, _)| name.starts_with(&mine));
        (number, Params { list: of_block.map(|(name, x)| (name.clone(), laid(*x))).collect() })
    }

    pub fn declare(&self, specs: &mut Specs) {
        if let Some(bias) = self.bias() {
            bias.declare(specs);
        }
        let mut blocks = Specs::default();
        (0..self.traced()).for_each(|block| self.declare_block(block, &mut blocks));
        let piles = self.piles();
        let piled = |spec: Spec| Spec { dims: [&piles[..], &spec.dims].concat(), ..spec };
        specs.list.extend(blocks.list.into_iter().map(piled));
        self.net.norm.declare(under(self.path, "final_norm"), self.net.model, specs);
    }

    fn declare_block(&self, block: usize, specs: &mut Specs) {
        let norm = |name: &str, specs: &mut Specs| {
            self.net.norm.declare(self.at(block, name), self.net.model, specs);
        };
        norm("attention_norm", specs);
        match self.expert_attention(block) {
            Some(attention) => attention.declare(specs),
            None => self.attention(block, "attention").declare(specs),
        }
        if self.cross {
            norm("cross_norm", specs);
            self.attention(block, "cross").declare(specs);
        }
        norm("mlp_norm", specs);
        match self.experts(block) {
            Some(experts) => experts.declare(specs),
            None => self.ffn(block).declare(specs),
        }
    }
}

/// `path.name`, or the name alone.
pub(super) fn under(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}
