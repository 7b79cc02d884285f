//! What a step takes off a weight.

use meshwright_tensor::prelude::*;

/// What is taken off a weight: `x`, or `by x`. The factor is apart so that it meets the rate before it meets all
/// elements.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    pub x: Tensor,
    pub by: Option<Tensor>,
}

impl Push {
    pub fn of(x: Tensor) -> Push {
        Push { x, by: None }
    }

    /// In one tensor.
    pub fn whole(self) -> Tensor {
        self.by.map_or(self.x, |by| by * self.x)
    }
}
