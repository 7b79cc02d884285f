//! Layers held against plain loops, and initializers against the distributions they name.

use crate::support;

use meshwright_nn::init::Init;
use meshwright_nn::layers::attention::{Attention, Mask};
use meshwright_nn::layers::dropout;
use meshwright_nn::layers::embed::{Embedding, RowScale};
use meshwright_nn::layers::ffn::{Activation, Ffn};
use meshwright_nn::layers::norm::{LayerNorm, RmsNorm};
use meshwright_nn::layers::position::RelativePosition;
use meshwright_nn::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

/// Run a layer on parameters of random numbers; what it gives, and the parameters by name.
fn layer<R: Tree>(
    specs: &Specs,
    inputs: &[(&str, &[f64])],
    apply: impl FnOnce(Trace, &Params) -> R,
) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let program = trace("layer", |t| apply(t, &specs.params(t, "p", f64))).expect("a layer traces");
    let mut random = Random(5);
    let drawn: Vec<(String, Vec<f64>)> = specs
        .list
        .iter()
        .map(|spec| {
            let count: i64 = spec.sizes().iter().product();
            (format!("p.{}", spec.name), (0..count).map(|_| random.unit() - 0.5).collect())
        })
        .collect();
    let mut all = inputs.to_vec();
    all.extend(drawn.iter().map(|(name, values)| (name.as_str(), values.as_slice())));
    (run(&program, &all), drawn.iter().map(|(_, values)| values.clone()).collect())
}

fn draw(seed: u64, count: usize) -> Vec<f64> {
    let mut random = Random(seed);
    (0..count).map(|_| random.unit() * 2.0 - 1.0).collect()
}

/// rows x inner times inner x columns.
fn product(a: &[f64], b: &[f64], inner: usize, columns: usize) -> Vec<f64> {
    let rows = a.len() / inner;
    let mut out = vec![0.0; rows * columns];
    for i in 0..rows {
        for j in 0..columns {
            out[i * columns + j] = (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]).sum();
        }
    }
    out
}

/// Attention by loops: one sequence after the other, one head after the other.
fn attention(x: &[f64], p: &[Vec<f64>], bias: &[f64], may: &dyn Fn(usize, usize, usize) -> bool) -> Vec<f64> {
    let (batch, length, model, heads, kv) = (2, 5, 6, 2, 3);
    let project = |w: &[f64]| product(x, w, model, heads * kv);
    let (q, k, v) = (project(&p[0]), project(&p[1]), project(&p[2]));
    let at = |b: usize, l: usize, h: usize, d: usize| ((b * length + l) * heads + h) * kv + d;
    let mut seen = vec![0.0; batch * length * heads * kv];
    for b in 0..batch {
        for h in 0..heads {
            for i in 0..length {
                let keys: Vec<usize> = (0..length).filter(|j| may(b, i, *j)).collect();
                let logit = |j: usize| {
                    let dot: f64 = (0..kv).map(|d| q[at(b, i, h, d)] * k[at(b, j, h, d)]).sum();
                    (dot + bias[(h * length + i) * length + j]).exp()
                };
                let sum: f64 = keys.iter().map(|j| logit(*j)).sum();
                for d in 0..kv {
                    seen[at(b, i, h, d)] = keys.iter().map(|j| logit(*j) / sum * v[at(b, *j, h, d)]).sum();
                }
            }
        }
    }
    product(&seen, &p[3], heads * kv, model)
}

fn check_attention(mask: impl FnOnce(Tensor, Tensor) -> Mask, may: &dyn Fn(usize, usize, usize) -> bool) {
    let sizes = Attention { scaled: false, ..Attention::new("a", 6, 2, 3) };
    let mut specs = Specs::default();
    sizes.declare(&mut specs);
    let (x, bias) = (draw(1, 60), draw(2, 50));
    let inputs: [(&str, &[f64]); 4] =
        [("x", &x), ("bias", &bias), ("real", &REAL.concat()), ("segment", &SEGMENT.concat())];
    let (found, p) = layer(&specs, &inputs, |t, p| {
        let (x, bias) = (t.input("x", f64, [2, 5, 6]), t.input("bias", f64, [2, 5, 5]));
        let mask = mask(t.input("real", pred, [2, 5]), t.input("segment", i32, [2, 5]));
        sizes.apply(p, x, x, mask, Some(bias), None)
    });
    close(&found[0], &attention(&x, &p, &bias, may), 1e-12);
}

const REAL: [[f64; 5]; 2] = [[1.0, 1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0]];
const SEGMENT: [[f64; 5]; 2] = [[0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 1.0, 2.0, 2.0, 2.0]];

