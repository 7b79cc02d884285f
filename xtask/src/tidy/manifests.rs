//! Every crate of `crates/` can be published: its manifest has what a registry asks for, and names crates of ours so
//! that a registry can have them.
//!
//! A dependency is asked for as exactly the version of the workspace, because the crates go out together and know each
//! other's insides. A dependency of tests is named by its path alone: cargo leaves it out of the package, where it
//! would close a circle.

use super::Finding;
use super::tree::File;

/// What the manifest of a crate says, itself or by the workspace.
const FIELDS: &[&str] = &[
    "version",
    "edition",
    "rust-version",
    "license",
    "repository",
    "description",
    "readme",
    "keywords",
    "categories",
    "include",
];

/// Manifests with something missing, and versions that are not the workspace's.
pub fn manifests(file: &File) -> Vec<Finding> {
    if file.path == "Cargo.toml" {
        return versions(file);
    }
    let Some(name) = file.crate_name().filter(|name| file.path == format!("crates/{name}/Cargo.toml")) else {
        return Vec::new();
    };
    let missing = FIELDS.iter().filter(|field| !has(&file.text, field));
    let missing =
        missing.map(|field| Finding::new(file, 1, format!("`{name}` has no `{field}`: a registry shows it")));
    missing.chain(wrong_dependencies(file)).collect()
}

/// The oldest compiler that the crates promise to build with is the one that everything is built with: each run of the
/// tests tries it.
pub fn oldest_compiler(files: &[File]) -> Vec<Finding> {
    let said = |path: &str, heading, key: &str| {
        let file = files.iter().find(|file| file.path == path)?;
        let (line, value) = section(&file.text, heading).find(|(_, line)| line.starts_with(key))?;
        Some((file, line, value.split('"').nth(1)?))
    };
    let promised = said("Cargo.toml", "[workspace.package]", "rust-version = ");
    let pinned = said("rust-toolchain.toml", "[toolchain]", "channel = ");
    match (promised, pinned) {
        (Some((_, _, promised)), Some((_, _, pinned))) if pinned.starts_with(&format!("{promised}.")) => {
            Vec::new()
        }
        (Some((file, line, promised)), pinned) => {
            let pinned = pinned.map_or("nothing", |(_, _, pinned)| pinned);
            let message = format!("nobody tries {promised}: rust-toolchain.toml pins {pinned}");
            vec![Finding::new(file, line, message)]
        }
        (None, _) => Vec::new(),
    }
}

/// Whether the section of the package has a field.
fn has(manifest: &str, field: &str) -> bool {
    section(manifest, "[package]")
        .any(|(_, line)| line.strip_prefix(field).is_some_and(|rest| rest.starts_with([' ', '.', '='])))
}

/// The lines below a heading, with their numbers from 1.
fn section<'a>(manifest: &'a str, heading: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let lines = manifest.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines.skip_while(move |(_, line)| *line != heading).skip(1).take_while(|(_, line)| !line.starts_with('['))
}

fn wrong_dependencies(file: &File) -> Vec<Finding> {
    let ours = |(_, line): &(usize, &str)| line.starts_with("meshwright");
    let by_version = section(&file.text, "[dependencies]")
        .filter(ours)
        .filter(|(_, line)| !line.contains("workspace = true"));
    let by_path = section(&file.text, "[dev-dependencies]").filter(ours).filter(|(_, line)| {
        !line.contains("path = ") || line.contains("version") || line.contains("workspace")
    });
    let found = |(line, message): (usize, &str)| Finding::new(file, line, message);
    by_version
        .map(|(line, _)| (line, "a crate of ours without a version: write `.workspace = true`"))
        .chain(by_path.map(|(line, _)| {
            (
                line,
                "tests name crates of ours by `{ path = \"../NAME\" }` alone: a package cannot wait for them",
            )
        }))
        .map(found)
        .collect()
}

/// Crates of ours that the workspace asks for at another version than its own.
fn versions(file: &File) -> Vec<Finding> {
    let version = section(&file.text, "[workspace.package]")
        .find_map(|(_, line)| line.strip_prefix("version = "))
        .unwrap_or("\"\"")
        .trim_matches('"');
    let wanted = format!("version = \"={version}\"");
    let ours =
        section(&file.text, "[workspace.dependencies]").filter(|(_, line)| line.starts_with("meshwright"));
    ours.filter(|(_, line)| !line.contains(&wanted))
        .map(|(line, _)| Finding::new(file, line, format!("crates of ours go out together: `{wanted}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        manifests(&File { path: path.into(), text: text.into() })
            .into_iter()
            .map(|found| found.line)
            .collect()
    }

    /// A manifest without fault, and what follows it.
    fn manifest(rest: &str) -> String {
        let fields: Vec<String> = FIELDS.iter().map(|field| format!("{field}.workspace = true\n")).collect();
        format!("[package]\n{}{rest}", fields.concat())
    }

    #[test]
    fn a_field_that_is_missing_is_found() {
        let path = "crates/ir/Cargo.toml";
        assert_eq!(check(path, &manifest("")), []);
        assert_eq!(check(path, &manifest("").replace("keywords", "key")), [1]);
        assert_eq!(check(path, &manifest("").replace("license", "license-file")), [1]);
        assert_eq!(
            check(path, &format!("{}\n[lints]\nreadme = \"\"", manifest("").replace("readme", "#"))),
            [1]
        );
        assert_eq!(check("xtask/Cargo.toml", "[package]"), []);
    }

    #[test]
    fn crates_of_ours_are_named_so_that_a_registry_can_have_them() {
        let path = "crates/ir/Cargo.toml";
        let at = manifest("").lines().count() + 2;
        let says = |section: &str, line: &str| check(path, &manifest(&format!("[{section}]\n{line}\n")));
        assert_eq!(says("dependencies", "meshwright-shard.workspace = true"), []);
        assert_eq!(says("dependencies", "meshwright-shard = { path = \"../shard\" }"), [at]);
        assert_eq!(says("dev-dependencies", "meshwright-text = { path = \"../text\" }"), []);
        assert_eq!(says("dev-dependencies", "meshwright-text.workspace = true"), [at]);
        assert_eq!(
            says("dev-dependencies", "meshwright-text = { path = \"../text\", version = \"=0.1.0\" }"),
            [at]
        );
    }

    #[test]
    fn a_promised_compiler_that_nobody_tries_is_found() {
        let file = |path: &str, text: String| File { path: path.into(), text };
        let says = |promised: &str, pinned: &str| {
            let manifest =
                file("Cargo.toml", format!("[workspace.package]\nrust-version = \"{promised}\"\n"));
            let toolchain = file("rust-toolchain.toml", format!("[toolchain]\nchannel = \"{pinned}\"\n"));
            oldest_compiler(&[manifest, toolchain]).len()
        };
        assert_eq!(says("1.95", "1.95.0"), 0);
        assert_eq!(says("1.9", "1.95.0"), 1);
        assert_eq!(says("1.94", "1.95.0"), 1);
        assert_eq!(says("1.95", "stable"), 1);
    }

    #[test]
    fn crates_of_ours_have_one_version() {
        let text = |version: &str| {
            format!(
                "[workspace.package]\nversion = \"0.2.0\"\n[workspace.dependencies]\nmeshwright-ir = {{ path = \"crates/ir\"{version} }}\nhalf = \"2\"\n"
            )
        };
        assert_eq!(check("Cargo.toml", &text(", version = \"=0.2.0\"")), []);
        assert_eq!(check("Cargo.toml", &text(", version = \"=0.1.0\"")), [4]);
        assert_eq!(check("Cargo.toml", &text("")), [4]);
    }
}
