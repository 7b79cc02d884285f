//! What a `tokenizer.json` of pieces does to text before it is cut: its normalizers, pre-tokenizers and added tokens,
//! one after the other as the `tokenizers` package takes them.
//!
//! ```text
//! text --added tokens--> parts --normalizers--> parts --added tokens of normalized text--> parts --cuts--> words
//! ```
//!
//! It is not what SentencePiece does with the model that such a file was made of. Replacements are looked up for a
//! cluster of characters that are seen as one: one of less than six bytes is replaced whole by what its shortest
//! beginning becomes. White space is Unicode's at ends of texts. Unknown characters are one unknown piece within a word
//! alone.

use super::SPACE;
use super::json_parts::{ENDS, broken, compiled, each, kind, outside};
use super::normalize::{self, Normalizer};
use super::pieces::{Kind, Piece, Vocabulary};
use super::unigram::Trie;
use meshwright_base::Diagnostic;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// Clusters of so many bytes or more are looked up character by character.
const LONG_CLUSTER: usize = 6;

/// A change of a whole text.
#[derive(Clone, Debug)]
enum Change {
    /// Compiled replacements.
    Replacements(Vec<u8>),
    Strip {
        left: bool,
        right: bool,
    },
    /// Two spaces and more become this.
    Spaces(String),
    /// Spaces at both ends go.
    Ends,
    Replace {
        from: String,
        to: String,
    },
    Prepend(String),
    Form(Form),
    Lowercase,
}

/// A normalization form of Unicode.
#[derive(Clone, Copy, Debug)]
enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

/// A cut of a text into words.
#[derive(Clone, Copy, Debug)]
enum WordCut {
    /// At white space, which goes.
    White,
    /// Spaces become `▁`, one is put before where there is none, and words begin with it.
    Marks { before: Before, is_cut: bool },
}

/// Before which words a `▁` is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    All,
    /// The one that begins the text.
    First,
    None,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Steps {
    changes: Vec<Change>,
    cuts: Vec<WordCut>,
    /// Added tokens that are looked for in the text as it is, and in what its changes made of it.
    raw: Trie,
    changed: Trie,
    /// Whether unknown characters of a word are one unknown piece.
    pub fuses: bool,
    /// The file that it was read from.
    pub json: String,
}

/// What a text is made of.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// An added token.
    Token(u32),
    /// What is left to the model.
    Word(String),
}

impl Steps {
    /// Normalizers and cuts.
    pub fn read(file: &Value) -> Result<Steps, Diagnostic> {
        let changes = each(&file["normalizer"], "normalizers").into_iter().map(change);
        let cuts = each(&file["pre_tokenizer"], "pretokenizers").into_iter().map(cut);
        Ok(Steps {
            changes: changes.collect::<Result<_, _>>()?,
            cuts: cuts.collect::<Result<_, _>>()?,
            raw: Trie::default(),
            changed: Trie::default(),
            fuses: file["model"]["type"] == "Unigram" || file["model"]["fuse_unk"] == true,
            json: file.to_string(),
        })
    }

    /// The same with the added tokens of a vocabulary that are not special.
    pub fn with_tokens(mut self, file: &Value, vocabulary: &Vocabulary) -> Steps {
        for token in file["added_tokens"].as_array().into_iter().flatten() {
            let text = token["content"].as_str().unwrap_or_default();
            let Some(id) = vocabulary.id(text).filter(|_| token["special"] != true) else { continue };
            if token["normalized"] == false {
                self.raw.insert(text, id);
            } else {
                let text = self.changed(text);
                if !text.is_empty() {
                    self.changed.insert(&text, id);
                }
            }
        }
        self
    }

    /// A text with `▁` for spaces as far as steps put it, without its cuts.
    pub fn shown(&self, text: &str) -> String {
        let words = self.found(text).into_iter().filter_map(|found| match found {
            Found::Word(word) => Some(word),
            Found::Token(_) => None,
        });
        words.collect()
    }

