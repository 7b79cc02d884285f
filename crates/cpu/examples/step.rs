//! Run a module again and again on in-process devices and print where the time goes.
//!
//!     step FILE.mlir [--devices N] [--workers K] [--repeat R] [--trace OUT.json] [--check]

use meshwright_cpu::Cpu;
use meshwright_ground::SourceText;
use meshwright_interp::Style;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Devices, HostArray, InProcess, LoadOptions, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

#[allow(clippy::print_stdout)]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let option =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1).cloned());
    let number =
        |name: &str, default: usize| option(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (devices, repeat) = (number("--devices", 1), number("--repeat", 5));
    let workers = option("--workers").and_then(|text| text.parse().ok());
    let text = std::fs::read_to_string(&args[0]).expect("the file can be read");
    let start = Instant::now();
    let module = meshwright_text::parse(&SourceText::new(&args[0], text)).expect("the module parses");
    println!("parse {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let options = meshwright_compile::Options::default();
    let global = module.clone();
    let compiled = meshwright_compile::partition(module, &options, &mut meshwright_compile::Unobserved);
    let program = match compiled {
        Ok(compiled) => compiled.program,
        Err(errors) => {
            errors.iter().take(5).for_each(|error| println!("{error}"));
            std::process::exit(1);
        }
    };
    println!("partition {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let set = InProcess::new(devices, workers, Arc::new(Cpu::default()));
    let mut loaded = match set.load(&program, &LoadOptions::default()) {
        Ok(loaded) => loaded,
        Err(error) => {
            println!("{error}");
            std::process::exit(1);
        }
    };
    println!("compile {:.1} ms, {} steps", start.elapsed().as_secs_f64() * 1e3, loaded.steps().len());
    println!("{}", loaded.memory());
    let inputs = meshwright_interp::random_inputs(&global, 1, Style::Natural).expect("inputs can be made");
    let scale = |tensor: meshwright_interp::Tensor| {
        let mut bytes = tensor.to_bytes();
        if tensor.ty().dtype == meshwright_ir::DType::F32 {
            for word in bytes.chunks_exact_mut(4) {
                let x = f32::from_le_bytes(word.try_into().unwrap()) * 0.02;
                word.copy_from_slice(&x.abs().to_le_bytes());
            }
        }
        HostArray::new(tensor.ty().clone(), bytes).expect("bytes fit")
    };
    let inputs: Vec<HostArray> = inputs.into_iter().map(scale).collect();
    let mut state = place_all(&program, &inputs, &set.local()).expect("inputs fit");
    let (mut times, mut last) = (Vec::new(), None);
    let params = program.params.len();
    for round in 0..repeat {
        let trace = (round + 1 == repeat).then(Trace::default);
        let tokens = state.last().cloned();
        let start = Instant::now();
        let mut results =
            loaded.launch(std::mem::take(&mut state), trace.as_ref()).expect("the program runs");
        let seconds = start.elapsed().as_secs_f64();
        times.push(seconds);
        // A training step: results but the last (the loss) are the next parameters, then the tokens again.
        if results.len() == params {
            let loss = results.pop();
            if let Some(loss) = loss.filter(|loss| loss.ty.dims.is_empty()) {
                let bytes = loss.shards[0].bytes();
                println!("step {seconds:.4} s, loss {}", f32::from_le_bytes(bytes[..4].try_into().unwrap()));
            }
            results.extend(tokens);
            state = results;
        } else {
            state = place_all(&program, &inputs, &set.local()).expect("inputs fit");
        }
        last = trace.or(last);
    }
    let mut sorted = times.clone();
    sorted.sort_by(f64::total_cmp);
    println!("median {:.4} s, best {:.4} s", sorted[sorted.len() / 2], sorted[0]);
    let Some(trace) = last else { return };
    println!("{:20} {:>6} {:>9} {:>8} {:>8}", "kind", "count", "seconds", "GB/s", "GFLOP/s");
    for total in trace.by_kind(loaded.steps()) {
        println!(
            "{:20} {:6} {:9.4} {:8.2} {:8.2}",
            total.kind,
            total.count,
            total.seconds,
            total.bytes as f64 / total.seconds / 1e9,
            total.flops as f64 / total.seconds / 1e9
        );
    }
    let mut by_step: BTreeMap<u32, f64> = BTreeMap::new();
    for event in trace.events() {
        *by_step.entry(event.step).or_default() += (event.end_ns - event.start_ns) as f64 / 1e9;
    }
    let mut slow: Vec<(f64, u32)> = by_step.into_iter().map(|(step, seconds)| (seconds, step)).collect();
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (seconds, step) in slow.iter().take(number("--top", 25)) {
        let info = &loaded.steps()[*step as usize];
        println!(
            "{seconds:9.4} s  step {step:4}  {:6.1} GB/s {:7.1} GFLOP/s  {}",
            devices as f64 * info.bytes as f64 / seconds / 1e9,
            devices as f64 * info.flops as f64 / seconds / 1e9,
            info.name
        );
    }
    if let Some(path) = option("--trace") {
        std::fs::write(path, trace.chrome_json(loaded.steps())).expect("the trace can be written");
    }
}
