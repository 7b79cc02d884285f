//! `explain` and `complete` from outside: what a user reads.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const MODULE: &str = r#"sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<4x16xf32> {
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %e = stablehlo.exponential %t : tensor<4x8xf32>
  %d = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %d : tensor<4x16xf32>
}
"#;

const CONFLICT: &str = r#"sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> tensor<8xf32> {
  %t = stablehlo.tanh %a : tensor<8xf32>
  %s = stablehlo.add %t, %b : tensor<8xf32>
  return %s : tensor<8xf32>
}
"#;

pub fn meshwright(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn said(args: &[&str], input: &str) -> (i32, String, String) {
    let output = meshwright(args, input);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

#[test]
fn why_reads_back_to_the_annotation_with_the_lines_of_the_text() {
    let (code, out, _) = said(&["explain", "-", "--why", "%e.1", "--full"], MODULE);
    assert_eq!(code, 0);
    let expected = r#"%e: f32[4,8], <@mesh, [{}, {"x"}]>

dimension 1 (size 8) is sharded over {"x"}
  `x` propagates from the annotation on `%a` at <stdin>:2, through transpose and exponential
  %e.1 gets `x` through `exponential`
      <stdin>:4: %e = stablehlo.exponential %t : tensor<4x8xf32>
  %t.1 gets `x` through `transpose`
      <stdin>:3: %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %a.0 is annotated with `x`
      <stdin>:2: func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x16..
  blocked: dimension 0 of `%w` is sharded over `y` across `dot_general`, but this dimension got `x` first
      <stdin>:5: %d = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tenso..
"#;
    assert_eq!(out, expected);
}

#[test]
fn a_dim_that_is_not_split_is_told_why() {
    let (_, out, _) = said(&["explain", "-", "--why", "d"], MODULE);
    assert!(
        out.contains(
            "dimension 0 (size 4) is not sharded\n  no neighboring value is sharded along this dimension"
        ),
        "{out}"
    );
    let (_, out, _) = said(&["explain", "-", "--why", "w.0"], MODULE);
    assert!(
        out.contains("is sharded over `x` across `dot_general`, but a parameter takes shardings only from its own annotation"),
        "{out}"
    );
}

#[test]
fn the_decisive_line_comes_first_and_names_the_annotation() {
    let (_, out, _) = said(&["explain", "-", "--why", "%e"], MODULE);
    assert!(out.contains("`x` propagates from the annotation on `%a` at <stdin>:2, through"), "{out}");
    assert!(!out.contains("gets `x` through"), "{out}");
    let (_, out, _) = said(&["explain", "-", "--why", "%a.0"], MODULE);
    assert!(out.contains("`x` is annotated here at <stdin>:2"), "{out}");
}

#[test]
fn a_dim_that_is_not_split_is_told_what_could_split_it() {
    let (_, out, _) = said(&["explain", "-", "--why", "%e.0"], MODULE);
    assert!(out.contains("`y` could shard it: `--why-not '%e=[y, x]'` estimates the cost"), "{out}");
}

#[test]
fn another_sharding_is_priced_and_what_forbids_it_is_told() {
    let (code, out, err) = said(&["explain", "-", "--why-not", "%e=[x, y]"], MODULE);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(": [_, x] now, [x, y] requested\n") && out.contains("bytes sent"), "{out}");
    assert!(out.contains("first obstacle: `x` shards dimension 1, from the annotation on `%a`"), "{out}");
    for (asked, told) in [
        ("%e=[z, _]", "no axis is called `z`"),
        ("%e=[x]", "entries do not say how its dims are split"),
        ("%a=[y, _]", "`%a` is annotated [x, _], which forbids [y, _]"),
        ("%e", "`%e` is no annotation"),
        ("%q=[x, _]", "no value is called `%q`"),
    ] {
        let (code, _, err) = said(&["explain", "-", "--why-not", asked], MODULE);
        assert!(code == 1 && err.contains(told) && err.contains("= help"), "{asked}: {err}");
    }
}

#[test]
fn a_difference_is_markdown_and_its_exit_code_says_whether_it_grew() {
    let folder = std::env::temp_dir().join(format!("meshwright-diff-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (old, renamed) =
        (file("old.mlir", MODULE), file("renamed.mlir", &format!("\n\n{}", MODULE.replace("%e", "%exp"))));
    let (code, out, err) = said(&["explain", "--diff", &old, &renamed], "");
    assert!(code == 0 && out.contains("| bytes sent |") && !out.contains("**Collectives**"), "{out}{err}");
    let worse = file("worse.mlir", &MODULE.replace("[{\"y\"}, {}]", "[{}, {}]"));
    let (code, out, _) = said(&["explain", "--diff", &worse, &old], "");
    let (back, undone, _) = said(&["explain", "--diff", &old, &worse], "");
    assert!(code == 1 || back == 1, "{out}{undone}");
    assert!(
        undone.contains("- `%w`: [y, _] -> [_, _]; with the old sharding the second program sends"),
        "{undone}"
    );
    let (code, _, _) = said(&["explain", "--diff", &old, &worse, "--threshold", "1000000000"], "");
    assert_eq!(code, 0);
    let other = file("other.mlir", CONFLICT);
    let (code, _, err) = said(&["explain", "--diff", &old, &other], "");
    assert!(code == 2 && err.contains("share no value name"), "{err}");
    let (code, _, _) = said(&["explain", &old, "--threshold", "5"], "");
    assert_eq!(code, 2);
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

#[test]
fn tiles_are_drawn_with_their_devices() {
    let (code, out, _) = said(&["explain", "-", "--tiles", "%w"], MODULE);
    assert_eq!(code, 0);
    assert!(out.starts_with("%w: f32[8,16] sharded [y, _]; devices of each tile\n"), "{out}");
    assert!(out.contains("  0:4 | 0 2 4 6 |\n  4:8 | 1 3 5 7 |\n"), "{out}");
}

#[test]
fn a_graph_for_model_explorer_is_written() {
    let path = std::env::temp_dir().join(format!("meshwright-graph-{}.json", std::process::id()));
    let shown = path.display().to_string();
    let (code, out, err) = said(&["explain", "-", "--model-explorer", &shown], MODULE);
    assert!(code == 0 && out.contains("nodes in"), "{err}");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert!(text.contains("\"graphs\"") && text.contains("\"key\": \"sharding\""), "{text}");
    std::fs::remove_file(&path).expect("the file goes");
    let (code, _, err) = said(&["explain", "-", "--model-explorer", "/nowhere/at/all.json"], MODULE);
    assert!(code == 3, "{err}");
}

#[test]
fn values_that_are_not_there_are_refused_with_near_names() {
    let (code, _, err) = said(&["explain", "-", "--why", "%dd.0"], MODULE);
    assert_eq!(code, 1);
    assert!(err.contains("no value is called `%dd.0`"), "{err}");
    assert!(err.contains("= help: there are `%d`"), "{err}");
    let (code, _, err) = said(&["explain", "-", "--why", "%d.2"], MODULE);
    assert_eq!(code, 1);
    assert!(err.contains("`%d` has 2 dims, so no dim 2"), "{err}");
}

#[test]
fn lines_and_scopes_that_are_misspelt_are_told_as_the_program_has_them() {
    let step = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/jax_step/before.mlir");
    for (asked, told) in [
        ("tran.py:11", "there are `train.py`"),
        ("train.py:12", "there are `train.py:10`, `train.py:11`, `train.py:16`, `train.py:17`"),
        ("dot_generl", "dot_general`"),
    ] {
        let (code, _, err) = said(&["explain", step, "--why", asked], "");
        assert!(code == 1 && err.contains(told), "{asked}: {err}");
    }
}

#[test]
fn without_a_question_the_reach_of_every_annotation_is_told() {
    let (_, out, _) = said(&["explain", "-"], MODULE);
    assert!(out.contains("\n  tensors      2 annotated, 2 inferred, 1 replicated\n"), "{out}");
    assert!(out.contains("  3  `x` on %a.0\n"), "{out}");
    assert!(out.contains("--why '%a.0'"), "{out}");
    for part in [
        "<stdin> on 8 devices, mesh x=4,y=2\n",
        "\ncollectives, largest first\n",
        "\npeak memory ",
        "\nsuggestions",
        "\n  each device  sends ",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn conflicts_are_notes_on_stderr_with_both_origins() {
    let (code, out, err) = said(&["complete", "-"], CONFLICT);
    assert_eq!(code, 0);
    assert!(out.starts_with("module"), "{out}");
    assert!(err.contains("note[N0410]") && err.contains("<stdin>:4"), "{err}");
    assert!(err.contains("`x` comes from dim 0 of `%a`; `y` comes from dim 0 of `%b`"), "{err}");
}

#[test]
fn what_cost_decided_is_told_first_and_can_be_turned_off() {
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/filetests/partition/by_cost");
    let file = format!("{tests}/fsdp_gathers_each_weight_and_reduce_scatters_each_gradient.mlir");
    let (code, out, err) = said(&["explain", &file, "--why", "%12.0"], "");
    assert_eq!(code, 0, "{err}");
    let told = "\n  `x` propagates from dimension 0 of `%arg2` and 1 more dimension annotated alike, chosen by cost: 14.4 kB sent per step instead of 463 kB\n";
    assert!(out.contains(told), "{out}");
    let (_, out, _) = said(&["explain", &file, "--why", "%12.0", "--no-cost-completion"], "");
    assert!(!out.contains("by cost"), "{out}");
    let (_, _, err) = said(&["complete", &file, "--stats"], "");
    assert!(err.contains("note[N0412]"), "{err}");
}

#[test]
fn programs_get_the_same_as_json() {
    let (_, out, _) = said(&["explain", "-", "--why", "%e.1", "--json"], MODULE);
    for part in ["\"axis\": \"x\"", "\"through\": \"exponential\"", "\"line\": 4", "\"value\": \"%a\""] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (_, out, _) = said(&["complete", "-", "--stats", "--json"], CONFLICT);
    assert!(out.contains("\"given\": 2") && out.contains("\"severity\": \"note\""), "{out}");
    let (_, out, _) = said(&["complete", "-", "--stats"], CONFLICT);
    assert_eq!(out, "given 2, inferred 2, replicated 0 (tensors of rank 1 and more)\n");
}

#[test]
fn help_teaches_by_example() {
    for command in ["explain", "complete"] {
        let (code, out, _) = said(&[command, "--help"], "");
        assert_eq!(code, 0);
        assert!(out.contains("Examples:\n  meshwright"), "{out}");
    }
}

#[test]
fn what_a_result_states_is_named_as_an_origin() {
    let text = r#"sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %t = stablehlo.tanh %a : tensor<8xf32>
  return %t : tensor<8xf32>
}
"#;
    let (_, out, _) = said(&["explain", "-", "--why", "t"], text);
    assert!(out.contains("`x` propagates from the annotation on result 0 of @main"), "{out}");
    let (_, out, _) = said(&["explain", "-", "--why", "t", "--full"], text);
    assert!(
        out.contains("  dimension 0 of result 0 of @main is annotated with `x`\n      <stdin>:2: func.func"),
        "{out}"
    );
    let (_, out, _) = said(&["explain", "-"], text);
    assert!(out.contains("       2  `x` on dimension 0 of result 0 of @main\n"), "{out}");
}

const UNUSED: &str = r#"func.func public @main(%a: tensor<4xf32>, %unused: tensor<2xf32>) -> tensor<4xf32> {
  %t = stablehlo.tanh %a : tensor<4xf32>
  return %t : tensor<4xf32>
}
"#;

const IDENTITY: &str =
    "func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n";

#[test]
fn an_unused_parameter_is_in_a_layer_of_the_explanation() {
    let page = std::env::temp_dir().join(format!("meshwright-unused-{}.html", std::process::id()));
    for module in [IDENTITY, UNUSED] {
        let (code, out, err) = said(&["explain", "-", "--json"], module);
        assert_eq!(code, 0, "{err}");
        let explanation = &serde_json::from_str::<serde_json::Value>(&out).expect("JSON")["explanation"];
        let layers = explanation["layers"].as_array().expect("a list").len();
        let nodes = explanation["graph"]["nodes"].as_array().expect("a list");
        assert!(!nodes.is_empty() && nodes.iter().all(|node| node["layer"].as_u64() < Some(layers as u64)));
        let (code, _, err) = said(&["explain", "-", "--html", page.to_str().expect("a path")], module);
        assert_eq!(code, 0, "{err}");
    }
    std::fs::remove_file(&page).expect("the page is there");
}
