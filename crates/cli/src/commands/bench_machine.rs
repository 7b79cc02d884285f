//! `bench machine`: measure this machine as a plan sees one.
//!
//! Small programs run on the engine, each so that one coefficient decides: products of several sizes (one fit of peak
//! and half sizes over all of them), loops over several working sets, long chains of cheap and of dear operations, many
//! ops on one element, collectives between devices of this process. Times are CPU seconds of the process, best of
//! several, so that other programs beside it do not count; what it takes to share a step among workers shows in how
//! long it takes alone.

use crate::args::{BenchMachineArgs, DumpArgs};
use crate::engine::{Prepared, failed, prepare, to_host};
use crate::failure::Failure;
use crate::input;
use crate::load::Loaded;
use crate::report::Report;
use crate::target::{this, to_json};
use crate::units;
use crate::watching::Shown;
use meshwright_base::SourceText;
use meshwright_base::arrange::Arrange;
use meshwright_cost::machine::{Known, Overlap, Source};
use meshwright_cost::network::{Network, Tier, TierKind};
use meshwright_cost::{Coefficient, Machine};
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, random_inputs};
use meshwright_ir::DType;
use meshwright_runtime::clock::cpu_seconds;
use meshwright_runtime::{DeviceArray, Devices, Executable, InProcess, LoadOptions};
use meshwright_train::run::Watch;
use serde_json::Value;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// CPU seconds that a measurement takes at least, and how many of them there are.
const LONG: f64 = 0.02;
const ROUNDS: usize = 5;
/// What is left out of a measurement's spread: no number is better known than this.
const LEAST: f64 = 0.03;

/// A program to time, and on how many devices.
struct Probe {
    prepared: Prepared,
    executable: Box<dyn Executable>,
    arrays: Vec<DeviceArray>,
}

/// CPU seconds of one launch: the best, and by which share others were longer.
#[derive(Clone, Copy)]
struct Timed {
    seconds: f64,
    spread: f64,
}

pub fn machine(args: &BenchMachineArgs) -> Result<Report, Failure> {
    let path = args.output.clone().unwrap_or_else(this);
    if !args.against.is_empty() {
        return super::bench_against::against(&path, &args.against, args.repeat, args.by_kind);
    }
    let mut told = Shown::new(false);
    let made = measured(&mut |what| told.note(what))?;
    let object = to_json(&made);
    input::write_file(&path, format!("{:#}\n", Value::Object(object.clone())).as_bytes())?;
    let mut text =
        format!("{}, {} workers, {}\n", made.name, made.workers.unwrap_or(1), units::bytes(made.capacity));
    for of in Coefficient::ALL {
        let known = made.known(of);
        let within = 100.0 * known.within;
        let _ = writeln!(
            text,
            "  {:14} {:12.4e} within {within:3.0} %  {}",
            of.name(),
            known.value,
            known.source
        );
    }
    for (bytes, times) in made.caches.iter() {
        let _ = writeln!(text, "  loops over at most {bytes:.0} bytes: {times:.2} times the memory's rate");
    }
    let _ = writeln!(text, "written to {}: plan for it with `--target this`", path.display());
    Ok(Report { text, json: object, ..Report::default() })
}

