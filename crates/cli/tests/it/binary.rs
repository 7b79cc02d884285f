//! The binary from outside: exit codes, which stream says what, and what bad input is told.

use meshwright_base::units::bytes;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const MODULE: &str = "module @tiny {
  func.func public @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0, %n : tensor<2xf32>, tensor<i32>
  }
}
";

/// Run the binary with a text on standard input.
fn meshwright(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// A refusal: nothing on stdout; exit code and stderr are given back.
fn refused(args: &[&str], input: &[u8]) -> (i32, String) {
    let output = meshwright(args, input);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args:?}");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// A success: nothing on stderr; stdout is given back.
fn done(args: &[&str], input: &str) -> String {
    let output = meshwright(args, input.as_bytes());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stdout).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn help_teaches_with_examples() {
    assert!(done(&["--help"], "").contains("Exit codes:\n  0 "));
    for command in ["check", "print", "run"] {
        let help = done(&[command, "--help"], "");
        assert!(help.contains("Examples:\n  meshwright"), "{help}");
    }
}

#[test]
fn wrong_usage_is_2() {
    assert_eq!(refused(&[], b"").0, 2);
    assert_eq!(refused(&["chek", "x"], b"").0, 2);
    assert_eq!(refused(&["run", "x", "--devices", "0"], b"").0, 2);
    let (code, said) = refused(&["print", "-", "--format", "hlo", "--generic"], MODULE.as_bytes());
    assert_eq!(code, 2);
    assert!(said.contains("= help: drop them"), "{said}");
}

#[test]
fn what_cannot_be_opened_is_3() {
    let (code, said) = refused(&["check", "no-such-file.mlir"], b"");
    assert_eq!(code, 3);
    assert!(said.contains("`no-such-file.mlir`") && said.contains("= help:"), "{said}");
    let (code, said) = refused(&["check", "."], b"");
    assert_eq!(code, 3);
    assert!(said.contains("`.` is a folder"), "{said}");
    let outputs = folder("unwritable").join("no-such-folder/out.npz");
    assert_eq!(refused(&["run", "-", "--outputs", outputs.to_str().unwrap()], MODULE.as_bytes()).0, 3);
}

#[test]
fn a_dash_is_standard_output_and_reports_go_to_stderr() {
    let split = "module {\n  sdy.mesh @m = <[\"x\"=2]>\n  func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, \
                 [{\"x\"}]>}) -> tensor<4xf32> {\n    return %x : tensor<4xf32>\n  }\n}\n";
    let output = meshwright(&["partition", "-", "-o", "-"], split.as_bytes());
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.starts_with("module") && out.contains("tensor<2xf32>"), "{out}");
    assert!(!err.contains("module") && output.status.success(), "{err}");
    assert_eq!(done(&["partition", "-"], split), out);
    let counted = done(&["complete", "-", "--stats"], split);
    for (args, told) in [(&["complete", "-"][..], &*counted), (&["print", "-", "--format", "hlo"], "")] {
        let module = done(args, split);
        let output = meshwright(&[args, &["-o", "-"]].concat(), split.as_bytes());
        assert_eq!((output.stdout, output.stderr), (module.clone().into(), told.into()), "{args:?}");
        let file = folder("written").join(args[0]);
        assert_eq!(done(&[args, &["-o", file.to_str().unwrap()]].concat(), split), told);
        assert_eq!(std::fs::read_to_string(file).unwrap(), module);
    }
    let archive = meshwright(&["run", "-", "--outputs", "-"], MODULE.as_bytes());
    assert_eq!(&archive.stdout[..2], b"PK");
    let output = meshwright(&["partition", "-", "--stats", "-"], split.as_bytes());
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.starts_with('{') && !out.contains("func.func"), "{out}");
    assert!(output.status.success() && !err.contains("func.func"), "{err}");
    let (code, said) = refused(&["partition", "-", "-o", "-", "--stats", "-"], split.as_bytes());
    assert_eq!(code, 2);
    assert!(said.contains("`-o -` and `--stats -`: both"), "{said}");
    let (code, said) = refused(&["train", "switch-tiny", "--out", "-"], b"");
    assert!(code == 2 && said.contains("`--out` names a folder"), "{said}");
}

#[test]
fn presets_are_a_sorted_table_with_sizes() {
    let said = done(&["presets"], "");
    let names: Vec<&str> = said
        .lines()
        .skip(1)
        .map_while(|line| line.split("  ").next().filter(|name| !name.is_empty()))
        .collect();
    assert!(names.len() > 20 && names.is_sorted(), "{said}");
    assert!(said.contains("gshard-36l-2048e") && said.contains("428 k"), "{said}");
    let (code, said) = refused(&["train", "t5-base"], b"");
    assert!(code == 1 && said.contains("`meshwright explain preset:t5-base`"), "{said}");
}

