//! Optimizers held against plain loops over numbers.

use crate::support;

use meshwright_nn::init::Init;
use meshwright_nn::optim::adafactor::Adafactor;
use meshwright_nn::optim::leaf::Leaf;
use meshwright_nn::optim::schedule::Schedule;
use meshwright_nn::optim::{Optimizer, clip};
use meshwright_nn::params::Spec;
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

const STEPS: usize = 4;

fn spec(dims: &[(&'static str, i64)]) -> Spec {
    Spec { name: "w".to_string(), dims: dims.to_vec(), init: Init::Ones, is_statistic: false }
}

/// A step of a reference: changes the parameter by the gradient at a step.
type Step<'a> = &'a mut dyn FnMut(&mut [f64], &[f64], f64);

/// Four steps with random gradients; the parameter after each, ours and the reference's.
fn compare(optimizer: Optimizer, spec: &Spec, naive: Step<'_>) {
    let program = trace("update", |t| {
        let (w, g) = (t.input("w", f64, &spec.dims), t.input("g", f64, &spec.dims));
        let step = t.input("step", f64, ());
        let states = optimizer.states(t, "w", &w);
        let (w, states) = optimizer.step("w", &w, &g, &states, step);
        [vec![("w".to_string(), w)], states.list].concat()
    });
    let program = program.expect("an update traces");
    let mut random = Random(7);
    let count: i64 = spec.sizes().iter().product();
    let mut draw = || (0..count).map(|_| random.unit() * 2.0 - 1.0).collect::<Vec<f64>>();
    let (mut ours, mut states) = (draw(), Vec::new());
    let mut theirs = ours.clone();
    for input in &program.inputs()[3..] {
        states.push((input.name.to_string(), vec![0.0; input.ty.elements() as usize]));
    }
    for step in 1..=STEPS {
        let (gradient, at) = (draw(), [step as f64]);
        let mut inputs: Vec<(&str, &[f64])> = vec![("w", &ours), ("g", &gradient), ("step", &at)];
        inputs.extend(states.iter().map(|(name, values)| (name.as_str(), values.as_slice())));
        let mut found = run(&program, &inputs).into_iter();
        ours = found.next().expect("a parameter");
        states.iter_mut().zip(found).for_each(|(state, new)| state.1 = new);
        naive(&mut theirs, &gradient, step as f64);
        close(&ours, &theirs, 1e-12);
    }
}

#[test]
fn gradient_descent_with_and_without_momentum() {
    let spec = spec(&[("model", 5)]);
    compare(Optimizer::sgd(0.1, 0.0), &spec, &mut |w, g, _| {
        w.iter_mut().zip(g).for_each(|(w, g)| *w -= 0.1 * g);
    });
    let mut v = [0.0; 5];
    compare(Optimizer::sgd(0.1, 0.9), &spec, &mut |w, g, _| {
        for i in 0..5 {
            v[i] = 0.9 * v[i] + g[i];
            w[i] -= 0.1 * v[i];
        }
    });
}

#[test]
fn adam_with_decay() {
    let (mut m, mut v) = ([0.0; 6], [0.0; 6]);
    compare(Optimizer::adamw(0.1, 0.01), &spec(&[("model", 2), ("hidden", 3)]), &mut |w, g, step| {
        for i in 0..6 {
            m[i] = 0.9 * m[i] + 0.1 * g[i];
            v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
            let (mean, square) = (m[i] / (1.0 - 0.9f64.powf(step)), v[i] / (1.0 - 0.999f64.powf(step)));
            w[i] -= 0.1 * (mean / (square.sqrt() + 1e-8) + 0.01 * w[i]);
        }
    });
}

/// Adafactor on `[experts, rows, columns]`, factored per expert.
struct Naive {
    experts: usize,
    rows: usize,
    columns: usize,
    vr: Vec<f64>,
    vc: Vec<f64>,
}

impl Naive {
    fn new(experts: usize, rows: usize, columns: usize) -> Naive {
        Naive { experts, rows, columns, vr: vec![0.0; experts * rows], vc: vec![0.0; experts * columns] }
    }

    fn step(&mut self, w: &mut [f64], g: &[f64], decay: f64, relative: bool) {
        let (r, c) = (self.rows, self.columns);
        let square = |e: usize, i: usize, j: usize| g[(e * r + i) * c + j].powi(2) + 1e-30;
        let mut u = vec![0.0; g.len()];
        for e in 0..self.experts {
            for i in 0..r {
                let mean = (0..c).map(|j| square(e, i, j)).sum::<f64>() / c as f64;
                self.vr[e * r + i] = decay * self.vr[e * r + i] + (1.0 - decay) * mean;
            }
            for j in 0..c {
                let mean = (0..r).map(|i| square(e, i, j)).sum::<f64>() / r as f64;
                self.vc[e * c + j] = decay * self.vc[e * c + j] + (1.0 - decay) * mean;
            }
            let all = self.vr[e * r..(e + 1) * r].iter().sum::<f64>() / r as f64;
            for i in 0..r {
                for j in 0..c {
                    let at = (e * r + i) * c + j;
                    u[at] = g[at] / (self.vr[e * r + i] * self.vc[e * c + j] / all).sqrt();
                }
            }
        }
        apply(w, &u, relative);
    }
}

fn rms(x: &[f64]) -> f64 {
    (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64).sqrt()
}

fn apply(w: &mut [f64], u: &[f64], relative: bool) {
    let rate = if relative { 0.1 * rms(w).max(1e-3) } else { 0.1 };
    let clip = rms(u).max(1.0);
    w.iter_mut().zip(u).for_each(|(w, u)| *w -= rate * u / clip);
}

#[test]
fn adafactor_keeps_rows_and_columns_of_each_expert() {
    let dims = [("expert", 2), ("model", 3), ("expert_hidden", 4)];
    let small = |settings: Adafactor| Optimizer::new(Adafactor { least: 2, ..settings }, 0.1);
    let mut naive = Naive::new(2, 3, 4);
    compare(small(Adafactor::T5), &spec(&dims), &mut |w, g, step| {
        naive.step(w, g, 1.0 - step.powf(-0.8), true);
    });
    let mut naive = Naive::new(2, 3, 4);
    compare(small(Adafactor::GSHARD_AS_PRINTED), &spec(&dims), &mut |w, g, step| {
        naive.step(w, g, (1.0 - step.powf(-0.8)).min(0.99), false);
    });
}

#[test]
fn adafactor_updates_stacked_layers_as_if_they_were_apart() {
    let least = Adafactor { least: 2, ..Adafactor::T5 };
    let dims = [("layer", 2), ("expert", 2), ("model", 3), ("expert_hidden", 4)];
    let mut naive = [Naive::new(2, 3, 4), Naive::new(2, 3, 4)];
    compare(Optimizer::new(least, 0.1), &spec(&dims), &mut |w, g, step| {
        for (layer, naive) in naive.iter_mut().enumerate() {
            let part = layer * 24..(layer + 1) * 24;
            naive.step(&mut w[part.clone()], &g[part], 1.0 - step.powf(-0.8), true);
        }
    });
}

#[test]
fn adafactor_keeps_small_parameters_whole() {
    let mut v = [0.0; 6];
    compare(Optimizer::adafactor(0.1), &spec(&[("model", 2), ("hidden", 3)]), &mut |w, g, step| {
        let decay = 1.0 - step.powf(-0.8);
        let mut u = [0.0; 6];
        for i in 0..6 {
            v[i] = decay * v[i] + (1.0 - decay) * (g[i] * g[i] + 1e-30);
            u[i] = g[i] / v[i].sqrt();
        }
        apply(w, &u, true);
    });
}

#[test]
fn adafactor_factors_the_two_largest_dims_but_never_experts() {
    let dims = |list: &[(&'static str, i64)]| Adafactor::T5.factored(&Leaf::from(&spec(list)));
    assert_eq!(dims(&[("expert", 512), ("model", 128), ("hidden", 256)]), Some((1, 2)));
    assert_eq!(dims(&[("expert", 512), ("model", 64), ("hidden", 256)]), None);
    assert_eq!(dims(&[("model", 512), ("heads", 8), ("kv", 128)]), Some((0, 2)));
    assert_eq!(dims(&[("vocab", 512)]), None);
    let slots = Optimizer::adafactor(0.1).slots(&Leaf::from(&spec(&[("model", 128), ("hidden", 256)])));
    assert_eq!(slots[0].dims, [("model".to_string(), 128)]);
    assert_eq!(slots[1].dims, [("hidden".to_string(), 256)]);
}

#[test]
fn schedules_and_clipping() {
    let all = [
        Schedule::Constant(0.5),
        Schedule::T5,
        Schedule::GSHARD,
        Schedule::Cosine { rate: 2.0, warmup: 10.0, end: 110.0 },
    ];
    let program = trace("rates", |t| {
        let step = t.input("step", f64, ());
        let g = t.input("g", f64, [2]);
        let (clipped, norm) = clip::clip(g, 1.0);
        (all.iter().map(|one| one.rate(step)).collect::<Vec<_>>(), clipped, norm)
    });
    let program = program.expect("schedules trace");
    let at = |step: f64| run(&program, &[("step", &[step]), ("g", &[3.0, 4.0])]);
    let early = at(5.0);
    close(&early[..4].concat(), &[0.5, 0.01, 1.0, 1.0], 1e-12);
    close(&at(40_000.0)[..4].concat(), &[0.5, 0.005, 0.5, 0.0], 1e-12);
    close(&at(60.0)[3], &[1.0], 1e-12);
    close(&early[4], &[0.6, 0.8], 1e-12);
    close(&early[5], &[5.0], 1e-12);
}
