//! A `config.json` as a configuration, and back. What a model here cannot do is refused by name and value.

use super::asked::Reader;
use super::{ARCHITECTURE, Library};
use crate::Config;
use crate::config::{Activation, CapacityRule, Family, GateWeights, LossesOver, Routing, Second, Task};
use meshwright_base::Diagnostic;
use meshwright_ir::DType;
use serde_json::{Map, Value, json};

/// Whose model it is, as far as names of weights depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Architecture {
    /// T5 and mT5; with a second input matrix from v1.1 on.
    T5 {
        gated: bool,
    },
    /// The same, and Switch, as T5X and flaxformer have them.
    T5x {
        gated: bool,
    },
    Switch,
    NllbMoe,
    Mixtral,
}

impl Architecture {
    fn is_of_t5x(self) -> bool {
        matches!(self, Architecture::T5x { .. })
    }

    /// The token that ends a text where a `config.json` does not say.
    pub(super) fn usual_end(self) -> u64 {
        match self {
            Architecture::T5 { .. } | Architecture::T5x { .. } | Architecture::Switch => 1,
            Architecture::NllbMoe | Architecture::Mixtral => 2,
        }
    }
}

/// Tokens of a source and of a target, where a model has no bound of its own: T5's in pre-training.
const LENGTHS: (usize, usize) = (512, 114);

/// Most tokens that flaxformer's Switch routes together.
const T5X_GROUP: usize = 8192;

/// `model_type`s that are read.
const TYPES: [&str; 5] = ["t5", "mt5", "switch_transformers", "nllb-moe", "mixtral"];

/// What a `config.json` means.
#[derive(Debug)]
pub(super) struct Meant {
    pub architecture: Architecture,
    pub config: Config,
    /// What it says that is not followed, in lines.
    pub notes: Vec<String>,
}

/// The model of a `config.json`, or of the names and shapes of T5X. Every obstacle is reported.
pub(super) fn read(library: Library, from: &Value) -> Result<Meant, Vec<Diagnostic>> {
    let mut reader = Reader::new(from);
    let (architecture, config) = match (library, from["model_type"].as_str()) {
        // Not by name: a file may call itself so, and only shapes bound its numbers of layers.
        (Library::T5x, _) => t5x(&mut reader),
        (Library::HuggingFace, Some("t5" | "mt5")) => t5(&mut reader),
        (Library::HuggingFace, Some("switch_transformers")) => switch(&mut reader),
        (Library::HuggingFace, Some("nllb-moe")) => nllb(&mut reader),
        (Library::HuggingFace, Some("mixtral")) => mixtral(&mut reader),
        (Library::HuggingFace, other) => {
            let what = other.map_or("none".to_string(), |other| format!("`{other}`"));
            let message = format!("the checkpoint's `model_type` is {what}, which is not read here");
            let help = format!("give a checkpoint of one of {}", TYPES.join(", "));
            return Err(vec![Diagnostic::error(ARCHITECTURE, message).help(help)]);
        }
    };
    common(&mut reader, config.model.decoder_only);
    let notes = if architecture.is_of_t5x() { Vec::new() } else { reader.notes() };
    if reader.wrong.is_empty() { Ok(Meant { architecture, config, notes }) } else { Err(reader.wrong) }
}

/// What any model may be asked for, and none here has.
fn common(reader: &mut Reader<'_>, is_alone: bool) {
    reader.only("is_encoder_decoder", json!(!is_alone));
    reader.none("quantization_config");
    for name in ["attention_bias", "is_decoder", "add_cross_attention", "tie_encoder_decoder"] {
        reader.only(name, json!(false));
    }
}

/// What T5 and its kin have in common.
fn t5_kin(reader: &mut Reader<'_>, mut config: Config) -> Config {
    config.model.layers = reader.size("num_layers", None);
    config.model.decoder_layers = reader.size("num_decoder_layers", Some(config.model.layers));
    config.model.d_model = reader.size("d_model", None);
    config.model.d_ff = reader.size("d_ff", None);
    config.model.heads = reader.size("num_heads", None);
    config.model.d_kv = reader.size("d_kv", None);
    config.model.vocabulary = reader.size("vocab_size", None);
    config.model.tied_embeddings = reader.flag("tie_word_embeddings", !reader.is_mt5());
    config.model.dropout = reader.number("dropout_rate", 0.1);
    config.data.input_length = reader.size("n_positions", Some(LENGTHS.0));
    config.data.target_length = LENGTHS.1;
    config.data.packing = false;
    config.data.task = Task::Translate;
    reader.only("relative_attention_num_buckets", json!(32));
    reader.only("relative_attention_max_distance", json!(128));
    reader.only("layer_norm_epsilon", json!(1e-6));
    reader.only("pad_token_id", json!(0));
    reader.only("decoder_start_token_id", json!(0));
    reader.only("scale_decoder_outputs", json!(config.model.tied_embeddings));
    reader.only("scale_embedding", json!(false));
    // Another name of the first there.
    reader.only("num_hidden_layers", json!(config.model.layers));
    config
}

