//! Lion: the sign of `b1 m + (1-b1) g`, where `m = b2 m + (1-b2) g` comes after.

use meshwright_tensor::prelude::*;

/// Settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lion {
    pub beta1: f64,
    pub beta2: f64,
}

impl Default for Lion {
    fn default() -> Lion {
        Lion { beta1: 0.9, beta2: 0.99 }
    }
}

impl Lion {
    pub(super) fn push(&self, gradient: Tensor, m: Tensor) -> (Tensor, Vec<Tensor>) {
        let mix = |beta: f64| m * beta + gradient * (1.0 - beta);
        (mix(self.beta1).sign(), vec![mix(self.beta2)])
    }
}
