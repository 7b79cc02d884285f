//! The binary `meshwright-lab`: commands for developing Meshwright and checking its results.
//!
//! It takes the arguments of `meshwright` and runs all of its commands. Three commands run only here, so that a first
//! build of `meshwright` does not compile them: random programs ([`campaign`]), tables and studies of the papers
//! ([`reproduce`]), and the translation corpus ([`data_m4`]).

#![forbid(unsafe_code)]

mod campaign;
pub mod corpus;
mod data_m4;
pub mod papers;
mod reproduce;
pub mod studies;

use meshwright_cli::args::Command;
use meshwright_cli::failure::Failure;
use meshwright_cli::report::Report;
use meshwright_cli::train_args::DataCommand;
use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    meshwright_cli::main_with(run)
}

fn run(command: &Command, json: bool) -> Result<Report, Failure> {
    match command {
        Command::Campaign(args) => campaign::campaign(args),
        Command::Reproduce(args) => reproduce::reproduce(args),
        Command::Data(DataCommand::M4(args)) => data_m4::m4(args),
        other => meshwright_cli::commands::run(other, json),
    }
}