fn t5(reader: &mut Reader<'_>) -> (Architecture, Config) {
    let mut config = t5_kin(reader, Config::default());
    config.model.family = Family::T5;
    config.model.experts = 0;
    let own = if reader.is_mt5() { "gated-gelu" } else { "relu" };
    config.model.activation = match &*reader.word("feed_forward_proj", own) {
        "relu" => Activation::Relu,
        "gated-gelu" => Activation::Geglu,
        "gated-silu" => Activation::Swiglu,
        other => {
            reader.refuse(
                format!("`feed_forward_proj` is \"{other}\""),
                "it must be \"relu\", \"gated-gelu\" or \"gated-silu\"",
            );
            Activation::Relu
        }
    };
    let gated = config.model.activation != Activation::Relu;
    // Where they are given, `transformers` takes them before what `feed_forward_proj` says.
    let function = match config.model.activation {
        Activation::Geglu => "gelu_new",
        Activation::Swiglu => "silu",
        Activation::Relu | Activation::Gelu => "relu",
    };
    reader.only("dense_act_fn", json!(function));
    reader.only("is_gated_act", json!(gated));
    (Architecture::T5 { gated }, config)
}

/// T5 as T5X has it, or Switch as flaxformer does. Their checkpoints say nothing of how tokens are routed: capacity,
/// groups and losses are those of flaxformer's own configurations of Switch. Losses of routers are the mean over layers
/// there, a sum here.
fn t5x(reader: &mut Reader<'_>) -> (Architecture, Config) {
    let (_, mut config) = t5(reader);
    let gated = config.model.activation != Activation::Relu;
    let experts = reader.size("num_experts", Some(0));
    if experts == 0 {
        return (Architecture::T5x { gated }, config);
    }
    let mut places = |name: &str| -> Vec<usize> {
        let all = reader.value(name).as_array().into_iter().flatten();
        all.filter_map(|at| usize::try_from(at.as_u64()?).ok()).collect()
    };
    let (encoder, decoder) = (places("encoder_expert_layers"), places("decoder_expert_layers"));
    let every = encoder.first().map_or(1, |first| first + 1);
    let wanted = |layers: usize| (0..layers).filter(|at| at % every == every - 1).collect::<Vec<usize>>();
    let is_regular = |found: &[usize], layers: usize| found == wanted(layers);
    let in_decoder = !decoder.is_empty();
    let (layers, decoder_layers) = (config.model.layers, config.model.decoder_layers);
    if encoder.is_empty()
        || !is_regular(&encoder, layers)
        || in_decoder && !is_regular(&decoder, decoder_layers)
    {
        let what = format!("layers {encoder:?} of the encoder and {decoder:?} of the decoder have experts");
        let help = "models here have experts in every n-th layer of the encoder, and of the decoder likewise or not at all";
        reader.refuse(what, help);
    }
    let routed = encoder.len() + decoder.len();
    let model = &mut config.model;
    model.family = Family::Switch;
    model.experts = experts;
    model.expert_every = every;
    model.decoder_experts = in_decoder;
    model.expert_ff = reader.size("expert_ff", Some(0));
    model.capacity_rule = CapacityRule::Flaxformer;
    model.group_size = T5X_GROUP;
    model.jitter = 0.0;
    model.aux_loss /= routed.max(1) as f64;
    (Architecture::T5x { gated }, config)
}

