//! `meshwright train --restarts N`: the run in processes of its own, begun again on what is left when they are killed.
//!
//! ```text
//! mpirun -n 4 meshwright train ..        a rank is killed
//! mpirun -n 3 meshwright train --resume ..
//! ```
//!
//! What ends by itself stays ended: a run that is done, was asked to stop, or says what is wrong.
//!
//! `mpirun` need not end with its ranks: Open MPI 4.1.4 waits for itself for ever, deaf to SIGTERM, after a rank was
//! killed while it was starting. So the ranks show that they live, and a launcher without any for the deadline is
//! ended.

use super::train::{directory, elastic_help};
use crate::failure::{Failure, Fault};
use crate::report::Report;
use crate::train_args::{TrainArgs, TrainBackend};
use crate::watching::Shown;
use meshwright_base::{Code, Diagnostic};
use meshwright_runtime::interrupt;
use meshwright_train::presence::Presence;
use meshwright_train::run::Watch;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const NOT_STARTED: Code = Code(1153);

/// How often it is looked whether a run has ended.
const LOOK: Duration = Duration::from_millis(20);

/// What a launcher that is asked to end takes at most, unless ranks have less.
const PATIENCE: Duration = Duration::from_secs(5);

/// Exit codes from here on speak of a signal.
const SIGNALS: i32 = 128;

/// SIGINT, SIGUSR1 and SIGTERM end a run as it was asked to.
const ASKED: [i32; 3] = [2, 10, 15];

/// Whether the arguments ask for processes of their own.
pub fn is_wanted(args: &TrainArgs) -> bool {
    !args.print_config && (args.restarts.is_some() || args.ranks.is_some())
}

pub fn supervise(args: &TrainArgs) -> Result<Report, Failure> {
    check(args)?;
    let dir = directory(args)?.root;
    let _listening = interrupt::listen_gently();
    let mut shown = Shown::new(false);
    let (mut ranks, mut left) = (args.ranks, args.restarts.unwrap_or(0));
    loop {
        let (status, is_ended) = match ranks {
            Some(ranks) => over_ranks(args, &dir, ranks, &mut shown)?,
            None => (wait(start(args, &dir, None)?, PATIENCE, || false)?, false),
        };
        let lost = if is_ended { Loss::Process } else { loss(status) };
        if lost == Loss::Nothing || left == 0 || interrupt::wished().is_some() {
            return Ok(Report { exit: exit(status), ..Report::elsewhere() });
        }
        left -= 1;
        ranks = ranks.map(|ranks| if lost == Loss::Process { ranks.saturating_sub(1).max(1) } else { ranks });
        let on = ranks.map_or(String::new(), |ranks| format!(" on {ranks} ranks"));
        shown.note(&format!("the run ended with {status}: it goes on{on}, and {left} more times if need be"));
    }
}

/// Starts so many ranks and waits for their end, and their launcher's: whether that had to be brought about.
fn over_ranks(
    args: &TrainArgs,
    dir: &Path,
    ranks: u32,
    shown: &mut Shown,
) -> Result<(ExitStatus, bool), Failure> {
    let presence = Presence::within(dir).map_err(|error| not_usable(dir, &error))?;
    let deadline = Duration::try_from_secs_f64(args.host.deadline).unwrap_or(Duration::MAX);
    let (mut seen, mut is_ended) = (Instant::now(), false);
    let child = start(args, dir, Some((ranks, &presence)))?;
    let status = wait(child, deadline.min(PATIENCE), || {
        if presence.is_any() {
            seen = Instant::now();
        }
        is_ended = seen.elapsed() > deadline;
        is_ended
    })?;
    if is_ended {
        let seconds = args.host.deadline;
        shown.note(&format!("no rank lived for {seconds} s, and their launcher had not ended: it was ended"));
    }
    let is_silent = !is_ended && interrupt::wished().is_none() && !presence.was_any();
    if is_silent && !status.success() && loss(status) == Loss::Nothing {
        return Err(no_rank(&args.mpirun, status));
    }
    // Ranks whose launcher was killed end a little later: until then they have the directory.
    let ended = Instant::now();
    while presence.is_any() && ended.elapsed() < deadline {
        std::thread::sleep(LOOK);
    }
    Ok((status, is_ended))
}

