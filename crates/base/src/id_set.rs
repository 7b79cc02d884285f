//! A dense set of ids, walked in their order from either end.

use crate::Id;
use std::marker::PhantomData;

/// Which of so many ids are in it: a bit each.
#[derive(Clone, Debug)]
pub struct IdSet<K> {
    words: Vec<u64>,
    count: usize,
    key: PhantomData<fn(K)>,
}

impl<K: Id> IdSet<K> {
    /// None of the first `len` ids.
    pub fn new(len: usize) -> Self {
        IdSet { words: vec![0; len.div_ceil(64)], count: 0, key: PhantomData }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
        self.count = 0;
    }

    pub fn insert(&mut self, id: K) {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        self.count += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    pub fn remove(&mut self, id: K) {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        self.count -= usize::from(self.words[word] & bit != 0);
        self.words[word] &= !bit;
    }

    /// The first member whose index is `at` or more.
    pub fn next_from(&self, at: usize) -> Option<K> {
        let mut word = at / 64;
        let mut rest = *self.words.get(word)? & (u64::MAX << (at % 64));
        while rest == 0 {
            word += 1;
            rest = *self.words.get(word)?;
        }
        Some(K::from_index(word * 64 + rest.trailing_zeros() as usize))
    }

    /// The last member whose index is less than `at`.
    pub fn next_to(&self, at: usize) -> Option<K> {
        let mut word = at / 64;
        let mut rest = self.words.get(word).map_or(0, |bits| bits & !(u64::MAX << (at % 64)));
        while rest == 0 {
            word = word.checked_sub(1)?;
            rest = *self.words.get(word)?;
        }
        Some(K::from_index(word * 64 + 63 - rest.leading_zeros() as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::define_id!(N, "n");

    #[test]
    fn a_set_is_walked_both_ways() {
        let mut set: IdSet<N> = IdSet::new(200);
        for at in [0, 63, 64, 150, 199, 63] {
            set.insert(N::from_index(at));
        }
        set.remove(N::from_index(199));
        let up: Vec<N> =
            std::iter::successors(set.next_from(0), |id| set.next_from(id.index() + 1)).collect();
        let mut down: Vec<N> =
            std::iter::successors(set.next_to(200), |id| set.next_to(id.index())).collect();
        down.reverse();
        assert_eq!(up, down);
        assert_eq!(up.len(), 4);
        up.into_iter().for_each(|id| set.remove(id));
        assert!(set.is_empty() && set.next_from(0).is_none() && set.next_to(200).is_none());
    }
}
