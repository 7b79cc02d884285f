//! `verify`: is the partitioned program equal to the original?

mod alone;
mod fewer;
mod inputs;
mod judge;
mod on_engine;
mod scaled;
mod signs;

use crate::args::{self, Compute, VerifyArgs};
use crate::commands::complete::options;
use crate::commands::run::{memory, param_types};
use crate::failure::Failure;
use crate::load::{Loaded, load};
use crate::report::Report;
use crate::stages::Stages;
use crate::views::run_both;
use inputs::Inputs;
use judge::Judge;
use meshwright_base::{Code, Diagnostic};
use meshwright_campaign::global::device_count;
use meshwright_ir::{Module, SpmdModule};
use on_engine::Sides;
use scaled::{Scaled, scaled};
use serde_json::json;

/// Largest difference allowed, relative to a result's largest element, when computing in f64.
const IN_F64: f64 = 1e-9;
/// The same in the module's own types.
const AS_IS: f64 = 1e-3;

/// Said where there is nothing to compare.
const ALONE: &str = "note: on one device, which says little: nothing in the module names more\n   \
                     = help: annotate it, or give `--devices N`\n";

pub fn verify(args: &VerifyArgs) -> Result<Report, Failure> {
    let Loaded { module: given, text } = load(&args.input.file)?;
    let Scaled { module: given, dims, axes } = at_a_size(args, given)?;
    let (module, limit, note) = in_types(given.clone(), types(args))?;
    let mut stages = Stages::new(&args.input.dump)?;
    let compiled = meshwright_compile::partition(module.clone(), &options(&args.input), &mut stages)
        .map_err(|found| Failure::in_text(text, found))?;
    stages.finish()?;
    let inputs = Inputs::of(args, &given, &module)?;
    let mut judge = Judge::new(module.main().results.len(), limit);
    let judged = both(args.backend, &mut judge, &module, &compiled.program, &inputs)?;
    let report = judge.report(&inputs.told())?;
    let alone = if device_count(&compiled.program) == 1 { ALONE } else { "" };
    let report = Report { notes: note + judged + alone + &report.notes, ..report };
    let report = report.with("judged_by_interpreter", args.backend == args::Judge::Interp);
    Ok(if args.scaled { not_at_full_size(report, &dims, &axes) } else { report })
}

/// The module as it was read if it can be run, else with smaller dims if that is asked for.
fn at_a_size(args: &VerifyArgs, given: Module) -> Result<Scaled, Failure> {
    let fits = memory::check(&param_types(&given), 1, memory::limit());
    if !args.scaled {
        let scaled = "verify a smaller module in its place: `--scaled`";
        let whole = Scaled { module: given, dims: Vec::new(), axes: Vec::new() };
        return fits.map(|()| whole).map_err(|mut failure| {
            failure.diagnostics.iter_mut().for_each(|told| told.help = Some(scaled.into()));
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
        (Compute::Auto, args::Judge::Cpu) => Compute::Asis,
        (types, _) => types,
    }
}

/// The module in the types asked for, the difference allowed in these, and what to tell of the choice.
fn in_types(module: Module, types: Compute) -> Result<(Module, f64, String), Failure> {
    if types == Compute::Asis {
        return Ok((module, AS_IS, String::new()));
    }
    match meshwright_ir::retype::widen(&module) {
        Ok(wide) => Ok((wide, IN_F64, String::new())),
        Err(why) if types == Compute::Auto => {
            Ok((module, AS_IS, format!("note: computed in the module's own types, as {why}\n")))
        }
        Err(why) => {
            let message = format!("the module cannot be computed in f64: {why}");
            Err(Failure::input(Diagnostic::error(Code(610), message).help("use `--dtype asis`")))
        }
    }
}

/// Run both sides on all inputs; what to tell of who ran them.
fn both(
    backend: args::Judge,
    judge: &mut Judge,
    module: &Module,
    program: &SpmdModule,
    inputs: &Inputs,
) -> Result<&'static str, Failure> {
    if backend == args::Judge::Interp {
        for seed in inputs.seeds() {
            compare(judge, module, program, inputs, seed).map_err(Failure::input)?;
        }
        return Ok("");
    }
    let sides = Sides::of(module, program)?;
    for seed in inputs.seeds() {
        let made = inputs.made(module, seed, 0).map_err(Failure::input)?;
        let (whole, parts) = sides.run(&made)?;
        whole.iter().zip(&parts).enumerate().for_each(|(at, (a, b))| judge.result(at, a, b));
    }
    Ok(on_engine::NOTE)
}

fn compare(
    judge: &mut Judge,
    module: &Module,
    program: &SpmdModule,
    inputs: &Inputs,
    seed: u64,
) -> Result<(), Diagnostic> {
    let both = run_both(module, program, seed, |view| inputs.made(module, seed, view))?;
    for (whole, parts) in &both.results {
        whole.iter().zip(parts).enumerate().for_each(|(at, (a, b))| judge.result(at, a, b));
    }
    both.outfeeds.iter().for_each(|(whole, parts)| judge.outfeeds(whole, parts));
    Ok(())
}
