//! An encoder and a decoder: T5 and the Switch Transformer (span corruption: what was cut out of the source is the
//! target), GShard's translation model.
//!
//! A batch has `source` and `target`, and where several sequences are packed into a row, `source_segments` and
//! `target_segments`, which count them from 1; 0 is padding. Unpacked rows are padded with token 0. The decoder reads
//! the target one place late, behind a 0 at the start of each sequence.

use super::decode::writer::{Encoded, Writer};
use super::step::{Field, Judged, Labels, Losses, Model, Soft, Training, weigh};
use super::transformer::{Fates, Stack, Transformer, View};
use crate::layers::attention::{Mask, wide};
use crate::layers::embed::Embedding;
use crate::layers::position::places;
use crate::moe::layer::CONFIG;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_tensor::prelude::*;

/// Sizes and choices.
#[derive(Clone, Debug)]
pub struct EncoderDecoder {
    pub net: Transformer,
    /// Blocks of the encoder.
    pub encoder: usize,
    /// Blocks of the decoder.
    pub decoder: usize,
    pub source_vocab: i64,
    /// Vocabulary of the target; none if it is the source's, and the embeddings with it.
    pub target_vocab: Option<i64>,
    /// Whether logits use the table of embeddings.
    pub tied: bool,
    /// Tokens of a target.
    pub target_length: i64,
    pub packed: bool,
    pub special: Special,
    /// alpha of the balancing loss.
    pub balance: f64,
    /// Factor of the routers' z-loss.
    pub z_loss: f64,
    /// Share of each label that is spread evenly over the vocabulary in training.
    pub smoothing: f64,
}

/// The rows of the tables that are read where a batch has 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Special {
    /// For padding.
    pub padding: i64,
    /// Where a target begins.
    pub start: i64,
}

/// One side of a batch.
#[derive(Clone, Copy)]
struct Side {
    tokens: Tensor,
    segments: Option<Tensor>,
}

impl Side {
    /// Tokens that are not padding.
    fn real(self) -> Tensor {
        self.segments.map_or_else(|| self.tokens.ne(0), |segments| segments.gt(0))
    }

    /// The tokens one place late, behind what begins a target.
    fn late(self, Special { padding, start }: Special) -> Tensor {
        let late = |x: Tensor, first: i64| {
            concat([full(i32, [x.dim(0), 1], first), x.slice((.., 0..x.dim(1) - 1))], 1)
        };
        let before = late(filled(self.tokens, padding), start);
        self.segments.map_or(before, |segments| late(segments, 0).eq(segments).select(before, start))
    }
}

/// Tokens with another number in place of 0.
pub(super) fn filled(tokens: Tensor, padding: i64) -> Tensor {
    if padding == 0 { tokens } else { tokens.eq(0).select(padding, tokens) }
}

