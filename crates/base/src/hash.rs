//! A fast, fixed hash for tables that are only looked up.
//!
//! The standard hasher is seeded anew in every process and made to withstand hostile keys; interning tables need
//! neither. Maps made with this are still never iterated.

use std::hash::{BuildHasherDefault, Hasher};

/// Multiply and rotate, a word at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordHasher(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }

    fn write_u16(&mut self, n: u16) {
        self.write_u64(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(MULTIPLIER);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// A map for lookups only.
// lookup only: the alias exists so that no other kind of hash map is needed
pub type LookupMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<WordHasher>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_are_found_and_the_hash_is_the_same_in_every_process() {
        let mut map: LookupMap<(u32, Vec<i64>), u8> = LookupMap::default();
        map.insert((1, vec![2, 3]), 4);
        assert_eq!(map.get(&(1, vec![2, 3])), Some(&4));
        assert_eq!(map.get(&(1, vec![3, 2])), None);
        let mut hasher = WordHasher::default();
        hasher.write(b"meshwright");
        assert_eq!(hasher.finish(), {
            let mut again = WordHasher::default();
            again.write(b"meshwright");
            again.finish()
        });
    }
}
