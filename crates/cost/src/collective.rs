//! Bytes and seconds of one collective, by its pattern.
//!
//! `sent` is what every device sends, with the group size `g` and the local bytes before (`input`) and after
//! (`output`):
//!
//! ```text
//! all-gather       output * (g-1)/g        reduce-scatter  input * (g-1)/g
//! all-reduce       2 * input * (g-1)/g     all-to-all      input * (g-1)/g      permute, broadcast  input
//! ```

use crate::machine::{Coefficient, Machine};
use crate::network::Group;
use crate::pattern::Pattern;
use crate::price::price;

/// What one collective costs each device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CollectiveCost {
    pub sent: f64,
    pub seconds: f64,
}

impl CollectiveCost {
    /// Cost of a collective over groups of `group` devices, which lie as near to each other as so many can.
    pub fn of(pattern: Pattern, group: i64, input: i64, output: i64, machine: &Machine) -> Self {
        let (input, output) = (input as f64, output as f64);
        let sent = sent(pattern, group, input, output);
        // A switch at which nobody waits: all ways to go about it take as long.
        let seconds = if machine.network.is_plain() && machine[Coefficient::Hop] == 0.0 {
            machine[Coefficient::Start]
                + sent / (machine[Coefficient::Link] * machine[Coefficient::LinkShare])
        } else {
            price(pattern, &Group::packed(&machine.network, group), input, output, machine).seconds
        };
        CollectiveCost { sent, seconds }
    }

    /// The same over a group whose places on the network are known.
    pub fn among(pattern: Pattern, group: &Group, input: i64, output: i64, machine: &Machine) -> Self {
        let (input, output) = (input as f64, output as f64);
        let seconds = price(pattern, group, input, output, machine).seconds;
        CollectiveCost { sent: sent(pattern, group.size, input, output), seconds }
    }
}

/// Bytes that every device of a group sends.
pub fn sent(pattern: Pattern, group: i64, input: f64, output: f64) -> f64 {
    let group = group.max(1) as f64;
    let share = (group - 1.0) / group;
    match pattern {
        Pattern::AllGather => output * share,
        Pattern::AllReduce => 2.0 * input * share,
        Pattern::ReduceScatter | Pattern::AllToAll => input * share,
        Pattern::Permute | Pattern::Broadcast => input,
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
