//! Commands on the devices of a plugin: the one of ours, whose devices the interpreter simulates.

use serde_json::Value;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// It is made with this test, which depends on it, in the same folder.
fn library() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    here.parent().unwrap().join(format!("{DLL_PREFIX}meshwright_pjrt_plugin{DLL_SUFFIX}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What is answered, and the exit code.
fn meshwright(typed: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let output = command.args(typed).env("MESHWRIGHT_PJRT_PLUGIN", library()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code())
}

#[test]
fn a_program_gives_what_jax_computed() {
    for name in ["moe_sharded", "sharding_three_axes", "transformer"] {
        let folder = root().join("tests/golden").join(name);
        let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
        let (text, exit) = meshwright(&[
            "run",
            &file("module.mlir"),
            "--backend",
            "pjrt",
            "--inputs",
            &file("inputs.npz"),
            "--expect",
            &file("outputs.npz"),
        ]);
        assert_eq!(exit, Some(0), "{name}: {text}");
    }
}

#[test]
fn a_partitioned_program_is_verified_on_the_devices_of_a_plugin() {
    let module = root().join("tests/golden/moe_sharded/module.mlir");
    let (text, exit) = meshwright(&["verify", module.to_str().unwrap(), "--backend", "pjrt"]);
    assert_eq!(exit, Some(0), "{text}");
    assert!(text.contains("on the plugin's devices"), "{text}");
}

#[test]
fn one_of_several_processes_does_not_verify_alone() {
    let module = root().join("tests/golden/moe_sharded/module.mlir");
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.args(["verify", module.to_str().unwrap(), "--backend", "pjrt"]);
    command.env("JAX_COORDINATOR_ADDRESS", "localhost:1").env("JAX_NUM_PROCESSES", "2");
    let output = command.env("JAX_PROCESS_ID", "0").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && text.contains("this is process 0 of 2"), "{text}");
}

#[test]
fn a_program_that_is_partitioned_already_runs_as_on_the_engine() {
    let module = root().join("tests/golden/moe_sharded/module.mlir");
    let folder = std::env::temp_dir().join(format!("meshwright-plugin-local-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let local = file("local.mlir");
    let (text, exit) = meshwright(&["partition", module.to_str().unwrap(), "-o", &local]);
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = meshwright(&["run", &local, "--backend", "cpu", "--outputs", &file("cpu.npz")]);
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = meshwright(&["run", &local, "--backend", "pjrt", "--expect", &file("cpu.npz")]);
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = meshwright(&["compile", &local, "--save", &local]);
    assert!(exit == Some(2) && text.contains("it is what is read"), "{exit:?} {text}");
    let (text, exit) = meshwright(&["compile", &local, "--mesh", "x=2,y=4"]);
    assert!(exit == Some(2) && text.contains("is partitioned already, for 8 devices"), "{exit:?} {text}");
    for (library, target) in [("libtpu.so", "h100:8"), ("xla_cuda_plugin.so", "tpu-v4:2x2x2")] {
        let (text, exit) = meshwright(&["compile", &local, "--plugin", library, "--target", target]);
        assert!(exit == Some(2) && text.contains("is the plugin of"), "{exit:?} {text}");
    }
    let (text, exit) = meshwright(&["compile", &local]);
    let limited = meshwright(&["compile", &local, "--memory-limit", "100"]);
    assert!(limited.1 == Some(1) && limited.0.contains("and the limit is 100"), "{limited:?}");
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(exit, Some(0), "{text}");
    assert!(text.contains("local.mlir for 8 devices"), "{text}");
    assert!(!text.contains("note: "), "what was compiled was gone before it was looked at: {text}");
}

#[test]
fn a_step_is_timed_on_the_devices_of_a_plugin() {
    let module = root().join("tests/golden/moe_sharded/module.mlir");
    let (text, exit) =
        meshwright(&["bench", "step", module.to_str().unwrap(), "--backend", "pjrt", "--repeat", "2"]);
    assert_eq!(exit, Some(0), "{text}");
    assert!(text.contains("median of 2"), "{text}");
}

#[test]
fn training_goes_on_where_it_was_saved_whatever_runs_it() {
    let out = std::env::temp_dir().join(format!("meshwright-plugin-train-{}", std::process::id()));
    let (out, config) = (out.to_str().unwrap(), root().join("tests/diagnostics/small.toml"));
    let config = config.to_str().unwrap();
    let (text, exit) = meshwright(&["train", config, "--out", out, "--mesh", "data=2", "--backend", "pjrt"]);
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = meshwright(&["train", "--resume", out, "--steps", "4", "--backend", "cpu"]);
    assert_eq!(exit, Some(0), "{text}");
    let (text, exit) = meshwright(&["train", "--resume", out, "--steps", "6", "--backend", "pjrt"]);
    std::fs::remove_dir_all(out).unwrap();
    assert_eq!(exit, Some(0), "{text}");
}

#[test]
fn the_doctor_counts_the_devices_of_a_plugin() {
    let (text, exit) = meshwright(&["doctor", "--json"]);
    assert_eq!(exit, Some(0), "{text}");
    let answer: Value = serde_json::from_str(&text).unwrap();
    let ours = library().display().to_string();
    let plugins = answer["plugins"].as_array().unwrap();
    let plugin = plugins.iter().find(|plugin| plugin["path"] == ours).unwrap();
    assert!(plugin["devices"][0]["count"].as_u64().unwrap() >= 8, "{plugin:#}");
}

#[test]
fn more_devices_than_there_are_is_told() {
    let module = std::env::temp_dir().join(format!("meshwright-plugin-many-{}.mlir", std::process::id()));
    let text = r#"
sdy.mesh @m = <["x"=4096]>
func.func public @main(%a: tensor<4096xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4096xf32> {
  return %a : tensor<4096xf32>
}
"#;
    std::fs::write(&module, text).unwrap();
    let (text, exit) = meshwright(&["run", module.to_str().unwrap(), "--backend", "pjrt"]);
    assert_eq!(exit, Some(1), "{text}");
    assert!(text.contains("the program has 4096 devices, the plugin"), "{text}");
}
