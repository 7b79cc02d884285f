//! The Switch Transformer as a language model: trained for some steps on one device, and the same on eight simulated
//! ones under each strategy.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_interp::Tensor as Array;
use meshwright_nn::layers::ffn::Activation;
use meshwright_nn::models::switch::{Strategy, Switch, Training, first_params, train_step};
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::layer::{Explore, Gate};
use meshwright_nn::moe::route::Top2;
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::adafactor::Adafactor;
use meshwright_nn::optim::stored::Stored;
use meshwright_tensor::prelude::*;
use support::{Random, array, close, numbers};

/// Steps that one device and eight are held together.
const STEPS: usize = 50;

/// What a run shows.
#[derive(Default)]
struct Curve {
    losses: Vec<f64>,
    counts: Vec<f64>,
}

fn tiny() -> Switch {
    let tiny = Switch { gate: Gate::Top1(Explore::Argmax), ..Switch::small() };
    Switch { vocab: 16, model: 8, hidden: 16, heads: 2, kv: 4, compute: f64, ..tiny }
}

fn training(optimizer: Optimizer, rate: f64) -> Training {
    Training {
        optimizer: Optimizer { rate: rate.into(), clip: Some(1.0), ..optimizer },
        batch: 8,
        microbatches: 1,
        length: 9,
        dtype: f64,
        stored: Stored::Wide,
        seed: 5,
    }
}

/// Sequences that count up by 1 or 2 from a random token: there is something to learn.
fn tokens(training: &Training, vocab: i64, random: &mut Random) -> Vec<f64> {
    let mut out = Vec::new();
    for _ in 0..training.batch {
        let (start, by) = (random.below(vocab as usize) as i64, 1 + random.below(2) as i64);
        out.extend((0..training.length).map(|at| ((start + at * by) % vocab) as f64));
    }
    out
}

/// Losses of some steps, and where the tokens of all of them went; `step` runs the program once.
fn losses(
    model: &Switch,
    training: &Training,
    program: &Program,
    steps: usize,
    step: &dyn Fn(&[Array]) -> Vec<Array>,
) -> Curve {
    let rules = Rules::new(&Mesh::new([("one", 1)]).expect("a mesh"));
    let first = first_params(model, training.dtype, 3, &rules).expect("initializers trace");
    let drawn = meshwright_interp::run(first.module(), &[]).expect("initializers run");
    let start = |name: &str| {
        let at = first.results().iter().position(|result| &*result.name == name);
        at.map(|at| numbers(&drawn[at]))
    };
    let zeros = |count: i64| vec![0.0; count as usize];
    let begin = |input: &meshwright_tensor::InputInfo| {
        let values = start(&input.name).unwrap_or_else(|| zeros(input.ty.elements()));
        array(program, &input.name, &values)
    };
    let mut held: Vec<Array> = program.inputs().iter().map(begin).collect();
    let mut random = Random(11);
    let mut curve = Curve::default();
    for _ in 0..steps {
        held[0] = array(program, "tokens", &tokens(training, model.vocab, &mut random));
        let results = step(&held);
        curve.losses.push(numbers(&results[0])[0]);
        for (result, info) in results.into_iter().zip(program.results()) {
            if let Some(at) = program.input(&info.name) {
                held[at] = result;
            } else if info.name.starts_with("routed") || info.name.starts_with("dropped") {
                curve.counts.extend(numbers(&result));
            }
        }
    }
    curve
}

fn alone(model: &Switch, training: &Training, steps: usize) -> Curve {
    let rules = Rules::new(&Mesh::new([("one", 1)]).expect("a mesh"));
    let program = train_step(model, training, &rules).expect("the step traces");
    losses(model, training, &program, steps, &|inputs| {
        meshwright_interp::run(program.module(), inputs).expect("the step runs")
    })
}

fn together(model: &Switch, training: &Training, strategy: Strategy, mesh: &Mesh, steps: usize) -> Curve {
    let program = train_step(model, training, &strategy.rules(mesh)).expect("the step traces");
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(program.module().clone(), &options, &mut Unobserved);
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(diagnostics) => panic!("{}", meshwright_tensor::Errors::from(diagnostics)),
    };
    losses(model, training, &program, steps, &|inputs| {
        run_spmd(&compiled.program, inputs).expect("the partitioned step runs")
    })
}

fn same_on_8(strategy: Strategy, axes: &[(&str, i64)]) {
    same(&tiny(), strategy, axes);
}

fn same(model: &Switch, strategy: Strategy, axes: &[(&str, i64)]) {
    let training = training(Optimizer::new(Adafactor { least: 4, ..Adafactor::T5 }, 0.0), 0.05);
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let (ours, theirs) = (together(model, &training, strategy, &mesh, STEPS), alone(model, &training, STEPS));
    close(&ours.losses, &theirs.losses, 1e-10);
    assert_eq!(ours.counts, theirs.counts);
    assert!(ours.counts.iter().any(|count| *count > 0.0));
}

