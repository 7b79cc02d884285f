//! A match that lists many ops lists all: whoever adds one is told by rustc where it has to be answered.
//!
//! Code that looks for a few ops may leave the rest to `_`. From [`MANY`] variants of `Op` on, a match is a table, and
//! an arm `_` in it would answer for an op that nobody has thought of. Arms are told by their indentation.

use super::Finding;
use super::code::code_lines;
use super::tree::File;
use std::collections::BTreeSet;

/// So many variants of `Op` make a match a table.
const MANY: usize = 9;

/// Tables of ops with an arm for what they do not list.
pub fn wildcards(file: &File) -> Vec<Finding> {
    if !file.is_crate_source() {
        return Vec::new();
    }
    let code = code_lines(&file.text);
    let starts = code.iter().enumerate().filter(|(_, (_, line))| is_match(line));
    let found = starts.filter_map(|(at, (_, line))| wildcard_of(&code[at + 1..], indent(line)));
    let message =
        |ops| format!("`_` answers for every op but {ops}: list the rest, so that rustc asks for a new one");
    found.map(|(line, ops)| Finding::new(file, line, message(ops))).collect()
}

fn is_match(line: &str) -> bool {
    line.ends_with('{') && (line.contains(" match ") || line.starts_with("match "))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The line of an arm `_`, and how many ops the other arms list, if these are many. `inside` begins behind the brace of
/// a match that stands at a column.
fn wildcard_of(inside: &[(usize, String)], column: usize) -> Option<(usize, usize)> {
    let rest = inside.iter().take_while(|(_, line)| line.trim().is_empty() || indent(line) > column);
    let arms: Vec<(usize, &str)> = rest
        .filter(|(_, line)| indent(line) == column + 4)
        .map(|(at, line)| (*at, line.trim_start()))
        .collect();
    let ops: BTreeSet<&str> = arms.iter().flat_map(|(_, arm)| ops_in(arm)).collect();
    let wildcard = arms.iter().find(|(_, arm)| arm.starts_with("_ =>"))?;
    (ops.len() >= MANY).then_some((wildcard.0, ops.len()))
}

/// The variants of `Op` in the pattern that an arm begins with.
fn ops_in(arm: &str) -> Vec<&str> {
    let pattern = arm.split("=>").next().unwrap_or(arm);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let starts = pattern.match_indices("Op::").filter(|(at, _)| !pattern[..*at].ends_with(is_name));
    let names = starts.map(|(at, start)| &pattern[at + start.len()..]);
    names.map(|name| &name[..name.find(|c| !is_name(c)).unwrap_or(name.len())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A match over nine ops and more arms.
    fn lines(arms: &str) -> Vec<usize> {
        let ops = "        Op::Dot(_) | Op::Sort(_) | Op::Fft(_) => {\n            none()\n        }\n        other @ (Op::Map(_)\n        | Op::Call(_)\n        | Op::Scan(_)) => other,\n        Op::Select | Op::Clamp => 1,\n        Op::TopK(_) => 2,\n";
        let text = format!("//! A.\nfn f() {{\n    let x = match op {{\n{ops}{arms}    }};\n}}\n");
        let file = File { path: "crates/cost/src/a.rs".into(), text };
        wildcards(&file).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn a_table_of_ops_has_no_arm_for_the_rest() {
        assert_eq!(lines("        _ => 0,\n"), [12]);
        assert_eq!(lines("        Op::Reduce(_) => 0,\n"), []);
        assert_eq!(lines("        // _ => 0,\n"), []);
    }

    #[test]
    fn matches_of_a_few_ops_and_of_other_enums_are_free() {
        let check = |arms: &str| {
            let text = format!("//! A.\nfn f() {{\n    match op {{\n{arms}        _ => 0,\n    }}\n}}\n");
            wildcards(&File { path: "crates/cost/src/a.rs".into(), text }).len()
        };
        let of = |start: &str, count: usize| -> String {
            (0..count).map(|at| format!("        {start}::A{at} => 0,\n")).collect()
        };
        assert_eq!(check(&of("Op", MANY - 1)), 0);
        assert_eq!(check(&of("Op", MANY)), 1);
        assert_eq!(check(&of("UnaryOp", MANY)), 0);
        let nested = "            match x { Op::B => 0, _ => 1 }\n".repeat(MANY);
        assert_eq!(check(&nested), 0);
    }
}