    /// The words of a text, and the added tokens in it.
    pub fn found(&self, text: &str) -> Vec<Found> {
        let mut all = Vec::new();
        for (start, part) in parts(&self.raw, text) {
            match part {
                Stretch::Token(id) => all.push(Found::Token(id)),
                Stretch::Text(part) => {
                    let changed = self.changed(part);
                    for (at, part) in parts(&self.changed, &changed) {
                        match part {
                            Stretch::Token(id) => all.push(Found::Token(id)),
                            Stretch::Text(part) => {
                                let words = self.words(part, start == 0 && at == 0);
                                all.extend(words.into_iter().map(Found::Word));
                            }
                        }
                    }
                }
            }
        }
        all
    }

    fn changed(&self, text: &str) -> String {
        self.changes.iter().fold(text.to_string(), |text, change| change.of(&text))
    }

    fn words(&self, text: &str, is_first: bool) -> Vec<String> {
        // A word, and whether the text begins with it.
        let mut words: Vec<(String, bool)> =
            if text.is_empty() { Vec::new() } else { vec![(text.to_string(), is_first)] };
        for cut in &self.cuts {
            words = words.into_iter().flat_map(|(word, is_first)| cut.of(&word, is_first)).collect();
        }
        words.into_iter().map(|(word, _)| word).collect()
    }
}

enum Stretch<'a> {
    Token(u32),
    Text(&'a str),
}

