//! What tokenizers promise: text comes back, files come back, training repeats itself, what is foreign is refused.

use super::*;
use crate::data::corpus::{Corpus, Multilingual, Prose};
use meshwright_base::random::Random;

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

#[test]
fn without_bytes_unknown_characters_are_one_unknown() {
    let pieces = vec![Piece::new("<unk>", 0.0, Kind::Unknown), Piece::new("▁a", -1.0, Kind::Normal)];
    let tokenizer = Tokenizer::unigram(pieces, Normalizer::default()).unwrap();
    assert_eq!(tokenizer.encode("a xyz a"), [1, 0, 1]);
    assert_eq!(tokenizer.decode(&[1, 0, 99]), "a \u{2047} ");
}
