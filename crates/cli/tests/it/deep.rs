//! Nesting and chains far beyond what anybody writes end in an answer, not in a stack overflow.

use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code of a command on a text.
fn exit_code(args: &[&str], text: &str) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait().unwrap().code()
}

fn nested(before: &str, open: &str, inner: &str, close: &str, after: &str) -> String {
    const DEPTH: usize = 50_000;
    format!("{before}{}{inner}{}{after}", open.repeat(DEPTH), close.repeat(DEPTH))
}

#[test]
fn nesting_beyond_the_limit_is_refused() {
    let texts = [
        nested(
            "func.func public @main() -> tensor<f32> {\n %0 = stablehlo.constant dense<",
            "[",
            "1.0",
            "]",
            ">",
        ),
        nested(
            "func.func public @main(%a: tensor<f32>) {\n",
            "%0 = \"stablehlo.while\"(%a) ({\n",
            "",
            "",
            "",
        ),
        nested("module attributes {a = ", "{a = ", "", "}", "} {\n}\n"),
        nested("module {\n} loc(", "fused[", "", "]", ")\n"),
        nested("func.func public @main(%a: ", "tuple<", "tensor<f32>", ">", ") {\n return\n}\n"),
        nested("HloModule m\nENTRY main {\n  a = ", "(", "f32[]", ")", " parameter(0)\n}\n"),
        nested("HloModule m\nENTRY main {\n  ROOT a = f32[] parameter(0), sharding=", "{", "", "}", "\n}\n"),
        nested("HloModule m\nENTRY main {\n  ROOT a = f32[1] constant(", "{", "1", "}", ")\n}\n"),
    ];
    for text in texts {
        assert_eq!(exit_code(&["check", "-"], &text), Some(1), "{}..", &text[..60]);
    }
}

#[test]
fn long_chains_of_calls_are_handled() {
    const LENGTH: usize = 10_000;
    let ty = "tensor<f32>";
    let link = |at: usize| {
        let next = at + 1;
        format!(
            "func.func private @f{at}(%a: {ty}) -> {ty} {{\n %0 = call @f{next}(%a) : ({ty}) -> {ty}\n return %0 : {ty}\n}}\n"
        )
    };
    let text: String = (0..LENGTH).map(link).collect();
    let end = format!("func.func private @f{LENGTH}(%a: {ty}) -> {ty} {{\n return %a : {ty}\n}}\n");
    let main = format!(
        "func.func public @main(%a: {ty}) -> {ty} {{\n %0 = call @f0(%a) : ({ty}) -> {ty}\n return %0 : {ty}\n}}\n"
    );
    let text = text + &end + &main;
    for args in [&["check", "-"][..], &["print", "-"], &["print", "-", "--format", "hlo"], &["run", "-"]] {
        assert!(matches!(exit_code(args, &text), Some(0 | 1)), "{args:?}");
    }
}
