//! Every kind of bad input there is: one diagnostic with its place, a caret and a way out, the right exit code, and no
//! more memory than the input is worth.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Run the command with this on standard input; on Linux with 3 GB of address space, most of which is set aside for its
/// stack.
fn meshwright(args: &[&str], input: &[u8]) -> Output {
    let binary = env!("CARGO_BIN_EXE_meshwright");
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 3145728; exec \"$0\" \"$@\"", binary]);
        shell
    } else {
        Command::new(binary)
    };
    let command = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // One that does not look at its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn refused(args: &[&str], input: &[u8]) -> (i32, String) {
    let output = meshwright(args, input);
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).unwrap())
}

fn function(body: &str) -> String {
    format!(
        "func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {{\n{body}\n  return %a : tensor<2xf32>\n}}\n"
    )
}

fn hlo(body: &str) -> String {
    format!("HloModule m\n\nENTRY e {{\n  a = f32[2] parameter(0)\n{body}\n}}\n")
}

/// One diagnostic: its message, its line and column, a caret, a way out.
#[track_caller]
fn one(input: &str, message: &str, place: &str) {
    let (code, said) = refused(&["check", "-"], input.as_bytes());
    assert_eq!(code, 1, "{said}");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    assert!(said.contains(message), "{said}");
    assert!(said.contains(&format!("--> <stdin>:{place}\n")), "{said}");
    assert!(said.contains('^') && said.contains("= help: "), "{said}");
}

#[test]
fn a_file_that_is_missing_is_3() {
    let (code, said) = refused(&["check", "no-such-file.hlo"], b"");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("`no-such-file.hlo`") && said.contains("= help: "), "{said}");
}

#[test]
fn a_binary_is_1() {
    let binary: Vec<u8> = (0..1 << 20).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let (code, said) = refused(&["check", "-"], &binary);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("is not text") && said.matches("error[").count() == 1, "{said}");
}

#[test]
fn truncated_modules() {
    one("module @m {\n  func.func public @main(%a: tensor<2xf32>) {\n    %0 = stab", "cut off", "3:10");
    one("module @m {\n  func.func public @main(%a: tensor<2xf32>) {\n    %0", "cut off", "3:7");
    one("HloModule m\n\nENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[2] neg", "cut off", "5:17");
    let layout = "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\n";
    one(&format!("{layout}f (p: f32[], q: f3"), "never closed", "3:3");
}

#[test]
fn unknown_ops() {
    one(&function("  %0 = stablehlo.nonsense %a : tensor<2xf32>"), "unknown op `stablehlo.nonsense`", "2:8");
    one(&hlo("  ROOT b = f32[2] nonsense(a)"), "unknown opcode `nonsense`", "5:19");
}

#[test]
fn wrong_shapes() {
    one(
        &function("  %0 = stablehlo.add %a, %a : tensor<3xf32>"),
        "has type f32[2], but is used as f32[3]",
        "2:22",
    );
    one(&hlo("  ROOT b = f32[3] add(a, a)"), "`%b` is declared f32[3], but is f32[2]", "5:8");
    let huge = "tensor<4611686018427387904x8xf32>";
    one(
        &function(&format!("  %0 = stablehlo.iota dim = 0 : {huge}")),
        "more bytes than can be counted",
        "2:33",
    );
    one(&hlo("  ROOT b = f32[4611686018427387904,8] iota(), iota_dimension=0"), "more bytes than", "5:12");
}

#[test]
fn uses_before_definitions() {
    let body = "  %0 = stablehlo.negate %1 : tensor<2xf32>\n  %1 = stablehlo.negate %a : tensor<2xf32>";
    one(&function(body), "`%1` is used here but not defined before", "2:25");
    one(
        &hlo("  b = f32[2] negate(c)\n  ROOT c = f32[2] negate(a)"),
        "`c` is used, but nothing above",
        "5:21",
    );
}

#[test]
fn literals_of_the_wrong_size() {
    one(&function("  %0 = stablehlo.constant dense<[1.0]> : tensor<2xf32>"), "this list has 1 items", "2:37");
    one(&hlo("  ROOT b = f32[2] constant({1, 2, 3})"), "2", "5:36");
}

#[test]
fn unknown_attributes() {
    one(
        &function("  %0 = stablehlo.negate %a {nonsense = 1 : i64} : tensor<2xf32>"),
        "unknown attribute",
        "2:40",
    );
    one(&hlo("  ROOT b = f32[2] negate(a), nonsense={1}"), "`negate` has no attribute `nonsense`", "5:30");
}

