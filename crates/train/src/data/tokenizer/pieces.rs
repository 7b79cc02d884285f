//! Pieces, and finding them by their text.

use super::{SPACE, refuse};
use meshwright_base::{Diagnostic, LookupMap};

/// What a piece is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Normal,
    Unknown,
    /// Never found in text, and nothing when decoded: begin, end, padding.
    Control,
    /// Always cut out of text whole.
    Defined,
    Unused,
    /// One byte, written `<0x0A>`.
    Byte,
}

/// A row of a vocabulary; its id is its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    pub text: String,
    /// A log-probability, or minus the rank of a merge.
    pub score: f32,
    pub kind: Kind,
}

impl Piece {
    pub fn new(text: impl Into<String>, score: f32, kind: Kind) -> Self {
        Piece { text: text.into(), score, kind }
    }

    /// The byte of a byte piece.
    pub fn byte(&self) -> Option<u8> {
        let digits = self.text.strip_prefix("<0x")?.strip_suffix('>')?;
        u8::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 2)
    }
}

/// The pieces a tokenizer begins with when it is trained: padding, end and unknown as T5 numbers them, then all bytes.
pub fn leading_pieces() -> Vec<Piece> {
    let named = [("<pad>", Kind::Control), ("</s>", Kind::Control), ("<unk>", Kind::Unknown)];
    let named = named.into_iter().map(|(text, kind)| Piece::new(text, 0.0, kind));
    named.chain((0..=255u8).map(|byte| Piece::new(format!("<0x{byte:02X}>"), 0.0, Kind::Byte))).collect()
}

/// Checked pieces.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    pieces: Vec<Piece>,
    // Lookups only; never walked.
    by_text: LookupMap<String, u32>,
    unknown: Option<u32>,
    bytes: Option<Box<[u32; 256]>>,
    cut_at_spaces: bool,
}

impl Vocabulary {
    /// Pieces must differ, have text and finite scores, and one of them must be the unknown.
    pub fn new(pieces: Vec<Piece>) -> Result<Self, Diagnostic> {
        let vocabulary = Vocabulary::without_unknown(pieces)?;
        vocabulary.unknown.ok_or_else(no_unknown)?;
        Ok(vocabulary)
    }

    /// The same where no text may be unknown.
    pub fn without_unknown(pieces: Vec<Piece>) -> Result<Self, Diagnostic> {
        let mut by_text = LookupMap::default();
        for (at, piece) in pieces.iter().enumerate() {
            check(at, piece)?;
            if let Some(before) = by_text.insert(piece.text.clone(), at as u32) {
                let message = format!("pieces {before} and {at} are both `{}`", shown(&piece.text));
                return Err(refuse(message, "every piece of a vocabulary must differ"));
            }
        }
        let unknown = pieces.iter().position(|piece| piece.kind == Kind::Unknown).map(|at| at as u32);
        let bytes = byte_ids(&pieces);
        let goes_on = |piece: &Piece| piece.text.chars().skip(1).any(|c| c == SPACE);
        let may_match = |piece: &&Piece| matches!(piece.kind, Kind::Normal | Kind::Defined);
        let cut_at_spaces = !pieces.iter().filter(may_match).any(goes_on);
        Ok(Vocabulary { pieces, by_text, unknown, bytes, cut_at_spaces })
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn id(&self, text: &str) -> Option<u32> {
        self.by_text.get(text).copied()
    }

    /// The id of a piece that may be found in text.
    pub fn matching(&self, text: &str) -> Option<u32> {
        self.id(text).filter(|id| self.pieces.get(*id as usize).is_some_and(may_match))
    }

    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// The id of every byte, if all are there.
    pub fn bytes(&self) -> Option<&[u32; 256]> {
        self.bytes.as_deref()
    }

    /// No piece goes on after a space.
    pub fn is_cut_at_spaces(&self) -> bool {
        self.cut_at_spaces
    }
}

pub fn may_match(piece: &Piece) -> bool {
    matches!(piece.kind, Kind::Normal | Kind::Defined)
}

fn check(at: usize, piece: &Piece) -> Result<(), Diagnostic> {
    if piece.text.is_empty() {
        return Err(refuse(format!("piece {at} has no text"), "remove it from the vocabulary"));
    }
    if !piece.score.is_finite() {
        let message = format!("piece {at}, `{}`, has the score {}", shown(&piece.text), piece.score);
        return Err(refuse(message, "scores must be finite"));
    }
    if piece.kind == Kind::Byte && piece.byte().is_none() {
        let message = format!("piece {at}, `{}`, is no byte", shown(&piece.text));
        return Err(refuse(message, "bytes are written `<0x00>` to `<0xFF>`"));
    }
    Ok(())
}

fn byte_ids(pieces: &[Piece]) -> Option<Box<[u32; 256]>> {
    let mut ids = Box::new([u32::MAX; 256]);
    let bytes = pieces.iter().enumerate().filter(|(_, piece)| piece.kind == Kind::Byte);
    bytes
        .filter_map(|(at, piece)| Some((at, piece.byte()?)))
        .for_each(|(at, byte)| ids[usize::from(byte)] = at as u32);
    ids.iter().all(|id| *id != u32::MAX).then_some(ids)
}

fn no_unknown() -> Diagnostic {
    refuse("the vocabulary has no unknown piece", "add one of kind unknown, usually `<unk>`")
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
