//! The same run over two processes.
#![cfg(feature = "mpi")]

use crate::support::{CONFIG, good, losses, place};
use std::path::Path;
use std::process::{Command, Stdio};

fn over_ranks(place: &Path, args: &[&str]) {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", "2", "--mca", "mpi_yield_when_idle", "1"]);
    command.arg(env!("CARGO_BIN_EXE_meshwright")).args(args).args(["--backend", "mpi"]);
    let output = command.current_dir(place).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Relative difference of two numbers as they were written.
fn apart(a: &str, b: &str) -> f64 {
    let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
    (a - b).abs() / b.abs()
}

#[test]
fn two_ranks_learn_what_one_process_does() {
    let place = place("ranks");
    let text = CONFIG.replace("[model]", "[model]\ndtype = \"f64\"").replace("steps = 60", "steps = 50");
    std::fs::write(place.join("wide.toml"), text).unwrap();
    let mesh = ["--mesh", "data=2,expert=2"];
    good(&place, &["train", "wide.toml", "--out", "alone", "--mesh", "expert=1"]);
    good(&place, &[&["train", "wide.toml", "--out", "here"], &mesh[..]].concat());
    over_ranks(&place, &[&["train", "wide.toml", "--out", "there"], &mesh[..]].concat());
    let [alone, here, there] = ["alone", "here", "there"].map(|run| losses(&place.join(run)));
    assert_eq!(there, here, "sums are taken in one order wherever devices live");
    assert_eq!(alone.len(), 50);
    for ((step, a), (_, b)) in there.iter().zip(&alone) {
        assert!(apart(a, b) <= 1e-10, "step {step}: {a} {b}");
    }
    // What two ranks saved, one process goes on with.
    good(&place, &["train", "--resume", "there", "--steps", "52", "--mesh", "expert=2"]);
    assert_eq!(losses(&place.join("there")).len(), 52);
}
