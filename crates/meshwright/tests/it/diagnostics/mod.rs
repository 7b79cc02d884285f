//! The diagnostics of programs in Rust: their entries in `tests/diagnostics` show these programs and what is said.
//!
//! The first block of `rust` in an entry is the body of the function of that name, the block of `text` what it is
//! refused with, and the second block of `rust` the body of `.._mended`, which is not refused. Lines in messages count
//! from the first of the body. `MESHWRIGHT_BLESS=1` writes the blocks anew.

mod examples;

use meshwright::prelude::Error;
use std::path::{Path, PathBuf};

/// A code, its program, and the same mended.
type Row = (&'static str, fn() -> Result<(), Error>, fn() -> Result<(), Error>);

macro_rules! rows {
    ($($code:literal $wrong:ident $mended:ident,)*) => {
        const ROWS: &[Row] = &[$(($code, examples::$wrong, examples::$mended)),*];
    };
}

rows! {
    "E0801" e0801 e0801_mended,
    "E0802" e0802 e0802_mended,
    "E0803" e0803 e0803_mended,
    "E0804" e0804 e0804_mended,
    "E0805" e0805 e0805_mended,
    "E0807" e0807 e0807_mended,
    "E0808" e0808 e0808_mended,
    "E0811" e0811 e0811_mended,
    "E0812" e0812 e0812_mended,
    "E0813" e0813 e0813_mended,
    "E0814" e0814 e0814_mended,
    "E0820" e0820 e0820_mended,
}

const FILE: &str = "crates/meshwright/tests/it/diagnostics/examples.rs";
const SOURCE: &str = include_str!("examples.rs");

/// The lines of a function's body, and the number of the first in its file.
fn body(name: &str) -> (String, usize) {
    let head = format!("pub fn {name}() -> Result<(), Error> {{\n");
    let at = SOURCE.find(&head).unwrap_or_else(|| panic!("there is no {name}")) + head.len();
    let end = at + SOURCE[at..].find("\n}\n").expect("an end");
    let lines = SOURCE[at..end].lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    (text, SOURCE[..at].lines().count() + 1)
}

/// A message whose places count from the first line that is shown.
fn shown(message: &str, first: usize) -> String {
    let mark = format!("{FILE}:");
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(&mark) {
        let (line, after) = after.split_once(':').expect("a column");
        let line: usize = line.parse().expect("a line");
        out += &format!("{before}main.rs:{}:", line - first + 1);
        rest = after;
    }
    out + rest.trim_end() + "\n"
}

/// The text with the n-th block of a kind replaced.
fn with(text: &str, kind: &str, nth: usize, lines: &str) -> String {
    let fence = format!("```{kind}\n");
    let (at, _) =
        text.match_indices(&fence).nth(nth).unwrap_or_else(|| panic!("no block {nth} of {kind} in\n{text}"));
    let from = at + fence.len();
    let end = from + text[from..].find("```").expect("an end");
    format!("{}{lines}{}", &text[..from], &text[end..])
}

#[test]
fn entries_show_these_programs_and_what_is_said_of_them() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diagnostics");
    let is_blessing = std::env::var_os("MESHWRIGHT_BLESS").is_some_and(|value| value != "0");
    for (code, wrong, mended) in ROWS {
        let path = folder.join(format!("{code}.md"));
        let entry =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = code.to_lowercase();
        let (lines, first) = body(&name);
        let message = shown(&wrong().expect_err(code).to_string(), first);
        assert!(message.contains(&format!("[{code}]")), "{code}:\n{message}");
        mended().unwrap_or_else(|error| panic!("{code} mended: {error}"));
        let new = with(&entry, "rust", 0, &lines);
        let new = with(&new, "text", 0, &message);
        let new = with(&new, "rust", 1, &body(&format!("{name}_mended")).0);
        if is_blessing {
            std::fs::write(&path, &new).unwrap();
        }
        assert!(
            new == entry || is_blessing,
            "{code} is stale: MESHWRIGHT_BLESS=1 cargo test -p meshwright --test it diagnostics::"
        );
    }
}
