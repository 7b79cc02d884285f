//! What a registry would get: `cargo xtask publish --dry-run`. Asks no registry.
//!
//! ```text
//! target/package/meshwright-*-0.1.0.crate      what cargo would upload, one file for each crate
//! target/published/                            the same, unpacked: a workspace of its own, and a stranger's crate
//! ```
//!
//! Each package must have both licences as they lie at the root, a page, and nothing besides sources; then all of them
//! are compiled from what is in the packages alone, and so is a stranger's program that uses the facade by its name
//! (`examples/quickstart.rs`). It is `cargo check` of one workspace; cargo's own dry run builds every package, each
//! with all below it.
//!
//! To publish: `cargo publish --workspace`, which goes by the order of dependencies itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a package has at its top. The rest of a crate's folder needs the repository.
const TOP: &[&str] = &[
    ".cargo_vcs_info.json",
    "Cargo.lock",
    "Cargo.toml",
    "Cargo.toml.orig",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "build.rs",
    "presets",
    "src",
];
const LICENCES: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];
/// crates.io takes no package beyond this.
const LARGEST: u64 = 10 << 20;

/// Packages, looked at and compiled. Nothing is uploaded.
pub fn publish(root: &Path, args: &[String]) -> bool {
    if args != ["--dry-run"] {
        eprintln!("usage: cargo xtask publish --dry-run\n\nTo upload: cargo publish --workspace");
        return false;
    }
    match tried(root) {
        Ok(problems) => {
            problems.iter().for_each(|problem| eprintln!("publish: {problem}"));
            problems.is_empty()
        }
        Err(error) => {
            eprintln!("publish: {error}");
            false
        }
    }
}

fn tried(root: &Path) -> io::Result<Vec<String>> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let (packages, published) = (target.join("package"), target.join("published"));
    for folder in [&packages, &published] {
        remove(folder)?;
    }
    let package = [
        "package",
        "--workspace",
        "--exclude",
        "xtask",
        "--exclude",
        "meshwright-book",
        "--exclude",
        "meshwright-pjrt-plugin",
        "--exclude",
        "meshwright-attack",
        "--exclude",
        "meshwright-faults",
        "--no-verify",
        "--allow-dirty",
        "--offline",
        "--quiet",
    ];
    run(Command::new(cargo()).args(package).current_dir(root))?;
    fs::create_dir_all(&published)?;
    let mut archives: Vec<PathBuf> = entries(&packages)?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "crate"))
        .collect();
    archives.sort();
    let mut problems = Vec::new();
    for archive in &archives {
        run(Command::new("tar").arg("-mxzf").arg(archive).arg("-C").arg(&published))?;
        let size = fs::metadata(archive)?.len();
        if size > LARGEST {
            problems.push(format!("{}: {size} bytes, of {LARGEST} that a registry takes", archive.display()));
        }
    }
    for folder in entries(&published)? {
        problems.extend(amiss(root, &folder)?);
    }
    eprintln!("publish: {} packages, {} problems", archives.len(), problems.len());
    if problems.is_empty() {
        compiled(root, &target, &published)?;
    }
    Ok(problems)
}

/// What is missing in an unpacked package, or does not belong there.
fn amiss(root: &Path, package: &Path) -> io::Result<Vec<String>> {
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    let mut problems = Vec::new();
    for licence in LICENCES {
        if fs::read(package.join(licence)).ok() != Some(fs::read(root.join(licence))?) {
            problems.push(format!("{name}: `{licence}` is not there as it lies at the root"));
        }
    }
    if !package.join("README.md").is_file() {
        problems.push(format!("{name}: no README.md"));
    }
    if !["src/lib.rs", "src/main.rs"].iter().any(|source| package.join(source).is_file()) {
        problems.push(format!("{name}: no sources"));
    }
    for entry in entries(package)? {
        let entry = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !TOP.contains(&&*entry) {
            problems.push(format!("{name}: `{entry}` does not belong there"));
        }
    }
    Ok(problems)
}

