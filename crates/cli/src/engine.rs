//! Engines behind one face: a program from a file, devices to run it on, arrays in and out.
//!
//! A program on global shapes is completed and partitioned first; a partitioned one is run as it is.

use crate::args::{Backend, DumpArgs, EngineArgs};
use crate::commands::run::memory::limit_of_device;
use crate::failure::{Failure, Fault};
use crate::input;
use crate::load::{Loaded, is_partitioned, stated_devices};
use crate::plan_args::PluginArgs;
use crate::plugins;
use crate::processes::joined;
use crate::stages::Stages;
use meshwright_base::{Ask, Code, Diagnostic};
use meshwright_compile::Options;
use meshwright_cpu::{Cpu, Isa};
use meshwright_interp::Tensor;
use meshwright_interp::global::device_count;
use meshwright_ir::{Module, Placement, SpmdModule, ValueId};
use meshwright_pjrt::{Client, Job, PjrtDevices, Stored, Tried};
use meshwright_runtime::devices::check_count;
use meshwright_runtime::feed::Feed;
use meshwright_runtime::{
    Args, DeviceArray, Devices, HostArray, InProcess, LoadOptions, RunError, RunErrorKind, Trace, assemble,
    interrupt,
};
use meshwright_shard::{AxisRef, Mesh, Sharding};
use std::sync::Arc;

pub const ENGINE: Code = Code(720);
/// A number of devices that the module does not have.
pub const BAD_DEVICES: Code = Code(713);

/// A program to run, and on how many devices.
pub struct Prepared {
    pub program: SpmdModule,
    pub devices: usize,
    /// The file held a partitioned program: its arrays are per device.
    pub was_partitioned: bool,
    /// What to tell of dumps.
    pub notes: String,
}

/// The program of a file for an engine. Of several processes that do so, one writes what is asked for.
pub fn prepare(
    loaded: &Loaded,
    devices: Option<u32>,
    dump: &DumpArgs,
    is_first: bool,
) -> Result<Prepared, Failure> {
    prepare_as(loaded, devices, dump, is_first, Options::in_process())
}

/// The same, partitioned for other devices than those of this process.
pub fn prepare_as(
    loaded: &Loaded,
    devices: Option<u32>,
    dump: &DumpArgs,
    is_first: bool,
    options: Options,
) -> Result<Prepared, Failure> {
    let mut stages = if is_first { Stages::new(dump)? } else { Stages::default() };
    let prepared = program_of(loaded, devices, dump, options, &mut stages)?;
    let module = prepared.program.module();
    stages.write_steps(module, prepared.devices).map_err(|error| failed(&error))?;
    Ok(Prepared { notes: stages.finish()?, ..prepared })
}

fn program_of(
    loaded: &Loaded,
    devices: Option<u32>,
    dump: &DumpArgs,
    options: Options,
    stages: &mut Stages,
) -> Result<Prepared, Failure> {
    let module = &loaded.module;
    if is_partitioned(module) {
        let devices = devices.map_or_else(|| stated_devices(module), i64::from).max(1) as usize;
        let program = as_it_is(module.clone(), devices as i64)
            .map_err(|found| Failure::in_text(loaded.text.clone(), found))?;
        return Ok(Prepared { program, devices, was_partitioned: true, notes: String::new() });
    }
    let complete = meshwright_complete::Options { devices: devices.map(i64::from), ..Default::default() };
    let options = Options { complete, verify_each: dump.verify_each, ..options };
    let alone = devices.unwrap_or(1) == 1 && is_plain(module);
    let made = if alone {
        as_it_is(module.clone(), 1)
    } else {
        meshwright_compile::partition(module.clone(), &options, stages).map(|made| made.program)
    };
    let program = made.map_err(|found| Failure::in_text(loaded.text.clone(), found))?;
    let count = device_count(&program);
    match devices {
        Some(asked) if asked as usize != count => {
            let message = format!(
                "`{}`, but the module's mesh has {count} devices",
                Ask::Option("devices", &asked.to_string())
            );
            let diagnostic =
                Diagnostic::error(BAD_DEVICES, message).help("drop it, or lower the module for another mesh");
            Err(Failure::new(Fault::Usage, diagnostic))
        }
        _ => Ok(Prepared { program, devices: count, was_partitioned: false, notes: String::new() }),
    }
}

/// Nothing in the module speaks of several devices.
fn is_plain(module: &Module) -> bool {
    let has_sharding_ops = module.funcs.values().any(|func| {
        func.insts_in_order().iter().any(|inst| matches!(func.inst(*inst).op, meshwright_ir::Op::Sharding(_)))
    });
    let main = module.main();
    let annotated = main.param_values().iter().any(|value| main.value(*value).sharding.is_some());
    module.meshes.is_empty() && module.num_partitions.unwrap_or(1) <= 1 && !has_sharding_ops && !annotated
}

