//! Optimizers: from gradients and their own states to new weights, for any tree of tensors.
//!
//! ```text
//! gradient --clip--> push --rule--> push --rule--> push      w = w - rate push      ema = d ema + (1-d) w
//! ```
//!
//! An optimizer is a chain of [`Rule`]s, each for all leaves of the tree or for some ([`only`](Optimizer::only)). The
//! states of a leaf are named `SLOT.LEAF`, begin with zeros and keep the names of its dims, so that they are split as
//! it is. The step counts from 1.

pub mod adafactor;
pub mod adam;
pub mod clip;
pub mod leaf;
pub mod lion;
pub mod momentum;
pub mod muon;
mod push;
pub mod rms_prop;
pub mod rule;
pub mod schedule;
pub mod stored;
pub mod train;

use crate::layers::attention::wide;
use crate::params::Params;
use adafactor::Adafactor;
use adam::Adam;
use leaf::{Leaf, Slot};
use lion::Lion;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;
use momentum::Momentum;
use muon::Muon;
use push::Push;
use rms_prop::RmsProp;
use rule::Rule;
use schedule::Schedule;
use std::fmt;
use std::sync::Arc;

/// A chain of rules with a rate.
#[derive(Clone, Debug)]
pub struct Optimizer {
    pub links: Vec<Link>,
    pub rate: Schedule,
    /// Most norm of all gradients together; none is no limit.
    pub clip: Option<f64>,
    /// How much the running average of each weight keeps in a step; none is no average.
    pub ema: Option<f64>,
}

/// A rule and the leaves it is for.
#[derive(Clone)]
pub struct Link {
    pub rule: Rule,
    mask: Option<Mask>,
}

type Mask = Arc<dyn Fn(&Leaf) -> bool + Send + Sync>;

impl Link {
    fn is_for(&self, leaf: &Leaf) -> bool {
        self.mask.as_ref().is_none_or(|mask| mask(leaf))
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = if self.mask.is_some() { " for some leaves" } else { "" };
        write!(f, "{:?}{some}", self.rule)
    }
}

/// The usual ones.
impl Optimizer {
    /// Gradient descent, with momentum if it is not 0.
    pub fn sgd(rate: impl Into<Schedule>, momentum: f64) -> Optimizer {
        let none = Optimizer { links: Vec::new(), rate: rate.into(), clip: None, ema: None };
        if momentum == 0.0 { none } else { none.then(Momentum { momentum, nesterov: false }) }
    }

    pub fn adam(rate: impl Into<Schedule>) -> Optimizer {
        Optimizer::new(Adam::default(), rate)
    }

    /// Adam with weight decay that is not part of the gradient.
    pub fn adamw(rate: impl Into<Schedule>, decay: f64) -> Optimizer {
        Optimizer::adam(rate).then(Rule::Decay(decay))
    }

    /// Adam with decay, each step as long as a share of its weight.
    pub fn lamb(rate: impl Into<Schedule>, decay: f64) -> Optimizer {
        let adam = Adam { epsilon: 1e-6, ..Adam::default() };
        Optimizer::new(adam, rate).then(Rule::Decay(decay)).then(Rule::Trust)
    }

    /// Signs of averaged gradients.
    pub fn lion(rate: impl Into<Schedule>, decay: f64) -> Optimizer {
        Optimizer::new(Lion::default(), rate).then(Rule::Decay(decay))
    }

    pub fn rms_prop(rate: impl Into<Schedule>) -> Optimizer {
        Optimizer::new(RmsProp::default(), rate)
    }

    /// Muon for matrices and Adam for the rest, with decay for all.
    pub fn muon(rate: impl Into<Schedule>, decay: f64) -> Optimizer {
        let matrices = Optimizer::new(Muon::default(), rate).only(Leaf::is_matrix);
        matrices.then(Adam::default()).only(|leaf| !leaf.is_matrix()).then(Rule::Decay(decay))
    }

    /// T5's Adafactor.
    pub fn adafactor(rate: impl Into<Schedule>) -> Optimizer {
        Optimizer::new(Adafactor::T5, rate)
    }
}

/// Others, put together.
impl Optimizer {
    pub fn new(rule: impl Into<Rule>, rate: impl Into<Schedule>) -> Optimizer {
        Optimizer::sgd(rate, 0.0).then(rule)
    }

    /// With another rule at the end of the chain.
    pub fn then(mut self, rule: impl Into<Rule>) -> Optimizer {
        self.links.push(Link { rule: rule.into(), mask: None });
        self
    }

    /// The last rule for these leaves only; it leaves the others as they are.
    ///
    /// ```
    /// use meshwright_nn::optim::{Optimizer, rule::Rule};
    /// // No decay for norms and biases.
    /// let adamw = Optimizer::adam(1e-3).then(Rule::Decay(0.01)).only(|leaf| leaf.dims.len() > 1);
    /// ```
    pub fn only(mut self, mask: impl Fn(&Leaf) -> bool + Send + Sync + 'static) -> Optimizer {
        if let Some(last) = self.links.last_mut() {
            last.mask = Some(Arc::new(mask));
        }
        self
    }

    /// With gradients scaled down together if their norm is above `most`.
    pub fn clip(self, most: f64) -> Optimizer {
        Optimizer { clip: Some(most), ..self }
    }