#[test]
fn bad_input_is_1_with_one_diagnostic() {
    for (input, expected) in [
        (&b""[..], "is empty"),
        (b"\n \n", "white space"),
        (b"module {\xff}", "byte 8, on line 1, is 0xff"),
        (b"\x7fELF\0\0\0", "byte 4 is zero"),
        (b"ML\xefR\x0d", "MLIR bytecode"),
        (b"what is this\n", "<stdin>:1:1"),
        (b"module {\n  func.func @main() {\n", "<stdin>:"),
    ] {
        let (code, said) = refused(&["check", "-"], input);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(expected), "{said}");
        assert_eq!(said.matches("error[").count(), 1, "{said}");
    }
}

#[test]
fn check_says_what_is_in_a_module() {
    let said = done(&["check", "-"], MODULE);
    for expected in ["module @tiny is sound", "parameters    2, 12 bytes", "1 add", "@main"] {
        assert!(said.contains(expected), "{said}");
    }
    let json: serde_json::Value = serde_json::from_str(&done(&["check", "-", "--json"], MODULE)).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(json["parameters"]["bytes"], 12);
    assert_eq!(json["ops"]["add"], 1);
}

#[test]
fn json_tells_programs_what_is_wrong_and_where() {
    let output = meshwright(&["check", "-", "--json"], b"module {\n  nonsense\n}\n");
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["ok"], &json["exit_code"]), (&false.into(), &1.into()));
    assert_eq!(json["diagnostics"][0]["severity"], "error");
    assert_eq!(json["diagnostics"][0]["place"]["line"], 2);
    assert!(!output.stderr.is_empty());
}

#[test]
fn print_translates_between_formats_and_back() {
    let hlo = done(&["print", "-", "--format", "hlo"], MODULE);
    assert!(hlo.starts_with("HloModule tiny"), "{hlo}");
    let back = done(&["print", "-"], &hlo);
    assert!(back.contains("stablehlo.add"), "{back}");
    assert!(done(&["print", "-", "--generic"], MODULE).contains("\"stablehlo.add\""));
}

#[test]
fn run_reads_and_writes_archives_and_compares_them() {
    let folder = folder("archives");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (out, twice) = (path("out.npz"), path("twice.npz"));
    assert_eq!(done(&["run", "-", "--seed", "7", "--outputs", &out], MODULE), "");
    // The outputs have the types of the inputs, so they can be fed again.
    assert_eq!(done(&["run", "-", "--inputs", &out, "--outputs", &twice], MODULE), "");
    assert_eq!(done(&["run", "-", "--inputs", &out, "--expect", &twice], MODULE), "2 of 2 results agree\n");
    let (code, said) = refused(&["run", "-", "--inputs", &twice, "--expect", &twice], MODULE.as_bytes());
    assert_eq!(code, 1);
    assert!(said.contains("result 0 differs:"), "{said}");
    assert!(std::fs::read_dir(&folder).unwrap().count() == 2, "no partial file stays");
}

#[test]
fn run_tells_which_array_does_not_fit() {
    let folder = folder("misfits");
    let out = folder.join("out.npz").to_str().unwrap().to_string();
    done(&["run", "-", "--outputs", &out], MODULE);
    let one =
        MODULE.replace("%n: tensor<i32>", "%n: tensor<3xi32>").replace(", tensor<i32>", ", tensor<3xi32>");
    let (code, said) = refused(&["run", "-", "--inputs", &out], one.as_bytes());
    assert_eq!(code, 1);
    assert!(said.contains("parameter 1 (`%n`) is s32[3], but its array is s32[]"), "{said}");
    let (code, by_engine) = refused(&["run", "-", "--inputs", &out, "--backend", "cpu"], one.as_bytes());
    assert_eq!((code, by_engine), (1, said), "the engine is told the same");
    std::fs::write(folder.join("bad.npz"), b"PK but no archive").unwrap();
    let bad = folder.join("bad.npz").to_str().unwrap().to_string();
    let (code, said) = refused(&["run", "-", "--inputs", &bad], MODULE.as_bytes());
    assert_eq!(code, 1);
    assert!(said.contains("no .npz archive"), "{said}");
}

