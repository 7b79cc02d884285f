//! Which devices a collective joins, and where each device stands in a mesh: one answer for the judge and for the
//! engines.
//!
//! What the numbers of a list stand for is in `op/numbering.rs`. Groups over axes are `shard`'s; here each replica has
//! a mesh of its own, behind that of the one before. What does not fit is refused: a module need not have been
//! verified.

use crate::module::Module;
use crate::op::collective::{Channel, Collective, CollectiveKind, Groups};
use crate::op::numbering::{Mode, Numbering};
use meshwright_base::Id;
use meshwright_shard::{AxisRef, DeviceId, Mesh, MeshId, Sharding, index_along};

/// Why groups, pairs or a mesh do not fit the devices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit(pub String);

type Fitting<T> = Result<T, Misfit>;

/// The way out of every [`Misfit`].
pub const HELP: &str = "run the program on as many devices as it was made for";

/// The groups of a collective as device numbers, members in order of position.
pub fn device_groups(module: &Module, op: &Collective, numbering: Numbering) -> Fitting<Vec<Vec<usize>>> {
    let devices = numbering.count(Mode::Devices);
    if let Groups::Axes { mesh, axes } = &op.groups {
        return axis_groups(mesh_of(module, *mesh)?, axes, numbering);
    }
    let bad = || Misfit(format!("the groups' iota does not number {devices} devices"));
    let lists = op.groups.lists(devices).ok_or_else(bad)?;
    let lists = numbering.devices(Mode::of(&op.kind, op.channel), &lists);
    all_below(devices, lists)
}

/// Pairs of a permute as device numbers: source, target.
pub fn device_pairs(
    pairs: &[(u32, u32)],
    channel: Channel,
    numbering: Numbering,
) -> Fitting<Vec<(usize, usize)>> {
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mode = Mode::of(&CollectiveKind::Permute { pairs: Vec::new() }, channel);
    let lists: Vec<Vec<u32>> = pairs.iter().map(|(source, target)| vec![*source, *target]).collect();
    let lists = all_below(numbering.count(Mode::Devices), numbering.devices(mode, &lists))?;
    Ok(lists.into_iter().filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect())
}

fn all_below(devices: usize, lists: Vec<Vec<usize>>) -> Fitting<Vec<Vec<usize>>> {
    match lists.iter().flatten().find(|device| **device >= devices) {
        Some(device) => Err(Misfit(format!("a group names device {device}, there are {devices}"))),
        None => Ok(lists),
    }
}

/// Devices that differ only along the axes, in order of their position along them.
fn axis_groups(mesh: &Mesh, axes: &[AxisRef], numbering: Numbering) -> Fitting<Vec<Vec<usize>>> {
    let places = Places::new(mesh, numbering)?;
    places.check(axes)?;
    let groups = meshwright_shard::groups(mesh, axes);
    let of_replica = |replica: usize| {
        let device = move |device: DeviceId| replica * numbering.partitions + device.index();
        groups.iter().map(move |group| group.into_iter().map(device).collect())
    };
    Ok((0..numbering.replicas).flat_map(of_replica).collect())
}

/// A mesh of the module.
pub fn mesh_of(module: &Module, mesh: MeshId) -> Fitting<&Mesh> {
    module.meshes.get(mesh).ok_or_else(|| Misfit("the mesh does not exist".into()))
}

/// What is wrong with axes of a mesh that are to be used together.
pub fn wrong_axes(mesh: &Mesh, axes: &[AxisRef]) -> Option<String> {
    let mut probe = Sharding::replicated(meshwright_base::Id::from_index(0), 0);
    probe.replicated = axes.to_vec();
    probe.verify_axes(mesh).into_iter().next().map(|error| error.message)
}

/// Where every device stands in a mesh.
pub struct Places<'m> {
    mesh: &'m Mesh,
    /// Mesh position of each device of one replica.
    positions: Vec<i64>,
    numbering: Numbering,
}

impl<'m> Places<'m> {
    pub fn new(mesh: &'m Mesh, numbering: Numbering) -> Fitting<Self> {
        let partitions = numbering.partitions;
        let size = mesh.axes.values().try_fold(1i64, |n, axis| n.checked_mul(axis.size).filter(|n| *n > 0));
        if size.and_then(|size| usize::try_from(size).ok()) != Some(partitions) {
            let shown = size.map_or("too many".to_string(), |n| n.to_string());
            let message =
                format!("mesh `{}` has {shown} devices, the program runs on {partitions}", mesh.name);
            return Err(Misfit(message));
        }
        let mut positions: Vec<i64> = (0..partitions as i64).collect();
        if let Some(order) = &mesh.order {
            positions.fill(-1);
            for (position, device) in order.iter().enumerate() {
                if let Some(place) = positions.get_mut(*device as usize) {
                    *place = position as i64;
                }
            }
        }
        if positions.contains(&-1) {
            return Err(Misfit(format!("the device order of mesh `{}` misses a device", mesh.name)));
        }
        Ok(Places { mesh, positions, numbering })
    }

