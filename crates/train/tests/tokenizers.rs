//! Files of SentencePiece 0.2.3 give the ids that it gives itself.
//!
//! `tests/fixtures/*.model` were trained by it on pages of `docs`, with a few rules of normalizing, one defined piece and,
//! for unigram, bytes; a line of `*.ids` is a text and the ids it made of it.

use meshwright_train::data::tokenizer::Tokenizer;
use std::path::Path;

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let tokenizer = Tokenizer::read(&std::fs::read(path.with_extension("model")).unwrap()).unwrap();
    let again = Tokenizer::read(&tokenizer.to_sentencepiece()).unwrap();
    let lines = std::fs::read_to_string(path.with_extension("ids")).unwrap();
    for line in lines.lines() {
        let (text, ids) = line.rsplit_once(" =>").unwrap();
        let text = text.replace("\\t", "\t");
        let expected: Vec<u32> = ids.split_whitespace().map(|id| id.parse().unwrap()).collect();
        assert_eq!(tokenizer.encode(&text), expected, "{name}: {text}");
        assert_eq!(again.encode(&text), expected, "{name}, written and read again: {text}");
    }
    assert!(lines.lines().count() > 40);
}

#[test]
fn a_foreign_unigram_model_gives_its_own_ids() {
    check("unigram");
}

#[test]
fn a_foreign_bpe_model_gives_its_own_ids() {
    check("bpe");
}
