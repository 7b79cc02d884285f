//! `bench`: how long things take here.

use crate::args::{BenchCommand, BenchCompileArgs};
use crate::commands::complete::options;
use crate::failure::Failure;
use crate::input;
use crate::report::Report;
use meshwright_compile::{Observer, Options, partition};
use meshwright_ground::SourceText;
use meshwright_ir::Module;
use serde_json::json;
use std::time::Instant;

pub fn bench(command: &BenchCommand) -> Result<Report, Failure> {
    match command {
        BenchCommand::Compile(args) => compile(args),
        BenchCommand::Step(args) => super::bench_step::step(args),
        BenchCommand::Collectives(args) => super::bench_collectives::collectives(args),
    }
}

/// Milliseconds of one run, by part.
#[derive(Clone, Copy, Default)]
struct Times {
    parse: f64,
    verify: f64,
    complete: f64,
    partition: f64,
    print: f64,
}

fn compile(args: &BenchCompileArgs) -> Result<Report, Failure> {
    let text = input::read(&args.input.file)?;
    let options = Options { trust: true, ..options(&args.input) };
    let mut runs = Vec::new();
    let mut instructions = 0;
    for _ in 0..args.repeat {
        let (times, count) = once(&text, &options)?;
        runs.push(times);
        instructions = count;
    }
    let median = |part: fn(&Times) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(part).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let rows = [
        ("parse_ms", median(|times| times.parse)),
        ("verify_ms", median(|times| times.verify)),
        ("complete_ms", median(|times| times.complete)),
        ("partition_ms", median(|times| times.partition)),
        ("print_ms", median(|times| times.print)),
    ];
    let mut out = format!("medians of {} runs, {instructions} instructions\n", args.repeat);
    let mut report = Report::default();
    for (name, ms) in rows {
        out += &format!("  {name:13} {ms:9.3}\n");
        report = report.with(name, ms);
    }
    let report = report
        .with("instructions", instructions)
        .with("repeat", args.repeat)
        .with("peak_bytes", peak_bytes());
    Ok(Report { text: out, ..report })
}

fn once(text: &SourceText, options: &Options) -> Result<(Times, usize), Failure> {
    let failed = |found| Failure::in_text(text.clone(), found);
    let (module, parse) = timed(|| meshwright_text::parse(text));
    let module = module.map_err(failed)?;
    let (verified, verify) = timed(|| meshwright_ir::verify(&module));
    verified.map_err(failed)?;
    let mut watch = Watch { start: Instant::now(), complete: 0.0 };
    let compiled = partition(module, options, &mut watch).map_err(failed)?;
    let partition = watch.start.elapsed().as_secs_f64() * 1e3 - watch.complete;
    let made = compiled.program.module();
    let (printed, print) = timed(|| meshwright_text::stablehlo::print(made));
    let instructions = meshwright_ir::summary(made).total();
    std::hint::black_box(printed);
    Ok((Times { parse, verify, complete: watch.complete, partition, print }, instructions))
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = work();
    (made, start.elapsed().as_secs_f64() * 1e3)
}

/// Notes when completion is done.
struct Watch {
    start: Instant,
    complete: f64,
}

impl Observer for Watch {
    fn stage(&mut self, name: &'static str, _: &Module) {
        if name == "complete" {
            self.complete = self.start.elapsed().as_secs_f64() * 1e3;
        }
    }
}

/// Largest resident size of this process so far, where the system tells.
fn peak_bytes() -> serde_json::Value {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    json!(kilobytes.map(|kilobytes| kilobytes * 1024))
}
