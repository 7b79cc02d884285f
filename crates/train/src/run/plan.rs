//! From a configuration to a model with its sizes, its table and its mesh: what is traced and what it lies on.
//!
//! Refuses what the configuration can say and no model here does, before anything is traced.

use super::net::{Classifier, Net, Segmenter, TextNet};
use super::taught::Teacher;
use crate::config::{
    self, CapacityRule, Config, Dtype, Family, Kind, ParamDtype, Routing, Rule, Schedule as Curve, Task,
};
use crate::data::feed::Feed;
use crate::data::source::Vocabularies;
use meshwright_base::{Code, Diagnostic};
use meshwright_ir::DType;
use meshwright_nn::layers::ffn::Activation;
use meshwright_nn::models::encoder_decoder::{EncoderDecoder, Special};
use meshwright_nn::models::family::{self, Sizes};
use meshwright_nn::models::images::vit::Vit;
use meshwright_nn::models::language::Language;
use meshwright_nn::models::step::{Model, Training};
use meshwright_nn::models::strategy::Table;
use meshwright_nn::models::transformer::{DropoutPlaces, LossesOver, Moe, Position, Transformer, Where};
use meshwright_nn::moe::attention::Projection;
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::moe::layer::{Explore, Gate};
use meshwright_nn::moe::route::{Second, Top2, Weights};
use meshwright_nn::moe::router::Precision;
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::adafactor::Adafactor;
use meshwright_nn::optim::adam::Adam;
use meshwright_nn::optim::rule::Rule::Decay;
use meshwright_nn::optim::schedule::Schedule;
use meshwright_nn::optim::stored::Stored;
use meshwright_nn::tensor::{Mesh, Rules};

/// What no model offers.
const NO_MODEL: Code = Code(1140);

/// Everything programs are traced from.
#[derive(Clone, Debug)]
pub struct TrainingPlan<M = Net> {
    pub model: M,
    pub training: Training,
    pub table: &'static Table,
    pub rules: Rules,
    pub mesh: Mesh,
    /// Places per expert outside of training.
    pub eval_capacity: Capacity,
    /// Seed of the first values.
    pub seed: u64,
    /// Names of the classes that places are of, where there are some.
    pub classes: Vec<String>,
    /// The words of what is asked of images, by number, where they are known.
    pub words: &'static [&'static str],
    /// Who teaches beside the text. Only training asks for it.
    pub teacher: Option<Teacher>,
}

/// Of a model that reads and writes text.
pub type TextPlan = TrainingPlan<TextNet>;

impl TrainingPlan {
    /// For what a run is fed with. The configuration has been [checked](Config::check).
    pub fn fed(config: &Config, feed: &Feed) -> Result<TrainingPlan, Vec<Diagnostic>> {
        let mut plan = TrainingPlan::of(config, feed.vocabularies())?;
        if config.data.task.kind() == Kind::Images {
            plan.classes = config.classes(feed.class_names());
        }
        Ok(plan)
    }

    /// For vocabularies of these sizes, before any file of data is read. The configuration has been
    /// [checked](Config::check).
    pub fn of(config: &Config, vocabularies: Vocabularies) -> Result<TrainingPlan, Vec<Diagnostic>> {
        let refused = [refused(config), too_few_rows(config, vocabularies)].concat();
        if !refused.is_empty() {
            return Err(refused);
        }
        let table = config.table();
        let mesh = mesh(config, table).map_err(|found| found.diagnostics())?;
        let model = match config.model.family {
            Family::Unet => Net::Segment(Segmenter::Unet(config.unet())),
            Family::Dilated => Net::Segment(Segmenter::Dilated(config.dilated())),
            Family::Residual => Net::Classify(Classifier::Residual(config.residual())),
            Family::Joined => Net::Classify(Classifier::Joined(Box::new(config.joined()))),
            Family::Vit => Net::Classify(Classifier::Vit(Box::new(config.vit()))),
            Family::Vmoe => Net::Classify(Classifier::Vit(Box::new(vit_of_experts(config)))),
            Family::Conformer => Net::Speech(config.conformer()),
            Family::Switch
            | Family::Gshard
            | Family::T5
            | Family::Dense2d
            | Family::Nllb
            | Family::Mixtral => Net::Text(Box::new(text_net(config, vocabularies))),
        };
        let training = training(config);
        model.check(&training).map_err(|found| vec![found])?;
        let factor = config.model.eval_capacity_factor;
        let eval_capacity =
            if config.model.eval_dropless { Capacity::Unlimited } else { capacity(config, factor) };
        let seed = config.train.seed;
        let classes = if config.data.task.kind() == Kind::Images { config.classes(&[]) } else { Vec::new() };
        let (rules, words, teacher) = (table.rules(&mesh), config.words(), None);
        Ok(TrainingPlan { model, training, table, rules, mesh, eval_capacity, seed, classes, words, teacher })
    }

