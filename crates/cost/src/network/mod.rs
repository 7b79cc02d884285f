//! How devices are wired: tiers of links, one inside the other.
//!
//! ```text
//! tpu-v3:32x32    ring of 32, ring of 32, chips of 2 cores        device = (row * 32 + column) * 2 + core
//! h100:8x4        4 hosts, each a switch of 8                     device = host * 8 + gpu
//! ```
//!
//! A device's number is read digit by digit, outermost tier first. Rings beside each other are the directions of a
//! torus; one that is not closed is a line. Nothing here is as large as the number of devices: a group of devices is
//! known by which digits differ within it ([`Piece`]), and all groups of a collective are alike.

pub mod route;
pub mod wiring;

use std::borrow::Cow;

/// By what the devices of a tier reach each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TierKind {
    /// Hosts on a network outside of them, with a share of it for each device.
    Hosts,
    /// Each to the next and the one before, the last to the first if it is closed.
    Ring { closed: bool },
    /// A switch with a port for each.
    Switch,
    /// Cores of one chip: they share the chip's links to others.
    Chip,
    /// Threads of one process, over its memory.
    Threads,
    /// Parts of a tree: all devices of a part share one link up.
    Branch,
}

impl TierKind {
    /// What people call one of its directions.
    pub fn name(self) -> &'static str {
        match self {
            TierKind::Hosts => "hosts",
            TierKind::Ring { closed: true } => "ring",
            TierKind::Ring { closed: false } => "line",
            TierKind::Switch => "switch",
            TierKind::Chip => "chip",
            TierKind::Threads => "threads",
            TierKind::Branch => "tree",
        }
    }
}

/// Devices, or groups of them, that reach each other by one kind of link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tier {
    pub kind: TierKind,
    pub size: i64,
}

impl Tier {
    pub const fn new(kind: TierKind, size: i64) -> Tier {
        Tier { kind, size }
    }
}

/// The tiers of a machine, the outermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    pub tiers: Cow<'static, [Tier]>,
}

impl Network {
    pub fn new(tiers: Vec<Tier>) -> Network {
        Network { tiers: tiers.into() }
    }

    pub fn devices(&self) -> i64 {
        self.tiers.iter().fold(1, |count: i64, tier| count.saturating_mul(tier.size))
    }

    /// How far apart in number two neighbours of a tier are.
    pub fn stride(&self, tier: usize) -> i64 {
        self.tiers.iter().skip(tier + 1).fold(1, |stride: i64, tier| stride.saturating_mul(tier.size))
    }

    /// Place of a device in each tier.
    pub fn coordinates(&self, device: i64) -> Vec<i64> {
        (0..self.tiers.len()).map(|tier| device / self.stride(tier) % self.tiers[tier].size).collect()
    }

    /// One switch for all, of any number of devices.
    pub fn is_plain(&self) -> bool {
        matches!(&*self.tiers, [Tier { kind: TierKind::Switch, .. }])
    }

    /// Closed rings and lines as people write a torus: `32x32`.
    pub fn text(&self) -> String {
        let sizes: Vec<String> = self
            .tiers
            .iter()
            .map(|tier| match tier.kind {
                TierKind::Ring { closed } => {
                    format!("{} {}", if closed { "ring" } else { "line" }, tier.size)
                }
                TierKind::Hosts => format!("{} hosts", tier.size),
                TierKind::Switch => format!("switch of {}", tier.size),
                TierKind::Chip => format!("{} cores a chip", tier.size),
                TierKind::Threads => format!("{} threads", tier.size),
                TierKind::Branch => format!("tree of {}", tier.size),
            })
            .collect();
        sizes.join(", ")
    }
}

/// Devices that differ in a part of one digit: `size` of them, `stride` places of the tier apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    pub tier: usize,
    pub stride: i64,
    pub size: i64,
}

/// Who takes part in a collective: what they differ in, and how many other groups use the same links at that time.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    pub hops: Vec<Way>,
    pub size: i64,
}

/// One piece as traffic sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Way {
    pub kind: TierKind,
    pub size: i64,
    /// Links between two neighbours of the group.
    pub distance: i64,
    /// Devices that send over the same links at the same time: of other groups, and other cores of a chip.
    pub sharing: f64,
    /// Those of them that are cores of this group on one chip, of which one could send for all.
    pub cores: f64,
}

