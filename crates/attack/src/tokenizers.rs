//! Tokenizers: `tokenizer.json` in all its forms, and SentencePiece.

use crate::judge_refusal;
use meshwright_train::data::tokenizer::Tokenizer;

/// Texts that every tokenizer has to take.
const TEXTS: &[&str] = &[
    "",
    "a",
    "The house is small.",
    "  two  spaces\n\tand a tab",
    "ﬁne Å e\u{301} \u{0} 漢字 🙂",
    "<s></s> ▁",
];

/// A tokenizer gives ids of its vocabulary, decodes them, and does the same once it was written and read again.
pub fn tokenizer(bytes: &[u8]) -> bool {
    let tokenizer = match Tokenizer::read(bytes) {
        Ok(tokenizer) => tokenizer,
        Err(refusal) => return judge_refusal(&refusal, None),
    };
    let size = tokenizer.size();
    let _ = (tokenizer.end(), tokenizer.languages());
    let read_again = |form: &str, bytes: &[u8]| {
        Tokenizer::read(bytes).unwrap_or_else(|refusal| panic!("its {form} is refused: {}", refusal.message))
    };
    let written = read_again("SentencePiece form", &tokenizer.to_sentencepiece());
    for text in TEXTS {
        let ids = tokenizer.encode(text);
        assert!(ids.iter().all(|id| (*id as usize) < size), "{text:?} has an id beyond {size}: {ids:?}");
        let _ = (tokenizer.decode(&ids), tokenizer.normalized(text));
        assert_eq!(written.encode(text), ids, "{text:?} after it was written");
    }
    let _ = tokenizer.decode(&[0, u32::MAX, size as u32]);
    true
}
