//! Every variant of `Op` has a filetest of its rule: one of `tests/filetests/rule` names it behind `// test rule`. That
//! it holds such an instruction is seen by the command itself.

use super::Finding;
use super::tree::File;

const OPS: &str = "crates/ir/src/op/mod.rs";
const FILETESTS: &str = "tests/filetests/rule/";

/// Variants that no filetest of rules names.
pub fn rules(files: &[File]) -> Vec<Finding> {
    let Some(ops) = files.iter().find(|file| file.path == OPS) else { return Vec::new() };
    let tests = files.iter().filter(|file| file.path.starts_with(FILETESTS));
    let commands =
        tests.flat_map(|file| file.text.lines()).filter_map(|line| line.strip_prefix("// test rule "));
    let shown: Vec<&str> = commands.flat_map(str::split_whitespace).collect();
    let missing = variants(&ops.text).into_iter().filter(|(_, variant)| !shown.contains(variant));
    let message = |variant| {
        format!("no filetest in {FILETESTS} shows the rule of `Op::{variant}`: name it behind `// test rule`")
    };
    missing.map(|(line, variant)| Finding::new(ops, line, message(variant))).collect()
}

/// The variants of `pub enum Op`, with their lines.
fn variants(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate().skip_while(|(_, line)| *line != "pub enum Op {").skip(1);
    let inside = lines.take_while(|(_, line)| *line != "}");
    let named = inside.filter(|(_, line)| line.trim_start().starts_with(char::is_uppercase));
    let name = |line: &str| line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    named.map(|(at, line)| (at + 1, line.trim_start())).map(|(at, line)| (at, &line[..name(line)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_without_a_filetest_is_found_at_its_line() {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let ops = "pub struct A {}\npub enum Op {\n    Dot(Dot),\n    /// `(a, b)`.\n    Select,\n    Sort(Sort),\n}\npub enum B {\n    No,\n}\n";
        let check = |test: &str| {
            let files = [file(OPS, ops), file("tests/filetests/rule/a.mlir", test)];
            rules(&files).into_iter().map(|found| found.line).collect::<Vec<_>>()
        };
        assert_eq!(check("// test rule Dot Select\n// test rule Sort\n"), []);
        assert_eq!(check("// test rule Dot\n// Sort.\n"), [5, 6]);
    }
}
