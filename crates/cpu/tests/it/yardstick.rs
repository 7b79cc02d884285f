//! The yardstick step on 8 in-process devices: JAX's numbers, and the same bits whoever runs what.

use crate::support;

use meshwright_cpu::Cpu;
use meshwright_ir::SpmdModule;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions};
use std::sync::Arc;
use support::{archive, difference, golden, parse, types};

fn yardstick() -> (SpmdModule, Vec<HostArray>, Vec<HostArray>) {
    let folder = golden().join("yardstick");
    let module = parse(&folder.join("stablehlo.mlir")).unwrap();
    let params = types(&module, module.main().param_values());
    let results = types(&module, module.main().result_values());
    let inputs = archive(&folder.join("inputs.npz"), &params).unwrap();
    let outputs = archive(&folder.join("outputs.npz"), &results).unwrap();
    let options = meshwright_compile::Options::default();
    let compiled = meshwright_compile::partition(module, &options, &mut meshwright_compile::Unobserved);
    let program = compiled.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    (program, inputs, outputs)
}

fn run(program: &SpmdModule, inputs: &[HostArray], workers: usize) -> Vec<DeviceArray> {
    let devices = InProcess::new(8, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = devices.load(program, &LoadOptions::default()).unwrap();
    loaded.launch(place_all(program, inputs, &devices.local()).unwrap(), None).unwrap()
}

#[test]
fn one_and_two_and_five_workers_give_the_same_bits_and_they_are_jax_numbers() {
    let (program, inputs, expected) = yardstick();
    let one = run(&program, &inputs, 1);
    for workers in [2, 5] {
        for (a, b) in one.iter().zip(&run(&program, &inputs, workers)) {
            for (a, b) in a.shards().unwrap().iter().zip(b.shards().unwrap()) {
                assert!(a.bytes() == b.bytes(), "{workers} workers differ");
            }
        }
    }
    let meshes = &program.module().meshes;
    let mut worst: f64 = 0.0;
    for ((result, placement), expected) in one.iter().zip(&program.results).zip(&expected) {
        worst = worst.max(difference(&result.to_host(meshes, placement).unwrap(), expected));
    }
    assert!(worst < 2e-4, "differs from JAX by {worst:.3e}");
}

#[test]
fn a_plan_above_the_limit_is_refused_before_it_runs() {
    let (program, _, _) = yardstick();
    let devices = InProcess::new(8, Some(1), Arc::new(Cpu::default()));
    let error = devices.load(&program, &LoadOptions { memory_limit: Some(1000) }).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("the limit is 1000"), "{error}");
    assert!(!error.notes.is_empty());
}