/// Tokens of a row are a group, padding is routed, and losses are taken over a stack. A stack whose every layer has
/// experts adds no loss there.
fn switch(reader: &mut Reader<'_>) -> (Architecture, Config) {
    let mut config = t5_kin(reader, Config::default());
    config.model.family = Family::Switch;
    config.model.experts = reader.size("num_experts", None);
    let step = |reader: &mut Reader<'_>, stack: &str| {
        let layers =
            reader.size(if stack == "encoder" { "num_layers" } else { "num_decoder_layers" }, Some(1));
        let sparse = reader.size(&format!("num_sparse_{stack}_layers"), Some(3));
        let most = layers.checked_div(sparse).unwrap_or(layers);
        reader.size(&format!("{stack}_sparse_step"), Some(most))
    };
    let (encoder, decoder) = (step(reader, "encoder"), step(reader, "decoder"));
    if encoder == 0 || encoder > 2 || decoder != 0 && decoder != encoder {
        let what = format!("`encoder_sparse_step` is {encoder} and `decoder_sparse_step` {decoder}");
        reader.refuse(what, "both must be 1 or 2, or the decoder's 0");
    }
    config.model.expert_every = encoder;
    config.model.decoder_experts = decoder > 0;
    config.model.capacity_rule = CapacityRule::Fixed;
    let places = reader.size("expert_capacity", Some(64)) as f64;
    (config.model.capacity_factor, config.model.eval_capacity_factor) = (places, places);
    config.model.group_size = config.data.input_length.max(config.data.target_length);
    config.model.route_padding = true;
    config.model.router_losses = LossesOver::Stack;
    let weighs = encoder > 1;
    config.model.aux_loss = if weighs { reader.number("router_aux_loss_coef", 0.001) } else { 0.0 };
    config.model.z_loss = if weighs { reader.number("router_z_loss_coef", 0.001) } else { 0.0 };
    config.model.jitter = reader.number("router_jitter_noise", 0.01);
    reader.only("dense_act_fn", json!("relu"));
    reader.only("is_gated_act", json!(false));
    reader.only("router_bias", json!(false));
    reader.only("router_dtype", json!("float32"));
    (Architecture::Switch, config)
}

/// Both gates are shares of what is left, and nobody is dropped outside of training; here not in training either,
/// unless `model.capacity_rule` asks for it.
fn nllb(reader: &mut Reader<'_>) -> (Architecture, Config) {
    let mut config = Config::default();
    let model = &mut config.model;
    model.family = Family::Nllb;
    model.layers = reader.size("encoder_layers", None);
    model.decoder_layers = reader.size("decoder_layers", None);
    model.d_model = reader.size("d_model", None);
    model.d_ff = reader.size("encoder_ffn_dim", None);
    model.heads = reader.size("encoder_attention_heads", None);
    model.d_kv = model.d_model / model.heads.max(1);
    model.vocabulary = reader.size("vocab_size", None);
    model.experts = reader.size("num_experts", None);
    model.expert_every = reader.size("encoder_sparse_step", None).max(1);
    model.routing = Routing::GshardCode;
    model.second = match &*reader.word("second_expert_policy", "all") {
        "all" => Second::All,
        "random" => Second::RandomGate,
        "sampling" => Second::Sampled,
        other => {
            reader.refuse(
                format!("`second_expert_policy` is \"{other}\""),
                "it must be \"all\", \"random\" or \"sampling\"",
            );
            Second::All
        }
    };
    if model.second == Second::RandomGate {
        model.second_threshold = 0.5;
    }
    let is_before = reader.flag("normalize_router_prob_before_dropping", false);
    model.gate_weights = if is_before { GateWeights::NormalizedBefore } else { GateWeights::NormalizedAfter };
    model.capacity_rule = CapacityRule::Unlimited;
    model.expert_masking = reader.number("moe_token_dropout", 0.2);
    model.dropout = reader.number("dropout", 0.1);
    model.aux_loss = 0.0;
    model.positions = reader.size("max_position_embeddings", Some(1024));
    model.pad_token = reader.size("pad_token_id", Some(1));
    model.start_token = reader.size("decoder_start_token_id", Some(2));
    let length = model.positions.min(LENGTHS.0);
    (config.data.input_length, config.data.target_length) = (length, length);
    config.data.packing = false;
    config.data.task = Task::Translate;
    reader.only("decoder_ffn_dim", json!(config.model.d_ff));
    reader.only("decoder_attention_heads", json!(config.model.heads));
    reader.only("decoder_sparse_step", json!(config.model.expert_every));
    reader.only("activation_function", json!("relu"));
    reader.only("scale_embedding", json!(true));
    reader.only("tie_word_embeddings", json!(true));
    reader.only("router_bias", json!(false));
    reader.only("router_dtype", json!("float32"));
    reader.only("batch_prioritized_routing", json!(false));
    reader.only("router_ignore_padding_tokens", json!(false));
    reader.only("moe_eval_capacity_token_fraction", json!(1.0));
    reader.only("output_router_logits", json!(false));
    (Architecture::NllbMoe, config)
}

