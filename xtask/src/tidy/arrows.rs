//! Which crate may use which: the one place that says it to a machine. `docs/architecture.md` says it to people.
//!
//! A crate may name the crates of its row, and the floor (`base`, `shard`, `ir`) if its row leads there. The crates at
//! the top, `cli`, `meshwright` and `python`, may name everything below them; `python` is what `cli` does, without
//! files.

use super::Finding;
use super::tree::File;
use std::collections::BTreeSet;

/// Crate, and the crates it may use besides the floor.
const ARROWS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("shard", &["base"]),
    ("ir", &["base", "shard"]),
    ("text", &["ir"]),
    ("interp", &["ir"]),
    ("grad", &["ir"]),
    ("cost", &["ir"]),
    ("complete", &["ir"]),
    ("spmd", &["ir", "cost"]),
    ("opt", &["ir", "cost"]),
    ("runtime", &["ir"]),
    ("steps", &["base"]),
    ("jit", &["ir"]),
    ("kernels", &["ir", "interp", "runtime", "steps", "jit"]),
    ("cpu", &["ir", "interp", "runtime", "steps", "kernels", "jit"]),
    ("mpi", &["ir", "runtime"]),
    ("pjrt", &["ir", "runtime", "spmd", "text"]),
    ("derive", &[]),
    ("tensor", &["ir", "grad", "derive"]),
    ("nn", &["ir", "tensor"]),
    ("compile", &["ir", "cost", "complete", "spmd", "opt"]),
    ("pjrt-plugin", &["ir", "text", "interp", "cost", "compile", "runtime", "pjrt"]),
    ("faults", &[]),
    ("draw", &["shard"]),
    ("explain", &["ir", "cost", "complete", "spmd", "compile", "draw"]),
    ("campaign", &["ir", "text", "interp", "cost", "complete", "spmd", "opt", "compile"]),
    ("train", &["ir", "nn", "runtime", "compile"]),
];

/// The floor: whoever may use `ir` may use what its types are made of.
const FLOOR: &[&str] = &["base", "shard"];

/// Crates that may use everything in [`ARROWS`], but not each other.
const TOP: &[&str] = &["attack", "cli", "lab", "meshwright", "python"];

/// The arrows between two at the top.
const BESIDE: &[(&str, &str)] = &[("lab", "cli"), ("python", "cli"), ("attack", "cli"), ("attack", "lab")];

/// What tests may use besides: a reader of modules, the judge, the counter of work, all stages to get a program from,
/// random programs, and an engine to run them.
const FOR_TESTS: &[&str] = &["text", "interp", "cost", "compile", "campaign", "cpu"];

/// Crate arrows that the map does not have, in one `crates/*/Cargo.toml`.
pub fn arrows(file: &File) -> Vec<Finding> {
    let Some(user) = file.crate_name().filter(|name| file.path == format!("crates/{name}/Cargo.toml")) else {
        return Vec::new();
    };
    if !is_known(user) {
        return vec![Finding::new(
            file,
            1,
            format!("crate `{user}` is not on the map: give it a row in {}", file!()),
        )];
    }
    dependencies(&file.text)
        .filter(|found| !is_allowed(user, found))
        .map(|found| {
            let message = format!(
                "`{user}` must not use `{}`: the map in docs/architecture.md has no such arrow",
                found.used
            );
            Finding::new(file, found.line, message)
        })
        .collect()
}

/// Arrows of the map that no crate follows, and rows for crates that are not there.
pub fn unused(files: &[File]) -> Vec<Finding> {
    let Some(here) = files.iter().find(|file| file.path == file!()) else { return Vec::new() };
    let line = |user: &str| {
        here.text.lines().position(|line| line.contains(&format!("(\"{user}\", &["))).map_or(1, |at| at + 1)
    };
    let mut found = Vec::new();
    for (user, row) in ARROWS {
        let Some(manifest) = files.iter().find(|file| file.path == format!("crates/{user}/Cargo.toml"))
        else {
            found.push(Finding::new(
                here,
                line(user),
                format!("there is no crate `{user}`: plans stand in docs/architecture.md"),
            ));
            continue;
        };
        let used = uses(&manifest.text);
        let unused = row.iter().filter(|name| !used.contains(**name));
        found.extend(unused.map(|name| {
            Finding::new(here, line(user), format!("`{user}` does not use `{name}`: the arrow goes"))
        }));
    }
    found
}

/// The crates of ours that a manifest's crate uses itself, tests aside: in order of the alphabet, each once.
pub fn uses(manifest: &str) -> BTreeSet<&str> {
    dependencies(manifest).filter(|found| !found.for_tests).map(|found| found.used).collect()
}

fn is_known(name: &str) -> bool {
    TOP.contains(&name) || ARROWS.iter().any(|(row, _)| *row == name)
}

fn is_allowed(user: &str, found: &Dependency) -> bool {
    if found.used == user || found.for_tests && FOR_TESTS.contains(&found.used) {
        return true;
    }
    if TOP.contains(&user) {
        return !TOP.contains(&found.used) || BESIDE.contains(&(user, found.used));
    }
    let row = ARROWS.iter().find(|(name, _)| *name == user).map_or(&[][..], |(_, row)| row);
    row.contains(&found.used) || row.contains(&"ir") && FLOOR.contains(&found.used)
}

