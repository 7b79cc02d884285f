//! The blocks of a stack at work: one after the other, or in a loop over periods of them.
//!
//! ```text
//! x + attention(norm x)    [x + attention(norm x, memory)]    x + ffn(norm x)  or  x + experts(norm x)
//! ```
//!
//! What every block is given is held in one place ([`Run`]); sizes and parameters are the [`Stack`]'s.

use super::transformer::{Fates, LossesOver, Stack, View, under};
use crate::layers::attention::Mask;
use crate::layers::dropout;
use crate::layers::position::by_pair;
use crate::moe::route::{Counts, Routing};
use crate::params::Params;
use meshwright_tensor::prelude::*;

/// What the layers of experts of a block tell.
#[derive(Clone, Debug, Tree)]
pub(super) struct Told {
    /// Balancing loss, summed over them.
    balance: Tensor,
    /// z-loss, summed over them.
    z: Tensor,
    /// Of each.
    counts: Vec<Counts>,
    /// Where losses are taken over a stack: of each, the share of a group's tokens that an expert sees, where who was
    /// dropped counts for the first; and its mean gate. `[G, E]` both.
    shares: Vec<(Tensor, Tensor)>,
}

impl Stack<'_> {
    /// Of `x [batch, length, model]`.
    pub fn apply(&self, p: &Params, x: Tensor, view: View, key: Option<Key>) -> (Tensor, Fates) {
        let length = x.dim(1);
        let rows = self.bias().map(|bias| bias.by_distance(p, length, length));
        let [first, last] = [0, 1].map(|more| key.map(|key| key.fold_in(self.blocks + more)));
        let x = placed(dropout(x, self.net.dropout, first));
        let run = Run { stack: self, p, view, rows, bias: None };
        let (x, told, parts) = match self.net.pipeline {
            Some(piped) => run.piped(x, key, piped),
            None => {
                let (x, told) = if self.net.stacked {
                    run.looped(x, key)
                } else {
                    run.with_bias(length).unrolled(x, key)
                };
                (x, told, 1)
            }
        };
        let fates = Fates::of(&told, parts, self.losses_over());
        let x = self.net.norm.apply(under(self.path, "final_norm"), p, x, self.net.epsilon);
        (dropout(x, self.net.inner_dropout(), last), fates)
    }
}

/// A stack with what all of its blocks are given.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub stack: &'a Stack<'a>,
    pub p: &'a Params,
    pub view: View,
    /// The position bias by distance, `[distances, heads]`.
    pub rows: Option<Tensor>,
    /// The same by pair: added to the logits of attention to itself.
    pub bias: Option<Tensor>,
}

impl Run<'_> {
    pub(super) fn with_bias(self, length: i64) -> Self {
        Run { bias: self.rows.map(|rows| by_pair(rows, length, length)), ..self }
    }

    /// The blocks one after the other, and what those with experts told.
    pub(super) fn unrolled(&self, mut x: Tensor, key: Option<Key>) -> (Tensor, Vec<Told>) {
        let mut all = Vec::new();
        for block in 0..self.stack.blocks {
            let key = key.map(|key| key.fold_in(block));
            let (out, told) = self.kept_or_not(|| self.block(x, block, key));
            x = out;
            all.extend(told);
        }
        (x, all)
    }

    /// A loop over periods, whose weights are slices of piles. The bias is spread out over pairs in every turn, so that
    /// the loop sums up what is said of it by distance: few numbers, which devices reduce once, behind the loop. By
    /// pair they would be reduced in every turn.
    fn looped(&self, x: Tensor, key: Option<Key>) -> (Tensor, Vec<Told>) {
        let trips = (self.stack.blocks / self.stack.period()) as i64;
        let (x, told) = scan(x, (self.piles(), range(i32, trips)), |x, (p, turn)| {
            let key = key.map(|key| key.fold_in(turn));
            let turned = Run { p: &p, ..*self };
            turned.kept_or_not(|| turned.with_bias(x.dim(1)).one_period(x, key))
        });
        (x, told.into_iter().collect())
    }

    /// The weights of the blocks, which lie in piles.
    pub(super) fn piles(&self) -> Params {
        let mine = under(self.stack.path, "block_");
        let of_blocks = self.p.list.iter().filter(|(name, _)| name.starts_with(&mine));
        Params { list: of_blocks.cloned().collect() }
    }

    fn one_period(&self, mut x: Tensor, key: Option<Key>) -> (Tensor, Option<Told>) {
        let mut last = None;
        for block in 0..self.stack.period() {
            let key = key.map(|key| key.fold_in(block));
            let (out, told) = self.block(x, block, key);
            (x, last) = (out, told.or(last));
        }
        (x, last)
    }

    fn kept_or_not<R: Tree>(&self, block: impl FnOnce() -> R) -> R {
        if self.stack.net.recompute { checkpoint(block) } else { block() }
    }

    fn block(&self, x: Tensor, block: usize, key: Option<Key>) -> (Tensor, Option<Told>) {
        scope(self.stack.at(block, "").trim_end_matches('.'), || {
            let [to_own, to_memory, to_mlp] = keys(key);
            let (x, mut routings) = scope("attention", || self.look(x, block, to_own));
            let x = match self.view.memory.filter(|_| self.stack.cross) {
                Some(seen) => scope("cross", || self.look_across(x, block, seen, to_memory)),
                None => x,
            };
            let ffn = if self.stack.experts(block).is_some() { "experts" } else { "mlp" };
            let (x, routing) = scope(ffn, || self.think(x, block, to_mlp));
            routings.extend(routing);
            (x, told(routings, self.stack.losses_over()))
        })
    }

    /// The residual with what a layer adds to it.
    fn joined(&self, x: Tensor, more: Tensor, key: Option<Key>) -> Tensor {
        placed(x + dropout(more, self.stack.net.dropout, key))
    }

    fn normed(&self, x: Tensor, block: usize, name: &str) -> Tensor {
        self.stack.net.norm.apply(self.stack.at(block, name), self.p, x, self.stack.net.epsilon)
    }

    fn look(&self, x: Tensor, block: usize, key: Option<Key>) -> (Tensor, Vec<Routing>) {
        let [inside, after] = keys(key);
        let (stack, p, inner) = (self.stack, self.p, self.normed(x, block, "attention_norm"));
        let mask = Mask { causal: stack.causal, ..self.view.own };
        let (seen, routings) = match stack.expert_attention(block) {
            Some(attention) => {
                let real = self.stack.routed(self.view.real);
                let (seen, routings) = attention.apply(p, inner, mask, self.bias, real, inside);
                (seen, routings.to_vec())
            }
            None => {
                let attention = stack.attention(block, "attention");
                (attention.apply(p, inner, inner, mask, self.bias, inside), Vec::new())
            }
        };
        (self.joined(x, seen, after), routings)
    }

    fn look_across(
        &self,
        x: Tensor,
        block: usize,
        (memory, mask): (Tensor, Mask),
        key: Option<Key>,
    ) -> Tensor {
        let [inside, after] = keys(key);
        let inner = self.normed(x, block, "cross_norm");
        let attention = self.stack.attention(block, "cross");
        self.joined(x, attention.apply(self.p, inner, memory, mask, None, inside), after)
    }

    fn think(&self, x: Tensor, block: usize, key: Option<Key>) -> (Tensor, Option<Routing>) {
        let [inside, after] = keys(key);
        let inner = self.normed(x, block, "mlp_norm");
        let Some(experts) = self.stack.experts(block) else {
            let out = self.stack.ffn(block).apply(self.p, inner, inside);
            return (self.joined(x, out, after), None);
        };
        let (out, routing) = experts.apply(self.p, inner, self.stack.routed(self.view.real), inside);
        (self.joined(x, out, after), Some(routing))
    }
}

