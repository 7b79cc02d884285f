//! The Conformer under every table and schedule: losses and all gradients are those on one device, and padding says
//! nothing.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_interp::Tensor as Array;
use meshwright_nn::models::conformer::{Conformer, ConvNorm, times};
use meshwright_nn::models::piped::Piped;
use meshwright_nn::models::step::{Model, Training, batch_inputs, train_step};
use meshwright_nn::models::strategy::{DATA, DATA_MODEL, MODEL, PIPELINED_DATA, Table};
use meshwright_nn::optim::Optimizer;
use meshwright_tensor::prelude::*;
use support::tiny::training;
use support::{Random, array, close, numbers};

const BATCH: usize = 8;
const FEATURES: usize = 5;
const MOST: usize = 3;

fn tiny() -> Conformer {
    Conformer {
        features: FEATURES as i64,
        channels: 3,
        model: 8,
        hidden: 12,
        heads: 2,
        kv: 4,
        window: 5,
        norm: ConvNorm::Layer,
        blocks: 4,
        labels: 4,
        most: MOST as i64,
        dropout: 0.0,
        compute: f64,
        stacked: true,
        recompute: false,
        pipeline: None,
    }
}

fn piped(rounds: i64, recompute: bool) -> Conformer {
    let piped = Piped { stages: 2, rounds, microbatches: 4, recompute };
    Conformer { pipeline: Some(piped), ..tiny() }
}

/// Loss and gradients of sequences of so many frames.
fn program(model: &Conformer, rules: &Rules, frames: usize, key: Option<u64>) -> Program {
    let traced = trace_with("gradients", rules, |t| {
        let training = Training { batch: BATCH as i64, length: frames as i64, ..training() };
        let batch = batch_inputs(t, model, &training);
        let params = model.specs().params(t, "params", f64);
        let judged = model.judged(&params, &batch);
        let count = model.predicted(&batch);
        let found = value_and_grad(params, |p| model.losses(&p, &batch, count, key.map(Key::seed)).loss);
        (found, judged.nats, judged.right)
    });
    traced.unwrap_or_else(|found| panic!("{found}"))
}

/// The same sequences, padded to so many frames by numbers that say nothing; parameters by their elements alone.
fn inputs(program: &Program, frames: usize) -> Vec<Array> {
    let mut random = Random(9);
    let lengths: Vec<usize> = (0..BATCH).map(|row| 12 + (row * 5) % 8).collect();
    let mut sound = Vec::new();
    for length in &lengths {
        let heard: Vec<f64> = (0..length * FEATURES).map(|_| random.unit() * 2.0 - 1.0).collect();
        sound.extend(heard);
        sound.extend((length * FEATURES..frames * FEATURES).map(|at| (at % 7) as f64));
    }
    let labels: Vec<f64> = (0..BATCH * MOST).map(|_| 1.0 + random.below(4) as f64).collect();
    let counts: Vec<f64> = (0..BATCH).map(|row| (row % (MOST + 1)).min(2) as f64).collect();
    let one = |input: &meshwright_tensor::InputInfo| {
        let count = input.ty.elements() as usize;
        let numbers = match &*input.name {
            "frames" => sound.clone(),
            "frame_lengths" => lengths.iter().map(|length| *length as f64).collect(),
            "labels" => labels.clone(),
            "label_lengths" => counts.clone(),
            name if name.ends_with(".variance") => (0..count).map(|_| random.unit() + 0.5).collect(),
            _ => (0..count).map(|_| random.unit() - 0.5).collect(),
        };
        array(program, &input.name, &numbers)
    };
    program.inputs().iter().map(one).collect()
}

fn alone(model: &Conformer, frames: usize, key: Option<u64>) -> Vec<Vec<f64>> {
    let mesh = Mesh::new([("one", 1)]).expect("a mesh");
    let program = program(model, &Rules::new(&mesh), frames, key);
    let found = meshwright_interp::run(program.module(), &inputs(&program, frames)).expect("it runs");
    found.iter().map(numbers).collect()
}

