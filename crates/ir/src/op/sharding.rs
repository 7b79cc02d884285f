//! Ops about sharding: annotations, manual regions, reshards. On one device each is the identity.
//!
//! The sharding an annotation asks for is its result's [`Annotation`](crate::Annotation).

use crate::expect::{ensure, expect_dims, expect_per_dim, expect_size, expect_sizes, expect_types};
use crate::infer::{InferCx, InferError, Inferred, Operands};
use crate::rule::{FactorKind, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::Type;
use meshwright_shard::{AxisRef, DimSharding, MeshId, Reducer, Sharding};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ShardingOp {
    /// "This value is split so": the identity. `unspecified` dims may still be refined.
    Constraint {
        unspecified: Vec<usize>,
    },
    /// From here on the value is local over the manual axes of the result's annotation; `shape` is the local one.
    FullToShard {
        unspecified: Vec<usize>,
        shape: Vec<i64>,
    },
    /// The inverse; `shape` is the global one.
    ShardToFull {
        unspecified: Vec<usize>,
        shape: Vec<i64>,
    },
    /// Region: the manual body; see [`ManualComputation`].
    Manual(ManualComputation),
    /// Members of one group get one sharding. No result.
    Group {
        id: i64,
    },
    /// Stops completion in one or both directions: the identity.
    Barrier {
        allowed: BarrierDirection,
    },
    /// Region: a body with shardings at its edges, otherwise inline code.
    Named {
        name: String,
        in_shardings: Vec<Sharding>,
        out_shardings: Vec<Sharding>,
    },
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
    AllGather {
        axes: Vec<Vec<AxisRef>>,
    },
    /// Append the given axes to each dim; no communication.
    AllSlice {
        axes: Vec<Vec<AxisRef>>,
    },
    /// Move minor-most axes from one dim to the end of another.
    AllToAll {
        moves: Vec<AxisMove>,
    },
    /// Same shard shapes, other places.
    Permute,
    /// Finish the partial value over these axes.
    AllReduce {
        axes: Vec<AxisRef>,
        reducer: Reducer,
    },
    /// Finish the partial value over these axes and append them to the dims.
    ReduceScatter {
        axes: Vec<Vec<AxisRef>>,
        reducer: Reducer,
    },
    /// A replicated value becomes one part of a partial one: kept on the first device, identity elsewhere.
    ToPartial {
        axes: Vec<AxisRef>,
        reducer: Reducer,
    },
}

/// Part of an all-to-all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AxisMove {
    pub axes: Vec<AxisRef>,
    pub from: usize,
    pub to: usize,
}

impl ShardingOp {
    pub fn infer(&self, operands: Operands<'_>, cx: &InferCx<'_>) -> Inferred {
        match self {
            ShardingOp::Constraint { unspecified } => infer_constraint(operands, unspecified),
            ShardingOp::Barrier { .. } => infer_identity(operands),
            ShardingOp::FullToShard { shape, unspecified }
            | ShardingOp::ShardToFull { shape, unspecified } => {
                infer_constraint(operands, unspecified)?;
                infer_boundary(operands, shape)
            }
            ShardingOp::Manual(manual) => manual.infer(operands, cx),
            ShardingOp::Group { .. } => operands.tensors::<1>().map(|_| Vec::new()),
            ShardingOp::Named { .. } => infer_named(operands),
            ShardingOp::Reshard(op) => op.infer(operands),
        }
    }

    /// The identities pass everything. Regions have no factors: their edges lead inside. At a manual boundary dims that
    /// keep their size pass; how the others are split is said by the annotations.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        match self {
            ShardingOp::Constraint { .. } | ShardingOp::Barrier { .. } => Rule::elementwise(cx),
            ShardingOp::FullToShard { .. } | ShardingOp::ShardToFull { .. } => rule_boundary(cx),
            ShardingOp::Manual(_) | ShardingOp::Named { .. } => Rule::empty(cx),
            ShardingOp::Group { .. } | ShardingOp::Reshard(_) => Rule::elementwise(cx),
        }
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            ShardingOp::Constraint { .. } => "sharding_constraint",
            ShardingOp::FullToShard { .. } => "full_to_shard",
            ShardingOp::ShardToFull { .. } => "shard_to_full",
            ShardingOp::Manual(_) => "manual_computation",
            ShardingOp::Group { .. } => "sharding_group",
            ShardingOp::Barrier { .. } => "propagation_barrier",
            ShardingOp::Named { .. } => "named_computation",
            ShardingOp::Reshard(op) => op.mnemonic(),
        }
    }
}

impl ReshardOp {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        let rank = operand.rank();
        match self {
            ReshardOp::AllGather { axes }
            | ReshardOp::AllSlice { axes }
            | ReshardOp::ReduceScatter { axes, .. } => expect_per_dim("the list of axes", axes.len(), rank)?,
            ReshardOp::AllToAll { moves } => {
                for AxisMove { from, to, .. } in moves {
                    ensure!(
                        *from < rank && *to < rank,
                        "a move from dim {from} to dim {to}, but the rank is {rank}"
                    );
                }
            }
            ReshardOp::Any
            | ReshardOp::Permute
            | ReshardOp::AllReduce { .. }
            | ReshardOp::ToPartial { .. } => {}
        }
        infer_identity(operands)
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            ReshardOp::Any => "reshard",
            ReshardOp::AllGather { .. } => "sdy.all_gather",
            ReshardOp::AllSlice { .. } => "sdy.all_slice",
            ReshardOp::AllToAll { .. } => "sdy.all_to_all",
            ReshardOp::Permute => "sdy.collective_permute",
            ReshardOp::AllReduce { .. } => "sdy.all_reduce",
            ReshardOp::ReduceScatter { .. } => "sdy.reduce_scatter",
            ReshardOp::ToPartial { .. } => "sdy.replicated_to_unreduced",
        }
    }
}