/// A module whose shapes are those of each of so many devices. Seen as one, its arrays are those of the devices one
/// behind the other; a single number is the same on all.
pub fn as_it_is(mut module: Module, devices: i64) -> Result<SpmdModule, Vec<Diagnostic>> {
    let mesh = Mesh::new("one", [("d", devices)], None).map_err(|found| vec![found])?;
    let split = |(axis, _)| AxisRef { axis, pre: 1, size: devices };
    let all: Vec<AxisRef> = mesh.axes.iter().map(split).filter(|_| devices > 1).collect();
    let mesh = module.meshes.push(mesh);
    let place = |value: &ValueId| {
        let mut global = module.main().ty(*value).as_array();
        let mut sharding = Sharding::replicated(mesh, global.rank());
        if let (Some(size), Some(dim)) = (global.dims.first_mut(), sharding.dims.first_mut()) {
            *size = size.saturating_mul(devices);
            dim.axes.clone_from(&all);
        }
        Placement { sharding, global }
    };
    let params = module.main().param_values().iter().map(place).collect();
    let results = module.main().result_values().iter().map(place).collect();
    SpmdModule::new(module, params, results)
}

/// Devices of this process.
pub fn in_process(args: &EngineArgs, verify_each: bool, devices: usize) -> Result<InProcess, Failure> {
    check_count(devices).map_err(|error| failed(&error))?;
    let workers = args.threads.map(|n| n as usize);
    Ok(InProcess::new(devices, workers, Arc::new(engine(args, verify_each))))
}

fn engine(args: &EngineArgs, verify_each: bool) -> Cpu {
    Cpu { check_numbers: args.check_nans, verify_each }
}

/// The devices of a plugin, which may be those of several processes.
pub fn on_plugin(args: &PluginArgs, job: Option<Job>, devices: usize) -> Result<PjrtDevices, Failure> {
    let plugin = plugins::chosen(args, None)?;
    let client = match job.map(joined).transpose()? {
        Some(peers) => Client::among(plugin, &args.plugin_option, &peers),
        None => Client::new(plugin, &args.plugin_option),
    };
    let client = client.map_err(|error| plugins::failed(&error, Tried::Devices))?;
    PjrtDevices::new(Arc::new(client), devices).map_err(|error| failed(&error))
}

/// The same, to run a program that was stored, if there is one.
pub fn on_plugin_with(
    args: &PluginArgs,
    job: Option<Job>,
    devices: usize,
    stored: Option<Stored>,
) -> Result<PjrtDevices, Failure> {
    let devices = on_plugin(args, job, devices)?;
    Ok(match stored {
        Some(stored) => devices.with_stored(stored),
        None => devices,
    })
}

/// Refuse what is said of plugins, where devices of none run the program.
pub fn without_plugin(args: &EngineArgs) -> Result<(), Failure> {
    plugins::unused(&args.plugin, args.stored.as_deref(), Some(&args.processes))
}

/// What was asked for, or what this process has for so many devices.
pub fn load_options(args: &EngineArgs, devices: usize) -> LoadOptions {
    let asked = args.memory_limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    LoadOptions { memory_limit: Some(asked.unwrap_or_else(|| limit_of_device(devices))) }
}

/// What was asked for alone: a plugin knows how much its devices have.
pub fn asked_options(args: &EngineArgs) -> LoadOptions {
    LoadOptions { memory_limit: args.memory_limit.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)) }
}

/// Parses an instruction set.
pub fn instructions(name: &str) -> Result<Isa, String> {
    Isa::usable(name).map_err(|error| match &error.help {
        Some(help) => format!("{}; {help}", error.message),
        None => error.message,
    })
}

/// Let kernels use these instructions, or those that the environment names.
pub fn select_instructions(isa: Option<Isa>) -> Result<(), Failure> {
    let usage = |error: RunError| Failure { fault: Fault::Usage, ..failed(&error) };
    Isa::select(isa).map(|_| ()).map_err(usage)
}

/// An engine's error as one of the command line: whose fault it is decides the exit code.
pub fn failed(error: &RunError) -> Failure {
    let fault = match error.kind {
        RunErrorKind::BadInput
        | RunErrorKind::BadDevices
        | RunErrorKind::NotCompiled
        | RunErrorKind::Deadlock
        | RunErrorKind::BadNumber => Fault::Input,
        RunErrorKind::DifferentPrograms => Fault::Usage,
        RunErrorKind::TooMuchMemory
        | RunErrorKind::TimedOut
        | RunErrorKind::Transport
        | RunErrorKind::Plugin
        | RunErrorKind::Interrupted => Fault::Environment,
        RunErrorKind::Panicked | RunErrorKind::Unsound => Fault::Bug,
    };
    // What to do comes as a line of its own.
    let mut bare = error.clone();
    let (notes, help) = (std::mem::take(&mut bare.notes), bare.help.take());
    let mut diagnostic = Diagnostic::error(ENGINE, bare.to_string()).at_place(bare.place);
    for note in notes {
        diagnostic = diagnostic.note(note);
    }
    if let Some(help) = help {
        diagnostic = diagnostic.help(help);
    }
    Failure::new(fault, diagnostic)
}

