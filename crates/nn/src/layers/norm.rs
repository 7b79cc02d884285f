//! Normalization over the model dim, with weights. Computed in `f32` at least, and given back in the type of `x`.

use crate::init::Init;
use crate::layers::attention::wide;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;

/// T5's: no mean, no bias.
#[derive(Clone, Debug)]
pub struct RmsNorm {
    pub path: String,
    pub model: i64,
    pub epsilon: f64,
}

impl RmsNorm {
    /// With T5's epsilon.
    pub fn new(path: String, model: i64) -> RmsNorm {
        RmsNorm { path, model, epsilon: 1e-6 }
    }

    pub fn declare(&self, specs: &mut Specs) {
        specs.add(join(&self.path, "scale"), [("model", self.model)], Init::Ones);
    }

    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        let normal = x.cast(wide(x.dtype())).rms_normalize(-1, self.epsilon);
        (normal * p.get(&join(&self.path, "scale")).cast(normal.dtype())).cast(x.dtype())
    }
}

/// The choice of a normalization.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Norm {
    /// T5's.
    Rms,
    /// With mean and bias.
    Layer,
}

impl Norm {
    pub fn declare(self, path: String, model: i64, specs: &mut Specs) {
        match self {
            Norm::Rms => RmsNorm::new(path, model).declare(specs),
            Norm::Layer => LayerNorm { path, model, epsilon: 1e-6 }.declare(specs),
        }
    }

    pub fn apply(self, path: String, p: &Params, x: Tensor) -> Tensor {
        let model = x.dim(-1);
        match self {
            Norm::Rms => RmsNorm::new(path, model).apply(p, x),
            Norm::Layer => LayerNorm { path, model, epsilon: 1e-6 }.apply(p, x),
        }
    }
}

/// With mean and bias.
#[derive(Clone, Debug)]
pub struct LayerNorm {
    pub path: String,
    pub model: i64,
    pub epsilon: f64,
}

impl LayerNorm {
    pub fn declare(&self, specs: &mut Specs) {
        specs.add(join(&self.path, "scale"), [("model", self.model)], Init::Ones);
        specs.add(join(&self.path, "bias"), [("model", self.model)], Init::Zeros);
    }

    pub fn apply(&self, p: &Params, x: Tensor) -> Tensor {
        let normal = x.cast(wide(x.dtype())).standardize(-1, self.epsilon);
        let weight = |name: &str| p.get(&join(&self.path, name)).cast(normal.dtype());
        (normal * weight("scale") + weight("bias")).cast(x.dtype())
    }
}
