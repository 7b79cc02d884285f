//! Where a mesh lies on a network: for each run of its positions, by how much the device's number grows.
//!
//! ```text
//! mesh x=32, y=64 on rings of 32 and 32 with 2 cores a chip
//!   no order                       x: the first ring          y: the second ring, and the cores
//!   [64,32]T(1,0)                  x: half of the second ring and the cores     y: the rest, across the first
//! ```
//!
//! An order that exchanges digits is known by as many numbers as it has digits, whatever the number of devices. One
//! that is none such is *scattered*: then the links between neighbours are counted one by one, which costs as much as
//! the order is long.

use super::route::{self, Load};
use super::{Group, Network, Piece, TierKind, Way};
use meshwright_base::{Code, Diagnostic, Id};
use meshwright_shard::{AxisRef, Mesh};
use std::sync::Arc;

/// A mesh that does not lie on a network.
pub const WIRING: Code = Code(1181);

/// Positions that differ by one, and how far apart their devices are in number: `size` of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    pub size: i64,
    pub stride: i64,
}

/// How the positions of a mesh lie.
#[derive(Clone, PartialEq, Debug)]
enum Order {
    /// Runs, the innermost first.
    Digits(Vec<Run>),
    Scattered(Arc<[u32]>),
}

/// A mesh on a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Wiring {
    order: Order,
    axes: Vec<(String, i64)>,
}

impl Wiring {
    /// As the mesh says it: position by position, or by its order.
    pub fn of(mesh: &Mesh, network: &Network) -> Result<Wiring, Diagnostic> {
        let count = mesh.device_count();
        if count > network.devices() {
            let message = format!(
                "the mesh has {count} devices, the network {}: {}",
                network.devices(),
                network.text()
            );
            return Err(Diagnostic::error(WIRING, message).help("take a smaller mesh or a larger target"));
        }
        let order = match &mesh.order {
            None => Order::Digits(vec![Run { size: count, stride: 1 }]),
            Some(order) => digits(order).map_or_else(|| Order::Scattered(order.clone()), Order::Digits),
        };
        let axes = mesh.axes.values().map(|axis| (axis.name.to_string(), axis.size)).collect();
        let wiring = Wiring { order, axes };
        wiring.check(mesh, network)?;
        Ok(wiring)
    }

    /// With these runs in place of what the mesh says.
    pub fn of_runs(mesh: &Mesh, runs: Vec<Run>, network: &Network) -> Result<Wiring, Diagnostic> {
        let axes = mesh.axes.values().map(|axis| (axis.name.to_string(), axis.size)).collect();
        let wiring = Wiring { order: Order::Digits(runs), axes };
        wiring.check(mesh, network)?;
        Ok(wiring)
    }

    /// Every axis of the mesh lies on parts of tiers.
    fn check(&self, mesh: &Mesh, network: &Network) -> Result<(), Diagnostic> {
        let Order::Digits(_) = &self.order else { return Ok(()) };
        for axis in mesh.whole_axes().into_iter().filter(|axis| axis.size > 1) {
            if self.pieces(mesh, axis, network).is_none() {
                return Err(lies_across(&self.axes[axis.axis.index()], network));
            }
        }
        Ok(())
    }

    /// Whether links are counted one by one.
    pub fn is_scattered(&self) -> bool {
        matches!(self.order, Order::Scattered(_))
    }

    /// Devices at each position, for a mesh that says so; `None` where the mesh would say the same without.
    pub fn devices(&self, count: i64) -> Option<Vec<u32>> {
        let runs = match &self.order {
            Order::Scattered(order) => return Some(order.to_vec()),
            Order::Digits(runs) => runs,
        };
        let device = |position: i64| {
            let mut left = position;
            let digit = |run: &Run| {
                let at = left % run.size;
                left /= run.size;
                at * run.stride
            };
            runs.iter().map(digit).sum::<i64>()
        };
        let devices: Option<Vec<u32>> =
            (0..count).map(|position| u32::try_from(device(position)).ok()).collect();
        devices.filter(|devices| devices.iter().enumerate().any(|(at, device)| at != *device as usize))
    }

    /// The group of devices that differ along axes of the mesh.
    pub fn group(&self, mesh: &Mesh, axes: &[AxisRef], network: &Network) -> Group {
        if let Order::Scattered(order) = &self.order {
            return scattered(order, mesh, axes, network);
        }
        let of = |axis: &AxisRef| self.pieces(mesh, *axis, network);
        let pieces: Option<Vec<Vec<Piece>>> = axes.iter().map(of).collect();
        match pieces {
            Some(pieces) => Group::of_parts(network, pieces.concat()),
            // A piece of an axis that lies across tiers: as near as so many can be.
            None => Group::packed(network, axes.iter().map(|axis| axis.size).product()),
        }
    }

