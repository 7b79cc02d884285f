//! The Python package: `cargo xtask python [ARGUMENTS OF PYTEST]` builds its native half, checks its types and runs its
//! tests; without arguments also the table of JAX functions.
//!
//! ```text
//! python/meshwright/_native.abi3.so    the native half, as cargo builds it for development
//! target/python/                       a virtual environment with what the tests need, made once
//! ```
//!
//! Where there is no Python, or pip gets nothing, that is said in a line, and nothing fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the tests need; JAX apart, as it is large, with the libraries whose models are tried.
const NEEDED: &[&str] = &["numpy", "ml_dtypes", "pytest", "mypy"];
const JAX: &[&str] = &["jax", "flax", "optax", "equinox"];

/// What is built, and under which name Python finds it.
const BUILT: &str = if cfg!(target_os = "macos") { "lib_native.dylib" } else { "lib_native.so" };
const NATIVE: &str = "python/meshwright/_native.abi3.so";

pub fn python(root: &Path, args: &[String]) -> bool {
    if !native(root) {
        return false;
    }
    let Some(python) = environment(root) else {
        eprintln!(
            "# SKIPPED: the tests of the Python package (no Python of version 3.11 or newer, or pip cannot get numpy, pytest and mypy)"
        );
        return true;
    };
    let folder = root.join("python");
    let checks: [&[&str]; 3] =
        [&["-m", "mypy"], &["-m", "mypy.stubtest", "meshwright._native"], &["-m", "pytest", "-q"]];
    let is_good = |words: &[&str]| {
        let is_test = words.contains(&"pytest");
        let own = if is_test { args } else { &[] };
        ran(Command::new(&python).current_dir(&folder).args(words).args(own))
    };
    checks.into_iter().all(is_good) && (!args.is_empty() || table(&python, &folder))
}

/// Functions and steps as people write them in JAX, partitioned here and held against one device, as a table.
fn table(python: &Path, folder: &Path) -> bool {
    !has(python, JAX)
        || ran(Command::new(python)
            .current_dir(folder)
            .env("PYTHONPATH", folder)
            .arg(Path::new("tests").join("jax").join("table.py")))
}

/// Build the native half as the rest of the workspace is built, and put it where Python looks.
fn native(root: &Path) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--quiet", "--package", "meshwright-python"];
    if !ran(Command::new(cargo).current_dir(root).args(build)) {
        return false;
    }
    let built = target(root).join("debug").join(BUILT);
    // Beside and then in its place: a Python that runs keeps what it has loaded.
    let (beside, place) = (root.join(format!("{NATIVE}.new")), root.join(NATIVE));
    let put = fs::copy(&built, &beside).and_then(|_| fs::rename(&beside, &place));
    put.inspect_err(|error| eprintln!("# {}: {error}", built.display())).is_ok()
}

/// The interpreter of an environment that has all that is needed.
fn environment(root: &Path) -> Option<PathBuf> {
    let folder = target(root).join("python");
    let python = folder.join("bin/python");
    let get =
        |what: &[&str]| quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(what));
    if !has(&python, NEEDED) {
        let new_enough = "import sys; sys.exit(sys.version_info < (3, 11))";
        let is_made = quiet(Command::new("python3").args(["-c", new_enough]))
            && quiet(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && get(NEEDED);
        if !is_made {
            return None;
        }
    }
    if !has(&python, JAX) && !get(JAX) {
        eprintln!("# SKIPPED: the tests of meshwright.jax (pip cannot get JAX)");
    }
    Some(python)
}

fn has(python: &Path, what: &[&str]) -> bool {
    quiet(Command::new(python).args(["-c", &format!("import {}", what.join(", "))]))
}

fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn quiet(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn ran(command: &mut Command) -> bool {
    eprintln!("# {command:?}");
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("# cannot start {:?}: {error}", command.get_program());
            false
        }
    }
}
