//! Layers of images whose batch and spatial dims are split, evenly or not, compute what one device computes: results,
//! and the gradients of all weights and of the image.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_nn::layers::attention::{Attention, Mask};
use meshwright_nn::layers::bag::Pool;
use meshwright_nn::layers::batch_norm::{BatchNorm, Statistics};
use meshwright_nn::layers::conv::Conv;
use meshwright_nn::layers::gates::{SqueezeExcite, glu};
use meshwright_nn::layers::norm::GroupNorm;
use meshwright_nn::layers::patch::PatchEmbedding;
use meshwright_nn::layers::pool::{Pooling, global};
use meshwright_nn::layers::relative::RelativeAttention;
use meshwright_nn::layers::resize::{Between, resize};
use meshwright_nn::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use support::{Random, array, close, numbers};

type Axes = &'static [(&'static str, i64)];
type Table = &'static [(&'static str, &'static str)];

const DATA_AND_SPACE: (Axes, Table) =
    (&[("data", 2), ("space", 4)], &[("batch", "data"), ("height", "space")]);
const SPACE: (Axes, Table) = (&[("space", 8)], &[("height", "space")]);
const BOTH_WAYS: (Axes, Table) =
    (&[("rows", 2), ("columns", 4)], &[("height", "rows"), ("width", "columns")]);
const SPLITS: [(Axes, Table); 3] = [DATA_AND_SPACE, SPACE, BOTH_WAYS];

/// Results and gradients as a program, the image split as a table says.
fn program(
    specs: &Specs,
    dims: &[i64],
    rules: &Rules,
    apply: &dyn Fn(&Params, Tensor) -> Vec<Tensor>,
) -> Program {
    let names = ["batch", "height", "width"];
    let rank = dims.len();
    let named: Vec<(&str, i64)> = dims
        .iter()
        .enumerate()
        .map(|(at, size)| {
            (if at + 1 < rank { names.get(at).copied().unwrap_or("depth") } else { "features" }, *size)
        })
        .collect();
    let traced = trace_with("layer", rules, |t| {
        let x = t.input("x", f64, named);
        let p = specs.params(t, "p", f64);
        value_and_grad((x, p), |(x, p)| {
            let found = apply(&p, x);
            // Every element pulls in a way of its own.
            let pulls = |y: &Tensor| {
                let count = iota(f64, [y.elements()], 0).reshape(y.dims());
                (*y * (count * 0.7).sin()).sum(..)
            };
            let loss = found.iter().map(pulls).reduce(|a, b| a + b).expect("a result");
            (loss, found)
        })
    });
    traced.unwrap_or_else(|errors| panic!("{errors}"))
}

fn inputs(program: &Program) -> Vec<meshwright_interp::Tensor> {
    let mut random = Random(8);
    let one = |input: &meshwright_tensor::InputInfo| {
        let count = input.ty.elements() as usize;
        let drawn: Vec<f64> = (0..count).map(|_| random.unit() * 2.0 - 0.9).collect();
        array(program, &input.name, &drawn)
    };
    program.inputs().iter().map(one).collect()
}

fn equal(name: &str, specs: &Specs, dims: &[i64], apply: &dyn Fn(&Params, Tensor) -> Vec<Tensor>) {
    let one = Mesh::new([("one", 1)]).expect("a mesh");
    let whole = program(specs, dims, &Rules::new(&one), apply);
    let expected = meshwright_interp::run(whole.module(), &inputs(&whole)).expect("it runs");
    assert!(expected.iter().flat_map(numbers).any(|x| x.abs() > 1e-3), "{name}: nothing to compare");
    for (axes, table) in SPLITS {
        let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
        let split = program(specs, dims, &Rules::of(&mesh, table.iter().copied()), apply);
        let options = meshwright_compile::Options::default();
        let compiled = meshwright_compile::partition(split.module().clone(), &options, &mut Unobserved)
            .unwrap_or_else(|found| panic!("{name} over {table:?}: {}", Errors::from(found)));
        let found = run_spmd(&compiled.program, &inputs(&split))
            .unwrap_or_else(|error| panic!("{name} over {table:?}: {error:?}"));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            close(&numbers(found), &numbers(expected), 1e-10);
        }
    }
}

fn layer(
    name: &str,
    declare: impl FnOnce(&mut Specs),
    dims: &[i64],
    apply: &dyn Fn(&Params, Tensor) -> Vec<Tensor>,
) {
    let mut specs = Specs::default();
    declare(&mut specs);
    equal(name, &specs, dims, apply);
}

