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
    /// Whether logits use the table, scaled as `rows` says. Else they have a matrix of their own.
    pub tied: bool,
    /// s of the initializer of a matrix of its own.
    pub scale: f64,
    pub rows: RowScale,
}

/// Where a table that makes logits, too, is brought to size: its rows are larger than those of a matrix by the root of
/// the model dim, or as large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowScale {
    /// Logits are divided by sqrt(model) (T5).
    #[default]
    Large,
    /// Embeddings are multiplied by it (Vaswani et al.).
    Small,
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
        scope("embed", || {
            let x = p.get(&join(&self.path, "table")).take(tokens, 0);
            match self.rows {
                RowScale::Large => x,
                RowScale::Small => x * (self.model as f64).sqrt(),
            }
        })
    }

    pub fn logits(&self, p: &Params, x: Tensor) -> Tensor {
        scope("logits", || {
            if self.tied {
                let table = p.get(&join(&self.path, "table")).cast(x.dtype());
                let logits = einsum("blm,vm->blv", [x, table]);
                match self.rows {
                    RowScale::Large => logits * (self.model as f64).sqrt().recip(),
                    RowScale::Small => logits,
                }
            } else {
                x.matmul(p.get(&join(&self.path, "logits")).cast(x.dtype()))
            }
        })
    }
}
