//! The layer of experts: against loops over tokens, and its two ways to move tokens against each other, with gradients.

use crate::support;

use meshwright_nn::layers::ffn::Activation;
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::moe::layer::{Experts, Explore, Gate};
use meshwright_nn::moe::route::{Second, Top2, Weights};
use meshwright_nn::moe::router::Precision;
use meshwright_nn::params::Specs;
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

const GROUPS: usize = 2;
const TOKENS: usize = 6;
const MODEL: usize = 3;
const HIDDEN: usize = 4;
const EXPERTS: usize = 4;

fn experts(gate: Gate, exchange: Exchange) -> Experts {
    Experts {
        path: "m".to_string(),
        model: MODEL as i64,
        hidden: HIDDEN as i64,
        experts: EXPERTS as i64,
        groups: GROUPS as i64,
        gate,
        capacity: Capacity::Fixed(2),
        exchange,
        precision: Precision::Selective,
        activation: Activation::Relu,
        dropout: 0.0,
        scale: 1.0,
        biases: false,
        masking: 0.0,
    }
}

/// Output, balancing loss, and the gradients of a loss that uses both: by `x`, router, wi, wo.
fn results(layer: &Experts, values: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut specs = Specs::default();
    layer.declare(&mut specs);
    let program = trace("layer", |t| {
        let x = t.input("x", f64, [2, 6, 3]);
        let p = specs.params(t, "p", f64);
        let ((_, out, balance), gradients) = value_and_grad((x, p), |(x, p)| {
            let (out, routing) = layer.apply(&p, x, None, None);
            ((out * out).sum(..) + routing.balance_loss, out, routing.balance_loss)
        });
        (out, balance, gradients)
    });
    let program = program.expect("the layer traces");
    let names = ["x", "p.m.router", "p.m.wi", "p.m.wo"];
    let inputs: Vec<(&str, &[f64])> = names.into_iter().zip(values.iter().map(Vec::as_slice)).collect();
    run(&program, &inputs)
}

fn values(seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random(seed);
    let sizes =
        [GROUPS * TOKENS * MODEL, MODEL * EXPERTS, EXPERTS * MODEL * HIDDEN, EXPERTS * HIDDEN * MODEL];
    sizes.map(|size| (0..size).map(|_| random.unit() * 4.0 - 2.0).collect()).to_vec()
}

/// Switch: a token goes to the expert it prefers if there is room, and gets p E(x), else nothing.
fn naive_switch(values: &[Vec<f64>]) -> Vec<f64> {
    let (x, router, wi, wo) = (&values[0], &values[1], &values[2], &values[3]);
    let mut out = vec![0.0; x.len()];
    for g in 0..GROUPS {
        let mut seated = [0; EXPERTS];
        for s in 0..TOKENS {
            let token = &x[(g * TOKENS + s) * MODEL..][..MODEL];
            let logit = |e: usize| (0..MODEL).map(|m| token[m] * router[m * EXPERTS + e]).sum::<f64>();
            let sum: f64 = (0..EXPERTS).map(|e| logit(e).exp()).sum();
            let best = (0..EXPERTS).max_by(|a, b| logit(*a).total_cmp(&logit(*b))).expect("an expert");
            seated[best] += 1;
            if seated[best] > 2 {
                continue;
            }
            for h in 0..HIDDEN {
                let into = (0..MODEL).map(|m| token[m] * wi[(best * MODEL + m) * HIDDEN + h]).sum::<f64>();
                for m in 0..MODEL {
                    let weight = logit(best).exp() / sum;
                    let from = wo[(best * HIDDEN + h) * MODEL + m];
                    out[(g * TOKENS + s) * MODEL + m] += weight * into.max(0.0) * from;
                }
            }
        }
    }
    out
}

#[test]
fn switch_layer_is_what_each_token_gets_from_its_expert() {
    for seed in 0..20 {
        let values = values(seed);
        let found = results(&experts(Gate::Top1(Explore::Argmax), Exchange::Einsum), &values);
        close(&found[0], &naive_switch(&values), 1e-12);
    }
}

#[test]
fn gathers_give_the_numbers_and_gradients_of_einsums() {
    let all = Top2 { second: Second::All, ..Top2::PAPER };
    let gates = [
        Gate::Top1(Explore::Argmax),
        Gate::Top2(all),
        Gate::NoneLeftBehind(3, Explore::Argmax),
        Gate::TopN(3, Weights::NormalizedAfter),
        Gate::Prioritized,
        Gate::ExpertChoice,
    ];
    for gate in gates {
        for seed in 0..5 {
            let values = values(seed);
            let einsum = results(&experts(gate, Exchange::Einsum), &values);
            let gather = results(&experts(gate, Exchange::Gather), &values);
            assert_eq!(einsum.len(), 6);
            einsum.iter().zip(&gather).for_each(|(a, b)| close(a, b, 1e-12));
        }
    }
}

#[test]
fn gradients_are_slopes() {
    let layer = experts(Gate::Top2(Top2 { second: Second::All, ..Top2::PAPER }), Exchange::Einsum);
    let at = values(3);
    let found = results(&layer, &at);
    let loss = |values: &[Vec<f64>]| {
        let found = results(&layer, values);
        found[0].iter().map(|x| x * x).sum::<f64>() + found[1][0]
    };
    for input in 0..4 {
        for element in [0, 5, 11] {
            let moved = |by: f64| {
                let mut values = at.clone();
                values[input][element] += by;
                loss(&values)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            close(&[found[2 + input][element]], &[slope], 1e-5);
        }
    }
}