#[test]
fn the_loss_falls() {
    let training = training(Optimizer::adam(0.0), 0.02);
    let losses = alone(&tiny(), &training, 30).losses;
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (first, last) = (mean(&losses[..3]), mean(&losses[27..]));
    assert!(last < 0.7 * first, "{losses:?}");
}

#[test]
fn data_parallelism_gives_the_same_losses() {
    same_on_8(Strategy::Data, &[("data", 8)]);
}

#[test]
fn expert_parallelism_gives_the_same_losses() {
    same_on_8(Strategy::Expert, &[("expert", 8)]);
}

#[test]
fn experts_and_data_give_the_same_losses() {
    same_on_8(Strategy::ExpertData, &[("data", 2), ("expert", 4)]);
}

#[test]
fn split_hidden_dims_give_the_same_losses() {
    same_on_8(Strategy::Model, &[("model", 8)]);
    same_on_8(Strategy::DataModel, &[("data", 4), ("model", 2)]);
}

#[test]
fn all_three_together_give_the_same_losses() {
    same_on_8(Strategy::ExpertDataModel, &[("data", 2), ("expert", 2), ("model", 2)]);
}

#[test]
fn random_routing_to_two_experts_is_the_same_on_8() {
    let model = Switch {
        gate: Gate::Top2(Top2::PAPER),
        capacity: Capacity::GShard,
        activation: Activation::Geglu,
        dropout: 0.1,
        expert_dropout: 0.4,
        ..tiny()
    };
    same(&model, Strategy::ExpertData, &[("data", 2), ("expert", 4)]);
}

#[test]
fn microbatches_add_up_to_the_batch() {
    let whole = training(Optimizer::adam(0.0), 0.02);
    let parts = Training { microbatches: 4, ..whole.clone() };
    let theirs = alone(&tiny(), &whole, 10).losses;
    close(&alone(&tiny(), &parts, 10).losses, &theirs, 1e-10);
    let mesh = Mesh::new([("expert", 2)]).expect("a mesh");
    close(&together(&tiny(), &parts, Strategy::Expert, &mesh, 10).losses, &theirs, 1e-10);
}

#[test]
fn sizes_that_cannot_be_are_refused_before_anything_is_traced() {
    let training = training(Optimizer::sgd(0.0, 0.0), 0.1);
    let rules = Rules::new(&Mesh::new([("data", 2)]).expect("a mesh"));
    let model = Switch { groups: 7, ..tiny() };
    let errors = train_step(&model, &training, &rules).expect_err("7 groups").to_string();
    assert!(errors.contains("64 tokens do not divide into 7 groups"), "{errors}");
}

#[test]
fn narrow_activations_have_master_weights_in_f32() {
    let model = Switch { compute: bf16, ..tiny() };
    let rules = Rules::new(&Mesh::new([("one", 1)]).expect("a mesh"));
    let small = Training { dtype: f32, ..training(Optimizer::sgd(0.0, 0.0), 1e-6) };
    let program = train_step(&model, &small, &rules).expect("the step traces");
    let first = first_params(&model, f32, 3, &rules).expect("initializers trace");
    let drawn = meshwright_interp::run(first.module(), &[]).expect("initializers run");
    let mut random = Random(11);
    let tokens = tokens(&small, model.vocab, &mut random);
    let feed = |input: &meshwright_tensor::InputInfo| {
        let at = first.results().iter().position(|result| result.name == input.name);
        let zeros = || vec![0.0; input.ty.elements() as usize];
        let values = match &*input.name {
            "tokens" => tokens.clone(),
            _ => at.map_or_else(zeros, |at| numbers(&drawn[at])),
        };
        array(&program, &input.name, &values)
    };
    let fed: Vec<Array> = program.inputs().iter().map(feed).collect();
    let after = meshwright_interp::run(program.module(), &fed).expect("the step runs");
    let of = |name: &str| {
        let result = program.results().iter().position(|result| &*result.name == name).expect("a result");
        (fed[program.input(name).expect("a state")].clone(), after[result].clone())
    };
    for name in ["params.block_0.mlp.wi", "params.block_1.moe.wo", "params.block_1.moe.router"] {
        let (before, after) = of(name);
        assert_eq!((before.ty().dtype, after.ty().dtype), (f32, f32));
        let moved = numbers(&before).iter().zip(numbers(&after)).any(|(a, b)| *a != b);
        // Of weights of 0.1, bf16 would lose steps of a millionth.
        assert!(moved, "{name} did not move");
        let most =
            numbers(&before).iter().zip(numbers(&after)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(most < 1e-4, "{name} moved by {most}");
    }
}
