//! Partition a module, run it, and print a number for each result on each device: the same for every way to run it.
//!
//!     run_module FILE.mlir --in-process N [--workers K] [--steps S]
//!     mpirun -n R run_module FILE.mlir --per-rank N [--workers K] [--steps S]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use meshwright_base::{Id, SourceText};
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, random_inputs};
use meshwright_mpi::{MpiDevices, MpiOptions};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions, RunError};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1).cloned());
    let number = |name: &str| option(name).and_then(|text| text.parse::<usize>().ok());
    let workers = number("--workers").unwrap_or(1);
    let steps = number("--steps").unwrap_or(2);
    let seed = number("--seed").unwrap_or(1) as u64;
    let outcome = match number("--in-process") {
        Some(devices) => {
            run(&InProcess::new(devices, Some(workers), Arc::new(Cpu::default())), &args[0], steps, seed)
        }
        None => {
            let per_rank = number("--per-rank").unwrap_or(1);
            let deadline = Duration::from_secs(number("--deadline").unwrap_or(30) as u64);
            let options = MpiOptions { per_rank, workers, deadline };
            let Some(devices) = MpiDevices::new(options, Arc::new(Cpu::default())) else {
                eprintln!("MPI cannot be started with threads");
                std::process::exit(3);
            };
            let outcome = run(&devices, &args[0], steps, seed);
            if let Err(error) = &outcome {
                eprintln!("{error}");
                devices.abort(3);
            }
            outcome
        }
    };
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(3);
    }
}

fn run(devices: &dyn Devices, path: &str, steps: usize, seed: u64) -> Result<(), RunError> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let module = meshwright_text::parse(&SourceText::new(path, text)).expect("the module parses");
    let inputs = random_inputs(&module, 1, Style::Natural).expect("inputs can be made");
    let options = meshwright_compile::Options::in_process();
    let program = meshwright_compile::partition(module, &options, &mut meshwright_compile::Unobserved);
    let program = program.unwrap_or_else(|errors| panic!("{}", errors[0])).program;
    let _ = seed;
    let mut loaded = devices.load(&program, &LoadOptions::default())?;
    let array = |x: meshwright_interp::Tensor| HostArray::new(x.ty().clone(), small(&x)).expect("bytes fit");
    let inputs: Vec<HostArray> = inputs.into_iter().map(array).collect();
    let local = devices.local();
    let mut state = place_all(&program, &inputs, &local)?;
    for step in 0..steps {
        let last = state.last().cloned();
        let start = Instant::now();
        let mut results = loaded.launch(std::mem::take(&mut state), None)?;
        eprintln!("step {step}: {:.3} s", start.elapsed().as_secs_f64());
        for (i, result) in results.iter().enumerate() {
            for (device, shard) in local.iter().zip(result.shards()?) {
                println!("step {step} device {} result {i} {:016x}", device.index(), hash(shard.bytes()));
            }
        }
        results.pop();
        results.extend(last);
        state = results;
    }
    Ok(())
}

/// Floats small and positive, so that a training step stays finite.
fn small(x: &meshwright_interp::Tensor) -> Vec<u8> {
    let mut bytes = x.to_bytes();
    if x.ty().dtype == meshwright_ir::DType::F32 {
        for word in bytes.chunks_exact_mut(4) {
            let value = f32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            word.copy_from_slice(&(value * 0.02).abs().to_le_bytes());
        }
    }
    bytes
}

fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
