//! Contractions: multiply two tensors and sum over paired dims.
//!
//! Result dims, in order: batch pairs, free dims of `lhs`, free dims of `rhs`.

use crate::expect::{ensure, expect_dims};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{FactorKind, Linear, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{Class, DType, TensorType};
use meshwright_shard::Reducer;

/// How exact a product has to be; a hint to engines, the interpreter is always exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Precision {
    #[default]
    Default,
    High,
    Highest,
}

/// `dot_general`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dot {
    /// Paired dims `(lhs, rhs)` that stand in both operands and the result.
    pub batch: Vec<(usize, usize)>,
    /// Paired dims `(lhs, rhs)` that are summed over.
    pub contract: Vec<(usize, usize)>,
    /// Element type of the result (`preferred_element_type`).
    pub result: DType,
    /// As the text said it, one per operand, or empty.
    pub precision: Vec<Precision>,
    /// `algorithm = <..>` verbatim, if the text had one.
    pub algorithm: Option<String>,
}

impl Dot {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [lhs, rhs] = operands.tensors()?;
        expect_product("dot_general", lhs.dtype, rhs.dtype, self.result)?;
        expect_dims("lhs of dot_general", self.pairs().map(|pair| pair.0), lhs.rank())?;
        expect_dims("rhs of dot_general", self.pairs().map(|pair| pair.1), rhs.rank())?;
        self.expect_paired_sizes(lhs, rhs)?;
        let batch = self.batch.iter().map(|pair| lhs.dims[pair.0]);
        let lhs_free = self.lhs_free(lhs.rank()).map(|dim| lhs.dims[dim]);
        let rhs_free = self.rhs_free(rhs.rank()).map(|dim| rhs.dims[dim]);
        let dims: Vec<i64> = batch.chain(lhs_free).chain(rhs_free).collect();
        Ok(vec![TensorType::new(self.result, dims).into()])
    }

    fn expect_paired_sizes(&self, lhs: &TensorType, rhs: &TensorType) -> Result<(), InferError> {
        for (l, r) in self.pairs() {
            let (left, right) = (lhs.dims[l], rhs.dims[r]);
            ensure!(
                left == right,
                "dim {l} of lhs has {left} elements, dim {r} of rhs has {right}";
                "paired dims must have one size; lhs is {lhs}, rhs is {rhs}"
            );
        }
        Ok(())
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.batch.iter().chain(&self.contract).copied()
    }

    /// Dims of `lhs` that are neither batch nor contracted, ascending.
    pub fn lhs_free(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..rank).filter(|dim| self.pairs().all(|pair| pair.0 != *dim))
    }

    /// Dims of `rhs` that are neither batch nor contracted, ascending.
    pub fn rhs_free(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..rank).filter(|dim| self.pairs().all(|pair| pair.1 != *dim))
    }

    /// The product of the operands the other way round, of these ranks, if that is what the permutation of the result
    /// asks for: right free dims before left ones, and all else in order.
    pub fn swapped(&self, (lhs, rhs): (usize, usize), permutation: &[usize]) -> Option<Dot> {
        let (batch, left) = (self.batch.len(), self.lhs_free(lhs).count());
        let rank = batch + left + self.rhs_free(rhs).count();
        let right_before_left = (0..batch).chain(batch + left..rank).chain(batch..batch + left);
        if self.algorithm.is_some() || !right_before_left.eq(permutation.iter().copied()) {
            return None;
        }
        let swapped = |pairs: &[(usize, usize)]| pairs.iter().map(|(left, right)| (*right, *left)).collect();
        Some(Dot {
            batch: swapped(&self.batch),
            contract: swapped(&self.contract),
            precision: self.precision.iter().rev().copied().collect(),
            ..self.clone()
        })
    }

    /// Batch and free dims pass through; contracted dims leave a partial sum.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for (to, &(lhs, rhs)) in self.batch.iter().enumerate() {
            let factor = rule.factor(cx.size(OperandIdx(0).dim(lhs)), FactorKind::Pass);
            rule.place(factor, [OperandIdx(0).dim(lhs), OperandIdx(1).dim(rhs), ResultIdx(0).dim(to)]);
        }
        let lhs_free = self.lhs_free(cx.operands[0].rank()).map(|dim| OperandIdx(0).dim(dim));
        let rhs_free = self.rhs_free(cx.operands[1].rank()).map(|dim| OperandIdx(1).dim(dim));
        for (from, to) in lhs_free.chain(rhs_free).zip(self.batch.len()..) {
            rule.pass(cx.size(from), from, ResultIdx(0).dim(to));
        }
        for &(lhs, rhs) in &self.contract {
            let factor = rule.factor(cx.size(OperandIdx(0).dim(lhs)), FactorKind::Reduce(Reducer::Sum));
            rule.place(factor, [OperandIdx(0).dim(lhs), OperandIdx(1).dim(rhs)]);
        }
        rule.with_linear(linear_product(cx, self.result))
    }

    pub fn mnemonic(&self) -> &'static str {
        "dot_general"
    }
}

/// Both sides of a product and its result must be of one class; narrow kinds of a class mix freely. Integers may be
/// added up as floats.
pub(super) fn expect_product(name: &str, lhs: DType, rhs: DType, result: DType) -> Result<(), InferError> {
    let group = |dtype: DType| match dtype.class() {
        Class::Pred | Class::Signed | Class::Unsigned => Class::Signed,
        other => other,
    };
    ensure!(
        group(lhs) == group(rhs)
            && (group(rhs) == group(result) || result.is_float() && group(rhs) == Class::Signed),
        "{name} of {lhs} and {rhs} cannot give {result}"; "convert one side first"
    );
    Ok(())
}

/// A product is linear in each side. Integers that widen on the way are not: a partial operand may have wrapped.
pub(super) fn linear_product(cx: RuleCx<'_>, result: DType) -> Linear {
    let exact = |operand: &&crate::types::Type| {
        operand.as_tensor().is_some_and(|ty| !ty.dtype.is_integer() || ty.dtype == result)
    };
    if cx.operands.iter().all(exact) { Linear::singly([Reducer::Sum], [0, 1]) } else { Linear::default() }
}
