//! The same run over two processes.
#![cfg(feature = "mpi")]

use crate::train::kill::{check_checkpoints, children};
use crate::train::support::{CONFIG, command, good, losses, place, refused};
use crate::train::translate::trained;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The binary on two ranks.
fn ranks(place: &Path, args: &[&str]) -> Command {
    so_many(2, place, args)
}

fn mpirun(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
    command.args(["--mca", "mpi_yield_when_idle", "1"]);
    command
}

fn so_many(ranks: usize, place: &Path, args: &[&str]) -> Command {
    let mut command = mpirun(ranks);
    command.arg(env!("CARGO_BIN_EXE_meshwright")).args(args).args(["--backend", "mpi"]);
    command.current_dir(place).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What it said, which must have gone well.
fn over_ranks(place: &Path, args: &[&str]) -> String {
    let output = ranks(place, args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a run's model wrote in the end, of its report.
fn written(run: &Path) -> String {
    let report = std::fs::read_to_string(run.join("report.md")).unwrap();
    let from = report.find("## What it writes").unwrap_or_else(|| panic!("nothing is written: {report}"));
    let section = &report[from..];
    section[..section[2..].find("\n## ").map_or(section.len(), |at| at + 2)].to_string()
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
    std::fs::write(place.join("wide.toml"), &text).unwrap();
    let mesh = ["--mesh", "data=2,expert=2"];
    good(&place, &["train", "wide.toml", "--out", "alone", "--mesh", "expert=1"]);
    good(&place, &[&["train", "wide.toml", "--out", "here"], &mesh[..]].concat());
    over_ranks(&place, &[&["train", "wide.toml", "--out", "there"], &mesh[..]].concat());
    let [alone, here, there] = ["alone", "here", "there"].map(|run| losses(&place.join(run)));
    assert_eq!(there, here, "sums are taken in one order wherever devices live");
    assert_eq!(alone.len(), 50);
    assert_eq!(written(&place.join("there")), written(&place.join("here")));
    for ((step, a), (_, b)) in there.iter().zip(&alone) {
        assert!(apart(a, b) <= 1e-10, "step {step}: {a} {b}");
    }
    // What two ranks saved they also read, and make the same of it as one process.
    for use_of in [&["eval", "there"][..], &["generate", "there", "--prompt", "drei", "--prompt", "vier"]] {
        let args = [use_of, &mesh].concat();
        assert_eq!(over_ranks(&place, &args), good(&place, &args));
    }
    // One process goes on with it.
    good(&place, &["train", "--resume", "there", "--steps", "52", "--mesh", "expert=2"]);
    assert_eq!(losses(&place.join("there")).len(), 52);
}

/// How a dense student is trained that begins with the weights of the run `teacher`, and may be taught by it.
fn student<'a>(run: &'a str, mesh: &'a str, taught: &'a str) -> Vec<&'a str> {
    let all = ["train", "small.toml", "--steps", "6", "--out", run, "--mesh", mesh, "--init-from", "teacher"];
    let sets = ["--set", taught, "--set", "model.experts=0", "--set", "data.batch=16"];
    [&all[..], &sets, &["--set", "checkpoint.every=3"]].concat()
}

/// A dense student and its teacher with experts, in one program over the devices of two ranks: four, and eight; and
/// gone on with from the middle, on another mesh.
#[test]
fn a_teacher_on_ranks_teaches_what_it_does_in_one_process() {
    const TAUGHT: &str = "distill.teacher=teacher";
    let place = place("ranks-teacher");
    good(&place, &["train", "small.toml", "--out", "teacher", "--steps", "10", "--mesh", "expert=4"]);
    for (name, mesh) in [("four", "data=2,model=2"), ("eight", "data=4,model=2")] {
        let [here, there] = ["here", "there"].map(|at| format!("{name}-{at}"));
        good(&place, &student(&here, mesh, TAUGHT));
        over_ranks(&place, &student(&there, mesh, TAUGHT));
        let [here, there] = [here, there].map(|run| losses(&place.join(run)));
        assert_eq!((here.len(), &there), (6, &here), "{mesh}");
    }
    good(&place, &student("untaught", "data=2,model=2", "distill.teacher="));
    let [with, without] = ["four-here", "untaught"].map(|run| losses(&place.join(run)));
    assert!(with.iter().zip(&without).all(|(with, without)| with != without), "a teacher is heard");
    // The teacher is laid out anew.
    std::fs::rename(place.join("eight-there/checkpoints/step-00000006"), place.join("set-aside")).unwrap();
    over_ranks(&place, &["train", "--resume", "eight-there", "--mesh", "data=2,model=2"]);
    let [here, there] = ["eight-here", "eight-there"].map(|run| losses(&place.join(run)));
    assert_eq!(there.len(), 6);
    for ((step, a), (_, b)) in there.iter().zip(&here) {
        assert!(apart(a, b) <= 1e-5, "step {step}: {a} {b}");
    }
    let nobody = student("none", "data=2,model=2", "distill.teacher=nobody");
    let output = ranks(&place, &nobody).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("`distill.teacher` is not there: `nobody`"), "{said}");
    assert!(!place.join("none").exists());
    std::fs::remove_dir_all(place).unwrap();
}

