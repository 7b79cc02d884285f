//! Which devices a collective joins: every form of groups as lists of device numbers.
//!
//! With R replicas and P partitions a device's number is replica * P + partition. With one of them equal to 1 a group's
//! numbers are device numbers, but for the lone group `{0}`, whose meaning the channel decides.

use crate::{RunError, RunErrorKind};
use meshwright_ir::Module;
use meshwright_ir::op::collective::{Channel, CollectiveKind, Groups};

/// How many replicas of how many partitions there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbering {
    pub replicas: usize,
    pub partitions: usize,
}

/// As the module says where that fits the devices; else every device is a partition.
pub fn numbering(module: &Module, devices: usize) -> Numbering {
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

/// The groups as lists of devices, members in order of their position.
pub fn resolve(
    kind: &CollectiveKind,
    groups: &Groups,
    channel: Channel,
    module: &Module,
    devices: usize,
) -> Result<Vec<Vec<usize>>, RunError> {
    let everyone = || vec![(0..devices).collect()];
    let lists: Vec<Vec<usize>> = match groups {
        Groups::All => return Ok(everyone()),
        Groups::List(lists) if lists.is_empty() => return Ok(everyone()),
        Groups::List(lists) => {
            lists.iter().map(|list| list.iter().map(|id| *id as usize).collect()).collect()
        }
        Groups::Iota { groups, size, reshape, transpose } => {
            iota(*groups, *size, reshape, transpose, devices)
                .ok_or_else(|| bad("the groups' iota", devices))?
        }
        Groups::Axes { mesh, axes } => {
            let mesh = module.meshes.get(*mesh).ok_or_else(|| bad("a mesh that is missing", devices))?;
            if mesh.device_count() != devices as i64 {
                return Err(bad(&format!("mesh `{}` of {}", mesh.name, mesh.device_count()), devices));
            }
            let groups = meshwright_shard::groups(mesh, axes);
            return Ok(groups.iter().map(|group| group.into_iter().map(|d| d as usize).collect()).collect());
        }
    };
    Ok(spread(lists, kind, channel, numbering(module, devices)))
}

/// Pairs of a permute as device numbers.
pub fn resolve_pairs(
    pairs: &[(u32, u32)],
    channel: Channel,
    numbering: Numbering,
) -> Result<Vec<(usize, usize)>, RunError> {
    let kind = CollectiveKind::Permute { pairs: Vec::new() };
    let lists = pairs.iter().map(|(source, target)| vec![*source as usize, *target as usize]).collect();
    let lists = spread(lists, &kind, channel, numbering);
    Ok(lists.into_iter().filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect())
}

fn bad(what: &str, devices: usize) -> RunError {
    RunError::new(RunErrorKind::BadDevices, format!("{what} does not number {devices} devices"))
        .help("run the program on as many devices as it was made for")
}

fn spread(
    lists: Vec<Vec<usize>>,
    kind: &CollectiveKind,
    channel: Channel,
    Numbering { replicas, partitions }: Numbering,
) -> Vec<Vec<usize>> {
    let lone = lists.len() == 1 && lists[0] == [0];
    if (replicas == 1 || partitions == 1) && !lone {
        return lists;
    }
    let has_channel = channel.id.is_some_and(|id| id > 0);
    let by_partition = matches!(
        kind,
        CollectiveKind::AllToAll { .. }
            | CollectiveKind::AllToAllTuple
            | CollectiveKind::Permute { .. }
            | CollectiveKind::Broadcast
    );
    let one = |list: Vec<usize>| -> Vec<Vec<usize>> {
        match (has_channel, channel.use_global_device_ids) {
            (true, true) => vec![list],
            (true, false) if by_partition => {
                (0..replicas).map(|r| list.iter().map(|p| r * partitions + p).collect()).collect()
            }
            (true, false) => {
                vec![list.iter().flat_map(|r| (0..partitions).map(move |p| r * partitions + p)).collect()]
            }
            (false, _) => {
                (0..partitions).map(|p| list.iter().map(|r| r * partitions + p).collect()).collect()
            }
        }
    };
    lists.into_iter().flat_map(one).collect()
}

/// `[groups, size]<=[reshape]T(transpose)`.
fn iota(
    groups: i64,
    size: i64,
    reshape: &[i64],
    transpose: &[usize],
    devices: usize,
) -> Option<Vec<Vec<usize>>> {
    let dims: Vec<usize> = reshape.iter().map(|dim| usize::try_from(*dim).ok()).collect::<Option<_>>()?;
    let count = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim))?;
    let (groups, size) = (usize::try_from(groups).ok()?, usize::try_from(size).ok().filter(|n| *n > 0)?);
    if count == 0 || count > devices || groups.checked_mul(size) != Some(count) {
        return None;
    }
    let order: Vec<usize> = if transpose.is_empty() { (0..dims.len()).collect() } else { transpose.to_vec() };
    let stride = |d: usize| dims.get(d + 1..).map(|minor| minor.iter().product::<usize>());
    let walk: Vec<(usize, usize)> =
        order.iter().map(|d| Some((*dims.get(*d)?, stride(*d)?))).collect::<Option<_>>()?;
    let id = |mut at: usize| {
        let mut id = 0;
        for (size, stride) in walk.iter().rev() {
            id += at % size * stride;
            at /= size;
        }
        id
    };
    let ids: Vec<usize> = (0..count).map(id).collect();
    Some(ids.chunks(size).map(<[usize]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iota_with_a_transpose_is_read() {
        assert_eq!(iota(2, 2, &[2, 2], &[1, 0], 4).unwrap(), [[0, 2], [1, 3]]);
        assert_eq!(iota(4, 2, &[4, 2], &[], 8).unwrap()[3], [6, 7]);
        assert!(iota(2, 2, &[2, 3], &[], 8).is_none());
    }
}