fn infer_identity(operands: Operands<'_>) -> Inferred {
    let [operand] = operands.tensors()?;
    Ok(vec![operand.clone().into()])
}

fn infer_constraint(operands: Operands<'_>, unspecified: &[usize]) -> Inferred {
    let [operand] = operands.tensors()?;
    expect_dims("unspecified dims", unspecified.iter().copied(), operand.rank())?;
    infer_identity(operands)
}

/// Each dim grows or shrinks by whole tiles.
fn infer_boundary(operands: Operands<'_>, shape: &[i64]) -> Inferred {
    let [operand] = operands.tensors()?;
    expect_sizes("the result", shape)?;
    ensure!(
        shape.len() == operand.rank(),
        "the result has {} dims, but the operand is {operand}",
        shape.len()
    );
    Ok(vec![operand.with_dims(shape).into()])
}

fn rule_boundary(cx: RuleCx<'_>) -> Rule {
    let mut rule = Rule::empty(cx);
    for dim in 0..cx.operands[0].rank() {
        if cx.size(OperandIdx(0).dim(dim)) == cx.size(ResultIdx(0).dim(dim)) {
            let factor = rule.factor(cx.size(OperandIdx(0).dim(dim)), FactorKind::Pass);
            rule.place(factor, [OperandIdx(0).dim(dim), ResultIdx(0).dim(dim)]);
        }
    }
    rule
}

fn infer_named(operands: Operands<'_>) -> Inferred {
    let [(params, results)] = operands.expect_regions()?;
    expect_types("parameters of the body", params, "the list of operands", operands.types)?;
    Ok(results.iter().map(|ty| (*ty).clone()).collect())
}

impl ManualComputation {
    fn infer(&self, operands: Operands<'_>, cx: &InferCx<'_>) -> Inferred {
        let [(params, results)] = operands.expect_regions()?;
        ensure!(cx.meshes.get(self.mesh).is_some(), "the mesh of the manual computation does not exist");
        let (ins, outs) = (self.in_shardings.len(), self.out_shardings.len());
        ensure!(ins == operands.types.len(), "{ins} in_shardings for {} operands", operands.types.len());
        ensure!(outs == results.len(), "{outs} out_shardings for {} results of the body", results.len());
        let local = |(ty, sharding): (&&Type, &Sharding)| self.local(ty, sharding);
        let wanted: Vec<Type> =
            operands.types.iter().zip(&self.in_shardings).map(local).collect::<Result<_, _>>()?;
        let wanted: Vec<&Type> = wanted.iter().collect();
        expect_types("parameters of the body", params, "the list of local operands", &wanted)?;
        results.iter().zip(&self.out_shardings).map(|(ty, sharding)| self.global(ty, sharding)).collect()
    }

    /// Type of one device's piece over the manual axes.
    fn local(&self, ty: &Type, sharding: &Sharding) -> Result<Type, InferError> {
        self.scaled(ty, sharding, |dim, size, tiles| {
            ensure!(size % tiles == 0, "dim {dim} of {ty} is not divisible by its {tiles} manual tiles");
            Ok(size / tiles)
        })
    }

    /// Type of the whole, from one device's piece over the manual axes.
    fn global(&self, ty: &Type, sharding: &Sharding) -> Result<Type, InferError> {
        self.scaled(ty, sharding, |dim, size, tiles| {
            expect_size(&format!("dim {dim} of the whole of {ty}"), i128::from(size) * i128::from(tiles))
        })
    }

    fn scaled(
        &self,
        ty: &Type,
        sharding: &Sharding,
        scale: impl Fn(usize, i64, i64) -> Result<i64, InferError>,
    ) -> Result<Type, InferError> {
        let Some(tensor) = ty.as_tensor() else { return Ok(Type::Token) };
        let one_mesh = sharding.mesh == self.mesh || sharding.is_replicated();
        ensure!(one_mesh, "an edge is split over another mesh than the manual computation's");
        ensure!(sharding.rank() == tensor.rank(), "a sharding of rank {} on {tensor}", sharding.rank());
        let sizes = tensor.dims.iter().zip(&sharding.dims).enumerate();
        let dims: Result<Vec<i64>, InferError> =
            sizes.map(|(dim, (size, split))| scale(dim, *size, self.manual_tiles(split).max(1))).collect();
        Ok(tensor.with_dims(dims?).into())
    }

    /// Tiles of a dim over the manual axes.
    fn manual_tiles(&self, split: &DimSharding) -> i64 {
        let manual = split.axes.iter().filter(|axis| self.axes.iter().any(|manual| manual.contains(**axis)));
        manual.fold(1i64, |tiles, axis| tiles.saturating_mul(axis.size))
    }
}
