//! The static buffer plan of a device: which buffer lies where, and what the whole takes.
//!
//! Buffers whose lives overlap do not overlap in memory. Larger buffers are placed first, each in the lowest gap that
//! fits (greedy by size): not optimal, within a few percent of the lower bound on real programs, and quick.

use crate::memory::ALIGN;
use crate::{RunError, RunErrorKind};
use meshwright_base::arrange::Arrange;
use std::fmt;

/// A buffer and the steps over which it must keep its bytes, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub bytes: usize,
    pub first: usize,
    pub last: usize,
}

/// Offset of each buffer, and the bytes of the arena that holds them all.
pub fn assign(buffers: &[Interval]) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.arrange_by_key(|i| (std::cmp::Reverse(buffers[*i].bytes), *i));
    let mut offsets = vec![0; buffers.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut total = 0;
    for i in order {
        let size = buffers[i].bytes.next_multiple_of(ALIGN);
        let mut taken: Vec<(usize, usize)> = placed
            .iter()
            .filter(|other| overlap(buffers[i], buffers[**other]))
            .map(|other| (offsets[*other], buffers[*other].bytes.next_multiple_of(ALIGN)))
            .collect();
        taken.arrange();
        offsets[i] = lowest_gap(&taken, size);
        total = total.max(offsets[i] + size);
        placed.push(i);
    }
    (offsets, total)
}

fn overlap(a: Interval, b: Interval) -> bool {
    a.first <= b.last && b.first <= a.last
}

fn lowest_gap(taken: &[(usize, usize)], size: usize) -> usize {
    let mut at = 0;
    for (offset, bytes) in taken {
        if *offset >= at + size {
            return at;
        }
        at = at.max(offset + bytes);
    }
    at
}

/// Where a result of a launch lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultPlace {
    /// In a buffer made for it.
    Fresh,
    /// In the buffer of a donated parameter.
    Donated { param: usize },
}

/// What one device holds while the program runs. Known before it runs and equal to what is allocated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemoryPlan {
    pub arena: usize,
    pub inputs: usize,
    /// Results that do not lie in donated inputs.
    pub outputs: usize,
    /// Shared by all devices of the process, counted in full for each.
    pub constants: usize,
    /// Scratch of one worker.
    pub scratch: usize,
    /// The largest buffers that live at the fullest step: (what, bytes).
    pub largest: Vec<(String, usize)>,
}

impl MemoryPlan {
    /// Bytes of one device at most.
    pub fn peak(&self) -> usize {
        self.arena + self.inputs + self.outputs + self.constants
    }

    /// Refuse a plan above a limit, naming its largest buffers.
    pub fn check(&self, limit: Option<usize>) -> Result<(), RunError> {
        match limit {
            Some(limit) if self.peak() > limit => {
                let message =
                    format!("the program needs {} bytes on a device, the limit is {limit}", self.peak());
                let error = RunError::new(RunErrorKind::TooMuchMemory, message);
                let name = |(what, bytes): &(String, usize)| format!("{what} takes {bytes} bytes");
                let error = self.largest.iter().map(name).fold(error, RunError::note);
                Err(error.help("run on more devices, make the batch smaller, or raise the limit"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: usize| bytes as f64 / 1e6;
        writeln!(f, "engine peak {:.3} MB a device", mb(self.peak()))?;
        let parts = [
            ("arena", self.arena),
            ("inputs", self.inputs),
            ("outputs", self.outputs),
            ("constants", self.constants),
        ];
        parts.iter().try_for_each(|(name, bytes)| writeln!(f, "  {name:10} {:12.3} MB", mb(*bytes)))?;
        self.largest.iter().try_for_each(|(name, bytes)| writeln!(f, "  {:12.3} MB {name}", mb(*bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(bytes: usize, first: usize, last: usize) -> Interval {
        Interval { bytes, first, last }
    }

    #[test]
    fn buffers_that_live_at_different_times_share_memory() {
        let (offsets, total) = assign(&[buffer(128, 0, 1), buffer(64, 1, 2), buffer(128, 2, 3)]);
        assert_eq!(offsets, [0, 128, 0]);
        assert_eq!(total, 192);
    }

    #[test]
    fn a_gap_is_used_only_if_it_is_large_enough() {
        let all = [buffer(256, 0, 1), buffer(192, 2, 9), buffer(128, 0, 9), buffer(64, 2, 3)];
        let (offsets, total) = assign(&all);
        assert_eq!((offsets, total), (vec![0, 0, 256, 192], 384));
    }

    #[test]
    fn a_plan_above_the_limit_names_its_largest_buffers() {
        let plan = MemoryPlan { arena: 100, largest: vec![("dot".into(), 90)], ..MemoryPlan::default() };
        assert!(plan.check(Some(100)).is_ok());
        let error = plan.check(Some(99)).unwrap_err();
        assert_eq!(error.kind, RunErrorKind::TooMuchMemory);
        assert!(error.to_string().contains("dot takes 90 bytes"), "{error}");
    }
}
