//! Circles between modules of one crate: modules side by side in one folder that use each other, directly or by way of
//! others.
//!
//! What lies below a module counts as that module: `op/dot.rs` that uses `edit.rs` is `op` using `edit`. A child that
//! uses its parent is no circle: a parent often states what its children are about. Uses are `crate::`, `super::` and
//! `self::` paths, followed through the `pub use` of the modules they name.
//!
//! Each circle that there is has a reason below: `cargo xtask circles` lists who uses whom, and where.

use super::Finding;
use super::code::{code_lines, imports};
use super::tree::File;
use std::collections::{BTreeMap, BTreeSet};

/// A circle that stays: one of its members, and why it is one. However many families hang on a circle, it is one.
struct Known {
    crate_name: &'static str,
    member: &'static str,
    why: &'static str,
}

impl Known {
    fn is_of(&self, crate_name: &str, circle: &Circle) -> bool {
        self.crate_name == crate_name && circle.members.iter().any(|member| member == self.member)
    }
}

const fn known(crate_name: &'static str, member: &'static str, why: &'static str) -> Known {
    Known { crate_name, member, why }
}

const KNOWN: &[Known] = &[
    known("cli", "args", "commands take arguments, whose types stand beside what commands do with them"),
    known("cpu", "passes", "lowering ends in the passes, which rewrite what lowering has made"),
    known("grad", "tape", "the tape walks a function by the families' derivatives, which write on it"),
    known("interp", "machine", "the machine evaluates by families, which run their regions on it"),
    known(
        "ir",
        "op",
        "functions hold ops; an op's types and rule are asked for where it stands in a function",
    ),
    known(
        "kernels",
        "isa",
        "which instructions there are is asked of the tiles, whose kernels are chosen by that",
    ),
    known("jit", "select", "functions are written in selected instructions, some of which are functions"),
    known("kernels", "step", "a step is run by the module of its kind, which may run steps within"),
    known("kernels", "tile", "a tile is loaded and converted as it is used"),
    known("tensor", "state", "a tensor is a handle into the state of its trace, which hands out tensors"),
    known(
        "text",
        "hlo::op",
        "a line is read and written by its family, which reads and writes computations within",
    ),
    known("text", "stablehlo::op", "the same, of ops with regions"),
    known(
        "train",
        "data::corpus",
        "one corpus is the folder of pairs, whose files are written as that corpus reads them",
    ),
    known(
        "train",
        "checkpoint::owner",
        "an index names its run, and the indices in a directory decide its owner",
    ),
    known("train", "run::claim", "a run has its directory's claim, and its start decides the claim's id"),
    known(
        "train",
        "foreign",
        "a run begins with a folder's weights, which are held against the model that a run would have",
    ),
    known("text", "stablehlo::parser", "types, attributes and locations nest in each other, in one text"),
];

/// The steps from a crate's root to a module.
type Module = Vec<String>;

/// Modules side by side that use each other.
struct Circle {
    name: String,
    /// By their paths from the crate's root.
    members: Vec<String>,
    /// For each use within the circle: who, whom, and a file and line that does it.
    uses: Uses,
}

/// Circles that have no reason, and reasons that have no circle any more.
pub fn circles(files: &[File]) -> Vec<Finding> {
    crate_names(files).into_iter().flat_map(|name| circles_in(name, files)).collect()
}

fn circles_in(name: &str, files: &[File]) -> Vec<Finding> {
    let Some(root) = files.iter().find(|file| file.path == format!("crates/{name}/Cargo.toml")) else {
        return Vec::new();
    };
    let circles = circles_of(name, files);
    let reasons: Vec<&Known> = KNOWN.iter().filter(|known| known.crate_name == name).collect();
    let is_of = |known: &Known, circle: &Circle| circle.members.iter().any(|member| member == known.member);
    let new =
        circles.iter().filter(|circle| !reasons.iter().any(|known| is_of(known, circle))).map(|circle| {
            let uses = "use each other: untie them, or say why not";
            format!("modules {} {uses} in {}; `cargo xtask circles` says where", circle.name, file!())
        });
    let gone = reasons.iter().filter(|known| !circles.iter().any(|circle| known.is_of(name, circle)));
    let gone = gone
        .map(|known| format!("`{}` is in no circle any more: its reason in {} goes", known.member, file!()));
    new.chain(gone).map(|message| Finding::new(root, 1, message)).collect()
}

