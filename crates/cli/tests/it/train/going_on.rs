//! What may change when a run goes on, and what is noticed to have changed.

use crate::train::support::{CONFIG, good, losses, meshwright, place, refused};
use std::path::Path;

const RESUME: [&str; 5] = ["train", "--resume", "run", "--steps", "8"];

fn resume<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&RESUME[..], more].concat()
}

fn steps(place: &Path) -> usize {
    losses(&place.join("run")).len()
}

#[test]
fn what_would_be_ignored_is_refused_with_its_reason() {
    let place = place("bound");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    for (set, words) in [
        (
            "data.vocabulary=300",
            "`data.vocabulary` is 400 in the run and 300 here: the vocabulary was learnt",
        ),
        ("model.init_scale=1", "it was used before the first step, and is not used again"),
        ("data.documents=200", "the place in the data is one among those texts"),
        ("train.seed=2", "the place in the data is one among those texts"),
        ("optimizer.rule=sgd", "the checkpoint has the states of the one"),
        ("checkpoint.init_from=run", "it was used before the first step"),
    ] {
        let (code, said) = refused(&place, &resume(&["--set", set]));
        assert!(code == 1 && said.contains(words) && said.contains("--> --set"), "{said}");
    }
    // A whole configuration is held against the run's as well, and points at its own lines.
    std::fs::write(place.join("other.toml"), CONFIG.replace("vocabulary = 400", "vocabulary = 401")).unwrap();
    let (_, said) = refused(&place, &["train", "other.toml", "--resume", "run"]);
    assert!(said.contains("other.toml:") && said.contains("| vocabulary = 401"), "{said}");
    let (_, said) = refused(&place, &["eval", "run", "--set", "data.vocabulary=300"]);
    assert!(said.contains("the vocabulary was learnt before the first step"), "{said}");
    assert_eq!(steps(&place), 5, "nothing was trained");
    good(&place, &resume(&["--set", "optimizer.learning_rate=0.02", "--set", "data.batch=16"]));
    assert_eq!(steps(&place), 8);
}

#[test]
fn a_text_that_changed_while_the_run_stood_still_is_noticed() {
    let place = place("changed");
    let line = |at: usize| format!("line {at} says {} and {}\n", at % 7, at % 5);
    let text: String = (0..400).map(line).collect();
    std::fs::write(place.join("a.txt"), &text).unwrap();
    let files = CONFIG.replace("documents = 300", "corpus = \"files\"\nfiles = [\"a.txt\"]");
    std::fs::write(place.join("files.toml"), files).unwrap();
    good(&place, &["train", "files.toml", "--steps", "5", "--out", "run"]);
    std::fs::write(place.join("a.txt"), format!("{text}{}", line(400))).unwrap();
    let (code, said) = refused(&place, &resume(&[]));
    let (then, now) = (text.len(), text.len() + line(400).len());
    assert_eq!(code, 1);
    for words in ["`a.txt` has changed since the checkpoint", "--data-changed ok"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(
        said.contains(&format!("{then} bytes, checksum "))
            && said.contains(&format!("{now} bytes, checksum "))
    );
    assert_eq!(steps(&place), 5);
    let output = meshwright(&place, &resume(&["--data-changed", "ok"]));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("`a.txt` has changed since the checkpoint"), "{told}");
    assert_eq!(steps(&place), 8);
    // The new one is the run's from there on, wherever it lies.
    std::fs::rename(place.join("a.txt"), place.join("b.txt")).unwrap();
    good(&place, &["train", "--resume", "run", "--steps", "9", "--set", "data.files=[\"b.txt\"]"]);
    assert_eq!(steps(&place), 9);
}

#[test]
fn a_vocabulary_that_changed_is_never_taken() {
    let place = place("tokenizer");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    good(&place, &["train", "small.toml", "--steps", "1", "--out", "other", "--set", "data.documents=200"]);
    std::fs::copy(place.join("other/tokenizer.model"), place.join("run/tokenizer.model")).unwrap();
    for args in [resume(&["--data-changed", "ok"]), vec!["eval", "run"]] {
        let (code, said) = refused(&place, &args);
        assert!(code == 1 && said.contains("the tokenizer `run/tokenizer.model`"), "{said}");
    }
}
