//! What the layers of experts can do beside the papers' main form, held against loops: capacities, the dropless
//! exchange, attention of experts, exploration.

#![allow(clippy::needless_range_loop)]

use crate::support;

use meshwright_ir::DType;
use meshwright_nn::layers::attention::{Attention, Mask};
use meshwright_nn::layers::ffn::Activation;
use meshwright_nn::moe::attention::{Projection, SwitchAttention};
use meshwright_nn::moe::capacity::Capacity;
use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::moe::layer::Experts;
use meshwright_nn::moe::route::{self, Second, Top2, Weights};
use meshwright_nn::moe::router::{Explore, Gate, Precision, Router};
use meshwright_nn::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

/// Ten thousand cases of each.
const CASES: usize = 10_000;

fn router(gate: Gate, exchange: Exchange) -> Router {
    Router {
        path: "m".to_string(),
        model: 2,
        experts: 3,
        groups: 1,
        gate,
        capacity: Capacity::Switch(1.25),
        exchange,
        precision: Precision::Selective,
        scale: 1.0,
    }
}

/// Rounding by whole numbers alone. Factors are of quarters.
fn naive_capacity(which: usize, quarters: i64, tokens: i64, experts: i64, choices: i64) -> i64 {
    let up = |a: i64, b: i64| (a + b - 1) / b;
    let places = match which {
        0 => up(2 * tokens, experts),
        1 => up(tokens * quarters, 4 * experts),
        2 => (tokens * quarters / (4 * experts)).min(tokens).max(4),
        3 => up(tokens * quarters / (4 * experts), 4) * 4,
        4 => {
            let (whole, rest) = (tokens * quarters / (4 * experts), tokens * quarters % (4 * experts));
            let near = match (2 * rest).cmp(&(4 * experts)) {
                std::cmp::Ordering::Less => whole,
                std::cmp::Ordering::Greater => whole + 1,
                std::cmp::Ordering::Equal => whole + whole % 2,
            };
            near.max(4)
        }
        5 => up(choices * tokens * quarters, 4 * experts),
        6 => tokens,
        7 => up(up(tokens, experts) * quarters * choices, 4),
        _ => quarters,
    };
    places.max(1)
}

#[test]
fn capacities_round_as_whole_numbers_do() {
    let mut random = Random(1);
    for case in 0..8 * CASES {
        let [quarters, tokens, experts, choices] =
            [12, 3_000, 300, 4].map(|end| 1 + random.below(end) as i64);
        let factor = quarters as f64 / 4.0;
        let capacity = [
            Capacity::GShard,
            Capacity::Switch(factor),
            Capacity::MeshTensorflow(factor),
            Capacity::Praxis(factor),
            Capacity::Flaxformer(factor),
            Capacity::PerChoice(factor),
            Capacity::Unlimited,
            Capacity::Fairseq(factor),
            Capacity::Fixed(quarters),
        ][case % 9];
        let naive = naive_capacity(case % 9, quarters, tokens, experts, choices);
        assert_eq!(
            capacity.places(tokens, experts, choices),
            naive,
            "{capacity:?} {tokens} {experts} {choices}"
        );
    }
}

/// Gates in sixty-fourths: ties, favourites, padding.
fn draw_gates(groups: usize, tokens: usize, experts: usize, random: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let (mut gates, mut real) = (Vec::new(), Vec::new());
    for _ in 0..groups {
        let (kind, favourite) = (random.below(5), random.below(experts));
        for _ in 0..tokens {
            for e in 0..experts {
                let gate = (1 + random.below(if kind == 1 { 2 } else { 64 })) as f64 / 64.0;
                gates.push(if kind == 2 && e == favourite { 2.0 } else { gate });
            }
            real.push(if kind == 3 { 0.0 } else { f64::from(u8::from(kind != 4 || random.below(2) == 0)) });
        }
    }
    (gates, real)
}

