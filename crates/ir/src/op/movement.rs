//! Ops that move elements without computing: broadcast, reshape, transpose, slice, pad, concatenate, reverse.
//!
//! Movement commutes with every reduction. Dims that only change place or stretch pass through; along a dim where
//! elements shift, pieces need their neighbours.

use crate::expect::{ensure, expect_dims, expect_per_dim, expect_size, expect_sizes};
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{ALL_REDUCERS, FactorKind, Linear, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::TensorType;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Movement {
    Broadcast(Broadcast),
    Reshape(Reshape),
    Transpose(Transpose),
    Slice(Slice),
    Pad(Pad),
    Concatenate(Concatenate),
    Reverse(Reverse),
}

/// `broadcast_in_dim`: operand dim `i` becomes result dim `dims[i]`; a size-1 dim stretches.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Broadcast {
    pub dims: Vec<usize>,
    pub shape: Vec<i64>,
}

/// The same elements in row-major order under another shape.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reshape {
    pub shape: Vec<i64>,
}

/// Result dim `i` is operand dim `permutation[i]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Transpose {
    pub permutation: Vec<usize>,
}

/// Elements `start, start + stride, ..` below `limit`, per dim.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slice {
    pub start: Vec<i64>,
    pub limit: Vec<i64>,
    pub stride: Vec<i64>,
}

/// `(operand, value)`: `interior` elements between neighbours, then `low` and `high` at the edges; negative edges crop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pad {
    pub low: Vec<i64>,
    pub high: Vec<i64>,
    pub interior: Vec<i64>,
}

/// Operands one after another along `dim`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Concatenate {
    pub dim: usize,
}

/// Order of elements turned round along `dims`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Reverse {
    pub dims: Vec<usize>,
}

impl Movement {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self {
            Movement::Broadcast(op) => op.infer(operands),
            Movement::Reshape(op) => op.infer(operands),
            Movement::Transpose(op) => op.infer(operands),
            Movement::Slice(op) => op.infer(operands),
            Movement::Pad(op) => op.infer(operands),
            Movement::Concatenate(op) => op.infer(operands),
            Movement::Reverse(op) => op.infer(operands),
        }
    }

    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let rule = match self {
            Movement::Broadcast(op) => op.rule(cx),
            Movement::Reshape(_) => super::reshape::rule(cx),
            Movement::Transpose(op) => op.rule(cx),
            Movement::Slice(op) => op.rule(cx),
            Movement::Pad(op) => op.rule(cx),
            Movement::Concatenate(op) => op.rule(cx),
            Movement::Reverse(op) => op.rule(cx),
        };
        rule.with_linear(Linear::jointly(ALL_REDUCERS, 0..cx.operands.len()))
    }

    pub fn mnemonic(&self) -> &'static str {
        match self {
            Movement::Broadcast(_) => "broadcast_in_dim",
            Movement::Reshape(_) => "reshape",
            Movement::Transpose(_) => "transpose",
            Movement::Slice(_) => "slice",
            Movement::Pad(_) => "pad",
            Movement::Concatenate(_) => "concatenate",
            Movement::Reverse(_) => "reverse",
        }
    }
}

impl Broadcast {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_per_dim("broadcast's dims", self.dims.len(), operand.rank())?;
        expect_dims("broadcast", self.dims.iter().copied(), self.shape.len())?;
        expect_sizes("broadcast", &self.shape)?;
        for (from, &to) in self.dims.iter().enumerate() {
            let (size, target) = (operand.dims[from], self.shape[to]);
            ensure!(
                size == 1 || size == target,
                "dim {from} of the operand has {size} elements, dim {to} of the result has {target}";
                "only a dim of size 1 can stretch"
            );
        }
        Ok(vec![operand.with_dims(self.shape.clone()).into()])
    }

    /// New and stretched dims stand in the result only.
    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for (to, &size) in self.shape.iter().enumerate() {
            let factor = rule.factor(size, FactorKind::Pass);
            rule.place(factor, [ResultIdx(0).dim(to)]);
            let from = self.dims.iter().position(|dim| *dim == to);
            if let Some(from) = from.filter(|from| cx.size(OperandIdx(0).dim(*from)) == size) {
                rule.place(factor, [OperandIdx(0).dim(from)]);
            }
        }
        rule
    }
}

