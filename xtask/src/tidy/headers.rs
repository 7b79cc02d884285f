//! Every Rust file opens with `//!`: what it is, what it is not, what it keeps.

use super::Finding;
use super::tree::File;

/// A Rust file whose first line is no `//!` comment with words in it.
pub fn headers(file: &File) -> Vec<Finding> {
    let opens_well =
        file.text.strip_prefix("//! ").is_some_and(|rest| !rest.trim_start_matches(' ').starts_with('\n'));
    if !file.is_rust() || opens_well {
        return Vec::new();
    }
    vec![Finding::new(file, 1, "the first line must be a `//!` comment that says what the file is")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> usize {
        headers(&File { path: path.into(), text: text.into() }).len()
    }

    #[test]
    fn a_rust_file_must_open_with_words_about_itself() {
        assert_eq!(check("a.rs", "//! Dots.\nfn a() {}\n"), 0);
        assert_eq!(check("a.rs", "fn a() {}\n"), 1);
        assert_eq!(check("a.rs", "//!\n//! Dots.\n"), 1);
        assert_eq!(check("a.rs", "\n//! Dots.\n"), 1);
        assert_eq!(check("a.rs", ""), 1);
        assert_eq!(check("a.md", "# Dots\n"), 0);
    }
}
