//! Where a random program's choices come from: a counter-based generator, a list of choices made before, or any bytes.
//!
//! Choice `i` of case `c` under seed `s` depends on these three numbers alone, so a case is the same on any machine and
//! in any order of running. Every choice is a small number, and 0 is always the simplest one: a list of choices with
//! some lowered or left out still makes a program, a simpler one. That is what shrinking relies on.

/// A source of choices that remembers what it gave.
#[derive(Clone, Debug)]
pub struct Choices {
    source: Source,
    made: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Source {
    /// By this key and the choice's position.
    Drawn(u64),
    /// These, then the simplest.
    Replayed(Vec<u32>),
    /// A byte for each choice; beyond their end drawn by a key that all of them make.
    Bytes(Vec<u8>, u64),
}

impl Source {
    /// Choice `at`, one of 0..=most.
    fn choice(&self, at: usize, most: u32) -> u32 {
        let drawn = |key: u64| (mix(key.wrapping_add(at as u64)) % u64::from(most + 1)) as u32;
        match self {
            Source::Drawn(key) => drawn(*key),
            Source::Replayed(tape) => tape.get(at).copied().unwrap_or(0).min(most),
            Source::Bytes(bytes, key) => {
                bytes.get(at).map_or_else(|| drawn(*key), |byte| u32::from(*byte) % (most + 1))
            }
        }
    }
}

impl Choices {
    /// The choices of one case of a campaign.
    pub fn of_case(seed: u64, case: u64) -> Self {
        Choices::from(Source::Drawn(mix(mix(seed).wrapping_add(case))))
    }

    /// Choices made before; beyond their end every choice is 0.
    pub fn replayed(tape: Vec<u32>) -> Self {
        Choices::from(Source::Replayed(tape))
    }

    /// Choices that a fuzzer makes: every byte sequence is one, and a byte changed changes one choice.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let key = bytes.iter().fold(bytes.len() as u64, |key, byte| mix(key ^ u64::from(*byte)));
        Choices::from(Source::Bytes(bytes.to_vec(), key))
    }

    fn from(source: Source) -> Self {
        Choices { source, made: Vec::new() }
    }

    /// What was chosen so far.
    pub fn made(&self) -> &[u32] {
        &self.made
    }

    /// One of 0..n (0 if n is 0).
    pub fn below(&mut self, n: u32) -> u32 {
        let chosen = self.source.choice(self.made.len(), n.max(1) - 1);
        self.made.push(chosen);
        chosen
    }

    /// An index of a list of this length (0 if it is empty).
    pub fn index(&mut self, len: usize) -> usize {
        self.below(u32::try_from(len).unwrap_or(u32::MAX)) as usize
    }

    /// True in so many of 100 cases; false is the simpler one.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) + percent >= 100
    }

    /// One of a list that is not empty; the first is the simplest.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// A list in another order; the given one is the simplest.
    pub fn shuffled<T>(&mut self, mut list: Vec<T>) -> Vec<T> {
        for at in 0..list.len() {
            let other = at + self.index(list.len() - at);
            list.swap(at, other);
        }
        list
    }

    /// Some members of 0..n, ascending; each is taken in so many of 100 cases.
    pub fn some_of(&mut self, n: usize, percent: u32) -> Vec<usize> {
        (0..n).filter(|_| self.chance(percent)).collect()
    }
}

/// SplitMix64's finalizer: every bit of the result depends on every bit of the word.
pub fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_gives_the_same_and_then_the_simplest() {
        let mut first = Choices::of_case(1, 2);
        let given: Vec<u32> = (0..20).map(|_| first.below(7)).collect();
        let mut again = Choices::replayed(first.made().to_vec());
        assert_eq!((0..20).map(|_| again.below(7)).collect::<Vec<_>>(), given);
        assert_eq!((again.below(9), again.chance(99)), (0, false));
        assert!(given.iter().any(|n| *n != given[0]));
    }

    #[test]
    fn bytes_are_choices_and_all_of_them_make_those_beyond_their_end() {
        let draw = |bytes: &[u8], n: u32| {
            let mut choices = Choices::of_bytes(bytes);
            (0..4).map(|_| choices.below(n)).collect::<Vec<_>>()
        };
        assert_eq!(draw(&[3, 200], 7)[..2], [3, 4]);
        assert_eq!(draw(&[1, 2], 1 << 30), draw(&[1, 2], 1 << 30));
        assert_ne!(draw(&[1, 2], 1 << 30)[2..], draw(&[1, 3], 1 << 30)[2..]);
    }

    #[test]
    fn cases_differ_and_chances_are_about_right() {
        let draw = |case| Choices::of_case(1, case).below(1 << 30);
        assert_ne!(draw(0), draw(1));
        let mut choices = Choices::of_case(3, 4);
        let hits = (0..1000).filter(|_| choices.chance(30)).count();
        assert!((200..400).contains(&hits), "{hits}");
        assert!((0..100).all(|_| choices.chance(100)));
    }

    #[test]
    fn shuffling_keeps_all_members() {
        let mut list = Choices::of_case(5, 6).shuffled((0..16).collect::<Vec<_>>());
        assert_ne!(list, (0..16).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..16).collect::<Vec<_>>());
    }
}
