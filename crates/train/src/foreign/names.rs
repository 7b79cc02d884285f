//! What weights are called elsewhere, as tables: one row a kind of weight, theirs beside ours.
//!
//! ```text
//! encoder.block_3.attention.query   <=>   encoder.block.3.layer.0.SelfAttention.q.weight, turned
//! ```
//!
//! `#` is the number of a block, `%` that of an expert. A row without a partner in a model is passed over.

use super::settings::Architecture;

/// How a weight of theirs becomes ours. Dims of ours that are one of theirs (heads and kv) are joined there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TheirForm {
    Same,
    /// As one row there.
    Joined,
    /// As a matrix of inputs and outputs there.
    Matrix,
    /// Outputs first there, inputs first here.
    Transposed,
    /// As many tensors as experts, each turned if it is a matrix; here one, with a dim more in front.
    Experts,
}

impl TheirForm {
    /// Whether matrices are turned.
    pub fn transposes(self) -> bool {
        matches!(self, TheirForm::Transposed | TheirForm::Experts)
    }
}

/// One kind of weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamePair {
    ours: &'static str,
    theirs: &'static str,
    pub layout: TheirForm,
}

const fn same(ours: &'static str, theirs: &'static str) -> NamePair {
    NamePair { ours, theirs, layout: TheirForm::Same }
}

const fn joined(ours: &'static str, theirs: &'static str) -> NamePair {
    NamePair { ours, theirs, layout: TheirForm::Joined }
}

const fn matrix(ours: &'static str, theirs: &'static str) -> NamePair {
    NamePair { ours, theirs, layout: TheirForm::Matrix }
}

const fn transposed(ours: &'static str, theirs: &'static str) -> NamePair {
    NamePair { ours, theirs, layout: TheirForm::Transposed }
}

const fn experts(ours: &'static str, theirs: &'static str) -> NamePair {
    NamePair { ours, theirs, layout: TheirForm::Experts }
}

