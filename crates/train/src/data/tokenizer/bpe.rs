//! Byte-pair encoding: begin with characters, and merge the best pair of neighbours until none is left.
//!
//! Best is the lowest rank, then the leftmost. Neighbours are a linked list and pairs wait in a heap, so the work is
//! n log n in the length of the text.

use super::pieces::{Kind, Vocabulary};
use super::unigram::{Segment, Trie};
use meshwright_base::LookupMap;
use meshwright_base::arrange::Arrange;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which pairs of pieces become which piece, and how early.
#[derive(Clone, Debug, Default)]
pub struct Merges {
    // Lookups only; never walked.
    pairs: LookupMap<(u32, u32), (u32, u32)>,
    /// In the order of ranks, for writing.
    ordered: Vec<(u32, u32)>,
    /// Pieces that are cut out whole before anything is merged, the longest first, and never merged.
    defined: Trie,
}

impl Merges {
    /// Every way to put a piece together from two pieces, ranked by the score of the whole.
    pub fn by_score(vocabulary: &Vocabulary) -> Self {
        let pieces = vocabulary.pieces();
        let of_kind =
            |kind: Kind| (0..pieces.len() as u32).filter(move |id| pieces[*id as usize].kind == kind);
        let mut ids: Vec<u32> = of_kind(Kind::Normal).collect();
        ids.arrange_by(|a, b| pieces[*b as usize].score.total_cmp(&pieces[*a as usize].score).then(a.cmp(b)));
        let mut merges = Merges::default();
        of_kind(Kind::Defined).for_each(|id| merges.defined.insert(&pieces[id as usize].text, id));
        let normal =
            |text: &str| vocabulary.matching(text).filter(|id| pieces[*id as usize].kind == Kind::Normal);
        for whole in ids {
            let text = &pieces[whole as usize].text;
            for (at, _) in text.char_indices().skip(1) {
                let halves = normal(&text[..at]).zip(normal(&text[at..]));
                halves.into_iter().for_each(|(left, right)| merges.add(left, right, whole));
            }
        }
        merges
    }

    /// Adds a pair after all others. A pair named twice has its last rank.
    pub fn add(&mut self, left: u32, right: u32, whole: u32) {
        let rank = self.ordered.len() as u32;
        self.pairs.insert((left, right), (rank, whole));
        self.ordered.push((left, right));
    }

    pub fn ordered(&self) -> &[(u32, u32)] {
        &self.ordered
    }

    /// Cuts a text. Characters that are no pieces stay without an id.
    pub fn segment(&self, text: &str, vocabulary: &Vocabulary) -> Vec<Segment> {
        let mut line = Line::new(text, vocabulary, &self.defined);
        let mut waiting = BinaryHeap::new();
        (1..line.symbols.len()).for_each(|right| self.offer(&line, right - 1, right, &mut waiting));
        while let Some(Reverse((_, left, right, left_id, right_id))) = waiting.pop() {
            // Pairs whose halves were merged with others meanwhile are stale.
            let whole = self.pairs.get(&(left_id, right_id)).map(|(_, whole)| *whole);
            let Some(whole) = whole.filter(|_| line.is(left, left_id) && line.is(right, right_id)) else {
                continue;
            };
            line.merge(left, right, whole);
            line.before(left).into_iter().for_each(|before| self.offer(&line, before, left, &mut waiting));
            line.after(left).into_iter().for_each(|after| self.offer(&line, left, after, &mut waiting));
        }
        line.segments()
    }

    fn offer(&self, line: &Line, left: usize, right: usize, waiting: &mut BinaryHeap<Reverse<Pair>>) {
        let ids = line.symbols[left].id.zip(line.symbols[right].id);
        let found = ids.and_then(|(a, b)| Some((self.pairs.get(&(a, b))?.0, left, right, a, b)));
        found.into_iter().for_each(|pair| waiting.push(Reverse(pair)));
    }
}

/// Rank, places and ids of two neighbours.
type Pair = (u32, usize, usize, u32, u32);

/// A linked list of symbols; merging keeps the left one.
struct Line {
    symbols: Vec<Symbol>,
}

struct Symbol {
    start: usize,
    end: usize,
    id: Option<u32>,
    before: Option<usize>,
    after: Option<usize>,
    gone: bool,
}

impl Line {
    fn new(text: &str, vocabulary: &Vocabulary, defined: &Trie) -> Self {
        let mut symbols: Vec<Symbol> = Vec::new();
        let mut rest = 0;
        for (start, c) in text.char_indices() {
            if start < rest {
                continue;
            }
            let whole = defined.matches(text, start).last().map(|(end, id)| (end, Some(id)));
            let one = start + c.len_utf8();
            let (end, id) = whole.unwrap_or_else(|| (one, vocabulary.matching(&text[start..one])));
            let at = symbols.len();
            let after = (end < text.len()).then_some(at + 1);
            symbols.push(Symbol { start, end, id, before: at.checked_sub(1), after, gone: false });
            rest = end;
        }
        Line { symbols }
    }

    fn is(&self, at: usize, id: u32) -> bool {
        !self.symbols[at].gone && self.symbols[at].id == Some(id)
    }

    fn before(&self, at: usize) -> Option<usize> {
        self.symbols[at].before
    }

    fn after(&self, at: usize) -> Option<usize> {
        self.symbols[at].after
    }

    fn merge(&mut self, left: usize, right: usize, whole: u32) {
        let (end, after) = (self.symbols[right].end, self.symbols[right].after);
        self.symbols[right].gone = true;
        self.symbols[left].id = Some(whole);
        self.symbols[left].end = end;
        self.symbols[left].after = after;
        after.into_iter().for_each(|after| self.symbols[after].before = Some(left));
    }

    fn segments(self) -> Vec<Segment> {
        self.symbols
            .into_iter()
            .filter(|part| !part.gone)
            .map(|part| (part.start..part.end, part.id))
            .collect()
    }
}
