//! A product with a matrix, and a bias: `x w + b`.

use crate::init::Init;
use meshwright_tensor::prelude::*;

/// Weights of `x w + b`.
#[derive(Clone, Copy, Debug, Tree)]
pub struct Dense {
    /// `[inputs, outputs]`.
    pub w: Tensor,
    /// `[outputs]`.
    pub b: Option<Tensor>,
}

impl Dense {
    /// Drawn by He's rule, for what comes before a ReLU; a bias of zeros.
    pub fn new(key: Key, inputs: i64, outputs: i64) -> Dense {
        Dense::with(key, Init::kaiming(inputs), inputs, outputs)
    }

    /// Drawn in another way, in the trace's float type.
    pub fn with(key: Key, init: Init, inputs: i64, outputs: i64) -> Dense {
        let dtype = default_float();
        Dense { w: init.draw(key, dtype, &[inputs, outputs]), b: Some(zeros(dtype, [outputs])) }
    }

    /// Without a bias.
    pub fn without_bias(self) -> Dense {
        Dense { b: None, ..self }
    }

    /// `[.., inputs]` to `[.., outputs]`.
    #[track_caller]
    pub fn apply(&self, x: Tensor) -> Tensor {
        let y = x.matmul(self.w);
        self.b.map_or(y, |b| y + b)
    }
}
