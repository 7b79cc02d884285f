//! How runs end: at their last step, at a number that is none, and before the first step.

use crate::runs::support::{Heard, at, config, dir, messages, train, whole};
use meshwright_train::run::{Ending, OfPart, Start, find};

#[test]
fn a_run_leaves_evaluation_samples_and_its_newest_checkpoints() {
    let (outcome, heard, dir) = whole(&config(&["checkpoint.every=3", "checkpoint.keep=2"]), "whole");
    assert_eq!((outcome.ending, outcome.step, outcome.losses.len()), (Ending::Done, 12, 12));
    assert_eq!(outcome.checkpoint, Some(at(&dir, 12)));
    assert!(at(&dir, 9).is_dir() && !at(&dir, 6).exists());
    let evaluation = outcome.evaluation.unwrap();
    assert!(evaluation.nll > 1.0 && evaluation.nll < outcome.losses[0], "{evaluation:?}");
    assert!(evaluation.experts.unwrap().drop_rate < 0.9);
    // Of each language for itself: together they are the whole.
    assert!(evaluation.parts.len() > 2, "{evaluation:?}");
    let tokens: u64 = evaluation.parts.iter().map(|part| part.tokens).sum();
    assert_eq!(tokens, evaluation.tokens);
    let mean = |of: fn(&OfPart) -> f64| {
        evaluation.parts.iter().map(|part| of(part) * part.tokens as f64).sum::<f64>() / tokens as f64
    };
    assert!((mean(|part| part.nll) - evaluation.nll).abs() < 1e-5, "{evaluation:?}");
    assert!((mean(|part| part.accuracy) - evaluation.accuracy).abs() < 1e-6, "{evaluation:?}");
    let told = heard.steps.last().unwrap();
    for part in &evaluation.parts {
        assert_eq!(told.get(&format!("eval_nll/{}", part.name)), Some(part.nll));
    }
    assert_eq!(outcome.samples.len(), 7);
    assert!(outcome.samples.iter().all(|sample| !sample.prompt.is_empty() && !sample.expected.is_empty()));
    assert_eq!(heard.steps.iter().map(|one| one.step).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
}

#[test]
fn a_loss_that_is_no_number_stops_with_the_last_good_checkpoint() {
    // A rate that throws the weights out of the range of numbers soon after the first checkpoint.
    let sets =
        ["optimizer.rule=sgd", "optimizer.beta1=0", "optimizer.learning_rate=1e200", "checkpoint.every=1"];
    let (dir, mut heard) = (dir("nan"), Heard::default());
    let ended =
        train(&config(&[&sets[..], &["optimizer.clip_norm=0"]].concat()), &dir, &Start::Fresh, &mut heard);
    match ended {
        Ok(outcome) => {
            assert!(matches!(outcome.ending, Ending::BadNumber { .. }), "{:?}", outcome.ending);
            assert!(outcome.step < 12);
        }
        Err(error) => assert!(messages(error).contains("holds a NaN or an infinity")),
    }
    // Whatever is there can be gone on from.
    let saved = find(&dir.root).unwrap();
    assert!(saved.checkpoint.is_none_or(|path| path.join("index.json").is_file()));
}

#[test]
fn an_empty_corpus_is_told_before_anything_is_written() {
    let empty = std::env::temp_dir().join(format!("meshwright-empty-{}.txt", std::process::id()));
    std::fs::write(&empty, "\n\n").unwrap();
    let mut config = config(&[]);
    config.data.corpus = meshwright_train::config::Corpus::Files;
    config.data.files = vec![empty.display().to_string()];
    let dir = dir("empty");
    let said = messages(train(&config, &dir, &Start::Fresh, &mut Heard::default()).unwrap_err());
    assert!(said.starts_with("the corpus is empty"), "{said}");
    assert!(!dir.root.exists());
}

#[test]
fn a_memory_limit_that_is_too_low_is_told_before_anything_is_written() {
    let (config, dir) = (config(&[]), dir("limit"));
    let devices =
        meshwright_runtime::InProcess::new(1, Some(1), std::sync::Arc::new(meshwright_cpu::Cpu::default()));
    let gather = |shards: Vec<Vec<u8>>| Ok(Some(shards));
    let host = meshwright_train::run::Host {
        devices: &devices,
        gather: &gather,
        say: &|own| Ok(vec![own]),
        is_first: true,
        memory_limit: Some(1000),
        compile: &meshwright_train::run::compile,
    };
    let heard = &mut Heard::default();
    let claim = meshwright_train::run::Claim::of(&dir, &host).unwrap();
    let said =
        messages(meshwright_train::run::train(&config, &claim, &Start::Fresh, &host, heard).unwrap_err());
    drop(claim);
    assert!(said.contains("1000"), "{said}");
    assert!(!dir.root.exists());
}
