//! What the workspace depends on: under which licences, and from where. `deny.toml` says what is allowed, in the form
//! that `cargo deny` reads; where that is installed it looks for more (what was yanked, what has known faults), and
//! where it is not, its absence is said. The licences and sources are read here in any case, from what cargo knows of
//! the lock file.

use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::Path;
use std::process::Command;

/// The only place crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

const LOCKS: &[&str] = &["Cargo.lock", "fuzz/Cargo.lock"];

const TREE: &[&str] = &[
    "tree",
    "--workspace",
    "--all-features",
    "--target",
    "all",
    "--prefix",
    "none",
    "--format",
    "{p}|{l}",
    "--edges",
    "normal,build,dev",
    "--locked",
    "--quiet",
];

/// Whether all of it is allowed.
pub fn dependencies(root: &Path) -> bool {
    let found = problems(root).unwrap_or_else(|error| vec![error]);
    found.iter().for_each(|problem| eprintln!("dependencies: {problem}"));
    found.is_empty() && denied(root)
}

fn problems(root: &Path) -> Result<Vec<String>, String> {
    let read = |name: &str| read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    let allowed = allowed(&read("deny.toml")?);
    let mut found = Vec::new();
    for lock in LOCKS {
        let sources: BTreeSet<String> = read(lock)?.lines().filter_map(foreign_source).collect();
        found.extend(sources.into_iter().map(|source| format!("{lock}: a crate comes from {source}")));
    }
    let packages = tree(root)?;
    let is_wrong = |(_, licence): &&(String, String)| !is_allowed(licence, &allowed);
    found.extend(
        packages.iter().filter(is_wrong).map(|(package, licence)| {
            format!("{package} is under `{licence}`, which deny.toml does not allow")
        }),
    );
    eprintln!("dependencies: {} packages, {} problems", packages.len(), found.len());
    Ok(found)
}

/// Packages with their licences, each once.
fn tree(root: &Path) -> Result<BTreeSet<(String, String)>, String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program).args(TREE).current_dir(root).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout).replace(" (*)", "");
    Ok(text
        .lines()
        .filter_map(|line| line.split_once('|'))
        .map(|(p, l)| (p.into(), l.trim().into()))
        .collect())
}

/// The licences listed under `allow` in `deny.toml`.
fn allowed(text: &str) -> BTreeSet<String> {
    let list = text
        .split_once("\nallow = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// Whether a way through the expression has allowed licences only: any of those joined by OR (or the older `/`), all of
/// those joined by AND.
fn is_allowed(licence: &str, allowed: &BTreeSet<String>) -> bool {
    let licence = licence.replace('/', " OR ");
    // Expressions in use nest no deeper than `(A OR B) AND C`.
    licence.split(" AND ").all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        part.split(" OR ").any(|name| allowed.contains(name.trim()))
    })
}

fn foreign_source(line: &str) -> Option<String> {
    let source = line.strip_prefix("source = \"")?.trim_end_matches('"');
    (source != REGISTRY).then(|| source.to_string())
}

/// What `cargo deny` says, where it is installed.
fn denied(root: &Path) -> bool {
    let run = |args: &[&str]| Command::new("cargo-deny").args(args).current_dir(root).status();
    if run(&["--version"]).is_err() {
        eprintln!(
            "# SKIPPED: yanked crates and advisories: cargo-deny is not installed (`cargo install cargo-deny`)"
        );
        return true;
    }
    let is_good = |what: &str| run(&["check", what]).is_ok_and(|status| status.success());
    let known = ["bans", "licenses", "sources"].iter().all(|what| is_good(what));
    // The database of advisories lies on the net; without it nothing can be said.
    if !run(&["fetch", "db"]).is_ok_and(|status| status.success()) {
        eprintln!("# SKIPPED: advisories: their database cannot be had here");
        return known;
    }
    known && is_good("advisories")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_allowed_if_one_way_through_it_is() {
        let allowed = allowed("[licenses]\nallow = [\n  \"MIT\",\n  \"Unicode-3.0\",\n]\n[bans]\n");
        assert_eq!(allowed.len(), 2);
        let is = |licence| is_allowed(licence, &allowed);
        assert!(is("MIT") && is("GPL-3.0 OR MIT") && is("Unlicense/MIT"));
        assert!(is("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(!is("GPL-3.0") && !is("MIT AND GPL-3.0") && !is("") && !is("(GPL-3.0 OR BSL) AND MIT"));
    }

    #[test]
    fn only_the_registry_is_a_source() {
        assert_eq!(foreign_source(&format!("source = \"{REGISTRY}\"")), None);
        assert_eq!(foreign_source("source = \"git+https://x/y\"").as_deref(), Some("git+https://x/y"));
        assert_eq!(foreign_source("name = \"x\""), None);
    }
}
