//! `bench collectives`: in-process collectives beside copying as many bytes.
//!
//! The floor of a collective is the memory traffic it must make: each byte of an operand read once and each byte of a
//! result written once, at the rate of a plain copy measured in the same run.

use crate::args::{BenchCollectivesArgs, DumpArgs};
use crate::engine::failed;
use crate::failure::Failure;
use crate::report::Report;
use meshwright_base::SourceText;
use meshwright_base::arrange::Arrange;
use meshwright_cpu::Cpu;
use meshwright_interp::{Style, random_inputs};
use meshwright_runtime::{Buffer, DeviceArray, Devices, InProcess, LoadOptions, RunError, Trace};
use serde_json::json;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

struct Timed {
    name: &'static str,
    seconds: f64,
    /// Bytes that must be read and written on all devices together.
    bytes: f64,
}

pub fn collectives(args: &BenchCollectivesArgs) -> Result<Report, Failure> {
    let n = u64::from(args.devices);
    // Divisible by the devices in both dims.
    let elements = (u64::from(args.megabytes) << 20) / 4 / (n * n) * (n * n);
    let groups: Vec<String> = (0..n).map(|device| device.to_string()).collect();
    let groups = format!("dense<[[{}]]> : tensor<1x{n}xi64>", groups.join(", "));
    let (whole, piece, column) =
        (format!("{n}x{}", elements / n), format!("1x{}", elements / n), elements / n / n);
    let sum = "({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n  %s = stablehlo.add %x, %y : tensor<f32>\n  \
               \"stablehlo.return\"(%s) : (tensor<f32>) -> ()\n })";
    let attrs = |more: &str| {
        format!(
            "{more}replica_groups = {groups}, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
        )
    };
    let own = (elements * 4) as f64;
    let all = n as f64;
    let cases = [
        (
            "all_reduce",
            whole.clone(),
            whole.clone(),
            format!("{sum} {{{}, use_global_device_ids}}", attrs("")),
            2.0 * own * all,
        ),
        (
            "reduce_scatter",
            whole.clone(),
            piece.clone(),
            format!("{sum} {{{}, use_global_device_ids}}", attrs("scatter_dimension = 0 : i64, ")),
            own * all + own,
        ),
        (
            "all_gather",
            piece,
            whole.clone(),
            format!("{{{}, use_global_device_ids}}", attrs("all_gather_dim = 0 : i64, ")),
            own + own * all,
        ),
        (
            "all_to_all",
            format!("{n}x{n}x{column}"),
            format!("1x{}x{column}", n * n),
            format!(
                "{{{}}}",
                attrs(&format!(
                    "split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = {n} : i64, "
                ))
            ),
            2.0 * own * all,
        ),
    ];
    let mut rows = Vec::new();
    for (name, from, dims, body, bytes) in &cases {
        let ty = |dims: &str| format!("tensor<{dims}xf32>");
        let (from, to) = (ty(from), ty(dims));
        // What the program returns is small: the collective's own result lies in memory that is there before the
        // launch.
        let starts = vec!["0:1"; dims.split('x').count()].join(", ");
        let one = ty(&vec!["1"; dims.split('x').count()].join("x"));
        let text = format!(
            "module @c attributes {{mhlo.num_partitions = {n} : i32}} {{\n func.func public @main(%a: {from}) -> {one} {{\n  \
             %r = \"stablehlo.{name}\"(%a) {body} : ({from}) -> {to}\n  \
             %s = stablehlo.slice %r [{starts}] : ({to}) -> {one}\n  return %s : {one}\n }}\n}}\n"
        );
        rows.push(Timed { name, seconds: time(args, name, &text)?, bytes: *bytes });
    }
    Ok(report(args, &rows, copy_rate(args)?))
}

/// Median seconds of the collective in a program that does nothing else with its result but look at one element.
fn time(args: &BenchCollectivesArgs, name: &str, text: &str) -> Result<f64, Failure> {
    let source = SourceText::new("collective.mlir", text);
    let module = crate::read::read(&source).map_err(|found| Failure::in_text(source, found))?;
    let loaded = crate::load::Loaded { module, text: SourceText::new("collective.mlir", text) };
    let prepared = crate::engine::prepare(&loaded, Some(args.devices), &DumpArgs::default(), true)?;
    let devices =
        InProcess::new(prepared.devices, args.threads.map(|n| n as usize), Arc::new(Cpu::default()));
    let load = devices.load(&prepared.program, &LoadOptions::default());
    let mut executable = load.map_err(|error| failed(&error))?;
    let inputs = random_inputs(prepared.program.module(), 0, Style::SmallInts).map_err(Failure::input)?;
    let input = crate::engine::to_host(&inputs[0]);
    let array = DeviceArray::repeated(&input, prepared.devices).map_err(|error| failed(&error))?;
    let mut seconds = Vec::new();
    for round in 0..=args.repeat {
        let trace = Trace::default();
        executable.launch(vec![array.clone()], Some(&trace)).map_err(|error| failed(&error))?;
        let ends = trace.events();
        let is_collective =
            |event: &&meshwright_runtime::TraceEvent| executable.steps()[event.step as usize].kind == name;
        let start = ends.iter().filter(is_collective).map(|event| event.start_ns).max();
        let end = ends.iter().filter(is_collective).map(|event| event.end_ns).max();
        if round > 0 {
            seconds.push((end.unwrap_or(0) - start.unwrap_or(0)) as f64 / 1e9);
        }
    }
    seconds.arrange_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

/// Bytes read and written per second by a copy on all workers.
fn copy_rate(args: &BenchCollectivesArgs) -> Result<f64, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.threads.map_or(cores, |n| n as usize);
    let bytes = (args.megabytes as usize) << 20;
    let pair = |_| Ok((Buffer::from_bytes(&vec![1; bytes])?, Buffer::from_bytes(&vec![2; bytes])?));
    let pairs = (0..workers).map(pair).collect::<Result<Vec<(Buffer, Buffer)>, RunError>>();
    let mut pairs = pairs.map_err(|error| failed(&error))?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for (from, to) in &mut pairs {
                scope.spawn(|| to.bytes_mut().copy_from_slice(from.bytes()));
            }
        });
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok((2 * bytes * workers) as f64 / best)
}

fn report(args: &BenchCollectivesArgs, rows: &[Timed], copy: f64) -> Report {
    let mut text = format!(
        "{} devices, {} MB on each, medians of {}; a copy reads and writes {:.1} GB/s\n{:16} {:>9} {:>8} {:>10}\n",
        args.devices,
        args.megabytes,
        args.repeat,
        copy / 1e9,
        "collective",
        "ms",
        "GB/s",
        "of floor"
    );
    let mut json_rows = Vec::new();
    for row in rows {
        let (rate, ratio) = (row.bytes / row.seconds, row.seconds / (row.bytes / copy));
        let _ = writeln!(text, "{:16} {:9.3} {:8.2} {ratio:9.2}x", row.name, row.seconds * 1e3, rate / 1e9);
        json_rows.push(
            json!({ "collective": row.name, "seconds": row.seconds, "bytes": row.bytes, "of_floor": ratio }),
        );
    }
    Report::new(text).with("devices", args.devices).with("copy_bytes_s", copy).with("rows", json_rows)
}
