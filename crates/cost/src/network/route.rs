//! Links that pairs of devices use, counted one by one: for permutes, whose pairs are listed anyway, and for meshes in
//! an order that no digits say.
//!
//! A message goes tier by tier, the outermost first, on rings the shorter way round (of two as short, the ascending).
//! Costs as much as there are pairs, times how far they are apart.

use super::{Network, TierKind};
use std::collections::BTreeMap;

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

/// A link one way: its tier, the place it begins at, and whether it ascends.
type Link = (usize, Vec<i64>, bool);

/// One message for each pair, all at once.
pub fn load(pairs: &[(u32, u32)], network: &Network) -> Load {
    let mut links: BTreeMap<Link, f64> = BTreeMap::new();
    let mut farthest = 0;
    for (from, to) in pairs {
        let (mut at, to) = (network.coordinates(i64::from(*from)), network.coordinates(i64::from(*to)));
        let mut length = 0;
        for (tier, goal) in to.iter().enumerate() {
            length += walk(&mut at, tier, *goal, network, &mut links);
        }
        farthest = farthest.max(length);
    }
    // The busiest in time: links of tiers inside are faster, and never in the way of those outside.
    let busiest = links.iter().max_by(|(a, x), (b, y)| x.total_cmp(y).then(b.0.cmp(&a.0)));
    match busiest {
        Some(((tier, ..), busiest)) => Load { busiest: *busiest, farthest, kind: network.tiers[*tier].kind },
        None => Load { busiest: 0.0, farthest, kind: TierKind::Switch },
    }
}

/// Goes along one tier; how many links that takes.
fn walk(at: &mut [i64], tier: usize, goal: i64, network: &Network, links: &mut BTreeMap<Link, f64>) -> i64 {
    let of = network.tiers[tier];
    let mut length = 0;
    while at[tier] != goal {
        let (ascends, next) = match of.kind {
            TierKind::Ring { closed } => {
                let ahead = (goal - at[tier]).rem_euclid(of.size);
                let ascends = if closed { 2 * ahead <= of.size } else { goal > at[tier] };
                (ascends, (at[tier] + if ascends { 1 } else { -1 }).rem_euclid(of.size))
            }
            TierKind::Hosts | TierKind::Switch | TierKind::Chip | TierKind::Threads => (true, goal),
        };
        *links.entry((tier, port(at, tier, network), ascends)).or_default() += 1.0;
        at[tier] = next;
        length += 1;
    }
    length
}

/// Where a link begins: cores of a chip share theirs.
fn port(at: &[i64], tier: usize, network: &Network) -> Vec<i64> {
    let shares = |inner: usize| inner > tier && network.tiers[inner].kind == TierKind::Chip;
    at.iter().enumerate().map(|(inner, place)| if shares(inner) { 0 } else { *place }).collect()
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

    #[test]
    fn cores_of_a_chip_share_its_links() {
        let network =
            Network::new(vec![Tier::new(TierKind::Ring { closed: true }, 4), Tier::new(TierKind::Chip, 2)]);
        let next: Vec<(u32, u32)> = (0..8).map(|at| (at, (at + 2) % 8)).collect();
        assert_eq!(load(&next, &network).busiest, 2.0);
    }
}
