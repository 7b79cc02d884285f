//! The corpus on its way to disk: a folder with `train/de.tsv`, `dev/de.tsv`, `test/de.tsv` and so on, and a manifest.
//!
//! The manifest goes first where one was there, and is written last: a folder that has one is whole.

use super::Paragraphs;
use super::clean::{Pair, Reason, cleaned};
use super::split::{Seen, Sizes, Split};
use crate::checksum::checksum;
use crate::data::corpus::sentence_hash;
use crate::disk::{RealDisk, make_dirs, replace};
use meshwright_base::{Code, Diagnostic};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a whole corpus has beside its files.
pub const MANIFEST: &str = "manifest.json";

/// English words of a pair, unless fewer are asked for.
const MOST_WORDS: usize = 80;

const FOLDER: Code = Code(1163);

/// Where a pair was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// LibreOffice's help pages.
    Help,
    /// LibreOffice's menus and dialogs.
    Screen,
    /// Catalogues that are installed.
    Installed,
    /// The program's own, which rules make.
    Phrases,
}

impl Origin {
    pub const ALL: [Origin; 4] = [Origin::Help, Origin::Screen, Origin::Installed, Origin::Phrases];

    pub fn name(self) -> &'static str {
        match self {
            Origin::Help => "help",
            Origin::Screen => "screen",
            Origin::Installed => "installed",
            Origin::Phrases => "phrases",
        }
    }
}

/// The pairs of one language, each once, in the order in which they were found.
#[derive(Default)]
pub struct LanguagePairs {
    pub language: String,
    /// English words that a pair has at most.
    pub most_words: usize,
    pub pairs: Vec<Pair>,
    /// Pairs of another kind of text, which are tested and never learnt from.
    pub guide: Vec<Pair>,
    /// Pairs by where they were found first.
    pub origins: BTreeMap<Origin, usize>,
    /// Pairs that are not among them.
    pub left_out: BTreeMap<Reason, usize>,
    seen: Seen,
}

impl LanguagePairs {
    pub fn new(language: &str) -> Self {
        LanguagePairs { language: language.into(), most_words: MOST_WORDS, ..LanguagePairs::default() }
    }

    /// Takes a pair in, or counts why not.
    pub fn add(&mut self, origin: Origin, source: &str, english: &str) {
        match cleaned(source, english, self.most_words) {
            Ok(pair) if self.seen.is_new(&pair) => {
                *self.origins.entry(origin).or_default() += 1;
                self.pairs.push(pair);
            }
            Ok(_) => *self.left_out.entry(Reason::Twice).or_default() += 1,
            Err(reason) => *self.left_out.entry(reason).or_default() += 1,
        }
    }

    /// Paragraphs that both have.
    pub fn add_help(&mut self, ours: &Paragraphs, english: &Paragraphs) {
        for (id, text) in ours {
            if let Some(english) = english.get(id) {
                self.add(Origin::Help, text, english);
            }
        }
    }

    /// Takes in what is tested out of domain; long sentences, too.
    pub fn add_guide(&mut self, pairs: &[(String, String)]) {
        let mut seen = Seen::default();
        let cleaned = pairs.iter().filter_map(|(source, english)| cleaned(source, english, MOST_WORDS).ok());
        self.guide = cleaned.filter(|pair| seen.is_new(pair)).collect();
    }

    fn counts(&self) -> (Map<String, Value>, Map<String, Value>) {
        let origins = self.origins.iter().map(|(origin, count)| (origin.name().into(), json!(count)));
        let left_out = self.left_out.iter().map(|(reason, count)| (reason.name().into(), json!(count)));
        (origins.collect(), left_out.collect())
    }
}