#[test]
fn a_hundred_thousand_nested_brackets() {
    let nested = |open: &str, close: &str| open.repeat(100_000) + "1" + &close.repeat(100_000);
    let dense = format!("  %0 = stablehlo.constant dense<{}> : tensor<f32>", nested("[", "]"));
    one(&function(&dense), "lists nest deeper than f32[]", "2:33");
    one(&hlo(&format!("  ROOT b = f32[] constant({})", nested("{", "}"))), "braces nest deeper", "5:27");
}

/// Two gigabytes, were they written out.
#[test]
fn a_huge_splat_is_read_and_written_in_little_memory() {
    let ty = "tensor<500000000xf32>";
    let text = format!(
        "func.func public @main() -> {ty} {{\n  %0 = stablehlo.constant dense<1.0> : {ty}\n  return %0 : {ty}\n}}\n"
    );
    for args in [&["check", "-"][..], &["print", "-"], &["print", "-", "--format", "hlo"]] {
        let output = meshwright(args, text.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.len() < 1_000, "{args:?}");
    }
}

#[test]
fn a_program_that_needs_more_memory_than_there_is_is_refused_before_it_runs() {
    let ty = "tensor<500000000xf32>";
    let splat = format!(
        "func.func public @main() -> {ty} {{\n  %big = stablehlo.constant dense<1.0> : {ty}\n  return %big : {ty}\n}}\n"
    );
    let taken = format!("func.func public @main(%a: {ty}) -> {ty} {{\n  return %a : {ty}\n}}\n");
    let said = refuses_to_run(&splat, &[]);
    assert!(said.contains("`constant` `%big`: its results take 4000000000 bytes on 1 devices"), "{said}");
    let (code, said) = refused(&["run", "-", "--backend", "cpu"], splat.as_bytes());
    assert_eq!((code, said.matches("error[").count()), (3, 1), "{said}");
    assert!(
        said.contains("parameters and results take 4000000000 bytes") && said.contains("= help: "),
        "{said}"
    );
    let said = refuses_to_run(&taken, &["--memory-limit", "100000"]);
    assert!(said.contains("the parameters take 4000000000 bytes on 1 devices"), "{said}");
    assert!(said.contains("the limit is 100000"), "{said}");
}

#[track_caller]
fn refuses_to_run(text: &str, more: &[&str]) -> String {
    let (code, said) = refused(&[&["run", "-"], more].concat(), text.as_bytes());
    assert_eq!((code, said.matches("error[").count()), (1, 1), "{said}");
    assert!(said.contains("= help: ") && said.contains("--memory-limit"), "{said}");
    said
}

#[test]
fn several_errors_are_told_in_one_go() {
    let body = "  %0 = stablehlo.nonsense %a : tensor<2xf32>\n  %1 = stablehlo.negate %zz : tensor<2xf32>\n  \
                %2 = stablehlo.add %a, %a : tensor<3xf32>\n  %3 = stablehlo.constant dense<[1.0]> : tensor<2xf32>";
    let (code, said) = refused(&["check", "-"], function(body).as_bytes());
    assert_eq!((code, said.matches("error[").count()), (1, 4), "{said}");
    let body = "  b = f32[2] nonsense(a)\n  c = f32[2] negate(zz)\n  d = f32[2] negate(a), nonsense={1}\n  \
                ROOT e = f32[2] negate(a)";
    let (code, said) = refused(&["check", "-"], hlo(body).as_bytes());
    assert_eq!((code, said.matches("error[").count()), (1, 3), "{said}");
}

#[test]
fn a_foreign_call_is_sound_and_only_running_it_is_an_error() {
    let body = "  %0 = stablehlo.custom_call @mine(%a) : (tensor<2xf32>) -> tensor<2xf32>";
    assert_eq!(meshwright(&["check", "-"], function(body).as_bytes()).status.code(), Some(0));
    let (code, said) = refused(&["run", "-"], function(body).as_bytes());
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the target `mine`") && said.contains("= help: "), "{said}");
}

#[test]
fn instructions_that_nobody_has_are_refused_with_those_there_are() {
    let (code, said) = refused(&["check", "-", "--cpu", "sse9"], b"");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("no instructions are called `sse9`; use one of: portable"), "{said}");
    let output = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(["check", "-"])
        .env("MESHWRIGHT_CPU", "sse9")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("so says MESHWRIGHT_CPU") && said.contains("= help: use one of: portable"),
        "{said}"
    );
}
