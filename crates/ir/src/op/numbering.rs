//! What the numbers in a collective's groups stand for: HLO's four modes.
//!
//! Device number = replica * partitions + partition. The mode follows from the channel:
//!
//! | channel | flag | numbers are | `{{0,1}}` joins | `{}` joins |
//! |---|---|---|---|---|
//! | none | | replicas | on every partition, replicas 0 and 1 | on every partition, all replicas |
//! | yes | no, and the kind exchanges | partitions | in every replica, partitions 0 and 1 | in every replica, all partitions |
//! | yes | no, and the kind reduces or gathers | replicas | all partitions of replicas 0 and 1 | all devices |
//! | yes | `use_global_device_ids` | devices | devices 0 and 1 | all devices |
//!
//! Many programs name devices whatever their mode says, which is clear where there is one replica or one partition:
//! there, lists that name more than the mode has are lists of devices. A program that does not say how many replicas
//! and partitions it is for has devices that are both, so that `{}` is all of them.

use super::collective::{Channel, CollectiveKind, Groups};
use crate::module::Module;

/// How many replicas of how many partitions there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbering {
    pub replicas: usize,
    pub partitions: usize,
    /// Whether the module says so.
    pub is_stated: bool,
}

/// What the numbers in a group are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Replicas,
    Partitions,
    ReplicasOfAllPartitions,
    Devices,
}

impl Mode {
    pub fn of(kind: &CollectiveKind, channel: Channel) -> Mode {
        let exchanges = match kind {
            CollectiveKind::AllReduce
            | CollectiveKind::AllGather { .. }
            | CollectiveKind::ReduceScatter { .. } => false,
            CollectiveKind::AllToAll { .. }
            | CollectiveKind::AllToAllTuple
            | CollectiveKind::Permute { .. }
            | CollectiveKind::Broadcast => true,
        };
        match (channel.id.filter(|id| *id > 0), channel.use_global_device_ids) {
            (Some(_), true) => Mode::Devices,
            (Some(_), false) if exchanges => Mode::Partitions,
            (Some(_), false) => Mode::ReplicasOfAllPartitions,
            (None, _) => Mode::Replicas,
        }
    }
}

impl Numbering {
    /// As a text says, that need not say anything.
    pub fn said(replicas: Option<i64>, partitions: Option<i64>) -> Numbering {
        let count = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(1);
        let is_stated = replicas.is_some() || partitions.is_some();
        Numbering { replicas: count(replicas), partitions: count(partitions), is_stated }
    }

    /// As a module on global arrays says; where it says nothing, one replica of as many partitions as there are
    /// devices.
    pub fn of_global(module: &Module, devices: usize) -> Numbering {
        let replicas = Numbering::said(module.num_replicas, None).replicas;
        let replicas = if devices.is_multiple_of(replicas) { replicas } else { 1 };
        Numbering { replicas, partitions: (devices / replicas).max(1), is_stated: true }
    }

    /// As the module says, if that fits the devices; else every device is a partition.
    pub fn of(module: &Module, devices: usize) -> Numbering {
        let count = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
        let replicas = count(module.num_replicas).unwrap_or(1);
        let partitions = count(module.num_partitions).unwrap_or((devices / replicas).max(1));
        let is_stated = module.num_replicas.is_some() || module.num_partitions.is_some();
        if replicas.checked_mul(partitions) == Some(devices) {
            return Numbering { replicas, partitions, is_stated };
        }
        if replicas == devices {
            Numbering { replicas, partitions: 1, is_stated: false }
        } else {
            Numbering { replicas: 1, partitions: devices, is_stated: false }
        }
    }

    /// How many numbers a mode has.
    pub fn count(self, mode: Mode) -> usize {
        match mode {
            Mode::Replicas | Mode::ReplicasOfAllPartitions => self.replicas,
            Mode::Partitions => self.partitions,
            Mode::Devices => self.replicas.saturating_mul(self.partitions),
        }
    }

