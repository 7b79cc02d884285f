//! The blocks of a Transformer: attention (to itself, and to a memory), then a feed-forward layer or one of experts,
//! each behind a norm and beside a residual. One definition for all models of this crate.
//!
//! ```text
//! x + attention(norm x)    [x + attention(norm x, memory)]    x + ffn(norm x)  or  x + experts(norm x)
//! ```
//!
//! Blocks are traced one after the other, or, `stacked`, once for a period (from one block of experts to the next) that
//! a loop runs over weights with a leading dim `layer`: the program's text then does not grow with the depth.
//!
//! Not here: embeddings, losses, steps.

use crate::layers::attention::{Attention, Mask};
use crate::layers::dropout;
use crate::layers::ffn::{Activation, Ffn};
use crate::layers::norm::Norm;
use crate::layers::position::RelativePosition;
use crate::moe::attention::{Projection, SwitchAttention};
use crate::moe::capacity::Capacity;
use crate::moe::exchange::Exchange;
use crate::moe::layer::{CONFIG, Experts, Gate};
use crate::moe::route::{Counts, Routing};
use crate::params::{Params, Spec, Specs};
use meshwright_ground::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// How places are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// T5's bias, shared by the blocks of a stack.
    Relative,
    /// Waves added to embeddings.
    Waves,
}

/// Layers of experts in place of feed-forward ones.
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
    pub exchange: Exchange,
    /// Dropout inside of experts.
    pub dropout: f64,
    /// Whether attention to itself has experts too, in the same blocks (Switch, appendix A), and of what kind.
    pub attention: Option<Projection>,
}

/// Sizes and choices that all stacks of a model share.
#[derive(Clone, Debug)]
pub struct Transformer {
    pub model: i64,
    pub hidden: i64,
    pub heads: i64,
    pub kv: i64,
    pub activation: Activation,
    pub norm: Norm,
    pub position: Position,
    /// Divide attention's logits by sqrt(kv).
    pub scaled: bool,
    pub dropout: f64,
    /// s of the initializer.
    pub scale: f64,
    pub moe: Option<Moe>,
    /// Type of activations.
    pub compute: DType,
    /// One traced period in a loop, instead of every block.
    pub stacked: bool,
    /// Compute blocks again in the backward pass, instead of keeping what they made.
    pub recompute: bool,
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
#[derive(Clone, Copy, Default)]
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

    fn of((balance, z, counts): Told) -> Fates {
        Fates { balance: Some(balance), z: Some(z), counts }
    }
}

/// What the routings of one block tell.
fn told(routings: Vec<Routing>) -> Option<Told> {
    let z = |routing: &Routing| routing.z_loss.unwrap_or(routing.balance_loss * 0.0);
    let balance = routings.iter().map(|routing| routing.balance_loss).reduce(|a, b| a + b)?;
    let z = routings.iter().map(z).reduce(|a, b| a + b)?;
    Some((balance, z, routings.into_iter().map(|routing| routing.counts).collect()))
}

fn sum(a: Option<Tensor>, b: Option<Tensor>) -> Option<Tensor> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

/// What the layers of experts of a block tell: balancing loss, z-loss, counts of each.
type Told = (Tensor, Tensor, Vec<Counts>);

impl Transformer {
    /// Blocks from one with experts to the next.
    pub fn period(&self) -> usize {
        self.moe.as_ref().map_or(1, |moe| moe.every.max(1))
    }

    fn has_experts(&self, block: usize) -> bool {
        let every = self.moe.as_ref().map_or(0, |moe| moe.every);
        every > 0 && block % every == every - 1
    }

    /// The same with experts in `1/n` of the groups: for a part of the batch.
    pub fn part(&self, n: i64) -> Transformer {
        let part = |moe: &Moe| Moe { groups: moe.groups / n.max(1), ..moe.clone() };
        Transformer { moe: self.moe.as_ref().map(part), ..self.clone() }
    }
}

