//! Programs planned for least time, beside those planned for fewest bytes: by the estimate that all commands tell, none
//! of them is slower.
//!
//! Random training steps on random meshes for machines of every kind, and those of `tests/xla`. The searches of
//! `compile/quickest.rs` were chosen on the seeds 1 to 3; those here are others.
//! `cargo test -p meshwright-nn --test it least_seconds:: -- --nocapture` prints the gain on each machine.

#![allow(clippy::print_stdout)]

use meshwright_base::SourceText;
use meshwright_compile::{Goal, Options, Unobserved};
use meshwright_cost::{Target, step_seconds};
use meshwright_ir::Module;
use meshwright_nn::models::strategy::*;
use meshwright_nn::models::switch::{Switch, Training, train_step};
use meshwright_nn::optim::Optimizer;
use meshwright_nn::optim::stored::Stored;
use meshwright_tensor::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

use crate::support;
use support::Random;

const TARGETS: [&str; 11] = [
    "a100-40",
    "a100-80",
    "h100",
    "h200",
    "tpu-v2",
    "tpu-v3",
    "tpu-v4",
    "tpu-v4-core",
    "tpu-v5e",
    "tpu-v5p",
    "tpu-v6e",
];

/// A step with what it is called and how many devices its mesh has.
struct Step {
    name: String,
    module: Module,
    devices: i64,
}

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

/// How the weights of a layer are split: those of its two products and what is added between.
fn layouts(mesh: &Mesh, layout: usize, [up, down, bias]: [Tensor; 3]) -> [Tensor; 3] {
    match layout {
        0 => {
            let bias = bias.mesh_split(mesh, ["model"]);
            [up.mesh_split(mesh, ((), "model")), down.mesh_split(mesh, ("model", ())), bias]
        }
        1 => [up.mesh_split(mesh, ("data", "model")), down.mesh_split(mesh, ("model", "data")), bias],
        2 => [up.mesh_split(mesh, ("data", ())), down.mesh_split(mesh, ("data", ())), bias],
        3 => [up.mesh_split(mesh, ((), "model")), down, bias],
        _ => [up, down, bias],
    }
}

/// A few residual layers of two products each, and a step of gradient descent.
fn residual(random: &mut Random) -> Step {
    let (data, model) =
        pick(random, &[(4, 2), (2, 4), (8, 1), (1, 8), (4, 4), (8, 2), (8, 8), (2, 16), (16, 8)]);
    let depth = 1 + random.below(3);
    let width = pick(random, &[64i64, 256, 1024, 4096]);
    let hidden = pick(random, &[128i64, 256, 1024, 4096, 16384]);
    let batch = pick(random, &[32i64, 128, 1024, 8192]);
    let dtype = pick(random, &[f32, bf16]);
    let layout = random.below(5);
    let (adds, says) = (random.below(2) == 0, random.below(4) == 0);
    let mesh = Mesh::new([("data", data), ("model", model)]).expect("a mesh");
    let traced = trace("step", |t| {
        let x = t.input("x", dtype, [batch, width]).mesh_split(&mesh, ("data", ()));
        let y = t.input("y", dtype, [batch, width]).mesh_split(&mesh, ("data", ()));
        let layer = |at: usize| {
            let up = t.input(&format!("up{at}"), dtype, [width, hidden]);
            let down = t.input(&format!("down{at}"), dtype, [hidden, width]);
            layouts(&mesh, layout, [up, down, t.input(&format!("bias{at}"), dtype, [hidden])])
        };
        let weights: Vec<[Tensor; 3]> = (0..depth).map(layer).collect();
        let (loss, slopes) = value_and_grad(weights.clone(), |weights| {
            let block = |h: Tensor, [up, down, bias]: [Tensor; 3]| {
                let middle = h.matmul(up);
                let middle = if adds { middle + bias.broadcast_to([batch, hidden]) } else { middle };
                let made = middle.relu().matmul(down);
                h + if says { made.mesh_split(&mesh, ("data", ())) } else { made }
            };
            (weights.into_iter().fold(x, block) - y).square().mean(..)
        });
        let next = weights.iter().flatten().zip(slopes.iter().flatten());
        [loss].into_iter().chain(next.map(|(weight, slope)| *weight - *slope * 0.1)).collect::<Vec<_>>()
    });
    let name = format!("{depth} x {batch}x{width}x{hidden} {dtype:?} on {data}x{model}, layout {layout}");
    let module = traced.unwrap_or_else(|found| panic!("{found}")).into_module();
    Step { name, module, devices: data * model }
}

