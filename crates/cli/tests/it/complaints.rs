//! What users of GSPMD complain of, and what `explain` says of the same modules: a full rematerialization between two
//! layouts (jax#21562), a message without a line of the program (jax#18591), operands that are gathered before a
//! product that could stay split (xla#4062), and a gather before a foreign call (marin#6470).

use std::process::Command;

const TWO_LAYOUTS: &str = r#"sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<64x128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>} loc("activations")) -> (tensor<64x128x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}, {}]>}) {
  %t = stablehlo.tanh %a : tensor<64x128x256xf32> loc("jit(f)/tanh"("model.py":7:8))
  %u = stablehlo.multiply %t, %t : tensor<64x128x256xf32> loc("jit(f)/mul"("model.py":8:8))
  return %u : tensor<64x128x256xf32>
}
"#;

const NO_LINE: &str = r#"sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%h: tensor<512x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("batch"), %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>} loc("p['up']"), %v: tensor<4096x1024xf32> loc("p['down']"), %m: tensor<512x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>} loc("mask")) -> tensor<512x1024xf32> {
  %a = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x4096xf32>) -> tensor<512x4096xf32> loc("jit(f)/mlp/dot_general"("model.py":31:8))
  %b = stablehlo.multiply %a, %m : tensor<512x4096xf32> loc("jit(f)/mlp/mul"("model.py":32:8))
  %c = stablehlo.dot_general %b, %v, contracting_dims = [1] x [0] : (tensor<512x4096xf32>, tensor<4096x1024xf32>) -> tensor<512x1024xf32> loc("jit(f)/mlp/dot_general"("model.py":33:8))
  return %c : tensor<512x1024xf32>
}
"#;

const TWO_GATHERS: &str = r#"sdy.mesh @mesh = <["x"=8]>
func.func public @main(%a: tensor<512x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>} loc("h"), %w: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("w")) -> tensor<512x1024xf32> {
  %y = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<512x4096xf32>, tensor<4096x1024xf32>) -> tensor<512x1024xf32> loc("jit(f)/dot_general"("model.py":12:8))
  %z = stablehlo.tanh %y : tensor<512x1024xf32> loc("jit(f)/tanh"("model.py":13:8))
  return %z : tensor<512x1024xf32>
}
"#;

const FOREIGN_CALL: &str = r#"sdy.mesh @mesh = <["x"=8]>
func.func public @main(%a: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("h")) -> tensor<64x1024xf32> {
  %t = stablehlo.tanh %a : tensor<64x1024xf32> loc("jit(f)/tanh"("model.py":20:8))
  %y = stablehlo.custom_call @fast_kernel(%t) : (tensor<64x1024xf32>) -> tensor<64x1024xf32> loc("jit(f)/ffi_call"("model.py":21:8))
  %z = stablehlo.add %y, %t : tensor<64x1024xf32> loc("jit(f)/add"("model.py":22:8))
  return %z : tensor<64x1024xf32>
}
"#;

/// A command on a module in a file of its own.
fn said(name: &str, module: &str, before: &[&str], after: &[&str]) -> String {
    let path = std::env::temp_dir().join(format!("meshwright-{name}-{}.mlir", std::process::id()));
    std::fs::write(&path, module).expect("the module is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let output = command.args(before).arg(&path).args(after).output().expect("the binary runs");
    std::fs::remove_file(&path).expect("the module goes");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Bytes that `partition` counts.
fn sent(name: &str, module: &str) -> f64 {
    let stats = said(name, module, &["partition"], &["--stats", "-"]);
    let stats: serde_json::Value = serde_json::from_str(&stats).expect("JSON");
    stats["bytes_sent"].as_f64().expect("a number")
}

/// The suggestion for a value, as JSON.
fn advice(name: &str, module: &str, value: &str) -> serde_json::Value {
    let told: serde_json::Value =
        serde_json::from_str(&said(name, module, &["explain"], &["--json"])).expect("JSON");
    let all = told["explanation"]["suggestions"].as_array().expect("a list").clone();
    let is_of = |one: &&serde_json::Value| {
        let label = &one["values"][0];
        label["called"] == value || label["name"] == value
    };
    all.iter().find(is_of).unwrap_or_else(|| panic!("nothing is told of {value}: {all:#?}")).clone()
}

#[test]
fn between_two_layouts_nothing_is_put_together_and_both_annotations_are_named() {
    let out = said("layouts", TWO_LAYOUTS, &["explain"], &[]);
    assert!(!out.contains("all-gather"), "{out}");
    assert!(
        out.contains(
            "%u is sharded [y, _, x] (annotation on activations);\n                    the program returns it as [_, x*y, _]"
        ),
        "{out}"
    );
    let one = advice("layouts-json", TWO_LAYOUTS, "activations");
    assert_eq!((&one["sharding"], &one["instead_of"]), (&"[_, x*y, _]".into(), &"[y, _, x]".into()));
    let pasted = TWO_LAYOUTS.replace(r#"[{"y"}, {}, {"x"}]"#, r#"[{}, {"x", "y"}, {}]"#);
    assert_eq!(one["after"]["sent"].as_f64(), Some(sent("layouts-pasted", &pasted)));
    assert_eq!(one["after"]["sent"].as_f64(), Some(0.0));
}

#[test]
fn a_reshard_is_told_with_its_line_its_bytes_and_the_annotation_to_change() {
    let out = said("line", NO_LINE, &["explain"], &[]);
    let why = "mask is sharded [y, x] (annotation on mask);\n                    multiply (model.py:32) needs [x, y] (`x`: annotation on batch; `y`: annotation on p['up'])";
    assert!(out.contains(why), "{out}");
    assert!(
        out.contains("  saves 1.57 MB (75%): shard mask f32[512,4096] as [x, y] instead of [y, x]\n"),
        "{out}"
    );
    let one = advice("line-json", NO_LINE, "mask");
    let pasted = NO_LINE.replace(r#"[{"y"}, {"x"}]"#, r#"[{"x"}, {"y"}]"#);
    assert_eq!(one["before"]["sent"].as_f64(), Some(sent("line-before", NO_LINE)));
    assert_eq!(one["after"]["sent"].as_f64(), Some(sent("line-pasted", &pasted)));
}

#[test]
fn a_product_stays_split_and_another_split_of_its_result_is_priced() {
    let out = said("product", TWO_GATHERS, &["explain"], &[]);
    assert!(!out.contains("all-gather"), "{out}");
    assert!(out.contains("dot_general contracts a dimension sharded over `x` (annotation on h)"), "{out}");
    let closed = TWO_GATHERS.replace(
        "-> tensor<512x1024xf32> {\n",
        "-> (tensor<512x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {\n",
    );
    let answer = said("product-not", &closed, &["explain", "--why-not", "%y=[x, _]"], &[]);
    assert!(answer.contains("bytes sent"), "{answer}");
}

#[test]
fn a_gather_before_a_foreign_call_is_told_with_the_call_and_the_way_out() {
    let out = said("foreign", FOREIGN_CALL, &["explain"], &[]);
    assert!(out.contains("all-gather over `x`  %t f32[64,1024] (tanh, model.py:20)"), "{out}");
    assert!(out.contains("%t is sharded [x, _] (annotation on h);\n                    custom_call (model.py:21) needs [_, _]"), "{out}");
    assert!(out.contains("note[N0530]") && out.contains("manual region"), "{out}");
}
