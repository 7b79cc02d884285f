//! Which devices a collective joins: every form of groups as lists of device numbers.
//!
//! With R replicas and P partitions device number = replica * P + partition. With one of the two equal to 1 a group's
//! numbers are device numbers, whatever the channel says, but for the lone group `{0}`, which then means "each device
//! alone" without a channel and "all devices" with one.

use crate::fault::{BAD_DEVICES, Fault};
use meshwright_ground::Id;
use meshwright_ir::Module;
use meshwright_ir::op::collective::{Channel, CollectiveKind, Groups};
use meshwright_shard::{AxisRef, Mesh, MeshId};

/// How the devices are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbering {
    pub replicas: usize,
    pub partitions: usize,
}

impl Numbering {
    /// As the module says, if that fits; else every device is a partition.
    pub fn of(module: &Module, devices: usize) -> Numbering {
        let count = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        let replicas = count(module.num_replicas).unwrap_or(1);
        let partitions = count(module.num_partitions).unwrap_or((devices / replicas).max(1));
        if replicas.checked_mul(partitions) == Some(devices) {
            return Numbering { replicas, partitions };
        }
        match replicas == devices {
            true => Numbering { replicas, partitions: 1 },
            false => Numbering { replicas: 1, partitions: devices },
        }
    }
}

/// What the numbers in a group stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Replicas,
    Partitions,
    ReplicasOfAllPartitions,
    Devices,
}

fn mode(kind: &CollectiveKind, channel: Channel) -> Mode {
    let partitions_if_channel = matches!(
        kind,
        CollectiveKind::AllToAll { .. }
            | CollectiveKind::AllToAllTuple
            | CollectiveKind::Permute { .. }
            | CollectiveKind::Broadcast
    );
    match (channel.id.filter(|id| *id > 0), channel.use_global_device_ids) {
        (Some(_), true) => Mode::Devices,
        (Some(_), false) if partitions_if_channel => Mode::Partitions,
        (Some(_), false) => Mode::ReplicasOfAllPartitions,
        (None, _) => Mode::Replicas,
    }
}

/// The groups as device numbers, members in order of position.
pub(crate) fn resolve(
    kind: &CollectiveKind,
    groups: &Groups,
    channel: Channel,
    module: &Module,
    devices: usize,
) -> Result<Vec<Vec<usize>>, Fault> {
    let numbering = Numbering::of(module, devices);
    let lists = match groups {
        Groups::All => return Ok(vec![(0..devices).collect()]),
        Groups::Axes { mesh, axes } => return axis_groups(module, *mesh, axes, devices),
        Groups::List(lists) if lists.is_empty() => return Ok(vec![(0..devices).collect()]),
        Groups::List(lists) => {
            lists.iter().map(|list| list.iter().map(|id| *id as usize).collect()).collect()
        }
        Groups::Iota { groups, size, reshape, transpose } => {
            iota(*groups, *size, reshape, transpose, devices)?
        }
    };
    let lists = spread(lists, mode(kind, channel), numbering);
    for id in lists.iter().flatten() {
        if *id >= devices {
            let message = format!("a group names device {id}, there are {devices}");
            return Err(Fault::new(BAD_DEVICES, message).help("run it on as many devices as it was made for"));
        }
    }
    Ok(lists)
}

/// From the numbers of a mode to device numbers.
fn spread(lists: Vec<Vec<usize>>, mode: Mode, numbering: Numbering) -> Vec<Vec<usize>> {
    let Numbering { replicas, partitions } = numbering;
    let lone = lists.len() == 1 && lists[0] == [0];
    if (replicas == 1 || partitions == 1) && !lone {
        return lists;
    }
    let on_partition = |list: &[usize], p: usize| list.iter().map(|r| r * partitions + p).collect::<Vec<_>>();
    let on_replica = |list: &[usize], r: usize| list.iter().map(|p| r * partitions + p).collect::<Vec<_>>();
    let mut out = Vec::new();
    for list in lists {
        match mode {
            Mode::Devices => out.push(list),
            Mode::Replicas => out.extend((0..partitions).map(|p| on_partition(&list, p))),
            Mode::Partitions => out.extend((0..replicas).map(|r| on_replica(&list, r))),
            Mode::ReplicasOfAllPartitions => {
                let all = list.iter().flat_map(|r| (0..partitions).map(move |p| r * partitions + p));
                out.push(all.collect());
            }
        }
    }
    out
}

/// Pairs of a permute as device numbers.
pub(crate) fn resolve_pairs(
    pairs: &[(u32, u32)],
    channel: Channel,
    module: &Module,
    devices: usize,
) -> Result<Vec<(usize, usize)>, Fault> {
    let kind = CollectiveKind::Permute { pairs: Vec::new() };
    let lists: Vec<Vec<u32>> = pairs.iter().map(|(source, target)| vec![*source, *target]).collect();
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let pairs = resolve(&kind, &Groups::List(lists), channel, module, devices)?;
    Ok(pairs.into_iter().filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect())
}

