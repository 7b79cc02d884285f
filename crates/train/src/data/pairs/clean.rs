//! Which pairs are kept, and how they are written: a sentence a reader would see, with its English.
//!
//! Markup, entities, accelerators of menus (`~File`, `_File`, `(~F)`) and white space go. A pair goes whole if a side
//! is too short or too long, is mostly no letters, has other placeholders than the other side, or is the same as it.

use super::markup::plain;
use meshwright_base::arrange::Arrange;

/// Fewest English words of a pair.
const FEWEST_WORDS: usize = 3;
/// Bytes of a side at most.
const LONGEST: usize = 800;
/// How many times as many bytes a side may have as the other.
const RATIO: usize = 4;

/// A sentence and its English.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pair {
    pub source: String,
    pub english: String,
}

/// Why a pair is left out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    Short,
    Long,
    Signs,
    Placeholders,
    Untranslated,
    Lengths,
    Twice,
}

impl Reason {
    pub const ALL: [Reason; 7] = [
        Reason::Short,
        Reason::Long,
        Reason::Signs,
        Reason::Placeholders,
        Reason::Untranslated,
        Reason::Lengths,
        Reason::Twice,
    ];

    /// As it stands in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Short => "fewer than 3 words",
            Reason::Long => "too long",
            Reason::Signs => "mostly no letters",
            Reason::Placeholders => "other placeholders",
            Reason::Untranslated => "same on both sides",
            Reason::Lengths => "lengths far apart",
            Reason::Twice => "there already",
        }
    }
}

/// The pair as it is written, or why it is not. `most` is of English words.
pub fn cleaned(source: &str, english: &str, most: usize) -> Result<Pair, Reason> {
    let [source, english] = [source, english].map(|side| without_accelerators(&plain(side)));
    let words = english.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count();
    let (shorter, longer) = (source.len().min(english.len()), source.len().max(english.len()));
    let reason = if words < FEWEST_WORDS || source.is_empty() {
        Reason::Short
    } else if words > most || longer > LONGEST {
        Reason::Long
    } else if [&source, &english].iter().any(|side| !is_mostly_letters(side)) {
        Reason::Signs
    } else if placeholders(&source) != placeholders(&english) {
        Reason::Placeholders
    } else if letters(&source) == letters(&english) {
        Reason::Untranslated
    } else if longer > shorter * RATIO {
        Reason::Lengths
    } else {
        return Ok(Pair { source, english });
    };
    Err(reason)
}

/// Letters and digits in lower case: sentences that differ in nothing else are the same.
pub fn letters(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

fn is_mostly_letters(text: &str) -> bool {
    let (all, letters) = text
        .chars()
        .filter(|c| *c != ' ')
        .fold((0, 0), |(all, letters), c| (all + 1, letters + usize::from(c.is_alphabetic() || is_mark(c))));
    letters * 10 >= all * 6
}

/// Vowel signs and the like, which are no letters to Rust and without which some scripts are not written.
fn is_mark(c: char) -> bool {
    matches!(c as u32, 0x300..=0x36f | 0x591..=0x5c7 | 0x610..=0x65f | 0x900..=0xdff | 0xe31..=0xe4e | 0x1780..=0x17d3)
}

/// What stands for something else: `%s`, `%1$d`, `%{name}`, `{0}`, `$(ARG1)`, `%PRODUCTNAME`; without their numbers, in
/// the order of the alphabet, for languages order them otherwise.
fn placeholders(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['%', '{', '$']) {
        let begin = &rest[at..];
        let length = begin.chars().skip(1).take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>() + 1;
        // A sign alone, as in `50 %`, stands for itself.
        if length > 1 {
            found.push(begin[..length].chars().filter(|c| !c.is_ascii_digit() && *c != '$').collect());
        }
        rest = &begin[length..];
    }
    found.arrange();
    found
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '$' | '(' | ')' | '{' | '}' | '_' | '.')
}

/// `~File`, `_File`, `(~F)` and `(_F)` are shown as `File` and nothing.
fn without_accelerators(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let (mut shown, mut rest) = (String::with_capacity(text.len()), &characters[..]);
    let mut is_within = false;
    while let [first, behind @ ..] = rest {
        rest = match rest {
            ['(', '~' | '_', letter, ')', behind @ ..] if letter.is_alphanumeric() => {
                shown.truncate(shown.trim_end().len());
                behind
            }
            ['~', letter, ..] if letter.is_alphabetic() => behind,
            ['_', letter, ..] if letter.is_alphabetic() && !is_within => behind,
            _ => {
                shown.push(*first);
                behind
            }
        };
        is_within = first.is_alphanumeric() || matches!(first, '_' | '~');
    }
    shown.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_accelerators_go() {
        let pair = cleaned("Alle ~Dateien <b>öffnen</b>", "_Open all\n files", 3).unwrap();
        assert_eq!(pair, Pair { source: "Alle Dateien öffnen".into(), english: "Open all files".into() });
        assert_eq!(without_accelerators("保存(~S)..."), "保存...");
        assert_eq!(without_accelerators("snake_case and __init__ ~ 5"), "snake_case and __init__ ~ 5");
    }

    #[test]
    fn what_teaches_nothing_is_left_out() {
        let long = "word ".repeat(81);
        let cases = [
            ("Datei", "Open file", Reason::Short),
            ("", "Open this file", Reason::Short),
            ("Wort", long.as_str(), Reason::Long),
            ("--- a *** 123456 ///// b", "One of these words", Reason::Signs),
            ("Datei %s öffnen", "Open the file %d", Reason::Placeholders),
            ("Datei %s öffnen", "Open this file", Reason::Placeholders),
            ("open THIS file!", "Open this file", Reason::Untranslated),
            ("Ja", "Yes of course you may", Reason::Lengths),
        ];
        for (source, english, reason) in cases {
            assert_eq!(cleaned(source, english, 80), Err(reason), "{source} / {english}");
        }
        for (source, english) in [
            ("Aus %2$s wird %1$s gemacht", "Make %1$s of what is %2$s"),
            ("Nur 50 % sind da", "Only 50% are there"),
            ("फ़ाइल को सहेजें और बंद करें", "Save and close the file"),
        ] {
            let pair = cleaned(source, english, 80);
            assert!(pair.is_ok(), "{source}: {pair:?}");
        }
        assert_eq!(cleaned("Vier deutsche Wörter hier", "Four English words here", 3), Err(Reason::Long));
    }
}
