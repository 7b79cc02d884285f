//! Layers, of two kinds. For models of one's own: a struct of its weights, whose `new` draws their first values and
//! whose `apply` computes ([`dense`], [`bag`], [`recurrent`], [`grouped`]). For the papers' models, whose parameters
//! have names that tables and checkpoints know: a struct of sizes that declares its parameters (`declare`) and computes
//! (`apply`).
//!
//! The logical names of weights' dims: `model`, `heads`, `kv`, `hidden`, `vocab`, `buckets`, and of experts `expert`,
//! `expert_model`, `expert_hidden`, `router_model`, `router_expert`; of kernels `window` for each spatial dim,
//! `in_channels` and `channels`. Of activations: `batch`, `features`, `act_heads`,
//! `act_hidden`; around experts `group`, `home_expert`, `expert_group`.

pub mod attention;
pub mod bag;
pub mod conv;
pub mod dense;
pub mod embed;
pub mod ffn;
pub mod grouped;
pub mod norm;
pub mod pool;
pub mod position;
pub mod recurrent;
pub mod rotary;
mod window;

use meshwright_tensor::prelude::*;

/// Set elements to 0 with probability `rate`, and scale the others so that the mean stays.
pub fn dropout(x: Tensor, rate: f64, key: Option<Key>) -> Tensor {
    match key.filter(|_| rate > 0.0) {
        Some(key) => {
            let kept = 1.0 - rate.min(1.0);
            let scaled = x * if kept > 0.0 { 1.0 / kept } else { 0.0 };
            key.bernoulli(kept, x.dims()).select(scaled, 0.0)
        }
        None => x,
    }
}
