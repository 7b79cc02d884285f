//! Programs through the C interface give the bits that simulated devices give in this process: golden modules on one
//! device and on many, and random programs of the campaign.
//!
//! The plugin partitions what it gets once more, and must find nothing to do: the bits are those of the program as it
//! was handed over. Transfers take their time, so whoever lets go of its bytes too soon gives wrong ones.

#![allow(clippy::print_stdout)]

mod support;

use meshwright_base::SourceText;
use meshwright_campaign::global::device_count;
use meshwright_campaign::{Case, case, run_spmd};
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_interp::{Style, Tensor, random_inputs};
use meshwright_ir::op::token::TokenOp;
use meshwright_ir::{DType, Module, Op, SpmdModule};
use meshwright_pjrt::{Client, PjrtDevices};
use meshwright_runtime::{Devices, LoadOptions};
use std::sync::Arc;
use support::{Counted, client, one_device, placed, repository};

/// What came of one case.
enum Outcome {
    Passed,
    /// It is none of this border: why.
    Left(&'static str),
    Failed(String),
}

/// Arrays that are packed, and queues, do not cross the border.
fn stays_inside(program: &SpmdModule) -> bool {
    let is_packed = |ty: &meshwright_ir::TensorType| ty.dtype.bits() < 8 && ty.dtype != DType::Pred;
    let placements = program.params.iter().chain(&program.results);
    let module = program.module();
    let is_queue = |op: &Op| matches!(op, Op::Token(TokenOp::Infeed { .. } | TokenOp::Outfeed { .. }));
    let has_queue = |func: &meshwright_ir::Function| {
        func.insts_in_order().into_iter().any(|inst| is_queue(&func.inst(inst).op))
    };
    placements.into_iter().any(|placement| is_packed(&placement.global))
        || module.funcs.values().any(has_queue)
}

fn outcome(client: &Arc<Client>, program: &SpmdModule, inputs: &[Tensor]) -> Outcome {
    if stays_inside(program) {
        return Outcome::Left("what crosses is no array of whole bytes");
    }
    let Ok(expected) = run_spmd(program, inputs) else {
        return Outcome::Left("the interpreter does not run it");
    };
    match results(client, program, inputs) {
        Ok(results) => {
            let differs = results.iter().zip(&expected).position(|(a, b)| !a.same(b));
            differs.map_or(Outcome::Passed, |at| Outcome::Failed(format!("result {at} has other bits")))
        }
        // One manual region has one mesh.
        Err(why) if why.contains("the program's arrays lie on") => {
            Outcome::Left("its arrays lie on several meshes")
        }
        Err(why) => Outcome::Failed(why),
    }
}

fn results(client: &Arc<Client>, program: &SpmdModule, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let count = device_count(program);
    let devices = PjrtDevices::new(client.clone(), count).map_err(|error| error.to_string())?;
    let mut loaded = devices.load(program, &LoadOptions::default()).map_err(|error| error.to_string())?;
    let results = loaded.launch(placed(program, count, inputs), None).map_err(|error| error.to_string())?;
    let whole = results.iter().zip(&program.results).map(|(result, placement)| {
        let host = result.to_host(&program.module().meshes, placement).map_err(|error| error.to_string())?;
        Tensor::from_bytes(host.ty.clone(), &host.bytes).ok_or_else(|| "bytes of another type".to_string())
    });
    whole.collect()
}

fn module(client: &Arc<Client>, module: &Module, options: &Options, style: Style) -> Outcome {
    if meshwright_ir::verify(module).is_err() {
        let _counted = Counted::new(0);
        return Outcome::Left("it does not verify");
    }
    let Ok(inputs) = random_inputs(module, 1, style) else { return Outcome::Left("it has no inputs") };
    let speaks_of_devices = module.num_partitions.unwrap_or(1) > 1 || !module.meshes.is_empty();
    if !speaks_of_devices {
        return outcome(client, &one_device(module.clone()), &inputs);
    }
    match partition(module.clone(), options, &mut Unobserved) {
        Ok(made) => outcome(client, &made.program, &inputs),
        Err(_) => Outcome::Left("it does not partition"),
    }
}

fn judge(cases: impl Iterator<Item = (String, Outcome)>, least: usize) {
    let (mut passed, mut failed, mut left) = (0, Vec::new(), Vec::new());
    for (name, outcome) in cases {
        match outcome {
            Outcome::Passed => passed += 1,
            Outcome::Left(why) => left.push(format!("{name}: {why}")),
            Outcome::Failed(why) => failed.push(format!("{name}: {why}")),
        }
    }
    println!("{passed} passed, {} left:\n{}", left.len(), left.join("\n"));
    assert!(
        failed.is_empty() && passed >= least,
        "{passed} passed\n{}\n\n{}",
        failed.join("\n"),
        left.join("\n")
    );
}

#[test]
fn golden_modules_give_the_bits_of_this_process() {
    let _counted = Counted::new(0);
    let mut folders: Vec<_> = std::fs::read_dir(repository().join("tests/golden"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    let opened = client(&["devices=16"]);
    let case = |folder: std::path::PathBuf| {
        let text = std::fs::read_to_string(folder.join("module.mlir")).ok()?;
        let name = folder.file_name()?.to_string_lossy().into_owned();
        let outcome = match meshwright_text::parse(&SourceText::new(name.clone(), text)) {
            Ok(parsed) => module(&opened, &parsed, &Options::default(), Style::Natural),
            Err(_) => Outcome::Left("it does not read"),
        };
        Some((name, outcome))
    };
    judge(folders.into_iter().filter_map(case), 100);
}

#[test]
fn programs_of_the_campaign_give_the_bits_of_this_process() {
    let _counted = Counted::new(0);
    let count = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let opened = client(&["devices=64", "transfer_ms=1", "execute_ms=1"]);
    let of = |number: u64| {
        let Case { module: random, exact, machine, .. } = case(23, number);
        let mut options = Options::default();
        options.partition.machine = machine.machine();
        let style = if exact { Style::SmallInts } else { Style::Natural };
        (format!("case {number}"), module(&opened, &random, &options, style))
    };
    judge((0..count).map(of), 40.min(count as usize / 2));
}

#[test]
fn results_go_back_in_without_leaving_the_devices() {
    let _counted = Counted::new(0);
    let program = support::partitioned(support::LAYERS);
    let opened = client(&[]);
    let devices = PjrtDevices::new(opened.clone(), 8).unwrap();
    let mut loaded = devices.load(&program, &LoadOptions::default()).unwrap();
    let inputs = random_inputs(&support::parsed(support::LAYERS), 3, Style::SmallInts).unwrap();
    let args = placed(&program, 8, &inputs);
    let once = loaded.launch(args.clone(), None).unwrap();
    let before = opened.memory().unwrap();
    let twice = loaded.launch([once[0].clone(), args[1].clone(), args[2].clone()].into(), None).unwrap();
    let first = run_spmd(&program, &inputs).unwrap();
    let second = run_spmd(&program, &[first[0].clone(), inputs[1].clone(), inputs[2].clone()]).unwrap();
    let whole = twice[0].to_host(&program.module().meshes, &program.results[0]).unwrap();
    assert_eq!(whole.bytes, second[0].to_bytes());
    let after = opened.memory().unwrap();
    assert!(after[0].in_use > before[0].in_use, "{before:?} {after:?}");
}
