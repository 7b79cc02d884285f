//! Every kind of wrong input: one diagnostic with a way out, before any compute, and nothing is written.

use crate::train::support::{CONFIG, good, meshwright, place, refused};
use std::path::Path;

/// Refused with this exit code and these words; no directory of a run has been made.
fn no_run(place: &Path, args: &[&str], code: i32, words: &[&str]) {
    let (found, said) = refused(place, args);
    assert_eq!(found, code, "{args:?}: {said}");
    words.iter().for_each(|word| assert!(said.contains(word), "{args:?}: no `{word}` in {said}"));
    assert!(!place.join("runs").exists(), "{args:?} made a run");
}

/// Refused for the fields it sets.
fn field(place: &Path, sets: &[&str], words: &[&str]) {
    let mut args = vec!["train", "small.toml"];
    sets.iter().for_each(|set| args.extend(["--set", set]));
    no_run(place, &args, 1, words);
}

#[test]
fn unknown_fields_sections_and_presets() {
    let place = place("unknown");
    field(&place, &["model.expert=4"], &["`[model]` has no field `expert`", "did you mean `experts`?"]);
    field(&place, &["modle.experts=4"], &["there is no section `[modle]`", "did you mean `model`?"]);
    field(&place, &["model.experts=many"], &["`model.experts` cannot be \"many\"", "a whole number"]);
    std::fs::write(place.join("wrong.toml"), format!("{CONFIG}\n[train]\nstep = 4\n")).unwrap();
    no_run(&place, &["train", "wrong.toml"], 1, &["wrong.toml:"]);
    std::fs::write(place.join("typo.toml"), CONFIG.replace("eval_every", "evaluate_every")).unwrap();
    no_run(&place, &["train", "typo.toml"], 1, &["typo.toml:", "no field `evaluate_every`", "^"]);
    no_run(&place, &["train", "switch-tny"], 1, &["no preset `switch-tny`", "did you mean `switch-tiny`?"]);
    no_run(&place, &["train", "nowhere.toml"], 3, &["nowhere.toml"]);
}

#[test]
fn fields_that_contradict_each_other() {
    let place = place("contradict");
    field(&place, &["data.task=spans"], &["task \"spans\" needs an encoder and a decoder"]);
    field(&place, &["optimizer.accumulate=3"], &["a batch of 8 rows cannot be computed in 3 equal parts"]);
    field(&place, &["model.experts=0", "model.expert_dropout=0.4"], &["the model has no experts"]);
    field(&place, &["optimizer.weight_decay=0.1"], &["`optimizer.weight_decay` has no effect"]);
    field(&place, &["model.dropout=1.5"], &["`model.dropout` is 1.5", "under 1"]);
    field(&place, &["optimizer.learning_rate=nan"], &["optimizer.learning_rate"]);
}

#[test]
fn capacity_under_one_and_sequences_longer_than_positions() {
    let place = place("sizes");
    field(&place, &["model.capacity_factor=0.1"], &["an expert has room for 0.80 tokens"]);
    field(&place, &["model.positions=8"], &["`data.target_length` is 16 and the model has 8 positions"]);
}

