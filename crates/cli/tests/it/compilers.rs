//! `compile` by the compilers of TPUs and of GPUs, without either: `MESHWRIGHT_PJRT_PLUGIN` names `libtpu.so`, CUDA's
//! plugin, or both. CI runs these where their packages can be had.
#![allow(clippy::print_stderr, reason = "who runs the tests is told what was skipped")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Every kind of collective that a plan writes: a sum, pieces put together, a sum in pieces, an exchange, a shift.
const COLLECTIVES: &str = r#"
sdy.mesh @m = <["x"=4]>
func.func public @main(
    %a: tensor<256x512xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
    %b: tensor<512x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    %c: tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}
) -> (
    tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>},
    tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>},
    tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
    tensor<256x256xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}
) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %s = stablehlo.tanh %a : tensor<256x512xf32>
  %1 = stablehlo.dot_general %s, %b, contracting_dims = [1] x [0] : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  %2 = stablehlo.exponential %c : tensor<256x256xf32>
  %3 = stablehlo.sine %c : tensor<256x256xf32>
  %4 = stablehlo.slice %c [1:256, 0:256] : (tensor<256x256xf32>) -> tensor<255x256xf32>
  %5 = stablehlo.slice %c [0:1, 0:256] : (tensor<256x256xf32>) -> tensor<1x256xf32>
  %6 = stablehlo.concatenate %4, %5, dim = 0 : (tensor<255x256xf32>, tensor<1x256xf32>) -> tensor<256x256xf32>
  return %0, %1, %2, %3, %6 : tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>, tensor<256x256xf32>
}
"#;

/// A parameter of 128 GiB on each of 4 devices: more than any has.
const TOO_LARGE: &str = r#"
sdy.mesh @m = <["x"=4]>
func.func public @main(
    %a: tensor<262144x131072xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}]>},
    %b: tensor<131072x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}
) -> tensor<262144x16xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<262144x131072xf32>, tensor<131072x16xf32>) -> tensor<262144x16xf32>
  return %0 : tensor<262144x16xf32>
}
"#;

fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-compilers-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn meshwright(typed: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshwright")).args(typed).output().unwrap()
}

/// Whether there is a compiler of these devices, by what its library is called; where there is none, a line says so.
fn has_compiler(library: &str) -> bool {
    let plugins = std::env::var("MESHWRIGHT_PJRT_PLUGIN").unwrap_or_default();
    let is_there = plugins.contains(library);
    if !is_there {
        eprintln!("# SKIPPED: programs compiled by {library} (MESHWRIGHT_PJRT_PLUGIN names none)");
    }
    is_there
}

/// What `compile --json` answers, and the exit code.
fn compile(module: &Path, more: &[&str]) -> (Value, Option<i32>) {
    let output = meshwright(&[&["compile", module.to_str().unwrap(), "--json"], more].concat());
    let answer = serde_json::from_slice(&output.stdout);
    (answer.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr))), output.status.code())
}

fn code(answer: &Value) -> &str {
    answer["diagnostics"][0]["code"].as_str().unwrap_or("none")
}

#[test]
fn the_compiler_keeps_each_collective_and_adds_none() {
    if !has_compiler("libtpu") {
        return;
    }
    let module = file("collectives.mlir", COLLECTIVES);
    let (answer, exit) = compile(&module, &["--target", "tpu-v4:2x2x1"]);
    assert_eq!(exit, Some(0), "{answer:#}");
    let (written, compiled) = (&answer["collectives_written"], &answer["collectives_compiled"]);
    let kinds: Vec<&String> = written.as_object().unwrap().keys().collect();
    assert_eq!(
        kinds,
        ["all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter"],
        "{written}"
    );
    assert_eq!(written, compiled);
    let arguments = 4 * (256 * 128 + 128 * 256 + 64 * 256);
    assert_eq!(answer["memory"]["arguments"], arguments, "{:#}", answer["memory"]);
    assert_eq!(answer["fits"], true);
    let sent = &answer["collectives_sent"]["all-gather"];
    assert!(sent["runs"].as_f64() == Some(1.0) && sent["bytes"].as_f64().unwrap() > 0.0, "{sent}");
    // Without loops, both count the same instructions of one device.
    let flops = ["costs", "planned"].map(|of| answer[of]["flops"].as_f64().unwrap());
    assert!((flops[0] / flops[1] - 1.0).abs() < 0.1, "{flops:?}");
    assert_eq!(answer["planned"]["flops"], answer["planned"]["flops_once"]);
}

#[test]
fn a_program_takes_a_part_of_a_machine_or_the_cores_of_its_chips() {
    if !has_compiler("libtpu") {
        return;
    }
    let module = file("part.mlir", COLLECTIVES);
    for (target, devices) in [("tpu-v4:2x2x2", 4), ("tpu-v4-core:2x1x1", 4), ("tpu-v3:4x4", 4)] {
        let (answer, exit) = compile(&module, &["--target", target]);
        assert_eq!((exit, answer["devices"].as_i64()), (Some(0), Some(devices)), "{target}: {answer:#}");
        assert_eq!(answer["memory"]["arguments"], 4 * (256 * 128 + 128 * 256 + 64 * 256), "{target}");
    }
}

