//! Ops about sharding: annotations, manual regions, reshards. On one device each is the identity.
//!
//! The sharding an annotation asks for is its result's [`Annotation`](crate::Annotation).

use meshwright_shard::{AxisRef, MeshId, Reducer, Sharding};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ShardingOp {
    /// "This value is split so": the identity. `unspecified` dims may still be refined.
    Constraint { unspecified: Vec<usize> },
    /// From here on the value is local over the manual axes of the result's annotation; `shape` is the local one.
    FullToShard { unspecified: Vec<usize>, shape: Vec<i64> },
    /// The inverse; `shape` is the global one.
    ShardToFull { unspecified: Vec<usize>, shape: Vec<i64> },
    /// Region: the manual body; see [`ManualComputation`].
    Manual(ManualComputation),
    /// Members of one group get one sharding. No result.
    Group { id: i64 },
    /// Stops completion in one or both directions: the identity.
    Barrier { allowed: BarrierDirection },
    /// Region: a body with shardings at its edges, otherwise inline code.
    Named { name: String, in_shardings: Vec<Sharding>, out_shardings: Vec<Sharding> },
    Reshard(ReshardOp),
}

/// In which direction a barrier lets shardings through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierDirection {
    None,
    Forward,
    Backward,
}

/// `sdy.manual_computation`: inside, values are local over `axes`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ManualComputation {
    pub mesh: MeshId,
    pub axes: Vec<AxisRef>,
    pub in_shardings: Vec<Sharding>,
    pub out_shardings: Vec<Sharding>,
}

/// A move of one value from its operand's sharding to its result's, on global shapes.
///
/// `Any` is a wish; the reshard pass replaces it by the others, each of which is one collective (or none).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ReshardOp {
    Any,
    /// Remove the given minor-most axes of each dim.
    AllGather { axes: Vec<Vec<AxisRef>> },
    /// Append the given axes to each dim; no communication.
    AllSlice { axes: Vec<Vec<AxisRef>> },
    /// Move minor-most axes from one dim to the end of another.
    AllToAll { moves: Vec<AxisMove> },
    /// Same shard shapes, other places.
    Permute,
    /// Finish the partial value over these axes.
    AllReduce { axes: Vec<AxisRef>, reducer: Reducer },
    /// Finish the partial value over these axes and append them to the dims.
    ReduceScatter { axes: Vec<Vec<AxisRef>>, reducer: Reducer },
    /// A replicated value becomes one part of a partial one: kept on the first device, identity elsewhere.
    ToPartial { axes: Vec<AxisRef>, reducer: Reducer },
}

/// Part of an all-to-all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AxisMove {
    pub axes: Vec<AxisRef>,
    pub from: usize,
    pub to: usize,
}
