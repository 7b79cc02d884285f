//! Flops of a sequence (Switch Transformer, Table 9): the paper's numbers come out by its rule, and what a traced
//! program computes beyond it is known to the last flop.

use meshwright_cost::{Machine, traffic};
use meshwright_nn::models::encoder_decoder::EncoderDecoder;
use meshwright_nn::models::flops::Counted;
use meshwright_nn::models::presets::{Built, Preset, find};
use meshwright_nn::models::step::{Model, batch_inputs};
use meshwright_tensor::prelude::*;

const PRINTED: [(&str, f64); 7] = [
    ("t5-base", 124e9),
    ("t5-large", 425e9),
    ("t5-xxl", 6.3e12),
    ("switch-base", 124e9),
    ("switch-large", 425e9),
    ("switch-xxl", 6.3e12),
    ("switch-c", 890e9),
];

/// The table prints two or three digits, and its rule is in words.
const TOLERANCE: f64 = 0.02;

fn model(preset: &Preset) -> EncoderDecoder {
    match preset.model() {
        Built::EncoderDecoder(model) => model,
        Built::Language(_) | Built::Conformer(_) => panic!("{} has no encoder", preset.name),
    }
}

/// Flops of contractions of the whole forward pass, for each sequence.
fn forward(preset: &Preset, model: &EncoderDecoder) -> f64 {
    let rules = Rules::new(&Mesh::new([("one", 1)]).expect("a mesh"));
    let program = trace_with("forward", &rules, |t| {
        let batch = batch_inputs(t, model, &preset.training());
        let params = model.specs().params(t, "params", f32);
        model.losses(&params, &batch, model.predicted(&batch), None).loss
    });
    let program = program.expect("the forward pass traces");
    traffic(program.module(), &Machine::default()).contraction_flops / preset.batch as f64
}

fn counted(name: &str) -> (Preset, EncoderDecoder, Counted) {
    let preset = find(name).expect("a preset");
    let model = model(&preset);
    (preset, model.clone(), Counted::of(&preset, &model))
}

#[test]
fn every_row_of_table_9_is_counted_as_the_paper_does() {
    for (name, printed) in PRINTED {
        let found = counted(name).2.kaplan();
        assert!((found / printed - 1.0).abs() < TOLERANCE, "{name}: {found:.4e} and not {printed:.4e}");
    }
}

#[test]
fn programs_compute_what_table_9_says_and_four_things_more() {
    for (name, printed) in PRINTED {
        let (preset, model, counted) = counted(name);
        let (found, expected) = (forward(&preset, &model), counted.program());
        assert!(
            (found / expected - 1.0).abs() < 1e-6,
            "{name}: {found:.6e} and not {expected:.6e}: {counted:?}"
        );
        // All of it together is half the printed number at most: a router of 2,048 experts is the most there is.
        assert!(found < 1.5 * printed, "{name}: {found:.4e} of {printed:.4e}: {counted:?}");
    }
}

/// Figure 16: a group is a core's tokens, where those are enough for a place at each expert.
#[test]
fn groups_of_switch_presets_are_the_devices_that_split_the_batch() {
    for name in ["switch-base", "switch-base-plus", "switch-large", "switch-xxl", "switch-c"] {
        let preset = find(name).expect("a preset");
        let over = |dim: &str| -> i64 {
            let size = |axis: &&str| preset.mesh.iter().find(|(name, _)| name == axis).map_or(1, |(_, n)| *n);
            preset.table.axes_over(dim).iter().map(size).product()
        };
        assert_eq!(preset.sizes.groups, over("group"), "{name}");
        let places = |groups: i64| {
            let tokens = preset.batch * preset.length / groups;
            1.25 * tokens as f64 / preset.sizes.experts as f64
        };
        assert!(places(preset.sizes.groups) >= 1.0, "{name}");
        assert!(over("group") == over("batch") || places(over("batch")) < 1.0, "{name}");
    }
}
