//! `translate` from one end of a pipe to the other, and `eval --bleu`.

use crate::train::support::{CONFIG, command, good, json, meshwright, place, refused};
use meshwright_train::data::pairs::{LanguagePairs, Origin, Sizes, write};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

/// A folder with a translator of two languages in `run`, trained for some steps.
pub fn trained(name: &str) -> PathBuf {
    let place = place(name);
    let languages = [("de", "Satz"), ("fr", "phrase")].map(|(name, word)| {
        let mut pairs = LanguagePairs::new(name);
        for n in 0..300 {
            pairs.add(Origin::Help, &format!("{word} Nummer {n}"), &format!("this is sentence {n}"));
        }
        pairs
    });
    let sizes = Sizes { test_one_in: 10, dev_one_in: 10, skew: None, seed: 1 };
    write(&place.join("corpus"), &languages, sizes, serde_json::Map::new()).unwrap();
    // Files hold as many documents as they hold.
    std::fs::write(place.join("pairs.toml"), CONFIG.replace("documents = 300\n", "")).unwrap();
    let mut args = vec!["train", "pairs.toml", "--steps", "30", "--out", "run", "--mesh", "expert=1"];
    for set in [
        "model.decoder_only=false",
        "data.task=translate",
        "data.input_length=48",
        "data.corpus=pairs",
        "data.files=[\"corpus\"]",
        "data.held_out_one_in=10",
        "data.vocabulary=340",
    ] {
        args.extend(["--set", set]);
    }
    good(&place, &args);
    place
}

/// What comes out when these bytes go in.
fn piped(place: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = command(place, args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let fed = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    fed.join().unwrap().unwrap();
    output
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_string).collect()
}

const FROM_STDIN: [&str; 5] = ["translate", "run", "-", "--from", "de"];

#[test]
fn each_line_has_its_translation_whatever_stands_beside_it() {
    let place = trained("translate");
    let sentences = ["Satz Nummer 7", "Satz Nummer 12", "Satz", "Nummer 3 Satz Nummer", "Satz Nummer 250"];
    let alone: Vec<String> = sentences
        .iter()
        .map(|one| lines(&piped(&place, &FROM_STDIN, format!("{one}\n").as_bytes()))[0].clone())
        .collect();
    assert!(alone.iter().any(|text| text.contains("sentence")), "{alone:?}");
    let long = "Wort ".repeat(10_000);
    let mut input = Vec::new();
    for (at, one) in sentences.iter().enumerate() {
        input.extend(one.as_bytes());
        input.extend(if at == 1 { &b"\r\n\n"[..] } else { b"\n" });
        if at == 2 {
            input.extend(long.as_bytes());
            input.extend(b"\nno \xff text\n");
        }
    }
    // The last line has no end.
    input.pop();
    let output = piped(&place, &FROM_STDIN, &input);
    let said = String::from_utf8_lossy(&output.stderr);
    let expected =
        [&alone[..2], &[String::new()], &alone[2..3], &[String::new(), String::new()], &alone[3..]];
    assert_eq!(lines(&output), expected.concat(), "{said}");
    assert_eq!(output.status.code(), Some(1));
    for words in [
        "line 5 is not translated: 10000 words are ",
        "line 6 is not translated: it is no UTF-8: byte 0xff at place 4",
    ] {
        assert!(said.contains(words) && said.contains("= help: "), "{said}");
    }
    std::fs::write(place.join("in.txt"), sentences.join("\n")).unwrap();
    let whole = |more: &[&str]| {
        let args = [&["translate", "run", "in.txt", "--from", "de"][..], more].concat();
        good(&place, &args).lines().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(whole(&["--batch", "2"]), alone);
    assert_eq!(whole(&["--flat"]), alone);
    assert_eq!(whole(&["--mesh", "data=2,expert=2", "--batch", "8"]), alone);
    let answers =
        json(&place, &["translate", "run", "in.txt", "--from", "de", "--flat", "--max-length", "5"]);
    assert_eq!(answers["translations"].as_array().map(Vec::len), Some(5));
    let scores = answers["translations"][0]["hypotheses"].as_array().unwrap();
    let scores: Vec<f64> = scores.iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] < 0.0, "{scores:?}");
    let greedy = good(&place, &["generate", "run", "--prompt", "<de> Satz Nummer 7"]);
    assert_eq!(greedy, format!("<de> Satz Nummer 7 -> {}\n", whole(&["--beam", "1"])[0]));
    let scarce = whole(&["--capacity", "training", "--batch", "2"]);
    assert_eq!(scarce, whole(&["--capacity", "training", "--batch", "2", "--flat"]));
}

