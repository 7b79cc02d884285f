//! Learning a unigram vocabulary: begin with many pieces, estimate how probable each is, drop those that are missed
//! least, until few enough are left.
//!
//! Estimation is by expectation over all cuts of every word (forward-backward), with the usual correction for small
//! counts (digamma), so that rare pieces lose probability. Everything is done in the order of texts: the same counts
//! give the same pieces and the same scores.

use super::Tokenizer;
use super::pieces::{Kind, Piece, leading_pieces};
use super::unigram::Trie;
use super::words::{Training, WordCounts};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_base::arrange::set;
use std::collections::{BTreeMap, BTreeSet};

/// Estimations between two rounds of dropping.
const ESTIMATIONS: usize = 2;

/// What a round of dropping keeps.
const KEEP: f64 = 0.75;

/// Pieces begun with, as a multiple of what is asked for.
const BEGIN: usize = 8;

/// A tokenizer of at most the vocabulary asked for.
pub fn train_unigram(counts: &WordCounts, training: Training) -> Result<Tokenizer, Diagnostic> {
    let characters = training.characters(counts)?;
    let single: BTreeSet<String> = set(characters.iter().map(char::to_string));
    let words = counts.words();
    let room = training.vocabulary - leading_pieces().len();
    let mut pieces = begin(&words, &single, training.longest, room * BEGIN);
    loop {
        (0..ESTIMATIONS).for_each(|_| pieces = estimate(&pieces, &words, &single));
        if pieces.len() <= room {
            break;
        }
        let keep = ((pieces.len() as f64 * KEEP) as usize).max(room);
        pieces = drop_least_missed(pieces, &words, &single, keep);
    }
    let leading = leading_pieces().into_iter();
    let learnt = pieces.into_iter().map(|piece| Piece::new(piece.text, piece.score as f32, Kind::Normal));
    Tokenizer::unigram(leading.chain(learnt).collect(), counts.normalizer().clone())
}

/// A piece under consideration.
#[derive(Clone, Debug)]
struct Candidate {
    text: String,
    score: f64,
}

/// All parts of words seen twice or more, the ones that cover most text first, and every single character.
fn begin(words: &[(&str, u64)], single: &BTreeSet<String>, longest: usize, most: usize) -> Vec<Candidate> {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for (word, count) in words {
        parts(word, single, longest).for_each(|part| *seen.entry(part).or_default() += count);
    }
    let often = seen.into_iter().filter(|(_, count)| *count > 1);
    let mut found: Vec<(u64, &str)> =
        often.map(|(text, count)| (count * text.chars().count() as u64, text)).collect();
    found.arrange_by_key(|(weight, text)| (std::cmp::Reverse(*weight), *text));
    found.truncate(most);
    let known: BTreeSet<&str> = set(found.iter().map(|(_, text)| *text));
    let missing: Vec<(u64, &str)> = single
        .iter()
        .map(String::as_str)
        .filter(|text| !known.contains(text))
        .map(|text| (1, text))
        .collect();
    found.extend(missing);
    let all: u64 = found.iter().map(|(weight, _)| *weight).sum();
    let score = |weight: u64| (weight.max(1) as f64 / all.max(1) as f64).ln();
    found
        .into_iter()
        .map(|(weight, text)| Candidate { text: text.to_string(), score: score(weight) })
        .collect()
}

/// Parts of a word of at most `longest` characters that all have a piece.
fn parts<'a>(word: &'a str, single: &'a BTreeSet<String>, longest: usize) -> impl Iterator<Item = &'a str> {
    let ends = move |start: usize| {
        let from = &word[start..];
        let known = move |(at, c): &(usize, char)| single.contains(&from[*at..*at + c.len_utf8()]);
        from.char_indices().take(longest).take_while(known).map(move |(at, c)| &from[..at + c.len_utf8()])
    };
    word.char_indices().flat_map(move |(start, _)| ends(start))
}

fn trie_of(pieces: &[Candidate]) -> Trie {
    let mut trie = Trie::default();
    pieces.iter().enumerate().for_each(|(id, piece)| trie.insert(&piece.text, id as u32));
    trie
}

