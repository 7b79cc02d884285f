//! One code, one meaning: the number of a diagnostic is written down once in all crates, so that whoever looks a number
//! up finds one thing.
//!
//! ```text
//! a.rs:7    const NO_VALUE: Code = Code(620);
//! b.rs:90   Diagnostic::error(Code(620), ..)         found: take another number, or use the constant of a.rs
//! ```
//!
//! And each has its entry in the reference: a file `tests/diagnostics/E0620.md` with an example that is run, or a row
//! of `none.md` there, which says why it has none.

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

const ENTRIES: &str = "tests/diagnostics/";

/// Codes without an entry, entries of no code, and codes that have two.
pub fn entries(files: &[File]) -> Vec<Finding> {
    let mut written: BTreeMap<u16, (&File, usize)> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_crate_source()) {
        for (line, code) in code_lines(&file.text) {
            numbers(&code).for_each(|number| _ = written.entry(number).or_insert((file, line)));
        }
    }
    let mut told: BTreeMap<u16, (&File, usize)> = BTreeMap::new();
    let mut found = Vec::new();
    for file in files {
        let Some(name) = file.path.strip_prefix(ENTRIES).and_then(|name| name.strip_suffix(".md")) else {
            continue;
        };
        let rows = file.text.lines().enumerate().map(|(at, line)| (at + 1, line.split(' ').nth(1)));
        let rows: Vec<(usize, Option<&str>)> =
            if name == "none" { rows.collect() } else { vec![(1, Some(name))] };
        for (line, number) in rows.into_iter().filter_map(|(line, name)| Some((line, entry(name?)?))) {
            if !written.contains_key(&number) {
                found.push(Finding::new(
                    file,
                    line,
                    format!("no crate has the code {number}: remove its entry"),
                ));
            }
            if told.insert(number, (file, line)).is_some() {
                found.push(Finding::new(
                    file,
                    line,
                    format!("code {number} has two entries: keep the one that is run"),
                ));
            }
        }
    }
    let silent = written.iter().filter(|(number, _)| !told.contains_key(number));
    found.extend(silent.map(|(number, (file, line))| {
        let message = format!(
            "code {number} has no entry: show it in {ENTRIES}E{number:04}.md, or say in none.md why not"
        );
        Finding::new(file, *line, message)
    }));
    found
}

/// `E0620`, `W0620` or `N0620` as a number.
fn entry(name: &str) -> Option<u16> {
    let digits = name.strip_prefix(['E', 'W', 'N'])?;
    (digits.len() == 4).then(|| digits.parse().ok())?
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
    fn a_code_without_an_entry_and_an_entry_without_a_code_are_found() {
        let check = |texts: &[(&str, &str)]| -> Vec<String> {
            let file = |(path, text): &(&str, &str)| File { path: (*path).into(), text: (*text).into() };
            let files: Vec<File> = texts.iter().map(file).collect();
            entries(&files).into_iter().map(|found| format!("{}:{}", found.path, found.line)).collect()
        };
        let code = ("crates/a/src/x.rs", "\nconst A: Code = Code(620);");
        let (shown, none) = ("tests/diagnostics/N0620.md", "tests/diagnostics/none.md");
        let row = "# None\n| code | why |\n|---|---|\n| E0620 | only a defect |\n";
        assert_eq!(check(&[code, (shown, "")]), [""; 0]);
        assert_eq!(check(&[code, (none, row)]), [""; 0]);
        assert_eq!(check(&[code]), ["crates/a/src/x.rs:2"]);
        assert_eq!(check(&[(none, row)]), [format!("{none}:4")]);
        assert_eq!(check(&[code, (shown, ""), (none, row)]), [format!("{none}:4")]);
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
