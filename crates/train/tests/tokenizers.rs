//! Files of others give the ids that they give themselves: SentencePiece 0.2.3, and byte-level BPE of `tokenizers`
//! 0.23.
//!
//! `tests/fixtures/*.model` were trained by it on pages of `docs`, with a few rules of normalizing, one defined piece
//! and, for unigram, bytes; a line of `*.ids` is a text and the ids it made of it. `tests/fixtures/byte_level/*.json`
//! are small tokenizers with the patterns of GPT-2, Llama 3, Qwen 2 and GPT-4o, trained by `peers/byte_level_bpe.py`,
//! which compares more; a line of `*.jsonl` is a text and its ids.

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

#[test]
fn byte_level_tokenizers_of_others_give_their_own_ids() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/byte_level");
    for form in ["gpt2", "prefix", "llama3", "qwen2", "o200k"] {
        let file = std::fs::read(folder.join(form).with_extension("json")).unwrap();
        let tokenizer = Tokenizer::read(&file).unwrap();
        let again = Tokenizer::read(tokenizer.to_json().as_bytes()).unwrap();
        let lines = std::fs::read_to_string(folder.join(form).with_extension("jsonl")).unwrap();
        assert_eq!(lines.lines().count(), 150);
        for line in lines.lines() {
            let (text, expected): (String, Vec<u32>) = serde_json::from_str(line).unwrap();
            assert_eq!(tokenizer.encode(&text), expected, "{form}: {text:?}");
            assert_eq!(again.encode(&text), expected, "{form}, written and read again: {text:?}");
            if form == "gpt2" || form == "o200k" {
                assert_eq!(tokenizer.decode(&expected), text, "{form}");
            }
        }
    }
}
