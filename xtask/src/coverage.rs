//! Line coverage per crate: `cargo xtask coverage [CRATE..] [--lines|--errors]`.
//!
//! Builds the tests of these crates (of all, without a name) with counters into a folder of its own, and runs them. It
//! prints how many lines and branches of each crate they reach. Those of tests do not count. Processes that tests start
//! write counters too; a process that a signal ends writes none.
//!
//! `--lines` lists the lines that no test reaches. `--errors` lists those that make an error, in the code that reads
//! untrusted bytes or checkpoints.
//!
//! The profiles' format belongs to the compiler's LLVM: `rustup component add llvm-tools` brings its tools.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Counts of a file: how often each line ran, how often a closure did by the line where it begins, and how many
/// branches of a line were taken, of how many.
#[derive(Default, Clone, PartialEq, Debug)]
struct Counts {
    lines: BTreeMap<usize, u64>,
    closures: BTreeMap<usize, u64>,
    branches: BTreeMap<usize, (u64, u64)>,
}

/// Counts by crate, then by path below its `src`.
type Crates = BTreeMap<String, BTreeMap<String, Counts>>;

/// The list below the table.
#[derive(Clone, Copy)]
enum List {
    Nothing,
    Lines,
    Errors,
}

/// Files and folders that read untrusted bytes, or read and write files of a run.
const READERS: &[&str] = &[
    "cli/src/serve",
    "cli/src/stored",
    "lab/src/corpus",
    "pjrt/src/stored",
    "runtime/src/files",
    "runtime/src/safetensors",
    "runtime/src/weights",
    "text/src",
    "train/src/anchor",
    "train/src/checkpoint",
    "train/src/config",
    "train/src/data",
    "train/src/foreign",
    "train/src/lock",
    "train/src/npz",
    "train/src/presence",
    "train/src/protobuf",
    "train/src/run/claim",
    "train/src/run/restore",
    "train/src/run/run_dir",
    "train/src/staging",
];

/// Text of lines that make an error.
const MAKERS: &[&str] =
    &["Err(", ".map_err(", ".ok_or", "Diagnostic::error(", "Failure::", "Error::new(", "Error::other("];

pub fn coverage(root: &Path, args: &[String]) -> bool {
    let (flags, crates): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| arg.starts_with("--"));
    let list = match flags.iter().map(|flag| flag.as_str()).collect::<Vec<_>>()[..] {
        [] => List::Nothing,
        ["--lines"] => List::Lines,
        ["--errors"] => List::Errors,
        _ => {
            eprintln!("# coverage takes one of `--lines` and `--errors`, not {flags:?}");
            return false;
        }
    };
    let crates: Vec<&str> = crates.iter().map(|name| name.as_str()).collect();
    match measure(root, &crates, list) {
        Ok(passed) => passed,
        Err(error) => {
            eprintln!("# coverage: {error}");
            false
        }
    }
}

fn measure(root: &Path, crates: &[&str], list: List) -> io::Result<bool> {
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
    export.args(["export", "-format=lcov", "-instr-profile"]).arg(&merged);
    export.args(objects.iter().flat_map(|object| ["-object".as_ref(), object.as_os_str()]));
    let found = by_crate(root, &run(export)?, crates)?;
    report(&found);
    match list {
        List::Nothing => {}
        List::Lines => print_lines(&found),
        List::Errors => print_errors(root, &found)?,
    }
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
    // Counters of branches are still an unstable option.
    command.env("RUSTFLAGS", "-Cinstrument-coverage -Zcoverage-options=branch").env("RUSTC_BOOTSTRAP", "1");
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "none");
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

/// Counts of the crates' sources, those of tests left out.
fn by_crate(root: &Path, lcov: &str, crates: &[&str]) -> io::Result<Crates> {
    let mut found = Crates::new();
    for (path, mut counts) in files(lcov) {
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
        counts.lines.retain(|line, _| *line < end);
        counts.closures.retain(|line, _| *line < end);
        counts.branches.retain(|line, _| *line < end);
        found.entry(of.to_string()).or_default().insert(within.to_string(), counts);
    }
    Ok(found)
}

/// Counts by file, of lcov's format: `SF:` names a file, `FN:` has the line and the name of a function, `FNDA:` the
/// count and the name of one, `DA:` a line and its count, `BRDA:` a line, two numbers and the count of a branch.
fn files(lcov: &str) -> BTreeMap<String, Counts> {
    let mut found: BTreeMap<String, Counts> = BTreeMap::new();
    let (mut path, mut starts) = ("", BTreeMap::new());
    for line in lcov.lines() {
        let Some((kind, rest)) = line.split_once(':') else { continue };
        let pair = rest.split_once(',');
        match (kind, pair) {
            ("SF", _) => (path, starts) = (rest, BTreeMap::new()),
            ("FN", Some((line, name))) if is_closure(name) => {
                starts.extend(line.parse::<usize>().map(|line| (name, line)));
            }
            ("FNDA", Some((count, name))) => {
                let (Some(line), Ok(count)) = (starts.get(name), count.parse::<u64>()) else { continue };
                *found.entry(path.to_string()).or_default().closures.entry(*line).or_default() += count;
            }
            ("DA", Some((line, count))) => {
                let (Ok(line), Ok(count)) = (line.parse(), count.parse::<u64>()) else { continue };
                *found.entry(path.to_string()).or_default().lines.entry(line).or_default() += count;
            }
            ("BRDA", Some((line, of))) => {
                let (Ok(line), Some((_, count))) = (line.parse(), of.rsplit_once(',')) else { continue };
                let branches = found.entry(path.to_string()).or_default().branches.entry(line).or_default();
                branches.0 += u64::from(!matches!(count, "-" | "0"));
                branches.1 += 1;
            }
            _ => {}
        }
    }
    found
}

