//! Files of others give the ids that they give themselves: SentencePiece 0.2.3, and `tokenizers`: byte-level BPE of
//! 0.23, pieces of 0.22.
//!
//! `tests/fixtures/*.model` were trained by it on pages of `docs`, with a few rules of normalizing, one defined piece
//! and, for unigram, bytes; a line of `*.ids` is a text and the ids it made of it. `tests/fixtures/byte_level/*.json`
//! are small tokenizers with the patterns of GPT-2, Llama 3, Qwen 2 and GPT-4o, trained by `peers/byte_level_bpe.py`,
//! which compares more; a line of `*.jsonl` is a text and its ids. `tests/fixtures/pieces/*` are of T5's, mT5's, NLLB's
//! and Mixtral's kind, each as SentencePiece has it and as `transformers` makes a `tokenizer.json` of it, by
//! `peers/pieces.py`.

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

#[test]
fn tokenizers_of_published_models_give_the_ids_of_their_own_libraries() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pieces");
    for form in ["t5", "t5-published", "mt5", "nllb", "mixtral"] {
        for file in ["tokenizer.json", "spiece.model"] {
            let path = folder.join(form).join(file);
            let tokenizer = Tokenizer::read(&std::fs::read(&path).unwrap()).unwrap();
            let again = Tokenizer::read(&tokenizer.to_sentencepiece()).unwrap();
            let lines = std::fs::read_to_string(path.with_extension(if file == "tokenizer.json" {
                "json.jsonl"
            } else {
                "model.jsonl"
            }));
            let lines = lines.unwrap();
            assert_eq!(lines.lines().count(), 40);
            for line in lines.lines() {
                let (text, expected): (String, Vec<u32>) = serde_json::from_str(line).unwrap();
                assert_eq!(tokenizer.encode(&text), expected, "{form}, {file}: {text:?}");
                assert_eq!(again.encode(&text), expected, "{form}, {file}, written and read again: {text:?}");
            }
        }
    }
    let read = |form: &str| {
        Tokenizer::read(&std::fs::read(folder.join(form).join("tokenizer.json")).unwrap()).unwrap()
    };
    assert_eq!(read("nllb").languages(), ["ace_Arab", "deu_Latn", "eng_Latn", "zho_Hans", "zul_Latn"]);
    assert!(["t5", "mt5", "mixtral"].iter().all(|form| read(form).languages().is_empty()));
    let published = read("t5-published");
    let ids = published.encode("a <tool> b");
    assert!(ids.contains(&published.id("<tool>").unwrap()), "{ids:?}");
    assert_eq!(published.decode(&ids), "a<tool> b");
}
