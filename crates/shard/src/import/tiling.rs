//! What a tile assignment means: which digits of the device number its tile dims read.

use crate::digits::{self, Digit, Relation};
use crate::hlo::{HloSharding, HloShardingKind, Subgroup, TileDevices};
use crate::mesh::MAX_LISTED_DEVICES;
use std::collections::BTreeSet;

/// A tile assignment, by what it means: which device holds which tile.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Tiling<'a> {
    pub tiles: &'a [i64],
    pub subgroups: &'a [Subgroup],
    pub devices: &'a TileDevices,
}

impl<'a> Tiling<'a> {
    pub fn of(sharding: &'a HloSharding) -> Option<Self> {
        match &sharding.kind {
            HloShardingKind::Tiled { tiles, devices, subgroups, .. } => {
                Some(Tiling { tiles, subgroups, devices })
            }
            HloShardingKind::Replicated
            | HloShardingKind::Manual
            | HloShardingKind::Unknown
            | HloShardingKind::Unreduced
            | HloShardingKind::Maximal { .. }
            | HloShardingKind::Tuple(_)
            | HloShardingKind::Named(_) => None,
        }
    }

    /// Whether a tile dim replicates: which device is where along it says nothing.
    fn replicates(&self, dim: usize) -> bool {
        let dims = self.tiles.len() - self.subgroups.len();
        dim >= dims && self.subgroups[dim - dims] == Subgroup::Replicated
    }

    /// For each tile dim the digits it reads of the position in `order` (of the device number, for none); nothing for
    /// dims that replicate. `None` if it reads no digits.
    pub fn digits(&self, order: Option<&[u32]>) -> Option<Vec<Vec<Digit>>> {
        match (self.devices, order) {
            (TileDevices::Iota { reshape, transpose }, None) => {
                let (from, to) = digits::iota(reshape, transpose);
                self.digits_by(&digits::row_major(self.tiles), &Relation { from, to })
            }
            (TileDevices::Iota { .. }, Some(order)) => self.digits_in_list(&self.device_list()?, Some(order)),
            (TileDevices::List(list), order) => self.digits_in_list(list, order),
        }
    }

    pub fn digits_by(&self, dims: &[Digit], relation: &Relation) -> Option<Vec<Vec<Digit>>> {
        let read = |(dim, digit): (usize, &Digit)| match digit.size {
            1 => Some(Vec::new()),
            _ if self.replicates(dim) => Some(Vec::new()),
            _ => relation.map(*digit),
        };
        dims.iter().enumerate().map(read).collect()
    }

    /// Devices that only replicate each other may be listed in any order, so what is looked for are the digits of the
    /// tile number with the replicating dims left out.
    fn digits_in_list(&self, list: &[u32], order: Option<&[u32]>) -> Option<Vec<Vec<Digit>>> {
        let sizes: Vec<i64> =
            (0..self.tiles.len()).map(|dim| if self.replicates(dim) { 1 } else { self.tiles[dim] }).collect();
        let (all, kept) = (digits::row_major(self.tiles), digits::row_major(&sizes));
        let number = |place: i64| -> i64 {
            all.iter()
                .zip(&kept)
                .filter(|(_, kept)| kept.size > 1)
                .map(|(all, kept)| all.of(place) * kept.stride)
                .sum()
        };
        let mut tile_of = vec![0; list.len()];
        for (place, device) in list.iter().enumerate() {
            tile_of[*device as usize] = number(place as i64);
        }
        let device = |position: i64| order.map_or(position, |order| i64::from(order[position as usize]));
        let relation = digits::recognize(list.len() as i64, |position| tile_of[device(position) as usize])?;
        self.digits_by(&kept, &relation)
    }

    /// Device of each tile, if that is not too long a list.
    pub fn device_list(&self) -> Option<Vec<u32>> {
        listed(self.devices)
    }
}

/// Device of each tile, if that is not too long a list.
pub(super) fn listed(devices: &TileDevices) -> Option<Vec<u32>> {
    match devices {
        TileDevices::List(list) => Some(list.clone()),
        TileDevices::Iota { reshape, transpose } => {
            let (_, order) = digits::iota(reshape, transpose);
            let count: i64 = reshape.iter().product();
            let device = |tile: i64| digits::compose(&order, tile) as u32;
            (count <= MAX_LISTED_DEVICES).then(|| (0..count).map(device).collect())
        }
    }
}

/// Each tiling once: first those that need a device order of their own and tell all of it, so that others may find
/// their place in it; then those that tell part of theirs; then the iotas.
pub(super) fn in_order<'a>(tilings: impl Iterator<Item = Tiling<'a>>) -> Vec<Tiling<'a>> {
    let mut seen = BTreeSet::new();
    let mut distinct: Vec<Tiling> = tilings.filter(|tiling| seen.insert(tiling.clone())).collect();
    distinct.sort_by_cached_key(|tiling| match tiling.digits(None) {
        Some(_) => 2,
        None => i32::from((0..tiling.tiles.len()).any(|dim| tiling.replicates(dim) && tiling.tiles[dim] > 1)),
    });
    distinct
}