/// All circles, with every use within them.
pub fn report(files: &[File]) -> String {
    let mut text = String::new();
    for name in crate_names(files) {
        for circle in circles_of(name, files) {
            let why =
                KNOWN.iter().find(|known| known.is_of(name, &circle)).map_or("no reason", |known| known.why);
            text += &format!("{name}: {}: {why}\n", circle.name);
            for ((user, used), (path, line)) in circle.uses {
                text += &format!("    {user} -> {used}  {path}:{line}\n");
            }
        }
    }
    text
}

fn crate_names(files: &[File]) -> BTreeSet<&str> {
    files.iter().filter_map(File::crate_name).collect()
}

fn circles_of(name: &str, files: &[File]) -> Vec<Circle> {
    let source = Source::of(name, files);
    // By folder: who uses whom among the modules in it.
    let mut folders: BTreeMap<Module, Uses> = BTreeMap::new();
    for (user, used, at) in source.uses() {
        let common = user.iter().zip(&used).take_while(|(a, b)| a == b).count();
        if let (Some(user), Some(target)) = (user.get(common), used.get(common)) {
            let uses = folders.entry(used[..common].to_vec()).or_default();
            uses.entry((user.clone(), target.clone())).or_insert(at);
        }
    }
    folders.into_iter().flat_map(|(folder, uses)| circles_among(&folder, &uses)).collect()
}

type Uses = BTreeMap<(String, String), (String, usize)>;

/// Sets of modules that reach each other.
fn circles_among(folder: &[String], uses: &Uses) -> Vec<Circle> {
    let reach = reach(uses);
    let both = |a: &str, b: &str| reaches(&reach, a, b) && reaches(&reach, b, a);
    let mut rest: BTreeSet<&str> = reach.keys().map(String::as_str).filter(|name| both(name, name)).collect();
    let mut found = Vec::new();
    while let Some(first) = rest.pop_first() {
        let members: BTreeSet<&str> =
            [first].into_iter().chain(rest.iter().copied().filter(|name| both(first, name))).collect();
        rest.retain(|name| !members.contains(name));
        let within = |(user, used): &(String, String)| {
            members.contains(user.as_str()) && members.contains(used.as_str())
        };
        let prefix: String = folder.iter().map(|step| format!("{step}::")).collect();
        let listed: Vec<&str> = members.iter().copied().collect();
        found.push(Circle {
            members: listed.iter().map(|member| format!("{prefix}{member}")).collect(),
            name: format!("{prefix}{{{}}}", listed.join(", ")),
            uses: uses
                .iter()
                .filter(|(pair, _)| within(pair))
                .map(|(pair, at)| (pair.clone(), at.clone()))
                .collect(),
        });
    }
    found
}

fn reaches(reach: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    reach.get(from).is_some_and(|names| names.contains(to))
}

/// For each module, all that it uses directly or by way of others.
fn reach(uses: &Uses) -> BTreeMap<String, BTreeSet<String>> {
    let mut reach: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (user, used) in uses.keys() {
        reach.entry(user.clone()).or_default().insert(used.clone());
    }
    loop {
        let before: usize = reach.values().map(BTreeSet::len).sum();
        for name in reach.keys().cloned().collect::<Vec<_>>() {
            let further: BTreeSet<String> =
                reach[&name].iter().filter_map(|next| reach.get(next)).flatten().cloned().collect();
            reach.entry(name).or_default().extend(further);
        }
        if reach.values().map(BTreeSet::len).sum::<usize>() == before {
            return reach;
        }
    }
}

/// The modules of a crate.
struct Source<'a> {
    modules: BTreeMap<Module, Text<'a>>,
}

struct Text<'a> {
    path: &'a str,
    code: Vec<(usize, String)>,
    /// Names that are shown from elsewhere, with the path they come from. `*` brings all of a path.
    shown: Vec<(String, Module)>,
}

