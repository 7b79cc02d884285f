//! `verify`: made-up inputs and queues, inputs of one's own, modules too large to run.

use meshwright_cli::npz::{self, Array};
use meshwright_ir::{DType, TensorType};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn verify(module: &str, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let piped = command.args(["verify", "-"]).args(more).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
    // What it refuses by its arguments alone it does not read.
    let _ = child.stdin.take().unwrap().write_all(module.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into(), String::from_utf8_lossy(&output.stderr).into())
}

/// One step of Adam on a parameter with both of its moments.
const ADAM: &str = r#"
module @adam {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%w: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %g: tensor<64xf32>, %mu: tensor<64xf32>, %nu: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    %b = stablehlo.constant dense<0.9> : tensor<64xf32>
    %c = stablehlo.constant dense<0.1> : tensor<64xf32>
    %m0 = stablehlo.multiply %mu, %b : tensor<64xf32>
    %m1 = stablehlo.multiply %g, %c : tensor<64xf32>
    %m = stablehlo.add %m0, %m1 : tensor<64xf32>
    %n0 = stablehlo.multiply %nu, %b : tensor<64xf32>
    %gg = stablehlo.multiply %g, %g : tensor<64xf32>
    %n1 = stablehlo.multiply %gg, %c : tensor<64xf32>
    %n = stablehlo.add %n0, %n1 : tensor<64xf32>
    %root = stablehlo.sqrt %n : tensor<64xf32>
    %step = stablehlo.divide %m, %root : tensor<64xf32>
    %next = stablehlo.subtract %w, %step : tensor<64xf32>
    return %next, %n : tensor<64xf32>, tensor<64xf32>
  }
}
"#;

#[test]
fn second_moments_are_not_drawn_negative() {
    let (out, err) = said(&verify(ADAM, &["--seeds", "2", "--seed", "5"]));
    assert!(out.contains("2 of 2 results agree within 1e-9, 2 seeds from 5 on"), "{out}{err}");
    assert!(!out.contains("NaN") && !err.contains("one device"), "{out}{err}");
    // The last seed there is.
    let (out, _) = said(&verify(ADAM, &["--seed", "18446744073709551615"]));
    assert!(out.contains("seed 18446744073709551615\n"), "{out}");
}

#[test]
fn what_is_compared_on_one_device_is_told_to_say_little() {
    let plain = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n";
    let (_, err) = said(&verify(plain, &[]));
    assert!(err.contains("on one device, which says little") && err.contains("--devices N"), "{err}");
    let (_, err) = said(&verify(plain, &["--devices", "2"]));
    assert!(!err.contains("one device"), "{err}");
}

#[test]
fn results_of_many_nans_are_warned_of() {
    let wild = ADAM.replace("stablehlo.sqrt %n", "stablehlo.log_plus_one %mu");
    let (out, err) = said(&verify(&wild, &[]));
    assert!(out.contains("elements are NaN or infinite"), "{out}");
    assert!(err.contains("so that they agree says little") && err.contains("--inputs FILE.npz"), "{err}");
}

/// A number between 1 and 2 out of random bits, as JAX makes them.
const DRAWN: &str = r#"
module @drawn {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%bits: tensor<64xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %w: tensor<64xf32>) -> tensor<f32> {
    %low = stablehlo.constant dense<9> : tensor<64xui32>
    %one = stablehlo.constant dense<1065353216> : tensor<64xui32>
    %shifted = stablehlo.shift_right_logical %bits, %low : tensor<64xui32>
    %float = stablehlo.or %shifted, %one : tensor<64xui32>
    %u = stablehlo.bitcast_convert %float : (tensor<64xui32>) -> tensor<64xf32>
    %p = stablehlo.multiply %u, %w : tensor<64xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    return %r : tensor<f32>
  }
}
"#;

#[test]
fn numbers_drawn_by_their_bits_are_computed_in_f64_behind_that() {
    let (out, err) = said(&verify(DRAWN, &["--dtype", "f64"]));
    assert!(out.contains("1 of 1 results agree within 1e-9"), "{out}{err}");
    let back = DRAWN.replace("%z = stablehlo.constant", "%k = stablehlo.bitcast_convert %p : (tensor<64xf32>) -> tensor<64xui32>\n    %z = stablehlo.constant");
    let (_, err) = said(&verify(&back, &["--dtype", "f64"]));
    assert!(err.contains("bitcast_convert looks at the bits of its floats"), "{err}");
}

