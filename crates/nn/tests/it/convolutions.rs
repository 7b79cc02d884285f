//! Convolutions and pools held against plain loops, and what layers of images refuse.

use crate::support;

use meshwright_nn::init::{Init, Scheme};
use meshwright_nn::layers::bag::Pool;
use meshwright_nn::layers::batch_norm::{BatchNorm, Statistics};
use meshwright_nn::layers::conv::Conv;
use meshwright_nn::layers::dropout_along;
use meshwright_nn::layers::gates::{SqueezeExcite, glu};
use meshwright_nn::layers::norm::GroupNorm;
use meshwright_nn::layers::patch::PatchEmbedding;
use meshwright_nn::layers::pool::{Pooling, global};
use meshwright_nn::layers::resize::{Between, resize};
use meshwright_nn::params::{Params, Specs};
use meshwright_tensor::prelude::*;
use support::{Random, close, run};

fn draw(seed: u64, count: i64) -> Vec<f64> {
    let mut random = Random(seed);
    (0..count).map(|_| random.unit() * 2.0 - 1.0).collect()
}

/// The places of a space, in order.
fn places(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![Vec::new()], |all, size| {
        all.iter().flat_map(|at| (0..*size).map(|i| [&at[..], &[i]].concat())).collect()
    })
}

fn index(sizes: &[i64], at: &[i64]) -> usize {
    at.iter().zip(sizes).fold(0, |sum, (at, size)| sum * size + at) as usize
}

/// One way to move, spelled out: for each spatial dim stride, dilation and what lies before the first element.
struct Moves<'a> {
    stride: &'a [i64],
    dilation: &'a [i64],
    low: &'a [i64],
}

/// A convolution by loops over all that it multiplies: kernel `[window.., depth, outputs]`.
fn by_loops(
    (x, dims): (&[f64], &[i64]),
    (kernel, bias): (&[f64], &[f64]),
    (sizes, groups): (&[i64], i64),
    moves: &Moves<'_>,
    to: &[i64],
) -> Vec<f64> {
    let rank = sizes.len();
    let (inputs, outputs) = (dims[rank + 1], bias.len() as i64);
    let (depth, width) = (inputs / groups, outputs / groups);
    let out_dims = [&dims[..1], to, &[outputs]].concat();
    let kernel_dims = [sizes, &[depth, outputs]].concat();
    let mut out = vec![0.0; out_dims.iter().product::<i64>() as usize];
    for at in places(&out_dims) {
        let (output, place) = (at[rank + 1], &at[1..=rank]);
        let mut sum = bias[output as usize];
        for tap in places(sizes) {
            let from: Vec<i64> = (0..rank)
                .map(|d| place[d] * moves.stride[d] - moves.low[d] + tap[d] * moves.dilation[d])
                .collect();
            if from.iter().zip(&dims[1..]).any(|(at, size)| !(0..*size).contains(at)) {
                continue;
            }
            for i in 0..depth {
                let feature = output / width * depth + i;
                let image = index(dims, &[&at[..1], &from, &[feature]].concat());
                sum += x[image] * kernel[index(&kernel_dims, &[&tap[..], &[i, output]].concat())];
            }
        }
        out[index(&out_dims, &at)] = sum;
    }
    out
}

/// What a layer gives for random images and parameters, and these.
fn apply(conv: &Conv, dims: &[i64]) -> [Vec<f64>; 4] {
    let mut specs = Specs::default();
    conv.declare(&mut specs);
    let program = trace("conv", |t| conv.apply(&specs.params(t, "p", f64), t.input("x", f64, dims.to_vec())));
    let program = program.unwrap_or_else(|errors| panic!("{errors}"));
    let x = draw(1, dims.iter().product());
    let kernel = draw(2, specs.list[0].sizes().iter().product());
    let bias = if conv.has_bias { draw(3, conv.outputs) } else { vec![0.0; conv.outputs as usize] };
    let found = run(&program, &[("x", &x), ("p.c.kernel", &kernel), ("p.c.bias", &bias)]).remove(0);
    [found, x, kernel, bias]
}

