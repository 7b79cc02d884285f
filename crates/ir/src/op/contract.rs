//! Contractions: multiply two tensors and sum over paired dims.
//!
//! Result dims, in order: batch pairs, free dims of `lhs`, free dims of `rhs`.

use crate::types::DType;

/// How exact a product has to be; a hint to engines, the interpreter is always exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Precision {
    #[default]
    Default,
    High,
    Highest,
}

/// `dot_general`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dot {
    /// Paired dims `(lhs, rhs)` that stand in both operands and the result.
    pub batch: Vec<(usize, usize)>,
    /// Paired dims `(lhs, rhs)` that are summed over.
    pub contract: Vec<(usize, usize)>,
    /// Element type of the result (`preferred_element_type`).
    pub result: DType,
    /// As the text said it, one per operand, or empty.
    pub precision: Vec<Precision>,
    /// `algorithm = <..>` verbatim, if the text had one.
    pub algorithm: Option<String>,
}
