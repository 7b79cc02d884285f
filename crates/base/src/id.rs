//! Typed indices and dense maps keyed by them.
//!
//! An id is a `u32` that only fits the map it was made for. Iterating a map visits ids in ascending order, so nothing
//! that walks one depends on hashing or on addresses.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index. Made by [`define_id!`](crate::define_id), never by hand.
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Define an id type: `define_id!(pub ValueId, "v")` prints as `v7`.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);

        impl $crate::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("more than four billion entities"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A dense map from ids to values. Ids are handed out by [`IdMap::push`] and stay valid: nothing is ever removed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdMap<K, V> {
    items: Vec<V>,
    key: PhantomData<fn(K)>,
}

impl<K: Id, V> IdMap<K, V> {
    pub const fn new() -> Self {
        IdMap { items: Vec::new(), key: PhantomData }
    }

    /// A map that already holds `value` for the first `len` ids, to be used beside another map.
    pub fn filled(len: usize, value: V) -> Self
    where
        V: Clone,
    {
        IdMap { items: vec![value; len], key: PhantomData }
    }

    /// Empty, with room for so many values.
    pub fn with_capacity(count: usize) -> Self {
        IdMap { items: Vec::with_capacity(count), key: PhantomData }
    }

    pub fn push(&mut self, value: V) -> K {
        self.items.push(value);
        K::from_index(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }

    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }

    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, v)| (K::from_index(i), v))
    }

    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.items.iter_mut().enumerate().map(|(i, v)| (K::from_index(i), v))
    }
}

impl<K: Id, V> Default for IdMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Id, V> Index<K> for IdMap<K, V> {
    type Output = V;
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Id, V> IndexMut<K> for IdMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K: Id, V> FromIterator<V> for IdMap<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        IdMap { items: iter.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Id + fmt::Debug, V: fmt::Debug> fmt::Debug for IdMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_id!(Leaf, "leaf");

    #[test]
    fn ids_are_handed_out_in_order_and_index_their_map() {
        let mut map: IdMap<Leaf, &str> = IdMap::new();
        let (a, b) = (map.push("a"), map.push("b"));
        assert!(a < b);
        assert_eq!((map[a], map[b]), ("a", "b"));
        assert_eq!(format!("{b:?}"), "leaf1");
        assert_eq!(map.keys().collect::<Vec<_>>(), [a, b]);
    }
}