/// A text cut at tokens: at the first place where one begins, the longest.
fn parts<'a>(tokens: &Trie, text: &'a str) -> Vec<(usize, Stretch<'a>)> {
    let (mut all, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        match tokens.matches(text, at).last() {
            Some((end, id)) => {
                if begin < at {
                    all.push((begin, Stretch::Text(&text[begin..at])));
                }
                all.push((at, Stretch::Token(id)));
                (begin, at) = (end, end);
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    if begin < text.len() {
        all.push((begin, Stretch::Text(&text[begin..])));
    }
    all
}

impl Change {
    fn of(&self, text: &str) -> String {
        match self {
            Change::Replacements(compiled) => replaced(compiled, text),
            Change::Strip { left, right } => {
                let text = if *left { text.trim_start() } else { text };
                if *right { text.trim_end() } else { text }.to_string()
            }
            Change::Spaces(to) => spaces(text, to),
            Change::Ends => text.trim_matches(' ').to_string(),
            Change::Replace { from, to } => text.replace(from, to),
            Change::Prepend(before) if text.is_empty() => before[..0].to_string(),
            Change::Prepend(before) => format!("{before}{text}"),
            Change::Form(Form::Nfc) => text.nfc().collect(),
            Change::Form(Form::Nfd) => text.nfd().collect(),
            Change::Form(Form::Nfkc) => text.nfkc().collect(),
            Change::Form(Form::Nfkd) => text.nfkd().collect(),
            Change::Lowercase => text.chars().flat_map(char::to_lowercase).collect(),
        }
    }
}

impl WordCut {
    fn of(self, word: &str, is_first: bool) -> Vec<(String, bool)> {
        let (before, is_cut) = match self {
            WordCut::White => {
                let begins = word.starts_with(|c: char| !c.is_whitespace());
                let words = word.split_whitespace().enumerate();
                return words.map(|(at, word)| (word.to_string(), is_first && begins && at == 0)).collect();
            }
            WordCut::Marks { before, is_cut } => (before, is_cut),
        };
        let marked = word.replace(' ', &SPACE.to_string());
        let is_put = match before {
            Before::All => true,
            Before::First => is_first,
            Before::None => false,
        };
        let marked = if is_put && !marked.starts_with(SPACE) { format!("{SPACE}{marked}") } else { marked };
        if !is_cut {
            return vec![(marked, is_first)];
        }
        let words = super::words::words(&marked).enumerate();
        words.map(|(at, word)| (word.to_string(), is_first && at == 0)).collect()
    }
}

/// Clusters, or their characters, by what they become.
fn replaced(compiled: &[u8], text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for cluster in text.graphemes(true) {
        match normalize::shortest(compiled, cluster).filter(|_| cluster.len() < LONG_CLUSTER) {
            Some(to) => out.push_str(to),
            None => cluster.char_indices().for_each(|(at, c)| {
                let one = &cluster[at..at + c.len_utf8()];
                out.push_str(normalize::shortest(compiled, one).unwrap_or(one));
            }),
        }
    }
    out
}

/// Runs of two spaces and more become a text.
fn spaces(text: &str, to: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(' ') {
        out.push_str(&rest[..at]);
        let run = rest[at..].len() - rest[at..].trim_start_matches(' ').len();
        out.push_str(if run > 1 { to } else { " " });
        rest = &rest[at + run..];
    }
    out + rest
}

fn change(step: &Value) -> Result<Change, Diagnostic> {
    let text = |name: &str| step[name].as_str().map(str::to_string);
    let no = || broken(&format!("a normalizer `{}` without what it takes", kind(step)));
    Ok(match kind(step) {
        "Precompiled" => Change::Replacements(compiled(step)?),
        "Strip" => Change::Strip { left: step["strip_left"] != false, right: step["strip_right"] != false },
        "Prepend" => Change::Prepend(text("prepend").ok_or_else(no)?),
        "Replace" => {
            let to = text("content").ok_or_else(no)?;
            match (step["pattern"]["String"].as_str(), step["pattern"]["Regex"].as_str()) {
                (Some(from), _) if !from.is_empty() => Change::Replace { from: from.to_string(), to },
                (_, Some(" {2,}")) => Change::Spaces(to),
                (_, Some(ENDS)) if to.is_empty() => Change::Ends,
                _ => return Err(outside(&format!("normalizer `Replace` of {}", step["pattern"]))),
            }
        }
        "NFC" => Change::Form(Form::Nfc),
        "NFD" => Change::Form(Form::Nfd),
        "NFKC" => Change::Form(Form::Nfkc),
        "NFKD" => Change::Form(Form::Nfkd),
        "Lowercase" => Change::Lowercase,
        other => return Err(outside(&format!("normalizer `{other}`"))),
    })
}

fn cut(step: &Value) -> Result<WordCut, Diagnostic> {
    match kind(step) {
        "WhitespaceSplit" => Ok(WordCut::White),
        "Metaspace" if step["replacement"] == SPACE.to_string() => {
            let before = match step["prepend_scheme"].as_str() {
                Some("always") => Before::All,
                Some("first") => Before::First,
                Some("never") => Before::None,
                Some(other) => return Err(outside(&format!("prepend scheme `{other}`"))),
                None if step["add_prefix_space"] == false => Before::None,
                None => Before::All,
            };
            Ok(WordCut::Marks { before, is_cut: step["split"] != false })
        }
        other => Err(outside(&format!("pre-tokenizer `{other}`"))),
    }
}

/// What texts that were cut so look like to people: whether a space was put before.
pub fn undone(steps: &Steps) -> Normalizer {
    let puts = |cut: &WordCut| matches!(cut, WordCut::Marks { before: Before::All | Before::First, .. });
    let prepends =
        |change: &Change| matches!(change, Change::Prepend(before) if *before == SPACE.to_string());
    let prefix = steps.cuts.iter().any(puts) || steps.changes.iter().any(prepends);
    Normalizer { collapse: false, prefix, ..Normalizer::default() }
}

/// An added token that is not special: found in texts before the model sees them.
pub fn added(text: &str, token: &Value) -> Result<Piece, Diagnostic> {
    match ["single_word", "lstrip", "rstrip"].iter().find(|name| token[**name] == true) {
        Some(name) => Err(outside(&format!("the added token `{text}` with `{name}`"))),
        None => Ok(Piece::new(text, 0.0, Kind::Unused)),
    }
}