fn check(conv: &Conv, dims: &[i64], moves: &Moves<'_>, to: &[i64]) {
    let [found, x, kernel, bias] = apply(conv, dims);
    let expected = by_loops((&x, dims), (&kernel, &bias), (&conv.sizes, conv.window.groups), moves, to);
    close(&found, &expected, 1e-12);
}

#[test]
fn from_one_to_three_spatial_dims() {
    let plain = |low: &'static [i64]| Moves { stride: &[1, 1, 1], dilation: &[1, 1, 1], low };
    check(&Conv::new("c", [3], 2, 4), &[2, 7, 2], &plain(&[1]), &[7]);
    check(&Conv::new("c", [4, 2], 3, 2), &[2, 5, 6, 3], &plain(&[1, 0]), &[5, 6]);
    check(&Conv::new("c", [2, 3, 1], 2, 3), &[1, 4, 3, 5, 2], &plain(&[0, 1, 0]), &[4, 3, 5]);
    check(&Conv::new("c", [3], 2, 4).without_bias().padded(Padding::Valid), &[2, 7, 2], &plain(&[0]), &[5]);
}

#[test]
fn strides_dilations_and_edges() {
    let by_two = Moves { stride: &[2, 2], dilation: &[1, 1], low: &[0, 1] };
    check(&Conv::new("c", [2, 3], 2, 3).strided(2), &[1, 6, 7, 2], &by_two, &[3, 4]);
    let apart = Moves { stride: &[1], dilation: &[3], low: &[3] };
    check(&Conv::new("c", [3], 2, 2).dilated(3), &[1, 9, 2], &apart, &[9]);
    let causal = Moves { stride: &[2, 1], dilation: &[2, 2], low: &[4, 2] };
    let conv = Conv::new("c", [3, 3], 1, 2).dilated(2).padded(Padding::Causal);
    let conv = Conv { window: Window { strides: vec![2, 1], ..conv.window }, ..conv };
    check(&conv, &[1, 5, 6, 1], &causal, &[3, 6]);
    let uneven = Moves { stride: &[1, 1], dilation: &[1, 1], low: &[2, -1] };
    let edges = Padding::Edges(vec![(2, 1), (-1, 0)]);
    check(&Conv::new("c", [3, 2], 2, 2).padded(edges), &[1, 4, 5, 2], &uneven, &[5, 3]);
}

#[test]
fn features_in_groups_and_alone() {
    let plain = Moves { stride: &[1], dilation: &[1], low: &[1] };
    let conv = Conv::new("c", [3], 4, 6);
    let conv = Conv { window: Window { groups: 2, ..conv.window }, ..conv };
    check(&conv, &[2, 5, 4], &plain, &[5]);
    check(&Conv::depthwise("c", [3], 5), &[2, 6, 5], &plain, &[6]);
}

/// Each element adds the kernel times itself at its place: the convolution turned around, by its definition.
fn spread(conv: &Conv, dims: &[i64], low: &[i64], to: &[i64]) {
    let [found, x, kernel, bias] = apply(conv, dims);
    let rank = to.len();
    let out_dims = [&dims[..1], to, &[conv.outputs]].concat();
    let kernel_dims = [&conv.sizes[..], &[conv.inputs, conv.outputs]].concat();
    let count = out_dims.iter().product::<i64>();
    let mut expected: Vec<f64> = (0..count).map(|at| bias[(at % conv.outputs) as usize]).collect();
    for at in places(dims) {
        for tap in places(&conv.sizes) {
            let lands: Vec<i64> = (0..rank)
                .map(|d| {
                    let turned = conv.sizes[d] - 1 - tap[d];
                    at[d + 1] * conv.window.strides[d] + turned * conv.window.dilation[d] - low[d]
                })
                .collect();
            if lands.iter().zip(to).any(|(at, size)| !(0..*size).contains(at)) {
                continue;
            }
            for output in 0..conv.outputs {
                let place = index(&out_dims, &[&at[..1], &lands, &[output]].concat());
                let weight = index(&kernel_dims, &[&tap[..], &[at[rank + 1], output]].concat());
                expected[place] += x[index(dims, &at)] * kernel[weight];
            }
        }
    }
    close(&found, &expected, 1e-12);
}

