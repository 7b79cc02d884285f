//! How much else is touched before a step comes back to the same bytes: what of caches is left of them by then.
//!
//! ```text
//! a = f(x)        writes a
//! b = g(y)        reads y and writes b
//! c = h(a)        reads a: as many bytes ago as y and b have
//! ```
//!
//! A program runs again and again: what it does not touch earlier in a launch, it touched in the one before. So is a
//! loop's second trip. Where devices wait for each other, the others have had their turns with bytes of their own.
//!
//! Memory is looked at in blocks, of which there is a fixed number at most. One walk over the steps, loops twice.

use meshwright_runtime::{StepInfo, StepOrder, Touched};

/// Bytes that a step touches, and how many were touched since they were touched last.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reuse {
    pub bytes: f64,
    pub distance: f64,
}

const LEAST_BLOCK: u64 = 4096;
const MOST_BLOCKS: u64 = 1 << 16;

struct ReuseWalk<'a> {
    steps: &'a [&'a StepInfo],
    devices: u64,
    block: u64,
    /// When each block was touched last.
    last: Vec<u64>,
    /// Bytes touched so far, by all devices.
    now: u64,
    /// The same since devices met.
    since: u64,
    found: Vec<Vec<Reuse>>,
}

/// For each step what it touches, as the program goes on and on.
pub fn reuses(steps: &[&StepInfo], order: &[StepOrder], devices: usize) -> Vec<Vec<Reuse>> {
    let ends = steps.iter().flat_map(|info| &info.work.touched).map(|place| place.start + place.bytes);
    let all = ends.max().unwrap_or(0);
    let block = all.div_ceil(MOST_BLOCKS).max(LEAST_BLOCK);
    let blocks = usize::try_from(all / block + 1).unwrap_or(1);
    let mut walk = ReuseWalk {
        steps,
        devices: devices as u64,
        block,
        last: vec![0; blocks],
        now: 0,
        since: 0,
        found: vec![Vec::new(); steps.len()],
    };
    for _ in 0..2 {
        walk.body(order);
        walk.meet();
    }
    walk.found
}

impl ReuseWalk<'_> {
    fn body(&mut self, body: &[StepOrder]) {
        for one in body {
            match one {
                StepOrder::Step(at) => self.step(*at),
                StepOrder::Loop { body, .. } => (0..2).for_each(|_| self.body(body)),
                StepOrder::While { head, body } => (0..2).for_each(|_| {
                    self.body(head);
                    self.body(body);
                }),
                StepOrder::Branch(arms) => arms.iter().for_each(|arm| self.body(arm)),
            }
        }
    }

    fn step(&mut self, at: usize) {
        let steps = self.steps;
        let Some(info) = steps.get(at) else { return };
        if info.work.site.is_some() {
            self.meet();
        }
        self.found[at] = info.work.touched.iter().map(|place| self.touch(place)).collect();
    }

    /// The mean over the blocks of a place.
    fn touch(&mut self, place: &Touched) -> Reuse {
        let blocks = place.start / self.block..(place.start + place.bytes).div_ceil(self.block);
        let (mut sum, count) = (0.0, (blocks.end - blocks.start).max(1));
        for block in blocks {
            let Some(last) = usize::try_from(block).ok().and_then(|block| self.last.get_mut(block)) else {
                continue;
            };
            sum += (self.now - *last) as f64;
            *last = self.now;
        }
        self.now += place.bytes;
        self.since += place.bytes;
        let bytes = place.bytes as f64;
        Reuse { bytes, distance: sum / count as f64 }
    }

    /// All other devices come as far as this one is.
    fn meet(&mut self) {
        self.now += self.since * (self.devices - 1);
        self.since = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_runtime::StepWork;

    fn step(places: &[(u64, u64)]) -> StepInfo {
        let touched = places.iter().map(|(start, bytes)| Touched { start: *start, bytes: *bytes }).collect();
        StepInfo { work: StepWork { touched, ..StepWork::default() }, ..StepInfo::default() }
    }

    fn distances(steps: &[StepInfo], order: &[StepOrder], devices: usize) -> Vec<Vec<f64>> {
        let steps: Vec<&StepInfo> = steps.iter().collect();
        let of = |reuses: Vec<Reuse>| reuses.iter().map(|reuse| reuse.distance).collect();
        reuses(&steps, order, devices).into_iter().map(of).collect()
    }

    const KIB_64: u64 = 1 << 16;

    #[test]
    fn a_step_alone_comes_back_to_all_that_it_touches() {
        let steps = [step(&[(0, KIB_64), (KIB_64, KIB_64), (2 * KIB_64, KIB_64)])];
        let all = (3 * KIB_64) as f64;
        // The first place has been left behind by the two others, and so on.
        assert_eq!(distances(&steps, &[StepOrder::Step(0)], 1), [[all, all, all]]);
    }

    #[test]
    fn what_was_made_just_now_is_near_and_what_others_touched_is_between() {
        let steps = [step(&[(0, KIB_64)]), step(&[(KIB_64, 4 * KIB_64)]), step(&[(0, KIB_64)])];
        let order = [StepOrder::Step(0), StepOrder::Step(1), StepOrder::Step(2)];
        let found = distances(&steps, &order, 1);
        assert_eq!(found[2], [(5 * KIB_64) as f64]);
        assert_eq!(found[0], [KIB_64 as f64]);
        // Four devices have as much each, but only where they meet.
        assert_eq!(distances(&steps, &order, 4)[2], found[2]);
        assert_eq!(distances(&steps, &order, 4)[0], [(KIB_64 + 3 * 6 * KIB_64) as f64]);
    }

    #[test]
    fn a_trip_of_a_loop_finds_what_the_one_before_left() {
        let steps = [step(&[(0, KIB_64)]), step(&[(KIB_64, 64 * KIB_64)])];
        let turns = StepOrder::Loop { trips: 8, body: vec![StepOrder::Step(0)] };
        assert_eq!(distances(&steps, &[turns, StepOrder::Step(1)], 1)[0], [KIB_64 as f64]);
    }
}
