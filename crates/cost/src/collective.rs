//! Bytes and seconds of one collective, by its pattern.
//!
//! `sent` is what every device sends, with the group size `g` and the local bytes before (`input`) and after
//! (`output`):
//!
//! ```text
//! all-gather       output * (g-1)/g        reduce-scatter  input * (g-1)/g
//! all-reduce       2 * input * (g-1)/g     all-to-all      input * (g-1)/g      permute, broadcast  input
//! ```

use crate::machine::Machine;

/// The communication pattern of a collective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pattern {
    AllGather,
    AllReduce,
    ReduceScatter,
    AllToAll,
    Permute,
    Broadcast,
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Pattern::AllGather => "all-gather",
            Pattern::AllReduce => "all-reduce",
            Pattern::ReduceScatter => "reduce-scatter",
            Pattern::AllToAll => "all-to-all",
            Pattern::Permute => "permute",
            Pattern::Broadcast => "broadcast",
        })
    }
}

/// What one collective costs each device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CollectiveCost {
    pub sent: f64,
    pub seconds: f64,
}

impl CollectiveCost {
    /// Cost of a collective over groups of `group` devices.
    pub fn of(pattern: Pattern, group: i64, input: i64, output: i64, machine: &Machine) -> Self {
        let group = group.max(1) as f64;
        let share = (group - 1.0) / group;
        let (input, output) = (input as f64, output as f64);
        let sent = match pattern {
            Pattern::AllGather => output * share,
            Pattern::AllReduce => 2.0 * input * share,
            Pattern::ReduceScatter | Pattern::AllToAll => input * share,
            Pattern::Permute | Pattern::Broadcast => input,
        };
        CollectiveCost { sent, seconds: machine.latency + sent / machine.link }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_all_reduce_sends_as_much_as_its_two_halves() {
        let machine = Machine::default();
        let sent = |pattern, input, output| CollectiveCost::of(pattern, 4, input, output, &machine).sent;
        let halves = sent(Pattern::ReduceScatter, 400, 100) + sent(Pattern::AllGather, 100, 400);
        assert_eq!(sent(Pattern::AllReduce, 400, 400), halves);
    }
}
