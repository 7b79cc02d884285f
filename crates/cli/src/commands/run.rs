//! `run`: run a module on the reference interpreter.
//!
//! A program on global shapes runs as one, its manual regions on the devices of their meshes. A partitioned program
//! runs on as many simulated devices as it is for, each with its pieces of the parameters. What would take more memory
//! than half of what is free ends in a diagnostic, before it runs.

mod engine;
pub mod memory;

use crate::args::{Backend, RunArgs};
use crate::compare::Tolerance;
use crate::engine::{BAD_DEVICES, without_plugin};
use crate::failure::{Failure, Fault};
use crate::feed::Simulated;
use crate::load::{is_partitioned, load_located, stated_devices};
use crate::npz::{self, Archive, Array, FileArchive};
use crate::place::{Tiling, judge, spread};
use crate::report::Report;
use crate::stages::Stages;
use crate::{input, show};
use meshwright_base::{Code, Diagnostic};
use meshwright_interp::{Feed, Options, Style, Tensor, random_inputs, run_devices_fed, run_global_fed};
use meshwright_ir::{DType, Module, TensorType, Type};
use serde_json::json;
use std::io::{Read, Seek};
use std::path::Path;

/// Arrays do not fit the program that they are for.
pub const BAD_ARRAYS: Code = Code(710);
const DIFFERENT: Code = Code(711);
const TOO_LARGE: Code = Code(712);

/// Parameters of all devices together may take this many bytes.
const LARGEST: i64 = 8 << 30;

/// Elements of a result shown to people, and to programs.
const SHOWN: usize = 32;

/// Results of each device; of one for a program on global shapes.
pub(crate) type Results = Vec<Vec<Tensor>>;

pub fn run(args: &RunArgs) -> Result<Report, Failure> {
    if args.backend != Backend::Pjrt {
        without_plugin(&args.engine)?;
    }
    let loaded = load_located(&args.file)?;
    let module = &loaded.module;
    match args.backend {
        Backend::Interp => {
            let help = "drop them, add `--backend cpu`, or use `meshwright partition`";
            Stages::none(&args.dump, "the interpreter runs the module as it is", help)?;
        }
        Backend::Cpu | Backend::Mpi | Backend::Pjrt => return engine::run(args, &loaded),
    }
    // Nothing is written out here, but what cannot be written out cannot be waited for either.
    meshwright_ir::check_unfolded(module).map_err(Failure::input)?;
    let devices = devices(args, module)?;
    let params = param_types(module);
    let count = devices.unwrap_or(1);
    let max_bytes = args.engine.memory_limit.unwrap_or_else(memory::limit);
    memory::check(&params, count, max_bytes)?;
    let inputs = match &args.inputs {
        Some(path) => all_devices(module, &params, &read_params(path, module, params.len())?, count)?,
        None => made_up(module, args.seed, count)?,
    };
    let options = Options { max_bytes, ..Options::default() };
    let queues = Simulated::new(args)?;
    let feed = queues.as_ref().map(|queues| queues as &dyn Feed);
    let results = match devices {
        Some(devices) => run_devices_fed(module, devices, &inputs, options, feed),
        None => run_global_fed(module, &inputs[0], options, feed).map(|results| vec![results]),
    };
    let results = results.map_err(|diagnostic| Failure::in_text(loaded.text.clone(), vec![diagnostic]))?;
    queues.map_or(Ok(()), |queues| queues.finish(args))?;
    if let Some(path) = &args.outputs {
        write_results(path, &results)?;
    }
    match &args.expect {
        Some(path) => compare(path, args, &loaded.module, &results),
        None => Ok(shown(args, &results)),
    }
}

/// On how many devices a partitioned program runs: as many as asked for, or as it says. `None` for a program on global
/// shapes.
fn devices(args: &RunArgs, module: &Module) -> Result<Option<usize>, Failure> {
    const MOST: i64 = 4096;
    if !is_partitioned(module) {
        return match args.devices {
            None | Some(1) => Ok(None),
            Some(devices) => {
                let message = format!(
                    "`--devices {devices}`, but the program is not partitioned: it has global shapes"
                );
                let diagnostic =
                    Diagnostic::error(BAD_DEVICES, message).help("drop it: the program runs as one");
                Err(Failure::new(Fault::Usage, diagnostic))
            }
        };
    }
    let devices = args.devices.map_or_else(|| stated_devices(module), i64::from);
    if devices > MOST {
        let message = format!("the program is for {devices} devices; at most {MOST} are simulated");
        let diagnostic = Diagnostic::error(BAD_DEVICES, message).help("partition it for a smaller mesh");
        return Err(Failure::input(diagnostic));
    }
    Ok(Some(devices as usize))
}