fn mixtral(reader: &mut Reader<'_>) -> (Architecture, Config) {
    let mut config = Config::default();
    let model = &mut config.model;
    model.family = Family::Mixtral;
    model.decoder_only = true;
    model.activation = Activation::Swiglu;
    model.layers = reader.size("num_hidden_layers", None);
    model.d_model = reader.size("hidden_size", None);
    model.d_ff = reader.size("intermediate_size", None);
    model.heads = reader.size("num_attention_heads", None);
    model.kv_heads = reader.size("num_key_value_heads", Some(model.heads));
    model.d_kv = reader.size("head_dim", Some(model.d_model / model.heads.max(1)));
    model.vocabulary = reader.size("vocab_size", None);
    model.tied_embeddings = reader.flag("tie_word_embeddings", false);
    model.experts = reader.size("num_local_experts", None);
    model.top = reader.size("num_experts_per_tok", Some(2));
    model.expert_every = 1;
    model.routing = Routing::Top;
    model.gate_weights = GateWeights::NormalizedBefore;
    model.capacity_rule = CapacityRule::Unlimited;
    model.aux_loss = 0.0;
    model.norm_epsilon = reader.number("rms_norm_eps", 1e-5);
    model.start_token = reader.size("bos_token_id", Some(1));
    model.rotary_base = reader.number("rope_theta", 1e6) as usize;
    model.positions = reader.size("max_position_embeddings", Some(4096 * 32));
    config.data.target_length = config.model.positions.min(LENGTHS.0);
    config.data.task = Task::Next;
    reader.only("hidden_act", json!("silu"));
    reader.only("router_jitter_noise", json!(0.0));
    reader.only("output_router_logits", json!(false));
    reader.only("scale_embedding", json!(false));
    ["sliding_window", "rope_scaling"].iter().for_each(|name| reader.none(name));
    if config.model.tied_embeddings {
        reader.refuse(
            "`tie_word_embeddings` is true".into(),
            "logits have a matrix of their own in Mixtral here",
        );
    }
    (Architecture::Mixtral, config)
}

/// A `config.json` to be written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub bytes: Vec<u8>,
    pub kind: String,
    /// Of the weights.
    pub dtype: DType,
}

/// The same of T5X, which has no such file.
pub(super) fn t5x_written(config: &Config) -> Result<(Architecture, Written), Vec<Diagnostic>> {
    let model = &config.model;
    let is_kin = matches!(model.family, Family::T5 | Family::Switch) && !model.decoder_only;
    let is_plain = is_kin && !model.stacked && config.piped().is_none();
    let gated = match model.activation {
        Activation::Relu if is_plain => false,
        Activation::Geglu if is_plain => true,
        activation => {
            let what = format!(
                "no model of T5X's has family \"{}\" with activation \"{}\", or weights in piles",
                model.family.word(),
                activation.word()
            );
            let help =
                "what can be written for T5X is T5 and Switch with \"relu\" or \"geglu\"; try `hf:DIR`";
            return Err(vec![Diagnostic::error(ARCHITECTURE, what).help(help)]);
        }
    };
    Ok((Architecture::T5x { gated }, Written { bytes: Vec::new(), kind: "t5x".into(), dtype: DType::F32 }))
}