fn measured(tell: &mut dyn FnMut(&str)) -> Result<Machine, Failure> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as i64;
    tell("ops on one element");
    let Launches { begin, array, launch, tiles, run, call, counted } = launches()?;
    tell("steps that workers share");
    let early = sharing(workers as usize)?;
    let alone = begin.seconds + 3.0 * array + launch.seconds;
    tell("products");
    let products = products(alone)?;
    tell("loops");
    let loops = loops(alone, call)?;
    tell("collectives");
    let (start, inner) = collectives(alone)?;
    tell("steps that workers share, once more");
    let Shared { handing, meeting, crossed } = early.or(sharing(workers as usize)?);
    let known =
        |value: f64, spread: f64| Known { value, within: spread.max(LEAST), source: Source::MeasuredHere };
    let exact = |value: f64| Known { value, within: 0.0, source: Source::spec("by definition") };
    let alone_known = Known { value: loops.memory.seconds, within: 0.0, source: Source::spec("one worker") };
    let made = Machine {
        name: "this".into(),
        capacity: i64::try_from(super::run::memory::half_of_free()).unwrap_or(i64::MAX),
        types: products.types.into(),
        caches: loops.caches.into(),
        workers: Some(workers),
        overlap: Overlap::Nothing,
        network: Network::new(vec![Tier::new(TierKind::Threads, 1 << 20)]),
        ..Machine::default()
    };
    Ok(made
        .knowing(Coefficient::Products, known(products.peak, products.spread))
        .knowing(Coefficient::ProductShare, exact(1.0))
        .knowing(Coefficient::BatchedShare, known(products.batched, 0.2))
        .knowing(Coefficient::HalfRows, known(products.half[0], 0.3))
        .knowing(Coefficient::HalfColumns, known(products.half[1], 0.3))
        .knowing(Coefficient::HalfDepth, known(products.half[2], 0.3))
        .knowing(Coefficient::Memory, known(loops.memory.seconds, loops.memory.spread))
        .knowing(Coefficient::MemoryShare, exact(1.0))
        .knowing(Coefficient::Elements, known(loops.elements.seconds, loops.elements.spread))
        .knowing(Coefficient::Function, known(loops.function, 0.3))
        .knowing(Coefficient::Running, known(loops.running, 0.5))
        .knowing(Coefficient::Row, known(loops.row.seconds, loops.row.spread))
        .knowing(Coefficient::Masked, known(loops.masked.seconds, loops.masked.spread))
        .knowing(Coefficient::Far, known(loops.far, 0.5))
        .knowing(Coefficient::Drawn, known(loops.drawn.seconds, loops.drawn.spread))
        .knowing(Coefficient::Launch, known(launch.seconds, launch.spread))
        .knowing(Coefficient::Handing, known(handing, 0.5))
        .knowing(Coefficient::Crossed, crossed.map_or(alone_known, |rate| known(rate, 0.5)))
        .knowing(Coefficient::Meeting, known(meeting, 0.5))
        .knowing(Coefficient::Tiles, known(tiles, 0.3))
        .knowing(Coefficient::Run, known(run, 0.3))
        .knowing(Coefficient::Call, known(call, 0.3))
        .knowing(Coefficient::Counted, known(counted, 0.3))
        .knowing(Coefficient::Folded, known(loops.folded, 0.3))
        .knowing(Coefficient::Window, known(loops.window, 0.3))
        .knowing(Coefficient::Division, known(loops.division, 0.3))
        .knowing(Coefficient::Each, known(products.each, 0.3))
        .knowing(Coefficient::Turned, known(products.turned, 0.3))
        .knowing(Coefficient::Array, known(array, 0.3))
        .knowing(Coefficient::Begin, known(begin.seconds, begin.spread))
        .knowing(Coefficient::Start, known(start.seconds, start.spread))
        .knowing(Coefficient::Inner, known(inner.seconds, inner.spread)))
}

/// A clock that starts at any time.
type Clock<'a> = &'a dyn Fn() -> f64;

impl Probe {
    /// One worker: its CPU seconds are the work.
    fn of(text: &str, devices: u32) -> Result<Probe, Failure> {
        Probe::with_workers(text, devices, 1)
    }

    fn with_workers(text: &str, devices: u32, workers: usize) -> Result<Probe, Failure> {
        let source = || SourceText::new("probe.mlir", text);
        let module = crate::read::read(&source()).map_err(|found| Failure::in_text(source(), found))?;
        let loaded = Loaded { module, text: source() };
        let prepared = prepare(&loaded, Some(devices), &DumpArgs::default(), true)?;
        let on = InProcess::new(prepared.devices, Some(workers), Arc::new(Cpu::default()));
        let executable =
            on.load(&prepared.program, &LoadOptions::default()).map_err(|error| failed(&error))?;
        let inputs = random_inputs(prepared.program.module(), 0, Style::Natural).map_err(Failure::input)?;
        let arrays = inputs.iter().map(|input| DeviceArray::repeated(&to_host(input), prepared.devices));
        let arrays = arrays.collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?;
        Ok(Probe { prepared, executable, arrays })
    }

    fn launch(&mut self) -> Result<(), Failure> {
        self.executable.launch(self.arrays.clone(), None).map(drop).map_err(|error| failed(&error))
    }

    fn time(self) -> Result<Timed, Failure> {
        self.time_by(&cpu_seconds)
    }

    /// The best of several rounds, each of as many launches as take a while.
    fn time_by(mut self, now: Clock<'_>) -> Result<Timed, Failure> {
        self.launch()?;
        let start = now();
        self.launch()?;
        let once = (now() - start).max(1e-6);
        let launches = ((LONG / once).ceil() as usize).clamp(1, 20_000);
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let start = now();
            for _ in 0..launches {
                self.launch()?;
            }
            rounds.push((now() - start) / launches as f64);
        }
        rounds.arrange_by(f64::total_cmp);
        let _ = &self.prepared;
        let (best, middle) = (rounds[0], rounds[ROUNDS / 2]);
        Ok(Timed { seconds: best, spread: middle / best - 1.0 })
    }
}

fn time(text: &str) -> Result<Timed, Failure> {
    Probe::of(text, 1)?.time()
}

/// A function of one device.
fn function(params: &str, result: &str, body: &str, value: &str) -> String {
    format!("func.func public @main({params}) -> {result} {{\n{body}  return {value} : {result}\n}}\n")
}

/// Sums of so many numbers, each put at its place of one array: a loop and a copy for each.
fn sums_text(count: usize, numbers: usize) -> String {
    let (one, all) = (format!("tensor<{numbers}xf32>"), format!("tensor<{}xf32>", numbers * count));
    let (mut body, mut names) = (String::new(), Vec::new());
    for at in 0..count {
        let (first, last) = (numbers * at, numbers * (at + 1));
        let _ = writeln!(
            body,
            "  %x{at} = stablehlo.slice %a [{first}:{last}] : ({all}) -> {one}\n  %s{at} = stablehlo.add %x{at}, %b : {one}"
        );
        names.push(format!("%s{at}"));
    }
    let types = vec![&*one; count].join(", ");
    let _ = writeln!(body, "  %c = stablehlo.concatenate {}, dim = 0 : ({types}) -> {all}", names.join(", "));
    function(&format!("%a: {all}, %b: {one}"), &all, &body, "%c")
}

