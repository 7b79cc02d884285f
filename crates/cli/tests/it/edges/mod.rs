//! Every command that reads a program, on modules at the edge of the language: no panic, no bug reported, no run that
//! takes long. A refusal says why.

mod modules;

use clap::Parser;
use meshwright_base::budget;
use meshwright_cli::args::Args;
use meshwright_cli::commands;
use meshwright_cli::failure::{Failure, Fault};
use meshwright_cli::report::Report;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Command lines. `IN` is the module, `OUT` a file to write.
const COMMANDS: [&str; 29] = [
    "check IN",
    "print IN -o OUT",
    "print IN -o OUT --generic",
    "print IN -o OUT --locations",
    "print IN -o OUT --format hlo",
    "print IN -o OUT --format stablehlo",
    "complete IN -o OUT",
    "complete IN --summary",
    "complete IN -o OUT --devices 1",
    "complete IN -o OUT --devices 8 --format hlo",
    "complete IN -o OUT --least seconds",
    "explain IN",
    "explain IN --html OUT",
    "explain IN --model-explorer OUT",
    "explain IN --why %a --full",
    "explain IN --why-not %a=[_]",
    "explain IN --tiles %a",
    "explain IN --diff IN",
    "partition IN -o OUT --stats OUT.stats",
    "partition IN -o OUT --style embedded",
    "partition IN -o OUT --stop-after plan --devices 2",
    "partition IN -o OUT --format hlo --memory-limit 1GB",
    "verify IN",
    "verify IN --backend cpu --devices 2",
    "run IN",
    "run IN --backend cpu --threads 1 --outputs OUT --check-nans",
    "plan IN --target h100:1x1 --timeline OUT",
    "bench compile IN --repeat 1",
    "draw tensor IN %a -o OUT",
];

/// The longest run of one command: a hundred times the slowest.
const LONGEST: Duration = Duration::from_secs(30);

/// Room for nested input, as the binary gives it.
const STACK: usize = 1 << 29;

/// The memory limit of a run.
const MEMORY: u64 = 8 << 30;

#[test]
fn every_command_ends_well_on_every_edge_module() {
    budget::set_limit(MEMORY);
    let folder = std::env::temp_dir().join(format!("meshwright-edges-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let modules = modules::all();
    assert!(modules.len() >= 200, "{}", modules.len());
    let (next, results) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let only = std::env::var("EDGE").ok();
    let work = || {
        let mut wrong = Vec::new();
        while let Some((name, text)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
            if only.as_ref().is_some_and(|only| !name.contains(only)) {
                continue;
            }
            let end = if text.starts_with("HloModule") { "hlo" } else { "mlir" };
            let path = folder.join(format!("{name}.{end}"));
            std::fs::write(&path, text).expect("a file");
            for command in COMMANDS {
                match run(command, &path) {
                    Ok(is_result) => drop(results.fetch_add(usize::from(is_result), Ordering::Relaxed)),
                    Err(why) => wrong.push(format!("{name}: {command}: {why}")),
                }
            }
        }
        wrong
    };
    let wrong: Vec<String> = thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(2, |count| count.get().min(4));
        let worker =
            |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
        let workers: Vec<_> = (0..count).map(worker).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("runs are caught")).collect()
    });
    assert!(wrong.is_empty(), "{} runs of {}:\n{}", wrong.len(), modules.len(), wrong.join("\n"));
    let results = results.into_inner();
    assert!(only.is_some() || results > modules.len() * COMMANDS.len() / 2, "only {results} results");
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

/// Runs one command line; whether it had a result.
fn run(command: &str, path: &Path) -> Result<bool, String> {
    let (input, output) = (path.display().to_string(), PathBuf::from(path).with_extension("out"));
    let output = output.display().to_string();
    let words = command.split(' ').map(|word| match word {
        "IN" => input.clone(),
        word => word.replace("OUT", &output),
    });
    let args = Args::try_parse_from(std::iter::once("meshwright".to_string()).chain(words));
    let args = args.map_err(|error| format!("its arguments are refused: {error}"))?;
    let begun = Instant::now();
    let done = catch_unwind(AssertUnwindSafe(|| commands::run(&args.command, false)));
    let took = begun.elapsed();
    if took > LONGEST {
        return Err(format!("it takes {took:?}"));
    }
    match done {
        Ok(done) => judge(done),
        Err(_) => Err("it panics".into()),
    }
}

fn judge(done: Result<Report, Failure>) -> Result<bool, String> {
    let failure = match done {
        Ok(_) => return Ok(true),
        Err(failure) => failure,
    };
    let text = failure.to_text();
    if failure.fault == Fault::Bug || failure.exit_code() == Fault::Bug as u8 {
        return Err(format!("it reports a bug: {text}"));
    }
    let is_told = failure.diagnostics.iter().any(|found| found.is_error() && !found.message.is_empty());
    if is_told { Ok(false) } else { Err(format!("a refusal without an error: {text}")) }
}
