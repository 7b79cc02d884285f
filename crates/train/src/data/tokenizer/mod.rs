//! Text to numbers and back, with pieces learnt from text: unigram and byte-pair, both with bytes as the last resort,
//! and byte-level BPE of others.
//!
//! ```text
//! text --normalize--> "▁two▁words" --segment--> pieces --bytes for what no piece covers--> ids
//! ```
//!
//! Reads and writes SentencePiece `.model` files and a subset of Hugging Face `tokenizer.json`, each as its own library
//! does; what lies outside of the subset is refused by name, never ignored. Training is deterministic. Decoding gives
//! back the normalized text, as far as bytes are among the pieces; U+2581, which stands for a space, comes back as one.

mod bpe;
mod byte_level;
mod byte_level_json;
mod json;
mod json_parts;
mod normalize;
mod pattern;
mod pieces;
mod sentencepiece;
mod steps;
mod train_bpe;
mod train_unigram;
mod unigram;
mod words;

pub use normalize::Normalizer;
pub use pieces::{Kind, Piece};
pub use train_bpe::train_bpe;
pub use train_unigram::train_unigram;
pub use words::{Training, WordCounts};

use bpe::Merges;
use byte_level::ByteLevel;
use meshwright_base::{Code, Diagnostic};
use pieces::Vocabulary;
use steps::{Found, Steps};
use unigram::Unigram;

pub(crate) const TOKENIZER: Code = Code(1120);

/// What ends a text: in T5's vocabulary, GPT-2's and Qwen's, Llama 3's, others'.
const ENDS: [&str; 6] = ["</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>", "<|end|>", "[EOS]"];

/// Stands for a space inside pieces.
pub(crate) const SPACE: char = '\u{2581}';

/// How text is cut into pieces.
#[derive(Clone, Debug)]
enum Model {
    Unigram(Unigram),
    Bpe(Merges),
    ByteLevel(Box<ByteLevel>),
}

/// A vocabulary with its way of cutting text.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    vocabulary: Vocabulary,
    normalizer: Normalizer,
    model: Model,
    /// Of a `tokenizer.json` of pieces, in place of the normalizer.
    steps: Option<Box<Steps>>,
}

impl Tokenizer {
    /// A unigram tokenizer: pieces with log-probabilities.
    pub fn unigram(pieces: Vec<Piece>, normalizer: Normalizer) -> Result<Self, Diagnostic> {
        let vocabulary = Vocabulary::new(pieces)?;
        let model = Model::Unigram(Unigram::new(&vocabulary));
        Ok(Tokenizer { vocabulary, normalizer, model, steps: None })
    }

    /// A byte-pair tokenizer whose pieces are merged from the best score down.
    pub fn bpe(pieces: Vec<Piece>, normalizer: Normalizer) -> Result<Self, Diagnostic> {
        let vocabulary = Vocabulary::new(pieces)?;
        let model = Model::Bpe(Merges::by_score(&vocabulary));
        Ok(Tokenizer { vocabulary, normalizer, model, steps: None })
    }

