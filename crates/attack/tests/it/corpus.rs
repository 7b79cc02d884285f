//! Replays the committed corpus, and holds seeds and targets against their table.

use meshwright_attack::{MOST_BYTES, TARGETS, seeds};
use meshwright_cli::allocator::Budgeted;
use std::alloc::System;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// Ends the test where a reader takes more memory than its input may.
#[global_allocator]
static ALLOCATOR: Budgeted<System> = Budgeted(System);

/// Nested input is read on a stack as deep as that of the binary.
const STACK: usize = 1 << 29;

/// Most bytes of the whole corpus, and of one of its files.
const MOST_OF_ALL: u64 = 1 << 20;
const MOST_OF_ONE: u64 = 14 << 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder(target: &str) -> PathBuf {
    root().join("fuzz/seeds").join(target)
}

/// Files of a folder by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_of_the_corpus_keeps_the_promises_of_its_reader() {
    meshwright_base::budget::set_limit(4 * MOST_BYTES);
    let replay = || {
        for target in TARGETS {
            let mut taken = 0;
            for path in files(&folder(target.name)) {
                let bytes = fs::read(&path).unwrap();
                let outcome = catch_unwind(|| (target.check)(&bytes));
                taken +=
                    usize::from(outcome.unwrap_or_else(|_| panic!("{} breaks a promise", path.display())));
            }
            assert!(taken > 0, "`{}` refuses all of its corpus", target.name);
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(replay).unwrap().join().unwrap();
}

#[test]
fn made_seeds_are_those_of_the_code() {
    let is_blessed = std::env::var_os("MESHWRIGHT_BLESS").is_some();
    for target in TARGETS {
        let folder = folder(target.name);
        if is_blessed {
            fs::create_dir_all(&folder).unwrap();
            let is_made = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("made-");
            files(&folder)
                .iter()
                .filter(|path| is_made(path))
                .for_each(|path| fs::remove_file(path).unwrap());
        }
        for (name, bytes) in seeds::make(target.name, &root()) {
            let path = folder.join(&name);
            if is_blessed {
                fs::write(&path, &bytes).unwrap();
            }
            let there = fs::read(&path).unwrap_or_default();
            let help = "run this test with MESHWRIGHT_BLESS=1";
            assert!(there == bytes, "{} is not as the code makes it: {help}", path.display());
        }
    }
}

/// The fuzzer must start from files that pass the first check of their reader.
#[test]
fn sound_seeds_are_taken_whole() {
    for target in TARGETS {
        for (name, bytes) in seeds::make(target.name, &root()) {
            let is_sound = !name.starts_with("made-refused-");
            assert_eq!((target.check)(&bytes), is_sound, "{}: {name}", target.name);
        }
    }
}

#[test]
fn the_corpus_is_small() {
    let mut total = 0;
    for target in TARGETS {
        for path in files(&folder(target.name)) {
            let size = path.metadata().unwrap().len();
            assert!(size <= MOST_OF_ONE, "{} has {size} bytes", path.display());
            total += size;
        }
    }
    assert!(total <= MOST_OF_ALL, "{total} bytes");
}

/// The targets of libFuzzer, the packages' list of them and the table are the same.
#[test]
fn each_target_has_its_program() {
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    let names: Vec<String> = TARGETS.iter().map(|target| target.name.to_string()).collect();
    let listed: Vec<String> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"targets/")?.strip_suffix(".rs\""))
        .map(str::to_string)
        .collect();
    assert_eq!(listed, names);
    for target in TARGETS {
        let program = fs::read_to_string(root().join(format!("fuzz/targets/{}.rs", target.name))).unwrap();
        assert!(
            program.contains(&format!("meshwright_fuzz::attack!(\"{}\");", target.name)),
            "{}",
            target.name
        );
        let is_there = |name: &str| root().join("fuzz").join(name).is_file();
        assert!(target.dictionary.is_none_or(is_there), "{}", target.name);
    }
}