#[test]
fn experts_that_do_not_divide_are_allowed_and_their_cost_is_told() {
    let place = place("uneven");
    let output = meshwright(&place, &["train", "small.toml", "--steps", "1", "--mesh", "expert=3"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("4 experts over 3 devices of axis `expert`")
            && said.contains("2 of 6 places stay empty"),
        "{said}"
    );
}

#[test]
fn an_empty_corpus() {
    let place = place("empty");
    std::fs::write(place.join("empty.txt"), "\n  \n").unwrap();
    let text = CONFIG.replace("documents = 300", "corpus = \"files\"\nfiles = [\"empty.txt\"]");
    std::fs::write(place.join("files.toml"), text).unwrap();
    no_run(&place, &["train", "files.toml"], 1, &["the corpus is empty: 1 files without a line of text"]);
}

#[test]
fn meshes_that_do_not_fit() {
    let place = place("mesh");
    let train = |args: &[&'static str], code, words: &[&str]| {
        no_run(&place, &[&["train", "small.toml"], args].concat(), code, words);
    };
    train(&["--devices", "8"], 2, &["`--devices 8`, but the mesh expert=2 has 2 devices"]);
    train(&["--mesh", "expert=two"], 2, &["`--mesh expert=two` is no list of axes"]);
    train(&["--mesh", "data=100000"], 2, &["a process runs 4096 at most"]);
    train(&["--mesh", "pipeline=4"], 1, &["puts nothing on axis `pipeline` of size 4"]);
    train(&["--mesh", "expert=2", "--set", "model.experts=0"], 1, &["the model has no experts"]);
}

#[test]
fn checkpoints_that_are_damaged_foreign_or_not_there() {
    let place = place("checkpoints");
    good(&place, &["train", "small.toml", "--steps", "5", "--out", "run"]);
    let step = place.join("run/checkpoints/step-00000005");
    no_run(&place, &["train", "--resume", "nowhere"], 1, &["`nowhere` holds no run and no checkpoint"]);
    no_run(&place, &["eval", "."], 1, &["holds no run and no checkpoint"]);
    let smaller = ["train", "small.toml", "--resume", "run", "--set", "model.d_ff=8"];
    no_run(&place, &smaller, 1, &["`model.d_ff` is 32 in the run and 8 here", "--init-from"]);
    no_run(&place, &["train", "small.toml", "--out", "run"], 1, &["there is something in `run` already"]);
    let beyond = ["train", "--resume", "run", "--steps", "4"];
    no_run(&place, &beyond, 1, &["all is done: the checkpoint is of step 5 of 4"]);
    let part = step.join("part-00000.safetensors");
    let mut bytes = std::fs::read(&part).unwrap();
    // Of a weight: moments lie before weights, and squares after.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&part, &bytes).unwrap();
    for args in [
        &["eval", "run"][..],
        &["generate", "run", "--prompt", "a"],
        &["train", "--resume", "run", "--steps", "9"],
    ] {
        no_run(&place, args, 1, &["is damaged: the checksum of `params."]);
    }
    std::fs::write(step.join("index.json"), "{}").unwrap();
    no_run(&place, &["eval", "run"], 1, &["is no index of a Meshwright checkpoint"]);
}

#[test]
fn a_damaged_part_has_one_exit_code_in_every_command() {
    let place = place("one-code");
    good(&place, &["train", "small.toml", "--steps", "4", "--out", "run"]);
    let part = place.join("run/checkpoints/step-00000004/part-00000.safetensors");
    let mut bytes = std::fs::read(&part).unwrap();
    let middle = bytes.len() / 2;
    let whole = bytes.clone();
    bytes[middle] ^= 1;
    for damaged in [&bytes[..], &whole[..middle]] {
        std::fs::write(&part, damaged).unwrap();
        for args in [
            &["export", "run", "--all", "-o", "weights.safetensors"][..],
            &["eval", "run"],
            &["generate", "run", "--prompt", "drei"],
            &["train", "--resume", "run", "--steps", "6"],
            &["train", "small.toml", "--init-from", "run", "--out", "other"],
        ] {
            let (code, said) = refused(&place, args);
            let is_told =
                said.contains("error[E1201]") && said.contains("part-00000.safetensors` is damaged");
            assert!(code == 1 && is_told, "{args:?}: {code}: {said}");
        }
        assert!(!place.join("weights.safetensors").exists());
    }
}

/// Returns the refusal of a command that could wait forever.
#[cfg(unix)]
fn refused_in_time(place: &Path, args: &[&str]) -> String {
    use std::time::{Duration, Instant};
    let mut child = crate::train::support::command(place, args).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{args:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(1..=3)) && said.contains("error[E"), "{args:?}: {said}");
    said
}

