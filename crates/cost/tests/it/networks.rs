//! Prices of collectives beside schedules on links: every message of every group is sent hop by hop over a small
//! network, all groups at once, and the busiest link of each step counted in bytes.

use meshwright_cost::machine::Overlap;
use meshwright_cost::network::{Group, Network, Piece, Tier, TierKind};
use meshwright_cost::price::{Algorithm, price};
use meshwright_cost::{Coefficient, Machine, Pattern};
use std::collections::BTreeMap;

/// Numbers that look like none.
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A torus of one to three directions, with or without cores, and some digits of it.
fn case(choices: &mut Choices) -> (Network, Vec<Piece>) {
    let rings = 1 + choices.below(3) as usize;
    let sizes: &[i64] = if rings == 3 { &[2, 3, 4] } else { &[2, 3, 4, 5, 6, 8] };
    let mut tiers: Vec<Tier> = (0..rings)
        .map(|_| Tier::new(TierKind::Ring { closed: choices.below(2) == 0 }, choices.pick(sizes)))
        .collect();
    if choices.below(2) == 0 {
        tiers.push(Tier::new(TierKind::Chip, 2));
    }
    let mut pieces = Vec::new();
    for (tier, of) in tiers.iter().enumerate() {
        let parts: Vec<(i64, i64)> = (1..=of.size)
            .flat_map(|stride| (2..=of.size).map(move |size| (stride, size)))
            .filter(|(stride, size)| of.size % (stride * size) == 0)
            .collect();
        if choices.below(3) > 0 && !parts.is_empty() {
            let (stride, size) = choices.pick(&parts);
            pieces.push(Piece { tier, stride, size });
        }
    }
    (Network::new(tiers), pieces)
}

/// A link: its tier, the place it begins at, whether it ascends. Cores of a chip share theirs.
type Link = (usize, Vec<i64>, bool);

struct Wires<'a> {
    network: &'a Network,
    bytes: BTreeMap<Link, f64>,
}

impl<'a> Wires<'a> {
    fn new(network: &'a Network) -> Self {
        Wires { network, bytes: BTreeMap::new() }
    }

    /// Send from place to place of one tier, `hops` links in a direction.
    fn send(&mut self, from: &[i64], tier: usize, hops: i64, ascends: bool, bytes: f64) -> Vec<i64> {
        let mut at = from.to_vec();
        let of = self.network.tiers[tier];
        for _ in 0..hops {
            let mut port = at.clone();
            for (inner, place) in port.iter_mut().enumerate() {
                if inner != tier && self.network.tiers[inner].kind == TierKind::Chip {
                    *place = 0;
                }
            }
            *self.bytes.entry((tier, port, ascends)).or_default() += bytes;
            at[tier] = (at[tier] + if ascends { 1 } else { -1 }).rem_euclid(of.size);
        }
        at
    }

    fn seconds(&self, rate: impl Fn(TierKind) -> f64) -> f64 {
        self.bytes
            .iter()
            .map(|((tier, ..), bytes)| bytes / rate(self.network.tiers[*tier].kind))
            .fold(0.0, f64::max)
    }
}

fn machine(network: &Network) -> Machine {
    let machine = Machine::default()
        .with(Coefficient::Start, 0.0)
        .with(Coefficient::Link, 1e9)
        .with(Coefficient::Inner, 16e9);
    Machine { network: network.clone(), overlap: Overlap::Nothing, ..machine }
}

fn rate(kind: TierKind) -> f64 {
    if matches!(kind, TierKind::Ring { .. }) { 1e9 } else { 16e9 }
}

/// Whether a piece goes all the way round.
fn is_closed(network: &Network, piece: &Piece) -> bool {
    let tier = network.tiers[piece.tier];
    tier.kind == TierKind::Ring { closed: true } && piece.size > 2 && piece.stride * piece.size == tier.size
}

/// All devices, as coordinates.
fn all(network: &Network) -> impl Iterator<Item = Vec<i64>> + '_ {
    (0..network.devices()).map(|device| network.coordinates(device))
}