/// The `config.json` of a model, upon the one that it came with, if it did. What that says and no configuration here
/// does stays as it was, and so do its bytes where nothing differs.
pub(super) fn write(
    config: &Config,
    before: Option<&[u8]>,
    end: Option<u32>,
) -> Result<(Architecture, Written), Vec<Diagnostic>> {
    let model = &config.model;
    let old: Option<Value> = before.and_then(|bytes| serde_json::from_slice(bytes).ok());
    let (architecture, mut own) = match model.family {
        Family::T5 if !model.decoder_only => t5_written(config)?,
        Family::Switch if !model.decoder_only => switch_written(config)?,
        Family::Nllb => nllb_written(config)?,
        Family::Mixtral => mixtral_written(config)?,
        Family::T5 | Family::Switch => {
            let what = format!("family \"{}\" as a decoder alone", model.family.word());
            return Err(vec![none_there(&what)]);
        }
        other => return Err(vec![none_there(&format!("family \"{}\"", other.word()))]),
    };
    if let Some(end) = end.map(u64::from).filter(|end| *end != architecture.usual_end()) {
        own.insert("eos_token_id".into(), json!(end));
    }
    if model.stacked || config.piped().is_some() {
        return Err(vec![none_there("weights in piles, as of `model.stacked` or a pipeline")]);
    }
    let mut all = match &old {
        Some(Value::Object(old)) => old.clone(),
        _ => Map::new(),
    };
    let kept = |name: &str| old.as_ref().map(|old| &old[name]).filter(|value| !value.is_null());
    // mT5 is T5 under another name.
    let is_kin = |old: &Value| own.get("model_type") == Some(old) || *old == json!("mt5");
    let keeps_name = kept("model_type").is_some_and(is_kin);
    if keeps_name && kept("model_type") == Some(&json!("mt5")) {
        // Its own logits are what it is taken to have.
        own.insert("tie_word_embeddings".into(), json!(model.tied_embeddings));
        if !model.tied_embeddings && kept("tie_word_embeddings").is_none() {
            own.remove("tie_word_embeddings");
        }
    }
    for (name, value) in own {
        let is_name = matches!(&*name, "model_type" | "architectures") && keeps_name;
        let is_same = value.is_null() && kept(&name).is_none()
            || kept(&name)
                .is_some_and(|old| *old == value || old.as_f64().is_some_and(|a| value.as_f64() == Some(a)));
        if !is_name && !is_same {
            all.insert(name, value);
        }
    }
    let kind = all.get("model_type").and_then(Value::as_str).unwrap_or_default().to_string();
    let word = ["dtype", "torch_dtype"].iter().find_map(|name| all.get(*name).and_then(Value::as_str));
    let dtype = match word {
        Some("bfloat16") => DType::BF16,
        Some("float16") => DType::F16,
        Some("float64") => DType::F64,
        _ => DType::F32,
    };
    let new = Value::Object(all);
    let bytes = match (before, old) {
        (Some(before), Some(old)) if old == new => before.to_vec(),
        _ => format!("{new:#}\n").into_bytes(),
    };
    Ok((architecture, Written { bytes, kind, dtype }))
}

fn none_there(what: &str) -> Diagnostic {
    let help = "what can be written is T5, Switch and NLLB-MoE, each with an encoder and a decoder, and Mixtral; \
                `meshwright export` writes the weights of any model";
    Diagnostic::error(ARCHITECTURE, format!("no model of Hugging Face's has {what}")).help(help)
}

fn t5_kin_written(config: &Config, kind: &str, class: &str) -> Map<String, Value> {
    let model = &config.model;
    let decoder = if model.decoder_layers == 0 { model.layers } else { model.decoder_layers };
    let rows = [
        ("architectures", json!([class])),
        ("model_type", json!(kind)),
        ("is_encoder_decoder", json!(true)),
        ("vocab_size", json!(model.vocabulary)),
        ("d_model", json!(model.d_model)),
        ("d_ff", json!(model.d_ff)),
        ("d_kv", json!(model.d_kv)),
        ("num_heads", json!(model.heads)),
        ("num_layers", json!(model.layers)),
        ("num_decoder_layers", json!(decoder)),
        ("relative_attention_num_buckets", json!(32)),
        ("relative_attention_max_distance", json!(128)),
        ("layer_norm_epsilon", json!(1e-6)),
        ("dropout_rate", json!(model.dropout)),
        ("pad_token_id", json!(0)),
        ("eos_token_id", json!(1)),
        ("decoder_start_token_id", json!(0)),
    ];
    let mut all: Map<String, Value> =
        rows.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    // Left out where it is what they take it for.
    if !model.tied_embeddings {
        all.insert("tie_word_embeddings".into(), json!(false));
    }
    all
}

fn t5_written(config: &Config) -> Result<(Architecture, Map<String, Value>), Vec<Diagnostic>> {
    let mut all = t5_kin_written(config, "t5", "T5ForConditionalGeneration");
    let word = match config.model.activation {
        Activation::Relu => "relu",
        Activation::Geglu => "gated-gelu",
        Activation::Swiglu => "gated-silu",
        Activation::Gelu => return Err(vec![none_there("T5 with activation \"gelu\"")]),
    };
    all.insert("feed_forward_proj".into(), json!(word));
    Ok((Architecture::T5 { gated: config.model.activation != Activation::Relu }, all))
}

