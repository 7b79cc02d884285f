//! One fuzz target for a while: `cargo xtask fuzz TARGET [SECONDS] [ARGUMENTS OF LIBFUZZER]`.
//!
//! Does what `cargo fuzz run` does, with the repository's own toolchain: builds `fuzz/` with counters at every branch
//! and with overflow checks, copies the small modules of `tests/` as seeds, and runs. What is found lies in
//! `fuzz/artifacts/TARGET`; the corpus grows in `fuzz/corpus/TARGET`. Neither is committed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGETS: &[&str] = &["stablehlo", "hlo", "modules", "engine"];

/// A target whose bytes are choices: no text is a seed or a word of it.
const OF_CHOICES: &str = "engine";

/// What names the instructions that the engine may use.
const VARIABLE: &str = "MESHWRIGHT_CPU";

/// Seeds larger than this make every step slow.
const LARGEST_SEED: u64 = 6 << 10;

/// What `cargo fuzz` asks rustc for, but for the address sanitizer: `cargo xtask sanitize` has that.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=4";

/// Flags must not reach build scripts and macros: they are for a named host.
const HOST: &str = "x86_64-unknown-linux-gnu";

pub fn fuzz(root: &Path, args: &[String]) -> bool {
    let Some(target) = args.first().filter(|name| TARGETS.contains(&name.as_str())) else {
        eprintln!("# say which target: {}", TARGETS.join(", "));
        return false;
    };
    let seconds = args.get(1).map_or("60", String::as_str);
    match run(root, target, seconds, args.get(2..).unwrap_or(&[])) {
        Ok(passed) => passed,
        Err(error) => {
            eprintln!("# fuzz: {error}");
            false
        }
    }
}

fn run(root: &Path, target: &str, seconds: &str, more: &[String]) -> io::Result<bool> {
    let folder = root.join("fuzz");
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--release", "--target", HOST, "--bin", target];
    if !Command::new(program).args(build).current_dir(&folder).env("RUSTFLAGS", FLAGS).status()?.success() {
        return Ok(false);
    }
    let (corpus, artifacts) = (folder.join("corpus").join(target), folder.join("artifacts").join(target));
    std::fs::create_dir_all(&artifacts)?;
    std::fs::create_dir_all(&corpus)?;
    if target != OF_CHOICES {
        seed(root, target, &corpus)?;
    }
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or(folder.join("target"), PathBuf::from);
    let binary = built.join(HOST).join("release").join(target);
    let command = || {
        let mut command = Command::new(&binary);
        command.arg(&corpus).arg(format!("-artifact_prefix={}/", artifacts.display()));
        command.arg(format!("-max_total_time={seconds}"));
        command
            .args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=8192", "-print_final_stats=1"])
            .args(more);
        command
    };
    if target != OF_CHOICES {
        let words = format!("-dict={}", folder.join("words.dict").display());
        return Ok(command().arg(words).status()?.success());
    }
    let once = |isa| io::Result::Ok(command().env(VARIABLE, isa).status()?.success());
    instructions(&binary)?.into_iter().try_fold(true, |passed, isa| Ok(once(isa)? && passed))
}

/// The sets of vector instructions that the engine can use here: it refuses the others at the first input.
fn instructions(binary: &Path) -> io::Result<Vec<&'static str>> {
    let mut there = Vec::new();
    for isa in ["portable", "avx2", "avx512", "amx"] {
        let mut command = Command::new(binary);
        // A refusal is no finding to keep.
        command.arg("-runs=0").arg(format!("-artifact_prefix={}/", std::env::temp_dir().display()));
        let empty = command.env(VARIABLE, isa).output()?;
        let is_there = !String::from_utf8_lossy(&empty.stderr).contains("this CPU has no");
        eprintln!("# {isa}: {}", if is_there { "is there" } else { "is not there" });
        there.extend(is_there.then_some(isa));
    }
    Ok(there)
}

/// Copy the small texts of the tests that a target reads.
fn seed(root: &Path, target: &str, corpus: &Path) -> io::Result<()> {
    let kinds: &[&str] = match target {
        "stablehlo" => &["mlir"],
        "hlo" => &["hlo"],
        _ => &["mlir", "hlo"],
    };
    let mut folders = vec![root.join("tests/golden"), root.join("tests/filetests")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            let is_text = path.extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known));
            if path.is_dir() {
                folders.push(path);
            } else if is_text && path.metadata()?.len() <= LARGEST_SEED {
                std::fs::copy(&path, corpus.join(seed_name(root, &path)))?;
            }
        }
    }
    Ok(())
}

/// The path with dashes between its parts.
fn seed_name(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("-")
}
