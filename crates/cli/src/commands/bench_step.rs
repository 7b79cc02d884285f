//! `bench step`: run a program again and again on in-process devices.
//!
//! A result that takes the place of a donated parameter is the next launch's argument, as in training; other donated
//! parameters are placed anew, outside the time that is measured.

use crate::args::{BenchStepArgs, EngineArgs};
use crate::engine::{Prepared, failed, in_process, load_options, prepare};
use crate::failure::Failure;
use crate::input;
use crate::load::{Loaded, load_located};
use crate::native::all_bytes;
use crate::report::Report;
use meshwright_base::arrange::Arrange;
use meshwright_interp::{Style, Tensor, random_inputs};
use meshwright_ir::{DType, Donation};
use meshwright_runtime::clock::cpu_seconds;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Args, DeviceArray, Devices, Executable, HostArray, Trace, interrupt, memory};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// What was measured.
struct Measured {
    /// Seconds of each launch but the first.
    seconds: Vec<f64>,
    /// CPU seconds of the process per launch.
    cpu: f64,
    /// Most bytes of device buffers at once.
    peak: usize,
    /// Of launches that were not timed.
    traces: Vec<Trace>,
}

pub fn step(args: &BenchStepArgs) -> Result<Report, Failure> {
    let loaded = load_located(&args.file)?;
    let start = Instant::now();
    let prepared = prepare(&loaded, args.devices, &args.dump, true)?;
    let partition_ms = start.elapsed().as_secs_f64() * 1e3;
    let devices = in_process(&args.engine, args.dump.verify_each, prepared.devices)?;
    let start = Instant::now();
    let mut executable = devices
        .load(&prepared.program, &load_options(&args.engine, prepared.devices))
        .map_err(|error| failed(&error))?;
    let compile_ms = start.elapsed().as_secs_f64() * 1e3;
    let inputs = inputs(&prepared, &loaded.module, args.seed)?;
    let measured = measure((args.repeat, 1), &prepared, &devices, &mut *executable, &inputs)?;
    let trace = measured.traces.first().ok_or_else(|| Failure::bug("no launch was traced"))?;
    if let Some(path) = &args.engine.trace {
        input::write_file(path, trace.chrome_json(executable.steps()).as_bytes())?;
    }
    let report = report(args, &prepared, &*executable, (&measured, trace), (partition_ms, compile_ms));
    Ok(report.noted(prepared.notes))
}

/// What a step came to when it ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// CPU seconds with one worker.
    pub cpu: f64,
    /// Seconds with all of them.
    pub seconds: f64,
    /// Most bytes of buffers with one worker.
    pub peak: usize,
    /// What each step took with one worker, by its place in the program.
    pub steps: Vec<StepRan>,
}

/// A step of a launch, on all devices.
#[derive(Clone, Copy, Default, Debug)]
pub struct StepRan {
    pub runs: usize,
    pub seconds: f64,
}

/// CPU seconds that a measurement takes at least, and how often a step runs for that at most.
const LONG: f64 = 0.1;
const MOST_RUNS: u32 = 2_000;
/// Launches of which steps are timed one by one.
const TRACED: u32 = 9;

/// Run a step with one worker for its CPU seconds and its peak, and with all for how long it takes. In a thread of its
/// own, so that room that a worker keeps for its next step is neither found nor left.
pub fn ran(loaded: &Loaded, prepared: &Prepared, repeat: u32) -> Result<Ran, Failure> {
    let found = std::thread::scope(|scope| scope.spawn(|| ran_here(loaded, prepared, repeat)).join());
    found.unwrap_or_else(|_| Err(Failure::bug("a step that was measured panicked")))
}

fn ran_here(loaded: &Loaded, prepared: &Prepared, repeat: u32) -> Result<Ran, Failure> {
    let inputs = inputs(prepared, &loaded.module, 0)?;
    let run = |threads: Option<u32>, repeat: u32| -> Result<Measured, Failure> {
        let engine = EngineArgs { threads, ..EngineArgs::default() };
        let devices = in_process(&engine, false, prepared.devices)?;
        let load = devices.load(&prepared.program, &load_options(&engine, prepared.devices));
        let mut executable = load.map_err(|error| failed(&error))?;
        measure((repeat, TRACED), prepared, &devices, &mut *executable, &inputs)
    };
    let others = memory::live_bytes();
    let mut alone = run(Some(1), repeat)?;
    let peak = alone.peak - others;
    let enough = (LONG / alone.cpu.max(1e-9)).ceil().min(f64::from(MOST_RUNS)) as u32;
    if enough > repeat {
        alone = run(Some(1), enough)?;
    }
    let mut seconds = run(None, enough.max(repeat))?.seconds;
    seconds.arrange_by(f64::total_cmp);
    let steps = steps_ran(&alone.traces);
    Ok(Ran { cpu: alone.cpu, seconds: seconds[seconds.len() / 2], peak, steps })
}

