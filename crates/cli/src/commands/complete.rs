//! `complete`: a sharding on every value.

use crate::args::{AnnotatedArgs, CompleteArgs, Format, Free};
use crate::failure::Failure;
use crate::load::{Loaded, load};
use crate::report::Report;
use meshwright_compile::{Options, Unobserved};
use meshwright_ground::{Diagnostic, SourceText, render};
use meshwright_ir::Module;

pub fn complete(args: &CompleteArgs) -> Result<Report, Failure> {
    let Loaded { module, text } = load(&args.input.file)?;
    let completed = meshwright_compile::complete(module, &options(&args.input), &mut Unobserved);
    let (sharded, report) = completed.map_err(|found| Failure::in_text(text.clone(), found))?;
    let written = write(sharded.module(), args.format, &text);
    let counts = format!(
        "given {}, inferred {}, replicated {} (tensors of rank 1 and more)\n",
        report.given, report.inferred, report.replicated
    );
    let shown = if args.stats { counts + &notes(&report.conflicts) } else { written.clone() };
    Ok(Report::new(shown)
        .with("given", report.given)
        .with("inferred", report.inferred)
        .with("replicated", report.replicated)
        .with("sweeps", report.sweeps)
        .with("conflicts", report.conflicts.len())
        .with("text", written))
}

/// Compile options from the arguments that say what a module leaves open.
pub fn options(args: &AnnotatedArgs) -> Options {
    let free = |free: Option<Free>| match free {
        None => meshwright_complete::Free::AsModule,
        Some(Free::All) => meshwright_complete::Free::All,
        Some(Free::None) => meshwright_complete::Free::None,
    };
    let complete = meshwright_complete::Options {
        devices: args.devices.map(i64::from),
        propagate_to_parameters: free(args.propagate_to_parameters),
        propagate_to_results: free(args.propagate_to_outputs),
    };
    Options { complete, ..Options::default() }
}

/// A module in the format asked for, else in that of the input.
pub fn write(module: &Module, format: Option<Format>, input: &SourceText) -> String {
    let same = match meshwright_text::recognize(input) {
        meshwright_text::Format::Hlo => Format::Hlo,
        meshwright_text::Format::Stablehlo => Format::Stablehlo,
    };
    match format.unwrap_or(same) {
        Format::Stablehlo => meshwright_text::stablehlo::print(module),
        Format::Hlo => meshwright_text::hlo::print(module),
    }
}

fn notes(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(diagnostic, None)).collect()
}
