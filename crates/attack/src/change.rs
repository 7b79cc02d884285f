//! Changes of texts, bytes and bundles that mostly leave them readable.
//!
//! Bytes changed blindly hardly ever pass a lexer. Texts are therefore changed by lines and words: lines are dropped,
//! doubled and swapped, numbers become other numbers, words become words of the same text or of a dictionary.

use crate::bundle;
use std::ops::Range;

/// Small numbers, and limits of integer types.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "31",
    "64",
    "127",
    "255",
    "1024",
    "65536",
    "-1",
    "-2",
    "-8",
    "2147483647",
    "2147483648",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "0x7FC00000",
    "1.0e+38",
    "-0.0",
];

/// Words of programs, and of all other formats: in quotes, one a line.
const OF_PROGRAMS: &str = include_str!("../../../fuzz/words.dict");
const OF_READERS: &str = include_str!("../../../fuzz/readers.dict");

/// Random choices from a seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns a number below `sides`; 0 if there is none.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(0xda94_2042_e4dd_58b5).wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.roll(items.len()))
    }
}

/// Changes bytes: a part of a bundle, a text by its words, anything else blindly.
pub fn change(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let Some(mut parts) = bundle::split(bytes) else { return change_part(bytes, dice, OF_PROGRAMS) };
    let (at, other) = (dice.roll(parts.len()), dice.roll(parts.len()));
    match (parts.is_empty(), dice.roll(16)) {
        (true, _) => {}
        (_, 0) => drop(parts.remove(at)),
        (_, 1) => parts[at].1 = parts[other].1.clone(),
        (_, 2) => parts[at].0 = change_text(&parts[at].0, dice, OF_READERS),
        _ => parts[at].1 = change_part(&parts[at].1, dice, OF_READERS),
    }
    bundle::join(&parts)
}

/// Changes the content of one file.
pub fn change_content(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    change_part(bytes, dice, OF_READERS)
}

fn change_part(bytes: &[u8], dice: &mut Dice, words: &str) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) if dice.roll(8) > 0 => change_text(text, dice, words).into_bytes(),
        _ => change_bytes(bytes, dice),
    }
}

fn change_text(text: &str, dice: &mut Dice, words: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..=dice.roll(3) {
        text = step(&text, dice, words);
    }
    text
}

/// Numbers at the edges, as bytes of a length or an offset.
const WIDE: [u64; 10] =
    [0, 1, 7, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff];

