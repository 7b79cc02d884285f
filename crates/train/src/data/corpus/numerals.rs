//! Numbers in words, 0 to 9,999, from the tables of a language.

use super::languages::{Joint, Language};

/// The entry of a list, with its inner spaces. Empty beyond the end.
pub fn entry(list: &str, at: usize) -> String {
    list.split_ascii_whitespace().nth(at).unwrap_or("").replace('_', " ")
}

/// A number under 10,000; what is above is cut off.
pub fn in_words(language: &Language, number: u32) -> String {
    let (thousands, hundreds, rest) = (number / 1000 % 10, number / 100 % 10, number % 100);
    let mut ranks: Vec<String> = Vec::new();
    if thousands > 0 {
        ranks.push(entry(language.thousands, thousands as usize - 1));
    }
    if hundreds > 0 {
        ranks.push(entry(language.hundreds, hundreds as usize - 1));
    }
    if rest > 0 || ranks.is_empty() {
        let leaves_out = !ranks.is_empty() && (rest < 10 || hundreds == 0);
        let skipped = if leaves_out { language.skipped } else { "" };
        ranks.push(format!("{skipped}{}", under_hundred(language, rest)));
    }
    ranks.join(language.gap)
}

fn under_hundred(language: &Language, number: u32) -> String {
    let (tens, units) = (number / 10, number % 10);
    if let Some(word) = irregular(language, number) {
        return word;
    }
    if number < 20 {
        return entry(language.small, number as usize);
    }
    let ten = entry(language.tens, tens as usize - 2);
    let unit = entry(language.small, units as usize);
    match (units, language.joint) {
        (0, _) => ten,
        (_, Joint::After(joint)) => format!("{ten}{joint}{unit}"),
        (_, Joint::Before(joint)) => format!("{unit}{joint}{ten}"),
    }
}

fn irregular(language: &Language, number: u32) -> Option<String> {
    let found = language.irregular.split_ascii_whitespace().filter_map(|pair| pair.split_once('='));
    found.filter(|(key, _)| key.parse() == Ok(number)).map(|(_, word)| word.replace('_', " ")).next()
}

#[cfg(test)]
mod tests {
    use super::super::languages::{ENGLISH, LANGUAGES};
    use super::*;
    use std::collections::BTreeSet;

    fn said(code: &str, number: u32) -> String {
        let language = LANGUAGES.iter().find(|language| language.code == code).unwrap_or(&ENGLISH);
        in_words(language, number)
    }

    #[test]
    fn numbers_are_spelled_as_each_language_does() {
        for (code, number, words) in [
            ("en", 0, "zero"),
            ("en", 7342, "seven thousand three hundred forty-two"),
            ("de", 21, "einundzwanzig"),
            ("de", 4387, "viertausenddreihundertsiebenundachtzig"),
            ("fr", 71, "soixante et onze"),
            ("fr", 1999, "mille neuf cent quatre-vingt-dix-neuf"),
            ("es", 122, "ciento veintidós"),
            ("es", 45, "cuarenta y cinco"),
            ("it", 138, "centotrentotto"),
            ("pl", 5012, "pięć tysięcy dwanaście"),
            ("nl", 23, "drieëntwintig"),
            ("da", 57, "syvoghalvtreds"),
            ("zh", 1005, "一千零五"),
            ("zh", 320, "三百二十"),
            ("ja", 1005, "千五"),
            ("fi", 21, "kaksikymmentäyksi"),
            ("pt", 1234, "mil e duzentos e trinta e quatro"),
        ] {
            assert_eq!(said(code, number), words);
        }
    }

    #[test]
    fn no_two_numbers_of_a_language_sound_alike() {
        for language in LANGUAGES.iter().chain([&ENGLISH]) {
            let all: BTreeSet<String> = (0..10_000).map(|number| in_words(language, number)).collect();
            assert_eq!(all.len(), 10_000, "{}", language.code);
            assert!(!all.contains(""));
        }
    }
}
