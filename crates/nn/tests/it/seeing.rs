//! Models that see: on several devices as on one, with uneven sizes; what their halos take; what they refuse.

use crate::support;

use meshwright_campaign::global::run_spmd;
use meshwright_compile::Unobserved;
use meshwright_cost::{Machine, Pattern, traffic};
use meshwright_interp::Tensor as Array;
use meshwright_nn::layers::batch_norm::Statistics;
use meshwright_nn::models::family::{self, Sizes};
use meshwright_nn::models::images::Labelled;
use meshwright_nn::models::images::dilated::Dilated;
use meshwright_nn::models::images::joined::{BY_MODE, Joined};
use meshwright_nn::models::images::residual::{Residual, Stage};
use meshwright_nn::models::images::vit::Vit;
use meshwright_nn::models::step::{Model, Training, first_params, train_step};
use meshwright_nn::models::transformer::{Moe, Transformer};
use meshwright_nn::moe::layer::{Explore, Gate};
use meshwright_nn::moe::route::Weights;
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::stored::Stored;
use meshwright_nn::params::Params;
use meshwright_tensor::prelude::*;
use support::{Random, array, close, numbers};

fn training(batch: i64) -> Training {
    Training {
        optimizer: Optimizer::sgd(0.05, 0.9),
        batch,
        microbatches: 1,
        length: 2,
        dtype: f64,
        stored: Stored::Wide,
        seed: 3,
    }
}

fn residual() -> Residual {
    let stages = [Stage { blocks: 1, width: 3 }, Stage { blocks: 2, width: 4 }];
    Residual { compute: f64, ..Residual::plain([13, 10], 2, stages, 5) }
}

const SIZES: Sizes =
    Sizes { model: 8, hidden: 12, heads: 4, kv: 3, gated: false, experts: 0, every: 2, groups: 8, room: 200 };

fn transformer() -> Transformer {
    Transformer { compute: f64, dropout: 0.1, ..family::looking_both_ways(&SIZES) }
}

fn vit() -> Vit {
    Vit {
        image: vec![12, 9],
        channels: 2,
        patch: vec![3, 3],
        net: transformer(),
        blocks: 2,
        classes: 5,
        factors: [0.0; 2],
    }
}

fn dilated() -> Dilated {
    Dilated {
        image: vec![13, 11],
        channels: 2,
        features: 3,
        dilations: vec![1, 2, 4],
        stacks: 1,
        told: vec![5, 6],
        classes: 4,
        compute: f64,
    }
}

fn joined() -> Joined {
    Joined { image: residual(), text: transformer(), blocks: 2, vocab: 7, length: 6 }
}

/// Runs so many steps on made-up batches: what each says, and all states in the end.
fn steps<M: Labelled>(
    model: &M,
    rules: &Rules,
    is_split: bool,
    microbatches: i64,
    count: usize,
) -> (Vec<f64>, Vec<(String, Vec<f64>)>) {
    let training = Training { microbatches, ..training(4) };
    let step = train_step(model, &training, rules).unwrap_or_else(|errors| panic!("{errors}"));
    let first = first_params(model, f64, 7, rules).expect("it draws");
    let drawn = meshwright_interp::run(first.module(), &[]).expect("it runs");
    let mut states: Vec<(String, Vec<f64>)> =
        first.results().iter().zip(&drawn).map(|(result, x)| (result.name.to_string(), numbers(x))).collect();
    let options = meshwright_compile::Options::default();
    let split = is_split.then(|| {
        meshwright_compile::partition(step.module().clone(), &options, &mut Unobserved)
            .unwrap_or_else(|found| panic!("{}", Errors::from(found)))
            .program
    });
    let mut losses = Vec::new();
    for turn in 0..count {
        let mut random = Random(turn as u64);
        let one = |input: &meshwright_tensor::InputInfo| -> Array {
            let many = input.ty.elements() as usize;
            let known = states.iter().find(|(name, _)| **name == *input.name).map(|(_, x)| x.clone());
            let drawn = match &*input.name {
                "labels" => (0..many).map(|_| random.below(4) as f64).collect(),
                "tokens" => (0..many).map(|_| random.below(7) as f64).collect(),
                "image" => (0..many).map(|_| (random.unit() * 2.0 - 1.0) as f32 as f64).collect(),
                _ => vec![0.0; many],
            };
            array(&step, &input.name, &known.unwrap_or(drawn))
        };
        let inputs: Vec<Array> = step.inputs().iter().map(one).collect();
        let found = match &split {
            Some(program) => run_spmd(program, &inputs).expect("it runs"),
            None => meshwright_interp::run(step.module(), &inputs).expect("it runs"),
        };
        let named =
            step.results().iter().zip(&found).map(|(result, x)| (result.name.to_string(), numbers(x)));
        let (said, kept): (Vec<_>, Vec<_>) = named.partition(|(name, _)| step.input(name).is_none());
        losses.extend(said.into_iter().flat_map(|(_, x)| x));
        states = kept;
    }
    (losses, states)
}