fn conv(name: &str, conv: &Conv, dims: &[i64]) {
    layer(name, |specs| conv.declare(specs), dims, &|p, x| vec![conv.apply(p, x)]);
}

#[test]
fn convolutions() {
    conv("same", &Conv::new("c", [3, 3], 2, 3), &[3, 13, 10, 2]);
    conv("strided", &Conv::new("c", [3, 3], 2, 3).strided(2), &[2, 13, 11, 2]);
    conv("strided, even", &Conv::new("c", [3, 3], 2, 3).strided(2), &[2, 16, 16, 2]);
    conv("dilated further than a piece", &Conv::new("c", [3, 3], 1, 2).dilated(4), &[2, 11, 13, 1]);
    conv("depthwise", &Conv::depthwise("c", [5, 3], 3), &[2, 9, 8, 3]);
    conv("sound", &Conv::new("c", [4], 2, 3).padded(Padding::Causal), &[3, 19, 2]);
    conv("volumes", &Conv::new("c", [3, 3, 3], 1, 2), &[2, 9, 5, 4, 1]);
    conv("grouped", &grouped(), &[2, 9, 7, 4]);
    conv("fewer rows than devices", &Conv::new("c", [3, 3], 2, 3).strided(2), &[2, 3, 5, 2]);
}

fn grouped() -> Conv {
    let conv = Conv::new("c", [3, 2], 4, 6);
    Conv { window: Window { groups: 2, ..conv.window }, ..conv }
}

#[test]
fn transposed_convolutions() {
    conv("side by side", &Conv::transposed("c", [2, 2], 2, 2, 3), &[2, 7, 5, 2]);
    conv("over each other", &Conv::transposed("c", [4, 4], 2, 2, 1), &[2, 8, 9, 2]);
    conv("in holes", &Conv::transposed("c", [2], 3, 2, 2), &[2, 11, 2]);
}

#[test]
fn pools() {
    let dims = [2, 13, 9, 2];
    for (name, pool) in [("largest", Pool::Max), ("mean", Pool::Mean), ("sum", Pool::Sum)] {
        let pooling = Pooling::new(pool, [3, 3]).strided(2).padded(Padding::Same);
        let side = Pooling::new(pool, [2, 2]);
        layer(name, |_| (), &dims, &|_, x| vec![pooling.apply(x), side.apply(x), global(pool, x)]);
    }
}

#[test]
fn norms() {
    let norm = BatchNorm::new("n", 4);
    for of_batch in [true, false] {
        layer("batch norm", |specs| norm.declare(specs), &[3, 7, 5, 4], &|p, x| {
            let mut statistics = if of_batch { Statistics::of_batch() } else { Statistics::running() };
            // Running variances are positive.
            let square =
                Params { list: p.list.iter().map(|(name, x)| (name.clone(), x.square() + 0.1)).collect() };
            let y = norm.apply(&square, x, &mut statistics);
            [vec![y], statistics.new.leaves()].concat()
        });
    }
    let norms = [GroupNorm::new("g", 4, 2), GroupNorm::instance("i", 4)];
    let declare = |specs: &mut Specs| norms.iter().for_each(|norm| norm.declare(specs));
    layer("group norms", declare, &[3, 7, 5, 4], &|p, x| norms.iter().map(|norm| norm.apply(p, x)).collect());
}

#[test]
fn gates() {
    let squeeze = SqueezeExcite::new("s", 4, 3);
    layer("gates", |specs| squeeze.declare(specs), &[3, 7, 5, 4], &|p, x| vec![glu(squeeze.apply(p, x))]);
}

#[test]
fn other_sizes() {
    for to in [[14, 10], [21, 3], [11, 8], [40, 23]] {
        for (name, between) in [("nearest", Between::Nearest), ("linear", Between::Linear)] {
            layer(name, |_| (), &[2, 7, 5, 2], &|_, x| vec![resize(x, &to, between)]);
        }
    }
}

#[test]
fn tokens() {
    let patches = PatchEmbedding::new("p", [2, 3], 2, 4);
    layer("patches", |specs| patches.declare(specs), &[2, 14, 15, 2], &|p, x| vec![patches.apply(p, x)]);
    let attention = Attention::new("a", 4, 2, 3);
    let relative = RelativeAttention { attention };
    // The sequence lies where images have their rows.
    layer("relative attention", |specs| relative.declare(specs), &[2, 9, 4], &|p, x| {
        vec![relative.apply(p, x, Mask { causal: true, ..Mask::default() }, None)]
    });
}
