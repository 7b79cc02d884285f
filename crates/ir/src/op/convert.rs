//! Change of element type: by value, by bits, by precision.

use crate::types::{DType, TensorType};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Convert {
    /// By value.
    To(DType),
    /// By bits; the whole type, as a minor dim may appear or vanish.
    Bitcast(TensorType),
    /// Round to fewer exponent and mantissa bits, same type.
    ReducePrecision { exponent_bits: u32, mantissa_bits: u32 },
}