/// `[groups, size]<=[reshape]T(transpose)`.
fn iota(
    groups: i64,
    size: i64,
    reshape: &[i64],
    transpose: &[usize],
    devices: usize,
) -> Result<Vec<Vec<usize>>, Fault> {
    let bad = || Fault::new(BAD_DEVICES, format!("the groups' iota does not number {devices} devices"));
    let dims: Vec<usize> = reshape.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).collect();
    let count = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim)).ok_or_else(bad)?;
    let size = usize::try_from(size).ok().filter(|size| *size > 0).ok_or_else(bad)?;
    if count == 0
        || count > devices
        || usize::try_from(groups).ok().and_then(|g| g.checked_mul(size)) != Some(count)
    {
        return Err(bad());
    }
    let order: Vec<usize> = match transpose.is_empty() {
        true => (0..dims.len()).collect(),
        false => transpose.to_vec(),
    };
    let own = crate::view::row_major(&dims);
    let pick = |d: &usize| Some((*dims.get(*d)?, *own.get(*d)?));
    let (dims, strides) = order.iter().map(pick).collect::<Option<(Vec<_>, Vec<_>)>>().ok_or_else(bad)?;
    let view = crate::view::View { dims, strides, offset: 0 };
    let mut ids = Vec::with_capacity(count);
    view.each(|id| ids.push(id));
    Ok(ids.chunks(size).map(<[usize]>::to_vec).collect())
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

/// Mesh position of each device.
pub(crate) fn positions(mesh: &Mesh, devices: usize) -> Result<Vec<usize>, Fault> {
    let size = mesh.axes.values().try_fold(1usize, |n, axis| n.checked_mul(usize::try_from(axis.size).ok()?));
    if size != Some(devices) {
        let shown = size.map_or("too many".to_string(), |n| n.to_string());
        let message = format!("mesh `{}` has {shown} devices, the program runs on {devices}", mesh.name);
        return Err(Fault::new(BAD_DEVICES, message).help("run it on as many devices as its mesh has"));
    }
    let Some(order) = &mesh.order else { return Ok((0..devices).collect()) };
    let mut positions = vec![devices; devices];
    for (position, device) in order.iter().enumerate() {
        if let Some(place) = positions.get_mut(*device as usize) {
            *place = position;
        }
    }
    match positions.contains(&devices) {
        true => {
            Err(Fault::new(BAD_DEVICES, format!("the device order of mesh `{}` misses a device", mesh.name)))
        }
        false => Ok(positions),
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
    devices: usize,
) -> Result<Vec<Vec<usize>>, Fault> {
    let mesh = mesh(module, id)?;
    let digits = digits(mesh, axes)?;
    let positions = positions(mesh, devices)?;
    let mut keyed: Vec<(usize, usize, usize)> = positions
        .iter()
        .enumerate()
        .map(|(device, position)| (without_digits(*position, &digits), compose(*position, &digits), device))
        .collect();
    keyed.sort_unstable();
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

    fn axis(index: usize, pre: i64, size: i64) -> AxisRef {
        AxisRef { axis: Id::from_index(index), pre, size }
    }

    #[test]
    fn axes_and_sub_axes_group_devices() {
        let (module, mesh) = module(&[("x", 2), ("y", 4)]);
        let on = |axes: Vec<AxisRef>| axis_groups(&module, mesh, &axes, 8).unwrap();
        assert_eq!(on(vec![axis(0, 1, 2)]), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(on(vec![axis(1, 2, 2)]), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(on(vec![axis(1, 1, 2), axis(0, 1, 2)]), [[0, 4, 2, 6], [1, 5, 3, 7]]);
        assert!(axis_groups(&module, mesh, &[], 4).is_err());
    }

    #[test]
    fn iota_with_transpose() {
        assert_eq!(iota(2, 2, &[2, 2], &[1, 0], 4).unwrap(), [[0, 2], [1, 3]]);
        assert!(iota(2, 2, &[2, 3], &[], 4).is_err());
    }

    #[test]
    fn replica_groups_repeat_on_every_partition() {
        let numbering = Numbering { replicas: 2, partitions: 2 };
        assert_eq!(spread(vec![vec![0, 1]], Mode::Replicas, numbering), [[0, 2], [1, 3]]);
        assert_eq!(spread(vec![vec![0, 1]], Mode::Partitions, numbering), [[0, 1], [2, 3]]);
        assert_eq!(spread(vec![vec![0, 1]], Mode::ReplicasOfAllPartitions, numbering), [[0, 1, 2, 3]]);
    }
}
