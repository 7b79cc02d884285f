//! One word, one idea: types that are defined once, and names that say too little to be had at all.
//!
//! The list is short on purpose. A word is put on it when two definitions of it were met and one was renamed, so that
//! it stays so. What each word means is in `docs/glossary.md` or at its definition. The first file is the word's home;
//! in the engine's crates some words still have a meaning of their own.

use super::Finding;
use super::code::code_lines;
use super::tree::File;

/// A type, and the files that may define it.
struct Word {
    name: &'static str,
    homes: &'static [&'static str],
}

const fn once(name: &'static str, home: &'static [&'static str]) -> Word {
    Word { name, homes: home }
}

const TYPES: &[Word] = &[
    once("Annotation", &["crates/ir/src/module.rs"]),
    once("Axis", &["crates/shard/src/mesh.rs"]),
    once("AxisRef", &["crates/shard/src/mesh.rs"]),
    once("Builder", &["crates/ir/src/build/mod.rs"]),
    once("Cut", &["crates/spmd/src/exchange/layout.rs", "crates/tensor/src/mesh.rs"]),
    once("Diagnostic", &["crates/base/src/diagnostic.rs"]),
    once("Editor", &["crates/ir/src/edit.rs"]),
    once("Factor", &["crates/ir/src/rule.rs"]),
    once("Frame", &["crates/ir/src/module.rs", "crates/cpu/src/lower.rs"]),
    once("Function", &["crates/ir/src/module.rs"]),
    once("Groups", &["crates/ir/src/op/collective.rs"]),
    once("Layout", &["crates/spmd/src/exchange/layout.rs"]),
    once("Literal", &["crates/ir/src/literal.rs"]),
    once("Mesh", &["crates/shard/src/mesh.rs", "crates/tensor/src/mesh.rs"]),
    once("Module", &["crates/ir/src/module.rs"]),
    once("Numbering", &["crates/ir/src/op/numbering.rs"]),
    once("Op", &["crates/ir/src/op/mod.rs"]),
    once("Output", &["crates/kernels/src/fused.rs"]),
    once("Part", &["crates/train/src/data/corpus/mod.rs"]),
    once(
        "Pass",
        &[
            "crates/opt/src/passes.rs",
            "crates/kernels/src/convolution/places.rs",
            "crates/kernels/src/fourier/plan.rs",
        ],
    ),
    once(
        "Place",
        &[
            "crates/base/src/diagnostic.rs",
            "crates/kernels/src/amx.rs",
            "crates/kernels/src/compiled/staggered.rs",
            "crates/kernels/src/copy.rs",
        ],
    ),
    once("Plan", &["crates/kernels/src/fourier/plan.rs", "crates/cpu/src/bands/join.rs"]),
    once("Reducer", &["crates/shard/src/sharding.rs"]),
    once(
        "Row",
        &[
            "crates/kernels/src/convolution/lanes/across.rs",
            "crates/kernels/src/sort.rs",
            "crates/kernels/src/gather.rs",
            "crates/train/src/data/corpus/pairs.rs",
        ],
    ),
    once("Shape", &["crates/tensor/src/dims.rs", "crates/cpu/src/passes/join_bands/members.rs"]),
    once("Sharding", &["crates/shard/src/sharding.rs"]),
    once(
        "Step",
        &["crates/kernels/src/step.rs", "crates/kernels/src/amx/tiles.rs", "crates/jit/src/select.rs"],
    ),
    once("Tape", &["crates/grad/src/tape.rs"]),
    once("TensorType", &["crates/ir/src/types.rs"]),
    once("Turn", &[]),
    once("Walk", &["crates/kernels/src/view.rs"]),
];

/// Functions that no crate may have, and what their name should say.
const FUNCTIONS: &[(&str, &str)] = &[
    ("settle", "say what holds afterwards, as `name_values` or `mark_fresh` do"),
    ("turned", "say `transposed`, `reversed`, `swapped` or `reordered`"),
];

/// Definitions that a word's meaning leaves no room for, and words of the list that nobody defines.
pub fn words(files: &[File]) -> Vec<Finding> {
    let sources = || files.iter().filter(|file| file.is_crate_source());
    let taken = sources().flat_map(|file| {
        code_lines(&file.text).into_iter().filter_map(move |(line, code)| wrong(file, line, &code))
    });
    let missing = TYPES.iter().flat_map(|word| {
        let homes = word.homes.iter().filter_map(|home| sources().find(|file| file.path == *home));
        homes.filter(|file| !defines(file, word.name)).map(|file| {
            Finding::new(file, 1, format!("`{}` is not defined here any more: mend {}", word.name, file!()))
        })
    });
    taken.chain(missing).collect()
}

fn defines(file: &File, name: &str) -> bool {
    code_lines(&file.text).iter().any(|(_, code)| type_in(code) == Some(name))
}

fn wrong(file: &File, line: usize, code: &str) -> Option<Finding> {
    let message = match (type_in(code), function_in(code)) {
        (Some(name), _) => {
            let word = TYPES.iter().find(|word| word.name == name)?;
            if word.homes.contains(&&*file.path) {
                return None;
            }
            let homes = if word.homes.is_empty() { "the glossary" } else { word.homes[0] };
            format!("`{name}` has one meaning, that of {homes}: call this type by what it is")
        }
        (None, Some(name)) => {
            let (_, instead) = FUNCTIONS.iter().find(|(word, _)| *word == name)?;
            format!("`{name}` says too little: {instead}")
        }
        (None, None) => return None,
    };
    Some(Finding::new(file, line, message))
}

/// The type that a line defines. What an impl says of a trait's type is no definition.
fn type_in(code: &str) -> Option<&str> {
    let start = ["struct ", "enum ", "trait "].iter().find_map(|word| after(code.trim_start(), word));
    let alias = after(code, "type ");
    Some(name(start.or(alias)?))
}

fn function_in(code: &str) -> Option<&str> {
    let mut code = visible(code.trim_start())?;
    while let Some(rest) = ["const ", "async ", "unsafe "].iter().find_map(|word| code.strip_prefix(word)) {
        code = rest;
    }
    code.strip_prefix("fn ").map(name)
}

/// What follows a keyword at the beginning of an item.
fn after<'c>(code: &'c str, keyword: &str) -> Option<&'c str> {
    visible(code)?.strip_prefix(keyword)
}

