//! Batch normalization: training, inference, gradient.

use crate::expect::ensure;
use crate::infer::{InferError, Inferred, Operands};
use crate::rule::{FactorKind, OperandIdx, ResultIdx, Rule, RuleCx};
use crate::types::{TensorType, Type};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BatchNormKind {
    /// `(operand, scale, offset)`; results `(output, mean, variance)`.
    Training,
    /// `(operand, scale, offset, mean, variance)`.
    Inference,
    /// `(operand, scale, mean, variance, grad_output)`; results `(grad_operand, grad_scale, grad_offset)`.
    Grad,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BatchNorm {
    pub kind: BatchNormKind,
    /// Bits of the f32 epsilon, so that ops compare and hash.
    pub epsilon: u32,
    pub feature_dim: usize,
}

impl BatchNorm {
    pub fn infer(&self, operands: Operands<'_>) -> Inferred {
        match self.kind {
            BatchNormKind::Training => self.infer_training(operands.tensors()?),
            BatchNormKind::Inference => self.infer_inference(operands.tensors()?),
            BatchNormKind::Grad => self.infer_grad(operands.tensors()?),
        }
    }

    fn infer_training(&self, [operand, scale, offset]: [&TensorType; 3]) -> Inferred {
        let feature = self.expect_features(operand, &[scale, offset])?;
        Ok(vec![operand.clone().into(), feature.clone(), feature])
    }

    fn infer_inference(&self, [operand, rest @ ..]: [&TensorType; 5]) -> Inferred {
        self.expect_features(operand, &rest)?;
        Ok(vec![operand.clone().into()])
    }

    fn infer_grad(&self, [operand, scale, mean, variance, grad]: [&TensorType; 5]) -> Inferred {
        let feature = self.expect_features(operand, &[scale, mean, variance])?;
        ensure!(grad == operand, "the gradient is {grad}, but the operand is {operand}");
        Ok(vec![operand.clone().into(), feature.clone(), feature])
    }

    /// Vectors along the feature dim; one element is stretched. The type of such a vector.
    fn expect_features(&self, operand: &TensorType, vectors: &[&TensorType]) -> Result<Type, InferError> {
        let dim = self.feature_dim;
        ensure!(operand.dtype.is_float(), "batch_norm is not defined on {}", operand.dtype);
        ensure!(dim < operand.rank(), "the feature dim is {dim}, but the operand is {operand}");
        let size = operand.dims[dim];
        for (index, vector) in vectors.iter().enumerate() {
            ensure!(
                vector.dtype == operand.dtype && (vector.dims == [size] || vector.dims == [1]),
                "operand {} is {vector}, but dim {dim} of {operand} has {size} features",
                index + 1
            );
        }
        Ok(operand.with_dims([size]).into())
    }

    /// Features pass through. Where statistics are taken over the other dims these must stay together.
    pub fn rule(&self, cx: RuleCx<'_>) -> Rule {
        let mut rule = Rule::empty(cx);
        let apart = self.kind == BatchNormKind::Inference;
        let shape = cx.operands[0].dims();
        for (dim, size) in shape.iter().enumerate() {
            let is_feature = dim == self.feature_dim;
            let kind = if is_feature || apart { FactorKind::Pass } else { FactorKind::Whole };
            let factor = rule.factor(*size, kind);
            let dim_of =
                |ty: &Type| match (ty.rank() == shape.len() && !(is_feature && ty.dims() == [1]), is_feature)
                {
                    (true, _) => Some(dim),
                    (false, true) if ty.dims() == [*size] => Some(0),
                    _ => None,
                };
            for (index, ty) in cx.operands.iter().enumerate() {
                if let Some(dim) = dim_of(ty) {
                    rule.place(factor, [OperandIdx(index).dim(dim)]);
                }
            }
            for (index, ty) in cx.results.iter().enumerate() {
                if let Some(dim) = dim_of(ty) {
                    rule.place(factor, [ResultIdx(index).dim(dim)]);
                }
            }
        }
        rule
    }

    pub fn mnemonic(&self) -> &'static str {
        match self.kind {
            BatchNormKind::Training => "batch_norm_training",
            BatchNormKind::Inference => "batch_norm_inference",
            BatchNormKind::Grad => "batch_norm_grad",
        }
    }
}
