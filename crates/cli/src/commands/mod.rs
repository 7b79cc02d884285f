//! The commands, one file each. A new command is a file, a variant of [`Command`] and a row here.

mod check;
mod print;
mod run;

use crate::args::Command;
use crate::failure::Failure;
use crate::report::Report;

/// Run one command.
pub fn run(command: &Command) -> Result<Report, Failure> {
    match command {
        Command::Check(args) => check::check(args),
        Command::Print(args) => print::print(args),
        Command::Run(args) => run::run(args),
    }
}