impl Stack<'_> {
    fn at(&self, block: usize, name: &str) -> String {
        under(self.path, &format!("block_{block}.{name}"))
    }

    fn attention(&self, block: usize, name: &str) -> Attention {
        let net = self.net;
        Attention {
            path: self.at(block, name),
            model: net.model,
            heads: net.heads,
            kv: net.kv,
            scaled: net.scaled,
            dropout: net.dropout,
            scale: net.scale,
        }
    }

    /// Attention of experts, if this block has it.
    fn expert_attention(&self, block: usize) -> Option<SwitchAttention> {
        let moe = self.net.moe.as_ref().filter(|_| self.net.has_experts(block))?;
        Some(SwitchAttention {
            attention: self.attention(block, "attention"),
            experts: moe.experts,
            groups: moe.groups,
            gate: moe.gate,
            capacity: moe.capacity,
            exchange: moe.exchange,
            projection: moe.attention?,
        })
    }

    fn ffn(&self, block: usize) -> Ffn {
        let net = self.net;
        Ffn {
            path: self.at(block, "mlp"),
            model: net.model,
            hidden: net.hidden,
            activation: net.activation,
            dropout: net.dropout,
            scale: net.scale,
        }
    }

    fn experts(&self, block: usize) -> Option<Experts> {
        let net = self.net;
        let moe = net.moe.as_ref().filter(|_| net.has_experts(block))?;
        Some(Experts {
            path: self.at(block, "moe"),
            model: net.model,
            hidden: moe.hidden,
            experts: moe.experts,
            groups: moe.groups,
            gate: moe.gate,
            capacity: moe.capacity,
            exchange: moe.exchange,
            activation: net.activation,
            dropout: moe.dropout,
            scale: net.scale,
        })
    }

    fn bias(&self) -> Option<RelativePosition> {
        let bias = || RelativePosition::t5(under(self.path, "position"), self.net.heads, !self.causal);
        (self.net.position == Position::Relative).then(bias)
    }

    /// What is wrong with the sizes, for a batch of this many tokens.
    pub fn check(&self, tokens: i64) -> Result<(), Diagnostic> {
        let period = self.net.period();
        if self.net.stacked && !self.blocks.is_multiple_of(period) {
            let message = format!("{} blocks are not a multiple of the period of {period}", self.blocks);
            let help = "use a number of blocks that divides, or do not stack them";
            return Err(Diagnostic::error(CONFIG, message).help(help));
        }
        (0..self.blocks).find_map(|block| self.experts(block)).map_or(Ok(()), |experts| experts.check(tokens))
    }

    pub fn declare(&self, specs: &mut Specs) {
        if let Some(bias) = self.bias() {
            bias.declare(specs);
        }
        let mut blocks = Specs::default();
        let traced = if self.net.stacked { self.net.period() } else { self.blocks };
        (0..traced).for_each(|block| self.declare_block(block, &mut blocks));
        let times = (self.blocks / self.net.period()) as i64;
        let piled = |spec: Spec| if self.net.stacked { pile(spec, times) } else { spec };
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

    /// Of `x [batch, length, model]`.
    pub fn apply(&self, p: &Params, x: Tensor, view: View, key: Option<Key>) -> (Tensor, Fates) {
        let length = x.dim(1);
        let bias = self.bias().map(|bias| bias.apply(p, length, length));
        let [first, last] = [0, 1].map(|more| key.map(|key| key.fold_in(self.blocks + more)));
        let x = placed(dropout(x, self.net.dropout, first));
        let (x, fates) = match self.net.stacked {
            true => self.looped(p, x, view, bias, key),
            false => self.unrolled(p, x, view, bias, key),
        };
        let x = self.net.norm.apply(under(self.path, "final_norm"), p, x);
        (dropout(x, self.net.dropout, last), fates)
    }

    fn unrolled(
        &self,
        p: &Params,
        mut x: Tensor,
        view: View,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Fates) {
        let mut fates = Fates::default();
        for block in 0..self.blocks {
            let key = key.map(|key| key.fold_in(block));
            let (out, told) = self.kept_or_not(|| self.block(p, x, block, view, bias, key));
            x = out;
            fates = told.map_or(fates.clone(), |told| fates.and(Fates::of(told)));
        }
        (x, fates)
    }

    /// A loop over periods, whose weights are slices of `p`'s.
    fn looped(
        &self,
        p: &Params,
        x: Tensor,
        view: View,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Fates) {
        let (period, mine) = (self.net.period(), under(self.path, "block_"));
        let piles: Vec<(String, Tensor)> =
            p.list.iter().filter(|(name, _)| name.starts_with(&mine)).cloned().collect();
        let trips = (self.blocks / period) as i64;
        let (x, told) = scan(x, (Params { list: piles }, range(i32, trips)), |x, (p, turn)| {
            let key = key.map(|key| key.fold_in(turn));
            self.kept_or_not(|| self.one_period(&p, x, view, bias, key))
        });
        let Some((balance, z, counts)) = told else { return (x, Fates::default()) };
        let layer = |at: i64| counts.map(&mut |count| count.slice_dim(0, at..at + 1).squeeze(0));
        let counts = (0..trips).flat_map(layer).collect();
        (x, Fates { balance: Some(balance.sum(..)), z: Some(z.sum(..)), counts })
    }

    fn one_period(
        &self,
        p: &Params,
        mut x: Tensor,
        view: View,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Option<Told>) {
        let mut last = None;
        for block in 0..self.net.period() {
            let key = key.map(|key| key.fold_in(block));
            let (out, told) = self.block(p, x, block, view, bias, key);
            (x, last) = (out, told.or(last));
        }
        (x, last)
    }

    fn kept_or_not<R: Tree>(&self, block: impl FnOnce() -> R) -> R {
        if self.net.recompute { checkpoint(block) } else { block() }
    }

    fn block(
        &self,
        p: &Params,
        x: Tensor,
        block: usize,
        view: View,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Option<Told>) {
        scope(self.at(block, "").trim_end_matches('.'), || {
            let [to_own, to_memory, to_mlp] = keys(key);
            let (x, mut routings) = self.look(p, x, block, view, bias, to_own);
            let x = match view.memory.filter(|_| self.cross) {
                Some((memory, mask)) => self.look_across(p, x, block, (memory, mask), to_memory),
                None => x,
            };
            let (x, routing) = self.think(p, x, block, view.real, to_mlp);
            routings.extend(routing);
            (x, told(routings))
        })
    }

    /// The residual with what a layer adds to it.
    fn joined(&self, x: Tensor, more: Tensor, key: Option<Key>) -> Tensor {
        placed(x + dropout(more, self.net.dropout, key))
    }

    fn normed(&self, p: &Params, x: Tensor, block: usize, name: &str) -> Tensor {
        self.net.norm.apply(self.at(block, name), p, x)
    }

    fn look(
        &self,
        p: &Params,
        x: Tensor,
        block: usize,
        view: View,
        bias: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Vec<Routing>) {
        let [inside, after] = keys(key);
        let inner = self.normed(p, x, block, "attention_norm");
        let mask = Mask { causal: self.causal, ..view.own };
        let (seen, routings) = match self.expert_attention(block) {
            Some(attention) => {
                let (seen, routings) = attention.apply(p, inner, mask, bias, view.real, inside);
                (seen, routings.to_vec())
            }
            None => {
                let attention = self.attention(block, "attention");
                (attention.apply(p, inner, inner, mask, bias, inside), Vec::new())
            }
        };
        (self.joined(x, seen, after), routings)
    }

    fn look_across(
        &self,
        p: &Params,
        x: Tensor,
        block: usize,
        (memory, mask): (Tensor, Mask),
        key: Option<Key>,
    ) -> Tensor {
        let [inside, after] = keys(key);
        let inner = self.normed(p, x, block, "cross_norm");
        let seen = self.attention(block, "cross").apply(p, inner, memory, mask, None, inside);
        self.joined(x, seen, after)
    }

    fn think(
        &self,
        p: &Params,
        x: Tensor,
        block: usize,
        real: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Option<Routing>) {
        let [inside, after] = keys(key);
        let inner = self.normed(p, x, block, "mlp_norm");
        let Some(experts) = self.experts(block) else {
            return (self.joined(x, self.ffn(block).apply(p, inner, inside), after), None);
        };
        let (out, routing) = experts.apply(p, inner, real, inside);
        (self.joined(x, out, after), Some(routing))
    }
}

/// Activations between layers, as the table says.
fn placed(x: Tensor) -> Tensor {
    x.logical(["batch", "", "features"])
}

fn keys<const N: usize>(key: Option<Key>) -> [Option<Key>; N] {
    let split: Option<[Key; N]> = key.map(Key::split);
    std::array::from_fn(|at| split.map(|keys| keys[at]))
}

/// `path.name`, or the name alone.
fn under(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// A parameter as many times, along a leading dim.
fn pile(spec: Spec, times: i64) -> Spec {
    let dims = std::iter::once(("layer", times)).chain(spec.dims).collect();
    Spec { dims, ..spec }
}
