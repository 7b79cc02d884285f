//! BLEU (Papineni et al., 2002): the share of a translation's runs of one to four words that its reference has too.

use super::ngrams::Shared;
use super::words::words;

/// The longest runs of words that count.
const LONGEST: usize = 4;

/// Counts of a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bleu {
    /// Runs of one word, of two, and so on.
    runs: [Shared; LONGEST],
}

impl Bleu {
    /// What is counted and how, in sacreBLEU's words; scores are as those of the release it names.
    pub const SIGNATURE: &str = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0";

    pub fn add(&mut self, translation: &str, reference: &str) {
        let (translation, reference) = (words(translation), words(reference));
        for (runs, length) in self.runs.iter_mut().zip(1..) {
            runs.add(Shared::of(&translation, &reference, length));
        }
    }

    /// Words of all translations.
    pub fn translated(&self) -> u64 {
        self.runs[0].translation
    }

    /// Words of all references.
    pub fn expected(&self) -> u64 {
        self.runs[0].reference
    }

    /// Per cent of the runs of each length that the reference has, before smoothing.
    pub fn precisions(&self) -> [f64; LONGEST] {
        self.runs.map(|runs| match runs.translation {
            0 => 0.0,
            all => 100.0 * runs.both as f64 / all as f64,
        })
    }

    /// What a corpus loses that is shorter than its references: a factor of at most 1.
    pub fn brevity(&self) -> f64 {
        match (self.translated() as f64, self.expected() as f64) {
            (0.0, expected) if expected > 0.0 => 0.0,
            (ours, expected) if ours < expected => (1.0 - expected / ours).exp(),
            _ => 1.0,
        }
    }

    /// From 0 to 100. Of runs of a length that has no match at all, a half, a quarter, .. of one counts as a match:
    /// `smooth:exp`.
    pub fn score(&self) -> f64 {
        let is_counted = self.runs.iter().all(|runs| runs.translation > 0);
        let is_met = self.runs.iter().any(|runs| runs.both > 0);
        if !is_counted || !is_met {
            return 0.0;
        }
        let mut smallest = 1.0;
        let logs = self.runs.map(|runs| {
            let both = match runs.both {
                0 => {
                    smallest /= 2.0;
                    smallest
                }
                both => both as f64,
            };
            (both / runs.translation as f64).ln()
        });
        100.0 * self.brevity() * (logs.iter().sum::<f64>() / LONGEST as f64).exp()
    }
}
