//! Line coverage per crate: `cargo xtask coverage [CRATE..] [--lines]`.
//!
//! Builds the tests of these crates (of all, without a name) with counters into a folder of its own, and runs them. It
//! prints how many lines of each crate they reach, and with `--lines` the lines that they do not. Lines of tests do not
//! count. Processes that tests start write counters too; a process that a signal ends writes none.
//!
//! The profiles' format belongs to the compiler's LLVM: `rustup component add llvm-tools` brings its tools.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Line numbers of a file with how often each ran.
type Lines = BTreeMap<usize, u64>;

pub fn coverage(root: &Path, args: &[String]) -> bool {
    let (flags, crates): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| arg.starts_with("--"));
    if let Some(unknown) = flags.iter().find(|flag| **flag != "--lines") {
        eprintln!("# coverage has no option `{unknown}`: there is `--lines`");
        return false;
    }
    let crates: Vec<&str> = crates.iter().map(|name| name.as_str()).collect();
    match measure(root, &crates, !flags.is_empty()) {
        Ok(passed) => passed,
        Err(error) => {
            eprintln!("# coverage: {error}");
            false
        }
    }
}

fn measure(root: &Path, crates: &[&str], lists_lines: bool) -> io::Result<bool> {
    let [profdata, cov] = tools()?;
    let folder = root.join("target/coverage");
    let profiles = folder.join("profiles");
    let _ = fs::remove_dir_all(&profiles);
    fs::create_dir_all(&profiles)?;
    // Builds first, which lists the test binaries.
    let built = cargo(root, &folder, crates)
        .args(["--no-run", "--message-format=json"])
        .stderr(Stdio::inherit())
        .output()?;
    if !built.status.success() {
        return Err(io::Error::other("the tests do not build"));
    }
    let objects = executables(&String::from_utf8_lossy(&built.stdout));
    // A few files that processes merge into in turns: thousands of processes would fill the disk.
    let pattern = profiles.join("%4m.profraw");
    let passed = cargo(root, &folder, crates)
        .arg("--no-fail-fast")
        .env("LLVM_PROFILE_FILE", pattern)
        .status()?
        .success();
    let merged = folder.join("all.profdata");
    let mut merge = Command::new(profdata);
    merge.args(["merge", "-sparse", "-failure-mode=all", "-o"]).arg(&merged);
    for entry in profiles.read_dir()? {
        merge.arg(entry?.path());
    }
    run(merge)?;
    let mut export = Command::new(cov);
    export.args(["export", "-format=lcov", "-skip-functions", "-instr-profile"]).arg(&merged);
    export.args(objects.iter().flat_map(|object| ["-object".as_ref(), object.as_os_str()]));
    let found = by_crate(root, &run(export)?, crates)?;
    report(&found, lists_lines);
    if !passed {
        eprintln!("# some tests failed: see above");
    }
    Ok(passed)
}

/// The tools of the toolchain's LLVM: `llvm-profdata` and `llvm-cov`.
fn tools() -> io::Result<[PathBuf; 2]> {
    let found = run({
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--print", "target-libdir"]);
        rustc
    })?;
    let folder = Path::new(found.trim()).with_file_name("bin");
    let tools = ["llvm-profdata", "llvm-cov"]
        .map(|name| folder.join(name).with_extension(std::env::consts::EXE_EXTENSION));
    match tools.iter().find(|tool| !tool.is_file()) {
        None => Ok(tools),
        Some(missing) => Err(io::Error::other(format!(
            "`{}` is missing: run `rustup component add llvm-tools` (tools of another LLVM version cannot read the profiles)",
            missing.display()
        ))),
    }
}

fn cargo(root: &Path, folder: &Path, crates: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["test", "--lib", "--bins", "--tests", "--target-dir"]).arg(folder).current_dir(root);
    if crates.is_empty() {
        command.arg("--workspace");
    }
    for name in crates {
        command.args(["--package", &format!("meshwright-{name}")]);
    }
    command.env("RUSTFLAGS", "-Cinstrument-coverage").env("CARGO_INCREMENTAL", "0");
    // Build scripts and macros have counters, too, and would write them into the source folders.
    command.env("LLVM_PROFILE_FILE", folder.join("build.profraw")).stdin(Stdio::null());
    command
}

/// The output of a command that must succeed.
fn run(mut command: Command) -> io::Result<String> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(io::Error::other(format!("{command:?} ended with {}", output.status)))
    }
}

