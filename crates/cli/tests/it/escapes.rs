//! No text of an input steers the terminal: names and locations of modules, names in archives, in text and in JSON.

use crate::explain::meshwright;
use meshwright_base::visible::is_misleading;

/// A location, a mesh axis and a message's name with ESC, C1 controls and an override, spelt as MLIR spells bytes.
const MODULE: &str = r#"sdy.mesh @mesh = <["\1B[31mx\C2\9B2J"=2]>
func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"\1B[31mx\C2\9B2J"}]>} loc("\1B]0;a\07")) -> (tensor<4xf32> {jax.result_info = "\1B[2J\E2\80\AE"}) {
  %t = stablehlo.tanh %a : tensor<4xf32> loc("a\1B[2J/b\E2\80\AEc"("\1B[1mfile\C2\9B.py":3:4))
  return %t : tensor<4xf32>
}
"#;

/// Returns the exit code, and both streams as text.
fn run_module(args: &[&str], input: &str) -> (i32, String) {
    let output = meshwright(args, input);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout) + &text(output.stderr))
}

#[test]
fn names_and_locations_reach_the_terminal_escaped() {
    let wrong = MODULE.replace("tensor<4xf32> loc(\"a", "tensor<5xf32> loc(\"a");
    assert_ne!(wrong, MODULE);
    for args in [
        &["complete", "-"] as &[&str],
        &["complete", "-", "--json"],
        &["explain", "-"],
        &["explain", "-", "--json"],
        &["explain", "-", "--why", "%t"],
        &["partition", "-"],
        &["check", "-"],
    ] {
        for (module, is_wrong) in [(MODULE, false), (&wrong, true)] {
            let (code, text) = run_module(args, module);
            assert!(!text.chars().any(is_misleading), "{args:?}\n{text:?}");
            assert!(code != 0 || !is_wrong, "{args:?}\n{text}");
        }
    }
    let (code, text) = run_module(&["explain", "-", "--why", "%t"], MODULE);
    assert!(code == 0 && text.contains(r"\u{1b}[31mx\u{9b}2J"), "{text}");
}

/// The printed module is still the module.
#[test]
fn a_module_with_such_names_is_read_again() {
    let (code, once) = run_module(&["complete", "-"], MODULE);
    let (_, twice) = run_module(&["complete", "-"], &once);
    assert_eq!((code, &once), (0, &twice));
}
