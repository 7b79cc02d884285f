//! What the binary `meshwright` is made of: arguments, commands, reports.
//!
//! A command is a function from its arguments to a [`Report`] or a [`Failure`]; it
//! prints nothing. [`main`] prints, chooses the exit code and turns a panic into a request for a bug report.

pub mod allocator;
pub mod args;
pub mod bytes;
pub mod commands;
pub mod compare;
pub mod decode_args;
pub mod draw_args;
mod dumped;
pub mod engine;
pub mod failure;
pub mod feed;
pub mod grid;
pub mod guard;
pub mod help;
mod html;
pub mod input;
pub mod languages;
mod little_room;
pub mod load;
pub mod located;
pub mod native;
pub mod npz;
pub mod output;
mod overflow;
pub mod place;
pub mod plan_args;
pub mod plugins;
mod pointed;
pub mod preset;
pub mod processes;
pub mod queues;
pub mod read;
pub mod report;
#[doc(hidden)]
pub mod serve;
pub mod show;
pub mod stages;
mod still;
pub mod stored;
pub mod target;
pub mod train_args;
pub mod training;
pub mod units;
pub mod usefulness;
pub mod views;
pub mod watching;
pub mod written;

use args::Command;
use failure::Failure;
use meshwright_base::budget;
use report::Report;
use std::process::ExitCode;

/// Memory besides allocations and deep stacks: the pages of code in use, and tables of the system. Measured: 20 MB for
/// `check`, 29 MB for `train`.
const PROGRAM_BYTES: u64 = 32 << 20;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    main_with(commands::run)
}

/// Runs the command line of this process, with `run` to execute its command.
pub fn main_with(run_command: fn(&Command, bool) -> Result<Report, Failure>) -> ExitCode {
    meshwright_runtime::interrupt::let_large_writes_fail();
    let args = help::parse_args();
    let json = args.json;
    budget::set_limit(args.host_memory_limit.unwrap_or_else(commands::run::memory::half_of_free));
    budget::count_process(PROGRAM_BYTES);
    meshwright_runtime::memory::set_end(allocator::end);
    allocator::tell_programs(json);
    let run = || {
        budget::count_stack();
        overflow::watch();
        engine::select_instructions(args.cpu)?;
        written::check(&args.command)?;
        run_command(&args.command, json)
    };
    guard::end_on_panic(move |failure| drop(failure.print(json)));
    let done = guard::with_deep_stack(run).unwrap_or_else(|ended| {
        if let guard::Ended::NoThread(_) = ended {
            little_room::start_again();
        }
        Err(ended.into())
    });
    let shown = match &done {
        Ok(report) => report.print(json, written::takes_stdout(&args.command)),
        Err(failure) => failure.print(json),
    };
    match (shown, done) {
        (Ok(()), Ok(report)) => ExitCode::from(report.exit),
        (Err(error), Ok(_)) => {
            let failure = input::unwritable("<stdout>", &error);
            let _ = failure.print(false);
            ExitCode::from(failure.exit_code())
        }
        (_, Err(failure)) => ExitCode::from(failure.exit_code()),
    }
}
