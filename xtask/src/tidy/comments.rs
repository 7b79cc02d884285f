//! Comments are read in an editor beside the code: lines of prose have at most 120 columns. Code, tables and drawings
//! in comments have the width they need.

use super::Finding;
use super::tree::File;

/// Most columns of a line of prose.
const WIDEST: usize = 120;

/// Lines of comments that are too wide.
pub fn comments(file: &File) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let mut is_code = false;
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let Some(words) = words(line) else {
            is_code = false;
            continue;
        };
        let is_fence = words.trim_start().starts_with("```");
        is_code ^= is_fence;
        let columns = line.chars().count();
        if columns > WIDEST && !is_code && !is_fence && !is_drawn(words) {
            found.push(Finding::new(
                file,
                at + 1,
                format!("a comment of {columns} columns, more than {WIDEST}: wrap it"),
            ));
        }
    }
    found
}

/// What a comment says that has the line to itself.
fn words(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("//")?;
    Some(rest.strip_prefix(['!', '/']).unwrap_or(rest))
}

/// A row of a table, or text that is set in.
fn is_drawn(words: &str) -> bool {
    words.trim_start().starts_with('|') || words.starts_with("     ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_the_rest_is_as_wide_as_it_is() {
        let lines = |text: &str| -> Vec<usize> {
            let file = File { path: "a.rs".into(), text: text.into() };
            comments(&file).iter().map(|finding| finding.line).collect()
        };
        let wide = "x".repeat(120);
        assert_eq!(lines(&format!("//! {}\n", &wide[..116])), [0; 0]);
        assert_eq!(lines(&format!("//! {}\n    // {wide}\n/// {wide}\n", &wide[..117])), [1, 2, 3]);
        assert_eq!(lines(&format!("//! ```text\n//! {wide}\n//! ```\n//! {wide}\n")), [4]);
        assert_eq!(
            lines(&format!("//! | {wide} |\n//!     {wide}\nlet x = \"{wide}\"; // {wide}\n")),
            [0; 0]
        );
        assert_eq!(
            lines(&format!("/// ```\nfn a() {{}}\n/// {wide}\n")),
            [3],
            "a fence ends with its comment"
        );
    }
}
