//! Adam, and AdamW where the decay is not 0: `w -= rate (m / (sqrt(v) + eps) + decay w)`, both averages corrected for
//! their start at 0.

use meshwright_tensor::prelude::*;

/// Settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adam {
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    /// Weight decay, not part of the gradient (AdamW).
    pub decay: f64,
}

impl Default for Adam {
    fn default() -> Adam {
        Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decay: 0.0 }
    }
}

impl Adam {
    pub(crate) fn update(
        &self,
        (w, gradient): (Tensor, Tensor),
        states: &[Tensor],
        (step, rate): (Tensor, Tensor),
    ) -> (Tensor, Vec<Tensor>) {
        let [m, v] = states else { return (w, states.to_vec()) };
        let m = *m * self.beta1 + gradient * (1.0 - self.beta1);
        let v = *v * self.beta2 + gradient * gradient * (1.0 - self.beta2);
        let unbiased = |x: Tensor, beta: f64| x / (1.0 - (step * beta.ln()).exp());
        let size = unbiased(v, self.beta2).sqrt() + self.epsilon;
        let push = unbiased(m, self.beta1) / size;
        let push = if self.decay == 0.0 { push } else { push + w * self.decay };
        (w - rate * push, vec![m, v])
    }
}
