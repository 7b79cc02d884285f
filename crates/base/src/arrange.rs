//! Sorting that is compiled once, whatever is sorted: the standard library's sorts bring some 7 KB for each type and
//! each key, and so does collecting into a `BTreeMap` or `BTreeSet`, which `map` and `set` do without.
//!
//! `arrange` is stable, as `sort` is. A comparison is a call through a pointer, and more than a few elements are sorted
//! by their places first: for lists that are sorted now and then, not for what a step does with millions of numbers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// As `collect` does; of equal keys the last one counts.
pub fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(pairs);
    map
}

/// As `collect` does.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// Sorts in place.
pub trait Arrange<T> {
    /// As `sort` does.
    fn arrange(&mut self)
    where
        T: Ord;

    /// As `sort_by` does.
    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// As `sort_by_key` does.
    fn arrange_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Arrange<T> for [T] {
    fn arrange(&mut self)
    where
        T: Ord,
    {
        self.arrange_by(T::cmp);
    }

    fn arrange_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering) {
        let count = self.len();
        if count > 1 {
            in_order(&mut By { items: self, compare }, count);
        }
    }

    fn arrange_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// What a sort asks of a list.
trait Places {
    fn compare(&mut self, a: usize, b: usize) -> Ordering;
    fn swap(&mut self, a: usize, b: usize);
}

struct By<'a, T, F> {
    items: &'a mut [T],
    compare: F,
}

impl<T, F: FnMut(&T, &T) -> Ordering> Places for By<'_, T, F> {
    fn compare(&mut self, a: usize, b: usize) -> Ordering {
        (self.compare)(&self.items[a], &self.items[b])
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }
}

/// So many are moved into their places one after the other, without a list of places.
const FEW: usize = 16;

fn in_order(list: &mut dyn Places, count: usize) {
    if count <= FEW {
        return insert_each(list, count);
    }
    let mut from: Vec<usize> = (0..count).collect();
    from.sort_by(|a, b| list.compare(*a, *b));
    take_each(list, from);
}

fn insert_each(list: &mut dyn Places, count: usize) {
    for end in 1..count {
        let mut at = end;
        while at > 0 && list.compare(at, at - 1).is_lt() {
            list.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Brings to each place what stands at `from` of it, one cycle after the other.
fn take_each(list: &mut dyn Places, mut from: Vec<usize>) {
    for start in 0..from.len() {
        let mut at = start;
        loop {
            let next = mem::replace(&mut from[at], at);
            if next == start {
                break;
            }
            list.swap(at, next);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_keys_the_last_one_counts() {
        assert_eq!(map([(2, 'a'), (1, 'b'), (2, 'c')]), [(1, 'b'), (2, 'c')].into());
        assert_eq!(set([3, 1, 3]), [1, 3].into());
    }

    /// Numbers that come back after a while, with where they stood.
    fn list(count: usize, distinct: usize) -> Vec<(usize, usize)> {
        (0..count).map(|at| (at * 7919 % 997 % distinct, at)).collect()
    }

    #[test]
    fn lists_are_sorted_as_by_the_stable_sort_of_the_standard_library() {
        for count in [0, 1, 2, 3, FEW - 1, FEW, FEW + 1, 100, 1000] {
            for distinct in [1, 2, 5, 997] {
                let (mut ours, mut theirs) = (list(count, distinct), list(count, distinct));
                ours.arrange_by_key(|(number, _)| *number);
                theirs.sort_by_key(|(number, _)| *number);
                assert_eq!(ours, theirs, "{count} of {distinct}");
                ours.arrange_by(|a, b| b.0.cmp(&a.0));
                theirs.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
                assert_eq!(ours, theirs, "{count} of {distinct}, the other way");
                ours.arrange();
                theirs.sort();
                assert_eq!(ours, theirs, "{count} of {distinct}, by all");
            }
        }
    }
}