impl<'a> Source<'a> {
    fn of(name: &str, files: &'a [File]) -> Self {
        let prefix = format!("crates/{name}/src/");
        let sources = files.iter().filter(|file| file.is_crate_source() && file.path.starts_with(&prefix));
        let modules = sources.filter_map(|file| {
            let module = module(file.path.strip_prefix(&prefix)?);
            let code = code_lines(&file.text);
            let shown = imports(&shown_uses(&code)).into_iter();
            let shown = shown.filter_map(|(_, path)| {
                Some((path.rsplit("::").next()?.to_string(), absolute(&module, &path)?))
            });
            Some((module.clone(), Text { path: &file.path, shown: shown.collect(), code }))
        });
        Source { modules: modules.collect() }
    }

    /// Every use of a module by another, with a place.
    fn uses(&self) -> Vec<(Module, Module, (String, usize))> {
        let mut found = Vec::new();
        for (user, text) in &self.modules {
            let plain: Vec<(usize, String)> =
                text.code.iter().map(|(line, code)| (*line, without_visibility(code))).collect();
            let imported = imports(&plain);
            let named =
                text.code.iter().flat_map(|(line, code)| paths(code).into_iter().map(|path| (*line, path)));
            for (line, path) in imported.into_iter().chain(named) {
                let Some(used) = absolute(user, &path).and_then(|path| self.home(&path, 0)) else { continue };
                found.push((user.clone(), used, (text.path.to_string(), line)));
            }
        }
        found
    }

    /// The module that an item is from, by its path.
    fn home(&self, path: &[String], depth: usize) -> Option<Module> {
        let at = (0..=path.len()).rev().find(|at| self.modules.contains_key(&path[..*at]))?;
        let (module, Some(item)) = (path[..at].to_vec(), path.get(at)) else { return Some(path.to_vec()) };
        let text = &self.modules[&module];
        let shown = text
            .shown
            .iter()
            .filter(|(name, from)| (name == item || name == "*") && from.len() > 1 && *from != path);
        let homes = shown.filter_map(|(name, from)| {
            let from = if name == "*" {
                [&from[..from.len() - 1], std::slice::from_ref(item)].concat()
            } else {
                from.clone()
            };
            let home = if depth < 8 { self.home(&from, depth + 1) } else { None }?;
            (name != "*" || self.defines(&home, item)).then_some(home)
        });
        Some(homes.into_iter().next().unwrap_or(module))
    }

    fn defines(&self, module: &Module, item: &str) -> bool {
        let words = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
        let starts = words.map(|word| format!("{word} {item}"));
        self.modules.get(module).is_some_and(|text| {
            text.code.iter().any(|(_, code)| starts.iter().any(|start| code.contains(start)))
        })
    }
}

/// `op/dot.rs` is `[op, dot]`, `op/mod.rs` is `[op]`, `lib.rs` and `main.rs` are the root.
fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let mut steps: Module = path.split('/').map(str::to_string).collect();
    if matches!(steps.last().map(String::as_str), Some("mod")) || matches!(path, "lib" | "main") {
        steps.pop();
    }
    steps
}

/// Lines with `pub use` and `pub(..) use`, as plain uses, each whole.
fn shown_uses(code: &[(usize, String)]) -> Vec<(usize, String)> {
    let mut inside = false;
    let mut kept = Vec::new();
    for (line, code) in code {
        let start = code.trim_start();
        inside |= start.starts_with("pub") && without_visibility(code).trim_start().starts_with("use ");
        if inside {
            kept.push((*line, without_visibility(code)));
            inside = !code.trim_end().ends_with(';');
        }
    }
    kept
}

fn without_visibility(code: &str) -> String {
    let start = code.trim_start();
    let rest = start.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")).map(|(_, rest)| rest);
    rest.or_else(|| start.strip_prefix("pub ")).unwrap_or(start).to_string()
}

/// A path from the crate's root. `None` for what is of another crate.
fn absolute(module: &[String], path: &str) -> Option<Module> {
    let mut steps = path.split("::").map(str::trim);
    let mut base = match steps.next()? {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        "std" | "core" | "alloc" => return None,
        other => [module, &[other.to_string()]].concat(),
    };
    for step in steps {
        match step {
            "super" => drop(base.pop()),
            "self" => {}
            step => base.push(step.to_string()),
        }
    }
    Some(base)
}

