//! Runs that are ended from outside: by a kill at any moment, by Ctrl-C, by a full disk.
#![cfg(unix)]

use crate::support::{command, good, losses, meshwright, place};
use meshwright_train::random::Random;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Kills a run at random moments, so often, and lets it come to its end: every step has the loss of a run in peace.
fn killed(times: usize, name: &str) {
    let place = place(name);
    let begun = Instant::now();
    good(&place, &["train", "small.toml", "--out", "peace"]);
    let whole = begun.elapsed();
    let mut random = Random::new(times as u64, 0);
    for _ in 0..times {
        let mut child = command(&place, &next(&place)).spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * (0.05 + 0.7 * random.unit())));
        let _ = child.kill();
        child.wait().unwrap();
        check_checkpoints(&place.join("killed"));
        if losses(&place.join("killed")).len() == 60 {
            // It was done before the kill: once more from its first step.
            std::fs::remove_dir_all(place.join("killed")).unwrap();
        }
    }
    good(&place, &next(&place));
    assert_eq!(losses(&place.join("killed")), losses(&place.join("peace")));
}

/// Begin, or go on with what there is.
fn next(place: &Path) -> [&'static str; 4] {
    match place.join("killed/config.toml").is_file() {
        true => ["train", "small.toml", "--resume", "killed"],
        false => ["train", "small.toml", "--out", "killed"],
    }
}

/// Every checkpoint that can be seen is whole.
pub fn check_checkpoints(run: &Path) {
    for entry in std::fs::read_dir(run.join("checkpoints")).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("step-") {
            let mut checkpoint = meshwright_train::checkpoint::Checkpoint::open(&entry.path()).unwrap();
            checkpoint.verify().unwrap();
        }
    }
}

#[test]
fn a_run_killed_twenty_times_goes_on_to_the_same_losses() {
    killed(20, "killed");
}

#[test]
fn an_interrupted_run_saves_and_goes_on() {
    let place = place("interrupted");
    good(&place, &["train", "small.toml", "--out", "peace"]);
    let child = command(&place, &["train", "small.toml", "--out", "killed"]).spawn().unwrap();
    let begun = Instant::now();
    while losses(&place.join("killed")).len() < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let before = losses(&place.join("killed")).len();
    if before < 60 {
        assert!(said.contains("as asked") && said.contains("--resume killed"), "{said}");
        good(&place, &["train", "--resume", "killed"]);
    }
    assert_eq!(losses(&place.join("killed")), losses(&place.join("peace")));
}

#[test]
fn a_full_disk_ends_the_run_and_older_checkpoints_stay() {
    let place = place("full");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    // Files of 8 blocks at most: metrics fit, a checkpoint does not.
    let binary = env!("CARGO_BIN_EXE_meshwright");
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" train small.toml --resume run";
    let output = Command::new("sh").args(["-c", script, binary]).current_dir(&place).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("error[E1203]") && said.contains("older checkpoints are as they were"), "{said}");
    let left: Vec<_> = std::fs::read_dir(place.join("run/checkpoints")).unwrap().flatten().collect();
    assert_eq!(left.iter().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["step-00000005"]);
    let output = meshwright(&place, &["train", "small.toml", "--resume", "run"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
