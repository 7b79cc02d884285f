//! The list of the papers' items: its page is the list, and what it names is there.

use meshwright_lab::papers::{COMPUTED, COUNTED, SIMULATED, catalogue, constants, find, items, printed};
use meshwright_lab::studies::verdict::held_by_chance;
use meshwright_lab::studies::{Verdict, judged, studies};
use meshwright_nn::models::presets;
use meshwright_train::preset::PRESETS;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread;

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
    assert_eq!((printed::lines(LEDGER).len(), format!("{sum:016x}").as_str()), (422, "be01c93204ee0e17"));
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
    let report = |name: &str| {
        find(name).unwrap().report().unwrap_or_else(|failure| panic!("{name}: {}", failure.to_text()))
    };
    // The first two take most of the time: they begin together.
    let reports: Vec<_> = thread::scope(|scope| {
        let threads = SIMULATED.map(|name| (name, scope.spawn(move || report(name))));
        threads.into_iter().map(|(name, thread)| (name, thread.join().unwrap())).collect()
    });
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

    let of = |name: &str| &reports.iter().find(|(one, _)| *one == name).unwrap().1.json;
    check_dense_baselines(of("gshard-table-3"));
    check_blog(&of("blog-table")["rows"]);
    check_speeds(&of("switch-table-1-speed")["rows"]);

    let claims = judged(kept);
    let counted = COUNTED.map(report);
    let all = reports.iter().map(|(_, report)| report).chain(&counted);
    let tables: Vec<_> = all.filter_map(|report| report.json.get("items").cloned()).collect();
    let items = items::items(&steps["rows"], &tables, &claims);
    assert!(items.len() >= 200, "{}", items.len());
    for one in &items {
        assert!(root().join(&one.file).is_file(), "{}", one.file);
        assert!(!one.state.is_empty() && !one.number.is_empty(), "{one:?}");
    }
    bless(&root().join("docs/results/items.md"), &items::page(&items));
    bless(&root().join("docs/results/headline.md"), &items::headline(&items, &claims));
}

/// Data parallel, GShard's dense baselines are too large for a core; as the presets' pipelines they fit. By our plans
/// T(96L) costs several times MoE(2048E, 36L), and not ten times.
fn check_dense_baselines(table: &Map<String, Value>) {
    let dense = table["dense"].as_array().unwrap();
    for (model, stages) in [("gshard-t96l", 4), ("gshard-t128l", 8)] {
        let piped = presets::find(model).unwrap().pipeline.unwrap();
        assert_eq!(piped.stages, stages, "{model}");
        let fits = |stages: i64| {
            let row =
                dense.iter().find(|row| row["model"] == model && row["stages"].as_i64() == Some(stages));
            row.unwrap_or_else(|| panic!("{model} {stages}"))["fits"] == "yes"
        };
        assert!(!fits(1) && fits(stages), "{model}: {dense:?}");
    }
    let trainings = table["trainings"].as_array().unwrap();
    let last = trainings.last().unwrap();
    assert_eq!(last["model"], "gshard-t96l");
    let [paper, ours] = ["paper cost of (1)", "cost of (1)"].map(|name| last[name].as_f64().unwrap());
    assert!((paper - 10.5).abs() < 0.05 && (2.0..10.0).contains(&ours), "{paper} {ours}");
}

/// Every model of the blog with known or derived sizes meets its printed count, and its share that is activated.
fn check_blog(rows: &Value) {
    let rows = rows.as_array().unwrap();
    for (taken, count, active) in [
        ("64 layers of GSPMD's Table 2", 137.7, 100.0),
        ("the blog's 32 layers, H 9,216", 576.8, 0.23),
        ("GShard's 36 layers, H 8,192", 576.8, 0.24),
        ("64 layers, 64 experts", 1_151.3, 7.49),
    ] {
        let row = rows.iter().find(|row| row["taken for it"] == taken).unwrap();
        let [found, share] = ["parameters", "active %"].map(|name| row[name].as_f64().unwrap());
        assert!((found - count).abs() < 0.1 && (share - active).abs() < 0.01, "{row}");
    }
}

/// More room for experts makes a model slower, and so does a second expert, in the order of the paper's capacities.
fn check_speeds(rows: &Value) {
    let speed = |model: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["model"] == model);
        row.unwrap_or_else(|| panic!("{model}"))["examples/s"].as_f64().unwrap()
    };
    for factor in ["2.0", "1.25", "1.0"] {
        assert!(speed(&format!("MoE-Base {factor}")) < speed(&format!("Switch-Base {factor}")), "{factor}");
    }
    assert!(speed("Switch-Base 2.0") < speed("Switch-Base 1.25"));
    assert!(speed("Switch-Base 1.25") < speed("Switch-Base 1.0"));
    assert!(speed("T5-Large") < speed("Switch-Base 1.25") && speed("Switch-Base 1.25") < speed("T5-Base"));
}

/// GShard, Figure 2: one program for each device has as many operators as devices, one for all always as many.
#[test]
fn instructions_of_one_program_for_all_devices_are_as_many_on_any_number() {
    let report = find("gshard-figure-2").unwrap().report();
    let report = report.unwrap_or_else(|failure| panic!("{}", failure.to_text()));
    let rows = report.json["rows"].as_array().unwrap();
    let count = |at: usize, name: &str| rows[at][name].as_i64().unwrap();
    let last = rows.len() - 1;
    assert_eq!((count(0, "devices"), count(last, "devices")), (1, 2_048));
    // Two slices, a dot and a sum for each device, but for one sum.
    for at in 1..=last {
        assert_eq!(count(at, "MPMD instructions"), 4 * count(at, "devices") - 1, "{}", report.text);
        assert_eq!(count(at, "SPMD instructions"), count(1, "SPMD instructions"), "{}", report.text);
    }
    for name in ["MPMD CPU ms", "SPMD CPU ms"] {
        assert!(rows.iter().all(|row| row[name].as_f64().unwrap() > 0.0), "{name}");
    }
}

/// GSPMD 5.1: annotations of the names in a strategy's table. Completion finds the other shardings.
#[test]
fn a_table_annotates_few_tensors_of_a_layer_and_completion_finds_the_rest() {
    let report = find("gspmd-annotations").unwrap().report();
    let report = report.unwrap_or_else(|failure| panic!("{}", failure.to_text()));
    let rows = report.json["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["a layer"].as_f64() < row["with whole dims"].as_f64()), "{rows:?}");
    for row in rows {
        let number = |name: &str| row[name].as_f64().unwrap();
        assert!(number("a layer") >= 7.0 && number("a layer") <= number("with whole dims"), "{row}");
        assert!(number("% of tensors") < 5.0, "{row}");
        assert!(number("sent GB") < 1.05 * number("sent GB, whole dims"), "{row}");
        assert!(number("peak GB") < 1.05 * number("peak GB, whole dims"), "{row}");
    }
}

/// GShard, Figure 10: squares on the mesh and lines on the tree, as drawn.
#[test]
fn each_network_has_the_order_of_devices_that_the_figure_draws() {
    let report = find("gshard-figure-10").unwrap().report();
    let report = report.unwrap_or_else(|failure| panic!("{}", failure.to_text()));
    let rows = report.json["rows"].as_array().unwrap();
    let micros = |network: &str, order: &str| {
        let row = rows.iter().find(|row| row["network"] == network && row["order"] == order);
        row.unwrap()["all-reduce 8 MB us"].as_f64().unwrap()
    };
    assert!(micros("mesh", "squares") < micros("mesh", "lines"), "{}", report.text);
    assert!(micros("tree", "lines") < micros("tree", "squares"), "{}", report.text);
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