#[test]
fn transposed_convolutions_turn_convolutions_around() {
    spread(&Conv::transposed("c", [2, 2], 2, 3, 2), &[1, 3, 4, 3], &[0, 0], &[6, 8]);
    spread(&Conv::transposed("c", [3], 2, 2, 2), &[2, 4, 2], &[0], &[8]);
    spread(&Conv::transposed("c", [4], 2, 2, 3), &[1, 5, 2], &[1], &[10]);
    spread(&Conv::transposed("c", [5], 3, 1, 1).padded(Padding::Valid), &[1, 4, 1], &[0], &[14]);
    spread(&Conv::transposed("c", [1], 3, 1, 2), &[1, 4, 1], &[0], &[12]);
    spread(&Conv::transposed("c", [4], 2, 1, 1).padded(Padding::Causal), &[1, 4, 1], &[0], &[8]);
    spread(&Conv::transposed("c", [3], 2, 1, 1).dilated(2), &[1, 4, 1], &[1], &[8]);
    let cut = Padding::Edges(vec![(1, 2)]);
    spread(&Conv::transposed("c", [4], 3, 2, 1).padded(cut), &[1, 3, 2], &[1], &[7]);
}

#[test]
fn pools_count_what_is_there() {
    let x = [3.0, 1.0, -4.0, 1.0, 5.0, -9.0, 2.0];
    let pool = |pooling: Pooling| {
        let program = trace("pool", |t| pooling.apply(t.input("x", f64, [1, 7, 1])));
        run(&program.unwrap_or_else(|errors| panic!("{errors}")), &[("x", &x)]).remove(0)
    };
    close(&pool(Pooling::new(Pool::Max, [2])), &[3.0, 1.0, 5.0], 0.0);
    close(&pool(Pooling::new(Pool::Sum, [2])), &[4.0, -3.0, -4.0], 0.0);
    close(&pool(Pooling::new(Pool::Mean, [2]).padded(Padding::Same)), &[2.0, -1.5, -2.0, 2.0], 0.0);
    let three = Pooling::new(Pool::Mean, [3]).strided(3).padded(Padding::Causal);
    close(&pool(three), &[3.0, -2.0 / 3.0, -2.0 / 3.0], 1e-15);
    let max = Pooling::new(Pool::Max, [3]).strided(1).padded(Padding::Same);
    close(&pool(max), &[3.0, 3.0, 1.0, 5.0, 5.0, 5.0, 2.0], 0.0);
    let program = trace("global", |t| {
        let x = t.input("x", f64, [1, 7, 1]);
        [Pool::Max, Pool::Sum, Pool::Mean].map(|pool| global(pool, x)).to_vec()
    });
    let found = run(&program.expect("it traces"), &[("x", &x)]).concat();
    close(&found, &[5.0, -1.0, -1.0 / 7.0], 1e-15);
}

#[test]
fn kernels_begin_by_what_an_output_is_made_of() {
    let init = |conv: &Conv| {
        let mut specs = Specs::default();
        conv.declare(&mut specs);
        specs.list.iter().map(|spec| spec.init).collect::<Vec<_>>()
    };
    let conv = Conv::new("c", [3, 3], 4, 8);
    let with = |init: Scheme| Conv { init, ..conv.clone() };
    assert_eq!(init(&conv), [Init::kaiming_normal(36), Init::Zeros]);
    assert_eq!(init(&with(Scheme::LeCun))[0], Init::Normal(1.0 / 6.0));
    assert_eq!(init(&with(Scheme::GlorotUniform))[0], Init::xavier(36, 72));
    assert_eq!(init(&with(Scheme::Always(Init::Zeros)))[0], Init::Zeros);
    assert_eq!(init(&Conv::depthwise("c", [3, 3], 16))[0], Init::kaiming_normal(9));
}

