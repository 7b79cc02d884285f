//! No text panics: golden modules cut off, with bytes changed, lines dropped, doubled or swapped, are read and
//! verified. They may be refused, and then with at least one error.

use meshwright_base::SourceText;
use meshwright_cli::read::read;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

/// Broken versions made of each text.
const VERSIONS: u64 = 12;

/// Larger texts are left out, to keep this quick.
const LARGEST: usize = 30_000;

#[test]
fn broken_texts_are_refused_without_a_panic() {
    let mut panicked = Vec::new();
    for path in texts() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > LARGEST {
            continue;
        }
        let name = path.display().to_string();
        for version in 0..VERSIONS {
            let broken = broken(&text, mix(version ^ text.len() as u64));
            let source = SourceText::new(name.clone(), broken);
            match catch_unwind(|| read(&source)) {
                Ok(Err(diagnostics)) => {
                    assert!(diagnostics.iter().any(|found| found.is_error()), "{name} {version}")
                }
                Ok(Ok(_)) => {}
                Err(_) => panicked.push(format!("{name} version {version}:\n{}", source.text)),
            }
        }
    }
    assert!(panicked.is_empty(), "{} texts panic; the first is {}", panicked.len(), panicked[0]);
}

fn texts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    let entries = |folder: &Path| {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let is_text = |path: &PathBuf| path.extension().is_some_and(|end| end == "mlir" || end == "hlo");
    let mut texts: Vec<PathBuf> =
        entries(&root).iter().flat_map(|case| entries(case)).filter(is_text).collect();
    texts.sort();
    texts
}

/// One way of breaking a text, by the digits of a number.
fn broken(text: &str, number: u64) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (at, other) = (pick(number, lines.len()), pick(mix(number), lines.len()));
    let joined = |lines: Vec<&str>| lines.join("\n");
    match number % 6 {
        0 => text.chars().take(pick(number, text.len())).collect(),
        1 => changed(text, number),
        2 => joined([&lines[..at], &lines[at + 1..]].concat()),
        3 => joined([&lines[..=at], &lines[at..]].concat()),
        4 => {
            let mut lines = lines;
            lines.swap(at, other);
            joined(lines)
        }
        // A number becomes another one somewhere: shapes, dims and indices no longer fit.
        _ => {
            let digits: Vec<usize> =
                text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = digits[pick(number, digits.len())];
            format!(
                "{}{}{}",
                &text[..at],
                ["0", "7", "99999999999", "-1"][pick(mix(number), 4)],
                &text[at + 1..]
            )
        }
    }
}

/// A few characters replaced by others that mean something in a module.
fn changed(text: &str, number: u64) -> String {
    const OTHERS: &[char] =
        &['(', ')', '{', '}', '[', ']', '<', '>', '%', '"', ',', ':', '#', 'x', '0', '\u{e9}'];
    let mut chars: Vec<char> = text.chars().collect();
    let mut word = number;
    for _ in 0..3 {
        word = mix(word);
        let at = pick(word, chars.len());
        chars[at] = OTHERS[pick(mix(word), OTHERS.len())];
    }
    chars.into_iter().collect()
}

fn pick(word: u64, below: usize) -> usize {
    (word / 6) as usize % below.max(1)
}

/// SplitMix64's finalizer.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
