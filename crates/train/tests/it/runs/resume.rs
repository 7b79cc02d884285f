//! Going on: exactly on the same mesh, nearly so on another, with weights alone, and when it is refused.

use crate::runs::support::{Heard, at, config, dir, messages, train, whole};
use meshwright_train::checkpoint::{Checkpoint, Element, Region};
use meshwright_train::data::content::DataChange;
use meshwright_train::metrics::history;
use meshwright_train::run::{self, Ending, RunDir, Start};

const MESH: &str = "mesh.axes=data=2,expert=2";

/// Weights in `bf16`, with wide copies and without.
const NARROW: [&str; 2] = ["model.dtype=bf16", "model.param_dtype=bf16"];
const ALONE: [&str; 4] =
    ["model.dtype=bf16", "model.param_dtype=bf16", "optimizer.master=false", "optimizer.rule=adafactor"];

#[test]
fn a_run_that_was_asked_to_stop_goes_on_exactly() {
    for dtype in [&["model.dtype=f32"][..], &["model.dtype=bf16"], &["model.dtype=f64"], &NARROW, &ALONE] {
        let config = config(&[&[MESH, "model.dropout=0.1"], dtype].concat());
        let name = dtype.concat().replace(['=', '.'], "-");
        let (undisturbed, all, _) = whole(&config, &format!("undisturbed-{name}"));
        let dir = dir(&format!("stopped-{name}"));
        let mut first = Heard { stop_after: Some(5), ..Heard::default() };
        let outcome = train(&config, &dir, &Start::Fresh, &mut first).unwrap();
        assert_eq!((outcome.ending, outcome.step), (Ending::Asked(2), 5));
        let saved = run::find(&dir.root).unwrap();
        assert_eq!((saved.checkpoint.clone(), &saved.config), (Some(at(&dir, 5)), &saved.config.clone()));
        let mut rest = Heard::default();
        let resumed =
            train(&saved.config, &saved.dir, &Start::Resume(saved.checkpoint, DataChange::Refuse), &mut rest)
                .unwrap();
        assert_eq!([outcome.losses, resumed.losses].concat(), undisturbed.losses, "{dtype:?}");
        assert_eq!(resumed.evaluation, undisturbed.evaluation);
        assert_eq!(first.steps.len() + rest.steps.len(), all.steps.len());
    }
}

#[test]
fn a_run_goes_on_with_another_mesh_nearly_the_same() {
    let before = config(&["mesh.axes=expert=8", "train.steps=8"]);
    let (_, _, dir) = whole(&before, "other-mesh");
    let (undisturbed, _, _) = whole(&config(&["mesh.axes=expert=8"]), "other-mesh-undisturbed");
    let after = config(&["mesh.axes=data=2,expert=2"]);
    let resumed =
        train(&after, &dir, &Start::Resume(Some(at(&dir, 8)), DataChange::Refuse), &mut Heard::default())
            .unwrap();
    for (a, b) in resumed.losses.iter().zip(&undisturbed.losses[8..]) {
        assert!((a - b).abs() <= 1e-10 * b.abs(), "{a} {b}");
    }
}

