//! Lines that are wanted soon, dealt out among the depths of products: a pair of cache lines at each of them, into the
//! second cache. All at once they would take every place that the CPU has for lines on their way, and the products
//! wait.
//!
//! PrefetchRun for what does not exist does nothing, so ends need no care.

use super::sums::PrefetchRun;
use std::arch::x86_64::*;

/// Elements of two cache lines.
const PAIR: usize = 32;
/// Lists of depths for one tile.
const MOST: usize = 8;

/// Runs of elements that lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub at: *const f32,
    pub runs: usize,
    /// Elements from run to run.
    pub apart: isize,
    /// Elements of each run.
    pub length: usize,
}

impl Block {
    pub const NONE: Block = Block { at: std::ptr::null(), runs: 0, apart: 0, length: 0 };

    /// Pairs of lines; a run may begin within one.
    fn pairs(&self) -> usize {
        self.length.div_ceil(PAIR)
    }
}

/// A shares through a block: the first pairs of all runs, then the second ones.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    at: *const f32,
    block: Block,
    /// Pairs of each run that are left, and runs that are done of those now walked over.
    pairs: usize,
    run: usize,
    /// Pairs for each tile.
    share: usize,
}

impl Shares {
    /// In so many equal shares.
    pub fn new(block: Block, shares: usize) -> Shares {
        let pairs = block.pairs();
        let share = (pairs * block.runs).div_ceil(shares.max(1));
        Shares { at: block.at, block, pairs, run: 0, share }
    }

    /// At most `most` pairs that lie at equal distances.
    fn take(&mut self, most: usize) -> Option<PrefetchRun> {
        let depths = most.min(self.block.runs - self.run);
        if self.pairs == 0 || depths == 0 {
            return None;
        }
        let hop = self.block.apart;
        let taken =
            PrefetchRun { depths, at: self.at.wrapping_offset(self.run as isize * hop), hop: 4 * hop };
        self.run += depths;
        if self.run == self.block.runs {
            (self.run, self.pairs, self.at) = (0, self.pairs - 1, self.at.wrapping_add(PAIR));
        }
        Some(taken)
    }
}

/// What one tile prefetches for.
pub struct Prefetches {
    list: [PrefetchRun; MOST],
    count: usize,
    /// Depths at which nothing is asked for yet.
    left: usize,
}

impl Prefetches {
    pub fn new() -> Prefetches {
        let nothing = PrefetchRun { depths: 0, at: std::ptr::null(), hop: 0 };
        Prefetches { list: [nothing; MOST], count: 0, left: 0 }
    }

    /// Begin a tile of so many depths.
    pub fn begin(&mut self, depths: usize) {
        (self.count, self.left) = (0, depths);
    }

    /// The last place is for the depths at which nothing is asked for.
    pub fn add(&mut self, asking: PrefetchRun) {
        let depths = asking.depths.min(self.left);
        if depths > 0 && self.count + 1 < MOST {
            self.list[self.count] = PrefetchRun { depths, ..asking };
            self.count += 1;
            self.left -= depths;
        }
    }

    /// One share of a shares.
    pub fn share(&mut self, shares: &mut Shares) {
        let mut left = shares.share.min(self.left);
        while left > 0 {
            let Some(asking) = shares.take(left) else { return };
            left -= asking.depths;
            self.add(asking);
        }
    }

    /// For all depths; where there is nothing to ask for, it is what is there anyway.
    pub fn all(&mut self, there: *const f32) -> &[PrefetchRun] {
        if self.left > 0 {
            self.list[self.count] = PrefetchRun { depths: self.left, at: there, hop: 0 };
            (self.count, self.left) = (self.count + 1, 0);
        }
        &self.list[..self.count]
    }

    /// Ask at once.
    #[target_feature(enable = "sse")]
    pub fn now(&self) {
        for asking in &self.list[..self.count] {
            for depth in 0..asking.depths as isize {
                let at = asking.at.cast::<u8>().wrapping_offset(depth * asking.hop);
                _mm_prefetch::<_MM_HINT_T1>(at.cast());
                _mm_prefetch::<_MM_HINT_T1>(at.wrapping_add(64).cast());
            }
        }
    }
}
