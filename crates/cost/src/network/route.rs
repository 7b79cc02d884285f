//! Links that pairs of devices use, counted one by one: for permutes, whose pairs are listed anyway, and for meshes in
//! an order that no digits say.
//!
//! A message goes tier by tier, the outermost first, on rings the shorter way round (of two as short, the ascending).
//! Costs as much as there are pairs, times how far they are apart.

use super::{Network, TierKind};
use meshwright_base::LookupMap;

/// What the busiest link carries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load {
    /// Messages on the busiest link.
    pub busiest: f64,
    /// Links of the longest way.
    pub farthest: i64,
    /// Of which tier the busiest link is.
    pub kind: TierKind,
}

/// One message for each pair, all at once.
pub fn load(pairs: &[(u32, u32)], network: &Network) -> Load {
    let mut lengths = vec![0i64; pairs.len()];
    let mut busiest: Option<(u32, TierKind)> = None;
    // One tier after the other, the outermost first: a message is at the end of those before.
    let mut at: Vec<i64> = pairs.iter().map(|(from, _)| i64::from(*from)).collect();
    for tier in 0..network.tiers.len() {
        let mut along = Along::of(network, tier);
        for ((at, length), (from, to)) in at.iter_mut().zip(&mut lengths).zip(pairs) {
            let to = i64::from(*to);
            *length += match along.kind {
                TierKind::Branch => along.climb(i64::from(*from), at, to),
                _ => along.walk(at, to),
            };
        }
        // The busiest in time: links of tiers inside are faster, and never in the way of those outside.
        if along.most > busiest.map_or(0, |(most, _)| most) {
            busiest = Some((along.most, along.kind));
        }
    }
    let farthest = lengths.into_iter().max().unwrap_or(0);
    match busiest {
        Some((busiest, kind)) => Load { busiest: f64::from(busiest), farthest, kind },
        None => Load { busiest: 0.0, farthest, kind: TierKind::Switch },
    }
}

/// One tier, as devices' numbers see it.
struct Along {
    kind: TierKind,
    size: i64,
    stride: i64,
    /// Cores of a chip inside of it, which share its links, and how far apart they are in number.
    shared: Vec<(i64, i64)>,
    /// Messages on each link, by where it begins and which way it goes, and the most of them.
    links: LookupMap<(i64, bool), u32>,
    most: u32,
}

impl Along {
    fn of(network: &Network, tier: usize) -> Along {
        let inner = network.tiers.iter().enumerate().skip(tier + 1);
        let chips = inner.filter(|(_, of)| of.kind == TierKind::Chip);
        let shared = chips.map(|(inner, of)| (network.stride(inner), of.size)).collect();
        let of = network.tiers[tier];
        let (stride, links) = (network.stride(tier), LookupMap::default());
        Along { kind: of.kind, size: of.size, stride, shared, links, most: 0 }
    }

    fn digit(&self, device: i64) -> i64 {
        device / self.stride % self.size
    }

    /// Goes along the tier, counting the links it takes; how many there were.
    fn walk(&mut self, at: &mut i64, to: i64) -> i64 {
        let goal = self.digit(to);
        let mut length = 0;
        while self.digit(*at) != goal {
            let here = self.digit(*at);
            let (ascends, next) = match self.kind {
                TierKind::Ring { closed } => {
                    let ahead = (goal - here).rem_euclid(self.size);
                    let ascends = if closed { 2 * ahead <= self.size } else { goal > here };
                    (ascends, (here + if ascends { 1 } else { -1 }).rem_euclid(self.size))
                }
                TierKind::Hosts
                | TierKind::Switch
                | TierKind::Chip
                | TierKind::Threads
                | TierKind::Branch => (true, goal),
            };
            self.count(self.port(*at), ascends);
            *at += (next - here) * self.stride;
            length += 1;
        }
        length
    }

    /// Goes from one part of a tree to another: up from the first and down to the second, on this level too where the
    /// ways part on one further out. Returns the number of links.
    fn climb(&mut self, from: i64, at: &mut i64, to: i64) -> i64 {
        *at += (self.digit(to) - self.digit(*at)) * self.stride;
        let (out, into) = (from / self.stride, to / self.stride);
        if out == into {
            return 0;
        }
        self.count(out, true);
        self.count(into, false);
        2
    }

    fn count(&mut self, port: i64, ascends: bool) {
        let link = self.links.entry((port, ascends)).or_default();
        *link += 1;
        self.most = self.most.max(*link);
    }

    /// Where a link begins: cores of a chip share theirs.
    fn port(&self, device: i64) -> i64 {
        self.shared.iter().fold(device, |device, (stride, size)| device - device / stride % size * stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Tier;

    fn ring(size: i64) -> Network {
        Network::new(vec![Tier::new(TierKind::Ring { closed: true }, size)])
    }

    #[test]
    fn neighbours_have_links_of_their_own_and_strangers_do_not() {
        let next: Vec<(u32, u32)> = (0..8).map(|at| (at, (at + 1) % 8)).collect();
        let near = load(&next, &ring(8));
        assert_eq!((near.busiest, near.farthest), (1.0, 1));
        let across: Vec<(u32, u32)> = (0..8).map(|at| (at, (at + 3) % 8)).collect();
        let far = load(&across, &ring(8));
        assert_eq!((far.busiest, far.farthest), (3.0, 3));
    }

    /// GShard, Figure 10: rows of four on a mesh of 2 by 4 chips, and on a tree with eight leaves.
    #[test]
    fn a_tree_wants_rows_of_neighbouring_leaves_and_a_mesh_wants_squares() {
        let mesh = Network::new(vec![
            Tier::new(TierKind::Ring { closed: false }, 2),
            Tier::new(TierKind::Ring { closed: false }, 4),
        ]);
        let tree = Network::new(vec![Tier::new(TierKind::Branch, 2); 3]);
        let all_pairs = |rows: [[u32; 4]; 2], network: &Network| {
            let of_row = |row: [u32; 4]| row.into_iter().flat_map(move |from| row.map(|to| (from, to)));
            let pairs: Vec<(u32, u32)> =
                rows.into_iter().flat_map(of_row).filter(|(from, to)| from != to).collect();
            let found = load(&pairs, network);
            (found.busiest, found.farthest)
        };
        let (squares, lines) = ([[0, 1, 5, 4], [2, 3, 7, 6]], [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!((all_pairs(squares, &mesh), all_pairs(lines, &mesh)), ((2.0, 2), (4.0, 3)));
        // Up three levels and down again, over a link of the root that both rows share.
        assert_eq!((all_pairs(squares, &tree), all_pairs(lines, &tree)), ((8.0, 6), (4.0, 4)));
    }

    #[test]
    fn cores_of_a_chip_share_its_links() {
        let network =
            Network::new(vec![Tier::new(TierKind::Ring { closed: true }, 4), Tier::new(TierKind::Chip, 2)]);
        let next: Vec<(u32, u32)> = (0..8).map(|at| (at, (at + 2) % 8)).collect();
        assert_eq!(load(&next, &network).busiest, 2.0);
    }
}
