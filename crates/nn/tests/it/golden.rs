//! Layers, losses, optimizers and schedules beside what PyTorch and optax compute (`tests/golden_nn`).

use crate::support;

use meshwright_nn::layers::attention::Mask;
use meshwright_nn::layers::bag::{EmbeddingBag, Pool};
use meshwright_nn::layers::dense::Dense;
use meshwright_nn::layers::grouped::attend;
use meshwright_nn::layers::position::places;
use meshwright_nn::layers::recurrent::{Carried, Gates, Gru, Lstm};
use meshwright_nn::layers::rotary::Rotary;
use meshwright_nn::losses::{self, Transcripts};
use meshwright_nn::optim::leaf::Leaf;
use meshwright_nn::optim::momentum::Momentum;
use meshwright_nn::optim::rms_prop::RmsProp;
use meshwright_nn::optim::rule::Rule;
use meshwright_nn::optim::schedule::Schedule;
use meshwright_nn::optim::{Optimizer, averages};
use meshwright_tensor::prelude::*;
use support::golden::{Case, Given, case, holds};
use support::{close, run};

const LAYERS: &str = include_str!("../../../../tests/golden_nn/layers.txt");
const LOSSES: &str = include_str!("../../../../tests/golden_nn/losses.txt");
const OPTIMIZERS: &str = include_str!("../../../../tests/golden_nn/optimizers.txt");
const SCHEDULES: &str = include_str!("../../../../tests/golden_nn/schedules.txt");

fn gates(given: &Given<'_>) -> Gates {
    let [wi, wh, bi, bh] = given.floats(["wi", "wh", "bi", "bh"]);
    Gates { wi, wh, bi, bh }
}

#[test]
fn dense_and_bags() {
    holds(LAYERS, "dense", |given| {
        let [x, w, b] = given.floats(["x", "w", "b"]);
        Dense { w, b: Some(b) }.apply(x)
    });
    for (name, pool) in [("bag sum", Pool::Sum), ("bag mean", Pool::Mean), ("bag max", Pool::Max)] {
        holds(LAYERS, name, |given| {
            EmbeddingBag { table: given.of("table", f64) }.apply(given.of("ids", i32), None, pool)
        });
    }
}

#[test]
fn recurrent_cells() {
    holds(LAYERS, "gru", |given| {
        let [x, h] = given.floats(["x", "h"]);
        Gru { gates: gates(given) }.apply(x, Some(h))
    });
    holds(LAYERS, "lstm", |given| {
        let [x, h, c] = given.floats(["x", "h", "c"]);
        Lstm { gates: gates(given) }.apply(x, Some(Carried { h, c }))
    });
}

#[test]
fn rotary_positions_and_grouped_attention() {
    for (name, neighbours) in [("rotary halves", false), ("rotary neighbours", true)] {
        holds(LAYERS, name, |given| {
            let x = given.of("x", f64);
            Rotary { neighbours, ..Rotary::default() }.apply(x, places(x, None))
        });
    }
    for (name, causal) in [("grouped attention", false), ("causal grouped attention", true)] {
        holds(LAYERS, name, |given| {
            let [q, k, v] = given.floats(["q", "k", "v"]);
            attend(q, k, v, Mask { causal, ..Mask::default() })
        });
    }
}