    /// With a running average of the weights in the states `ema.LEAF`: of steps 1 to `n`, to be divided by
    /// `1 - keep^n` ([`averages`]).
    pub fn ema(self, keep: f64) -> Optimizer {
        Optimizer { ema: Some(keep), ..self }
    }
}

/// How much of the first step's weight a running average has lost after `step` steps: what it is divided by.
pub fn averages(ema: Tensor, keep: f64, step: Tensor) -> Tensor {
    ema / (1.0 - (step.cast(ema.dtype()) * keep.ln()).exp())
}

const EMA: &str = "ema";

impl Optimizer {
    /// The states that a leaf needs, in the order of the chain; all begin with zeros.
    pub fn slots(&self, leaf: &Leaf) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::new();
        let average = self.ema.map(|_| leaf.slot(EMA));
        for mut slot in self.links_of(leaf).flat_map(|link| link.rule.slots(leaf)).chain(average) {
            let same = slots.iter().filter(|known| known.name.starts_with(&slot.name)).count();
            if same > 0 {
                slot.name = format!("{}_{}", slot.name, same + 1);
            }
            slots.push(slot);
        }
        slots
    }

    fn links_of(&self, leaf: &Leaf) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| link.is_for(leaf))
    }

    /// The states for all leaves of a tree whose places are called after `name`, made by `make` from their names.
    fn each_slot<P: Tree>(
        &self,
        name: &str,
        weights: &P,
        make: impl Fn(&str, DType, &Slot) -> Tensor,
    ) -> Params {
        let mut list = Vec::new();
        weights.visit(name, &mut |path, x| {
            let one = |slot: Slot| {
                let name = format!("{}.{path}", slot.name);
                let made = make(&name, wide(x.dtype()), &slot);
                (name, made)
            };
            list.extend(self.slots(&Leaf::of(path, x)).into_iter().map(one));
        });
        Params { list }
    }

    /// The optimizer's states as states of a step. `name` is that of the tree.
    pub fn states<P: Tree>(&self, t: Trace, name: &str, weights: &P) -> Params {
        self.each_slot(name, weights, |name, dtype, slot| t.state(name, dtype, slot.dims.clone()))
    }

    /// What they are before the first step.
    pub fn zeros<P: Tree>(&self, name: &str, weights: &P) -> Params {
        self.each_slot(name, weights, |_, dtype, slot| laid(zeros(dtype, slot.sizes()), slot.names()))
    }

    /// Weights and states after a step. Gradients are taken as they are; [`clipped`](Optimizer::clipped) comes before.
    /// What comes out is cut as the trace's table says of the names of its dims.
    pub fn step<P: Tree>(
        &self,
        name: &str,
        weights: &P,
        gradients: &P,
        states: &Params,
        step: Tensor,
    ) -> (P, Params) {
        let mut old = states.list.iter();
        let mut list = Vec::new();
        let mut gradients = gradients.leaves().into_iter();
        let mut next = Vec::new();
        weights.visit(name, &mut |path, w| {
            let leaf = Leaf::of(path, w);
            let slots = self.slots(&leaf);
            let mine: Vec<&(String, Tensor)> = old.by_ref().take(slots.len()).collect();
            let had: Vec<Tensor> = mine.iter().map(|(_, x)| *x).collect();
            let (new, has) = self.leaf_step(&leaf, (w, gradients.next().unwrap_or(w)), &had, step);
            next.push(laid(new, leaf.names()));
            let kept = mine.iter().zip(has).zip(&slots);
            list.extend(kept.map(|(((name, _), x), slot)| (name.clone(), laid(x, slot.names()))));
        });
        (weights.with_leaves(&next), Params { list })
    }

    fn leaf_step(
        &self,
        leaf: &Leaf,
        (w, gradient): (Tensor, Tensor),
        states: &[Tensor],
        step: Tensor,
    ) -> (Tensor, Vec<Tensor>) {
        let dtype = wide(w.dtype());
        let (x, step) = (w.cast(dtype), step.cast(dtype));
        let mut push = Push { x: gradient.cast(dtype), by: None };
        let (mut kept, mut rest) = (Vec::new(), states);
        for link in self.links_of(leaf) {
            let (mine, others) = rest.split_at(link.rule.slots(leaf).len().min(rest.len()));
            let (after, new) = link.rule.push(leaf, x, push, mine, step);
            (push, rest) = (after, others);
            kept.extend(new);
        }
        let rate = self.rate.rate(step);
        let next = x - push.by.map_or(rate, |by| rate * by) * push.x;
        if let (Some(keep), [ema]) = (self.ema, rest) {
            kept.push(*ema * keep + next * (1.0 - keep));
        }
        (next.cast(w.dtype()), kept)
    }

    /// The learning rate of a step; steps count from 1, as floats.
    pub fn learning_rate(&self, step: Tensor) -> Tensor {
        self.rate.rate(step)
    }

    /// Gradients within the limit of the clip, and their norm as it was.
    pub fn clipped<P: Tree>(&self, gradients: P) -> (P, Tensor) {
        match self.clip {
            Some(most) => clip::clip(gradients, most),
            None => {
                let norm = clip::norm(&gradients);
                (gradients, norm)
            }
        }
    }
}

/// Cut as the table says of these names.
pub fn laid(x: Tensor, names: Vec<&str>) -> Tensor {
    if names.iter().all(|name| name.is_empty()) { x } else { x.logical(names) }
}
