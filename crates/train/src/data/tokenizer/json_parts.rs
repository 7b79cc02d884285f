//! Parts of a Hugging Face `tokenizer.json` that are read alike whatever its model is, and what is said of those that
//! are not read.

use super::bpe::Merges;
use super::pieces::{Kind, Piece, Vocabulary};
use super::{normalize, refuse};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Rows of one length are made by others.
pub fn refuse_cuts(file: &Value) -> Result<(), Diagnostic> {
    if file["truncation"].is_null() && file["padding"].is_null() {
        Ok(())
    } else {
        Err(outside("truncation or padding"))
    }
}

pub fn kind(value: &Value) -> &str {
    value["type"].as_str().unwrap_or("")
}

pub fn outside(what: &str) -> Diagnostic {
    refuse(
        format!("this `tokenizer.json` asks for {what}, which is not supported"),
        "give a tokenizer of Unigram or BPE with Metaspace, of byte-level BPE, or a `.model`",
    )
}

pub fn broken(what: &str) -> Diagnostic {
    refuse(format!("this `tokenizer.json` is broken: {what}"), "fetch it again, or give a `.model`")
}

/// Steps of a sequence, or the one step itself.
pub fn each<'a>(value: &'a Value, list: &str) -> Vec<&'a Value> {
    match kind(value) {
        "Sequence" => value[list].as_array().into_iter().flatten().collect(),
        _ if value.is_null() => Vec::new(),
        _ => vec![value],
    }
}

pub fn kind_of(text: &str, is_unknown: bool, bytes: bool, special: &BTreeMap<&str, u64>) -> Kind {
    match () {
        () if is_unknown => Kind::Unknown,
        () if special.contains_key(text) => Kind::Control,
        () if bytes && Piece::new(text, 0.0, Kind::Byte).byte().is_some() => Kind::Byte,
        () => Kind::Normal,
    }
}

/// Added tokens that are special, with their ids.
pub fn special_tokens(file: &Value) -> BTreeMap<&str, u64> {
    let tokens = file["added_tokens"].as_array().into_iter().flatten();
    let special = tokens.filter(|token| token["special"] == true);
    special.filter_map(|token| Some((token["content"].as_str()?, token["id"].as_u64()?))).collect()
}

/// The pieces, and after them the added tokens that go on where they end. `plain` makes a piece of those that are not
/// special.
pub fn with_added(
    mut pieces: Vec<Piece>,
    file: &Value,
    plain: impl Fn(&str, &Value) -> Result<Piece, Diagnostic>,
) -> Result<Vec<Piece>, Diagnostic> {
    let tokens = file["added_tokens"].as_array().into_iter().flatten();
    let mut added: Vec<(u64, &Value)> =
        tokens.filter_map(|token| Some((token["id"].as_u64()?, token))).collect();
    added.arrange_by_key(|(id, _)| *id);
    for (id, token) in added {
        let text = token["content"].as_str().ok_or_else(|| broken("an added token has no text"))?;
        let known =
            usize::try_from(id).ok().and_then(|id| pieces.get(id)).is_some_and(|piece| piece.text == text);
        match (known, id == pieces.len() as u64, token["special"] == true) {
            (true, ..) => {}
            (_, true, true) => pieces.push(Piece::new(text, 0.0, Kind::Control)),
            (_, true, false) => pieces.push(plain(text, token)?),
            (_, false, _) => {
                return Err(broken(&format!("added token `{text}` has the id {id} of another piece")));
            }
        }
    }
    Ok(pieces)
}

pub fn refuse_affixes(model: &Value) -> Result<(), Diagnostic> {
    let is_unset = |name: &&str| model[*name].is_null() || model[*name] == "";
    let names = ["dropout", "continuing_subword_prefix", "end_of_word_suffix"];
    names.iter().find(|name| !is_unset(name)).map_or(Ok(()), |name| Err(outside(&format!("`{name}`"))))
}

/// The merges of a model, in their order.
pub fn merges(model: &Value, vocabulary: &Vocabulary) -> Result<Merges, Diagnostic> {
    let mut merges = Merges::default();
    for pair in model["merges"].as_array().into_iter().flatten() {
        let (left, right) = merge_of(pair).ok_or_else(|| broken(&format!("the merge {pair}")))?;
        let ids = (vocabulary.id(left), vocabulary.id(right), vocabulary.id(&format!("{left}{right}")));
        let (Some(left), Some(right), Some(whole)) = ids else {
            return Err(broken(&format!("the merge {pair} is not of pieces")));
        };
        merges.add(left, right, whole);
    }
    Ok(merges)
}

/// `"a b"` or `["a", "b"]`.
fn merge_of(pair: &Value) -> Option<(&str, &str)> {
    match pair {
        Value::String(text) => text.split_once(' '),
        _ => Some((pair[0].as_str()?, pair[1].as_str()?)),
    }
}

pub fn bpe_pieces(vocab: &Map<String, Value>, file: &Value) -> Result<Vec<Piece>, Diagnostic> {
    let special = special_tokens(file);
    let unknown = file["model"]["unk_token"].as_str().unwrap_or("");
    let bytes = file["model"]["byte_fallback"].as_bool().unwrap_or(false);
    let mut by_id: Vec<Option<Piece>> = vec![None; vocab.len()];
    for (text, id) in vocab {
        let place = id.as_u64().and_then(|id| by_id.get_mut(usize::try_from(id).ok()?));
        let place =
            place.ok_or_else(|| broken(&format!("piece `{text}` has the id {id} of {}", vocab.len())))?;
        *place = Some(Piece::new(text, 0.0, kind_of(text, text == unknown, bytes, &special)));
    }
    by_id.into_iter().collect::<Option<_>>().ok_or_else(|| broken("two pieces have the same id"))
}

/// Spaces at both ends.
pub const ENDS: &str = "^ +| +$";

/// Replacements in compiled form.
pub fn compiled(step: &Value) -> Result<Vec<u8>, Diagnostic> {
    let text = step["precompiled_charsmap"].as_str().unwrap_or("");
    from_base64(text)
        .filter(|bytes| normalize::is_compiled(bytes))
        .ok_or_else(|| broken("its compiled replacements"))
}

pub const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn from_base64(text: &str) -> Option<Vec<u8>> {
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
