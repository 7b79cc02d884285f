//! No hash maps in crates: whoever iterates one gets an order that changes from run to run.
//!
//! A map that is only ever looked up in may stay, with a comment `// lookup only: why` on the line or the one above.
//! Imports need none: what they bring in is found where it is used.

use super::Finding;
use super::code::code_lines;
use super::tree::File;

const TYPES: &[&str] = &["HashMap", "HashSet"];

const EXCUSE: &str = "// lookup only:";

/// Hash types without an excuse.
pub fn hashing(file: &File) -> Vec<Finding> {
    if !file.is_crate_source() {
        return Vec::new();
    }
    let raw: Vec<&str> = file.text.lines().collect();
    let excused = |line: usize| raw[line.saturating_sub(2)..line].iter().any(|text| text.contains(EXCUSE));
    code_lines(&file.text)
        .into_iter()
        .filter(|(_, code)| TYPES.iter().any(|name| code.contains(name)) && !is_plain_import(code))
        .filter(|(line, _)| !excused(*line))
        .map(|(line, _)| {
            Finding::new(file, line, format!("a hash type: use an ordered map, or say `{EXCUSE} why`"))
        })
        .collect()
}

fn is_plain_import(code: &str) -> bool {
    let code = code.trim();
    (code.starts_with("use ") || code.starts_with("pub use ")) && !code.contains(" as ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        hashing(&File { path: path.into(), text: text.into() }).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn hash_types_need_an_excuse_where_they_are_used() {
        let text = "use std::collections::HashMap;\nlet a: HashMap<u8, u8>;\n// lookup only: never walked\nlet b: HashMap<u8, u8>;\nlet c: HashSet<u8>; // lookup only: x\n";
        assert_eq!(check("crates/text/src/a.rs", text), [2]);
    }

    #[test]
    fn a_renaming_import_is_a_use() {
        assert_eq!(check("crates/ir/src/a.rs", "use std::collections::HashSet as Set;"), [1]);
    }

    #[test]
    fn comments_and_tests_are_free() {
        assert_eq!(
            check(
                "crates/ir/src/a.rs",
                "// a HashMap would do\n#[cfg(test)]\nmod tests { type M = HashMap<u8, u8>; }"
            ),
            []
        );
        assert_eq!(check("crates/cli/tests/a.rs", "let a: HashMap<u8, u8>;"), []);
        assert_eq!(check("crates/cli/src/a.rs", "let a: HashMap<u8, u8>;"), [1]);
    }
}
