//! Which devices a collective joins: every form of groups as lists of device numbers.

use crate::fault::{BAD_DEVICES, Fault};
use meshwright_base::Id;
use meshwright_base::arrange::Arrange;
use meshwright_ir::Module;
use meshwright_ir::op::collective::{Channel, CollectiveKind, Groups};
use meshwright_ir::op::{Mode, Numbering};
use meshwright_shard::{AxisRef, Mesh, MeshId};

/// The groups as device numbers, members in order of position.
pub(crate) fn resolve(
    kind: &CollectiveKind,
    groups: &Groups,
    channel: Channel,
    module: &Module,
    numbering: Numbering,
) -> Result<Vec<Vec<usize>>, Fault> {
    let devices = numbering.count(Mode::Devices);
    if let Groups::Axes { mesh, axes } = groups {
        return axis_groups(module, *mesh, axes, numbering);
    }
    let bad = || Fault::new(BAD_DEVICES, format!("the groups' iota does not number {devices} devices"));
    let lists = groups.lists(devices).ok_or_else(bad)?;
    let lists = numbering.devices(Mode::of(kind, channel), &lists);
    for id in lists.iter().flatten() {
        if *id >= devices {
            let message = format!("a group names device {id}, there are {devices}");
            return Err(Fault::new(BAD_DEVICES, message).help("run it on as many devices as it was made for"));
        }
    }
    Ok(lists)
}

/// Pairs of a permute as device numbers.
pub(crate) fn resolve_pairs(
    pairs: &[(u32, u32)],
    channel: Channel,
    module: &Module,
    numbering: Numbering,
) -> Result<Vec<(usize, usize)>, Fault> {
    let kind = CollectiveKind::Permute { pairs: Vec::new() };
    let lists: Vec<Vec<u32>> = pairs.iter().map(|(source, target)| vec![*source, *target]).collect();
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let pairs = resolve(&kind, &Groups::List(lists), channel, module, numbering)?;
    Ok(pairs.into_iter().filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect())
}

/// One digit of a device's position: `position / stride % size`.
#[derive(Clone, Copy)]
pub(crate) struct Digit {
    pub stride: usize,
    pub size: usize,
}

/// The digits of mesh axes (or pieces of them) in a row-major position.
pub(crate) fn digits(mesh: &Mesh, axes: &[AxisRef]) -> Result<Vec<Digit>, Fault> {
    axes.iter().map(|axis| digit(mesh, *axis)).collect()
}

fn digit(mesh: &Mesh, axis: AxisRef) -> Result<Digit, Fault> {
    let bad = || Fault::new(BAD_DEVICES, format!("mesh `{}` has no such axis or piece of one", mesh.name));
    let whole = mesh.axes.get(axis.axis).ok_or_else(bad)?.size;
    let before = axis.pre.checked_mul(axis.size).filter(|n| *n > 0).ok_or_else(bad)?;
    if whole <= 0 || whole % before != 0 {
        return Err(bad());
    }
    let minor = mesh.axes.values().skip(axis.axis.index() + 1).map(|axis| axis.size);
    let stride = minor.fold(whole / before, |n, size| n.saturating_mul(size.max(0)));
    let to_count = |n: i64| usize::try_from(n).ok().filter(|n| *n > 0).ok_or_else(bad);
    Ok(Digit { stride: to_count(stride)?, size: to_count(axis.size)? })
}