    /// The tiers of an axis as text: `ring 0 (16 of 32), chip 1 (2 of 2)`.
    pub fn text(&self, mesh: &Mesh, axis: AxisRef, network: &Network) -> String {
        let Some(pieces) = self.pieces(mesh, axis, network).filter(|_| !self.is_scattered()) else {
            return "scattered".into();
        };
        let one = |piece: &Piece| {
            let tier = network.tiers[piece.tier];
            let apart = match piece.stride {
                1 => String::new(),
                stride => format!(", stride {stride}"),
            };
            format!("{} {} ({} of {}{apart})", tier.kind.name(), piece.tier, piece.size, tier.size)
        };
        joined(pieces).iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The pieces of tiers that a part of an axis lies on; `None` if it lies across them.
    pub fn pieces(&self, mesh: &Mesh, axis: AxisRef, network: &Network) -> Option<Vec<Piece>> {
        let Order::Digits(runs) = &self.order else { return None };
        let whole = mesh.axes[axis.axis].size;
        let first = mesh.stride(axis.axis) * (whole / axis.end().max(1));
        let mut found = Vec::new();
        let mut below = 1;
        for run in runs {
            if let Some((start, size)) = overlap(first, axis.size, below, run.size)? {
                let stride = run.stride * (start / below);
                found.extend(on_tiers(stride, size, network)?);
            }
            below *= run.size;
        }
        Some(found)
    }
}

/// Where an interval of `size` from `first` on, as products, meets another: its start and size. `None` if their ends do
/// not divide each other.
fn overlap(first: i64, size: i64, other: i64, other_size: i64) -> Option<Option<(i64, i64)>> {
    let (low, high) = (first.max(other), (first * size).min(other * other_size));
    if high <= low {
        return Some(None);
    }
    let divides = low % first.min(other) == 0 && low % first == 0 && low % other == 0 && high % low == 0;
    divides.then_some(Some((low, high / low)))
}

/// Devices whose numbers are `stride` apart, by tiers, the innermost first.
pub(crate) fn on_tiers(stride: i64, size: i64, network: &Network) -> Option<Vec<Piece>> {
    let mut found = Vec::new();
    let mut below = 1i64;
    for (tier, of) in network.tiers.iter().enumerate().rev() {
        if let Some((start, size)) = overlap(stride, size, below, of.size)? {
            found.push(Piece { tier, stride: start / below, size });
        }
        below = below.saturating_mul(of.size);
    }
    Some(found)
}

/// Pieces of one tier that follow on each other as one.
pub(super) fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        let next = joined.iter_mut().find_map(|other| {
            let same = other.tier == piece.tier;
            let (above, below) =
                (other.stride * other.size == piece.stride, piece.stride * piece.size == other.stride);
            (same && (above || below)).then_some(other)
        });
        match next {
            Some(other) => {
                (other.stride, other.size) = (other.stride.min(piece.stride), other.size * piece.size);
            }
            None => joined.push(piece),
        }
    }
    joined
}

/// An order as runs, if it only exchanges digits.
fn digits(order: &[u32]) -> Option<Vec<Run>> {
    let at = |position: usize| order.get(position).map(|device| i64::from(*device));
    if at(0) != Some(0) {
        return None;
    }
    let mut runs = Vec::new();
    let mut below = 1usize;
    while below < order.len() {
        let stride = at(below)?;
        let mut size = 2usize;
        while below * size < order.len() && at(below * size) == Some(size as i64 * stride) {
            size += 1;
        }
        // The longest run whose end divides what is left.
        while size > 1 && !(order.len() / below).is_multiple_of(size) {
            size -= 1;
        }
        if size < 2 {
            return None;
        }
        runs.push(Run { size: size as i64, stride });
        below *= size;
    }
    let wiring = Wiring { order: Order::Digits(runs.clone()), axes: Vec::new() };
    let made = wiring.devices(order.len() as i64);
    let same = made
        .map_or_else(|| order.iter().enumerate().all(|(at, of)| at == *of as usize), |made| made == order);
    same.then_some(runs)
}

/// A group whose neighbours may be anywhere: the busiest link of a ring through each group, and how far it is from one
/// to the next.
fn scattered(order: &[u32], mesh: &Mesh, axes: &[AxisRef], network: &Network) -> Group {
    let groups = meshwright_shard::groups(mesh, axes);
    let size = groups.size();
    let _ = order;
    let mut pairs = Vec::new();
    for group in groups.iter() {
        let next = group.iter().skip(1).chain(group.first());
        pairs.extend(group.iter().zip(next).map(|(from, to)| (from.number(), to.number())));
    }
    pairs.retain(|(from, to)| from != to);
    let Load { busiest, farthest, kind } = route::load(&pairs, network);
    // One way round, so as a line: what is sent goes over every link of the ring.
    let kind = if matches!(kind, TierKind::Ring { .. }) { TierKind::Ring { closed: false } } else { kind };
    let way = Way { kind, size, distance: farthest.max(1), sharing: busiest.max(1.0), cores: 1.0 };
    Group { hops: if size > 1 { vec![way] } else { Vec::new() }, size }
}

