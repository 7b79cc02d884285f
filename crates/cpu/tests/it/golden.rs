//! Golden cases of one device: what JAX computed is what the engine computes. Prints what is not compiled yet.

use crate::support;

use meshwright_cpu::Cpu;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions, RunErrorKind};
use std::path::Path;
use std::sync::Arc;
use support::{archive, difference, golden, one_device, parse, tolerance, types};

/// Cases with a subnormal operand, and its place: XLA's CPU code flushes it to zero, the specification does not.
const FLUSHED: [(&str, usize); 1] = [("special_unary", 7)];

/// Take an element out of the comparison.
fn blank(array: &mut HostArray, element: usize) {
    let width = array.ty.dtype.bytes();
    if let Some(bytes) = array.bytes.get_mut(element * width..(element + 1) * width) {
        bytes.fill(0);
    }
}

#[derive(Debug)]
enum Outcome {
    Passed,
    /// For several devices, or without arrays.
    Skipped(#[allow(dead_code)] String),
    NotCompiled(String),
    Wrong(String),
}

fn run(folder: &Path) -> Outcome {
    let module = match parse(&folder.join("module.mlir")) {
        Ok(module) => module,
        Err(error) => return Outcome::Skipped(error),
    };
    let params = types(&module, module.main().param_values());
    let results = types(&module, module.main().result_values());
    if module.num_partitions.is_some_and(|n| n > 1) {
        return Outcome::Skipped("several devices".to_string());
    }
    let (Some(inputs), Some(expected)) =
        (archive(&folder.join("inputs.npz"), &params), archive(&folder.join("outputs.npz"), &results))
    else {
        return Outcome::Skipped("no arrays".to_string());
    };
    let program = match one_device(module) {
        Ok(program) => program,
        Err(error) => return Outcome::Skipped(error),
    };
    let devices = InProcess::new(1, Some(2), Arc::new(Cpu::default()));
    let mut loaded = match devices.load(&program, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) if error.kind == RunErrorKind::NotCompiled => {
            return Outcome::NotCompiled(error.to_string());
        }
        Err(error) => return Outcome::Wrong(error.to_string()),
    };
    let args = place_all(&program, &inputs, &devices.local()).unwrap();
    let outputs = match loaded.launch(args, None) {
        Ok(outputs) => outputs,
        Err(error) => return Outcome::Wrong(error.to_string()),
    };
    for (i, (output, expected)) in outputs.iter().zip(&expected).enumerate() {
        let (mut output, mut expected) = (output.shard(0).unwrap(), expected.clone());
        for (_, element) in FLUSHED.iter().filter(|(name, _)| folder.ends_with(name)) {
            blank(&mut output, *element);
            blank(&mut expected, *element);
        }
        let worst = difference(&output, &expected);
        if worst > tolerance(expected.ty.dtype) {
            return Outcome::Wrong(format!("result {i} {} differs by {worst:.3e}", expected.ty));
        }
    }
    Outcome::Passed
}

#[test]
fn golden_cases_of_one_device_give_what_jax_gave() {
    let mut folders: Vec<_> =
        std::fs::read_dir(golden()).unwrap().flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.join("module.mlir").is_file());
    folders.sort();
    let only = std::env::var("ONLY").ok();
    let (mut passed, mut skipped, mut missing, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().to_string();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        match run(&folder) {
            Outcome::Passed => passed += 1,
            Outcome::Skipped(_) => skipped += 1,
            Outcome::NotCompiled(why) => missing.push(format!("{name}: {why}")),
            Outcome::Wrong(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    let report = format!(
        "{passed} passed, {skipped} not for one device, {} not compiled, {} wrong\n{}\n\n{}",
        missing.len(),
        wrong.len(),
        missing.join("\n"),
        wrong.join("\n")
    );
    std::fs::write(std::env::temp_dir().join("meshwright_cpu_golden.txt"), &report).unwrap();
    assert!(wrong.is_empty(), "{report}");
}