/// T5 and its kin, but for feed-forward layers.
const T5: &[NamePair] = &[
    same("embed.table", "shared.weight"),
    transposed("embed.logits", "lm_head.weight"),
    same("encoder.position.bias", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"),
    same("encoder.block_#.attention_norm.scale", "encoder.block.#.layer.0.layer_norm.weight"),
    transposed("encoder.block_#.attention.query", "encoder.block.#.layer.0.SelfAttention.q.weight"),
    transposed("encoder.block_#.attention.key", "encoder.block.#.layer.0.SelfAttention.k.weight"),
    transposed("encoder.block_#.attention.value", "encoder.block.#.layer.0.SelfAttention.v.weight"),
    transposed("encoder.block_#.attention.out", "encoder.block.#.layer.0.SelfAttention.o.weight"),
    same("encoder.block_#.mlp_norm.scale", "encoder.block.#.layer.1.layer_norm.weight"),
    same("encoder.final_norm.scale", "encoder.final_layer_norm.weight"),
    same("decoder.position.bias", "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"),
    same("decoder.block_#.attention_norm.scale", "decoder.block.#.layer.0.layer_norm.weight"),
    transposed("decoder.block_#.attention.query", "decoder.block.#.layer.0.SelfAttention.q.weight"),
    transposed("decoder.block_#.attention.key", "decoder.block.#.layer.0.SelfAttention.k.weight"),
    transposed("decoder.block_#.attention.value", "decoder.block.#.layer.0.SelfAttention.v.weight"),
    transposed("decoder.block_#.attention.out", "decoder.block.#.layer.0.SelfAttention.o.weight"),
    same("decoder.block_#.cross_norm.scale", "decoder.block.#.layer.1.layer_norm.weight"),
    transposed("decoder.block_#.cross.query", "decoder.block.#.layer.1.EncDecAttention.q.weight"),
    transposed("decoder.block_#.cross.key", "decoder.block.#.layer.1.EncDecAttention.k.weight"),
    transposed("decoder.block_#.cross.value", "decoder.block.#.layer.1.EncDecAttention.v.weight"),
    transposed("decoder.block_#.cross.out", "decoder.block.#.layer.1.EncDecAttention.o.weight"),
    same("decoder.block_#.mlp_norm.scale", "decoder.block.#.layer.2.layer_norm.weight"),
    same("decoder.final_norm.scale", "decoder.final_layer_norm.weight"),
];

const T5_PLAIN: &[NamePair] = &[
    transposed("encoder.block_#.mlp.wi", "encoder.block.#.layer.1.DenseReluDense.wi.weight"),
    transposed("encoder.block_#.mlp.wo", "encoder.block.#.layer.1.DenseReluDense.wo.weight"),
    transposed("decoder.block_#.mlp.wi", "decoder.block.#.layer.2.DenseReluDense.wi.weight"),
    transposed("decoder.block_#.mlp.wo", "decoder.block.#.layer.2.DenseReluDense.wo.weight"),
];

const T5_GATED: &[NamePair] = &[
    transposed("encoder.block_#.mlp.wi", "encoder.block.#.layer.1.DenseReluDense.wi_0.weight"),
    transposed("encoder.block_#.mlp.wg", "encoder.block.#.layer.1.DenseReluDense.wi_1.weight"),
    transposed("encoder.block_#.mlp.wo", "encoder.block.#.layer.1.DenseReluDense.wo.weight"),
    transposed("decoder.block_#.mlp.wi", "decoder.block.#.layer.2.DenseReluDense.wi_0.weight"),
    transposed("decoder.block_#.mlp.wg", "decoder.block.#.layer.2.DenseReluDense.wi_1.weight"),
    transposed("decoder.block_#.mlp.wo", "decoder.block.#.layer.2.DenseReluDense.wo.weight"),
];

const SWITCH: &[NamePair] = &[
    transposed("encoder.block_#.mlp.wi", "encoder.block.#.layer.1.mlp.wi.weight"),
    transposed("encoder.block_#.mlp.wo", "encoder.block.#.layer.1.mlp.wo.weight"),
    transposed("encoder.block_#.moe.router", "encoder.block.#.layer.1.mlp.router.classifier.weight"),
    experts("encoder.block_#.moe.wi", "encoder.block.#.layer.1.mlp.experts.expert_%.wi.weight"),
    experts("encoder.block_#.moe.wo", "encoder.block.#.layer.1.mlp.experts.expert_%.wo.weight"),
    transposed("decoder.block_#.mlp.wi", "decoder.block.#.layer.2.mlp.wi.weight"),
    transposed("decoder.block_#.mlp.wo", "decoder.block.#.layer.2.mlp.wo.weight"),
    transposed("decoder.block_#.moe.router", "decoder.block.#.layer.2.mlp.router.classifier.weight"),
    experts("decoder.block_#.moe.wi", "decoder.block.#.layer.2.mlp.experts.expert_%.wi.weight"),
    experts("decoder.block_#.moe.wo", "decoder.block.#.layer.2.mlp.experts.expert_%.wo.weight"),
];

const NLLB: &[NamePair] = &[
    same("embed.table", "model.shared.weight"),
    same("encoder.block_#.attention_norm.scale", "model.encoder.layers.#.self_attn_layer_norm.weight"),
    same("encoder.block_#.attention_norm.bias", "model.encoder.layers.#.self_attn_layer_norm.bias"),
    transposed("encoder.block_#.attention.query", "model.encoder.layers.#.self_attn.q_proj.weight"),
    joined("encoder.block_#.attention.query_bias", "model.encoder.layers.#.self_attn.q_proj.bias"),
    transposed("encoder.block_#.attention.key", "model.encoder.layers.#.self_attn.k_proj.weight"),
    joined("encoder.block_#.attention.key_bias", "model.encoder.layers.#.self_attn.k_proj.bias"),
    transposed("encoder.block_#.attention.value", "model.encoder.layers.#.self_attn.v_proj.weight"),
    joined("encoder.block_#.attention.value_bias", "model.encoder.layers.#.self_attn.v_proj.bias"),
    transposed("encoder.block_#.attention.out", "model.encoder.layers.#.self_attn.out_proj.weight"),
    same("encoder.block_#.attention.out_bias", "model.encoder.layers.#.self_attn.out_proj.bias"),
    same("encoder.block_#.mlp_norm.scale", "model.encoder.layers.#.ff_layer_norm.weight"),
    same("encoder.block_#.mlp_norm.bias", "model.encoder.layers.#.ff_layer_norm.bias"),
    transposed("encoder.block_#.mlp.wi", "model.encoder.layers.#.ffn.fc1.weight"),
    same("encoder.block_#.mlp.wi_bias", "model.encoder.layers.#.ffn.fc1.bias"),
    transposed("encoder.block_#.mlp.wo", "model.encoder.layers.#.ffn.fc2.weight"),
    same("encoder.block_#.mlp.wo_bias", "model.encoder.layers.#.ffn.fc2.bias"),
    transposed("encoder.block_#.moe.router", "model.encoder.layers.#.ffn.router.classifier.weight"),
    experts("encoder.block_#.moe.wi", "model.encoder.layers.#.ffn.experts.expert_%.fc1.weight"),
    experts("encoder.block_#.moe.wi_bias", "model.encoder.layers.#.ffn.experts.expert_%.fc1.bias"),
    experts("encoder.block_#.moe.wo", "model.encoder.layers.#.ffn.experts.expert_%.fc2.weight"),
    experts("encoder.block_#.moe.wo_bias", "model.encoder.layers.#.ffn.experts.expert_%.fc2.bias"),
    same("encoder.final_norm.scale", "model.encoder.layer_norm.weight"),
    same("encoder.final_norm.bias", "model.encoder.layer_norm.bias"),
    same("decoder.block_#.attention_norm.scale", "model.decoder.layers.#.self_attn_layer_norm.weight"),
    same("decoder.block_#.attention_norm.bias", "model.decoder.layers.#.self_attn_layer_norm.bias"),
    transposed("decoder.block_#.attention.query", "model.decoder.layers.#.self_attn.q_proj.weight"),
    joined("decoder.block_#.attention.query_bias", "model.decoder.layers.#.self_attn.q_proj.bias"),
    transposed("decoder.block_#.attention.key", "model.decoder.layers.#.self_attn.k_proj.weight"),
    joined("decoder.block_#.attention.key_bias", "model.decoder.layers.#.self_attn.k_proj.bias"),
    transposed("decoder.block_#.attention.value", "model.decoder.layers.#.self_attn.v_proj.weight"),
    joined("decoder.block_#.attention.value_bias", "model.decoder.layers.#.self_attn.v_proj.bias"),
    transposed("decoder.block_#.attention.out", "model.decoder.layers.#.self_attn.out_proj.weight"),
    same("decoder.block_#.attention.out_bias", "model.decoder.layers.#.self_attn.out_proj.bias"),
    same("decoder.block_#.cross_norm.scale", "model.decoder.layers.#.cross_attention_layer_norm.weight"),
    same("decoder.block_#.cross_norm.bias", "model.decoder.layers.#.cross_attention_layer_norm.bias"),
    transposed("decoder.block_#.cross.query", "model.decoder.layers.#.cross_attention.q_proj.weight"),
    joined("decoder.block_#.cross.query_bias", "model.decoder.layers.#.cross_attention.q_proj.bias"),
    transposed("decoder.block_#.cross.key", "model.decoder.layers.#.cross_attention.k_proj.weight"),
    joined("decoder.block_#.cross.key_bias", "model.decoder.layers.#.cross_attention.k_proj.bias"),
    transposed("decoder.block_#.cross.value", "model.decoder.layers.#.cross_attention.v_proj.weight"),
    joined("decoder.block_#.cross.value_bias", "model.decoder.layers.#.cross_attention.v_proj.bias"),
    transposed("decoder.block_#.cross.out", "model.decoder.layers.#.cross_attention.out_proj.weight"),
    same("decoder.block_#.cross.out_bias", "model.decoder.layers.#.cross_attention.out_proj.bias"),
    same("decoder.block_#.mlp_norm.scale", "model.decoder.layers.#.ff_layer_norm.weight"),
    same("decoder.block_#.mlp_norm.bias", "model.decoder.layers.#.ff_layer_norm.bias"),
    transposed("decoder.block_#.mlp.wi", "model.decoder.layers.#.ffn.fc1.weight"),
    same("decoder.block_#.mlp.wi_bias", "model.decoder.layers.#.ffn.fc1.bias"),
    transposed("decoder.block_#.mlp.wo", "model.decoder.layers.#.ffn.fc2.weight"),
    same("decoder.block_#.mlp.wo_bias", "model.decoder.layers.#.ffn.fc2.bias"),
    transposed("decoder.block_#.moe.router", "model.decoder.layers.#.ffn.router.classifier.weight"),
    experts("decoder.block_#.moe.wi", "model.decoder.layers.#.ffn.experts.expert_%.fc1.weight"),
    experts("decoder.block_#.moe.wi_bias", "model.decoder.layers.#.ffn.experts.expert_%.fc1.bias"),
    experts("decoder.block_#.moe.wo", "model.decoder.layers.#.ffn.experts.expert_%.fc2.weight"),
    experts("decoder.block_#.moe.wo_bias", "model.decoder.layers.#.ffn.experts.expert_%.fc2.bias"),
    same("decoder.final_norm.scale", "model.decoder.layer_norm.weight"),
    same("decoder.final_norm.bias", "model.decoder.layer_norm.bias"),
];

const MIXTRAL: &[NamePair] = &[
    same("embed.table", "model.embed_tokens.weight"),
    transposed("embed.logits", "lm_head.weight"),
    same("block_#.attention_norm.scale", "model.layers.#.input_layernorm.weight"),
    transposed("block_#.attention.query", "model.layers.#.self_attn.q_proj.weight"),
    transposed("block_#.attention.key", "model.layers.#.self_attn.k_proj.weight"),
    transposed("block_#.attention.value", "model.layers.#.self_attn.v_proj.weight"),
    transposed("block_#.attention.out", "model.layers.#.self_attn.o_proj.weight"),
    same("block_#.mlp_norm.scale", "model.layers.#.post_attention_layernorm.weight"),
    transposed("block_#.moe.router", "model.layers.#.block_sparse_moe.gate.weight"),
    experts("block_#.moe.wi", "model.layers.#.block_sparse_moe.experts.%.w1.weight"),
    experts("block_#.moe.wg", "model.layers.#.block_sparse_moe.experts.%.w3.weight"),
    experts("block_#.moe.wo", "model.layers.#.block_sparse_moe.experts.%.w2.weight"),
    same("final_norm.scale", "model.norm.weight"),
];

/// T5 as T5X trains it.
const T5X: &[NamePair] = &[
    same("embed.table", "token_embedder/embedding"),
    same("embed.logits", "decoder/logits_dense/kernel"),
    transposed("encoder.position.bias", "encoder/relpos_bias/rel_embedding"),
    same("encoder.block_#.attention_norm.scale", "encoder/layers_#/pre_attention_layer_norm/scale"),
    matrix("encoder.block_#.attention.query", "encoder/layers_#/attention/query/kernel"),
    matrix("encoder.block_#.attention.key", "encoder/layers_#/attention/key/kernel"),
    matrix("encoder.block_#.attention.value", "encoder/layers_#/attention/value/kernel"),
    matrix("encoder.block_#.attention.out", "encoder/layers_#/attention/out/kernel"),
    same("encoder.block_#.mlp_norm.scale", "encoder/layers_#/pre_mlp_layer_norm/scale"),
    same("encoder.block_#.mlp.wo", "encoder/layers_#/mlp/wo/kernel"),
    same("encoder.final_norm.scale", "encoder/encoder_norm/scale"),
    transposed("decoder.position.bias", "decoder/relpos_bias/rel_embedding"),
    same("decoder.block_#.attention_norm.scale", "decoder/layers_#/pre_self_attention_layer_norm/scale"),
    matrix("decoder.block_#.attention.query", "decoder/layers_#/self_attention/query/kernel"),
    matrix("decoder.block_#.attention.key", "decoder/layers_#/self_attention/key/kernel"),
    matrix("decoder.block_#.attention.value", "decoder/layers_#/self_attention/value/kernel"),
    matrix("decoder.block_#.attention.out", "decoder/layers_#/self_attention/out/kernel"),
    same("decoder.block_#.cross_norm.scale", "decoder/layers_#/pre_cross_attention_layer_norm/scale"),
    matrix("decoder.block_#.cross.query", "decoder/layers_#/encoder_decoder_attention/query/kernel"),
    matrix("decoder.block_#.cross.key", "decoder/layers_#/encoder_decoder_attention/key/kernel"),
    matrix("decoder.block_#.cross.value", "decoder/layers_#/encoder_decoder_attention/value/kernel"),
    matrix("decoder.block_#.cross.out", "decoder/layers_#/encoder_decoder_attention/out/kernel"),
    same("decoder.block_#.mlp_norm.scale", "decoder/layers_#/pre_mlp_layer_norm/scale"),
    same("decoder.block_#.mlp.wo", "decoder/layers_#/mlp/wo/kernel"),
    same("decoder.final_norm.scale", "decoder/decoder_norm/scale"),
];

const T5X_PLAIN: &[NamePair] = &[
    same("encoder.block_#.mlp.wi", "encoder/layers_#/mlp/wi/kernel"),
    same("decoder.block_#.mlp.wi", "decoder/layers_#/mlp/wi/kernel"),
];

const T5X_GATED: &[NamePair] = &[
    same("encoder.block_#.mlp.wi", "encoder/layers_#/mlp/wi_0/kernel"),
    same("encoder.block_#.mlp.wg", "encoder/layers_#/mlp/wi_1/kernel"),
    same("decoder.block_#.mlp.wi", "decoder/layers_#/mlp/wi_0/kernel"),
    same("decoder.block_#.mlp.wg", "decoder/layers_#/mlp/wi_1/kernel"),
];

/// The same with experts, as flaxformer has them. Those of a layer are one array.
const T5X_EXPERTS: &[NamePair] = &[
    same("encoder.block_#.moe.router", "encoder/layers_#/mlp/router/router_weights/w/kernel"),
    same("encoder.block_#.moe.wo", "encoder/layers_#/mlp/expert/wo/kernel"),
    same("decoder.block_#.moe.router", "decoder/layers_#/mlp/router/router_weights/w/kernel"),
    same("decoder.block_#.moe.wo", "decoder/layers_#/mlp/expert/wo/kernel"),
];

const T5X_PLAIN_EXPERTS: &[NamePair] = &[
    same("encoder.block_#.moe.wi", "encoder/layers_#/mlp/expert/wi/kernel"),
    same("decoder.block_#.moe.wi", "decoder/layers_#/mlp/expert/wi/kernel"),
];

const T5X_GATED_EXPERTS: &[NamePair] = &[
    same("encoder.block_#.moe.wi", "encoder/layers_#/mlp/expert/wi_0/kernel"),
    same("encoder.block_#.moe.wg", "encoder/layers_#/mlp/expert/wi_1/kernel"),
    same("decoder.block_#.moe.wi", "decoder/layers_#/mlp/expert/wi_0/kernel"),
    same("decoder.block_#.moe.wg", "decoder/layers_#/mlp/expert/wi_1/kernel"),
];

/// Other names under which files repeat a weight. Its bytes must be the same there.
const REPEATED: &[(&str, &str)] = &[
    ("model.encoder.embed_tokens.weight", "model.shared.weight"),
    ("model.decoder.embed_tokens.weight", "model.shared.weight"),
    ("lm_head.weight", "model.shared.weight"),
    ("lm_head.weight", "model.embed_tokens.weight"),
    ("encoder.embed_tokens.weight", "shared.weight"),
    ("decoder.embed_tokens.weight", "shared.weight"),
    ("lm_head.weight", "shared.weight"),
];

/// The tables of an architecture.
fn tables(architecture: Architecture) -> &'static [&'static [NamePair]] {
    match architecture {
        Architecture::T5 { gated: false } => &[T5, T5_PLAIN],
        Architecture::T5 { gated: true } => &[T5, T5_GATED],
        Architecture::T5x { gated: false } => &[T5X, T5X_PLAIN, T5X_EXPERTS, T5X_PLAIN_EXPERTS],
        Architecture::T5x { gated: true } => &[T5X, T5X_GATED, T5X_EXPERTS, T5X_GATED_EXPERTS],
        Architecture::Switch => &[T5, SWITCH],
        Architecture::NllbMoe => &[NLLB],
        Architecture::Mixtral => &[MIXTRAL],
    }
}

/// What a weight of ours is called there: a name, or one for each expert.
pub(super) fn theirs(
    architecture: Architecture,
    ours: &str,
    experts: usize,
) -> Option<(Vec<String>, TheirForm)> {
    let (kind, block) = without_number(ours);
    let row = tables(architecture).iter().copied().flatten().find(|row| row.ours == kind)?;
    let name = row.theirs.replace('#', &block);
    let names = match row.layout {
        TheirForm::Same | TheirForm::Joined | TheirForm::Matrix | TheirForm::Transposed => vec![name],
        TheirForm::Experts => (0..experts).map(|at| name.replace('%', &at.to_string())).collect(),
    };
    Some((names, row.layout))
}

/// The weights that this name may repeat.
pub(super) fn repeats(name: &str) -> impl Iterator<Item = &'static str> {
    REPEATED.iter().filter(move |(other, _)| *other == name).map(|(_, of)| *of)
}

/// `encoder.block_12.mlp.wi` as `encoder.block_#.mlp.wi` and `12`.
fn without_number(ours: &str) -> (String, String) {
    let Some((before, rest)) = ours.split_once("block_") else { return (ours.to_string(), String::new()) };
    let end = rest.find('.').unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    (format!("{before}block_#{after}"), number.to_string())
}
