//! SentencePiece `.model` files: a protocol-buffer message of pieces, how they were trained and how text is normalized.
//!
//! Read: unigram and BPE. Refused by name: word and character models, spaces kept as they are or put behind words,
//! rules for normalizing that are not compiled.

use super::pieces::{Kind, Piece};
use super::{Normalizer, Tokenizer, normalize, refuse};
use crate::protobuf::{Message, Wire, fields};
use meshwright_base::Diagnostic;

// Fields of the file, of a piece, of the trainer and of the normalizer.
const PIECE: u64 = 1;
const TRAINER: u64 = 2;
const NORMALIZER: u64 = 3;
const PIECE_TEXT: u64 = 1;
const PIECE_SCORE: u64 = 2;
const PIECE_KIND: u64 = 3;
const TRAINER_MODEL: u64 = 3;
const TRAINER_SIZE: u64 = 4;
const TRAINER_SUFFIX: u64 = 24;
const TRAINER_BYTES: u64 = 35;
const TRAINER_UNKNOWN: u64 = 40;
const TRAINER_BEGIN: u64 = 41;
const TRAINER_END: u64 = 42;
const TRAINER_PAD: u64 = 43;
const NORMALIZER_NAME: u64 = 1;
const NORMALIZER_COMPILED: u64 = 2;
const NORMALIZER_PREFIX: u64 = 3;
const NORMALIZER_COLLAPSE: u64 = 4;
const NORMALIZER_ESCAPE: u64 = 5;
const NORMALIZER_RULES: u64 = 6;

const UNIGRAM: u64 = 1;
const BPE: u64 = 2;

/// Numbers of kinds, from 1.
const KINDS: [Kind; 6] =
    [Kind::Normal, Kind::Unknown, Kind::Control, Kind::Defined, Kind::Unused, Kind::Byte];

/// A message read so far: the fields of one number, last one wins.
struct Fields<'a>(Vec<(u64, Wire<'a>)>);

impl<'a> Fields<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, Diagnostic> {
        fields(bytes).map(Fields).ok_or_else(broken)
    }

    fn last(&self, number: u64) -> Option<Wire<'a>> {
        self.0.iter().rev().find(|(field, _)| *field == number).map(|(_, value)| *value)
    }

    fn flag(&self, number: u64, default: bool) -> bool {
        self.last(number).and_then(Wire::number).map_or(default, |number| number != 0)
    }

    fn message(&self, number: u64) -> Result<Fields<'a>, Diagnostic> {
        Fields::of(self.last(number).and_then(Wire::bytes).unwrap_or_default())
    }
}

pub fn read(bytes: &[u8]) -> Result<Tokenizer, Diagnostic> {
    let file = Fields::of(bytes)?;
    let trainer = file.message(TRAINER)?;
    let normalizer = read_normalizer(&file.message(NORMALIZER)?)?;
    let messages = file.0.iter().filter(|(field, _)| *field == PIECE);
    let pieces: Vec<Piece> = messages.map(|(_, piece)| read_piece(*piece)).collect::<Result<_, _>>()?;
    if trainer.flag(TRAINER_SUFFIX, false) {
        return Err(outside("spaces behind words (`treat_whitespace_as_suffix`)"));
    }
    match trainer.last(TRAINER_MODEL).and_then(Wire::number).unwrap_or(UNIGRAM) {
        UNIGRAM => Tokenizer::unigram(pieces, normalizer),
        BPE => Tokenizer::bpe(pieces, normalizer),
        other => Err(outside(&format!("model type {other} (word or character)"))),
    }
}

fn read_piece(message: Wire<'_>) -> Result<Piece, Diagnostic> {
    let piece = Fields::of(message.bytes().ok_or_else(broken)?)?;
    let text = piece.last(PIECE_TEXT).and_then(Wire::text).ok_or_else(broken)?;
    let score = piece.last(PIECE_SCORE).and_then(Wire::float).unwrap_or(0.0);
    let kind = piece.last(PIECE_KIND).and_then(Wire::number).unwrap_or(1);
    let kind =
        usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind.checked_sub(1)?)).ok_or_else(broken)?;
    Ok(Piece::new(text, score, *kind))
}

fn read_normalizer(message: &Fields<'_>) -> Result<Normalizer, Diagnostic> {
    let replacements = message.last(NORMALIZER_COMPILED).and_then(Wire::bytes).unwrap_or_default();
    if !normalize::is_compiled(replacements) {
        return Err(broken());
    }
    if !message.flag(NORMALIZER_ESCAPE, true) {
        return Err(outside("spaces kept as they are (`escape_whitespaces` is false)"));
    }
    let rules = message.last(NORMALIZER_RULES).and_then(Wire::bytes).unwrap_or_default();
    if replacements.is_empty() && !rules.is_empty() {
        return Err(outside("rules for normalizing that are not compiled"));
    }
    Ok(Normalizer {
        replacements: replacements.to_vec(),
        collapse: message.flag(NORMALIZER_COLLAPSE, true),
        prefix: message.flag(NORMALIZER_PREFIX, true),
    })
}

fn broken() -> Diagnostic {
    refuse("this is no SentencePiece model: its messages are broken", "give a `.model` or a `tokenizer.json`")
}

fn outside(what: &str) -> Diagnostic {
    refuse(
        format!("this SentencePiece model asks for {what}, which is not supported"),
        "train a unigram or BPE model",
    )
}

pub fn write(tokenizer: &Tokenizer) -> Vec<u8> {
    let mut file = Message::default();
    tokenizer.pieces().iter().for_each(|piece| file.bytes(PIECE, &write_piece(piece).0));
    file.bytes(TRAINER, &write_trainer(tokenizer).0);
    file.bytes(NORMALIZER, &write_normalizer(&tokenizer.normalizer).0);
    file.0
}

fn write_piece(piece: &Piece) -> Message {
    let mut message = Message::default();
    message.bytes(PIECE_TEXT, piece.text.as_bytes());
    message.float(PIECE_SCORE, piece.score);
    let kind = KINDS.iter().position(|kind| *kind == piece.kind).unwrap_or(0) as u64 + 1;
    if kind != 1 {
        message.number(PIECE_KIND, kind);
    }
    message
}

fn write_trainer(tokenizer: &Tokenizer) -> Message {
    let mut message = Message::default();
    message.number(TRAINER_MODEL, if tokenizer.is_bpe() { BPE } else { UNIGRAM });
    message.number(TRAINER_SIZE, tokenizer.size() as u64);
    message.number(TRAINER_BYTES, u64::from(tokenizer.vocabulary.bytes().is_some()));
    // An id of minus one says that there is no such piece.
    let id = |piece: &str| tokenizer.id(piece).map_or(u64::MAX, u64::from);
    message.number(TRAINER_UNKNOWN, tokenizer.vocabulary.unknown().map_or(u64::MAX, u64::from));
    message.number(TRAINER_BEGIN, id("<s>"));
    message.number(TRAINER_END, id("</s>"));
    message.number(TRAINER_PAD, id("<pad>"));
    message
}

fn write_normalizer(normalizer: &Normalizer) -> Message {
    let mut message = Message::default();
    message
        .bytes(NORMALIZER_NAME, if normalizer.replacements.is_empty() { b"identity" } else { b"compiled" });
    message.bytes(NORMALIZER_COMPILED, &normalizer.replacements);
    message.number(NORMALIZER_PREFIX, u64::from(normalizer.prefix));
    message.number(NORMALIZER_COLLAPSE, u64::from(normalizer.collapse));
    message.number(NORMALIZER_ESCAPE, 1);
    message
}
