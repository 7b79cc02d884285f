//! Fault loops: the n-th write, sync, rename, open, removal, new directory and mapping of memory fails, for
//! every n until
//! a command meets no fault any more; and the process is killed at each write and rename.
//!
//! After each fault the process has ended with a diagnostic, nothing half-written has a final name, and the
//! same command
//! without a fault gives the bytes of an undisturbed one. `crates/faults` makes the calls fail, in the binary as it is.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![expect(clippy::print_stdout, reason = "a test that walks says how far it came")]

use crate::train::support::losses;
use meshwright_train::checkpoint::Checkpoint;
use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const EIO: &str = "5";
const ENOMEM: &str = "12";
const ENOSPC: &str = "28";
const ENOLCK: &str = "37";
/// The process ends there.
const KILL: &str = "kill";

/// Files by their paths, with their bytes.
type Files = BTreeMap<String, Vec<u8>>;

/// A command to walk through with faults.
struct Scenario {
    name: &'static str,
    /// Makes the inputs of the command.
    prepare: fn(&Path),
    /// The command in the state that an earlier one left.
    next: fn(&Path) -> Vec<String>,
    /// Its outputs, below the place.
    made: &'static [&'static str],
}

fn library(name: &str) -> PathBuf {
    let found = std::env::current_exe().unwrap().with_file_name(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"));
    assert!(found.is_file(), "{} is not there", found.display());
    found
}

fn repository() -> PathBuf {
    std::fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_string).collect()
}

fn binary(place: &Path, args: &[String]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.args(args).current_dir(place).env("MESHWRIGHT_PJRT_PLUGIN", library("meshwright_pjrt_plugin"));
    command.stdin(Stdio::null());
    command
}

fn run(place: &Path, args: &[String]) {
    let output = binary(place, args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs with a fault. Returns whether it was met.
fn faulty(place: &Path, args: &[String], fault: &str) -> (Output, bool) {
    let mark = place.with_extension("mark");
    let _ = std::fs::remove_file(&mark);
    let mut command = binary(place, args);
    command.env("LD_PRELOAD", library("meshwright_faults")).env("MESHWRIGHT_FAULT", fault);
    command.env("MESHWRIGHT_FAULT_ROOT", place).env("MESHWRIGHT_FAULT_MARK", &mark);
    (command.output().unwrap(), mark.exists())
}

/// Collects the outputs of a command so far. Times differ from run to run: metrics are compared by steps and losses,
/// and reports by their presence.
fn collect_outputs(scenario: &Scenario, place: &Path) -> Files {
    let mut files = Files::new();
    scenario.made.iter().for_each(|made| add(place, &place.join(made), &mut files));
    files
}

fn add(place: &Path, path: &Path, files: &mut Files) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap().flatten();
        entries.for_each(|entry| add(place, &entry.path(), files));
    } else if path.is_file() {
        let name = path.strip_prefix(place).unwrap().display().to_string();
        let bytes = match path.file_name().unwrap().to_str().unwrap() {
            "metrics.jsonl" => format!("{:?}", losses(path.parent().unwrap())).into_bytes(),
            "report.md" | "report.html" => Vec::new(),
            _ => std::fs::read(path).unwrap(),
        };
        files.insert(name, bytes);
    }
}

/// Whether a name says that its file is not whole.
fn is_unfinished(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') || part.ends_with(".partial") || part.ends_with(".part"))
}

/// Nothing with a final name is half-written: files are those of the undisturbed command, and checkpoints that it has
/// removed by its end are whole.
fn check_final_names(place: &Path, (found, expected): (&Files, &Files), is_exact: bool, at: &str) {
    for (path, bytes) in found.iter().filter(|(path, _)| !is_unfinished(path)) {
        if path.ends_with("metrics.jsonl") || !is_exact && !path.contains("/step-") {
            continue;
        }
        match expected.get(path).filter(|_| is_exact) {
            Some(whole) => assert!(whole == bytes, "{at}: `{path}` is neither absent nor whole"),
            None => {
                let checkpoint = Path::new(path).parent().unwrap();
                assert!(checkpoint.to_string_lossy().contains("/step-"), "{at}: `{path}` is unknown");
                let mut checkpoint = Checkpoint::open(&place.join(checkpoint)).unwrap();
                checkpoint.verify().unwrap();
            }
        }
    }
}

