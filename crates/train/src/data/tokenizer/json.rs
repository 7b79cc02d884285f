//! Hugging Face `tokenizer.json`: the part of it that says what SentencePiece models say. (Byte-level ones are read by
//! [`byte_level_json`].)
//!
//! Models `Unigram` and `BPE`; added tokens that are pieces already or go on after them; normalizers and pre-tokenizers
//! as [`steps`](super::steps) has them. Special tokens are never found in text. Post-processors are not applied: who
//! needs an end token adds it. All else is refused by its name.

use super::byte_level_json;
use super::json_parts::{
    DIGITS, ENDS, bpe_pieces, broken, kind, kind_of, merges, outside, refuse_affixes, refuse_cuts,
    special_tokens, with_added,
};
use super::pieces::{Kind, Piece, Vocabulary};
use super::steps::{Steps, added, undone};
use super::{Model, Normalizer, SPACE, Tokenizer, refuse};
use meshwright_base::Diagnostic;
use serde_json::{Map, Value, json};

pub fn read(bytes: &[u8]) -> Result<Tokenizer, Diagnostic> {
    let file: Value = serde_json::from_slice(bytes).map_err(|error| {
        refuse(format!("this `tokenizer.json` is broken: {error}"), "fetch it again, or give a `.model`")
    })?;
    if byte_level_json::is_byte_level(&file) {
        return byte_level_json::read(&file);
    }
    let steps = Steps::read(&file)?;
    refuse_cuts(&file)?;
    match kind(&file["model"]) {
        "Unigram" => unigram(&file, steps),
        "BPE" => bpe(&file, steps),
        other => Err(outside(&format!("model `{other}`"))),
    }
}

fn unigram(file: &Value, steps: Steps) -> Result<Tokenizer, Diagnostic> {
    let model = &file["model"];
    let rows = model["vocab"].as_array().ok_or_else(|| broken("`model.vocab` is no list"))?;
    let unknown = model["unk_id"].as_u64().unwrap_or(u64::MAX);
    let bytes = model["byte_fallback"].as_bool().unwrap_or(false);
    let special = special_tokens(file);
    let piece = |(at, row): (usize, &Value)| {
        let text = row[0].as_str().ok_or_else(|| broken(&format!("row {at} of `model.vocab`")))?;
        let score = row[1].as_f64().ok_or_else(|| broken(&format!("row {at} of `model.vocab`")))? as f32;
        Ok(Piece::new(text, score, kind_of(text, at as u64 == unknown, bytes, &special)))
    };
    let pieces: Vec<Piece> = rows.iter().enumerate().map(piece).collect::<Result<_, Diagnostic>>()?;
    let tokenizer = Tokenizer::unigram(with_added(pieces, file, added)?, Normalizer::default())?;
    Ok(with_steps(tokenizer, steps, file))
}

fn bpe(file: &Value, steps: Steps) -> Result<Tokenizer, Diagnostic> {
    let model = &file["model"];
    refuse_affixes(model)?;
    if model["ignore_merges"] == true {
        return Err(outside("`ignore_merges`"));
    }
    let vocab = model["vocab"].as_object().ok_or_else(|| broken("`model.vocab` is no table"))?;
    let vocabulary = Vocabulary::new(with_added(bpe_pieces(vocab, file)?, file, added)?)?;
    let merges = merges(model, &vocabulary)?;
    let normalizer = Normalizer::default();
    let tokenizer = Tokenizer { vocabulary, normalizer, model: Model::Bpe(merges), steps: None };
    Ok(with_steps(tokenizer, steps, file))
}

fn with_steps(tokenizer: Tokenizer, steps: Steps, file: &Value) -> Tokenizer {
    let steps = steps.with_tokens(file, &tokenizer.vocabulary);
    Tokenizer { normalizer: undone(&steps), steps: Some(Box::new(steps)), ..tokenizer }
}

pub fn write(tokenizer: &Tokenizer) -> String {
    if let Model::ByteLevel(model) = &tokenizer.model {
        return model.json.clone();
    }
    if let Some(steps) = &tokenizer.steps {
        return steps.json.clone();
    }
    let pieces = tokenizer.pieces();
    let special =
        pieces.iter().enumerate().filter(|(_, piece)| matches!(piece.kind, Kind::Control | Kind::Unknown));
    let added: Vec<Value> = special
        .map(|(id, piece)| {
            json!({"id": id, "content": piece.text, "single_word": false, "lstrip": false, "rstrip": false,
                   "normalized": false, "special": true})
        })
        .collect();
    let file = json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": added,
        "normalizer": write_normalizer(&tokenizer.normalizer),
        "pre_tokenizer": {"type": "Metaspace", "replacement": SPACE.to_string(),
                          "prepend_scheme": if tokenizer.normalizer.prefix { "always" } else { "never" }, "split": true},
        "post_processor": null,
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "ByteFallback"},
            {"type": "Metaspace", "replacement": SPACE.to_string(),
             "prepend_scheme": if tokenizer.normalizer.prefix { "always" } else { "never" }, "split": true}]},
        "model": write_model(tokenizer),
    });
    format!("{file:#}")
}

fn write_normalizer(normalizer: &Normalizer) -> Value {
    let mut steps = Vec::new();
    if !normalizer.replacements.is_empty() {
        steps.push(
            json!({"type": "Precompiled", "precompiled_charsmap": to_base64(&normalizer.replacements)}),
        );
    }
    if normalizer.collapse {
        steps.push(json!({"type": "Replace", "pattern": {"Regex": ENDS}, "content": ""}));
        steps.push(json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}));
    }
    if steps.is_empty() { Value::Null } else { json!({"type": "Sequence", "normalizers": steps}) }
}

fn write_model(tokenizer: &Tokenizer) -> Value {
    let pieces = tokenizer.pieces();
    let bytes = tokenizer.vocabulary.bytes().is_some();
    let unknown = tokenizer.vocabulary.unknown();
    match &tokenizer.model {
        Model::ByteLevel(_) => Value::Null,
        Model::Unigram(_) => {
            let rows: Vec<Value> = pieces.iter().map(|piece| json!([piece.text, piece.score])).collect();
            json!({"type": "Unigram", "unk_id": unknown, "vocab": rows, "byte_fallback": bytes})
        }
        Model::Bpe(merges) => {
            let text = |id: u32| pieces.get(id as usize).map_or("", |piece| piece.text.as_str());
            let unknown = unknown.map(text);
            let vocab: Map<String, Value> =
                pieces.iter().enumerate().map(|(id, piece)| (piece.text.clone(), json!(id))).collect();
            let pairs: Vec<Value> =
                merges.ordered().iter().map(|(left, right)| json!([text(*left), text(*right)])).collect();
            json!({"type": "BPE", "dropout": null, "unk_token": unknown, "continuing_subword_prefix": null,
                   "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": bytes, "ignore_merges": false,
                   "vocab": vocab, "merges": pairs})
        }
    }
}

fn to_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let word =
            three.iter().chain([0, 0].iter()).take(3).fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        let digits = (0..4).map(|at| char::from(DIGITS[(word >> (18 - 6 * at) & 63) as usize]));
        out.extend(digits.take(three.len() + 1).chain(std::iter::repeat_n('=', 3 - three.len())));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::json_parts::from_base64;
    use super::*;

    #[test]
    fn base64_goes_there_and_back() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"abcd", &[255, 0, 127, 3]] {
            assert_eq!(from_base64(&to_base64(bytes)).unwrap(), bytes);
        }
        assert_eq!(to_base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
        assert_eq!(from_base64("a!"), None);
    }
}