fn check(args: &TrainArgs) -> Result<(), Failure> {
    let usage = |message: &str, help: &str| {
        let diagnostic = Diagnostic::error(NOT_STARTED, message.to_string()).help(help.to_string());
        Err(Failure::new(Fault::Usage, diagnostic))
    };
    match (args.backend, args.ranks) {
        (TrainBackend::Cpu | TrainBackend::Pjrt, Some(_)) => {
            usage("`--ranks` without `--backend mpi`", "add `--backend mpi`")
        }
        (TrainBackend::Mpi, None) => {
            usage("`--restarts` with `--backend mpi` and no `--ranks`", "say how many ranks it is to start")
        }
        (TrainBackend::Mpi, Some(_)) if !cfg!(feature = "mpi") => Err(crate::engine::no_ranks()),
        _ => Ok(()),
    }
}

/// What is to be made good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loss {
    Nothing,
    /// A process was killed, and what it ran on may be gone.
    Process,
    /// The environment: a rank that did not answer, a file that could not be written.
    Time,
}

fn loss(status: ExitStatus) -> Loss {
    match (status.code(), signal(status)) {
        (Some(code), _) if code == Fault::Environment as i32 => Loss::Time,
        (_, Some(signal)) if !ASKED.contains(&signal) => Loss::Process,
        _ => Loss::Nothing,
    }
}

/// The signal that ended a process, or that `mpirun` says ended one of its own.
fn signal(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Some(signal);
    }
    status.code().filter(|code| *code > SIGNALS).map(|code| code - SIGNALS)
}

/// What this process exits with: by the signal that it was sent itself, if it was.
fn exit(status: ExitStatus) -> u8 {
    let code = signal(status)
        .map_or(status.code().unwrap_or(1), |signal| SIGNALS + interrupt::wished().map_or(signal, i32::from));
    u8::try_from(code).unwrap_or(1)
}

/// The run in a process of its own, or in so many ranks: from its beginning, or from where it is.
fn start(args: &TrainArgs, dir: &Path, ranks: Option<(u32, &Presence)>) -> Result<Child, Failure> {
    let itself = std::env::current_exe().map_err(|error| not_started("this program", &error))?;
    let words: Vec<&str> = args.mpirun.split_whitespace().collect();
    let (name, mut command) = match (ranks, words.as_slice()) {
        (Some((ranks, _)), [name, options @ ..]) => {
            let mut command = Command::new(name);
            command.args(options).args(["-n", &ranks.to_string()]).arg(itself);
            (*name, command)
        }
        _ => ("this program", Command::new(itself)),
    };
    let has_begun = dir.join("config.toml").is_file();
    command.args(child_args(std::env::args_os().skip(1).collect(), has_begun.then_some(dir)));
    if args.resume.is_none() && !has_begun {
        command.arg("--out").arg(dir);
    }
    if ranks.is_some() && !args.elastic {
        command.arg("--elastic");
    }
    if let Some((_, presence)) = ranks {
        command.arg("--alive").arg(presence.path());
    }
    // What the terminal sends comes here alone, and is handed on.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.stdin(Stdio::null()).spawn().map_err(|error| not_started(name, &error))
}

/// The arguments of the run itself; with a directory those that go on with what is there.
fn child_args(all: Vec<OsString>, begun: Option<&Path>) -> Vec<OsString> {
    let mut dropped = vec!["--restarts", "--ranks", "--mpirun"];
    if begun.is_some() {
        dropped.extend(["--resume", "--out", "--init-from"]);
    } else if !all.iter().any(|arg| is_option(arg, "--resume").is_some()) {
        dropped.push("--out");
    }
    let mut kept = Vec::new();
    let mut all = all.into_iter();
    while let Some(arg) = all.next() {
        match dropped.iter().find_map(|name| is_option(&arg, name)) {
            None => kept.push(arg),
            Some(true) => {}
            // Its value is the next one.
            Some(false) => drop(all.next()),
        }
    }
    if let Some(dir) = begun {
        kept.extend(["--resume".into(), dir.into()]);
    }
    kept
}

