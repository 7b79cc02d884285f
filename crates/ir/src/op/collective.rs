//! Collectives between devices, on local values.

use super::reduce::expect_reducer;
use crate::expect::{ensure, expect_same_types, expect_size};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType, Type};
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

impl Groups {
    /// The mesh they are over, if the text says one.
    pub fn mesh(&self) -> Option<MeshId> {
        match self {
            Groups::Axes { mesh, .. } => Some(*mesh),
            Groups::All | Groups::List(_) | Groups::Iota { .. } => None,
        }
    }

    pub fn mesh_mut(&mut self) -> Option<&mut MeshId> {
        match self {
            Groups::Axes { mesh, .. } => Some(mesh),
            Groups::All | Groups::List(_) | Groups::Iota { .. } => None,
        }
    }
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
    AllGather {
        dim: usize,
    },
    /// Region: the reducer. `dim` of the result has the elements divided by the group size.
    ReduceScatter {
        dim: usize,
    },
    AllToAll {
        split_dim: usize,
        concat_dim: usize,
        split_count: i64,
    },
    /// HLO's tuple form: as many operands as group members; result `i` comes from member `i`.
    AllToAllTuple,
    /// `(source, target)` pairs; a device that is nobody's target gets zeros.
    Permute {
        pairs: Vec<(u32, u32)>,
    },
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

impl Collective {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let tensors = operands.all_tensors()?;
        ensure!(self.group_size >= 1, "a group of {} devices cannot take part", self.group_size);
        match &self.kind {
            CollectiveKind::AllReduce => self.infer_all_reduce(operands, &tensors),
            CollectiveKind::AllGather { dim } => each(&tensors, |ty| self.gathered(ty, *dim)),
            CollectiveKind::ReduceScatter { dim } => self.infer_reduce_scatter(operands, &tensors, *dim),
            CollectiveKind::AllToAll { split_dim, concat_dim, split_count } => {
                each(&tensors, |ty| self.exchanged(ty, *split_dim, *concat_dim, *split_count))
            }
            CollectiveKind::AllToAllTuple => self.infer_all_to_all_tuple(&tensors),
            CollectiveKind::Permute { .. } | CollectiveKind::Broadcast => each(&tensors, |ty| Ok(ty.clone())),
        }
    }

    fn infer_all_reduce(&self, operands: Operands<'_>, tensors: &[&TensorType]) -> Inferred {
        let dtypes = reduced_dtypes(operands, tensors)?;
        Ok(tensors.iter().zip(dtypes).map(|(ty, dtype)| ty.with_dtype(dtype).into()).collect())
    }

    fn infer_reduce_scatter(&self, operands: Operands<'_>, tensors: &[&TensorType], dim: usize) -> Inferred {
        let dtypes = reduced_dtypes(operands, tensors)?;
        let each = tensors.iter().zip(dtypes).map(|(ty, dtype)| {
            let dims = divided(ty, dim, self.group_size)?;
            Ok(TensorType::new(dtype, dims).into())
        });
        each.collect()
    }

    fn infer_all_to_all_tuple(&self, tensors: &[&TensorType]) -> Inferred {
        let count = tensors.len();
        ensure!(
            i64::try_from(count) == Ok(self.group_size),
            "all_to_all has {count} operands, but {} devices in a group",
            self.group_size
        );
        expect_same_types(tensors)?;
        each(tensors, |ty| Ok(ty.clone()))
    }

    fn gathered(&self, ty: &TensorType, dim: usize) -> Result<TensorType, InferError> {
        ensure!(dim < ty.rank(), "dim {dim} is out of range, the operand is {ty}");
        let mut dims = ty.dims.clone();
        dims[dim] = expect_size("the gathered dim", i128::from(dims[dim]) * i128::from(self.group_size))?;
        Ok(ty.with_dims(dims))
    }

    fn exchanged(
        &self,
        ty: &TensorType,
        split: usize,
        concat: usize,
        count: i64,
    ) -> Result<TensorType, InferError> {
        let group = self.group_size;
        ensure!(count == group, "all_to_all splits into {count} pieces, but a group has {group} devices");
        let split = ty.with_dims(divided(ty, split, count)?);
        self.gathered(&split, concat)
    }

    /// Whether a region says how values combine.
    pub fn has_reducer(&self) -> bool {
        matches!(self.kind, CollectiveKind::AllReduce | CollectiveKind::ReduceScatter { .. })
    }

    /// Dims of which elements move between devices.
    pub fn touched_dims(&self) -> Vec<usize> {
        match &self.kind {
            CollectiveKind::AllGather { dim } | CollectiveKind::ReduceScatter { dim } => vec![*dim],
            CollectiveKind::AllToAll { split_dim, concat_dim, .. } => vec![*split_dim, *concat_dim],
            CollectiveKind::AllReduce | CollectiveKind::Permute { .. } => Vec::new(),
            CollectiveKind::AllToAllTuple | CollectiveKind::Broadcast => Vec::new(),
        }
    }

    /// Dims the collective leaves alone pass through.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let touched = self.touched_dims();
        let mut rule = Rule::empty(cx);
        for index in 0..cx.operands.len() {
            for dim in (0..cx.operands[index].rank()).filter(|dim| !touched.contains(dim)) {
                rule.pass(
                    cx.size(OperandIdx(index).dim(dim)),
                    OperandIdx(index).dim(dim),
                    ResultIdx(index).dim(dim),
                );
            }
        }
        rule.fill_whole(cx);
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        match &self.kind {
            CollectiveKind::AllReduce => "all_reduce",
            CollectiveKind::AllGather { .. } => "all_gather",
            CollectiveKind::ReduceScatter { .. } => "reduce_scatter",
            CollectiveKind::AllToAll { .. } | CollectiveKind::AllToAllTuple => "all_to_all",
            CollectiveKind::Permute { .. } => "collective_permute",
            CollectiveKind::Broadcast => "collective_broadcast",
        }
    }
}

fn each(tensors: &[&TensorType], result: impl Fn(&TensorType) -> Result<TensorType, InferError>) -> Inferred {
    ensure!(!tensors.is_empty(), "a collective needs at least one operand");
    tensors.iter().map(|ty| result(ty).map(Type::from)).collect()
}

/// The region reduces scalars of one type; every operand must widen to it.
fn reduced_dtypes(operands: Operands<'_>, tensors: &[&TensorType]) -> Result<Vec<DType>, InferError> {
    let [region] = operands.expect_regions()?;
    ensure!(!tensors.is_empty(), "a collective needs at least one operand");
    let reduce = |tensor: &&TensorType| expect_reducer("the reducer", region, &[tensor], &[]);
    tensors.iter().map(|tensor| reduce(tensor).map(|dtypes| dtypes[0])).collect()
}

/// Dims with one of them divided into `count` pieces.
fn divided(ty: &TensorType, dim: usize, count: i64) -> Result<Vec<i64>, InferError> {
    ensure!(dim < ty.rank(), "dim {dim} is out of range, the operand is {ty}");
    let size = ty.dims[dim];
    ensure!(size % count == 0, "dim {dim} of {ty} has {size} elements, not divisible by {count}");
    let mut dims = ty.dims.clone();
    dims[dim] = size / count;
    Ok(dims)
}
