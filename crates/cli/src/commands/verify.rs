//! `verify`: is the partitioned program equal to the original?

mod alone;
mod fewer;
mod inputs;
mod judge;
mod on_engine;
mod sampled;
mod scaled;
mod signs;

use crate::args::{self, Compute, VerifyArgs};
use crate::commands::check::mesh_text;
use crate::commands::complete::options;
use crate::commands::run::{memory, param_types};
use crate::engine::{failed, on_plugin, to_host};
use crate::failure::{Failure, Fault};
use crate::load::{Loaded, PARTITIONED, load_located, partitioned_already};
use crate::plugins;
use crate::processes::{APART, ProcessArgs};
use crate::report::Report;
use crate::stages::Stages;
use crate::views::{Both, run_both};
use inputs::Inputs;
use judge::Judge;
use meshwright_base::{Ask, Caller, Code, Diagnostic};
use meshwright_interp::global::device_count;
use meshwright_ir::retype::Narrow;
use meshwright_ir::{Module, SpmdModule};
use on_engine::Sides;
use sampled::Sampled;
use scaled::{Scaled, scaled};
use serde_json::json;

/// Largest difference allowed, relative to a result's largest element, when computing in f64.
const IN_F64: f64 = 1e-9;
/// The same in the module's own types.
const AS_IS: f64 = 1e-3;

/// Said where there is nothing to compare.
fn alone() -> String {
    format!(
        "note: on one device, which says little: no mesh in the module has more than one device\n   \
         = help: annotate it for a mesh of several (`sdy.mesh @m = <[\"x\"=2]>`), or give `{}`\n",
        Ask::Option("devices", "N")
    )
}

pub fn verify(args: &VerifyArgs) -> Result<Report, Failure> {
    match args.backend {
        args::Judge::Pjrt => alone_on_plugin()?,
        args::Judge::Interp | args::Judge::Cpu => plugins::unused(&args.plugin, None, None)?,
    }
    verify_loaded(args, load_located(&args.input.file)?)
}

/// The same of a module in memory.
pub fn verify_loaded(args: &VerifyArgs, loaded: Loaded) -> Result<Report, Failure> {
    let Loaded { module: given, text } = loaded;
    not_partitioned(&given)?;
    let Scaled { module: given, dims, axes } = at_a_size(args, given)?;
    let Typed { module, limit, is_wide, note } = in_types(given.clone(), types(args))?;
    let mut stages = Stages::new(&args.input.dump)?;
    let compiled = meshwright_compile::partition(module.clone(), &options(&args.input), &mut stages)
        .map_err(|found| Failure::in_text(text, found))?;
    if args.backend != args::Judge::Interp {
        let (local, devices) = (compiled.program.module(), device_count(&compiled.program));
        stages.write_steps(local, devices).map_err(|error| failed(&error))?;
    }
    let dumped = stages.finish()?;
    let inputs = Inputs::of(args, &given, &module)?;
    let mut judge = Judge::new(module.main().results.len(), limit);
    let (judged, sampled) = both(args, &mut judge, &module, &compiled.program, &inputs)?;
    let devices = device_count(&compiled.program);
    let meshes = meshes(compiled.program.module());
    let report = judge.report(&on_devices(devices, &meshes), &inputs.told())?;
    let alone = if devices == 1 { alone() } else { String::new() };
    let notes = dumped + &note + &judged + &alone + &report.notes;
    let report = inputs
        .tell(report)
        .with("devices", devices)
        .with("meshes", meshes)
        .with("dtype", if is_wide { "f64" } else { "asis" })
        .with("judged_by_interpreter", args.backend == args::Judge::Interp)
        .with("judged_elements", sampled.as_ref().map(|sampled| sampled.elements))
        .with("judged_instructions", sampled.as_ref().map(|sampled| sampled.instructions))
        .with("notes", notes.lines().map(str::trim).collect::<Vec<_>>());
    let report = Report { notes, ..report };
    Ok(if args.scaled { not_at_full_size(report, &dims, &axes) } else { report })
}

/// Both programs run on devices of one process: of several, each would have but its share.
fn alone_on_plugin() -> Result<(), Failure> {
    let Some(job) = ProcessArgs::default().job(0.0)? else { return Ok(()) };
    let message = format!("this is process {} of {}, and one compares", job.process, job.processes);
    let help = "unset $JAX_COORDINATOR_ADDRESS to verify on the devices of this process; over all processes, \
                `meshwright run --backend pjrt --expect` compares with results that were stored";
    Err(Failure::new(Fault::Usage, Diagnostic::error(APART, message).help(help)))
}

/// A program of one device's pieces has no global arrays to compare.
fn not_partitioned(module: &Module) -> Result<(), Failure> {
    let Some((message, place)) = partitioned_already(module) else { return Ok(()) };
    let help = match Caller::here() {
        Caller::CommandLine => {
            "verify the module that it was made from, before it was partitioned; `meshwright run` runs this one"
        }
        Caller::Python => "verify the module that it was made from, before it was partitioned",
    };
    Err(Failure::input(Diagnostic::error(PARTITIONED, message).at_place(place).help(help)))
}

/// Meshes of several devices, as they are written.
fn meshes(module: &Module) -> Vec<String> {
    module.meshes.values().filter(|mesh| mesh.device_count() > 1).map(mesh_text).collect()
}

fn on_devices(devices: usize, meshes: &[String]) -> String {
    match (devices, meshes) {
        (1, _) => "on 1 device".to_string(),
        (_, []) => format!("on {devices} devices"),
        _ => format!("on {devices} devices: {}", meshes.join(", ")),
    }
}

