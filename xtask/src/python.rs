//! The Python package: `cargo xtask python [ARGUMENTS OF PYTEST]` builds its wheel, checks its types and runs its
//! tests; without arguments also the table of JAX functions, random annotations of them, and the wheel as a new user
//! gets it.
//!
//! ```text
//! target/wheels/dev/                   the wheel, as cargo builds it for development, and the source distribution
//! python/meshwright/_native.abi3.so    the native half, out of that wheel
//! target/python/                       a virtual environment with what the tests need, made once
//! target/python-fresh/                 one with nothing but the wheel and what it asks for, made each time
//! ```
//!
//! Where there is no Python, or pip gets nothing, that is said in a line, and nothing fails.

use crate::steps::{Step, run_timed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the tests need; JAX apart, as it is large, with the libraries whose models are tried.
const NEEDED: &[&str] = &["numpy", "ml_dtypes", "pytest", "mypy", "maturin"];
const JAX: &[&str] = &["jax", "flax", "optax", "equinox"];

/// The native half in the wheel, and where Python finds it here.
const BUILT: &str = "meshwright/_native.abi3.so";
const NATIVE: &str = "python/meshwright/_native.abi3.so";

pub fn python(root: &Path, args: &[String]) -> bool {
    let Some(python) = environment(root) else {
        eprintln!(
            "# SKIPPED: the tests of the Python package (no Python of version 3.11 or newer, or pip cannot get numpy, pytest, mypy and maturin)"
        );
        return cargo(root, &["check", "--quiet", "--package", "meshwright-python"]);
    };
    let folder = root.join("python");
    let Some(wheel) = wheel(root, &python, &folder) else { return false };
    let run = |words: &[&str]| ran(Command::new(&python).current_dir(&folder).args(words));
    let is_whole = args.is_empty();
    let tests: Vec<&str> =
        ["-m", "pytest", "-q"].into_iter().chain(args.iter().map(String::as_str)).collect();
    let steps: [Step<'_>; 6] = [
        ("types of the package", &|| run(&["-m", "mypy"])),
        ("types of its native half", &|| run(&["-m", "mypy.stubtest", "meshwright._native"])),
        ("pytest", &|| run(&tests)),
        ("wheel as installed", &|| fresh(root, &folder, &wheel)),
        ("source distribution", &|| sources(root, &python, &folder)),
        ("functions of JAX", &|| functions(&python, &folder)),
    ];
    run_timed("python", if is_whole { &steps } else { &steps[..3] })
}

/// Functions and steps as people write them in JAX, partitioned here and held against one device: as they are, as a
/// table, and some of them under random annotations.
fn functions(python: &Path, folder: &Path) -> bool {
    let run = |script: &str, args: &[&str]| {
        ran(Command::new(python)
            .current_dir(folder)
            .env("PYTHONPATH", folder)
            .arg(Path::new("tests").join("jax").join(script))
            .args(args))
    };
    !has(python, JAX) || (run("table.py", &[]) && run("variety.py", &["--seeds", "0:1", "--share", "3"]))
}

/// Build the wheel as the rest of the workspace is built, and put its native half where Python looks.
fn wheel(root: &Path, python: &Path, folder: &Path) -> Option<PathBuf> {
    let out = target(root).join("wheels").join("dev");
    // An older one of another version would be taken for this one.
    let _ = fs::remove_dir_all(&out);
    if !maturin(python, folder, &["build", "--quiet", "--profile", "dev"], &out) {
        return None;
    }
    let wheel = only(&out, "whl")?;
    // Beside and then in its place: a Python that runs keeps what it has loaded.
    let unpacked = out.join("unpacked");
    let is_unpacked = quiet(Command::new(python).args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked));
    let (beside, place) = (root.join(format!("{NATIVE}.new")), root.join(NATIVE));
    let put = fs::copy(unpacked.join(BUILT), &beside).and_then(|_| fs::rename(&beside, &place));
    put.inspect_err(|error| eprintln!("# {}: {error}", wheel.display())).is_ok().then_some(())?;
    let size = fs::metadata(&wheel).map_or(0, |of| of.len());
    eprintln!("# {}: {size} bytes, built for development", wheel.display());
    is_unpacked.then_some(wheel)
}

/// The wheel in an environment that has nothing else, without JAX: the lines of the README, as a new user types them.
fn fresh(root: &Path, folder: &Path, wheel: &Path) -> bool {
    let place = target(root).join("python-fresh");
    let _ = fs::remove_dir_all(&place);
    let python = place.join("bin/python");
    let is_made = quiet(Command::new("python3").args(["-m", "venv"]).arg(&place))
        && quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).arg(wheel));
    if !is_made {
        eprintln!("# the wheel cannot be installed: {}", wheel.display());
        return false;
    }
    // Isolated, and elsewhere: nothing of the checkout is found.
    let script = folder.join("tests").join("as_installed.py");
    ran(Command::new(&python).current_dir(&place).arg("-I").arg(script).arg(root))
}

/// The source distribution has all that cargo needs to build it.
fn sources(root: &Path, python: &Path, folder: &Path) -> bool {
    let out = target(root).join("wheels").join("dev");
    if !maturin(python, folder, &["sdist"], &out) {
        return false;
    }
    let Some(archive) = only(&out, "gz") else { return false };
    let place = out.join("sources");
    let is_unpacked = quiet(Command::new(python).args(["-m", "tarfile", "-e"]).arg(&archive).arg(&place));
    let Some(inside) = fs::read_dir(&place).ok().and_then(|mut all| all.next()?.ok()) else { return false };
    let manifest = inside.path().join("crates/python/Cargo.toml");
    let hooks = inside.path().join("build_hooks/meshwright_build.py");
    if !hooks.is_file() {
        eprintln!("# the source distribution lacks its build hooks: {}", hooks.display());
        return false;
    }
    is_unpacked
        && quiet(
            Command::new(cargo_path())
                .current_dir(&place)
                .args(["metadata", "--format-version", "1", "--offline", "--manifest-path"])
                .arg(manifest),
        )
}

fn maturin(python: &Path, folder: &Path, words: &[&str], out: &Path) -> bool {
    ran(Command::new(python).current_dir(folder).args(["-m", "maturin"]).args(words).arg("--out").arg(out))
}

/// The one file of a folder whose name ends so.
fn only(folder: &Path, extension: &str) -> Option<PathBuf> {
    let paths = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut fitting = paths.filter(|path| path.extension().is_some_and(|of| of == extension));
    fitting.next().filter(|_| fitting.next().is_none())
}

fn cargo(root: &Path, words: &[&str]) -> bool {
    ran(Command::new(cargo_path()).current_dir(root).args(words))
}

fn cargo_path() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
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
