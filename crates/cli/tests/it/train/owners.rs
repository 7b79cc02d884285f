//! Ownership of checkpoints: a run reads, keeps and removes its own, wherever its configuration points.
#![cfg(unix)]

use crate::train::support::{command, good, json, losses, meshwright, place, refused};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Every file below a directory, with its bytes.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let to = to.join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, bytes).unwrap();
    }
}

fn train<'a>(out: &'a str, steps: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["train", "small.toml", "--out", out, "--steps", steps], more].concat()
}

fn run_of(checkpoint: &Path) -> String {
    let text = std::fs::read_to_string(checkpoint.join("index.json")).unwrap();
    let index: Value = serde_json::from_str(&text).unwrap();
    index["index"]["run"].as_str().unwrap().to_string()
}

const OTHERS: [&str; 2] = ["--set", "checkpoint.dir=../ra/checkpoints"];

#[test]
fn a_second_run_is_refused_the_checkpoints_of_the_first_and_leaves_them() {
    let place = place("owners");
    good(&place, &train("ra", "4", &["--set", "checkpoint.every=2"]));
    let before = files(&place.join("ra"));
    let exported = good(&place, &["export", "ra", "-o", "before.safetensors"]);
    let (code, said) =
        refused(&place, &train("rb", "9", &[&OTHERS[..], &["--set", "checkpoint.keep=1"]].concat()));
    let message = "error[E1207]: `rb/../ra/checkpoints` holds checkpoints of another run, of `rb/../ra`: `step-00000002`";
    assert!(code == 1 && said.contains(message), "{said}");
    assert!(!place.join("rb/config.toml").exists(), "nothing of the refused run is there");
    // Nor may a run move in that has begun elsewhere, whichever of the two has more steps.
    for steps in ["2", "9"] {
        let rb = format!("rb{steps}");
        good(&place, &train(&rb, steps, &[]));
        let (_, said) =
            refused(&place, &[&["train", "--resume", &rb, "--steps", "12"][..], &OTHERS].concat());
        assert!(said.contains("error[E1207]"), "{said}");
    }
    assert_eq!(files(&place.join("ra")), before);
    assert_eq!(good(&place, &["export", "ra", "-o", "before.safetensors"]), exported);
}

#[test]
fn a_branch_of_a_run_is_another_run() {
    let place = place("branch");
    let shared = place.join("shared");
    let set = format!("checkpoint.dir={}", shared.display());
    good(&place, &train("ra", "4", &["--set", &set]));
    let before = files(&shared);
    let step = shared.join("step-00000004").display().to_string();
    let (_, said) = refused(&place, &["train", "--resume", "ra", "--out", "rb", "--steps", "6"]);
    assert!(said.contains("error[E1207]"), "{said}");
    assert_eq!(files(&shared), before);
    good(&place, &["train", "--resume", &step, "--out", "rb", "--steps", "6", "--set", "checkpoint.dir=own"]);
    assert_ne!(run_of(&place.join("rb/own/step-00000006")), run_of(&shared.join("step-00000004")));
    assert_eq!(losses(&place.join("rb")).len(), 2);
}

#[test]
fn a_run_keeps_its_id_and_names_it_everywhere() {
    let place = place("ids");
    let first = json(&place, &train("run", "2", &[]));
    let id = first["run"].as_str().unwrap().to_string();
    assert_eq!(std::fs::read_to_string(place.join("run/run.id")).unwrap(), format!("{id}\n"));
    assert_eq!(run_of(&place.join("run/checkpoints/step-00000002")), id);
    // Wherever it lies by then.
    std::fs::rename(place.join("run"), place.join("moved")).unwrap();
    let again = json(&place, &["train", "--resume", "moved", "--steps", "4"]);
    assert_eq!(again["run"], first["run"]);
    assert_eq!(run_of(&place.join("moved/checkpoints/step-00000004")), id);
    let report = std::fs::read_to_string(place.join("moved/report.md")).unwrap();
    assert!(report.contains(&format!("Run `{id}`.")), "{report}");
    // Equal runs from one place have equal bytes. A run in another directory has another id.
    let index =
        |run: &str| std::fs::read(place.join(run).join("checkpoints/step-00000002/index.json")).unwrap();
    good(&place, &train("run", "2", &[]));
    let one = index("run");
    std::fs::remove_dir_all(place.join("run")).unwrap();
    good(&place, &train("run", "2", &[]));
    assert_eq!(index("run"), one);
    good(&place, &train("beside", "2", &[]));
    assert_ne!(index("beside"), one);
}

