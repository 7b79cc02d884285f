//! Folders of other libraries where a run may stand: `generate`, `translate` and `eval`, without converting before.

use crate::train::support::{good, json, place, refused};
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
const TOLD: [&str; 12] = [
    "data.corpus=multilingual",
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
    // Neither it nor a run that was made of it has texts of its own.
    good(&place, &["convert", "hf:hf", "made"]);
    for dir in ["hf:hf", "t5x:t5x", "made"] {
        let (code, said) = refused(&place, &["eval", dir]);
        assert!(code == 2 && said.contains("error[E1216]"), "{said}");
        assert!(said.contains(&format!("`meshwright eval {dir} --set data.corpus=files")), "{said}");
    }
    std::fs::write(place.join("held.txt"), "vier Pferde\tfour horses\nzwei\ttwo\n").unwrap();
    let files = with(&["eval", "hf:hf"], &["data.corpus=files", "data.files=[\"held.txt\"]", "data.batch=8"]);
    let said = good(&place, &files);
    assert!(said.contains("\nevaluated on 2 held-out examples from `held.txt`\n"), "{said}");
    let said = good(&place, &["eval", "run"]);
    assert!(said.contains("rows from the held-out part of corpus \"multilingual\"\n"), "{said}");
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

/// A folder of NLLB-MoE with a tokenizer that has languages: letters are pieces.
fn nllb(name: &str) -> PathBuf {
    let place = place(name);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_hf/nllb-moe");
    std::fs::create_dir_all(place.join("nllb")).unwrap();
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(golden.join(file), place.join("nllb").join(file)).unwrap();
    }
    let mut names: Vec<String> = ["<s>", "<pad>", "</s>", "<unk>", "\u{2581}"].map(str::to_string).to_vec();
    names.extend(('a'..='z').chain('A'..='N').map(String::from));
    let first = names.len();
    names.extend(["deu_Latn", "eng_Latn", "fra_Latn"].map(str::to_string));
    let special = |id: usize| {
        format!(
            r#"{{"id": {id}, "content": "{}", "special": true, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false}}"#,
            names[id]
        )
    };
    let added: Vec<String> = (0..4).chain(first..names.len()).map(special).collect();
    let vocab: Vec<String> = (0..first).map(|id| format!("\"{}\": {id}", names[id])).collect();
    let text = format!(
        r#"{{"added_tokens": [{}],
            "pre_tokenizer": {{"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": true}},
            "model": {{"type": "BPE", "unk_token": "<unk>", "vocab": {{{}}}, "merges": []}}}}"#,
        added.join(", "),
        vocab.join(", ")
    );
    std::fs::write(place.join("nllb/tokenizer.json"), text).unwrap();
    std::fs::write(place.join("in.txt"), "das haus\nein baum\n").unwrap();
    let pairs: String = ('a'..='z').map(|c| format!("das haus {c}\tthe house {c}\n")).collect();
    std::fs::write(place.join("pairs.txt"), pairs).unwrap();
    place
}