/// Compile the packages, and a stranger's program on top of them.
fn compiled(root: &Path, target: &Path, published: &Path) -> io::Result<()> {
    let folders: Vec<String> = entries(published)?
        .iter()
        .filter_map(|path| path.file_name()?.to_str().map(str::to_string))
        .collect();
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    fs::write(published.join("Cargo.toml"), workspace(&folders, &manifest))?;
    fs::copy(root.join("Cargo.lock"), published.join("Cargo.lock"))?;
    let stranger = published.join("stranger");
    fs::create_dir_all(stranger.join("src"))?;
    fs::write(stranger.join("Cargo.toml"), STRANGER)?;
    fs::copy(root.join("examples/quickstart.rs"), stranger.join("src/main.rs"))?;
    let check = ["check", "--workspace", "--offline", "--quiet"];
    run(Command::new(cargo()).args(check).current_dir(published).env("CARGO_TARGET_DIR", target))
}

const STRANGER: &str = "[package]
name = \"stranger\"
edition = \"2024\"

[dependencies]
meshwright = \"*\"
";

/// A workspace of unpacked packages, which find each other where a registry would have them. It has the profile of our
/// own, so that what others wrote need not be compiled again.
fn workspace(folders: &[String], manifest: &str) -> String {
    let profile = manifest.split("\n\n").find(|part| part.starts_with("[profile.dev]")).unwrap_or("");
    let patches = folders.iter().filter_map(|folder| Some((folder.rsplit_once('-')?.0, folder)));
    let patches: String =
        patches.map(|(name, folder)| format!("{name} = {{ path = \"{folder}\" }}\n")).collect();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"meshwright*\", \"stranger\"]\n\n[patch.crates-io]\n{patches}\n{profile}"
    )
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        folder.read_dir()?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

fn remove(folder: &Path) -> io::Result<()> {
    if folder.exists() { fs::remove_dir_all(folder) } else { Ok(()) }
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} failed ({status})"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package in a folder of its own below the build's.
    fn package(name: &str, files: &[&str]) -> PathBuf {
        let folder = crate::root().join("target/published-tests").join(name);
        remove(&folder).unwrap();
        for file in files {
            let (path, from) = (folder.join(file), crate::root().join(file));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if from.is_file() { fs::copy(from, path).map(|_| ()) } else { fs::write(path, "") }.unwrap();
        }
        folder
    }

    #[test]
    fn what_is_missing_in_a_package_is_found_and_what_does_not_belong_there() {
        let whole = ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "src/lib.rs"];
        let says = |name: &str, files: &[&str]| amiss(&crate::root(), &package(name, files)).unwrap();
        assert_eq!(says("whole", &whole), [""; 0]);
        assert_eq!(says("bare", &["README.md", "src/main.rs"]).len(), 2);
        assert_eq!(says("empty", &whole[..2]).len(), 2);
        let golden: Vec<&str> = whole.iter().copied().chain(["tests/golden.rs"]).collect();
        assert_eq!(says("tests", &golden), ["tests: `tests` does not belong there"]);
        let other = package("other", &whole);
        fs::write(other.join("LICENSE-MIT"), "mine").unwrap();
        assert_eq!(amiss(&crate::root(), &other).unwrap().len(), 1);
    }

    #[test]
    fn packages_find_each_other() {
        let folders = ["meshwright-0.1.0".to_string(), "meshwright-ir-0.1.0".to_string()];
        let text = workspace(&folders, "[workspace]\n\n[profile.dev]\nopt-level = 1\n\n[profile.x]\n");
        assert!(text.contains("\nmeshwright = { path = \"meshwright-0.1.0\" }\nmeshwright-ir = { path = \"meshwright-ir-0.1.0\" }\n"));
        assert!(text.ends_with("\n\n[profile.dev]\nopt-level = 1"));
    }
}
