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
pub mod facts;
pub mod foreign;
pub mod gather;
pub mod lapack;
pub mod linalg;
pub mod movement;
pub mod numbering;
pub mod random;
pub mod reduce;
mod reshape;
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
pub use elementwise::{BinaryOp, Compare, CompareKind, Direction, Effort, UnaryOp};
pub use facts::{Facts, Reference, Structure};
pub use foreign::{Composite, CustomCall, Foreign};
pub use gather::{Gather, Scatter};
pub use linalg::{Linalg, TransposeKind};
pub use movement::{Broadcast, Concatenate, Movement, Pad, Reshape, Reverse, Slice, Transpose};
pub use numbering::{Mode, Numbering};
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

use crate::expect::ensure;
use crate::infer::{InferCx, InferError, Inferred, Operands};
use crate::rule::{ALL_REDUCERS, Linear, Rule, RuleCx};
use crate::types::{DType, Type};

impl Op {
    /// Result types, or why the operands do not fit.
    pub fn infer(&self, operands: Operands<'_>, cx: &InferCx<'_>) -> Result<Vec<Type>, InferError> {
        let regions = operands.regions.len();
        ensure!(
            regions == 0 || self.facts().has_regions,
            "{} has no regions, found {regions}",
            self.mnemonic()
        );
        operands.expect_countable()?;
        match self {
            Op::Constant(op) => op.infer(operands),
            Op::Iota(op) => op.infer(operands),
            Op::Unary(op) => op.infer(operands),
            Op::Binary(op) => op.infer(operands),
            Op::Compare(op) => op.infer(operands),
            Op::Select => elementwise::infer_select(operands),
            Op::Clamp => elementwise::infer_clamp(operands),
            Op::Convert(op) => op.infer(operands),
            Op::Movement(op) => op.infer(operands),
            Op::Dynamic(op) => op.infer(operands),
            Op::Gather(op) => op.infer(operands),
            Op::Scatter(op) => op.infer(operands),
            Op::Dot(op) => op.infer(operands),
            Op::Convolution(op) => op.infer(operands),
            Op::Reduce(op) => op.infer(operands),
            Op::Map(op) => op.infer(operands),
            Op::ReduceWindow(op) => op.infer(operands),
            Op::SelectAndScatter(op) => op.infer(operands),
            Op::Sort(op) => op.infer(operands),
            Op::TopK(op) => op.infer(operands),
            Op::Random(op) => op.infer(operands),
            Op::Fft(op) => op.infer(operands),
            Op::Linalg(op) => op.infer(operands),
            Op::BatchNorm(op) => op.infer(operands),
            Op::Control(op) => op.infer(operands),
            Op::Scan(op) => op.infer(operands),
            Op::Call(op) => op.infer(operands, cx),
            Op::Collective(op) => op.infer(operands),
            Op::PartitionId | Op::ReplicaId => infer_device_number(operands),
            Op::Foreign(op) => op.infer(operands, cx),
            Op::OptimizationBarrier => Ok(operands.types.iter().map(|ty| (*ty).clone()).collect()),
            Op::Token(op) => op.infer(operands),
            Op::Sharding(op) => op.infer(operands, cx),
        }
    }

    /// How the dims relate. Control flow, scan, call and manual regions have no factors: their edges lead into regions.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        match self {
            Op::Constant(op) => op.rule(cx),
            Op::Iota(op) => op.rule(cx),
            Op::Unary(op) => op.rule(cx),
            Op::Binary(op) => op.rule(cx),
            Op::Compare(op) => op.rule(cx),
            Op::Select => elementwise::rule_select(cx),
            Op::Clamp => elementwise::rule_clamp(cx),
            Op::Convert(op) => op.rule(cx),
            Op::Movement(op) => op.rule(cx),
            Op::Dynamic(op) => op.rule(cx),
            Op::Gather(op) => op.rule(cx),
            Op::Scatter(op) => op.rule(cx),
            Op::Dot(op) => op.rule(cx),
            Op::Convolution(op) => op.rule(cx),
            Op::Reduce(op) => op.rule(cx),
            Op::Map(op) => op.rule(cx),
            Op::ReduceWindow(op) => op.rule(cx),
            Op::SelectAndScatter(op) => op.rule(cx),
            Op::Sort(op) => op.rule(cx),
            Op::TopK(op) => op.rule(cx),
            Op::Random(op) => op.rule(cx),
            Op::Fft(op) => op.rule(cx),
            Op::Linalg(op) => op.rule(cx),
            Op::BatchNorm(op) => op.rule(cx),
            Op::Control(op) => op.rule(cx),
            Op::Scan(op) => op.rule(cx),
            Op::Call(op) => op.rule(cx),
            Op::Collective(op) => op.rule(cx),
            Op::PartitionId | Op::ReplicaId => Rule::empty(cx),
            Op::Foreign(op) => op.rule(cx),
            Op::OptimizationBarrier => rule_barrier(cx),
            Op::Token(op) => op.rule(cx),
            Op::Sharding(op) => op.rule(cx),
        }
    }

    /// Name for messages, as StableHLO's without its prefix.
    pub fn mnemonic(&self) -> &'static str {
        match self {
            Op::Constant(op) => op.mnemonic(),
            Op::Iota(op) => op.mnemonic(),
            Op::Unary(op) => op.mnemonic(),
            Op::Binary(op) => op.mnemonic(),
            Op::Compare(op) => op.mnemonic(),
            Op::Select => "select",
            Op::Clamp => "clamp",
            Op::Convert(op) => op.mnemonic(),
            Op::Movement(op) => op.mnemonic(),
            Op::Dynamic(op) => op.mnemonic(),
            Op::Gather(op) => op.mnemonic(),
            Op::Scatter(op) => op.mnemonic(),
            Op::Dot(op) => op.mnemonic(),
            Op::Convolution(op) => op.mnemonic(),
            Op::Reduce(op) => op.mnemonic(),
            Op::Map(op) => op.mnemonic(),
            Op::ReduceWindow(op) => op.mnemonic(),
            Op::SelectAndScatter(op) => op.mnemonic(),
            Op::Sort(op) => op.mnemonic(),
            Op::TopK(op) => op.mnemonic(),
            Op::Random(op) => op.mnemonic(),
            Op::Fft(op) => op.mnemonic(),
            Op::Linalg(op) => op.mnemonic(),
            Op::BatchNorm(op) => op.mnemonic(),
            Op::Control(op) => op.mnemonic(),
            Op::Scan(op) => op.mnemonic(),
            Op::Call(op) => op.mnemonic(),
            Op::Collective(op) => op.mnemonic(),
            Op::PartitionId => "partition_id",
            Op::ReplicaId => "replica_id",
            Op::Foreign(op) => op.mnemonic(),
            Op::OptimizationBarrier => "optimization_barrier",
            Op::Token(op) => op.mnemonic(),
            Op::Sharding(op) => op.mnemonic(),
        }
    }
}

fn infer_device_number(operands: Operands<'_>) -> Inferred {
    operands.expect_count(0)?;
    Ok(vec![Type::tensor(DType::U32, [])])
}

/// Each operand passes to its result; a barrier keeps order, not values.
fn rule_barrier(cx: RuleCx<'_>) -> Rule {
    let tensors = (0..cx.operands.len()).filter(|index| cx.operands[*index].as_tensor().is_some());
    Rule::pairwise(cx).with_linear(Linear::jointly(ALL_REDUCERS, tensors))
}