/// Paths in a line of code that begin at the crate, the parent or the module itself, uses aside.
fn paths(code: &str) -> Vec<String> {
    if without_visibility(code).starts_with("use ") {
        return Vec::new();
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|c| is_name(c) || c == ':' || c == '$') {
                continue;
            }
            let end = code[at..].find(|c| !is_name(c) && c != ':').map_or(code.len(), |end| at + end);
            found.push(code[at..end].trim_end_matches(':').to_string());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(files: &[(&str, &str)]) -> Vec<String> {
        let file =
            |(path, text): &(&str, &str)| File { path: format!("crates/a/{path}"), text: (*text).into() };
        let files: Vec<File> = files.iter().map(file).collect();
        circles_of("a", &files).into_iter().map(|circle| circle.name).collect()
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let lib = ("src/lib.rs", "mod a;\nmod b;\nmod c;\npub use c::f;\n");
        let there = ("src/a.rs", "use crate::b::g;\n");
        let back = ("src/b.rs", "fn g() { crate::a::h() }\n");
        assert_eq!(listed(&[lib, there, back]), ["{a, b}"]);
        assert_eq!(listed(&[lib, there, ("src/b.rs", "// use crate::a;\n")]), [""; 0]);
        assert_eq!(
            listed(&[
                lib,
                ("src/a.rs", "use super::{b, c};"),
                ("src/b.rs", "use super::c::{self, x};"),
                ("src/c.rs", "use crate::a::z;")
            ]),
            ["{a, b, c}"]
        );
    }

    #[test]
    fn what_is_shown_elsewhere_counts_where_it_is_from() {
        let lib = ("src/lib.rs", "pub use c::f;\npub use d::*;\n");
        assert_eq!(
            listed(&[lib, ("src/c.rs", "use crate::b::x;"), ("src/b.rs", "use crate::f;")]),
            ["{b, c}"]
        );
        assert_eq!(
            listed(&[lib, ("src/d.rs", "use crate::b::x;\npub fn y() {}"), ("src/b.rs", "use crate::y;")]),
            ["{b, d}"]
        );
        assert_eq!(
            listed(&[lib, ("src/d.rs", "use crate::b::x;\npub fn y() {}"), ("src/b.rs", "use crate::z;")]),
            [""; 0]
        );
    }

    #[test]
    fn what_lies_below_a_module_counts_as_that_module_beside_others_and_a_parent_not_at_all() {
        let deep = ("src/a/deep.rs", "use crate::b::x;");
        assert_eq!(listed(&[deep, ("src/a.rs", ""), ("src/b.rs", "use crate::a::y;")]), ["{a, b}"]);
        assert_eq!(
            listed(&[("src/a/mod.rs", "mod deep;\nuse deep::x;"), ("src/a/deep.rs", "use super::y;")]),
            [""; 0]
        );
        assert_eq!(
            listed(&[("src/a/b.rs", "use super::c::x;"), ("src/a/c.rs", "pub(super) use super::b::y;")]),
            ["a::{b, c}"]
        );
    }

    #[test]
    fn a_circle_without_a_reason_is_found_and_a_reason_without_a_circle() {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let two = |name: &str, [a, b]: [&str; 2]| {
            let path = |rest: String| format!("crates/{name}/{rest}");
            [
                file(&path("Cargo.toml".into()), ""),
                file(&path(format!("src/{a}.rs")), &format!("use crate::{b};")),
                file(&path(format!("src/{b}.rs")), &format!("use crate::{a};")),
            ]
        };
        assert_eq!(circles(&two("a", ["a", "b"])).len(), 1, "without a reason");
        assert_eq!(circles(&two("a", ["a", "b"])[..2]), [], "no circle");
        assert_eq!(circles(&two("ir", ["op", "module"])), [], "with a reason");
        assert_eq!(circles(&two("ir", ["op", "module"])[..2]).len(), 1, "a reason that is left over");
        assert_eq!(
            circles(&two("ir", ["edit", "module"])).len(),
            2,
            "another circle than that with a reason"
        );
    }
}