    /// That the mesh has these axes, and each piece of one once: to be asked before they are used.
    pub fn check(&self, axes: &[AxisRef]) -> Fitting<()> {
        wrong_axes(self.mesh, axes).map_or(Ok(()), |message| Err(Misfit(message)))
    }

    /// How many devices there are, those of all replicas.
    pub fn devices(&self) -> usize {
        self.numbering.count(Mode::Devices)
    }

    /// Place of a device along some axes, major first.
    pub fn along(&self, device: usize, axes: &[AxisRef]) -> usize {
        index_along(self.mesh, axes, self.positions[device % self.numbering.partitions]) as usize
    }

    /// The same for all devices that differ only along the axes, and for no others.
    pub fn apart_from(&self, device: usize, axes: &[AxisRef]) -> (usize, usize) {
        let others = meshwright_shard::difference(&self.mesh.whole_axes(), axes);
        (device / self.numbering.partitions, self.along(device, &others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_base::Id;

    fn module(axes: &[(&str, i64)]) -> Module {
        let mut module = Module::new("m");
        module.meshes.push(Mesh::new("mesh", axes.iter().copied(), None).unwrap());
        module
    }

    fn numbering(replicas: usize, partitions: usize) -> Numbering {
        Numbering { replicas, partitions, is_stated: true }
    }

    fn axis(index: usize, pre: i64, size: i64) -> AxisRef {
        AxisRef { axis: Id::from_index(index), pre, size }
    }

    fn collective(groups: Groups, channel: Channel) -> Collective {
        Collective { kind: CollectiveKind::AllReduce, groups, group_size: 2, channel, wide: None }
    }

    fn over(axes: Vec<AxisRef>) -> Collective {
        let mesh = MeshId::from_index(0);
        collective(Groups::Axes { mesh, axes }, Channel { id: Some(1), kind: 1, use_global_device_ids: true })
    }

    #[test]
    fn axes_and_pieces_of_axes_group_devices() {
        let module = module(&[("x", 2), ("y", 4)]);
        let on = |axes| device_groups(&module, &over(axes), numbering(1, 8)).unwrap();
        assert_eq!(on(vec![axis(0, 1, 2)]), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(on(vec![axis(1, 2, 2)]), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(on(vec![axis(1, 1, 2), axis(0, 1, 2)]), [[0, 4, 2, 6], [1, 5, 3, 7]]);
    }

    #[test]
    fn every_replica_has_a_mesh_of_its_own() {
        let module = module(&[("x", 2), ("y", 2)]);
        let groups = device_groups(&module, &over(vec![axis(0, 1, 2)]), numbering(2, 4)).unwrap();
        assert_eq!(groups, [[0, 2], [1, 3], [4, 6], [5, 7]]);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_numbers() {
        let module = module(&[("x", 2), ("y", 2)]);
        let refused = |op: &Collective, numbering| device_groups(&module, op, numbering).unwrap_err().0;
        let of_mesh = refused(&over(vec![axis(0, 1, 2)]), numbering(1, 8));
        assert_eq!(of_mesh, "mesh `mesh` has 4 devices, the program runs on 8");
        assert_eq!(refused(&over(vec![axis(5, 1, 2)]), numbering(1, 4)), "mesh `mesh` has no axis number 5");
        let globals = Channel { id: Some(1), kind: 1, use_global_device_ids: true };
        let list = collective(Groups::List(vec![vec![0, 9]]), globals);
        assert_eq!(refused(&list, numbering(1, 4)), "a group names device 9, there are 4");
        let pairs = device_pairs(&[(0, 1), (1, 7)], globals, numbering(1, 4)).unwrap_err();
        assert_eq!(pairs.0, "a group names device 7, there are 4");
    }

    #[test]
    fn places_follow_the_order_of_the_mesh() {
        let mesh = Mesh::new("m", [("x", 2), ("y", 2)], Some(vec![0, 1, 3, 2])).unwrap();
        let places = Places::new(&mesh, numbering(2, 4)).unwrap();
        let (x, y) = ([axis(0, 1, 2)], [axis(1, 1, 2)]);
        let along: Vec<_> =
            (0..8).map(|device| (places.along(device, &x), places.along(device, &y))).collect();
        assert_eq!(along[..4], [(0, 0), (0, 1), (1, 1), (1, 0)]);
        assert_eq!(along[4..], along[..4]);
        assert_eq!(places.apart_from(2, &x), places.apart_from(1, &x));
        assert_ne!(places.apart_from(2, &x), places.apart_from(6, &x));
    }

    #[test]
    fn a_mesh_that_misses_a_device_has_no_places() {
        let mut mesh = Mesh::new("m", [("x", 2)], None).unwrap();
        mesh.order = Some([0, 0].into());
        assert!(Places::new(&mesh, numbering(1, 2)).is_err());
    }
}
