//! `--dump-dir` of what compiles several programs: a folder for each.

use crate::train::support::{good, place, refused};
use std::path::Path;

/// The files below a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let below = files(&entry.path()).into_iter().map(|file| format!("{name}/{file}"));
        if name == ".meshwright-dump" {
            continue;
        }
        found.extend(if entry.path().is_dir() { below.collect() } else { vec![name] });
    }
    found.sort_unstable();
    found
}

#[test]
fn each_program_of_a_command_is_written_into_a_folder_of_its_name() {
    let place = place("dumped");
    let dump = |args: &[&str], folder: &str| {
        good(&place, &[args, &["--dump-dir", folder, "--dump-after", "localize"]].concat());
        files(&place.join(folder))
    };
    let localized = |programs: &[&str]| -> Vec<String> {
        programs.iter().map(|program| format!("{program}/09-localize.mlir")).collect()
    };
    let trained = dump(&["train", "small.toml", "--steps", "2"], "a");
    assert_eq!(trained, localized(&["decode", "evaluate", "first", "likeliest", "train_step"]));
    assert_eq!(dump(&["eval", "runs/small"], "b"), localized(&["evaluate"]));
    assert_eq!(dump(&["generate", "runs/small", "--prompt", "drei"], "c"), localized(&["decode"]));
    let text = std::fs::read_to_string(place.join("a/train_step/09-localize.mlir")).unwrap();
    let source = meshwright_base::SourceText::new("a", text);
    assert!(meshwright_cli::read::read(&source).is_ok(), "it does not read back");
}

#[test]
fn where_nothing_can_be_written_no_run_begins() {
    let place = place("dumped-nowhere");
    let (code, said) = refused(&place, &["train", "small.toml", "--dump-after", "plan"]);
    assert!(code == 2 && said.contains("add `--dump-dir DIR`"), "{said}");
    std::fs::write(place.join("file"), "").unwrap();
    let (code, said) = refused(&place, &["train", "small.toml", "--dump-dir", "file"]);
    assert!(code == 3 && said.contains("cannot write `file/"), "{said}");
    assert!(!place.join("runs").exists());
}
