//! Where a token stands: T5's relative position bias (one number per head and bucket of distances, shared by the layers
//! of a stack), or waves added to its embedding.

use crate::init::Init;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;

/// Which distances share a bucket: half of the buckets are one distance each, the rest grow with the logarithm up to
/// `max_distance`. In both directions each side has half of them.
#[derive(Clone, Debug)]
pub struct RelativePosition {
    pub path: String,
    pub heads: i64,
    pub buckets: i64,
    pub max_distance: i64,
    pub both_ways: bool,
    /// s of the initializer.
    pub scale: f64,
}

impl RelativePosition {
    /// T5's 32 buckets up to 128.
    pub fn t5(path: String, heads: i64, both_ways: bool) -> RelativePosition {
        RelativePosition { path, heads, buckets: 32, max_distance: 128, both_ways, scale: 1.0 }
    }

    /// The bucket of a key `key - query` places to the right of its query.
    pub fn bucket(&self, distance: i64) -> i64 {
        let back = -distance;
        let (side, count, far) = if self.both_ways {
            (if back < 0 { self.buckets / 2 } else { 0 }, self.buckets / 2, back.abs())
        } else {
            (0, self.buckets, back.max(0))
        };
        let exact = (count / 2).max(1);
        if far < exact {
            return side + far;
        }
        let reach = (far as f64 / exact as f64).ln() / (self.max_distance as f64 / exact as f64).ln();
        let coarse = exact + (reach * (count - exact) as f64) as i64;
        side + coarse.min(count - 1)
    }

    pub fn declare(&self, specs: &mut Specs) {
        let dims = [("buckets", self.buckets), ("heads", self.heads)];
        specs.add(join(&self.path, "bias"), dims, Init::Truncated { scale: self.scale, fan_in: self.heads });
    }

    /// A row per distance, from the last query before the first key on: `[queries + keys - 1, heads]`.
    pub fn by_distance(&self, p: &Params, queries: i64, keys: i64) -> Tensor {
        let buckets: Vec<f64> = (1 - queries..keys).map(|distance| self.bucket(distance) as f64).collect();
        p.get(&join(&self.path, "bias")).take(constant(i32, [buckets.len() as i64], &buckets), 0)
    }

    /// What is added to attention's logits: `[heads, queries, keys]`.
    pub fn apply(&self, p: &Params, queries: i64, keys: i64) -> Tensor {
        by_pair(self.by_distance(p, queries, keys), queries, keys)
    }
}

/// Rows by distance as a row per pair: `[heads, queries, keys]`.
pub fn by_pair(rows: Tensor, queries: i64, keys: i64) -> Tensor {
    let distance = iota(i32, [queries, keys], 1) - iota(i32, [queries, keys], 0);
    rows.take(distance + (queries - 1), 0).transpose([2, 0, 1])
}

/// The place of each token of `[batch, length]` in its row, or in its segment of a packed row: `f32` (`f64` if that is
/// the trace's float), `[1 or batch, length]`.
pub fn places(tokens: Tensor, segments: Option<Tensor>) -> Tensor {
    let Some(segments) = segments else { return iota(default_float(), [1, tokens.dim(1)], 1) };
    let at = iota(i32, segments.dims(), 1);
    let begins = at.eq(0) | segments.ne(segments.roll(1, 1));
    (at - begins.select(at, 0).cummax(1)).cast(default_float())
}

/// Sines and cosines of places (`[.., length]`, floats) at wavelengths from 2 pi to 20,000 pi (Vaswani et al.):
/// `[.., length, model]`, the sines first.
pub fn waves(places: Tensor, model: i64) -> Tensor {
    let half = (model + 1) / 2;
    let rate = |at: i64| 10_000f64.powf(-(at as f64) / (half - 1).max(1) as f64);
    let rates: Vec<f64> = (0..half).map(rate).collect();
    let angles = places.unsqueeze(-1) * constant(places.dtype(), [half], &rates);
    // An odd dim has one cosine less.
    concat([angles.sin(), angles.cos()], -1).slice_dim(-1, 0..model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(both_ways: bool, distances: &[i64]) -> Vec<i64> {
        let position = RelativePosition::t5(String::new(), 1, both_ways);
        distances.iter().map(|distance| position.bucket(*distance)).collect()
    }

    #[test]
    fn a_decoder_looks_back_only() {
        assert_eq!(buckets(false, &[5, 0, -1, -15, -16, -127, -128, -9999]), [0, 0, 1, 15, 16, 31, 31, 31]);
    }

    #[test]
    fn an_encoder_has_half_of_the_buckets_on_each_side() {
        assert_eq!(buckets(true, &[0, -1, -7, -8, -128, 1, 7, 8, 128]), [0, 1, 7, 8, 15, 17, 23, 24, 31]);
    }

    #[test]
    fn coarse_buckets_grow_with_the_logarithm() {
        // 16 (128/16)^(k/16) is where bucket 16 + k begins: 18.2, 20.7, 23.6 for k = 1, 2, 3.
        assert_eq!(buckets(false, &[-18, -19, -20, -21, -23, -24]), [16, 17, 17, 18, 18, 19]);
    }
}