fn archive(name: &str, lengths: &[i64]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("meshwright-verify-{}-{name}.npz", std::process::id()));
    let array = |length: &i64| Array {
        ty: TensorType::new(DType::F32, [*length]),
        bytes: (0..*length).flat_map(|at| (at as f32 + 1.0).to_le_bytes()).collect(),
    };
    npz::write(&path, &lengths.iter().map(array).collect::<Vec<_>>()).unwrap();
    path
}

#[test]
fn inputs_of_ones_own_are_taken_and_checked() {
    let path = archive("good", &[64; 4]);
    let (out, err) = said(&verify(ADAM, &["--inputs", path.to_str().unwrap()]));
    assert!(out.contains("2 of 2 results agree within 1e-9, on the given inputs"), "{out}{err}");
    let path = archive("bad", &[64, 64, 63, 64]);
    let output = verify(ADAM, &["--inputs", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).1.contains("parameter 2 (`%mu`) is f32[64], but its array is f32[63]"),
        "{}",
        said(&output).1
    );
    assert_eq!(verify(ADAM, &["--inputs", "x.npz", "--seed", "1"]).status.code(), Some(2));
}

/// Takes in two arrays and gives out one.
const QUEUES: &str = r#"
      module @queues {
        sdy.mesh @mesh = <["x"=2]>
        func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
          %t = stablehlo.create_token : !stablehlo.token
          %in:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
          %y = stablehlo.add %x, %in#0 : tensor<4xf32>
          %u = "stablehlo.outfeed"(%y, %in#1) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
          %two:2 = "stablehlo.infeed"(%u) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
          %z = stablehlo.multiply %y, %two#0 : tensor<4xf32>
          return %z : tensor<4xf32>
        }
      }"#;

#[test]
fn what_goes_in_and_out_while_it_runs_is_made_up_and_compared() {
    for backend in ["interp", "cpu"] {
        let (out, err) = said(&verify(QUEUES, &["--seeds", "2", "--backend", backend]));
        assert!(
            out.contains("outfeed 0: largest difference 0.000e0") && out.contains("2 of 2 results agree"),
            "{out}{err}"
        );
    }
}

#[test]
fn the_verdict_names_devices_and_meshes_and_its_json_all_that_was_chosen() {
    let (out, err) = said(&verify(ADAM, &["--seeds", "2", "--seed", "5"]));
    assert!(out.contains("on 2 devices: @mesh <[\"x\"=2]>\n"), "{out}{err}");
    let told = |more: &[&str]| -> Value {
        serde_json::from_slice(&verify(ADAM, &[more, &["--json"]].concat()).stdout).expect("JSON")
    };
    let wide = told(&["--seeds", "2", "--seed", "5"]);
    for (key, value) in [
        ("seed", json!(5)),
        ("seeds", json!(2)),
        ("devices", json!(2)),
        ("meshes", json!(["@mesh <[\"x\"=2]>"])),
        ("dtype", json!("f64")),
        ("notes", json!([])),
        ("limit", json!(1e-9)),
    ] {
        assert_eq!(wide[key], value, "{key}");
    }
    let engine = told(&["--backend", "cpu"]);
    assert_eq!(engine["dtype"], json!("asis"));
    let notes = engine["notes"].as_array().expect("notes");
    assert_eq!(notes[0], json!("note: both sides ran on the CPU engine"));
    assert!(notes[1].as_str().is_some_and(|note| note.contains("drawn elements")), "{notes:?}");
    assert!(engine["judged_elements"].as_u64() > Some(10), "{engine}");
}

/// Each device takes its own row of what all hold, and they put these together.
const PARTITIONED: &str = r#"
module @partitioned attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<2x4xf32>) -> tensor<1x4xf32> {
    %id = stablehlo.partition_id : tensor<ui32>
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %row = stablehlo.dynamic_slice %x, %id, %zero, sizes = [1, 4] : (tensor<2x4xf32>, tensor<ui32>, tensor<ui32>) -> tensor<1x4xf32>
    return %row : tensor<1x4xf32>
  }
}
"#;

#[test]
fn a_module_that_is_partitioned_already_is_told_from_one_that_is_not() {
    for backend in ["interp", "cpu"] {
        let output = verify(PARTITIONED, &["--backend", backend]);
        let (_, err) = said(&output);
        assert_eq!(output.status.code(), Some(1), "{err}");
        for words in [
            "partitioned already, for 2 devices",
            "`%id` = partition_id",
            ":4:",
            "`meshwright run` runs this one",
        ] {
            assert!(err.contains(words), "{words}: {err}");
        }
    }
    let alone = PARTITIONED.replace("num_partitions = 2", "num_partitions = 1");
    let (out, err) = said(&verify(&alone, &[]));
    assert!(out.contains("1 of 1 results agree"), "{out}{err}");
}

