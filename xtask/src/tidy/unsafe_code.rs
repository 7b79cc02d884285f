//! Crates without unsafe code stay so: their roots forbid it, which the compiler holds. Those that have some are named
//! here, and only as long as they do.

use super::Finding;
use super::code::code_lines;
use super::tree::File;

/// Roots of crates that have unsafe code.
const WITH_UNSAFE: &[&str] = &[
    "crates/cli/src/lib.rs",
    "crates/faults/src/lib.rs",
    "crates/jit/src/lib.rs",
    "crates/kernels/src/lib.rs",
    "crates/mpi/src/lib.rs",
    "crates/pjrt/src/lib.rs",
    "crates/pjrt-plugin/src/lib.rs",
    "crates/python/src/lib.rs",
    "crates/runtime/src/lib.rs",
];

const FORBIDS: &str = "#![forbid(unsafe_code)]";

/// Roots that neither forbid unsafe code nor have it.
pub fn unsafe_code(files: &[File]) -> Vec<Finding> {
    let roots = files.iter().filter(|file| is_root(&file.path));
    roots.filter_map(|root| Some(Finding::new(root, 1, complaint(root, files)?))).collect()
}

/// The files that stand for a crate's code as a whole. A binary beside a library is a crate of its own.
fn is_root(path: &str) -> bool {
    let inside = path.strip_prefix("crates/").and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
    let inside =
        ["xtask/", "book/", "fuzz/"].iter().filter_map(|root| path.strip_prefix(root)).chain(inside).next();
    matches!(inside, Some("src/lib.rs" | "src/main.rs"))
}

fn complaint(root: &File, files: &[File]) -> Option<String> {
    let forbids = root.text.lines().any(|line| line == FORBIDS);
    match (WITH_UNSAFE.contains(&&*root.path), forbids) {
        (false, true) => None,
        (false, false) => {
            Some(format!("no `{FORBIDS}`: add it, or name the crate in {} and say why", file!()))
        }
        (true, _) if has_unsafe(root, files) => None,
        (true, _) => {
            Some(format!("no unsafe code is left: `{FORBIDS}` here, and out of the list in {}", file!()))
        }
    }
}

/// Whether any source beside or below a root has the word in its code.
fn has_unsafe(root: &File, files: &[File]) -> bool {
    let folder = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let sources = files.iter().filter(|file| file.path.starts_with(folder) && file.is_rust());
    sources
        .flat_map(|file| code_lines(&file.text))
        .any(|(_, code)| code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> =
            files.iter().map(|(path, text)| File { path: (*path).into(), text: (*text).into() }).collect();
        unsafe_code(&files).into_iter().map(|found| found.path).collect()
    }

    #[test]
    fn a_crate_that_does_not_forbid_unsafe_code_is_found() {
        assert_eq!(check(&[("crates/ir/src/lib.rs", "//! A.\nmod a;\n")]), ["crates/ir/src/lib.rs"]);
        assert_eq!(check(&[("crates/cli/src/main.rs", "//! A.\n")]), ["crates/cli/src/main.rs"]);
        assert_eq!(check(&[("crates/ir/src/lib.rs", "//! A.\n\n#![forbid(unsafe_code)]\n")]), [""; 0]);
        assert_eq!(check(&[("crates/ir/src/op/lib.rs", "//! A.\n"), ("examples/main.rs", "")]), [""; 0]);
    }

    #[test]
    fn a_crate_is_excused_only_while_it_has_unsafe_code() {
        let root = ("crates/jit/src/lib.rs", "//! A.\nmod a;\n");
        assert_eq!(check(&[root, ("crates/jit/src/a.rs", "fn f() { unsafe { g() } }")]), [""; 0]);
        assert_eq!(check(&[root, ("crates/jit/src/a.rs", "// unsafe\nlet s = \"unsafe\";")]), [root.0]);
        assert_eq!(check(&[root, ("crates/kernels/src/a.rs", "fn f() { unsafe { g() } }")]), [root.0]);
    }
}
