//! Ops that move elements without computing: broadcast, reshape, transpose, slice, pad, concatenate, reverse.

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Movement {
    Broadcast(Broadcast),
    Reshape(Reshape),
    Transpose(Transpose),
    Slice(Slice),
    Pad(Pad),
    Concatenate(Concatenate),
    Reverse(Reverse),
}

/// `broadcast_in_dim`: operand dim `i` becomes result dim `dims[i]`; a size-1 dim stretches.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Broadcast {
    pub dims: Vec<usize>,
    pub shape: Vec<i64>,
}

/// The same elements in row-major order under another shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reshape {
    pub shape: Vec<i64>,
}

/// Result dim `i` is operand dim `permutation[i]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transpose {
    pub permutation: Vec<usize>,
}

/// Elements `start, start + stride, ..` below `limit`, per dim.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    pub start: Vec<i64>,
    pub limit: Vec<i64>,
    pub stride: Vec<i64>,
}

/// `(operand, value)`: `interior` elements between neighbours, then `low` and `high` at the edges; negative edges crop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pad {
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    pub interior: Vec<i64>,
}

/// Operands one after another along `dim`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Concatenate {
    pub dim: usize,
}

/// Order of elements turned round along `dims`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reverse {
    pub dims: Vec<usize>,
}