#[test]
fn languages_of_a_vocabulary_are_named_wherever_a_model_decodes() {
    let place = nllb("nllb-languages");
    let spoken = ["--from", "deu_Latn", "--to", "eng_Latn"];
    let prompts = ["--prompt", "das haus", "--prompt", "ein baum", "--tokens", "8"];
    let both = |args: &[&'static str]| [args, &spoken].concat();
    let written = good(&place, &both(&[&["generate", "hf:nllb"][..], &prompts].concat()));
    let answers: Vec<&str> = written.lines().map(|line| line.split_once(" -> ").unwrap().1).collect();
    let greedy = ["translate", "hf:nllb", "in.txt", "--beam", "1", "--max-length", "8"];
    assert_eq!(good(&place, &both(&greedy)).lines().collect::<Vec<_>>(), answers);
    let beam = ["translate", "hf:nllb", "in.txt", "--max-length", "8"];
    let of_beam = json(&place, &both(&beam));
    let flat = json(&place, &both(&[&beam[..], &["--flat", "--mesh", "data=2,expert=2"]].concat()));
    assert_eq!(of_beam["translations"][0]["text"], flat["translations"][0]["text"]);
    // Another language is another token, on each side.
    let with =
        |from, to| json(&place, &[&beam[..], &["--from", from, "--to", to]].concat())["translations"].clone();
    assert_ne!(with("deu_Latn", "eng_Latn"), with("deu_Latn", "fra_Latn"));
    assert_ne!(with("deu_Latn", "eng_Latn"), with("eng_Latn", "eng_Latn"));
    let files = ["eval", "hf:nllb", "--set", "data.corpus=files", "--set", "data.files=[\"pairs.txt\"]"];
    let nll = |more: &[&'static str]| json(&place, &[&files[..], more].concat())["nll"].as_f64().unwrap();
    let expected = nll(&spoken);
    let by_fields = ["--set", "data.source_language=deu_Latn", "--set", "data.target_language=eng_Latn"];
    assert_eq!(nll(&by_fields), expected);
    assert_ne!(nll(&["--from", "eng_Latn", "--to", "deu_Latn"]), expected);
    let scored = json(&place, &both(&[&files[..], &["--bleu", "dev", "--beam", "2"]].concat()));
    assert_eq!(scored["languages"][0]["sentences"], 26);
    good(&place, &both(&["bench", "decode", "hf:nllb", "--beams", "1,2", "--lengths", "4", "--repeat", "1"]));
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn languages_that_are_missing_or_unknown_are_told_with_those_there_are() {
    let place = nllb("nllb-unknown");
    let known = "it knows deu_Latn, eng_Latn, fra_Latn";
    for args in [
        &["generate", "hf:nllb", "--prompt", "das"][..],
        &["translate", "hf:nllb", "in.txt"],
        &["eval", "hf:nllb", "--set", "data.corpus=files", "--set", "data.files=[\"pairs.txt\"]"],
    ] {
        let (code, said) = refused(&place, args);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("error[E1171]") && said.contains("which it is was not said"), "{said}");
        assert!(said.contains(&format!("name both, by `--from` and `--to`: {known}")), "{said}");
        let (_, said) = refused(&place, &[args, &["--from", "deu_Latn"]].concat());
        assert!(said.contains("which it is was not said"), "{said}");
        let (code, said) = refused(&place, &[args, &["--from", "deu_latn", "--to", "eng_Latn"]].concat());
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("`--from` is `deu_latn`, which is no language of the model"), "{said}");
        assert!(said.contains(&format!("did you mean `deu_Latn`? {known}")), "{said}");
    }
    let (_, said) = refused(&place, &["bench", "decode", "hf:nllb", "--to", "english"]);
    assert!(said.contains("`--to` is `english`, which is no language of the model"), "{said}");
    // Training does not begin without them.
    good(&place, &["convert", "hf:nllb", "run"]);
    let train = ["train", "run/config.toml", "--init-from", "hf:nllb", "--steps", "2", "--out", "tuned"];
    let data = [
        "data.corpus=files",
        "data.files=[\"pairs.txt\"]",
        "data.batch=4",
        "data.input_length=16",
        "data.target_length=16",
        "data.held_out_one_in=2",
        "optimizer.learning_rate=0.1",
    ];
    let train = with(&train, &data);
    let (_, said) = refused(&place, &train);
    assert!(said.contains("name both, in `data.source_language` and `data.target_language`"), "{said}");
    let spoken = ["data.source_language=deu_Latn", "data.target_language=eng_Latn"];
    good(&place, &with(&train, &spoken));
    // A run knows its own, and others may be asked for.
    let own = good(&place, &["translate", "tuned", "in.txt", "--beam", "1"]);
    let named = ["translate", "tuned", "in.txt", "--beam", "1", "--from", "deu_Latn", "--to", "eng_Latn"];
    assert_eq!(good(&place, &named), own);
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn who_begins_with_a_folder_is_told_in_a_line_what_was_read() {
    let place = place("foreign-begins");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_hf/t5x-v1_1");
    copy(&golden, &place.join("t5x"));
    let array = place.join("t5x/target.token_embedder.embedding");
    std::fs::remove_file(array.join("0.0")).unwrap();
    let text = std::fs::read_to_string(array.join(".zarray")).unwrap();
    std::fs::write(array.join(".zarray"), text.replace("\"fill_value\":null", "\"fill_value\":0.0")).unwrap();
    good(&place, &["convert", "t5x:t5x", "converted"]);
    let lines: String = ('a'..='z').map(|c| format!("a {c}\t{c} b\n")).collect();
    std::fs::write(place.join("in.txt"), lines).unwrap();
    let letters: Vec<String> =
        ('a'..='z').map(|c| format!("\"{c}\": {}", c as u32 - 'a' as u32 + 4)).collect();
    let text = format!(
        r#"{{"added_tokens": [], "pre_tokenizer": {{"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": true}},
            "model": {{"type": "BPE", "unk_token": "<unk>", "vocab": {{"<pad>": 0, "</s>": 1, "<unk>": 2, "\u2581": 3, {}}},
            "merges": []}}}}"#,
        letters.join(", ")
    );
    std::fs::write(place.join("t5x/tokenizer.json"), text).unwrap();
    let args = ["train", "converted/config.toml", "--init-from", "t5x:t5x", "--steps", "1", "--out", "run"];
    let sets = [
        "data.corpus=files",
        "data.files=[\"in.txt\"]",
        "data.batch=4",
        "data.input_length=16",
        "data.target_length=16",
        "data.held_out_one_in=2",
    ];
    let output = crate::train::support::meshwright(&place, &with(&args, &sets));
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("weights of `t5x:t5x`")).unwrap_or_default();
    let filled = "`token_embedder/embedding` lacks 1 of its 6 chunks, which hold its `fill_value`: 0";
    assert!(line.contains("t5x: ") && line.contains(filled) && line.contains(": took "), "{said}");
    assert!(said.contains("the vocabulary is that of `t5x/tokenizer.json`"), "{said}");
    std::fs::remove_dir_all(place).unwrap();
}

