//! `--dump-dir` and `--dump-after`: which files come, from which commands, and what is refused.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two devices, a product whose sum is over both.
const MODULE: &str = r#"sdy.mesh @m = <["x"=2]>
func.func public @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
"#;

/// Of which nothing says that it is for several.
const PLAIN: &str = r#"func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
"#;

/// A folder of its own, with the module in it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder is made");
    std::fs::write(folder.join("in.mlir"), MODULE).expect("the module is written");
    folder
}

fn meshwright(folder: &Path, command: &[&str], more: &[&str]) -> Output {
    let mut run = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    run.current_dir(folder).env_remove("MESHWRIGHT_DUMP").args(command).arg("in.mlir").args(more);
    run.output().expect("the binary runs")
}

/// The files a command writes into `out`, in order.
fn written(folder: &Path, command: &[&str], more: &[&str]) -> Vec<String> {
    let _ = std::fs::remove_dir_all(folder.join("out"));
    let output = meshwright(folder, command, &[&["--dump-dir", "out"], more].concat());
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let files = folder.join("out").read_dir().expect("the folder was made");
    let mut names: Vec<String> =
        files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name != ".meshwright-dump");
    names.sort_unstable();
    names
}

#[test]
fn steps_of_the_engine_are_numbered_on_from_the_modules() {
    let folder = folder("dump-steps");
    let after = |name: &'static str| ["--backend", "cpu", "--dump-after", "lower", "--dump-after", name];
    let names = written(&folder, &["run"], &after("place_buffers"));
    let all = written(&folder, &["run"], &["--backend", "cpu"]);
    assert!(all.iter().enumerate().all(|(at, name)| name.starts_with(&format!("{at:02}-"))), "{all:?}");
    let modules = all.iter().filter(|name| name.ends_with(".mlir")).count();
    assert_eq!(all.len(), modules + 10, "{all:?}");
    let [first, last] = [modules, modules + 9].map(|at| all[at].as_str());
    assert!(first.ends_with("-lower.steps") && last.ends_with("-place_buffers.steps"), "{all:?}");
    assert_eq!(names, [first, last]);
    let text = std::fs::read_to_string(folder.join("out").join(last)).expect("the file is text");
    assert!(text.starts_with("%0 = input 0, 64 bytes") && text.contains("collective! %"), "{text}");
    assert_eq!(
        written(&folder, &["verify"], &after("in_place")).len(),
        2,
        "steps of the partitioned program"
    );
    std::fs::write(folder.join("in.mlir"), PLAIN).expect("the module is written");
    assert_eq!(written(&folder, &["run"], &after("in_place")), ["00-lower.steps", "07-in_place.steps"]);
    assert_eq!(written(&folder, &["run"], &["--backend", "cpu"]).len(), 10);
}

#[test]
fn every_stage_and_pass_is_written_by_number_and_reads_back() {
    let folder = folder("dump-all");
    let names = written(&folder, &["partition"], &[]);
    assert_eq!(
        names[..10].join(" "),
        "00-prune.mlir 01-fold.mlir 02-batch_indices.mlir 03-complete.mlir 04-inline.mlir 05-dce.mlir 06-plan.mlir 07-pad.mlir 08-reshard.mlir 09-localize.mlir"
    );
    assert_eq!(names.last().map(String::as_str), Some("26-schedule.mlir"));
    for name in &names {
        let text = std::fs::read_to_string(folder.join("out").join(name)).expect("the file is text");
        let source = meshwright_base::SourceText::new(name.as_str(), text);
        assert!(meshwright_cli::read::read(&source).is_ok(), "{name} does not read back");
    }
    let last = std::fs::read_to_string(folder.join("out/26-schedule.mlir")).expect("the last is there");
    assert_eq!(last, String::from_utf8_lossy(&meshwright(&folder, &["partition"], &[]).stdout));
}

#[test]
fn only_what_is_named_is_written_under_the_number_it_has() {
    let folder = folder("dump-some");
    let more = ["--dump-after", "dce", "--dump-after", "plan"];
    assert_eq!(
        written(&folder, &["partition"], &more),
        ["05-dce.mlir", "06-plan.mlir", "11-dce.mlir", "25-dce.mlir"]
    );
}

#[test]
fn whatever_compiles_writes() {
    let folder = folder("dump-commands");
    let commands: [&[&str]; 6] = [
        &["complete"],
        &["explain"],
        &["verify"],
        &["run", "--backend", "cpu"],
        &["bench", "compile"],
        &["bench", "step"],
    ];
    for command in commands {
        assert_eq!(written(&folder, command, &["--dump-after", "complete"]), ["03-complete.mlir"]);
    }
}

