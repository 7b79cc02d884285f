//! What `meshwright data m4` wrote: a part for each language, of its pairs for training and of those held out.
//!
//! Pairs for testing are in files of their own, which training does not open ([`tests`]). Which of the others are held
//! out the corpus was told when it was made; a configuration that holds out others is refused.

use super::{CORPUS, Corpus, Document, FileCorpus, Part, no_such_document, sentence_hash};
use crate::checksum::checksum;
use crate::data::content::Content;
use crate::data::pairs::{MANIFEST, Split};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_base::random::mix;
use meshwright_runtime::files::read_regular;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Splits that training reads, in the order of their documents within a part.
const READ: [Split; 2] = [Split::Train, Split::Dev];

/// Sentences of many languages with their English.
#[derive(Debug)]
pub struct PairCorpus {
    parts: Vec<Part>,
    /// The files of [`READ`]'s first split, language by language, then those of the second.
    files: FileCorpus,
    /// Whether a source begins with its language, as `<de>`.
    is_marked: bool,
}

impl PairCorpus {
    /// Opens a folder with a manifest. Its files must be as the manifest says.
    pub fn open(folder: &Path, held_out_one_in: u64, is_marked: bool) -> Result<Self, Diagnostic> {
        let manifest = Manifest::read(folder)?;
        manifest.check(held_out_one_in)?;
        let rows =
            READ.map(|split| manifest.rows(split)).into_iter().collect::<Result<Vec<_>, _>>()?.concat();
        let paths: Vec<PathBuf> = rows.iter().map(|row| folder.join(&row.file)).collect();
        let files = FileCorpus::open(&paths)?;
        for (row, content) in rows.iter().zip(files.contents()) {
            if row.sum != format!("{:08x}", content.sum) {
                return Err(changed(&content.name, folder));
            }
        }
        let (train, dev) = files.parts().split_at(rows.len() / READ.len());
        let part = |(at, train): (usize, &Part)| Part {
            name: rows[at].language.clone(),
            documents: train.documents + dev[at].documents,
        };
        let parts = train.iter().enumerate().map(part).collect();
        Ok(PairCorpus { parts, files, is_marked })
    }

    pub fn contents(&self) -> &[Content] {
        self.files.contents()
    }
}

impl Corpus for PairCorpus {
    fn parts(&self) -> &[Part] {
        &self.parts
    }

    fn document(&mut self, part: usize, at: u64) -> Result<Document, Diagnostic> {
        let language = self.parts.get(part).ok_or_else(|| no_such_document(part, at))?;
        let mut document = match at.checked_sub(self.files.parts()[part].documents) {
            None => self.files.document(part, at)?,
            Some(at) => self.files.document(part + self.parts.len(), at)?,
        };
        if self.is_marked {
            document.source = marked(&language.name, &document.source);
        }
        Ok(document)
    }
}

/// A source that says in which language it is.
pub fn marked(language: &str, source: &str) -> String {
    format!("<{language}> {source}")
}

/// Test sentences of a language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tests {
    pub language: String,
    /// Pairs that it has for training.
    pub trained: u64,
    pub documents: Vec<Document>,
}

/// The sentences that languages of a folder have for testing, at most so many of each: first those whose English all of
/// them have, in one order, so that scores of languages can be held against each other; then others.
pub fn tests(folder: &Path, most: usize) -> Result<Vec<Tests>, Diagnostic> {
    let manifest = Manifest::read(folder)?;
    let mut all: Vec<Tests> = Vec::new();
    for row in manifest.rows(Split::Test)? {
        let mut files = FileCorpus::open(&[folder.join(&row.file)])?;
        if files.contents().iter().any(|content| row.sum != format!("{:08x}", content.sum)) {
            return Err(changed(&row.file, folder));
        }
        let count = files.parts().iter().map(|part| part.documents).sum();
        let documents = (0..count).map(|at| files.document(0, at)).collect::<Result<_, _>>()?;
        all.push(Tests { trained: manifest.trained(&row.language), language: row.language, documents });
    }
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    for one in &all {
        let sentences: BTreeSet<u64> = one.documents.iter().map(|one| sentence_hash(&one.target)).collect();
        sentences.into_iter().for_each(|sentence| *seen.entry(sentence).or_default() += 1);
    }
    let languages = all.len();
    for one in &mut all {
        let rank = |document: &Document| {
            let sentence = sentence_hash(&document.target);
            (seen.get(&sentence) != Some(&languages), mix(sentence))
        };
        one.documents.arrange_by_key(rank);
        one.documents.dedup_by_key(|document| sentence_hash(&document.target));
        one.documents.truncate(most);
    }
    Ok(all)
}

