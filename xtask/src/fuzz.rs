//! Fuzz targets: `cargo xtask fuzz TARGET [SECONDS] [ARGUMENTS OF LIBFUZZER]`, `fuzz all [SECONDS]` and
//! `fuzz minimize TARGET`.
//!
//! One build makes all targets, with the repository's own toolchain, counters at every branch and overflow checks. Each
//! starts from the committed corpus in `fuzz/seeds/TARGET`, and those of texts from the small modules of `tests/` too.
//! Findings go to `fuzz/artifacts/TARGET`, and the corpus grows in `fuzz/corpus/TARGET`. Neither is committed:
//! `minimize` merges the grown corpus into the committed one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The table of targets.
const TABLE: &str = "crates/attack/src/lib.rs";

/// The target that runs once for each set of vector instructions.
const OF_CHOICES: &str = "engine";

/// Names the instructions that the engine may use.
const VARIABLE: &str = "MESHWRIGHT_CPU";

/// Seeds larger than this make every step slow.
const LARGEST_SEED: u64 = 6 << 10;

/// Limits of the files that `minimize` keeps for a target, without seeds made in code.
const LARGEST_KEPT: u64 = 4 << 10;
const MOST_KEPT: usize = 25;
const MOST_KEPT_BYTES: u64 = 40 << 10;

/// What `cargo fuzz` asks rustc for, but for the address sanitizer: `cargo xtask sanitize` has that.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=4";

/// Flags must not reach build scripts and macros: they are for a named host.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// A target of the table.
struct Target {
    name: String,
    dictionary: Option<String>,
}

/// The outcome of one target.
#[derive(Default)]
struct Outcome {
    executions: u64,
    seconds: f64,
    findings: usize,
}

pub fn fuzz(root: &Path, args: &[String]) -> bool {
    let done = targets(root).and_then(|targets| {
        let names = || targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ");
        let find =
            |name: &str| targets.iter().filter(|target| target.name == name || name == "all").collect();
        let (is_minimizing, rest) = match args.split_first() {
            Some((first, rest)) if first == "minimize" => (true, rest),
            _ => (false, args),
        };
        let chosen: Vec<&Target> = rest.first().map_or(Vec::new(), |name| find(name));
        let Some(first) = chosen.first() else {
            eprintln!("# name a target, or `all`: {}", names());
            return Ok(false);
        };
        if !build(root)? {
            return Ok(false);
        }
        if is_minimizing {
            return chosen.iter().try_for_each(|target| minimize(root, target)).map(|()| true);
        }
        let seconds = rest.get(1).map_or(Ok(60), |word| word.parse());
        let seconds = seconds.map_err(|error| io::Error::other(format!("a number of seconds: {error}")))?;
        if chosen.len() > 1 { run_all(root, &chosen, seconds) } else { run_one(root, first, seconds, rest) }
    });
    done.unwrap_or_else(|error| {
        eprintln!("# fuzz: {error}");
        false
    })
}

/// Reads the rows of the table: a name, and the file of a dictionary.
fn targets(root: &Path) -> io::Result<Vec<Target>> {
    let text = fs::read_to_string(root.join(TABLE))?;
    let table = text.split_once("pub const TARGETS").map_or("", |(_, rest)| rest);
    let table = table.split_once("\n];").map_or("", |(table, _)| table);
    let rows = table.lines().filter_map(|line| {
        let mut quoted = line.split('"').skip(1).step_by(2);
        let name = quoted.next()?.to_string();
        Some(Target { name, dictionary: quoted.find(|word| word.ends_with(".dict")).map(str::to_string) })
    });
    Ok(rows.collect())
}

/// Builds all targets at once.
fn build(root: &Path) -> io::Result<bool> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let args = ["build", "--release", "--target", HOST, "--bins"];
    let mut command = Command::new(program);
    command.args(args).current_dir(root.join("fuzz")).env("RUSTFLAGS", FLAGS).env("CARGO_INCREMENTAL", "0");
    Ok(command.status()?.success())
}

