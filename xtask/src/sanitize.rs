//! The tests of all crates with unsafe code, with the address sanitizer: `cargo xtask sanitize [ARGUMENTS OF CARGO
//! TEST]`.
//!
//! The pinned toolchain is enough: `RUSTC_BOOTSTRAP=1` lets it take the flag. Everything is built anew into a folder of
//! its own, so it takes minutes; loops that are compiled at run time are not instrumented, what they are called with
//! is. The tests over MPI ranks are among them where there is an `mpicc`.

use std::path::Path;
use std::process::{Command, Stdio};

/// Packages, the quickest tests first, and features of theirs that need an MPI library.
const PACKAGES: &[(&str, Option<&str>)] = &[
    ("meshwright-runtime", None),
    ("meshwright-jit", None),
    ("meshwright-kernels", None),
    ("meshwright-mpi", Some("mpi")),
    ("meshwright-pjrt", None),
    // The border to C from both sides: who calls plugins, and one.
    ("meshwright-pjrt-plugin", None),
    ("meshwright-cpu", None),
];

/// Flags must not reach build scripts and macros: they are for a named host.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// A library that a test loads finds the sanitizer in the test: it has to be among what that exports.
const FLAGS: &str = "-Zsanitizer=address -Clink-arg=-rdynamic";

/// Crews of workers live as long as the process, which is no leak; neither is what MPI keeps. An allocation that is too
/// large is an error, not an end. To note how each allocation came about takes most of the time: five callers are
/// enough to find it.
const OPTIONS: &str = "detect_leaks=0:allocator_may_return_null=1:malloc_context_size=5";

pub fn sanitize(root: &Path, args: &[String]) -> bool {
    let there = |(package, feature): &&(&str, Option<&str>)| {
        let is_there = feature.is_none() || has_mpi();
        if !is_there {
            eprintln!("# SKIPPED: {package} (no mpicc)");
        }
        is_there
    };
    PACKAGES.iter().filter(there).all(|(package, feature)| tested(root, package, *feature, args))
}

fn has_mpi() -> bool {
    let asked = Command::new("mpicc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

fn tested(root: &Path, package: &str, feature: Option<&str>, args: &[String]) -> bool {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(["test", "--target", HOST, "--target-dir"]).arg(root.join("target/sanitize"));
    command.args(["--package", package, "--lib", "--tests"]);
    command.args(feature.map(|feature| ["--features", feature]).into_iter().flatten());
    command.args(args).current_dir(root);
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", FLAGS).env("ASAN_OPTIONS", OPTIONS);
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("# cannot start cargo: {error}");
            false
        }
    }
}