#[test]
fn attention_looks_everywhere_back_at_real_keys_and_in_its_own_sequence() {
    check_attention(|_, _| Mask::default(), &|_, _, _| true);
    check_attention(|_, _| Mask { causal: true, ..Mask::default() }, &|_, i, j| j <= i);
    check_attention(|real, _| Mask { real: Some(real), ..Mask::default() }, &|b, _, j| REAL[b][j] == 1.0);
    let packed = |_, segment| Mask { causal: true, segments: Some((segment, segment)), ..Mask::default() };
    check_attention(packed, &|b, i, j| j <= i && SEGMENT[b][i] == SEGMENT[b][j]);
}

#[test]
fn a_query_that_may_look_at_nothing_is_no_nan() {
    let program = trace("masked", |t| {
        let x = t.input("x", f64, [1, 3, 2]);
        let sizes = Attention::new("a", 2, 1, 2);
        let mut specs = Specs::default();
        sizes.declare(&mut specs);
        let nothing = zeros(pred, [1, 3]);
        let p = specs.draw(Key::seed(1), f64);
        sizes.apply(&p, x, x, Mask { real: Some(nothing), ..Mask::default() }, None, None)
    });
    let found = run(&program.expect("traces"), &[("x", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
    assert!(found[0].iter().all(|x| x.is_finite()), "{found:?}");
}

#[test]
fn position_bias_is_the_row_of_the_bucket() {
    let position =
        RelativePosition { buckets: 8, max_distance: 16, ..RelativePosition::t5("r".into(), 2, true) };
    let mut specs = Specs::default();
    position.declare(&mut specs);
    let (found, p) = layer(&specs, &[], |_, p| position.apply(p, 4, 7));
    for (at, bias) in found[0].iter().enumerate() {
        let (head, query, key) = (at / 28, at / 7 % 4, at % 7);
        let bucket = position.bucket(key as i64 - query as i64) as usize;
        assert_eq!(*bias, p[0][bucket * 2 + head]);
    }
}

#[test]
fn feed_forward_with_every_activation() {
    let gelu = |x: f64| 0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x.powi(3))).tanh());
    let silu = |x: f64| x / (1.0 + (-x).exp());
    for activation in
        [Activation::Relu, Activation::Gelu, Activation::Silu, Activation::Geglu, Activation::Swiglu]
    {
        let ffn = Ffn {
            path: "f".to_string(),
            model: 4,
            hidden: 5,
            activation,
            dropout: 0.0,
            scale: 1.0,
            biases: false,
        };
        let mut specs = Specs::default();
        ffn.declare(&mut specs);
        let x = draw(3, 2 * 3 * 4);
        let (found, p) = layer(&specs, &[("x", &x)], |t, p| ffn.apply(p, t.input("x", f64, [2, 3, 4]), None));
        let inner = product(&x, &p[0], 4, 5);
        let gates = product(&x, &p[1.min(p.len() - 2)], 4, 5);
        let act = |(x, gate): (&f64, &f64)| match activation {
            Activation::Relu => x.max(0.0),
            Activation::Gelu => gelu(*x),
            Activation::Silu => silu(*x),
            Activation::Geglu => gelu(*x) * gate,
            Activation::Swiglu => silu(*x) * gate,
        };
        let inner: Vec<f64> = inner.iter().zip(&gates).map(act).collect();
        close(&found[0], &product(&inner, &p[p.len() - 1], 5, 4), 1e-9);
    }
}

#[test]
fn norms() {
    let (rms, layer_norm) =
        (RmsNorm::new("r".into(), 4), LayerNorm { path: "l".into(), model: 4, epsilon: 1e-5 });
    let mut specs = Specs::default();
    rms.declare(&mut specs);
    layer_norm.declare(&mut specs);
    let x = draw(4, 4);
    let (found, p) = layer(&specs, &[("x", &x)], |t, p| {
        let x = t.input("x", f64, [1, 4]);
        (rms.apply(p, x), layer_norm.apply(p, x))
    });
    let mean = x.iter().sum::<f64>() / 4.0;
    let square = x.iter().map(|x| x * x).sum::<f64>() / 4.0;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4.0;
    let root: Vec<f64> = (0..4).map(|i| x[i] / (square + 1e-6).sqrt() * p[0][i]).collect();
    let normal: Vec<f64> =
        (0..4).map(|i| (x[i] - mean) / (variance + 1e-5).sqrt() * p[1][i] + p[2][i]).collect();
    close(&found[0], &root, 1e-12);
    close(&found[1], &normal, 1e-12);
}

