//! One code, one meaning: the number of a diagnostic is written down once in all crates, so that whoever looks a number
//! up finds one thing.
//!
//! ```text
//! a.rs:7    const NO_VALUE: Code = Code(620);
//! b.rs:90   Diagnostic::error(Code(620), ..)         found: take another number, or use the constant of a.rs
//! ```

use super::Finding;
use super::code::code_lines;
use super::tree::File;
use std::collections::BTreeMap;

pub fn codes(files: &[File]) -> Vec<Finding> {
    let mut first: BTreeMap<u16, (&File, usize)> = BTreeMap::new();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_crate_source()) {
        for (line, code) in code_lines(&file.text) {
            for number in numbers(&code) {
                match first.get(&number) {
                    None => _ = first.insert(number, (file, line)),
                    Some((other, at)) => found.push(Finding::new(
                        file,
                        line,
                        format!(
                            "code {number} is taken by {}:{at}: take another number, or use the constant there",
                            other.path
                        ),
                    )),
                }
            }
        }
    }
    found
}

/// The numbers that a line of code makes codes of.
fn numbers(code: &str) -> impl Iterator<Item = u16> {
    let begins = |at: &usize| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let starts = code.match_indices("Code(").map(|(at, _)| at).filter(begins);
    starts.filter_map(|at| {
        let rest = &code[at + "Code(".len()..];
        rest[..rest.find(')')?].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[(&str, &str)]) -> Vec<(String, usize)> {
        let files: Vec<File> =
            texts.iter().map(|(path, text)| File { path: (*path).into(), text: (*text).into() }).collect();
        codes(&files).into_iter().map(|found| (found.path, found.line)).collect()
    }

    #[test]
    fn a_number_that_two_places_write_is_found() {
        let twice = [
            ("crates/a/src/x.rs", "const A: Code = Code(620);\nfn f() { g(Code(621)) }"),
            ("crates/b/src/y.rs", "\npub const B: Code = meshwright_base::Code(620);"),
        ];
        assert_eq!(check(&twice), [("crates/b/src/y.rs".to_string(), 2)]);
        let line = [("crates/a/src/x.rs", "const A: [Code; 2] = [Code(1), Code(1)];")];
        assert_eq!(check(&line).len(), 1);
    }

    #[test]
    fn tests_patterns_and_other_names_are_free() {
        let free = [
            ("crates/a/src/x.rs", "const A: Code = Code(620);\nmatch code { Code(number) => number }"),
            (
                "crates/a/src/y.rs",
                "fn f() { ExitCode(620) }\n#[cfg(test)]\nmod tests { const A: Code = Code(620); }",
            ),
            ("crates/a/tests/z.rs", "const A: Code = Code(620);"),
        ];
        assert_eq!(check(&free), []);
    }
}
