//! Runs that others look at, that others want too, and that were ended where it is awkward.

use crate::runs::support::{Heard, at, config, messages, on, train, whole};
use meshwright_train::data::content::DataChange;
use meshwright_train::run::{self, Claim, Ending, Start, find};

#[test]
fn a_directory_is_one_runs_at_a_time_and_may_be_read() {
    let short = config(&["train.steps=4"]);
    let (_, _, dir) = whole(&short, "one-at-a-time");
    on(&short, |host| {
        let claim = Claim::of(&dir, host).unwrap();
        let start = Start::Resume(Some(at(&dir, 4)), DataChange::Refuse);
        let said = messages(train(&config(&[]), &dir, &start, &mut Heard::default()).unwrap_err());
        assert!(said.contains(&format!("is in use by process {}", std::process::id())), "{said}");
        assert_eq!(find(&dir.root).unwrap().checkpoint, Some(at(&dir, 4)));
        drop(claim);
        Claim::of(&dir, host).unwrap();
    });
}

#[test]
fn a_run_whose_steps_are_all_done_is_evaluated_once_more() {
    let config = config(&["train.steps=4"]);
    let (first, _, dir) = whole(&config, "all-done");
    let start = Start::Resume(Some(at(&dir, 4)), DataChange::Refuse);
    let again = train(&config, &dir, &start, &mut Heard::default()).unwrap();
    assert_eq!((again.ending, again.step, again.losses.len()), (Ending::Done, 4, 0));
    assert_eq!((again.evaluation, again.samples), (first.evaluation, first.samples));
    assert_eq!(again.checkpoint, Some(at(&dir, 4)));
}

#[test]
fn a_hollow_checkpoint_is_set_aside_and_the_run_goes_on_from_the_one_before() {
    let (undisturbed, _, _) = whole(&config(&[]), "hollow-undisturbed");
    let (_, _, dir) = whole(&config(&["train.steps=8"]), "hollow");
    std::fs::remove_dir_all(at(&dir, 8)).unwrap();
    std::fs::create_dir(at(&dir, 8)).unwrap();
    let saved = find(&dir.root).unwrap();
    assert_eq!((saved.checkpoint.clone(), saved.newer), (Some(at(&dir, 4)), vec![]));
    let mut heard = Heard::default();
    let start = Start::Resume(saved.checkpoint, DataChange::Refuse);
    let resumed = train(&config(&[]), &dir, &start, &mut heard).unwrap();
    assert_eq!(resumed.losses, undisturbed.losses[4..]);
    let said = heard.notes.join("\n");
    assert!(said.contains("step-00000008` is no checkpoint any more, it has no `index.json`"), "{said}");
    assert!(dir.root.join("checkpoints/hollow-00000008").is_dir());
}

#[test]
fn what_another_run_has_written_meanwhile_is_noticed() {
    let (_, _, dir) = whole(&config(&["train.steps=8"]), "meanwhile");
    let start = Start::Resume(Some(at(&dir, 4)), DataChange::Refuse);
    let said = messages(train(&config(&[]), &dir, &start, &mut Heard::default()).unwrap_err());
    assert!(said.contains("there is a newer checkpoint now"), "{said}");
    // Elsewhere it may go on from an older one.
    let elsewhere = run::RunDir::new(dir.root.with_extension("elsewhere"));
    let outcome = train(&config(&[]), &elsewhere, &start, &mut Heard::default()).unwrap();
    assert_eq!(outcome.losses.len(), 8);
}

#[test]
fn what_a_run_leaves_that_was_killed_before_its_first_step_is_nothing() {
    let config = config(&["train.steps=1"]);
    let dir = crate::runs::support::dir("killed-early");
    let left = dir.root.join("checkpoints/.writing-00000001-0");
    std::fs::create_dir_all(&left).unwrap();
    std::fs::write(left.join("part-00000.safetensors"), "").unwrap();
    std::fs::write(dir.root.join(".lock"), "process 1, `gone`").unwrap();
    std::fs::write(dir.root.join(".writing-config.toml-0"), "").unwrap();
    train(&config, &dir, &Start::Fresh, &mut Heard::default()).unwrap();
    let hidden = |name: &String| name.starts_with('.');
    let left = meshwright_train::disk::names_in(&dir.root).unwrap();
    assert!(!left.iter().any(hidden), "{left:?}");
}