/// Mesh position of each device; each replica has a mesh of its own, behind that of the one before.
pub(crate) fn positions(mesh: &Mesh, numbering: Numbering) -> Result<Vec<usize>, Fault> {
    let Numbering { replicas, partitions, .. } = numbering;
    let size = mesh.axes.values().try_fold(1usize, |n, axis| n.checked_mul(usize::try_from(axis.size).ok()?));
    if size != Some(partitions) {
        let shown = size.map_or("too many".to_string(), |n| n.to_string());
        let message = format!("mesh `{}` has {shown} devices, the program runs on {partitions}", mesh.name);
        return Err(Fault::new(BAD_DEVICES, message).help("run it on as many devices as its mesh has"));
    }
    let Some(order) = &mesh.order else { return Ok((0..replicas * partitions).collect()) };
    let mut positions = vec![partitions; partitions];
    for (position, device) in order.iter().enumerate() {
        if let Some(place) = positions.get_mut(*device as usize) {
            *place = position;
        }
    }
    if positions.contains(&partitions) {
        Err(Fault::new(BAD_DEVICES, format!("the device order of mesh `{}` misses a device", mesh.name)))
    } else {
        let of_replica = |replica: usize| positions.iter().map(move |at| replica * partitions + at);
        Ok((0..replicas).flat_map(of_replica).collect())
    }
}

/// A mesh of the module.
pub(crate) fn mesh(module: &Module, mesh: MeshId) -> Result<&Mesh, Fault> {
    module.meshes.get(mesh).ok_or_else(|| Fault::unsound("names a mesh the module does not have"))
}

/// Number formed by some digits of a position, major first.
pub(crate) fn compose(position: usize, digits: &[Digit]) -> usize {
    digits.iter().fold(0, |n, digit| n * digit.size + position / digit.stride % digit.size)
}

/// A position with some of its digits set to zero: the same for all members of a group.
pub(crate) fn without_digits(position: usize, digits: &[Digit]) -> usize {
    digits.iter().fold(position, |rest, digit| rest - position / digit.stride % digit.size * digit.stride)
}

/// Devices that differ only along the axes, in order of their position along them.
fn axis_groups(
    module: &Module,
    id: MeshId,
    axes: &[AxisRef],
    numbering: Numbering,
) -> Result<Vec<Vec<usize>>, Fault> {
    let mesh = mesh(module, id)?;
    let digits = digits(mesh, axes)?;
    let positions = positions(mesh, numbering)?;
    let mut keyed: Vec<(usize, usize, usize)> = positions
        .iter()
        .enumerate()
        .map(|(device, position)| (without_digits(*position, &digits), compose(*position, &digits), device))
        .collect();
    keyed.arrange();
    let groups = keyed.chunk_by(|a, b| a.0 == b.0);
    Ok(groups.map(|group| group.iter().map(|(_, _, device)| *device).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_shard::Axis;

    fn module(axes: &[(&str, i64)]) -> (Module, MeshId) {
        let mut module = Module::new("m");
        let axes = axes.iter().map(|(name, size)| Axis { name: (*name).into(), size: *size }).collect();
        let mesh = module.meshes.push(Mesh { name: "mesh".into(), axes, order: None });
        (module, mesh)
    }

    fn numbering(replicas: usize, partitions: usize) -> Numbering {
        Numbering { replicas, partitions, is_stated: true }
    }

    fn axis(index: usize, pre: i64, size: i64) -> AxisRef {
        AxisRef { axis: Id::from_index(index), pre, size }
    }

    #[test]
    fn axes_and_sub_axes_group_devices() {
        let (module, mesh) = module(&[("x", 2), ("y", 4)]);
        let on = |axes: Vec<AxisRef>| axis_groups(&module, mesh, &axes, numbering(1, 8)).unwrap();
        assert_eq!(on(vec![axis(0, 1, 2)]), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(on(vec![axis(1, 2, 2)]), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(on(vec![axis(1, 1, 2), axis(0, 1, 2)]), [[0, 4, 2, 6], [1, 5, 3, 7]]);
        assert!(axis_groups(&module, mesh, &[], numbering(1, 4)).is_err());
    }

    #[test]
    fn every_replica_has_a_mesh_of_its_own() {
        let (module, mesh) = module(&[("x", 2), ("y", 2)]);
        let groups = axis_groups(&module, mesh, &[axis(0, 1, 2)], numbering(2, 4)).unwrap();
        assert_eq!(groups, [[0, 2], [1, 3], [4, 6], [5, 7]]);
    }
}
