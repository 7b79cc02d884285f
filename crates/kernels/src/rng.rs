//! `rng_bit_generator`: counters run through Threefry 2x32 (20 rounds) or Philox 4x32 (10 rounds).
//!
//! ```text
//! for some blocks:  words of each, by the place within a block -> elements, where they go
//! ```
//!
//! Both are plain loops over arrays, of which the compiler makes vectors.

use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_ir::op::RngAlgorithm;
use meshwright_runtime::Workers;
use std::marker::PhantomData;
use std::ops::Range;

/// Blocks of a piece.
const PIECE: usize = 1 << 14;
/// Blocks whose words are made before they are put where they go.
const BATCH: usize = 64;

#[derive(Clone, PartialEq, Debug)]
pub struct RandomStep {
    pub algorithm: RngAlgorithm,
    pub state: BufId,
    pub new_state: BufId,
    pub bits: BufId,
    /// Words of the state: 2 or 3.
    pub words: usize,
    pub dtype: DType,
    pub dims: Vec<usize>,
}

/// What makes a block of `W` words of its number.
trait Cipher<const W: usize>: Copy + Sync {
    fn block(self, number: usize) -> [u32; W];
}

#[derive(Clone, Copy)]
struct Threefry {
    key: [u32; 2],
    start: u64,
}

#[derive(Clone, Copy)]
struct Philox {
    key: [u32; 2],
    start: u128,
}

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

impl Cipher<2> for Threefry {
    #[inline(always)]
    fn block(self, number: usize) -> [u32; 2] {
        const TURNS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
        let keys = [self.key[0], self.key[1], self.key[0] ^ self.key[1] ^ 0x1bd1_1bda];
        let counter = halves(self.start.wrapping_add(number as u64));
        let (mut a, mut b) = (counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1]));
        for round in 0..5u32 {
            for turn in TURNS[round as usize % 2] {
                a = a.wrapping_add(b);
                b = b.rotate_left(turn) ^ a;
            }
            a = a.wrapping_add(keys[(round as usize + 1) % 3]);
            b = b.wrapping_add(keys[(round as usize + 2) % 3]).wrapping_add(round + 1);
        }
        [a, b]
    }
}

impl Cipher<4> for Philox {
    #[inline(always)]
    fn block(self, number: usize) -> [u32; 4] {
        let counter = self.start.wrapping_add(number as u128);
        let (low, high) = (halves(counter as u64), halves((counter >> 64) as u64));
        let (mut x, mut key) = ([low[0], low[1], high[0], high[1]], self.key);
        for _ in 0..10 {
            let first = halves(0xd251_1f53 * u64::from(x[0]));
            let second = halves(0xcd9e_8d57 * u64::from(x[2]));
            x = [second[1] ^ x[1] ^ key[0], second[0], first[1] ^ x[3] ^ key[1], first[0]];
            key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        }
        x
    }
}

/// An element of at most 32 bits: those of a word that it has room for. One of 64 bits is two words, the lower first.
trait Element: Copy + Sync {
    fn of(word: u32) -> Self;
}

impl Element for u8 {
    #[inline(always)]
    fn of(word: u32) -> u8 {
        word as u8
    }
}

impl Element for u16 {
    #[inline(always)]
    fn of(word: u32) -> u16 {
        word as u16
    }
}

impl Element for u32 {
    #[inline(always)]
    fn of(word: u32) -> u32 {
        word
    }
}

/// Where words of blocks go.
trait Places<const W: usize>: Sync {
    /// # Safety
    /// The result has room for so many blocks, and nobody else touches theirs.
    unsafe fn put(&self, blocks: Range<usize>, words: &[[u32; BATCH]; W]);
}

/// One after another, as many as there are.
struct SideBySide<T> {
    to: At,
    count: usize,
    of: PhantomData<T>,
}

impl<T: Element, const W: usize> Places<W> for SideBySide<T> {
    #[inline(always)]
    unsafe fn put(&self, blocks: Range<usize>, words: &[[u32; BATCH]; W]) {
        let first = blocks.start * W;
        let count = (blocks.len() * W).min(self.count - first);
        let to = self.to.ptr().cast::<T>().wrapping_add(first);
        for i in 0..count / W {
            for (j, words) in words.iter().enumerate() {
                // SAFETY: so many elements are left.
                unsafe { *to.add(i * W + j) = T::of(words[i]) };
            }
        }
        for (j, words) in words.iter().enumerate().take(count % W) {
            // SAFETY: as above.
            unsafe { *to.add(count / W * W + j) = T::of(words[count / W]) };
        }
    }
}

/// The two words of a block at places 2i and 2i + 1 of a dim.
struct Pairs<T> {
    to: At,
    /// Of the dim, and elements from place to place of it.
    size: usize,
    minor: usize,
    of: PhantomData<T>,
}

impl<T: Element> Places<2> for Pairs<T> {
    #[inline(always)]
    unsafe fn put(&self, blocks: Range<usize>, [first, second]: &[[u32; BATCH]; 2]) {
        let half = self.size.div_ceil(2);
        let mut done = 0;
        while done < blocks.len() {
            let (row, column) = ((blocks.start + done) / self.minor, (blocks.start + done) % self.minor);
            let run = (self.minor - column).min(blocks.len() - done);
            let (outer, along) = (row / half, row % half * 2);
            let to =
                self.to.ptr().cast::<T>().wrapping_add((outer * self.size + along) * self.minor + column);
            let behind = to.wrapping_add(self.minor);
            for i in 0..run {
                // SAFETY: the place is one of the dim.
                unsafe { *to.add(i) = T::of(first[done + i]) };
            }
            for i in 0..if along + 1 < self.size { run } else { 0 } {
                // SAFETY: as above, and the dim has one more.
                unsafe { *behind.add(i) = T::of(second[done + i]) };
            }
            done += run;
        }
    }
}