#[test]
fn losses_of_all_kinds() {
    let two = |given: &Given<'_>, name| (given.of("x", f64), given.of(name, f64));
    holds(LOSSES, "mse", |given| {
        let (x, y) = two(given, "y");
        losses::mse(x, y)
    });
    holds(LOSSES, "huber", |given| {
        let (x, y) = two(given, "y");
        losses::huber(x, y, 0.7)
    });
    holds(LOSSES, "bce", |given| {
        let (x, y) = two(given, "y");
        losses::binary_cross_entropy(x, y)
    });
    holds(LOSSES, "kl", |given| {
        let (x, p) = two(given, "p");
        losses::kl_divergence(p, x)
    });
    holds(LOSSES, "smoothed", |given| {
        losses::smoothed_cross_entropy(given.of("x", f64), given.of("labels", i32), 0.1)
    });
    holds(LOSSES, "ctc", |given| {
        let [labels, label_lengths, times] =
            ["labels", "label_lengths", "times"].map(|name| given.of(name, i32));
        losses::ctc(given.of("logits", f64), Transcripts { labels, label_lengths, times }, 0)
    });
    for (name, blank) in [("ctc and its gradient", 0), ("ctc with the blank behind", 5)] {
        holds(LOSSES, name, |given| {
            let [labels, label_lengths, times] =
                ["labels", "label_lengths", "times"].map(|name| given.of(name, i32));
            let to = Transcripts { labels, label_lengths, times };
            let ((_, each), gradient) = value_and_grad(given.of("logits", f64), |logits| {
                let each = losses::ctc(logits, to, blank);
                ((each * (iota(f64, each.dims(), 0) + 1.0)).sum(..), each)
            });
            (each, gradient)
        });
    }
}

/// A tree of one matrix and one vector.
#[derive(Tree)]
struct Weights {
    matrix: Tensor,
    vector: Tensor,
}

/// Weights after each step; in the end the states by name.
fn steps(optimizer: &Optimizer, case: &Case, count: usize) -> [Vec<f64>; 4] {
    let program = trace("update", |t| {
        let weights = || Weights { matrix: zeros(f64, [3, 4]), vector: zeros(f64, [5]) };
        let (old, gradients) = (t.inputs("", weights()), t.inputs("g", weights()));
        let states = optimizer.states(t, "", &old);
        let (new, states) = optimizer.step("", &old, &gradients, &states, t.input("step", i32, ()));
        let ema = |name: &str| {
            let found = states.list.iter().find(|(known, _)| known == name);
            found.map(|(_, x)| averages(*x, 0.9, scalar(f64, count as f64)))
        };
        let named = |name: &str, x: Tensor| (name.to_string(), x);
        let averaged = [("by matrix", ema("ema.matrix")), ("by vector", ema("ema.vector"))];
        let averaged = averaged.into_iter().filter_map(|(name, x)| Some(named(name, x?)));
        let new = vec![named("matrix", new.matrix), named("vector", new.vector)];
        [new, states.list.clone(), averaged.collect()].concat()
    });
    let program = program.unwrap_or_else(|errors| panic!("{errors}"));
    let given = |name: &str| &case.inputs.iter().find(|array| array.name == name).expect("given").numbers;
    let mut now: Vec<Vec<f64>> = vec![given("matrix").clone(), given("vector").clone()];
    now.extend(
        program.inputs()[4..]
            .iter()
            .filter(|input| &*input.name != "step")
            .map(|input| vec![0.0; input.ty.elements() as usize]),
    );
    let states: Vec<&str> =
        program.inputs()[4..].iter().map(|input| &*input.name).filter(|name| *name != "step").collect();
    let (mut out, many) = ([const { Vec::new() }; 4], now.len());
    for step in 0..count {
        let part = |name: &str, size: usize| given(name)[step * size..(step + 1) * size].to_vec();
        let (g_matrix, g_vector, at) = (part("g matrix", 12), part("g vector", 5), [step as f64 + 1.0]);
        let mut inputs: Vec<(&str, &[f64])> =
            vec![("g.matrix", &g_matrix), ("g.vector", &g_vector), ("step", &at)];
        inputs.extend(
            ["matrix", "vector"].into_iter().chain(states.iter().copied()).zip(now.iter().map(|x| &x[..])),
        );
        let mut found = run(&program, &inputs);
        (out[2], out[3]) = match &found[many..] {
            [a, b] => (a.clone(), b.clone()),
            _ => (Vec::new(), Vec::new()),
        };
        found.truncate(many);
        now = found;
        out[0].extend(&now[0]);
        out[1].extend(&now[1]);
    }
    out
}

fn trains(name: &str, optimizer: Optimizer) {
    let case = case(OPTIMIZERS, name);
    let found = steps(&optimizer, &case, 5);
    for (expected, found) in case.outputs.iter().zip(&found) {
        close(found, &expected.numbers, 1e-9);
    }
}

