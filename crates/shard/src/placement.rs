//! Which device holds which slice.
//!
//! Asked for one device at a time, at the cost of the sharding's axes; a list of all devices is never made, except to
//! compare placements over device orders that have nothing in common, and then only up to [`MOST_COMPARED`] devices.

use crate::axis;
use crate::digits::{self, Digit, Relation};
use crate::mesh::{AxisRef, DeviceId, Mesh};
use crate::sharding::Sharding;
use meshwright_base::arrange::Arrange;
use std::ops::Range;

/// Meshes larger than this are not compared device by device: their placements count as different.
pub const MOST_COMPARED: i64 = 4096;

impl Sharding {
    /// Number of the tile of each dim that the device at a mesh position holds.
    pub fn tile_at(&self, mesh: &Mesh, position: i64) -> Vec<i64> {
        self.dims.iter().map(|dim| index_along(mesh, &dim.axes, position)).collect()
    }

    /// Number of the tile of each dim that a device holds; `None` if the device is not in the mesh.
    pub fn tile_index(&self, mesh: &Mesh, device: DeviceId) -> Option<Vec<i64>> {
        Some(self.tile_at(mesh, mesh.position_of(device)?))
    }

    /// Where a device's shard starts in each dim. Counted in full shards: past the end of the value for a device that
    /// holds nothing but padding.
    pub fn shard_offset(&self, mesh: &Mesh, shape: &[i64], device: DeviceId) -> Option<Vec<i64>> {
        let tile = self.tile_index(mesh, device)?;
        Some(tile.iter().zip(self.shard_shape(shape)).map(|(tile, size)| tile * size).collect())
    }

    /// The part of each dim a device holds, without padding. Empty ranges where there is only padding.
    pub fn valid_range(&self, mesh: &Mesh, shape: &[i64], device: DeviceId) -> Option<Vec<Range<i64>>> {
        let offset = self.shard_offset(mesh, shape, device)?;
        let size = self.shard_shape(shape);
        let ranges = offset.iter().zip(size).zip(shape);
        Some(ranges.map(|((from, size), end)| *from.min(end)..(from + size).min(*end)).collect())
    }
}

/// Place along an ordered list of axes, major first, of a mesh position.
pub fn index_along(mesh: &Mesh, axes: &[AxisRef], position: i64) -> i64 {
    axes.iter().fold(0, |index, axis| index * axis.size + digits::of_axis(mesh, *axis).of(position))
}

/// What a sharding says, as digits of the position: the tiling of each dim, then partial and manual as sets.
#[derive(PartialEq, Eq)]
struct Placement {
    dims: Vec<Vec<Digit>>,
    partial: Vec<Digit>,
    manual: Vec<Digit>,
}

impl Placement {
    fn of(sharding: &Sharding, mesh: &Mesh, relation: &Relation) -> Option<Placement> {
        let read = |axes: &[AxisRef]| relation.map_all(&digits::of_axes(mesh, axes));
        let set = |axes: &[AxisRef]| {
            let mut digits = read(axes)?;
            digits.arrange_by_key(|digit| std::cmp::Reverse(digit.stride));
            Some(digits::canonical(digits))
        };
        let dims: Option<_> = sharding.dims.iter().map(|dim| read(&dim.axes)).collect();
        Some(Placement { dims: dims?, partial: set(&sharding.partial)?, manual: set(&sharding.manual)? })
    }
}

/// Whether every device holds the same slice under both, and is partial and manual with the same others.
///
/// Open dims, priorities and explicitly replicated axes do not matter. On one mesh, and on meshes whose orders are
/// transpositions of each other, this compares axes. Otherwise devices, up to [`MOST_COMPARED`]; beyond that the answer
/// is no.
pub fn same_placement(a: &Sharding, mesh_a: &Mesh, b: &Sharding, mesh_b: &Mesh) -> bool {
    let kind = |sharding: &Sharding| (axis::canonical(&sharding.partial).is_empty(), sharding.reducer);
    if a.rank() != b.rank() || (kind(a) != kind(b) && !(kind(a).0 && kind(b).0)) {
        return false;
    }
    if mesh_a.axes == mesh_b.axes && mesh_a.order == mesh_b.order {
        let here = Relation::identity(mesh_a.device_count());
        return Placement::of(a, mesh_a, &here) == Placement::of(b, mesh_b, &here);
    }
    if let Some(relation) = digits::relate(mesh_a, mesh_b)
        && let Some(there) = Placement::of(a, mesh_a, &relation)
    {
        let here = Relation::identity(mesh_b.device_count());
        return Some(there) == Placement::of(b, mesh_b, &here);
    }
    same_by_device(a, mesh_a, b, mesh_b)
}

