//! Values without operands: constants and iota.

use crate::literal::Literal;
use crate::types::TensorType;

/// A constant tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant(pub Literal);

/// Element at an index is its position along `dim`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Iota {
    pub dim: usize,
    pub ty: TensorType,
}
