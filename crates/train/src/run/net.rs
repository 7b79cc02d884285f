//! The models that are trained, behind one face: those of text (a language model, or an encoder and a decoder), which
//! also write, and those of other arrays.
//!
//! What differs: the arrays of a batch, what is asked for, and how a text is begun. A new model is a variant here.

use crate::config::Task;
use meshwright_base::Diagnostic;
use meshwright_nn::layers::attention::wide;
use meshwright_nn::models::conformer::Conformer;
use meshwright_nn::models::decode::writer::Writer;
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::images::Labelled;
use meshwright_nn::models::images::dilated::Dilated;
use meshwright_nn::models::images::joined::Joined;
use meshwright_nn::models::images::residual::Residual;
use meshwright_nn::models::images::vit::Vit;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::step::{Field, Judged, Losses, Model, Soft, Training};
use meshwright_nn::models::transformer::{Moe, Transformer, Where};
use meshwright_nn::models::unet::UNet;
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::layer::Gate;
use meshwright_nn::params::{Params, Specs};
use meshwright_nn::tensor::prelude::*;

/// A model that the loop trains.
#[derive(Clone, Debug)]
pub enum Net {
    Text(Box<TextNet>),
    /// Classes of places of images and volumes.
    Segment(Segmenter),
    /// Classes of images.
    Classify(Classifier),
    /// Labels in sound.
    Speech(Conformer),
}

/// A model that tells what each place of an image or a volume is of.
#[derive(Clone, Debug)]
pub enum Segmenter {
    Unet(UNet),
    Dilated(Dilated),
}

/// A model that tells what an image is of, or what is asked of it.
#[derive(Clone, Debug)]
pub enum Classifier {
    Residual(Residual),
    Vit(Box<Vit>),
    Joined(Box<Joined>),
}

/// A model that reads and writes text.
#[derive(Clone, Debug)]
pub enum TextNet {
    Language(Language),
    Pair(EncoderDecoder),
}

impl Net {
    /// The blocks with experts, in the order in which they are counted, as their weights are called.
    pub fn expert_layers(&self) -> Vec<String> {
        match self {
            Net::Text(model) => model.expert_layers(),
            Net::Classify(Classifier::Vit(model)) => layers_of(&model.net, "", model.blocks, false),
            Net::Segment(_) | Net::Classify(_) | Net::Speech(_) => Vec::new(),
        }
    }

    /// The model, if it is one of text.
    pub fn text(&self) -> Option<&TextNet> {
        match self {
            Net::Text(model) => Some(model),
            Net::Segment(_) | Net::Classify(_) | Net::Speech(_) => None,
        }
    }

    /// What it judges one by one, as the task's [`places`](crate::config::Task::places).
    pub fn places(&self) -> &'static str {
        match self {
            Net::Text(_) => Task::Next.places(),
            Net::Segment(_) => Task::Segment.places(),
            Net::Classify(_) => Task::Classify.places(),
            Net::Speech(_) => Task::Speech.places(),
        }
    }

    /// What it makes of a batch, to be looked at. Of images `found`, the likeliest class of each place or of each
    /// image; of images as wholes also `chance`, how likely that is. Of sound `labels` that are heard, `[batch, time]`,
    /// and how many: `lengths`. Nothing of text, which is written.
    pub fn shown(&self, p: &Params, batch: &Params) -> Vec<(&'static str, Tensor)> {
        match self {
            Net::Text(_) => Vec::new(),
            Net::Segment(model) => vec![("found", model.found(p, batch))],
            Net::Classify(model) => {
                let chances = model.chances(p, batch);
                vec![("found", chances.argmax(-1).cast(i32)), ("chance", chances.max(-1))]
            }
            Net::Speech(model) => {
                let found = model.transcribed(p, batch);
                vec![("labels", found.labels), ("lengths", found.lengths)]
            }
        }
    }
}

impl Classifier {
    /// Of each class, `[batch, classes]`.
    fn chances(&self, p: &Params, batch: &Params) -> Tensor {
        match self {
            Classifier::Residual(model) => model.chances(p, batch),
            Classifier::Vit(model) => model.chances(p, batch),
            Classifier::Joined(model) => model.chances(p, batch),
        }
    }
}

impl Segmenter {
    /// The likeliest class of each place that is told, `s32[batch, spatial..]`.
    fn found(&self, p: &Params, batch: &Params) -> Tensor {
        match self {
            Segmenter::Unet(model) => model.found(p, batch),
            Segmenter::Dilated(model) => model.chances(p, batch).argmax(-1).cast(i32),
        }
    }

    /// Spatial sizes of what is told.
    pub fn told(&self) -> &[i64] {
        match self {
            Segmenter::Unet(model) => &model.sizes,
            Segmenter::Dilated(model) => &model.told,
        }
    }
}

impl TextNet {
    fn blocks(&mut self) -> &mut Transformer {
        match self {
            TextNet::Language(model) => &mut model.net,
            TextNet::Pair(model) => &mut model.net,
        }
    }

