//! A language model: a stack of blocks that look back, and the next token predicted. The decoder-only Switch
//! Transformer ([`super::switch`]) is one; so are the dense model of GSPMD 5.1 and its forms with experts (5.4, 5.5).

use super::decode::writer::Writer;
use super::encoder_decoder::filled;
use super::step::{Field, Judged, Labels, Losses, Model, Soft, Training, weigh};
use super::transformer::{Fates, Stack, Transformer, View};
use crate::layers::attention::{Mask, wide};
use crate::layers::embed::Embedding;
use crate::layers::position::places;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_tensor::prelude::*;

/// Sizes and choices.
#[derive(Clone, Debug)]
pub struct Language {
    pub net: Transformer,
    pub blocks: usize,
    pub vocab: i64,
    /// Whether logits use the table of embeddings.
    pub tied: bool,
    /// The row of the table that is read where a batch has 0, which begins every row.
    pub start: i64,
    /// Several texts in a row: the batch also has `segments`, which count them from 1; 0 is padding.
    pub packed: bool,
    /// alpha of the balancing loss.
    pub balance: f64,
    /// Factor of the routers' z-loss.
    pub z_loss: f64,
    /// Share of each label that is spread evenly over the vocabulary in training.
    pub smoothing: f64,
}

impl Language {
    fn stack(&self) -> Stack<'_> {
        Stack { net: &self.net, path: "", blocks: self.blocks, causal: true, cross: false }
    }

    fn embedding(&self) -> Embedding {
        let (vocab, model, scale) = (self.vocab, self.net.model, self.net.scale);
        Embedding { path: "embed".to_string(), vocab, model, tied: self.tied, scale, rows: self.net.rows }
    }

    /// The same to write with, one token at a time.
    pub fn writer(&self) -> Writer<'_> {
        Writer { stack: self.stack(), embedding: self.embedding(), start: self.start }
    }

    /// What is wrong with the sizes, for a batch of this many sequences and tokens.
    pub fn check_tokens(&self, rows: i64, tokens: i64) -> Result<(), Diagnostic> {
        self.stack().check(rows, tokens)
    }

    /// Logits of the next token, and what the experts did. `segments` is for packed texts.
    pub fn logits(
        &self,
        p: &Params,
        tokens: Tensor,
        segments: Option<Tensor>,
        key: Option<Key>,
    ) -> (Tensor, Fates) {
        let x = self.embedding().apply(p, filled(tokens, self.start)).cast(self.net.compute);
        let waves = self.net.position.waves(|| places(tokens, segments), self.net.model);
        let x = waves.map_or(x, |waves| x + waves.cast(x.dtype()));
        let own = Mask { segments: segments.map(|all| (all, all)), ..Mask::default() };
        let view = View { own, memory: None, real: segments.map(|all| all.gt(0)) };
        let (x, fates) = self.stack().apply(p, x, view, key);
        (self.embedding().logits(p, x), fates)
    }

    /// Where a token is predicted: inside of one text. `pred[batch, length - 1]`.
    fn asked(&self, batch: &Params) -> Option<Tensor> {
        let segments = self.packed.then(|| batch.get("segments"))?;
        let length = segments.dim(1);
        let (here, next) = (segments.slice((.., 0..length - 1)), segments.slice((.., 1..length)));
        Some(here.eq(next) & next.gt(0))
    }

    /// [`losses`](Model::losses) beside a teacher, if there is one.
    pub fn losses_taught(
        &self,
        p: &Params,
        batch: &Params,
        count: Tensor,
        key: Option<Key>,
        soft: Option<Soft>,
    ) -> Losses {
        let tokens = batch.get("tokens");
        let length = tokens.dim(1);
        let read = |x: Tensor| x.slice((.., 0..length - 1));
        let segments = self.packed.then(|| read(batch.get("segments")));
        let (logits, fates) = self.logits(p, read(tokens), segments, key);
        let more = [(self.balance, fates.balance), (self.z_loss, fates.z)];
        let (tokens, asked) = (tokens.slice((.., 1..length)), self.asked(batch));
        let labels = Labels { tokens, asked, smoothing: self.smoothing, soft };
        let (loss, nats) = weigh(logits, labels, count, &more);
        Losses { loss, nats, counts: fates.counts, statistics: Params::default() }
    }
}

impl Model for Language {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        let rows = training.rows();
        self.check_tokens(rows, training.batch.saturating_mul(training.length - 1))
    }

    fn specs(&self) -> Specs {
        let mut specs = Specs::default();
        self.embedding().declare(&mut specs);
        self.stack().declare(&mut specs);
        specs
    }

    fn fields(&self, training: &Training) -> Vec<Field> {
        let names = ["tokens", "segments"].into_iter().take(1 + usize::from(self.packed));
        names.map(|name| Field::tokens(name, training.batch, training.length)).collect()
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        let tokens = batch.get("tokens");
        let dtype = wide(self.net.compute);
        let all = || scalar(dtype, (tokens.dim(0) * (tokens.dim(1) - 1)) as f64);
        self.asked(batch).map_or_else(all, |asked| asked.cast(dtype).sum(..).maximum(1.0))
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        self.losses_taught(p, batch, count, key, None)
    }

    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        let tokens = batch.get("tokens");
        let length = tokens.dim(1);
        let read = |x: Tensor| x.slice((.., 0..length - 1));
        let segments = self.packed.then(|| read(batch.get("segments")));
        let (logits, fates) = self.logits(p, read(tokens), segments, None);
        Judged::of(logits, tokens.slice((.., 1..length)), self.asked(batch), fates.counts)
    }

    fn groups(&self) -> Option<i64> {
        self.net.moe.as_ref().map(|moe| moe.groups)
    }

    fn part(&self, n: i64) -> Language {
        Language { net: self.net.part(n), ..self.clone() }
    }
}
