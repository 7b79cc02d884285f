//! Steps on the devices of a plugin: what is sent for each, what becomes of a run whose device fails, and several
//! processes that share the devices. The plugin is the one for tests.

use meshwright_pjrt::Stored;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn library() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name(format!("{DLL_PREFIX}meshwright_pjrt_plugin{DLL_SUFFIX}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn small() -> String {
    root().join("tests/diagnostics/small.toml").display().to_string()
}

/// A folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("meshwright-plugin-steps-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn command(typed: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.args(typed).env("MESHWRIGHT_PJRT_PLUGIN", library());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What is answered, and the exit code.
fn ended(child: Child) -> (String, Option<i32>) {
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code())
}

fn meshwright(typed: &[&str]) -> (String, Option<i32>) {
    ended(command(typed).spawn().unwrap())
}

/// Bytes that were sent to devices before each run, and behind the last.
fn sent(log: &Path) -> Vec<u64> {
    let mut sums = vec![0];
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "run" => sums.push(0),
            "put" => *sums.last_mut().unwrap() += words[1].parse::<u64>().unwrap(),
            _ => {}
        }
    }
    sums
}

#[test]
fn of_a_step_of_training_the_batch_is_all_that_is_sent() {
    let folder = folder("sent");
    let (log, out) = (folder.join("log"), folder.join("run"));
    let option = format!("log={}", log.display());
    let typed = ["train", &small(), "--out", out.to_str().unwrap(), "--mesh", "data=2", "--backend", "pjrt"];
    let more = [
        "--steps",
        "6",
        "--set",
        "train.eval_every=6",
        "--set",
        "checkpoint.every=3",
        "--plugin-option",
        &option,
    ];
    let (text, exit) = meshwright(&[&typed[..], &more].concat());
    assert_eq!(exit, Some(0), "{text}");
    // One run draws the weights; then come the steps. Rows and targets of a batch are whole numbers of 4 bytes: 2 rows
    // of 8 tokens for each of a handful of inputs, far from the model's 400 words of 8 numbers of 4 bytes.
    let sent = sent(&log);
    let steps = &sent[1..7];
    assert!(steps.iter().all(|bytes| *bytes == steps[0] && *bytes > 0 && *bytes < 1000), "{sent:?}");
    assert_eq!(sent[0], 0, "the weights are drawn on the devices: {sent:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn of_a_step_that_is_timed_nothing_is_sent_again_but_what_it_uses_up() {
    let folder = folder("timed");
    let log = folder.join("log");
    // Weights and both moments are donors, the batch stays.
    let module = root().join("tests/golden/yardstick/stablehlo.mlir");
    let option = format!("log={}", log.display());
    let typed = ["bench", "step", module.to_str().unwrap(), "--backend", "pjrt", "--repeat", "2"];
    let (text, exit) = meshwright(&[&typed[..], &["--plugin-option", &option]].concat());
    assert_eq!(exit, Some(0), "{text}");
    let sent = sent(&log);
    assert!(sent[0] > 0 && sent[1..].iter().all(|bytes| *bytes == 0), "{sent:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_run_whose_device_fails_says_so_and_goes_on_from_its_checkpoint() {
    let folder = folder("fails");
    let out = folder.join("run");
    let out = out.to_str().unwrap();
    let small = small();
    let typed = ["train", &small, "--out", out, "--mesh", "data=2", "--backend", "pjrt", "--steps", "8"];
    let more = ["--set", "train.eval_every=100", "--plugin-option", "fail_execute_after=6"];
    let (text, exit) = meshwright(&[&typed[..], &more].concat());
    assert_eq!(exit, Some(3), "{text}");
    assert!(text.contains("device 1 failed in run 6") && text.contains("= help: "), "{text}");
    // Five steps were done: one run drew the weights. The newest checkpoint is of the fourth.
    let (text, exit) = meshwright(&["train", "--resume", out, "--backend", "pjrt"]);
    assert_eq!(exit, Some(0), "{text}");
    let log = std::fs::read_to_string(Path::new(out).join("metrics.jsonl")).unwrap();
    let whole = folder.join("whole");
    let (text, exit) = meshwright(&[
        "train",
        &small,
        "--out",
        whole.to_str().unwrap(),
        "--mesh",
        "data=2",
        "--backend",
        "pjrt",
        "--steps",
        "8",
        "--set",
        "train.eval_every=100",
    ]);
    assert_eq!(exit, Some(0), "{text}");
    let straight = std::fs::read_to_string(whole.join("metrics.jsonl")).unwrap();
    let losses = |log: &str| -> Vec<String> {
        let lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| format!("{} {}", line["step"], line["loss"])).collect()
    };
    assert_eq!(losses(&log).last(), losses(&straight).last(), "{log}\n{straight}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Ask a process to stop once a log says so.
#[cfg(unix)]
fn ask_to_stop(child: &Child, log: &Path, when: &str) {
    let begun = Instant::now();
    while !std::fs::read_to_string(log).is_ok_and(|text| text.contains(when)) {
        assert!(begun.elapsed() < Duration::from_secs(120), "`{when}` is not reached");
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

#[test]
#[cfg(unix)]
fn training_that_is_asked_to_stop_saves_and_goes_on() {
    let folder = folder("asked");
    let (log, out) = (folder.join("log"), folder.join("run"));
    let (out, small) = (out.to_str().unwrap(), small());
    let typed = ["train", &small, "--out", out, "--mesh", "data=2", "--backend", "pjrt", "--steps", "1000"];
    let more = ["--set", "train.eval_every=1000", "--set", "checkpoint.every=1000"];
    let slow = ["--plugin-option", "execute_ms=100", "--plugin-option", &format!("log={}", log.display())];
    let child = command(&[&typed[..], &more, &slow].concat()).spawn().unwrap();
    ask_to_stop(&child, &log, "run 4\n");
    let (text, exit) = ended(child);
    assert_eq!(exit, Some(130), "{text}");
    let done = text.split("stopped after step ").nth(1).unwrap_or_else(|| panic!("{text}"));
    let done: u64 = done.split(' ').next().unwrap().parse().unwrap();
    let steps = (done + 1).to_string();
    let (text, exit) = meshwright(&["train", "--resume", out, "--backend", "pjrt", "--steps", &steps]);
    assert_eq!(exit, Some(0), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
#[cfg(unix)]
fn who_asks_to_stop_while_a_device_is_at_work_is_heard_at_once() {
    let program = root().join("docs/pictures/ten-lines.mlir");
    let typed =
        ["run", program.to_str().unwrap(), "--backend", "pjrt", "--plugin-option", "execute_ms=600000"];
    let folder = folder("stops");
    let log = folder.join("log");
    let child = command(&[&typed[..], &["--plugin-option", &format!("log={}", log.display())]].concat())
        .spawn()
        .unwrap();
    ask_to_stop(&child, &log, "run 0");
    let asked = Instant::now();
    let (text, exit) = ended(child);
    assert!(exit != Some(0) && asked.elapsed() < Duration::from_secs(60), "{exit:?} {text}");
    std::fs::remove_dir_all(folder).unwrap();
}

fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// The same command in two processes, of 4 devices each.
fn two(typed: &[&str], names_in_environment: bool) -> [(String, Option<i32>); 2] {
    let at = free();
    let start = |id: &str| {
        let mut command = command(typed);
        command.args(["--plugin-option", "devices=4", "--deadline", "120"]);
        if names_in_environment {
            command
                .env("JAX_COORDINATOR_ADDRESS", &at)
                .env("JAX_NUM_PROCESSES", "2")
                .env("JAX_PROCESS_ID", id);
        } else {
            command.args(["--coordinator-address", &at, "--num-processes", "2", "--process-id", id]);
        }
        command.spawn().unwrap()
    };
    let both = [start("0"), start("1")];
    both.map(ended)
}

#[test]
fn a_program_over_the_devices_of_two_processes_gives_what_jax_computed() {
    for (name, by_environment) in [("moe_sharded", false), ("sharding_three_axes", true)] {
        let folder = root().join("tests/golden").join(name);
        let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
        let [first, second] = two(
            &[
                "run",
                &file("module.mlir"),
                "--backend",
                "pjrt",
                "--inputs",
                &file("inputs.npz"),
                "--expect",
                &file("outputs.npz"),
            ],
            by_environment,
        );
        assert_eq!((first.1, second.1), (Some(0), Some(0)), "{}\n{}", first.0, second.0);
        // The results are the first one's to tell.
        assert!(!first.0.is_empty() && second.0.is_empty(), "{}\n{}", first.0, second.0);
    }
}

#[test]
fn two_processes_train_as_one_does() {
    let folder = folder("two");
    let (one, both) = (folder.join("one"), folder.join("both"));
    let small = small();
    let typed = |out: &PathBuf| {
        let out = out.to_str().unwrap().to_string();
        ["train", &small, "--out", &out, "--mesh", "data=2", "--backend", "pjrt", "--steps", "4"]
            .map(String::from)
    };
    let of = |typed: &[String]| typed.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let text = of(&typed(&one));
    let (told, exit) = meshwright(&text.split('\n').collect::<Vec<_>>());
    assert_eq!(exit, Some(0), "{told}");
    let text = of(&typed(&both));
    let [first, second] = two(&text.split('\n').collect::<Vec<_>>(), false);
    assert_eq!((first.1, second.1), (Some(0), Some(0)), "{}\n{}", first.0, second.0);
    let losses = |out: &PathBuf| -> Vec<String> {
        let log = std::fs::read_to_string(out.join("metrics.jsonl")).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| format!("{} {} {}", line["step"], line["loss"], line["gradient_norm"])).collect()
    };
    assert_eq!(losses(&one), losses(&both));
    // What two processes saved, one goes on from.
    let (text, exit) =
        meshwright(&["train", "--resume", both.to_str().unwrap(), "--steps", "6", "--backend", "pjrt"]);
    assert_eq!(exit, Some(0), "{text}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn processes_that_do_not_come_together_are_told_which_is_missing() {
    let program = root().join("docs/pictures/ten-lines.mlir");
    let run = ["run", program.to_str().unwrap(), "--backend", "pjrt", "--deadline", "0.3"];
    let at = free();
    let told = |more: &[&str]| meshwright(&[&run[..], more].concat());
    let (text, exit) = told(&["--coordinator-address", &at, "--num-processes", "2", "--process-id", "0"]);
    assert!(
        exit == Some(3) && text.contains("E0739") && text.contains("process 1 of 2 did not"),
        "{exit:?} {text}"
    );
    let (text, exit) = told(&["--coordinator-address", &at, "--num-processes", "2", "--process-id", "1"]);
    assert!(exit == Some(3) && text.contains(&format!("nobody listens at `{at}`")), "{exit:?} {text}");
    let (text, exit) = told(&["--coordinator-address", &at, "--num-processes", "2", "--process-id", "2"]);
    assert!(exit == Some(2) && text.contains("there is no process 2 among 2"), "{exit:?} {text}");
}

#[test]
fn a_process_that_fails_ends_the_other() {
    let program = root().join("docs/pictures/ten-lines.mlir");
    let at = free();
    let start = |id: &str, option: &str| {
        let typed = ["run", program.to_str().unwrap(), "--backend", "pjrt", "--plugin-option", "devices=4"];
        let more = [
            "--coordinator-address",
            &at,
            "--num-processes",
            "2",
            "--process-id",
            id,
            "--plugin-option",
            option,
        ];
        command(&[&typed[..], &more, &["--deadline", "120"]].concat()).spawn().unwrap()
    };
    let begun = Instant::now();
    let both = [start("0", "execute_ms=1"), start("1", "fail_compile=out of ideas")];
    let [first, second] = both.map(ended);
    assert!(second.1 == Some(3) && second.0.contains("out of ideas"), "{second:?}");
    assert!(first.1 == Some(3) && first.0.contains("process 1 could not load the program"), "{first:?}");
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
}

#[test]
fn a_program_that_was_stored_is_loaded_by_its_own_plugin_for_its_own_module() {
    let folder = folder("stored");
    let (log, stored) = (folder.join("log"), folder.join("step.bin"));
    let path = |path: &Path| path.to_str().unwrap().to_string();
    let golden =
        |name: &str| root().join("tests/golden").join(name).join("module.mlir").to_str().unwrap().to_string();
    let module = golden("moe_sharded");
    let (text, exit) = meshwright(&["compile", &module, "--save", &path(&stored)]);
    assert_eq!(exit, Some(0), "{text}");
    // A plugin that compiles nothing runs what it compiled before.
    let run = |module: &str| {
        let refuses = ["--plugin-option", "fail_compile=it was to be loaded"];
        let typed = ["run", module, "--backend", "pjrt", "--stored", &path(&stored)];
        meshwright(&[&typed[..], &refuses, &["--plugin-option", &format!("log={}", path(&log))]].concat())
    };
    let (text, exit) = run(&module);
    assert_eq!(exit, Some(0), "{text}");
    assert!(std::fs::read_to_string(&log).unwrap().contains("run 0"));
    // That it is of another program is told before a device is looked for.
    std::fs::remove_file(&log).unwrap();
    let (text, exit) = run(&golden("transformer"));
    assert!(exit == Some(1) && text.contains("it was compiled from program"), "{exit:?} {text}");
    assert!(!log.exists(), "{}", std::fs::read_to_string(&log).unwrap());
    let mut bytes = std::fs::read(&stored).unwrap();
    let other = Stored { version: "another".into(), ..Stored::read(&bytes).unwrap() };
    std::fs::write(&stored, other.to_bytes()).unwrap();
    let (text, exit) = run(&module);
    assert!(exit == Some(1) && text.contains("compiled by another version of the plugin"), "{exit:?} {text}");
    // Planned within a limit it is another program: the file says so, and it is planned so again.
    let limited = ["compile", &module, "--save", &path(&stored), "--memory-limit", "12000"];
    let (text, exit) = meshwright(&limited);
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = run(&module);
    assert_eq!(exit, Some(0), "{text}");
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&stored, &bytes).unwrap();
    let (text, exit) = run(&module);
    assert!(exit == Some(1) && text.contains("it is damaged") && text.contains("store it anew"), "{text}");
    std::fs::write(&stored, b"something else").unwrap();
    let (text, exit) = run(&module);
    assert!(exit == Some(1) && text.contains("it is no program that"), "{exit:?} {text}");
    std::fs::remove_dir_all(folder).unwrap();
}
