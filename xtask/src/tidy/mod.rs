//! The project's own rules, those that neither rustc nor clippy knows. Each rule has a file and tests of its own.
//!
//! Rules read text, not syntax trees: they are quick, need no dependency, and may be fooled by someone who tries.

mod arrows;
mod circles;
mod code;
mod codes;
mod comments;
mod facade;
mod guide;
mod hashing;
mod headers;
mod io;
mod lengths;
mod manifests;
mod map;
mod pages;
mod passes;
mod paths;
mod rules;
mod tier_two;
mod tree;
mod unsafe_code;
mod wildcards;
mod words;

use std::fmt;
use std::path::Path;
use tree::File;

/// A place that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl Finding {
    fn new(file: &File, line: usize, message: impl Into<String>) -> Self {
        Finding { path: file.path.clone(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A rule: what it finds in one file.
type Rule = fn(&File) -> Vec<Finding>;

const RULES: &[Rule] = &[
    arrows::arrows,
    comments::comments,
    facade::curated,
    facade::facade,
    headers::headers,
    io::io,
    hashing::hashing,
    paths::paths,
    lengths::lengths,
    manifests::manifests,
    tier_two::tier_two,
    wildcards::wildcards,
];

/// A rule about several files.
type WholeRule = fn(&[File]) -> Vec<Finding>;

const WHOLE_RULES: &[WholeRule] = &[
    arrows::unused,
    circles::circles,
    codes::codes,
    guide::guide,
    manifests::oldest_compiler,
    map::map,
    pages::pages,
    passes::passes,
    rules::rules,
    unsafe_code::unsafe_code,
    words::words,
];

/// Run all rules over the repository and report. True when nothing is broken.
pub fn tidy(root: &Path) -> bool {
    report(root, "tidy", |files| {
        let mut broken: Vec<Finding> =
            files.iter().flat_map(|file| RULES.iter().flat_map(|rule| rule(file))).collect();
        broken.extend(WHOLE_RULES.iter().flat_map(|rule| rule(files)));
        broken
    })
}

/// The same of the entries that codes of diagnostics have in the reference: a part of all that CI does, not of every
/// day, since a code gets its entry when its message is as it is to be.
pub fn entries(root: &Path) -> bool {
    report(root, "entries", codes::entries)
}

fn report(root: &Path, name: &str, find: impl Fn(&[File]) -> Vec<Finding>) -> bool {
    let files = match tree::files(root) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{name}: cannot read the repository: {error}");
            return false;
        }
    };
    let broken = find(&files);
    for finding in &broken {
        eprintln!("error: {finding}");
    }
    eprintln!("{name}: {} files, {} errors", files.len(), broken.len());
    broken.is_empty()
}

/// Write the arrows between crates into the page that shows them, by way of a file beside it.
pub fn write_map(root: &Path) -> bool {
    let page = root.join(map::PAGE);
    let written = tree::files(root).and_then(|files| {
        let text = map::written(&files)
            .ok_or_else(|| std::io::Error::other("the marks of the arrows are missing"))?;
        let beside = page.with_extension("md.new");
        std::fs::write(&beside, text)?;
        std::fs::rename(&beside, &page)
    });
    written.inspect_err(|error| eprintln!("map: {}: {error}", map::PAGE)).is_ok()
}

/// List the circles between modules of one crate.
pub fn list_circles(root: &Path) -> bool {
    match tree::files(root) {
        Ok(files) => {
            println!("{}", circles::report(&files).trim_end());
            true
        }
        Err(error) => {
            eprintln!("circles: cannot read the repository: {error}");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn every_rule_is_tried_on_something_that_breaks_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tidy");
        let untried = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| {
            let text = fs::read_to_string(path).unwrap();
            text.contains("Finding::new(") && !text.contains("#[test]")
        });
        assert_eq!(untried.collect::<Vec<_>>(), Vec::<PathBuf>::new());
    }
}