fn switch_written(config: &Config) -> Result<(Architecture, Map<String, Value>), Vec<Diagnostic>> {
    let model = &config.model;
    let class = "SwitchTransformersForConditionalGeneration";
    let mut all = t5_kin_written(config, "switch_transformers", class);
    if model.activation != Activation::Relu || model.routing != Routing::Switch || model.expert_every > 2 {
        let (activation, routing) = (model.activation.word(), model.routing.word());
        let what = format!(
            "Switch with activation \"{activation}\", routing \"{routing}\" and experts every {} layers",
            model.expert_every
        );
        return Err(vec![none_there(&what)]);
    }
    let places = match model.capacity_rule {
        CapacityRule::Fixed => model.capacity_factor,
        // As many as a row of this model's length has.
        _ => {
            let length = config.data.input_length.max(config.data.target_length) as f64;
            (length * model.eval_capacity_factor / model.experts.max(1) as f64).ceil()
        }
    };
    let decoder = if model.decoder_layers == 0 { model.layers } else { model.decoder_layers };
    let of_decoder = usize::from(model.decoder_experts) * model.expert_every;
    let rows = [
        ("num_experts", json!(model.experts)),
        ("expert_capacity", json!(places as u64)),
        ("encoder_sparse_step", json!(model.expert_every)),
        ("decoder_sparse_step", json!(of_decoder)),
        ("num_sparse_encoder_layers", json!(model.layers / model.expert_every)),
        ("num_sparse_decoder_layers", json!(decoder.checked_div(of_decoder).unwrap_or(0))),
        ("dense_act_fn", json!("relu")),
        ("router_bias", json!(false)),
        ("router_dtype", json!("float32")),
        ("router_jitter_noise", json!(model.jitter)),
    ];
    all.extend(rows.into_iter().map(|(name, value)| (name.to_string(), value)));
    // Of a stack with experts in all layers they take none, whatever the factors are.
    if model.expert_every > 1 {
        all.insert("router_aux_loss_coef".into(), json!(model.aux_loss));
        all.insert("router_z_loss_coef".into(), json!(model.z_loss));
    }
    Ok((Architecture::Switch, all))
}

fn nllb_written(config: &Config) -> Result<(Architecture, Map<String, Value>), Vec<Diagnostic>> {
    let model = &config.model;
    let policy = match model.second {
        Second::All => Some("all"),
        Second::RandomGate if model.second_threshold == 0.5 => Some("random"),
        Second::Sampled => Some("sampling"),
        _ => None,
    };
    // What a rule of training is there, where evaluation drops nobody.
    let places = match model.capacity_rule {
        CapacityRule::Unlimited => Some(None),
        CapacityRule::Fixed if model.eval_dropless => Some(Some(json!(model.capacity_factor as u64))),
        CapacityRule::Fairseq if model.eval_dropless && model.capacity_factor == 1.0 => {
            Some(Some(Value::Null))
        }
        _ => None,
    };
    let (Some(policy), Some(places), Routing::GshardCode) = (policy, places, model.routing) else {
        let (routing, rule, second) = (model.routing.word(), model.capacity_rule.word(), model.second.word());
        return Err(vec![none_there(&format!(
            "NLLB-MoE with routing \"{routing}\", capacity rule \"{rule}\" and second choices \"{second}\""
        ))]);
    };
    let decoder = if model.decoder_layers == 0 { model.layers } else { model.decoder_layers };
    let rows = [
        ("architectures", json!(["NllbMoeForConditionalGeneration"])),
        ("model_type", json!("nllb-moe")),
        ("is_encoder_decoder", json!(true)),
        ("vocab_size", json!(model.vocabulary)),
        ("d_model", json!(model.d_model)),
        ("encoder_layers", json!(model.layers)),
        ("decoder_layers", json!(decoder)),
        ("encoder_ffn_dim", json!(model.d_ff)),
        ("decoder_ffn_dim", json!(model.d_ff)),
        ("encoder_attention_heads", json!(model.heads)),
        ("decoder_attention_heads", json!(model.heads)),
        ("num_experts", json!(model.experts)),
        ("encoder_sparse_step", json!(model.expert_every)),
        ("decoder_sparse_step", json!(model.expert_every)),
        ("normalize_router_prob_before_dropping", json!(model.gate_weights != GateWeights::NormalizedAfter)),
        ("second_expert_policy", json!(policy)),
        ("moe_token_dropout", json!(model.expert_masking)),
        ("dropout", json!(model.dropout)),
        ("max_position_embeddings", json!(model.positions)),
        ("pad_token_id", json!(model.pad_token)),
        ("decoder_start_token_id", json!(model.start_token)),
        ("scale_embedding", json!(true)),
    ];
    let mut all: Map<String, Value> =
        rows.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    all.extend(places.map(|places| ("expert_capacity".to_string(), places)));
    Ok((Architecture::NllbMoe, all))
}

