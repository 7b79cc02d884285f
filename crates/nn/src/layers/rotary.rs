//! Rotary positions: pairs of features are turned by an angle that grows with the place, so that a product of a query
//! and a key depends on how far they are apart.

use meshwright_tensor::prelude::*;
use meshwright_tensor::refuse;

/// How features are paired, and how fast the slowest pair turns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rotary {
    /// Pair `i` of `n` turns by `base^(-i/n)` per place.
    pub base: f64,
    /// Neighbours are a pair (RoFormer), or each feature of the first half and its place in the second (Llama).
    pub neighbours: bool,
}

impl Default for Rotary {
    fn default() -> Rotary {
        Rotary { base: 10_000.0, neighbours: false }
    }
}

impl Rotary {
    /// Queries or keys `[batch, length, heads, kv]` at places `[1 or batch, length]` (floats).
    #[track_caller]
    pub fn apply(&self, x: Tensor, places: Tensor) -> Tensor {
        if x.rank() != 4 || x.dim(-1) % 2 != 0 {
            let message = format!("rotary positions of {x:?}");
            return refuse(&[x], x.ty(), &message, "give `[batch, length, heads, kv]` with an even `kv`");
        }
        let half = x.dim(-1) / 2;
        let rates: Vec<f64> = (0..half).map(|at| self.base.powf(-(at as f64) / half as f64)).collect();
        let angles = places.unsqueeze(-1).unsqueeze(-1) * constant(places.dtype(), [half], &rates);
        let (sin, cos) = (angles.sin().cast(x.dtype()), angles.cos().cast(x.dtype()));
        let (a, b) = self.pairs(x, half);
        self.joined(a * cos - b * sin, b * cos + a * sin, &x.dims())
    }

    fn pairs(&self, x: Tensor, half: i64) -> (Tensor, Tensor) {
        if self.neighbours {
            let pairs = x.reshape([x.dim(0), x.dim(1), x.dim(2), half, 2]);
            (pairs.slice_dim(-1, 0..1).squeeze(-1), pairs.slice_dim(-1, 1..2).squeeze(-1))
        } else {
            (x.slice_dim(-1, 0..half), x.slice_dim(-1, half..2 * half))
        }
    }

    fn joined(&self, a: Tensor, b: Tensor, dims: &[i64]) -> Tensor {
        if self.neighbours { stack([a, b], -1).reshape(dims) } else { concat([a, b], -1) }
    }
}
