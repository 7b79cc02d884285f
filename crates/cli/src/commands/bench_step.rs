//! `bench step`: run a program again and again on in-process devices, or on those of a plugin.
//!
//! A result that takes the place of a donated parameter is the next launch's argument, as in training: the one that is
//! named, or the first that lies as the parameter does. Other donated parameters are placed anew, outside the time that
//! is measured.

use crate::args::{BenchStepArgs, EngineArgs, LocalBackend};
use crate::engine::{
    Prepared, asked_options, failed, in_process, load_options, on_plugin_with, prepare_as, without_plugin,
};
use crate::failure::Failure;
use crate::input;
use crate::load::{Loaded, load_located};
use crate::native::all_bytes;
use crate::processes;
use crate::report::Report;
use crate::stored;
use crate::units;
use meshwright_base::arrange::Arrange;
use meshwright_base::random::mix;
use meshwright_compile::Options;
use meshwright_interp::{Style, random_input};
use meshwright_ir::{DType, Donation, TensorType, ValueId};
use meshwright_runtime::clock::cpu_seconds;
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{
    Args, DeviceArray, Devices, Executable, HostArray, LoadOptions, Trace, interrupt, memory,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// What was measured.
struct Measured {
    /// Seconds of each launch but the first.
    seconds: Vec<f64>,
    /// CPU seconds of the process for each of them.
    cpu: Vec<f64>,
    /// Most bytes of device buffers at once.
    peak: usize,
    /// Of launches that were not timed.
    traces: Vec<Trace>,
}

pub fn step(args: &BenchStepArgs) -> Result<Report, Failure> {
    if args.backend != LocalBackend::Pjrt {
        without_plugin(&args.engine)?;
    }
    let loaded = load_located(&args.file)?;
    let start = Instant::now();
    let options = match args.backend {
        LocalBackend::Cpu => Options::in_process(),
        LocalBackend::Pjrt => Options::default(),
    };
    let stored = stored::stored(&args.engine)?;
    let prepared = match &stored {
        Some(stored) => stored::prepared(stored, &loaded, args.devices, &args.dump)?,
        None => prepare_as(&loaded, args.devices, &args.dump, true, options)?,
    };
    let partition_ms = start.elapsed().as_secs_f64() * 1e3;
    match args.backend {
        LocalBackend::Cpu => {
            let devices = in_process(&args.engine, args.dump.verify_each, prepared.devices)?;
            timed(
                args,
                &loaded,
                prepared,
                &devices,
                load_options(&args.engine, devices.count()),
                partition_ms,
            )
        }
        LocalBackend::Pjrt => {
            let job = args.engine.processes.job(args.engine.deadline)?;
            let devices = on_plugin_with(&args.engine.plugin, job, prepared.devices, stored)?;
            let report = timed(args, &loaded, prepared, &devices, asked_options(&args.engine), partition_ms)?;
            processes::leave(&devices)?;
            Ok(if processes::is_first(&devices) { report } else { Report::elsewhere() })
        }
    }
}

fn timed(
    args: &BenchStepArgs,
    loaded: &Loaded,
    prepared: Prepared,
    devices: &dyn Devices,
    options: LoadOptions,
    partition_ms: f64,
) -> Result<Report, Failure> {
    let start = Instant::now();
    let mut executable = devices.load(&prepared.program, &options).map_err(|error| failed(&error))?;
    let compile_ms = start.elapsed().as_secs_f64() * 1e3;
    let inputs = inputs(&prepared, &loaded.module, args.seed)?;
    let measured = measure((args.repeat, 1), &prepared, devices, &mut *executable, &inputs)?;
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
    /// CPU seconds with one worker: of several rounds of launches the best.
    pub cpu: f64,
    /// Seconds with all workers, the best of as many rounds.
    pub seconds: f64,
    /// Most bytes of buffers with one worker.
    pub peak: usize,
    /// What each step took with one worker, by its place in the program.
    pub steps: Vec<StepRan>,
    /// The same with all of them.
    pub shared: Vec<StepRan>,
}

/// What a step took on each device, run by run: the median of several launches, so that what others do on the machine
/// meanwhile is not counted.
#[derive(Clone, Default, Debug)]
pub struct StepRan {
    pub devices: BTreeMap<u32, Vec<f64>>,
}

impl StepRan {
    /// How often it ran, on all devices.
    pub fn runs(&self) -> usize {
        self.devices.values().map(Vec::len).sum()
    }

    /// Seconds on all devices.
    pub fn seconds(&self) -> f64 {
        self.devices.values().flatten().sum()
    }

    /// Seconds of a collective among these devices: who comes last does it, the others wait.
    pub fn joined(&self, group: &[u32]) -> f64 {
        let runs: Vec<&Vec<f64>> = group.iter().filter_map(|device| self.devices.get(device)).collect();
        let count = runs.iter().map(|runs| runs.len()).min().unwrap_or(0);
        let last = |at: usize| runs.iter().map(|runs| runs[at]).fold(f64::INFINITY, f64::min);
        (0..count).map(last).sum()
    }

    /// Of each run the median of what several launches took.
    fn median(launches: &[&StepRan]) -> StepRan {
        let Some(first) = launches.first() else { return StepRan::default() };
        let one = |device: u32, at: usize| {
            let of = |ran: &&StepRan| ran.devices.get(&device).and_then(|runs| runs.get(at)).copied();
            let mut seconds: Vec<f64> = launches.iter().filter_map(of).collect();
            seconds.arrange_by(f64::total_cmp);
            seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
        };
        let devices = first.devices.iter();
        let medians = |(device, runs): (&u32, &Vec<f64>)| {
            (*device, (0..runs.len()).map(|at| one(*device, at)).collect())
        };
        StepRan { devices: devices.map(medians).collect() }
    }
}

/// CPU seconds that a measurement takes at least, and how often a step runs for that at most.
const LONG: f64 = 0.3;
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
    let run = |threads, repeat| with_workers(threads, (repeat, TRACED), prepared, &inputs);
    let others = memory::live_bytes();
    let mut alone = run(Some(1), repeat)?;
    let peak = alone.peak - others;
    let enough = (LONG / mean(&alone.cpu).max(1e-9)).ceil().min(f64::from(MOST_RUNS)) as u32;
    if enough > repeat {
        alone = run(Some(1), enough)?;
    }
    let all = run(None, enough.max(repeat))?;
    let (steps, shared) = (steps_ran(&alone.traces), steps_ran(&all.traces));
    Ok(Ran { cpu: best_round(&alone.cpu), seconds: best_round(&all.seconds), peak, steps, shared })
}