impl Group {
    /// Of devices that differ in these pieces, while all others do the same in groups of their own.
    pub fn of(network: &Network, pieces: &[Piece]) -> Group {
        let inside = |kind: TierKind| {
            let of = pieces.iter().filter(|piece| network.tiers[piece.tier].kind == kind);
            of.map(|piece| piece.size).product::<i64>()
        };
        let chip: i64 =
            network.tiers.iter().filter(|tier| tier.kind == TierKind::Chip).map(|tier| tier.size).product();
        let cores = inside(TierKind::Chip);
        let differing = pieces.iter().filter(|piece| piece.size > 1);
        let way = |piece: &Piece| match network.tiers[piece.tier].kind {
            TierKind::Branch => Way::up(piece.size, network.stride(piece.tier)),
            _ => Way::of(network.tiers[piece.tier], piece, chip as f64, cores as f64),
        };
        Group { hops: differing.map(way).collect(), size: pieces.iter().map(|piece| piece.size).product() }
    }

    /// Of devices that differ in these pieces, of which some may go on where others end.
    pub fn of_parts(network: &Network, pieces: Vec<Piece>) -> Group {
        Group::of(network, &wiring::joined(pieces))
    }

    /// Of so many devices whose places are not known: as near to each other as they can be.
    pub fn packed(network: &Network, size: i64) -> Group {
        let mut left = size.max(1);
        let mut pieces = Vec::new();
        for (at, tier) in network.tiers.iter().enumerate().rev() {
            let part = if at == 0 { left } else { shared_factor(left, tier.size) };
            pieces.push(Piece { tier: at, stride: 1, size: part });
            left /= part.max(1);
        }
        Group::of(network, &pieces)
    }
}

/// How much of a size lies in a tier: all that divides both.
fn shared_factor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.max(1), b.max(1));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Way {
    fn of(tier: Tier, piece: &Piece, chip: f64, cores: f64) -> Way {
        let size = piece.size;
        match tier.kind {
            // A part of a ring is a line, and so are two.
            TierKind::Ring { closed } => {
                let closed = closed && size > 2 && piece.stride * size == tier.size;
                let (distance, sharing) = (piece.stride, piece.stride as f64 * chip);
                Way { kind: TierKind::Ring { closed }, size, distance, sharing, cores }
            }
            kind @ (TierKind::Hosts
            | TierKind::Switch
            | TierKind::Chip
            | TierKind::Threads
            | TierKind::Branch) => Way { kind, size, distance: 1, sharing: 1.0, cores: 1.0 },
        }
    }

    /// Parts of a tree. All `below` devices of a part send over its link up.
    fn up(size: i64, below: i64) -> Way {
        Way { kind: TierKind::Branch, size, distance: 2, sharing: below as f64, cores: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v3(rows: i64, columns: i64) -> Network {
        let ring = |size| Tier::new(TierKind::Ring { closed: true }, size);
        Network::new(vec![ring(rows), ring(columns), Tier::new(TierKind::Chip, 2)])
    }

    #[test]
    fn a_device_is_read_digit_by_digit() {
        let network = v3(4, 8);
        assert_eq!(network.devices(), 64);
        assert_eq!(network.coordinates(0), [0, 0, 0]);
        assert_eq!(network.coordinates(2 * 8 * 2 + 3 * 2 + 1), [2, 3, 1]);
    }

    #[test]
    fn a_part_of_a_ring_is_a_line_and_rings_within_each_other_share_links() {
        let network = v3(8, 8);
        let whole = Group::of(&network, &[Piece { tier: 0, stride: 1, size: 8 }]);
        assert_eq!(whole.hops[0].kind, TierKind::Ring { closed: true });
        // Both cores of a chip are in groups of their own.
        assert_eq!(whole.hops[0].sharing, 2.0);
        let part = Group::of(&network, &[Piece { tier: 0, stride: 1, size: 4 }]);
        assert_eq!(part.hops[0].kind, TierKind::Ring { closed: false });
        let spread = Group::of(&network, &[Piece { tier: 0, stride: 2, size: 4 }]);
        assert_eq!((spread.hops[0].kind, spread.hops[0].sharing), (TierKind::Ring { closed: true }, 4.0));
    }

    #[test]
    fn devices_of_a_part_of_a_tree_share_its_link_up() {
        let tree = Network::new(vec![Tier::new(TierKind::Branch, 2); 3]);
        let sharing = |tier| Group::of(&tree, &[Piece { tier, stride: 1, size: 2 }]).hops[0].sharing;
        assert_eq!([sharing(0), sharing(1), sharing(2)], [4.0, 2.0, 1.0]);
    }

    #[test]
    fn a_packed_group_fills_the_innermost_tiers_first() {
        let sizes = |size| Group::packed(&v3(8, 8), size).hops.iter().map(|way| way.size).collect::<Vec<_>>();
        assert_eq!(sizes(2), [2]);
        assert_eq!(sizes(16), [2, 8]);
        assert_eq!(sizes(64), [2, 8, 4]);
        assert_eq!(sizes(1), [0i64; 0]);
    }
}
