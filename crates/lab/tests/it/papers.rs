//! The list of the papers' items: its page is the list, and what it names is there.

use meshwright_lab::papers::{COMPUTED, SIMULATED, catalogue, constants, find, items, printed};
use meshwright_lab::studies::verdict::held_by_chance;
use meshwright_lab::studies::{Verdict, judged, studies};
use meshwright_nn::models::presets;
use meshwright_train::preset::PRESETS;
use std::collections::BTreeSet;
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

/// A second transcription of the numbers that the papers print.
const LEDGER: &str = include_str!("../../../../docs/results/data/printed.csv");

#[test]
fn every_printed_number_is_that_of_its_document() {
    let values = printed::values();
    assert!(values.len() > 180, "{}", values.len());
    assert_eq!(printed::differences(LEDGER, &values), Vec::<String>::new());
    // Every line of GSPMD's tables of steps is used.
    for [document, row, quantity, _] in printed::lines(LEDGER) {
        let is_of_steps = document.starts_with("GSPMD Table") && quantity != "slower_than_2d_percent";
        let is_used = values.iter().any(|value| value.row == row && value.quantity == quantity);
        assert!(is_used || !is_of_steps, "{document} {row} {quantity}");
    }
}

/// Whoever changes the ledger says so here, too.
#[test]
fn the_ledger_of_printed_numbers_is_the_one_that_was_read() {
    let sum = LEDGER.bytes().fold(0xcbf2_9ce4_8422_2325u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    assert_eq!((printed::lines(LEDGER).len(), format!("{sum:016x}").as_str()), (405, "86a7d017d5a9029a"));
}

fn bless(path: &Path, made: &str) {
    if std::env::var_os("MESHWRIGHT_BLESS").is_some() {
        std::fs::write(path, made).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let differs = found.lines().zip(made.lines()).find(|(found, made)| found != made);
    assert!(found == made, "{}: {differs:#?}; MESHWRIGHT_BLESS=1 writes it anew", path.display());
}

/// Every simulated row, and the pages that are made of them. A changed constant of a machine is a diff of these files.
#[test]
fn simulated_rows_and_the_pages_of_items_are_those_of_the_files() {
    let reports: Vec<_> = SIMULATED
        .iter()
        .map(|name| {
            let table = find(name).unwrap();
            (name, table.report().unwrap_or_else(|failure| panic!("{name}: {}", failure.to_text())))
        })
        .collect();
    let text: String =
        reports.iter().map(|(name, report)| format!("== {name}\n\n{}\n", report.text)).collect();
    bless(&root().join("docs/results/data/simulated.txt"), &text);

    let steps = &reports[0].1.json;
    // Intervals in use are those that the other tables ask for.
    for row in steps["coverage"].as_array().unwrap().iter().filter(|row| row["table left out"] != "all") {
        for (found, used) in [("loosened by %", "in use %"), ("peaks loosened by %", "peaks in use %")] {
            let [found, used] = [found, used].map(|name| row[name].as_f64().unwrap());
            assert!((found - used).abs() <= 0.5, "{row}");
        }
    }
    let rows = steps["rows"].as_array().unwrap();
    let tables: BTreeSet<&str> = rows.iter().filter_map(|row| row["table"].as_str()).collect();
    assert_eq!((rows.len(), tables.len()), (45, 8), "{tables:?}");

    let claims = judged(kept);
    let items = items::items(&steps["rows"], &claims);
    assert!(items.len() >= 200, "{}", items.len());
    for one in &items {
        assert!(root().join(one.file).is_file(), "{}", one.file);
        assert!(!one.state.is_empty() && !one.number.is_empty(), "{one:?}");
    }
    bless(&root().join("docs/results/items.md"), &items::page(&items));
    bless(&root().join("docs/results/headline.md"), &items::headline(&items, &claims));
}

/// A constant that a figure gave is said to be fitted on it, on the page and beside the figure.
#[test]
fn constants_are_shown_with_their_sources() {
    let page = constants::page().unwrap_or_else(|failure| panic!("{}", failure.to_text()));
    bless(&root().join("docs/results/constants.md"), &page);
    for kind in ["published spec", "measured by others", "fitted", "assumed"] {
        assert!(page.contains(&format!("| {kind}")), "{kind}");
    }
    let figure = find("gshard-figure-9").unwrap().report().unwrap_or_else(|_| panic!("it is computed"));
    assert!(figure.text.contains("does not test them: ring_share."), "{}", figure.text);
}

/// The results that a study left in the repository.
pub fn kept(study: &str) -> Option<serde_json::Value> {
    let path = root().join(format!("docs/results/switch/{study}.json"));
    let text = std::fs::read_to_string(path).ok()?;
    serde_json::from_str(&text).ok()
}

/// Of the claims that are held, and of all, at most one in twenty is held with exchanged labels.
#[test]
fn exchanged_labels_hold_at_most_one_claim_in_twenty() {
    let claims = judged(kept);
    let chance: Vec<f64> =
        claims.iter().map(|(_, one)| held_by_chance(&one.samples, &one.expected)).collect();
    for ((study, one), chance) in claims.iter().zip(&chance) {
        assert!(one.verdict != Verdict::Held || *chance <= 0.05, "{study}: {}, {chance}", one.claim);
    }
    assert!(chance.iter().sum::<f64>() / chance.len() as f64 <= 0.05);
    assert!(claims.len() > 60, "{}", claims.len());
}

/// Every file of kept results is read by a study.
#[test]
fn no_kept_result_is_read_by_nothing() {
    for entry in std::fs::read_dir(root().join("docs/results/switch")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".json");
        assert!(studies().any(|study| study.runs == name && !study.claims.is_empty()), "{name}");
    }
}