/// New scores from how often each piece is used over all cuts. Pieces hardly ever used go; single characters stay.
fn estimate(pieces: &[Candidate], words: &[(&str, u64)], single: &BTreeSet<String>) -> Vec<Candidate> {
    let trie = trie_of(pieces);
    let mut uses = vec![0.0; pieces.len()];
    words.iter().for_each(|(word, count)| expect(word, *count as f64, pieces, &trie, &mut uses));
    let kept = pieces.iter().zip(&uses).filter(|(piece, uses)| **uses >= 0.5 || single.contains(&piece.text));
    let kept: Vec<(&Candidate, f64)> = kept.map(|(piece, uses)| (piece, uses.max(0.5))).collect();
    let all = digamma(kept.iter().map(|(_, uses)| uses).sum());
    let scored = kept.into_iter().map(|(piece, uses)| (piece.text.clone(), digamma(uses) - all));
    scored.map(|(text, score)| Candidate { text, score }).collect()
}

/// Adds the expected uses of every piece in one word. A word with a character without a piece tells nothing.
fn expect(word: &str, count: f64, pieces: &[Candidate], trie: &Trie, uses: &mut [f64]) {
    let edges: Vec<(usize, usize, usize)> = word
        .char_indices()
        .flat_map(|(start, _)| trie.matches(word, start).map(move |(end, id)| (start, end, id as usize)))
        .collect();
    let mut forward = vec![f64::NEG_INFINITY; word.len() + 1];
    let mut backward = forward.clone();
    (forward[0], backward[word.len()]) = (0.0, 0.0);
    for (start, end, id) in &edges {
        forward[*end] = log_add(forward[*end], forward[*start] + pieces[*id].score);
    }
    for (start, end, id) in edges.iter().rev() {
        backward[*start] = log_add(backward[*start], backward[*end] + pieces[*id].score);
    }
    let whole = forward[word.len()];
    if whole.is_finite() {
        for (start, end, id) in edges {
            uses[id] += count * (forward[start] + pieces[id].score + backward[end] - whole).exp();
        }
    }
}

/// Keeps the `keep` pieces whose loss would cost most, single characters before all others.
fn drop_least_missed(
    pieces: Vec<Candidate>,
    words: &[(&str, u64)],
    single: &BTreeSet<String>,
    keep: usize,
) -> Vec<Candidate> {
    let trie = trie_of(&pieces);
    let mut uses = vec![0.0; pieces.len()];
    words.iter().for_each(|(word, count)| expect(word, *count as f64, &pieces, &trie, &mut uses));
    let missed = |id: usize| {
        if single.contains(&pieces[id].text) {
            f64::INFINITY
        } else {
            uses[id] * (pieces[id].score - without(id, &pieces, &trie))
        }
    };
    let mut order: Vec<(f64, usize)> = (0..pieces.len()).map(|id| (missed(id), id)).collect();
    order.arrange_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let kept: BTreeSet<usize> = set(order.into_iter().take(keep).map(|(_, id)| id));
    pieces.into_iter().enumerate().filter(|(id, _)| kept.contains(id)).map(|(_, piece)| piece).collect()
}

/// The score of the best cut of a piece into other pieces.
fn without(id: usize, pieces: &[Candidate], trie: &Trie) -> f64 {
    let text = &pieces[id].text;
    let mut best = vec![f64::NEG_INFINITY; text.len() + 1];
    best[0] = 0.0;
    for (start, _) in text.char_indices() {
        for (end, other) in trie.matches(text, start).filter(|(_, other)| *other as usize != id) {
            best[end] = best[end].max(best[start] + pieces[other as usize].score);
        }
    }
    best[text.len()]
}

fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// The derivative of ln gamma, by recurrence up to where the series is good to 1e-12.
fn digamma(mut x: f64) -> f64 {
    let mut result = 0.0;
    while x < 8.0 {
        result -= 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = inverse * (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse * (1.0 / 252.0 - inverse / 240.0)));
    result + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_is_right_where_it_is_known() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-10);
        assert!((digamma(0.5) + 1.963_510_026_021_423_5).abs() < 1e-10);
    }

    #[test]
    fn expected_uses_of_a_word_cover_it_once() {
        let one = |text: &str| Candidate { text: text.into(), score: -2.0 };
        let pieces = [one("a"), one("b"), one("ab"), one("ba")];
        let mut uses = vec![0.0; 4];
        expect("aba", 3.0, &pieces, &trie_of(&pieces), &mut uses);
        let letters = uses[0] + uses[1] + 2.0 * (uses[2] + uses[3]);
        assert!((letters - 9.0).abs() < 1e-9, "{uses:?}");
    }
}
