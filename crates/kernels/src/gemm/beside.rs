//! Lines that are wanted soon, dealt out among the depths of products: a pair of cache lines at each of them, into the
//! second cache. All at once they would take every place that the CPU has for lines on their way, and the products
//! wait.
//!
//! Asking for what does not exist does nothing, so ends need no care.

use super::sums::Asking;
use std::arch::x86_64::*;

/// Elements of two cache lines.
const PAIR: usize = 32;
/// Lists of depths for one tile.
const MOST: usize = 8;

/// Runs of elements that lie side by side.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub at: *const f32,
    pub runs: usize,
    /// Elements from run to run.
    pub apart: isize,
    /// Elements of each run.
    pub length: usize,
}

impl Region {
    pub const NONE: Region = Region { at: std::ptr::null(), runs: 0, apart: 0, length: 0 };

    /// Pairs of lines; a run may begin within one.
    fn pairs(&self) -> usize {
        self.length.div_ceil(PAIR)
    }
}

/// A walk through a region: the first pairs of all runs, then the second ones.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    at: *const f32,
    region: Region,
    /// Pairs of each run that are left, and runs that are done of those now walked over.
    pairs: usize,
    run: usize,
    /// Pairs for each tile.
    share: usize,
}

impl Walk {
    /// In so many equal shares.
    pub fn new(region: Region, shares: usize) -> Walk {
        let pairs = region.pairs();
        let share = (pairs * region.runs).div_ceil(shares.max(1));
        Walk { at: region.at, region, pairs, run: 0, share }
    }

    /// At most `most` pairs that lie at equal distances.
    fn take(&mut self, most: usize) -> Option<Asking> {
        let depths = most.min(self.region.runs - self.run);
        if self.pairs == 0 || depths == 0 {
            return None;
        }
        let hop = self.region.apart;
        let taken = Asking { depths, at: self.at.wrapping_offset(self.run as isize * hop), hop: 4 * hop };
        self.run += depths;
        if self.run == self.region.runs {
            (self.run, self.pairs, self.at) = (0, self.pairs - 1, self.at.wrapping_add(PAIR));
        }
        Some(taken)
    }
}

/// What one tile asks for.
pub struct Asks {
    list: [Asking; MOST],
    count: usize,
    /// Depths at which nothing is asked for yet.
    left: usize,
}

impl Asks {
    pub fn new() -> Asks {
        let nothing = Asking { depths: 0, at: std::ptr::null(), hop: 0 };
        Asks { list: [nothing; MOST], count: 0, left: 0 }
    }

    /// Begin a tile of so many depths.
    pub fn begin(&mut self, depths: usize) {
        (self.count, self.left) = (0, depths);
    }

    /// The last place is for the depths at which nothing is asked for.
    pub fn add(&mut self, asking: Asking) {
        let depths = asking.depths.min(self.left);
        if depths > 0 && self.count + 1 < MOST {
            self.list[self.count] = Asking { depths, ..asking };
            self.count += 1;
            self.left -= depths;
        }
    }

    /// One share of a walk.
    pub fn share(&mut self, walk: &mut Walk) {
        let mut left = walk.share.min(self.left);
        while left > 0 {
            let Some(asking) = walk.take(left) else { return };
            left -= asking.depths;
            self.add(asking);
        }
    }

    /// For all depths; where there is nothing to ask for, it is what is there anyway.
    pub fn all(&mut self, there: *const f32) -> &[Asking] {
        if self.left > 0 {
            self.list[self.count] = Asking { depths: self.left, at: there, hop: 0 };
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