    /// How the numbers of these lists are to be taken.
    pub fn mode<'l>(self, mode: Mode, lists: impl IntoIterator<Item = &'l [u32]>) -> Mode {
        let is_line = self.replicas == 1 || self.partitions == 1;
        let beyond = |list: &[u32]| list.iter().any(|id| *id as usize >= self.count(mode));
        if is_line && lists.into_iter().any(beyond) { Mode::Devices } else { mode }
    }

    /// The lists of a collective as lists of devices, members in order of position.
    pub fn devices(self, mode: Mode, lists: &[Vec<u32>]) -> Vec<Vec<usize>> {
        if !lists.is_empty() {
            let mode = self.mode(mode, lists.iter().map(Vec::as_slice));
            return lists
                .iter()
                .flat_map(|list| self.spread(mode, list.iter().map(|id| *id as usize)))
                .collect();
        }
        if self.is_stated {
            self.spread(mode, 0..self.count(mode))
        } else {
            self.spread(Mode::Devices, 0..self.count(Mode::Devices))
        }
    }

    /// How many devices meet in the largest group.
    pub fn members(self, mode: Mode, groups: &Groups) -> i64 {
        let (mode, numbers) = match groups {
            Groups::All => (mode, self.count(mode) as i64),
            Groups::List(lists) => {
                let mode = self.mode(mode, lists.iter().map(Vec::as_slice));
                (mode, lists.iter().map(Vec::len).max().unwrap_or(1) as i64)
            }
            Groups::Iota { groups, size, .. } => {
                // The mode depends on the last number only.
                let last = groups.saturating_mul(*size).saturating_sub(1);
                (self.mode(mode, [&[u32::try_from(last).unwrap_or(u32::MAX)][..]]), *size)
            }
            Groups::Axes { axes, .. } => {
                (Mode::Devices, axes.iter().fold(1, |size: i64, axis| size.saturating_mul(axis.size)))
            }
        };
        let each = if mode == Mode::ReplicasOfAllPartitions { self.partitions } else { 1 };
        numbers.saturating_mul(each as i64)
    }

    /// One list of a mode's numbers as lists of devices.
    fn spread(self, mode: Mode, list: impl Iterator<Item = usize> + Clone) -> Vec<Vec<usize>> {
        let (all_replicas, all) = (0..self.replicas, 0..self.partitions);
        let partitions = self.partitions;
        let device = move |replica: usize, partition: usize| replica.saturating_mul(partitions) + partition;
        match mode {
            Mode::Devices => vec![list.collect()],
            Mode::Replicas => all.map(|p| list.clone().map(|r| device(r, p)).collect()).collect(),
            Mode::Partitions => all_replicas.map(|r| list.clone().map(|p| device(r, p)).collect()).collect(),
            Mode::ReplicasOfAllPartitions => {
                vec![list.flat_map(|r| all.clone().map(move |p| device(r, p))).collect()]
            }
        }
    }
}

impl Groups {
    /// The lists as written, none for `{}`. `None` if they number more than `most`, or axes take their place.
    pub fn lists(&self, most: usize) -> Option<Vec<Vec<u32>>> {
        match self {
            Groups::All => Some(Vec::new()),
            Groups::List(lists) => Some(lists.clone()),
            Groups::Iota { groups, size, reshape, transpose } => {
                iota((*groups, *size), reshape, transpose, most)
            }
            Groups::Axes { .. } => None,
        }
    }
}