fn lies_across((name, size): &(String, i64), network: &Network) -> Diagnostic {
    let message =
        format!("mesh axis `{name}` of size {size} does not lie on the network: {}", network.text());
    Diagnostic::error(WIRING, message)
        .note("an axis has to be a product of whole parts of what devices are wired in, as 32 is 4 of a ring of 8 by 8")
        .help("choose sizes of axes that divide those of the target, or another shape behind the target's name")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Tier;
    use meshwright_shard::AxisId;

    fn v3(rows: i64, columns: i64) -> Network {
        let ring = |size| Tier::new(TierKind::Ring { closed: true }, size);
        Network::new(vec![ring(rows), ring(columns), Tier::new(TierKind::Chip, 2)])
    }

    fn mesh(axes: &[(&str, i64)], order: Option<Vec<u32>>) -> Mesh {
        Mesh::new("m", axes.iter().copied(), order).expect("a mesh")
    }

    fn ways(mesh: &Mesh, axis: usize, network: &Network) -> Vec<(TierKind, i64, i64, f64)> {
        let wiring = Wiring::of(mesh, network).expect("it lies there");
        let group = wiring.group(mesh, &[mesh.whole(AxisId::from_index(axis))], network);
        group.hops.iter().map(|way| (way.kind, way.size, way.distance, way.sharing)).collect()
    }

    const CLOSED: TierKind = TierKind::Ring { closed: true };

    #[test]
    fn axes_lie_on_whole_rings_and_on_chips() {
        let network = v3(4, 8);
        let mesh = mesh(&[("x", 4), ("y", 16)], None);
        assert_eq!(ways(&mesh, 0, &network), [(CLOSED, 4, 1, 2.0)]);
        assert_eq!(ways(&mesh, 1, &network), [(TierKind::Chip, 2, 1, 1.0), (CLOSED, 8, 1, 2.0)]);
    }

    #[test]
    fn an_order_that_exchanges_axes_is_known_by_its_digits() {
        let network = v3(4, 8);
        // Position (x, y) is device y * 4 + x: x is inside.
        let order = (0..64).map(|at| (at % 16) * 4 + at / 16).collect();
        let mesh = mesh(&[("x", 4), ("y", 16)], Some(order));
        let wiring = Wiring::of(&mesh, &network).unwrap();
        assert!(!wiring.is_scattered());
        let x = ways(&mesh, 0, &network);
        assert_eq!(x, [(TierKind::Chip, 2, 1, 1.0), (TierKind::Ring { closed: false }, 2, 1, 2.0)]);
        // Four of the ring of 8, two apart: two such rings share its links.
        let y = ways(&mesh, 1, &network);
        assert_eq!(y, [(CLOSED, 4, 2, 4.0), (CLOSED, 4, 1, 2.0)]);
    }

    #[test]
    fn what_is_scattered_is_counted() {
        let network = v3(4, 8);
        let order = (0..64).map(|at| at * 37 % 64).collect();
        let mesh = mesh(&[("x", 4), ("y", 16)], Some(order));
        assert!(Wiring::of(&mesh, &network).unwrap().is_scattered());
        assert!(ways(&mesh, 1, &network)[0].3 > 2.0);
    }

    #[test]
    fn an_axis_across_the_torus_is_refused() {
        let network = v3(4, 8);
        let told = Wiring::of(&mesh(&[("x", 3), ("y", 8)], None), &network).unwrap_err();
        assert!(told.message.contains("`x`"), "{}", told.message);
        let told = Wiring::of(&mesh(&[("x", 128)], None), &network).unwrap_err();
        assert!(told.message.contains("128 devices"), "{}", told.message);
    }

    #[test]
    fn a_mesh_of_two_thousand_million_devices_is_as_few_numbers_as_one_of_eight() {
        let ring = |size| Tier::new(TierKind::Ring { closed: true }, size);
        let network =
            Network::new(vec![ring(1 << 10), ring(1 << 10), ring(1 << 10), Tier::new(TierKind::Chip, 2)]);
        let mesh = mesh(&[("x", 1 << 16), ("y", 1 << 15)], None);
        let x: Vec<i64> = ways(&mesh, 0, &network).iter().map(|way| way.1).collect();
        assert_eq!(x, [1 << 6, 1 << 10]);
    }

    #[test]
    fn a_wiring_gives_back_the_order_it_was_made_from() {
        let order: Vec<u32> = (0..64).map(|at| (at % 16) * 4 + at / 16).collect();
        assert_eq!(digits(&order).map(|runs| runs.len()), Some(2));
        let mesh = mesh(&[("x", 4), ("y", 16)], Some(order.clone()));
        assert_eq!(Wiring::of(&mesh, &v3(4, 8)).unwrap().devices(64), Some(order));
    }
}
