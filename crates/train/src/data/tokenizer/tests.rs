//! What tokenizers promise: text comes back, files come back, training repeats itself, what is foreign is refused.

use super::*;
use crate::data::corpus::{Corpus, Multilingual, Prose};
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;
use serde_json::{Map, Value, json};

fn counts(documents: u64) -> WordCounts {
    let mut counts = WordCounts::new(Normalizer::default());
    let (mut phrases, mut prose) = (Multilingual::new(1, documents * 15, 0.0), Prose::new(1, documents * 5));
    for at in 0..documents {
        for part in 0..phrases.parts().len() {
            let document = phrases.document(part, at).unwrap();
            counts.add(&document.source);
            counts.add(&document.target);
        }
        counts.add(&prose.document(0, at).unwrap().target);
    }
    counts
}

fn trained(bpe: bool, vocabulary: usize) -> Tokenizer {
    let training = Training { vocabulary, ..Training::default() };
    let train = if bpe { train_bpe } else { train_unigram };
    train(&counts(60), training).unwrap()
}

fn both() -> [Tokenizer; 2] {
    [trained(false, 900), trained(true, 900)]
}

/// Letters, spaces, other scripts, controls: anything but the space mark.
fn any_text(random: &mut Random) -> String {
    let kinds: [(u64, u64); 6] =
        [(0x61, 0x7A), (0x20, 0x20), (0x20, 0x7E), (0, 0x24F), (0x4E00, 0x4E40), (0x1F300, 0x1F5FF)];
    let letter = |random: &mut Random| {
        let (low, high) = *random.choose(&kinds).unwrap();
        char::from_u32(random.between(low, high) as u32).unwrap_or('x')
    };
    let length = random.index(60);
    (0..length).map(|_| letter(random)).collect()
}

#[test]
fn any_text_comes_back_normalized() {
    for tokenizer in both() {
        let mut random = Random::new(11, 0);
        for _ in 0..2000 {
            let text = any_text(&mut random);
            assert_eq!(tokenizer.decode(&tokenizer.encode(&text)), tokenizer.normalized(&text), "{text:?}");
        }
    }
}

#[test]
fn training_finds_longer_pieces_and_repeats_itself() {
    for (bpe, tokenizer) in [false, true].into_iter().zip(both()) {
        assert_eq!(tokenizer.size(), 900);
        assert_eq!(tokenizer.pieces(), trained(bpe, 900).pieces());
        let ids = tokenizer.encode("Anna buys three books on Monday");
        assert!(
            ids.len() <= 12,
            "{bpe} {:?}",
            ids.iter().map(|id| &tokenizer.pieces()[*id as usize].text).collect::<Vec<_>>()
        );
        assert_eq!(tokenizer.id("<pad>"), Some(0));
        assert_eq!(tokenizer.id("</s>"), Some(1));
    }
}

#[test]
fn both_file_forms_give_the_same_tokenizer() {
    for tokenizer in both() {
        for bytes in [tokenizer.to_sentencepiece(), tokenizer.to_json().into_bytes()] {
            let again = Tokenizer::read(&bytes).unwrap();
            let mut random = Random::new(5, 0);
            for _ in 0..300 {
                let text = any_text(&mut random);
                assert_eq!(again.encode(&text), tokenizer.encode(&text), "{text:?}");
            }
            let texts = |tokenizer: &Tokenizer| {
                tokenizer.pieces().iter().map(|piece| (piece.text.clone(), piece.kind)).collect::<Vec<_>>()
            };
            assert_eq!(texts(&again), texts(&tokenizer));
        }
    }
}

