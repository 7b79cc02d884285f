//! Routing held against loops over tokens, written from the lines of the papers' algorithms.
//!
//! A case is a group: many of one shape go through one traced call. Gates are multiples of 1/64, so that ties are
//! frequent and sums exact; everything must be equal, the losses up to the order of their sums.

// The references keep the indices of the papers' lines.
#![allow(clippy::needless_range_loop)]

use crate::support;

use meshwright_nn::moe::exchange::Exchange;
use meshwright_nn::moe::route::{self, Balance, Routing, Second, Top2, Weights};
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

/// Ten thousand cases per mode.
const CASES: usize = 10_000;

#[derive(Clone, Copy)]
struct Size {
    groups: usize,
    tokens: usize,
    experts: usize,
    places: usize,
}

struct Case {
    size: Size,
    gates: Vec<f64>,
    chance: Vec<f64>,
    real: Vec<f64>,
    chosen: Vec<f64>,
}

/// What a reference says of one group.
#[derive(Clone, Debug, PartialEq)]
struct Fates {
    combine: Vec<f64>,
    dispatch: Vec<f64>,
    routed: Vec<f64>,
    dropped: Vec<f64>,
    unused: Vec<f64>,
    loss: f64,
}

impl Fates {
    fn new(size: Size) -> Fates {
        let none = vec![0.0; size.tokens * size.experts * size.places];
        let nobody = vec![0.0; size.experts];
        Fates {
            combine: none.clone(),
            dispatch: none,
            routed: nobody.clone(),
            dropped: nobody.clone(),
            unused: nobody,
            loss: 0.0,
        }
    }

    fn give(&mut self, size: Size, token: usize, expert: usize, place: usize, weight: f64) {
        let at = (token * size.experts + expert) * size.places + place;
        self.combine[at] = weight;
        self.dispatch[at] = 1.0;
        self.routed[expert] += 1.0;
    }
}

/// Gates, chances and padding of one group.
struct Group<'a> {
    gates: &'a [f64],
    chance: &'a [f64],
    real: &'a [f64],
    chosen: &'a [f64],
}

impl Case {
    fn group(&self, at: usize) -> Group<'_> {
        let (s, e) = (self.size.tokens, self.size.experts);
        let rows = at * s..(at + 1) * s;
        Group {
            gates: &self.gates[at * s * e..(at + 1) * s * e],
            chance: &self.chance[rows.clone()],
            real: &self.real[rows.clone()],
            chosen: &self.chosen[rows],
        }
    }
}

/// The largest gates in order; of equal ones the lower expert first.
fn ranked(gates: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gates.len()).collect();
    order.sort_by(|a, b| gates[*b].total_cmp(&gates[*a]));
    order
}

fn mean_gates(size: Size, group: &Group) -> Vec<f64> {
    let mut m = vec![0.0; size.experts];
    for s in 0..size.tokens {
        for e in 0..size.experts {
            m[e] += group.real[s] * group.gates[s * size.experts + e];
        }
    }
    m.iter().map(|sum| sum / size.tokens as f64).collect()
}

/// By its share in both gates, and by itself.
fn uses_second(second: Second, g2: f64, raw: f64, chance: f64) -> bool {
    match second {
        Second::Random(threshold) => g2 / threshold > chance,
        Second::RandomGate(threshold) => raw / threshold > chance,
        Second::Sampled => panic!("it is another expert, and no reference of this kind has it"),
        Second::Above(threshold) => g2 > threshold,
        Second::All => true,
        Second::None => false,
    }
}

