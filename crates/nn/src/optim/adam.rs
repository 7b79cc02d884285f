//! Adam: `m / (sqrt(v) + eps)`, both averages corrected for their start at 0. With a
//! [`Decay`](super::rule::Rule::Decay) behind it, AdamW.

use meshwright_tensor::prelude::*;

/// Settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adam {
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 }
    }
}

impl Adam {
    pub(super) fn push(
        &self,
        gradient: Tensor,
        (m, v): (Tensor, Tensor),
        step: Tensor,
    ) -> (Tensor, Vec<Tensor>) {
        let m = m * self.beta1 + gradient * (1.0 - self.beta1);
        let v = v * self.beta2 + gradient * gradient * (1.0 - self.beta2);
        let unbiased = |x: Tensor, beta: f64| x / (1.0 - (step * beta.ln()).exp());
        let size = unbiased(v, self.beta2).sqrt() + self.epsilon;
        (unbiased(m, self.beta1) / size, vec![m, v])
    }
}
