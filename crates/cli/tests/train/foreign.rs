//! Folders of other libraries where a run may stand: `generate`, `translate` and `eval`, without converting before.

use crate::support::{good, json, place, refused};
use std::path::{Path, PathBuf};

/// A folder with a run of a Switch that was trained a little, and the same as folders of two other libraries.
fn trained(name: &str) -> PathBuf {
    let place = place(name);
    let sets =
        ["model.decoder_only=false", "data.task=translate", "data.input_length=16", "data.vocabulary=400"];
    let args = ["train", "small.toml", "--steps", "150", "--out", "run", "--mesh", "expert=1"];
    good(
        &place,
        &args.into_iter().chain(sets.into_iter().flat_map(|set| ["--set", set])).collect::<Vec<_>>(),
    );
    good(&place, &["convert", "run", "hf:hf"]);
    good(&place, &["convert", "run", "t5x:t5x"]);
    place
}

/// What a folder is told that a run knows: how long texts are, which they are, and how they are routed.
const TOLD: [&str; 11] = [
    "data.input_length=16",
    "data.target_length=16",
    "data.batch=8",
    "data.documents=300",
    "data.packing=true",
    "train.eval_batches=2",
    "model.capacity_rule=switch",
    "model.capacity_factor=1.25",
    "model.eval_capacity_factor=2.0",
    "model.route_padding=false",
    "model.group_size=32",
];

fn with<'a>(args: &[&'a str], sets: &[&'a str]) -> Vec<&'a str> {
    args.iter().copied().chain(sets.iter().flat_map(|set| ["--set", set])).collect()
}

#[test]
fn a_folder_writes_and_is_judged_as_the_run_it_was() {
    let place = trained("foreign");
    let prompts = ["--prompt", "vier Pferde", "--prompt", "deux livres", "--tokens", "8"];
    let of = |dir| [&["generate", dir][..], &prompts].concat();
    let expected = good(&place, &of("run"));
    assert!(expected.lines().all(|line| line.ends_with(char::is_alphanumeric)), "{expected}");
    for dir in ["hf:hf", "t5x:t5x"] {
        assert_eq!(good(&place, &of(dir)), expected, "{dir}");
        let on_four = [&of(dir)[..], &["--mesh", "data=2,expert=2"]].concat();
        assert_eq!(good(&place, &on_four), expected, "{dir}");
    }
    std::fs::write(place.join("in.txt"), "vier Pferde\ndeux livres\n").unwrap();
    let translated = |dir| good(&place, &["translate", dir, "in.txt"]);
    assert_eq!(translated("hf:hf"), translated("run"));
    let nll = |args: &[&str]| json(&place, args)["nll"].as_f64().unwrap();
    let expected = nll(&["eval", "run"]);
    for dir in ["hf:hf", "t5x:t5x"] {
        let found = nll(&with(&["eval", dir], &TOLD));
        assert!((found - expected).abs() < 1e-6, "{dir}: {found} {expected}");
    }
    // A run that was made of one says the same, and nothing was written beside.
    good(&place, &["convert", "hf:hf", "again"]);
    assert_eq!(good(&place, &of("again")), good(&place, &of("run")));
    let left: Vec<PathBuf> =
        place.join("hf").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_folder_without_a_tokenizer_or_with_too_large_a_one_reads_no_text() {
    let place = trained("foreign-tokenizer");
    let path = tokenizer(&place.join("hf"));
    std::fs::rename(&path, place.join("kept.model")).unwrap();
    let args = ["generate", "hf:hf", "--prompt", "vier"];
    let (code, said) = refused(&place, &args);
    assert_eq!(code, 1);
    assert!(said.contains("error[E1214]: there is no tokenizer in `hf:hf`"), "{said}");
    let named = with(&args, &["data.tokenizer=kept.model"]);
    assert_eq!(good(&place, &named), good(&place, &["generate", "run", "--prompt", "vier"]));
    let (_, said) = refused(&place, &["eval", "hf:nowhere"]);
    assert!(said.contains("cannot read `nowhere/config.json`"), "{said}");
    let (_, said) = refused(&place, &with(&args, &["data.tokenizer=kept.model", "model.d_ff=16"]));
    assert!(said.contains("model.d_ff"), "{said}");
    std::fs::remove_dir_all(place).unwrap();
}

fn tokenizer(folder: &Path) -> PathBuf {
    let mut all = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    all.find(|path| path.to_string_lossy().contains("tokenizer") || path.ends_with("spiece.model")).unwrap()
}
