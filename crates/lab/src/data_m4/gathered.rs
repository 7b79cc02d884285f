//! What was read on the way to a corpus, and what could not be.

use super::packages::Packages;
use crate::corpus::{GUIDE, Guide, Package, is_guide_page, is_page, messages, paragraphs, sha256};
use meshwright_base::Diagnostic;
use meshwright_base::arrange::Arrange;
use meshwright_runtime::files::read_regular;
use meshwright_train::data::pairs::{LanguagePairs, Origin, Paragraphs};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A longer catalogue is none.
const LONGEST: u64 = 64 << 20;

/// What has been read so far.
#[derive(Default)]
pub struct Gathered {
    /// Name, version and checksum of each package.
    pub packages: Vec<Value>,
    /// Path, checksum and messages of each installed catalogue.
    pub catalogues: Vec<Value>,
    /// What is missing or broken.
    pub notes: Vec<String>,
    /// Whether anything was asked for that could not be read.
    pub is_broken: bool,
}

impl Gathered {
    /// The paragraphs of a package of help pages; none if it is not there.
    pub fn help(&mut self, packages: &Packages, name: &str) -> Paragraphs {
        self.package(packages, name, is_page).map(|package| paragraphs(&package.files)).unwrap_or_default()
    }

    /// The pages of the installation guide.
    pub fn guide(&mut self, packages: &Packages) -> Guide {
        let files = self.package(packages, GUIDE, is_guide_page).map(|package| package.files);
        Guide::of(&files.unwrap_or_default())
    }

    /// The messages of a package of catalogues.
    pub fn screen(&mut self, packages: &Packages, name: &str, pairs: &mut LanguagePairs) {
        let Some(package) = self.package(packages, name, |path| path.ends_with(".mo")) else { return };
        for file in &package.files {
            self.add(Origin::Screen, &format!("{name}: {}", file.path), &file.bytes, pairs);
        }
    }

    /// The messages of all catalogues below the folder of a locale.
    pub fn installed(&mut self, locale: &Path, language: &str, pairs: &mut LanguagePairs) {
        for path in catalogues(&locale.join("LC_MESSAGES")) {
            let name = path.display().to_string();
            let is_long = path.metadata().is_ok_and(|about| about.len() > LONGEST);
            let bytes = if is_long { Err(format!("it has more than {LONGEST} bytes")) } else { read(&path) };
            match bytes {
                Ok(bytes) => {
                    let was_broken = self.is_broken;
                    let count = self.add(Origin::Installed, &name, &bytes, pairs);
                    // Some machines have catalogues in other encodings, and nobody asked for each of them.
                    self.is_broken = was_broken;
                    self.catalogues.push(json!({
                        "language": language, "path": name, "sha256": sha256(&bytes), "messages": count,
                    }));
                }
                Err(why) => self.notes.push(format!("`{name}` is left out: {why}")),
            }
        }
    }

    /// How many messages a catalogue gave.
    fn add(&mut self, origin: Origin, name: &str, bytes: &[u8], pairs: &mut LanguagePairs) -> usize {
        match messages(name, bytes) {
            Ok(found) => {
                found.iter().for_each(|(english, source)| pairs.add(origin, source, english));
                found.len()
            }
            Err(found) => {
                self.wrong(found);
                0
            }
        }
    }

    fn package(&mut self, packages: &Packages, name: &str, is_wanted: fn(&str) -> bool) -> Option<Package> {
        let Some(path) = packages.path(name) else {
            // Why it was not downloaded is told already.
            if !self.notes.iter().any(|note| note.contains(&format!("`{name}`"))) {
                self.notes.push(format!("package `{name}` is not there"));
            }
            return None;
        };
        let shown = path.display().to_string();
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                self.broken(format!("`{shown}` is left out: {why}"));
                return None;
            }
        };
        match Package::read(&shown, &bytes, is_wanted) {
            Ok(package) => {
                self.packages.push(json!({
                    "name": package.name, "version": package.version, "sha256": package.sha256,
                    "files": package.files.len(),
                }));
                Some(package)
            }
            Err(found) => {
                self.wrong(found);
                None
            }
        }
    }

    fn wrong(&mut self, found: Diagnostic) {
        let help = found.help.map(|help| format!("; {help}")).unwrap_or_default();
        self.broken(format!("left out: {}{help}", found.message));
    }

    fn broken(&mut self, note: String) {
        self.is_broken = true;
        self.notes.push(note);
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    read_regular(path).map_err(|error| error.to_string())
}

/// Catalogues of a folder in the order of their names; none if it is not there.
fn catalogues(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "mo") && path.is_file());
    paths.arrange();
    paths
}