    /// The model as it is evaluated.
    pub fn evaluated(&self) -> Net {
        match &self.model {
            Net::Text(model) => Net::Text(Box::new(model.with_capacity(|_| self.eval_capacity, None))),
            Net::Classify(Classifier::Vit(model)) => {
                Net::Classify(Classifier::Vit(Box::new(with_capacity(model, self.eval_capacity))))
            }
            Net::Segment(_) | Net::Classify(_) | Net::Speech(_) => self.model.clone(),
        }
    }

    /// The same of the model of text, if it is one.
    pub fn text(&self) -> Option<TextPlan> {
        let TrainingPlan { training, table, rules, mesh, eval_capacity, seed, classes, .. } = self.clone();
        let model = self.model.text()?.clone();
        Some(TrainingPlan {
            model,
            training,
            table,
            rules,
            mesh,
            eval_capacity,
            seed,
            classes,
            words: &[],
            teacher: None,
        })
    }

    /// Places that go through a step: tokens, those of both sides where there are two, pixels and voxels, or as many
    /// labels as there may be.
    pub fn places(&self) -> i64 {
        let rows = self.training.batch;
        match &self.model {
            Net::Text(net) => match &**net {
                TextNet::Language(_) => rows * (self.training.length - 1),
                TextNet::Pair(model) => rows * (self.training.length + model.target_length),
            },
            Net::Segment(model) => rows * model.told().iter().product::<i64>(),
            Net::Classify(_) => rows,
            Net::Speech(model) => rows * model.most,
        }
    }
}

impl<M: Model> TrainingPlan<M> {
    pub fn devices(&self) -> usize {
        usize::try_from(self.mesh.devices()).unwrap_or(1)
    }

    pub fn parameters(&self) -> i64 {
        self.model.specs().elements()
    }

    /// Over how many devices a dim of this name is split.
    pub fn shards_of(&self, dim: &str) -> i64 {
        self.table.axes_over(dim).iter().filter_map(|axis| self.mesh.size(axis)).product()
    }
}

/// Fields whose values no model takes, each with a way out.
fn refused(config: &Config) -> Vec<Diagnostic> {
    let model = &config.model;
    let has_decoder_alone = matches!(model.family, Family::Switch | Family::Dense2d | Family::Mixtral);
    let rows = [(
        "model.decoder_only",
        model.decoder_only && !has_decoder_alone,
        "a decoder alone is of family \"switch\", \"dense2d\" or \"mixtral\"",
    )];
    let found = rows.into_iter().filter(|(_, is_refused, _)| *is_refused);
    found.map(|(field, _, help)| no_model(config, field, help)).collect()
}

/// A table with fewer rows than there are tokens.
fn too_few_rows(config: &Config, vocabularies: Vocabularies) -> Vec<Diagnostic> {
    let (rows, tokens) = (config.model.vocabulary, vocabularies.source.max(vocabularies.target));
    if rows == 0 || rows >= tokens {
        return Vec::new();
    }
    let message =
        format!("`model.vocabulary` is {rows}, and the tokenizer with its sentinels has {tokens} tokens");
    let help =
        "name the tokenizer that belongs to the model in `data.tokenizer`, or use fewer `data.sentinels`";
    vec![Diagnostic::error(NO_MODEL, message).help(help)]
}

/// An encoder and a decoder.
fn is_pair(config: &Config) -> bool {
    !config.model.decoder_only && !matches!(config.model.family, Family::Dense2d | Family::Mixtral)
}

fn no_model(config: &Config, field: &str, help: &str) -> Diagnostic {
    Diagnostic::error(NO_MODEL, format!("no model takes this `{field}`"))
        .at_place(config.written(field).cloned())
        .help(help)
}