    /// The blocks with experts, in the order in which they are counted, as their weights are called.
    pub fn expert_layers(&self) -> Vec<String> {
        match self {
            TextNet::Language(model) => layers_of(&model.net, "", model.blocks, true),
            TextNet::Pair(model) => [
                layers_of(&model.net, "encoder.", model.encoder, false),
                layers_of(&model.net, "decoder.", model.decoder, true),
            ]
            .concat(),
        }
    }

    /// The same with other experts, if there are any.
    pub fn with_experts(&self, change: impl Fn(&Moe) -> Moe) -> TextNet {
        let mut net = self.clone();
        let blocks = net.blocks();
        blocks.moe = blocks.moe.as_ref().map(change);
        net
    }

    /// The same with other places per expert, by how tokens choose, and other groups if it is asked for.
    pub fn with_capacity(&self, capacity: impl Fn(Gate) -> Capacity, groups: Option<i64>) -> TextNet {
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
            TextNet::Language(model) => model.writer(),
            TextNet::Pair(model) => model.writer(),
        }
    }

    /// The same for one text a row.
    pub fn unpacked(&self) -> TextNet {
        let mut net = self.clone();
        match &mut net {
            TextNet::Language(model) => model.packed = false,
            TextNet::Pair(model) => model.packed = false,
        }
        net
    }

    /// Losses of a batch beside a teacher, if there is one.
    pub fn losses_taught(
        &self,
        p: &Params,
        batch: &Params,
        count: Tensor,
        key: Option<Key>,
        soft: Option<Soft>,
    ) -> Losses {
        match self {
            TextNet::Language(model) => model.losses_taught(p, batch, count, key, soft),
            TextNet::Pair(model) => model.losses_taught(p, batch, count, key, soft),
        }
    }

    /// Logits of the tokens that a batch asks for, as in evaluation.
    pub fn asked(&self, p: &Params, batch: &Params) -> Tensor {
        widened(match self {
            TextNet::Language(model) => {
                let tokens = batch.get("tokens");
                model.logits(p, tokens.slice((.., 0..tokens.dim(1) - 1)), None, None).0
            }
            TextNet::Pair(model) => model.logits(p, batch, None).0,
        })
    }

    /// Logits of every place of texts under way: `tokens`, or `source` and `target`.
    pub fn heard(&self, p: &Params, batch: &Params) -> Tensor {
        widened(match self {
            TextNet::Language(model) => model.logits(p, batch.get("tokens"), None, None).0,
            TextNet::Pair(model) => model.logits(p, batch, None).0,
        })
    }
}

/// The layers of experts of a stack.
fn layers_of(net: &Transformer, path: &str, blocks: usize, causal: bool) -> Vec<String> {
    let moe = net.moe_of(causal);
    let with = (0..blocks).filter(|block| moe.is_some_and(|moe| moe.are_in(*block)));
    // Attention stands before the feed-forward layer, and has two layers of experts.
    let parts: &[&str] = match net.moe.as_ref().map(|moe| moe.layers) {
        None | Some(Where::Ffn) => &[""],
        Some(Where::Attention(_)) => &[" queries", " keys"],
        Some(Where::Both(_)) => &[" queries", " keys", ""],
    };
    with.flat_map(|block| parts.iter().map(move |part| format!("{path}block_{block}{part}"))).collect()
}

/// Logits as losses are taken of them.
fn widened(logits: Tensor) -> Tensor {
    logits.cast(wide(logits.dtype()))
}

/// What all variants of an enum of models have.
macro_rules! each_model {
    ($net:ident: $($variant:ident),*) => {
        impl Model for $net {
            fn check(&self, training: &Training) -> Result<(), Diagnostic> {
                match self { $($net::$variant(model) => model.check(training),)* }
            }

            fn specs(&self) -> Specs {
                match self { $($net::$variant(model) => model.specs(),)* }
            }

            fn fields(&self, training: &Training) -> Vec<Field> {
                match self { $($net::$variant(model) => model.fields(training),)* }
            }

            fn predicted(&self, batch: &Params) -> Tensor {
                match self { $($net::$variant(model) => model.predicted(batch),)* }
            }

            fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
                match self { $($net::$variant(model) => model.losses(p, batch, count, key),)* }
            }

            fn judged(&self, p: &Params, batch: &Params) -> Judged {
                match self { $($net::$variant(model) => model.judged(p, batch),)* }
            }

            fn groups(&self) -> Option<i64> {
                match self { $($net::$variant(model) => model.groups(),)* }
            }

            fn part(&self, n: i64) -> $net {
                match self { $($net::$variant(model) => $net::$variant(model.part(n).into()),)* }
            }
        }
    };
}

each_model!(Net: Text, Segment, Classify, Speech);
each_model!(Segmenter: Unet, Dilated);
each_model!(Classifier: Residual, Vit, Joined);
each_model!(TextNet: Language, Pair);