fn equal<M: Labelled>(model: &M, tables: &[Rules]) {
    let one = Mesh::new([("one", 1)]).expect("a mesh");
    let (losses, states) = steps(model, &Rules::new(&one), false, 1, 3);
    for rules in tables {
        let (split, kept) = steps(model, rules, true, 1, 3);
        close(&split, &losses, 1e-10);
        assert_eq!(kept.len(), states.len());
        for ((name, a), (also, b)) in kept.iter().zip(&states) {
            assert_eq!(name, also);
            close(a, b, 1e-10);
        }
    }
}

/// A batch over 2 with rows over 4, rows over 8, and both spatial dims.
fn tables() -> [Rules; 3] {
    let mesh = |axes: &[(&str, i64)]| Mesh::new(axes.iter().copied()).expect("a mesh");
    [
        Rules::of(&mesh(&[("data", 2), ("rows", 4)]), [("batch", "data"), ("space", "rows")]),
        Rules::of(&mesh(&[("rows", 8)]), [("space", "rows")]),
        Rules::of(&mesh(&[("rows", 2), ("columns", 4)]), [("space", "rows"), ("space_2", "columns")]),
    ]
}

#[test]
fn a_residual_network_learns_alike_on_any_devices() {
    equal(&residual(), &tables());
    let bottleneck = Residual { bottleneck: true, is_large: true, image: vec![21, 18], ..residual() };
    equal(&bottleneck, &tables());
}

#[test]
fn a_dilated_stack_learns_alike_on_any_devices() {
    equal(&dilated(), &tables());
}

#[test]
fn a_vit_learns_alike_on_any_devices() {
    let mesh = Mesh::new([("data", 2), ("model", 4)]).expect("a mesh");
    let both = meshwright_nn::models::strategy::DATA_MODEL.rules(&mesh);
    equal(&vit(), &[tables().to_vec(), vec![both]].concat());
}

#[test]
fn a_vit_of_experts_learns_alike_on_any_devices() {
    let sizes = Sizes { experts: 4, every: 2, groups: 4, room: 200, ..SIZES };
    let gates = [Gate::Top1(Explore::Argmax), Gate::TopN(2, Weights::Raw), Gate::ExpertChoice];
    for gate in gates {
        let moe = family::switch(&sizes, 2).net.moe.map(|moe| Moe { gate, ..moe });
        assert!(moe.is_some());
        let model = Vit { net: Transformer { moe, ..transformer() }, factors: [1e-2, 1e-3], ..vit() };
        let over = |axes: &[(&str, i64)]| {
            meshwright_nn::models::strategy::EXPERT_DATA
                .rules(&Mesh::new(axes.iter().copied()).expect("a mesh"))
        };
        equal(&model, &[over(&[("data", 1), ("expert", 4)]), over(&[("data", 2), ("expert", 2)])]);
    }
}

#[test]
fn a_model_of_two_modes_learns_alike_on_any_devices() {
    let by_mode = |axes: [(&str, i64); 2]| BY_MODE.rules(&Mesh::new(axes).expect("a mesh"));
    equal(&joined(), &[by_mode([("x", 2), ("y", 4)]), by_mode([("x", 4), ("y", 2)])]);
}