/// A folder with folders.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        let into = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &into);
        } else {
            std::fs::copy(&entry, into).unwrap();
        }
    }
}

fn tokenizer(folder: &Path) -> PathBuf {
    let mut all = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    all.find(|path| path.to_string_lossy().contains("tokenizer") || path.ends_with("spiece.model")).unwrap()
}

#[test]
fn a_run_that_was_given_its_tokenizer_gives_it_on() {
    let place = trained("given");
    let tokenizer = ["data.tokenizer=run/tokenizer.model", "model.decoder_only=false", "data.task=translate"];
    let small = std::fs::read_to_string(place.join("small.toml")).unwrap();
    std::fs::write(place.join("tuned.toml"), small.replace("vocabulary = 400\n", "")).unwrap();
    let args = ["train", "tuned.toml", "--steps", "2", "--out", "tuned", "--mesh", "expert=1"];
    good(&place, &with(&args, &[&tokenizer[..], &["data.input_length=16"]].concat()));
    assert!(!place.join("tuned/tokenizer.model").exists());
    let said = good(&place, &["convert", "tuned", "hf:tuned-hf"]);
    assert!(said.contains("spiece.model"), "{said}");
    let bytes = |file: &str| std::fs::read(place.join(file)).unwrap();
    assert_eq!(bytes("tuned-hf/spiece.model"), bytes("run/tokenizer.model"));
    good(&place, &["generate", "hf:tuned-hf", "--prompt", "vier", "--tokens", "2"]);
    std::fs::write(place.join("run/tokenizer.model"), bytes("tuned-hf/spiece.model").repeat(2)).unwrap();
    let (_, said) = refused(&place, &["convert", "tuned", "hf:other"]);
    assert!(said.contains("has changed since the checkpoint"), "{said}");
    std::fs::remove_file(place.join("run/tokenizer.model")).unwrap();
    let (_, said) = refused(&place, &["convert", "tuned", "hf:other"]);
    assert!(said.contains("cannot read the run's tokenizer `run/tokenizer.model`"), "{said}");
    assert!(!place.join("other").exists());
    std::fs::remove_dir_all(&place).unwrap();
}
