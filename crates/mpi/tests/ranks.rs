//! Programs and faults over MPI ranks: this binary starts `mpirun` on itself and judges what the ranks say.
//!
//! As a rank it does what the variable `RANK_DOES` names.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod ranks {
    pub mod faults;
    pub mod same;
}

use std::process::{Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

/// What `mpirun` said, and when it ended.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    pub after: Duration,
}

/// Run this binary on so many ranks.
pub fn mpirun(ranks: usize, does: &str) -> Ended {
    started(ranks, &[], does)
}

/// Run this binary on one rank, and another program on a second.
pub fn mpirun_beside(other: &[&str], does: &str) -> Ended {
    started(1, &[&[":", "-n", "1"], other].concat(), does)
}

fn started(ranks: usize, more: &[&str], does: &str) -> Ended {
    let start = Instant::now();
    let itself = std::env::current_exe().expect("this binary has a path");
    let mut command = Command::new("mpirun");
    // What hangs fails, even where a sanitizer takes its time.
    command.args(["--allow-run-as-root", "--oversubscribe", "--timeout", "600"]);
    // Waiting ranks leave the cores to others.
    command.args(["--mca", "mpi_yield_when_idle", "1", "-n", &ranks.to_string()]);
    command.arg(itself).args(more).env("RANK_DOES", does);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Output { status, stdout, stderr } =
        child.expect("mpirun can be started").wait_with_output().expect("mpirun ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ended { code: status.code(), out: text(stdout), err: text(stderr), after: start.elapsed() }
}

fn main() -> ExitCode {
    if let Ok(does) = std::env::var("RANK_DOES") {
        return match does.as_str() {
            "conformance" => ranks::same::rank(),
            fault => ranks::faults::rank(fault),
        };
    }
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut failed = 0;
    let all = ranks::same::TESTS.iter().chain(ranks::faults::TESTS);
    for (name, test) in all.filter(|(name, _)| only.starts_with('-') || name.contains(&only)) {
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(test);
        let seconds = start.elapsed().as_secs_f64();
        println!("test {name} ... {} ({seconds:.1} s)", if outcome.is_ok() { "ok" } else { "FAILED" });
        failed += usize::from(outcome.is_err());
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
