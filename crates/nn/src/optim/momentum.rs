//! Momentum: `m = b m + g`, and a step along `m`, or with Nesterov's look ahead along `g + b m`.

use meshwright_tensor::prelude::*;

/// Settings.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Momentum {
    pub momentum: f64,
    pub nesterov: bool,
}

impl Momentum {
    pub(super) fn push(&self, gradient: Tensor, m: Tensor) -> (Tensor, Vec<Tensor>) {
        let m = m * self.momentum + gradient;
        (if self.nesterov { gradient + m * self.momentum } else { m }, vec![m])
    }
}
