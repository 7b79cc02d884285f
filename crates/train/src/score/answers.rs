//! How near answers come to what is expected: exact match and F1 as SQuAD counts them, ROUGE-1, -2 and -L.
//!
//! Unlike BLEU these are scores of single lines: a task's score is their mean. Exact match and F1 look at words in
//! lower case without signs and articles; ROUGE at runs of ASCII letters and digits, unstemmed, and gives the
//! F-measure.

use super::is_blank;
use std::collections::BTreeMap;

/// Scores of an answer, or their means: each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Answer {
    pub exact: f64,
    pub f1: f64,
    pub rouge1: f64,
    pub rouge2: f64,
    pub rouge_l: f64,
}

impl Answer {
    pub fn of(written: &str, expected: &str) -> Answer {
        let [own, wanted] = [written, expected].map(answer_words);
        let [tokens, wanted_tokens] = [written, expected].map(rouge_words);
        let grams = |n: usize| f_measure(&grams(&tokens, n), &grams(&wanted_tokens, n));
        Answer {
            exact: f64::from(own == wanted),
            f1: f_measure(&grams_of(&own), &grams_of(&wanted)),
            rouge1: grams(1),
            rouge2: grams(2),
            rouge_l: measure(common_subsequence(&tokens, &wanted_tokens), tokens.len(), wanted_tokens.len()),
        }
    }

    /// Means over pairs of what was written and what is expected; zeros of none.
    pub fn mean<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Answer {
        let (mut sum, mut count) = (Answer::default(), 0.0f64);
        for (written, expected) in pairs {
            sum = sum.with(Answer::of(written, expected), |a, b| a + b);
            count += 1.0;
        }
        sum.with(sum, |a, _| a / count.max(1.0))
    }

    fn with(self, other: Answer, join: impl Fn(f64, f64) -> f64) -> Answer {
        Answer {
            exact: join(self.exact, other.exact),
            f1: join(self.f1, other.f1),
            rouge1: join(self.rouge1, other.rouge1),
            rouge2: join(self.rouge2, other.rouge2),
            rouge_l: join(self.rouge_l, other.rouge_l),
        }
    }

    /// With their names.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("exact_match", self.exact),
            ("f1", self.f1),
            ("rouge1", self.rouge1),
            ("rouge2", self.rouge2),
            ("rougeL", self.rouge_l),
        ]
    }
}

/// Words in lower case, without ASCII signs and without `a`, `an` and `the`.
fn answer_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let kept: Vec<char> = lower.chars().filter(|c| !c.is_ascii_punctuation()).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // An article is one between what is not part of a word, which need not be white space.
    let pieces =
        kept.chunk_by(|a, b| is_word(*a) == is_word(*b)).map(|piece| piece.iter().collect::<String>());
    let plain: String =
        pieces.map(|piece| if matches!(&*piece, "a" | "an" | "the") { " ".into() } else { piece }).collect();
    plain.split(is_blank).filter(|word| !word.is_empty()).map(str::to_string).collect()
}

/// Runs of ASCII letters and digits, in lower case.
fn rouge_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_string).collect()
}

type Grams<'a> = BTreeMap<&'a [String], usize>;

fn grams(words: &[String], n: usize) -> Grams<'_> {
    let mut counts = Grams::new();
    words.windows(n).for_each(|gram| *counts.entry(gram).or_default() += 1);
    counts
}

fn grams_of(words: &[String]) -> Grams<'_> {
    grams(words, 1)
}

fn f_measure(own: &Grams<'_>, wanted: &Grams<'_>) -> f64 {
    let shared = own.iter().map(|(gram, count)| wanted.get(gram).map_or(0, |other| *count.min(other)));
    measure(shared.sum(), own.values().sum(), wanted.values().sum())
}

/// The harmonic mean of the shares of both that are common.
fn measure(common: usize, own: usize, wanted: usize) -> f64 {
    if common == 0 {
        return 0.0;
    }
    let (precision, recall) = (common as f64 / own as f64, common as f64 / wanted as f64);
    2.0 * precision * recall / (precision + recall)
}

/// Length of the longest sequence of words that both have in this order.
fn common_subsequence(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for word in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_signs_and_case_do_not_count_in_answers() {
        let one = Answer::of("The red,  house!", "a Red house");
        assert_eq!((one.exact, one.f1), (1.0, 1.0));
        assert!((one.rouge1 - 2.0 / 3.0).abs() < 1e-12 && (one.rouge2 - 0.5).abs() < 1e-12, "{one:?}");
        assert_eq!(Answer::of("", "red"), Answer::default());
        // Nothing expected and nothing written is right, and has no word in common.
        assert_eq!((Answer::of("the", "").exact, Answer::of("the", "").f1), (1.0, 0.0));
    }

    #[test]
    fn the_longest_common_subsequence_skips_words() {
        let one = Answer::of("b c a d", "a b c x d");
        assert!((one.rouge_l - 2.0 * 0.75 * 0.6 / 1.35).abs() < 1e-12, "{one:?}");
        assert_eq!(Answer::mean([("a b", "a b"), ("c", "d")]).rouge1, 0.5);
        assert_eq!(Answer::mean([]), Answer::default());
    }
}