pub(super) fn param_types(module: &Module) -> Vec<TensorType> {
    let main = module.main();
    main.param_values().iter().map(|value| main.ty(*value).as_array()).collect()
}

pub(super) fn check_size(params: &[TensorType], devices: usize) -> Result<(), Failure> {
    let one = params.iter().fold(0i64, |sum, ty| sum.saturating_add(ty.byte_size()));
    let size = one.saturating_mul(devices as i64);
    if size <= LARGEST {
        return Ok(());
    }
    let message = format!("the parameters take {size} bytes on {devices} devices, more than {LARGEST}");
    Err(Failure::input(
        Diagnostic::error(TOO_LARGE, message).help("run a smaller configuration of the model"),
    ))
}

/// Parameters made up from a seed, other ones on every device.
pub(super) fn made_up(module: &Module, seed: u64, devices: usize) -> Result<Vec<Vec<Tensor>>, Failure> {
    let of_device =
        |device: usize| random_inputs(module, seed.wrapping_add((device as u64) << 32), Style::Natural);
    (0..devices).map(of_device).collect::<Result<_, _>>().map_err(Failure::input)
}

/// The arrays of an archive for the module's parameters, in their order.
pub(super) fn read_params(path: &Path, module: &Module, count: usize) -> Result<Vec<Tensor>, Failure> {
    let main = module.main();
    let name = |param: usize| main.value(main.param_values()[param]).name.as_deref().unwrap_or("");
    let mut archive = open(path, count, "takes")?;
    let dtype = |param: usize| dtype_of(main.ty(main.param_values()[param]));
    (0..count).map(|param| read_array(path, &mut archive, param, &[name(param)], dtype(param))).collect()
}

/// Open an archive that must hold so many arrays.
fn open(path: &Path, count: usize, verb: &str) -> Result<FileArchive, Failure> {
    let name = path.display().to_string();
    let archive = FileArchive::open(path).map_err(|error| input::unreadable(&name, &error))?;
    let archive = archive.map_err(|error| bad_arrays(format!("`{name}`: {error}")))?;
    if archive.len() != count {
        return Err(bad_arrays(format!(
            "`{name}` holds {} arrays; the program {verb} {count}",
            archive.len()
        )));
    }
    Ok(archive)
}

fn read_array<R: Read + Seek>(
    path: &Path,
    archive: &mut Archive<R>,
    index: usize,
    names: &[&str],
    wanted: Option<DType>,
) -> Result<Tensor, Failure> {
    let name = path.display();
    let Some(entry) = archive.find(index, names) else {
        let known: Vec<&str> = archive.names().take(8).collect();
        return Err(bad_arrays(format!(
            "`{name}` has no array `{index}`; its first are {}",
            known.join(", ")
        )));
    };
    let array = archive.read_as(entry, LARGEST as u64, wanted);
    let array = array.map_err(|error| bad_arrays(format!("array {index} of `{name}`: {error}")))?;
    Tensor::from_bytes(array.ty.clone(), &array.bytes)
        .ok_or_else(|| bad_arrays(format!("array {index} of `{name}` does not fit its type {}", array.ty)))
}

fn dtype_of(ty: &Type) -> Option<DType> {
    ty.as_tensor().map(|ty| ty.dtype)
}

fn bad_arrays(message: String) -> Failure {
    Failure::input(Diagnostic::error(BAD_ARRAYS, message).help(
        "NumPy's `savez(FILE, first, second)` writes one; `meshwright run --help` tells how arrays are named",
    ))
}

/// An array that is not of its parameter's type.
pub(super) fn does_not_fit(module: &Module, param: usize, array: &TensorType) -> Failure {
    let main = module.main();
    let value = main.param_values()[param];
    let name = main.value(value).name.as_ref().map_or(String::new(), |name| format!(" (`%{name}`)"));
    bad_arrays(format!("parameter {param}{name} is {}, but its array is {array}", main.ty(value)))
}

