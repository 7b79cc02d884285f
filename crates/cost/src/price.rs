//! Seconds of a collective over a group, by the best algorithm of those that networks have.
//!
//! With `V` the bytes that are put together (an all-gather's result, a reduction's operand, what each device has to
//! send to others in an all-to-all), `B` the rate of one link one way that the group has, and `n` devices in a row:
//!
//! ```text
//! closed ring, both ways   all-gather, reduce-scatter   V (n-1)/n / 2B       all-to-all  V n / 8B
//! line                                                  V (n-1)/n / B        all-to-all  V n / 4B   (its middle link)
//! switch                                                V (n-1)/n / B        all-to-all  V (n-1)/n / B
//! tree                     all-reduce, broadcast        2 log n steps, and V twice over a link
//! ```
//!
//! An all-reduce is a reduce-scatter and an all-gather, or a tree. Over several pieces these go one piece after the
//! other, the slowest while there is least to send; on a torus also with a part of the data on each direction at once.
//! In an all-to-all all directions are busy at once, and the slowest decides: on a square torus of D chips that is
//! `V sqrt(D) / 8B`.

use crate::machine::{Coefficient, Machine};
use crate::network::{Group, TierKind, Way};
use crate::pattern::Pattern;
use meshwright_base::arrange::Arrange;

impl TierKind {
    /// Bytes per second of a link, one way.
    fn link(self) -> Coefficient {
        match self {
            TierKind::Hosts => Coefficient::Outer,
            TierKind::Ring { .. } | TierKind::Switch | TierKind::Branch => Coefficient::Link,
            TierKind::Chip | TierKind::Threads => Coefficient::Inner,
        }
    }

    /// Seconds over a link, if they are worth a number.
    fn hop(self) -> Option<Coefficient> {
        match self {
            TierKind::Hosts => Some(Coefficient::OuterHop),
            TierKind::Ring { .. } | TierKind::Switch | TierKind::Branch => Some(Coefficient::Hop),
            TierKind::Chip | TierKind::Threads => None,
        }
    }
}

impl Way {
    /// Bytes per second that one group has on one link, one way.
    fn rate(&self, machine: &Machine) -> f64 {
        machine[self.kind.link()] * machine[Coefficient::LinkShare] / self.sharing
    }

    /// Seconds from one to the next of the group.
    fn hop(&self, machine: &Machine) -> f64 {
        self.kind.hop().map_or(0.0, |of| machine[of]) * self.distance as f64
    }
}

/// How a collective goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Algorithm {
    /// Nothing to do.
    Still,
    /// From each to the next, all the way round; on lines and switches alike.
    Ring,
    /// Half of the data each way round.
    BothWays,
    /// Pieces one after the other.
    Hierarchical,
    /// A part of the data begins on each piece.
    AllDirections,
    Tree,
    /// From each to each at once.
    Direct,
}

/// Seconds of one collective.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Priced {
    pub seconds: f64,
    /// Those of them that more bytes would lengthen.
    pub moving: f64,
    pub algorithm: Algorithm,
}

impl Priced {
    const STILL: Priced = Priced { seconds: 0.0, moving: 0.0, algorithm: Algorithm::Still };

    fn new(moving: f64, waiting: f64, algorithm: Algorithm) -> Priced {
        Priced { seconds: moving + waiting, moving, algorithm }
    }

    fn or(self, other: Priced) -> Priced {
        if other.seconds < self.seconds { other } else { self }
    }

    fn then(self, other: Priced, algorithm: Algorithm) -> Priced {
        let moving = self.moving + other.moving;
        Priced { seconds: self.seconds + other.seconds, moving, algorithm }
    }
}

/// What a collective over a group takes, started from still.
pub fn price(pattern: Pattern, group: &Group, input: f64, output: f64, machine: &Machine) -> Priced {
    let start = Priced::new(0.0, machine[Coefficient::Start], Algorithm::Still);
    let alone = group.hops.is_empty();
    let found = match pattern {
        Pattern::Permute => neighbour(group, input, machine),
        _ if alone => return Priced::STILL,
        Pattern::AllGather => gather(group, output, machine),
        Pattern::ReduceScatter => gather(group, input, machine),
        Pattern::AllReduce => {
            let half = gather(group, input, machine);
            half.then(half, half.algorithm).or(tree(group, input, 2.0, machine))
        }
        Pattern::AllToAll => exchange(group, input, machine),
        Pattern::Broadcast => tree(group, input, 1.0, machine),
    };
    start.then(found, found.algorithm)
}

/// An all-gather of so many bytes in all, or its mirror image: over rings, in the better of two ways, then over what is
/// inside of them.
fn gather(group: &Group, bytes: f64, machine: &Machine) -> Priced {
    let (rings, others): (Vec<Way>, Vec<Way>) =
        group.hops.iter().partition(|way| matches!(way.kind, TierKind::Ring { .. }));
    let inside: i64 = others.iter().map(|way| way.size).product();
    let outer = bytes / inside as f64;
    let around = match rings.len() {
        0 => Priced::STILL,
        1 => in_turn(&rings, outer, machine),
        _ => in_turn(&rings, outer, machine).or(all_directions(&rings, outer, machine)),
    };
    if others.is_empty() {
        return around;
    }
    let inner = in_turn(&others, bytes, machine);
    let algorithm = if rings.is_empty() { inner.algorithm } else { Algorithm::Hierarchical };
    around.then(inner, algorithm)
}