#[test]
fn what_cannot_be_written_is_refused_with_a_way_out() {
    let folder = folder("dump-refused");
    let refused = |command: &[&str], more: &[&str]| {
        let output = meshwright(&folder, command, more);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = refused(&["partition"], &["--dump-dir", "out", "--dump-after", "reduce_scater"]);
    assert!(
        said.contains("did you mean `reduce_scatter`? the stages and passes are prune, fold, batch_indices"),
        "{said}"
    );
    let said = refused(&["partition"], &["--dump-after", "dce"]);
    assert!(said.contains("`--dump-after dce`, but no folder") && said.contains("--dump-dir DIR"), "{said}");
    let said = refused(&["run"], &["--dump-dir", "out"]);
    assert!(said.contains("add `--backend cpu`"), "{said}");
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_name_that_does_not_run_is_told_with_what_would_run_it() {
    let folder = folder("dump-in-vain");
    let told = |command: &[&str], name: &str| {
        said(&meshwright(&folder, command, &["--dump-dir", "out", "--dump-after", name]))
    };
    for command in ["partition", "complete", "explain", "verify"] {
        let said = told(&[command], "in_place");
        assert!(
            said.contains("`--dump-after in_place`: it did not run")
                && said.contains("run FILE --backend cpu"),
            "{command}: {said}"
        );
    }
    assert!(told(&["partition"], "rematerialize").contains("--memory-limit BYTES"));
    assert!(told(&["complete"], "plan").contains("this command ends before it"));
    assert!(!told(&["partition"], "plan").contains("did not run"));
    let kept = said(&meshwright(
        &folder,
        &["partition"],
        &["--memory-limit", "1G", "--dump-dir", "out", "--dump-after", "rematerialize"],
    ));
    assert!(!kept.contains("did not run"), "{kept}");
}

#[test]
fn files_of_an_older_dump_go_and_nothing_else_does() {
    let folder = folder("dump-again");
    let out = folder.join("out");
    std::fs::create_dir_all(&out).expect("the folder is made");
    for own in ["00-prune.txt", "99-dce.mlir", "notes.mlir"] {
        std::fs::write(out.join(own), "mine").expect("a file of the user's");
    }
    let run =
        |more: &[&str]| said(&meshwright(&folder, &["partition"], &[&["--dump-dir", "out"], more].concat()));
    assert!(!run(&[]).contains("older dump"));
    let told = run(&["--dump-after", "dce", "--dump-after", "plan"]);
    assert!(
        told.contains("of an older dump into `out` these files are gone: 00-prune.mlir, 01-")
            && told.contains(" more\n"),
        "{told}"
    );
    let names = out.read_dir().expect("a folder").map(|file| file.expect("a file").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let is_new = |name: &String| {
        !name.starts_with("99") && (name.ends_with("-dce.mlir") || name.ends_with("-plan.mlir"))
    };
    let (new, mut others): (Vec<String>, Vec<String>) = names.partition(is_new);
    others.sort_unstable();
    assert_eq!(others, [".meshwright-dump", "00-prune.txt", "99-dce.mlir", "notes.mlir"]);
    assert_eq!(new.len(), 4, "{new:?}");
    assert!(
        !run(&["--dump-after", "dce", "--dump-after", "plan"]).contains("older dump"),
        "all are written again"
    );
}

#[test]
fn every_pass_is_verified_where_that_is_asked_for() {
    let folder = folder("dump-verified");
    for command in [
        &["partition"][..],
        &["run", "--backend", "cpu"],
        &["verify", "--backend", "cpu"],
        &["bench", "compile"],
    ] {
        said(&meshwright(&folder, command, &["--verify-each"]));
    }
    let refused = meshwright(&folder, &["run"], &["--verify-each"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("add `--backend cpu`"), "{refused:?}");
}

/// A pipeline's buffer is computed where the permute takes it from, and used where it comes to: nothing copies it
/// between. The step list tells what copies; slices that are stacked for the backward pass are written once.
#[test]
fn a_shifting_buffer_is_copied_by_nothing_but_its_permute() {
    let folder = folder("dump-pipeline");
    for how in ["pad", "roll", "concat"] {
        let test = format!("../../tests/filetests/partition/a_pipeline_of_jax_by_{how}.mlir");
        let test = Path::new(env!("CARGO_MANIFEST_DIR")).join(test);
        std::fs::copy(&test, folder.join("in.mlir")).expect("the module is copied");
        let last = written(&folder, &["run"], &["--backend", "cpu"]).pop().expect("a list of steps");
        let text = std::fs::read_to_string(folder.join("out").join(last)).expect("the file is text");
        let words = |line: &str| -> Vec<String> {
            line.split(|c: char| !c.is_alphanumeric() && c != '%').map(String::from).collect()
        };
        let permutes: Vec<Vec<String>> = text
            .lines()
            .filter(|line| line.starts_with("    collective!") && line.contains("collective_permute"))
            .map(words)
            .collect();
        assert_eq!(permutes.len(), 2, "one there and one back: {text}");
        let moved =
            |word: &String| word.starts_with('%') && permutes.iter().any(|permute| permute.contains(word));
        let copies: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("    copy") && words(line).iter().any(moved))
            .collect();
        assert!(copies.is_empty(), "{how}: {copies:?}\n{text}");
    }
}
