//! `score` on files made here. `peers/scores.py` holds the numbers against sacreBLEU's.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-score-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("temporary folders can be made");
    path
}

fn score(place: &PathBuf, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.arg("score").args(args).current_dir(place).output().expect("the binary runs")
}

const REFERENCE: &str = "The cat is sitting on the mat.\nIt works, doesn't it?\n";

#[test]
fn systems_are_rows_with_the_scores_of_sacrebleu() {
    let place = folder("rows");
    fs::write(place.join("reference"), REFERENCE).unwrap();
    fs::write(place.join("same"), REFERENCE.trim_end()).unwrap();
    fs::write(place.join("near"), "The cat sat on the mat.\r\nIt works, doesn't it?\r\n").unwrap();
    fs::write(place.join("nothing"), "\n\n").unwrap();
    let ended = score(&place, &["reference", "same", "near", "nothing"]);
    let said = String::from_utf8(ended.stdout).unwrap();
    for row in [
        "same     100.00  100.00  100.0 100.0 100.0 100.0    1.000        14\n",
        "near      67.82   71.32 ",
        "nothing    0.00    0.00    0.0   0.0   0.0   0.0    0.000         0\n",
        "reference: reference, 2 lines, 14 words\n",
        "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
    ] {
        assert!(said.contains(row), "{row}\n{said}");
    }
    let told: serde_json::Value =
        serde_json::from_slice(&score(&place, &["reference", "near", "--json"]).stdout).unwrap();
    let bleu = told["systems"][0]["bleu"].as_f64().unwrap();
    assert!((bleu - 67.816).abs() < 1e-3, "{told}");
    assert_eq!(told["lines"], 2);
}

#[test]
fn what_cannot_be_scored_is_told_with_numbers() {
    let place = folder("bad");
    for (name, bytes) in [
        ("reference", REFERENCE.as_bytes()),
        ("short", b"one\n"),
        ("empty", b""),
        ("latin", b"The caf\xe9\nIt works\n"),
        ("zeros", b"a\0b\nc\n"),
    ] {
        fs::write(place.join(name), bytes).unwrap();
    }
    let cases = [
        (&["reference", "short"][..], 1, "`short` has 1 lines, and the reference `reference` has 2"),
        (&["reference", "empty"], 1, "`empty` has no lines"),
        (&["empty", "reference"], 1, "`empty` has no lines"),
        (&["reference", "latin"], 1, "`latin` is not UTF-8: byte 7, on line 1, is 0xe9"),
        (&["reference", "zeros"], 1, "byte 1 is zero"),
        (&["reference", "none"], 3, "cannot read `none`"),
        (&["reference", "."], 3, "`.` is a folder"),
        (&["-", "-"], 2, "`-` stands 2 times"),
        (&["reference"], 2, "TRANSLATIONS"),
    ];
    for (args, code, message) in cases {
        let ended = score(&place, args);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(message), "{args:?}: {said}");
        assert!(code == 2 || said.contains("help: "), "{args:?}: {said}");
    }
}
