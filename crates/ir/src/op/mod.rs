//! The ops. Each family is one file: attributes, `infer` (result types) and `rule` (how its dims relate).
//!
//! Semantics are those of the StableHLO specification. What an op means is said here once; the verifier re-infers and
//! compares, and everything that is derived (completion, planning, generic localization, cost) reads the rule.

pub mod batch_norm;
pub mod collective;
pub mod contract;
pub mod control;
pub mod convert;
pub mod convolution;
pub mod data;
pub mod dynamic;
pub mod elementwise;
pub mod foreign;
pub mod gather;
pub mod linalg;
pub mod movement;
pub mod random;
pub mod reduce;
pub mod sharding;
pub mod sort;
pub mod token;
pub mod window;

pub use batch_norm::{BatchNorm, BatchNormKind};
pub use collective::{Collective, CollectiveKind, Groups};
pub use contract::{Dot, Precision};
pub use control::{Call, Control, Scan};
pub use convert::Convert;
pub use convolution::{Convolution, ConvolutionDims};
pub use data::{Constant, Iota};
pub use dynamic::Dynamic;
pub use elementwise::{BinaryOp, Compare, CompareKind, Direction, UnaryOp};
pub use foreign::{Composite, CustomCall, Foreign};
pub use gather::{Gather, Scatter};
pub use linalg::{Linalg, TransposeKind};
pub use movement::{Broadcast, Concatenate, Movement, Pad, Reshape, Reverse, Slice, Transpose};
pub use random::{Distribution, Random, RngAlgorithm};
pub use reduce::{Map, Reduce};
pub use sharding::{BarrierDirection, ManualComputation, ReshardOp, ShardingOp};
pub use sort::{Sort, TopK};
pub use token::{TokenOp, TransferAttrs};
pub use window::{ReduceWindow, SelectAndScatter, WindowDim};

/// One instruction's operation with its attributes. Operands, results and regions are the instruction's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Constant(Constant),
    Iota(Iota),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Compare(Compare),
    /// `(pred, on_true, on_false)`; `pred` may be a scalar.
    Select,
    /// `(min, operand, max)`; bounds may be scalars.
    Clamp,
    Convert(Convert),
    Movement(Movement),
    Dynamic(Dynamic),
    Gather(Gather),
    /// Regions: the update computation.
    Scatter(Scatter),
    Dot(Dot),
    Convolution(Convolution),
    /// Operands: n inputs, then n initial values. Regions: the reducer.
    Reduce(Reduce),
    /// Regions: the computation on scalars.
    Map(Map),
    /// Operands: n inputs, then n initial values. Regions: the reducer.
    ReduceWindow(ReduceWindow),
    /// `(operand, source, init)`. Regions: select, scatter.
    SelectAndScatter(SelectAndScatter),
    /// Regions: the comparator on 2n scalars.
    Sort(Sort),
    TopK(TopK),
    Random(Random),
    Fft(linalg::Fft),
    Linalg(Linalg),
    BatchNorm(BatchNorm),
    /// While, if, case, fusion: see [`Control`] for operands and regions.
    Control(Control),
    Scan(Scan),
    Call(Call),
    Collective(Collective),
    PartitionId,
    ReplicaId,
    Foreign(Foreign),
    OptimizationBarrier,
    Token(TokenOp),
    Sharding(ShardingOp),
}

use crate::infer::{InferCx, InferError, Operands};
use crate::types::Type;

impl Op {
    /// Result types, or why the operands do not fit.
    pub fn infer(&self, operands: Operands<'_>, cx: &InferCx<'_>) -> Result<Vec<Type>, InferError> {
        let _ = (operands, cx);
        Err(InferError::new("inference is being written"))
    }
}

use crate::rule::{Rule, RuleCx};

impl Op {
    /// How the dims relate. Control flow, scan, call and manual regions have no factors: their edges lead into regions.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        Rule::of_ranks(cx.operands.iter().map(|ty| ty.rank()), cx.results.iter().map(|ty| ty.rank()))
    }
}
