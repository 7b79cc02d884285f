//! A run from its first step to text from the model.

use crate::train::support::{good, json, losses, place};

#[test]
fn a_model_is_trained_evaluated_and_writes() {
    let place = place("whole");
    let done = json(&place, &["train", "small.toml", "--steps", "20"]);
    assert_eq!((&done["is_done"], &done["steps"]), (&true.into(), &20.into()));
    assert!(done["samples"][0]["prompt"].as_str().is_some_and(|prompt| !prompt.is_empty()), "{done}");
    let tokens = |name: &str| done["samples"][0][name].as_u64().unwrap();
    assert!(tokens("tokens") > 0 && tokens("tokens_right") <= tokens("tokens"), "{done}");
    let run = place.join("runs/small");
    let names = ["config.toml", "tokenizer.model", "metrics.jsonl", "report.md", "curve.svg", "tensorboard"];
    for name in names.into_iter().chain(["checkpoints"]) {
        assert!(run.join(name).exists(), "{name}");
    }
    let report = std::fs::read_to_string(run.join("report.md")).unwrap();
    for words in [
        "All 20 steps are done",
        "![loss over steps](curve.svg)",
        "held-out NLL",
        "## What it writes",
        "| `block_1` |",
        "tokens | ",
        "The other 18 parameters are whole on every device.",
        "| `block_*.moe.wi` | expert=4 expert_model=16 expert_hidden=32 | 2x16x32 | expert over expert |",
        "| all-to-all |",
        "[train]\nsteps = 20",
        "--resume runs/small --steps 40",
    ] {
        assert!(report.contains(words), "{words}\n{report}");
    }
    assert_eq!(losses(&run).len(), 20);
    let metrics = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let last: serde_json::Value = serde_json::from_str(metrics.lines().last().unwrap()).unwrap();
    assert_eq!(last["eval_nll"], done["eval_nll"], "the last step has its evaluation");
    assert!(last["learning_rate"].as_f64().is_some_and(|rate| rate > 0.0), "{last}");
    let parts = done["parts"].as_array().unwrap();
    assert!(parts.len() >= 2, "{done}");
    for part in parts {
        let (name, nll) = (part["name"].as_str().unwrap(), part["nll"].as_f64().unwrap());
        assert_eq!(last[format!("eval_nll/{name}")].as_f64(), Some(nll));
        assert!(report.contains(&format!("| {name} | {nll:.4} |")), "{name}\n{report}");
    }
    let there = json(&place, &["eval", "runs/small"]);
    assert_eq!(there["parts"].as_array().unwrap().len(), parts.len());
    let (nll, trained) = (there["nll"].as_f64().unwrap(), done["eval_nll"].as_f64().unwrap());
    assert!((nll - trained).abs() < 1e-6, "{nll} {trained}");
    let more = json(&place, &["eval", "runs/small", "--mesh", "data=2,expert=2", "--batches", "5"]);
    assert!((more["nll"].as_f64().unwrap() - nll).abs() < 1.0);
    let greedy = ["generate", "runs/small", "--prompt", "drei =", "--tokens", "8"];
    assert_eq!(good(&place, &greedy), good(&place, &greedy));
    assert!(good(&place, &greedy).starts_with("drei ="), "{}", good(&place, &greedy));
    let drawn = |seed: &str| good(&place, &[&greedy[..], &["--temperature", "2", "--seed", seed]].concat());
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
}

#[test]
fn a_run_ends_with_what_to_do_next_and_its_weights_are_exported_whole() {
    let place = place("next");
    let said = good(&place, &["train", "small.toml", "--steps", "2"]);
    let next = said.split_once("next:\n").unwrap().1;
    let told: Vec<&str> = next.lines().map(|line| line.split_once("/meshwright ").unwrap().1).collect();
    let begins = ["generate runs/small --prompt '", "train --resume runs/small --steps 4", "eval runs/small"];
    assert!(
        told.len() == 3 && told.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)),
        "{said}"
    );
    let written = good(&place, &["export", "runs/small", "-o", "model.safetensors"]);
    let file = std::fs::read(place.join("model.safetensors")).unwrap();
    let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&file[8..8 + length]).unwrap();
    assert_eq!(
        header["params.block_1.moe.wi"]["shape"],
        serde_json::json!([4, 16, 32]),
        "split over experts: {header}"
    );
    assert!(written.ends_with("-> model.safetensors\n"), "{written}");
    let piped = crate::train::support::meshwright(&place, &["export", "runs/small", "-o", "-"]);
    assert_eq!(piped.stdout, file, "`-` is standard output");
    assert_eq!(String::from_utf8(piped.stderr).unwrap(), written.replace("model.safetensors", "-"));
    assert!(!place.join("-").exists());
    let parts = place.join("runs/small/checkpoints/step-00000002");
    for part in std::fs::read_dir(parts).unwrap().flatten().filter(|part| part.file_name() != "index.json") {
        std::fs::write(part.path(), b"cut").unwrap();
    }
    let (code, said) =
        crate::train::support::refused(&place, &["export", "runs/small", "-o", "model.safetensors"]);
    assert_eq!((code, std::fs::read(place.join("model.safetensors")).unwrap() == file), (1, true), "{said}");
}

#[test]
fn a_second_run_of_a_name_gets_a_directory_of_its_own() {
    let place = place("second");
    for _ in 0..2 {
        good(&place, &["train", "small.toml", "--steps", "2"]);
    }
    assert_eq!(losses(&place.join("runs/small")), losses(&place.join("runs/small-2")));
}

#[test]
fn a_configuration_that_is_printed_is_one_to_train_with() {
    let place = place("printed");
    let printed = good(&place, &["train", "small.toml", "--print-config", "--set", "train.steps=2"]);
    assert!(printed.contains("# Experts per routed layer") && !place.join("runs").exists(), "{printed}");
    std::fs::write(place.join("mine.toml"), &printed).unwrap();
    good(&place, &["train", "mine.toml", "--set", "model.experts=8", "--memory-limit", "1G"]);
    assert_eq!(losses(&place.join("runs/mine")).len(), 2);
}

#[test]
fn fields_are_set_and_weights_are_taken() {
    let place = place("set");
    good(&place, &["train", "small.toml", "--steps", "10", "--out", "first"]);
    let args = ["train", "small.toml", "--steps", "2", "--set", "model.experts=8", "--init-from", "first"];
    let output = crate::train::support::meshwright(&place, &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("took 17 of 20 weights"), "{said}");
    let config = std::fs::read_to_string(place.join("runs/small/config.toml")).unwrap();
    assert!(config.contains("experts = 8") && config.contains("steps = 2"), "{config}");
}
