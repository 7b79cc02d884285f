//! What parameters start as.
//!
//! The Switch Transformer (2.4) draws from a normal distribution cut off at two deviations, sigma = sqrt(s / fan_in),
//! with s = 0.1 instead of the usual 1. The deviation is that of the distribution before it is cut.

use meshwright_tensor::prelude::*;

/// The Switch Transformer's s.
pub const SWITCH_SCALE: f64 = 0.1;

/// How a parameter starts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Init {
    /// Normal, cut off at two deviations, of variance `scale / fan_in`.
    Truncated {
        scale: f64,
        fan_in: i64,
    },
    /// Normal, of this deviation.
    Normal(f64),
    Ones,
    Zeros,
}

impl Init {
    /// A weight with this many inputs per output, at the Switch Transformer's scale.
    pub fn switch(fan_in: i64) -> Init {
        Init::Truncated { scale: SWITCH_SCALE, fan_in }
    }

    /// The deviation of the distribution before anything is cut off.
    pub fn deviation(self) -> f64 {
        match self {
            Init::Truncated { scale, fan_in } => (scale / fan_in.max(1) as f64).sqrt(),
            Init::Normal(deviation) => deviation,
            Init::Ones | Init::Zeros => 0.0,
        }
    }

    /// The first value: a function of the key and the place in the global tensor, the same on any mesh.
    pub fn draw(self, key: Key, dtype: meshwright_ir::DType, dims: &[i64]) -> Tensor {
        match self {
            Init::Truncated { .. } => key.truncated_normal(dtype, dims, 2.0) * self.deviation(),
            Init::Normal(deviation) => key.normal(dtype, dims) * deviation,
            Init::Ones => ones(dtype, dims),
            Init::Zeros => zeros(dtype, dims),
        }
    }
}