/// A sum of two arrays.
fn sum_text(count: usize) -> String {
    let ty = format!("tensor<{count}xf32>");
    function(&format!("%a: {ty}, %b: {ty}"), &ty, &format!("  %c = stablehlo.add %a, %b : {ty}\n"), "%c")
}

/// A sum of rows and one number for each of them, which the loop has to collect.
fn collecting_text(rows: usize, length: usize) -> String {
    let (ty, one) = (format!("tensor<{rows}x{length}xf32>"), format!("tensor<{rows}xf32>"));
    let body = format!(
        "  %c = stablehlo.broadcast_in_dim %b, dims = [0] : ({one}) -> {ty}\n  %d = stablehlo.add %a, %c : {ty}\n"
    );
    function(&format!("%a: {ty}, %b: {one}"), &ty, &body, "%d")
}

/// Sums of an array and others that are the same along its middle dim: code is called for each row.
fn calling_text(others: usize) -> String {
    let [outer, middle, row] = CALLED;
    let (ty, some) = (format!("tensor<{outer}x{middle}x{row}xf32>"), format!("tensor<{outer}x{row}xf32>"));
    let (mut params, mut body) = (format!("%a0: {ty}"), String::new());
    for at in 0..others {
        let _ = write!(params, ", %b{at}: {some}");
        let _ = writeln!(
            body,
            "  %c{at} = stablehlo.broadcast_in_dim %b{at}, dims = [0, 2] : ({some}) -> {ty}\n  \
             %a{} = stablehlo.add %a{at}, %c{at} : {ty}",
            at + 1
        );
    }
    function(&params, &ty, &body, &format!("%a{others}"))
}

/// A sum of rows and the places in them.
fn counting_text() -> String {
    let [rows, length] = MANY;
    let ty = format!("tensor<{rows}x{length}xf32>");
    let body = format!("  %c = stablehlo.iota dim = 1 : {ty}\n  %d = stablehlo.add %a, %c : {ty}\n");
    function(&format!("%a: {ty}"), &ty, &body, "%d")
}

/// One sum of so many small arrays.
fn arrays_text(count: usize) -> String {
    let ty = "tensor<8xf32>";
    let params: Vec<String> = (0..count).map(|at| format!("%a{at}: {ty}")).collect();
    let mut body = String::from("  %s0 = stablehlo.negate %a0 : tensor<8xf32>\n");
    for at in 1..count {
        let _ = writeln!(body, "  %s{at} = stablehlo.add %s{}, %a{at} : {ty}", at - 1);
    }
    function(&params.join(", "), ty, &body, &format!("%s{}", count - 1))
}

/// What a program and its steps take beside what they do.
struct Launches {
    begin: Timed,
    array: f64,
    launch: Timed,
    tiles: f64,
    run: f64,
    call: f64,
    counted: f64,
}

const FEW: [usize; 2] = [4, 3];
const MANY: [usize; 2] = [4096, 16];
const CALLED: [usize; 3] = [16, 64, 64];

fn launches() -> Result<Launches, Failure> {
    const LOW: usize = 2;
    const HIGH: usize = 402;
    let (low, high) = (time(&sums_text(LOW, SUMMED))?, time(&sums_text(HIGH, SUMMED))?);
    let each = (high.seconds - low.seconds) / (2 * (HIGH - LOW)) as f64;
    let launch = Timed { seconds: each.max(1e-9), spread: high.spread.max(0.2) };
    let alone = time(&sum_text(8))?;
    const ARRAYS: usize = 34;
    let array = ((time(&arrays_text(ARRAYS))?.seconds - alone.seconds) / (ARRAYS - 2) as f64).max(1e-12);
    // Two are added up, and one is made.
    let begin = Timed { seconds: (alone.seconds - launch.seconds - 3.0 * array).max(1e-9), ..alone };
    // What a program takes beside a sum of as many elements.
    let more = |text: &str, count: usize| -> Result<f64, Failure> {
        Ok((time(text)?.seconds - time(&sum_text(count))?.seconds).max(1e-12))
    };
    let collecting = |[rows, length]: [usize; 2]| more(&collecting_text(rows, length), rows * length);
    let (few, many) = (collecting(FEW)?, collecting(MANY)?);
    let run = ((many - few) / (MANY[0] - FEW[0]) as f64).max(1e-12);
    let tiles = (few - run * FEW[0] as f64).max(1e-9);
    const OTHERS: [usize; 2] = [2, 6];
    let [some, others] = OTHERS.map(|others| time(&calling_text(others)));
    let told = (CALLED[0] * CALLED[1] * (OTHERS[1] - OTHERS[0])) as f64;
    let call = ((others?.seconds - some?.seconds) / told).max(1e-12);
    let elements = MANY[0] * MANY[1];
    let counted = more(&counting_text(), elements)? / elements as f64;
    Ok(Launches { begin, array, launch, tiles, run, call, counted })
}