#[test]
fn embeddings_tied_and_not() {
    for tied in [true, false] {
        let embedding =
            Embedding { path: "e".into(), vocab: 5, model: 4, tied, scale: 1.0, rows: RowScale::Large };
        let mut specs = Specs::default();
        embedding.declare(&mut specs);
        let (found, p) = layer(&specs, &[("ids", &[3.0, 0.0, 4.0])], |t, p| {
            let x = embedding.apply(p, t.input("ids", i32, [1, 3]));
            (x, embedding.logits(p, x))
        });
        let rows: Vec<f64> = [3, 0, 4].iter().flat_map(|id| p[0][id * 4..id * 4 + 4].to_vec()).collect();
        close(&found[0], &rows, 0.0);
        let transposed: Vec<f64> = (0..20).map(|at| p[0][at % 5 * 4 + at / 5] / 2.0).collect();
        let weights = if tied { &transposed } else { &p[1] };
        close(&found[1], &product(&rows, weights, 4, 5), 1e-12);
    }
}

#[test]
fn initializers_have_the_deviation_they_name_and_are_cut_off() {
    let init = Init::switch(40);
    let program = trace("init", |_| init.draw(Key::seed(9), f64, &[100, 200])).expect("traces");
    let drawn = run(&program, &[]).remove(0);
    let sigma = (0.1f64 / 40.0).sqrt();
    assert!(drawn.iter().all(|x| x.abs() <= 2.0 * sigma));
    // A normal distribution cut off at two deviations has 0.8796 of its deviation left.
    let deviation = (drawn.iter().map(|x| x * x).sum::<f64>() / drawn.len() as f64).sqrt();
    assert!((deviation / sigma - 0.8796).abs() < 0.01, "{}", deviation / sigma);
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    assert!(mean.abs() < 0.03 * sigma, "{mean}");
}

#[test]
fn dropout_keeps_the_mean_and_drops_its_share() {
    let program = trace("dropout", |_| {
        let x = ones(f64, [100, 100]);
        (dropout(x, 0.4, Some(Key::seed(2))), dropout(x, 0.4, None))
    });
    let found = run(&program.expect("traces"), &[]);
    let dropped = found[0].iter().filter(|x| **x == 0.0).count();
    assert!(found[0].iter().all(|x| *x == 0.0 || (x - 1.0 / 0.6).abs() < 1e-12));
    assert!((3_800..4_200).contains(&dropped), "{dropped}");
    assert!(found[1].iter().all(|x| *x == 1.0));
}

#[test]
fn uniform_and_orthogonal_initializers() {
    let program = trace("init", |_| {
        let [a, b, c] = Key::seed(3).split();
        let draw = |init: Init, key, dims: &[i64]| init.draw(key, f64, dims);
        (
            draw(Init::xavier(60, 90), a, &[60, 90]),
            draw(Init::Orthogonal(2.0), b, &[6, 4]),
            draw(Init::Orthogonal(1.0), c, &[2, 2, 7]),
        )
    });
    let found = run(&program.expect("traces"), &[]);
    let (most, variance) = (0.2, found[0].iter().map(|x| x * x).sum::<f64>() / 5400.0);
    assert!(found[0].iter().all(|x| x.abs() <= most), "a uniform number beyond its bound");
    assert!((variance / (2.0 / 150.0) - 1.0).abs() < 0.05, "{variance}");
    let column = |at: usize| (0..6).map(|row| found[1][row * 4 + at]).collect::<Vec<f64>>();
    let row = |at: usize| found[2][at * 7..at * 7 + 7].to_vec();
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for i in 0..4 {
        for j in 0..4 {
            let same = f64::from(u8::from(i == j));
            close(&[product(&column(i), &column(j)), product(&row(i), &row(j))], &[4.0 * same, same], 1e-12);
        }
    }
}

#[test]
fn position_bias_and_logits_are_drawn_at_the_scale_that_is_asked_for() {
    let mut specs = Specs::default();
    RelativePosition { scale: 0.3, ..RelativePosition::t5("r".into(), 2, true) }.declare(&mut specs);
    Embedding { path: "e".into(), vocab: 5, model: 4, tied: false, scale: 0.3, rows: RowScale::Large }
        .declare(&mut specs);
    let inits: Vec<Init> = specs.list.iter().map(|spec| spec.init).collect();
    let scaled = |fan_in| Init::Truncated { scale: 0.3, fan_in };
    assert_eq!(inits, [scaled(2), Init::Normal(1.0), scaled(4)]);
}