/// The module as it was read if it can be run, else with smaller dims if that is asked for.
fn at_a_size(args: &VerifyArgs, given: Module) -> Result<Scaled, Failure> {
    let fits = memory::check(&param_types(&given), 1, memory::limit());
    if !args.scaled {
        let scaled = format!("verify a smaller module in its place: `{}`", Ask::Flag("scaled"));
        let whole = Scaled { module: given, dims: Vec::new(), axes: Vec::new() };
        return fits.map(|()| whole).map_err(|mut failure| {
            failure.diagnostics.iter_mut().for_each(|told| told.help = Some(scaled.clone()));
            failure
        });
    }
    scaled(&given)
}

fn not_at_full_size(report: Report, dims: &[(i64, i64)], axes: &[(String, i64, i64)]) -> Report {
    let told: Vec<String> = dims.iter().map(|(full, small)| format!("{full} as {small}")).collect();
    let text = if told.is_empty() {
        "at full size: it is small enough\n".to_string()
    } else {
        format!("not at full size: dims of {}\n", told.join(", "))
    };
    let meshes: Vec<String> =
        axes.iter().map(|(name, full, small)| format!("\"{name}\"={full} as {small}")).collect();
    let meshes =
        if meshes.is_empty() { String::new() } else { format!("on a smaller mesh: {}\n", meshes.join(", ")) };
    let json: Vec<_> = dims.iter().map(|(full, small)| json!({ "full": full, "verified": small })).collect();
    let of_axes =
        |(name, full, small): &(String, i64, i64)| json!({ "axis": name, "full": full, "verified": small });
    let of_axes: Vec<_> = axes.iter().map(of_axes).collect();
    let report = Report { text: report.text.clone() + &text + &meshes, ..report };
    report.with("full_size", dims.is_empty()).with("scaled_dims", json).with("scaled_axes", of_axes)
}

/// Where nothing is asked for, the engine takes a module as it is: some ops have no kernels in f64.
fn types(args: &VerifyArgs) -> Compute {
    match (args.dtype, args.backend) {
        (Compute::Auto, args::Judge::Cpu | args::Judge::Pjrt) => Compute::Asis,
        (types, _) => types,
    }
}

/// The module in the types asked for.
struct Typed {
    module: Module,
    /// The difference that is allowed in these types.
    limit: f64,
    is_wide: bool,
    /// What to tell of the choice.
    note: String,
}

fn in_types(module: Module, types: Compute) -> Result<Typed, Failure> {
    let as_is = |module, note| Typed { module, limit: AS_IS, is_wide: false, note };
    if types == Compute::Asis {
        return Ok(as_is(module, String::new()));
    }
    match meshwright_ir::retype::widen(&module) {
        Ok(module) => Ok(Typed { module, limit: IN_F64, is_wide: true, note: String::new() }),
        Err(Narrow { why, .. }) if types == Compute::Auto => {
            Ok(as_is(module, format!("note: computed in the module's own types, as {why}\n")))
        }
        Err(Narrow { why, place }) => {
            let message = format!("the module cannot be computed in f64: {why}");
            let told = Diagnostic::error(Code(610), message).at_place(place);
            Err(Failure::input(
                told.help(format!("use `{}`, which allows differences of 1e-3", Ask::Text("dtype", "asis"))),
            ))
        }
    }
}

/// Run both sides on all inputs; what to tell of who ran them, and what was judged of single instructions.
fn both(
    args: &VerifyArgs,
    judge: &mut Judge,
    module: &Module,
    program: &SpmdModule,
    inputs: &Inputs,
) -> Result<(String, Option<Sampled>), Failure> {
    let made = |seed, view| inputs.made(module, seed, view);
    match args.backend {
        args::Judge::Interp => {
            let run = |seed| run_both(module, program, seed, |view| made(seed, view));
            inputs
                .seeds()
                .try_for_each(|seed| run(seed).map(|both| compare(judge, &both)))
                .map_err(Failure::input)?;
            Ok((String::new(), None))
        }
        args::Judge::Cpu | args::Judge::Pjrt => {
            let plugin = (args.backend == args::Judge::Pjrt)
                .then(|| on_plugin(&args.plugin, None, device_count(program)));
            let sides = Sides::of(module, program, args.input.dump.verify_each, plugin.transpose()?)?;
            let mut told = (String::new(), None);
            for (at, seed) in inputs.seeds().enumerate() {
                let arrays: Vec<_> = made(seed, 0).map_err(Failure::input)?.iter().map(to_host).collect();
                let ran = sides.run(&arrays, seed)?;
                let pairs = ran.whole.iter().zip(&ran.parts).enumerate();
                pairs.for_each(|(at, (whole, parts))| judge.arrays(at, whole, parts));
                ran.outfeeds.iter().for_each(|(a, b)| judge.outfeeds(a, b));
                if at == 0 {
                    told = sides.sampled(&arrays, &ran.whole, judge.limit(), seed)?;
                }
            }
            Ok((sides.note().to_string() + &told.0, told.1))
        }
    }
}

fn compare(judge: &mut Judge, both: &Both) {
    for (whole, parts) in &both.results {
        whole.iter().zip(parts).enumerate().for_each(|(at, (a, b))| judge.result(at, a, b));
    }
    both.outfeeds.iter().for_each(|(whole, parts)| judge.outfeeds(whole, parts));
}
