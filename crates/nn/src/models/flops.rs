//! Flops of a sequence's forward pass in an encoder-decoder, as the Switch Transformer's Table 9 counts them, and what
//! a program computes beyond that.
//!
//! The paper counts "as done in Kaplan et al. (2020)": two flops for each weight that a token meets, and `2 n d` for
//! each of `n` tokens that it looks at. By that rule (sequences of 512 tokens with targets of 114, the decoder's sight
//! of the encoder counted at the target's tokens, experts as if each token met one, logits with the rest) every
//! printed number comes out within 2 %.
//!
//! ```text
//! program = kaplan + values + memory + routers + places
//! ```

use super::encoder_decoder::EncoderDecoder;
use super::presets::Preset;

/// The sizes that flops come from.
#[derive(Clone, Debug)]
pub struct Counted {
    blocks: f64,
    /// Weights of one projection of attention.
    projection: f64,
    /// Weights of a feed-forward layer.
    ffn: f64,
    model: f64,
    heads: f64,
    source: f64,
    target: f64,
    vocabulary: f64,
    experts: f64,
    expert_layers: f64,
    /// Places that experts have for a batch of so many tokens beyond those tokens, for each of its sequences.
    unfilled: [f64; 2],
}

impl Counted {
    /// Of a preset and the model it builds.
    pub fn of(preset: &Preset, model: &EncoderDecoder) -> Counted {
        let sizes = preset.sizes;
        let (source, target) = (preset.length as f64, model.target_length as f64);
        let matrices = if sizes.gated { 3.0 } else { 2.0 };
        let batch = preset.batch as f64;
        let unfilled = |tokens: f64| {
            let Some(moe) = &model.net.moe else { return 0.0 };
            let group = (tokens * batch) as i64 / moe.groups.max(1);
            let places = moe.capacity.places(group, moe.experts, 1) * moe.experts * moe.groups;
            places as f64 / batch - tokens
        };
        Counted {
            blocks: preset.blocks as f64,
            projection: (sizes.model * sizes.heads * sizes.kv) as f64,
            ffn: matrices * (sizes.model * sizes.hidden) as f64,
            model: sizes.model as f64,
            heads: (sizes.heads * sizes.kv) as f64,
            source,
            target,
            vocabulary: model.source_vocab as f64,
            experts: sizes.experts as f64,
            expert_layers: preset.blocks as f64 / sizes.every.max(1) as f64,
            unfilled: [unfilled(source), unfilled(target)],
        }
    }

    /// The paper's count.
    pub fn kaplan(&self) -> f64 {
        let encoder = 4.0 * self.projection + self.ffn;
        let decoder = 8.0 * self.projection + self.ffn;
        let weights = 2.0 * self.blocks * (encoder * self.source + decoder * self.target);
        let logits = 2.0 * self.model * self.vocabulary * self.target;
        weights + self.values() + logits
    }

    /// Sums of values in attention: as many flops as its logits, of which the paper's rule counts one.
    pub fn values(&self) -> f64 {
        let pairs = self.source * self.source + self.target * self.target + self.source * self.target;
        2.0 * self.blocks * self.heads * pairs
    }

    /// The decoder makes keys and values of the source's tokens, not of the target's.
    pub fn memory(&self) -> f64 {
        2.0 * self.blocks * 2.0 * self.projection * (self.source - self.target)
    }

    /// What decides which expert a token meets.
    pub fn routers(&self) -> f64 {
        2.0 * self.expert_layers * self.model * self.experts * (self.source + self.target)
    }

    /// Experts compute on places, of which there are more than tokens.
    pub fn places(&self) -> f64 {
        2.0 * self.expert_layers * self.ffn * self.unfilled.iter().sum::<f64>()
    }

    /// All products of the program.
    pub fn program(&self) -> f64 {
        self.kaplan() + self.values() + self.memory() + self.routers() + self.places()
    }
}
