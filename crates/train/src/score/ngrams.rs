//! Runs of items of one length, counted.

use std::collections::BTreeMap;

/// How many runs two lines have, and how many both have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    pub translation: u64,
    pub reference: u64,
    /// A run counts as often as the line has it that has it less often.
    pub both: u64,
}

impl Shared {
    /// Runs of `length` items.
    pub fn of<T: Ord>(translation: &[T], reference: &[T], length: usize) -> Shared {
        let (ours, theirs) = (counts(translation, length), counts(reference, length));
        let both = ours.iter().map(|(run, count)| (*count).min(theirs.get(run).copied().unwrap_or(0)));
        Shared { translation: ours.values().sum(), reference: theirs.values().sum(), both: both.sum() }
    }

    pub fn add(&mut self, other: Shared) {
        self.translation += other.translation;
        self.reference += other.reference;
        self.both += other.both;
    }
}

fn counts<T: Ord>(items: &[T], length: usize) -> BTreeMap<&[T], u64> {
    let mut counts = BTreeMap::new();
    items.windows(length).for_each(|run| *counts.entry(run).or_default() += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_as_often_as_both_have_it() {
        let shared = Shared::of(&[1, 1, 1, 2], &[1, 1, 3, 2], 1);
        assert_eq!(shared, Shared { translation: 4, reference: 4, both: 3 });
        assert_eq!(Shared::of(&[1, 1, 1], &[1, 1, 3], 2).both, 1);
        assert_eq!(Shared::of(&[1], &[1, 1], 2), Shared { translation: 0, reference: 1, both: 0 });
    }
}
