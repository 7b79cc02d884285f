//! A dim of a value, by its place: what lists with an entry per dim are asked by.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A dim of a value. Sizes, shardings and all else that has an entry per dim is indexed by it: `ty.dims[dim]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dim(usize);

impl Dim {
    pub fn new(index: usize) -> Dim {
        Dim(index)
    }

    pub fn index(self) -> usize {
        self.0
    }

    /// The first so many dims.
    pub fn all(rank: usize) -> impl ExactSizeIterator<Item = Dim> + DoubleEndedIterator + Clone {
        (0..rank).map(Dim)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> Index<Dim> for [T] {
    type Output = T;

    fn index(&self, dim: Dim) -> &T {
        &self[dim.0]
    }
}

impl<T> IndexMut<Dim> for [T] {
    fn index_mut(&mut self, dim: Dim) -> &mut T {
        &mut self[dim.0]
    }
}

impl<T> Index<Dim> for Vec<T> {
    type Output = T;

    fn index(&self, dim: Dim) -> &T {
        &self.as_slice()[dim.0]
    }
}

impl<T> IndexMut<Dim> for Vec<T> {
    fn index_mut(&mut self, dim: Dim) -> &mut T {
        &mut self.as_mut_slice()[dim.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_with_an_entry_per_dim_are_indexed_by_dims() {
        let mut sizes: Vec<i64> = (2..5).map(|half| 2 * half).collect();
        sizes[Dim::new(1)] += 1;
        assert_eq!(Dim::all(3).map(|dim| sizes[dim]).collect::<Vec<_>>(), [4, 7, 8]);
        assert_eq!(sizes[..2][Dim::new(1)], 7);
        assert_eq!(Dim::new(2).to_string(), "2");
    }
}
