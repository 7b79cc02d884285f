//! Slices at computed places. Start indices are scalars and clamp so that the slice lies inside.

use crate::expect::{ensure, expect_per_dim};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{ALL_REDUCERS, FactorKind, Linear, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType};
use meshwright_shard::Reducer;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dynamic {
    /// `(operand, start..)`.
    Slice { sizes: Vec<i64> },
    /// `(operand, update, start..)`.
    UpdateSlice,
}

impl Dynamic {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self {
            Dynamic::Slice { sizes } => infer_slice(operands, sizes),
            Dynamic::UpdateSlice => infer_update(operands),
        }
    }

    /// A dim that is taken or replaced whole passes through: its start can only be 0.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        match self {
            Dynamic::Slice { .. } => rule_slice(cx),
            Dynamic::UpdateSlice => rule_update(cx),
        }
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Dynamic::Slice { .. } => "dynamic_slice",
            Dynamic::UpdateSlice => "dynamic_update_slice",
        }
    }
}

/// One integer scalar per dim, all of one type.
fn expect_starts(operands: Operands<'_>, first: usize, rank: usize) -> Result<(), InferError> {
    let count = operands.types.len().saturating_sub(first);
    ensure!(count == rank, "expected {rank} start indices, one per dim, found {count}");
    for index in first..first + rank {
        let start = operands.tensor(index)?;
        ensure!(
            start.dims.is_empty() && start.dtype.is_integer(),
            "start index {} is {start}, but must be an integer scalar",
            index - first
        );
    }
    Ok(())
}

/// A part of each dim must fit into it.
fn expect_inside(what: &str, part: &[i64], whole: &TensorType) -> Result<(), InferError> {
    for (dim, (part, size)) in part.iter().zip(&whole.dims).enumerate() {
        ensure!(
            (0..=*size).contains(part),
            "{what} has {part} elements in dim {dim}, but the operand {whole} has {size}"
        );
    }
    Ok(())
}

fn infer_slice(operands: Operands<'_>, sizes: &[i64]) -> Inferred {
    let operand = operands.tensor(0)?;
    expect_per_dim("the slice sizes", sizes.len(), operand.rank())?;
    expect_starts(operands, 1, operand.rank())?;
    expect_inside("the slice", sizes, operand)?;
    Ok(vec![operand.with_dims(sizes).into()])
}

fn infer_update(operands: Operands<'_>) -> Inferred {
    let (operand, update) = (operands.tensor(0)?, operands.tensor(1)?);
    expect_starts(operands, 2, operand.rank())?;
    expect_per_dim("the update", update.rank(), operand.rank())?;
    ensure!(update.dtype == operand.dtype, "the update is {update}, but the operand is {operand}");
    expect_inside("the update", &update.dims, operand)?;
    Ok(vec![operand.clone().into()])
}

/// Along a dim that is taken in part each piece has what of the slice lies in it, and zeros: a partial sum.
fn rule_slice(cx: RuleCx<'_>) -> Rule {
    let mut rule = Rule::empty(cx);
    let reducer = match cx.operands[0].as_tensor().map(|ty| ty.dtype) {
        Some(DType::Pred) => Reducer::Or,
        _ => Reducer::Sum,
    };
    for dim in 0..cx.results[0].rank() {
        let size = cx.size(OperandIdx(0).dim(dim));
        if size == cx.size(ResultIdx(0).dim(dim)) {
            rule.pass(size, OperandIdx(0).dim(dim), ResultIdx(0).dim(dim));
        } else {
            let factor = rule.factor_by_family(size, FactorKind::Reduce(reducer));
            rule.place(factor, [OperandIdx(0).dim(dim)]);
        }
    }
    rule.fill_whole(cx);
    rule.with_linear(Linear::singly(ALL_REDUCERS, [0]))
}

/// Along a dim that is updated in part each piece takes what falls into it, so it needs all of the update.
fn rule_update(cx: RuleCx<'_>) -> Rule {
    let mut rule = Rule::empty(cx);
    for dim in 0..cx.results[0].rank() {
        let (size, update) = (cx.size(OperandIdx(0).dim(dim)), cx.size(OperandIdx(1).dim(dim)));
        let kind = if size == update { FactorKind::Pass } else { FactorKind::Permute };
        let factor = rule.factor(size, kind);
        rule.place(factor, [OperandIdx(0).dim(dim), ResultIdx(0).dim(dim)]);
        if size == update {
            rule.place(factor, [OperandIdx(1).dim(dim)]);
        }
    }
    rule.fill_whole(cx);
    rule.with_linear(Linear::jointly(ALL_REDUCERS, [0, 1]))
}
