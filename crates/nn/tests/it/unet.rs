//! The U-Net split along space and by examples: losses, statistics and all gradients are those on one device, and what
//! travels is what windows reach over.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_cost::{Machine, traffic};
use meshwright_interp::Tensor as Array;
use meshwright_nn::models::step::{Gradients, Model, Training, batch_inputs, check, gradients};
use meshwright_nn::models::strategy::SPATIAL;
use meshwright_nn::models::unet::{Down, Normal, UNet};
use meshwright_tensor::prelude::*;
use support::tiny::training;
use support::{Random, array, close, numbers};

fn tiny(sizes: &[i64], down: Down, normal: Normal) -> UNet {
    UNet {
        sizes: sizes.to_vec(),
        channels: 1,
        classes: 3,
        levels: vec![[2, 4], [4, 4]],
        down,
        narrows_up: down == Down::Stride,
        normal,
        overlap: 1.0,
        compute: f64,
    }
}

fn rows(batch: i64) -> Training {
    Training { batch, length: 0, ..training() }
}

/// The program of losses and gradients.
fn program(model: &UNet, rules: &Rules, batch: i64, parts: i64) -> Program {
    let traced = trace_with("gradients", rules, |t| {
        let inputs = batch_inputs(t, model, &rows(batch));
        let (weights, statistics) = model.specs().parted();
        let (p, s) = (weights.params(t, "params", f64), statistics.params(t, "params", f64));
        let Gradients { losses, gradients } = gradients(model, &p, &s, &inputs, Some(Key::seed(1)), parts);
        (losses, gradients)
    });
    traced.unwrap_or_else(|found| panic!("{found}"))
}

fn inputs(program: &Program) -> Vec<Array> {
    let mut random = Random(4);
    let one = |input: &meshwright_tensor::InputInfo| {
        let count = input.ty.elements() as usize;
        let drawn: Vec<f64> = match &*input.name {
            "labels" => (0..count).map(|_| random.below(3) as f64).collect(),
            name if name.ends_with("variance") => vec![1.0; count],
            _ => (0..count).map(|_| random.unit() - 0.5).collect(),
        };
        array(program, &input.name, &drawn)
    };
    program.inputs().iter().map(one).collect()
}

fn alone(model: &UNet, batch: i64, parts: i64) -> Vec<Vec<f64>> {
    let mesh = Mesh::new([("one", 1)]).expect("a mesh");
    let program = program(model, &Rules::new(&mesh), batch, parts);
    let found = meshwright_interp::run(program.module(), &inputs(&program)).expect("it runs");
    found.iter().map(numbers).collect()
}

fn compiled(program: &Program) -> meshwright_ir::SpmdModule {
    let options = meshwright_compile::Options::default();
    let made = meshwright_compile::partition(program.module().clone(), &options, &mut Unobserved);
    made.unwrap_or_else(|found| panic!("{}", Errors::from(found))).program
}

fn together(model: &UNet, axes: &[(&str, i64)], batch: i64, parts: i64) -> Vec<Vec<f64>> {
    let mesh = SPATIAL.mesh(axes.iter().copied()).expect("a mesh");
    let program = program(model, &SPATIAL.rules(&mesh), batch, parts);
    let found = run_spmd(&compiled(&program), &inputs(&program)).expect("the partitioned program runs");
    found.iter().map(numbers).collect()
}

fn equal(ours: &[Vec<f64>], theirs: &[Vec<f64>]) {
    assert_eq!(ours.len(), theirs.len());
    assert!(theirs.iter().skip(2).flatten().any(|x| *x != 0.0), "nothing was learnt");
    ours.iter().zip(theirs).for_each(|(a, b)| close(a, b, 1e-9));
}

#[test]
fn a_split_net_is_the_net_alone_also_where_sizes_do_not_divide() {
    let kinds =
        [(Down::Stride, Normal::Instance), (Down::Pool, Normal::Batch), (Down::Stride, Normal::Group(2))];
    for (down, normal) in kinds {
        for sizes in [&[8, 6, 4][..], &[7, 5, 6], &[9, 5]] {
            let model = tiny(sizes, down, normal);
            let whole = alone(&model, 2, 1);
            for axes in [
                &[("spatial", 4)][..],
                &[("data", 2), ("spatial", 2)],
                &[("data", 2), ("spatial", 4)],
                &[("data", 2), ("spatial", 2), ("spatial_2", 2)],
            ] {
                equal(&together(&model, axes, 2, 1), &whole);
            }
        }
    }
}

