//! A folder that modules and steps are written to, numbered, and no files of an older dump among them.
//!
//! A list in the folder says which files a dump wrote. The next one into it takes these away before it writes its own,
//! and nothing else.

use crate::failure::Failure;
use crate::input;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

/// Names of the files that the last dump into a folder wrote, one a line.
const LIST: &str = ".meshwright-dump";

/// Files that are named in a note.
const SHOWN: usize = 6;

pub struct Folder {
    pub path: PathBuf,
    /// What an older dump had written here; `None` before the first file.
    older: Option<BTreeSet<String>>,
    written: BTreeSet<String>,
}

impl Folder {
    pub fn new(path: PathBuf) -> Folder {
        Folder { path, older: None, written: BTreeSet::new() }
    }

    /// Write a file. It is listed first: a file that is listed and missing does no harm.
    pub fn write(&mut self, name: String, text: &str) -> Result<(), Failure> {
        if self.older.is_none() {
            self.older = Some(self.clear()?);
        }
        self.written.insert(name.clone());
        let list: String = self.written.iter().map(|name| format!("{name}\n")).collect();
        input::write_file(&self.path.join(LIST), list.as_bytes())?;
        input::write_file(&self.path.join(name), text.as_bytes())
    }

    /// Make the folder, and take away what an older dump wrote.
    fn clear(&self) -> Result<BTreeSet<String>, Failure> {
        let failed = |error| input::unwritable(&self.path.display().to_string(), &error);
        std::fs::create_dir_all(&self.path).map_err(failed)?;
        let list = std::fs::read_to_string(self.path.join(LIST)).unwrap_or_default();
        let mut gone = BTreeSet::new();
        for name in list.lines().filter(|name| is_ours(name)) {
            match std::fs::remove_file(self.path.join(name)) {
                Ok(()) => _ = gone.insert(name.to_string()),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(gone)
    }

    /// Which files of an older dump went and were not written again.
    pub fn note(&self) -> String {
        let gone: Vec<&str> = self
            .older
            .iter()
            .flatten()
            .filter(|name| !self.written.contains(*name))
            .map(String::as_str)
            .collect();
        if gone.is_empty() {
            return String::new();
        }
        let more = match gone.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = gone.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        format!("note: of an older dump into `{}` these files are gone: {shown}{more}\n", self.path.display())
    }
}

/// `05-dce.mlir`, `25-lower.steps`: whatever the list says, nothing else is taken away.
fn is_ours(name: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
    };
    let parts = name.split_once('-').and_then(|(number, rest)| Some((number, rest.split_once('.')?)));
    parts.is_some_and(|(number, (pass, kind))| {
        number.bytes().all(|byte| byte.is_ascii_digit()) && is_word(pass) && ["mlir", "steps"].contains(&kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_dumps_are_taken_away() {
        assert!(is_ours("05-dce.mlir") && is_ours("125-place_buffers.steps"));
        for name in
            ["../05-dce.mlir", "05-dce.txt", "05-../x.mlir", "notes.mlir", "05-.mlir", "x-dce.mlir", ""]
        {
            assert!(!is_ours(name), "{name}");
        }
    }
}
