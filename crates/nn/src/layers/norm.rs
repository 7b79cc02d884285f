//! Normalization over the model dim, with weights.

use crate::init::Init;
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
        x.rms_normalize(-1, self.epsilon) * p.get(&join(&self.path, "scale"))
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
        let scaled = x.standardize(-1, self.epsilon) * p.get(&join(&self.path, "scale"));
        scaled + p.get(&join(&self.path, "bias"))
    }
}