/// A line of a manifest that names a crate of ours.
struct Dependency<'a> {
    line: usize,
    used: &'a str,
    for_tests: bool,
}

/// Every crate of ours named under a heading that lists dependencies, or in such a heading. Comments do not count.
fn dependencies(manifest: &str) -> impl Iterator<Item = Dependency<'_>> {
    let mut heading = "";
    manifest.lines().enumerate().filter_map(move |(at, line)| {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.starts_with('[') {
            heading = line;
        }
        let used = crate_of_ours(line)?;
        let counts = heading.contains("dependencies");
        counts.then(|| Dependency { line: at + 1, used, for_tests: heading.contains("dev-dependencies") })
    })
}

/// `ir` for a line with `meshwright-ir`; the facade is `meshwright` itself.
fn crate_of_ours(line: &str) -> Option<&str> {
    let rest = &line[line.find("meshwright")?..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    Some(name.strip_prefix("meshwright-").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        arrows(&File { path: path.into(), text: text.into() }).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn arrows_of_the_map_pass() {
        let text = "[dependencies]\nhalf.workspace = true\nmeshwright-base.workspace = true\nmeshwright-ir = { path = \"x\" }\n";
        assert_eq!(check("crates/text/Cargo.toml", text), []);
        assert_eq!(check("crates/opt/Cargo.toml", "[dependencies]\nmeshwright-cost.workspace = true"), []);
        assert_eq!(check("crates/cli/Cargo.toml", "[dependencies]\nmeshwright-spmd.workspace = true"), []);
    }

    #[test]
    fn arrows_that_point_up_or_across_fail_however_they_are_written() {
        assert_eq!(check("crates/ir/Cargo.toml", "[dependencies]\nmeshwright-text.workspace = true"), [2]);
        assert_eq!(
            check("crates/spmd/Cargo.toml", "\n[dependencies.meshwright-complete]\nworkspace = true"),
            [2]
        );
        assert_eq!(
            check("crates/cpu/Cargo.toml", "[dependencies]\np = { package = \"meshwright-spmd\" }"),
            [2]
        );
        assert_eq!(
            check("crates/shard/Cargo.toml", "[build-dependencies]\nmeshwright-ir.workspace = true"),
            [2]
        );
        assert_eq!(
            check(
                "crates/nn/Cargo.toml",
                "[target.'cfg(unix)'.dependencies]\nmeshwright-cpu.workspace = true"
            ),
            [2]
        );
        assert_eq!(
            check("crates/cli/Cargo.toml", "[dependencies]\nmeshwright = { path = \"../meshwright\" }"),
            [2]
        );
    }

    #[test]
    fn of_the_crates_at_the_top_one_uses_another() {
        let on_cli = "[dependencies]\nmeshwright-cli.workspace = true";
        assert_eq!(check("crates/python/Cargo.toml", on_cli), []);
        assert_eq!(check("crates/meshwright/Cargo.toml", on_cli), [2]);
        assert_eq!(check("crates/cli/Cargo.toml", "[dependencies]\nmeshwright-python.workspace = true"), [2]);
    }

    #[test]
    fn tests_may_read_modules_and_ask_the_judge_anywhere() {
        let text = "[dev-dependencies]\nmeshwright-text.workspace = true\nmeshwright-interp.workspace = true\nmeshwright-mpi.workspace = true";
        assert_eq!(check("crates/ir/Cargo.toml", text), [4]);
    }

    #[test]
    fn the_package_section_names_the_crate_itself_freely() {
        assert_eq!(
            check(
                "crates/ir/Cargo.toml",
                "[package]\nname = \"meshwright-ir\"\nrepository = \"meshwright-spmd\""
            ),
            []
        );
        assert_eq!(check("crates/ir/Cargo.toml", "[dependencies]\n# meshwright-spmd would be a mistake"), []);
    }

    #[test]
    fn a_crate_that_is_not_on_the_map_fails() {
        assert_eq!(check("crates/misc/Cargo.toml", "[package]"), [1]);
    }

    #[test]
    fn an_arrow_that_no_crate_follows_is_found_and_a_crate_that_is_only_planned() {
        let file = |path: &str, text: String| File { path: path.into(), text };
        let mut files = vec![file(file!(), include_str!("arrows.rs").into())];
        for (user, row) in ARROWS {
            let used: String =
                row.iter().map(|name| format!("meshwright-{name}.workspace = true\n")).collect();
            files.push(file(&format!("crates/{user}/Cargo.toml"), format!("[dependencies]\n{used}")));
        }
        assert_eq!(unused(&files), []);
        files[1].text = "[dependencies]".into();
        files[2].text = "[dev-dependencies]\nmeshwright-base.workspace = true".into();
        files.retain(|file| file.path != "crates/mpi/Cargo.toml");
        let said: Vec<String> = unused(&files).into_iter().map(|found| found.message).collect();
        assert_eq!(
            said,
            [
                "`shard` does not use `base`: the arrow goes",
                "there is no crate `mpi`: plans stand in docs/architecture.md"
            ]
        );
    }

    #[test]
    fn rows_name_known_crates_that_stand_above() {
        for (at, (user, row)) in ARROWS.iter().enumerate() {
            for used in *row {
                assert!(
                    ARROWS[..at].iter().any(|(name, _)| name == used),
                    "`{user}` uses `{used}`, listed below it"
                );
            }
        }
    }
}