/// What each step takes: in the middle of several launches, without what it takes to look at a clock.
fn steps_ran(traces: &[Trace]) -> Vec<StepRan> {
    let launches: Vec<BTreeMap<u32, StepRan>> = traces.iter().map(by_step).collect();
    let len = launches.iter().filter_map(|steps| steps.keys().next_back()).max().map_or(0, |last| last + 1);
    let looking = traces.first().map_or(0.0, looking);
    let one = |step: u32| {
        let mut all: Vec<StepRan> = launches.iter().filter_map(|steps| steps.get(&step).copied()).collect();
        all.arrange_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let middle = all.get(all.len() / 2).copied().unwrap_or_default();
        let seconds = (middle.seconds - middle.runs as f64 * looking).max(0.0);
        StepRan { seconds, ..middle }
    };
    (0..len).map(one).collect()
}

/// Seconds between two looks at the clock of a trace.
fn looking(trace: &Trace) -> f64 {
    const LOOKS: u32 = 1_000;
    let start = trace.now();
    for _ in 0..LOOKS {
        std::hint::black_box(trace.now());
    }
    (trace.now() - start) as f64 / f64::from(LOOKS + 1) / 1e9
}

/// How often each step ran, and how long in all.
fn by_step(trace: &Trace) -> BTreeMap<u32, StepRan> {
    let mut steps: BTreeMap<u32, StepRan> = BTreeMap::new();
    for event in trace.events() {
        let total = steps.entry(event.step).or_default();
        total.seconds += (event.end_ns - event.start_ns) as f64 / 1e9;
        total.runs += 1;
    }
    steps
}

/// Inputs with small positive floats, so that roots and logarithms stay finite over many steps.
fn inputs(prepared: &Prepared, module: &meshwright_ir::Module, seed: u64) -> Result<Vec<HostArray>, Failure> {
    let of = if prepared.was_partitioned { prepared.program.module() } else { module };
    let inputs = random_inputs(of, seed, Style::Natural).map_err(Failure::input)?;
    Ok(inputs.iter().map(small).collect())
}

fn small(tensor: &Tensor) -> HostArray {
    let mut bytes = tensor.to_bytes();
    if tensor.dtype() == DType::F32 {
        for word in bytes.as_chunks_mut::<4>().0 {
            *word = (f32::from_le_bytes(*word) * 0.02).abs().to_le_bytes();
        }
    }
    HostArray { ty: tensor.ty().clone(), bytes }
}

/// Launch so many times for the time, then so many times for traces.
fn measure(
    (repeat, traced): (u32, u32),
    prepared: &Prepared,
    devices: &dyn Devices,
    executable: &mut dyn Executable,
    inputs: &[HostArray],
) -> Result<Measured, Failure> {
    let place = || place_all(&prepared.program, inputs, &devices.local()).map_err(|error| failed(&error));
    let mut next = place()?;
    let (mut seconds, mut cpu) = (Vec::new(), 0.0);
    let mut traces = Vec::new();
    memory::reset_peak();
    let _listening = interrupt::listen();
    // The first launch touches memory for the first time.
    let (timed, rounds) = (1..=repeat, 1 + repeat + traced);
    for round in 0..rounds {
        let kept = kept(prepared, &next);
        let trace = (round > repeat).then(Trace::default);
        let (start, before) = (Instant::now(), cpu_seconds());
        let launched = executable.launch(std::mem::take(&mut next), trace.as_ref());
        let results = launched.map_err(|error| failed(&error))?;
        if timed.contains(&round) {
            seconds.push(start.elapsed().as_secs_f64());
            cpu += cpu_seconds() - before;
        }
        traces.extend(trace);
        if round + 1 < rounds {
            next = renewed(prepared, kept, results, &place)?;
        }
    }
    Ok(Measured { seconds, cpu: cpu / f64::from(repeat), peak: memory::peak_bytes(), traces })
}

/// Arguments that stay: those of parameters that are not donated.
fn kept(prepared: &Prepared, args: &Args) -> Vec<Option<DeviceArray>> {
    let params = &prepared.program.module().main().params;
    params.iter().zip(args).map(|(param, arg)| param.donation.is_none().then(|| arg.clone())).collect()
}

