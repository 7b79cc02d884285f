//! One configuration on many meshes: the same run.

use crate::runs::support::{MESHES, MODELS, at, config, evaluated, fields, whole};
use meshwright_train::metrics::Metrics;
use meshwright_train::run::Sample;

/// What a run is compared by: losses, where tokens went in every step, and what it writes in the end.
type Course = (Vec<f64>, Vec<[f64; 2]>, Vec<Sample>);

fn course(sets: &[&str], axes: &str) -> Course {
    let mesh = format!("mesh.axes={axes}");
    let (outcome, heard, _) =
        whole(&config(&[sets, &[&mesh]].concat()), &format!("mesh-{}", axes.replace(['=', ','], "-")));
    let fate = |one: &Metrics| ["load_entropy", "drop_rate"].map(|name| one.get(name).unwrap_or(0.0));
    (outcome.losses, heard.steps.iter().map(fate).collect(), outcome.samples)
}

/// In f64: how far the losses of a mesh part from those of one device at most, of all steps.
fn apart(sets: &[&str], alone: &Course, axes: &str) -> f64 {
    let (ours, together, samples) = course(sets, axes);
    assert_eq!(ours.len(), alone.0.len());
    assert_eq!((&together, &samples), (&alone.1, &alone.2), "tokens go elsewhere on {axes}");
    let off = ours.iter().zip(&alone.0).map(|(a, b)| (a - b).abs() / b.abs());
    off.fold(0.0, f64::max)
}

fn same_on(model: (&str, &'static [&'static str]), meshes: &[&str], steps: &str) {
    let sets = [&fields(model)[..], &[steps]].concat();
    let alone = course(&sets, "");
    assert!(alone.0.last() < alone.0.first(), "nothing was learnt: {:?}", alone.0);
    for axes in meshes {
        let off = apart(&sets, &alone, axes);
        println!("{} on {axes}: {off:.1e} apart after {} steps", model.0, alone.0.len());
        assert!(off <= 1e-10, "{} on {axes}: {off}", model.0);
    }
}

#[test]
fn a_language_model_is_the_same_run_on_every_mesh() {
    same_on(MODELS[0], &MESHES, "train.steps=50");
    same_on(MODELS[0], &["expert=3"], "train.steps=6");
}

#[test]
fn an_encoder_and_a_decoder_are_the_same_run_on_every_mesh() {
    same_on(MODELS[1], &MESHES, "train.steps=50");
}

#[test]
fn gshard_is_the_same_run_on_every_mesh() {
    same_on(MODELS[2], &MESHES, "train.steps=50");
}

#[test]
fn experts_that_choose_are_the_same_run_on_every_mesh() {
    same_on(MODELS[3], &MESHES, "train.steps=50");
}

#[test]
fn experts_without_capacity_are_the_same_run_on_every_mesh() {
    same_on(MODELS[4], &MESHES, "train.steps=50");
}

/// Two experts per token, by every policy that a configuration can ask for.
#[test]
fn weights_and_second_choices_of_any_kind_are_the_same_run_on_every_mesh() {
    let kinds: [&'static [&'static str]; 5] = [
        &["model.routing=gshard", "model.gate_weights=normalized-after", "model.second=all"],
        &["model.routing=gshard", "model.gate_weights=raw", "model.second_threshold=0.3"],
        &["model.routing=gshard-code", "model.second=threshold"],
        &["model.routing=gshard-code", "model.second=none"],
        &["model.routing=top", "model.top=3", "model.gate_weights=normalized-after"],
    ];
    for kind in kinds {
        same_on((kind[1], kind), &["data=2,expert=4"], "train.steps=12");
    }
}

#[test]
fn fifty_steps_in_f32_stay_within_the_spread_of_three_seeds() {
    for model in MODELS {
        let sets = [&fields(model)[..], &["model.dtype=f32", "train.steps=50", "data.seed=1"]].concat();
        let last = |more: &[&str], axes: &str| *course(&[&sets[..], more].concat(), axes).0.last().unwrap();
        let seeds = ["train.seed=1", "train.seed=2", "train.seed=3"].map(|seed| last(&[seed], ""));
        let spread =
            seeds.iter().copied().fold(f64::MIN, f64::max) - seeds.iter().copied().fold(f64::MAX, f64::min);
        for axes in MESHES {
            let off = (last(&["train.seed=1"], axes) - seeds[0]).abs();
            println!(
                "{} in f32 on {axes}: {off:.1e} apart after 50 steps, three seeds {spread:.1e}",
                model.0
            );
            assert!(off <= spread, "{} on {axes}", model.0);
        }
    }
}