/// A Switch Transformer under one of the strategies.
fn switch(random: &mut Random) -> Step {
    let (table, axes): (&Table, &[(&str, i64)]) = pick(
        random,
        &[
            (&DATA, &[("data", 8)][..]),
            (&MODEL, &[("model", 4)][..]),
            (&DATA_MODEL, &[("data", 4), ("model", 2)][..]),
            (&EXPERT, &[("expert", 8)][..]),
            (&EXPERT_DATA, &[("data", 2), ("expert", 4)][..]),
            (&EXPERT_MODEL_DATA, &[("data", 1), ("expert", 8), ("model", 2)][..]),
            (&WEIGHT_UPDATE, &[("data", 8)][..]),
        ],
    );
    let training = Training {
        optimizer: Optimizer::adam(0.1),
        batch: pick(random, &[16, 64]),
        microbatches: 1,
        length: pick(random, &[33, 129]),
        dtype: f32,
        stored: Stored::Wide,
        seed: 1,
    };
    let mesh = Mesh::new(axes.iter().copied()).expect("a mesh");
    let model = Switch { compute: bf16, ..Switch::small() };
    let step = train_step(&model, &training, &table.rules(&mesh)).expect("the step traces");
    let name = format!("switch of {} x {}, {}", training.batch, training.length, table.name);
    Step { name, module: step.into_module(), devices: axes.iter().map(|(_, size)| size).product() }
}

/// The training steps that are held beside XLA's.
fn beside_xla() -> Vec<Step> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/xla");
    let mut steps = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let Ok(text) = std::fs::read_to_string(path.join("before_propagation.hlo")) else { continue };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let read = meshwright_text::parse(&SourceText::new(name.clone(), text));
        let module = read.unwrap_or_else(|found| panic!("{name}: {found:?}"));
        steps.push(Step { name, devices: module.num_partitions.unwrap_or(1), module });
    }
    steps.sort_by(|a, b| a.name.cmp(&b.name));
    steps
}

/// Seconds of the program for fewest bytes and of that for least time, as `plan` estimates them.
fn seconds(step: &Step, target: &str) -> [f64; 2] {
    let machine = Target::parse(target).and_then(|target| target.machine(step.devices)).expect("a machine");
    [Goal::Bytes, Goal::Seconds].map(|goal| {
        let mut options = Options { trust: true, ..Options::default() };
        (options.partition.machine, options.partition.goal) = (machine.clone(), goal);
        let made = meshwright_compile::partition(step.module.clone(), &options, &mut Unobserved);
        let made = made.unwrap_or_else(|found| panic!("{}: {found:?}", step.name));
        step_seconds(made.program.module(), &machine)
    })
}

/// What a kind of machine gains.
#[derive(Default)]
struct Gain {
    programs: usize,
    quicker: usize,
    /// The sum of the logarithms of shares of time, and the least of these shares.
    logarithms: f64,
    least: f64,
}

#[test]
fn least_time_never_takes_more_than_fewest_bytes() {
    const SEED: u64 = 101;
    const STEPS: usize = 48;
    let mut random = Random(std::env::var("SEED").map_or(SEED, |seed| seed.parse().expect("a number")));
    let mut steps = beside_xla();
    assert!(steps.len() >= 13);
    steps.extend((0..STEPS).map(|at| if at % 6 == 5 { switch(&mut random) } else { residual(&mut random) }));
    let (mut gains, mut slower): (BTreeMap<&str, Gain>, _) = (BTreeMap::new(), Vec::new());
    for (at, step) in steps.iter().enumerate() {
        let target = TARGETS[at % TARGETS.len()];
        let [bytes, least] = seconds(step, target);
        let share = least / bytes;
        if share > 1.0 {
            slower.push(format!("{} on {target}: {share:.4}", step.name));
        }
        let gain = gains.entry(target).or_insert(Gain { least: 1.0, ..Gain::default() });
        gain.programs += 1;
        gain.quicker += usize::from(share < 0.99);
        gain.logarithms += share.ln();
        gain.least = gain.least.min(share);
    }
    println!("machine       programs  1 % quicker  share of time  least");
    for (target, Gain { programs, quicker, logarithms, least }) in &gains {
        let share = (logarithms / *programs as f64).exp();
        println!("{target:<12} {programs:>9} {quicker:>12} {share:>14.3} {least:>6.3}");
    }
    assert!(slower.is_empty(), "{slower:#?}");
    assert!(gains.values().any(|gain| gain.quicker > 0), "nothing is quicker");
}
