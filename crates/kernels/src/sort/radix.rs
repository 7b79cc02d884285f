//! Long lists of keys in order, digit by digit: a stable sort whose passes are cut among workers.
//!
//! ```text
//! count   piece 0: 3 2 0 1   piece 1: 1 1 4 0      how often each digit comes, piece by piece
//! place   piece 0: 0 4 7 11  piece 1: 3 6 7 12     where the first of each goes: by digit, then by piece
//! move    each piece writes its keys there, in order
//! ```
//!
//! Pieces are cut by length, so who runs which changes nothing. A pass reads the list twice and writes it once; one
//! whose digits are all the same moves nothing. Costs a second list, and [`DIGITS`] counts for each piece.

use crate::step::At;
use meshwright_runtime::Workers;

/// Elements of a piece.
pub const PIECE: usize = 1 << 15;
/// Below that, comparing takes less time.
pub const LEAST: usize = 1 << 13;
const BITS: u32 = 11;
/// How many digits there are.
pub const DIGITS: usize = 1 << BITS;

/// What is sorted: a number, and what goes along with it.
pub trait Entry: Copy + Default + Ord + Send + Sync {
    /// The number's bits from this one on decide.
    const FIRST: u32;
    /// How many bits it has.
    const NUMBER: u32;
    fn digit(self, shift: u32) -> usize;
}

/// A number of 32 bits over its place.
impl Entry for u64 {
    const FIRST: u32 = 32;
    const NUMBER: u32 = 32;
    #[inline(always)]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize % DIGITS
    }
}

/// A number of 64 bits, and its place.
impl Entry for (u64, u32) {
    const FIRST: u32 = 0;
    const NUMBER: u32 = 64;
    #[inline(always)]
    fn digit(self, shift: u32) -> usize {
        (self.0 >> shift) as usize % DIGITS
    }
}

/// Counts of a piece's digits, then where the next of each goes.
type Counts = [u32; DIGITS];

/// Bytes that a list of so many takes beside itself.
pub fn scratch<E: Entry>(len: usize) -> usize {
    if len < LEAST { 0 } else { len * size_of::<E>() + len.div_ceil(PIECE) * size_of::<Counts>() }
}

/// Bring entries in order whose places ascend. `other` is memory for as many.
pub fn sort<E: Entry>(entries: &mut Vec<E>, other: &mut Vec<E>, workers: &dyn Workers) {
    if entries.len() < LEAST {
        return entries.sort_unstable();
    }
    other.resize(entries.len(), E::default());
    let mut counts = vec![[0; DIGITS]; entries.len().div_ceil(PIECE)];
    for shift in (E::FIRST..E::FIRST + E::NUMBER).step_by(BITS as usize) {
        count(entries, &mut counts, shift, workers);
        if place(&mut counts, entries.len()) {
            scatter(entries, other, &counts, shift, workers);
            std::mem::swap(entries, other);
        }
    }
}

/// The piece of a list.
fn piece_of<E>(entries: &[E], piece: usize) -> &[E] {
    &entries[piece * PIECE..entries.len().min((piece + 1) * PIECE)]
}

fn count<E: Entry>(entries: &[E], counts: &mut [Counts], shift: u32, workers: &dyn Workers) {
    let at = At(counts.as_mut_ptr().cast());
    workers.each(counts.len(), &|piece| {
        // SAFETY: each piece has its own counts.
        let counts = unsafe { &mut *at.ptr().cast::<Counts>().add(piece) };
        counts.fill(0);
        piece_of(entries, piece).iter().for_each(|entry| counts[entry.digit(shift)] += 1);
    });
}

/// From counts to places; whether there is more than one digit.
fn place(counts: &mut [Counts], len: usize) -> bool {
    let (mut next, mut most) = (0, 0);
    for digit in 0..DIGITS {
        let start = next;
        for counts in counts.iter_mut() {
            let count = std::mem::replace(&mut counts[digit], next);
            next += count;
        }
        most = most.max((next - start) as usize);
    }
    most < len
}

fn scatter<E: Entry>(from: &[E], to: &mut [E], counts: &[Counts], shift: u32, workers: &dyn Workers) {
    assert_eq!(from.len(), to.len());
    let at = At(to.as_mut_ptr().cast());
    workers.each(counts.len(), &|piece| {
        let mut next = counts[piece];
        for entry in piece_of(from, piece) {
            let place = &mut next[entry.digit(shift)];
            // SAFETY: places of all pieces together are those of the list, each once.
            unsafe { *at.ptr().cast::<E>().add(*place as usize) = *entry };
            *place += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_runtime::pool::Alone;

    /// Numbers of so many bits, with many that are equal where these are few.
    fn drawn(bits: u32) -> impl Iterator<Item = u64> {
        (1..).map(move |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 17)) >> (64 - bits))
    }

    #[test]
    fn lists_of_any_length_come_into_order_with_their_places() {
        for len in [0, 1, LEAST - 1, LEAST, PIECE, PIECE + 1, 3 * PIECE - 5] {
            for bits in [1, 9, 23, 32] {
                let mut entries: Vec<u64> =
                    drawn(bits).take(len).enumerate().map(|(i, x)| x << 32 | i as u64).collect();
                let mut sorted = entries.clone();
                sorted.sort_unstable();
                sort(&mut entries, &mut Vec::new(), &Alone);
                assert!(entries == sorted, "{len} of {bits} bits");
            }
            for bits in [3, 40, 64] {
                let mut entries: Vec<(u64, u32)> =
                    drawn(bits).take(len).enumerate().map(|(i, x)| (x, i as u32)).collect();
                let mut sorted = entries.clone();
                sorted.sort_unstable();
                sort(&mut entries, &mut Vec::new(), &Alone);
                assert!(entries == sorted, "{len} of {bits} bits");
            }
        }
    }
}