#[test]
fn parts_of_a_batch_are_the_same_run() {
    // Every part takes other rows together: groups of one row stay the same groups.
    let sets = |parts: &str| config(&[parts, "model.group_size=16", "model.jitter=0"]);
    let losses = |parts: &str| whole(&sets(parts), &parts.replace('=', "-")).0.losses;
    let (whole, parts) = (losses("optimizer.accumulate=1"), losses("optimizer.accumulate=4"));
    for (a, b) in whole.iter().zip(&parts) {
        assert!((a - b).abs() <= 1e-10 * a.abs(), "{whole:?} {parts:?}");
    }
}

#[test]
fn blocks_computed_again_are_the_same_run() {
    let sets = ["model.dropout=0.1", "mesh.axes=data=2,expert=2", "train.steps=6"];
    let kept = whole(&config(&sets), "kept").0.losses;
    let again = whole(&config(&[&sets[..], &["model.recompute=true"]].concat()), "again").0.losses;
    for (a, b) in kept.iter().zip(&again) {
        assert!((a - b).abs() <= 1e-10 * a.abs(), "{kept:?} {again:?}");
    }
    let piled = [&sets[..], &["model.stacked=true", "model.layers=4", "model.recompute=true"]].concat();
    let losses = whole(&config(&piled), "piled").0.losses;
    assert!(losses.last() < losses.first(), "{losses:?}");
}

/// As a pipeline of experts, with dropout: the same run on devices for stages as on one.
#[test]
fn a_pipeline_is_the_same_run_on_every_mesh() {
    let sets: &'static [&'static str] = &[
        "model.layers=4",
        "model.dropout=0.1",
        "model.pipeline.stages=2",
        "model.pipeline.microbatches=4",
        "mesh.strategy=pipelined-experts",
    ];
    same_on(("pipeline", sets), &["x=2,y=4"], "train.steps=5");
    let circular: &'static [&'static str] = &[
        "model.experts=0",
        "model.layers=4",
        "model.pipeline.stages=2",
        "model.pipeline.schedule=circular",
        "model.pipeline.recompute=true",
        "mesh.strategy=2d-pipelined",
    ];
    same_on(("circular", circular), &["stage=2,x=2,y=2"], "train.steps=5");
}

/// GSPMD's Figure 2: an encoder of experts and a dense decoder, whose stages share one axis.
#[test]
fn figure_2_on_16_devices_is_the_run_of_one_device() {
    let sets: &'static [&'static str] = &[
        "model.family=gshard",
        "model.decoder_only=false",
        "data.task=translate",
        "model.experts=4",
        "model.layers=4",
        "model.expert_every=1",
        "model.decoder_layers=4",
        "model.decoder_experts=false",
        "model.pipeline.stages=4",
        "model.pipeline.microbatches=4",
        "mesh.strategy=pipelined-experts",
    ];
    same_on(("figure 2", sets), &["x=4,y=4"], "train.steps=3");
}

#[test]
fn a_checkpoint_of_eight_expert_shards_is_the_same_model_on_two_and_on_one() {
    for dtype in ["model.dtype=f64", "model.dtype=f32"] {
        let on = |axes: &str| config(&[dtype, &format!("mesh.axes={axes}")]);
        let (outcome, _, dir) = whole(&on("expert=8"), &format!("shards-{}", dtype.replace(['=', '.'], "-")));
        let there = outcome.evaluation.unwrap();
        for axes in ["expert=2", "", "data=2,expert=2", "model=2"] {
            let here = evaluated(&on(axes), &dir, &at(&dir, 12)).unwrap();
            assert!((here.nll - there.nll).abs() <= 1e-6, "{axes}: {} and {}", here.nll, there.nll);
            assert_eq!(here.accuracy, there.accuracy, "{axes}");
        }
    }
}
