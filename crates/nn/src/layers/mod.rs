//! Layers, of two kinds. For models of one's own: a struct of its weights, whose `new` draws their first values and
//! whose `apply` computes ([`dense`], [`bag`], [`recurrent`], [`grouped`]). For the papers' models, whose parameters
//! have names that tables and checkpoints know: a struct of sizes that declares its parameters (`declare`) and computes
//! (`apply`).
//!
//! The logical names of weights' dims: `model`, `heads`, `kv`, `hidden`, `vocab`, `buckets`, and of experts `expert`,
//! `expert_model`, `expert_hidden`, `router_model`, `router_expert`; of kernels `window` for each spatial dim,
//! `in_channels` and `channels`, of gates `squeezed`. Of activations: `batch`, `features`, `act_heads`, `act_hidden`;
//! around experts `group`, `home_expert`, `expert_group`.

pub mod attention;
pub mod bag;
pub mod batch_norm;
pub mod conv;
pub mod dense;
pub mod embed;
pub mod ffn;
pub mod gates;
pub mod grouped;
pub mod norm;
pub mod patch;
pub mod pool;
pub mod position;
pub mod recurrent;
pub mod relative;
pub mod resize;
pub mod rotary;
mod window;

use meshwright_tensor::prelude::*;

/// Set elements to 0 with probability `rate`, and scale the others so that the mean stays.
pub fn dropout(x: Tensor, rate: f64, key: Option<Key>) -> Tensor {
    dropout_along(x, rate, key, &[])
}

/// The same, with all elements that differ only by their places in these dims kept or dropped together: over the
/// spatial dims whole features of an example, over all but the first whole examples (stochastic depth, of a branch).
///
/// ```
/// use meshwright_nn::layers::dropout_along;
/// use meshwright_nn::tensor::prelude::*;
/// let program = trace("f", |t| dropout_along(t.input("x", f32, [2, 8, 8, 4]), 0.1, Some(Key::seed(1)), &[1, 2]))?;
/// # Ok::<(), Errors>(())
/// ```
#[track_caller]
pub fn dropout_along(x: Tensor, rate: f64, key: Option<Key>, dims: &[usize]) -> Tensor {
    let Some(key) = key.filter(|_| rate > 0.0) else { return x };
    let kept = 1.0 - rate.min(1.0);
    let scaled = x * if kept > 0.0 { 1.0 / kept } else { 0.0 };
    let size = |(at, size): (usize, i64)| if dims.contains(&at) { 1 } else { size };
    let sizes: Vec<i64> = x.dims().into_iter().enumerate().map(size).collect();
    key.bernoulli(kept, sizes).select(scaled, 0.0)
}