    /// From the bytes of a file: SentencePiece, or JSON if it begins like it.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostic> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        if first == Some(&b'{') { json::read(bytes) } else { sentencepiece::read(bytes) }
    }

    /// As a SentencePiece `.model`. One of a `tokenizer.json` has no such form, and keeps its own.
    pub fn to_sentencepiece(&self) -> Vec<u8> {
        if let Some(steps) = &self.steps {
            return steps.json.clone().into_bytes();
        }
        match &self.model {
            Model::ByteLevel(model) => model.json.clone().into_bytes(),
            Model::Unigram(_) | Model::Bpe(_) => sentencepiece::write(self),
        }
    }

    /// As a `tokenizer.json`.
    pub fn to_json(&self) -> String {
        json::write(self)
    }

    /// Ids run below this.
    pub fn size(&self) -> usize {
        self.vocabulary.pieces().len()
    }

    pub fn pieces(&self) -> &[Piece] {
        self.vocabulary.pieces()
    }

    /// The id of a piece, control pieces included.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.vocabulary.id(piece)
    }

    /// Pieces that name the language of a text: those that are never found in one, and do not stand in brackets, as
    /// `</s>` and `[PAD]` do.
    pub fn languages(&self) -> Vec<&str> {
        let controls = self.pieces().iter().filter(|piece| piece.kind == Kind::Control);
        controls.map(|piece| piece.text.as_str()).filter(|text| !text.starts_with(['<', '['])).collect()
    }

    pub fn is_bpe(&self) -> bool {
        matches!(self.model, Model::Bpe(_) | Model::ByteLevel(_))
    }

    /// The piece that ends a text, by the names that it has in what is published.
    pub fn end(&self) -> Option<u32> {
        ENDS.iter().find_map(|name| self.id(name))
    }

    /// The text that decoding gives back.
    pub fn normalized(&self, text: &str) -> String {
        match &self.model {
            Model::ByteLevel(model) => model.normalized(text).into_owned(),
            Model::Unigram(_) | Model::Bpe(_) => match &self.steps {
                Some(steps) => self.normalizer.unescape(&steps.shown(text)),
                None => self.normalizer.plain(text),
            },
        }
    }

    /// Control pieces are never found in text; add them where they belong.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        if let Model::ByteLevel(model) = &self.model {
            return model.encode(text, &self.vocabulary);
        }
        if let Some(steps) = &self.steps {
            return self.encode_by(steps, text);
        }
        let escaped = self.normalizer.escape(text);
        let mut ids = Vec::new();
        // Without a piece that goes on after a space, words are cut apart, which keeps the work linear and local.
        if self.vocabulary.is_cut_at_spaces() {
            words::words(&escaped).for_each(|word| self.encode_word(word, &mut ids))
        } else {
            self.encode_word(&escaped, &mut ids)
        }
        self.merge_unknown(&mut ids);
        ids
    }

    fn encode_by(&self, steps: &Steps, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        for found in steps.found(text) {
            match found {
                Found::Token(id) => ids.push(id),
                Found::Word(word) => {
                    let mut own = Vec::new();
                    self.encode_word(&word, &mut own);
                    if steps.fuses {
                        self.merge_unknown(&mut own);
                    }
                    ids.extend(own);
                }
            }
        }
        ids
    }

    fn encode_word(&self, word: &str, ids: &mut Vec<u32>) {
        let cuts = match &self.model {
            Model::Unigram(model) => model.best(word),
            Model::Bpe(merges) => merges.segment(word, &self.vocabulary),
            Model::ByteLevel(_) => Vec::new(),
        };
        for (range, id) in cuts {
            match id {
                Some(id) => ids.push(id),
                None => self.encode_unknown(word.get(range).unwrap_or_default(), ids),
            }
        }
    }

    /// Bytes, or the unknown piece, for text that no piece covers.
    fn encode_unknown(&self, text: &str, ids: &mut Vec<u32>) {
        match self.vocabulary.bytes() {
            Some(bytes) => ids.extend(text.bytes().map(|byte| bytes[usize::from(byte)])),
            None => ids.extend(self.vocabulary.unknown()),
        }
    }

    /// Unknown characters side by side are one unknown piece.
    fn merge_unknown(&self, ids: &mut Vec<u32>) {
        let Some(unknown) = self.vocabulary.unknown() else { return };
        ids.dedup_by(|next, last| *next == unknown && *last == unknown);
    }

    /// The text of ids. Ids beyond the vocabulary say nothing.
    pub fn decode(&self, ids: &[u32]) -> String {
        let mut bytes: Vec<u8> = Vec::new();
        for id in ids {
            match self.pieces().get(*id as usize).map(|piece| (piece.kind, piece)) {
                Some((Kind::Byte, piece)) => bytes.extend(piece.byte()),
                Some((Kind::Unknown, _)) => bytes.extend(" \u{2047} ".bytes()),
                Some((Kind::Control, _)) | None => {}
                Some((Kind::Normal, piece)) if self.is_byte_level() => {
                    bytes.extend(ByteLevel::bytes(&piece.text))
                }
                Some((Kind::Normal | Kind::Defined | Kind::Unused, piece)) => {
                    bytes.extend(piece.text.bytes())
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if self.is_byte_level() { text.into_owned() } else { self.normalizer.unescape(&text) }
    }

    fn is_byte_level(&self) -> bool {
        matches!(self.model, Model::ByteLevel(_))
    }
}

/// A refusal of a tokenizer or of what describes one.
fn refuse(message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(TOKENIZER, message).help(help)
}

#[cfg(test)]
mod tests;