#[test]
fn the_metrics_of_a_resumed_run_have_every_step_once() {
    let config = config(&["checkpoint.every=4"]);
    let dir = dir("metrics");
    let mut heard = Heard { stop_after: Some(6), ..Heard::default() };
    train(&config, &dir, &Start::Fresh, &mut heard).unwrap();
    // As after a kill: steps 5 and 6 are written and their checkpoint is not.
    std::fs::remove_dir_all(at(&dir, 6)).unwrap();
    train(&config, &dir, &Start::Resume(Some(at(&dir, 4)), DataChange::Refuse), &mut Heard::default())
        .unwrap();
    let text = std::fs::read(dir.root.join("metrics.jsonl")).unwrap();
    let steps = history(&text).into_iter().map(|line| line.step);
    assert_eq!(steps.collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
}

#[test]
fn a_run_without_a_checkpoint_begins_again() {
    let config = config(&["train.steps=3"]);
    let (undisturbed, _, dir) = whole(&config, "begins-again");
    std::fs::remove_dir_all(dir.root.join("checkpoints")).unwrap();
    let saved = run::find(&dir.root).unwrap();
    let again = train(
        &saved.config,
        &saved.dir,
        &Start::Resume(saved.checkpoint, DataChange::Refuse),
        &mut Heard::default(),
    );
    assert_eq!(again.unwrap().losses, undisturbed.losses);
}

#[test]
fn weights_are_taken_by_name_as_far_as_they_fit() {
    let (there, _, other) = whole(&config(&[]), "weights");
    let from = format!("checkpoint.init_from={}", other.root.display());
    let (dir, mut heard) = (dir("weights-taken"), Heard::default());
    let ours = train(&config(&[&from, "train.steps=1"]), &dir, &Start::Fresh, &mut heard).unwrap();
    assert!(heard.notes.iter().any(|note| note.ends_with(": took 20 of 20 weights")), "{:?}", heard.notes);
    assert!(ours.losses[0] < there.losses[0] - 0.3, "{} {}", ours.losses[0], there.losses[0]);
    let wider = config(&[&from, "train.steps=1", "model.experts=4"]);
    let (dir, mut heard) = (crate::runs::support::dir("weights-wider"), Heard::default());
    train(&wider, &dir, &Start::Fresh, &mut heard).unwrap();
    let said = heard.notes.join("\n");
    assert!(said.contains("took 17 of 20 weights") && said.contains("3 differ and begin fresh"), "{said}");
}

/// A tensor of a run's last checkpoint.
fn tensor(dir: &RunDir, step: u64, name: &str) -> (Element, Vec<u8>) {
    let mut checkpoint = Checkpoint::open(&at(dir, step)).unwrap();
    let found = checkpoint.tensors().find(|(known, ..)| *known == name);
    let (element, whole) = found.map(|(_, _, element, shape)| (element, Region::whole(shape))).unwrap();
    (element, checkpoint.read(name, &whole).unwrap())
}

/// To the nearest `bf16`, by the bits.
fn rounded(wide: &[u8]) -> Vec<u8> {
    let round = |bytes: &[u8]| {
        let bits = u32::from_le_bytes(bytes.try_into().unwrap());
        (((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) as u16).to_le_bytes()
    };
    wide.chunks_exact(4).flat_map(round).collect()
}

#[test]
fn weights_are_kept_narrow_with_their_wide_copies_beside_them() {
    let (_, _, dir) = whole(&config(&[&[MESH], &NARROW[..]].concat()), "narrow");
    let (params, master) = ("params.block_1.moe.wi", "master.block_1.moe.wi");
    let (narrow, wide) = (tensor(&dir, 12, params), tensor(&dir, 12, master));
    assert_eq!((narrow.0, wide.0), (Element::Bf16, Element::F32));
    assert_eq!(narrow.1, rounded(&wide.1));
    let (_, _, dir) = whole(&config(&[&[MESH], &ALONE[..]].concat()), "alone");
    assert_eq!(tensor(&dir, 12, params).0, Element::Bf16);
    let checkpoint = Checkpoint::open(&at(&dir, 12)).unwrap();
    assert!(checkpoint.tensors().all(|(name, ..)| !name.starts_with("master.")));
}

#[test]
fn a_run_begins_with_weights_of_another_width() {
    let wide = ["model.dtype=f32"];
    let weights = |sets: &[&str], from: &RunDir, name: &str| {
        let from = format!("checkpoint.init_from={}", from.root.display());
        // No step changes them.
        let still = [
            &from,
            "train.steps=1",
            "optimizer.rule=sgd",
            "optimizer.learning_rate=1e-30",
            "checkpoint.every=1",
        ];
        let dir = dir(name);
        train(&config(&[sets, &still].concat()), &dir, &Start::Fresh, &mut Heard::default()).unwrap();
        dir
    };
    let narrow = ["model.dtype=bf16", "model.param_dtype=bf16"];
    let (params, master) = ("params.block_1.moe.wi", "master.block_1.moe.wi");
    let (_, _, f32s) = whole(&config(&wide), "widths");
    let expected = tensor(&f32s, 12, params).1;
    let with_copies = weights(&narrow, &f32s, "widths-narrow");
    assert_eq!(tensor(&with_copies, 1, master), (Element::F32, expected.clone()));
    assert_eq!(tensor(&with_copies, 1, params), (Element::Bf16, rounded(&expected)));
    // The wide copies are the better source.
    let back = weights(&wide, &with_copies, "widths-back");
    assert_eq!(tensor(&back, 1, params), (Element::F32, expected));
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_touched() {
    let (_, _, dir) = whole(&config(&["train.steps=4"]), "does-not-fit");
    let before = std::fs::read(dir.root.join("config.toml")).unwrap();
    let resume = |sets: &[&str]| {
        let start = Start::Resume(Some(at(&dir, 4)), DataChange::Refuse);
        messages(train(&config(sets), &dir, &start, &mut Heard::default()).unwrap_err())
    };
    let said = resume(&["model.experts=4"]);
    assert!(said.contains("F64 [8, 16, 32] in the checkpoint, the model has F64 [4, 16, 32]"), "{said}");
    assert!(resume(&["model.layers=4"]).contains("the checkpoint has no tensor `params.block_2."));
    assert!(resume(&["train.steps=3"]).starts_with("all is done: the checkpoint is of step 4 of 3"));
    let fresh = train(&config(&[]), &dir, &Start::Fresh, &mut Heard::default()).unwrap_err();
    assert!(messages(fresh).starts_with("there is something in"));
    assert_eq!(std::fs::read(dir.root.join("config.toml")).unwrap(), before);
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let (_, _, dir) = whole(&config(&["train.steps=4"]), "damaged");
    let file = at(&dir, 4).join("part-00000.safetensors");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let start = Start::Resume(Some(at(&dir, 4)), DataChange::Refuse);
    let said = messages(train(&config(&[]), &dir, &start, &mut Heard::default()).unwrap_err());
    assert!(said.contains("is damaged: the checksum of `params."), "{said}");
    std::fs::write(at(&dir, 4).join("index.json"), "{\"format\": \"other\"}").unwrap();
    let said = run::find(&dir.root).unwrap_err().message;
    assert!(said.contains("is no index of a Meshwright checkpoint"), "{said}");
    let said = run::find(&std::env::temp_dir()).unwrap_err().message;
    assert!(said.ends_with("holds no run and no checkpoint"), "{said}");
}