fn together(model: &Conformer, table: &Table, axes: &[(&str, i64)], key: Option<u64>) -> Vec<Vec<f64>> {
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let program = program(model, &table.rules(&mesh), FRAMES, key);
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(program.module().clone(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{}: {}", table.name, Errors::from(found)));
    let found = run_spmd(&compiled.program, &inputs(&program, FRAMES)).expect("the partitioned program runs");
    found.iter().map(numbers).collect()
}

const FRAMES: usize = 20;

fn equal(ours: &[Vec<f64>], theirs: &[Vec<f64>]) {
    assert_eq!(ours.len(), theirs.len());
    assert!(theirs.iter().all(|all| all.iter().any(|x| *x != 0.0)), "a gradient is zero");
    ours.iter().zip(theirs).for_each(|(a, b)| close(a, b, 1e-10));
}

#[test]
fn a_conformer_is_the_same_under_every_table() {
    let theirs = alone(&tiny(), FRAMES, None);
    for (table, axes) in [
        (&DATA, &[("data", 8)][..]),
        (&MODEL, &[("model", 2)][..]),
        (&DATA_MODEL, &[("data", 4), ("model", 2)][..]),
    ] {
        equal(&together(&tiny(), table, axes, None), &theirs);
    }
}

/// By the batch, with running averages that are learnt, and by groups of a sequence. The key says that this is
/// training.
#[test]
fn norms_over_times_are_the_same_under_every_table_and_padding_is_no_part_of_them() {
    for norm in [ConvNorm::Batch, ConvNorm::Group(2)] {
        for stacked in [false, true] {
            let model = Conformer { norm, stacked, recompute: stacked, blocks: 2, ..tiny() };
            let theirs = alone(&model, FRAMES, Some(3));
            assert!(theirs.iter().flatten().all(|x| x.is_finite()));
            let same = |ours: &[Vec<f64>]| {
                assert_eq!(ours.len(), theirs.len());
                ours.iter().zip(&theirs).for_each(|(a, b)| close(a, b, 1e-9));
            };
            same(&together(&model, &DATA, &[("data", 8)], Some(3)));
            same(&together(&model, &DATA_MODEL, &[("data", 4), ("model", 2)], Some(3)));
            same(&alone(&model, FRAMES + 8, Some(3)));
        }
    }
}

#[test]
fn a_piped_conformer_is_the_same_on_its_stages() {
    for (rounds, recompute, key) in [(1, true, Some(3)), (2, false, None)] {
        let model = Conformer { dropout: if key.is_some() { 0.2 } else { 0.0 }, ..piped(rounds, recompute) };
        let theirs = alone(&model, FRAMES, key);
        equal(&together(&model, &PIPELINED_DATA, &[("stage", 2), ("data", 2)], key), &theirs);
    }
}

#[test]
fn what_is_behind_the_end_of_a_sequence_says_nothing() {
    let short = alone(&tiny(), FRAMES, None);
    let long = alone(&tiny(), FRAMES + 8, None);
    short.iter().zip(&long).for_each(|(a, b)| close(a, b, 1e-10));
}

#[test]
fn logits_have_a_quarter_of_the_times() {
    assert_eq!([1, 4, 5, 20, 21].map(times), [1, 1, 2, 5, 6]);
}

#[test]
fn sizes_that_do_not_fit_are_refused_with_their_numbers() {
    let text = |model: Conformer, rows, frames| model.check_sizes(rows, frames).unwrap_err().message;
    assert_eq!(
        text(tiny(), 8, 8),
        "3 labels do not fit into 8 frames: the model says at most one label at each of 2 times"
    );
    let three = Conformer { blocks: 3, ..piped(2, true) };
    assert_eq!(text(three, 8, 20), "3 blocks do not divide into 2 stages in 2 rounds");
    assert_eq!(text(piped(1, true), 6, 20), "6 sequences do not divide into 4 microbatches");
    let batch = Conformer { norm: ConvNorm::Batch, ..piped(1, true) };
    assert_eq!(
        text(batch, 8, 20),
        "batch norm over 8 sequences, of which the stages see one of 4 microbatches at a time"
    );
    let groups = Conformer { norm: ConvNorm::Group(3), ..tiny() };
    assert_eq!(text(groups, 8, 20), "8 features do not divide into 3 groups of a norm");
    assert!(text(Conformer { heads: 0, ..tiny() }, 8, 20).contains("0 heads of 4"));
    assert!(tiny().check_sizes(8, 20).is_ok());
}

/// Losses of so many steps of training.
fn curve(axes: &[(&str, i64)], table: Option<&Table>, steps: usize) -> Vec<f64> {
    const ROWS: i64 = 6;
    let model = Conformer { blocks: 2, ..tiny() };
    let optimizer = Optimizer::adam(1e-2);
    let training = Training { optimizer, batch: ROWS, length: FRAMES as i64, ..training() };
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let rules = table.map_or_else(|| Rules::new(&mesh), |table| table.rules(&mesh));
    let program = train_step(&model, &training, &rules).expect("a step traces");
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(program.module().clone(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{}", Errors::from(found)));
    let mut random = Random(2);
    let mut held: Vec<Array> = program
        .inputs()
        .iter()
        .map(|input| {
            let count = input.ty.elements() as usize;
            let numbers: Vec<f64> = match &*input.name {
                "frames" => (0..count).map(|_| random.unit() * 2.0 - 1.0).collect(),
                "frame_lengths" => (0..count).map(|row| (FRAMES - 2 * row) as f64).collect(),
                "labels" => (0..count).map(|_| 1.0 + random.below(4) as f64).collect(),
                "label_lengths" => (0..count).map(|row| (row % 3) as f64).collect(),
                name if name.starts_with("params.") => (0..count).map(|_| random.unit() - 0.5).collect(),
                _ => vec![0.0; count],
            };
            array(&program, &input.name, &numbers)
        })
        .collect();
    let mut losses = Vec::new();
    for _ in 0..steps {
        let found = run_spmd(&compiled.program, &held).expect("a step runs");
        for (result, found) in program.results().iter().zip(found) {
            if &*result.name == "loss" {
                losses.extend(numbers(&found));
            }
            if let Some(at) = program.input(&result.name) {
                held[at] = found;
            }
        }
    }
    losses
}

#[test]
fn thirty_steps_have_the_same_losses_on_1_2x4_and_8_devices() {
    let alone = curve(&[("one", 1)], None, 30);
    assert!(alone[29] < 0.5 * alone[0], "{alone:?}");
    close(&curve(&[("data", 2), ("model", 4)], Some(&DATA_MODEL), 30), &alone, 1e-10);
    close(&curve(&[("data", 8)], Some(&DATA), 30), &alone, 1e-10);
}
