//! Every way to run a program against the interpreter: golden modules, filetests that run, programs of the campaign.
//!
//! On one and on two workers, which must give the same bits; `mpirun` runs the same cases in `crates/mpi/tests`. With
//! the instructions that the CPU has, and a part of everything with fewer. All of it with fewer:
//!
//! ```text
//! MESHWRIGHT_CPU=portable cargo test -p meshwright-cpu --test it conformance::
//! ```
//!
//! `DIGESTS=FILE` writes a line for each result, and whose they are after them: with `-- --test-threads 1`, files of
//! two kinds of CPU are compared by `diff`.

use crate::support;

use meshwright_base::SourceText;
use meshwright_campaign::{Case, case};
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_cpu::{Cpu, Isa, VARIABLE};
use meshwright_interp::{Style, Tensor, random_inputs, run_devices, run_global};
use meshwright_ir::{DType, Module, SpmdModule};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{DeviceArray, Devices, HostArray, InProcess, LoadOptions, RunErrorKind};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use support::{device_count, golden, one_device, parse, same_enough, types};

/// What came of one case.
enum Outcome {
    Passed,
    /// Nobody can run it: what the interpreter says.
    Unrunnable(String),
    Failed(String),
}

fn host(tensor: &Tensor) -> HostArray {
    HostArray { ty: tensor.ty().clone(), bytes: tensor.to_bytes() }
}

/// Results of each device.
fn launch(
    program: &SpmdModule,
    devices: usize,
    workers: usize,
    args: Vec<DeviceArray>,
) -> Result<Vec<DeviceArray>, meshwright_runtime::RunError> {
    let set = InProcess::new(devices, Some(workers), Arc::new(Cpu::default()));
    let mut loaded = set.load(program, &LoadOptions::default())?;
    loaded.launch(args, None)
}

/// The same bits for one and two workers.
fn launch_twice(
    program: &SpmdModule,
    devices: usize,
    args: &[DeviceArray],
) -> Result<Vec<DeviceArray>, String> {
    let mut runs = Vec::new();
    for workers in [1, 2] {
        // Donated arrays are used up.
        let fresh = args.iter().map(|arg| {
            let shards = arg.shards().unwrap().iter();
            DeviceArray::new(arg.ty.clone(), shards.map(|shard| Arc::new(shard.copied().unwrap())).collect())
        });
        runs.push(launch(program, devices, workers, fresh.collect()).map_err(|error| error.to_string())?);
    }
    let two = runs.pop().unwrap();
    let one = runs.pop().unwrap();
    for (i, (a, b)) in one.iter().zip(&two).enumerate() {
        for (device, (a, b)) in a.shards().unwrap().iter().zip(b.shards().unwrap()).enumerate() {
            if a.bytes() != b.bytes() {
                return Err(format!("result {i} on device {device} differs between one and two workers"));
            }
        }
    }
    if let Some(file) = digests() {
        write_digests(file, &one);
    }
    Ok(one)
}

/// Bytes in which every NaN is the same one: of those that ops make, x86-64 sets the sign and AArch64 does not.
fn plain_bytes(dtype: DType, bytes: &[u8]) -> Vec<u8> {
    let width = dtype.part().bytes();
    let is_nan = |x: &[u8]| match *x {
        [a, b] if dtype.part() == DType::BF16 => f32::from_bits(u32::from_le_bytes([0, 0, a, b])).is_nan(),
        [a, b] => u16::from_le_bytes([a, b]) & 0x7fff > 0x7c00,
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).is_nan(),
        [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]).is_nan(),
        _ => false,
    };
    let part = |x: &[u8]| if dtype.part().is_float() && is_nan(x) { vec![0xff; width] } else { x.to_vec() };
    bytes.chunks(width).flat_map(part).collect()
}

fn digests() -> Option<std::fs::File> {
    let file = std::env::var_os("DIGESTS")?;
    Some(std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap())
}