/// Writes the corpus into a folder, with `about` in its manifest; returns the manifest. Languages come in their order,
/// those without pairs are left out.
pub fn write(
    folder: &Path,
    languages: &[LanguagePairs],
    sizes: Sizes,
    about: Map<String, Value>,
) -> Result<Value, Diagnostic> {
    remove_manifest(folder)?;
    let known = Known::of(languages);
    let first = languages.first().map_or(0, |first| sizes.of(&first.pairs, Split::Train).len());
    let mut rows = Vec::new();
    for (rank, language) in languages.iter().enumerate().filter(|(_, language)| !language.pairs.is_empty()) {
        let (origins, left_out) = language.counts();
        let mut row = json!({
            "language": language.language, "pairs": language.pairs.len(), "origins": origins, "left_out": left_out,
        });
        for split in Split::ALL {
            let pairs = sizes.of(&language.pairs, split);
            let pairs = if split == Split::Train { sizes.kept(pairs, rank, first) } else { pairs };
            row[split.name()] = write_split(folder, &language.language, split.name(), &pairs)?;
        }
        row[GUIDE_FOLDER] =
            write_split(folder, &language.language, GUIDE_FOLDER, &known.others(&language.guide))?;
        rows.push(row);
    }
    let mut manifest = Map::from_iter([
        ("format".to_string(), json!(1)),
        ("seed".into(), json!(sizes.seed)),
        ("test_one_in".into(), json!(sizes.test_one_in)),
        ("held_out_one_in".into(), json!(sizes.dev_one_in)),
        ("skew".into(), json!(sizes.skew)),
        ("languages".into(), json!(rows)),
    ]);
    manifest.extend(about);
    let manifest = Value::Object(manifest);
    write_whole(&folder.join(MANIFEST), format!("{manifest:#}\n").as_bytes())?;
    Ok(manifest)
}

/// Where pairs of the installation guide are.
pub const GUIDE_FOLDER: &str = "guide";

/// English sentences that any language has, but for the guide.
struct Known(BTreeSet<u64>);

impl Known {
    fn of(languages: &[LanguagePairs]) -> Known {
        let all = languages.iter().flat_map(|language| &language.pairs);
        Known(all.map(|pair| sentence_hash(&pair.english)).collect())
    }

    fn others(&self, pairs: &[Pair]) -> Vec<Pair> {
        let is_other = |pair: &&Pair| !self.0.contains(&sentence_hash(&pair.english));
        pairs.iter().filter(is_other).cloned().collect()
    }
}

/// One file: a pair a line, `source<TAB>English`, as `data.files` takes it.
fn write_split(folder: &Path, language: &str, split: &str, pairs: &[Pair]) -> Result<Value, Diagnostic> {
    let text: String = pairs.iter().map(|pair| format!("{}\t{}\n", pair.source, pair.english)).collect();
    let name = format!("{language}.tsv");
    write_whole(&folder.join(split).join(&name), text.as_bytes())?;
    Ok(json!({
        "file": format!("{split}/{name}"), "pairs": pairs.len(), "bytes": text.len(),
        "crc32c": format!("{:08x}", checksum(text.as_bytes())),
    }))
}

/// A whole file or none.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let written = make_dirs(&RealDisk, parent).and_then(|_| replace(&RealDisk, path, bytes));
    written.map_err(|error| {
        Diagnostic::error(FOLDER, format!("cannot write `{}`: {error}", path.display()))
            .help("make room, or name another folder with `--out`")
    })
}

