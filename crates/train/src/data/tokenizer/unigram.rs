//! The unigram model: of all ways to cut a text into pieces, the one with the largest product of probabilities.
//!
//! Forward pass over the bytes with a trie of pieces: linear in the text times the longest piece. Sums are in f32 and
//! ties go to the cut found first, as in SentencePiece, so that the same file gives the same cuts.

use super::pieces::{Kind, Vocabulary, may_match};
use std::ops::Range;

/// How much worse an unknown character is than the worst piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// One piece of a cut; no id where no piece covers the character.
pub type Segment = (Range<usize>, Option<u32>);

/// A byte trie of pieces with scores.
#[derive(Clone, Debug)]
pub struct Unigram {
    trie: Trie,
    scores: Vec<f32>,
    unknown: f32,
}

impl Unigram {
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let pieces = vocabulary.pieces();
        let normal = || pieces.iter().filter(|piece| piece.kind == Kind::Normal).map(|piece| piece.score);
        let (best, worst) = (normal().fold(f32::MIN, f32::max), normal().fold(f32::MAX, f32::min));
        let (best, worst) = if normal().next().is_some() { (best, worst) } else { (0.0, 0.0) };
        // A defined piece is as good as a piece of the best score for each of its characters.
        let score = |piece: &super::Piece| match piece.kind {
            Kind::Defined => piece.text.chars().count() as f32 * best - 0.1,
            _ => piece.score,
        };
        let mut trie = Trie::default();
        let found = pieces.iter().enumerate().filter(|(_, piece)| may_match(piece));
        found.for_each(|(id, piece)| trie.insert(&piece.text, id as u32));
        Unigram { trie, scores: pieces.iter().map(score).collect(), unknown: worst - UNKNOWN_PENALTY }
    }

    /// The best cut, in order.
    pub fn best(&self, text: &str) -> Vec<Segment> {
        let mut ends: Vec<Option<(f32, usize, Option<u32>)>> = vec![None; text.len() + 1];
        ends[0] = Some((0.0, 0, None));
        for (start, character) in text.char_indices() {
            let Some((base, _, _)) = ends[start] else { continue };
            let one = start + character.len_utf8();
            let mut offer = |end: usize, score: f32, id: Option<u32>| {
                if ends[end].is_none_or(|(best, _, _)| base + score > best) {
                    ends[end] = Some((base + score, start, id));
                }
            };
            let mut covered = false;
            for (end, id) in self.trie.matches(text, start) {
                covered |= end == one;
                offer(end, self.scores.get(id as usize).copied().unwrap_or(self.unknown), Some(id));
            }
            if !covered {
                offer(one, self.unknown, None);
            }
        }
        backtrack(&ends, text.len())
    }
}

fn backtrack(ends: &[Option<(f32, usize, Option<u32>)>], mut end: usize) -> Vec<Segment> {
    let mut cuts = Vec::new();
    while let Some((_, start, id)) = ends.get(end).copied().flatten().filter(|_| end > 0) {
        cuts.push((start..end, id));
        end = start;
    }
    cuts.reverse();
    cuts
}

/// Pieces by their bytes.
#[derive(Clone, Debug)]
pub struct Trie {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// In the order of bytes.
    children: Vec<(u8, u32)>,
    id: Option<u32>,
}

impl Default for Trie {
    fn default() -> Self {
        Trie { nodes: vec![Node::default()] }
    }
}

impl Trie {
    pub fn insert(&mut self, text: &str, id: u32) {
        let mut node = 0usize;
        for byte in text.bytes() {
            node = match self.nodes[node].children.binary_search_by_key(&byte, |(label, _)| *label) {
                Ok(at) => self.nodes[node].children[at].1 as usize,
                Err(at) => {
                    let new = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[node].children.insert(at, (byte, new as u32));
                    new
                }
            };
        }
        self.nodes[node].id = Some(id);
    }

    /// Pieces that begin at `start`, shortest first, with where they end.
    pub fn matches<'a>(&'a self, text: &'a str, start: usize) -> impl Iterator<Item = (usize, u32)> + 'a {
        let mut node = 0usize;
        let bytes = text.as_bytes().get(start..).unwrap_or_default();
        let path = bytes.iter().map_while(move |byte| {
            let here = &self.nodes[node];
            let at = here.children.binary_search_by_key(byte, |(label, _)| *label).ok()?;
            node = here.children[at].1 as usize;
            Some(self.nodes[node].id)
        });
        path.enumerate().filter_map(move |(at, id)| Some((start + at + 1, id?)))
    }
}
