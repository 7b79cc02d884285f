//! Hugging Face `tokenizer.json`: the part of it that says what SentencePiece models say. (Byte-level ones are read by
//! [`byte_level_json`].)
//!
//! Models `Unigram` and `BPE`; normalizers `Precompiled`, `Prepend` and `Replace` of spaces, `Strip`, in sequences;
//! pre-tokenizers `WhitespaceSplit` and `Metaspace`; added tokens that are pieces already or go on after them. Post-
//! processors are not applied: who needs an end token adds it. All else is refused by its name.

use super::byte_level_json;
use super::json_parts::{
    bpe_pieces, broken, each, kind, kind_of, merges, outside, refuse_affixes, refuse_cuts, special_tokens,
    with_added,
};
use super::pieces::{Kind, Piece, Vocabulary};
use super::{Model, Normalizer, SPACE, Tokenizer, normalize, refuse};
use meshwright_base::Diagnostic;
use serde_json::{Map, Value, json};

pub fn read(bytes: &[u8]) -> Result<Tokenizer, Diagnostic> {
    let file: Value = serde_json::from_slice(bytes).map_err(|error| {
        refuse(format!("this `tokenizer.json` is broken: {error}"), "fetch it again, or give a `.model`")
    })?;
    if byte_level_json::is_byte_level(&file) {
        return byte_level_json::read(&file);
    }
    let mut steps = Normalizer { collapse: false, prefix: false, ..Normalizer::default() };
    normalizer(&file["normalizer"], &mut steps)?;
    pre_tokenizer(&file["pre_tokenizer"], &mut steps)?;
    refuse_cuts(&file)?;
    match kind(&file["model"]) {
        "Unigram" => unigram(&file, steps),
        "BPE" => bpe(&file, steps),
        other => Err(outside(&format!("model `{other}`"))),
    }
}

fn normalizer(value: &Value, steps: &mut Normalizer) -> Result<(), Diagnostic> {
    for step in each(value, "normalizers") {
        match kind(step) {
            "Precompiled" => steps.replacements = compiled(step)?,
            "Prepend" if step["prepend"] == "\u{2581}" => steps.prefix = true,
            "Replace" if step["pattern"]["String"] == " " && step["content"] == "\u{2581}" => {}
            "Replace" if step["pattern"]["Regex"] == " {2,}" => steps.collapse = true,
            "Strip" => steps.collapse = true,
            other => return Err(outside(&format!("normalizer `{other}`"))),
        }
    }
    Ok(())
}

fn pre_tokenizer(value: &Value, steps: &mut Normalizer) -> Result<(), Diagnostic> {
    for step in each(value, "pretokenizers") {
        match kind(step) {
            "WhitespaceSplit" => steps.collapse = true,
            "Metaspace" if step["replacement"] == "\u{2581}" => steps.prefix = metaspace_prefix(step)?,
            other => return Err(outside(&format!("pre-tokenizer `{other}`"))),
        }
    }
    Ok(())
}

fn metaspace_prefix(step: &Value) -> Result<bool, Diagnostic> {
    match step["prepend_scheme"].as_str() {
        Some("always" | "first") => Ok(true),
        Some("never") => Ok(false),
        Some(other) => Err(outside(&format!("prepend scheme `{other}`"))),
        None => Ok(step["add_prefix_space"].as_bool().unwrap_or(true)),
    }
}

fn compiled(step: &Value) -> Result<Vec<u8>, Diagnostic> {
    let text = step["precompiled_charsmap"].as_str().unwrap_or("");
    from_base64(text)
        .filter(|bytes| normalize::is_compiled(bytes))
        .ok_or_else(|| broken("its compiled replacements"))
}

fn unigram(file: &Value, steps: Normalizer) -> Result<Tokenizer, Diagnostic> {
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
    Tokenizer::unigram(with_added(pieces, file, only_special)?, steps)
}

fn bpe(file: &Value, steps: Normalizer) -> Result<Tokenizer, Diagnostic> {
    let model = &file["model"];
    refuse_affixes(model)?;
    if model["ignore_merges"] == true {
        return Err(outside("`ignore_merges`"));
    }
    let vocab = model["vocab"].as_object().ok_or_else(|| broken("`model.vocab` is no table"))?;
    let vocabulary = Vocabulary::new(with_added(bpe_pieces(vocab, file)?, file, only_special)?)?;
    let merges = merges(model, &vocabulary)?;
    Ok(Tokenizer { vocabulary, normalizer: steps, model: Model::Bpe(merges) })
}

fn only_special(text: &str, _: &Value) -> Result<Piece, Diagnostic> {
    Err(outside(&format!("the added token `{text}`, which is not special")))
}

pub fn write(tokenizer: &Tokenizer) -> String {
    if let Model::ByteLevel(model) = &tokenizer.model {
        return model.json.clone();
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
        steps.push(json!({"type": "Strip", "strip_left": true, "strip_right": true}));
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

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').bytes();
    let values: Vec<u32> = digits
        .map(|digit| DIGITS.iter().position(|known| *known == digit).map(|at| at as u32))
        .collect::<Option<_>>()?;
    let mut out = Vec::with_capacity(values.len() * 3 / 4);
    for four in values.chunks(4) {
        let word = four.iter().chain([0, 0, 0].iter()).take(4).fold(0, |word, value| word << 6 | value);
        out.extend(word.to_be_bytes().iter().skip(1).take(four.len() - 1));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
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
