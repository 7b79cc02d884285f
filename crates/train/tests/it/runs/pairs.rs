//! Encoders with decoders, and the other families: dense ones on meshes, exact resuming, answers.

use crate::runs::support::{Heard, TRANSLATE, at, config, dir, train, whole};
use meshwright_train::Config;
use meshwright_train::data::content::DataChange;
use meshwright_train::run::{Ending, Sample, Start};

fn pair(sets: &[&str]) -> Config {
    config(&[&TRANSLATE[..], &["train.steps=8"], sets].concat())
}

fn same(sets: &[&str], axes: &str, name: &str) {
    let mesh = format!("mesh.axes={axes}");
    let (alone, ..) = whole(&pair(sets), &format!("{name}-alone"));
    let (together, ..) = whole(&pair(&[sets, &[&mesh]].concat()), name);
    for (a, b) in together.losses.iter().zip(&alone.losses) {
        assert!((a - b).abs() <= 1e-10 * b.abs(), "{name}: {a} {b}");
    }
    assert!(alone.losses[7] < alone.losses[0], "{:?}", alone.losses);
    let (ours, theirs) = (together.evaluation.unwrap(), alone.evaluation.unwrap());
    assert!((ours.nll - theirs.nll).abs() <= 1e-9 && ours.tokens == theirs.tokens);
    assert_eq!(together.samples, alone.samples);
}

#[test]
fn dense_pairs_and_unpacked_ones_are_the_same_runs_on_a_mesh() {
    same(&["data.packing=false"], "expert=4", "pair-unpacked");
    same(&["model.family=t5", "model.experts=0"], "data=2,model=2", "pair-t5");
}

/// Each alone: how routers choose and explore, how rows are moved, where else experts are, how they are updated.
#[test]
fn what_layers_can_do_is_the_same_run_on_a_mesh() {
    let rows: [(&[&str], &str); 8] = [
        (&["model.routing=none-left-behind", "model.stages=3"], "expert=4"),
        (&["model.routing=prioritized"], "data=2,expert=2"),
        (&["model.explore=sample"], "expert=4"),
        (&["model.explore=input-dropout"], "data=2,expert=2"),
        (&["model.exchange=gather"], "data=2,expert=2"),
        (&["model.attention_experts=ffn"], "data=2,expert=2"),
        (&["model.capacity_rule=gshard"], "expert=4"),
        (&["optimizer.rule=adafactor-gshard"], "data=2,model=2"),
    ];
    for (sets, axes) in rows {
        same(sets, axes, &format!("pair-{}", sets[0].replace(['=', '.'], "-")));
    }
}

#[test]
fn spans_are_filled_in() {
    let sets = ["data.task=spans", "data.sentinels=20", "data.corpus=text", "data.packing=false"];
    let (outcome, ..) = whole(&pair(&sets), "pair-spans");
    assert!(outcome.losses[7] < outcome.losses[0], "{:?}", outcome.losses);
    assert!(outcome.samples.iter().all(|sample| sample.prompt.contains("<0>")), "{:?}", outcome.samples);
    assert_eq!(outcome.samples.len(), 7);
}

/// A vocabulary for each side.
const TWO: [&str; 2] = ["data.target_vocabulary=340", "model.embeddings=separate"];

#[test]
fn two_vocabularies_are_the_same_run_on_a_mesh() {
    same(&TWO, "data=2,model=2", "pair-two-vocabularies");
    let (outcome, _, dir) = whole(&pair(&TWO), "pair-two-samples");
    assert!(outcome.losses[7] < outcome.losses[0], "{:?}", outcome.losses);
    // What was expected is written with the pieces it was asked in.
    let within = |sample: &&Sample| !sample.marked.contains("beyond its window");
    let samples: Vec<&Sample> = outcome.samples.iter().filter(within).collect();
    assert!(samples.len() > 3, "{:?}", outcome.samples);
    for sample in samples {
        assert_eq!(sample.marked.replace(['[', ']'], ""), sample.expected);
    }
    assert!(dir.tokenizer().is_some() && dir.target_tokenizer().is_some());
}

#[test]
fn a_pair_goes_on_exactly() {
    goes_on_exactly(&["mesh.axes=expert=2"], "pair-one");
    goes_on_exactly(&TWO, "pair-two");
}

fn goes_on_exactly(sets: &[&str], name: &str) {
    let config = pair(sets);
    let (undisturbed, ..) = whole(&config, &format!("{name}-undisturbed"));
    let dir = dir(&format!("{name}-stopped"));
    let mut heard = Heard { stop_after: Some(3), ..Heard::default() };
    let first = train(&config, &dir, &Start::Fresh, &mut heard).unwrap();
    assert_eq!(first.ending, Ending::Asked(2));
    let rest =
        train(&config, &dir, &Start::Resume(Some(at(&dir, 3)), DataChange::Refuse), &mut Heard::default())
            .unwrap();
    assert_eq!([first.losses, rest.losses].concat(), undisturbed.losses);
}

#[test]
fn two_dimensional_dense_and_top_n_are_trained() {
    let dense = ["model.family=dense2d", "model.experts=0", "train.steps=6"];
    let planar = |strategy| [&dense[..], &["mesh.axes=x=2,y=2", strategy]].concat();
    let alone = whole(&config(&dense), "dense2d").0.losses;
    assert!(alone[5] < alone[0], "{alone:?}");
    for strategy in ["mesh.strategy=2d-attempt-1", "mesh.strategy=2d-attempt-2", "mesh.strategy=2d-finalized"]
    {
        let losses = whole(&config(&planar(strategy)), "dense2d-planar").0.losses;
        losses
            .iter()
            .zip(&alone)
            .for_each(|(a, b)| assert!((a - b).abs() <= 1e-10 * b.abs(), "{strategy}: {a} {b}"));
    }
    let (outcome, ..) = whole(&config(&["model.routing=top", "model.top=3", "train.steps=6"]), "top-3");
    assert!(outcome.losses[5] < outcome.losses[0], "{:?}", outcome.losses);
}
