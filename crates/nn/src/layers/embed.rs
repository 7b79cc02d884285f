//! Embeddings of tokens, and logits over the vocabulary, from the same table or from one of their own.

use crate::init::Init;
use crate::params::{Params, Specs, join};
use meshwright_tensor::prelude::*;

/// Sizes of an embedding.
#[derive(Clone, Debug)]
pub struct Embedding {
    pub path: String,
    pub vocab: i64,
    pub model: i64,
    /// Whether logits use the table: `x table^T / sqrt(model)`. Else they have a matrix of their own.
    pub tied: bool,
    /// s of the initializer of a matrix of its own.
    pub scale: f64,
}

impl Embedding {
    pub fn declare(&self, specs: &mut Specs) {
        let (vocab, model) = (("vocab", self.vocab), ("model", self.model));
        specs.add(join(&self.path, "table"), [vocab, model], Init::Normal(1.0));
        if !self.tied {
            specs.add(
                join(&self.path, "logits"),
                [model, vocab],
                Init::Truncated { scale: self.scale, fan_in: self.model },
            );
        }
    }

    /// Rows of the table: `s32[batch, length]` to `[batch, length, model]`.
    pub fn apply(&self, p: &Params, tokens: Tensor) -> Tensor {
        scope("embed", || p.get(&join(&self.path, "table")).take(tokens, 0))
    }

    pub fn logits(&self, p: &Params, x: Tensor) -> Tensor {
        scope("logits", || {
            if self.tied {
                let table = p.get(&join(&self.path, "table")).cast(x.dtype());
                einsum("blm,vm->blv", [x, table]) * (self.model as f64).sqrt().recip()
            } else {
                x.matmul(p.get(&join(&self.path, "logits")).cast(x.dtype()))
            }
        })
    }
}