/// Numbers of a small sum.
const SUMMED: usize = 8;

/// What it takes that workers share steps, and bytes per second of what they fetch from each other.
struct Shared {
    handing: f64,
    meeting: f64,
    crossed: Option<f64>,
}

impl Shared {
    /// The better of two: another program that has a core for a while spoils a measurement, and none makes it faster.
    fn or(self, other: Shared) -> Shared {
        Shared {
            handing: self.handing.min(other.handing),
            meeting: self.meeting.min(other.meeting),
            crossed: self.crossed.zip(other.crossed).map(|(one, other)| one.max(other)),
        }
    }
}

fn sharing(workers: usize) -> Result<Shared, Failure> {
    let (handing, meeting) = (handing(workers)?, meeting(workers)?);
    let crossed = if workers > 1 { Some(crossed(handing)?) } else { None };
    Ok(Shared { handing, meeting, crossed })
}

/// Seconds that a step takes more than its share of the work where workers share it: of sums, a piece for each.
fn handing(workers: usize) -> Result<f64, Failure> {
    const LOW: usize = 2;
    const HIGH: usize = 34;
    let zero = Instant::now();
    let now = || zero.elapsed().as_secs_f64();
    let each = |workers: usize, numbers: usize| -> Result<f64, Failure> {
        let timed = |count: usize| Probe::with_workers(&sums_text(count, numbers), 1, workers)?.time_by(&now);
        Ok((timed(HIGH)?.seconds - timed(LOW)?.seconds) / (2 * (HIGH - LOW)) as f64)
    };
    if workers == 1 {
        return Ok(0.0);
    }
    let numbers = workers * PIECE;
    Ok((each(workers, numbers)? - each(1, numbers)? / workers as f64).max(1e-9))
}

/// Sums of as many halves, whose order is turned each time: what a worker reads, the other one of two wrote.
fn reversed_text(count: usize, numbers: usize) -> String {
    let ty = format!("tensor<2x{numbers}xf32>");
    let mut body = String::new();
    for at in 0..count {
        let _ = writeln!(
            body,
            "  %r{at} = stablehlo.reverse %v{at}, dims = [0] : {ty}\n  %v{} = stablehlo.add %r{at}, %b : {ty}",
            at + 1
        );
    }
    function(&format!("%v0: {ty}, %b: {ty}"), &ty, &body, &format!("%v{count}"))
}

/// Bytes per second of what another worker wrote just now, where handing pieces over takes so long.
fn crossed(handing: f64) -> Result<f64, Failure> {
    const LOW: usize = 2;
    const HIGH: usize = 34;
    let zero = Instant::now();
    let now = || zero.elapsed().as_secs_f64();
    let each = |workers: usize| -> Result<f64, Failure> {
        let timed = |count| Probe::with_workers(&reversed_text(count, PIECE), 1, workers)?.time_by(&now);
        Ok((timed(HIGH)?.seconds - timed(LOW)?.seconds) / (HIGH - LOW) as f64)
    };
    let (two, one) = (each(2)?, each(1)?);
    // No faster than ten times what it takes to go over it.
    let more = (two - one / 2.0 - handing).max(one / 20.0);
    Ok(4.0 * PIECE as f64 / more)
}

/// Numbers of a piece, as a copy is cut; a loop is cut no more coarsely.
const PIECE: usize = 1 << 15;

/// Small all-reduces of so many devices, one after the other.
fn reductions_text(count: usize, devices: usize) -> String {
    let ty = "tensor<8xf32>";
    let group: Vec<String> = (0..devices).map(|device| device.to_string()).collect();
    let mut body = String::new();
    for at in 0..count {
        let _ = writeln!(
            body,
            "  %v{} = \"stablehlo.all_reduce\"(%v{at}) ({{\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  \
             %s = stablehlo.add %x, %y : tensor<f32>\n  \"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n }}) \
             {{replica_groups = dense<[[{}]]> : tensor<1x{devices}xi64>, channel_handle = #stablehlo.channel_handle<handle = {}, \
             type = 1>, use_global_device_ids}} : ({ty}) -> {ty}",
            at + 1,
            group.join(", "),
            at + 1
        );
    }
    let main = function(&format!("%v0: {ty}"), ty, &body, &format!("%v{count}"));
    format!("module @c attributes {{mhlo.num_partitions = {devices} : i32}} {{\n{main}}}\n")
}

