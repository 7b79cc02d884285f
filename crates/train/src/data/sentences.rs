//! Sentences to translate, with what they should become: by language, of a split of a corpus.

use super::corpus::{Document, of_split};
use super::source::Source;
use crate::config::{self, Config};
use meshwright_base::Diagnostic;
use std::path::PathBuf;

/// Sentences of one language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sentences {
    pub language: String,
    pub documents: Vec<Document>,
}

/// The split that every corpus has.
pub const HELD_OUT: &str = "dev";

/// The first sentences of a split in each language, at most so many: `dev` of any corpus, and what else a folder that
/// `data m4` wrote has, as `test`. None of a split that is not there.
pub fn sentences(
    config: &Config,
    source: &mut Source,
    split: &str,
    most: usize,
) -> Result<Vec<Sentences>, Diagnostic> {
    let data = &config.data;
    let found = match (data.corpus, data.files.first()) {
        (config::Corpus::Pairs, Some(folder)) => {
            of_split(&PathBuf::from(folder), split, data.marks_languages(), most)?
        }
        _ if split == HELD_OUT => source.held_out_by_part(most)?,
        _ => Vec::new(),
    };
    let is_learnt = |name: &String| data.languages.is_empty() || data.languages.contains(name);
    let found = found.into_iter().filter(|(name, documents)| is_learnt(name) && !documents.is_empty());
    Ok(found.map(|(language, documents)| Sentences { language, documents }).collect())
}