fn remove_manifest(folder: &Path) -> Result<(), Diagnostic> {
    let path = folder.join(MANIFEST);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let message = format!("cannot replace `{}`: {error}", path.display());
            Err(Diagnostic::error(FOLDER, message).help("name another folder with `--out`"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { test_one_in: 10, dev_one_in: 10, skew: None, seed: 1 };

    fn folder(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("meshwright-corpus-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        path
    }

    /// Sentence `n`, written a little differently in each language.
    fn english(n: usize, language: usize) -> String {
        let sentence = format!("open the file number {n}");
        if language.is_multiple_of(2) { sentence } else { format!("  Open THE file, number {n}!") }
    }

    fn languages() -> Vec<LanguagePairs> {
        let all = ["de", "fr", "ja"].iter().enumerate().map(|(at, name)| {
            let mut pairs = LanguagePairs::new(name);
            for n in 0..1000 {
                pairs.add(Origin::Help, &format!("{name} Satz mit der Nummer {n}"), &english(n, at));
                pairs.add(Origin::Installed, &format!("{name} Satz, mit der Nummer {n}"), &english(n, at));
            }
            pairs
        });
        all.collect()
    }

    fn sentences(folder: &Path, split: Split) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for language in ["de", "fr", "ja"] {
            let text =
                std::fs::read_to_string(folder.join(split.name()).join(format!("{language}.tsv"))).unwrap();
            found.extend(
                text.lines().map(|line| super::super::clean::letters(line.split_once('\t').unwrap().1)),
            );
        }
        found
    }

    #[test]
    fn no_english_of_a_test_is_trained_on_in_any_language() {
        let folder = folder("split");
        let manifest = write(&folder, &languages(), SIZES, Map::new()).unwrap();
        let [train, dev, test] = Split::ALL.map(|split| sentences(&folder, split));
        for (one, other) in [(&train, &test), (&train, &dev), (&dev, &test)] {
            assert_eq!(one.intersection(other).next(), None);
        }
        assert_eq!(train.len() + dev.len() + test.len(), 1000);
        assert!(test.len() > 60 && dev.len() > 60, "{} {}", test.len(), dev.len());
        assert_eq!(manifest["languages"][2]["train"]["pairs"], train.len());
        assert_eq!(manifest["languages"][0]["left_out"]["there already"], 1000);
        assert_eq!(manifest["languages"][0]["origins"]["help"], 1000);
    }

    #[test]
    fn the_guide_is_tested_without_what_is_learnt_or_tested_already() {
        let folder = folder("guide");
        let mut all = languages();
        let pair = |source: &str, english: &str| (source.to_string(), english.to_string());
        all[1].add_guide(&[
            pair("ouvrir le fichier numéro 7", "Open the file number 7."),
            pair("le guide a des phrases longues", "the guide has long sentences"),
            pair("le guide a des phrases longues !", "The guide has long sentences"),
            pair("court", "short"),
        ]);
        let manifest = write(&folder, &all, SIZES, Map::new()).unwrap();
        let kept = std::fs::read_to_string(folder.join("guide/fr.tsv")).unwrap();
        assert_eq!(kept, "le guide a des phrases longues\tthe guide has long sentences\n");
        let counts = [0, 1].map(|at| manifest["languages"][at]["guide"]["pairs"].clone());
        assert_eq!(counts, [0, 1]);
    }

    #[test]
    fn a_power_law_takes_pairs_from_smaller_languages_by_seed() {
        let sized = |seed| {
            let folder = folder(&format!("skew-{seed}"));
            let sizes = Sizes { skew: Some(1.0), seed, ..SIZES };
            let manifest = write(&folder, &languages(), sizes, Map::new()).unwrap();
            let counts = |split: &str| -> Vec<u64> {
                let rows = manifest["languages"].as_array().unwrap().iter();
                rows.map(|row| row[split]["pairs"].as_u64().unwrap()).collect()
            };
            let [train, test] = ["train", "test"].map(counts);
            assert_eq!([train[1], train[2]], [train[0].div_ceil(2), train[0].div_ceil(3)]);
            assert_eq!([test[1], test[2]], [test[0], test[0]], "tests are not thinned out");
            manifest["languages"][2]["train"]["crc32c"].clone()
        };
        assert_eq!(sized(1), sized(1));
        assert_ne!(sized(1), sized(2));
    }

    #[test]
    fn languages_without_pairs_are_left_out_and_an_old_manifest_goes_first() {
        let folder = folder("empty");
        std::fs::create_dir_all(folder.join("train/de.tsv")).unwrap();
        std::fs::write(folder.join(MANIFEST), "old").unwrap();
        assert!(write(&folder, &languages(), SIZES, Map::new()).is_err(), "a folder is in the way");
        assert!(!folder.join(MANIFEST).exists());
        std::fs::remove_dir_all(&folder).unwrap();
        let manifest = write(&folder, &[LanguagePairs::new("xx")], SIZES, Map::new()).unwrap();
        assert_eq!(manifest["languages"], json!([]));
    }
}