fn mixtral_written(config: &Config) -> Result<(Architecture, Map<String, Value>), Vec<Diagnostic>> {
    let model = &config.model;
    let is_swiglu = model.activation == Activation::Swiglu;
    if model.routing != Routing::Top || model.capacity_rule != CapacityRule::Unlimited || !is_swiglu {
        let what = format!(
            "Mixtral with activation \"{}\", routing \"{}\" and capacity rule \"{}\"",
            model.activation.word(),
            model.routing.word(),
            model.capacity_rule.word()
        );
        return Err(vec![none_there(&what)]);
    }
    let kv_heads = if model.kv_heads == 0 { model.heads } else { model.kv_heads };
    let mut all = Map::new();
    let rows = [
        ("architectures", json!(["MixtralForCausalLM"])),
        ("model_type", json!("mixtral")),
        ("vocab_size", json!(model.vocabulary)),
        ("hidden_size", json!(model.d_model)),
        ("intermediate_size", json!(model.d_ff)),
        ("num_hidden_layers", json!(model.layers)),
        ("num_attention_heads", json!(model.heads)),
        ("num_key_value_heads", json!(kv_heads)),
        ("num_local_experts", json!(model.experts)),
        ("num_experts_per_tok", json!(model.top)),
        ("bos_token_id", json!(model.start_token)),
        ("hidden_act", json!("silu")),
        ("tie_word_embeddings", json!(false)),
        ("sliding_window", Value::Null),
    ];
    all.extend(rows.into_iter().map(|(name, value)| (name.to_string(), value)));
    // What is left out is the family's own.
    if model.d_kv * model.heads != model.d_model {
        all.insert("head_dim".into(), json!(model.d_kv));
    }
    let epsilon = if model.norm_epsilon == 0.0 { 1e-5 } else { model.norm_epsilon };
    let base = if model.rotary_base == 0 { 1_000_000 } else { model.rotary_base };
    all.insert("rms_norm_eps".into(), json!(epsilon));
    all.insert("rope_theta".into(), json!(base as f64));
    if model.positions > 0 {
        all.insert("max_position_embeddings".into(), json!(model.positions));
    }
    Ok((Architecture::Mixtral, all))
}

/// What a field of the model is called there, by the names that a folder may have for it.
pub(super) fn their_names(field: &str) -> &'static [&'static str] {
    match field {
        "model.layers" => &["num_layers", "encoder_layers", "num_hidden_layers"],
        "model.decoder_layers" => &["num_decoder_layers", "decoder_layers"],
        "model.d_model" => &["d_model", "hidden_size"],
        "model.d_ff" => &["d_ff", "encoder_ffn_dim", "intermediate_size"],
        "model.heads" => &["num_heads", "encoder_attention_heads", "num_attention_heads"],
        "model.kv_heads" => &["num_key_value_heads"],
        "model.d_kv" => &["d_kv", "head_dim"],
        "model.vocabulary" => &["vocab_size"],
        "model.dropout" => &["dropout_rate", "dropout"],
        "model.experts" => &["num_experts", "num_local_experts"],
        "model.expert_every" => &["encoder_sparse_step"],
        "model.top" => &["num_experts_per_tok"],
        "model.capacity_factor" | "model.eval_capacity_factor" => &["expert_capacity"],
        "model.jitter" => &["router_jitter_noise"],
        "model.aux_loss" => &["router_aux_loss_coef"],
        "model.z_loss" => &["router_z_loss_coef"],
        "model.expert_masking" => &["moe_token_dropout"],
        "model.positions" => &["max_position_embeddings"],
        "model.pad_token" => &["pad_token_id"],
        "model.start_token" => &["decoder_start_token_id", "bos_token_id"],
        "model.rotary_base" => &["rope_theta"],
        "model.norm_epsilon" => &["rms_norm_eps"],
        "data.input_length" => &["n_positions", "max_position_embeddings"],
        "data.target_length" => &["max_position_embeddings"],
        _ => &[],
    }
}