fn text_net(config: &Config, vocabularies: Vocabularies) -> TextNet {
    let from = &config.model;
    let vocab = whole(rows(from, vocabularies.source));
    let decoder = if from.decoder_layers == 0 { from.layers } else { from.decoder_layers };
    let (sizes, blocks) = (sizes(config), from.layers);
    let pair = match from.family {
        Family::Switch => family::switch(&sizes, blocks),
        Family::Gshard => family::gshard(&sizes, blocks),
        Family::Nllb => family::nllb(&sizes, blocks),
        Family::T5
        | Family::Dense2d
        | Family::Mixtral
        | Family::Unet
        | Family::Residual
        | Family::Vit
        | Family::Vmoe
        | Family::Dilated
        | Family::Joined
        | Family::Conformer => family::t5(&sizes, blocks),
    };
    let (balance, z_loss, tied) = (balance(from), from.z_loss, from.tied_embeddings);
    let smoothing = from.label_smoothing;
    if is_pair(config) {
        let target_vocab = config.has_two_embeddings().then(|| whole(rows(from, vocabularies.target)));
        let (packed, target_length) = (config.data.packing, whole(config.data.target_length));
        let net = blocks_of(pair.net, config);
        return TextNet::Pair(EncoderDecoder {
            net,
            encoder: blocks,
            decoder,
            source_vocab: vocab,
            target_vocab,
            tied,
            target_length,
            packed,
            special: Special { padding: whole(from.pad_token), start: whole(from.start_token) },
            balance,
            z_loss,
            smoothing,
        });
    }
    let net = match from.family {
        Family::Dense2d => family::dense2d(&sizes, blocks).net,
        Family::Mixtral => family::mixtral(&sizes, blocks).net,
        Family::Switch
        | Family::Gshard
        | Family::T5
        | Family::Nllb
        | Family::Unet
        | Family::Residual
        | Family::Vit
        | Family::Vmoe
        | Family::Dilated
        | Family::Joined
        | Family::Conformer => pair.net,
    };
    TextNet::Language(Language {
        net: blocks_of(net, config),
        blocks,
        vocab,
        tied,
        start: whole(from.start_token),
        packed: false,
        balance,
        z_loss,
        smoothing,
    })
}

/// A ViT with experts as the configuration chooses them.
fn vit_of_experts(config: &Config) -> Vit {
    let (from, vit) = (&config.model, config.vit());
    let experts = blocks_of(family::switch(&sizes(config), vit.blocks).net, config).moe;
    let factors = if experts.is_some() { [balance(from), from.z_loss] } else { [0.0; 2] };
    let net = Transformer {
        moe: experts,
        scale: from.init_scale,
        dropout_places: dropout_places(from, vit.net.dropout_places),
        ..vit.net
    };
    Vit { net, factors, ..vit }
}

/// The same with other places per expert, if there are any.
fn with_capacity(vit: &Vit, capacity: Capacity) -> Vit {
    let moe = vit.net.moe.as_ref().map(|moe| Moe { capacity, ..moe.clone() });
    Vit { net: Transformer { moe, ..vit.net.clone() }, ..vit.clone() }
}

/// Rows of a table for so many tokens.
fn rows(from: &config::ModelSection, tokens: usize) -> usize {
    if from.vocabulary == 0 { tokens } else { from.vocabulary }
}

fn sizes(config: &Config) -> Sizes {
    let from = &config.model;
    Sizes {
        model: whole(from.d_model),
        hidden: whole(from.d_ff),
        heads: whole(from.heads),
        kv: whole(from.d_kv),
        gated: false,
        experts: if matches!(from.family, Family::T5) { 0 } else { whole(from.experts) },
        every: from.expert_every,
        groups: groups(config),
        room: 200,
    }
}

