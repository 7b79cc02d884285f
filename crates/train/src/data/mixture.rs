//! Which document comes next: a mixture of parts, each in an order of its own, without end.
//!
//! Draw number `n` chooses a part by weight; the part gives its next document in the order of this round, a permutation
//! made anew each round. Where we are is one integer per part and one for all: a [`Position`], a value that is saved in
//! checkpoints and from which everything after it follows.

use super::corpus::{CORPUS, Corpus, Document, is_held_out};
use meshwright_base::Diagnostic;
use meshwright_base::random::{Random, mix, permuted};

/// Documents of a part that are looked at to estimate its length.
const SAMPLED: u64 = 32;

/// Where a stream of documents stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Position {
    /// Documents drawn from all parts.
    pub drawn: u64,
    /// Documents passed by in each part, held-out ones with them.
    pub passed: Vec<u64>,
    /// Tokens of the last document that are used up, where documents are cut to length.
    pub offset: u64,
}

/// Which side of the split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Training,
    HeldOut,
}

/// The choice and the order of documents.
#[derive(Clone, Debug)]
pub struct Mixture {
    seed: u64,
    side: Side,
    held_out_one_in: u64,
    /// Running sums of the weights of parts.
    upto: Vec<f64>,
}

impl Mixture {
    /// `weights` has one entry per part, none negative.
    pub fn new(seed: u64, side: Side, held_out_one_in: u64, weights: &[f64]) -> Self {
        let running = |sum: &mut f64, weight: &f64| {
            *sum += weight.max(0.0);
            Some(*sum)
        };
        Mixture { seed, side, held_out_one_in, upto: weights.iter().scan(0.0, running).collect() }
    }

    pub fn start(&self) -> Position {
        Position { drawn: 0, passed: vec![0; self.upto.len()], offset: 0 }
    }

    /// The next document, its part, and where we stand after it.
    pub fn draw(
        &self,
        corpus: &mut dyn Corpus,
        position: &Position,
    ) -> Result<(Document, usize, Position), Diagnostic> {
        let sizes: Vec<u64> = corpus.parts().iter().map(|part| part.documents).collect();
        self.pick(&sizes, position, |part, at| {
            let document = corpus.document(part, at)?;
            let is_held_out = is_held_out(corpus, (part, at), &document, self.held_out_one_in);
            Ok((is_held_out == (self.side == Side::HeldOut)).then_some(document))
        })
    }

    /// The next number that `take` takes something of, for parts of these sizes: what it took, the part, and where we
    /// stand after it.
    pub fn pick<T>(
        &self,
        sizes: &[u64],
        position: &Position,
        mut take: impl FnMut(usize, u64) -> Result<Option<T>, Diagnostic>,
    ) -> Result<(T, usize, Position), Diagnostic> {
        if position.passed.len() != self.upto.len() || sizes.len() != self.upto.len() {
            return Err(other_corpus(position.passed.len(), sizes.len()));
        }
        let (first, parts) = (self.part(position.drawn), self.upto.len());
        let mut after = position.clone();
        (after.drawn, after.offset) = (position.drawn.saturating_add(1), 0);
        // A small part may lie on one side of the split whole; then the next one gives.
        for part in (0..parts).map(|step| (first + step) % parts).filter(|part| self.is_drawn(*part)) {
            let size = sizes.get(part).copied().unwrap_or(0);
            if let Some(found) = self.pick_from((part, size), &mut after.passed[part], &mut take)? {
                return Ok((found, part, after));
            }
        }
        Err(one_sided(self.side))
    }

