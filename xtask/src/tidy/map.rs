//! The map of crates in `docs/architecture.md` is true: each crate has its row, each row a crate, and the arrows are
//! those of the manifests. `cargo xtask map` writes the arrows.

use super::Finding;
use super::arrows::uses;
use super::tree::File;
use std::collections::{BTreeMap, BTreeSet};

pub const PAGE: &str = "docs/architecture.md";
const BEGIN: &str = "<!-- arrows: written by `cargo xtask map` -->\n";
const END: &str = "<!-- end of arrows -->\n";

/// The floor, which nearly everyone uses.
const FLOOR: &[&str] = &["base", "shard", "ir"];

/// Rows without a crate, crates without a row, and arrows that are not those of the manifests.
pub fn map(files: &[File]) -> Vec<Finding> {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else { return Vec::new() };
    let (rows, crates) = (rows(&page.text), crates(files));
    let no_crate = rows.iter().filter(|(_, name)| !crates.contains_key(name));
    let no_crate = no_crate.map(|(line, name)| {
        Finding::new(page, *line, format!("there is no crate `{name}`: plans do not stand among crates"))
    });
    let is_listed = |name: &str| rows.iter().any(|(_, row)| *row == name);
    let no_row = crates.keys().filter(|name| !is_listed(name));
    let no_row =
        no_row.map(|name| Finding::new(page, 1, format!("the table of crates has no row for `{name}`")));
    let mut found: Vec<Finding> = no_crate.chain(no_row).collect();
    if written(files).as_deref() != Some(&page.text) {
        found.push(Finding::new(
            page,
            1,
            "the arrows are not those of the manifests: `cargo xtask map` writes them",
        ));
    }
    found
}

/// The page with the arrows of today. `None` where the page or its marks are missing.
pub fn written(files: &[File]) -> Option<String> {
    let page = files.iter().find(|file| file.path == PAGE)?;
    let (before, rest) = page.text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{}{END}{after}", arrows(&crates(files))))
}

/// Crates by name, with the crates of ours they use.
fn crates(files: &[File]) -> BTreeMap<&str, BTreeSet<&str>> {
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    let named = manifests.filter_map(|file| Some((file.crate_name()?, uses(&file.text))));
    named.collect()
}

/// Names in the first column of the table of crates.
fn rows(page: &str) -> Vec<(usize, &str)> {
    let lines = page.lines().enumerate().skip_while(|(_, line)| !line.starts_with("| crate |")).skip(2);
    let rows = lines.take_while(|(_, line)| line.starts_with('|'));
    let names = rows.flat_map(|(at, row)| {
        let cell = row.split('|').nth(1).unwrap_or("");
        cell.split('`').skip(1).step_by(2).map(move |name| (at + 1, name))
    });
    names.collect()
}

/// One line for each crate, those below first. What all of the floor's users share is said once.
fn arrows(crates: &BTreeMap<&str, BTreeSet<&str>>) -> String {
    let mut lines = vec!["```text".to_string()];
    for name in from_below(crates) {
        let used = &crates[name];
        let floor = used.get("ir").copied();
        let above = used.iter().copied().filter(|used| floor.is_none() || !FLOOR.contains(used));
        let shown: Vec<&str> = floor.into_iter().chain(above).collect();
        let line = format!("{name:10} -> {}", shown.join(", "));
        lines.push(line.trim_end_matches("-> ").trim_end().to_string());
    }
    lines.push("```\n".to_string());
    lines.join("\n")
}

/// Each crate after all that it uses; among those that may come next, by the alphabet.
fn from_below<'a>(crates: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<&'a str> {
    let mut order: Vec<&str> = Vec::new();
    while let Some(next) = crates.iter().find(|(name, used)| {
        !order.contains(*name) && used.iter().all(|used| order.contains(used) || !crates.contains_key(used))
    }) {
        order.push(next.0);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page, and crates with what they use.
    fn files(rows: &str, arrows: &str, crates: &[(&str, &[&str])]) -> Vec<File> {
        let page = format!("# A\n\n| crate | is |\n|---|---|\n{rows}\n{BEGIN}{arrows}{END}\nb\n");
        let manifest = |used: &[&str]| -> String {
            let lines = used.iter().map(|name| format!("meshwright-{name}.workspace = true\n"));
            format!("[dependencies]\n{}", lines.collect::<String>())
        };
        let manifests = crates
            .iter()
            .map(|(name, used)| File { path: format!("crates/{name}/Cargo.toml"), text: manifest(used) });
        [File { path: PAGE.into(), text: page }].into_iter().chain(manifests).collect()
    }

    const ROWS: &str = "| `base`, `shard` | x |\n| `ir`, `cost` | y |\n";
    const CRATES: &[(&str, &[&str])] = &[
        ("cost", &["base", "ir", "shard"]),
        ("base", &[]),
        ("ir", &["base", "shard"]),
        ("shard", &["base"]),
    ];
    const ARROWS: &str =
        "```text\nbase\nshard      -> base\nir         -> base, shard\ncost       -> ir\n```\n";

    #[test]
    fn arrows_are_those_of_the_manifests() {
        assert_eq!(map(&files(ROWS, ARROWS, CRATES)), []);
        let old = files(ROWS, "", CRATES);
        assert_eq!(map(&old).len(), 1);
        assert_eq!(written(&old).as_deref(), Some(&*files(ROWS, ARROWS, CRATES)[0].text));
        assert_eq!(map(&files(ROWS, &ARROWS.replace("-> ir", "-> ir, text"), CRATES)).len(), 1);
        let unmarked = File { path: PAGE.into(), text: "# A\n".into() };
        assert_eq!(map(&[unmarked]).len(), 1);
    }

    #[test]
    fn rows_and_crates_belong_together() {
        let planned = format!("{ROWS}| `pjrt` (a plan) | z |\n");
        let said = map(&files(&planned, ARROWS, CRATES));
        assert_eq!(said.iter().map(|found| found.line).collect::<Vec<_>>(), [7]);
        assert_eq!(map(&files("| `base`, `shard` | x |\n| `ir` | y |\n", ARROWS, CRATES)).len(), 1);
    }
}
