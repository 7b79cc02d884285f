//! Counting words: what both trainers learn from.

use super::pieces::leading_pieces;
use super::{Normalizer, SPACE, refuse};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use std::collections::BTreeMap;

/// Most different words kept while counting; beyond it the rarest go.
const MOST_WORDS: usize = 1 << 20;

/// Longest word in characters that pieces are learnt from.
const LONGEST: usize = 256;

/// Escaped text cut before every space mark that has something before it, so that words keep the mark at their front.
pub fn words(escaped: &str) -> impl Iterator<Item = &str> {
    let mut rest = escaped;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let after = first.len_utf8();
        let end = rest[after..].find(SPACE).map_or(rest.len(), |at| at + after);
        let (word, tail) = rest.split_at(end);
        rest = tail;
        Some(word)
    })
}

/// Words with how often they were seen, in the order of their text.
#[derive(Clone, Debug, Default)]
pub struct WordCounts {
    counts: BTreeMap<String, u64>,
    normalizer: Normalizer,
}

impl WordCounts {
    pub fn new(normalizer: Normalizer) -> Self {
        WordCounts { counts: BTreeMap::new(), normalizer }
    }

    pub fn add(&mut self, text: &str) {
        let escaped = self.normalizer.escape(text);
        for word in words(&escaped).filter(|word| word.len() <= 4 * LONGEST) {
            match self.counts.get_mut(word) {
                Some(count) => *count += 1,
                None => drop(self.counts.insert(word.to_string(), 1)),
            }
        }
        self.drop_rarest();
    }

    /// Halves a table that grew too large. What is dropped depends on the text and its order alone.
    fn drop_rarest(&mut self) {
        let mut least = 1;
        while self.counts.len() > MOST_WORDS {
            self.counts.retain(|_, count| *count > least);
            least *= 2;
        }
    }

    pub fn normalizer(&self) -> &Normalizer {
        &self.normalizer
    }

    /// Every word with its count.
    pub fn words(&self) -> Vec<(&str, u64)> {
        self.counts.iter().map(|(word, count)| (word.as_str(), *count)).collect()
    }

    /// The most frequent characters that together make up `coverage` of the text, most frequent first.
    fn characters(&self, coverage: f64) -> Vec<char> {
        let mut counts: BTreeMap<char, u64> = BTreeMap::new();
        for (word, count) in &self.counts {
            word.chars().for_each(|c| *counts.entry(c).or_default() += count);
        }
        let all: u64 = counts.values().sum();
        let mut characters: Vec<(char, u64)> = counts.into_iter().collect();
        characters.arrange_by_key(|(c, count)| (std::cmp::Reverse(*count), *c));
        let mut seen = 0;
        let within = |(_, count): &(char, u64)| {
            let before = seen as f64;
            seen += count;
            before < coverage * all as f64
        };
        characters.into_iter().take_while(within).map(|(c, _)| c).collect()
    }
}

/// What a trainer is asked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Training {
    /// Pieces, with the three control pieces and 256 bytes. Fewer come out if the text is too poor.
    pub vocabulary: usize,
    /// The share of all characters that get a piece of their own; the rest is written in bytes.
    pub coverage: f64,
    /// Most characters of a piece.
    pub longest: usize,
}

impl Default for Training {
    fn default() -> Self {
        Training { vocabulary: 2048, coverage: 0.9995, longest: 16 }
    }
}

impl Training {
    /// The characters that get a piece, or why there can be no tokenizer of this size.
    pub fn characters(&self, counts: &WordCounts) -> Result<Vec<char>, Diagnostic> {
        let characters = counts.characters(self.coverage);
        if characters.is_empty() {
            return Err(refuse(
                "there is no text to learn pieces from",
                "check that the corpus is not empty",
            ));
        }
        let least = leading_pieces().len() + characters.len();
        if self.vocabulary < least {
            let message = format!(
                "a vocabulary of {} has no room for {} control pieces and bytes and {} characters",
                self.vocabulary,
                leading_pieces().len(),
                characters.len()
            );
            return Err(refuse(message, format!("ask for {least} pieces or more in `data.vocabulary`")));
        }
        Ok(characters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_the_space_before_them() {
        assert_eq!(words("▁a▁▁bc").collect::<Vec<_>>(), ["▁a", "▁", "▁bc"]);
        assert_eq!(words("ab▁c").collect::<Vec<_>>(), ["ab", "▁c"]);
        assert_eq!(words("").count(), 0);
    }

    #[test]
    fn rare_characters_are_left_to_bytes() {
        let mut counts = WordCounts::new(Normalizer::default());
        (0..1000).for_each(|_| counts.add("aab"));
        counts.add("ж");
        assert_eq!(counts.characters(0.999), ['a', SPACE, 'b']);
        assert_eq!(counts.characters(1.0).len(), 4);
    }
}
