//! RMSProp: `v = d v + (1-d) g^2` and a step along `g / (sqrt(v) + eps)`; centered, `v` less the square of the mean.

use super::leaf::{Leaf, Slot};
use meshwright_tensor::prelude::*;

/// Settings. With momentum: [`then`](super::Optimizer::then) a [`Momentum`](super::momentum::Momentum).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RmsProp {
    pub decay: f64,
    pub epsilon: f64,
    pub centered: bool,
}

impl Default for RmsProp {
    fn default() -> RmsProp {
        RmsProp { decay: 0.99, epsilon: 1e-8, centered: false }
    }
}

impl RmsProp {
    pub(super) fn slots(&self, leaf: &Leaf) -> Vec<Slot> {
        let names = ["square", "mean"].into_iter().take(1 + usize::from(self.centered));
        names.map(|name| leaf.slot(name)).collect()
    }

    pub(super) fn push(&self, gradient: Tensor, states: &[Tensor]) -> (Tensor, Vec<Tensor>) {
        let mix = |old: Tensor, new: Tensor| old * self.decay + new * (1.0 - self.decay);
        let square = |old: Tensor| mix(old, gradient * gradient);
        match states {
            [v, m] => {
                let (v, m) = (square(*v), mix(*m, gradient));
                (gradient / ((v - m * m).sqrt() + self.epsilon), vec![v, m])
            }
            [v] => (gradient / (square(*v).sqrt() + self.epsilon), vec![square(*v)]),
            _ => (gradient, states.to_vec()),
        }
    }
}