/// Algorithm 1 of GShard; where an option departs from it, the line says so.
fn algorithm_1(size: Size, group: &Group, options: &Top2) -> Fates {
    let mut out = Fates::new(size);
    let mut c = vec![0usize; size.experts]; // (1)
    let m = mean_gates(size, group); // (3)
    let mut given: Vec<[Option<(usize, usize, f64)>; 2]> = vec![[None; 2]; size.tokens];
    for s in 0..size.tokens {
        if group.real[s] == 0.0 {
            continue;
        }
        let g = &group.gates[s * size.experts..(s + 1) * size.experts];
        let order = ranked(g);
        let (e1, e2) = (order[0], order[1]); // (5)
        let g1 = match options.weights {
            Weights::NormalizedBefore => g[e1] / (g[e1] + g[e2]), // (6)
            _ => g[e1],
        };
        if c[e1] < size.places {
            given[s][0] = Some((e1, c[e1], g1)); // (8), (9)
        } else {
            out.dropped[e1] += 1.0;
        }
        c[e1] += 1; // (11)
    }
    let sum: f64 = (0..size.experts).map(|e| c[e] as f64 / size.tokens as f64 * m[e]).sum();
    out.loss = match options.balance {
        Balance::GShard => sum / size.experts as f64, // (13)
        Balance::Switch => sum * size.experts as f64,
    };
    for s in 0..size.tokens {
        if group.real[s] == 0.0 {
            continue;
        }
        let g = &group.gates[s * size.experts..(s + 1) * size.experts];
        let order = ranked(g);
        let (e1, e2) = (order[0], order[1]); // (15)
        let share = g[e2] / (g[e1] + g[e2]); // (16)
        let g2 = if options.weights == Weights::NormalizedBefore { share } else { g[e2] };
        let used = uses_second(options.second, share, g[e2], group.chance[s]); // (17), (19)
        if !used {
            out.unused[e2] += 1.0;
        } else if c[e2] < size.places {
            given[s][1] = Some((e2, c[e2], g2)); // (20)
        } else {
            out.dropped[e2] += 1.0;
        }
        if used || options.unused_take_places {
            c[e2] += 1; // (22)
        }
    }
    for (s, given) in given.iter().enumerate() {
        let left: f64 = given.iter().flatten().map(|(.., weight)| *weight).sum();
        for (e, place, weight) in given.iter().flatten() {
            let even = options.weights == Weights::NormalizedAfter && left > 0.0;
            out.give(size, s, *e, *place, if even { weight / left } else { *weight });
        }
    }
    out
}

/// Switch Transformer 2.1 and 2.2: one expert, raw gate, loss before dropping.
fn switch(size: Size, group: &Group, sampled: bool) -> Fates {
    let mut out = Fates::new(size);
    let mut c = vec![0usize; size.experts];
    let p = mean_gates(size, group);
    for s in 0..size.tokens {
        if group.real[s] == 0.0 {
            continue;
        }
        let g = &group.gates[s * size.experts..(s + 1) * size.experts];
        let e = if sampled { group.chosen[s] as usize } else { ranked(g)[0] };
        if c[e] < size.places {
            out.give(size, s, e, c[e], g[e]);
        } else {
            out.dropped[e] += 1.0;
        }
        c[e] += 1;
    }
    let f = |e: usize| c[e] as f64 / size.tokens as f64;
    out.loss = size.experts as f64 * (0..size.experts).map(|e| f(e) * p[e]).sum::<f64>();
    out
}

/// Whoever has the larger gate is seated first.
fn by_gate(size: Size, group: &Group) -> Fates {
    let mut out = Fates::new(size);
    let gates = |s: usize| &group.gates[s * size.experts..(s + 1) * size.experts];
    let best = |s: usize| ranked(gates(s))[0];
    let p = mean_gates(size, group);
    let mut chose = vec![0usize; size.experts];
    for s in (0..size.tokens).filter(|s| group.real[*s] != 0.0) {
        let e = best(s);
        chose[e] += 1;
        let before = |other: &usize| {
            let (mine, theirs) = (gates(s)[e], gates(*other)[e]);
            theirs > mine || theirs == mine && *other < s
        };
        let rivals = (0..size.tokens).filter(|other| group.real[*other] != 0.0 && best(*other) == e);
        let place = rivals.filter(before).count();
        if place < size.places {
            out.give(size, s, e, place, gates(s)[e]);
        } else {
            out.dropped[e] += 1.0;
        }
    }
    let f = |e: usize| chose[e] as f64 / size.tokens as f64;
    out.loss = size.experts as f64 * (0..size.experts).map(|e| f(e) * p[e]).sum::<f64>();
    out
}

