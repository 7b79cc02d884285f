//! Runs that are ended from outside: by a kill at any moment, by Ctrl-C, by a full disk.
#![cfg(unix)]

use crate::train::support::{command, good, losses, meshwright, place};
use meshwright_base::random::Random;
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
    if place.join("killed/config.toml").is_file() {
        ["train", "small.toml", "--resume", "killed"]
    } else {
        ["train", "small.toml", "--out", "killed"]
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
    let before = losses(&place.join("killed")).len();
    let code = if before < 60 { 130 } else { 0 };
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    if before < 60 {
        assert!(said.contains("on request") && said.contains("--resume killed"), "{said}");
        good(&place, &["train", "--resume", "killed"]);
    }
    assert_eq!(losses(&place.join("killed")), losses(&place.join("peace")));
}

/// Two that read and one that wants to train too, again and again, beside a run that saves at every step.
#[test]
fn who_reads_beside_a_live_run_harms_nothing_and_who_writes_is_refused() {
    let place = place("live");
    good(&place, &["train", "small.toml", "--out", "peace"]);
    let every = ["--set", "checkpoint.every=1", "--set", "checkpoint.keep=1"];
    let mut run = command(&place, &[&["train", "small.toml", "--out", "live"], &every[..]].concat());
    let mut run = run.spawn().unwrap();
    while run.try_wait().unwrap().is_none() && losses(&place.join("live")).is_empty() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let all = losses(&place.join("peace")).len();
    let (mut read, mut refused) = (0, 0);
    while run.try_wait().unwrap().is_none() {
        let readers = [&["generate", "live", "--prompt", "drei", "--tokens", "1"][..], &["eval", "live"]];
        let readers: Vec<_> = readers.iter().map(|args| command(&place, args).spawn().unwrap()).collect();
        for args in [&["train", "small.toml", "--out", "live"][..], &["train", "--resume", "live"]] {
            let output = meshwright(&place, args);
            let said = String::from_utf8_lossy(&output.stderr);
            let is_refused = said.contains("error[E1205]: `live") && said.contains("is in use by process");
            // A run that has done all its steps lets go of its folder a moment before its process ends.
            assert!(is_refused || losses(&place.join("live")).len() == all, "{said}");
            refused += usize::from(is_refused);
        }
        for reader in readers {
            let output = reader.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            // Before the first checkpoint there is nothing to read.
            assert!(output.status.success() || said.contains("has no checkpoint yet"), "{said}");
            read += usize::from(output.status.success());
        }
    }
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(read > 0 && refused > 0, "{read} {refused}");
    check_checkpoints(&place.join("live"));
    assert_eq!(losses(&place.join("live")), losses(&place.join("peace")));
}

/// Processes that were started by another, on Linux.
pub fn children(of: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

#[test]
fn a_run_that_is_killed_goes_on_by_itself() {
    let place = place("restarts");
    good(&place, &["train", "small.toml", "--out", "peace"]);
    let child = command(&place, &["train", "small.toml", "--out", "run", "--restarts", "1"]).spawn().unwrap();
    let begun = Instant::now();
    while losses(&place.join("run")).len() < 7 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let run = children(child.id()).into_iter().next().unwrap().to_string();
    Command::new("kill").args(["-KILL", &run]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("it goes on, and 0 more times"), "{told}");
    assert_eq!(losses(&place.join("run")), losses(&place.join("peace")));
}

#[test]
fn a_run_that_was_killed_before_its_report_gets_it() {
    let place = place("report");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    let report = place.join("run/report.md");
    std::fs::remove_file(&report).unwrap();
    good(&place, &["train", "--resume", "run"]);
    assert!(report.is_file());
    assert_eq!(losses(&place.join("run")).len(), 5);
}

#[test]
fn broken_lines_of_metrics_are_lost_alone() {
    let place = place("lines");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    let path = place.join("run/metrics.jsonl");
    let text = std::fs::read(&path).unwrap();
    let at = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    std::fs::write(&path, [&text[..at], b"\xFF\0{\n", &text[at..]].concat()).unwrap();
    good(&place, &["train", "--resume", "run", "--steps", "6"]);
    let steps: Vec<u64> = losses(&place.join("run")).into_iter().map(|(step, _)| step).collect();
    assert_eq!(steps, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_full_disk_ends_the_run_and_older_checkpoints_stay() {
    let place = place("full");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    // Files of 8 blocks at most: metrics fit, a checkpoint does not.
    let binary = env!("CARGO_BIN_EXE_meshwright");
    let full = |command: &str| {
        let script = format!("ulimit -f 32; exec \"$0\" {command}");
        let output = Command::new("sh").args(["-c", &script, binary]).current_dir(&place).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        said
    };
    // The limit's signal would end a process where it stands.
    let said = full("export run -o weights.safetensors");
    assert!(said.contains("error[E1203]") && said.contains("File too large"), "{said}");
    let mut there: Vec<_> =
        std::fs::read_dir(&place).unwrap().flatten().map(|entry| entry.file_name()).collect();
    there.sort();
    assert_eq!(there, ["run", "small.toml"], "no half of a file is left");
    let said = full("train small.toml --resume run");
    assert!(said.contains("error[E1203]") && said.contains("older checkpoints are as they were"), "{said}");
    let left: Vec<_> = std::fs::read_dir(place.join("run/checkpoints")).unwrap().flatten().collect();
    assert_eq!(left.iter().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["step-00000005"]);
    let output = meshwright(&place, &["train", "small.toml", "--resume", "run"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
