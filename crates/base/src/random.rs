//! Random numbers that are a function of (seed, stream, count): the same on every host, in every order of asking.
//!
//! A generator is three integers and nothing hidden, so it is saved in a checkpoint as it stands and two hosts that
//! know the position of a sample draw the same numbers for it. Not for secrets, and not the model's own randomness:
//! that is drawn in the program, by global element index.

/// Numbers of one stream. Streams with different (seed, name) are independent for all we care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Random {
    key: u64,
    count: u64,
}

impl Random {
    /// The stream number `stream` under `seed`.
    pub fn new(seed: u64, stream: u64) -> Self {
        Random { key: mix(mix(seed) ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15)), count: 0 }
    }

    /// A stream of this stream, independent of how far this one has been read.
    pub fn split(&self, stream: u64) -> Self {
        Random::new(self.key, stream)
    }

    pub fn word(&mut self) -> u64 {
        self.count += 1;
        mix(self.key.wrapping_add(self.count.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// A number under `bound`, every one equally likely to within 2^-64 of it. Zero if `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(bound)) >> 64) as u64
    }

    /// [`Random::below`] for indices.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// In [0, 1), all 53 bits of it random.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of a list that is not empty.
    pub fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    /// One of `items`, or nothing if there are none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.index(items.len()))
    }
}

/// A bijection of 64-bit words whose every output bit depends on every input bit.
pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The image of `at` under a permutation of `0..length` that `seed` chooses. Needs no table: a Feistel network over the
/// next even power of two, walked until it lands inside, at most four steps on average.
pub fn permuted(seed: u64, length: u64, at: u64) -> u64 {
    if at >= length {
        return at;
    }
    let half = (64 - length.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mut word = feistel(seed, half, at);
    while word >= length {
        word = feistel(seed, half, word);
    }
    word
}

fn feistel(seed: u64, half: u32, word: u64) -> u64 {
    let mask = (1u64 << half) - 1;
    let rounds = (0..4u64).map(|round| mix(seed ^ mix(round + 1)));
    let (left, right) = rounds
        .fold((word >> half, word & mask), |(left, right), key| (right, left ^ (mix(key ^ right) & mask)));
    left << half | right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_depend_on_seed_stream_and_count_only() {
        let take = |seed, stream| {
            let mut random = Random::new(seed, stream);
            [random.word(), random.word(), random.word()]
        };
        assert_eq!(take(1, 2), take(1, 2));
        assert_ne!(take(1, 2), take(2, 1));
        assert_ne!(take(1, 2), take(1, 3));
    }

    #[test]
    fn below_is_even_and_bounded() {
        let mut random = Random::new(7, 0);
        let mut counts = [0u32; 6];
        (0..60_000).for_each(|_| counts[random.index(6)] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.choose::<u8>(&[]), None);
        assert!((0..1000).all(|_| (3..=5).contains(&random.between(3, 5))));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&random.unit())));
    }

    #[test]
    fn a_permutation_hits_every_place_once() {
        for length in [1u64, 2, 3, 5, 16, 17, 1000] {
            let mut hit = vec![false; length as usize];
            (0..length).for_each(|at| hit[permuted(9, length, at) as usize] = true);
            assert!(hit.iter().all(|hit| *hit), "{length}");
        }
        assert_ne!((0..50).map(|at| permuted(1, 50, at)).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
        assert_eq!(permuted(1, 0, 0), 0);
        assert!(permuted(1, u64::MAX, 12) < u64::MAX);
    }
}
