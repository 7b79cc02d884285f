//! Finding the first of several equal things by a hash, without an order that depends on it.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

/// Things seen so far, by their hash; what is equal is for the user to say.
pub(crate) struct Alike<T> {
    // lookup only: candidates are found by key and stand in order of appearance
    by_hash: HashMap<u64, Vec<T>>,
}

impl<T> Alike<T> {
    /// With so many different things of one hash, somebody means harm: further ones are not compared.
    const MOST_COMPARED: usize = 64;

    pub(crate) fn new() -> Self {
        Alike { by_hash: Default::default() }
    }

    /// The first thing with this hash that is `same`, or the one `make` makes.
    pub(crate) fn first(&mut self, hash: u64, same: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        let candidates = self.by_hash.entry(hash).or_default();
        let compared = candidates.len().min(Self::MOST_COMPARED);
        let at = candidates[..compared].iter().position(same).unwrap_or_else(|| {
            candidates.push(make());
            candidates.len() - 1
        });
        &candidates[at]
    }
}

/// A hash of a few words: quick, the same on every run.
pub(crate) fn quick_hash(thing: &impl Hash) -> u64 {
    let mut mix = Mix(0);
    thing.hash(&mut mix);
    mix.finish()
}

struct Mix(u64);

impl Mix {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, word: u8) {
        self.word(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.word(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.word(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.word(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.word(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_things_is_found() {
        let mut alike: Alike<&str> = Alike::new();
        assert_eq!(*alike.first(7, |_| false, || "a"), "a");
        assert_eq!(*alike.first(7, |_| false, || "b"), "b");
        assert_eq!(*alike.first(7, |seen| *seen == "a", || "c"), "a");
        assert_ne!(quick_hash(&[1i64, 2]), quick_hash(&[2i64, 1]));
    }
}