impl Fates {
    /// Of what blocks with experts told, each of so many layers along a dim and for so many parts of the batch: the
    /// mean of losses over parts, and the counts of all their groups. In the order of blocks: of each the first layer,
    /// then of each the second.
    ///
    /// ```text
    /// balance, z: [parts, layers] or less      counts: [parts, layers, groups, experts]
    /// ```
    fn of(told: &[Told], parts: i64, over: LossesOver) -> Fates {
        let mean = |loss: Tensor| loss.sum(..) / parts as f64;
        let layers = told.first().map_or(0, |told| told.balance.elements() / parts.max(1));
        let of_layer = |counts: &Vec<Counts>, layer: i64| {
            counts.map(&mut |count| {
                let all = count.reshape([parts, layers, -1, count.dim(-1)]);
                all.slice_dim(1, layer..layer + 1).reshape([-1, count.dim(-1)])
            })
        };
        let counts =
            (0..layers).flat_map(|layer| told.iter().flat_map(move |told| of_layer(&told.counts, layer)));
        let sum = |all: Vec<Tensor>| all.into_iter().reduce(|a, b| a + b);
        let z = sum(told.iter().map(|told| mean(told.z)).collect());
        let counts: Vec<Counts> = counts.collect();
        match over {
            LossesOver::Layers => {
                Fates { balance: sum(told.iter().map(|told| mean(told.balance)).collect()), z, counts }
            }
            LossesOver::Stack => {
                // Of all layers alike: the mean over them, by group.
                let shares: Vec<(Tensor, Tensor)> =
                    told.iter().flat_map(|told| told.shares.clone()).collect();
                let all = (shares.len() as i64 * layers).max(1) as f64;
                let pooled = |x: Tensor| x.reshape([parts, layers, -1, x.dim(-1)]).sum(1);
                let seen = sum(shares.iter().map(|(seen, _)| pooled(*seen)).collect());
                let gates = sum(shares.iter().map(|(_, gates)| pooled(*gates)).collect());
                let balance = seen.zip(gates).map(|(seen, gates)| {
                    let experts = gates.dim(-1) as f64;
                    (seen * gates).mean(..) * (experts * experts / (all * all))
                });
                Fates { balance, z: z.map(|z| z / all), counts }
            }
        }
    }
}

/// What the routings of one block tell.
fn told(routings: Vec<Routing>, over: LossesOver) -> Option<Told> {
    let z = |routing: &Routing| routing.z_loss.unwrap_or(routing.balance_loss * 0.0);
    let balance = routings.iter().map(|routing| routing.balance_loss).reduce(|a, b| a + b)?;
    let z = routings.iter().map(z).reduce(|a, b| a + b)?;
    let shares = match over {
        LossesOver::Layers => Vec::new(),
        LossesOver::Stack => routings.iter().filter_map(shares).collect(),
    };
    Some(Told { balance, z, counts: routings.into_iter().map(|routing| routing.counts).collect(), shares })
}

/// The share of a group's tokens that each expert sees, the first also those that none sees, and its mean gate.
fn shares(routing: &Routing) -> Option<(Tensor, Tensor)> {
    let (gates, first) = (routing.gates?, routing.choices.first()?);
    let seen = first.kept.select(first.expert, 0).one_hot(gates.dim(-1), gates.dtype());
    Some((seen.mean(1), gates.mean(1)))
}

/// Activations between layers, as the table says.
pub(super) fn placed(x: Tensor) -> Tensor {
    x.logical(["batch", "", "features"])
}

pub(super) fn keys<const N: usize>(key: Option<Key>) -> [Option<Key>; N] {
    let split: Option<[Key; N]> = key.map(Key::split);
    std::array::from_fn(|at| split.map(|keys| keys[at]))
}
