//! Chores that run cargo. Steps go cheapest first and stop at the first that fails.

use crate::steps::{Step, run_timed};
use std::path::{Path, PathBuf};
use std::process::Command;

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &[
    "clippy",
    "--workspace",
    "--all-targets",
    "--quiet",
    "--",
    "-D",
    "warnings",
    "-D",
    "clippy::undocumented_unsafe_blocks",
];
/// Fuzz targets are no member of the workspace: nothing else would notice that they do not compile.
const FUZZ: &[&str] = &["check", "--manifest-path", "fuzz/Cargo.toml", "--bins", "--quiet"];
const BUILD_TESTS: &[&str] = &["test", "--workspace", "--no-run", "--quiet"];
const TEST: &[&str] = &["test", "--workspace", "--no-fail-fast"];
const DOC: &[&str] = &["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
/// Private items are documented too, so links to them are fine.
const DOC_FLAGS: &str = "-D warnings -A rustdoc::private-intra-doc-links";
const BOOK: &[&str] = &["run", "--quiet", "--package", "meshwright-book"];
const GOLDEN: &[&str] = &["test", "--release", "--package", "meshwright-cli", "--test", "golden"];

/// Runs everything that CI runs. The arguments are those of cargo that choose features: clippy and the tests take them.
pub fn check(root: &Path, features: &[String]) -> bool {
    let with_features = |args| cargo_with(root, args, features);
    let steps: [Step<'_>; 10] = [
        ("format", &|| cargo(root, FORMAT)),
        ("tidy", &|| crate::tidy::tidy(root) && crate::tidy::entries(root)),
        ("dependencies", &|| crate::dependencies::dependencies(root)),
        ("clippy", &|| with_features(CLIPPY)),
        ("fuzz targets", &|| fuzz_targets(root)),
        ("build tests", &|| with_features(BUILD_TESTS)),
        ("run tests", &|| with_features(TEST)),
        ("book", &|| book(root)),
        ("rustdoc", &|| cargo(root, DOC)),
        ("publish", &|| crate::publish::publish(root, &["--dry-run".to_string()])),
    ];
    run_timed("check", &steps)
}

/// The pages of `docs` as one site.
pub fn book(root: &Path) -> bool {
    cargo(root, BOOK)
}

/// The golden modules, with the interpreter at full speed.
pub fn golden(root: &Path) -> bool {
    cargo(root, GOLDEN)
}

/// Random programs; the arguments are those of `meshwright campaign`. A campaign counts panics, so its build unwinds.
pub fn campaign(root: &Path, args: &[String]) -> bool {
    binary(root, ["--profile", "unwind", "--package", "meshwright-lab"], "campaign", args)
}

/// XLA's dumps in the repository, or those named.
pub fn compare_xla(root: &Path, args: &[String]) -> bool {
    let dumps = ["tests/xla".to_string()];
    let profile = ["--profile", "release", "--package", "meshwright-cli"];
    binary(root, profile, "compare-xla", if args.is_empty() { &dumps } else { args })
}

fn binary(root: &Path, package: [&str; 4], command: &str, args: &[String]) -> bool {
    let start = ["run", "--quiet"].into_iter().chain(package).chain(["--", command]);
    let words: Vec<&str> = start.chain(args.iter().map(String::as_str)).collect();
    cargo(root, &words)
}

/// Beside what is built of the workspace. Nothing is linked, so libFuzzer need not be built: any path stands for it.
fn fuzz_targets(root: &Path) -> bool {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let mut command = command(FUZZ);
    command.env("CARGO_TARGET_DIR", target).env("CUSTOM_LIBFUZZER_PATH", root.join("fuzz/Cargo.toml"));
    ran(root, FUZZ, &mut command)
}

fn cargo(root: &Path, args: &[&str]) -> bool {
    ran(root, args, &mut command(args))
}

/// Runs cargo with further arguments after its subcommand.
fn cargo_with(root: &Path, args: &[&str], further: &[String]) -> bool {
    let (subcommand, rest) = args.split_at(1);
    let args: Vec<&str> =
        [subcommand, &further.iter().map(String::as_str).collect::<Vec<_>>(), rest].concat();
    cargo(root, &args)
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).env("RUSTDOCFLAGS", DOC_FLAGS);
    command
}

fn ran(root: &Path, args: &[&str], command: &mut Command) -> bool {
    eprintln!("# cargo {}", args.join(" "));
    match command.current_dir(root).status() {
        Ok(status) if status.success() => true,
        Ok(status) => {
            eprintln!("# failed ({status}): cargo {}", args.join(" "));
            false
        }
        Err(error) => {
            eprintln!("# cannot start cargo: {error}");
            false
        }
    }
}