/// Choice after choice over all tokens, one counter per expert.
fn choice_by_choice(size: Size, group: &Group, n: usize, normalized: bool) -> Fates {
    let mut out = Fates::new(size);
    let mut c = vec![0usize; size.experts];
    let m = mean_gates(size, group);
    for choice in 0..n {
        for s in 0..size.tokens {
            if group.real[s] == 0.0 {
                continue;
            }
            let g = &group.gates[s * size.experts..(s + 1) * size.experts];
            let order = ranked(g);
            let e = order[choice];
            let mut sum = g[order[0]];
            for other in &order[1..n] {
                sum += g[*other];
            }
            let weight = if normalized { g[e] / sum } else { g[e] };
            if c[e] < size.places {
                out.give(size, s, e, c[e], weight);
            } else {
                out.dropped[e] += 1.0;
            }
            c[e] += 1;
        }
        if choice == 0 {
            let f = |e: usize| c[e] as f64 / size.tokens as f64;
            out.loss = size.experts as f64 * (0..size.experts).map(|e| f(e) * m[e]).sum::<f64>();
        }
    }
    out
}

/// Appendix B of the Switch Transformer: whoever found no place tries the next best expert.
fn left_behind(size: Size, group: &Group, stages: usize) -> Fates {
    let mut out = Fates::new(size);
    let mut c = vec![0usize; size.experts];
    let mut waiting: Vec<bool> = group.real.iter().map(|real| *real != 0.0).collect();
    let m = mean_gates(size, group);
    for stage in 0..stages {
        for s in 0..size.tokens {
            if !waiting[s] {
                continue;
            }
            let g = &group.gates[s * size.experts..(s + 1) * size.experts];
            let e = ranked(g)[stage];
            if c[e] < size.places {
                out.give(size, s, e, c[e], g[e]);
                waiting[s] = false;
            } else if stage + 1 == stages {
                out.dropped[e] += 1.0;
            }
            c[e] += 1;
        }
        if stage == 0 {
            let f = |e: usize| c[e] as f64 / size.tokens as f64;
            out.loss = size.experts as f64 * (0..size.experts).map(|e| f(e) * m[e]).sum::<f64>();
        }
    }
    out
}

/// Experts that choose their tokens (Zhou et al. 2022, section 3.2): each the ones with the largest gates.
fn experts_choose(size: Size, group: &Group) -> Fates {
    let mut out = Fates::new(size);
    for e in 0..size.experts {
        let gate = |s: usize| group.gates[s * size.experts + e];
        let mut tokens: Vec<usize> = (0..size.tokens).filter(|s| group.real[*s] != 0.0).collect();
        tokens.sort_by(|a, b| gate(*b).total_cmp(&gate(*a)));
        let share = (tokens.len() * size.places).div_ceil(size.tokens);
        for (place, s) in tokens.into_iter().take(share).enumerate() {
            out.give(size, s, e, place, gate(s));
        }
    }
    out
}

/// Groups of every kind: random, few distinct gates, all tokens to one expert, no tokens, padding here and there.
fn case(size: Size, random: &mut Random) -> Case {
    let (mut gates, mut chance, mut real, mut chosen) = (vec![], vec![], vec![], vec![]);
    for _ in 0..size.groups {
        let kind = random.below(6);
        let favourite = random.below(size.experts);
        let steps = if kind == 1 { 2 } else { 64 };
        for _ in 0..size.tokens {
            for e in 0..size.experts {
                let gate = 1 + random.below(steps);
                gates.push(if kind == 2 && e == favourite { 2.0 } else { gate as f64 / 64.0 });
            }
            chance.push(random.unit());
            chosen.push(if kind == 2 { favourite } else { random.below(size.experts) } as f64);
            real.push(match kind {
                3 => 0.0,
                4 => random.below(2) as f64,
                _ => 1.0,
            });
        }
    }
    Case { size, gates, chance, real, chosen }
}

struct Draws {
    gates: Tensor,
    chance: Tensor,
    real: Tensor,
    chosen: Tensor,
}

fn compare(
    name: &str,
    least_experts: usize,
    traced: impl Fn(&Draws, i64) -> Routing,
    naive: impl Fn(Size, &Group) -> Fates,
) {
    let mut random = Random(name.len() as u64);
    let mut done = 0;
    while done < CASES {
        let size = Size {
            groups: 500,
            tokens: 1 + random.below(9),
            experts: least_experts + random.below(5),
            places: if random.below(3) == 0 { 1 } else { 1 + random.below(5) },
        };
        check(&case(size, &mut random), &traced, &naive);
        done += size.groups;
    }
}

