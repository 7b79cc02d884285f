//! What the models of one paper share, given the sizes in which they differ.

use super::conformer::{Conformer, ConvNorm};
use super::encoder_decoder::{EncoderDecoder, Special};
use super::language::Language;
use super::transformer::{DropoutPlaces, LossesOver, Moe, Position, Transformer, Where};
use crate::init::SWITCH_SCALE;
use crate::layers::embed::RowScale;
use crate::layers::ffn::Activation;
use crate::layers::norm::Norm;
use crate::moe::capacity::Capacity;
use crate::moe::exchange::Exchange;
use crate::moe::layer::{Explore, Gate};
use crate::moe::route::{Second, Top2, Weights};
use crate::moe::router::Precision;
use meshwright_ir::DType;

/// Sizes of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    pub model: i64,
    pub hidden: i64,
    pub heads: i64,
    pub kv: i64,
    /// Whether feed-forward layers have a second input matrix (GEGLU).
    pub gated: bool,
    /// 0 for none.
    pub experts: i64,
    /// Every so many blocks has experts.
    pub every: usize,
    /// Groups of tokens for the experts.
    pub groups: i64,
    /// Places of all experts of a group together, in percent of its tokens; of GSPMD's models only.
    pub room: i64,
}

impl Sizes {
    fn moe(&self, gate: Gate, capacity: Capacity) -> Option<Moe> {
        let moe = Moe {
            experts: self.experts,
            hidden: self.hidden,
            every: self.every,
            groups: self.groups,
            gate,
            back: None,
            capacity,
            exchange: Exchange::Einsum,
            precision: Precision::Selective,
            dropout: 0.0,
            layers: Where::Ffn,
            in_decoders: true,
            masking: 0.0,
            routes_padding: false,
            losses_over: LossesOver::Layers,
        };
        (self.experts > 0 && self.every > 0).then_some(moe)
    }

    fn net(&self, activation: Activation, moe: Option<Moe>) -> Transformer {
        Transformer {
            model: self.model,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: 0,
            kv: self.kv,
            activation,
            biases: false,
            norm: Norm::Rms,
            epsilon: 1e-6,
            rows: RowScale::Large,
            position: Position::Relative,
            scaled: false,
            narrow_logits: false,
            dropout: 0.0,
            dropout_places: DropoutPlaces::Everywhere,
            scale: 1.0,
            moe,
            compute: DType::F32,
            stacked: false,
            recompute: false,
            pipeline: None,
        }
    }

    fn t5_activation(&self) -> Activation {
        if self.gated { Activation::Geglu } else { Activation::Relu }
    }
}

/// eps of the Switch Transformer's jitter (appendix C, Figure 15).
pub const JITTER: f64 = 1e-2;

/// T5: an encoder and a decoder of as many blocks, RMS norms, relative positions, one table of embeddings.
pub fn t5(sizes: &Sizes, blocks: usize) -> EncoderDecoder {
    EncoderDecoder {
        net: sizes.net(sizes.t5_activation(), None),
        encoder: blocks,
        decoder: blocks,
        source_vocab: 32_128,
        target_vocab: None,
        tied: true,
        target_length: 114,
        packed: true,
        special: Special::default(),
        balance: 0.0,
        z_loss: 0.0,
        smoothing: 0.0,
    }
}

/// The Switch Transformer: T5 with experts, one per token, drawn at a tenth of the usual scale, and routers that
/// explore by jitter ([`JITTER`]). Pre-training has no dropout.
pub fn switch(sizes: &Sizes, blocks: usize) -> EncoderDecoder {
    let moe = sizes.moe(Gate::Top1(Explore::Jitter(JITTER)), Capacity::Switch(1.25));
    let net = Transformer { scale: SWITCH_SCALE, ..sizes.net(sizes.t5_activation(), moe) };
    EncoderDecoder { net, balance: 1e-2, ..t5(sizes, blocks) }
}

