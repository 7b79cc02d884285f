//! Damaged input files for the real binary, one process each.
//!
//! ```text
//! meshwright-mutants ROOT SEED COUNT BINARY      the first COUNT mutants of a seed
//! meshwright-mutants ROOT SEED FROM..TO BINARY   these again, and their files are kept
//! ```
//! The binary itself makes the files to damage, in `target/mutants/stock`. A mutant is a copy of one input with a file
//! changed, in half of the cases with its lengths and checksums mended. The command that reads it has to end with a
//! diagnostic or a result, within its time and memory. A panic, an abort, a signal and a time-out are findings.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore that reports to the terminal")]

#[path = "mutants/attempt.rs"]
mod attempt;
#[path = "mutants/damage.rs"]
mod damage;
#[path = "mutants/stock.rs"]
mod stock;

use attempt::{Attempt, Ending};
use meshwright_attack::change::Dice;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use stock::{Input, Stock};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [root, seed, which, binary] = &args[..] else {
        eprintln!("usage: meshwright-mutants ROOT SEED COUNT|FROM..TO BINARY");
        return ExitCode::from(2);
    };
    match run(Path::new(root), seed, which, Path::new(binary)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("# mutants: {error}");
            ExitCode::from(2)
        }
    }
}

/// The numbers of mutants, and whether their files are kept in any case.
fn range(which: &str) -> Option<(Range<u64>, bool)> {
    match which.split_once("..") {
        Some((from, to)) => Some((from.parse().ok()?..to.parse().ok()?, true)),
        None => Some((0..which.parse().ok()?, false)),
    }
}

/// Counts of endings by kind of input.
type Counts = BTreeMap<&'static str, BTreeMap<String, u64>>;

fn run(root: &Path, seed: &str, which: &str, binary: &Path) -> io::Result<bool> {
    let usage = |word: &str| io::Error::other(format!("`{word}` is not a number"));
    let seed: u64 = seed.parse().map_err(|_| usage(seed))?;
    let (range, is_kept) = range(which).ok_or_else(|| usage(which))?;
    let place = root.join("target/mutants");
    let stock = Stock::make(root, &place, &fs::canonicalize(binary)?)?;
    let (next, counts, findings) =
        (AtomicU64::new(range.start), Mutex::new(Counts::new()), AtomicU64::new(0));
    let work = |worker: usize| -> io::Result<()> {
        let folder = place.join(format!("work-{worker}"));
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= range.end {
                return Ok(());
            }
            let (input, attempt) = make(&stock, seed, index, &folder)?;
            let ending = attempt.run(&folder)?;
            let mut counts = counts.lock().expect("no worker panics");
            *counts.entry(input.kind).or_default().entry(ending.name()).or_default() += 1;
            if ending.is_finding() {
                findings.fetch_add(1, Ordering::Relaxed);
                let said = Attempt::said(&folder);
                println!("finding {seed} {index}: {}: {}: {ending}: {said}", input.kind, attempt.line());
            }
            if ending.is_finding() || is_kept {
                keep(&folder, &place.join(format!("{seed}-{index}")), &attempt, &ending)?;
            }
        }
    };
    thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(2, |count| count.get());
        let workers: Vec<_> = (0..count).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no worker panics"))
    })?;
    report(&counts.into_inner().expect("no worker panics"));
    let findings = findings.into_inner();
    println!("{} mutants of seed {seed}, {findings} findings", range.end - range.start);
    Ok(findings == 0)
}

/// Makes one mutant in a folder: equal seeds and numbers give equal files and commands.
fn make<'a>(stock: &'a Stock, seed: u64, index: u64, folder: &Path) -> io::Result<(&'a Input, Attempt)> {
    let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index));
    let input = stock.draw(&mut dice);
    let _ = fs::remove_dir_all(folder);
    input.copy_into(folder)?;
    damage::damage(input, folder, &mut dice)?;
    let command = dice.pick(input.commands).copied().unwrap_or("--version");
    Ok((input, Attempt::new(&stock.binary_of(input), command)))
}

/// Keeps the files of a mutant with its command and its output.
fn keep(from: &Path, to: &Path, attempt: &Attempt, ending: &Ending) -> io::Result<()> {
    let _ = fs::remove_dir_all(to);
    stock::copy(from, to)?;
    fs::write(to.join("command.txt"), format!("{}\n{ending}\n", attempt.line()))
}

fn report(counts: &Counts) {
    for (kind, endings) in counts {
        let endings: Vec<String> = endings.iter().map(|(name, count)| format!("{name}: {count}")).collect();
        println!("{kind:<12} {}", endings.join(", "));
    }
}

/// Files of a folder and of those within, by path.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