/// What each step takes in one launch with one worker, by its place.
pub fn steps_of_a_launch(loaded: &Loaded, prepared: &Prepared) -> Result<Vec<StepRan>, Failure> {
    let inputs = inputs(prepared, &loaded.module, 0)?;
    Ok(steps_ran(&with_workers(Some(1), (0, 1), prepared, &inputs)?.traces))
}

/// Launch with so many workers, for the time and for traces.
fn with_workers(
    threads: Option<u32>,
    launches: (u32, u32),
    prepared: &Prepared,
    inputs: &[HostArray],
) -> Result<Measured, Failure> {
    let engine = EngineArgs { threads, ..EngineArgs::default() };
    let devices = in_process(&engine, false, prepared.devices)?;
    let load = devices.load(&prepared.program, &load_options(&engine, prepared.devices));
    let mut executable = load.map_err(|error| failed(&error))?;
    measure(launches, prepared, &devices, &mut *executable, inputs)
}

fn mean(seconds: &[f64]) -> f64 {
    seconds.iter().sum::<f64>() / seconds.len().max(1) as f64
}

/// The mean of the best of some rounds, as `bench machine` measures too.
fn best_round(launches: &[f64]) -> f64 {
    const ROUNDS: usize = 5;
    let rounds = launches.chunks(launches.len().div_ceil(ROUNDS).max(1));
    rounds.map(mean).fold(f64::INFINITY, f64::min)
}