    /// The next document of a part on our side, unless a whole round has none. The next round is in another order: what
    /// is early in this one, and passed, may be late in that one.
    fn pick_from<T>(
        &self,
        (part, size): (usize, u64),
        passed: &mut u64,
        take: &mut impl FnMut(usize, u64) -> Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        for _ in 0..size.saturating_mul(2) {
            let at = *passed;
            *passed = at.saturating_add(1);
            let round = mix(self.seed ^ mix(part as u64) ^ mix(at / size).rotate_left(17));
            if let Some(found) = take(part, permuted(round, size, at % size))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether a part has any weight.
    fn is_drawn(&self, part: usize) -> bool {
        self.upto[part] > part.checked_sub(1).map_or(0.0, |before| self.upto[before])
    }

    /// The part of draw number `drawn`.
    fn part(&self, drawn: u64) -> usize {
        let all = self.upto.last().copied().unwrap_or(0.0);
        let point = Random::new(self.seed ^ 0x6D69_7874, drawn).unit() * all;
        self.upto.iter().position(|upto| point < *upto).unwrap_or(0)
    }
}

/// Weights by tokens: documents times their mean length, to the power 1/temperature (1 is by tokens). A part without
/// documents on this side has none.
pub fn weights(
    corpus: &mut dyn Corpus,
    temperature: f64,
    length: &dyn Fn(&Document) -> usize,
) -> Result<Vec<f64>, Diagnostic> {
    let sizes: Vec<u64> = corpus.parts().iter().map(|part| part.documents).collect();
    let weight = |(part, size): (usize, &u64)| {
        let looked = (*size).min(SAMPLED);
        let mut tokens = 0;
        for at in 0..looked {
            // Evenly over the part, in whole numbers.
            let at = (u128::from(at) * u128::from(*size) / u128::from(looked)) as u64;
            tokens += length(&corpus.document(part, at)?);
        }
        let all = if looked == 0 { 0.0 } else { *size as f64 * tokens as f64 / looked as f64 };
        Ok(if all > 0.0 { all.powf(1.0 / temperature) } else { 0.0 })
    };
    sizes.iter().enumerate().map(weight).collect()
}

fn other_corpus(saved: usize, found: usize) -> Diagnostic {
    Diagnostic::error(
        CORPUS,
        format!("the position is of a corpus of {saved} parts, and this one has {found}"),
    )
    .help("resume with the corpus of the checkpoint, or begin afresh with `checkpoint.init_from`")
}

fn one_sided(side: Side) -> Diagnostic {
    let side = if side == Side::Training { "training" } else { "evaluation" };
    Diagnostic::error(CORPUS, format!("the corpus has no document for {side}"))
        .help("give it more documents, or change `data.held_out_one_in`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corpus::{Multilingual, Prose};
    use std::collections::BTreeSet;

    #[test]
    fn a_position_is_all_there_is_to_know() {
        let mut corpus = Multilingual::new(1, 2000, 1.0);
        let mixture = Mixture::new(1, Side::Training, 10, &[1.0; 15]);
        let mut at = mixture.start();
        let mut seen = Vec::new();
        for _ in 0..300 {
            let (document, part, after) = mixture.draw(&mut corpus, &at).unwrap();
            seen.push((at, document, part));
            at = after;
        }
        for (at, document, part) in seen.into_iter().rev() {
            let again = mixture.draw(&mut Multilingual::new(1, 2000, 1.0), &at).unwrap();
            assert_eq!((again.0, again.1), (document, part));
        }
    }

    #[test]
    fn a_round_gives_every_document_once_and_no_document_is_on_both_sides() {
        let sides = [Side::Training, Side::HeldOut].map(|side| {
            let mut corpus = Prose::new(1, 500);
            let mixture = Mixture::new(1, side, 5, &[1.0, 0.0, 0.0, 0.0, 0.0]);
            let mut at = mixture.start();
            let mut texts = BTreeSet::new();
            let mut count = 0;
            while at.passed[0] < 100 {
                let (document, part, after) = mixture.draw(&mut corpus, &at).unwrap();
                assert_eq!(part, 0);
                if after.passed[0] <= 100 {
                    texts.insert(document.target);
                    count += 1;
                }
                at = after;
            }
            assert_eq!(texts.len(), count, "no text twice in a round");
            texts
        });
        assert_eq!(sides[0].intersection(&sides[1]).count(), 0);
        assert_eq!(sides[0].len() + sides[1].len(), 100);
    }

    #[test]
    fn the_only_document_of_a_side_comes_again_and_again() {
        let mut corpus = Prose::new(1, 25);
        let count = |one_in: u64, corpus: &mut Prose| {
            let all: Vec<Document> = (0..5).map(|at| corpus.document(0, at).unwrap()).collect();
            let numbered = (0..).zip(&all);
            numbered.filter(|(at, document)| is_held_out(corpus, (0, *at), document, one_in)).count()
        };
        let one_in = (2..50).find(|one_in| count(*one_in, &mut corpus) == 1).unwrap();
        let mixture = Mixture::new(1, Side::HeldOut, one_in, &[1.0, 0.0, 0.0, 0.0, 0.0]);
        let mut at = mixture.start();
        for _ in 0..100 {
            at = mixture.draw(&mut corpus, &at).unwrap().2;
        }
    }

    #[test]
    fn parts_are_drawn_by_weight_and_temperature_evens_them() {
        let mut corpus = Multilingual::new(1, 20_000, 1.0);
        let length = |document: &Document| document.target.len();
        let by_tokens = weights(&mut corpus, 1.0, &length).unwrap();
        let evened = weights(&mut corpus, 5.0, &length).unwrap();
        assert!(by_tokens[0] > 8.0 * by_tokens[14]);
        assert!(evened[0] < 2.0 * evened[14]);
        let mixture = Mixture::new(3, Side::Training, 0, &[3.0, 0.0, 1.0]);
        let mut counts = [0; 3];
        (0..40_000).for_each(|drawn| counts[mixture.part(drawn)] += 1);
        assert!(counts[1] == 0 && (29_500..30_500).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn a_foreign_position_and_a_one_sided_part_are_told() {
        let mut corpus = Prose::new(1, 5);
        let mixture = Mixture::new(1, Side::HeldOut, u64::MAX, &[1.0; 5]);
        assert!(
            mixture
                .draw(&mut corpus, &mixture.start())
                .unwrap_err()
                .message
                .contains("no document for evaluation")
        );
        let position = Position::default();
        assert!(
            mixture
                .draw(&mut corpus, &position)
                .unwrap_err()
                .message
                .contains("of 0 parts, and this one has 5")
        );
    }
}
