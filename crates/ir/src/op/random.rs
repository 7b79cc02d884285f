//! Random numbers: `rng` (any generator will do) and `rng_bit_generator` (exact algorithms).

use crate::types::TensorType;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Distribution {
    Uniform,
    Normal,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RngAlgorithm {
    Default,
    ThreeFry,
    Philox,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Random {
    /// `(a, b)` scalars: bounds or mean and deviation. The shape is an attribute here.
    Rng { distribution: Distribution, shape: Vec<i64> },
    /// `(state)`; results `(state, bits)`.
    BitGenerator { algorithm: RngAlgorithm, bits: TensorType },
}