/// A family's blocks with what the configuration chooses.
fn blocks_of(net: Transformer, config: &Config) -> Transformer {
    let from = &config.model;
    let mut net = Transformer {
        activation: activation(from.activation),
        kv_heads: whole(from.kv_heads),
        epsilon: if from.norm_epsilon > 0.0 { from.norm_epsilon } else { net.epsilon },
        position: match net.position {
            Position::Rotary(_) if from.rotary_base > 0 => Position::Rotary(whole(from.rotary_base)),
            own => own,
        },
        dropout: from.dropout,
        dropout_places: dropout_places(from, net.dropout_places),
        scale: from.init_scale,
        compute: compute(from.dtype),
        recompute: from.recompute,
        stacked: from.stacked,
        pipeline: config.piped(),
        ..net
    };
    if let Some(moe) = &mut net.moe {
        moe.gate = gate(from);
        moe.capacity = capacity(config, from.capacity_factor);
        // A decoder beside an encoder whose experts choose must not look ahead: its tokens choose, as Switch's do.
        moe.back = moe.gate.looks_ahead().then(|| (Gate::Top1(explore(from)), moe.capacity));
        moe.exchange = exchange(config);
        moe.layers = layers(from);
        moe.in_decoders = from.decoder_experts || !is_pair(config);
        moe.masking = from.expert_masking;
        moe.routes_padding = from.route_padding;
        moe.losses_over = match from.router_losses {
            config::LossesOver::Layers => LossesOver::Layers,
            config::LossesOver::Stack => LossesOver::Stack,
        };
        moe.precision = if from.router_f32 { Precision::Selective } else { Precision::Activations };
        moe.dropout = from.expert_dropout;
        moe.hidden = if from.expert_ff == 0 { moe.hidden } else { whole(from.expert_ff) };
    }
    net
}

fn dropout_places(from: &config::ModelSection, own: DropoutPlaces) -> DropoutPlaces {
    match from.dropout_places {
        config::DropoutPlaces::Auto => own,
        config::DropoutPlaces::Residual => DropoutPlaces::Residual,
        config::DropoutPlaces::Everywhere => DropoutPlaces::Everywhere,
    }
}

/// Without capacity, rows are sorted in blocks of an expert's fair share of a group: so few blocks that their copies of
/// weights are near twice the weights, and at most as many rows too many as there are tokens.
fn exchange(config: &Config) -> Exchange {
    let share = group_size(config).div_ceil(config.model.experts.max(1)).max(1);
    match config.model.routing {
        Routing::Dropless => Exchange::Sorted { block: whole(share) },
        Routing::Top | Routing::Gshard | Routing::GshardCode
            if config.model.capacity_rule == CapacityRule::Unlimited =>
        {
            Exchange::Sorted { block: whole(share) }
        }
        Routing::Switch
        | Routing::Gshard
        | Routing::GshardCode
        | Routing::Top
        | Routing::ExpertChoice
        | Routing::NoneLeftBehind
        | Routing::Prioritized => match config.model.exchange {
            // An expert's choices would be gathered once for each expert.
            config::Exchange::Auto if config.model.routing == Routing::ExpertChoice => Exchange::Einsum,
            config::Exchange::Auto | config::Exchange::Gather => Exchange::Gather,
            config::Exchange::Einsum => Exchange::Einsum,
        },
    }
}

/// A factor in the convention that was asked for.
fn capacity(config: &Config, factor: f64) -> Capacity {
    match config.model.capacity_rule {
        CapacityRule::Switch => Capacity::Switch(factor),
        CapacityRule::Gshard => Capacity::GShard,
        CapacityRule::MeshTensorflow => Capacity::MeshTensorflow(factor),
        CapacityRule::Praxis => Capacity::Praxis(factor),
        CapacityRule::Flaxformer => Capacity::Flaxformer(factor),
        CapacityRule::PerChoice => Capacity::PerChoice(factor),
        CapacityRule::Fairseq => Capacity::Fairseq(factor),
        CapacityRule::Fixed => Capacity::Fixed(factor as i64),
        CapacityRule::Unlimited => Capacity::Unlimited,
    }
}

/// Which layers have experts. Neither is refused when the configuration is checked.
fn layers(from: &config::ModelSection) -> Where {
    let projection = match from.attention_experts {
        config::AttentionExperts::None => return Where::Ffn,
        config::AttentionExperts::Linear => Projection::Linear,
        config::AttentionExperts::Ffn => Projection::Ffn(whole(from.d_ff)),
    };
    if from.ffn_experts { Where::Both(projection) } else { Where::Attention(projection) }
}

/// The balancing loss of Algorithm 1 is smaller by the square of the number of experts than the others'.
fn balance(from: &config::ModelSection) -> f64 {
    let experts = from.experts as f64;
    if from.routing == Routing::Gshard { from.aux_loss * experts * experts } else { from.aux_loss }
}

