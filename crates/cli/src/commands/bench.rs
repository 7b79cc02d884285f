//! `bench`: how long things take here.

use crate::args::{BenchCommand, BenchCompileArgs};
use crate::commands::complete::options;
use crate::failure::Failure;
use crate::load;
use crate::report::Report;
use crate::stages::Stages;
use meshwright_base::SourceText;
use meshwright_base::arrange::Arrange;
use meshwright_compile::{Observer, Options, partition};
use meshwright_ir::Module;
use meshwright_opt::passes::CLEANUP;
use serde_json::json;
use std::time::Instant;

pub fn bench(command: &BenchCommand) -> Result<Report, Failure> {
    match command {
        BenchCommand::Compile(args) => compile(args),
        BenchCommand::Step(args) => super::bench_step::step(args),
        BenchCommand::Decode(args) => super::bench_decode::decode(args),
        BenchCommand::Machine(args) => super::bench_machine::machine(args),
        BenchCommand::Collectives(args) => super::bench_collectives::collectives(args),
    }
}

/// Milliseconds of one run, by part.
#[derive(Default)]
struct Times {
    parse: f64,
    verify: f64,
    complete: f64,
    partition: f64,
    /// The stages and passes of partitioning, and the passes of cleanup together.
    stages: Vec<(&'static str, f64)>,
    print: f64,
}

fn compile(args: &BenchCompileArgs) -> Result<Report, Failure> {
    let text = load::text(&args.input.file)?;
    let options = Options { trust: !args.input.dump.verify_each, ..options(&args.input) };
    let dumped = dump(args, &text, &options)?;
    let mut runs = Vec::new();
    let mut instructions = 0;
    for _ in 0..args.repeat {
        let (times, count) = once(&text, &options)?;
        runs.push(times);
        instructions = count;
    }
    let median = |part: &dyn Fn(&Times) -> f64| {
        let mut all: Vec<f64> = runs.iter().map(part).collect();
        all.arrange_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    let stage = |at: usize| move |times: &Times| times.stages.get(at).map_or(0.0, |stage| stage.1);
    let names = runs.first().map_or(&[][..], |times| &times.stages);
    let stages = names.iter().enumerate().map(|(at, (name, _))| (format!("  {name}_ms"), median(&stage(at))));
    let rows = [("parse_ms", median(&|times| times.parse)), ("verify_ms", median(&|times| times.verify))];
    let rows = rows.into_iter().chain([
        ("complete_ms", median(&|times| times.complete)),
        ("partition_ms", median(&|times| times.partition)),
    ]);
    let rows = rows.map(|(name, ms)| (name.to_string(), ms)).chain(stages);
    let print = ("print_ms".to_string(), median(&|times| times.print));
    let mut out = format!("medians of {} runs, {instructions} instructions\n", args.repeat);
    let mut report = Report::default();
    for (name, ms) in rows.chain([print]) {
        out += &format!("  {name:24} {ms:9.3}\n");
        report = report.with(name.trim_start(), ms);
    }
    let report = report
        .with("instructions", instructions)
        .with("repeat", args.repeat)
        .with("peak_bytes", peak_bytes());
    Ok(Report { text: out, notes: dumped, ..report })
}

/// What is asked to be written comes from a run of its own, so that writing takes none of the times.
fn dump(args: &BenchCompileArgs, text: &SourceText, options: &Options) -> Result<String, Failure> {
    let mut stages = Stages::new(&args.input.dump)?;
    if !stages.writes() {
        return Ok(String::new());
    }
    let made = meshwright_text::parse(text).and_then(|module| partition(module, options, &mut stages));
    made.map_err(|found| Failure::in_text(text.clone(), found))?;
    stages.finish()
}

fn once(text: &SourceText, options: &Options) -> Result<(Times, usize), Failure> {
    let failed = |found| Failure::in_text(text.clone(), found);
    let (module, parse) = timed(|| meshwright_text::parse(text));
    let module = module.map_err(failed)?;
    let (verified, verify) = timed(|| meshwright_ir::verify(&module));
    verified.map_err(failed)?;
    let mut watch = Watch { start: Instant::now(), stages: Vec::new() };
    let compiled = partition(module, options, &mut watch).map_err(failed)?;
    let total = watch.start.elapsed().as_secs_f64() * 1e3;
    let complete = watch.end_of("complete");
    let stages = watch.lengths();
    let made = compiled.program.module();
    let (printed, print) = timed(|| meshwright_text::stablehlo::print(made));
    let instructions = meshwright_ir::summary(made).total();
    std::hint::black_box(printed);
    let times = Times { parse, verify, complete, partition: total - complete, stages, print };
    Ok((times, instructions))
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let made = work();
    (made, start.elapsed().as_secs_f64() * 1e3)
}

/// Notes when each stage and pass is done.
struct Watch {
    start: Instant,
    stages: Vec<(&'static str, f64)>,
}

impl Watch {
    fn end_of(&self, stage: &str) -> f64 {
        self.stages.iter().find(|(name, _)| *name == stage).map_or(0.0, |(_, end)| *end)
    }

    /// How long each stage and pass behind completion took, whatever runs twice in one; then cleanup as a whole.
    fn lengths(&self) -> Vec<(&'static str, f64)> {
        let behind = self.stages.iter().skip_while(|(name, _)| *name != "complete");
        let mut lengths: Vec<(&'static str, f64)> = Vec::new();
        for ((_, start), (name, end)) in behind.clone().zip(behind.skip(1)) {
            match lengths.iter_mut().find(|(known, _)| known == name) {
                Some((_, length)) => *length += end - start,
                None => lengths.push((name, end - start)),
            }
        }
        let is_cleanup = |name: &str| CLEANUP.iter().any(|step| step.pass().name == name);
        let cleanup = lengths.iter().filter(|(name, _)| is_cleanup(name)).map(|(_, length)| length).sum();
        lengths.push(("cleanup", cleanup));
        lengths
    }
}

impl Observer for Watch {
    fn stage(&mut self, name: &'static str, _: &Module) {
        self.stages.push((name, self.start.elapsed().as_secs_f64() * 1e3));
    }
}

/// Largest resident size of this process so far, where the system tells.
fn peak_bytes() -> serde_json::Value {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    json!(kilobytes.map(|kilobytes| kilobytes * 1024))
}