fn write_digests(mut file: std::fs::File, results: &[DeviceArray]) {
    for result in results {
        let bytes =
            result.shards().unwrap().iter().flat_map(|shard| plain_bytes(result.ty.dtype, shard.bytes()));
        let digest = bytes.fold(0xcbf2_9ce4_8422_2325u64, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        writeln!(file, "{} {digest:016x}", result.ty).unwrap();
    }
}

/// A module on global shapes: as it is on one device, and partitioned if it names a mesh.
fn on_global_arrays(module: &Module, program: &SpmdModule, inputs: &[Tensor], exact: bool) -> Outcome {
    let expected = match run_global(module, inputs) {
        Ok(expected) => expected,
        Err(error) => return Outcome::Unrunnable(error.message.clone()),
    };
    let devices = device_count(program);
    let arrays: Vec<HostArray> = inputs.iter().map(host).collect();
    let local: Vec<_> = (0..devices).map(meshwright_base::Id::from_index).collect();
    let args = match place_all(program, &arrays, &local) {
        Ok(args) => args,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let results = match launch_twice(program, devices, &args) {
        Ok(results) => results,
        Err(error) => return Outcome::Failed(error),
    };
    let meshes = &program.module().meshes;
    for (i, ((result, placement), expected)) in
        results.iter().zip(&program.results).zip(&expected).enumerate()
    {
        let whole = match result.to_host(meshes, placement) {
            Ok(whole) => whole,
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        if let Some(why) = same_enough(&whole, expected, exact) {
            return Outcome::Failed(format!("result {i} {}: {why}", expected.ty()));
        }
    }
    Outcome::Passed
}

/// A partitioned module: other inputs on each device.
fn on_local_arrays(module: Module, devices: usize) -> Outcome {
    let inputs: Result<Vec<Vec<Tensor>>, _> =
        (0..devices).map(|device| random_inputs(&module, device as u64, Style::Natural)).collect();
    let Ok(inputs) = inputs else { return Outcome::Unrunnable("its parameters cannot be made up".into()) };
    let expected = match run_devices(&module, devices, &inputs) {
        Ok(expected) => expected,
        Err(error) => return Outcome::Unrunnable(error.message.clone()),
    };
    let params = types(&module, module.main().param_values());
    let program = match one_device(module) {
        Ok(program) => program,
        Err(error) => return Outcome::Unrunnable(error),
    };
    let arg = |(i, ty): (usize, &meshwright_ir::TensorType)| {
        let shard =
            |of: &Vec<Tensor>| Arc::new(meshwright_runtime::Buffer::from_bytes(&of[i].to_bytes()).unwrap());
        DeviceArray::new(ty.clone(), inputs.iter().map(shard).collect())
    };
    let args: Vec<DeviceArray> = params.iter().enumerate().map(arg).collect();
    let results = match launch_twice(&program, devices, &args) {
        Ok(results) => results,
        Err(error) => return Outcome::Failed(error),
    };
    for (i, result) in results.iter().enumerate() {
        for (device, expected) in expected.iter().enumerate() {
            let shard = result.shard(device).unwrap();
            if let Some(why) = same_enough(&shard, &expected[i], false) {
                return Outcome::Failed(format!("result {i} on device {device}: {why}"));
            }
        }
    }
    Outcome::Passed
}

fn speaks_of_devices(module: &Module) -> bool {
    use meshwright_ir::Op;
    let communicates = |op: &Op| matches!(op, Op::Collective(_) | Op::PartitionId | Op::ReplicaId);
    let ops = |func: &meshwright_ir::Function| -> Vec<Op> {
        func.insts_in_order().iter().map(|inst| func.inst(*inst).op.clone()).collect()
    };
    let all: Vec<Op> = module.funcs.values().flat_map(ops).collect();
    all.iter().any(communicates) && !all.iter().any(|op| matches!(op, Op::Sharding(_)))
}

fn stated_devices(module: &Module) -> usize {
    let stated = module.num_partitions.unwrap_or(1) * module.num_replicas.unwrap_or(1);
    stated.max(1) as usize
}

/// A module from a file, in whichever of the ways it can be run.
fn file(path: &Path, devices: Option<usize>) -> Outcome {
    let module = match parse(path) {
        Ok(module) => module,
        Err(error) => return Outcome::Unrunnable(error),
    };
    if meshwright_ir::verify(&module).is_err() {
        return Outcome::Unrunnable("it does not verify".into());
    }
    if speaks_of_devices(&module) {
        let devices = devices.unwrap_or(stated_devices(&module));
        return on_local_arrays(module, devices);
    }
    let Ok(inputs) = random_inputs(&module, 1, Style::Natural) else {
        return Outcome::Unrunnable("its parameters cannot be made up".into());
    };
    let alone = one_device(module.clone());
    let program = alone.or_else(|_| {
        let shown = |found: Vec<meshwright_base::Diagnostic>| found[0].to_string();
        partition(module.clone(), &Options::default(), &mut Unobserved)
            .map(|made| made.program)
            .map_err(shown)
    });
    match program {
        Ok(program) => on_global_arrays(&module, &program, &inputs, false),
        Err(error) => Outcome::Unrunnable(error),
    }
}

/// Case by case: how many passed, and what failed.
fn judge(what: &str, cases: impl Iterator<Item = (String, Outcome)>) {
    let (mut passed, mut unrunnable, mut failed) = (0, Vec::new(), Vec::new());
    for (name, outcome) in cases {
        if let Some(mut file) = digests() {
            writeln!(file, "  of {name}").unwrap();
        }
        match outcome {
            Outcome::Passed => passed += 1,
            Outcome::Unrunnable(why) => unrunnable.push(format!("{name}: {why}")),
            Outcome::Failed(why) => failed.push(format!("{name}: {why}")),
        }
    }
    let of = passed + failed.len();
    let report = format!(
        "{what}: {passed} of {of}; {} nobody can run\n{}\n\n{}\n",
        unrunnable.len(),
        failed.join("\n"),
        unrunnable.join("\n")
    );
    std::fs::write(std::env::temp_dir().join(format!("meshwright_conformance_{what}.txt")), &report).unwrap();
    assert!(failed.is_empty() && passed > 0, "{report}");
}

fn golden_modules() -> impl Iterator<Item = (String, PathBuf)> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(golden()).unwrap().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let modules =
        folders.into_iter().map(|folder| (folder.display().to_string(), folder.join("module.mlir")));
    modules.filter(|(_, module)| module.is_file())
}

#[test]
fn golden_modules_give_what_the_interpreter_gives() {
    judge("golden", golden_modules().map(|(name, module)| (name, file(&module, None))));
}

/// Files that run, and on how many devices.
fn filetests() -> impl Iterator<Item = (PathBuf, Option<usize>)> {
    let mut files = Vec::new();
    collect(&golden().join("../filetests"), &mut files);
    files.sort();
    files.into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        let runs = |line: &&str| line.starts_with("// test run") || line.starts_with("// test equal");
        let line = text.lines().find(runs)?;
        let devices = line.split_once("devices=").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        Some((path, devices))
    })
}

