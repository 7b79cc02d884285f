//! Batch normalization: training, inference, gradient.

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
