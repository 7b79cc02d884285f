//! Every public item of the facade, and of the front end it shows, has an example in its documentation.
//!
//! Fields and variants are shown by their types' examples, methods of traits by their traits'. Methods of types that
//! are not public themselves do not count, nor does what is hidden from the documentation.

use super::Finding;
use super::tree::File;
use std::collections::BTreeSet;

/// Whose public items count.
const FOLDERS: [&str; 2] = ["crates/tensor/src/", "crates/meshwright/src/"];

/// Files whose public items nobody outside sees.
const INSIDE: [&str; 1] = ["crates/tensor/src/codes.rs"];

const ITEMS: [&str; 8] = [
    "pub fn ",
    "pub const fn ",
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "pub const ",
    "pub static ",
    "pub type ",
];

/// Public items without an example.
pub fn facade(file: &File) -> Vec<Finding> {
    let counts = FOLDERS.iter().any(|folder| file.path.starts_with(folder)) && !INSIDE.contains(&&*file.path);
    if !counts || !file.is_rust() {
        return Vec::new();
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let private = private_types(&lines);
    let mut around = "";
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("impl") {
            around = line;
        } else if line.starts_with('}') {
            around = "";
        }
        let is_item = ITEMS.iter().any(|start| line.trim_start().starts_with(start));
        if is_item && !private.contains(subject(around)) && !is_shown(&lines[..at]) {
            let message = "a public item of the facade has no example: write one above it, in a code block";
            found.push(Finding::new(file, at + 1, message));
        }
    }
    found
}

/// What the facade shows of other crates it shows by name: no crate as a whole, nor all that is in one.
pub fn curated(file: &File) -> Vec<Finding> {
    if file.path != "crates/meshwright/src/lib.rs" {
        return Vec::new();
    }
    let mut is_private = false;
    let mut found = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        is_private =
            (is_private || line.starts_with("mod ") && line.ends_with('{')) && !line.starts_with('}');
        let shown = line.trim_start().strip_prefix("pub use meshwright_").filter(|_| !is_private);
        if shown.is_some_and(|path| {
            let is_all = |rest: &str| matches!(rest, "*;" | "self;") || rest.starts_with("{self");
            path.split_once("::").is_none_or(|(_, rest)| is_all(rest))
        }) {
            let message = "the facade shows a whole crate: name what users need of it";
            found.push(Finding::new(file, at + 1, message));
        }
    }
    found
}

/// Types of the file that are not public.
fn private_types<'a>(lines: &[&'a str]) -> BTreeSet<&'a str> {
    let declared = |line: &&'a str| {
        let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
        let name = line.strip_prefix("struct ").or_else(|| line.strip_prefix("enum "))?;
        Some(word(name))
    };
    lines.iter().filter_map(declared).collect()
}

/// The type an `impl` is of.
fn subject(header: &str) -> &str {
    let rest = header.strip_prefix("impl").unwrap_or("");
    let rest = rest.strip_prefix('<').and_then(|rest| rest.split_once("> ")).map_or(rest, |(_, rest)| rest);
    let rest = rest.split_once(" for ").map_or(rest, |(_, rest)| rest);
    word(rest.trim_start())
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Whether the comment and attributes just above have a code block, or hide the item.
fn is_shown(above: &[&str]) -> bool {
    let belongs = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("///")
            || line.starts_with("#[")
            || line.starts_with(')')
            || line.starts_with("note =")
            || line.starts_with("label =")
            || line.starts_with("message =")
    };
    above.iter().rev().take_while(belongs).any(|line| line.contains("```") || line.contains("doc(hidden)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        facade(&File { path: path.into(), text: text.into() }).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn public_items_need_a_code_block_above_them() {
        let path = "crates/tensor/src/a.rs";
        assert_eq!(check(path, "/// A.\n/// ```\n/// a();\n/// ```\n#[track_caller]\npub fn a() {}\n"), []);
        assert_eq!(check(path, "/// A.\npub fn a() {}\n\n/// B.\npub struct B;\n"), [2, 5]);
        assert_eq!(check(path, "impl A {\n    /// B.\n    pub fn b() {}\n}\n"), [3]);
        assert_eq!(check("crates/ir/src/a.rs", "pub fn a() {}\n"), []);
    }

    #[test]
    fn whole_crates_are_not_shown() {
        let says = |text: &str| {
            let file = File { path: "crates/meshwright/src/lib.rs".into(), text: text.into() };
            curated(&file).into_iter().map(|found| found.line).collect::<Vec<_>>()
        };
        assert_eq!(says("pub use meshwright_nn as nn;\npub use meshwright_cpu;\n"), [1, 2]);
        assert_eq!(says("pub use meshwright_nn::{self as nn, Dense};\n"), [1]);
        assert_eq!(says("mod a;\npub mod b {\n    pub use meshwright_tensor::*;\n}\n"), [3]);
        assert_eq!(
            says("pub use meshwright_tensor::{Tensor, trace};\npub use meshwright_tensor::prelude::*;\n"),
            []
        );
        assert_eq!(
            says("mod front {\n    pub use meshwright_tensor::*;\n}\npub use meshwright_tensor::*;\n"),
            [4]
        );
    }

    #[test]
    fn what_nobody_sees_needs_none() {
        let path = "crates/meshwright/src/a.rs";
        assert_eq!(check(path, "pub(crate) fn a() {}\nfn b() {}\n#[doc(hidden)]\npub fn c() {}\n"), []);
        assert_eq!(
            check(path, "pub(crate) struct A;\n\nimpl A {\n    pub fn b() {}\n}\npub fn c() {}\n"),
            [6]
        );
        assert_eq!(check(path, "struct A;\nimpl<'a> Drop for A {\n    pub fn b() {}\n}\n"), []);
    }
}
