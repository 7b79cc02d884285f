//! A model of either kind behind one face: a language model, or an encoder and a decoder.
//!
//! What differs: the tensors of a batch, which tokens are asked for, and how a text is begun.

use crate::data::batch::Batch;
use meshwright_base::Diagnostic;
use meshwright_nn::layers::attention::wide;
use meshwright_nn::models::decode::writer::Writer;
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::step::{Losses, Model, Training};
use meshwright_nn::models::transformer::{Moe, Transformer, Where};
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::layer::Gate;
use meshwright_nn::moe::route::Counts;
use meshwright_nn::params::{Params, Specs};
use meshwright_nn::tensor::prelude::*;

/// A model that the loop trains.
#[derive(Clone, Debug)]
pub enum Net {
    Language(Language),
    Pair(EncoderDecoder),
}

/// What a model says of a batch: logits, the tokens that are asked for, and which of them count (all, if none is said).
pub struct Said {
    pub logits: Tensor,
    pub asked: Tensor,
    pub counts_as: Option<Tensor>,
    pub experts: Vec<Counts>,
}

impl Net {
    fn blocks(&mut self) -> &mut Transformer {
        match self {
            Net::Language(model) => &mut model.net,
            Net::Pair(model) => &mut model.net,
        }
    }

    /// The blocks with experts, in the order in which they are counted, as their weights are called.
    pub fn expert_layers(&self) -> Vec<String> {
        let of = |net: &Transformer, path: &str, blocks: usize, causal: bool| -> Vec<String> {
            let moe = net.moe_of(causal);
            let with = (0..blocks).filter(|block| moe.is_some_and(|moe| moe.are_in(*block)));
            // Attention stands before the feed-forward layer, and has two layers of experts.
            let parts: &[&str] = match net.moe.as_ref().map(|moe| moe.layers) {
                None | Some(Where::Ffn) => &[""],
                Some(Where::Attention(_)) => &[" queries", " keys"],
                Some(Where::Both(_)) => &[" queries", " keys", ""],
            };
            with.flat_map(|block| parts.iter().map(move |part| format!("{path}block_{block}{part}")))
                .collect()
        };
        match self {
            Net::Language(model) => of(&model.net, "", model.blocks, true),
            Net::Pair(model) => [
                of(&model.net, "encoder.", model.encoder, false),
                of(&model.net, "decoder.", model.decoder, true),
            ]
            .concat(),
        }
    }

    /// The same with other experts, if there are any.
    pub fn with_experts(&self, change: impl Fn(&Moe) -> Moe) -> Net {
        let mut net = self.clone();
        let blocks = net.blocks();
        blocks.moe = blocks.moe.as_ref().map(change);
        net
    }

    /// The same with other places per expert, by how tokens choose, and other groups if it is asked for.
    pub fn with_capacity(&self, capacity: impl Fn(Gate) -> Capacity, groups: Option<i64>) -> Net {
        self.with_experts(|moe| Moe {
            capacity: capacity(moe.gate),
            back: moe.back.map(|(gate, _)| (gate, capacity(gate))),
            groups: groups.unwrap_or(moe.groups),
            ..moe.clone()
        })
    }

    /// What writes: the model, or its decoder.
    pub fn writer(&self) -> Writer<'_> {
        match self {
            Net::Language(model) => model.writer(),
            Net::Pair(model) => model.writer(),
        }
    }

    /// The same for one text a row.
    pub fn unpacked(&self) -> Net {
        let mut net = self.clone();
        match &mut net {
            Net::Language(model) => model.packed = false,
            Net::Pair(model) => model.packed = false,
        }
        net
    }

    /// Without what is random in training.
    pub fn said(&self, p: &Params, batch: &Params) -> Said {
        match self {
            Net::Language(model) => {
                let tokens = batch.get("tokens");
                let length = tokens.dim(1);
                let (logits, fates) = model.logits(p, tokens.slice((.., 0..length - 1)), None, None);
                let asked = tokens.slice((.., 1..length));
                Said { logits: widened(logits), asked, counts_as: None, experts: fates.counts }
            }
            Net::Pair(model) => {
                let (logits, fates) = model.logits(p, batch, None);
                let asked = batch.get("target");
                let real = if model.packed { batch.get("target_segments").gt(0) } else { asked.ne(0) };
                Said { logits: widened(logits), asked, counts_as: Some(real), experts: fates.counts }
            }
        }
    }

    /// Logits of every place of texts under way: `tokens`, or `source` and `target`.
    pub fn heard(&self, p: &Params, batch: &Params) -> Tensor {
        widened(match self {
            Net::Language(model) => model.logits(p, batch.get("tokens"), None, None).0,
            Net::Pair(model) => model.logits(p, batch, None).0,
        })
    }
}

/// Logits as losses are taken of them.
fn widened(logits: Tensor) -> Tensor {
    logits.cast(wide(logits.dtype()))
}

/// The numbers of one of a batch's tensors. A language model's rows begin with padding, which is only read.
pub fn field(batch: &Batch, name: &str) -> Vec<i32> {
    match name {
        "tokens" => {
            let rows = batch.decoder.tokens.chunks(batch.decoder.length.max(1));
            rows.flat_map(|row| std::iter::once(0).chain(row.iter().copied())).collect()
        }
        "source" => batch.encoder.tokens.clone(),
        "source_segments" => batch.encoder.segments.clone(),
        "target" => batch.decoder.tokens.clone(),
        "parts" => batch.parts.clone(),
        "target_segments" => batch.decoder.segments.clone(),
        _ => Vec::new(),
    }
}

impl Model for Net {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        match self {
            Net::Language(model) => model.check(training),
            Net::Pair(model) => model.check(training),
        }
    }

    fn specs(&self) -> Specs {
        match self {
            Net::Language(model) => model.specs(),
            Net::Pair(model) => model.specs(),
        }
    }

    fn fields(&self, training: &Training) -> Vec<(&'static str, i64)> {
        match self {
            Net::Language(model) => model.fields(training),
            Net::Pair(model) => model.fields(training),
        }
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        match self {
            Net::Language(model) => model.predicted(batch),
            Net::Pair(model) => model.predicted(batch),
        }
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        match self {
            Net::Language(model) => model.losses(p, batch, count, key),
            Net::Pair(model) => model.losses(p, batch, count, key),
        }
    }

    fn groups(&self) -> Option<i64> {
        match self {
            Net::Language(model) => model.groups(),
            Net::Pair(model) => model.groups(),
        }
    }

    fn part(&self, n: i64) -> Net {
        match self {
            Net::Language(model) => Net::Language(model.part(n)),
            Net::Pair(model) => Net::Pair(model.part(n)),
        }
    }
}