fn same_by_device(a: &Sharding, mesh_a: &Mesh, b: &Sharding, mesh_b: &Mesh) -> bool {
    let count = mesh_a.device_count();
    if count != mesh_b.device_count() || count > MOST_COMPARED || a.tiles() != b.tiles() {
        return false;
    }
    let pairs: Option<Vec<(i64, i64)>> = (0..count)
        .map(|position| Some((position, mesh_b.position_of(mesh_a.device_at(position)?)?)))
        .collect();
    let Some(pairs) = pairs else { return false };
    let tiles = |(here, there): &(i64, i64)| a.tile_at(mesh_a, *here) == b.tile_at(mesh_b, *there);
    pairs.iter().all(tiles)
        && same_groups(&pairs, mesh_a, &a.partial, mesh_b, &b.partial)
        && same_groups(&pairs, mesh_a, &a.manual, mesh_b, &b.manual)
}

/// Whether devices that differ only along `axes_a` are those that differ only along `axes_b`.
fn same_groups(
    pairs: &[(i64, i64)],
    mesh_a: &Mesh,
    axes_a: &[AxisRef],
    mesh_b: &Mesh,
    axes_b: &[AxisRef],
) -> bool {
    if axis::product(axes_a) != axis::product(axes_b) {
        return false;
    }
    let others_a = axis::difference(&mesh_a.whole_axes(), axes_a);
    let others_b = axis::difference(&mesh_b.whole_axes(), axes_b);
    let mut groups: Vec<(i64, i64)> = pairs
        .iter()
        .map(|(a, b)| (index_along(mesh_a, &others_a, *a), index_along(mesh_b, &others_b, *b)))
        .collect();
    groups.arrange();
    groups.dedup();
    groups.len() as i64 == axis::product(&others_a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{piece, tiled};

    #[test]
    fn offsets_count_full_shards_and_valid_ranges_end_with_the_value() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 4)], None).unwrap();
        let sharding = tiled(&[&[piece(1, 1, 4)], &[piece(0, 1, 2)]]);
        assert_eq!(sharding.tile_index(&mesh, DeviceId::new(7)), Some(vec![3, 1]));
        assert_eq!(sharding.shard_offset(&mesh, &[5, 3], DeviceId::new(7)), Some(vec![6, 2]));
        assert_eq!(sharding.valid_range(&mesh, &[5, 3], DeviceId::new(7)), Some(vec![5..5, 2..3]));
        assert_eq!(sharding.valid_range(&mesh, &[5, 3], DeviceId::new(2)), Some(vec![4..5, 0..2]));
        assert_eq!(sharding.tile_index(&mesh, DeviceId::new(8)), None);
    }

    #[test]
    fn meshes_cut_differently_hold_the_same_slices() {
        let flat = Mesh::new("f", [("all", 8)], None).unwrap();
        let square = Mesh::new("s", [("x", 4), ("y", 2)], None).unwrap();
        let both = tiled(&[&[piece(0, 1, 4), piece(1, 1, 2)]]);
        let swapped = tiled(&[&[piece(1, 1, 2), piece(0, 1, 4)]]);
        let all = tiled(&[&[piece(0, 1, 8)]]);
        assert!(same_placement(&both, &square, &all, &flat));
        assert!(!same_placement(&swapped, &square, &all, &flat));
        let turned = Mesh::new("t", [("y", 2), ("x", 4)], Some(vec![0, 2, 4, 6, 1, 3, 5, 7])).unwrap();
        assert!(same_placement(&swapped, &square, &tiled(&[&[piece(0, 1, 2), piece(1, 1, 4)]]), &turned));
    }

    #[test]
    fn unrelated_orders_are_compared_by_device() {
        let plain = Mesh::new("p", [("x", 2), ("y", 2)], None).unwrap();
        let odd = Mesh::new("o", [("x", 2), ("y", 2)], Some(vec![0, 1, 3, 2])).unwrap();
        let (rows, cells) = (tiled(&[&[piece(0, 1, 2)]]), tiled(&[&[piece(0, 1, 2), piece(1, 1, 2)]]));
        assert!(same_placement(&rows, &plain, &rows, &odd));
        assert!(!same_placement(&cells, &plain, &cells, &odd));
        let over = |axis| Sharding { partial: vec![piece(axis, 1, 2)], ..tiled(&[&[]]) };
        assert!(same_placement(&over(1), &plain, &over(1), &odd));
        assert!(!same_placement(&over(0), &plain, &over(0), &odd));
    }

    #[test]
    fn partial_sets_compare_without_order_and_reducers_do_matter() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2)], None).unwrap();
        let a = Sharding { partial: vec![piece(0, 1, 2), piece(1, 1, 2)], ..tiled(&[&[]]) };
        let b = Sharding { partial: vec![piece(1, 1, 2), piece(0, 1, 2)], ..tiled(&[&[]]) };
        assert!(same_placement(&a, &mesh, &b, &mesh));
        assert!(!same_placement(&a, &mesh, &Sharding { reducer: crate::Reducer::Max, ..b }, &mesh));
    }
}
