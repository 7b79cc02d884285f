//! A trunk for images and one for text, joined: what is asked of a picture. The same mesh does other work in each
//! (GSPMD's point that axes have no meaning of their own):
//!
//! ```text
//!                image             text
//! x              rows              batch
//! y              columns           heads, hidden
//! ```

use super::residual::Residual;
use super::{IMAGE, Labelled, check_all};
use crate::init::Init;
use crate::layers::bag::Pool;
use crate::layers::batch_norm::Statistics;
use crate::layers::embed::Embedding;
use crate::layers::pool::global;
use crate::layers::position::places;
use crate::models::step::Field;
use crate::models::strategy::Table;
use crate::models::transformer::{Stack, Transformer, View};
use crate::params::{Params, Specs, join};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Images in space over both axes, text by its batch and its heads. What is joined lies as the text.
pub const BY_MODE: Table = Table {
    name: "by-mode",
    axes: &["x", "y"],
    rows: &[
        ("batch", &["x"]),
        ("image/batch", &[]),
        ("image/space", &["x"]),
        ("image/space_2", &["y"]),
        ("heads", &["y"]),
        ("hidden", &["y"]),
        ("act_heads", &["y"]),
        ("act_hidden", &["y"]),
    ],
};

/// Sizes and choices.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Its classes are those of the whole.
    pub image: Residual,
    pub text: Transformer,
    pub blocks: usize,
    pub vocab: i64,
    /// Tokens of a text.
    pub length: i64,
}

impl Joined {
    fn stack(&self) -> Stack<'_> {
        Stack { net: &self.text, path: "text", blocks: self.blocks, causal: false, cross: false }
    }

    fn embedding(&self) -> Embedding {
        let (vocab, model, scale) = (self.vocab, self.text.model, self.text.scale);
        Embedding { path: "text.embed".to_string(), vocab, model, tied: true, scale, rows: self.text.rows }
    }

    /// A row for each text.
    fn read(&self, p: &Params, tokens: Tensor, key: Option<Key>) -> Tensor {
        let x = self.embedding().apply(p, tokens).cast(self.text.compute);
        let waves = self.text.position.waves(|| places(tokens, None), self.text.model);
        let x = waves.map_or(x, |waves| x + waves.cast(x.dtype()));
        self.stack().apply(p, x, View::default(), key).0.mean(1)
    }

    /// A row for each image.
    fn seen(&self, p: &Params, image: Tensor, statistics: &mut Statistics) -> Tensor {
        let mine = |(name, x): &(String, Tensor)| Some((name.strip_prefix("image.")?.to_string(), *x));
        let p = Params { list: p.list.iter().filter_map(mine).collect() };
        let known = statistics.new.list.len();
        let x = scope("image", || global(Pool::Mean, self.image.features(&p, image, statistics)));
        statistics.new.list[known..].iter_mut().for_each(|(name, _)| *name = join("image", name));
        x
    }
}

impl Labelled for Joined {
    fn check_sizes(&self, rows: i64) -> Result<(), Diagnostic> {
        self.image.check_sizes(rows)?;
        let sizes =
            [("tokens", self.length), ("kinds of tokens", self.vocab), ("blocks", self.blocks as i64)];
        check_all("the text", 1, &sizes)?;
        if self.text.moe.is_some() {
            let message = "the text of a model of two modes has no layers of experts";
            return Err(Diagnostic::error(crate::moe::layer::CONFIG, message).help("leave them out"));
        }
        self.stack().check(rows, rows.saturating_mul(self.length))
    }

    fn parameters(&self) -> Specs {
        let mut specs = self.image.trunk();
        specs.list.iter_mut().for_each(|spec| spec.name = join("image", &spec.name));
        self.embedding().declare(&mut specs);
        self.stack().declare(&mut specs);
        let (model, classes) = (("model", self.text.model), ("vocab", self.image.classes));
        let init = |fan_in| Init::Truncated { scale: 1.0, fan_in };
        let features = self.image.last();
        specs.add("joined.image".to_string(), [("in_channels", features), model], init(features));
        specs.add("joined.classes".to_string(), [model, classes], init(self.text.model));
        specs
    }

    fn inputs(&self) -> Vec<Field> {
        [self.image.inputs(), vec![Field { name: "tokens", dtype: i32, dims: vec![("length", self.length)] }]]
            .concat()
    }

    fn places(&self) -> Vec<(&'static str, i64)> {
        Vec::new()
    }

    fn compute(&self) -> DType {
        self.text.compute
    }

    fn logits(&self, p: &Params, batch: &Params, key: Option<Key>, statistics: &mut Statistics) -> Tensor {
        let seen = self.seen(p, batch.get(IMAGE), statistics);
        let read = self.read(p, batch.get("tokens"), key);
        scope("joined", || {
            let weight = |name: &str| p.get(name).cast(read.dtype());
            let seen = seen.cast(read.dtype()).matmul(weight("joined.image")).logical(["batch", "features"]);
            // What is read gates what is seen: the question picks the answer.
            (seen * read.sigmoid()).matmul(weight("joined.classes"))
        })
    }
}