#[test]
fn running_averages_of_microbatches_are_the_mean_of_theirs() {
    let one = Mesh::new([("one", 1)]).expect("a mesh");
    let averages = |microbatches: i64| {
        let (_, states) = steps(&residual(), &Rules::new(&one), false, microbatches, 1);
        let mine = |(name, x): (String, Vec<f64>)| (name == "params.stem.norm.mean").then_some(x);
        states.into_iter().find_map(mine).expect("running averages are states")
    };
    // The mean over equal parts is that of the whole.
    close(&averages(2), &averages(1), 1e-12);
    assert!(averages(1).iter().any(|x| x.abs() > 1e-4), "nothing was learnt of the batch");
}

#[test]
fn optimizers_know_nothing_of_running_averages() {
    let one = Mesh::new([("one", 1)]).expect("a mesh");
    let step = train_step(&residual(), &training(4), &Rules::new(&one)).expect("it traces");
    let names: Vec<&str> = step.inputs().iter().map(|input| &*input.name).collect();
    assert!(names.contains(&"params.stem.norm.mean") && names.contains(&"momentum.stem.norm.scale"));
    assert!(!names.contains(&"momentum.stem.norm.mean"), "{names:?}");
}

#[test]
fn resnet_50_has_as_many_weights_as_its_paper_says() {
    let (weights, statistics) = Residual::fifty().specs().parted();
    assert_eq!(weights.elements(), 25_557_032);
    assert_eq!(statistics.elements(), 53_120);
}