/// The programs of cargo's messages.
fn executables(messages: &str) -> BTreeSet<PathBuf> {
    let named = |line: &str| Some(PathBuf::from(line.split_once("\"executable\":\"")?.1.split_once('"')?.0));
    messages.lines().filter_map(named).collect()
}

/// Lines of the crates' sources by crate and path, those of tests left out.
fn by_crate(
    root: &Path,
    lcov: &str,
    crates: &[&str],
) -> io::Result<BTreeMap<String, BTreeMap<String, Lines>>> {
    let mut found: BTreeMap<String, BTreeMap<String, Lines>> = BTreeMap::new();
    for (path, mut lines) in files(lcov) {
        let Ok(path) = Path::new(&path).strip_prefix(root) else { continue };
        let name = path.display().to_string();
        let Some((of, within)) = name.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/"))
        else {
            continue;
        };
        if !crates.is_empty() && !crates.contains(&of)
            || within.ends_with("tests.rs")
            || within.contains("tests/")
        {
            continue;
        }
        let end = tests_begin(&fs::read_to_string(root.join(path))?);
        lines.retain(|line, _| *line < end);
        found.entry(of.to_string()).or_default().insert(within.to_string(), lines);
    }
    Ok(found)
}

/// Counts of lines by file, of lcov's format: `SF:` names a file, `DA:` has a line and its count.
fn files(lcov: &str) -> BTreeMap<String, Lines> {
    let mut found: BTreeMap<String, Lines> = BTreeMap::new();
    let mut path = "";
    for line in lcov.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            path = name;
        } else if let Some((number, count)) = line.strip_prefix("DA:").and_then(|row| row.split_once(',')) {
            let (Ok(number), Ok(count)) = (number.parse(), count.parse::<u64>()) else { continue };
            *found.entry(path.to_string()).or_default().entry(number).or_default() += count;
        }
    }
    found
}

/// The line where a file's tests begin.
fn tests_begin(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_start = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].contains("mod tests");
    lines.windows(2).position(is_start).map_or(usize::MAX, |at| at + 1)
}

fn report(found: &BTreeMap<String, BTreeMap<String, Lines>>, lists_lines: bool) {
    println!("| crate | lines | reached | % |\n|---|---|---|---|");
    let (mut all, mut all_reached) = (0, 0);
    for (name, files) in found {
        let lines = || files.values().flatten();
        let (count, reached) = (lines().count(), lines().filter(|(_, count)| **count > 0).count());
        println!("| `{name}` | {count} | {reached} | {:.1} |", percent(reached, count));
        (all, all_reached) = (all + count, all_reached + reached);
    }
    println!("| all | {all} | {all_reached} | {:.1} |", percent(all_reached, all));
    if !lists_lines {
        return;
    }
    for (name, files) in found {
        for (path, lines) in files {
            let missed: Vec<usize> =
                lines.iter().filter(|(_, count)| **count == 0).map(|(line, _)| *line).collect();
            if !missed.is_empty() {
                println!("crates/{name}/src/{path}: {}", ranges(&missed));
            }
        }
    }
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

/// Numbers in order as ranges: `3, 7-9`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let words = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.iter().map(ToString::to_string).collect(),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_several_programs_add_up_by_line() {
        let found = files("SF:/a.rs\nDA:1,0\nDA:2,3\nend_of_record\nSF:/b.rs\nDA:1,1\nSF:/a.rs\nDA:1,2\n");
        assert_eq!(found["/a.rs"], Lines::from([(1, 2), (2, 3)]));
        assert_eq!(found["/b.rs"], Lines::from([(1, 1)]));
    }

    #[test]
    fn tests_in_a_file_and_programs_in_messages_are_found() {
        assert_eq!(tests_begin("fn a() {}\n#[cfg(test)]\nmod tests {\n"), 2);
        assert_eq!(tests_begin("#[cfg(test)]\nuse x;\n"), usize::MAX);
        let messages = "{\"executable\":null}\n{\"a\":1,\"executable\":\"/t/it-1\",\"fresh\":true}\n";
        assert_eq!(executables(messages), BTreeSet::from([PathBuf::from("/t/it-1")]));
        assert_eq!(ranges(&[3, 7, 8, 9, 11]), "3, 7-9, 11");
    }
}