/// The small pipeline preset, each rank with one of its two stages.
#[test]
fn a_pipeline_over_two_ranks_has_the_losses_of_one_process() {
    let place = place("ranks-pipeline");
    let small =
        ["model.dtype=f64", "model.d_model=16", "model.d_ff=32", "data.documents=300", "data.batch=16"];
    let small =
        small.into_iter().chain(["data.target_length=16", "train.eval_batches=1", "train.log_every=1"]);
    let small: Vec<&str> = small.flat_map(|set| ["--set", set]).collect();
    let args = |run| [&["train", "dense2d-pipe-tiny", "--steps", "3", "--out", run], &small[..]].concat();
    good(&place, &args("here"));
    over_ranks(&place, &args("there"));
    let [here, there] = ["here", "there"].map(|run| losses(&place.join(run)));
    assert_eq!((here.len(), &there), (3, &here), "sums are taken in one order wherever devices live");
}

#[test]
fn an_encoder_and_a_decoder_are_the_same_on_two_ranks() {
    let place = place("ranks-pair");
    let pair = ["model.decoder_only=false", "data.task=translate", "data.input_length=16", "model.dtype=f64"];
    for routing in ["model.routing=switch", "model.routing=gshard", "model.routing=expert-choice"] {
        let sets = pair.iter().chain([&routing]).flat_map(|set| ["--set", set]);
        let args: Vec<&str> = ["train", "small.toml", "--steps", "6", "--mesh", "data=2,expert=2"]
            .into_iter()
            .chain(sets)
            .collect();
        let [here, there] = ["here", "there"].map(|side| format!("{side}-{routing}"));
        good(&place, &[&args[..], &["--out", &here]].concat());
        over_ranks(&place, &[&args[..], &["--out", &there]].concat());
        let [here, there] = [here, there].map(|run| place.join(run));
        assert_eq!(written(&there), written(&here), "{routing}");
        let [here, there] = [here, there].map(|run| losses(&run));
        assert_eq!((there.len(), &there), (6, &here), "{routing}");
    }
}

