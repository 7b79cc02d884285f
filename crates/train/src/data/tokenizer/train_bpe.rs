//! Learning byte-pair merges: merge the most frequent pair of neighbours, as often as there is room.
//!
//! Ties go to the pair whose pieces are older, so training is deterministic. A merge touches only the words that hold
//! the pair.

use super::Tokenizer;
use super::pieces::{Kind, Piece, leading_pieces};
use super::words::{Training, WordCounts};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::map;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A tokenizer of at most the vocabulary asked for.
pub fn train_bpe(counts: &WordCounts, training: Training) -> Result<Tokenizer, Diagnostic> {
    let characters = training.characters(counts)?;
    let mut learner = Learner::new(counts, &characters);
    let room = training.vocabulary - leading_pieces().len() - characters.len();
    let merged = learner.merge(room, training.longest);
    let merged = merged.iter().enumerate().map(|(rank, text)| Piece::new(text, -(rank as f32), Kind::Normal));
    let after = room as f32;
    let single =
        characters.iter().enumerate().map(|(at, c)| Piece::new(*c, -after - at as f32, Kind::Normal));
    let pieces = leading_pieces().into_iter().chain(merged).chain(single).collect();
    Tokenizer::bpe(pieces, counts.normalizer().clone())
}

type Pair = (u32, u32);

/// Words as lists of symbols, and where pairs stand.
struct Learner {
    texts: Vec<String>,
    words: Vec<(Vec<u32>, u64)>,
    counts: BTreeMap<Pair, u64>,
    places: BTreeMap<Pair, BTreeSet<u32>>,
    waiting: BinaryHeap<(u64, Reverse<Pair>)>,
}

impl Learner {
    fn new(counts: &WordCounts, characters: &[char]) -> Self {
        let ids: BTreeMap<char, u32> = map(characters.iter().enumerate().map(|(at, c)| (*c, at as u32)));
        let mut learner = Learner {
            texts: characters.iter().map(char::to_string).collect(),
            words: Vec::new(),
            counts: BTreeMap::new(),
            places: BTreeMap::new(),
            waiting: BinaryHeap::new(),
        };
        for (word, count) in counts.words() {
            // A character without a piece parts a word: nothing merges across it.
            let letters: Vec<char> = word.chars().collect();
            for run in letters.split(|c| !ids.contains_key(c)).filter(|run| run.len() > 1) {
                learner.words.push((run.iter().filter_map(|c| ids.get(c).copied()).collect(), count));
            }
        }
        (0..learner.words.len()).for_each(|at| learner.count(at, true));
        learner.waiting = learner.counts.iter().map(|(pair, count)| (*count, Reverse(*pair))).collect();
        learner
    }

    /// Adds or takes away the pairs of a word.
    fn count(&mut self, at: usize, add: bool) {
        let (symbols, times) = &self.words[at];
        for pair in symbols.windows(2).map(|pair| (pair[0], pair[1])) {
            let count = self.counts.entry(pair).or_default();
            *count = if add { *count + times } else { count.saturating_sub(*times) };
            let places = self.places.entry(pair).or_default();
            if add {
                places.insert(at as u32)
            } else {
                places.remove(&(at as u32))
            };
        }
    }

    /// Merges up to `most` times and returns the texts of what was merged, in order.
    fn merge(&mut self, most: usize, longest: usize) -> Vec<String> {
        let mut merged = Vec::new();
        let mut known: BTreeSet<String> = self.texts.iter().cloned().collect();
        while merged.len() < most
            && let Some((count, Reverse(pair))) = self.waiting.pop()
        {
            let now = self.counts.get(&pair).copied().unwrap_or(0);
            if now != count {
                // The count fell since the pair was queued; it waits again with the true one.
                (now > 1).then(|| self.waiting.push((now, Reverse(pair))));
                continue;
            }
            let text = format!("{}{}", self.texts[pair.0 as usize], self.texts[pair.1 as usize]);
            if count < 2 || text.chars().count() > longest {
                continue;
            }
            let whole = self.texts.len() as u32;
            self.texts.push(text.clone());
            self.apply(pair, whole);
            // Two pairs may spell the same text; it is one piece.
            if known.insert(text.clone()) {
                merged.push(text);
            }
        }
        merged
    }

    fn apply(&mut self, pair: Pair, whole: u32) {
        let places = self.places.remove(&pair).unwrap_or_default();
        let mut touched = BTreeSet::new();
        for at in places {
            let at = at as usize;
            self.count(at, false);
            self.words[at].0 = replaced(&self.words[at].0, pair, whole);
            self.count(at, true);
            let pairs = self.words[at].0.windows(2).map(|pair| (pair[0], pair[1]));
            touched.extend(pairs.filter(|(a, b)| *a == whole || *b == whole));
        }
        self.counts.remove(&pair);
        let counted = touched.into_iter().filter_map(|pair| Some((*self.counts.get(&pair)?, Reverse(pair))));
        let counted: Vec<_> = counted.collect();
        self.waiting.extend(counted);
    }
}

fn replaced(symbols: &[u32], pair: Pair, whole: u32) -> Vec<u32> {
    let mut out = Vec::with_capacity(symbols.len());
    let mut at = 0;
    while let Some(symbol) = symbols.get(at) {
        let is_pair = *symbol == pair.0 && symbols.get(at + 1) == Some(&pair.1);
        out.push(if is_pair { whole } else { *symbol });
        at += if is_pair { 2 } else { 1 };
    }
    out
}
