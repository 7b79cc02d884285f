//! Reduction over whole dims with any computation, and `map`.

/// Operands: n inputs, n initial values; n results. The region takes 2n scalars (accumulators, then elements).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reduce {
    /// Reduced dims, ascending.
    pub dims: Vec<usize>,
}

/// The region on scalars, element by element over all `dims`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Map {
    pub dims: Vec<usize>,
}
