//! The commands, one file each. A new command is a file, a variant of [`Command`] and a row here.

mod bench;
pub mod bench_against;
mod bench_collectives;
mod bench_decode;
mod bench_machine;
pub mod bench_step;
mod check;
mod compare_xla;
mod compile;
pub mod complete;
mod convert;
mod data;
mod doctor;
mod draw;
mod eval;
pub mod explain;
mod explain_html;
pub mod explain_why;
mod export;
mod generate;
mod lab;
pub mod partition;
mod passes;
pub mod plan;
mod presets;
mod print;
mod restarts;
pub mod run;
mod schedule;
mod score;
mod train;
mod translate;
pub mod verify;

use crate::args::Command;
use crate::failure::Failure;
use crate::report::Report;
use crate::train_args::DataCommand;

/// Run one command; `json` is whether its result is for programs.
pub fn run(command: &Command, json: bool) -> Result<Report, Failure> {
    match command {
        Command::Check(args) => check::check(args),
        Command::Print(args) => print::print(args),
        Command::Run(args) => run::run(args),
        Command::Complete(args) => complete::complete(args),
        Command::Explain(args) => explain::explain(args, json),
        Command::Draw(command) => draw::draw(command),
        Command::Partition(args) => partition::partition(args),
        Command::Plan(args) => plan::plan(args),
        Command::Compile(args) => compile::compile(args),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Verify(args) => verify::verify(args),
        Command::CompareXla(args) => compare_xla::compare_xla(args),
        Command::Bench(command) => bench::bench(command),
        Command::Train(args) if restarts::is_wanted(args) => restarts::supervise(args),
        Command::Train(args) => train::train(args),
        Command::Presets => presets::presets(),
        Command::Passes => Ok(passes::passes()),
        Command::Schedule(args) => schedule::schedule(args),
        Command::Export(args) => export::export(args),
        Command::Convert(args) => convert::convert(args),
        Command::Eval(args) => eval::eval(args),
        Command::Generate(args) => generate::generate(args),
        Command::Translate(args) => translate::translate(args, json),
        Command::Score(args) => score::score(args),
        Command::Data(DataCommand::Collect(args)) => data::collect(args),
        Command::Campaign(_) | Command::Reproduce(_) | Command::Data(DataCommand::M4(_)) => lab::run_in_lab(),
    }
}
