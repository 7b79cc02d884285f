//! Changes of a text that mostly leave it readable.

use libfuzzer_sys::fuzzer_mutate;
use std::ops::Range;

/// Numbers at the edges of what fits, and small ones.
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

/// Words of both forms, in quotes or not, one a line.
const DICTIONARY: &str = include_str!("../words.dict");

/// Random choices from a seed: a multiply-with-carry is enough here.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(0xda94_2042_e4dd_58b5).wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.roll(items.len()))
    }
}

/// Change `data[..size]` in place; the new size.
pub fn change(data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed) | 1 << 40);
    let text = data.get(..size).and_then(|data| std::str::from_utf8(data).ok());
    let changed = match (text, dice.roll(4)) {
        (Some(text), 1..) => {
            let mut text = text.to_string();
            for _ in 0..=dice.roll(3) {
                text = step(&text, &mut dice);
            }
            text
        }
        _ => return fuzzer_mutate(data, size, max),
    };
    put(data, &changed, max)
}

/// Lines of two texts in turns.
pub fn cross(first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut dice = Dice(u64::from(seed) | 1 << 41);
    let (first, second) = (String::from_utf8_lossy(first), String::from_utf8_lossy(second));
    let (mut own, other): (Vec<&str>, Vec<&str>) = (first.lines().collect(), second.lines().collect());
    let at = dice.roll(own.len() + 1);
    let from = dice.roll(other.len());
    let count = 1 + dice.roll(4);
    let lines = other.get(from..(from + count).min(other.len())).unwrap_or(&[]);
    own.splice(at..at, lines.iter().copied());
    let max = out.len();
    put(out, &own.join("\n"), max)
}

fn put(data: &mut [u8], text: &str, max: usize) -> usize {
    let size = text.len().min(max).min(data.len());
    data[..size].copy_from_slice(&text.as_bytes()[..size]);
    size
}

fn step(text: &str, dice: &mut Dice) -> String {
    match dice.roll(8) {
        0 => lines(text, dice),
        1 | 2 => replace(text, numbers(text), dice, |dice, _| dice.pick(NUMBERS).map(|n| n.to_string())),
        // The same number everywhere: sizes stay consistent.
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
            let known: Vec<&str> = dictionary().collect();
            replace(text, words(text), dice, |dice, _| dice.pick(&known).map(|word| word.to_string()))
        }
        _ => replace(text, marks(text), dice, |dice, _| {
            dice.pick(&["(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", "", "?", "x", "@", "%", "#"])
                .map(|mark| mark.to_string())
        }),
    }
}

fn dictionary() -> impl Iterator<Item = &'static str> {
    DICTIONARY.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'))
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