fn whole(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn gate(model: &config::ModelSection) -> Gate {
    match model.routing {
        Routing::Gshard => Gate::Top2(top_two(model, Top2::PAPER)),
        Routing::GshardCode => Gate::Top2(top_two(model, Top2::CODE)),
        Routing::Top => Gate::TopN(model.top, weights(model, Weights::NormalizedBefore)),
        Routing::ExpertChoice => Gate::ExpertChoice,
        Routing::NoneLeftBehind => Gate::NoneLeftBehind(model.stages, explore(model)),
        Routing::Prioritized => Gate::Prioritized,
        Routing::Switch | Routing::Dropless => Gate::Top1(explore(model)),
    }
}

/// GShard's gate, with what was asked for in place of its own.
fn top_two(from: &config::ModelSection, own: Top2) -> Top2 {
    Top2 { weights: weights(from, own.weights), second: second(from, own.second), ..own }
}

fn weights(from: &config::ModelSection, own: Weights) -> Weights {
    match from.gate_weights {
        config::GateWeights::Auto => own,
        config::GateWeights::NormalizedBefore => Weights::NormalizedBefore,
        config::GateWeights::NormalizedAfter => Weights::NormalizedAfter,
        config::GateWeights::Raw => Weights::Raw,
    }
}

/// A threshold that is not given is that of the routing.
fn second(from: &config::ModelSection, own: Second) -> Second {
    let threshold = match own {
        Second::Random(threshold) if from.second_threshold == 0.0 => threshold,
        _ => from.second_threshold,
    };
    match from.second {
        config::Second::Auto | config::Second::Random => Second::Random(threshold),
        config::Second::RandomGate => Second::RandomGate(threshold),
        config::Second::Sampled => Second::Sampled,
        config::Second::Threshold => Second::Above(threshold),
        config::Second::All => Second::All,
        config::Second::None => Second::None,
    }
}

fn explore(model: &config::ModelSection) -> Explore {
    match model.explore {
        config::Explore::Jitter if model.jitter > 0.0 => Explore::Jitter(model.jitter),
        config::Explore::Jitter | config::Explore::Argmax => Explore::Argmax,
        config::Explore::Sample => Explore::Sample,
        config::Explore::InputDropout => Explore::InputDropout(model.router_dropout),
    }
}

fn activation(activation: config::Activation) -> Activation {
    match activation {
        config::Activation::Relu => Activation::Relu,
        config::Activation::Gelu => Activation::Gelu,
        config::Activation::Geglu => Activation::Geglu,
        config::Activation::Swiglu => Activation::Swiglu,
    }
}

fn compute(dtype: Dtype) -> DType {
    match dtype {
        Dtype::F32 => DType::F32,
        Dtype::Bf16 => DType::BF16,
        Dtype::F64 => DType::F64,
    }
}

/// The fewest groups of at most `group_size` tokens that divide the batch and its parts; without a size, one for each
/// device that has a share of the batch.
fn groups(config: &Config) -> i64 {
    let (sides, parts) = (sides(config), config.parts());
    let least = match config.model.group_size {
        0 => config.share_a_part().saturating_mul(parts),
        size => sides[0].max(sides[1]).div_ceil(size),
    };
    let common = common_divisor(sides[0].max(1), sides[1].max(1));
    let fits = |groups: &usize| *groups >= least.min(common) && groups.is_multiple_of(parts);
    whole(divisors(common).filter(fits).min().unwrap_or(parts))
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// In no order; as many looks as the root of the number.
fn divisors(of: usize) -> impl Iterator<Item = usize> {
    let small = (1..=of.isqrt()).filter(move |at| of.is_multiple_of(*at));
    small.flat_map(move |at| [at, of / at])
}

/// Tokens of a batch on each side; twice the same where there is one.
fn sides(config: &Config) -> [usize; 2] {
    let data = &config.data;
    if let Some(patches) = config.patches() {
        return [data.batch.saturating_mul(patches); 2];
    }
    let target = data.batch.saturating_mul(data.target_length);
    [if is_pair(config) { data.batch.saturating_mul(data.input_length) } else { target }, target]
}

/// The size that groups have, for a model that is to be used on another mesh than it was trained on.
pub fn group_size(config: &Config) -> usize {
    let sides = sides(config);
    sides[0].max(sides[1]) / usize::try_from(groups(config)).unwrap_or(1).max(1)
}

fn training(config: &Config) -> Training {
    let optimizer = &config.optimizer;
    Training {
        optimizer: rule(optimizer, schedule(optimizer, config.train.steps)),
        batch: whole(config.data.batch),
        microbatches: whole(optimizer.accumulate),
        // What begins a language model's sequence is only read.
        length: if config.data.task.kind() == Kind::Images {
            0
        } else if config.data.task == Task::Speech {
            whole(config.speech.frames)
        } else if is_pair(config) {
            whole(config.data.input_length)
        } else {
            whole(config.data.target_length).saturating_add(1)
        },
        dtype: if config.model.dtype == Dtype::F64 { DType::F64 } else { DType::F32 },
        stored: match config.model.param_dtype {
            ParamDtype::Wide => Stored::Wide,
            ParamDtype::Bf16 => Stored::Narrow { dtype: DType::BF16, has_master: config.optimizer.master },
        },
        seed: config.train.seed ^ 0x726F_7574,
    }
}

fn rule(from: &config::OptimizerSection, rate: Schedule) -> Optimizer {
    let adam = || Adam { beta1: from.beta1, beta2: from.beta2, epsilon: from.epsilon };
    let optimizer = match from.rule {
        Rule::Adafactor => Optimizer::new(stepping(Adafactor::T5, from), rate),
        Rule::AdafactorGshard => Optimizer::new(stepping(Adafactor::GSHARD, from), rate),
        Rule::Adam => Optimizer::new(adam(), rate),
        Rule::Adamw => Optimizer::new(adam(), rate).then(Decay(from.weight_decay)),
        Rule::Sgd => Optimizer::sgd(rate, from.beta1),
    };
    Optimizer { clip: (from.clip_norm > 0.0).then_some(from.clip_norm), ..optimizer }
}

fn stepping(own: Adafactor, from: &config::OptimizerSection) -> Adafactor {
    match from.step_size {
        config::StepSize::Relative => own,
        config::StepSize::Absolute => Adafactor { relative: None, ..own },
    }
}

fn schedule(from: &config::OptimizerSection, steps: u64) -> Schedule {
    let (rate, warmup, end) = (from.learning_rate, from.warmup as f64, steps as f64);
    match from.schedule {
        Curve::Constant => Schedule::Constant(rate),
        Curve::Rsqrt => Schedule::InverseRoot { rate, warmup: warmup.max(1.0) },
        Curve::HoldRsqrt => Schedule::HoldThenRoot { rate, hold: warmup.max(1.0) },
        Curve::Cosine => Schedule::Cosine { rate, warmup, end },
        Curve::Linear => Schedule::Linear { rate, warmup, end },
    }
}

/// The axes that were given, and those of size 1 that the table also names.
fn mesh(config: &Config, table: &Table) -> Result<Mesh, meshwright_nn::tensor::Errors> {
    table.mesh(config.mesh.axes.0.iter().map(|(name, size)| (name.as_str(), whole(*size))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sets: &[&str]) -> Gate {
        let mut config = Config::default();
        sets.iter().for_each(|set| config.set(set).unwrap());
        assert_eq!(config.check(), []);
        gate(&config.model)
    }

    #[test]
    fn two_experts_are_the_papers_unless_something_else_is_asked_for() {
        assert_eq!(of(&["model.routing=gshard"]), Gate::Top2(Top2::PAPER));
        assert_eq!(of(&["model.routing=gshard-code"]), Gate::Top2(Top2::CODE));
        assert_eq!(of(&["model.routing=top"]), Gate::TopN(2, Weights::NormalizedBefore));
        let paper = |more: &[&str]| of(&[&["model.routing=gshard"], more].concat());
        let raw = Top2 { weights: Weights::Raw, ..Top2::PAPER };
        assert_eq!(paper(&["model.gate_weights=raw"]), Gate::Top2(raw));
        let random = Top2 { second: Second::Random(0.2), ..Top2::PAPER };
        assert_eq!(paper(&["model.second=random", "model.second_threshold=0.2"]), Gate::Top2(random));
        let code = |more: &[&str]| of(&[&["model.routing=gshard-code"], more].concat());
        let above = Top2 { second: Second::Above(0.2), ..Top2::CODE };
        assert_eq!(code(&["model.second=threshold"]), Gate::Top2(above));
        let all = Top2 { second: Second::All, weights: Weights::NormalizedAfter, ..Top2::CODE };
        assert_eq!(code(&["model.second=all", "model.gate_weights=normalized-after"]), Gate::Top2(all));
        assert_eq!(code(&["model.second=none"]), Gate::Top2(Top2 { second: Second::None, ..Top2::CODE }));
    }
}