/// What each step takes, by its place, without what it takes to look at a clock.
fn steps_ran(traces: &[Trace]) -> Vec<StepRan> {
    let looking = traces.first().map_or(0.0, looking);
    let launches: Vec<BTreeMap<u32, StepRan>> = traces.iter().map(by_step).collect();
    let len = launches.iter().filter_map(|launch| launch.keys().next_back()).max().map_or(0, |last| last + 1);
    let one = |step: u32| {
        let of: Vec<&StepRan> = launches.iter().filter_map(|launch| launch.get(&step)).collect();
        let mut ran = StepRan::median(&of);
        let runs = ran.devices.values_mut().flatten();
        runs.for_each(|seconds| *seconds = (*seconds - looking).max(0.0));
        ran
    };
    (0..len).map(one).collect()
}

/// Seconds between two looks at the clock of a trace: the least of several.
fn looking(trace: &Trace) -> f64 {
    const LOOKS: u64 = 100;
    let round = |_| {
        let start = trace.now();
        for _ in 0..LOOKS {
            std::hint::black_box(trace.now());
        }
        trace.now() - start
    };
    (0..20).map(round).min().unwrap_or(0) as f64 / (LOOKS + 1) as f64 / 1e9
}

/// Runs of each step.
fn by_step(trace: &Trace) -> BTreeMap<u32, StepRan> {
    let mut steps: BTreeMap<u32, StepRan> = BTreeMap::new();
    for event in trace.events() {
        let runs = steps.entry(event.step).or_default().devices.entry(event.device).or_default();
        runs.push((event.end_ns - event.start_ns) as f64 / 1e9);
    }
    steps
}

/// Inputs with small positive floats, so that roots and logarithms stay finite over many steps.
fn inputs(prepared: &Prepared, module: &meshwright_ir::Module, seed: u64) -> Result<Vec<HostArray>, Failure> {
    let of = if prepared.was_partitioned { prepared.program.module() } else { module };
    let params = of.main().param_values().iter().enumerate();
    let input = |(at, param): (usize, &ValueId)| {
        let ty = of.main().ty(*param).as_array();
        if ty.dtype == DType::F32 {
            return Ok(small(ty, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(at as u64)));
        }
        let drawn = random_input(of, at, seed, Style::Natural).map_err(Failure::input)?;
        Ok(HostArray { ty, bytes: drawn.to_bytes() })
    };
    params.map(input).collect()
}

/// Weights may be gigabytes: all cores fill them.
fn small(ty: TensorType, stream: u64) -> HostArray {
    const LARGEST: f32 = 0.04;
    let mut bytes = vec![0; ty.byte_size() as usize];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of_a_core = bytes.len().div_ceil(4 * cores).max(1 << 16);
    std::thread::scope(|scope| {
        for (part, bytes) in bytes.chunks_mut(4 * of_a_core).enumerate() {
            scope.spawn(move || {
                let first =
                    stream.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add((part * of_a_core) as u64);
                for (at, word) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    let bits = mix(first.wrapping_add(at as u64)) >> 40;
                    *word = ((bits as f32 + 0.5) * (LARGEST / (1 << 24) as f32)).to_le_bytes();
                }
            });
        }
    });
    HostArray { ty, bytes }
}

/// Launch so many times for the time, then so many times for traces.
fn measure(
    (repeat, traced): (u32, u32),
    prepared: &Prepared,
    devices: &dyn Devices,
    executable: &mut dyn Executable,
    inputs: &[HostArray],
) -> Result<Measured, Failure> {
    let placed = place_all(&prepared.program, inputs, &devices.local());
    let mut next = there(executable, placed.map_err(|error| failed(&error))?)?;
    let (mut seconds, mut cpu) = (Vec::new(), Vec::new());
    let asking = asking();
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
        ready(&results)?;
        if timed.contains(&round) {
            seconds.push(start.elapsed().as_secs_f64());
            cpu.push((cpu_seconds() - before - asking).max(0.0));
        }
        traces.extend(trace);
        if round + 1 < rounds {
            let place = |at| place_one(prepared, devices, inputs, at);
            next = there(executable, renewed(prepared, kept, results, &place)?)?;
        }
    }
    Ok(Measured { seconds, cpu, peak: memory::peak_bytes(), traces })
}

