//! `rng_bit_generator`: counters run through Threefry 2x32 (20 rounds) or Philox 4x32 (10 rounds).

use crate::step::{At, Bases, BufId};
use meshwright_ir::DType;
use meshwright_ir::op::RngAlgorithm;
use meshwright_runtime::Workers;

/// Blocks of a piece.
const PIECE: usize = 1 << 14;

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

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

fn threefry(key: [u32; 2], counter: u64) -> [u32; 2] {
    const TURNS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1bd1_1bda];
    let counter = halves(counter);
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

fn philox(mut key: [u32; 2], counter: u128) -> [u32; 4] {
    let mut x = [counter as u32, (counter >> 32) as u32, (counter >> 64) as u32, (counter >> 96) as u32];
    for _ in 0..10 {
        let first = halves(0xd251_1f53 * u64::from(x[0]));
        let second = halves(0xcd9e_8d57 * u64::from(x[2]));
        x = [second[1] ^ x[1] ^ key[0], second[0], first[1] ^ x[3] ^ key[1], first[0]];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    x
}

impl RandomStep {
    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let mut state = [0u64; 3];
        // SAFETY: the state has so many words.
        unsafe { std::ptr::copy_nonoverlapping(bases.at(self.state).cast(), state.as_mut_ptr(), self.words) };
        match self.dtype.bytes() {
            1 => self.bits::<u8>(bases, &mut state, |word| word as u8, workers),
            2 => self.bits::<u16>(bases, &mut state, |word| word as u16, workers),
            4 => self.bits::<u32>(bases, &mut state, |word| word as u32, workers),
            _ => self.bits::<u64>(bases, &mut state, |word| word, workers),
        }
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), bases.at(self.new_state).cast(), self.words) };
    }

    fn bits<T: Copy>(
        &self,
        bases: &Bases,
        state: &mut [u64; 3],
        narrow: impl Fn(u64) -> T + Sync,
        workers: &dyn Workers,
    ) {
        let to = At(bases.at(self.bits));
        // SAFETY: the result has an element for each place.
        let put = |i: usize, word: u64| unsafe { *to.ptr().cast::<T>().add(i) = narrow(word) };
        match (self.algorithm, self.dtype.bytes()) {
            (RngAlgorithm::ThreeFry, 8) => self.whole_blocks(state, put, workers),
            (RngAlgorithm::ThreeFry, _) => self.half_blocks(state, put, workers),
            (RngAlgorithm::Philox | RngAlgorithm::Default, _) => self.philox(state, put, workers),
        }
    }

    fn count(&self) -> usize {
        self.dims.iter().product()
    }

    /// A block of Threefry for each element of 64 bits.
    fn whole_blocks(&self, state: &mut [u64; 3], put: impl Fn(usize, u64) + Sync, workers: &dyn Workers) {
        let (key, start, count) = (halves(state[0]), state[1], self.count());
        in_pieces(count, workers, &|i| {
            let [low, high] = threefry(key, start.wrapping_add(i as u64)).map(u64::from);
            put(i, low | high << 32);
        });
        state[1] = start.wrapping_add(count as u64);
    }

    /// Elements 2i and 2i + 1 along the first even dim (else the first largest) are the halves of one block.
    fn half_blocks(&self, state: &mut [u64; 3], put: impl Fn(usize, u64) + Sync, workers: &dyn Workers) {
        let (key, start) = (halves(state[0]), state[1]);
        let even = self.dims.iter().position(|dim| dim % 2 == 0);
        let largest = self.dims.iter().max().and_then(|max| self.dims.iter().position(|dim| dim == max));
        let Some(split) = even.or(largest) else {
            put(0, u64::from(threefry(key, start)[0]));
            state[1] = start.wrapping_add(1);
            return;
        };
        let minor: usize = self.dims[split + 1..].iter().product();
        let (size, half) = (self.dims[split], self.dims[split].div_ceil(2));
        let blocks = self.dims[..split].iter().product::<usize>() * half * minor;
        in_pieces(blocks, workers, &|i| {
            let [first, second] = threefry(key, start.wrapping_add(i as u64)).map(u64::from);
            let (row, column) = (i / minor, i % minor);
            let (outer, along) = (row / half, row % half * 2);
            let place = (outer * size + along) * minor + column;
            put(place, first);
            if along + 1 < size {
                put(place + minor, second);
            }
        });
        state[1] = start.wrapping_add(blocks as u64);
    }

    fn philox(&self, state: &mut [u64; 3], put: impl Fn(usize, u64) + Sync, workers: &dyn Workers) {
        let key = halves(state[0]);
        let high = if self.words > 2 { state[2] } else { state[0] };
        let start = u128::from(high) << 64 | u128::from(state[1]);
        let count = self.count();
        let wide = self.dtype.bytes() == 8;
        let per = if wide { 2 } else { 4 };
        in_pieces(count.div_ceil(per), workers, &|i| {
            let x = philox(key, start.wrapping_add(i as u128)).map(u64::from);
            let words = if wide { [x[0] | x[1] << 32, x[2] | x[3] << 32, 0, 0] } else { x };
            for (j, word) in words.iter().enumerate().take(per.min(count - i * per)) {
                put(i * per + j, *word);
            }
        });
        let next = start.wrapping_add(count.div_ceil(per) as u128);
        state[1] = next as u64;
        state[2] = (next >> 64) as u64;
    }
}

#[inline(always)]
fn in_pieces(count: usize, workers: &dyn Workers, each: &(impl Fn(usize) + Sync)) {
    workers.each(count.div_ceil(PIECE), &|piece| {
        (piece * PIECE..((piece + 1) * PIECE).min(count)).for_each(each);
    });
}