#[test]
fn what_verify_refuses_has_its_place() {
    let back = DRAWN.replace("%z = stablehlo.constant", "%k = stablehlo.bitcast_convert %p : (tensor<64xf32>) -> tensor<64xui32>\n    %z = stablehlo.constant");
    let (_, err) = said(&verify(&back, &["--dtype", "f64"]));
    assert!(err.contains("E0610") && err.contains("`%k` = bitcast_convert") && err.contains(":11:"), "{err}");
    let unknown = ADAM
        .replace("stablehlo.sqrt %n :", "stablehlo.custom_call @nobody(%n) :")
        .replace("@nobody(%n) : tensor<64xf32>", "@nobody(%n) : (tensor<64xf32>) -> tensor<64xf32>");
    for backend in ["interp", "cpu"] {
        let (_, err) = said(&verify(&unknown, &["--backend", backend]));
        assert!(err.contains("nobody") && err.contains(":14:"), "{err}");
    }
    let (_, err) = said(&verify(ADAM, &["--devices", "3"]));
    assert!(err.contains("E0400") && err.contains("sdy.mesh @mesh = ") && err.contains("^^^^^"), "{err}");
}

/// A layer of 1 TB of weights.
const LARGE: &str = r#"
module @large {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%x: tensor<64x524288xf32>, %w: tensor<524288x524288xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<64x1024x512xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x524288xf32>, tensor<524288x524288xf32>) -> tensor<64x524288xf32>
    %z = stablehlo.reshape %y : (tensor<64x524288xf32>) -> tensor<64x1024x512xf32>
    return %z : tensor<64x1024x512xf32>
  }
}
"#;

#[test]
fn a_module_too_large_to_run_is_verified_smaller_if_that_is_asked_for() {
    let output = verify(LARGE, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).1.contains("`--scaled`"), "{}", said(&output).1);
    let (out, err) = said(&verify(LARGE, &["--scaled"]));
    assert!(out.contains("1 of 1 results agree") && out.contains("not at full size: dims of "), "{out}{err}");
    let read: Value = serde_json::from_str(&said(&verify(LARGE, &["--scaled", "--json"])).0).unwrap();
    assert_eq!(read["full_size"], json!(false));
    let dims = read["scaled_dims"].as_array().unwrap();
    let small =
        |size: i64| dims.iter().find(|dim| dim["full"] == json!(size)).unwrap()["verified"].as_i64().unwrap();
    assert_eq!(
        small(524_288),
        small(1024)
            * dims
                .iter()
                .find(|dim| dim["full"] == json!(512))
                .map_or(512, |dim| dim["verified"].as_i64().unwrap())
    );
    let (out, _) = said(&verify(ADAM, &["--scaled"]));
    assert!(out.contains("at full size: it is small enough"), "{out}");
}

/// Texts with what begins them, read and predicted; on two thousand devices, of which each is simulated.
const LONG: &str = r#"
module @long {
  sdy.mesh @mesh = <["x"=64, "y"=32]>
  func.func public @main(%x: tensor<4096x1025xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<2048x65536xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<4096x65536xf32> {
    %read = stablehlo.slice %x [0:4096, 0:1024] : (tensor<4096x1025xf32>) -> tensor<4096x1024xf32>
    %next = stablehlo.slice %x [0:4096, 1:1025] : (tensor<4096x1025xf32>) -> tensor<4096x1024xf32>
    %both = stablehlo.concatenate %read, %next, dim = 1 : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x2048xf32>
    %y = stablehlo.dot_general %both, %w, contracting_dims = [1] x [0] : (tensor<4096x2048xf32>, tensor<2048x65536xf32>) -> tensor<4096x65536xf32>
    return %y : tensor<4096x65536xf32>
  }
}
"#;

#[test]
fn sizes_that_belong_together_and_meshes_shrink_together() {
    let (out, err) = said(&verify(LONG, &["--scaled", "--json"]));
    let read: Value = serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out}{err}"));
    assert_eq!(read["full_size"], json!(false), "{read}");
    let small = |list: &str, key: &str, full: Value| {
        let all = read[list].as_array().unwrap();
        all.iter().find(|one| one[key] == full).unwrap_or_else(|| panic!("{full}: {read}"))["verified"]
            .as_i64()
    };
    let dim = |full: i64| small("scaled_dims", "full", json!(full)).unwrap();
    assert_eq!((dim(1025), dim(2048)), (dim(1024) + 1, dim(1024) * 2), "{read}");
    assert_eq!(
        (small("scaled_axes", "axis", json!("x")), small("scaled_axes", "axis", json!("y"))),
        (Some(4), Some(2))
    );
    let (out, _) = said(&verify(LONG, &["--scaled"]));
    assert!(out.contains("1 of 1 results agree") && out.contains("on a smaller mesh: \"x\"=64 as "), "{out}");
}