/// What a model is made of that its weights' shapes do not tell.
pub(super) fn choices(config: &Config) -> Vec<(&'static str, String)> {
    let model = &config.model;
    vec![
        ("model.family", format!("\"{}\"", model.family.word())),
        ("model.activation", format!("\"{}\"", model.activation.word())),
        ("model.routing", format!("\"{}\"", model.routing.word())),
        ("model.norm_epsilon", model.norm_epsilon.to_string()),
        ("model.rotary_base", model.rotary_base.to_string()),
        ("model.pad_token", model.pad_token.to_string()),
        ("model.start_token", model.start_token.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of T5X: which layers have experts.
    fn with_experts(encoder: &[usize], decoder: &[usize]) -> Result<Config, String> {
        let sizes = json!({
            "model_type": "t5x", "vocab_size": 48, "d_model": 16, "num_heads": 2, "d_kv": 8, "d_ff": 32,
            "num_layers": 4, "num_decoder_layers": 2, "num_experts": 4,
            "encoder_expert_layers": encoder, "decoder_expert_layers": decoder,
        });
        let found = read(Library::T5x, &sizes).map(|meant| meant.config);
        found.map_err(|all| all.into_iter().map(|one| one.message).collect())
    }

    #[test]
    fn experts_of_t5x_are_in_every_nth_layer() {
        let every = |encoder: &[usize], decoder: &[usize]| {
            let config = with_experts(encoder, decoder).unwrap();
            (config.model.expert_every, config.model.decoder_experts)
        };
        assert_eq!(every(&[1, 3], &[1]), (2, true));
        assert_eq!(every(&[0, 1, 2, 3], &[0, 1]), (1, true));
        assert_eq!(every(&[3], &[]), (4, false));
        for (encoder, decoder) in [(&[0, 2][..], &[][..]), (&[1, 3], &[0]), (&[2, 3], &[1]), (&[], &[1])] {
            let said = with_experts(encoder, decoder).unwrap_err();
            assert!(said.contains(&format!("layers {encoder:?} of the encoder and {decoder:?}")), "{said}");
        }
    }

    fn messages(found: Vec<Diagnostic>) -> String {
        assert!(found.iter().all(|one| one.code == ARCHITECTURE && one.help.is_some()), "{found:?}");
        found.into_iter().map(|one| one.message).collect::<Vec<_>>().join("\n")
    }

    /// Numbers of layers come from shapes there: a file that states them could ask for any.
    #[test]
    fn a_file_that_calls_itself_t5x_is_no_checkpoint_of_t5x() {
        for (kind, words) in [
            (json!("t5x"), "`model_type` is `t5x`, which is not read here"),
            (json!("bert"), "`model_type` is `bert`, which is not read here"),
            (Value::Null, "`model_type` is none, which is not read here"),
        ] {
            let most = u64::MAX;
            let from = json!({"model_type": kind, "num_layers": most, "num_experts": 4, "encoder_expert_layers": [most]});
            let said = messages(read(Library::HuggingFace, &from).unwrap_err());
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn a_model_that_another_library_lacks_is_refused_by_its_fields() {
        let config = |sets: &[&str]| {
            let mut config = Config::default();
            sets.iter().for_each(|set| config.set(set).unwrap());
            config
        };
        let (t5, switch) = ("model.family=t5", "model.family=switch");
        for (sets, words) in [
            (&["model.family=gshard"][..], "has family \"gshard\""),
            (&[t5, "model.decoder_only=true"], "has family \"t5\" as a decoder alone"),
            (&[switch, "model.stacked=true"], "has weights in piles, as of `model.stacked` or a pipeline"),
            (&[t5, "model.activation=gelu"], "has T5 with activation \"gelu\""),
            (
                &[switch, "model.expert_every=3"],
                "has Switch with activation \"relu\", routing \"switch\" and experts every 3 layers",
            ),
            (
                &["model.family=nllb", "model.routing=switch"],
                "has NLLB-MoE with routing \"switch\", capacity rule \"switch\" and second choices \"auto\"",
            ),
            (
                &["model.family=mixtral", "model.routing=switch"],
                "has Mixtral with activation \"relu\", routing \"switch\" and capacity rule \"switch\"",
            ),
        ] {
            let said = messages(write(&config(sets), None, None).unwrap_err());
            assert!(
                said.starts_with("no model of Hugging Face's has ") && said.contains(words),
                "{words}: {said}"
            );
        }
        for (sets, family, activation) in [
            (&["model.family=gshard"][..], "gshard", "relu"),
            (&[t5, "model.activation=gelu"], "t5", "gelu"),
            (&[switch, "model.stacked=true"], "switch", "relu"),
        ] {
            let said = messages(t5x_written(&config(sets)).unwrap_err());
            let words =
                format!("has family \"{family}\" with activation \"{activation}\", or weights in piles");
            assert!(said.contains(&words), "{said}");
        }
    }
}
