//! Memory runs out in a small training run, at one allocation after another: the process ends with exit code 3 and says
//! the size, and no checkpoint is lost.
//!
//! A missing allocation ends a process at once, so each is tried in one of its own: this binary starts itself as
//! `meshwright`, with the same allocator above one that has an end.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a test that measures says what it measured")]

use meshwright_cli::allocator::Budgeted;
use meshwright_train::checkpoint::{Checkpoint, newest};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Allocations of this process until one fails; those of a test never do.
static LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

/// The system's memory, which has an end where it is told.
struct Ending;

fn is_out() -> bool {
    LEFT.fetch_sub(1, Ordering::Relaxed) == 1
}

// SAFETY: all is the system's allocator's, or the null that says that there is no memory.
unsafe impl GlobalAlloc for Ending {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is handed on.
        if is_out() { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if is_out() { std::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        if is_out() { std::ptr::null_mut() } else { unsafe { System.realloc(at, layout, size) } }
    }
}

#[global_allocator]
static ALLOCATOR: Budgeted<Ending> = Budgeted(Ending);

/// For a process that is `meshwright`: which of its allocations fails.
const FAILS: &str = "MESHWRIGHT_TEST_ALLOCATION_FAILS";
/// How many of the first allocations are tried, and how many drawn from all, `2000,2000` takes an hour; a third number
/// is of those that were drawn and tried before.
const TRIES: &str = "MESHWRIGHT_TEST_ALLOCATIONS";
const USUAL_TRIES: [u64; 3] = [6, 10, 0];

/// Two steps are done, and two more are wanted.
const STEPS: u64 = 2;

fn main() -> ExitCode {
    if let Some(fails) = std::env::var(FAILS).ok().and_then(|fails| fails.parse().ok()) {
        LEFT.store(fails, Ordering::Relaxed);
        let code = meshwright_cli::main();
        let used = fails - LEFT.swap(u64::MAX, Ordering::Relaxed);
        eprintln!("allocations: {used}");
        return code;
    }
    // As a test binary it may be asked for a list, or for another test.
    if std::env::args().skip(1).any(|arg| arg == "--list") {
        return ExitCode::SUCCESS;
    }
    match no_allocation_that_fails_in_a_run_loses_a_checkpoint() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// `meshwright train` on the last of `args`, with so many allocations.
fn train(args: &[&str], run: &Path, steps: u64, fails: u64) -> io::Result<Output> {
    let steps = format!("train.steps={steps}");
    let sets = ["train.eval_every=0", "checkpoint.every=1", &steps];
    Command::new(std::env::current_exe()?)
        .arg("train")
        .args(args)
        .arg(run)
        .args(sets.iter().flat_map(|set| ["--set", set]))
        .args(["--threads", "1"])
        .env(FAILS, fails.to_string())
        .stdin(Stdio::null())
        .output()
}

fn copied(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let to = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copied(&path, &to)? } else { fs::copy(&path, to).map(drop)? }
    }
    Ok(())
}

/// The step of the newest checkpoint, which is whole.
fn whole(run: &Path) -> Result<u64, String> {
    let of = |error: &dyn std::fmt::Display| format!("{}: {error}", run.display());
    let path = newest(&run.join("checkpoints"), None).map_err(|error| of(&error))?;
    let path = path.ok_or_else(|| of(&"no checkpoint is left"))?;
    let mut checkpoint = Checkpoint::open(&path).map_err(|error| of(&error))?;
    checkpoint.verify().map_err(|error| of(&error))?;
    Ok(checkpoint.state().step)
}

/// Numbers of the allocations that are tried: the first ones, and some drawn from all.
fn tries(all: u64) -> Vec<u64> {
    let said = std::env::var(TRIES).unwrap_or_default();
    let mut numbers = said.split(',').map(|number| number.trim().parse().ok());
    let [first, drawn, before] = USUAL_TRIES.map(|usual| numbers.next().flatten().unwrap_or(usual));
    let mut word = 16u64;
    let draw = |_| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + (word >> 33) % all
    };
    (1..=first).chain((0..before + drawn).map(draw).skip(before as usize)).collect()
}

fn no_allocation_that_fails_in_a_run_loses_a_checkpoint() -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let place = std::env::temp_dir().join(format!("meshwright-allocations-{}", std::process::id()));
    let (begun, run) = (place.join("begun"), place.join("run"));
    fs::create_dir_all(&place).map_err(told)?;
    let small = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../train/tests/small.toml");
    let small = small.display().to_string();
    let first = train(&[&small, "--out"], &begun, STEPS, u64::MAX).map_err(told)?;
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success() && whole(&begun)? == STEPS, "{said}");
    let go_on = |fails: u64| -> Result<Output, String> {
        let _ = fs::remove_dir_all(&run);
        copied(&begun, &run).map_err(told)?;
        train(&["--resume"], &run, 2 * STEPS, fails).map_err(told)
    };
    let all = go_on(u64::MAX)?;
    let said = String::from_utf8_lossy(&all.stderr).into_owned();
    assert!(all.status.success() && whole(&run)? == 2 * STEPS, "{said}");
    let count = said.rsplit("allocations: ").next().and_then(|count| count.trim().parse().ok());
    let count = count.ok_or(said)?;
    let mut outcomes = [0; 3];
    for fails in tries(count) {
        let ended = go_on(fails)?;
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let step = whole(&run).map_err(|lost| format!("allocation {fails}: {lost}\n{said}"))?;
        assert!(step >= STEPS, "allocation {fails}: the newest checkpoint is of step {step}\n{said}");
        let told = said.contains("an allocation of ") && said.contains(" bytes does not fit");
        let outcome = match ended.status.code() {
            // One more or less: threads differ from run to run.
            Some(0) => 0,
            Some(3) if told => 1,
            Some(3) if said.contains("error[") => 2,
            _ => return Err(format!("allocation {fails} of {count}: {}\n{said}", ended.status)),
        };
        outcomes[outcome] += 1;
    }
    fs::remove_dir_all(&place).map_err(told)?;
    let [done, told, errors] = outcomes;
    println!(
        "of {count} allocations failed {told} with their size, {errors} with another error; {done} runs came to their end; 0 lost checkpoints"
    );
    Ok(())
}