/// Bytes that a device sends to compute logits in f32, and those of them that its neighbours' windows need.
fn halos<M: Labelled>(model: &M, axes: &[(&str, i64)], table: &[(&str, &str)]) -> (f64, f64) {
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let program = trace_with("logits", &Rules::of(&mesh, table.iter().copied()), |t| {
        let fields = model.inputs().into_iter().map(|field| {
            let dims: Vec<(&str, i64)> = [&[("batch", 1)], &field.dims[..]].concat();
            (field.name.to_string(), t.input(field.name, field.dtype, dims))
        });
        let batch = Params { list: fields.collect() };
        let p = model.parameters().params(t, "params", f32);
        model.logits(&p, &batch, None, &mut Statistics::running())
    });
    let options = meshwright_compile::Options::default();
    let program = program.unwrap_or_else(|errors| panic!("{errors}"));
    let compiled = meshwright_compile::partition(program.into_module(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{}", Errors::from(found)));
    let all = traffic(compiled.program.module(), &Machine::default());
    let halos = all.by_pattern.get(&Pattern::Permute).map_or(0.0, |total| total.sent);
    (halos, all.sent)
}

/// A window of 3 that looks `low` and `high` further in both dims, on a piece of `h` x `w`: rows first, then columns
/// with what has come of rows. Bytes of `f32`.
fn window(h: i64, w: i64, (low, high): (i64, i64), features: i64) -> i64 {
    4 * features * ((low + high) * w + (low + high) * (h + low + high))
}

/// The same where only rows are split.
fn rows(w: i64, (low, high): (i64, i64), features: i64) -> i64 {
    4 * features * (low + high) * w
}

const BOTH_WAYS: [(&str, &str); 2] = [("space", "x"), ("space_2", "y")];

#[test]
fn halos_of_a_dilated_stack_are_what_its_windows_need() {
    let model = Dilated { image: vec![64, 64], told: vec![64, 64], compute: f32, ..dilated() };
    // The stem looks at 2 channels; each block has two convolutions of 3 features, 1, 2 and 4 apart.
    let both = |h, w| -> i64 {
        window(h, w, (1, 1), 2)
            + [1, 2, 4].map(|apart| 2 * window(h, w, (apart, apart), 3)).iter().sum::<i64>()
    };
    let of = |axes: [(&str, i64); 2]| halos(&model, &axes, &BOTH_WAYS);
    assert_eq!(of([("x", 2), ("y", 4)]), (both(32, 16) as f64, both(32, 16) as f64));
    assert_eq!(of([("x", 4), ("y", 4)]), (both(16, 16) as f64, both(16, 16) as f64));
    // Rows alone: as many bytes on 4 devices as on 8.
    let alone =
        rows(64, (1, 1), 2) + [1, 2, 4].map(|apart| 2 * rows(64, (apart, apart), 3)).iter().sum::<i64>();
    for devices in [4, 8] {
        assert_eq!(halos(&model, &[("x", devices)], &[("space", "x")]), (alone as f64, alone as f64));
    }
}

#[test]
fn halos_of_a_residual_network_are_what_its_windows_need() {
    let model = Residual { image: vec![64, 64], compute: f32, ..residual() };
    // Stem, a block of two, a block that halves and so looks at one place behind only, its second, a block of two.
    let both = |h, w| {
        let half = window(h / 2, w / 2, (1, 1), 4);
        window(h, w, (1, 1), 2) + 2 * window(h, w, (1, 1), 3) + window(h, w, (0, 1), 3) + 3 * half
    };
    let (found, all) = halos(&model, &[("x", 2), ("y", 4)], &BOTH_WAYS);
    assert_eq!(found, both(32, 16) as f64);
    // Besides, the mean over all places of 4 features is summed up over 8 devices.
    assert_eq!(all - found, 2.0 * 16.0 * 7.0 / 8.0);
    let alone = rows(64, (1, 1), 2) + 2 * rows(64, (1, 1), 3) + rows(64, (0, 1), 3) + 3 * rows(32, (1, 1), 4);
    for devices in [4, 8] {
        assert_eq!(halos(&model, &[("x", devices)], &[("space", "x")]).0, alone as f64);
    }
}

#[test]
fn text_and_images_use_the_same_axes_in_other_ways() {
    let mesh = Mesh::new([("x", 2), ("y", 4)]).expect("a mesh");
    let step = train_step(&joined(), &training(4), &BY_MODE.rules(&mesh)).expect("it traces");
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(step.into_module(), &options, &mut Unobserved)
        .unwrap_or_else(|found| panic!("{}", Errors::from(found)));
    let all = traffic(compiled.program.module(), &Machine::default()).by_group;
    let over = |pattern: Pattern, axes: &str| {
        all.keys().any(|(kind, members)| *kind == pattern && members.axes.as_deref() == Some(axes))
    };
    assert!(all.keys().any(|(kind, _)| *kind == Pattern::Permute), "no halos: {all:?}");
    assert!(over(Pattern::AllReduce, r#"{"y"}"#), "no heads are summed up: {all:?}");
    // A batch of images becomes one of rows.
    assert!(all.keys().any(|(kind, _)| *kind == Pattern::AllToAll), "nothing changes hands: {all:?}");
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let says = |found: Result<(), meshwright_base::Diagnostic>, part: &str| {
        let said = found.expect_err("it is refused");
        assert!(said.message.contains(part), "no `{part}` in {}", said.message);
        assert!(said.help.is_some());
    };
    says(
        Vit { image: vec![12, 10], ..vit() }.check_sizes(4),
        "images of [12, 10] do not divide into patches of [3, 3]",
    );
    says(Vit { classes: 0, ..vit() }.check_sizes(4), "a ViT has 0 classes");
    let tiny = Residual { image: vec![1, 2], ..residual() };
    says(tiny.check_sizes(1), "1 image of [1, 2], halved 1 times, leaves batch norm over one element");
    assert!(tiny.check_sizes(2).is_ok());
    says(
        Residual { image: vec![8; 4], ..residual() }.check_sizes(1),
        "a residual network over 4 spatial dims",
    );
    says(
        Dilated { told: vec![14, 3], ..dilated() }.check_sizes(1),
        "[14, 3] places are to be told of [13, 11]",
    );
    says(Joined { length: 0, ..joined() }.check_sizes(2), "the text has 0 tokens");
}
