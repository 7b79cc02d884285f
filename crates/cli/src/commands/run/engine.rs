//! `run --backend cpu|mpi|pjrt`: a program on an engine.
//!
//! A program on global shapes takes and gives global arrays, however many devices run it. A partitioned program takes
//! and gives what each device holds.

use super::{
    Results, all_devices, check_size, compare, does_not_fit, made_up, memory, param_types, read_params,
    shown, write_results,
};
use crate::args::{Backend, RunArgs};
use crate::engine::{
    Prepared, asked_options, failed, in_process, is_first, launched_within, load_options, on_plugin_with,
    prepare_as, to_host, to_tensor, whole,
};
use crate::failure::Failure;
use crate::feed;
use crate::load::Loaded;
use crate::processes;
use crate::report::Report;
use crate::stored;
use meshwright_compile::Options;
use meshwright_interp::{Style, Tensor, random_inputs};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Args, Buffer, DeviceArray, Devices, RunError};
use std::sync::Arc;

pub fn run(args: &RunArgs, loaded: &Loaded) -> Result<Report, Failure> {
    // Devices of their own compute while they send; those of this process take turns.
    let options = match args.backend {
        Backend::Pjrt => Options::default(),
        Backend::Interp | Backend::Cpu | Backend::Mpi => Options::in_process(),
    };
    let job = match args.backend {
        Backend::Pjrt => args.engine.processes.job(args.engine.deadline)?,
        Backend::Interp | Backend::Cpu | Backend::Mpi => None,
    };
    let is_first = job.as_ref().map_or_else(|| is_first(args.backend), |job| job.process == 0);
    // That a stored program is another one is known before a device is looked for.
    let stored = stored::stored(&args.engine)?;
    let prepared = match &stored {
        Some(stored) => stored::prepared(stored, loaded, args.devices, &args.dump)?,
        None => prepare_as(loaded, args.devices, &args.dump, is_first, options)?,
    };
    let params = param_types(&loaded.module);
    let copies = if prepared.was_partitioned { prepared.devices } else { 1 };
    let has_room = || {
        check_size(&params, copies)?;
        memory::check_arrays(&loaded.module, copies)
    };
    let results = match args.backend {
        Backend::Mpi => {
            has_room()?;
            over_ranks(args, loaded, &prepared)?
        }
        Backend::Cpu | Backend::Interp => {
            has_room()?;
            let devices = in_process(&args.engine, args.dump.verify_each, prepared.devices)?;
            launch(args, loaded, &prepared, &devices, &|shards| Ok(Some(shards)))?
        }
        Backend::Pjrt => {
            // That there is no device is the first thing to know then.
            let devices = on_plugin_with(&args.engine.plugin, job, prepared.devices, stored)?;
            has_room()?;
            let gather = |shards| match devices.exchange() {
                None => Ok(Some(shards)),
                Some(exchange) => exchange.gather(shards).map_err(|error| failed(&error)),
            };
            let results = launch(args, loaded, &prepared, &devices, &gather)?;
            processes::leave(&devices)?;
            results
        }
    };
    // Only one rank has all results.
    let Some(results) = results else { return Ok(Report::default()) };
    if let Some(path) = &args.outputs {
        write_results(path, &results)?;
    }
    let report = match &args.expect {
        Some(path) => compare(path, args, &loaded.module, &results)?,
        None => shown(args, &results),
    };
    Ok(report.noted(prepared.notes))
}

