//! Sorting: n operands together by a comparator, and the largest or smallest k.

use crate::expect::{ensure, expect_pred_result, expect_same_dims, expect_scalars};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{FactorKind, Localize, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{DType, Type};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sort {
    pub dim: usize,
    pub stable: bool,
}

/// Along the last dim: values and their s32 indices, best first, ties by lower index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TopK {
    pub k: i64,
    pub largest: bool,
}

impl Sort {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [(params, results)] = operands.expect_regions()?;
        let tensors = operands.all_tensors()?;
        let Some(first) = tensors.first() else {
            return Err(InferError::new("sort needs at least one operand"));
        };
        expect_same_dims(&tensors)?;
        ensure!(
            self.dim < first.rank().max(1),
            "sort along dim {}, but the rank is {}",
            self.dim,
            first.rank()
        );
        let params = expect_scalars("parameters of the comparator", params, 2 * tensors.len())?;
        for (index, param) in params.iter().enumerate() {
            let tensor = tensors[index / 2];
            ensure!(
                *param == tensor.dtype,
                "parameter {index} of the comparator is {param}, but operand {} is {tensor}",
                index / 2
            );
        }
        expect_pred_result("the comparator", results)?;
        Ok(tensors.into_iter().map(|tensor| tensor.clone().into()).collect())
    }

    /// The sorted dim moves elements of all operands alike; the other dims pass through.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::elementwise(cx);
        for (dim, factor) in rule.factors.values_mut().enumerate() {
            if dim == self.dim {
                (factor.kind, factor.localize) = (FactorKind::Permute, Localize::Merge);
            }
        }
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        "sort"
    }
}

impl TopK {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        let Some((size, before)) = operand.dims.split_last() else {
            return Err(InferError::new("top_k needs at least one dim, the operand is a scalar"));
        };
        ensure!(
            (0..=*size).contains(&self.k),
            "k is {}, but the last dim of {operand} has {size} elements",
            self.k
        );
        let dims: Vec<i64> = before.iter().copied().chain([self.k]).collect();
        Ok(vec![operand.with_dims(dims.clone()).into(), Type::tensor(DType::S32, dims)])
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = rule_top_k(cx);
        rule.move_by(Localize::Combine);
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        "top_k"
    }
}

/// All dims but the last pass through. Pieces of the last can be searched by themselves and then compared; what comes
/// out must stay together.
pub(super) fn rule_top_k(cx: RuleCx<'_>) -> Rule {
    let mut rule = Rule::empty(cx);
    let Some(last) = cx.operands[0].rank().checked_sub(1) else { return rule };
    let results = cx.results.len();
    for dim in 0..last {
        let from = OperandIdx(0).dim(dim);
        rule.pass_all(cx.size(from), [from].into_iter().chain((0..results).map(|at| ResultIdx(at).dim(dim))));
    }
    let searched = rule.factor(cx.size(OperandIdx(0).dim(last)), FactorKind::Permute);
    rule.place(searched, [OperandIdx(0).dim(last)]);
    let found = rule.factor(cx.size(ResultIdx(0).dim(last)), FactorKind::Whole);
    for index in 0..results {
        rule.place(found, [ResultIdx(index).dim(last)]);
    }
    rule
}
