//! Byte-level BPE in a Hugging Face `tokenizer.json`, as of GPT-2, Llama 3 and Qwen.
//!
//! Model `BPE`; normalizer `NFC`; pre-tokenizers `Split` by a pattern that isolates its parts, `Digits` and
//! `ByteLevel`, in sequences; added tokens. Special ones are never found in text, others always. Post-processors are
//! not applied: who needs an end token adds it. All else is refused by its name.

use super::byte_level::{ByteLevel, Splitter, WORDS, letter};
use super::json_parts::{
    bpe_pieces, broken, each, kind, merges, outside, refuse_affixes, refuse_cuts, with_added,
};
use super::pattern::Pattern;
use super::pieces::{Kind, Piece, Vocabulary};
use super::unigram::Trie;
use super::{Model, Normalizer, Tokenizer};
use meshwright_base::Diagnostic;
use serde_json::Value;

/// Whether bytes are spelt as letters.
pub fn is_byte_level(file: &Value) -> bool {
    each(&file["pre_tokenizer"], "pretokenizers").into_iter().any(|step| kind(step) == "ByteLevel")
}

pub fn read(file: &Value) -> Result<Tokenizer, Diagnostic> {
    let model = &file["model"];
    // GPT-2's own file does not say what its model is.
    let is_bpe = kind(model) == "BPE" || model["type"].is_null() && model["merges"].is_array();
    if !is_bpe {
        return Err(outside(&format!("model `{}` on bytes", kind(model))));
    }
    refuse_cuts(file)?;
    refuse_affixes(model)?;
    let composes = composes(&file["normalizer"])?;
    let vocab = model["vocab"].as_object().ok_or_else(|| broken("`model.vocab` is no table"))?;
    let vocabulary = Vocabulary::without_unknown(with_added(bpe_pieces(vocab, file)?, file, defined)?)?;
    let missing = (0..=255).find(|byte| vocabulary.matching(&letter(*byte).to_string()).is_none());
    if let Some(byte) = missing {
        return Err(outside(&format!("a vocabulary without the byte {byte}")));
    }
    let mut texts = Trie::default();
    let pieces = vocabulary.pieces().iter().zip(0..).filter(|(piece, _)| piece.kind == Kind::Defined);
    pieces.for_each(|(piece, id)| texts.insert(&piece.text, id));
    let byte_level = ByteLevel {
        merges: merges(model, &vocabulary)?,
        defined: texts,
        steps: steps(&file["pre_tokenizer"])?,
        composes,
        whole_words: model["ignore_merges"] == true,
        json: file.to_string(),
    };
    Ok(Tokenizer {
        vocabulary,
        normalizer: Normalizer::default(),
        model: Model::ByteLevel(Box::new(byte_level)),
        steps: None,
    })
}

fn composes(value: &Value) -> Result<bool, Diagnostic> {
    let steps = each(value, "normalizers");
    match steps.iter().find(|step| kind(step) != "NFC") {
        Some(step) => Err(outside(&format!("normalizer `{}` on bytes", kind(step)))),
        None => Ok(!steps.is_empty()),
    }
}

fn steps(value: &Value) -> Result<Vec<Splitter>, Diagnostic> {
    let mut steps = Vec::new();
    for step in each(value, "pretokenizers") {
        match kind(step) {
            "Split" => steps.push(Splitter::Split(split(step)?)),
            "Digits" => steps.push(Splitter::Digits { each: step["individual_digits"] == true }),
            "ByteLevel" => {
                steps.extend((step["add_prefix_space"] == true).then_some(Splitter::Prefix));
                // Files of before do not say, and do.
                if step["use_regex"] != false {
                    steps.push(Splitter::Split(Pattern::read(WORDS)?));
                }
            }
            other => return Err(outside(&format!("pre-tokenizer `{other}` on bytes"))),
        }
    }
    Ok(steps)
}

fn split(step: &Value) -> Result<Pattern, Diagnostic> {
    if step["behavior"] != "Isolated" || step["invert"] == true {
        return Err(outside("a `Split` that does not isolate what fits"));
    }
    match step["pattern"]["Regex"].as_str() {
        Some(pattern) => Pattern::read(pattern),
        None => Err(outside("a `Split` by a plain text")),
    }
}

/// An added token that is not special.
fn defined(text: &str, token: &Value) -> Result<Piece, Diagnostic> {
    match ["single_word", "lstrip", "rstrip"].iter().find(|name| token[**name] == true) {
        Some(name) => Err(outside(&format!("the added token `{text}` with `{name}`"))),
        None => Ok(Piece::new(text, 0.0, Kind::Defined)),
    }
}
