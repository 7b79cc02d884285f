//! What parameters start as.
//!
//! The Switch Transformer (2.4) draws from a normal distribution cut off at two deviations, sigma = sqrt(s / fan_in),
//! with s = 0.1 instead of the usual 1. The deviation is that of the distribution before it is cut.

use meshwright_tensor::prelude::*;

/// The Switch Transformer's s.
pub const SWITCH_SCALE: f64 = 0.1;

/// A rule for first values by the inputs that an output is made of, and the outputs that an input goes to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scheme {
    /// Normal, of variance `1 / inputs`.
    LeCun,
    /// Normal, of variance `2 / inputs`: before a ReLU.
    He,
    /// Even, of the same variance.
    HeUniform,
    /// Normal, of variance `2 / (inputs + outputs)`.
    Glorot,
    /// Even, of the same variance.
    GlorotUniform,
    /// The same whatever they are.
    Always(Init),
}

impl Scheme {
    pub fn init(self, fan_in: i64, fan_out: i64) -> Init {
        match self {
            Scheme::LeCun => Init::Normal((fan_in.max(1) as f64).recip().sqrt()),
            Scheme::He => Init::kaiming_normal(fan_in),
            Scheme::HeUniform => Init::kaiming(fan_in),
            Scheme::Glorot => Init::xavier_normal(fan_in, fan_out),
            Scheme::GlorotUniform => Init::xavier(fan_in, fan_out),
            Scheme::Always(init) => init,
        }
    }
}

/// How a parameter starts. A matrix has its inputs first; of more dims, the last is the outputs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Init {
    /// Normal, cut off at two deviations, of variance `scale / fan_in`.
    Truncated {
        scale: f64,
        fan_in: i64,
    },
    /// Normal, of this deviation.
    Normal(f64),
    /// Even between minus and plus this.
    Uniform(f64),
    /// Rows or columns, whichever are fewer, at right angles to each other and of this length.
    Orthogonal(f64),
    Ones,
    Zeros,
}

impl Init {
    /// A weight with this many inputs per output, at the Switch Transformer's scale.
    pub fn switch(fan_in: i64) -> Init {
        Init::Truncated { scale: SWITCH_SCALE, fan_in }
    }

    /// Glorot and Bengio's: uniform, of variance `2 / (inputs + outputs)`.
    pub fn xavier(fan_in: i64, fan_out: i64) -> Init {
        Init::Uniform((6.0 / (fan_in + fan_out).max(1) as f64).sqrt())
    }

    /// The same variance, normal.
    pub fn xavier_normal(fan_in: i64, fan_out: i64) -> Init {
        Init::Normal((2.0 / (fan_in + fan_out).max(1) as f64).sqrt())
    }

    /// He and others', for layers before a ReLU: uniform, of variance `2 / inputs`.
    pub fn kaiming(fan_in: i64) -> Init {
        Init::Uniform((6.0 / fan_in.max(1) as f64).sqrt())
    }

    /// The same variance, normal.
    pub fn kaiming_normal(fan_in: i64) -> Init {
        Init::Normal((2.0 / fan_in.max(1) as f64).sqrt())
    }

    /// The deviation of the distribution before anything is cut off; of an orthogonal matrix, that of one with as many
    /// rows as columns depends on its size and is not known here.
    pub fn deviation(self) -> f64 {
        match self {
            Init::Truncated { scale, fan_in } => (scale / fan_in.max(1) as f64).sqrt(),
            Init::Normal(deviation) => deviation,
            Init::Uniform(most) => most / 3f64.sqrt(),
            Init::Orthogonal(_) | Init::Ones | Init::Zeros => 0.0,
        }
    }

    /// The first value: a function of the key and the place in the global tensor, the same on any mesh.
    pub fn draw(self, key: Key, dtype: meshwright_ir::DType, dims: &[i64]) -> Tensor {
        match self {
            Init::Truncated { .. } => key.truncated_normal(dtype, dims, 2.0) * self.deviation(),
            Init::Normal(deviation) => key.normal(dtype, dims) * deviation,
            Init::Uniform(most) => key.uniform(dtype, dims) * (2.0 * most) - most,
            Init::Orthogonal(length) => orthogonal(key, dtype, dims) * length,
            Init::Ones => ones(dtype, dims),
            Init::Zeros => zeros(dtype, dims),
        }
    }
}

/// A random normal matrix `a`, its shorter side made orthonormal: `a l^-T` with `l l^T = a^T a`. Computed in `f64`, and
/// twice, as `a^T a` is as far from even as `a` squared. All dims but the last are one.
fn orthogonal(key: Key, dtype: meshwright_ir::DType, dims: &[i64]) -> Tensor {
    let columns = dims.last().copied().unwrap_or(1).max(1);
    let rows = dims.iter().product::<i64>() / columns;
    let once = |a: Tensor| a.t().matmul(a).cholesky().triangular_solve(a.t(), Triangle::lower()).t();
    let q = once(once(key.normal(f64, [rows.max(columns), rows.min(columns)])));
    let q = if rows < columns { q.t() } else { q };
    q.reshape(dims).cast(dtype)
}
