//! Collectives between devices, on local values.

use crate::types::DType;
use meshwright_shard::{AxisRef, MeshId};

/// Which devices take part together.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Groups {
    /// One group of all devices (an empty list in the text).
    All,
    /// Explicit lists, as foreign modules have them; may be of unequal size. Padding (-1) is dropped.
    List(Vec<Vec<u32>>),
    /// `[groups, size]<=[reshape]T(transpose)`.
    Iota { groups: i64, size: i64, reshape: Vec<i64>, transpose: Vec<usize> },
    /// Devices that differ only along `axes`, position major first.
    Axes { mesh: MeshId, axes: Vec<AxisRef> },
}

/// How devices are numbered in groups: HLO's channel and flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Channel {
    pub id: Option<i64>,
    /// 1 in StableHLO: device to device.
    pub kind: i64,
    pub use_global_device_ids: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CollectiveKind {
    /// Region: the reducer. Variadic.
    AllReduce,
    /// Variadic; `dim` of the result has group-size times the elements.
    AllGather { dim: usize },
    /// Region: the reducer. `dim` of the result has the elements divided by the group size.
    ReduceScatter { dim: usize },
    AllToAll { split_dim: usize, concat_dim: usize, split_count: i64 },
    /// HLO's tuple form: as many operands as group members; result `i` comes from member `i`.
    AllToAllTuple,
    /// `(source, target)` pairs; a device that is nobody's target gets zeros.
    Permute { pairs: Vec<(u32, u32)> },
    /// From the first device of each group.
    Broadcast,
}

/// A collective over groups of devices.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Collective {
    pub kind: CollectiveKind,
    /// Not used by `Permute`.
    pub groups: Groups,
    /// Number of devices in each group; every group has as many (1 for `Permute`).
    pub group_size: i64,
    pub channel: Channel,
    /// In which type a sum over a narrow float travels, if not its own.
    pub wide: Option<DType>,
}