/// An all-gather along one piece by every device at once, `chunk` bytes from each: step by step, each sends on what
/// came in the step before, both ways.
fn gathered_along(network: &Network, piece: &Piece, chunk: f64) -> f64 {
    let (n, closed) = (piece.size, is_closed(network, piece));
    let steps = if closed { n / 2 } else { n - 1 };
    let mut seconds = 0.0;
    for step in 1..=steps {
        let mut wires = Wires::new(network);
        for from in all(network) {
            let digit = from[piece.tier] / piece.stride % n;
            for ascends in [true, false] {
                // On a line what comes in ends at the last one.
                let origin = if ascends { digit - (step - 1) } else { digit + (step - 1) };
                let goes_on = if ascends { digit + 1 < n } else { digit > 0 };
                let is_there = (0..n).contains(&origin);
                // Half of what goes to the opposite place goes either way.
                let half = if closed && n % 2 == 0 && step == steps { 0.5 } else { 1.0 };
                if closed || (goes_on && is_there) {
                    wires.send(&from, piece.tier, piece.stride, ascends, half * chunk);
                }
            }
        }
        seconds += wires.seconds(rate);
    }
    seconds
}

/// What a chip's cores, or others on a switch, gather.
fn gathered(network: &Network, piece: &Piece, chunk: f64) -> f64 {
    match network.tiers[piece.tier].kind {
        TierKind::Ring { .. } => gathered_along(network, piece, chunk),
        kind => chunk * (piece.size - 1) as f64 / rate(kind),
    }
}

#[test]
fn all_gathers_take_as_long_as_their_schedules_on_links() {
    let mut choices = Choices(1);
    let (mut directions, mut tried) = (0, 0);
    for _ in 0..400 {
        let (network, pieces) = case(&mut choices);
        if pieces.is_empty() {
            continue;
        }
        tried += 1;
        let machine = machine(&network);
        let group = Group::of(&network, &pieces);
        let bytes = 1e6 * group.size as f64;
        let found = price(Pattern::AllGather, &group, 1e6, bytes, &machine);
        // The pieces one after the other, by how fast they are, gathering more and more.
        let mut ordered = pieces.clone();
        ordered.sort_by(|a, b| {
            let share = |piece: &Piece| match network.tiers[piece.tier].kind {
                TierKind::Ring { .. } => 1e9 / piece.stride as f64,
                _ => 16e9,
            };
            share(a).total_cmp(&share(b))
        });
        let mut chunk = 1e6;
        let mut in_turn = 0.0;
        for piece in &ordered {
            in_turn += gathered(&network, piece, chunk);
            chunk *= piece.size as f64;
        }
        directions += usize::from(found.algorithm == Algorithm::AllDirections);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
        let rings =
            pieces.iter().filter(|p| matches!(network.tiers[p.tier].kind, TierKind::Ring { .. })).count();
        if rings < 2 {
            assert!(close(found.seconds, in_turn), "{network:?} {pieces:?}: {} by {in_turn}", found.seconds);
        } else {
            // Never longer than in turn, and never shorter than what comes in over all links of a device.
            assert!(found.seconds <= in_turn * (1.0 + 1e-9), "{network:?} {pieces:?}");
            let cores: i64 =
                network.tiers.iter().filter(|t| t.kind == TierKind::Chip).map(|t| t.size).product();
            let links: f64 =
                pieces.iter().map(|piece| if is_closed(&network, piece) { 2.0 } else { 1.0 }).sum();
            let on_chip: i64 = pieces
                .iter()
                .filter(|p| network.tiers[p.tier].kind == TierKind::Chip)
                .map(|p| p.size)
                .product();
            let over_links = bytes * (1.0 - on_chip as f64 / group.size as f64);
            let least = over_links / on_chip as f64 * cores as f64 / (2.0 * links.max(1.0) * 1e9);
            assert!(
                found.seconds >= least * (1.0 - 1e-9),
                "{network:?} {pieces:?}: {} < {least}",
                found.seconds
            );
        }
    }
    assert!(tried > 200 && directions > 20, "{tried} cases, {directions} in all directions");
}

