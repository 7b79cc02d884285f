//! The core does no IO, prints nothing, starts no thread and reads no clock or environment.
//!
//! Only the sources of crates are looked at; tests may read files.

use super::Finding;
use super::code::{code_lines, imports};
use super::tree::File;

/// Crates whose business it is to meet the world.
const MAY: &[&str] = &[
    "attack",
    "train",
    "runtime",
    "kernels",
    "mpi",
    "pjrt",
    "pjrt-plugin",
    "faults",
    "cli",
    "lab",
    "python",
];

/// Modules of the standard library that the rest leaves alone.
const MODULES: &[&str] = &["std::fs", "std::net", "std::process", "std::thread", "std::time", "std::env"];

/// Streams, however they are reached.
const STREAMS: &[&str] = &["io::stdin", "io::stdout", "io::stderr"];

const MACROS: &[&str] = &["println!", "print!", "eprintln!", "eprint!"];

/// Uses of files, streams, threads, clocks and the environment where there must be none.
pub fn io(file: &File) -> Vec<Finding> {
    let Some(name) = file.crate_name().filter(|name| file.is_crate_source() && !MAY.contains(name)) else {
        return Vec::new();
    };
    let code = code_lines(&file.text);
    let imported = imports(&code).into_iter().filter_map(|(line, path)| Some((line, forbidden_path(&path)?)));
    let named = code.iter().filter_map(|(line, text)| Some((*line, forbidden_word(text)?)));
    let mut found: Vec<(usize, &str)> = imported.chain(named).collect();
    found.sort_unstable();
    found.dedup();
    let message = |what| {
        format!("`{name}` must not use `{what}`: crates below `cli` do no IO, {} excepted", MAY.join(", "))
    };
    found.into_iter().map(|(line, what)| Finding::new(file, line, message(what))).collect()
}

/// The forbidden thing an imported path is or lies in. `use std::time;` counts as much as `use std::time::Instant;`.
fn forbidden_path(path: &str) -> Option<&'static str> {
    let path = path.trim_start_matches("::");
    let inside = |module: &str| path == module || path.starts_with(&format!("{module}::"));
    let module = MODULES.iter().copied().find(|module| inside(module));
    // Under another name all of it is within reach, and none of it is seen.
    let all = (path == "std").then_some("std");
    module.or(all).or_else(|| forbidden_word(path))
}

/// The forbidden thing a line of code names.
fn forbidden_word(code: &str) -> Option<&'static str> {
    let all = MODULES.iter().chain(STREAMS).chain(MACROS).chain(&["extern crate std"]);
    all.copied().find(|word| code.match_indices(word).any(|(at, _)| stands_alone(code, at, word.len())))
}

/// Whether no name goes on before or after: `std::time` is not in `std::timer`, nor `print!` in `sprint!`.
fn stands_alone(code: &str, at: usize, length: usize) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    !code[..at].ends_with(is_name)
        && (code[..at + length].ends_with('!') || !code[at + length..].starts_with(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        io(&File { path: path.into(), text: text.into() }).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn io_printing_threads_and_clocks_are_found() {
        for line in [
            "use std::fs;",
            "use std::{fmt, fs::File};",
            "let t = std::time::Instant::now();",
            "use std::time::Duration;",
            "println!(\"x\");",
            "eprint!(\"x\");",
            "io::stdout().flush()",
            "use std::io::{self, stdin};",
            "std::thread::spawn(f)",
            "std::env::var(\"X\")",
            "use std as s;",
            "use std::{self as s, fmt};",
            "pub use ::std as s;",
            "extern crate std as s;",
        ] {
            assert_eq!(check("crates/ir/src/a.rs", &format!("//! A.\n{line}\n")), [2], "{line}");
        }
    }

    #[test]
    fn words_in_comments_strings_tests_and_longer_names_are_fine() {
        for line in [
            "// println!(\"x\")",
            "let s = \"std::fs\";",
            "sprint!(x)",
            "use std::io::Read;",
            "let path = env!(\"CARGO_MANIFEST_DIR\");",
            "#[cfg(test)]\nmod tests { use std::fs; }",
        ] {
            assert_eq!(check("crates/ir/src/a.rs", line), [], "{line}");
        }
    }

    #[test]
    fn crates_that_meet_the_world_and_integration_tests_may() {
        for path in [
            "crates/cli/src/main.rs",
            "crates/kernels/src/lib.rs",
            "crates/ir/tests/golden.rs",
            "xtask/src/main.rs",
        ] {
            assert_eq!(check(path, "use std::fs;"), [], "{path}");
        }
    }
}