/// The first pairs of one split, at most so many of each language; nothing, if the manifest has no such split.
pub fn of_split(
    folder: &Path,
    split: &str,
    is_marked: bool,
    most: usize,
) -> Result<Vec<(String, Vec<Document>)>, Diagnostic> {
    let manifest = Manifest::read(folder)?;
    let mut all = Vec::new();
    for row in manifest.rows_of(split).into_iter().flatten() {
        let path = folder.join(&row.file);
        let text = read_regular(&path).map_err(|error| {
            Diagnostic::error(CORPUS, format!("cannot read `{}`: {error}", path.display()))
                .help("make the corpus again with `meshwright data m4`")
        })?;
        let sum = format!("{:08x}", checksum(&text));
        if row.sum != sum {
            return Err(changed(&row.file, folder));
        }
        let text = String::from_utf8_lossy(&text);
        let pairs = text.lines().filter_map(|line| line.split_once('\t')).take(most);
        let document = |(source, target): (&str, &str)| Document {
            source: if is_marked { marked(&row.language, source) } else { source.to_string() },
            target: target.to_string(),
        };
        let documents = pairs.map(document).collect();
        all.push((row.language, documents));
    }
    Ok(all)
}

/// What the corpus says of itself.
struct Manifest {
    path: PathBuf,
    value: Value,
}

/// A file of the corpus.
#[derive(Clone)]
struct Row {
    language: String,
    file: String,
    sum: String,
}

impl Manifest {
    fn read(folder: &Path) -> Result<Manifest, Diagnostic> {
        let path = folder.join(MANIFEST);
        let bytes = read_regular(&path).map_err(|error| {
            let message = format!("cannot read `{}`: {error}", path.display());
            let help = "corpus \"pairs\" reads the folder that `meshwright data m4 --languages ..` wrote: name it in \
                        `data.files`; lines of other files are corpus \"files\"";
            Diagnostic::error(CORPUS, message).help(help)
        })?;
        match serde_json::from_slice(&bytes) {
            Ok(value) => Ok(Manifest { path, value }),
            Err(error) => Err(wrong(&path, &format!("it is no JSON: {error}"))),
        }
    }

    /// Refuses other sentences held out than those in `dev`.
    fn check(&self, held_out_one_in: u64) -> Result<(), Diagnostic> {
        match self.value["held_out_one_in"].as_u64() {
            Some(told) if told == held_out_one_in => Ok(()),
            Some(told) => {
                let message = format!(
                    "`{}` holds out one sentence in {told}, and `data.held_out_one_in` is {held_out_one_in}",
                    self.path.display()
                );
                let help = format!(
                    "set `data.held_out_one_in` to {told}, or make the corpus again with `--dev-one-in {held_out_one_in}`"
                );
                Err(Diagnostic::error(CORPUS, message).help(help))
            }
            None => Err(wrong(&self.path, "it has no number `held_out_one_in`")),
        }
    }

    /// Pairs that a language has for training.
    fn trained(&self, language: &str) -> u64 {
        let languages = self.value["languages"].as_array().map_or(&[][..], Vec::as_slice);
        let row = languages.iter().find(|row| row["language"] == language);
        row.and_then(|row| row[Split::Train.name()]["pairs"].as_u64()).unwrap_or(0)
    }

    /// A split's files, language by language.
    fn rows(&self, split: Split) -> Result<Vec<Row>, Diagnostic> {
        let rows = self.rows_of(split.name()).filter(|rows| !rows.is_empty());
        rows.ok_or_else(|| wrong(&self.path, &format!("it names no files of `{}`", split.name())))
    }

    /// The same of a split that may be missing.
    fn rows_of(&self, split: &str) -> Option<Vec<Row>> {
        let languages = self.value["languages"].as_array().map_or(&[][..], Vec::as_slice);
        let text = |value: &Value| value.as_str().map(str::to_string);
        let row = |language: &Value| {
            let about = &language[split];
            Some(Row {
                language: text(&language["language"])?,
                file: text(&about["file"])?,
                sum: text(&about["crc32c"])?,
            })
        };
        languages.iter().map(row).collect()
    }
}

fn wrong(path: &Path, why: &str) -> Diagnostic {
    let message = format!("`{}` is no manifest of a corpus: {why}", path.display());
    Diagnostic::error(CORPUS, message).help("make the corpus again with `meshwright data m4`")
}