/// Twelve layers by one loop, whose weights are gathered in it.
const LOOP: &str = r#"
sdy.mesh @m = <["x"=8]>
func.func public @main(
    %w: tensor<12x512x512xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {}, {}]>},
    %a: tensor<1024x512xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}
) -> tensor<1024x512xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<12> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %b = %a) : tensor<i32>, tensor<1024x512xf32>
  cond {
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %l = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 512, 512] : (tensor<12x512x512xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xf32>
    %r = stablehlo.reshape %l : (tensor<1x512x512xf32>) -> tensor<512x512xf32>
    %d = stablehlo.dot_general %b, %r, contracting_dims = [1] x [0] : (tensor<1024x512xf32>, tensor<512x512xf32>) -> tensor<1024x512xf32>
    %t = stablehlo.tanh %d : tensor<1024x512xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %t : tensor<i32>, tensor<1024x512xf32>
  }
  return %0#1 : tensor<1024x512xf32>
}
"#;

#[test]
fn the_trips_of_a_loop_come_into_the_seconds() {
    if !has_compiler("libtpu") {
        return;
    }
    let (answer, exit) = compile(&file("loop.mlir", LOOP), &["--target", "tpu-v3:2x2"]);
    assert_eq!(exit, Some(0), "{answer:#}");
    let cycles = &answer["cycles"];
    assert_eq!((&cycles["loops"], &cycles["unread"]), (&1.into(), &0.into()), "{cycles}");
    let number = |value: &Value| value.as_f64().unwrap();
    let trips = number(&cycles["all"]) / number(&cycles["once"]);
    assert!(trips > 1.5 && trips < 12.0, "more is done in the loop than around it: {cycles}");
    // The compiler's own seconds of one trip, and the others at the clock of v3.
    let others = (number(&cycles["all"]) - number(&cycles["once"])) / 0.94e9;
    let told = number(&answer["estimated_s"]) - number(&answer["optimal_s"]);
    assert!(others > 0.0 && (told / others - 1.0).abs() < 1e-9, "{told} {others}");
    // The body of the loop is counted once, there and here.
    let [compiler, once] = [&answer["costs"]["flops"], &answer["planned"]["flops_once"]].map(number);
    assert!((compiler / once - 1.0).abs() < 0.1, "{compiler} {once}");
    assert!(number(&answer["planned"]["flops"]) > 11.0 * once, "{:#}", answer["planned"]);
}

#[test]
fn a_program_that_is_partitioned_already_is_compiled_as_it_is() {
    if !has_compiler("libtpu") {
        return;
    }
    let (module, local) = (file("whole.mlir", COLLECTIVES), file("local.mlir", ""));
    let written = meshwright(&["partition", module.to_str().unwrap(), "-o", local.to_str().unwrap()]);
    assert!(written.status.success());
    let [whole, again] = [&module, &local].map(|path| compile(path, &["--target", "tpu-v4:2x2x1"]).0);
    for member in ["collectives_written", "collectives_compiled"] {
        assert_eq!(whole[member], again[member], "{again:#}");
    }
    assert_eq!(whole["memory"]["arguments"], again["memory"]["arguments"]);
}