/// The next launch's arguments.
fn renewed(
    prepared: &Prepared,
    kept: Vec<Option<DeviceArray>>,
    results: Vec<DeviceArray>,
    place: &dyn Fn() -> Result<Args, Failure>,
) -> Result<Args, Failure> {
    let mut results: Vec<Option<DeviceArray>> = results.into_iter().map(Some).collect();
    let params = &prepared.program.module().main().params;
    let found = kept.into_iter().zip(params).map(|(kept, param)| match (kept, param.donation) {
        (Some(kept), _) => Some(kept),
        (None, Some(Donation::Alias { result, .. })) => results.get_mut(result).and_then(Option::take),
        (None, _) => None,
    });
    let found: Vec<_> = found.collect();
    drop(results);
    if found.iter().all(Option::is_some) {
        return Ok(found.into_iter().flatten().collect());
    }
    Ok(found.into_iter().zip(place()?).map(|(found, fresh)| found.unwrap_or(fresh)).collect())
}

fn report(
    args: &BenchStepArgs,
    prepared: &Prepared,
    executable: &dyn Executable,
    (measured, trace): (&Measured, &Trace),
    (partition_ms, compile_ms): (f64, f64),
) -> Report {
    let mut sorted = measured.seconds.clone();
    sorted.arrange_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let best = sorted.first().copied().unwrap_or(median);
    let totals = trace.by_kind(executable.steps());
    let sum =
        |pick: fn(&meshwright_runtime::trace::KindTotal) -> u64| totals.iter().map(pick).sum::<u64>() as f64;
    let (flops, bytes) = (sum(|total| total.flops), sum(|total| total.bytes));
    let (gflops, gbytes) = (flops / median / 1e9, bytes / median / 1e9);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.engine.threads.map_or(cores, |n| n as usize);
    let planned = all_bytes(executable.memory(), prepared.devices, workers);
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    let mut text = format!(
        "{} devices, median of {}: {median:.4} s, best {best:.4} s, {:.3} s of CPU time\n\
         {gflops:.1} GFLOP/s, {gbytes:.1} GB/s, {} steps\n\
         partitioned in {partition_ms:.1} ms, compiled in {compile_ms:.1} ms\n\
         peak of all devices: planned {:.1} MiB, measured {:.1} MiB\n{}",
        prepared.devices,
        args.repeat,
        measured.cpu,
        executable.steps().len(),
        mib(planned),
        mib(measured.peak),
        executable.memory(),
    );
    let _ = writeln!(text, "{:20} {:>6} {:>9} {:>9} {:>9}", "kind", "count", "seconds", "GB/s", "GFLOP/s");
    for total in &totals {
        let rate = |work: u64| work as f64 / total.seconds / 1e9;
        let (count, seconds) = (total.count, total.seconds);
        let (bytes, flops) = (rate(total.bytes), rate(total.flops));
        let _ = writeln!(text, "{:20} {count:6} {seconds:9.4} {bytes:9.2} {flops:9.2}", total.kind);
    }
    slowest(args, executable, trace, &mut text);
    let kinds: Vec<_> = totals
        .iter()
        .map(|total| {
            json!({ "kind": total.kind, "count": total.count, "seconds": total.seconds, "bytes": total.bytes, "flops": total.flops })
        })
        .collect();
    Report::new(text)
        .with("devices", prepared.devices)
        .with("repeat", args.repeat)
        .with("step_s", median)
        .with("best_s", best)
        .with("cpu_s", measured.cpu)
        .with("all_s", json!(measured.seconds))
        .with("gflops", gflops)
        .with("gbytes_s", gbytes)
        .with("peak_planned_bytes", planned)
        .with("peak_measured_bytes", measured.peak)
        .with("partition_ms", partition_ms)
        .with("compile_ms", compile_ms)
        .with("kinds", kinds)
}

fn slowest(args: &BenchStepArgs, executable: &dyn Executable, trace: &Trace, out: &mut String) {
    let mut slow: Vec<(u32, StepRan)> = by_step(trace).into_iter().collect();
    slow.arrange_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
    for (step, StepRan { runs, seconds }) in slow.into_iter().take(args.top as usize) {
        let Some(info) = executable.steps().get(step as usize) else { continue };
        let rate = |work: u64| work as f64 * runs as f64 / seconds / 1e9;
        let (bytes, flops) = (rate(info.bytes), rate(info.flops()));
        let _ = writeln!(
            out,
            "{seconds:9.4} s {bytes:7.1} GB/s {flops:7.1} GFLOP/s  step {step:4} {}",
            info.name
        );
    }
}