/// Run a program once on the devices that live here; with queues if it has some, traced if that is asked for.
pub fn launched(
    program: &SpmdModule,
    devices: &dyn Devices,
    engine: &EngineArgs,
    arrays: Args,
    queues: Option<&Arc<Feed>>,
) -> Result<Vec<DeviceArray>, Failure> {
    let options = load_options(engine, devices.local().len());
    launched_within(&options, program, devices, engine, arrays, queues)
}

/// The same, with other bounds than those of this process.
pub fn launched_within(
    options: &LoadOptions,
    program: &SpmdModule,
    devices: &dyn Devices,
    engine: &EngineArgs,
    arrays: Args,
    queues: Option<&Arc<Feed>>,
) -> Result<Vec<DeviceArray>, Failure> {
    let mut executable = devices.load(program, options).map_err(|error| failed(&error))?;
    if let Some(queues) = queues {
        executable.connect(queues.clone());
    }
    let trace = engine.trace.as_ref().map(|_| Trace::default());
    let _listening = interrupt::listen();
    let results = executable.launch(arrays, trace.as_ref()).map_err(|error| failed(&error))?;
    // Who asks to stop while devices are still at work is heard too.
    for array in &results {
        array.ready().map_err(|error| failed(&error))?;
    }
    if let (Some(path), Some(trace)) = (&engine.trace, &trace) {
        input::write_file(path, trace.chrome_json(executable.steps()).as_bytes())?;
    }
    Ok(results)
}

/// A global array from what each device holds of it.
pub fn whole(program: &SpmdModule, placement: &Placement, shards: &[&[u8]]) -> Result<Tensor, Failure> {
    let array = assemble(&program.module().meshes, placement, shards).map_err(|error| failed(&error))?;
    to_tensor(&array)
}

pub fn to_host(tensor: &Tensor) -> HostArray {
    HostArray { ty: tensor.ty().clone(), bytes: tensor.to_bytes() }
}

pub fn to_tensor(array: &HostArray) -> Result<Tensor, Failure> {
    Tensor::from_bytes(array.ty.clone(), &array.bytes)
        .ok_or_else(|| Failure::bug(&format!("the engine made bytes that are no {}", array.ty)))
}

/// What is waited for at most, whatever is asked: a year and some.
#[cfg(feature = "mpi")]
const LONGEST_WAIT: std::time::Duration = std::time::Duration::from_secs(40_000_000);

/// The devices of all ranks, where this binary was built for MPI.
#[cfg(feature = "mpi")]
pub fn over_ranks(
    args: &EngineArgs,
    verify_each: bool,
    devices: usize,
) -> Result<meshwright_mpi::MpiDevices, Failure> {
    let ranks = meshwright_mpi::expected_ranks();
    if !devices.is_multiple_of(ranks.max(1)) {
        let message = format!("{devices} devices do not spread evenly over {ranks} ranks");
        let diagnostic = Diagnostic::error(BAD_DEVICES, message)
            .help("start as many ranks as divide the devices: `mpirun -n N`");
        return Err(Failure::new(Fault::Usage, diagnostic));
    }
    let options = meshwright_mpi::MpiOptions {
        per_rank: devices / ranks.max(1),
        workers: args.threads.map_or(1, |n| n as usize),
        deadline: std::time::Duration::try_from_secs_f64(args.deadline)
            .map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT)),
    };
    meshwright_mpi::MpiDevices::new(options, Arc::new(engine(args, verify_each))).ok_or_else(|| {
        let message = "MPI cannot be started with as much threading as is needed";
        Failure::new(Fault::Environment, Diagnostic::error(ENGINE, message).help("use `--threads 1`"))
    })
}

/// Whether this process is the one of its job that writes files.
pub fn is_first(backend: Backend) -> bool {
    match backend {
        Backend::Interp | Backend::Cpu | Backend::Pjrt => true,
        #[cfg(feature = "mpi")]
        Backend::Mpi => meshwright_mpi::expects_first(),
        #[cfg(not(feature = "mpi"))]
        Backend::Mpi => true,
    }
}

/// Why there are no ranks.
pub fn no_ranks() -> Failure {
    let diagnostic = Diagnostic::error(ENGINE, "this binary was built without MPI")
        .help("install libopenmpi-dev and libclang-dev, then `cargo build --release -p meshwright-cli --features mpi`");
    Failure::new(Fault::Usage, diagnostic)
}

/// All devices of the job live here.
pub fn all_live_here(devices: &dyn Devices) -> bool {
    devices.local().len() == devices.count()
}