/// Seconds that a collective takes more where workers wait for each other: of two devices for each.
fn meeting(workers: usize) -> Result<f64, Failure> {
    const LOW: usize = 2;
    const HIGH: usize = 34;
    let (zero, devices) = (Instant::now(), 2 * workers);
    let now = || zero.elapsed().as_secs_f64();
    let each = |workers: usize| -> Result<f64, Failure> {
        let timed = |count: usize| {
            Probe::with_workers(&reductions_text(count, devices), devices as u32, workers)?.time_by(&now)
        };
        Ok((timed(HIGH)?.seconds - timed(LOW)?.seconds) / (HIGH - LOW) as f64)
    };
    if workers == 1 { Ok(0.0) } else { Ok((each(workers)? - each(1)?).max(1e-9)) }
}

struct ProductRates {
    peak: f64,
    spread: f64,
    half: [f64; 3],
    /// Seconds of one of many small ones, and of one whose right operand is turned.
    each: f64,
    turned: f64,
    batched: f64,
    types: Vec<(DType, f64)>,
}

/// Rows, columns and depth that are tried: cubes, each of them small, and what no cache holds.
const SIZES: [[i64; 3]; 13] = [
    [3072, 768, 256],
    [256, 3072, 768],
    [768, 256, 3072],
    [64, 64, 64],
    [128, 128, 128],
    [256, 256, 256],
    [512, 512, 512],
    [16, 512, 512],
    [512, 16, 512],
    [512, 512, 16],
    [64, 1024, 256],
    [1024, 64, 256],
    [1024, 1024, 64],
];

fn product_text([rows, columns, depth]: [i64; 3], dtype: &str, batch: i64) -> String {
    let (b, dims) = if batch > 1 {
        (format!("{batch}x"), "batching_dims = [0] x [0], contracting_dims = [2] x [1]")
    } else {
        (String::new(), "contracting_dims = [1] x [0]")
    };
    let (lhs, rhs, made) = (
        format!("tensor<{b}{rows}x{depth}x{dtype}>"),
        format!("tensor<{b}{depth}x{columns}x{dtype}>"),
        format!("tensor<{b}{rows}x{columns}x{dtype}>"),
    );
    let body = format!("  %c = stablehlo.dot_general %a, %b, {dims} : ({lhs}, {rhs}) -> {made}\n");
    function(&format!("%a: {lhs}, %b: {rhs}"), &made, &body, "%c")
}

/// Small products over heads, which lie among the rows, as attention has them: the right operand is turned.
const HEADS: usize = 4;

fn heads_text(batch: i64) -> String {
    let (ty, made) = (format!("tensor<{batch}x4x{HEADS}x4xf32>"), format!("tensor<{batch}x{HEADS}x4x4xf32>"));
    let body = format!(
        "  %c = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : \
         ({ty}, {ty}) -> {made}\n"
    );
    function(&format!("%a: {ty}, %b: {ty}"), &made, &body, "%c")
}

fn products(step: f64) -> Result<ProductRates, Failure> {
    let mut rows: Vec<([f64; 4], f64)> = Vec::new();
    let mut spread = 0.0f64;
    for size in SIZES {
        let timed = time(&product_text(size, "f32", 1))?;
        spread = spread.max(timed.spread);
        let seconds = (timed.seconds - step).max(1e-9);
        let [m, n, k] = size.map(|size| size as f64);
        // By the time itself, so that each counts as much.
        let terms = [m * n * k, n * k, m * k, m * n].map(|term| 2.0 * term / seconds);
        rows.push((terms, 1.0));
    }
    let fitted = least_squares(&rows);
    let per_flop = fitted[0].max(1e-15);
    let half = [fitted[1], fitted[2], fitted[3]].map(|of| (of / per_flop).max(0.0));
    let cube = |dtype: &str| -> Result<f64, Failure> {
        Ok((time(&product_text([256, 256, 256], dtype, 1))?.seconds - step).max(1e-9))
    };
    let f32_seconds = cube("f32")?;
    let types = [(DType::BF16, "bf16"), (DType::F32, "f32"), (DType::F64, "f64")];
    let types = types.into_iter().map(|(dtype, name)| Ok((dtype, f32_seconds / cube(name)?)));
    let types = types.collect::<Result<Vec<_>, Failure>>()?;
    let of_each = |text: &dyn Fn(i64) -> String, products: f64| -> Result<f64, Failure> {
        Ok(((time(&text(64))?.seconds - time(&text(2))?.seconds) / (62.0 * products)).max(1e-12))
    };
    let each = of_each(&|batch| product_text([4, 4, 4], "f32", batch), 1.0)?;
    let turned = of_each(&heads_text, HEADS as f64)?;
    // By how much many small ones are faster than the fit of single ones says, each as much.
    let faster = |[m, n, k]: [i64; 3]| -> Result<f64, Failure> {
        const BATCH: i64 = 64;
        let seconds = (time(&product_text([m, n, k], "f32", BATCH))?.seconds - step).max(1e-9);
        let [rows, columns, depth] = [m, n, k].map(|size| size as f64);
        let slower = 1.0 + half[0] / rows + half[1] / columns + half[2] / depth;
        let own = seconds - BATCH as f64 * each;
        Ok((BATCH as f64 * 2.0 * rows * columns * depth * per_flop * slower / own.max(seconds / 2.0)).ln())
    };
    let [one, other, last] = [[64, 64, 64], [64, 64, 16], [64, 16, 64]].map(faster);
    let batched = ((one? + other? + last?) / 3.0).exp().clamp(0.05, 2.0);
    Ok(ProductRates { peak: 1.0 / per_flop, spread: spread.max(0.05), half, each, turned, batched, types })
}

