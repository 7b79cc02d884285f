//! A list that is mostly short: up to `N` items lie in the list itself, and only more of them take memory of their own.
//!
//! For lists that are made, compared and copied by the thousand and hold an item or two. Where they are as often long,
//! `Vec` is better: this one takes the room of `N` items wherever it stands.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter;
use std::ops::{Deref, DerefMut};

#[derive(Clone)]
enum Items<T, const N: usize> {
    Empty,
    /// As many as the number says; behind them stand copies of the first.
    Few(usize, [T; N]),
    Many(Vec<T>),
}

/// A list of mostly no more than `N` items. Read and changed in place as a slice is.
#[derive(Clone)]
pub struct InlineVec<T, const N: usize>(Items<T, N>);

impl<T, const N: usize> InlineVec<T, N> {
    pub const fn new() -> Self {
        InlineVec(Items::Empty)
    }
}

impl<T: Copy, const N: usize> InlineVec<T, N> {
    #[inline]
    pub fn push(&mut self, item: T) {
        match &mut self.0 {
            Items::Empty if N > 0 => self.0 = Items::Few(1, [item; N]),
            Items::Empty => self.0 = Items::Many(vec![item]),
            Items::Few(len, items) => match items.get_mut(*len) {
                Some(slot) => {
                    *slot = item;
                    *len += 1;
                }
                None => {
                    let mut many = Vec::with_capacity(2 * N);
                    many.extend_from_slice(items);
                    many.push(item);
                    self.0 = Items::Many(many);
                }
            },
            Items::Many(many) => many.push(item),
        }
    }
}

impl<T, const N: usize> Default for InlineVec<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Deref for InlineVec<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Items::Empty => &[],
            Items::Few(len, items) => items.get(..*len).unwrap_or(items),
            Items::Many(many) => many,
        }
    }
}

impl<T, const N: usize> DerefMut for InlineVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Items::Empty => &mut [],
            Items::Few(len, items) => items.split_at_mut((*len).min(N)).0,
            Items::Many(many) => many,
        }
    }
}

impl<T: Copy, const N: usize> Extend<T> for InlineVec<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: Copy, const N: usize> FromIterator<T> for InlineVec<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return Self::new() };
        if N == 0 {
            return InlineVec(Items::Many(iter::once(first).chain(items).collect()));
        }
        let (mut few, mut count) = ([first; N], 1);
        for item in items.by_ref() {
            match few.get_mut(count) {
                Some(slot) => *slot = item,
                None => {
                    let many = few.into_iter().take(count).chain([item]);
                    return InlineVec(Items::Many(many.chain(items).collect()));
                }
            }
            count += 1;
        }
        InlineVec(Items::Few(count, few))
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a InlineVec<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: PartialEq, const N: usize> PartialEq for InlineVec<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq, const N: usize> Eq for InlineVec<T, N> {}

impl<T: Hash, const N: usize> Hash for InlineVec<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self[..].hash(state);
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for InlineVec<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::WordHasher;

    fn list<const N: usize>(count: u8) -> InlineVec<u8, N> {
        (0..count).collect()
    }

    #[test]
    fn it_is_the_list_of_what_was_pushed_however_long() {
        for count in 0..9 {
            let items: Vec<u8> = (0..count).collect();
            assert_eq!(list::<3>(count)[..], items);
            assert_eq!(list::<0>(count)[..], items);
            let mut doubled = list::<3>(count);
            doubled.iter_mut().for_each(|item| *item *= 2);
            assert_eq!(doubled[..], items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lists_are_equal_and_hashed_alike_by_what_they_hold() {
        let hash = |list: &InlineVec<u8, 3>| {
            let mut hasher = WordHasher::default();
            list.hash(&mut hasher);
            hasher.finish()
        };
        let (mut grown, whole) = (list::<3>(2), list::<3>(3));
        assert_ne!(grown, whole);
        grown.push(2);
        assert_eq!(grown, whole);
        assert_eq!(hash(&grown), hash(&whole));
        assert_eq!(InlineVec::<u8, 3>::new(), InlineVec::default());
    }
}
