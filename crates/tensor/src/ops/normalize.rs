//! Softmax and its kin, and the pieces of normalization layers.

use crate::dims::At;
use crate::dims::AtDims;
use crate::tensor::{Tensor, poison};
use std::panic::Location;

impl Tensor {
    /// exp(x) / sum(exp(x)) along dims, without overflow.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).softmax(-1))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn softmax(self, dims: impl Into<AtDims>) -> Tensor {
        let dims: AtDims = dims.into();
        let shifted = (self - self.max_keep(dims.clone()).stop_gradient()).exp();
        shifted / shifted.sum_keep(dims)
    }

    /// The logarithm of [`softmax`](Tensor::softmax), exact where that is near 0.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).log_softmax(-1))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn log_softmax(self, dims: impl Into<AtDims>) -> Tensor {
        let dims: AtDims = dims.into();
        let shifted = self - self.max_keep(dims.clone()).stop_gradient();
        shifted - shifted.exp().sum_keep(dims).log()
    }

    /// log(sum(exp(x))) over dims, without overflow.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 3]).logsumexp(-1))?; // f32[2]
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn logsumexp(self, dims: impl Into<AtDims>) -> Tensor {
        let line = Location::caller();
        let dims: AtDims = dims.into();
        let Some(at) = self.some_dims(dims.clone(), line) else { return poison(self.ty(), line) };
        let top = self.max_keep(dims.clone());
        let top = top.is_finite().select(top, 0).stop_gradient();
        let summed = (self - top).exp().sum(dims).log();
        let kept: Vec<i64> =
            self.dims().iter().enumerate().filter(|(dim, _)| !at.contains(dim)).map(|(_, n)| *n).collect();
        summed + top.reshape(kept)
    }

    /// (x - mean) / sqrt(variance + epsilon) along dims: layer normalization without its weights.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let (scale, bias) = (t.param("scale", [4]), t.param("bias", [4]));
    ///     t.input("x", f32, [2, 4]).standardize(-1, 1e-6) * scale + bias
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn standardize(self, dims: impl Into<AtDims>, epsilon: f64) -> Tensor {
        let dims: AtDims = dims.into();
        let centered = self - self.mean_keep(dims.clone());
        let variance = (centered * centered).mean_keep(dims);
        centered * (variance + epsilon).rsqrt()
    }

    /// x / sqrt(mean(x * x) + epsilon) along dims: RMS normalization without its weight.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| t.input("x", f32, [2, 4]).rms_normalize(-1, 1e-6) * t.param("scale", [4]))?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn rms_normalize(self, dims: impl Into<AtDims>, epsilon: f64) -> Tensor {
        self * ((self * self).mean_keep(dims) + epsilon).rsqrt()
    }

    /// -log of the probability that softmax gives the labelled class, for logits with the classes in a dim: one number
    /// per label.
    ///
    /// ```
    /// use meshwright_tensor::prelude::*;
    /// let program = trace("f", |t| {
    ///     let (logits, labels) = (t.input("logits", f32, [8, 10]), t.input("labels", i32, [8]));
    ///     logits.cross_entropy(labels).mean(..)
    /// })?;
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn cross_entropy(self, labels: Tensor) -> Tensor {
        let classes = self.dim(At::Number(-1));
        let chosen = labels.one_hot(classes, self.dtype());
        -(self.log_softmax(-1) * chosen).sum(-1)
    }
}