fn clear(scenario: &Scenario, place: &Path) {
    for made in scenario.made {
        let path = place.join(made);
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
    for entry in std::fs::read_dir(place).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if is_unfinished(&name) {
            let path = entry.path();
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
}

/// Walks through the faults of one kind. Returns how many there are.
fn walk(scenario: &Scenario, kind: &str, fault: &str) -> usize {
    let root = std::env::temp_dir();
    let place =
        root.join(format!("meshwright-faults-{}-{}-{kind}-{fault}", std::process::id(), scenario.name));
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    (scenario.prepare)(&place);
    run(&place, &(scenario.next)(&place));
    let expected = collect_outputs(scenario, &place);
    assert!(
        !expected.is_empty() && !expected.keys().any(|path| is_unfinished(path)),
        "{:?}",
        expected.keys()
    );
    // Without memory for machine code the engine takes loops that round otherwise in the last bits.
    let is_exact = kind != "mmap" || scenario.name != TRAINING.name;
    let mut retried = BTreeSet::new();
    for nth in 1.. {
        clear(scenario, &place);
        let (output, was_met) = faulty(&place, &(scenario.next)(&place), &format!("{kind}:{nth}:{fault}"));
        let said = String::from_utf8_lossy(&output.stderr);
        let at = format!("{} with {kind} {nth} ({fault})", scenario.name);
        let code = output.status.code();
        let is_killed = fault == KILL && was_met;
        assert!(matches!(code, Some(0..=3)) || is_killed, "{at}: {code:?}: {said}");
        assert!(code == Some(0) || said.contains("error[E") || is_killed, "{at}: {said}");
        let found = collect_outputs(scenario, &place);
        check_final_names(&place, (&found, &expected), is_exact, &at);
        if !was_met {
            assert!(found == expected, "{at}");
            let _ = std::fs::remove_dir_all(&place);
            return nth - 1;
        }
        let mut left = found;
        if code != Some(0) {
            // A retry depends on the files alone, so each state is tried once.
            if !retried.insert(left) {
                continue;
            }
            run(&place, &(scenario.next)(&place));
            left = collect_outputs(scenario, &place);
        }
        // A file that could not be removed is still there.
        left.retain(|path, _| kind != "unlink" || !is_unfinished(path));
        assert!(left == expected || !is_exact, "{at}, then in peace: {:?}", apart(&left, &expected));
    }
    unreachable!("a command has an end")
}

fn apart(found: &Files, expected: &Files) -> Vec<String> {
    let all: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    all.into_iter().filter(|path| found.get(*path) != expected.get(*path)).cloned().collect()
}

const KINDS: [(&str, &str); 9] = [
    ("write", ENOSPC),
    ("fsync", EIO),
    ("rename", EIO),
    ("open", EIO),
    ("unlink", EIO),
    ("mkdir", ENOSPC),
    ("mmap", ENOMEM),
    ("write", KILL),
    ("rename", KILL),
];

fn walk_all(scenario: &Scenario) {
    for (kind, fault) in KINDS {
        let points = walk(scenario, kind, fault);
        println!("{}: {points} faults of {kind} ({fault})", scenario.name);
    }
}

fn small(place: &Path) {
    std::fs::copy(repository().join("tests/diagnostics/small.toml"), place.join("small.toml")).unwrap();
}

const SETS: &str = "--threads 1 --set checkpoint.every=1 --set checkpoint.keep=1 --set checkpoint.background=false \
                    --set metrics.tensorboard=";

const TRAINING: Scenario = Scenario {
    name: "train",
    prepare: small,
    next: |place| {
        let begun = place.join("run/config.toml").is_file();
        let how = if begun { "--resume run" } else { "--out run" };
        words(&format!("train small.toml {how} {SETS}"))
    },
    made: &["run"],
};

fn train_briefly(place: &Path) {
    small(place);
    run(place, &words("train small.toml --out run --threads 1"));
}

const EXPORT: Scenario = Scenario {
    name: "export",
    prepare: train_briefly,
    next: |_| words("export run -o weights.safetensors"),
    made: &["weights.safetensors"],
};

fn folder(place: &Path) {
    let (from, to) = (repository().join("tests/golden_hf/t5"), place.join("t5"));
    std::fs::create_dir(&to).unwrap();
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
}

const CONVERT: Scenario =
    Scenario { name: "convert", prepare: folder, next: |_| words("convert hf:t5 run"), made: &["run"] };

fn run_of_folder(place: &Path) {
    folder(place);
    run(place, &words("convert hf:t5 run"));
}

const CONVERT_BACK: Scenario = Scenario {
    name: "convert-back",
    prepare: run_of_folder,
    next: |_| words("convert run hf:back"),
    made: &["back"],
};

fn module(place: &Path) {
    let module = repository().join("docs/pictures/ten-lines.mlir");
    std::fs::copy(module, place.join("step.mlir")).unwrap();
}

const STORED: Scenario = Scenario {
    name: "stored",
    prepare: module,
    next: |_| words("compile step.mlir --save step.program"),
    made: &["step.program"],
};

/// A test for each kind, which run side by side.
macro_rules! training {
    ($($name:ident: $kind:literal, $fault:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let points = walk(&TRAINING, $kind, $fault);
                println!("train: {points} faults of {} ({})", $kind, $fault);
                assert!(points > 0);
            }
        )*
    };
}

training! {
    no_write_that_fails_loses_a_byte_of_a_training: "write", ENOSPC;
    no_sync_that_fails_loses_a_byte_of_a_training: "fsync", EIO;
    no_rename_that_fails_loses_a_byte_of_a_training: "rename", EIO;
    no_open_that_fails_loses_a_byte_of_a_training: "open", EIO;
    no_removal_that_fails_loses_a_byte_of_a_training: "unlink", EIO;
    no_directory_that_cannot_be_made_loses_a_byte_of_a_training: "mkdir", ENOSPC;
    no_memory_that_is_missing_loses_a_byte_of_a_training: "mmap", ENOMEM;
    no_kill_at_a_write_loses_a_byte_of_a_training: "write", KILL;
    no_kill_at_a_rename_loses_a_byte_of_a_training: "rename", KILL;
}

#[test]
fn no_fault_loses_a_byte_of_what_is_exported_converted_or_stored() {
    [&EXPORT, &CONVERT, &CONVERT_BACK, &STORED].iter().for_each(|scenario| walk_all(scenario));
}

/// NFS without a lock daemon answers so.
#[test]
fn a_run_on_a_file_system_without_locks_warns_and_goes_on() {
    let place = std::env::temp_dir().join(format!("meshwright-faults-{}-locks", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    small(&place);
    let fault = format!("flock:1+:{ENOLCK}");
    let warning = "`run` cannot be locked on this file system: see that no other run writes there";
    let begin = format!("train small.toml --out run {SETS}");
    for line in [&*begin, "train --resume run --steps 4"] {
        let (output, was_met) = faulty(&place, &words(line), &fault);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(was_met && output.status.success() && said.contains(warning), "{said}");
    }
    // Old checkpoints are removed, although a reader could not be noticed.
    let names = std::fs::read_dir(place.join("run/checkpoints")).unwrap().flatten();
    let names: Vec<_> = names.map(|entry| entry.file_name()).filter(|name| *name != ".lock").collect();
    assert_eq!(names, ["step-00000004"]);
    for line in ["eval run", "export run -o weights.safetensors"] {
        let (output, _) = faulty(&place, &words(line), &fault);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_lock_that_fails_for_another_reason_ends_the_run() {
    let place = std::env::temp_dir().join(format!("meshwright-faults-{}-broken-lock", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(&place).unwrap();
    small(&place);
    let (output, was_met) = faulty(&place, &words("train small.toml --out run"), &format!("flock:1:{EIO}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(was_met && output.status.code() == Some(3), "{said}");
    assert!(
        said.contains("error[E1203]: `run` cannot be the directory of a run: Input/output error"),
        "{said}"
    );
    std::fs::remove_dir_all(&place).unwrap();
}