#[test]
fn lines_are_translated_by_two_ranks_as_by_one_process() {
    let place = trained("ranks-translate");
    let lines: String = (0..11).map(|n| format!("Satz Nummer {}\n", n * 7)).collect();
    std::fs::write(place.join("in.txt"), lines).unwrap();
    for more in [&["--beam", "1"][..], &["--beam", "3"], &["--beam", "3", "--flat"]] {
        let whole =
            ["translate", "run", "in.txt", "--from", "de", "--mesh", "data=2,expert=2", "--batch", "4"];
        let args = [&whole[..], more].concat();
        let here = good(&place, &args);
        assert_eq!(here.lines().count(), 11);
        assert_eq!(over_ranks(&place, &args), here, "{more:?}");
    }
    let output = ranks(&place, &["translate", "run", "-", "--from", "de"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("standard input reaches one rank alone"), "{said}");
}

const TWO: [&str; 5] = ["train", "small.toml", "--mesh", "data=2,expert=2", "--out"];

/// A run in peace, and one on two ranks that is sent a signal once it has begun: its place, and what came of it.
fn signalled(name: &str, signal: &str, whom: impl Fn(u32) -> u32) -> (PathBuf, Output) {
    let place = place(name);
    good(&place, &[&TWO[..], &["peace"]].concat());
    let child = ranks(&place, &[&TWO[..], &["asked"]].concat()).spawn().unwrap();
    let begun = Instant::now();
    while losses(&place.join("asked")).len() < 3 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let whom = whom(child.id()).to_string();
    Command::new("kill").args([signal, &whom]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(losses(&place.join("asked")).len() >= 3, "it never began: {told}");
    (place, output)
}

/// Goes on in one process with what is left, unless all was done: every step has the loss of the run in peace.
fn goes_on(place: &Path) {
    if losses(&place.join("asked")).len() < 60 {
        good(place, &["train", "--resume", "asked"]);
    }
    let [peace, asked] = ["peace", "asked"].map(|run| losses(&place.join(run)));
    assert_eq!(asked, peace);
}

/// Asks a run on two ranks to stop, which it does well, with a code that says by what.
fn asked(name: &str, signal: &str, code: i32, whom: impl Fn(u32) -> u32) {
    let (place, output) = signalled(name, signal, whom);
    let [said, told] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    let is_early = losses(&place.join("asked")).len() < 60;
    assert_eq!(output.status.code(), Some(if is_early { code } else { 0 }), "{told}");
    if is_early {
        assert!(said.contains("on request") && said.contains("--resume asked"), "{said}");
    }
    goes_on(&place);
}

#[test]
fn all_ranks_end_after_the_step_in_which_one_of_them_is_interrupted() {
    asked("ranks-one", "-INT", 130, |mpirun| children(mpirun).last().copied().unwrap());
}

#[test]
fn a_signal_that_mpirun_hands_on_ends_all_ranks_with_a_checkpoint() {
    asked("ranks-all", "-USR1", 138, |mpirun| mpirun);
}

/// `mpirun` then ends its processes in its own way, and however that goes (a kill in the middle of a checkpoint, too)
/// the run goes on from what is whole.
#[test]
fn ctrl_c_on_mpirun_itself_leaves_a_run_that_goes_on() {
    for signal in ["-INT", "-TERM"] {
        let (place, _) = signalled(&format!("ranks-mpirun{signal}"), signal, |mpirun| mpirun);
        check_checkpoints(&place.join("asked"));
        goes_on(&place);
    }
}

/// Every tensor of a run's newest checkpoint, whole.
fn tensors(run: &Path) -> Vec<(String, Vec<u8>)> {
    use meshwright_train::checkpoint::{Checkpoint, Region, newest};
    let path = newest(&run.join("checkpoints"), None).unwrap().unwrap();
    let mut checkpoint = Checkpoint::open(&path).unwrap();
    checkpoint.verify().unwrap();
    let all: Vec<_> =
        checkpoint.tensors().map(|(name, _, _, shape)| (name.to_string(), Region::whole(shape))).collect();
    let read = |(name, region): (String, Region)| {
        let bytes = checkpoint.read(&name, &region).unwrap();
        (name, bytes)
    };
    all.into_iter().map(read).collect()
}

/// Names and sizes of the files of a checkpoint that hold tensors.
fn parts(checkpoint: &Path) -> Vec<(String, u64)> {
    let one = |entry: std::fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), entry.metadata().unwrap().len())
    };
    let mut all: Vec<_> = std::fs::read_dir(checkpoint).unwrap().flatten().map(one).collect();
    all.retain(|(name, _)| name != "index.json");
    all.sort();
    all
}