/// Whether this is the option of that name, and then whether its value is in it.
fn is_option(arg: &OsStr, name: &str) -> Option<bool> {
    let rest = arg.to_str()?.strip_prefix(name)?;
    if rest.is_empty() { Some(false) } else { rest.starts_with('=').then_some(true) }
}

/// Waits for the end, and hands on that it is wished for; brings it about once that `is_due`, by force after the
/// patience.
fn wait(
    mut child: Child,
    patience: Duration,
    mut is_due: impl FnMut() -> bool,
) -> Result<ExitStatus, Failure> {
    let (mut is_told, mut due) = (false, None);
    loop {
        if let Some(status) = child.try_wait().map_err(|error| not_started("the run", &error))? {
            return Ok(status);
        }
        if interrupt::wished().is_some() && !is_told {
            is_told = true;
            // `mpirun` hands this one on to all ranks.
            send("-USR1", &child.id().to_string());
        }
        let signal = match due {
            None => is_due().then_some("-TERM"),
            Some(asked) => (Instant::now().duration_since(asked) > patience).then_some("-KILL"),
        };
        if let Some(signal) = signal {
            due = Some(Instant::now());
            send(signal, &format!("-{}", child.id()));
        }
        std::thread::sleep(LOOK);
    }
}

/// A signal to a process, or by a minus to a group of them. One that has just ended needs no more.
fn send(signal: &str, whom: &str) {
    let _ = Command::new("kill").args([signal, "--", whom]).stderr(Stdio::null()).status();
}

fn not_started(what: &str, error: &std::io::Error) -> Failure {
    let diagnostic =
        Diagnostic::error(NOT_STARTED, format!("`{what}` cannot be run: {error}")).help(elastic_help());
    Failure::new(Fault::Environment, diagnostic)
}

/// The launcher ended by itself, and no rank had begun. It has said why on standard error.
fn no_rank(launcher: &str, status: ExitStatus) -> Failure {
    let diagnostic =
        Diagnostic::error(NOT_STARTED, format!("`{launcher}` ended with {status} and started no rank"))
            .note("what it said itself stands above; Open MPI starts no more ranks than there are cores")
            .help("start fewer, or more to a core by `--mpirun 'mpirun --oversubscribe'`");
    Failure::new(Fault::Environment, diagnostic)
}

fn not_usable(dir: &Path, error: &std::io::Error) -> Failure {
    let message = format!("`{}` cannot be the directory of a run: {error}", dir.display());
    let diagnostic = Diagnostic::error(NOT_STARTED, message)
        .help("make the directory writable, or name another one with `--out`");
    Failure::new(Fault::Environment, diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str, begun: Option<&str>) -> String {
        let all = text.split(' ').map(OsString::from).collect();
        let words = child_args(all, begun.map(Path::new));
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_run_is_begun_and_gone_on_with_by_its_own_arguments() {
        let text =
            "train a.toml --restarts 3 --ranks=4 --out run --init-from b --set x=1 --mpirun mpirun\\ -x";
        let text = text.replace("\\ ", "\u{a0}");
        assert_eq!(args(&text, None), "train a.toml --init-from b --set x=1");
        assert_eq!(args(&text, Some("run")), "train a.toml --set x=1 --resume run");
        let other = "train --resume=a --out b --restarts=1";
        assert_eq!(args(other, None), "train --resume=a --out b");
        assert_eq!(args(other, Some("b")), "train --resume b");
    }

    #[cfg(unix)]
    #[test]
    fn only_what_was_killed_goes_on() {
        use std::os::unix::process::ExitStatusExt;
        let raw = |code: i32| loss(ExitStatus::from_raw(code));
        assert_eq!([9, 137 << 8, 139 << 8].map(raw), [Loss::Process; 3]);
        assert_eq!([3 << 8].map(raw), [Loss::Time]);
        assert_eq!([0, 1 << 8, 2 << 8, 70 << 8, 130 << 8, 138 << 8, 143 << 8].map(raw), [Loss::Nothing; 7]);
    }
}