/// An index as it was written before there were run ids.
fn without_id(checkpoint: &Path) {
    let path = checkpoint.join("index.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let inner = text.split_once("\"index\": ").unwrap().1.strip_suffix("}\n").unwrap();
    let lines = inner.lines().filter(|line| !line.trim_start().starts_with("\"run\": "));
    let inner = lines.collect::<Vec<_>>().join("\n");
    let sum = meshwright_train::checksum::checksum(inner.as_bytes());
    std::fs::write(path, format!("{{\"checksum\": \"{sum:08x}\", \"index\": {inner}}}\n")).unwrap();
}

#[test]
fn a_run_from_before_there_were_ids_goes_on_and_its_checkpoints_stay() {
    let place = place("unnamed");
    good(&place, &train("run", "4", &["--set", "checkpoint.every=2"]));
    let step = |step: u64| place.join(format!("run/checkpoints/step-{step:08}"));
    [2, 4].iter().for_each(|at| without_id(&step(*at)));
    std::fs::remove_file(place.join("run/run.id")).unwrap();
    let resume = ["train", "--resume", "run", "--steps", "12", "--set", "checkpoint.every=2"];
    let output = meshwright(&place, &[&resume[..], &["--set", "checkpoint.keep=1"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let note =
        "2 checkpoints in `run/checkpoints`, of steps 2 to 4, carry no run id: the run never removes them";
    assert!(said.contains(note), "{said}");
    let left: Vec<u64> = (1..=12).filter(|at| step(*at).exists()).collect();
    assert_eq!(left, [2, 4, 12]);
    good(&place, &["eval", "run/checkpoints/step-00000002"]);
}

#[test]
fn export_and_resume_take_no_checkpoint_of_another_run() {
    let place = place("mixed");
    good(&place, &train("ra", "2", &[]));
    good(&place, &train("rb", "4", &["--set", "train.seed=7"]));
    let export = |name: &str| {
        good(&place, &["export", "ra", "-o", name]);
        std::fs::read(place.join(name)).unwrap()
    };
    let own = export("own.safetensors");
    copy(&place.join("rb/checkpoints/step-00000004"), &place.join("ra/checkpoints/step-00000004"));
    assert_eq!(export("mixed.safetensors"), own);
    let (code, said) = refused(&place, &["train", "--resume", "ra", "--steps", "6"]);
    assert!(
        code == 1 && said.contains("holds checkpoints of another run") && said.contains("step-00000004"),
        "{said}"
    );
    for command in ["export", "eval"] {
        let args = [command, "ra/checkpoints/step-00000004"];
        let (_, said) =
            refused(&place, &[&args[..], if command == "export" { &["-o", "x"] } else { &[] }].concat());
        assert!(said.contains("is a checkpoint of another run than that of `ra`"), "{said}");
    }
}

/// Starts a run and renames its directory once it has made some steps.
fn moved(name: &str, instead: impl Fn(&Path)) -> (PathBuf, Option<i32>, String) {
    let place = place(name);
    let steps = ["--set", "checkpoint.every=1", "--set", "checkpoint.keep=2", "--set", "train.log_every=1"];
    let mut child = command(&place, &train("run", "400", &steps)).spawn().unwrap();
    let begun = Instant::now();
    while losses(&place.join("run")).len() < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was moved");
    }
    std::fs::rename(place.join("run"), place.join("moved")).unwrap();
    instead(&place.join("run"));
    let output = child.wait_with_output().unwrap();
    (place, output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_run_whose_directory_is_renamed_stops_and_goes_on_from_its_new_place() {
    let (place, code, said) = moved("renamed", |_| ());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("error[E1208]: `run") && said.contains("was moved to `"), "{said}");
    assert!(!place.join("run").exists(), "nothing is written where it was");
    let done = losses(&place.join("moved")).len();
    let steps = (done + 2).to_string();
    good(&place, &["train", "--resume", "moved", "--steps", &steps]);
    assert_eq!(losses(&place.join("moved")).len(), done + 2);
}

#[test]
fn a_run_whose_directory_is_replaced_writes_nothing_into_the_new_one() {
    let (place, code, said) =
        moved("replaced", |path| std::fs::create_dir_all(path.join("checkpoints")).unwrap());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("error[E1208]"), "{said}");
    assert!(files(&place.join("run")).is_empty(), "{:?}", files(&place.join("run")).keys());
}
