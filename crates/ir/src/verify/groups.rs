//! Rule 10: the groups of a collective.
//!
//! Devices are numbered up to replicas times partitions. A module that does not say how many it is for is not held to a
//! number.

use super::Report;
use crate::codes;
use crate::module::{FuncId, InstId, Module};
use crate::op::collective::{Collective, CollectiveKind, Groups};
use meshwright_shard::{AxisRef, MeshId, Sharding};

pub(super) fn check(report: &mut Report<'_>, func: FuncId, inst: InstId, op: &Collective) {
    let devices = device_count(report.module);
    let wrong = match &op.kind {
        CollectiveKind::Permute { pairs } => wrong_pairs(pairs, devices),
        _ => wrong_groups(report.module, op, devices),
    };
    if let Some(message) = wrong {
        let help = devices.map(|count| format!("the program is for {count} devices, 0 to {}", count - 1));
        report.at_inst(codes::GROUPS, func, inst, message, help);
    }
}

fn device_count(module: &Module) -> Option<i64> {
    let replicas = module.num_replicas.unwrap_or(1).max(1);
    Some(module.num_partitions?.max(1).saturating_mul(replicas))
}

/// Each device sends at most once and receives at most once.
fn wrong_pairs(pairs: &[(u32, u32)], devices: Option<i64>) -> Option<String> {
    let sources = wrong_list(pairs.iter().map(|pair| pair.0), "source", devices);
    sources.or_else(|| wrong_list(pairs.iter().map(|pair| pair.1), "target", devices))
}

fn wrong_list(ids: impl Iterator<Item = u32>, what: &str, devices: Option<i64>) -> Option<String> {
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    if let Some(last) = ids.last().filter(|last| devices.is_some_and(|count| i64::from(**last) >= count)) {
        return Some(format!("{what} {last} is no device of the program"));
    }
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(format!("{what} {} is named twice", twice[0]))
}

fn wrong_groups(module: &Module, op: &Collective, devices: Option<i64>) -> Option<String> {
    let size = op.group_size;
    match &op.groups {
        Groups::All => None,
        Groups::List(groups) => wrong_list(groups.iter().flatten().copied(), "device", devices)
            .or_else(|| wrong_sizes(op, groups)),
        Groups::Iota { groups, size: iota_size, reshape, transpose } => {
            wrong_iota(*groups, *iota_size, reshape, transpose, devices)
                .or_else(|| wrong_size(*iota_size, size))
        }
        Groups::Axes { mesh, axes } => wrong_axes(module, *mesh, axes, size),
    }
}

fn wrong_size(found: i64, said: i64) -> Option<String> {
    (found != said).then(|| format!("a group has {found} devices, but the instruction says {said}"))
}

/// Where shapes depend on the size of a group, all must have it.
fn wrong_sizes(op: &Collective, groups: &[Vec<u32>]) -> Option<String> {
    match op.kind {
        CollectiveKind::AllReduce | CollectiveKind::Broadcast | CollectiveKind::Permute { .. } => None,
        CollectiveKind::AllGather { .. } | CollectiveKind::ReduceScatter { .. } => first_wrong(op, groups),
        CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => first_wrong(op, groups),
    }
}

fn first_wrong(op: &Collective, groups: &[Vec<u32>]) -> Option<String> {
    groups.iter().find_map(|group| wrong_size(group.len() as i64, op.group_size))
}

fn wrong_iota(
    groups: i64,
    size: i64,
    reshape: &[i64],
    transpose: &[usize],
    devices: Option<i64>,
) -> Option<String> {
    let positive = reshape.iter().all(|dim| *dim >= 1) && groups >= 1 && size >= 1;
    let product = reshape.iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
    let Some(count) = product.filter(|count| positive && groups.checked_mul(size) == Some(*count)) else {
        return Some(format!("{groups} groups of {size} devices are not the devices of {reshape:?}"));
    };
    let mut order = transpose.to_vec();
    order.sort_unstable();
    if !order.into_iter().eq(0..reshape.len()) {
        return Some(format!("{transpose:?} is no permutation of the {} dims of {reshape:?}", reshape.len()));
    }
    let exceeds = devices.is_some_and(|devices| count > devices);
    exceeds.then(|| format!("{count} devices are grouped, more than the program has"))
}

fn wrong_axes(module: &Module, mesh: MeshId, axes: &[AxisRef], size: i64) -> Option<String> {
    let Some(shape) = module.meshes.get(mesh) else {
        return Some("the mesh of the groups does not exist".into());
    };
    let mut probe = Sharding::replicated(mesh, 0);
    probe.replicated = axes.to_vec();
    if let Some(error) = probe.verify_axes(shape).into_iter().next() {
        return Some(error.message);
    }
    let product = axes.iter().fold(1i64, |product, axis| product.saturating_mul(axis.size));
    wrong_size(product, size)
}