fn binary(root: &Path, target: &str) -> PathBuf {
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("fuzz/target"), PathBuf::from);
    built.join(HOST).join("release").join(target)
}

/// Folders of a target: the corpus that grows, the committed one, and findings.
fn folders(root: &Path, target: &str) -> io::Result<[PathBuf; 3]> {
    let folders = ["corpus", "seeds", "artifacts"].map(|name| root.join("fuzz").join(name).join(target));
    folders.iter().try_for_each(fs::create_dir_all)?;
    Ok(folders)
}

/// A place for the files of checks, in memory where there is such a place. Crashes leave some: it is removed with them.
struct Place(PathBuf);

impl Place {
    fn make() -> io::Result<Place> {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let place = Place(base.join(format!("meshwright-fuzz-{}", std::process::id())));
        fs::create_dir_all(&place.0)?;
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The command of a target, with its limits.
fn command(root: &Path, target: &Target, place: &Place) -> io::Result<Command> {
    let [corpus, seeds, artifacts] = folders(root, &target.name)?;
    let mut command = Command::new(binary(root, &target.name));
    command.env("TMPDIR", &place.0).stdin(Stdio::null());
    command.arg(corpus).arg(seeds).arg(format!("-artifact_prefix={}/", artifacts.display()));
    command.args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=16384", "-print_final_stats=1"]);
    if let Some(name) = &target.dictionary {
        command.arg(format!("-dict={}", root.join("fuzz").join(name).display()));
    }
    Ok(command)
}

/// The sets of instructions to run a target with: `None` is the best.
fn variants(root: &Path, target: &Target) -> io::Result<Vec<Option<&'static str>>> {
    if target.name == OF_CHOICES {
        return Ok(instructions(&binary(root, &target.name))?.into_iter().map(Some).collect());
    }
    Ok(vec![None])
}

/// Runs one target, its output on the terminal, up to its first finding.
fn run_one(root: &Path, target: &Target, seconds: u64, args: &[String]) -> io::Result<bool> {
    let place = Place::make()?;
    seed(root, target)?;
    let mut passed = true;
    for isa in variants(root, target)? {
        let mut command = command(root, target, &place)?;
        command.arg(format!("-max_total_time={seconds}")).args(args.get(2..).unwrap_or(&[]));
        command.envs(isa.map(|isa| (VARIABLE, isa)));
        passed &= command.status()?.success();
    }
    Ok(passed)
}

/// Runs targets in turn, each for its time even if it finds something, and reports a line for each.
fn run_all(root: &Path, targets: &[&Target], seconds: u64) -> io::Result<bool> {
    let place = Place::make()?;
    let mut rows = Vec::new();
    for target in targets {
        eprintln!("# {}: {seconds} s", target.name);
        let outcome = run_through(root, target, seconds, &place)?;
        let [corpus, seeds, _] = folders(root, &target.name)?;
        let size = corpus.read_dir()?.count() + seeds.read_dir()?.count();
        let speed = outcome.executions as f64 / outcome.seconds.max(1.0);
        rows.push(format!(
            "{:<14}{:>12}{speed:>10.0}{:>10}{size:>8}",
            target.name, outcome.executions, outcome.findings
        ));
        if outcome.findings > 0 {
            rows.push(format!("  in fuzz/artifacts/{}", target.name));
        }
    }
    let head =
        format!("{:<14}{:>12}{:>10}{:>10}{:>8}", "target", "executions", "a second", "findings", "corpus");
    eprintln!("{head}\n{}", rows.join("\n"));
    Ok(!rows.iter().any(|row| row.starts_with("  in ")))
}

/// One target for its whole time: it starts again after a finding. Output goes to a file beside the findings.
fn run_through(root: &Path, target: &Target, seconds: u64, place: &Place) -> io::Result<Outcome> {
    seed(root, target)?;
    let [_, _, artifacts] = folders(root, &target.name)?;
    let log = artifacts.with_extension("log");
    let variants = variants(root, target)?;
    let begun = Instant::now();
    let mut outcome = Outcome::default();
    for (at, isa) in variants.iter().enumerate() {
        let share = Duration::from_secs(seconds) * (at as u32 + 1) / variants.len() as u32;
        loop {
            let left = share.saturating_sub(begun.elapsed()).as_secs();
            if left == 0 {
                break;
            }
            let known = artifacts.read_dir()?.count();
            let mut command = command(root, target, place)?;
            command
                .arg(format!("-max_total_time={left}"))
                .stdout(Stdio::null())
                .stderr(fs::File::create(&log)?);
            command.envs(isa.map(|isa| (VARIABLE, isa)));
            let status = command.status()?;
            let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
            let executed = said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
            outcome.executions += executed.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0);
            if status.success() {
                break;
            }
            outcome.findings += 1;
            // A finding that existed before, such as that of a seed, would repeat at once.
            if artifacts.read_dir()?.count() == known {
                break;
            }
        }
    }
    outcome.seconds = begun.elapsed().as_secs_f64();
    Ok(outcome)
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

/// Copies the small texts of the tests that a target reads into its corpus.
fn seed(root: &Path, target: &Target) -> io::Result<()> {
    let kinds: &[&str] = match &*target.name {
        "stablehlo" => &["mlir"],
        "hlo" => &["hlo"],
        "modules" => &["mlir", "hlo"],
        _ => return Ok(()),
    };
    let [corpus, ..] = folders(root, &target.name)?;
    let mut folders = vec![root.join("tests/golden"), root.join("tests/filetests")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            let is_text = path.extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known));
            if path.is_dir() {
                folders.push(path);
            } else if is_text && path.metadata()?.len() <= LARGEST_SEED {
                fs::copy(&path, corpus.join(seed_name(root, &path)))?;
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

/// Replaces the committed corpus of a target by the smallest inputs that reach as much: of the grown corpus and of the
/// committed one. Seeds that are made in code (`made-*`) and inputs that once broke a promise (`found-*`) stay.
fn minimize(root: &Path, target: &Target) -> io::Result<()> {
    let place = Place::make()?;
    let [corpus, seeds, _] = folders(root, &target.name)?;
    let merged = place.0.join("merged");
    fs::create_dir_all(&merged)?;
    let mut command = Command::new(binary(root, &target.name));
    command.args(["-merge=1", "-timeout=10"]).arg(format!("-max_len={LARGEST_KEPT}"));
    command.arg(&merged).arg(&seeds).arg(&corpus).env("TMPDIR", &place.0);
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let is_kept = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("made-") || name.starts_with("found-")
    };
    let (lasting, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files(&seeds)?.into_iter().partition(|path| is_kept(path));
    let lasting: Vec<Vec<u8>> = lasting.iter().map(fs::read).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for path in files(&merged)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push((fs::read(&path)?, name));
    }
    found.retain(|(bytes, _)| !lasting.contains(bytes));
    found.sort_by_key(|(bytes, name)| (bytes.len(), name.clone()));
    others.iter().try_for_each(fs::remove_file)?;
    let (mut kept, mut total) = (0, 0);
    // Small and large ones alike: the largest reach deepest.
    for (bytes, name) in found.iter().step_by(found.len().div_ceil(MOST_KEPT).max(1)) {
        if total + bytes.len() as u64 <= MOST_KEPT_BYTES {
            total += bytes.len() as u64;
            fs::write(seeds.join(name), bytes)?;
            kept += 1;
        }
    }
    eprintln!("# {}: {} that last, {kept} of the fuzzer", target.name, lasting.len());
    Ok(())
}

/// Files of a folder by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        folder.read_dir()?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_from_their_table() {
        let found = targets(&crate::root()).unwrap();
        let row = |name: &str| found.iter().find(|target| target.name == name).unwrap();
        assert_eq!(row("hlo").dictionary.as_deref(), Some("words.dict"));
        assert_eq!(row("npz").dictionary.as_deref(), Some("readers.dict"));
        assert_eq!(row("engine").dictionary, None);
        assert!(found.len() >= 15);
    }
}
