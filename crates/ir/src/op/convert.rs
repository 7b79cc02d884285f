//! Change of element type: by value, by bits, by precision.

use crate::expect::{ensure, expect_sizes};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{Linear, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, TensorType};
use meshwright_shard::Reducer;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Convert {
    /// By value.
    To(DType),
    /// By bits; the whole type, as a minor dim may appear or vanish.
    Bitcast(TensorType),
    /// Round to fewer exponent and mantissa bits, same type.
    ReducePrecision { exponent_bits: u32, mantissa_bits: u32 },
}

impl Convert {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        match self {
            Convert::To(dtype) => Ok(vec![operand.with_dtype(*dtype).into()]),
            Convert::Bitcast(ty) => infer_bitcast(operand, ty),
            Convert::ReducePrecision { exponent_bits, .. } => infer_reduce_precision(operand, *exponent_bits),
        }
    }

    /// Widening a float keeps sums; narrowing rounds, and integers wrap at another place.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        match self {
            Convert::To(to) => Rule::elementwise(cx).with_linear(linear_to(cx, *to)),
            Convert::ReducePrecision { .. } => Rule::elementwise(cx),
            Convert::Bitcast(_) => rule_bitcast(cx),
        }
    }

    /// Whether numbers of a type stay what they are: reduced to the type's own precision, or to more.
    pub fn keeps_precision_of(&self, dtype: DType) -> bool {
        let Convert::ReducePrecision { exponent_bits, mantissa_bits } = self else { return false };
        let own = dtype.precision();
        own.is_some_and(|(exponent, mantissa)| *exponent_bits >= exponent && *mantissa_bits >= mantissa)
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Convert::To(_) => "convert",
            Convert::Bitcast(_) => "bitcast_convert",
            Convert::ReducePrecision { .. } => "reduce_precision",
        }
    }
}

fn linear_to(cx: RuleCx<'_>, to: DType) -> Linear {
    let from = cx.operands[0].as_tensor().map(|ty| ty.dtype);
    let widens = |from: DType| from == to || (from.class() == to.class() && from.bits() < to.bits());
    match from {
        Some(from) if widens(from) && !from.is_integer() => Linear::jointly([Reducer::Sum], [0]),
        _ => Linear::default(),
    }
}

fn infer_reduce_precision(operand: &TensorType, exponent_bits: u32) -> Inferred {
    ensure!(operand.dtype.is_float(), "reduce_precision takes floats, not {}", operand.dtype);
    ensure!(exponent_bits >= 1, "reduce_precision needs at least 1 exponent bit");
    Ok(vec![operand.clone().into()])
}

/// Types of equal width keep the dims; otherwise the wider type's minor dim appears or vanishes.
fn infer_bitcast(operand: &TensorType, ty: &TensorType) -> Inferred {
    expect_sizes("the result", &ty.dims)?;
    let (from, to) = (operand.dtype.bits(), ty.dtype.bits());
    let expected = match from.cmp(&to) {
        std::cmp::Ordering::Equal => operand.dims.clone(),
        std::cmp::Ordering::Greater => split_minor(operand, i64::from(from / to.max(1))),
        std::cmp::Ordering::Less => merge_minor(operand, i64::from(to / from.max(1)))?,
    };
    let same_bytes = operand.dims == ty.dims || operand.byte_size() == ty.byte_size();
    ensure!(
        expected == ty.dims && same_bytes,
        "{operand} cannot be read as {ty}: {from}-bit elements become {to}-bit ones, so the dims would be {expected:?}"
    );
    Ok(vec![ty.clone().into()])
}

fn split_minor(operand: &TensorType, ratio: i64) -> Vec<i64> {
    operand.dims.iter().copied().chain([ratio]).collect()
}

fn merge_minor(operand: &TensorType, ratio: i64) -> Result<Vec<i64>, InferError> {
    let minor = operand.dims.last().copied();
    ensure!(minor == Some(ratio), "the last dim of {operand} must have {ratio} elements to be merged");
    Ok(operand.dims[..operand.rank() - 1].to_vec())
}

/// The dim that appears or vanishes is inside an element of the other side.
fn rule_bitcast(cx: RuleCx<'_>) -> Rule {
    let mut rule = Rule::empty(cx);
    let shared = cx.operands[0].rank().min(cx.results[0].rank());
    for dim in 0..shared {
        rule.pass(cx.size(OperandIdx(0).dim(dim)), OperandIdx(0).dim(dim), ResultIdx(0).dim(dim));
    }
    rule.fill_whole(cx);
    rule
}
