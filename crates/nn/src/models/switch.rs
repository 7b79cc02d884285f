//! The Switch Transformer as a language model (decoder only): blocks of causal attention and a feed-forward layer,
//! every `every`-th of them with experts. T5's norms, positions and tied embeddings. With encoder and decoder it is an
//! [`EncoderDecoder`](super::encoder_decoder::EncoderDecoder).

use super::family::JITTER;
use super::language::Language;
use super::step::{Field, Judged, Losses, Model};
pub use super::step::{Training, first_params, train_step};
pub use super::strategy::Strategy;
use super::transformer::{DropoutPlaces, LossesOver, Moe, Position, Transformer, Where};
use crate::init::SWITCH_SCALE;
use crate::layers::attention::wide;
use crate::layers::embed::RowScale;
use crate::layers::ffn::Activation;
use crate::layers::norm::Norm;
use crate::moe::capacity::Capacity;
use crate::moe::exchange::Exchange;
use crate::moe::layer::{Explore, Gate};
use crate::moe::route::Counts;
use crate::moe::router::Precision;
use crate::params::{Params, Specs};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use meshwright_tensor::prelude::*;

/// Sizes and choices.
#[derive(Clone, Debug)]
pub struct Switch {
    pub vocab: i64,
    pub model: i64,
    pub hidden: i64,
    pub heads: i64,
    pub kv: i64,
    pub blocks: usize,
    pub experts: i64,
    /// Every so many blocks has experts, the last of them: 2 for blocks 1, 3, 5. 0 for none.
    pub every: usize,
    pub groups: i64,
    pub gate: Gate,
    pub capacity: Capacity,
    pub exchange: Exchange,
    pub precision: Precision,
    /// alpha of the balancing loss.
    pub balance: f64,
    /// Factor of the routers' z-loss; the papers have none.
    pub z_loss: f64,
    pub activation: Activation,
    pub dropout: f64,
    pub expert_dropout: f64,
    /// Type of activations.
    pub compute: DType,
    /// One traced period of blocks in a loop, instead of every block.
    pub stacked: bool,
    /// Compute blocks again in the backward pass, instead of keeping what they made.
    pub recompute: bool,
}

impl Switch {
    /// A small one, to be trained on a few cores.
    pub fn small() -> Switch {
        Switch {
            vocab: 256,
            model: 64,
            hidden: 128,
            heads: 4,
            kv: 16,
            blocks: 2,
            experts: 8,
            every: 2,
            groups: 8,
            gate: Gate::Top1(Explore::Jitter(JITTER)),
            capacity: Capacity::Switch(1.25),
            exchange: Exchange::Einsum,
            precision: Precision::Selective,
            balance: 1e-2,
            z_loss: 0.0,
            activation: Activation::Relu,
            dropout: 0.0,
            expert_dropout: 0.0,
            compute: DType::F32,
            stacked: false,
            recompute: false,
        }
    }

    fn moe(&self) -> Moe {
        Moe {
            experts: self.experts,
            hidden: self.hidden,
            every: self.every,
            groups: self.groups,
            gate: self.gate,
            back: None,
            capacity: self.capacity,
            exchange: self.exchange,
            precision: self.precision,
            dropout: self.expert_dropout,
            layers: Where::Ffn,
            in_decoders: true,
            masking: 0.0,
            routes_padding: false,
            losses_over: LossesOver::Layers,
        }
    }

    /// The same as a language model.
    pub fn language(&self) -> Language {
        let net = Transformer {
            model: self.model,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: 0,
            kv: self.kv,
            activation: self.activation,
            biases: false,
            norm: Norm::Rms,
            epsilon: 1e-6,
            rows: RowScale::Large,
            position: Position::Relative,
            scaled: false,
            narrow_logits: false,
            dropout: self.dropout,
            dropout_places: DropoutPlaces::Everywhere,
            scale: SWITCH_SCALE,
            moe: (self.every > 0).then(|| self.moe()),
            compute: self.compute,
            stacked: self.stacked,
            recompute: self.recompute,
            pipeline: None,
        };
        Language {
            net,
            blocks: self.blocks,
            vocab: self.vocab,
            tied: true,
            start: 0,
            packed: false,
            balance: self.balance,
            z_loss: self.z_loss,
            smoothing: 0.0,
        }
    }

    /// What is wrong with the sizes, for batches of `batch` sequences of `length` tokens.
    pub fn check(&self, batch: i64, length: i64) -> Result<(), Diagnostic> {
        self.language().check_tokens(batch, batch.saturating_mul(length))
    }

    /// All parameters.
    pub fn specs(&self) -> Specs {
        self.language().specs()
    }

    /// Logits of the next token, the sum of the balancing losses, and the counts of each layer of experts.
    pub fn logits(&self, p: &Params, tokens: Tensor, key: Option<Key>) -> (Tensor, Tensor, Vec<Counts>) {
        let (logits, fates) = self.language().logits(p, tokens, None, key);
        let none = || scalar(wide(self.compute), 0);
        (logits, fates.balance.unwrap_or_else(none), fates.counts)
    }

    /// The loss: the mean of -log p over all tokens that have a next one, plus alpha times the balancing losses. And
    /// the first part alone (in nats), and the counts.
    pub fn loss(&self, p: &Params, tokens: Tensor, key: Option<Key>) -> (Tensor, Tensor, Vec<Counts>) {
        let batch = Params { list: vec![("tokens".to_string(), tokens)] };
        let language = self.language();
        let Losses { loss, nats, counts, .. } = language.losses(p, &batch, language.predicted(&batch), key);
        (loss, nats, counts)
    }
}

impl Model for Switch {
    fn check(&self, training: &Training) -> Result<(), Diagnostic> {
        Model::check(&self.language(), training)
    }

    fn specs(&self) -> Specs {
        self.language().specs()
    }

    fn fields(&self, training: &Training) -> Vec<Field> {
        self.language().fields(training)
    }

    fn predicted(&self, batch: &Params) -> Tensor {
        self.language().predicted(batch)
    }

    fn losses(&self, p: &Params, batch: &Params, count: Tensor, key: Option<Key>) -> Losses {
        self.language().losses(p, batch, count, key)
    }

    fn judged(&self, p: &Params, batch: &Params) -> Judged {
        self.language().judged(p, batch)
    }

    fn groups(&self) -> Option<i64> {
        self.language().groups()
    }

    fn part(&self, n: i64) -> Switch {
        Switch { groups: self.groups / n.max(1), ..self.clone() }
    }
}