/// Flips bits, writes numbers at the edges, drops, doubles and moves runs, or cuts the end off.
pub fn change_bytes(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.roll(3) {
        // Half of the changes hit the head, where formats have their lengths.
        let reach = if dice.roll(2) == 0 { bytes.len().min(64) } else { bytes.len() };
        let at = dice.roll(reach);
        let run = at..(at + 1 + dice.roll(16)).min(bytes.len());
        match (bytes.is_empty(), dice.roll(7)) {
            (true, _) => bytes.push(dice.roll(256) as u8),
            (_, 0) => bytes[at] ^= 1 << dice.roll(8),
            (_, 1) => bytes[at] = dice.roll(256) as u8,
            (_, 2) => {
                let number = dice.pick(&WIDE).copied().unwrap_or(0);
                let width = 1 << dice.roll(4);
                let number = if dice.roll(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
                let number = &number[..width];
                let end = (at + width).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
            (_, 3) => drop(bytes.drain(run)),
            (_, 4) => {
                let copy = bytes[run].to_vec();
                let to = dice.roll(bytes.len());
                bytes.splice(to..to, copy);
            }
            (_, 5) => bytes.truncate(at),
            _ => bytes.insert(at, dice.roll(256) as u8),
        }
    }
    bytes
}

/// Lines of two texts in turns.
pub fn cross(first: &[u8], second: &[u8], dice: &mut Dice) -> Vec<u8> {
    let (mut own, other) = (lines_of(first), lines_of(second));
    let at = dice.roll(own.len() + 1);
    let from = dice.roll(other.len());
    let count = 1 + dice.roll(4);
    let lines = other.get(from..(from + count).min(other.len())).unwrap_or(&[]);
    own.splice(at..at, lines.iter().copied());
    own.join(&b'\n')
}

fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').collect()
}

fn step(text: &str, dice: &mut Dice, known: &str) -> String {
    match dice.roll(8) {
        0 => lines(text, dice),
        1 | 2 => replace(text, numbers(text), dice, |dice, _| dice.pick(NUMBERS).map(|n| n.to_string())),
        // Replaces every occurrence of a number, so sizes stay consistent.
        3 => {
            let found = numbers(text);
            let Some(from) = dice.pick(&found).and_then(|range| text.get(range.clone())) else {
                return text.into();
            };
            let to = dice.pick(NUMBERS).copied().unwrap_or("1");
            everywhere(text, &found, from, to)
        }
        4 | 5 => replace(text, words(text), dice, |dice, words| {
            dice.pick(words).and_then(|range| text.get(range.clone())).map(str::to_string)
        }),
        6 => {
            let known: Vec<&str> = words_of(known).collect();
            replace(text, words(text), dice, |dice, _| dice.pick(&known).map(|word| word.to_string()))
        }
        _ => replace(text, marks(text), dice, |dice, _| {
            dice.pick(&["(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "", "?", "x", "@", "%", "#"])
                .map(|mark| mark.to_string())
        }),
    }
}

fn words_of(dictionary: &str) -> impl Iterator<Item = &str> {
    dictionary.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'))
}

/// Drop, double or swap lines.
fn lines(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (a, b) = (dice.roll(lines.len()), dice.roll(lines.len()));
    match (lines.len(), dice.roll(3)) {
        (0, _) => {}
        (_, 0) => drop(lines.remove(a)),
        (_, 1) => lines.insert(b, lines[a]),
        _ => lines.swap(a, b),
    }
    lines.join("\n")
}

fn replace(
    text: &str,
    found: Vec<Range<usize>>,
    dice: &mut Dice,
    with: impl FnOnce(&mut Dice, &[Range<usize>]) -> Option<String>,
) -> String {
    let Some(range) = dice.pick(&found).cloned() else { return text.into() };
    let Some(with) = with(dice, &found) else { return text.into() };
    let mut text = text.to_string();
    text.replace_range(range, &with);
    text
}

fn everywhere(text: &str, found: &[Range<usize>], from: &str, to: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for range in found.iter().filter(|range| text.get((*range).clone()) == Some(from)) {
        out.push_str(&text[at..range.start]);
        out.push_str(to);
        at = range.end;
    }
    out + &text[at..]
}

fn numbers(text: &str) -> Vec<Range<usize>> {
    runs(text, |byte| byte.is_ascii_digit())
}

fn words(text: &str) -> Vec<Range<usize>> {
    runs(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'%' | b'@' | b'-'))
}

fn marks(text: &str) -> Vec<Range<usize>> {
    let is_mark = |(at, byte): (usize, u8)| byte.is_ascii_punctuation().then_some(at..at + 1);
    text.bytes().enumerate().filter_map(is_mark).collect()
}

/// Longest runs of such bytes.
fn runs(text: &str, belongs: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
    let (mut out, mut start) = (Vec::new(), None);
    for (at, byte) in text.bytes().chain([0]).enumerate() {
        match (belongs(byte), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                out.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_gives_one_change_and_nothing_panics() {
        let bundle = b"=== a.json\n{\"shape\": [2, 3]}\n=== b\n\xff\x00\x01";
        for bytes in [&bundle[..], b"", b"=== ", b"HloModule m", b"\xff"] {
            for seed in 0..2000 {
                let (first, again) =
                    (change(bytes, &mut Dice::new(seed)), change(bytes, &mut Dice::new(seed)));
                assert_eq!(first, again);
                drop(change_bytes(bytes, &mut Dice::new(seed)));
                drop(cross(bytes, bundle, &mut Dice::new(seed)));
            }
        }
    }
}
