//! Pipelines beside two plain loops: over microbatches, and over layers.

use meshwright_interp::{Style, Tensor as Array, random_inputs, run_global};
use meshwright_tensor::prelude::*;

fn run(program: &Program) -> Vec<Vec<f64>> {
    let inputs = random_inputs(program.module(), 7, Style::Natural).unwrap_or_else(|error| panic!("{error}"));
    let results = run_global(program.module(), &inputs).unwrap_or_else(|error| panic!("{error}"));
    results.iter().map(Array::to_f64s).collect()
}

fn close(found: &[Vec<f64>], expected: &[Vec<f64>]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0), "{a} beside {b}");
        }
    }
}

/// Weights as a pipeline has them, in the order of layers.
fn in_order(w: Tensor, rounds: i64) -> Tensor {
    let dims = w.dims();
    match rounds {
        1 => w,
        _ => w.swap_dims(0, 1).reshape([&[dims[0] * dims[1]], &dims[2..]].concat()),
    }
}

type Stage = fn(Tensor, (Tensor, Tensor)) -> (Tensor, Tensor);

fn layer(x: Tensor, (w, b): (Tensor, Tensor)) -> (Tensor, Tensor) {
    let h = x.rms_normalize(-1, 1e-6);
    let x = x + (h.matmul(w) + b).tanh();
    (x, h.square().mean(..) + x.mean(..))
}

/// Loss and gradients of a model of `layers` around a trunk that is made in one way or the other.
fn step(
    how: Pipeline,
    (stages, rounds, microbatches): (i64, i64, i64),
    trunk: impl FnOnce(Tensor, (Tensor, Tensor)) -> (Tensor, Tensor),
) -> Program {
    let program = trace("step", |t| {
        t.set_float(f64);
        let leading = if rounds == 1 { vec![stages] } else { vec![stages, rounds] };
        assert_eq!(how.layers(), stages * rounds);
        let of = |rest: &[i64]| [&leading[..], rest].concat();
        let x = t.input("x", f64, [microbatches, 2, 3]);
        let (w, b) = (t.param("w", of(&[3, 3])), t.param("b", of(&[3])));
        let ((loss, y), slopes) = value_and_grad((x, w, b), |(x, w, b)| {
            let (y, aux) = trunk(x, (w, b));
            let weights = iota(f64, aux.dims(), 0) + iota(f64, aux.dims(), 1) * 0.3;
            ((y.square().sum(..) + (aux * weights).sum(..)), (y, aux))
        });
        (loss, y, slopes)
    });
    program.unwrap_or_else(|errors| panic!("{errors}"))
}

/// Every microbatch through every layer.
fn plain(rounds: i64, x: Tensor, (w, b): (Tensor, Tensor), stage: Stage) -> (Tensor, Tensor) {
    let layers = (in_order(w, rounds), in_order(b, rounds));
    vmap(x, |x| scan(x, layers, stage))
}

#[test]
fn a_pipeline_computes_what_two_loops_do_with_all_gradients() {
    for (stages, rounds) in [(1, 1), (2, 1), (4, 1), (1, 3), (2, 2), (3, 2)] {
        for microbatches in [1, 3, 4, 8] {
            let sizes = (stages, rounds, microbatches);
            let how = if rounds == 1 { Pipeline::gpipe(stages) } else { Pipeline::circular(stages, rounds) };
            let expected = run(&step(how, sizes, |x, w| plain(rounds, x, w, layer)));
            for how in [how, how.recompute()] {
                close(&run(&step(how, sizes, |x, w| pipeline(x, w, how, layer))), &expected);
            }
        }
    }
}

/// What goes round comes back: no sum of padded pieces.
#[test]
fn the_gradient_of_a_roll_is_a_roll() {
    let program = trace("f", |t| {
        let x = t.input("x", f64, [5, 2]);
        grad(x, |x| (x.roll(2, 0) * iota(f64, [5, 2], 0)).sum(..))
    });
    let program = program.unwrap_or_else(|errors| panic!("{errors}"));
    let names: Vec<&str> = program
        .module()
        .funcs
        .values()
        .flat_map(|func| func.insts_in_order().into_iter().map(|inst| func.inst(inst).op.mnemonic()))
        .collect();
    assert!(names.contains(&"concatenate") && !names.contains(&"pad"), "{names:?}");
    close(&run(&program), &[[2., 2., 3., 3., 4., 4., 0., 0., 1., 1.].to_vec()]);
}

/// A circular pipeline has a dim for its rounds, be it one round.
#[test]
fn one_round_is_gpipe_with_a_dim_more() {
    let traced = |how: Pipeline, weights: &'static [i64]| {
        let program = trace("f", |t| {
            t.set_float(f64);
            let (x, w) = (t.input("x", f64, [3, 2, 4]), t.param("w", weights.to_vec()));
            let (loss, slope) = value_and_grad(w, |w| {
                let (x, y) = pipeline(x, w, how, |x, w| (x.matmul(w).tanh(), x.sum(..)));
                x.square().sum(..) + y.sum(..)
            });
            (loss, slope)
        });
        run(&program.unwrap_or_else(|errors| panic!("{errors}")))
    };
    close(&traced(Pipeline::circular(2, 1), &[2, 1, 4, 4]), &traced(Pipeline::gpipe(2), &[2, 4, 4]));
}

#[test]
fn what_does_not_fit_is_told_at_the_users_line() {
    let told = |how: Pipeline, xs: [i64; 2], w: &[i64], widens: bool| {
        let traced = trace("f", |t| {
            let (x, w) = (t.input("x", f64, xs), t.input("w", f64, w.to_vec()));
            pipeline(x, w, how, |x, w| {
                let x = x.matmul(w.reshape([4, 4]));
                (if widens { concat([x, x], -1) } else { x }, x.sum(..))
            })
        });
        traced.err().map(|errors| errors.to_string()).unwrap_or_default()
    };
    let cases = [
        (told(Pipeline::gpipe(0), [3, 4], &[3, 4, 4], false), "a pipeline of 0 stages and 1 rounds"),
        (told(Pipeline::circular(3, 0), [3, 4], &[3, 4, 4], false), "a pipeline of 3 stages and 0 rounds"),
        (told(Pipeline::gpipe(3), [0, 4], &[3, 4, 4], false), "a pipeline of no microbatches"),
        (
            told(Pipeline::gpipe(4), [3, 4], &[3, 4, 4], false),
            "a pipeline of 4 stages has weights of [4, ..], but they are f64[3,4,4]",
        ),
        (
            told(Pipeline::circular(3, 2), [3, 4], &[3, 4, 4], false),
            "a pipeline of 3 stages and 2 rounds has weights of [3, 2, ..], but they are f64[3,4,4]",
        ),
        (
            told(Pipeline::gpipe(3), [3, 4], &[3, 4, 4], true),
            "a stage of the pipeline takes what is carried as f64[4], but returns it as f64[8]",
        ),
    ];
    for (told, wanted) in cases {
        assert!(told.contains(wanted) && told.contains("tests/it/pipeline.rs:"), "{wanted}: {told}");
        assert_eq!(told.matches("error").count(), 1, "{told}");
    }
}
