//! How near what a model writes comes to what is given: BLEU and chrF of a whole corpus, as sacreBLEU counts them, and
//! scores of single answers ([`Answer`]).
//!
//! BLEU and chrF count what stands in a translation and in its reference, line by line, add the counts up over the
//! corpus and only then divide: the score of a corpus is not the mean of its lines' scores.

mod answers;
mod bleu;
mod chrf;
mod ngrams;
mod words;

pub use answers::Answer;
pub use bleu::Bleu;
pub use chrf::Chrf;
pub use words::words;

/// Both scores of one system's translations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    pub bleu: Bleu,
    pub chrf: Chrf,
}

impl Scores {
    /// Of lines and the references of the same lines.
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Scores {
        let mut scores = Scores::default();
        for (translation, reference) in pairs {
            scores.bleu.add(translation, reference);
            scores.chrf.add(translation, reference);
        }
        scores
    }
}

/// What separates words: Unicode's white space, and the four separators of ASCII.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(pairs: &[(&str, &str)]) -> (f64, f64) {
        let scores = Scores::of(pairs.iter().copied());
        let rounded = |score: f64| (score * 1e4).round() / 1e4;
        (rounded(scores.bleu.score()), rounded(scores.chrf.score()))
    }

    /// What sacreBLEU 2.6.0 prints for the same lines.
    #[test]
    fn scores_are_those_of_sacrebleu() {
        let cat = ("The cat sat on the mat.", "The cat is sitting on the mat.");
        let same = ("It works, doesn't it?", "It works, doesn't it?");
        assert_eq!(scores(&[cat]), (CAT.0, CAT.1));
        assert_eq!(scores(&[cat, same]), (CAT_AND_SAME.0, CAT_AND_SAME.1));
        assert_eq!(scores(&[cat, ("", "An empty line.")]), (CAT_AND_EMPTY.0, CAT_AND_EMPTY.1));
        assert_eq!(scores(&[("a b", "c d")]), (0.0, 0.0));
        assert_eq!(scores(&[("", "")]), (0.0, 0.0));
        assert_eq!(scores(&[]), (0.0, 0.0));
    }

    const CAT: (f64, f64) = (42.3837, 49.6485);
    const CAT_AND_SAME: (f64, f64) = (67.816, 71.3208);
    const CAT_AND_EMPTY: (f64, f64) = (23.9348, 35.9376);

    #[test]
    fn equal_lines_are_all_right() {
        let line = "Größe: 1,234.5 – „gut“ &amp; billig";
        assert_eq!(scores(&[(line, line)]), (100.0, 100.0));
    }

    #[test]
    fn signatures_name_what_was_counted() {
        assert_eq!(Bleu::SIGNATURE, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0");
        assert_eq!(Chrf::SIGNATURE, "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0");
    }
}