fn check(case: &Case, traced: impl Fn(&Draws, i64) -> Routing, naive: impl Fn(Size, &Group) -> Fates) {
    let size = case.size;
    let (g, s, e, c) = (size.groups, size.tokens, size.experts, size.places);
    let program = trace("route", |t| {
        let draws = Draws {
            gates: t.input("gates", f64, [g, s, e]),
            chance: t.input("chance", f64, [g, s]),
            real: t.input("real", pred, [g, s]),
            chosen: t.input("chosen", i32, [g, s]),
        };
        let routing = traced(&draws, c as i64);
        let x = t.input("x", f64, [g, s, 2]);
        let moved = [Exchange::Einsum, Exchange::Gather].map(|exchange| {
            let sent = exchange.send(x, &routing);
            // What experts do differs from place to place.
            let made = sent * 3.0 + iota(f64, sent.dims(), 0) + iota(f64, sent.dims(), 2) * 5.0;
            (sent, exchange.bring(made, &routing))
        });
        (routing.combine, routing.dispatch, routing.balance_loss, routing.counts, moved)
    });
    let program = program.expect("routing traces");
    let x: Vec<f64> = (0..g * s * 2).map(|at| (at % 23) as f64 - 11.0).collect();
    let inputs: [(&str, &[f64]); 5] = [
        ("gates", &case.gates),
        ("chance", &case.chance),
        ("real", &case.real),
        ("chosen", &case.chosen),
        ("x", &x),
    ];
    let found = run(&program, &inputs);
    let fates: Vec<Fates> = (0..g).map(|at| naive(size, &case.group(at))).collect();
    let joined =
        |part: fn(&Fates) -> &Vec<f64>| fates.iter().flat_map(|one| part(one).clone()).collect::<Vec<_>>();
    assert_eq!(found[0], joined(|one| &one.combine), "weights");
    assert_eq!(found[1], joined(|one| &one.dispatch), "places");
    let loss = fates.iter().map(|one| one.loss).sum::<f64>() / g as f64;
    close(&found[2], &[loss], 1e-13);
    let routed = joined(|one| &one.routed);
    let empty: Vec<f64> = routed.iter().map(|n| c as f64 - n).collect();
    assert_eq!(found[3], routed, "routed");
    assert_eq!(found[4], joined(|one| &one.dropped), "dropped");
    assert_eq!(found[5], joined(|one| &one.unused), "unused");
    assert_eq!(found[6], empty, "empty");
    assert_eq!(found[7], found[9], "sent by masks and by index");
    close(&found[8], &found[10], 1e-13);
}

fn compare_top2(name: &str, options: Top2) {
    let traced = |draws: &Draws, places: i64| {
        route::top2(draws.gates, places, &options, Some(draws.chance), Some(draws.real))
    };
    compare(name, 2, traced, |size, group| algorithm_1(size, group, &options));
}

#[test]
fn gshard_is_algorithm_1() {
    // Said again here, so that the reference does not follow the constant.
    let lines = Top2 {
        weights: Weights::NormalizedBefore,
        second: Second::Random(0.5),
        unused_take_places: true,
        balance: Balance::GShard,
    };
    let traced = |draws: &Draws, places: i64| {
        route::top2(draws.gates, places, &Top2::PAPER, Some(draws.chance), Some(draws.real))
    };
    compare("paper", 2, traced, |size, group| algorithm_1(size, group, &lines));
}

#[test]
fn gshard_as_in_the_authors_code() {
    compare_top2("code", Top2::CODE);
}

#[test]
fn second_choices_by_threshold_with_raw_gates() {
    let second = Second::Above(0.4);
    compare_top2("threshold", Top2 { weights: Weights::Raw, second, ..Top2::CODE });
}

#[test]
fn weights_normalized_after_dropping() {
    let second = Second::All;
    compare_top2("after drops", Top2 { weights: Weights::NormalizedAfter, second, ..Top2::CODE });
}

#[test]
fn second_choices_by_the_gate_itself() {
    let second = Second::RandomGate(0.5);
    compare_top2("gate", Top2 { weights: Weights::NormalizedAfter, second, ..Top2::CODE });
}