#[test]
fn what_was_compiled_is_kept_in_a_file() {
    if !has_compiler("libtpu") {
        return;
    }
    let (module, saved) = (file("saved.mlir", COLLECTIVES), file("saved.bin", ""));
    let (answer, _) = compile(&module, &["--target", "tpu-v5e:2x2", "--save", saved.to_str().unwrap()]);
    assert_eq!(answer["saved"].as_str(), saved.to_str(), "{answer:#}");
    assert!(std::fs::metadata(&saved).unwrap().len() > 1000);
    // Without a TPU it does not run, and that it is another program is told all the same.
    let run = |module: &Path| {
        let typed = ["run", module.to_str().unwrap(), "--backend", "pjrt", "--json", "--stored"];
        let output = meshwright(&[&typed[..], &[saved.to_str().unwrap()]].concat());
        (serde_json::from_slice::<Value>(&output.stdout).unwrap(), output.status.code())
    };
    let (own, exit) = run(&module);
    assert_eq!((code(&own), exit), ("E0734", Some(3)), "{own:#}");
    let (other, exit) = run(&file("other.mlir", TOO_LARGE));
    assert_eq!((code(&other), exit), ("E0720", Some(1)), "{other:#}");
    let message = other["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("it was compiled from program"), "{message}");
}

#[test]
fn what_the_plugin_cannot_do_is_told_with_its_words() {
    if !has_compiler("libtpu") {
        return;
    }
    let module = file("told.mlir", COLLECTIVES);
    let (shape, exit) = compile(&module, &["--target", "tpu-v4:2x3x1"]);
    assert_eq!((code(&shape), exit), ("E0733", Some(2)), "{shape:#}");
    let (count, exit) = compile(&module, &["--target", "tpu-v4:1x1x1"]);
    assert_eq!((code(&count), exit), ("E1180", Some(1)), "{count:#}");
    let (part, exit) = compile(&module, &["--target", "tpu-v5e:4x4"]);
    assert_eq!((code(&part), exit), ("E0713", Some(2)), "{part:#}");
    let (none, exit) = compile(&module, &[]);
    assert_eq!((code(&none), exit), ("E0734", Some(3)), "{none:#}");
    let (large, exit) = compile(&file("large.mlir", TOO_LARGE), &["--target", "tpu-v5e:2x2"]);
    assert_eq!((code(&large), exit), ("E0736", Some(1)), "{large:#}");
    let notes = large["diagnostics"][0]["notes"].to_string();
    assert!(notes.contains("HBM") && notes.contains("plan` counts"), "{notes}");
}

/// What the compiler leaves of a device's memory is what plans count on, and the shapes that are listed are taken.
#[test]
fn machines_are_as_the_compiler_has_them() {
    if !has_compiler("libtpu") {
        return;
    }
    let module = file("larger.mlir", TOO_LARGE);
    let listed: Value = serde_json::from_slice(&meshwright(&["doctor", "--json"]).stdout).unwrap();
    let machines = listed["machines"].as_array().unwrap();
    let tpus = machines.iter().filter(|machine| machine["name"].as_str().unwrap().starts_with("tpu-"));
    let mut count = 0;
    for machine in tpus {
        let (name, capacity) = (machine["name"].as_str().unwrap(), machine["memory"].as_f64().unwrap());
        // The program has 4 devices; the smallest of some kinds have 8, and the larger a part of them.
        let shape = machine["shapes"][0].as_str().unwrap();
        let (refused, exit) = compile(&module, &["--target", &format!("{name}:{shape}")]);
        assert_eq!((code(&refused), exit), ("E0736", Some(1)), "{name}: {refused:#}");
        let notes = refused["diagnostics"][0]["notes"].to_string();
        let left = notes.split("exceeds available HBM (").nth(1).or(notes.split(" of ").nth(1));
        let left: f64 = left.and_then(|rest| rest.split('G').next()?.parse().ok()).expect(&notes);
        assert!((capacity / left / f64::from(1 << 30) - 1.0).abs() < 1e-6, "{name}: {capacity} {notes}");
        count += 1;
    }
    assert_eq!(count, 7);
}

#[test]
fn the_doctor_opens_a_plugin_in_a_process_of_its_own() {
    if !has_compiler("libtpu") {
        return;
    }
    let output = meshwright(&["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("libtpu.so") && text.contains("there is no device"), "{text}");
    assert!(text.contains("PJRT API 0."), "{text}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_that_is_no_plugin_is_told() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let library =
        maps.lines().find_map(|line| line.split_whitespace().last().filter(|path| path.contains("/libc.so")));
    let library = library.expect("this process has the library of C");
    let module = file("foreign.mlir", COLLECTIVES);
    let (answer, exit) = compile(&module, &["--target", "tpu-v4:2x2x1", "--plugin", library]);
    assert_eq!((code(&answer), exit), ("E0731", Some(3)), "{answer:#}");
}

#[test]
fn the_compiler_of_gpus_keeps_collectives_and_tells_memory() {
    if !has_compiler("xla_cuda") {
        return;
    }
    let (module, stored) = (file("gpus.mlir", COLLECTIVES), file("gpus.bin", ""));
    let more = ["--target", "h100:4", "--save", stored.to_str().unwrap()];
    let (answer, exit) = compile(&module, &more);
    assert_eq!(exit, Some(0), "{answer:#}");
    let (written, compiled) = (&answer["collectives_written"], &answer["collectives_compiled"]);
    assert_eq!(written, compiled);
    let arguments = 4 * (256 * 128 + 128 * 256 + 64 * 256);
    assert_eq!(answer["memory"]["arguments"], arguments, "{:#}", answer["memory"]);
    assert_eq!(answer["fits"], true);
    assert!(std::fs::metadata(&stored).unwrap().len() > 1 << 10);
    for (target, devices) in [("h200:8", 4), ("a100-40:2x2", 4), ("a100-80:4", 4)] {
        let (answer, exit) = compile(&module, &["--target", target]);
        assert_eq!((exit, answer["devices"].as_i64()), (Some(0), Some(devices)), "{target}: {answer:#}");
    }
    let (answer, exit) = compile(&module, &["--target", "h100:2"]);
    assert_eq!((exit, code(&answer)), (Some(1), "E1180"), "{answer:#}");
    let (answer, exit) = compile(&file("large_gpus.mlir", TOO_LARGE), &["--target", "h100:4"]);
    assert_eq!(exit, Some(1), "{answer:#}");
}
