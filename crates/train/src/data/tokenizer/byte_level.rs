//! Byte-level BPE, as of GPT-2, Llama 3 and Qwen: words by patterns, bytes spelt as letters, merges inside of words.
//!
//! ```text
//! "Héllo you" --cut--> "Héllo", " you" --spell--> "HÃ©llo", "Ġyou" --merge--> ids
//! ```
//!
//! No text is unknown to it and every text comes back, but for what its normal form (NFC) changes.

use super::bpe::Merges;
use super::pattern::Pattern;
use super::pieces::Vocabulary;
use super::unigram::Trie;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The pattern that a byte-level step cuts by, unless it says that it does not.
pub const WORDS: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// A step that cuts parts of a text further.
#[derive(Clone, PartialEq, Debug)]
pub enum Splitter {
    Split(Pattern),
    /// Digits apart from the rest; each by itself, or all that stand together.
    Digits {
        each: bool,
    },
    /// A space before each part that begins with none.
    Prefix,
}

/// How text becomes ids.
#[derive(Clone, Debug)]
pub struct ByteLevel {
    pub merges: Merges,
    /// Texts that are cut out whole before all else.
    pub defined: Trie,
    pub steps: Vec<Splitter>,
    /// Whether text is first brought to NFC.
    pub composes: bool,
    /// Whether a word that is a piece is that piece, whatever its merges lead to.
    pub whole_words: bool,
    /// The file it was read from: nothing else says all of this.
    pub json: String,
}

impl ByteLevel {
    /// The text that decoding gives back, but for spaces that are put before parts.
    pub fn normalized<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.composes || is_nfc(text) { text.into() } else { text.nfc().collect::<String>().into() }
    }

    pub fn encode(&self, text: &str, vocabulary: &Vocabulary) -> Vec<u32> {
        let mut ids = Vec::new();
        let (mut begin, mut rest) = (0, 0);
        for (at, _) in text.char_indices() {
            let Some((end, id)) = self.defined.matches(text, at).last().filter(|_| at >= rest) else {
                continue;
            };
            self.encode_part(text.get(begin..at).unwrap_or(""), vocabulary, &mut ids);
            ids.push(id);
            (begin, rest) = (end, end);
        }
        self.encode_part(text.get(begin..).unwrap_or(""), vocabulary, &mut ids);
        ids
    }

    fn encode_part(&self, text: &str, vocabulary: &Vocabulary, ids: &mut Vec<u32>) {
        let whole: Vec<Cow<'_, str>> = if text.is_empty() { Vec::new() } else { vec![self.normalized(text)] };
        let words = self
            .steps
            .iter()
            .fold(whole, |parts, step| parts.into_iter().flat_map(|part| step.cut(part)).collect());
        for word in words {
            let spelt: String = word.bytes().map(letter).collect();
            match vocabulary.matching(&spelt).filter(|_| self.whole_words) {
                Some(id) => ids.push(id),
                None => {
                    ids.extend(self.merges.segment(&spelt, vocabulary).into_iter().filter_map(|(_, id)| id))
                }
            }
        }
    }

    /// The bytes that a piece stands for.
    pub fn bytes(piece: &str) -> Vec<u8> {
        let byte = |c: char| byte_of(c).map_or_else(|| c.to_string().into_bytes(), |byte| vec![byte]);
        piece.chars().flat_map(byte).collect()
    }
}

impl Splitter {
    fn cut<'a>(&self, part: Cow<'a, str>) -> Vec<Cow<'a, str>> {
        match self {
            Splitter::Split(pattern) => sliced(&part, pattern.cut(&part)),
            Splitter::Digits { each } => sliced(&part, digits(&part, *each)),
            Splitter::Prefix if part.starts_with(' ') => vec![part],
            Splitter::Prefix => vec![format!(" {part}").into()],
        }
    }
}

fn sliced<'a>(part: &Cow<'a, str>, ranges: Vec<Range<usize>>) -> Vec<Cow<'a, str>> {
    let one = |range: Range<usize>| match part {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(range).unwrap_or("")),
        Cow::Owned(text) => Cow::Owned(text.get(range).unwrap_or("").to_string()),
    };
    ranges.into_iter().map(one).collect()
}

fn digits(text: &str, each: bool) -> Vec<Range<usize>> {
    let mut parts: Vec<(bool, Range<usize>)> = Vec::new();
    for (at, c) in text.char_indices() {
        let (is_digit, end) = (c.is_numeric(), at + c.len_utf8());
        match parts.last_mut() {
            Some((was_digit, last)) if *was_digit == is_digit && !(is_digit && each) => last.end = end,
            _ => parts.push((is_digit, at..end)),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Bytes that are a visible letter of Latin-1 are spelt as it; the others follow from U+0100 on, in order.
const fn is_visible(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF)
}

const LETTERS: [char; 256] = {
    let mut letters = ['\0'; 256];
    let (mut at, mut hidden) = (0, 0x100);
    while at < 256 {
        (letters[at], hidden) = match (is_visible(at as u8), char::from_u32(hidden)) {
            (false, Some(letter)) => (letter, hidden + 1),
            _ => (at as u8 as char, hidden),
        };
        at += 1;
    }
    letters
};

/// The letter that a byte is spelt as.
pub fn letter(byte: u8) -> char {
    LETTERS[usize::from(byte)]
}

fn byte_of(c: char) -> Option<u8> {
    LETTERS.iter().position(|letter| *letter == c).map(|byte| byte as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_letter_of_its_own() {
        let all: std::collections::BTreeSet<char> = (0..=255).map(letter).collect();
        assert_eq!(all.len(), 256);
        assert!((0..=255).all(|byte| byte_of(letter(byte)) == Some(byte)));
        assert_eq!([letter(b' '), letter(b'\n'), letter(0xAD), letter(b'a')], ['Ġ', 'Ċ', 'Ń', 'a']);
        assert_eq!((byte_of('\u{200}'), byte_of(' ')), (None, None));
    }

    #[test]
    fn digits_stand_apart() {
        let cut = |each| digits("a12 ½b", each).into_iter().map(|part| &"a12 ½b"[part]).collect::<Vec<_>>();
        assert_eq!(cut(true), ["a", "1", "2", " ", "½", "b"]);
        assert_eq!(cut(false), ["a", "12", " ", "½", "b"]);
    }
}
