//! What a `config.json` asks for, field by field. Whatever is asked and not done is told: refused where numbers would
//! be others, else in a line of notes. What changes nothing here is listed, and passed over.

use super::ARCHITECTURE;
use meshwright_base::Diagnostic;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Fields that say nothing of what is computed: where a file comes from, how weights were drawn and are kept, what a
/// call returns beside logits, and heads that are not read here.
const HARMLESS: [&str; 44] = [
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_name_or_path",
    "add_router_probs",
    "architectures",
    "attn_implementation",
    "bos_token_id",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "dtype",
    "eos_token_id",
    "expert_capacity",
    "feed_forward_proj",
    "finetuning_task",
    "gradient_checkpointing",
    "id2label",
    "init_std",
    "initializer_factor",
    "initializer_range",
    "label2id",
    "model_type",
    "n_positions",
    "num_hidden_layers",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "output_router_logits",
    "pad_token_id",
    "prefix",
    "problem_type",
    "pruned_heads",
    "return_dict",
    "return_dict_in_generate",
    "router_aux_loss_coef",
    "router_ignore_padding_tokens",
    "router_type",
    "router_z_loss_coef",
    "task_specific_params",
    "tokenizer_class",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "use_bfloat16",
    "use_cache",
];

/// Fields of training by chance: none of them is done here, and 0 asks for none.
const CHANCES: [&str; 4] =
    ["activation_dropout", "attention_dropout", "decoder_layerdrop", "encoder_layerdrop"];

/// Fields of a `generation_config.json` that ask for nothing.
const SILENT: [&str; 5] =
    ["_from_model_config", "bos_token_id", "pad_token_id", "transformers_version", "use_cache"];

/// A `config.json` that is being read: what it has, what of it was asked for, and what was found wrong.
pub(super) struct Reader<'a> {
    from: &'a Value,
    read: BTreeSet<String>,
    pub wrong: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    pub fn new(from: &'a Value) -> Reader<'a> {
        Reader { from, read: BTreeSet::new(), wrong: Vec::new() }
    }

    /// What it says there; null if nothing.
    pub fn value(&mut self, name: &str) -> &'a Value {
        self.read.insert(name.to_string());
        &self.from[name]
    }

    /// mT5 is T5 with other defaults.
    pub fn is_mt5(&self) -> bool {
        self.from["model_type"] == "mt5"
    }

    pub fn size(&mut self, name: &str, default: Option<usize>) -> usize {
        match (self.value(name), default) {
            (Value::Null, Some(default)) => default,
            (value, _) => match value.as_u64().and_then(|size| usize::try_from(size).ok()) {
                Some(size) => size,
                None => {
                    self.refuse(format!("`{name}` is {value}"), "it must be a size");
                    1
                }
            },
        }
    }

    pub fn number(&mut self, name: &str, default: f64) -> f64 {
        match self.value(name) {
            Value::Null => default,
            value => value.as_f64().unwrap_or_else(|| {
                self.refuse(format!("`{name}` is {value}"), "it must be a number");
                default
            }),
        }
    }

    pub fn flag(&mut self, name: &str, default: bool) -> bool {
        match self.value(name) {
            Value::Null => default,
            value => value.as_bool().unwrap_or_else(|| {
                self.refuse(format!("`{name}` is {value}"), "it must be true or false");
                default
            }),
        }
    }

    pub fn word(&mut self, name: &str, default: &str) -> String {
        self.value(name).as_str().unwrap_or(default).to_string()
    }

    /// Something that models here have in one way only.
    pub fn only(&mut self, name: &str, value: Value) {
        let found = self.value(name);
        let same = match (found.as_f64(), value.as_f64()) {
            (Some(a), Some(b)) => a == b,
            _ => *found == value,
        };
        if !found.is_null() && !same {
            self.refuse(format!("`{name}` is {found}"), &format!("models here have {value}"));
        }
    }

    /// Something that no model here has.
    pub fn none(&mut self, name: &str) {
        let found = self.value(name);
        if !found.is_null() {
            self.refuse(format!("`{name}` is {found}"), "models here have none");
        }
    }

    pub fn refuse(&mut self, what: String, help: &str) {
        let message = format!("no model here has what `config.json` says: {what}");
        self.wrong.push(Diagnostic::error(ARCHITECTURE, message).help(help));
    }

    /// What it says that was not asked for, and may not be harmless.
    pub fn notes(&self) -> Vec<String> {
        let empty = Map::new();
        let said = self.from.as_object().unwrap_or(&empty).iter();
        let left = said.filter(|(name, value)| {
            let is_chance = CHANCES.contains(&&***name) && value.as_f64() == Some(0.0);
            let is_known = self.read.contains(*name) || HARMLESS.contains(&&***name);
            !is_known && !is_chance && !value.is_null()
        });
        told("config.json", left)
    }
}

/// What a `generation_config.json` asks for beyond what a `config.json` says.
pub(super) fn of_generation(asked: &Value, config: &Value) -> Vec<String> {
    let empty = Map::new();
    let said = asked.as_object().unwrap_or(&empty).iter();
    told(
        "generation_config.json",
        said.filter(|(name, value)| {
            let is_same = config.get(&**name) == Some(*value);
            !SILENT.contains(&&***name) && !is_same && !value.is_null()
        }),
    )
}

/// One line, or none.
fn told<'a>(file: &str, left: impl Iterator<Item = (&'a String, &'a Value)>) -> Vec<String> {
    let one = |(name, value): (&String, &Value)| match value {
        Value::Array(_) | Value::Object(_) => format!("`{name}`"),
        value => format!("`{name}` {value}"),
    };
    let all: Vec<String> = left.map(one).collect();
    if all.is_empty() { Vec::new() } else { vec![format!("`{file}` is not followed in {}", all.join(", "))] }
}
