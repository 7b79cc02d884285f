//! The feed-forward layer, with biases if asked for: `act(x wi) wo`, or `act(x wi) * (x wg)` before `wo`.

use crate::init::Init;
use crate::layers::dropout;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;

/// What stands between the two products.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Activation {
    Relu,
    Gelu,
    /// Swish: x sigmoid(x).
    Silu,
    /// gelu(x wi) * (x wg).
    Geglu,
    /// silu(x wi) * (x wg).
    Swiglu,
}

impl Activation {
    /// Whether there is a second input matrix, `wg`.
    pub fn is_gated(self) -> bool {
        matches!(self, Activation::Geglu | Activation::Swiglu)
    }

    /// Of `x wi`, and of `x wg` where there is one.
    pub fn of(self, x: Tensor, gate: impl FnOnce() -> Tensor) -> Tensor {
        match self {
            Activation::Relu => x.relu(),
            Activation::Gelu => x.gelu(),
            Activation::Silu => x.silu(),
            Activation::Geglu => x.gelu() * gate(),
            Activation::Swiglu => x.silu() * gate(),
        }
    }
}

/// Sizes of a feed-forward layer.
#[derive(Clone, Debug)]
pub struct Ffn {
    pub path: String,
    pub model: i64,
    pub hidden: i64,
    pub activation: Activation,
    pub dropout: f64,
    /// s of the initializer.
    pub scale: f64,
    /// Whether both products have biases.
    pub biases: bool,
}

impl Ffn {
    pub fn declare(&self, specs: &mut Specs) {
        let (model, hidden) = (("model", self.model), ("hidden", self.hidden));
        let init = |fan_in| Init::Truncated { scale: self.scale, fan_in };
        specs.add(join(&self.path, "wi"), [model, hidden], init(self.model));
        if self.activation.is_gated() {
            specs.add(join(&self.path, "wg"), [model, hidden], init(self.model));
        }
        specs.add(join(&self.path, "wo"), [hidden, model], init(self.hidden));
        if self.biases {
            specs.add(join(&self.path, "wi_bias"), [hidden], Init::Zeros);
            specs.add(join(&self.path, "wo_bias"), [model], Init::Zeros);
        }
    }

    pub fn apply(&self, p: &Params, x: Tensor, key: Option<Key>) -> Tensor {
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(x.dtype());
        let biased = |x: Tensor, name: &str| if self.biases { x + weight(name) } else { x };
        let inner = biased(x.matmul(weight("wi")), "wi_bias");
        let inner = self.activation.of(inner, || x.matmul(weight("wg")));
        let inner = if inner.rank() == 3 { inner.logical(["batch", "", "act_hidden"]) } else { inner };
        biased(dropout(inner, self.dropout, key).matmul(weight("wo")), "wo_bias")
    }
}