#[test]
fn sorted_rows_meet_the_experts_of_their_tokens() {
    let mut random = Random(2);
    for _ in 0..CASES / 500 {
        let (groups, tokens, experts) = (500, 1 + random.below(8), 2 + random.below(4));
        let (choices, block) = (1 + random.below(2), 1 + random.below(5) as i64);
        let (gates, real) = draw_gates(groups, tokens, experts, &mut random);
        let mut whole = |count: usize| (0..count).map(|_| random.below(9) as f64 - 4.0).collect::<Vec<f64>>();
        let (x, w) = (whole(groups * tokens * 2), whole(experts * 2 * 3));
        let program = trace("sorted", |t| {
            let gates = t.input("gates", f64, [groups, tokens, experts]);
            let real = t.input("real", pred, [groups, tokens]);
            let (x, w) = (t.input("x", f64, [groups, tokens, 2]), t.input("w", f64, [experts, 2, 3]));
            let routing = route::top_n(gates, tokens as i64, choices, Weights::Raw, Some(real));
            let sorted = Router {
                experts: experts as i64,
                ..router(Gate::TopN(choices, Weights::Raw), Exchange::Sorted { block })
            };
            sorted.visit(x, &routing, |sent| sent.times(w))
        });
        let inputs: [(&str, &[f64]); 4] = [("gates", &gates), ("real", &real), ("x", &x), ("w", &w)];
        let found = run(&program.expect("it traces"), &inputs);
        let mut naive = vec![0.0; groups * tokens * 3];
        for token in (0..groups * tokens).filter(|token| real[*token] != 0.0) {
            let gates = &gates[token * experts..][..experts];
            let mut order: Vec<usize> = (0..experts).collect();
            order.sort_by(|a, b| gates[*b].total_cmp(&gates[*a]));
            for e in &order[..choices] {
                for n in 0..3 {
                    let made: f64 = (0..2).map(|m| x[token * 2 + m] * w[(e * 2 + m) * 3 + n]).sum();
                    naive[token * 3 + n] += gates[*e] * made;
                }
            }
        }
        close(&found[0], &naive, 1e-13);
    }
}

fn attention(experts: usize, projection: Projection, exchange: Exchange, groups: usize) -> SwitchAttention {
    let attention = Attention { scaled: false, ..Attention::new("a", 2, 2, 1) };
    SwitchAttention {
        attention,
        experts: experts as i64,
        groups: groups as i64,
        gate: Gate::Top1(Explore::Argmax),
        capacity: Capacity::Fixed(2),
        exchange,
        precision: Precision::Selective,
        projection,
    }
}

/// Every parameter of a layer in small whole numbers, and its program's results.
fn with_whole_weights<R: Tree>(
    specs: &Specs,
    x: (&[f64], [usize; 3]),
    random: &mut Random,
    apply: impl FnOnce(Tensor, &Params) -> R,
) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let program = trace("layer", |t| apply(t.input("x", f64, x.1), &specs.params(t, "p", f64)));
    let program = program.expect("it traces");
    let mut names = vec!["x".to_string()];
    let mut values = vec![x.0.to_vec()];
    for spec in &specs.list {
        let count: i64 = spec.sizes().iter().product();
        names.push(format!("p.{}", spec.name));
        values.push((0..count).map(|_| random.below(3) as f64 - 1.0).collect());
    }
    let inputs: Vec<(&str, &[f64])> =
        names.iter().map(String::as_str).zip(values.iter().map(Vec::as_slice)).collect();
    let found = run(&program, &inputs);
    (found, values.split_off(1))
}

/// One side of a group's experts, by loops: the best expert if it has one of its two places left, with its raw gate.
fn project(
    x: &[f64],
    router: &[f64],
    experts: usize,
    expert: &dyn Fn(usize, &[f64]) -> Vec<f64>,
) -> Vec<f64> {
    let mut seated = vec![0; experts];
    let mut out = Vec::new();
    for token in x.chunks(2) {
        let logits: Vec<f64> =
            (0..experts).map(|e| token[0] * router[e] + token[1] * router[experts + e]).collect();
        let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
        let mut best = 0;
        for e in 1..experts {
            if logits[e] > logits[best] {
                best = e;
            }
        }
        seated[best] += 1;
        let weight = if seated[best] <= 2 { logits[best].exp() / sum } else { 0.0 };
        out.extend(expert(best, token).into_iter().map(|y| weight * y));
    }
    out
}

fn linear(w: &[f64], e: usize, x: &[f64], columns: usize) -> Vec<f64> {
    let rows = x.len();
    (0..columns).map(|n| (0..rows).map(|m| x[m] * w[(e * rows + m) * columns + n]).sum()).collect()
}