#[test]
fn a_line_is_answered_before_the_next_is_sent_and_nobody_has_to_read_on() {
    let place = trained("stream");
    let mut child = command(&place, &FROM_STDIN).stdin(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut stdout = BufReader::new(stdout);
    let mut answer = || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        line
    };
    stdin.write_all(b"Satz Nummer 7\n").unwrap();
    let first = answer();
    stdin.write_all(b"\nSatz Nummer 7\n").unwrap();
    assert_eq!([answer(), answer()], ["\n".to_string(), first]);
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let mut child = command(&place, &FROM_STDIN).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let fed = std::thread::spawn(move || (0..5000).all(|_| stdin.write_all(b"Satz Nummer 7\n").is_ok()));
    let mut byte = [0];
    child.stdout.take().unwrap().read_exact(&mut byte).unwrap();
    assert!(child.wait().unwrap().success(), "its reader has gone");
    let _ = fed.join();
}

#[test]
fn who_cannot_translate_says_so() {
    let place = trained("no-translator");
    std::fs::write(place.join("in.txt"), "Satz\n").unwrap();
    let told = |args: &[&str], code: i32, words: &[&str]| {
        let (found, said) = refused(&place, &[&["translate"], args].concat());
        assert_eq!(found, code, "{said}");
        words.iter().for_each(|words| assert!(said.contains(words), "{words}\n{said}"));
    };
    told(
        &["run", "in.txt", "--from", "ed"],
        2,
        &["not learnt the language `ed`", "did you mean `de`?", "it knows de, fr"],
    );
    told(&["run", "in.txt"], 2, &["`--from` does not say it", "de, fr"]);
    told(&["run", "missing.txt", "--from", "de"], 3, &["missing.txt"]);
    told(&["run", "corpus", "--from", "de"], 3, &["corpus"]);
    told(&["missing", "in.txt", "--from", "de"], 1, &["holds no run"]);
    good(&place, &["train", "small.toml", "--steps", "1", "--out", "alone"]);
    told(
        &["alone", "in.txt"],
        1,
        &["`alone` is no translator: it is a decoder alone", "meshwright generate alone"],
    );
    for wrong in [["--alpha", "-1"], ["--beam", "0"], ["--beam", "1000"], ["--capacity", "much"]] {
        let args = [&["translate", "run", "in.txt", "--from", "de"][..], &wrong].concat();
        assert_eq!(meshwright(&place, &args).status.code(), Some(2), "{wrong:?}");
    }
    let (code, said) = refused(&place, &["eval", "alone", "--bleu", "dev"]);
    assert!(code == 1 && said.contains("no encoder"), "{said}");
    let (code, said) = refused(&place, &["eval", "run", "--bleu", "tset"]);
    assert!(code == 2 && said.contains("no sentences of the split `tset`"), "{said}");
}

#[test]
fn a_checkpoint_is_scored_by_language_on_sentences_held_out_and_for_testing() {
    let place = trained("bleu");
    for split in ["dev", "test"] {
        let found = json(&place, &["eval", "run", "--bleu", split, "--beam", "2", "--sentences", "8"]);
        let rows = found["languages"].as_array().unwrap();
        assert_eq!(rows.iter().map(|row| &row["language"]).collect::<Vec<_>>(), ["de", "fr"]);
        for row in rows {
            assert_eq!(row["sentences"], 8, "{row}");
            assert!(row["chrf2"].as_f64().is_some_and(|score| score > 20.0), "{row}");
        }
        // The same by the other way: translate, then score.
        let text = std::fs::read_to_string(place.join(format!("corpus/{split}/de.tsv"))).unwrap();
        let pairs: Vec<(&str, &str)> =
            text.lines().take(8).map(|line| line.split_once('\t').unwrap()).collect();
        let write =
            |name: &str, all: Vec<&str>| std::fs::write(place.join(name), all.join("\n") + "\n").unwrap();
        write("in.de", pairs.iter().map(|pair| pair.0).collect());
        write("right.en", pairs.iter().map(|pair| pair.1).collect());
        let written = good(&place, &["translate", "run", "in.de", "--from", "de", "--beam", "2"]);
        std::fs::write(place.join("out.en"), written).unwrap();
        let scores = json(&place, &["score", "right.en", "out.en"]);
        assert_eq!(scores["systems"][0]["bleu"], rows[0]["bleu"]);
        assert_eq!(scores["systems"][0]["chrf2"], rows[0]["chrf2"]);
    }
    let said = good(&place, &["eval", "run", "--bleu", "test", "--beam", "1"]);
    assert!(
        said.starts_with("step 30, split `test`: greedy, experts take all\n") && said.contains("\n  fr "),
        "{said}"
    );
}