/// The parameters of each device.
pub(super) fn all_devices(
    module: &Module,
    params: &[TensorType],
    given: &[Tensor],
    devices: usize,
) -> Result<Vec<Vec<Tensor>>, Failure> {
    let main = module.main();
    let mut all = vec![Vec::with_capacity(params.len()); devices];
    for (index, (ty, tensor)) in params.iter().zip(given).enumerate() {
        let annotation = main.value(main.param_values()[index]).sharding.as_ref();
        let cut = annotation.and_then(|annotation| Tiling::of(module, annotation, ty.rank(), devices));
        let pieces = spread(tensor, ty, cut.as_ref(), devices);
        let pieces = pieces.ok_or_else(|| does_not_fit(module, index, tensor.ty()))?;
        all.iter_mut().zip(pieces).for_each(|(device, piece)| device.push(piece));
    }
    Ok(all)
}

/// Write results: one array each, with a leading dim over devices if there are several.
pub(crate) fn write_results(path: &Path, results: &Results) -> Result<(), Failure> {
    let first = results.first().map_or(&[][..], Vec::as_slice);
    let stacked = |(index, result): (usize, &Tensor)| {
        let leading = if results.len() > 1 { vec![results.len() as i64] } else { Vec::new() };
        let ty = result.ty().with_dims([leading, result.dims().to_vec()].concat());
        Array { ty, bytes: results.iter().flat_map(|device| device[index].to_bytes()).collect() }
    };
    let arrays: Vec<Array> = first.iter().enumerate().map(stacked).collect();
    npz::write(path, &arrays).map_err(|error| input::unwritable(&path.display().to_string(), &error))
}

/// Hold the results against an archive.
pub(super) fn compare(
    path: &Path,
    args: &RunArgs,
    module: &Module,
    results: &Results,
) -> Result<Report, Failure> {
    let given = Tolerance::given(&args.close);
    let count = results.first().map_or(0, Vec::len);
    let mut archive = open(path, count, "returns")?;
    let mut diagnostics = Vec::new();
    for index in 0..count {
        let wanted = dtype_of(&module.main().results[index].ty);
        let expected = read_array(path, &mut archive, index, &[], wanted)?;
        let ours: Vec<&Tensor> = results.iter().map(|device| &device[index]).collect();
        let result = &module.main().results[index];
        let annotation = result.sharding.as_ref();
        let cut = annotation
            .and_then(|annotation| Tiling::of(module, annotation, expected.dims().len(), ours.len()));
        let difference = judge(&ours, &expected, cut.as_ref(), given);
        diagnostics.extend(difference.map(|words| {
            let name = result.attrs.get_str("jax.result_info").filter(|name| !name.is_empty());
            let name = name.map_or(String::new(), |name| format!(" (`{name}`)"));
            Diagnostic::error(DIFFERENT, format!("result {index}{name} differs: {words}"))
                .help(allowed(given))
        }));
    }
    if !diagnostics.is_empty() {
        return Err(Failure::found(diagnostics, None));
    }
    Ok(Report::new(format!("{count} of {count} results agree\n")).with("agree", count).with("of", count))
}

/// What was close enough.
fn allowed(given: Tolerance) -> String {
    let also = "`--tolerance REL`, or `--rtol R --atol A` as in NumPy, allow other differences";
    match given {
        Tolerance::ByType => {
            format!("floats may differ by 2e-5 of the largest expected magnitude (f32); {also}")
        }
        Tolerance::Share(share) => {
            format!("floats may differ by {share:e} of the largest expected magnitude; {also}")
        }
        Tolerance::Elements { relative, absolute } => {
            format!("each number may differ by {absolute:e} + {relative:e} * |expected|; {also}")
        }
    }
}

pub(super) fn shown(args: &RunArgs, results: &Results) -> Report {
    let text = match args.outputs {
        Some(_) => String::new(),
        None => show::results(results, SHOWN),
    };
    let of_device = |results: &Vec<Tensor>| -> Vec<_> {
        let one = |result: &Tensor| {
            let elements: Vec<String> =
                (0..result.len().min(SHOWN)).map(|at| show::element(result, at)).collect();
            json!({ "type": result.ty().to_string(), "elements": result.len(), "first": elements })
        };
        results.iter().map(one).collect()
    };
    Report::new(text).with("devices", results.iter().map(of_device).collect::<Vec<_>>())
}