/// Figure 10: queries from one set of experts, keys and values, the same, from another.
fn naive_attention(x: &[f64], p: &[Vec<f64>], experts: usize, ffn: bool) -> Vec<f64> {
    let tokens = x.len() / 2;
    let side = |first: usize| {
        let expert = |e: usize, x: &[f64]| {
            if ffn {
                let inner: Vec<f64> = linear(&p[first + 1], e, x, 3).iter().map(|x| x.max(0.0)).collect();
                linear(&p[first + 2], e, &inner, 2)
            } else {
                linear(&p[first + 1], e, x, 2)
            }
        };
        project(x, &p[first], experts, &expert)
    };
    let (q, kv) = (side(0), side(if ffn { 3 } else { 2 }));
    let out = &p[p.len() - 1];
    let mut result = vec![0.0; x.len()];
    for i in 0..tokens {
        for h in 0..2 {
            let chance = |j: usize| (q[i * 2 + h] * kv[j * 2 + h]).exp();
            let sum: f64 = (0..=i).map(chance).sum();
            let seen: f64 = (0..=i).map(|j| chance(j) / sum * kv[j * 2 + h]).sum();
            for m in 0..2 {
                result[i * 2 + m] += seen * out[h * 2 + m];
            }
        }
    }
    result
}

#[test]
fn attention_of_experts_is_figure_10() {
    let mut random = Random(3);
    for round in 0..2 * CASES / 500 {
        let (rows, length, experts) = (500, 1 + random.below(5), 1 + random.below(3));
        let ffn = round % 2 == 1;
        let projection = if ffn { Projection::Ffn(3) } else { Projection::Linear };
        let exchange = if round % 3 == 0 { Exchange::Gather } else { Exchange::Einsum };
        let layer = attention(experts, projection, exchange, rows);
        let mut specs = Specs::default();
        layer.declare(&mut specs);
        let x: Vec<f64> = (0..rows * length * 2).map(|_| random.below(5) as f64 - 2.0).collect();
        let mask = Mask { causal: true, ..Mask::default() };
        let (found, p) = with_whole_weights(&specs, (&x, [rows, length, 2]), &mut random, |x, p| {
            layer.apply(p, x, mask, None, None, None).0
        });
        let naive: Vec<f64> =
            x.chunks(length * 2).flat_map(|row| naive_attention(row, &p, experts, ffn)).collect();
        close(&found[0], &naive, 1e-12);
    }
}

#[test]
fn jitter_and_input_dropout_change_what_the_router_reads_and_no_more() {
    explores(Gate::Top1);
    explores(|explore| Gate::NoneLeftBehind(2, explore));
}

/// An identity for a router: logits are its input. Input of ones.
fn explores(gate: impl Fn(Explore) -> Gate) {
    let read = |explore: Explore, key: Option<u64>| {
        let program = trace("explore", |_| {
            let one = Router { model: 3, ..router(gate(explore), Exchange::Einsum) };
            let p = Params { list: vec![("m.router".to_string(), eye(f32, 3))] };
            one.logits(&p, ones(bf16, [50, 80, 3]), key.map(Key::seed))
        });
        run(&program.expect("it traces"), &[]).remove(0)
    };
    assert!(read(Explore::Argmax, Some(1)).iter().all(|x| *x == 1.0));
    assert!(read(Explore::Jitter(0.1), None).iter().all(|x| *x == 1.0));
    assert!(read(Explore::InputDropout(0.1), None).iter().all(|x| *x == 1.0));
    let jittered = read(Explore::Jitter(0.01), Some(1));
    assert!(jittered.iter().all(|x| (0.99 - 1e-6..=1.01 + 1e-6).contains(x)));
    let mean = jittered.iter().sum::<f64>() / jittered.len() as f64;
    let spread = jittered.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / jittered.len() as f64;
    assert!(
        (mean - 1.0).abs() < 5e-4 && (spread.sqrt() - 0.01 / 3f64.sqrt()).abs() < 3e-4,
        "{mean} {spread}"
    );
    // Figure 15 adds to logits instead, each its own.
    assert!(read(Explore::LogitJitter(0.1), None).iter().all(|x| *x == 1.0));
    let added = read(Explore::LogitJitter(0.01), Some(1));
    assert!(added.iter().all(|x| (1.99 - 1e-6..=2.01 + 1e-6).contains(x)));
    let mean = added.iter().sum::<f64>() / added.len() as f64;
    assert!((mean - 2.0).abs() < 5e-4 && added.iter().any(|x| *x > 2.009), "{mean}");
    let dropped = read(Explore::InputDropout(0.1), Some(1));
    let zeros = dropped.iter().filter(|x| **x == 0.0).count() as f64 / dropped.len() as f64;
    assert!((zeros - 0.1).abs() < 0.01 && dropped.iter().all(|x| *x == 0.0 || (x - 1.0 / 0.9).abs() < 1e-6));
}

