//! Code that reads rules names no op: planning asks facts and rules, so a new op adds nothing there.
//!
//! What holds programs together (control flow, calls, annotations, tokens) is no op in this sense: planning has to know
//! where operands of these go. Unit tests may name what they like.

use super::Finding;
use super::code::{code_lines, imports};
use super::tree::File;

/// The folders whose code reads rules.
const FOLDERS: &[&str] = &["crates/spmd/src/plan/"];

/// Variants of `Op` that are structure.
const STRUCTURE: &[&str] = &["Control", "Scan", "Call", "Sharding", "Token"];

/// What may be used of `ir::op`.
const USED: &[&str] = &["Control", "ManualComputation", "ReshardOp", "ShardingOp", "Structure"];

/// Ops by name where there must be none.
pub fn tier_two(file: &File) -> Vec<Finding> {
    if !FOLDERS.iter().any(|folder| file.path.starts_with(folder)) {
        return Vec::new();
    }
    let code = code_lines(&file.text);
    let imported = imports(&code).into_iter().filter_map(|(line, path)| Some((line, family(&path)?)));
    let named = code.iter().flat_map(|(line, text)| {
        let names = variants(text).into_iter().chain(families(text));
        names.map(|name| (*line, name)).collect::<Vec<_>>()
    });
    let mut found: Vec<(usize, String)> = imported.chain(named).collect();
    found.sort_unstable();
    found.dedup();
    let message = |name| {
        format!("planning names no op, this is `{name}`: ask `Op::facts`, the rule, or `Op::structure`")
    };
    found.into_iter().map(|(line, name)| Finding::new(file, line, message(name))).collect()
}

/// The variants of `Op` that a line names.
fn variants(code: &str) -> Vec<String> {
    let names = code.match_indices("Op::").filter(|(at, _)| !code[..*at].ends_with(is_name));
    let names = names.map(|(at, start)| &code[at + start.len()..]);
    let names = names.map(|rest| if rest.starts_with(['*', '{']) { &rest[..1] } else { name(rest) });
    // Functions of `Op` begin with a small letter.
    let is_function = |name: &str| name.starts_with(char::is_lowercase) || name.is_empty();
    let named = names.filter(|name| !is_function(name) && !STRUCTURE.contains(name));
    let renamed = code.match_indices("Op as ").filter(|(at, _)| !code[..*at].ends_with(is_name));
    named.map(|name| format!("Op::{name}")).chain(renamed.map(|_| "Op as".to_string())).collect()
}

/// What a line names of `ir::op` by its full path.
fn families(code: &str) -> Vec<String> {
    let start = "meshwright_ir::op::";
    if code.trim_start().starts_with("use ") {
        return Vec::new();
    }
    let paths = code
        .match_indices(start)
        .map(|(at, _)| &code[at..at + start.len() + name(&code[at + start.len()..]).len()]);
    paths.filter_map(family).collect()
}

/// The part of `ir::op` that a path is of, unless it may be used.
fn family(path: &str) -> Option<String> {
    let rest = path.strip_prefix("meshwright_ir::op::")?;
    let name = name(rest);
    (!USED.contains(&name)).then(|| format!("op::{rest}"))
}

fn name(text: &str) -> &str {
    &text[..text.find(|c| !is_name(c)).unwrap_or(text.len())]
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, line: &str) -> usize {
        tier_two(&File { path: path.into(), text: format!("//! A.\n{line}\n") }).len()
    }

    #[test]
    fn an_op_by_name_is_found_in_planning_and_nowhere_else() {
        for line in [
            "matches!(op, Op::Sort(_))",
            "Op::Dot(_) | Op::Control(_) => 1,",
            "use meshwright_ir::op::{Movement, ShardingOp};",
            "let x = meshwright_ir::op::BinaryOp::Add;",
            "use meshwright_ir::op::*;",
            "use meshwright_ir::Op as O;",
            "use Op::*;",
            "use meshwright_ir::Op::{Dot, Sort};",
        ] {
            assert_eq!(check("crates/spmd/src/plan/a.rs", line), 1, "{line}");
            assert_eq!(check("crates/spmd/src/localize/a.rs", line), 0, "{line}");
        }
    }

    #[test]
    fn structure_facts_and_comments_are_none() {
        for line in [
            "// `Op::Sort` is merged.",
            "use meshwright_ir::op::{Control, ReshardOp, ShardingOp, Structure};",
            "let op = Op::Sharding(ShardingOp::Reshard(ReshardOp::Any));",
            "use meshwright_ir::{Function, Op};",
            "let facts = Op::facts(op);",
        ] {
            assert_eq!(check("crates/spmd/src/plan/a.rs", line), 0, "{line}");
        }
    }
}
