//! chrF (Popović, 2015): runs of one to six characters, blanks left out, that a translation and its reference share.

use super::is_blank;
use super::ngrams::Shared;

/// The longest runs of characters that count.
const LONGEST: usize = 6;

/// How many times as much what is missing counts as what is too much: the 2 of chrF2.
const BETA: f64 = 2.0;

/// Counts of a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chrf {
    /// Runs of one character, of two, and so on.
    runs: [Shared; LONGEST],
}

impl Chrf {
    /// What is counted and how, in sacreBLEU's words; scores are as those of the release it names.
    pub const SIGNATURE: &str = "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0";

    pub fn add(&mut self, translation: &str, reference: &str) {
        let letters = |line: &str| line.chars().filter(|c| !is_blank(*c)).collect::<Vec<char>>();
        let (translation, reference) = (letters(translation), letters(reference));
        for (runs, length) in self.runs.iter_mut().zip(1..) {
            let mut shared = Shared::of(&translation, &reference, length);
            // Where the reference is shorter than a run, it cannot say that a run of the translation is wrong.
            if shared.reference == 0 {
                shared.translation = 0;
            }
            runs.add(shared);
        }
    }

    /// From 0 to 100: the F score of the mean precision and the mean recall over lengths that both have.
    pub fn score(&self) -> f64 {
        let counted: Vec<&Shared> =
            self.runs.iter().filter(|runs| runs.translation > 0 && runs.reference > 0).collect();
        let mean = |all: fn(&Shared) -> u64| {
            let shares = counted.iter().map(|runs| runs.both as f64 / all(runs) as f64);
            shares.sum::<f64>() / counted.len() as f64
        };
        if counted.iter().all(|runs| runs.both == 0) {
            return 0.0;
        }
        let (precision, recall) = (mean(|runs| runs.translation), mean(|runs| runs.reference));
        let weight = BETA * BETA;
        100.0 * (1.0 + weight) * precision * recall / (weight * precision + recall)
    }
}