impl EncoderDecoder {
    fn encoder(&self) -> Stack<'_> {
        Stack { net: &self.net, path: "encoder", blocks: self.encoder, causal: false, cross: false }
    }

    fn decoder(&self) -> Stack<'_> {
        Stack { net: &self.net, path: "decoder", blocks: self.decoder, causal: true, cross: true }
    }

    /// Embeddings of the source, and of the target where they differ; the target's make the logits.
    fn embeddings(&self) -> (Option<Embedding>, Embedding) {
        let (model, scale) = (self.net.model, self.net.scale);
        let one = |path: &str, vocab: i64, tied: bool| Embedding {
            path: path.to_string(),
            vocab,
            model,
            tied,
            scale,
            rows: self.net.rows,
        };
        match self.target_vocab {
            None => (None, one("embed", self.source_vocab, self.tied)),
            Some(vocab) => {
                (Some(one("source_embed", self.source_vocab, true)), one("target_embed", vocab, self.tied))
            }
        }
    }

    fn embed(&self, p: &Params, embedding: &Embedding, tokens: Tensor, segments: Option<Tensor>) -> Tensor {
        let x = embedding.apply(p, tokens).cast(self.net.compute);
        let waves = self.net.position.waves(|| places(tokens, segments), self.net.model);
        waves.map_or(x, |waves| x + waves.cast(x.dtype()))
    }

    fn side(&self, batch: &Params, tokens: &str, segments: &str) -> Side {
        Side { tokens: batch.get(tokens), segments: self.packed.then(|| batch.get(segments)) }
    }

    fn sides(&self, batch: &Params) -> (Side, Side) {
        (self.side(batch, "source", "source_segments"), self.side(batch, "target", "target_segments"))
    }

    /// Logits of the target's tokens, `[batch, target_length, vocab]`, and what the experts did.
    pub fn logits(&self, p: &Params, batch: &Params, key: Option<Key>) -> (Tensor, Fates) {
        let (source, target) = self.sides(batch);
        let keys: Option<[Key; 2]> = key.map(Key::split);
        let (memory, read) = self.encode(p, source, keys.map(|keys| keys[0]));
        let (logits, written) = self.decode(p, (source, memory), target, keys.map(|keys| keys[1]));
        (logits, read.and(written))
    }

    /// The decoder, to write with one token at a time.
    pub fn writer(&self) -> Writer<'_> {
        Writer { stack: self.decoder(), embedding: self.embeddings().1, start: self.special.start }
    }

    /// What the encoder makes of one source a row, `s32[batch, length]`.
    pub fn read(&self, p: &Params, source: Tensor) -> Encoded {
        let side = Side { tokens: source, segments: None };
        Encoded { x: self.encode(p, side, None).0, real: side.real() }
    }

    fn encode(&self, p: &Params, source: Side, key: Option<Key>) -> (Tensor, Fates) {
        let (of_source, of_target) = self.embeddings();
        let x = self.embed(
            p,
            &of_source.unwrap_or(of_target),
            filled(source.tokens, self.special.padding),
            source.segments,
        );
        let real = Some(source.real());
        let own = Mask { causal: false, real, segments: source.segments.map(|all| (all, all)) };
        self.encoder().apply(p, x, View { own, memory: None, real }, key)
    }

    fn decode(
        &self,
        p: &Params,
        (source, memory): (Side, Tensor),
        target: Side,
        key: Option<Key>,
    ) -> (Tensor, Fates) {
        let embedding = self.embeddings().1;
        let x = self.embed(p, &embedding, target.late(self.special), target.segments);
        let own = Mask { segments: target.segments.map(|all| (all, all)), ..Mask::default() };
        let across =
            Mask { causal: false, real: Some(source.real()), segments: target.segments.zip(source.segments) };
        let view = View { own, memory: Some((memory, across)), real: Some(target.real()) };
        let (x, fates) = self.decoder().apply(p, x, view, key);
        (embedding.logits(p, x), fates)
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
        let (_, target) = self.sides(batch);
        let (logits, fates) = self.logits(p, batch, key);
        let more = [(self.balance, fates.balance), (self.z_loss, fates.z)];
        let labels =
            Labels { tokens: target.tokens, asked: Some(target.real()), smoothing: self.smoothing, soft };
        let (loss, nats) = weigh(logits, labels, count, &more);
        Losses { loss, nats, counts: fates.counts, statistics: Params::default() }
    }
}

impl Model for EncoderDecoder {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        if self.target_length < 1 {
            let message = format!("a target of {} tokens is too short", self.target_length);
            return Err(Diagnostic::error(CONFIG, message).help("use targets of 1 token at least"));
        }
        let rows = training.rows();
        self.encoder().check(rows, training.batch.saturating_mul(training.length))?;
        self.decoder().check(rows, training.batch.saturating_mul(self.target_length))
    }

    fn specs(&self) -> Specs {
        let mut specs = Specs::default();
        let (of_source, of_target) = self.embeddings();
        of_source.iter().chain([&of_target]).for_each(|embedding| embedding.declare(&mut specs));
        self.encoder().declare(&mut specs);
        self.decoder().declare(&mut specs);
        specs
    }

    fn fields(&self, training: &Training) -> Vec<Field> {
        let (source, target) = (training.length, self.target_length);
        let all = [
            ("source", source),
            ("target", target),
            ("source_segments", source),
            ("target_segments", target),
        ];
        let fields = all.into_iter().take(if self.packed { 4 } else { 2 });
        fields.map(|(name, length)| Field::tokens(name, training.batch, length)).collect()
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        self.sides(batch).1.real().cast(wide(self.net.compute)).sum(..).maximum(1.0)
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        self.losses_taught(p, batch, count, key, None)
    }

    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        let (_, target) = self.sides(batch);
        let (logits, fates) = self.logits(p, batch, None);
        Judged::of(logits, target.tokens, Some(target.real()), fates.counts)
    }

    fn groups(&self) -> Option<i64> {
        self.net.moe.as_ref().map(|moe| moe.groups)
    }

    fn part(&self, n: i64) -> EncoderDecoder {
        EncoderDecoder { net: self.net.part(n), ..self.clone() }
    }
}