#[test]
fn every_rank_writes_its_share_and_any_number_of_ranks_reads_it() {
    let place = place("ranks-shares");
    let run = |ranks: usize, out: &str, more: &[&str]| {
        let args = [
            &["train", "small.toml", "--mesh", "data=2,expert=2", "--set", "train.steps=10", "--out", out],
            more,
        ]
        .concat();
        match ranks {
            1 => drop(good(&place, &args)),
            _ => {
                let output = so_many(ranks, &place, &args).output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
        place.join(out)
    };
    let expected = tensors(&run(1, "one", &[]));
    for ranks in [2, 4] {
        for background in ["checkpoint.background=true", "checkpoint.background=false"] {
            let home = run(ranks, &format!("{ranks}-{background}"), &["--set", background]);
            assert_eq!(tensors(&home), expected, "{ranks} ranks");
            let found = parts(&home.join("checkpoints/step-00000010"));
            let names: Vec<String> =
                (0..ranks).map(|rank| format!("part-{:05}.safetensors", rank * 4 / ranks)).collect();
            assert_eq!(found.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
            // Replicas are spread too: nobody writes twice as much as another.
            let sizes = || found.iter().map(|(_, size)| *size);
            assert!(sizes().max() < sizes().min().map(|least| 2 * least), "{found:?}");
        }
    }
    // Two ranks' on four, four ranks' on two and on one: the steps of a run in peace.
    let peace = losses(&run(1, "peace", &["--steps", "14"]));
    for (from, ranks) in [("2", 4), ("4", 2), ("4", 1)] {
        let home = format!("{from}-checkpoint.background=true");
        let out = format!("{from}-on-{ranks}");
        let args = ["train", "--resume", &home, "--steps", "14", "--out", &out];
        match ranks {
            1 => drop(good(&place, &args)),
            _ => {
                let output = so_many(ranks, &place, &args).output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
        assert_eq!(losses(&place.join(&out)), peace[10..], "{from} on {ranks}");
    }
}

#[test]
fn a_rank_that_cannot_write_leaves_nothing_half_done() {
    let place = place("ranks-full");
    let run = ["train", "small.toml", "--mesh", "data=2,expert=2", "--out", "run"];
    let output = so_many(2, &place, &[&run[..], &["--steps", "5"]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The second rank has no room for a file of more than a few blocks.
    let script = "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then trap '' XFSZ; ulimit -f 8; fi; exec \"$@\"";
    let mut command = mpirun(2);
    command.args(["sh", "-c", script, "sh", env!("CARGO_BIN_EXE_meshwright")]);
    command.args(["train", "--resume", "run", "--steps", "20", "--backend", "mpi"]);
    let output = command.current_dir(&place).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("error[E1203]"), "{said}");
    assert!(said.contains("older checkpoints are as they were"), "{said}");
    let left: Vec<_> = std::fs::read_dir(place.join("run/checkpoints")).unwrap().flatten().collect();
    assert_eq!(left.iter().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["step-00000005"]);
    over_ranks(&place, &["train", "--resume", "run", "--steps", "20"]);
    assert_eq!(losses(&place.join("run")).len(), 20);
}

/// Kills one of the ranks that a supervisor's `mpirun` has started, once the run has so many steps.
fn kill_a_rank(supervisor: u32, run: &Path, steps: usize) {
    let begun = Instant::now();
    while losses(run).len() < steps && begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let ranks = || children(supervisor).into_iter().flat_map(children).next_back();
    while ranks().is_none() && begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let rank = ranks().unwrap_or_else(|| panic!("no rank runs after {steps} steps")).to_string();
    Command::new("kill").args(["-KILL", &rank]).status().unwrap();
}

#[test]
fn a_run_goes_on_by_itself_on_the_ranks_that_are_left() {
    let place = place("ranks-elastic");
    let text = CONFIG.replace("[model]", "[model]\ndtype = \"f64\"").replace("every = 5", "every = 1");
    std::fs::write(place.join("wide.toml"), text).unwrap();
    good(&place, &["train", "wide.toml", "--out", "peace", "--mesh", "data=4"]);
    let mpirun = "mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1";
    let mut run = command(&place, &["train", "wide.toml", "--out", "run", "--mesh", "data=4"]);
    run.args(["--backend", "mpi", "--ranks", "4", "--restarts", "2", "--mpirun", mpirun]);
    let child = run.spawn().unwrap();
    kill_a_rank(child.id(), &place.join("run"), 10);
    kill_a_rank(child.id(), &place.join("run"), 30);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("on 3 ranks") && told.contains("on 2 ranks"), "{told}");
    assert!(told.contains("mesh data=3 instead of data=4; the batch stays at 8 rows"), "{told}");
    let [peace, run] = ["peace", "run"].map(|run| losses(&place.join(run)));
    assert_eq!((run.len(), peace.len()), (60, 60));
    let worst = run.iter().zip(&peace).map(|((_, a), (_, b))| apart(a, b)).fold(0.0, f64::max);
    assert!(worst <= 1e-10, "losses are {worst:e} apart");
}

/// A program that starts a rank, in each of its lives in another way, and then ends by force alone. The last runs one
/// as it is.
fn launcher(place: &Path, lives: [&str; 3]) -> String {
    use std::os::unix::fs::PermissionsExt;
    let [first, second, third] = lives;
    let text = format!(
        "#!/bin/sh
trap '' TERM
shift 2
echo >> lives
case $(wc -l < lives) in
1) {first};;
2) {second};;
3) {third};;
*) exec \"$@\";;
esac
sleep 600
"
    );
    let path = place.join("launcher");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// As Open MPI's, if a rank is killed at a certain moment of its start.
#[test]
fn a_launcher_that_does_not_end_with_its_ranks_is_ended() {
    let place = place("ranks-launcher");
    good(&place, &["train", "small.toml", "--out", "peace"]);
    let killed = "\"$@\" & until [ -s run/metrics.jsonl ]; do sleep 0.01; done; kill -9 $!";
    let launcher = launcher(&place, [":", killed, "\"$@\""]);
    let mut run = command(&place, &["train", "small.toml", "--out", "run", "--backend", "mpi"]);
    run.args(["--ranks", "1", "--restarts", "9", "--deadline", "1", "--mpirun", &launcher]);
    let output = run.env("OMPI_MCA_ess_singleton_isolated", "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.matches("no rank lived for 1 s").count() >= 3, "{told}");
    assert!(!place.join("run/.alive").exists());
    assert_eq!(losses(&place.join("run")), losses(&place.join("peace")));
}

/// A pipe that is full, for as long as it is held: who writes to it waits.
fn full_pipe(path: &Path) -> std::fs::File {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let mut options = std::fs::OpenOptions::new();
    let mut pipe = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path).unwrap();
    [4096, 1].into_iter().for_each(|bytes| while pipe.write(&vec![0; bytes]).is_ok() {});
    pipe
}

/// The first rank has all written and cannot say so, as its output is stuck: then it is stopped, and nobody but
/// `mpirun` waits.
#[test]
fn a_rank_that_is_stopped_after_its_last_word_is_ended() {
    let place = place("ranks-late");
    let _pipe = full_pipe(&place.join("stuck"));
    let stuck =
        "exec mpirun --allow-run-as-root --oversubscribe -n 2 sh -c 'exec \"$0\" \"$@\" > stuck' \"$@\"";
    let launcher = launcher(&place, [stuck, "exec \"$@\"", ":"]);
    let args =
        ["train", "small.toml", "--out", "run", "--steps", "4", "--mesh", "data=2", "--backend", "mpi"];
    let mut run = command(&place, &args);
    run.args(["--ranks", "2", "--restarts", "1", "--deadline", "2", "--mpirun", &launcher]);
    let mut run = run.env("OMPI_MCA_ess_singleton_isolated", "1").spawn().unwrap();
    let (begun, supervisor) = (Instant::now(), run.id());
    let mut goes_on = || {
        std::thread::sleep(Duration::from_millis(2));
        begun.elapsed() < Duration::from_secs(60) && run.try_wait().unwrap().is_none()
    };
    while !place.join("run/report.md").exists() && goes_on() {}
    let rank = children(supervisor).into_iter().flat_map(children).next().unwrap();
    let send = |signal: &str| Command::new("kill").args([signal, &rank.to_string()]).status().unwrap();
    send("-STOP");
    while goes_on() {}
    let is_over = run.try_wait().unwrap().is_some();
    // One that hangs must not outlive this test.
    send("-KILL");
    let output = run.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(is_over && output.status.success(), "{told}");
    assert!(told.contains("it goes on on 1 ranks"), "{told}");
    assert!(!place.join("run/.alive").exists());
    assert_eq!(losses(&place.join("run")).len(), 4);
}

#[test]
fn a_launcher_that_starts_no_rank_is_told_with_the_way_out() {
    let place = place("ranks-none");
    let by = |launcher: &'static str, set: &'static str| {
        refused(
            &place,
            &["train", "small.toml", "--backend", "mpi", "--ranks", "2", "--set", set, "--mpirun", launcher],
        )
    };
    let (code, said) = by("false", "train.steps=1");
    assert!(code == 3 && said.contains("`false` ended with exit status: 1 and started no rank"), "{said}");
    assert!(said.contains("--mpirun 'mpirun --oversubscribe'"), "{said}");
    // What a rank refuses it says itself.
    let (code, said) = by("mpirun --allow-run-as-root --oversubscribe", "model.layers=0");
    assert!(code == 1 && !said.contains("started no rank"), "{said}");
}

#[test]
fn of_two_ranks_the_first_writes_what_stages_make() {
    let place = place("ranks-dumped");
    let module = "sdy.mesh @m = <[\"x\"=2]>\nfunc.func public @main(%a: tensor<4xf32> {sdy.sharding = \
                  #sdy.sharding<@m, [{\"x\"}]>}) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n";
    std::fs::write(place.join("in.mlir"), module).unwrap();
    // Each rank is given a folder of its own: only the first one's comes to be.
    for args in [&["run", "in.mlir"][..], &["train", "small.toml", "--steps", "1", "--mesh", "data=2"]] {
        let script = "exec \"$@\" --dump-dir out-$OMPI_COMM_WORLD_RANK";
        let mut command = mpirun(2);
        command.args(["sh", "-c", script, "sh", env!("CARGO_BIN_EXE_meshwright")]);
        let output = command.args(args).args(["--backend", "mpi"]).current_dir(&place).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(place.join("out-0").exists() && !place.join("out-1").exists(), "{args:?}");
        std::fs::remove_dir_all(place.join("out-0")).unwrap();
    }
}
