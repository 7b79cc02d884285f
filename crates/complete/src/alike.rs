//! Finding the first of several equal things by a hash, without an order that depends on it.

use std::hash::{Hash, Hasher};

/// Things seen so far, in order, chained by their hash; what is equal is for the user to say.
pub(crate) struct Alike<T> {
    /// The newest entry of each chain; a power of two of them, or none as long as nothing was seen.
    heads: Vec<Option<u32>>,
    entries: Vec<Entry<T>>,
}

struct Entry<T> {
    hash: u64,
    /// The entry before it in its chain.
    next: Option<u32>,
    thing: T,
}

impl<T> Alike<T> {
    /// With so many different things in one chain, somebody means harm: no more are compared.
    const MOST_COMPARED: usize = 64;

    pub(crate) fn new() -> Self {
        Alike { heads: Vec::new(), entries: Vec::new() }
    }

    /// The thing with this hash that is `same`, or the one `make` makes.
    pub(crate) fn first(&mut self, hash: u64, same: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        let found = self.chain(hash).take(Self::MOST_COMPARED).find(|at| {
            let entry = &self.entries[*at];
            entry.hash == hash && same(&entry.thing)
        });
        let at = found.unwrap_or_else(|| self.push(hash, make()));
        &self.entries[at].thing
    }

    fn bucket(&self, hash: u64) -> usize {
        hash as usize & self.heads.len().wrapping_sub(1)
    }

    fn chain(&self, hash: u64) -> impl Iterator<Item = usize> {
        let next = |at: &usize| self.entries[*at].next.map(|next| next as usize);
        let head = self.heads.get(self.bucket(hash)).copied().flatten();
        std::iter::successors(head.map(|head| head as usize), next)
    }

    fn push(&mut self, hash: u64, thing: T) -> usize {
        if self.entries.len() >= self.heads.len() {
            self.grow();
        }
        let at = self.entries.len();
        let bucket = self.bucket(hash);
        let next = self.heads[bucket].replace(at as u32);
        self.entries.push(Entry { hash, next, thing });
        at
    }

    fn grow(&mut self) {
        self.heads = vec![None; (self.heads.len() * 4).max(256)];
        for at in 0..self.entries.len() {
            let bucket = self.bucket(self.entries[at].hash);
            self.entries[at].next = self.heads[bucket].replace(at as u32);
        }
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
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
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
        for n in 0..1000 {
            alike.first(n, |_| false, || "more");
        }
        assert_eq!(*alike.first(7, |seen| *seen == "b", || "c"), "b", "also after growing");
        assert_ne!(quick_hash(&[1i64, 2]), quick_hash(&[2i64, 1]));
    }
}