#[test]
fn run_without_archives_prints_results_of_made_up_parameters() {
    let said = done(&["run", "-", "--seed", "1"], MODULE);
    assert!(said.starts_with("0: f32[2] ["), "{said}");
    assert_eq!(said, done(&["run", "-", "--seed", "1"], MODULE));
    assert_ne!(said, done(&["run", "-", "--seed", "2"], MODULE));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .arg("--help")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// A program that counts for minutes.
const LONG: &str = "func.func @main(%a: tensor<i64>) -> tensor<i64> {
  %end = stablehlo.constant dense<100000000000> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%i = %a) : tensor<i64>
  cond {
    %p = stablehlo.compare LT, %i, %end : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %n : tensor<i64>
  }
  return %r : tensor<i64>
}
";

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_run_that_says_where_it_was() {
    use std::time::{Duration, Instant};
    let file = folder("ctrl_c").join("long.mlir");
    std::fs::write(&file, LONG).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(["run", "--backend", "cpu"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Ctrl-C before the handler is there would end the process at once: wait until it is under way.
    let begun = Instant::now();
    while !handles_interrupts(child.id()) && begun.elapsed() < Duration::from_secs(60) {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code().is_some_and(|code| code != 0), "{:?}: {said}", output.status);
    assert!(said.contains("interrupted") && said.contains("device 0"), "{said}");
}

/// Whether a process has a handler for SIGINT.
#[cfg(target_os = "linux")]
fn handles_interrupts(process: u32) -> bool {
    const SIGINT: u32 = 2;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_some_and(|mask| mask & 1 << (SIGINT - 1) != 0)
}

#[test]
fn verify_says_what_it_computed_in_and_when_agreeing_says_little() {
    let module = |line: &str| {
        format!(
            "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  {line}\n  return %y : tensor<4xf32>\n}}\n"
        )
    };
    let verify = |line: &str, more: &[&str]| {
        let output =
            meshwright(&[&["verify", "-", "--devices", "2"], more].concat(), module(line).as_bytes());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let narrow = "%y = stablehlo.reduce_precision %x, format = e5m2 : tensor<4xf32>";
    let (code, said) = verify(narrow, &[]);
    assert_eq!(code, Some(0));
    assert!(said.contains("computed in the module's own types, as `%y` = reduce_precision looks"), "{said}");
    assert_eq!(verify(narrow, &["--dtype", "f64"]).0, Some(1));
    assert_eq!(verify(narrow, &["--dtype", "asis"]), (Some(0), String::new()));
    assert_eq!(verify("%y = stablehlo.add %x, %x : tensor<4xf32>", &[]), (Some(0), String::new()));
    let (code, said) = verify("%y = stablehlo.constant dense<0x7FC00000> : tensor<4xf32>", &[]);
    assert_eq!(code, Some(0));
    assert!(said.contains("result 0 in 100 %, so that they agree says little"), "{said}");
}

#[test]
fn who_partitions_a_program_of_one_device_is_told() {
    let global = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n";
    let local = r#"module @local attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<4xf32>) -> tensor<ui32> {
    %id = stablehlo.partition_id : tensor<ui32>
    return %id : tensor<ui32>
  }
}
"#;
    let told = |module: &str| {
        let output = meshwright(&["partition", "-"], module.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(told(global), "");
    let said = told(local);
    assert!(said.contains("partitioned already, for 2 devices: `%id` = partition_id"), "{said}");
    assert!(said.contains(":3:") && said.contains("the module that it was made from"), "{said}");
}

/// Layers forward and backward, on four devices: what is kept for the way back can be computed again.
fn layers() -> String {
    let ty = "tensor<1024xf32>";
    let mut lines = String::new();
    for at in 0..8 {
        lines += &format!("%d{at} = stablehlo.add %x{at}, %x{at} : {ty}\n");
        lines += &format!("%x{} = stablehlo.sine %d{at} : {ty}\n", at + 1);
    }
    lines += &format!("%g8 = stablehlo.exponential %x8 : {ty}\n");
    for at in (0..8).rev() {
        lines += &format!("%c{at} = stablehlo.cosine %d{at} : {ty}\n");
        lines += &format!("%g{at} = stablehlo.multiply %g{}, %c{at} : {ty}\n", at + 1);
    }
    let split = "{sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}";
    format!(
        "sdy.mesh @m = <[\"x\"=4]>\nfunc.func public @main(%x0: {ty} {split}) -> ({ty} {split}) {{\n{lines}return %g0 : {ty}\n}}"
    )
}

/// The statistics that `partition` writes, and what it says.
fn partitioned(name: &str, more: &[&str]) -> (serde_json::Value, String) {
    let folder = folder(name);
    let (stats, out) = (folder.join("stats.json"), folder.join("out.mlir"));
    let mut args = vec!["partition", "-", "--stats", stats.to_str().unwrap(), "-o", out.to_str().unwrap()];
    args.extend(more);
    let output = meshwright(&args, layers().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let written = serde_json::from_str(&std::fs::read_to_string(stats).unwrap()).unwrap();
    (written, String::from_utf8(output.stdout).unwrap())
}

#[test]
fn statistics_are_those_of_one_device_in_either_style() {
    let (plain, _) = partitioned("plain", &[]);
    let (embedded, _) = partitioned("embedded", &["--style", "embedded"]);
    assert_eq!(plain, embedded);
    assert_eq!(plain["parameter_bytes"], 1024);
}

#[test]
fn what_less_memory_would_cost_can_be_typed() {
    let (whole, said) = partitioned("whole", &[]);
    let points: Vec<Vec<&str>> = said
        .lines()
        .filter(|line| line.contains("no memory limit") || line.contains("--memory-limit"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let peak = |stats: &serde_json::Value| bytes(stats["program_peak_bytes"].as_f64().unwrap());
    assert!(said.contains("no memory limit") && points.len() >= 2, "{said}");
    assert_eq!(peak(&whole), points[0][4..6].join(" "));
    let kilobytes = |point: &Vec<&str>| point[4].parse::<f64>().unwrap();
    assert!(points.windows(2).all(|pair| kilobytes(&pair[0]) > kilobytes(&pair[1])), "{said}");
    for point in points.iter().filter(|point| point.contains(&"--memory-limit")) {
        let [.., typed, limit] = point[..] else { panic!("{point:?}") };
        let (less, said) = partitioned("less", &[typed, limit]);
        assert_eq!(peak(&less), point[4..6].join(" "), "{point:?}");
        assert!(!said.contains("--memory-limit"), "the choice is made: {said}");
    }
}

/// Tokens look their rows up in a table that is split by rows.
const LOOKUP: &str = r#"sdy.mesh @m = <["x"=2]>
func.func public @main(
    %table: tensor<512x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
    %tokens: tensor<64x4x1xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}
) -> (tensor<64x4x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}]>}) {
  %0 = "stablehlo.gather"(%table, %tokens) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 16>}> : (tensor<512x16xf32>, tensor<64x4x1xi32>) -> tensor<64x4x16xf32>
  return %0 : tensor<64x4x16xf32>
}
"#;

#[test]
fn what_takes_less_time_can_be_typed() {
    let out = folder("least-seconds").join("out.mlir");
    let said = |more: &[&str]| {
        let args = [&["partition", "-", "-o", out.to_str().unwrap()], more].concat();
        let output = meshwright(&args, LOOKUP.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let sent = |said: &str| said.lines().find(|line| line.starts_with("  total ")).unwrap().to_owned();
    let bytes = said(&[]);
    let point = |end: &str| bytes.lines().find(|line| line.ends_with(end)).unwrap().split_whitespace();
    let [seconds, unit, more, ..] = point("--least seconds").collect::<Vec<_>>()[..] else {
        panic!("{bytes}")
    };
    let [first, of_first, ..] = point("no memory limit").collect::<Vec<_>>()[..] else { panic!("{bytes}") };
    let number = |word: &str| word.parse::<f64>().unwrap();
    assert!(unit == of_first && number(seconds) < number(first), "{bytes}");
    let seconds = said(&["--least", "seconds"]);
    assert!(sent(&seconds).contains(more) && !sent(&bytes).contains(more), "{bytes}{seconds}");
    assert!(!seconds.contains("--least"), "the choice is made: {seconds}");
}

#[test]
fn a_target_s_memory_is_the_limit() {
    let (_, said) = partitioned("target", &["--target", "tpu-v3"]);
    assert!(said.contains("collectives per device and step\n"), "{said}");
    let (code, said) = refused(&["partition", "-", "--target", "abacus"], layers().as_bytes());
    assert!(code == 2 && said.contains("tpu-v3"), "{said}");
}

#[test]
fn explain_tells_what_a_preset_computes_again() {
    let told = meshwright(&["explain", "preset:gspmd-16b-pipe-8x16x2"], b"").stdout;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains(" useful flops (62.2%, 17.9% pipeline bubbles, 20.0% recomputed)"), "{told}");
}

#[test]
fn whatever_takes_a_module_takes_a_preset() {
    let out = |args: &[&str]| String::from_utf8(meshwright(args, b"").stdout).unwrap();
    let (told, counts) =
        (out(&["explain", "preset:t5-tiny"]), out(&["complete", "preset:t5-tiny", "--stats"]));
    assert!(
        told.contains(" (preset:t5-tiny) on 8 devices, mesh ")
            && told.contains("explain preset:t5-tiny --why"),
        "{told}"
    );
    assert!(counts.starts_with("given "), "{counts}");
    for command in ["explain", "complete", "check", "partition", "print"] {
        let (code, said) = refused(&[command, "preset:t5-tny"], b"");
        assert!(code == 1 && said.contains("did you mean `t5-tiny`? there are"), "{command}: {said}");
        let (code, said) = refused(&[command, "t5-tiny"], b"");
        assert!(
            code == 3 && said.contains("comes with the program is `preset:t5-tiny`"),
            "{command}: {said}"
        );
    }
}
