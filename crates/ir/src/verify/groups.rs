//! Rule 10: the groups of a collective.
//!
//! Numbers are those of the collective's mode (`op/numbering.rs`). A module that does not say how many devices it is
//! for is not held to a number.

use super::Report;
use crate::codes;
use crate::module::{FuncId, InstId, Module};
use crate::op::collective::{Collective, CollectiveKind, Groups};
use crate::op::numbering::{Mode, Numbering};
use meshwright_base::arrange::Arrange;
use meshwright_shard::{AxisRef, MeshId};

pub(super) fn check(report: &mut Report<'_>, func: FuncId, inst: InstId, op: &Collective) {
    let numbers = Numbers::of(report.module, op);
    let wrong = match &op.kind {
        CollectiveKind::Permute { pairs } => wrong_pairs(pairs, numbers),
        _ => wrong_groups(report.module, op, numbers),
    };
    if let Some(message) = wrong {
        let help = numbers.count.map(|count| {
            format!("the program is for {count} {}s, 0 to {}", numbers.what, count.saturating_sub(1))
        });
        report.at_inst(codes::GROUPS, func, inst, message, help);
    }
}

/// What a collective numbers.
#[derive(Clone, Copy)]
struct Numbers {
    what: &'static str,
    /// How many there are, if the module says it.
    count: Option<i64>,
    /// Devices for each number.
    each: Option<i64>,
}

impl Numbers {
    fn of(module: &Module, op: &Collective) -> Numbers {
        let mode = Mode::of(&op.kind, op.channel);
        let Some(numbering) = stated(module) else {
            let each = if mode == Mode::ReplicasOfAllPartitions { None } else { Some(1) };
            return Numbers { what: "device", count: None, each };
        };
        let lists: Vec<Vec<u32>> = match (&op.kind, &op.groups) {
            (CollectiveKind::Permute { pairs }, _) => pairs.iter().map(|pair| vec![pair.0, pair.1]).collect(),
            // All that matters here is the last number.
            (_, Groups::Iota { groups, size, .. }) => {
                let last = groups.saturating_mul(*size).saturating_sub(1);
                vec![vec![u32::try_from(last).unwrap_or(u32::MAX)]]
            }
            (_, Groups::List(lists)) => lists.clone(),
            (_, Groups::All | Groups::Axes { .. }) => Vec::new(),
        };
        let mode = numbering.mode(mode, lists.iter().map(Vec::as_slice));
        let what = match mode {
            Mode::Replicas | Mode::ReplicasOfAllPartitions => "replica",
            Mode::Partitions => "partition",
            Mode::Devices => "device",
        };
        let each = if mode == Mode::ReplicasOfAllPartitions { numbering.partitions as i64 } else { 1 };
        let count = i64::try_from(numbering.count(mode)).unwrap_or(i64::MAX);
        Numbers { what, count: Some(count), each: Some(each) }
    }
}

fn stated(module: &Module) -> Option<Numbering> {
    let count = |n: i64| usize::try_from(n.max(1)).ok();
    let replicas = count(module.num_replicas.unwrap_or(1))?;
    Some(Numbering { replicas, partitions: count(module.num_partitions?)?, is_stated: true })
}

/// Each device sends at most once and receives at most once.
fn wrong_pairs(pairs: &[(u32, u32)], numbers: Numbers) -> Option<String> {
    let sources = wrong_list(pairs.iter().map(|pair| pair.0), "source", numbers);
    sources.or_else(|| wrong_list(pairs.iter().map(|pair| pair.1), "target", numbers))
}

fn wrong_list(ids: impl Iterator<Item = u32>, what: &str, numbers: Numbers) -> Option<String> {
    let mut ids: Vec<u32> = ids.collect();
    ids.arrange();
    if let Some(last) =
        ids.last().filter(|last| numbers.count.is_some_and(|count| i64::from(**last) >= count))
    {
        return Some(format!("{what} {last} is no {} of the program", numbers.what));
    }
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(format!("{what} {} is named twice", twice[0]))
}

fn wrong_groups(module: &Module, op: &Collective, numbers: Numbers) -> Option<String> {
    let size = op.group_size;
    match &op.groups {
        Groups::All => None,
        Groups::List(groups) => wrong_list(groups.iter().flatten().copied(), numbers.what, numbers)
            .or_else(|| wrong_sizes(op, groups, numbers)),
        Groups::Iota { groups, size: iota_size, reshape, transpose } => {
            wrong_iota(*groups, *iota_size, reshape, transpose, numbers)
                .or_else(|| wrong_size(iota_size.saturating_mul(numbers.each?), size))
        }
        Groups::Axes { mesh, axes } => wrong_axes(module, *mesh, axes, size),
    }
}

fn wrong_size(found: i64, said: i64) -> Option<String> {
    (found != said).then(|| format!("a group has {found} devices, but the instruction says {said}"))
}

/// Where shapes depend on the size of a group, all must have it.
fn wrong_sizes(op: &Collective, groups: &[Vec<u32>], numbers: Numbers) -> Option<String> {
    match op.kind {
        CollectiveKind::AllReduce | CollectiveKind::Broadcast | CollectiveKind::Permute { .. } => None,
        CollectiveKind::AllGather { .. } | CollectiveKind::ReduceScatter { .. } => {
            first_wrong(op, groups, numbers)
        }
        CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => first_wrong(op, groups, numbers),
    }
}

fn first_wrong(op: &Collective, groups: &[Vec<u32>], numbers: Numbers) -> Option<String> {
    let each = numbers.each?;
    groups.iter().find_map(|group| wrong_size((group.len() as i64).saturating_mul(each), op.group_size))
}

fn wrong_iota(
    groups: i64,
    size: i64,
    reshape: &[i64],
    transpose: &[usize],
    numbers: Numbers,
) -> Option<String> {
    let positive = reshape.iter().all(|dim| *dim >= 1) && groups >= 1 && size >= 1;
    let product = reshape.iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
    let Some(count) = product.filter(|count| positive && groups.checked_mul(size) == Some(*count)) else {
        return Some(format!("{groups} groups of {size} devices are not the devices of {reshape:?}"));
    };
    let mut order = transpose.to_vec();
    order.arrange();
    if !order.into_iter().eq(0..reshape.len()) {
        return Some(format!("{transpose:?} is no permutation of the {} dims of {reshape:?}", reshape.len()));
    }
    let exceeds = numbers.count.is_some_and(|known| count > known);
    exceeds.then(|| format!("{count} {}s are grouped, more than the program has", numbers.what))
}

fn wrong_axes(module: &Module, mesh: MeshId, axes: &[AxisRef], size: i64) -> Option<String> {
    let Some(shape) = module.meshes.get(mesh) else {
        return Some("the mesh of the groups does not exist".into());
    };
    let product = axes.iter().fold(1i64, |product, axis| product.saturating_mul(axis.size));
    crate::groups::wrong_axes(shape, axes).or_else(|| wrong_size(product, size))
}