/// The coefficients by which terms come nearest to what was measured; none is below zero.
fn least_squares(rows: &[([f64; 4], f64)]) -> [f64; 4] {
    let mut found = [0.0; 4];
    // One coefficient after the other, again and again: few and well apart, it settles.
    for _ in 0..20_000 {
        for at in 0..4 {
            let (mut above, mut below) = (0.0, 0.0);
            for (terms, wanted) in rows {
                let others: f64 =
                    (0..4).filter(|other| *other != at).map(|other| terms[other] * found[other]).sum();
                above += terms[at] * (wanted - others);
                below += terms[at] * terms[at];
            }
            found[at] = if below > 0.0 { (above / below).max(0.0) } else { 0.0 };
        }
    }
    found
}

struct LoopRates {
    /// Bytes per second, as the `seconds` of a measurement.
    memory: Timed,
    caches: Vec<(f64, f64)>,
    elements: Timed,
    function: f64,
    division: f64,
    running: f64,
    /// Seconds of each window.
    window: f64,
    /// Seconds of each row.
    row: Timed,
    /// Seconds of each row that is folded in tiles.
    folded: f64,
    /// Bytes per second.
    masked: Timed,
    drawn: Timed,
    /// Seconds of each run of bytes that comes from memory by itself.
    far: f64,
}

/// Elements of the working sets that are tried.
const SETS: [usize; 6] = [1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 23];

fn loops(step: f64, call: f64) -> Result<LoopRates, Failure> {
    let mut rates = Vec::new();
    for count in SETS {
        let timed = time(&sum_text(count))?;
        let bytes = 12.0 * count as f64;
        rates.push((bytes, bytes / (timed.seconds - step).max(1e-9), timed.spread));
    }
    let (_, memory, spread) = rates[rates.len() - 1];
    // What one measures between two sets lies between them.
    let caches =
        rates[..rates.len() - 1].iter().map(|(bytes, rate, _)| (bytes * 1.5, (rate / memory).max(0.1)));
    let caches = caches.collect();
    let each = |op: &str| -> Result<Timed, Failure> {
        let (few, many) = (time(&chain_text(op, 4))?, time(&chain_text(op, 36))?);
        let seconds = ((many.seconds - few.seconds) / (32.0 * 4096.0)).max(1e-13);
        Ok(Timed { seconds, spread: many.spread.max(few.spread) })
    };
    let cheap = each("multiply")?;
    let functions = (each("exponential")?.seconds + each("tanh")?.seconds) / 2.0;
    let division = each("divide")?.seconds / cheap.seconds;
    let window = window(step, memory)?;
    let running = window_sum(step)? / cheap.seconds;
    let (row, folded) = rows(step, call)?;
    let masked = rate(step, &masked_text(1), MASKED_BYTES)?;
    let far = far(MASKED_BYTES / masked.seconds, memory)?;
    let drawn = rate(step, &drawn_text(), DRAWN_BYTES)?;
    let elements = Timed { seconds: 1.0 / cheap.seconds, spread: cheap.spread.max(0.1) };
    let memory = Timed { seconds: memory, spread: spread.max(0.05) };
    Ok(LoopRates {
        memory,
        caches,
        elements,
        function: functions / cheap.seconds,
        division,
        window,
        running,
        row,
        folded,
        masked,
        drawn,
        far,
    })
}

/// One elementwise op many times over.
fn chain_text(op: &str, count: usize) -> String {
    let ty = "tensor<4096xf32>";
    let mut body = String::new();
    for at in 0..count {
        let other = if matches!(op, "multiply" | "divide") { ", %b" } else { "" };
        let _ = writeln!(body, "  %v{} = stablehlo.{op} %v{at}{other} : {ty}", at + 1);
    }
    function(&format!("%v0: {ty}, %b: {ty}"), ty, &body, &format!("%v{count}"))
}

/// Rows less their sums, twice; as many elements in rows of any length.
fn rows_text(length: usize) -> String {
    let rows = ROW_ELEMENTS / length;
    let (ty, sums) = (format!("tensor<{rows}x{length}xf32>"), format!("tensor<{rows}xf32>"));
    let mut body = String::from("  %z = stablehlo.constant dense<0.0> : tensor<f32>\n");
    for at in 0..ROW_LOOPS / 2 {
        let _ = writeln!(
            body,
            "  %s{at} = stablehlo.reduce(%v{at} init: %z) applies stablehlo.add across dimensions = [1] : \
             ({ty}, tensor<f32>) -> {sums}\n  \
             %b{at} = stablehlo.broadcast_in_dim %s{at}, dims = [0] : ({sums}) -> {ty}\n  \
             %v{} = stablehlo.subtract %v{at}, %b{at} : {ty}",
            at + 1
        );
    }
    function(&format!("%v0: {ty}"), &ty, &body, &format!("%v{}", ROW_LOOPS / 2))
}

