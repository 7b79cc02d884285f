//! Parameters in `bf16`, with and without wide copies, held against the wide step of the same weights.

use crate::support;

use meshwright_interp::Tensor as Array;
use meshwright_nn::models::step::Training;
use meshwright_nn::models::switch::{Switch, first_params, train_step};
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::adafactor::Adafactor;
use meshwright_nn::optim::stored::Stored;
use meshwright_tensor::prelude::*;
use std::collections::BTreeMap;
use support::{array, numbers};

const ALONE: Stored = Stored::Narrow { dtype: bf16, has_master: false };
const WITH_MASTER: Stored = Stored::Narrow { dtype: bf16, has_master: true };

/// Everything that a step keeps, by name.
type States = BTreeMap<String, Vec<f64>>;

fn model() -> Switch {
    let small = Switch::small();
    Switch { vocab: 16, model: 8, hidden: 16, heads: 2, kv: 4, experts: 4, groups: 2, compute: bf16, ..small }
}

fn training(optimizer: Optimizer, rate: f64, stored: Stored) -> Training {
    let optimizer = Optimizer { rate: rate.into(), clip: Some(1.0), ..optimizer };
    Training { optimizer, batch: 4, microbatches: 1, length: 9, dtype: f32, stored, seed: 5 }
}

fn rules() -> Rules {
    Rules::new(&Mesh::new([("one", 1)]).expect("a mesh"))
}

/// To the nearest `bf16`, ties to even: by the bits of `f32`.
fn rounded(x: f64) -> f64 {
    let bits = (x as f32).to_bits();
    let up = 0x7FFF + (bits >> 16 & 1);
    f64::from(f32::from_bits(bits.wrapping_add(up) & 0xFFFF_0000))
}

fn narrow(states: &mut States) {
    let stored = states.iter_mut().filter(|(name, _)| name.starts_with("params."));
    stored.for_each(|(_, values)| values.iter_mut().for_each(|x| *x = rounded(*x)));
}

/// First values; masters are not rounded.
fn first(stored: Stored) -> States {
    let program = first_params(&model(), f32, 3, &rules()).expect("initializers trace");
    let drawn = meshwright_interp::run(program.module(), &[]).expect("initializers run");
    let mut states = States::new();
    for (info, value) in program.results().iter().zip(&drawn) {
        let name = info.name.to_string();
        states.insert(name.replacen("params", "master", 1), numbers(value));
        states.insert(name, numbers(value));
    }
    if stored != Stored::Wide {
        narrow(&mut states);
    }
    states
}

/// A step on the batch of this number.
fn step(program: &Program, states: &mut States, number: usize) {
    let tokens: Vec<f64> = (0..36).map(|at| ((at * (number + 3) + number) % 16) as f64).collect();
    let input = |info: &meshwright_tensor::InputInfo| {
        let zeros = vec![0.0; info.ty.elements() as usize];
        let values =
            if &*info.name == "tokens" { &tokens } else { states.get(&*info.name).unwrap_or(&zeros) };
        array(program, &info.name, values)
    };
    let inputs: Vec<Array> = program.inputs().iter().map(input).collect();
    let results = meshwright_interp::run(program.module(), &inputs).expect("the step runs");
    for (info, value) in program.results().iter().zip(&results) {
        states.insert(info.name.to_string(), numbers(value));
    }
}

fn program(optimizer: &Optimizer, rate: f64, stored: Stored) -> Program {
    train_step(&model(), &training(optimizer.clone(), rate, stored), &rules()).expect("the step traces")
}

fn optimizers() -> [Optimizer; 4] {
    [
        Optimizer::adamw(0.0, 0.01),
        Optimizer::new(Adafactor { least: 4, ..Adafactor::T5 }, 0.0),
        Optimizer::new(Adafactor { least: 4, ..Adafactor::GSHARD_AS_PRINTED }, 0.0),
        Optimizer::sgd(0.0, 0.9),
    ]
}

#[test]
fn narrow_weights_alone_are_the_wide_step_rounded_each_time() {
    for optimizer in optimizers() {
        let [wide, ours] = [Stored::Wide, ALONE].map(|stored| program(&optimizer, 0.05, stored));
        let (mut expected, mut found) = (first(ALONE), first(ALONE));
        for number in 0..4 {
            step(&wide, &mut expected, number);
            narrow(&mut expected);
            step(&ours, &mut found, number);
            for (name, values) in found.iter().filter(|(name, _)| !name.starts_with("master.")) {
                assert_eq!(Some(values), expected.get(name), "{optimizer:?}: {name} of step {number}");
            }
        }
    }
}

#[test]
fn steps_are_added_to_masters_and_weights_are_masters_rounded() {
    for optimizer in optimizers() {
        let ours = program(&optimizer, 0.05, WITH_MASTER);
        let mut found = first(WITH_MASTER);
        for number in 0..4 {
            step(&ours, &mut found, number);
            for (name, values) in found.iter().filter(|(name, _)| name.starts_with("params.")) {
                let master: Vec<f64> = found[&name.replacen("params", "master", 1)].to_vec();
                assert_eq!(*values, master.iter().map(|x| rounded(*x)).collect::<Vec<_>>(), "{name}");
                assert_ne!(*values, master, "{name} has lost nothing, so a master would be idle");
            }
        }
        // From weights that are no wider than `bf16` the first step is the wide one, to the last bit.
        let wide = program(&optimizer, 0.05, Stored::Wide);
        let (mut found, mut expected) = (first(ALONE), first(ALONE));
        for (name, values) in first(ALONE).iter().filter(|(name, _)| name.starts_with("params.")) {
            found.insert(name.replacen("params", "master", 1), values.clone());
        }
        step(&ours, &mut found, 0);
        step(&wide, &mut expected, 0);
        for (name, values) in expected.iter().filter(|(name, _)| name.starts_with("params.")) {
            assert_eq!(*values, found[&name.replacen("params", "master", 1)], "{name}");
        }
    }
}

#[test]
fn small_steps_are_lost_without_a_master_and_add_up_with_one() {
    let sgd = Optimizer::sgd(0.0, 0.0);
    let moved = |stored: Stored| {
        let ours = program(&sgd, 1e-6, stored);
        let (mut found, before) = (first(stored), first(stored));
        (0..8).for_each(|number| step(&ours, &mut found, number));
        let part = if stored.has_master() { "master." } else { "params." };
        let ours = before.iter().filter(|(name, _)| name.starts_with(part));
        ours.map(|(name, old)| old.iter().zip(&found[name]).filter(|(a, b)| a != b).count()).sum::<usize>()
    };
    let (alone, with_master) = (moved(ALONE), moved(WITH_MASTER));
    assert!(with_master > 100 && alone * 20 < with_master, "{alone} and {with_master}");
}