/// GShard's translation model: two experts per token, dropout of 0.1 on what A.2 says and nowhere else, layer norms,
/// waves, attention divided by sqrt(kv); the source's vocabulary of 64,000 for a hundred languages, the target's of
/// 32,000 for English. Norms and positions are those of the Transformer the paper refers to. It gives no factor for the
/// balancing loss; this is the authors' code's, at the paper's scale of the loss.
pub fn gshard(sizes: &Sizes, blocks: usize) -> EncoderDecoder {
    let moe = sizes.moe(Gate::Top2(Top2::PAPER), Capacity::GShard);
    let experts = sizes.experts as f64;
    EncoderDecoder {
        net: Transformer {
            norm: Norm::Layer,
            position: Position::Waves,
            scaled: true,
            dropout: 0.1,
            dropout_places: DropoutPlaces::Residual,
            ..sizes.net(Activation::Relu, moe)
        },
        encoder: blocks,
        decoder: blocks,
        source_vocab: 64_000,
        target_vocab: Some(32_000),
        tied: true,
        target_length: 1_024,
        packed: true,
        special: Special::default(),
        balance: 1e-2 * experts * experts,
        z_loss: 0.0,
        smoothing: 0.0,
    }
}

/// GSPMD's language model (5.1; with experts 5.4 and 5.5): N heads of D, ReLU between the matrices of a layer, 32,000
/// tokens. Two experts per token, as its sparse models descend from GShard's, with as much room as the sizes say.
pub fn dense2d(sizes: &Sizes, blocks: usize) -> Language {
    let moe = sizes.moe(Gate::Top2(Top2::CODE), Capacity::Switch(sizes.room as f64 / 100.0));
    let net = Transformer { position: Position::Waves, scaled: true, ..sizes.net(Activation::Relu, moe) };
    Language {
        net,
        blocks,
        vocab: 32_000,
        tied: true,
        start: 0,
        packed: false,
        balance: if sizes.experts > 0 { 1e-2 } else { 0.0 },
        z_loss: 0.0,
        smoothing: 0.0,
    }
}

/// Blocks that look both ways, at patches of images or at what is asked of them: Vision Transformers' (Dosovitskiy et
/// al.), and with experts V-MoE's, two for each patch (Riquelme et al.).
pub fn looking_both_ways(sizes: &Sizes) -> Transformer {
    let moe = sizes.moe(Gate::TopN(2, Weights::Raw), Capacity::Switch(sizes.room as f64 / 100.0));
    let moe = moe.map(|moe| Moe { exchange: Exchange::Gather, ..moe });
    let net = sizes.net(Activation::Gelu, moe);
    Transformer { norm: Norm::Layer, position: Position::Waves, scaled: true, ..net }
}

/// GSPMD's Conformer (5.3). It says M, H and N, and by its counts of parameters a block has little beside
/// `4 M H + 7 M^2`: 32 times at which its convolution looks fit both counts. What is in front and behind is not said:
/// 80 energies a frame, 32 channels, 63 kinds of letters.
pub fn conformer(sizes: &Sizes, blocks: usize) -> Conformer {
    Conformer {
        features: 80,
        channels: 32,
        model: sizes.model,
        hidden: sizes.hidden,
        heads: sizes.heads,
        kv: sizes.kv,
        window: 32,
        norm: ConvNorm::Layer,
        blocks,
        labels: 63,
        most: 256,
        dropout: 0.0,
        compute: DType::F32,
        stacked: false,
        recompute: false,
        pipeline: None,
    }
}

/// NLLB's translation model: GShard's, with biases, embeddings times sqrt(model), waves that begin at place 2, and
/// second choices of experts always used; weights of the two are shares of what is left after dropping. One vocabulary
/// for all languages.
pub fn nllb(sizes: &Sizes, blocks: usize) -> EncoderDecoder {
    let gate = Top2 { weights: Weights::NormalizedAfter, second: Second::All, ..Top2::CODE };
    let moe = sizes.moe(Gate::Top2(gate), Capacity::Unlimited);
    let base = gshard(sizes, blocks);
    let net = Transformer {
        moe,
        biases: true,
        position: Position::WavesFrom(2),
        epsilon: 1e-5,
        rows: RowScale::Small,
        ..base.net
    };
    EncoderDecoder { net, source_vocab: 256_206, target_vocab: None, balance: 1e-3, ..base }
}

/// Mixtral: a decoder of RMS norms, rotary positions, fewer heads of keys and values, SwiGLU, and in every block the
/// two best of its experts, none of whose tokens is dropped. Logits have a matrix of their own.
pub fn mixtral(sizes: &Sizes, blocks: usize) -> Language {
    let moe = sizes.moe(Gate::TopN(2, Weights::NormalizedBefore), Capacity::Unlimited);
    let net = Transformer {
        scaled: true,
        position: Position::Rotary(1_000_000),
        epsilon: 1e-5,
        ..sizes.net(Activation::Swiglu, moe)
    };
    Language { net, tied: false, balance: 0.0, ..dense2d(sizes, blocks) }
}