/// Second experts that chance picks are as often each of the others as their gates say, and never the first; without
/// chance they are the best of the others.
#[test]
fn a_second_expert_that_is_drawn_comes_by_its_gate() {
    let (tokens, gates) = (20_000, [0.1, 0.45, 0.3, 0.15]);
    let options = Top2 { second: Second::Sampled, ..Top2::CODE };
    assert_eq!(options.second.chances(4), [4]);
    for is_drawn in [true, false] {
        let program = trace("drawn", |t| {
            let gates = t.input("gates", f64, [tokens / 10, 10, 4]);
            let chance = Key::seed(5).uniform(f64, [tokens / 10, 10, 4]);
            let routing = route::top2(gates, 10, &options, is_drawn.then_some(chance), None);
            routing.choices[1].expert
        });
        let rows: Vec<f64> = gates.iter().copied().cycle().take(tokens as usize * 4).collect();
        let found = run(&program.unwrap(), &[("gates", &rows)]).remove(0);
        let share = |expert: f64| found.iter().filter(|x| **x == expert).count() as f64 / tokens as f64;
        let expected =
            if is_drawn { [0.1, 0.0, 0.3, 0.15].map(|gate| gate / 0.55) } else { [0.0, 0.0, 1.0, 0.0] };
        for (expert, expected) in expected.into_iter().enumerate() {
            let found = share(expert as f64);
            assert!(
                (found - expected).abs() < 0.012 && (expected > 0.0 || found == 0.0),
                "{expert}: {found} {expected}"
            );
        }
    }
}

#[test]
fn no_second_choices() {
    compare_top2("no second", Top2 { second: Second::None, ..Top2::PAPER });
}

#[test]
fn switch_takes_the_best_with_its_raw_gate() {
    let traced = |draws: &Draws, places| route::top1(draws.gates, places, None, Some(draws.real));
    compare("switch", 1, traced, |size, group| switch(size, group, false));
}

#[test]
fn switch_with_sampled_experts() {
    let traced =
        |draws: &Draws, places| route::top1(draws.gates, places, Some(draws.chosen), Some(draws.real));
    compare("sampled", 1, traced, |size, group| switch(size, group, true));
}

#[test]
fn larger_gates_first() {
    let traced = |draws: &Draws, places| route::top1_by_gate(draws.gates, places, Some(draws.real));
    compare("by gate", 1, traced, by_gate);
}

#[test]
fn z_loss_is_the_mean_square_of_log_sum_exp() {
    let program = trace("z", |t| route::z_loss(t.input("x", f64, [1, 2, 2])));
    let found = run(&program.expect("traces"), &[("x", &[0.0, 0.0, 1.0, 3.0])]);
    let second = (1f64.exp() + 3f64.exp()).ln();
    close(&found[0], &[(2f64.ln().powi(2) + second.powi(2)) / 2.0], 1e-12);
}

#[test]
fn top_3_normalized() {
    let traced = |draws: &Draws, places| {
        route::top_n(draws.gates, places, 3, Weights::NormalizedBefore, Some(draws.real))
    };
    compare("top three", 3, traced, |size, group| choice_by_choice(size, group, 3, true));
}

#[test]
fn no_token_left_behind() {
    let traced = |draws: &Draws, places| route::none_left_behind(draws.gates, places, 3, Some(draws.real));
    compare("left behind", 3, traced, |size, group| left_behind(size, group, 3));
}

#[test]
fn experts_choose_their_tokens() {
    let traced = |draws: &Draws, places| route::expert_choice(draws.gates, places, Some(draws.real));
    compare("choice", 1, traced, experts_choose);
}

#[test]
fn uniform_gates_lose_what_the_papers_say() {
    let program = trace("uniform", |_| {
        let gates = full(f64, [2, 4, 4], 0.25) + eye(f64, 4) * 1e-12;
        let switch = route::top1(gates, 2, None, None).balance_loss;
        (switch, route::top2(gates, 2, &Top2::PAPER, None, None).balance_loss)
    });
    let found = run(&program.expect("traces"), &[]);
    close(&found[0], &[1.0], 1e-9);
    close(&found[1], &[1.0 / 16.0], 1e-9);
}