/// All devices send to each of their group at once, direction by direction, the shorter way round; what is as far both
/// ways goes half each way.
fn exchanged(network: &Network, pieces: &[Piece], bytes: f64) -> f64 {
    let size: i64 = pieces.iter().map(|piece| piece.size).product();
    let share = bytes / size as f64;
    let mut wires = Wires::new(network);
    for from in all(network) {
        for member in 0..size {
            let mut left = member;
            let mut at = from.clone();
            for piece in pieces {
                let goal = left % piece.size;
                left /= piece.size;
                at = exchange_along(&mut wires, &at, piece, goal, share);
            }
        }
    }
    wires.seconds(rate)
}

fn exchange_along(wires: &mut Wires<'_>, at: &[i64], piece: &Piece, goal: i64, bytes: f64) -> Vec<i64> {
    let n = piece.size;
    let here = at[piece.tier] / piece.stride % n;
    let (ahead, back) = ((goal - here).rem_euclid(n), (here - goal).rem_euclid(n));
    let mut there = at.to_vec();
    there[piece.tier] += (goal - here) * piece.stride;
    let closed = is_closed(wires.network, piece);
    match wires.network.tiers[piece.tier].kind {
        TierKind::Ring { .. } if closed && ahead == back && ahead > 0 => {
            wires.send(at, piece.tier, ahead * piece.stride, true, bytes / 2.0);
            wires.send(at, piece.tier, back * piece.stride, false, bytes / 2.0);
        }
        TierKind::Ring { .. } => {
            let ascends = if closed { ahead < back } else { goal > here };
            let hops = if closed { ahead.min(back) } else { (goal - here).abs() };
            wires.send(at, piece.tier, hops * piece.stride, ascends, bytes);
        }
        _ if goal != here => {
            *wires.bytes.entry((piece.tier, at.to_vec(), true)).or_default() += bytes;
        }
        _ => {}
    }
    there
}

#[test]
fn all_to_alls_are_bound_by_their_busiest_link() {
    let mut choices = Choices(2);
    let mut tried = 0;
    for _ in 0..200 {
        let (network, pieces) = case(&mut choices);
        if pieces.is_empty() {
            continue;
        }
        tried += 1;
        let group = Group::of(&network, &pieces);
        let found = price(Pattern::AllToAll, &group, 1e6, 1e6, &machine(&network)).seconds;
        let counted = exchanged(&network, &pieces, 1e6);
        assert!((found - counted).abs() <= 1e-9 * counted, "{network:?} {pieces:?}: {found} by {counted}");
    }
    assert!(tried > 100);
}

#[test]
fn an_all_to_all_grows_as_the_root_of_the_chips_of_a_square_torus() {
    let seconds = |side: i64| {
        let ring = Tier::new(TierKind::Ring { closed: true }, side);
        let network = Network::new(vec![ring, ring]);
        let pieces = [0, 1].map(|tier| Piece { tier, stride: 1, size: side });
        price(Pattern::AllToAll, &Group::of(&network, &pieces), 8e6, 8e6, &machine(&network)).seconds
    };
    for (small, large) in [(4, 8), (8, 16), (16, 32)] {
        assert_eq!(seconds(large) / seconds(small), 2.0);
    }
}

#[test]
fn an_all_reduce_takes_as_long_on_a_large_torus_as_on_a_small_one() {
    let seconds = |side: i64| {
        let ring = Tier::new(TierKind::Ring { closed: true }, side);
        let network = Network::new(vec![ring, ring]);
        let pieces = [0, 1].map(|tier| Piece { tier, stride: 1, size: side });
        price(Pattern::AllReduce, &Group::of(&network, &pieces), 8e6, 8e6, &machine(&network)).seconds
    };
    assert!(seconds(32) / seconds(8) < 1.05, "{} {}", seconds(32), seconds(8));
}

#[test]
fn small_all_reduces_go_by_tree_on_a_switch() {
    let network = Network::new(vec![Tier::new(TierKind::Switch, 64)]);
    let machine = machine(&network).with(Coefficient::Hop, 1e-6);
    let group = Group::of(&network, &[Piece { tier: 0, stride: 1, size: 64 }]);
    let algorithm = |bytes| price(Pattern::AllReduce, &group, bytes, bytes, &machine).algorithm;
    assert_eq!(algorithm(8.0), Algorithm::Tree);
    assert_eq!(algorithm(1e9), Algorithm::Ring);
}