impl Reshape {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_sizes("reshape", &self.shape)?;
        let result = operand.with_dims(self.shape.clone());
        let (from, to) = (operand.elements(), result.elements());
        ensure!(from == to, "{operand} has {from} elements, but shape {:?} has {to}", self.shape);
        Ok(vec![result.into()])
    }
}

impl Transpose {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_per_dim("the permutation", self.permutation.len(), operand.rank())?;
        expect_dims("the permutation", self.permutation.iter().copied(), operand.rank())?;
        let dims: Vec<i64> = self.permutation.iter().map(|dim| operand.dims[*dim]).collect();
        Ok(vec![operand.with_dims(dims).into()])
    }

    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for (to, &from) in self.permutation.iter().enumerate() {
            rule.pass(cx.size(OperandIdx(0).dim(from)), OperandIdx(0).dim(from), ResultIdx(0).dim(to));
        }
        rule
    }
}

impl Slice {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_per_dim("slice's start", self.start.len(), operand.rank())?;
        expect_per_dim("slice's limit", self.limit.len(), operand.rank())?;
        expect_per_dim("slice's stride", self.stride.len(), operand.rank())?;
        let dims: Result<Vec<i64>, InferError> =
            operand.dims.iter().enumerate().map(|(dim, size)| self.taken(dim, *size)).collect();
        Ok(vec![operand.with_dims(dims?).into()])
    }

    /// How many elements are taken along a dim.
    fn taken(&self, dim: usize, size: i64) -> Result<i64, InferError> {
        let (start, limit, stride) = (self.start[dim], self.limit[dim], self.stride[dim]);
        ensure!(
            0 <= start && start <= limit && limit <= size,
            "slice [{start}:{limit}] of dim {dim} does not lie in its {size} elements"
        );
        ensure!(stride >= 1, "the stride of dim {dim} must be at least 1, not {stride}");
        Ok((limit - start).div_euclid(stride) + i64::from((limit - start) % stride != 0))
    }

    /// All elements of these dims: to be narrowed.
    pub fn whole(dims: &[i64]) -> Self {
        Slice { start: vec![0; dims.len()], limit: dims.to_vec(), stride: vec![1; dims.len()] }
    }

    /// Whether a dim of `size` is taken as it is.
    pub fn takes_all(&self, dim: usize, size: i64) -> bool {
        (self.start[dim], self.limit[dim]) == (0, size) && (self.stride[dim] == 1 || size <= 1)
    }

    /// Also a single element stays in its dim: on the device that has it.
    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for dim in 0..cx.operands[0].rank() {
            let size = cx.size(OperandIdx(0).dim(dim));
            let kind = if self.takes_all(dim, size) { FactorKind::Pass } else { FactorKind::Permute };
            let factor = rule.factor(size, kind);
            rule.place(factor, [OperandIdx(0).dim(dim), ResultIdx(0).dim(dim)]);
        }
        rule
    }
}

/// Dims that pass as they are; along the others pieces need their neighbours.
fn pass_or_permute(cx: RuleCx<'_>, passes: impl Fn(usize) -> bool) -> Rule {
    let mut rule = Rule::empty(cx);
    for dim in 0..cx.operands[0].rank() {
        if passes(dim) {
            rule.pass(cx.size(OperandIdx(0).dim(dim)), OperandIdx(0).dim(dim), ResultIdx(0).dim(dim))
        } else {
            rule.permute(cx, [OperandIdx(0).dim(dim), ResultIdx(0).dim(dim)])
        }
    }
    rule
}

