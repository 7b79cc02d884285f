//! `complete`: a sharding on every value.

use crate::args::{AnnotatedArgs, CompleteArgs, Format, Free};
use crate::failure::Failure;
use crate::load;
use crate::located::{self, Completed};
use crate::read::read;
use crate::report::{Report, diagnostic_json};
use crate::stages::Stages;
use crate::written;
use meshwright_base::{Diagnostic, SourceText, render};
use meshwright_compile::{Goal, Options};
pub use meshwright_complete::without_scalar_shardings;
use meshwright_cost::{Machine, Target};
use meshwright_ir::Module;
use meshwright_text::stablehlo::{GroupForm, PrintOptions};
use serde_json::Value;

pub fn complete(args: &CompleteArgs) -> Result<Report, Failure> {
    let text = load::text(&args.input.file)?;
    let mut stages = Stages::new(&args.input.dump)?;
    let Completed { sharded, report, .. } = located::complete(&text, &options(&args.input), &mut stages)?;
    let dumped = stages.finish()?;
    let module = write(&without_scalar_shardings(sharded.into_module()), args.format, &text);
    let counts = format!(
        "given {}, inferred {}, replicated {} (tensors of rank 1 and more)\n",
        report.given, report.inferred, report.replicated
    );
    let conflicts: Vec<Value> =
        report.conflicts.iter().map(|conflict| diagnostic_json(conflict, Some(&text))).collect();
    let told = Report { notes: dumped + &notes(&report.conflicts, &text), ..Report::default() }
        .with("given", report.given)
        .with("inferred", report.inferred)
        .with("replicated", report.replicated)
        .with("sweeps", report.sweeps)
        .with("conflicts", conflicts);
    let told = written::module(told, module, args.output.as_deref())?;
    let is_counted = args.stats || args.output.is_some();
    Ok(Report { text: if is_counted { counts } else { told.text }, ..told })
}

/// Compile options from the arguments that say what a module leaves open.
pub fn options(args: &AnnotatedArgs) -> Options {
    let free = |free: &Option<Free>| match free {
        None => meshwright_complete::Free::AsModule,
        Some(Free::All) => meshwright_complete::Free::All,
        Some(Free::None) => meshwright_complete::Free::None,
        Some(Free::Only(numbers)) => meshwright_complete::Free::Only(numbers.clone()),
    };
    let complete = meshwright_complete::Options {
        devices: args.devices.map(i64::from),
        propagate_to_parameters: free(&args.propagate_to_parameters),
        propagate_to_results: free(&args.propagate_to_outputs),
    };
    let goal = args.least.goal();
    let mut partition = meshwright_spmd::Options { goal, ..meshwright_spmd::Options::default() };
    partition.machine.loops_from = args.loops_from.unwrap_or(partition.machine.loops_from);
    let (priorities_alone, verify_each) = (args.no_cost_completion, args.dump.verify_each);
    Options { complete, priorities_alone, verify_each, partition, ..Options::default() }
}

/// The same for a machine, if one is named: then memory is spared that costs it little time, unless a user says what it
/// may be.
pub fn options_on(
    args: &AnnotatedArgs,
    target: Option<&Target>,
    module: &Module,
) -> Result<Options, Failure> {
    let mut options = options(args);
    if let Some(target) = target {
        let devices = args.devices.map_or_else(|| load::stated_devices(module), i64::from);
        let machine = target.machine(devices).map_err(Failure::input)?;
        let loops_from = args.loops_from.unwrap_or(machine.loops_from);
        // Devices that share this machine's cores take turns, and its memory.
        options.spares_memory = machine.workers.is_none() && options.partition.goal == Goal::Bytes;
        options.partition.machine = Machine { loops_from, ..machine };
    }
    Ok(options)
}

/// The same of a module that was not read yet.
pub fn options_for(
    args: &AnnotatedArgs,
    target: Option<&Target>,
    text: &SourceText,
) -> Result<Options, Failure> {
    if target.is_none() {
        return Ok(options(args));
    }
    let module = read(text).map_err(|found| Failure::in_text(text.clone(), found))?;
    options_on(args, target, &module)
}

/// A module in the format asked for, else in that of the input.
pub fn write(module: &Module, format: Option<Format>, input: &SourceText) -> String {
    write_grouped(module, format, input, GroupForm::Axes)
}

/// The same with its groups in a form: of StableHLO text, the only one that has two.
pub fn write_grouped(
    module: &Module,
    format: Option<Format>,
    input: &SourceText,
    groups: GroupForm,
) -> String {
    let same = match meshwright_text::recognize(input) {
        meshwright_text::Format::Hlo => Format::Hlo,
        meshwright_text::Format::Stablehlo => Format::Stablehlo,
    };
    match format.unwrap_or(same) {
        Format::Stablehlo => {
            let options = PrintOptions { groups, ..PrintOptions::default() };
            meshwright_text::stablehlo::print_with(module, &options)
        }
        Format::Hlo => meshwright_text::hlo::print(module),
    }
}

fn notes(diagnostics: &[Diagnostic], text: &SourceText) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, Some(text))).collect()
}