/// Opening a FIFO waits for a writer, and a device may have no end.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_wherever_one_is_read() {
    let place = place("fifo");
    good(&place, &["train", "small.toml", "--steps", "2", "--out", "run"]);
    let fifo = |path: &str| {
        let path = place.join(path);
        let _ = std::fs::remove_file(&path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_hf/t5");
    let t5x = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden_hf/t5x-v1_1");
    fifo("fifo.toml");
    fifo("text.txt");
    fifo("logged/metrics.jsonl");
    fifo("tokens.model");
    fifo("no-config/config.json");
    fifo("no-weights/model.safetensors");
    std::fs::copy(folder.join("config.json"), place.join("no-weights/config.json")).unwrap();
    fifo("no-checkpoint/checkpoint");
    let told = |args: &[&str]| {
        let said = refused_in_time(&place, args);
        let is_told = said.contains("it is a FIFO, and should be a regular file")
            || said.contains("it is a device, and should be a regular file");
        assert!(is_told, "{args:?}: {said}");
    };
    let train = ["train", "small.toml", "--steps", "1", "--out", "other"];
    let with = |set: &'static str| [&train[..], &["--set", set]].concat();
    told(&["train", "fifo.toml"]);
    told(&["train", "/dev/zero"]);
    let text = CONFIG.replace("documents = 300", "corpus = \"files\"\nfiles = [\"text.txt\"]");
    std::fs::write(place.join("text.toml"), text).unwrap();
    told(&["train", "text.toml", "--out", "other"]);
    told(&with("metrics.jsonl=../logged/metrics.jsonl"));
    for tokenizer in ["tokens.model", "/dev/zero"] {
        let text = CONFIG.replace("vocabulary = 400", &format!("tokenizer = \"{tokenizer}\""));
        std::fs::write(place.join("tokens.toml"), text).unwrap();
        told(&["train", "tokens.toml", "--out", "tokens"]);
    }
    told(&["convert", "hf:no-config", "run2"]);
    told(&["convert", "hf:no-weights", "run2"]);
    told(&["convert", "t5x:no-checkpoint", "run2"]);
    // A chunk of Zarr.
    let copy = std::process::Command::new("cp").arg("-r").arg(&t5x).arg(place.join("t5x")).status().unwrap();
    assert!(copy.success());
    let arrays = std::fs::read_dir(place.join("t5x")).unwrap().flatten().map(|entry| entry.path());
    let mut arrays: Vec<_> = arrays.filter(|path| path.join(".zarray").is_file()).collect();
    arrays.sort();
    let chunk = arrays.iter().flat_map(|path| std::fs::read_dir(path).unwrap().flatten());
    let mut chunks: Vec<_> =
        chunk.map(|entry| entry.path()).filter(|path| !path.ends_with(".zarray")).collect();
    chunks.sort();
    if let Some(chunk) = chunks.first() {
        fifo(&chunk.strip_prefix(&place).unwrap().display().to_string());
        told(&["convert", "t5x:t5x", "run2"]);
    }
    // Parts of a run.
    let part = "run/checkpoints/step-00000002/part-00000.safetensors";
    for file in ["run/metrics.jsonl", "run/run.id", "run/checkpoints/step-00000002/index.json", part] {
        let whole = std::fs::read(place.join(file)).unwrap();
        fifo(file);
        // A checkpoint without its files is none.
        let is_of_checkpoint = file.contains("checkpoints");
        let resume = &["train", "--resume", "run", "--steps", "3"][..];
        refused_in_time(&place, if is_of_checkpoint { &["eval", "run"] } else { resume });
        std::fs::remove_file(place.join(file)).unwrap();
        std::fs::write(place.join(file), whole).unwrap();
    }
    good(&place, &["train", "--resume", "run", "--steps", "3"]);
}

#[test]
fn sizes_that_no_machine_has() {
    let place = place("huge");
    field(&place, &["data.batch=9223372036854775807"], &["`data.batch` is 9223372036854775807, the most is"]);
    field(&place, &["model.layers=1000000000"], &["`model.layers` is 1000000000, the most is 4096"]);
    field(&place, &["data.vocabulary=18446744073709551615"], &["`data.vocabulary` is"]);
    field(&place, &["model.d_model=-4"], &["`model.d_model` cannot be -4"]);
    // What fits no memory is refused by its size, before anything is computed.
    let long = ["train", "small.toml", "--set", "data.target_length=1048576"];
    no_run(&place, &long, 3, &["the program needs", "bytes on a device, the limit is"]);
}

#[test]
fn what_is_no_configuration_and_no_run() {
    let place = place("paths");
    std::fs::create_dir(place.join("folder")).unwrap();
    std::fs::write(place.join("bytes.toml"), [0x80, b'[']).unwrap();
    std::fs::write(place.join("half.toml"), "[model\n").unwrap();
    let is_toml = "a configuration is TOML";
    no_run(&place, &["train", "bytes.toml"], 1, &["is not UTF-8", is_toml]);
    no_run(&place, &["train", "half.toml"], 1, &["this is not TOML", "half.toml:1"]);
    no_run(&place, &["train", "folder/"], 3, &["is a folder", "folder/config.toml"]);
    no_run(
        &place,
        &["train", "small.toml", "--out", "small.toml/a"],
        3,
        &["cannot be the directory of a run"],
    );
    no_run(&place, &["train", "--resume", "small.toml"], 1, &["`small.toml` holds no run and no checkpoint"]);
    good(&place, &["train", "small.toml", "--steps", "1", "--out", "run"]);
    no_run(&place, &["train", "run"], 1, &["`run` is the directory of a run", "--resume run"]);
}

#[test]
fn arguments_that_do_not_go_together() {
    let place = place("arguments");
    let code = |args: &[&str]| meshwright(&place, args).status.code();
    assert_eq!(code(&["train"]), Some(2));
    assert_eq!(code(&["train", "small.toml", "--resume", "a", "--init-from", "b"]), Some(2));
    assert_eq!(code(&["generate", "runs/small"]), Some(2));
    no_run(&place, &["generate", ".", "--prompt", "a", "--temperature", "0"], 2, &["a number over 0"]);
}

#[cfg(not(feature = "mpi"))]
#[test]
fn ranks_of_a_binary_without_mpi_are_refused_before_any_is_started() {
    let place = place("no-mpi");
    let args = ["train", "small.toml", "--backend", "mpi", "--ranks", "2", "--mpirun", "not-there"];
    let (code, said) = refused(&place, &args);
    assert_eq!((code, said.matches("this binary was built without MPI").count()), (2, 1), "{said}");
}