impl RandomStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let mut state = [0u64; 3];
        // SAFETY: the state has so many words.
        unsafe { std::ptr::copy_nonoverlapping(bases.at(self.state).cast(), state.as_mut_ptr(), self.words) };
        match self.dtype.bytes() {
            1 => self.draw::<u8>(bases, &mut state, workers),
            2 => self.draw::<u16>(bases, &mut state, workers),
            _ => self.draw::<u32>(bases, &mut state, workers),
        }
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), bases.at(self.new_state).cast(), self.words) };
    }

    fn draw<T: Element>(&self, bases: &Bases, state: &mut [u64; 3], workers: &dyn Workers) {
        let count = self.dims.iter().product::<usize>() * self.dtype.bytes().div_ceil(4);
        let (key, to) = (halves(state[0]), At(bases.at(self.bits)));
        let side_by_side = SideBySide::<T> { to, count, of: PhantomData };
        match self.algorithm {
            RngAlgorithm::ThreeFry => {
                let cipher = Threefry { key, start: state[1] };
                let blocks = match self.pairs::<T>(to) {
                    Some((blocks, pairs)) => each(blocks, cipher, &pairs, workers),
                    None => each(count.div_ceil(2), cipher, &side_by_side, workers),
                };
                state[1] = state[1].wrapping_add(blocks as u64);
            }
            RngAlgorithm::Philox | RngAlgorithm::Default => {
                let high = if self.words > 2 { state[2] } else { state[0] };
                let start = u128::from(high) << 64 | u128::from(state[1]);
                let blocks = each(count.div_ceil(4), Philox { key, start }, &side_by_side, workers);
                let next = start.wrapping_add(blocks as u128);
                (state[1], state[2]) = (next as u64, (next >> 64) as u64);
            }
        }
    }

    pub fn pieces(&self) -> usize {
        let words = self.dims.iter().product::<usize>() * self.dtype.bytes().div_ceil(4);
        let pairs = || self.pairs::<u32>(At(std::ptr::null_mut())).map(|(blocks, _)| blocks);
        let blocks = match self.algorithm {
            RngAlgorithm::ThreeFry => pairs().unwrap_or(words.div_ceil(2)),
            RngAlgorithm::Philox | RngAlgorithm::Default => words.div_ceil(4),
        };
        blocks.div_ceil(PIECE)
    }

    /// How many blocks of Threefry there are, and where their words go, if not side by side: those of less than 64 bits
    /// are pairs along the first even dim, else along the first largest.
    fn pairs<T>(&self, to: At) -> Option<(usize, Pairs<T>)> {
        let even = self.dims.iter().position(|dim| dim % 2 == 0);
        let largest = self.dims.iter().max().and_then(|max| self.dims.iter().position(|dim| dim == max));
        let split = even.or(largest).filter(|_| self.dtype.bytes() < 8)?;
        let (size, minor) = (self.dims[split], self.dims[split + 1..].iter().product::<usize>());
        let blocks = self.dims[..split].iter().product::<usize>() * size.div_ceil(2) * minor;
        (minor > 1 || size % 2 == 1).then_some((blocks, Pairs { to, size, minor, of: PhantomData }))
    }
}

/// Make so many blocks, and say how many.
fn each<const W: usize>(
    blocks: usize,
    cipher: impl Cipher<W>,
    places: &impl Places<W>,
    workers: &dyn Workers,
) -> usize {
    workers.each(blocks.div_ceil(PIECE), &|piece| {
        let blocks = piece * PIECE..((piece + 1) * PIECE).min(blocks);
        // SAFETY: the features are there; pieces have blocks of their own.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx512() {
                return some_avx512(blocks, cipher, places);
            }
            #[cfg(target_arch = "x86_64")]
            if crate::isa::avx2() {
                return some_avx2(blocks, cipher, places);
            }
            some(blocks, cipher, places);
        }
    });
    blocks
}

/// # Safety
/// As [`some`]; the features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn some_avx512<const W: usize>(blocks: Range<usize>, cipher: impl Cipher<W>, places: &impl Places<W>) {
    // SAFETY: the caller's.
    unsafe { some(blocks, cipher, places) };
}

/// # Safety
/// As [`some`]; the features are there.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn some_avx2<const W: usize>(blocks: Range<usize>, cipher: impl Cipher<W>, places: &impl Places<W>) {
    // SAFETY: the caller's.
    unsafe { some(blocks, cipher, places) };
}

/// # Safety
/// As [`Places::put`].
#[inline(always)]
unsafe fn some<const W: usize>(blocks: Range<usize>, cipher: impl Cipher<W>, places: &impl Places<W>) {
    let mut words = [[0; BATCH]; W];
    for first in blocks.clone().step_by(BATCH) {
        let count = BATCH.min(blocks.end - first);
        for i in 0..count {
            for (words, word) in words.iter_mut().zip(cipher.block(first + i)) {
                words[i] = word;
            }
        }
        // SAFETY: the caller's.
        unsafe { places.put(first..first + count, &words) };
    }
}
