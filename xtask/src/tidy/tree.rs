//! The files that rules look at: everything in the repository that is text and was written by hand.

use std::io;
use std::path::Path;

/// A text file, by its path from the repository's root with `/` between parts.
#[derive(Clone, Debug)]
pub struct File {
    pub path: String,
    pub text: String,
}

impl File {
    /// `Some(name)` when the path is `crates/NAME/..`.
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split_once('/').map(|(name, _)| name)
    }

    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Source of a library or binary, not a test, bench or example. A file `tests.rs` or a folder `tests` holds tests.
    pub fn is_crate_source(&self) -> bool {
        let mut parts = self.path.split('/').skip(2);
        self.is_rust()
            && parts.next() == Some("src")
            && !parts.any(|part| matches!(part, "tests" | "tests.rs"))
    }
}

/// All text files below `root`, in order of their paths. Files that are not UTF-8 are no text.
pub fn files(root: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    collect(root, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !is_skipped(prefix, &name) {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file()
            // In a worktree it is a file, and says where the repository is.
            && name != ".git"
            && let Ok(text) = std::fs::read_to_string(entry.path())
        {
            files.push(File { path, text });
        }
    }
    Ok(())
}

/// Build output, version control, and other tools' folders.
fn is_skipped(prefix: &str, folder: &str) -> bool {
    folder == "target"
        || prefix == "fuzz/" && matches!(folder, "corpus" | "artifacts")
        || folder.starts_with('.') && !matches!(folder, ".ci" | ".cargo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_its_crate_and_whether_it_is_source() {
        let file = |path: &str| File { path: path.into(), text: String::new() };
        assert_eq!(file("crates/ir/src/lib.rs").crate_name(), Some("ir"));
        assert_eq!(file("xtask/src/main.rs").crate_name(), None);
        assert!(file("crates/ir/src/op/dot.rs").is_crate_source());
        assert!(!file("crates/ir/tests/golden.rs").is_crate_source());
        assert!(!file("crates/ir/src/op/tests.rs").is_crate_source());
    }

    #[test]
    fn the_repository_holds_this_file_and_no_build_output() {
        let files = files(&crate::root()).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/tidy/tree.rs"));
        assert!(files.iter().any(|file| file.path.starts_with("crates/train/src/data/corpus/")));
        assert!(!files.iter().any(|file| file.path.starts_with("target/") || file.path.starts_with(".git/")));
    }
}
