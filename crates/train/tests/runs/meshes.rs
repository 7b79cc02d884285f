//! One configuration on many meshes: the same run.

use crate::support::{at, config, evaluated, whole};
use meshwright_train::metrics::Metrics;
use std::sync::LazyLock;

const STEPS: &str = "train.steps=50";

/// Losses, and where tokens went, of every step.
fn curve(axes: &str) -> (Vec<f64>, Vec<[f64; 2]>) {
    let sets = [STEPS, &format!("mesh.axes={axes}")];
    let (outcome, heard, _) = whole(&config(&sets), &format!("mesh-{}", axes.replace(['=', ','], "-")));
    let fate = |one: &Metrics| ["load_entropy", "drop_rate"].map(|name| one.get(name).unwrap());
    (outcome.losses, heard.steps.iter().map(fate).collect())
}

/// On one device, once for all tests.
static ALONE: LazyLock<(Vec<f64>, Vec<[f64; 2]>)> = LazyLock::new(|| curve(""));

fn same_as_alone(axes: &str) {
    let ((theirs, alone), (ours, together)) = (&*ALONE, curve(axes));
    assert_eq!((ours.len(), theirs.len()), (50, 50));
    for (step, (a, b)) in ours.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() <= 1e-10 * b.abs(), "step {step} on {axes}: {a} and {b}");
    }
    assert_eq!(&together, alone, "tokens go elsewhere on {axes}");
    assert!(theirs[49] < theirs[0] - 1.0, "nothing was learnt: {theirs:?}");
}

#[test]
fn data_parallelism_is_the_same_run() {
    same_as_alone("data=8");
}

#[test]
fn expert_parallelism_is_the_same_run() {
    same_as_alone("expert=8");
}

#[test]
fn data_and_experts_are_the_same_run() {
    same_as_alone("data=2,expert=4");
}

#[test]
fn data_model_and_experts_are_the_same_run() {
    same_as_alone("data=2,model=2,expert=2");
}

#[test]
fn experts_that_do_not_divide_are_the_same_run() {
    same_as_alone("expert=3");
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
fn a_checkpoint_of_eight_expert_shards_is_the_same_model_on_two_and_on_one() {
    for dtype in ["model.dtype=f64", "model.dtype=f32"] {
        let on = |axes: &str| config(&[dtype, &format!("mesh.axes={axes}")]);
        let (outcome, _, home) =
            whole(&on("expert=8"), &format!("shards-{}", dtype.replace(['=', '.'], "-")));
        let there = outcome.evaluation.unwrap();
        for axes in ["expert=2", "", "data=2,expert=2", "model=2"] {
            let here = evaluated(&on(axes), &home, &at(&home, 12)).unwrap();
            assert!((here.nll - there.nll).abs() <= 1e-6, "{axes}: {} and {}", here.nll, there.nll);
            assert_eq!(here.accuracy, there.accuracy, "{axes}");
        }
    }
}
