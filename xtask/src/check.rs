//! Chores that run cargo. Steps go cheapest first and stop at the first that fails.

use std::path::Path;
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
const TEST: &[&str] = &["test", "--workspace"];
const DOC: &[&str] = &["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
/// Private items are documented too, so links to them are fine.
const DOC_FLAGS: &str = "-D warnings -A rustdoc::private-intra-doc-links";
const GOLDEN: &[&str] = &["test", "--release", "--package", "meshwright-cli", "--test", "golden"];

/// Everything CI does.
pub fn check(root: &Path) -> bool {
    let steps: [&dyn Fn() -> bool; 6] = [
        &|| cargo(root, FORMAT),
        &|| crate::tidy::tidy(root),
        &|| crate::dependencies::dependencies(root),
        &|| cargo(root, CLIPPY),
        &|| cargo(root, TEST),
        &|| cargo(root, DOC),
    ];
    steps.iter().all(|step| step())
}

/// The golden modules, with the interpreter at full speed.
pub fn golden(root: &Path) -> bool {
    cargo(root, GOLDEN)
}

/// Random programs; the arguments are those of the binary's command.
pub fn campaign(root: &Path, args: &[String]) -> bool {
    binary(root, "campaign", args)
}

/// XLA's dumps in the repository, or those named.
pub fn compare_xla(root: &Path, args: &[String]) -> bool {
    let dumps = ["tests/xla".to_string()];
    binary(root, "compare-xla", if args.is_empty() { &dumps } else { args })
}

fn binary(root: &Path, command: &str, args: &[String]) -> bool {
    let start = ["run", "--quiet", "--release", "--package", "meshwright-cli", "--", command];
    let words: Vec<&str> = start.into_iter().chain(args.iter().map(String::as_str)).collect();
    cargo(root, &words)
}

fn cargo(root: &Path, args: &[&str]) -> bool {
    eprintln!("# cargo {}", args.join(" "));
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(program).args(args).current_dir(root).env("RUSTDOCFLAGS", DOC_FLAGS).status();
    match status {
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