#[test]
fn sampled_experts_follow_the_softmax() {
    let program = trace("sample", |_| {
        let one = router(Gate::Top1(Explore::Sample), Exchange::Einsum);
        // Logits 0, ln 2, ln 3 for every token: chances 1/6, 2/6, 3/6.
        let logits = [0.0, 2f64.ln(), 3f64.ln(), 0.0, 0.0, 0.0];
        let p = Params { list: vec![("m.router".to_string(), constant(f64, [2, 3], &logits))] };
        let x = constant(f64, [2], &[1.0, 0.0]).broadcast_to([10, 600, 2]);
        let sorted = Router { exchange: Exchange::Sorted { block: 8 }, ..one };
        sorted.route(&p, x, None, Some(Key::seed(4))).counts.routed.sum(0)
    });
    let counts = run(&program.expect("it traces"), &[]).remove(0);
    for (count, expected) in counts.iter().zip([1_000.0, 2_000.0, 3_000.0]) {
        assert!((count - expected).abs() < 150.0, "{counts:?}");
    }
}

#[test]
fn a_router_works_in_f32_or_as_narrow_as_activations_are() {
    for (precision, of_router) in [(Precision::Selective, f32), (Precision::Activations, bf16)] {
        works_in(precision, of_router);
    }
}

fn works_in(precision: Precision, of_router: DType) {
    let layer = Experts {
        path: "m".to_string(),
        model: 4,
        hidden: 5,
        experts: 3,
        groups: 2,
        gate: Gate::Top2(Top2 { second: Second::All, ..Top2::PAPER }),
        capacity: Capacity::GShard,
        exchange: Exchange::Einsum,
        precision,
        activation: Activation::Relu,
        dropout: 0.0,
        scale: 1.0,
        biases: false,
        masking: 0.0,
    };
    let mut specs = Specs::default();
    layer.declare(&mut specs);
    let mut seen = Vec::new();
    let program = trace("precision", |t| {
        let p = specs.params(t, "p", f32);
        let (out, routing) = layer.apply(&p, t.input("x", bf16, [2, 6, 4]), None, None);
        seen = vec![out.dtype(), routing.combine.dtype(), routing.balance_loss.dtype()];
        (out, routing.balance_loss)
    });
    assert_eq!(seen, [bf16, of_router, of_router]);
    // What has places, experts and model or hidden dims is what travels and what experts compute.
    let module = program.expect("it traces").into_module();
    let main = module.main();
    let mut travels = 0;
    for inst in main.insts_in_order() {
        for value in &main.inst(inst).results {
            let ty = main.ty(*value).as_tensor().expect("a tensor");
            if ty.dims.len() == 4 && [4, 5].contains(&ty.dims[3]) && ty.dims[0] == 3 {
                assert_eq!(ty.dtype, bf16, "{ty}");
                travels += 1;
            }
            // Only parameters are wider than a router that is as narrow as activations.
            let is_parameter = [vec![4, 3], vec![3, 4, 5], vec![3, 5, 4]].contains(&ty.dims.to_vec());
            assert!(ty.dtype != f32 || of_router == f32 || is_parameter, "{ty}");
        }
    }
    assert!(travels >= 4, "{travels}");
}

#[test]
fn expert_dropout_is_inside_of_experts() {
    let layer = |dropout: f64| Experts {
        path: "m".to_string(),
        model: 1,
        hidden: 1,
        experts: 2,
        groups: 1,
        gate: Gate::Top1(Explore::Argmax),
        capacity: Capacity::Unlimited,
        exchange: Exchange::Einsum,
        precision: Precision::Selective,
        activation: Activation::Relu,
        dropout,
        scale: 1.0,
        biases: false,
        masking: 0.0,
    };
    let program = trace("dropout", |_| {
        let weights = |name: &str, value: f64, dims: &[i64]| (format!("m.{name}"), full(f64, dims, value));
        let list = vec![
            weights("router", 0.0, &[1, 2]),
            weights("wi", 2.0, &[2, 1, 1]),
            weights("wo", 3.0, &[2, 1, 1]),
        ];
        let (p, x) = (Params { list }, ones(f64, [1, 400, 1]));
        let of = |dropout, key: Option<Key>| layer(dropout).apply(&p, x, None, key).0;
        (of(0.4, Some(Key::seed(1))), of(0.4, None))
    });
    let found = run(&program.expect("it traces"), &[]);
    // Half the softmax, 2 in, 3 out; kept values are scaled up.
    let kept = 0.5 * 2.0 * 3.0 / 0.6;
    assert!(found[0].iter().all(|x| *x == 0.0 || (x - kept).abs() < 1e-12));
    let dropped = found[0].iter().filter(|x| **x == 0.0).count();
    assert!((120..200).contains(&dropped), "{dropped}");
    assert!(found[1].iter().all(|x| (x - 3.0).abs() < 1e-12));
}
