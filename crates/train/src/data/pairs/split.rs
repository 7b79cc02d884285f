//! Which pairs are for training, for choosing (dev) and for testing: by the English sentence alone, over all languages.
//!
//! The same sentence is in the corpus in many languages. Were pairs drawn language by language, a model would be tested
//! on English it has learnt to write from another language. So letters and digits of the English side decide.

use super::clean::{Pair, letters};
use crate::data::corpus::{is_chosen, sentence_hash};
use meshwright_base::arrange::Arrange;
use meshwright_base::random::mix;
use std::collections::BTreeSet;

/// Where a pair belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Split {
    Train,
    Dev,
    Test,
}

impl Split {
    pub const ALL: [Split; 3] = [Split::Train, Split::Dev, Split::Test];

    /// The folder of its files.
    pub fn name(self) -> &'static str {
        match self {
            Split::Train => "train",
            Split::Dev => "dev",
            Split::Test => "test",
        }
    }
}

/// How many sentences go where, and which languages keep fewer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sizes {
    /// One in so many sentences is for testing.
    pub test_one_in: u64,
    /// One in so many of the others is held out in training.
    pub dev_one_in: u64,
    /// The n-th language keeps n^-skew of the pairs that the first has; all languages all of theirs, without.
    pub skew: Option<f64>,
    pub seed: u64,
}

/// Tells the hash that chooses tests from the one that chooses what is held out.
const TEST: u64 = 0x7465_7374;
/// The same of what a language keeps.
const KEPT: u64 = 0x6b65_7074;

impl Sizes {
    /// Where a pair of this English belongs.
    pub fn split(&self, english: &str) -> Split {
        let hash = sentence_hash(english);
        if is_chosen(hash ^ TEST, self.test_one_in) {
            Split::Test
        } else if is_chosen(hash, self.dev_one_in) {
            Split::Dev
        } else {
            Split::Train
        }
    }

    /// Pairs of one split, in their order.
    pub fn of(&self, pairs: &[Pair], split: Split) -> Vec<Pair> {
        pairs.iter().filter(|pair| self.split(&pair.english) == split).cloned().collect()
    }

    /// As many pairs as language number `rank` (from 0) keeps, where the first has `first`; which ones, the seed says.
    pub fn kept(&self, pairs: Vec<Pair>, rank: usize, first: usize) -> Vec<Pair> {
        let Some(skew) = self.skew else { return pairs };
        let most = (first as f64 * ((rank + 1) as f64).powf(-skew)).ceil() as usize;
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.arrange_by_key(|at| (mix(self.seed ^ KEPT ^ sentence_hash(&pairs[*at].english)), *at));
        let kept: BTreeSet<usize> = order.into_iter().take(most).collect();
        pairs.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, pair)| pair).collect()
    }
}

/// Whether a pair is the first of its letters.
#[derive(Default)]
pub struct Seen(BTreeSet<(u64, u64)>);

impl Seen {
    pub fn is_new(&mut self, pair: &Pair) -> bool {
        let letters = [&pair.source, &pair.english].map(|side| letters(side));
        self.0.insert((sentence_hash(&letters[0]), sentence_hash(&letters[1])))
    }
}
