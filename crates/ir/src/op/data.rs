//! Values without operands: constants and iota.

use crate::expect::{ensure, expect_sizes};
use crate::infer::{Inferred, Operands};
use crate::literal::Literal;
use crate::rule::{FactorKind, ResultIdx, Rule, RuleCx};
use crate::types::TensorType;

/// A constant tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant(pub Literal);

/// Element at an index is its position along `dim`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Iota {
    pub dim: usize,
    pub ty: TensorType,
}

impl Constant {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        operands.expect_count(0)?;
        expect_sizes("the constant", &self.0.ty().dims)?;
        Ok(vec![self.0.ty().clone().into()])
    }

    /// A splat's pieces are smaller splats; other data has to be cut by position.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let is_splat = self.0.is_splat();
        result_only(cx, |_| !is_splat)
    }

    pub fn mnemonic(&self) -> &'static str {
        "constant"
    }
}

impl Iota {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        operands.expect_count(0)?;
        expect_sizes("iota", &self.ty.dims)?;
        let (dim, rank) = (self.dim, self.ty.rank());
        ensure!(dim < rank, "iota counts along dim {dim}, but the rank is {rank}");
        Ok(vec![self.ty.clone().into()])
    }

    /// Along the counted dim a piece starts at an offset.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        result_only(cx, |dim| dim == self.dim)
    }

    pub fn mnemonic(&self) -> &'static str {
        "iota"
    }
}

/// A factor per dim of the only result.
fn result_only(cx: RuleCx<'_>, by_family: impl Fn(usize) -> bool) -> Rule {
    let mut rule = Rule::empty(cx);
    for dim in 0..cx.results[0].rank() {
        let size = cx.size(ResultIdx(0).dim(dim));
        let factor = if by_family(dim) {
            rule.factor_by_family(size, FactorKind::Pass)
        } else {
            rule.factor(size, FactorKind::Pass)
        };
        rule.place(factor, [ResultIdx(0).dim(dim)]);
    }
    rule
}
