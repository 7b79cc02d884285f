//! Layers: a struct of sizes that declares its parameters (`declare`) and computes (`apply`).
//!
//! The logical names of weights' dims: `model`, `heads`, `kv`, `hidden`, `vocab`, `buckets`, and of experts `expert`,
//! `expert_model`, `expert_hidden`, `router_model`, `router_expert`. Of activations: `batch`, `features`, `act_heads`,
//! `act_hidden`; around experts `group`, `home_expert`, `expert_group`.

pub mod attention;
pub mod embed;
pub mod ffn;
pub mod norm;
pub mod position;

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
