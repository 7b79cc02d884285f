//! Gradient clipping.

use meshwright_tensor::prelude::*;

/// The norm of all gradients together.
pub fn norm(gradients: &impl Tree) -> Tensor {
    let squares = gradients.leaves().into_iter().map(|one| (one * one).sum(..));
    squares.reduce(|a, b| a + b).unwrap_or_else(|| scalar(default_float(), 0)).sqrt()
}

/// Gradients scaled down together if their norm is above `most`; and the norm as it was.
pub fn clip<P: Tree>(gradients: P, most: f64) -> (P, Tensor) {
    let norm = norm(&gradients);
    let scale = most / norm.maximum(most);
    (gradients.map(&mut |one| one * scale), norm)
}
