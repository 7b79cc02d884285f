//! `meshwright plan`: what it says of small modules, what it proposes, and what it refuses.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn meshwright(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshwright")).args(args).output().expect("the binary runs")
}

/// A file of this test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("meshwright-plan-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// Two products with a sum over `y` behind them, on a mesh that says in which order its devices are.
fn layers(order: &str) -> String {
    format!(
        "sdy.mesh @m = <[\"x\"=4, \"y\"=8]{order}>\n\
         func.func public @main(\n  \
           %a: tensor<512x1024xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\"}}, {{}}]>}},\n  \
           %w: tensor<1024x4096xf32> {{sdy.sharding = #sdy.sharding<@m, [{{}}, {{\"y\"}}]>}},\n  \
           %v: tensor<4096x1024xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"y\"}}, {{}}]>}}) -> tensor<512x1024xf32> {{\n  \
           %h = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x4096xf32>) -> tensor<512x4096xf32>\n  \
           %t = stablehlo.tanh %h : tensor<512x4096xf32>\n  \
           %o = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<512x4096xf32>, tensor<4096x1024xf32>) -> tensor<512x1024xf32>\n  \
           return %o : tensor<512x1024xf32>\n}}\n"
    )
}

fn planned(path: &Path, more: &[&str]) -> Value {
    let path = path.display().to_string();
    let output = meshwright(&[&["plan", &path, "--json"], more].concat());
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn refused(args: &[&str]) -> String {
    let output = meshwright(args);
    assert!(!output.status.success());
    assert!([1, 2, 3].contains(&output.status.code().unwrap_or(0)), "{:?}", output.status);
    String::from_utf8_lossy(&output.stderr).to_string()
}

fn number(value: &Value, path: &[&str]) -> f64 {
    path.iter()
        .fold(value, |value, name| &value[*name])
        .as_f64()
        .unwrap_or_else(|| panic!("{path:?}: {value:#}"))
}

#[test]
fn a_step_takes_as_long_whoever_is_asked() {
    let path = file("asked.mlir", &layers("")).display().to_string();
    let asked = ["tpu-v3:4x4", "tpu-v4", "h100"].map(|target| [(target, "bytes"), (target, "seconds")]);
    for (target, least) in asked.concat() {
        let on = ["--target", target, "--least", least];
        let plan = planned(Path::new(&path), &on);
        let output = meshwright(&[&["explain", &path, "--json"], &on[..]].concat());
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let explained = &told["explanation"];
        let partition = [&["partition", &path, "--stats", "-"], &on[..]].concat();
        let stats: Value = serde_json::from_slice(&meshwright(&partition).stdout).expect("JSON");
        let seconds = number(&plan, &["step_s", "value"]);
        assert_eq!(number(explained, &["totals", "seconds"]), seconds, "{target}");
        assert_eq!(number(explained, &["timeline", "seconds"]), seconds, "{target}");
        assert_eq!(number(&stats, &["estimated_seconds"]), seconds, "{target}");
        let sent: f64 = plan["collectives"].as_array().unwrap().iter().map(|of| number(of, &["bytes"])).sum();
        assert_eq!(number(explained, &["totals", "sent"]), sent, "{target}");
        assert_eq!(explained["program"]["machine"], target.split(':').next().unwrap());
        // What layers compute is the whole step's computing.
        let layers = explained["layers"].as_array().unwrap().iter();
        let computing: f64 = layers.map(|layer| number(layer, &["compute_seconds"])).sum();
        assert!((computing / number(explained, &["timeline", "computing"]) - 1.0).abs() < 1e-9, "{target}");
    }
}

/// Of a step of two layers, for which collectives that are priced one by one lead to a slower plan.
#[test]
fn what_is_planned_for_least_time_takes_no_more_than_what_sends_least() {
    let split = |dims: &str| format!("{{sdy.sharding = #sdy.sharding<@m, [{dims}]>}}");
    let (rows, columns, batch) =
        (split("{\"model\"}, {}"), split("{}, {\"model\"}"), split("{\"data\"}, {}"));
    let (x, h, w, v) =
        ("tensor<128x64xf32>", "tensor<128x256xf32>", "tensor<64x256xf32>", "tensor<256x64xf32>");
    let zero = "stablehlo.constant dense<0.0> : tensor<f32>";
    let text = format!(
        "sdy.mesh @m = <[\"data\"=4, \"model\"=2]>\n\
         func.func public @main(%w: {w} {columns}, %v: {v} {rows}, %x: {x} {batch}) -> ({w}, {v}, tensor<f32>) {{\n\
           %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({x}, {w}) -> {h}\n\
           %t = stablehlo.tanh %h : {h}\n\
           %o = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : ({h}, {v}) -> {x}\n\
           %d = stablehlo.subtract %o, %x : {x}\n  %s = stablehlo.multiply %d, %d : {x}\n  %z = {zero}\n\
           %l = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [0, 1] : ({x}, tensor<f32>) -> tensor<f32>\n\
           %q = stablehlo.dot_general %t, %d, contracting_dims = [0] x [0] : ({h}, {x}) -> {v}\n\
           %b = stablehlo.dot_general %d, %v, contracting_dims = [1] x [1] : ({x}, {v}) -> {h}\n\
           %p = stablehlo.dot_general %x, %b, contracting_dims = [0] x [0] : ({x}, {h}) -> {w}\n\
           %u = stablehlo.subtract %w, %p : {w}\n  %y = stablehlo.subtract %v, %q : {v}\n\
           return %u, %y, %l : {w}, {v}, tensor<f32>\n}}\n"
    );
    let path = file("least.mlir", &text);
    for target in ["h100:8", "a100-80:8", "tpu-v3:2x2", "tpu-v4:2x2x2", "tpu-v5e:2x4", "tpu-v6e:2x4"] {
        let seconds =
            |least| number(&planned(&path, &["--target", target, "--least", least]), &["step_s", "value"]);
        assert!(seconds("seconds") <= seconds("bytes"), "{target}");
    }
}

#[test]
fn a_step_has_parts_that_add_up_and_intervals_around_them() {
    let path = file("parts.mlir", &layers(""));
    let plan = planned(&path, &["--target", "tpu-v3:4x4"]);
    let value = |name: &str| number(&plan, &[name, "value"]);
    let sum = value("computing_s") + value("exposed_s");
    assert!((sum / value("step_s") - 1.0).abs() < 1e-6, "{sum} {}", value("step_s"));
    assert!(
        number(&plan, &["step_s", "low"]) < value("step_s")
            && value("step_s") < number(&plan, &["step_s", "high"])
    );
    assert!(number(&plan, &["roofline_s"]) < value("step_s"));
    // Two products of 512 x 1024 x 4096 over 32 devices; all of it is the forward pass.
    let flops = 2.0 * 2.0 * 512.0 * 1024.0 * 4096.0;
    assert_eq!((number(&plan, &["flops"]), number(&plan, &["forward_flops"])), (flops / 32.0, flops));
    assert_eq!(plan["collectives"][0]["kind"], "all-reduce");
    assert_eq!(plan["collectives"][0]["axes"], "{\"y\"}");
    assert_eq!(plan["better_order"], Value::Null);
    assert_eq!(plan["memory"]["fits"], true);
    assert!(plan["memory"]["largest"][0]["place"]["line"].is_number(), "{:#}", plan["memory"]);
}

#[test]
fn an_order_across_the_torus_is_found_priced_and_repaired() {
    // The inner axis goes across: device y * 4 + x stands at (x, y).
    let order: Vec<String> = (0..32).map(|at| ((at % 8) * 4 + at / 8).to_string()).collect();
    let path = file("across.mlir", &layers(&format!(", device_ids=[{}]", order.join(", "))));
    let plan = planned(&path, &["--target", "tpu-v3:4x4"]);
    let better = &plan["better_order"];
    assert!(number(better, &["better_s"]) < number(better, &["step_s"]), "{better:#}");
    assert_eq!(better["axes"][0][0], "x");
    // What is proposed is what a mesh in that order takes.
    let straight = planned(&file("straight.mlir", &layers("")), &["--target", "tpu-v3:4x4"]);
    let ratio = number(better, &["better_s"]) / number(&straight, &["step_s", "value"]);
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    assert_eq!(straight["better_order"], Value::Null);
}

#[test]
fn the_order_that_is_proposed_can_be_typed() {
    let order: Vec<String> = (0..32).map(|at| ((at % 8) * 4 + at / 8).to_string()).collect();
    let path = file("typed.mlir", &layers(&format!(", device_ids=[{}]", order.join(", "))));
    let target = ["--target", "tpu-v3:4x4"];
    let plan = planned(&path, &target);
    let axes = plan["better_order"]["axes"].as_array().expect("axes");
    let typed: Vec<String> =
        axes.iter().map(|axis| format!("{}={}", axis[0].as_str().unwrap_or(""), axis[1])).collect();
    let again = planned(&path, &[&target[..], &["--mesh", &typed.join(",")]].concat());
    let ratio = number(&again, &["step_s", "value"]) / number(&plan, &["better_order", "better_s"]);
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    assert_eq!(again["better_order"], Value::Null);
    // The other way round it lies as badly as before.
    let across = planned(&path, &[&target[..], &["--mesh", "y=8,x=4"]].concat());
    let ratio = number(&across, &["step_s", "value"]) / number(&plan, &["step_s", "value"]);
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_limit_is_of_what_a_target_holds_with_its_loops_fused() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/xla/optimizer_update/before_propagation.hlo");
    let (path, local) = (path.display().to_string(), file("fused-local.mlir", "").display().to_string());
    let stats = |more: &[&str]| {
        let output = meshwright(&[&["partition", &path, "-o", &local, "--json"], more].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        answer["stats"].clone()
    };
    let target = ["--target", "tpu-v4-core:2x2x1"];
    let peak = |stats: &Value| number(stats, &["program_peak_bytes"]);
    let plain = stats(&[]);
    let ample = stats(&[&target[..], &["--memory-limit", "16G"]].concat());
    assert!(peak(&ample) < peak(&plain), "{} {}", peak(&ample), peak(&plain));
    let exact = stats(&[&target[..], &["--memory-limit", &peak(&ample).to_string()]].concat());
    assert_eq!(peak(&exact), peak(&ample));
    assert!(exact["rematerialized"].is_null(), "{:#}", exact["rematerialized"]);
}

#[test]
fn a_timeline_is_a_chrome_trace() {
    let path = file("timeline.mlir", &layers(""));
    let out = path.with_extension("json");
    planned(&path, &["--target", "tpu-v3:4x4", "--timeline", &out.display().to_string()]);
    let text = std::fs::read_to_string(&out).expect("a trace");
    let trace: Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let mut ends: std::collections::BTreeMap<i64, f64> = std::collections::BTreeMap::new();
    for event in events {
        assert!(event["name"].is_string() && event["pid"].is_i64(), "{event:#}");
        match event["ph"].as_str() {
            Some("M") => assert!(event["args"]["name"].is_string(), "{event:#}"),
            Some("X") => {
                let (start, length) = (number(event, &["ts"]), number(event, &["dur"]));
                let end = ends.entry(event["tid"].as_i64().expect("a row")).or_default();
                assert!(start >= *end - 1e-6 && length > 0.0, "events of one row overlap: {event:#}");
                *end = start + length;
            }
            other => panic!("no kind of event: {other:?}"),
        }
    }
    assert!(ends.len() >= 2, "compute and links");
}

#[test]
fn meshes_are_compared_in_a_table() {
    let path = file("sweep.mlir", &layers(""));
    let plan = planned(&path, &["--target", "tpu-v3:4x4", "--sweep"]);
    let rows = plan["sweep"].as_array().expect("rows");
    let steps: Vec<f64> =
        rows.iter().filter(|row| row["fits"] == true).map(|row| number(row, &["step_s"])).collect();
    assert!(steps.len() >= 3 && steps.is_sorted(), "{steps:?}");
}

#[test]
fn a_model_of_images_is_planned_over_another_mesh_and_batch() {
    let plan = |preset: &str, more: &[&str]| {
        planned(Path::new(&format!("preset:{preset}")), &[&["--target", "tpu-v3"], more].concat())
    };
    let peak = |plan: &Value| number(plan, &["memory", "peak"]);
    for (preset, mesh, larger, batch) in [
        ("gspmd-unet-128-1x8", "data=2,spatial=2", "data=2,spatial=8", "2"),
        ("resnet-50", "data=16", "data=16,spatial=4", "64"),
        ("v-moe-b-16", "data=8,expert=8", "data=16,expert=8", "512"),
        ("two-modes", "x=4,y=4", "y=8,x=4", "64"),
    ] {
        let (few, many) = (plan(preset, &["--mesh", mesh]), plan(preset, &["--mesh", larger]));
        assert!(peak(&many) < peak(&few), "{preset}: {few:#} {many:#}");
        let batch = plan(preset, &["--mesh", larger, "--batch", batch]);
        assert!(peak(&batch) < peak(&many), "{preset}");
    }
    let vit = |more: &[&str]| refused(&[&["plan", "preset:vit-b-16", "--target", "tpu-v3"], more].concat());
    let axis = vit(&["--mesh", "data=2,spatial=4"]);
    assert!(
        axis.contains("puts nothing on axis `spatial`") && axis.contains("its axes are data, model"),
        "{axis}"
    );
    let blocks = vit(&["--recompute", "true"]);
    assert!(blocks.contains("no blocks to compute again"), "{blocks}");
    let piped = ["plan", "preset:gspmd-conformer-6b-gpipe-16", "--target", "tpu-v3", "--mesh", "stage=5"];
    let piped = refused(&piped);
    assert!(piped.contains("write `--mesh stage=5,data=1` for one device along it"), "{piped}");
    // Of a configuration's mesh nothing is wrong: no place in it is named.
    let tiny = ["plan", "preset:vit-tiny", "--target", "tpu-v3", "--mesh", "x=2"];
    let tiny = refused(&tiny);
    assert!(tiny.contains("puts nothing on axis `x`") && !tiny.contains("-->"), "{tiny}");
}

#[test]
fn a_module_that_says_its_number_of_devices_is_planned_for_another() {
    let text = format!("module @step attributes {{mhlo.num_partitions = 32 : i32}} {{\n{}}}\n", layers(""));
    let path = file("counted.mlir", &text);
    let plan = planned(&path, &["--target", "tpu-v3:4x4", "--mesh", "x=2,y=16"]);
    assert_eq!(number(&plan, &["devices"]), 32.0);
    let plan = planned(&path, &["--target", "tpu-v3:2x4", "--mesh", "x=2"]);
    assert_eq!(number(&plan, &["devices"]), 16.0);
}

/// What targets are assumed to take to begin a collective decides nothing: a sum of which each device keeps its piece
/// is a reduce-scatter there too.
#[test]
fn a_target_sends_no_more_than_a_plain_machine() {
    let axes = "#sdy.sharding<@m, [{}, {\"y\"}]>";
    let text = format!(
        "sdy.mesh @m = <[\"x\"=4, \"y\"=8]>\n\
         func.func public @main(\n  \
           %a: tensor<64x1024xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\", \"y\"}}, {{}}]>}},\n  \
           %b: tensor<64x1024xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\", \"y\"}}, {{}}]>}}) -> (tensor<1024x1024xf32> {{sdy.sharding = {axes}}}) {{\n  \
           %c = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<1024x1024xf32>\n  \
           return %c : tensor<1024x1024xf32>\n}}\n"
    );
    let path = file("sums.mlir", &text).display().to_string();
    let sent = |more: &[&str]| {
        let output = meshwright(&[&["partition", &path, "--json"], more].concat());
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        told["stats"]["collectives"]
            .as_object()
            .expect("kinds")
            .values()
            .map(|kind| number(kind, &["bytes"]))
            .sum::<f64>()
    };
    let plain = sent(&[]);
    for target in ["tpu-v3:4x4", "tpu-v4:4x4x2", "h100:8x4", "a100-40:8x4"] {
        assert_eq!(sent(&["--target", target]), plain, "{target}");
    }
}

#[test]
fn memory_that_costs_little_time_is_spared_unless_a_limit_says_what_there_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/xla/unet/before_propagation.hlo");
    let target = ["--target", "tpu-v4-core:2x2x1"];
    let spared = planned(&path, &target);
    let fastest = planned(&path, &[&target[..], &["--memory-limit", "16G"]].concat());
    assert!(fastest["spared"].is_null(), "{:#}", fastest["spared"]);
    let [before, after] = ["before", "after"].map(|when| &spared["spared"][when]);
    for (takes, plan) in [(before, &fastest), (after, &spared)] {
        let of = |name: &str| number(takes, &[name]);
        assert_eq!(of("peak_bytes"), number(plan, &["memory", "peak"]));
        assert!((of("seconds") / number(plan, &["step_s", "value"]) - 1.0).abs() < 1e-9);
    }
    let share = |name: &str| number(after, &[name]) / number(before, &[name]);
    let (bytes, seconds) = (share("peak_bytes"), share("seconds"));
    assert!(bytes < 0.9 && seconds < 1.0625 && seconds.powi(3) * bytes < 1.0, "{bytes} {seconds}");
    // What is written is that program, and the list of what else there is begins with the fastest.
    let local = file("spared.mlir", "").display().to_string();
    let typed = ["partition", &path.display().to_string(), "-o", &local, "--json"];
    let written = meshwright(&[&typed[..], &target].concat());
    let answer: Value = serde_json::from_slice(&written.stdout).expect("JSON");
    assert_eq!(answer["stats"]["spared"], spared["spared"]);
    let points = answer["points"].as_array().expect("points");
    let peak = |point: &Value| number(point, &["program_peak_bytes"]);
    assert_eq!(points[0]["memory_limit"].as_f64(), Some(peak(&points[0])), "{points:#?}");
    let own = points.iter().find(|point| point["memory_limit"].is_null()).expect("the default");
    assert_eq!(peak(own), number(&answer, &["stats", "program_peak_bytes"]));
    // What was partitioned without a target, and would have memory to spare, is planned as it is.
    let embedded = file("embedded.mlir", "").display().to_string();
    let typed = ["partition", &path.display().to_string(), "--style", "embedded", "-o", &embedded];
    assert!(meshwright(&typed).status.success());
    let as_written = planned(Path::new(&embedded), &target);
    assert!(as_written["spared"].is_null(), "{:#}", as_written["spared"]);
}

#[test]
fn what_cannot_be_planned_is_refused_with_a_way_out() {
    let path = file("bad.mlir", &layers("")).display().to_string();
    let said = |more: &[&str]| refused(&[&["plan", &path], more].concat());
    assert!(said(&["--target", "tpu-v33"]).contains("did you mean `tpu-v3`?"));
    assert!(said(&["--target", "tpu-v3:2x2"]).contains("tpu-v3:4x4"));
    assert!(said(&["--target", "tpu-v3:3x6"]).contains("does not lie on the network"));
    assert!(said(&["--target", "tpu-v3:4x4", "--mesh", "z=4"]).contains("its axes are x, y"));
    assert!(said(&["--target", "tpu-v3:4x4", "--batch", "4"]).contains("no configuration"));
    assert!(said(&["--target", "tpu-v3:4x4", "--memory-limit", "1k"]).contains("no change tried fits"));
    assert!(said(&["--target", "no/machine.json"]).contains("no/machine.json"));
    let unknown = refused(&["plan", "preset:switch-d", "--target", "tpu-v3"]);
    assert!(unknown.contains("switch-c"), "{unknown}");
}

/// What is said, and the exit code.
fn ended(args: &[&str]) -> (String, Option<i32>) {
    let output = meshwright(args);
    (String::from_utf8_lossy(&output.stdout).to_string(), output.status.code())
}

#[test]
fn what_fits_ends_with_0_and_what_does_not_with_1() {
    let path = file("exits.mlir", &layers("")).display().to_string();
    let network = r#""network": [ { "kind": "switch", "size": 32 } ]"#;
    let small = file("small.json", &format!(r#"{{ "name": "small", "capacity": 1000, {network} }}"#));
    let (said, code) = ended(&["plan", &path, "--target", "tpu-v3:4x4"]);
    assert!(code == Some(0) && said.contains("fits in "), "{code:?} {said}");
    // Of the machine's own memory, and of a limit, with ways that fit and with none.
    let small = small.display().to_string();
    let (said, code) = ended(&["plan", &path, "--target", &small]);
    assert!(code == Some(1) && said.contains("does not fit in 1.00 kB"), "{code:?} {said}");
    let peak = number(&planned(Path::new(&path), &["--target", "tpu-v3:4x4"]), &["memory", "peak"]);
    let limit = (peak as i64 - 1).to_string();
    let limited = ["plan", &path, "--target", "tpu-v3:4x4", "--memory-limit"];
    let (said, code) = ended(&[&limited[..], &[&limit]].concat());
    assert!(code == Some(1) && said.contains("changes that fit"), "{code:?} {said}");
    assert_eq!(ended(&[&limited[..], &["1k"]].concat()).1, Some(1));
    // A table says it in a column.
    assert_eq!(ended(&["plan", &path, "--target", &small, "--sweep"]).1, Some(0));
}

#[test]
fn what_has_no_price_is_said() {
    let text = "func.func public @main(%a: tensor<16xf32>) -> tensor<16xf32> {\n  \
        %x = stablehlo.custom_call @mystery(%a) : (tensor<16xf32>) -> tensor<16xf32>\n  return %x : tensor<16xf32>\n}\n";
    let plan = planned(&file("unknown.mlir", text), &["--target", "h100:1"]);
    assert!(plan["unknown"][0].as_str().is_some_and(|what| what.contains("mystery")), "{plan:#}");
}

/// What `bench machine` writes, with numbers that can be added up by hand.
const MACHINE: &str = r#"{
  "name": "this", "capacity": 1000000000, "workers": 1, "overlap": "nothing",
  "network": [ { "kind": "threads", "size": 64 } ],
  "coefficients": {
    "products": { "value": 1e9, "within": 0.1, "source": "chosen" },
    "memory": { "value": 1e9, "within": 0.1, "source": "chosen" },
    "elements": { "value": 1e12, "within": 0.1, "source": "chosen" },
    "launch": { "value": 0, "within": 0, "source": "chosen" }
  }
}"#;

#[test]
fn on_this_machine_a_plan_is_the_engines_own() {
    let machine = file("machine.json", MACHINE);
    let module = file(
        "here.mlir",
        "func.func public @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {\n  \
           %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<256x256xf32>) -> tensor<256x256xf32>\n  \
           %s = stablehlo.add %t, %b : tensor<256x256xf32>\n  return %s : tensor<256x256xf32>\n}\n",
    );
    let plan = planned(&module, &["--target", &machine.display().to_string()]);
    let path = module.display().to_string();
    let ran = meshwright(&["bench", "step", &path, "--threads", "1", "--repeat", "1", "--json"]);
    let ran: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    assert_eq!(number(&plan, &["memory", "peak"]), number(&ran, &["peak_measured_bytes"]));
    // At least two arrays are read and one is written, at a byte a nanosecond; nothing is a product.
    let seconds = number(&plan, &["step_s", "value"]);
    assert!((0.75e-3..2.0e-3).contains(&seconds), "{seconds}");
}
