//! Span corruption as T5 does it: hide spans of tokens behind sentinels, and ask for what was hidden.
//!
//! ```text
//! tokens   a b c d e f g h        hidden: c d, g
//! input    a b <0> e f <1> h </s>
//! target   <0> c d <1> g </s>
//! ```
//!
//! Of `n` tokens round(n x density) are hidden, at least one and not all, in round(hidden / mean span) spans, at least
//! one. Hidden and kept tokens are each cut into that many random lengths, and alternate, beginning with kept ones. So
//! the number of tokens of input and target follows from `n` alone. Halves round to even, as there.

use meshwright_base::random::Random;

/// How much is hidden.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Corruption {
    pub density: f64,
    pub mean_span: f64,
}

/// T5's.
impl Default for Corruption {
    fn default() -> Self {
        Corruption { density: 0.15, mean_span: 3.0 }
    }
}

/// How many tokens and spans are hidden.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hidden {
    pub tokens: usize,
    pub spans: usize,
}

/// Raw tokens of a sample, and the lengths they become with an end token each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lengths {
    pub raw: usize,
    pub input: usize,
    pub target: usize,
}

/// Where sentinels lie: the first is the last id of the vocabulary, the next the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sentinels {
    pub vocabulary: u32,
    pub count: u32,
}

impl Sentinels {
    pub fn id(self, at: usize) -> Option<u32> {
        let at = u32::try_from(at).ok().filter(|at| *at < self.count)?;
        self.vocabulary.checked_sub(1 + at)
    }
}

impl Corruption {
    /// What is hidden of `length` tokens; nothing of fewer than two.
    pub fn hidden(self, length: usize) -> Hidden {
        if length < 2 {
            return Hidden { tokens: 0, spans: 0 };
        }
        let tokens = (length as f64 * self.density).round_ties_even() as usize;
        let tokens = tokens.clamp(1, length - 1);
        let spans = (tokens as f64 / self.mean_span).round_ties_even() as usize;
        Hidden { tokens, spans: spans.clamp(1, tokens.min(length - tokens)) }
    }

    fn lengths_of(self, raw: usize) -> Lengths {
        let hidden = self.hidden(raw);
        let kept = raw - hidden.tokens;
        Lengths { raw, input: kept + hidden.spans + 1, target: hidden.tokens + hidden.spans + 1 }
    }

    /// The most raw tokens that still fit into `input` once corrupted.
    pub fn lengths(self, input: usize) -> Lengths {
        // Input lengths never fall as raw ones grow by one; a raw length is at most input / (1 - density) and some.
        let most = (input as f64 / (1.0 - self.density).max(1e-6)) as usize + 8;
        let fits = |raw: &usize| self.lengths_of(*raw).input <= input;
        let raw = (input.saturating_sub(1)..=most.min(input.saturating_mul(64))).take_while(fits).last();
        let lengths = self.lengths_of(raw.unwrap_or(0));
        // With half of the tokens hidden T5 prefers equal lengths.
        if self.density == 0.5 && lengths.target > lengths.input {
            Lengths { raw: lengths.raw - 1, target: lengths.target - 1, ..lengths }
        } else {
            lengths
        }
    }

    /// Lengths of kept and hidden runs, in order: kept, hidden, kept, ..
    pub fn runs(self, length: usize, random: &mut Random) -> Vec<usize> {
        let hidden = self.hidden(length);
        if hidden.spans == 0 {
            return vec![length];
        }
        let hide = segments(hidden.tokens, hidden.spans, random);
        let keep = segments(length - hidden.tokens, hidden.spans, random);
        keep.into_iter().zip(hide).flat_map(|(keep, hide)| [keep, hide]).collect()
    }

    /// The token that each token of a target is of: a sentinel's is the first that it hides, the end's the last of all.
    pub fn asked(self, length: usize, random: &mut Random) -> Vec<usize> {
        let (mut asked, mut from) = (Vec::new(), 0);
        for (at, run) in self.runs(length, random).into_iter().enumerate() {
            if at % 2 == 1 {
                asked.push(from);
                asked.extend(from..from + run);
            }
            from += run;
        }
        asked.push(length.saturating_sub(1));
        asked
    }

    /// Input and target of one sample, each with its end. `None` if there are fewer sentinels than spans.
    pub fn corrupt(
        self,
        tokens: &[u32],
        sentinels: Sentinels,
        end: u32,
        random: &mut Random,
    ) -> Option<(Vec<u32>, Vec<u32>)> {
        let (mut input, mut target) = (Vec::new(), Vec::new());
        let mut rest = tokens;
        for (at, length) in self.runs(tokens.len(), random).into_iter().enumerate() {
            let (run, tail) = rest.split_at_checked(length)?;
            rest = tail;
            if at % 2 == 0 {
                input.extend(run);
            } else {
                let sentinel = sentinels.id(at / 2)?;
                input.push(sentinel);
                target.push(sentinel);
                target.extend(run);
            }
        }
        input.push(end);
        target.push(end);
        Some((input, target))
    }
}