/// An item behind its `pub`.
fn visible(code: &str) -> Option<&str> {
    match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => Some(rest.split_once(')')?.1.trim_start()),
        Some(rest) => Some(rest.trim_start()),
        None => Some(code),
    }
}

fn name(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        let found = words(&[File { path: path.into(), text: text.into() }]);
        found.into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn a_word_is_defined_at_home_and_nowhere_else() {
        assert_eq!(check("crates/ir/src/edit.rs", "pub struct Editor<'a> {\n}"), []);
        assert_eq!(check("crates/cpu/src/a.rs", "\npub(crate) struct Part<'a> {\n}"), [2]);
        assert_eq!(check("crates/cpu/src/a.rs", "enum Turn { A }\ntype Part = u8;"), [1, 2]);
    }

    #[test]
    fn a_home_that_defines_its_word_no_more_is_told() {
        assert_eq!(check("crates/ir/src/edit.rs", "pub struct Slice;"), [1]);
    }

    #[test]
    fn longer_names_types_of_impls_and_tests_are_free() {
        let text = "struct PartOf;\nimpl Add for X {\n    type Output = X;\n}\n#[cfg(test)]\nmod tests { struct Part; }";
        assert_eq!(check("crates/cpu/src/a.rs", text), []);
    }

    #[test]
    fn a_function_says_what_it_does() {
        assert_eq!(check("crates/cpu/src/a.rs", "impl X {\n    pub fn settle(&mut self) {}\n}"), [2]);
        assert_eq!(check("crates/cpu/src/a.rs", "fn settle_names() {}\nfn turned() {}"), [2]);
        let kinds = "pub(crate) const fn settle() {}\nasync unsafe fn turned() {}\nfn constant() {}";
        assert_eq!(check("crates/cpu/src/a.rs", kinds), [1, 2]);
    }
}