#[test]
fn a_module_whose_dims_cannot_shrink_is_refused_with_their_names() {
    let odd = LARGE.replace("524288", "531441").replace("1024x512", "729x729");
    let output = verify(&odd, &["--scaled"]);
    assert_eq!(output.status.code(), Some(1));
    let err = said(&output).1;
    assert!(err.contains("dims of 531441, 729"), "{err}");
}

#[test]
fn the_cpu_engine_compares_without_the_interpreter_and_says_so() {
    for name in ["--backend", "--engine"] {
        let (out, err) = said(&verify(ADAM, &[name, "cpu", "--seeds", "2"]));
        assert!(out.contains("2 of 2 results agree within 1e-3, 2 seeds from 0 on"), "{out}{err}");
        let (out, _) = said(&verify(ADAM, &[name, "cpu", "--dtype", "f64"]));
        assert!(out.contains("2 of 2 results agree within 1e-9, seed 0"), "{out}");
        assert!(err.contains("both sides ran on the CPU engine\nnote: the interpreter judged "), "{err}");
    }
    let output = verify(ADAM, &["--backend", "cpu", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["judged_by_interpreter"], json!(false));
}

/// 16 images of 112 x 112: the interpreter takes minutes for all of it.
const CONVOLUTION: &str = r#"
sdy.mesh @m = <["x"=2]>
func.func @main(%x: tensor<16x112x112x3xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}, {}, {}]>}, %k: tensor<7x7x3x64xf32>) -> tensor<16x56x56x64xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[3, 2], [3, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<16x112x112x3xf32>, tensor<7x7x3x64xf32>) -> tensor<16x56x56x64xf32>
  %z = stablehlo.tanh %y : tensor<16x56x56x64xf32>
  return %z : tensor<16x56x56x64xf32>
}
"#;

#[test]
fn the_interpreter_judges_drawn_elements_of_what_the_engine_makes() {
    let output = verify(CONVOLUTION, &["--backend", "cpu", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["judged_instructions"], json!(2), "{told}");
    // Eight images of one channel, and eight single elements of the tanh.
    assert_eq!(told["judged_elements"], json!(8 * 56 * 56 + 8));
}

#[test]
fn branches_and_constants_are_left_out_and_counted() {
    let looped = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c = stablehlo.constant dense<3.0> : tensor<4xf32>
      %p = stablehlo.constant dense<true> : tensor<i1>
      %y = \"stablehlo.if\"(%p) ({ stablehlo.return %c : tensor<4xf32> }, { stablehlo.return %x : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32>
      %z = stablehlo.add %y, %x : tensor<4xf32>
      return %z : tensor<4xf32>
    }";
    let err = said(&verify(looped, &["--backend", "cpu"])).1;
    assert!(err.contains("3 instructions were left out (2 constants, 1 loops and branches)"), "{err}");
}

/// What is said of shardings inside is nothing to one device: constraints, barriers, groups.
#[test]
fn constraints_are_nothing_to_one_device_of_the_engine() {
    let module = r#"
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x4xf32>
  sdy.sharding_group %1 group_id=0 : tensor<8x4xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  %3 = stablehlo.tanh %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
"#;
    let (out, err) = said(&verify(module, &["--backend", "cpu"]));
    assert!(out.contains("1 of 1 results agree"), "{out}{err}");
}

#[test]
fn a_manual_part_is_left_to_the_interpreter() {
    let module = r#"
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%b: tensor<4xf32>) {
    %1 = stablehlo.tanh %b : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"#;
    let output = verify(module, &["--backend", "cpu"]);
    let (_, err) = said(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("E0614")
            && err.contains("`%0` = manual_computation belongs to a manual part")
            && err.contains(":4:")
            && err.contains("drop `--backend cpu`"),
        "{err}"
    );
    assert!(said(&verify(module, &[])).0.contains("1 of 1 results agree"));
}