/// `items` cut into `count` lengths of one or more, every way equally likely.
fn segments(items: usize, count: usize, random: &mut Random) -> Vec<usize> {
    let (mut lengths, mut current) = (Vec::with_capacity(count), 1);
    let mut cuts = count - 1;
    for place in (1..items).rev() {
        // Of the `place` places left, `cuts` are still to be cut.
        if random.index(place) < cuts {
            cuts -= 1;
            lengths.push(std::mem::replace(&mut current, 1));
        } else {
            current += 1;
        }
    }
    lengths.push(current);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_t5() {
        let t5 = Corruption::default();
        assert_eq!(t5.lengths(512), Lengths { raw: 568, input: 512, target: 114 });
        assert_eq!(t5.hidden(568), Hidden { tokens: 85, spans: 28 });
        assert_eq!(t5.hidden(1), Hidden { tokens: 0, spans: 0 });
        assert_eq!(t5.hidden(2), Hidden { tokens: 1, spans: 1 });
        // 10 x 0.15 and 30 x 0.15 are halves: both go to the even neighbour.
        assert_eq!((t5.hidden(10).tokens, t5.hidden(30).tokens), (2, 4));
        let half = Corruption { density: 0.5, mean_span: 3.0 };
        let lengths = half.lengths(512);
        assert!(lengths.target <= lengths.input && lengths.input <= 512, "{lengths:?}");
    }

    #[test]
    fn the_longest_raw_length_fits_and_one_more_does_not() {
        for density in [0.05, 0.15, 0.3, 0.9] {
            for mean_span in [1.0, 3.0, 10.0] {
                let corruption = Corruption { density, mean_span };
                for input in 4..300 {
                    let raw = corruption.lengths(input).raw;
                    assert!(corruption.lengths_of(raw).input <= input);
                    assert!(corruption.lengths_of(raw + 1).input > input, "{corruption:?} {input} {raw}");
                }
            }
        }
    }

    #[test]
    fn counts_are_exact_and_putting_spans_back_gives_the_tokens() {
        let sentinels = Sentinels { vocabulary: 1000, count: 100 };
        let mut random = Random::new(1, 0);
        for density in [0.15, 0.5, 0.95] {
            let corruption = Corruption { density, mean_span: 3.0 };
            for length in 2..200 {
                let tokens: Vec<u32> = (0..length as u32).map(|at| 2 + at % 800).collect();
                let hidden = corruption.hidden(length);
                let asked = corruption.asked(tokens.len(), &mut random.clone());
                let (input, target) = corruption.corrupt(&tokens, sentinels, 1, &mut random).unwrap();
                assert_eq!(asked.len(), target.len());
                let hides = |(at, token): (&usize, &u32)| tokens[*at] == *token;
                assert_eq!(
                    asked.iter().zip(&target).filter(|pair| hides(*pair)).count(),
                    corruption.hidden(tokens.len()).tokens
                );
                assert_eq!(input.len(), length - hidden.tokens + hidden.spans + 1);
                assert_eq!(target.len(), hidden.tokens + hidden.spans + 1);
                assert!(input[0] < 900, "a sample begins with a kept token");
                assert_eq!(put_back(&input, &target), tokens);
            }
        }
    }

    /// The tokens again: every sentinel of the input replaced by what follows it in the target.
    fn put_back(input: &[u32], target: &[u32]) -> Vec<u32> {
        let span = |sentinel: u32| {
            let from = target.iter().position(|token| *token == sentinel).unwrap() + 1;
            target[from..].iter().copied().take_while(|token| *token < 900 && *token != 1)
        };
        let body = &input[..input.len() - 1];
        body.iter()
            .flat_map(|token| if *token >= 900 { span(*token).collect() } else { vec![*token] })
            .collect()
    }

    #[test]
    fn sentinels_count_down_from_the_top_and_may_run_out() {
        let sentinels = Sentinels { vocabulary: 32_100, count: 100 };
        assert_eq!(
            (sentinels.id(0), sentinels.id(99), sentinels.id(100)),
            (Some(32_099), Some(32_000), None)
        );
        let few = Sentinels { vocabulary: 100, count: 1 };
        let tokens: Vec<u32> = (2..80).collect();
        assert_eq!(Corruption::default().corrupt(&tokens, few, 1, &mut Random::new(1, 1)), None);
    }

    #[test]
    fn every_way_to_cut_is_equally_likely() {
        let mut seen = std::collections::BTreeMap::new();
        let mut random = Random::new(5, 0);
        (0..40_000).for_each(|_| *seen.entry(segments(6, 3, &mut random)).or_insert(0) += 1);
        // Two cuts among five places.
        assert_eq!(seen.len(), 10);
        assert!(seen.values().all(|count| (3_600..4_400).contains(count)), "{seen:?}");
    }
}
