//! The links of a chain: what becomes of the push of one leaf. A push is what a step takes off the weight, per unit of
//! the rate; it begins as the gradient.

use super::adafactor::Adafactor;
use super::adam::Adam;
use super::leaf::{Leaf, Slot};
use super::lion::Lion;
use super::momentum::Momentum;
use super::muon::Muon;
use super::push::Push;
use super::rms_prop::RmsProp;
use meshwright_tensor::prelude::*;

/// A link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    Momentum(Momentum),
    Adam(Adam),
    Adafactor(Adafactor),
    RmsProp(RmsProp),
    Lion(Lion),
    Muon(Muon),
    /// Plus this much of the weight.
    Decay(f64),
    /// As long as the weight (LAMB); a weight or push of length 0 is left alone.
    Trust,
}

macro_rules! rules {
    ($($name:ident),*) => {
        $(
            impl From<$name> for Rule {
                fn from(settings: $name) -> Rule {
                    Rule::$name(settings)
                }
            }
        )*
    };
}
rules!(Momentum, Adam, Adafactor, RmsProp, Lion, Muon);

impl Rule {
    /// The states that a leaf needs.
    pub fn slots(&self, leaf: &Leaf) -> Vec<Slot> {
        match self {
            Rule::Momentum(_) | Rule::Lion(_) | Rule::Muon(_) => vec![leaf.slot("momentum")],
            Rule::Adam(_) => vec![leaf.slot("mean"), leaf.slot("square")],
            Rule::Adafactor(adafactor) => adafactor.slots(leaf),
            Rule::RmsProp(rms_prop) => rms_prop.slots(leaf),
            Rule::Decay(_) | Rule::Trust => Vec::new(),
        }
    }

    /// The push and the states after it. `step` counts from 1.
    pub fn push(
        &self,
        leaf: &Leaf,
        w: Tensor,
        push: Push,
        states: &[Tensor],
        step: Tensor,
    ) -> (Push, Vec<Tensor>) {
        let (x, new) = match (self, states) {
            (Rule::Decay(0.0), _) => return (push, Vec::new()),
            (Rule::Decay(decay), _) => (push.whole() + w * *decay, Vec::new()),
            (Rule::Trust, _) => return (trusted(leaf, w, push.whole()), Vec::new()),
            (Rule::Adafactor(adafactor), _) => return adafactor.push(leaf, w, push.whole(), states, step),
            (Rule::Momentum(momentum), [m]) => momentum.push(push.whole(), *m),
            (Rule::Lion(lion), [m]) => lion.push(push.whole(), *m),
            (Rule::Muon(muon), [m]) => muon.push(leaf, push.whole(), *m, step),
            (Rule::Adam(adam), [m, v]) => adam.push(push.whole(), (*m, *v), step),
            (Rule::RmsProp(rms_prop), states) => rms_prop.push(push.whole(), states),
            (_, states) => return (push, states.to_vec()),
        };
        (Push::of(x), new)
    }
}

fn trusted(leaf: &Leaf, w: Tensor, push: Tensor) -> Push {
    let (long, pushed) = (leaf.mean(w * w).sqrt(), leaf.mean(push * push).sqrt());
    let both = long.gt(0.0) & pushed.gt(0.0);
    Push { x: push, by: Some(both.select(long / both.select(pushed, 1.0), 1.0)) }
}