impl Pad {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand, value] = operands.tensors()?;
        ensure!(
            value.dims.is_empty() && value.dtype == operand.dtype,
            "the padding value is {value}, but must be a scalar of type {}",
            operand.dtype
        );
        expect_per_dim("pad's low", self.low.len(), operand.rank())?;
        expect_per_dim("pad's high", self.high.len(), operand.rank())?;
        expect_per_dim("pad's interior", self.interior.len(), operand.rank())?;
        let dims: Result<Vec<i64>, InferError> =
            operand.dims.iter().enumerate().map(|(dim, size)| self.padded(dim, *size)).collect();
        Ok(vec![operand.with_dims(dims?).into()])
    }

    fn padded(&self, dim: usize, size: i64) -> Result<i64, InferError> {
        let (low, high, interior) = (self.low[dim], self.high[dim], self.interior[dim]);
        ensure!(interior >= 0, "the interior padding of dim {dim} must be at least 0, not {interior}");
        let gaps = i128::from((size - 1).max(0)) * i128::from(interior);
        expect_size(
            &format!("padded dim {dim}"),
            i128::from(size) + i128::from(low) + i128::from(high) + gaps,
        )
    }

    /// Nothing along any dim: to be widened.
    pub fn nothing(rank: usize) -> Self {
        Pad { low: vec![0; rank], high: vec![0; rank], interior: vec![0; rank] }
    }

    /// Whether dims of these sizes stay as they are.
    pub fn keeps_all(&self, dims: &[i64]) -> bool {
        dims.iter().enumerate().all(|(dim, size)| self.keeps(dim, *size))
    }

    /// Whether a dim of `size` stays as it is.
    pub fn keeps(&self, dim: usize, size: i64) -> bool {
        (self.low[dim], self.high[dim]) == (0, 0) && (self.interior[dim] == 0 || size <= 1)
    }

    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        pass_or_permute(cx, |dim| self.keeps(dim, cx.size(OperandIdx(0).dim(dim))))
    }
}

impl Concatenate {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let tensors = operands.all_tensors()?;
        let Some(first) = tensors.first() else {
            return Err(InferError::new("concatenate needs at least one operand"));
        };
        ensure!(self.dim < first.rank(), "dim {} is out of range, operand 0 is {first}", self.dim);
        let mut total = 0i128;
        for (index, tensor) in tensors.iter().enumerate() {
            let fits = tensor.dtype == first.dtype && self.same_but_for_dim(tensor, first);
            ensure!(
                fits,
                "operand {index} is {tensor}, but operand 0 is {first}: they may differ in dim {} only",
                self.dim
            );
            total += i128::from(tensor.dims[self.dim]);
        }
        let mut dims = first.dims.clone();
        dims[self.dim] = expect_size("the concatenated dim", total)?;
        Ok(vec![first.with_dims(dims).into()])
    }

    fn same_but_for_dim(&self, a: &TensorType, b: &TensorType) -> bool {
        let mut pairs = a.dims.iter().zip(&b.dims).enumerate();
        a.rank() == b.rank() && pairs.all(|(dim, (a, b))| dim == self.dim || a == b)
    }

    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        for dim in 0..cx.results[0].rank() {
            let kind = if dim == self.dim { FactorKind::Permute } else { FactorKind::Pass };
            let factor = rule.factor(cx.size(ResultIdx(0).dim(dim)), kind);
            rule.place(factor, [ResultIdx(0).dim(dim)]);
            for operand in 0..cx.operands.len() {
                rule.place(factor, [OperandIdx(operand).dim(dim)]);
            }
        }
        rule
    }
}

impl Reverse {
    fn infer(&self, operands: Operands<'_>) -> Inferred {
        let [operand] = operands.tensors()?;
        expect_dims("reverse", self.dims.iter().copied(), operand.rank())?;
        Ok(vec![operand.clone().into()])
    }

    fn rule(&self, cx: RuleCx<'_>) -> Rule {
        pass_or_permute(cx, |dim| !self.dims.contains(&dim))
    }
}