/// What is said of a layer that does not fit.
fn refused(conv: Conv, dims: &[i64]) -> String {
    let mut specs = Specs::default();
    conv.declare(&mut specs);
    let traced = trace("conv", |t| conv.apply(&specs.params(t, "p", f32), t.input("x", f32, dims.to_vec())));
    let errors = traced.expect_err("it is refused");
    assert_eq!(errors.count(), 1, "{errors}");
    errors.to_string()
}

#[test]
fn what_finds_no_place_is_refused_with_its_numbers() {
    let conv = |sizes: [i64; 2]| Conv::new("stem", sizes, 3, 8).padded(Padding::Valid);
    let says = |conv: Conv, dims: &[i64], parts: &[&str]| {
        let found = refused(conv, dims);
        parts.iter().for_each(|part| assert!(found.contains(part), "no `{part}` in {found}"));
    };
    says(
        conv([3, 9]),
        &[1, 8, 8, 3],
        &[
            "`stem` finds no place: a window of 9 elements lies over dim 2 of f32[1,8,8,3], which has 8 with its padding of 0 and 0",
            "Padding::Same",
        ],
    );
    says(
        conv([3, 3]).dilated(4),
        &[1, 8, 8, 3],
        &["a window of 3 elements 4 apart reach over 9 and lies over dim 1"],
    );
    says(conv([3, 3]), &[1, 8, 8, 4], &["`stem` over 2 spatial dims of 3 features is given f32[1,8,8,4]"]);
    says(conv([3, 3]), &[1, 8, 3], &["is given f32[1,8,3]", "give [batch, spatial, spatial, features]"]);
    says(conv([3, 3]).strided(0), &[1, 8, 8, 3], &["has the strides [0, 0]", "give 2 numbers from 1 up"]);
    says(conv([0, 3]).padded(Padding::Same), &[1, 8, 8, 3], &["a window of 0 elements along spatial dim 0"]);
    says(conv([3, 3]).padded(Padding::Edges(vec![(1, 1)])), &[1, 8, 8, 3], &["has 1 pairs of edges"]);
    says(
        conv([3, 3]).padded(Padding::Edges(vec![(-6, 0), (0, 0)])),
        &[1, 8, 8, 3],
        &["which has 2 with its padding of -6 and 0"],
    );
    let grouped = Conv { window: Window { groups: 2, ..Window::same(2) }, ..conv([3, 3]) };
    says(grouped, &[1, 8, 8, 3], &["`stem` of 3 features to 8 does not divide into 2 groups"]);
    let spread = Conv {
        window: Window { base_dilation: vec![2, 2], ..Window::same(2) },
        ..Conv::transposed("up", [2, 2], 2, 3, 3)
    };
    says(spread, &[1, 8, 8, 3], &["its base dilation is [2, 2]"]);
}

#[test]
fn pools_that_find_no_place_are_refused() {
    let says = |dims: &[i64], pooling: Pooling, part: &str| {
        let errors = trace("pool", |t| pooling.apply(t.input("x", f32, dims.to_vec()))).expect_err("refused");
        assert!(errors.to_string().contains(part), "no `{part}` in {errors}");
    };
    says(
        &[1, 3, 4],
        Pooling::new(Pool::Max, [4]),
        "a window of 4 elements lies over dim 1 of f32[1,3,4], which has 3",
    );
    says(&[1, 3, 4], Pooling::new(Pool::Max, [2, 2]), "pooling over 2 spatial dims is given f32[1,3,4]");
    let errors = trace("pool", |t| global(Pool::Mean, t.input("x", f32, [2, 4]))).expect_err("refused");
    assert!(errors.to_string().contains("f32[2,4] has no places that could be pooled"), "{errors}");
}