fn changed(file: &str, folder: &Path) -> Diagnostic {
    let message = format!("`{file}` is not as the manifest in `{}` says", folder.display());
    Diagnostic::error(CORPUS, message)
        .help("make the corpus again with `meshwright data m4`; lines of your own are corpus \"files\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::corpus::is_held_out;
    use crate::data::pairs::{LanguagePairs, Origin, Sizes, write};

    /// A corpus of two languages, the second without anything held out.
    fn corpus(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("meshwright-pairs-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let languages = [("de", 500), ("fr", 3)].map(|(name, count)| {
            let mut pairs = LanguagePairs::new(name);
            for n in 0..count {
                pairs.add(Origin::Help, &format!("der Satz mit {n}"), &format!("this is sentence {n}"));
            }
            pairs
        });
        let sizes = Sizes { test_one_in: 10, dev_one_in: 10, skew: None, seed: 1 };
        write(&folder, &languages, sizes, serde_json::Map::new()).unwrap();
        folder
    }

    #[test]
    fn what_is_held_out_is_what_stands_in_dev() {
        let folder = corpus("sides");
        let mut found = PairCorpus::open(&folder, 10, true).unwrap();
        let names: Vec<&str> = found.parts().iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["de", "fr"]);
        let dev = std::fs::read_to_string(folder.join("dev/de.tsv")).unwrap();
        let all: Vec<Document> =
            (0..found.parts()[0].documents).map(|at| found.document(0, at).unwrap()).collect();
        let held: Vec<&Document> = all.iter().filter(|one| is_held_out(&found, (0, 0), one, 10)).collect();
        assert!(held.len() > 20 && held.len() == dev.lines().count(), "{}", held.len());
        assert!(held.iter().all(|one| dev.contains(&one.target)));
        assert!(all.iter().all(|one| one.source.starts_with("<de> der Satz mit ")));
        let last = found.parts()[1].documents;
        assert!(last > 0 && found.document(1, last - 1).unwrap().source.starts_with("<fr> der"));
        assert!(found.document(1, last).is_err() && found.document(2, 0).is_err());
        assert_eq!(PairCorpus::open(&folder, 10, false).unwrap().document(1, 0).unwrap().source[..3], *"der");
    }

    #[test]
    fn tests_are_first_the_sentences_that_all_languages_have() {
        let folder = corpus("tests");
        let found = super::tests(&folder, 7).unwrap();
        assert_eq!(found.iter().map(|one| one.language.as_str()).collect::<Vec<_>>(), ["de", "fr"]);
        assert_eq!(found[0].documents.len(), 7);
        assert!(found[0].trained > 300 && found[0].documents[0].source.starts_with("der Satz mit "));
        let both = found[1].documents.len();
        let english =
            |at: usize| found[at].documents[..both].iter().map(|one| &one.target).collect::<Vec<_>>();
        assert_eq!(english(0), english(1));
        let train = std::fs::read_to_string(folder.join("train/de.tsv")).unwrap();
        assert!(found[0].documents.iter().all(|one| !train.contains(&format!("\t{}\n", one.target))));
        std::fs::write(folder.join("test/de.tsv"), "eins\tone two three\n").unwrap();
        assert!(super::tests(&folder, 7).unwrap_err().message.contains("is not as the manifest"));
    }

    #[test]
    fn a_corpus_that_is_not_whole_is_refused() {
        let folder = corpus("whole");
        let said = |folder: &Path| PairCorpus::open(folder, 10, false).unwrap_err().message;
        assert!(PairCorpus::open(&folder, 50, false).unwrap_err().message.contains("one sentence in 10"));
        std::fs::write(folder.join("train/fr.tsv"), "eins\tone\n").unwrap();
        assert!(said(&folder).contains("train/fr.tsv` is not as the manifest"), "{}", said(&folder));
        std::fs::remove_file(folder.join("train/fr.tsv")).unwrap();
        assert!(said(&folder).starts_with("cannot read"));
        for text in ["{}", "no", r#"{"held_out_one_in": 10, "languages": [{"language": "de"}]}"#] {
            std::fs::write(folder.join(MANIFEST), text).unwrap();
            assert!(said(&folder).contains("is no manifest of a corpus"), "{}", said(&folder));
        }
        let split = |folder: &Path| of_split(folder, "dev", false, 9);
        let folder = corpus("split");
        assert_eq!(split(&folder).unwrap().len(), 2);
        assert_eq!(of_split(&folder, "none", false, 9), Ok(Vec::new()));
        let dev = folder.join("dev/de.tsv");
        std::fs::write(&dev, "eins\tone\n").unwrap();
        let found = split(&folder).unwrap_err();
        assert!(found.message.starts_with("`dev/de.tsv` is not as the manifest in `"), "{found:?}");
        std::fs::remove_file(&dev).unwrap();
        let found = split(&folder).unwrap_err();
        assert!(found.message.starts_with(&format!("cannot read `{}`: ", dev.display())), "{found:?}");
        assert!(said(Path::new("/nowhere")).starts_with("cannot read `/nowhere/manifest.json`"));
    }
}
