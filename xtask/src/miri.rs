//! Safe planning and small kernels on Miri, which knows what a program may do with memory: `cargo xtask miri
//! [ARGUMENTS]`.
//!
//! Needs the nightly toolchain with its component `miri`. Miri runs no code made at run time and few vector
//! instructions, so kernels are those that every CPU of the target has; what is left out takes minutes there or asks
//! the system for memory.

use std::path::Path;
use std::process::Command;

/// A package, and its tests by parts of their names.
const TESTS: &[(&str, &[&str])] = &[
    ("meshwright-runtime", &["array::", "crew::", "plan::"]),
    ("meshwright-kernels", &["isa::", "reduce::", "view::"]),
];

pub fn miri(root: &Path, args: &[String]) -> bool {
    TESTS.iter().all(|(package, names)| tested(root, package, names, args))
}

fn tested(root: &Path, package: &str, names: &[&str], args: &[String]) -> bool {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "miri", "test", "--package", package, "--lib", "--target-dir"]);
    command.arg(root.join("target/miri")).args(args).arg("--").args(names).current_dir(root);
    // Workers of a crew stay as long as the process.
    command
        .env("MIRIFLAGS", "-Zmiri-ignore-leaks -Zmiri-disable-isolation")
        .env("MESHWRIGHT_CPU", "portable");
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("# cannot start rustup: {error}");
            false
        }
    }
}