/// One piece after the other: the faster a piece, the later it comes, when there is more to send.
fn in_turn(ways: &[Way], bytes: f64, machine: &Machine) -> Priced {
    let mut ways: Vec<Way> = ways.to_vec();
    ways.arrange_by(|a, b| a.rate(machine).total_cmp(&b.rate(machine)));
    let mut left: f64 = ways.iter().map(|way| way.size as f64).product();
    let mut total = Priced::STILL;
    for way in &ways {
        left /= way.size as f64;
        let step = along(way, bytes / left, machine);
        total = total.then(step, if ways.len() > 1 { Algorithm::Hierarchical } else { step.algorithm });
    }
    total
}

/// An all-gather along one piece, of so many bytes when it is done.
fn along(way: &Way, bytes: f64, machine: &Machine) -> Priced {
    let others = (way.size - 1) as f64;
    let share = bytes * others / way.size as f64;
    let (rate, hop) = (way.rate(machine), way.hop(machine));
    match way.kind {
        TierKind::Ring { closed: true } => {
            let steps = (way.size / 2) as f64;
            Priced::new(share / (2.0 * rate), steps * hop, Algorithm::BothWays)
        }
        TierKind::Ring { .. } | TierKind::Hosts | TierKind::Switch | TierKind::Branch => {
            Priced::new(share / rate, others * hop, Algorithm::Ring)
        }
        TierKind::Chip | TierKind::Threads => Priced::new(share / rate, 0.0, Algorithm::Ring),
    }
}

/// A part of the data for each direction of a torus to begin with, all going on to the next direction together.
fn all_directions(rings: &[Way], bytes: f64, machine: &Machine) -> Priced {
    let count = rings.len();
    let size: i64 = rings.iter().map(|way| way.size).product();
    let mut total = Priced::STILL;
    for phase in 0..count {
        let mut slowest = Priced::STILL;
        for first in 0..count {
            // What is together behind this phase of the part that began in direction `first`.
            let done: i64 = (0..=phase).map(|at| rings[(first + at) % count].size).product();
            let together = bytes / count as f64 * done as f64 / size as f64;
            let step = along(&rings[(first + phase) % count], together, machine);
            slowest = if step.seconds > slowest.seconds { step } else { slowest };
        }
        total = total.then(slowest, Algorithm::AllDirections);
    }
    total
}

/// An all-to-all of so many bytes on each device.
fn exchange(group: &Group, bytes: f64, machine: &Machine) -> Priced {
    let (mut slowest, mut waiting) = (0.0f64, 0.0);
    for way in &group.hops {
        let rate = way.rate(machine) / machine[Coefficient::LinkShare] * machine[Coefficient::ExchangeShare];
        slowest = slowest.max(crossing(way, machine) * bytes / rate);
        waiting += way.hop(machine) * farthest(way) as f64;
    }
    Priced::new(slowest, waiting, Algorithm::Direct)
}

/// Bytes over the busiest link, by those that a device sends, where each sends as much to each.
fn crossing(way: &Way, machine: &Machine) -> f64 {
    let n = way.size as f64;
    match way.kind {
        TierKind::Ring { closed: true } => {
            let even = way.size % 2 == 0;
            let both_ways = if even { n / 8.0 } else { (n * n - 1.0) / (8.0 * n) };
            both_ways * 2.0 / (1.0 + machine[Coefficient::RingShare].min(1.0))
        }
        TierKind::Ring { closed: false } => {
            let (low, high) = ((way.size / 2) as f64, ((way.size + 1) / 2) as f64);
            low * high / n
        }
        TierKind::Hosts | TierKind::Switch | TierKind::Chip | TierKind::Threads | TierKind::Branch => {
            (n - 1.0) / n
        }
    }
}

/// Neighbours of the group between the two that are farthest from each other.
fn farthest(way: &Way) -> i64 {
    match way.kind {
        TierKind::Ring { closed: true } => way.size / 2,
        TierKind::Ring { closed: false } => way.size - 1,
        TierKind::Hosts | TierKind::Switch | TierKind::Chip | TierKind::Threads | TierKind::Branch => 1,
    }
}

/// Down a tree, `times` 1, or up and down, with all bytes over each of its links.
fn tree(group: &Group, bytes: f64, times: f64, machine: &Machine) -> Priced {
    let mut slowest = f64::INFINITY;
    let mut waiting = 0.0;
    for way in &group.hops {
        // One core sends what its chip has put together.
        slowest = slowest.min(way.rate(machine) * way.cores);
        let steps = match way.kind {
            TierKind::Ring { .. } => farthest(way) as f64,
            TierKind::Hosts | TierKind::Switch | TierKind::Chip | TierKind::Threads | TierKind::Branch => {
                (way.size as f64).log2().ceil()
            }
        };
        waiting += steps * way.hop(machine);
    }
    Priced::new(times * bytes / slowest, times * waiting, Algorithm::Tree)
}

/// What goes to one neighbour, over one link of the nearest kind there is.
fn neighbour(group: &Group, bytes: f64, machine: &Machine) -> Priced {
    let farthest = group.hops.iter().min_by(|a, b| a.rate(machine).total_cmp(&b.rate(machine)));
    match farthest {
        Some(way) => Priced::new(bytes / way.rate(machine), way.hop(machine), Algorithm::Direct),
        None => {
            let kind = machine.network.tiers.last().map_or(TierKind::Switch, |tier| tier.kind);
            let rate = machine[kind.link()] * machine[Coefficient::LinkShare];
            Priced::new(bytes / rate, kind.hop().map_or(0.0, |of| machine[of]), Algorithm::Direct)
        }
    }
}