/// Whether a symbol of rustc is the code of a closure.
fn is_closure(symbol: &str) -> bool {
    symbol.starts_with("_RNC") || symbol.starts_with("_RINC")
}

/// The line where a file's tests begin.
fn tests_begin(text: &str) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let is_start = |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].contains("mod tests");
    lines.windows(2).position(is_start).map_or(usize::MAX, |at| at + 1)
}

fn report(found: &Crates) {
    println!("| crate | lines | reached, % | branches | taken, % |\n|---|---|---|---|---|");
    let row = |name: &str, [reached, lines, taken, branches]: [u64; 4]| {
        let [lines_share, branches_share] =
            [(reached, lines), (taken, branches)].map(|(part, of)| 100.0 * part as f64 / of.max(1) as f64);
        println!("| {name} | {lines} | {lines_share:.1} | {branches} | {branches_share:.1} |");
    };
    let mut all = [0; 4];
    for (name, files) in found {
        let mut sums = [0; 4];
        for counts in files.values() {
            sums[0] += counts.lines.values().filter(|count| **count > 0).count() as u64;
            sums[1] += counts.lines.len() as u64;
            sums[2] += counts.branches.values().map(|(taken, _)| taken).sum::<u64>();
            sums[3] += counts.branches.values().map(|(_, all)| all).sum::<u64>();
        }
        row(&format!("`{name}`"), sums);
        all.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
    }
    row("all", all);
}

/// Lines that no test reaches, as ranges.
fn print_lines(found: &Crates) {
    for (name, files) in found {
        for (path, counts) in files {
            let missed: Vec<usize> =
                counts.lines.iter().filter(|(_, count)| **count == 0).map(|(line, _)| *line).collect();
            if !missed.is_empty() {
                println!("crates/{name}/src/{path}: {}", ranges(&missed));
            }
        }
    }
}

/// Lines that make an error and that no test reaches, one by one.
fn print_errors(root: &Path, found: &Crates) -> io::Result<()> {
    let mut total = 0;
    for (name, files) in found {
        for (within, counts) in files {
            let path = format!("{name}/src/{within}");
            if !READERS.iter().any(|reader| path.starts_with(reader)) {
                continue;
            }
            let text = fs::read_to_string(root.join("crates").join(&path))?;
            for (number, line) in unreached_errors(&text, counts) {
                println!("crates/{path}:{number}: {}", line.trim());
                total += 1;
            }
        }
    }
    println!("{total} lines of readers make an error that no test reaches");
    Ok(())
}

/// The lines of a file that make an error, if neither the line nor a closure that begins there ran.
fn unreached_errors<'a>(text: &'a str, counts: &Counts) -> Vec<(usize, &'a str)> {
    let numbered = (1..).zip(text.lines());
    let is_unreached =
        |number: &usize| counts.lines.get(number) == Some(&0) || counts.closures.get(number) == Some(&0);
    numbered
        .filter(|(number, line)| is_unreached(number) && MAKERS.iter().any(|maker| line.contains(maker)))
        .collect()
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
        assert_eq!(found["/a.rs"].lines, BTreeMap::from([(1, 2), (2, 3)]));
        assert_eq!(found["/b.rs"].lines, BTreeMap::from([(1, 1)]));
        let found = files("SF:/a.rs\nBRDA:7,0,0,2\nBRDA:7,0,1,0\nBRDA:7,1,0,-\n");
        assert_eq!(found["/a.rs"].branches, BTreeMap::from([(7, (1, 3))]));
    }

    #[test]
    fn an_error_in_a_closure_that_never_ran_is_unreached() {
        let text = "let size = size.ok_or_else(|| bad())?;\nif size > 3 {\n    return Err(bad());\n}\n\
                    let name = name.map_err(|_| bad())?;\n";
        let lcov = "SF:/a.rs\nFN:1,_RNCa\nFN:5,_RNCb\nFN:1,_RNvc\nFNDA:0,_RNCa\nFNDA:2,_RNCb\nFNDA:9,_RNvc\n\
                    DA:1,9\nDA:2,9\nDA:3,0\nDA:4,9\nDA:5,9\n";
        let numbers: Vec<usize> =
            unreached_errors(text, &files(lcov)["/a.rs"]).into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 3]);
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