#[test]
fn optimizers_of_all_kinds() {
    trains("sgd", Optimizer::sgd(0.1, 0.0));
    trains("momentum", Optimizer::sgd(0.1, 0.9));
    trains("nesterov", Optimizer::new(Momentum { momentum: 0.9, nesterov: true }, 0.1));
    trains("adam", Optimizer::adam(0.1));
    trains("adamw", Optimizer::adamw(0.1, 0.01));
    trains("rms_prop", Optimizer::rms_prop(0.1));
    let centered = RmsProp { centered: true, ..RmsProp::default() };
    let momentum = Momentum { momentum: 0.9, nesterov: false };
    trains("rms_prop centered with momentum", Optimizer::new(centered, 0.1).then(momentum));
    trains("lion", Optimizer::lion(0.1, 0.01));
    trains("lamb", Optimizer::lamb(0.1, 0.01));
    trains("muon", Optimizer::muon(0.1, 0.01));
    trains("ema", Optimizer::sgd(0.1, 0.0).ema(0.9));
}

#[test]
fn a_rule_for_some_leaves_leaves_the_others_alone() {
    let masked = Optimizer::adam(0.1).then(Rule::Decay(0.01)).only(|leaf| leaf.dims.len() > 1);
    trains("adamw masked", masked);
    let by_name = Optimizer::adam(0.1).then(Rule::Decay(0.01)).only(|leaf| leaf.name == "matrix");
    trains("adamw masked", by_name);
}

#[test]
fn a_clip_is_of_all_gradients_together() {
    let case = case(OPTIMIZERS, "sgd clipped");
    let clipped = Optimizer::sgd(0.1, 0.0).clip(1.0);
    let program = trace("clipped", |t| {
        let g = t.inputs("g", Weights { matrix: zeros(f64, [3, 4]), vector: zeros(f64, [5]) });
        clipped.clipped(g).0
    });
    let program = program.expect("a clip traces");
    let given = |name: &str| &case.inputs.iter().find(|array| array.name == name).expect("given").numbers;
    let g = run(&program, &[("g.matrix", &given("g matrix")[..12]), ("g.vector", &given("g vector")[..5])]);
    for (at, name) in ["matrix", "vector"].into_iter().enumerate() {
        let new: Vec<f64> = given(name).iter().zip(&g[at]).map(|(w, g)| w - 0.1 * g).collect();
        close(&new, &case.outputs[at].numbers[..new.len()], 1e-12);
    }
}

#[test]
fn muon_is_refused_where_there_is_no_matrix() {
    let only_muon = Optimizer::new(meshwright_nn::optim::muon::Muon::default(), 0.1);
    let errors = trace("step", |t| only_muon.train(t, "w", zeros(f32, [4]), |w| w.sum(..))).unwrap_err();
    assert!(errors.to_string().contains("Muon is for matrices: `w` is f32[4]"), "{errors}");
    let leaf = |dims: &[(&str, i64)]| Leaf {
        name: String::new(),
        dims: dims.iter().map(|(name, size)| (name.to_string(), *size)).collect(),
    };
    assert!(leaf(&[("layer", 2), ("expert", 4), ("model", 8), ("hidden", 8)]).is_matrix());
    assert!(!leaf(&[("model", 8), ("heads", 2), ("kv", 4)]).is_matrix());
}

#[test]
fn schedules() {
    let exponential = |in_steps| Schedule::Exponential { rate: 0.5, factor: 0.3, every: 10.0, in_steps };
    let rates = |name: &str, schedule: Schedule| {
        holds(SCHEDULES, name, |given| schedule.rate(given.of("steps", f64)));
    };
    rates("exponential", exponential(false));
    rates("exponential in steps", exponential(true));
    rates("joined", Schedule::Constant(0.25).until(10.0, exponential(false)));
    rates("warmup and cosine", Schedule::Cosine { rate: 1.0, warmup: 10.0, end: 40.0 });
}