#[test]
fn broken_and_cut_files_are_refused_and_never_panic() {
    let tokenizer = trained(false, 700);
    for bytes in [tokenizer.to_sentencepiece(), tokenizer.to_json().into_bytes()] {
        let mut random = Random::new(2, 0);
        (0..300).for_each(|_| drop(Tokenizer::read(&bytes[..random.index(bytes.len())])));
        for _ in 0..300 {
            let mut broken = bytes.clone();
            (0..4).for_each(|_| {
                let at = random.index(bytes.len());
                broken[at] = random.word() as u8;
            });
            if let Ok(tokenizer) = Tokenizer::read(&broken) {
                tokenizer.decode(&tokenizer.encode("zwei Äpfel  und 苹果"));
            }
        }
    }
    assert!(Tokenizer::read(b"").is_err());
    assert!(Tokenizer::read(b"not a model").is_err());
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let said = |json: &str| Tokenizer::read(json.as_bytes()).unwrap_err().message;
    let wrong = |step: &str| {
        format!(r#"{{"normalizer": {{"type": "{step}"}}, "model": {{"type": "BPE", "vocab": {{}}}}}}"#)
    };
    assert!(said(&wrong("Nmt")).contains("normalizer `Nmt`"));
    assert!(said(r#"{"model": {"type": "WordPiece"}}"#).contains("model `WordPiece`"));
    let cut =
        |step: &str| format!(r#"{{"pre_tokenizer": {{"type": "{step}"}}, "model": {{"type": "BPE"}}}}"#);
    assert!(said(&cut("Punctuation")).contains("pre-tokenizer `Punctuation`"));
    assert!(said(&cut("ByteLevel")).contains("`model.vocab` is no table"));
    assert!(said(r#"{"model": {"type": "BPE", "vocab": {"a": 5}}}"#).contains("id 5 of 1"));
    assert!(said("{").contains("broken"));
    let few = train_unigram(&counts(5), Training { vocabulary: 100, ..Training::default() });
    assert!(few.unwrap_err().message.starts_with("a vocabulary of 100 has no room"));
    assert!(train_bpe(&WordCounts::default(), Training::default()).is_err());
}

/// A file with one member of its model, or of the file itself, replaced.
fn changed(file: &Value, path: &[&str], value: Value) -> Diagnostic {
    let mut file = file.clone();
    *path.iter().fold(&mut file, |at, name| &mut at[*name]) = value;
    Tokenizer::read(file.to_string().as_bytes()).expect_err("it is refused")
}

#[track_caller]
fn each_is_refused(file: &Value, changes: &[(&[&str], Value, &str)]) {
    assert!(Tokenizer::read(file.to_string().as_bytes()).is_ok());
    for (path, value, words) in changes {
        let said = changed(file, path, value.clone());
        assert!(said.message.contains(words), "{path:?} = {value}: {}", said.message);
        assert!(said.help.is_some(), "{words}");
    }
}

#[test]
fn every_part_of_a_unigram_file_that_is_wrong_or_foreign_is_named() {
    let file = json!({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["▁a", -1.0]]}});
    let vocab: &[&str] = &["model", "vocab"];
    let added = |token: Value| json!([token]);
    each_is_refused(
        &file,
        &[
            (vocab, json!("a"), "`model.vocab` is no list"),
            (vocab, json!([["<unk>", 0.0], [5, 0.0]]), "row 1 of `model.vocab`"),
            (vocab, json!([["<unk>", "a"]]), "row 0 of `model.vocab`"),
            (vocab, json!([["<unk>", 0.0], ["", 0.0]]), "piece 1 has no text"),
            (vocab, json!([["<unk>", 0.0], ["a", 1e300]]), "piece 1, `a`, has the score inf"),
            (vocab, json!([["<unk>", 0.0], ["a", 0.0], ["a", 0.0]]), "pieces 1 and 2 are both `a`"),
            (&["truncation"], json!({}), "truncation or padding"),
            (&["added_tokens"], added(json!({"id": 2})), "an added token has no text"),
            (&["added_tokens"], added(json!({"id": 1, "content": "b"})), "`b` has the id 1 of another piece"),
            (
                &["added_tokens"],
                added(json!({"id": 2, "content": "b", "single_word": true})),
                "the added token `b` with `single_word`",
            ),
            (
                &["normalizer"],
                json!({"type": "Precompiled", "precompiled_charsmap": "!"}),
                "its compiled replacements",
            ),
            (
                &["pre_tokenizer"],
                json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "sometimes"}),
                "prepend scheme `sometimes`",
            ),
        ],
    );
}

#[test]
fn every_part_of_a_bpe_file_that_is_wrong_or_foreign_is_named() {
    let file = json!({"model": {"type": "BPE", "unk_token": "<unk>", "merges": ["a b"],
                                "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3}}});
    each_is_refused(
        &file,
        &[
            (&["model", "vocab"], json!(["a"]), "`model.vocab` is no table"),
            (&["model", "ignore_merges"], json!(true), "`ignore_merges`"),
            (&["model", "dropout"], json!(0.1), "`dropout`"),
            (&["model", "merges"], json!([5]), "the merge 5"),
            (&["model", "merges"], json!(["a c"]), "the merge \"a c\" is not of pieces"),
            (&["model", "vocab"], json!({"<unk>": 0, "a": 0}), "two pieces have the same id"),
        ],
    );
}

#[test]
fn every_part_of_a_byte_level_file_that_is_wrong_or_foreign_is_named() {
    let letters: Map<String, Value> =
        (0..=255).map(|byte| (byte_level::letter(byte).to_string(), json!(byte))).collect();
    let bytes = json!({"type": "ByteLevel", "use_regex": false});
    let file = json!({"model": {"type": "BPE", "vocab": letters, "merges": []}, "pre_tokenizer": bytes});
    let cut = |step: Value| json!({"type": "Sequence", "pretokenizers": [step, bytes]});
    let split = |pattern: Value, behavior: &str| {
        cut(json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": false}))
    };
    let regex = |pattern: &str| split(json!({"Regex": pattern}), "Isolated");
    let steps: &[&str] = &["pre_tokenizer"];
    each_is_refused(
        &file,
        &[
            (&["model", "type"], json!("Unigram"), "model `Unigram` on bytes"),
            (&["model", "vocab"], json!({"a": 0}), "a vocabulary without the byte 0"),
            (&["normalizer"], json!({"type": "NFD"}), "normalizer `NFD` on bytes"),
            (steps, cut(json!({"type": "Whitespace"})), "pre-tokenizer `Whitespace` on bytes"),
            (steps, split(json!({"Regex": "a"}), "Removed"), "a `Split` that does not isolate what fits"),
            (steps, split(json!({"String": "a"}), "Isolated"), "a `Split` by a plain text"),
            (steps, regex("(ab)?+"), "a group that gives nothing back"),
            (steps, regex("a{2"), "a `}` is missing"),
            (
                &["added_tokens"],
                json!([{"id": 256, "content": "<a>", "rstrip": true}]),
                "the added token `<a>` with `rstrip`",
            ),
        ],
    );
}

/// A message of protocol buffers.
fn message(fields: &[(u64, &[u8])]) -> Vec<u8> {
    fields
        .iter()
        .flat_map(|(number, bytes)| [&[(number << 3 | 2) as u8, bytes.len() as u8], *bytes].concat())
        .collect()
}

#[test]
fn every_part_of_a_sentencepiece_file_that_is_wrong_or_foreign_is_named() {
    let unknown = [&message(&[(1, b"<unk>")])[..], &[3 << 3, 2]].concat();
    let with = |fields: &[(u64, &[u8])]| message(&[&[(1, &unknown[..])], fields].concat());
    assert!(Tokenizer::read(&with(&[])).is_ok());
    for (file, words) in [
        // The trainer: spaces behind words, a model of words.
        (with(&[(2, &[0xC0, 1, 1])]), "spaces behind words"),
        (with(&[(2, &[3 << 3, 3])]), "model type 3"),
        // The normalizer: spaces that stay, rules that are not compiled.
        (with(&[(3, &[5 << 3, 0])]), "`escape_whitespaces` is false"),
        (with(&[(3, &message(&[(6, b"rules")]))]), "rules for normalizing that are not compiled"),
        (with(&[(3, &message(&[(2, b"!")]))]), "broken"),
        // Pieces: a number, one without a text, one of a kind that there is not.
        ([&with(&[])[..], &[1 << 3, 7]].concat(), "broken"),
        (with(&[(1, &[3 << 3, 1])]), "broken"),
        (with(&[(1, &[&message(&[(1, b"a")])[..], &[3 << 3, 9]].concat())]), "broken"),
    ] {
        let said = Tokenizer::read(&file).unwrap_err().message;
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn without_bytes_unknown_characters_are_one_unknown() {
    let pieces = vec![Piece::new("<unk>", 0.0, Kind::Unknown), Piece::new("▁a", -1.0, Kind::Normal)];
    let tokenizer = Tokenizer::unigram(pieces, Normalizer::default()).unwrap();
    assert_eq!(tokenizer.encode("a xyz a"), [1, 0, 1]);
    assert_eq!(tokenizer.decode(&[1, 0, 99]), "a \u{2047} ");
}
