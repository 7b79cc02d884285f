//! Sorting: n operands together by a comparator, and the largest or smallest k.

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    pub dim: usize,
    pub stable: bool,
}

/// Along the last dim: values and their s32 indices, best first, ties by lower index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TopK {
    pub k: i64,
    pub largest: bool,
}