#[test]
fn filetests_that_run_give_what_the_interpreter_gives() {
    let named = |(path, devices): (PathBuf, _)| (path.display().to_string(), file(&path, devices));
    judge("filetests", filetests().map(named));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}

fn campaign(number: u64) -> Outcome {
    let Case { module, exact, machine, .. } = case(7, number);
    if meshwright_ir::verify(&module).is_err() {
        return Outcome::Unrunnable("it does not verify".into());
    }
    let style = if exact { Style::SmallInts } else { Style::Natural };
    let Ok(inputs) = random_inputs(&module, number, style) else {
        return Outcome::Unrunnable("its parameters cannot be made up".into());
    };
    let mut options = Options::default();
    options.partition.machine = machine.machine();
    match partition(module.clone(), &options, &mut Unobserved) {
        Ok(made) => on_global_arrays(&module, &made.program, &inputs, exact),
        Err(found) => Outcome::Unrunnable(found[0].message.clone()),
    }
}

#[test]
fn programs_of_the_campaign_give_what_the_interpreter_gives() {
    let count = std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    judge("campaign", (0..count).map(|number| (format!("case {number}"), campaign(number))));
}

/// With all instructions here; the next test runs it with fewer, in processes of their own.
#[test]
fn a_part_of_everything_gives_what_the_interpreter_gives() {
    let golden = golden_modules().step_by(5).map(|(name, module)| (name, file(&module, None)));
    let filetests = filetests()
        .skip(2)
        .step_by(5)
        .map(|(path, devices)| (path.display().to_string(), file(&path, devices)));
    let campaign = (1000..1024).map(|number| (format!("case {number}"), campaign(number)));
    judge(&format!("part_{}", Isa::used().name()), golden.chain(filetests).chain(campaign));
}

#[test]
fn fewer_instructions_give_what_the_interpreter_gives() {
    let fewer =
        Isa::ALL.into_iter().filter(|isa| isa.is_there() && *isa < Isa::used() && *isa != Isa::Avx512);
    for isa in fewer {
        let part = "conformance::a_part_of_everything_gives_what_the_interpreter_gives";
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", part])
            .env(VARIABLE, isa.name())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{}: {said}", isa.name());
    }
}

#[test]
fn a_custom_call_nobody_knows_is_refused_when_it_is_loaded() {
    let text = "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = stablehlo.custom_call @nobody_knows(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }";
    let module =
        meshwright_text::parse(&SourceText::new("unknown.mlir".to_string(), text.to_string())).unwrap();
    let set = InProcess::new(1, Some(1), Arc::new(Cpu::default()));
    let refused = set.load(&one_device(module).unwrap(), &LoadOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(refused.kind, RunErrorKind::NotCompiled);
    assert!(refused.to_string().contains("nobody_knows"), "{refused}");
}