/// Elements of the rows that are tried, and loops over them: a sum and a difference, twice.
const ROW_ELEMENTS: usize = 1 << 16;
const ROW_LOOPS: usize = 4;

/// What each row takes beside its elements: short ones hold as many as long ones. Then what each takes that is folded
/// in tiles, beside that and its call.
fn rows(step: f64, call: f64) -> Result<(Timed, f64), Failure> {
    const SHORT: usize = 64;
    const LONG_ROW: usize = 512;
    let (short, long) = (time(&rows_text(SHORT))?, time(&rows_text(LONG_ROW))?);
    let more = (ROW_ELEMENTS / SHORT - ROW_ELEMENTS / LONG_ROW) * ROW_LOOPS;
    let seconds = ((short.seconds - long.seconds).max(step * 1e-3) / more as f64).max(1e-12);
    let row = Timed { seconds, spread: short.spread.max(long.spread).max(0.3) };
    // Twice as many elements tell what these take, and what is left is that of rows.
    let [shorter, longer] = [SHORT, 2 * SHORT].map(|length| time(&folded_text(length)));
    let (shorter, longer) = (shorter?.seconds, longer?.seconds);
    let [outer, middle] = FOLDED;
    let rows = (outer * middle) as f64;
    // A row is a call, which is told where two arrays are.
    let folded = (2.0 * shorter - longer - step) / rows - 2.0 * call;
    Ok((row, folded.max(1e-12)))
}

/// Rows that are folded: so many have the same factors.
const FOLDED: [usize; 2] = [64, 16];

/// Sums of products of rows with others that are the same along the middle dim.
fn folded_text(length: usize) -> String {
    let [outer, middle] = FOLDED;
    let (ty, some) =
        (format!("tensor<{outer}x{middle}x{length}xf32>"), format!("tensor<{outer}x{length}xf32>"));
    let sums = format!("tensor<{outer}x{middle}xf32>");
    let body = format!(
        "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  \
         %c = stablehlo.broadcast_in_dim %b, dims = [0, 2] : ({some}) -> {ty}\n  %d = stablehlo.multiply %a, %c : {ty}\n  \
         %s = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [2] : ({ty}, tensor<f32>) -> {sums}\n"
    );
    function(&format!("%a: {ty}, %b: {some}"), &sums, &body, "%s")
}

/// Bytes per second of a program that is one step of so many.
fn rate(step: f64, text: &str, bytes: f64) -> Result<Timed, Failure> {
    let timed = time(text)?;
    Ok(Timed { seconds: bytes / (timed.seconds - step).max(1e-9), spread: timed.spread.max(0.3) })
}

/// A product with a mask of one in each row, as tokens are sent to experts: its mask, rows and result.
const MASKED_BYTES: f64 = 4.0 * (512.0 * 640.0 + 512.0 * 64.0 + 640.0 * 64.0);

/// Of so many groups of rows.
fn masked_text(groups: usize) -> String {
    let body = format!(
        "  %i = stablehlo.iota dim = 2 : tensor<{groups}x512x640xi32>\n  \
        %b = stablehlo.broadcast_in_dim %idx, dims = [0, 1] : (tensor<{groups}x512xi32>) -> tensor<{groups}x512x640xi32>\n  \
        %m = stablehlo.compare EQ, %b, %i : (tensor<{groups}x512x640xi32>, tensor<{groups}x512x640xi32>) -> tensor<{groups}x512x640xi1>\n  \
        %f = stablehlo.convert %m : (tensor<{groups}x512x640xi1>) -> tensor<{groups}x512x640xf32>\n  \
        %c = stablehlo.dot_general %f, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : \
        (tensor<{groups}x512x640xf32>, tensor<{groups}x512x64xf32>) -> tensor<{groups}x640x64xf32>\n"
    );
    let params = format!("%x: tensor<{groups}x512x64xf32>, %idx: tensor<{groups}x512xi32>");
    function(&params, &format!("tensor<{groups}x640x64xf32>"), &body, "%c")
}

/// Seconds of each run of a mask that is in no cache, beside those of a group whose mask is.
fn far(group: f64, memory: f64) -> Result<f64, Failure> {
    /// 52 MB of masks.
    const GROUPS: usize = 40;
    let probe = Probe::of(&masked_text(GROUPS), 1)?;
    let sparse = probe.executable.steps().iter().filter(|step| step.kind == "sparse");
    let runs: u64 = sparse.map(|step| step.work.runs.count).sum();
    let each = probe.time()?.seconds / GROUPS as f64;
    // It is written too.
    let written = 4.0 * 512.0 * 640.0 / memory;
    Ok(((each - group - written) * GROUPS as f64 / runs.max(1) as f64).max(0.0))
}

/// 64 K numbers of 32 bits.
const DRAWN_BYTES: f64 = 4.0 * 65_536.0;

