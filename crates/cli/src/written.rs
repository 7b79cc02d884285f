//! What a command was asked to write besides its report, and where: `-` is standard output, which one file may have.
//! The report goes to stderr then.

use crate::args::{BenchCommand, Command, EngineArgs};
use crate::failure::{Failure, Fault};
use crate::input;
use crate::output::is_stdout;
use crate::report::Report;
use crate::train_args::DataCommand;
use meshwright_base::{Code, Diagnostic};
use std::path::Path;

const STDOUT: Code = Code(708);

/// Paths by the arguments that name them.
type Named<'a> = Vec<(&'static str, &'a Path)>;

/// Whether standard output has a file.
pub fn takes_stdout(command: &Command) -> bool {
    files(command).iter().any(|(_, path)| is_stdout(path))
}

/// Refuses `-` for a folder, and for two files.
pub fn check(command: &Command) -> Result<(), Failure> {
    if let Some((name, _)) = folders(command).iter().find(|(_, path)| is_stdout(path)) {
        let message = format!("`{name} -`: `-` is standard output, and `{name}` names a folder");
        return Err(usage(message, "name a folder; `./-` is one that is called so"));
    }
    let named: Vec<&str> =
        files(command).iter().filter(|(_, path)| is_stdout(path)).map(|(name, _)| *name).collect();
    match named[..] {
        [first, second, ..] => {
            let message = format!("`{first} -` and `{second} -`: both would be written to standard output");
            Err(usage(message, "name a file for one of them"))
        }
        _ => Ok(()),
    }
}

/// The report of a module that was asked for: it is the module, or says in which file that is.
pub fn module(report: Report, module: String, output: Option<&Path>) -> Result<Report, Failure> {
    let Some(path) = output else {
        return Ok(Report { text: module.clone(), ..report }.with("text", module));
    };
    input::write_file(path, module.as_bytes())?;
    Ok(report.with("output", path.display().to_string()))
}

fn usage(message: String, help: &str) -> Failure {
    Failure::new(Fault::Usage, Diagnostic::error(STDOUT, message).help(help))
}

fn files(command: &Command) -> Named<'_> {
    match command {
        Command::Partition(args) => named([("-o", &args.output), ("--stats", &args.stats)]),
        Command::Complete(args) => named([("-o", &args.output)]),
        Command::Print(args) => named([("-o", &args.output)]),
        Command::Export(args) => vec![("-o", &args.output)],
        Command::Run(args) => {
            let own = named([("--outputs", &args.outputs), ("--outfeed", &args.outfeed)]);
            [own, trace(&args.engine)].concat()
        }
        Command::Explain(args) => named([("--html", &args.html), ("--model-explorer", &args.model_explorer)]),
        Command::Draw(command) => named([("-o", &command.out().output)]),
        Command::Plan(args) => named([("--timeline", &args.timeline)]),
        Command::Compile(args) => named([("--save", &args.save)]),
        Command::Bench(BenchCommand::Machine(args)) => named([("-o", &args.output)]),
        Command::Bench(BenchCommand::Step(args)) => trace(&args.engine),
        Command::Bench(BenchCommand::Compile(_) | BenchCommand::Decode(_) | BenchCommand::Collectives(_))
        | Command::Check(_)
        | Command::Verify(_)
        | Command::CompareXla(_)
        | Command::Campaign(_)
        | Command::Convert(_)
        | Command::Doctor(_)
        | Command::Presets
        | Command::Passes
        | Command::Schedule(_)
        | Command::Train(_)
        | Command::Eval(_)
        | Command::Generate(_)
        | Command::Translate(_)
        | Command::Score(_)
        | Command::Reproduce(_)
        | Command::Data(DataCommand::Collect(_) | DataCommand::M4(_)) => Vec::new(),
    }
}

fn folders(command: &Command) -> Named<'_> {
    match command {
        Command::Train(args) => named([("--out", &args.out)]),
        Command::Reproduce(args) => named([("--out", &args.out)]),
        Command::Data(DataCommand::Collect(args)) => vec![("--out", &args.out)],
        Command::Data(DataCommand::M4(args)) => {
            [vec![("--out", args.out.as_path())], named([("--from", &args.from)])].concat()
        }
        _ => Vec::new(),
    }
}

fn trace(args: &EngineArgs) -> Named<'_> {
    named([("--trace", &args.trace)])
}

fn named<'a, const N: usize>(paths: [(&'static str, &'a Option<std::path::PathBuf>); N]) -> Named<'a> {
    paths.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?))).collect()
}