/// `[groups, size]<=[reshape]T(transpose)`.
fn iota(
    (groups, size): (i64, i64),
    reshape: &[i64],
    transpose: &[usize],
    most: usize,
) -> Option<Vec<Vec<u32>>> {
    let dims: Vec<usize> = reshape.iter().map(|dim| usize::try_from(*dim).ok()).collect::<Option<_>>()?;
    let count = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(*dim))?;
    let (groups, size) = (usize::try_from(groups).ok()?, usize::try_from(size).ok().filter(|n| *n > 0)?);
    if count == 0 || count > most.min(u32::MAX as usize) || groups.checked_mul(size) != Some(count) {
        return None;
    }
    let order: Vec<usize> = if transpose.is_empty() { (0..dims.len()).collect() } else { transpose.to_vec() };
    let stride = |d: usize| dims.get(d + 1..).map(|minor| minor.iter().product::<usize>());
    let walk: Vec<(usize, usize)> =
        order.iter().map(|d| Some((*dims.get(*d)?, stride(*d)?))).collect::<Option<_>>()?;
    let id = |mut at: usize| {
        let digit = |(size, stride): &(usize, usize)| {
            let digit = at % size * stride;
            at /= size;
            digit
        };
        walk.iter().rev().map(digit).sum::<usize>() as u32
    };
    let ids: Vec<u32> = (0..count).map(id).collect();
    Some(ids.chunks(size).map(<[u32]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Mode; 4] = [Mode::Replicas, Mode::Partitions, Mode::ReplicasOfAllPartitions, Mode::Devices];

    fn said(replicas: usize, partitions: usize, lists: &[Vec<u32>]) -> [Vec<Vec<usize>>; 4] {
        let numbering = Numbering { replicas, partitions, is_stated: true };
        MODES.map(|mode| numbering.devices(mode, lists))
    }

    #[test]
    fn each_mode_numbers_the_devices_of_two_replicas_of_two_partitions() {
        let [replicas, partitions, both, devices] = said(2, 2, &[vec![1, 0]]);
        assert_eq!(replicas, [[2, 0], [3, 1]]);
        assert_eq!(partitions, [[1, 0], [3, 2]]);
        assert_eq!(both, [[2, 3, 0, 1]]);
        assert_eq!(devices, [[1, 0]]);
    }

    #[test]
    fn no_lists_are_everybody_of_the_mode() {
        let [replicas, partitions, both, devices] = said(2, 2, &[]);
        assert_eq!(replicas, [[0, 2], [1, 3]]);
        assert_eq!(partitions, [[0, 1], [2, 3]]);
        assert_eq!((both, devices), (vec![vec![0, 1, 2, 3]], vec![vec![0, 1, 2, 3]]));
        let [replicas, partitions, both, _] = said(1, 2, &[]);
        assert_eq!(replicas, [[0], [1]]);
        assert_eq!((partitions, both), (vec![vec![0, 1]], vec![vec![0, 1]]));
        let [replicas, partitions, both, _] = said(2, 1, &[]);
        assert_eq!(partitions, [[0], [1]]);
        assert_eq!((replicas, both), (vec![vec![0, 1]], vec![vec![0, 1]]));
    }

    #[test]
    fn on_one_replica_lists_beyond_it_name_devices() {
        let pairs = [vec![0, 1], vec![2, 3]];
        for groups in said(1, 4, &pairs) {
            assert_eq!(groups, [[0, 1], [2, 3]]);
        }
        let [replicas, partitions, both, devices] = said(1, 2, &[vec![0]]);
        assert_eq!((replicas, partitions), (vec![vec![0], vec![1]], vec![vec![0]]));
        assert_eq!((both, devices), (vec![vec![0, 1]], vec![vec![0]]));
    }

    #[test]
    fn where_nothing_is_said_no_lists_are_all_devices() {
        let module = Module::new("m");
        for mode in MODES {
            assert_eq!(Numbering::of(&module, 2).devices(mode, &[]), [[0, 1]]);
        }
        assert_eq!(Numbering::of_global(&module, 2).devices(Mode::Replicas, &[]), [[0], [1]]);
    }

    #[test]
    fn an_iota_with_a_transpose_is_written_out() {
        assert_eq!(iota((2, 2), &[2, 2], &[1, 0], 4).unwrap(), [[0, 2], [1, 3]]);
        assert_eq!(iota((4, 2), &[4, 2], &[], 8).unwrap()[3], [6, 7]);
        assert!(iota((2, 2), &[2, 3], &[], 8).is_none());
        assert!(iota((2, 2), &[2, 2], &[], 3).is_none());
    }
}
