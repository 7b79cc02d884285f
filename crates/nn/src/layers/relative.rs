//! Attention by what keys say and by how far they are away (Transformer-XL, as the Conformer has it).
//!
//! ```text
//! logit(q, k) = (query(q) + u) key(k) + (query(q) + v) position(q - k)
//! ```
//!
//! Positions are waves of the distance times a matrix of the layer; `u` and `v` are one vector for each head.

use crate::init::Init;
use crate::layers::attention::{Attention, Mask};
use crate::layers::dropout;
use crate::layers::position::waves;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;

/// Sizes of a layer: those of an attention layer, and its masks.
///
/// ```
/// use meshwright_nn::layers::attention::{Attention, Mask};
/// use meshwright_nn::layers::relative::RelativeAttention;
/// use meshwright_nn::params::Specs;
/// use meshwright_nn::tensor::prelude::*;
/// let attention = Attention::new("attention", 16, 2, 8);
/// let layer = RelativeAttention { attention };
/// let mut specs = Specs::default();
/// layer.declare(&mut specs);
/// let program = trace("relative", |t| {
///     layer.apply(&specs.params(t, "params", f32), t.input("x", f32, [2, 10, 16]), Mask::default(), None)
/// })?;
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone, Debug)]
pub struct RelativeAttention {
    pub attention: Attention,
}

impl RelativeAttention {
    pub fn declare(&self, specs: &mut Specs) {
        let sizes = &self.attention;
        sizes.declare(specs);
        let by_head = [("heads", sizes.heads), ("kv", sizes.kv)];
        let into = [("model", sizes.model), by_head[0], by_head[1]];
        let init = Init::Truncated { scale: sizes.scale, fan_in: sizes.model };
        specs.add(join(&sizes.path, "position"), into, init);
        specs.add(join(&sizes.path, "content_bias"), by_head, Init::Zeros);
        specs.add(join(&sizes.path, "position_bias"), by_head, Init::Zeros);
    }

    /// `x [batch, length, model]` looks at itself.
    pub fn apply(&self, p: &Params, x: Tensor, mask: Mask, key: Option<Key>) -> Tensor {
        let sizes = &self.attention;
        let weight = |name: &str| p.get(&join(&sizes.path, name)).cast(x.dtype());
        let q = sizes.queries(p, x, None);
        let (k, v) = sizes.memories(p, x, None);
        let length = x.dim(1);
        let content = einsum("bqhd,bkhd->bhqk", [q + weight("content_bias"), k]);
        // From the query that is furthest behind the key to the one furthest before it.
        let away = (length - 1) - iota(default_float(), [2 * length - 1], 0);
        let positions = einsum("lm,mhd->lhd", [waves(away, sizes.model).cast(x.dtype()), weight("position")]);
        let by_distance = einsum("bqhd,lhd->bhql", [q + weight("position_bias"), positions]);
        let chances = sizes.shares(content + by_key(by_distance), mask.allowed(length, length), None);
        let chances = dropout(chances, sizes.dropout, key).cast(v.dtype());
        let seen = einsum("bhqk,bkhd->bqhd", [chances, v]).logical(["batch", "", "act_heads", ""]);
        sizes.out(p, seen)
    }
}

/// From a number for each distance, `[.., queries, 2 length - 1]`, to one for each key, `[.., queries, length]`: row
/// `q` begins `q` places further left. In one line, rows one element longer lie so already.
fn by_key(x: Tensor) -> Tensor {
    let dims = x.dims();
    let (outer, length) = (&dims[..2], dims[2]);
    let line = x.pad([(0, 0), (0, 0), (0, 0), (0, 1)], 0).reshape([outer, &[2 * length * length]].concat());
    let line = line.slice_dim(-1, length - 1..length - 1 + length * (2 * length - 1));
    line.reshape([outer, &[length, 2 * length - 1]].concat()).slice_dim(-1, 0..length)
}