/// What is said of a layer of these parameters on images of these sizes.
fn said(
    declare: impl FnOnce(&mut Specs),
    dims: &[i64],
    apply: impl FnOnce(&Params, Tensor) -> Tensor,
    part: &str,
) {
    let mut specs = Specs::default();
    declare(&mut specs);
    let traced = trace("layer", |t| apply(&specs.params(t, "p", f32), t.input("x", f32, dims.to_vec())));
    let errors = traced.expect_err("it is refused");
    assert_eq!(errors.count(), 1, "{errors}");
    assert!(errors.to_string().contains(part), "no `{part}` in {errors}");
}

#[test]
fn norms_over_one_element_are_refused() {
    let norm = BatchNorm::new("bn", 8);
    let by = |mut by: Statistics| move |p: &Params, x: Tensor| BatchNorm::new("bn", 8).apply(p, x, &mut by);
    let one = "batch norm `bn` over 1 element: f32[1,1,1,8] has so many for each of its 8 features, and no variance";
    said(|specs| norm.declare(specs), &[1, 1, 1, 8], by(Statistics::of_batch()), one);
    let others = "batch norm `bn` of 8 features is given f32[2,4,4,6]";
    said(|specs| norm.declare(specs), &[2, 4, 4, 6], by(Statistics::running()), others);
    // Afterwards one element is as good as many.
    let mut specs = Specs::default();
    norm.declare(&mut specs);
    let program = trace("running", |t| {
        by(Statistics::running())(&specs.params(t, "p", f32), t.input("x", f32, [1, 8]))
    });
    assert!(program.is_ok());
    let group = |groups: i64| GroupNorm::new("gn", 8, groups);
    let apply = |groups: i64| move |p: &Params, x: Tensor| group(groups).apply(p, x);
    let one = "group norm `gn` over 1 element: each of the 8 groups of f32[4,1,8] has so many";
    said(|specs| group(8).declare(specs), &[4, 1, 8], apply(8), one);
    said(|specs| group(3).declare(specs), &[4, 5, 8], apply(3), "8 features do not divide into 3 groups");
}

#[test]
fn other_layers_of_images_say_what_does_not_fit() {
    let nothing = |_: &mut Specs| ();
    said(
        nothing,
        &[2, 5],
        |_, x| glu(x),
        "a gated linear unit is given f32[2,5], whose last dim has no two halves",
    );
    let to = |_: &Params, x: Tensor| resize(x, &[4, 0], Between::Linear);
    said(nothing, &[1, 8, 8, 3], to, "f32[1,8,8,3] cannot be resized to [4, 0] places");
    let patches = PatchEmbedding::new("patches", [4, 4], 3, 16);
    let uneven = "f32[1,8,10,3] does not divide into patches of [4, 4]";
    said(|specs| patches.declare(specs), &[1, 8, 10, 3], |p, x| patches.apply(p, x), uneven);
    let layer = SqueezeExcite::new("se", 8, 2);
    let given = "squeeze and excitation `se` of 8 features is given f32[2,8]";
    said(|specs| layer.declare(specs), &[2, 8], |p, x| layer.apply(p, x), given);
}

#[test]
fn whole_features_are_dropped_together() {
    let program =
        trace("dropout", |_| dropout_along(ones(f64, [50, 3, 2, 20]), 0.3, Some(Key::seed(4)), &[1, 2]));
    let found = run(&program.expect("it traces"), &[]).remove(0);
    let at = |example: usize, place: usize, feature: usize| found[(example * 6 + place) * 20 + feature];
    let mut dropped = 0;
    for (example, feature) in (0..50).flat_map(|example| (0..20).map(move |feature| (example, feature))) {
        assert!((1..6).all(|place| at(example, place, feature) == at(example, 0, feature)));
        dropped += usize::from(at(example, 0, feature) == 0.0);
    }
    assert!((240..360).contains(&dropped), "{dropped} of 1000");
}