#[test]
fn parts_of_a_batch_add_up_to_it() {
    let model = tiny(&[6, 5, 4], Down::Stride, Normal::Instance);
    let whole = alone(&model, 4, 1);
    equal(&alone(&model, 4, 2), &whole);
    equal(&together(&model, &[("data", 2), ("spatial", 2)], 4, 2), &whole);
}

#[test]
fn sizes_that_a_net_cannot_have_are_refused_with_their_numbers() {
    let said = |model: UNet| {
        let found = check(&model, &rows(2)).unwrap_err();
        format!("{} ({})", found.message, found.help.unwrap_or_default())
    };
    let small = said(tiny(&[8, 2, 8], Down::Pool, Normal::Instance));
    assert!(small.contains("spatial dim 1 has 2 places, and 1 at the coarsest of 2 levels"), "{small}");
    assert!(small.contains("give it 3 places or more"), "{small}");
    let groups = said(tiny(&[8, 8], Down::Pool, Normal::Group(3)));
    assert!(groups.contains("2 features do not divide into 3 groups"), "{groups}");
    let one = said(UNet { classes: 1, ..tiny(&[8, 8], Down::Pool, Normal::Instance) });
    assert!(one.contains("1 channels to 1 classes"), "{one}");
    assert!(said(tiny(&[], Down::Pool, Normal::Instance)).contains("0 spatial dims"));
}

/// Rows of planes that a device sends to its neighbours in a step, by hand: what windows reach over, once each way.
///
/// A window of 3 with step 1 reaches a row to both sides, of what it reads and, backwards, of what is learnt of what
/// it wrote. With step 2 on an even size it reaches one row behind, and backwards one before. Transposed windows as
/// long as their step reach over nothing. The image has no gradient.
fn rows_by_hand(batch: i64, planes: [i64; 2]) -> i64 {
    let fine = batch * planes[0];
    let coarse = batch * planes[1];
    // Rows, elements of a plane, channels.
    let read = [
        (2, fine, 1),   // down_0.conv_0
        (2, fine, 2),   // down_0.conv_1
        (1, fine, 4),   // down_1.conv_0
        (2, coarse, 4), // down_1.conv_1
        (2, fine, 8),   // up_0.conv_0
        (2, fine, 4),   // up_0.conv_1
    ];
    let learnt = [
        (2, fine, 4),   // of down_0.conv_1
        (1, coarse, 4), // of down_1.conv_0
        (2, coarse, 4), // of down_1.conv_1
        (2, fine, 4),   // of up_0.conv_0
        (2, fine, 4),   // of up_0.conv_1
    ];
    read.iter().chain(&learnt).map(|(rows, plane, channels)| rows * plane * channels).sum()
}

#[test]
fn neighbours_exchange_the_rows_that_windows_reach_over_whatever_their_number() {
    let model = tiny(&[32, 8, 6], Down::Stride, Normal::Instance);
    let sent = |spatial: i64| {
        let mesh = SPATIAL.mesh([("spatial", spatial)]).expect("a mesh");
        let program = program(&model, &SPATIAL.rules(&mesh), 2, 1);
        let found = traffic(compiled(&program).module(), &Machine::default());
        let halo = found.by_pattern.get(&meshwright_cost::Pattern::Permute);
        (halo.map_or(0.0, |halo| halo.sent), found.sent)
    };
    let by_hand = 8.0 * rows_by_hand(2, [8 * 6, 4 * 3]) as f64;
    for spatial in [4, 8] {
        assert_eq!(sent(spatial).0, by_hand, "on {spatial} devices");
    }
    // Gradients and norms are sums over devices, of no more bytes than twice their size.
    assert!(sent(8).1 - sent(8).0 <= 2.0 * (sent(4).1 - sent(4).0), "{:?} {:?}", sent(4), sent(8));
}
