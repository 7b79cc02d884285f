//! Groups of devices that do one collective together, described by the axes it runs over.
//!
//! Devices that differ only along `axes` form a group; within it they are ordered by these axes, major first, and the
//! groups by all other axes. Nothing is listed until asked for: a million devices in groups of eight cost as much as
//! eight in groups of two.
//!
//! ```text
//! <["x"=4, "y"=2]> over {"x"}   [2,4]<=[4,2]T(1,0)   {{0,2,4,6},{1,3,5,7}}
//! ```

use crate::axis;
use crate::digits;
use crate::export;
use crate::hlo::TileDevices;
use crate::mesh::{AxisRef, DeviceId, Mesh};
use crate::placement::index_along;
use std::fmt;

/// The groups of a collective over some axes of a mesh.
#[derive(Clone, Debug)]
pub struct ReplicaGroups<'m> {
    mesh: &'m Mesh,
    axes: Vec<AxisRef>,
    others: Vec<AxisRef>,
}

/// The groups of a collective over `axes` of `mesh`.
pub fn groups<'m>(mesh: &'m Mesh, axes: &[AxisRef]) -> ReplicaGroups<'m> {
    let axes = axis::canonical(axes);
    ReplicaGroups { mesh, others: axis::difference(&mesh.whole_axes(), &axes), axes }
}

impl<'m> ReplicaGroups<'m> {
    pub fn mesh(&self) -> &'m Mesh {
        self.mesh
    }

    /// The axes the groups run over, canonical.
    pub fn axes(&self) -> &[AxisRef] {
        &self.axes
    }

    /// Number of groups.
    pub fn count(&self) -> i64 {
        axis::product(&self.others)
    }

    /// Number of devices of each group.
    pub fn size(&self) -> i64 {
        axis::product(&self.axes)
    }

    /// The group a device is in; `None` if it is not in the mesh.
    pub fn group_of(&self, device: DeviceId) -> Option<i64> {
        Some(index_along(self.mesh, &self.others, self.mesh.position_of(device)?))
    }

    /// Place of a device in its group; `None` if it is not in the mesh.
    pub fn place_of(&self, device: DeviceId) -> Option<i64> {
        Some(index_along(self.mesh, &self.axes, self.mesh.position_of(device)?))
    }

    /// Devices of one group in order; none for a group there is not.
    pub fn members(&self, group: i64) -> impl Iterator<Item = DeviceId> + use<'m> {
        let others = digits::of_axes(self.mesh, &self.others);
        let within = digits::of_axes(self.mesh, &self.axes);
        let size = if (0..self.count()).contains(&group) { self.size() } else { 0 };
        let first = digits::compose(&others, group);
        let mesh = self.mesh;
        (0..size).filter_map(move |place| mesh.device_at(first + digits::compose(&within, place)))
    }

    /// All groups, one at a time.
    pub fn iter(&self) -> impl Iterator<Item = Vec<DeviceId>> {
        (0..self.count()).map(|group| self.members(group).collect())
    }

    /// The groups as HLO writes them without listing them; with a list only if the mesh's explicit order needs one.
    pub fn assignment(&self) -> GroupAssignment {
        let order: Vec<_> = self.others.iter().chain(&self.axes).copied().collect();
        GroupAssignment {
            count: self.count(),
            size: self.size(),
            devices: export::tile_devices(self.mesh, &order),
        }
    }
}

/// Groups as text: `[2,4]<=[4,2]T(1,0)`, or `{{0,1},{3,2}}` where no iota says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupAssignment {
    pub count: i64,
    pub size: i64,
    /// Devices of the first group, then of the second, and so on.
    pub devices: TileDevices,
}

impl fmt::Display for GroupAssignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match &self.devices {
            TileDevices::Iota { .. } => return write!(f, "[{},{}]<={}", self.count, self.size, self.devices),
            TileDevices::List(list) => list,
        };
        let group = |devices: &[u32]| {
            let devices: Vec<_> = devices.iter().map(u32::to_string).collect();
            format!("{{{}}}", devices.join(","))
        };
        let groups: Vec<_> = list.chunks(self.size.max(1) as usize).map(group).collect();
        write!(f, "{{{}}}", groups.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::AxisId;
    use meshwright_base::Id;

    fn whole(mesh: &Mesh, axis: usize) -> AxisRef {
        mesh.whole(AxisId::from_index(axis))
    }

    fn numbers(groups: &ReplicaGroups<'_>) -> Vec<Vec<u32>> {
        groups.iter().map(|group| group.into_iter().map(DeviceId::number).collect()).collect()
    }

    #[test]
    fn groups_run_over_their_axes_and_are_ordered_by_the_others() {
        let mesh = Mesh::new("m", [("x", 4), ("y", 2)], None).unwrap();
        let over_x = groups(&mesh, &[whole(&mesh, 0)]);
        assert_eq!(numbers(&over_x), [[0, 2, 4, 6], [1, 3, 5, 7]]);
        assert_eq!(over_x.assignment().to_string(), "[2,4]<=[4,2]T(1,0)");
        assert_eq!(
            (
                over_x.group_of(DeviceId::new(5)),
                over_x.place_of(DeviceId::new(5)),
                over_x.group_of(DeviceId::new(8))
            ),
            (Some(1), Some(2), None)
        );
        let piece = AxisRef { size: 2, ..whole(&mesh, 0) };
        let over_piece = groups(&mesh, &[whole(&mesh, 1), piece]);
        assert_eq!(numbers(&over_piece), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(over_piece.assignment().to_string(), "[2,4]<=[2,4]T(1,0)");
        assert_eq!(groups(&mesh, &[]).assignment().to_string(), "[8,1]<=[8]");
        assert_eq!(over_x.members(2).count(), 0);
    }

    #[test]
    fn an_odd_order_is_listed() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2)], Some(vec![0, 1, 3, 2])).unwrap();
        let over_x = groups(&mesh, &[whole(&mesh, 0)]);
        assert_eq!(over_x.assignment().to_string(), "{{0,3},{1,2}}");
        assert_eq!(
            (over_x.group_of(DeviceId::new(3)), over_x.place_of(DeviceId::new(3))),
            (Some(0), Some(1))
        );
    }

    #[test]
    fn a_million_devices_are_described_without_listing_them() {
        let mesh = Mesh::new("m", [("x", 1 << 10), ("y", 1 << 10)], None).unwrap();
        let over_y = groups(&mesh, &[whole(&mesh, 1)]);
        assert_eq!(over_y.assignment().to_string(), "[1024,1024]<=[1048576]");
        assert_eq!(over_y.members(1023).last(), Some(DeviceId::new((1 << 20) - 1)));
    }
}