/// The bytes of one result on every device, from those that live here; `None` if another rank gets them.
type Gather<'a> = &'a dyn Fn(Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>, Failure>;

#[cfg(feature = "mpi")]
fn over_ranks(args: &RunArgs, loaded: &Loaded, prepared: &Prepared) -> Result<Option<Results>, Failure> {
    let devices = crate::engine::over_ranks(&args.engine, args.dump.verify_each, prepared.devices)?;
    let gather = |shards: Vec<Vec<u8>>| devices.gather(&shards).map_err(|error| failed(&error));
    match launch(args, loaded, prepared, &devices, &gather) {
        Ok(results) => Ok(results),
        Err(failure) => {
            // Others may wait for this rank for ever: say what it was, then end all.
            let _ = failure.print(false);
            devices.abort(i32::from(failure.exit_code()))
        }
    }
}

#[cfg(not(feature = "mpi"))]
fn over_ranks(_: &RunArgs, _: &Loaded, _: &Prepared) -> Result<Option<Results>, Failure> {
    Err(crate::engine::no_ranks())
}

fn launch(
    args: &RunArgs,
    loaded: &Loaded,
    prepared: &Prepared,
    devices: &dyn Devices,
    gather: Gather<'_>,
) -> Result<Option<Results>, Failure> {
    let arrays = arguments(args, loaded, prepared, devices)?;
    let local = devices.local();
    let queues = feed::queues(args, &local)?;
    let options = match args.backend {
        Backend::Pjrt => asked_options(&args.engine),
        Backend::Interp | Backend::Cpu | Backend::Mpi => load_options(&args.engine, local.len()),
    };
    let (program, queues) = (&prepared.program, queues.as_ref());
    let results = launched_within(&options, program, devices, &args.engine, arrays, queues)?;
    if let Some(queues) = queues {
        feed::finish(args, queues, &local)?;
    }
    collect(prepared, results, gather)
}

/// The arguments on the devices that live here.
fn arguments(
    args: &RunArgs,
    loaded: &Loaded,
    prepared: &Prepared,
    devices: &dyn Devices,
) -> Result<Args, Failure> {
    let module = &loaded.module;
    let params = param_types(module);
    let read = |path: &std::path::PathBuf| read_params(path, module, params.len());
    if !prepared.was_partitioned {
        let arrays = match &args.inputs {
            Some(path) => read(path)?,
            None => random_inputs(module, args.seed, Style::Natural).map_err(Failure::input)?,
        };
        let misfit = arrays.iter().zip(&params).position(|(array, ty)| array.ty() != ty);
        if let Some(at) = misfit {
            return Err(does_not_fit(module, at, arrays[at].ty()));
        }
        let arrays: Vec<_> = arrays.iter().map(to_host).collect();
        return place_all(&prepared.program, &arrays, &devices.local()).map_err(|error| failed(&error));
    }
    let all = match &args.inputs {
        Some(path) => all_devices(module, &params, &read(path)?, prepared.devices)?,
        None => made_up(module, args.seed, prepared.devices)?,
    };
    let local = devices.local();
    let of_param = |(index, ty): (usize, &meshwright_ir::TensorType)| {
        let shard = |device: &meshwright_runtime::DeviceId| {
            let bytes = to_host(&all[meshwright_base::Id::index(*device)][index]).bytes;
            Ok(Arc::new(Buffer::from_bytes(&bytes)?))
        };
        let shards = local.iter().map(shard).collect::<Result<_, RunError>>()?;
        Ok(DeviceArray::new(ty.clone(), shards))
    };
    params.iter().enumerate().map(of_param).collect::<Result<_, RunError>>().map_err(|error| failed(&error))
}

/// Results of each device for a partitioned program, of one for a program on global shapes.
fn collect(
    prepared: &Prepared,
    results: Vec<DeviceArray>,
    gather: Gather<'_>,
) -> Result<Option<Results>, Failure> {
    let mut all: Results = vec![Vec::new(); if prepared.was_partitioned { prepared.devices } else { 1 }];
    let mut is_here = true;
    for (result, placement) in results.iter().zip(&prepared.program.results) {
        let here = result.shards().map_err(|error| failed(&error))?;
        let Some(shards) = gather(here.iter().map(|shard| shard.bytes().to_vec()).collect())? else {
            is_here = false;
            continue;
        };
        if prepared.was_partitioned {
            for (device, shard) in all.iter_mut().zip(shards) {
                device.push(tensor(result.ty.clone(), shard)?);
            }
            continue;
        }
        let shards: Vec<&[u8]> = shards.iter().map(Vec::as_slice).collect();
        all[0].push(whole(&prepared.program, placement, &shards)?);
    }
    Ok(is_here.then_some(all))
}

fn tensor(ty: meshwright_ir::TensorType, bytes: Vec<u8>) -> Result<Tensor, Failure> {
    to_tensor(&meshwright_runtime::HostArray { ty, bytes })
}