/// Arguments where launches take them from, outside of the time that is measured.
fn there(executable: &dyn Executable, args: Args) -> Result<Args, Failure> {
    let place = |(at, arg)| executable.place(at, arg);
    let placed = args.into_iter().enumerate().map(place).collect::<Result<Args, _>>();
    let placed = placed.map_err(|error| failed(&error))?;
    ready(&placed)?;
    Ok(placed)
}

/// Wait until all are there.
fn ready(arrays: &[DeviceArray]) -> Result<(), Failure> {
    arrays.iter().try_for_each(DeviceArray::ready).map_err(|error| failed(&error))
}

/// CPU seconds that it takes to ask for them.
fn asking() -> f64 {
    const TIMES: u32 = 100;
    let start = cpu_seconds();
    (0..TIMES).for_each(|_| {
        std::hint::black_box(cpu_seconds());
    });
    (cpu_seconds() - start) / f64::from(TIMES + 1)
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
    place: &dyn Fn(usize) -> Result<DeviceArray, Failure>,
) -> Result<Args, Failure> {
    let mut results: Vec<Option<DeviceArray>> = results.into_iter().map(Some).collect();
    let params = &prepared.program.module().main().params;
    let found = kept.into_iter().zip(params).map(|(kept, param)| match (kept, param.donation) {
        (Some(kept), _) => Some(kept),
        (None, Some(Donation::Alias { result, .. })) => results.get_mut(result).and_then(Option::take),
        (None, _) => None,
    });
    let mut found: Vec<_> = found.collect();
    // Who may be any result is, in order, the first that lies as it does.
    for (at, place) in prepared.program.params.iter().enumerate() {
        if found[at].is_none() && params[at].donation == Some(Donation::Donor) {
            let mut alike = prepared.program.results.iter().zip(&mut results);
            found[at] =
                alike.find(|(of, left)| *of == place && left.is_some()).and_then(|(_, left)| left.take());
        }
    }
    drop(results);
    // What is there already is not placed beside itself.
    found.into_iter().enumerate().map(|(at, found)| found.map_or_else(|| place(at), Ok)).collect()
}

/// One of the inputs anew.
fn place_one(
    prepared: &Prepared,
    devices: &dyn Devices,
    inputs: &[HostArray],
    at: usize,
) -> Result<DeviceArray, Failure> {
    let (Some(placement), Some(input)) = (prepared.program.params.get(at), inputs.get(at)) else {
        return Err(Failure::bug("a program has more parameters than inputs"));
    };
    let meshes = &prepared.program.module().meshes;
    DeviceArray::from_host(meshes, placement, input, &devices.local()).map_err(|error| failed(&error))
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
    let cpu = mean(&measured.cpu);
    let best = sorted.first().copied().unwrap_or(median);
    let totals = trace.by_kind(executable.steps());
    let sum =
        |pick: fn(&meshwright_runtime::trace::KindTotal) -> u64| totals.iter().map(pick).sum::<u64>() as f64;
    let (flops, bytes) = (sum(|total| total.flops), sum(|total| total.bytes));
    let (gflops, gbytes) = (flops / median / 1e9, bytes / median / 1e9);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.engine.threads.map_or(cores, |n| n as usize);
    let planned = all_bytes(executable.memory(), prepared.devices, workers);
    let size = |bytes: usize| units::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    let mut text = format!(
        "{} devices, median of {}: {median:.4} s, best {best:.4} s, {:.3} s of CPU time\n\
         {gflops:.1} GFLOP/s, {gbytes:.1} GB/s, {} steps\n\
         partitioned in {partition_ms:.1} ms, compiled in {compile_ms:.1} ms\n\
         peak of all devices: planned {}, measured {}\n{}",
        prepared.devices,
        args.repeat,
        cpu,
        executable.steps().len(),
        size(planned),
        size(measured.peak),
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
        .with("cpu_s", cpu)
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
    slow.arrange_by(|a, b| b.1.seconds().total_cmp(&a.1.seconds()));
    for (step, ran) in slow.into_iter().take(args.top as usize) {
        let (runs, seconds) = (ran.runs(), ran.seconds());
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
