//! The list of the papers' items: its page is the list, and what it names is there.

use meshwright_lab::papers::{COMPUTED, catalogue};
use meshwright_lab::studies::studies;
use meshwright_nn::models::presets;
use meshwright_train::preset::PRESETS;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// `MESHWRIGHT_BLESS=1` writes it.
#[test]
fn the_page_of_the_catalogue_is_the_list() {
    let path = root().join("docs/results/catalogue.md");
    let page = catalogue::page();
    if std::env::var_os("MESHWRIGHT_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "{} differs from `meshwright reproduce --list`: MESHWRIGHT_BLESS=1 cargo test -p meshwright-lab --test it papers::",
        path.display()
    );
}

#[test]
fn what_commands_name_is_there() {
    let trained = || studies().map(|study| study.name).chain(PRESETS.iter().map(|preset| preset.name));
    for entry in catalogue::entries() {
        for word in entry.command.split_whitespace().skip(1) {
            let is_there = match word.split_once(':') {
                Some(("preset", name)) => presets::find(name).is_some(),
                _ if word.contains('/') => root().join(word).is_file(),
                _ => true,
            };
            assert!(is_there, "{}: there is no `{word}`", entry.command);
        }
        let words: Vec<&str> = entry.command.split_whitespace().collect();
        match words[..] {
            ["meshwright", "reproduce" | "train", name] => {
                let is_computed = COMPUTED.iter().any(|table| table.name == name);
                assert!(is_computed || trained().any(|known| known == name), "`{}`", entry.command);
            }
            ["cargo", "test", "-p", name, "--test", test] => {
                let name = name.trim_start_matches("meshwright-");
                assert!(
                    root().join(format!("crates/{name}/tests/{test}.rs")).is_file(),
                    "`{}`",
                    entry.command
                );
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_computed_or_trained_is_listed() {
    let all = COMPUTED.iter().map(|table| table.name).chain(studies().map(|study| study.name));
    for name in all {
        let command = format!("meshwright reproduce {name}");
        let is_entry = catalogue::entries().any(|entry| entry.command == command);
        let is_beside = catalogue::page().contains(&format!("`{command}`"));
        assert!(is_entry || is_beside, "`{command}` is nowhere");
    }
}