fn drawn_text() -> String {
    let (state, bits) = ("tensor<2xui64>", "tensor<64x1024xui32>");
    format!(
        "func.func public @main(%a: {state}) -> ({state}, {bits}) {{\n  %b, %c = stablehlo.rng_bit_generator %a, \
         algorithm = THREE_FRY : ({state}) -> ({state}, {bits})\n  return %b, %c : {state}, {bits}\n}}\n"
    )
}

/// Rows of a table that are looked up: so many, of four numbers each.
const LOOKED_UP: usize = 4096;

fn windows_text() -> String {
    let (table, at, made) =
        ("tensor<512x4xf32>", format!("tensor<{LOOKED_UP}x1xi32>"), format!("tensor<{LOOKED_UP}x4xf32>"));
    let body = format!(
        "  %c = \"stablehlo.gather\"(%a, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], \
         collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}}> : \
         ({table}, {at}) -> {made}\n"
    );
    function(&format!("%a: {table}, %i: {at}"), &made, &body, "%c")
}

/// Seconds of each window that is looked up, beside its bytes.
fn window(step: f64, memory: f64) -> Result<f64, Failure> {
    let bytes = (LOOKED_UP * (2 * 16 + 4)) as f64;
    let timed = time(&windows_text())?;
    Ok(((timed.seconds - step - bytes / memory) / LOOKED_UP as f64).max(1e-11))
}

/// A running sum over rows of 128.
fn window_text() -> String {
    let body = "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  \
        %c = \"stablehlo.reduce_window\"(%a, %z) <{window_dimensions = array<i64: 1, 128>, \
        padding = dense<[[0, 0], [127, 0]]> : tensor<2x2xi64>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    \
        %s = stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) : \
        (tensor<256x128xf32>, tensor<f32>) -> tensor<256x128xf32>\n";
    let ty = "tensor<256x128xf32>";
    function(&format!("%a: {ty}"), ty, body, "%c")
}

/// Seconds of one element of a window.
fn window_sum(step: f64) -> Result<f64, Failure> {
    let timed = time(&window_text())?;
    Ok((timed.seconds - step).max(1e-9) / (256.0 * 128.0 * 128.0))
}

/// What an all-reduce of two devices takes to begin, and bytes per second of what goes between them.
fn collectives(step: f64) -> Result<(Timed, Timed), Failure> {
    let text = |count: usize| {
        let ty = format!("tensor<{count}xf32>");
        format!(
            "module @c attributes {{mhlo.num_partitions = 2 : i32}} {{\n func.func public @main(%a: {ty}) -> {ty} {{\n  \
             %r = \"stablehlo.all_reduce\"(%a) ({{\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  \
             %s = stablehlo.add %x, %y : tensor<f32>\n  \"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n }}) \
             {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, \
             type = 1>, use_global_device_ids}} : ({ty}) -> {ty}\n  return %r : {ty}\n }}\n}}\n"
        )
    };
    let (small, large) = (Probe::of(&text(8), 2)?.time()?, Probe::of(&text(1 << 20), 2)?.time()?);
    let bytes = 4.0 * f64::from(1 << 20);
    // Of two devices together; each sends as much as it has.
    let seconds = (large.seconds - small.seconds).max(1e-9) / 2.0;
    let start =
        Timed { seconds: ((small.seconds - 2.0 * step) / 2.0).max(1e-7), spread: small.spread.max(0.3) };
    Ok((start, Timed { seconds: bytes / seconds, spread: large.spread.max(0.2) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_gives_back_what_it_was_made_of() {
        let truth = [1e-11, 3e-10, 0.0, 5e-10];
        let rows: Vec<([f64; 4], f64)> = SIZES
            .iter()
            .map(|size| {
                let [m, n, k] = size.map(|size| size as f64);
                let terms = [m * n * k, n * k, m * k, m * n].map(|term| 2.0 * term);
                let seconds: f64 = terms.iter().zip(truth).map(|(term, of)| term * of).sum();
                (terms.map(|term| term / seconds), 1.0)
            })
            .collect();
        let found = least_squares(&rows);
        for (found, truth) in found.into_iter().zip(truth) {
            assert!((found - truth).abs() <= 1e-3 * truth.max(1e-11), "{found:e} {truth:e}");
        }
    }

    #[test]
    fn probes_are_programs() {
        let texts = [
            product_text([4, 8, 16], "bf16", 1),
            product_text([4, 8, 16], "f32", 3),
            sums_text(3, SUMMED),
            folded_text(16),
            arrays_text(3),
            heads_text(2),
            calling_text(2),
            reversed_text(3, 8),
            counting_text(),
            sum_text(8),
            collecting_text(4, 3),
            windows_text(),
            window_text(),
            chain_text("tanh", 3),
            rows_text(16),
            masked_text(1),
            masked_text(3),
            drawn_text(),
        ];
        let reductions = (reductions_text(3, 4), 4);
        for (text, devices) in texts.into_iter().map(|text| (text, 1)).chain([reductions]) {
            Probe::of(&text, devices).and_then(|mut probe| probe.launch()).unwrap_or_else(|failure| {
                panic!("{}", failure.to_text());
            });
        }
    }
}
