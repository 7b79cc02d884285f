//! Inputs whose numbers ask for more than the host has, run by the binary: each is refused with exit code 3 before it
//! takes anything, and says what was too large.

use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code and what was said, with so many bytes at most.
fn run(args: &[&str], module: &str, limit: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshwright"))
        .args(args)
        .args(["--host-memory-limit", limit])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A process that has ended reads no more.
    let _ = child.stdin.take().unwrap().write_all(module.as_bytes());
    let output = child.wait_with_output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
    )
}

#[track_caller]
fn refused(args: &[&str], module: &str, limit: &str, words: &str) {
    let (code, said) = run(args, module, limit);
    assert_eq!(code, Some(3), "{args:?}: {said}");
    assert!(said.contains(words), "{args:?}: {said}");
}

/// Functions that each call the next one twice.
fn doubling(links: usize) -> String {
    let call = |result: &str, callee: usize, on: &str| {
        format!("  {result} = func.call @f{callee}({on}) : (tensor<4xf32>) -> tensor<4xf32>\n")
    };
    let func = |head: String, body: String, result: &str| {
        format!(
            "func.func {head}(%a: tensor<4xf32>) -> tensor<4xf32> {{\n{body}  return {result} : tensor<4xf32>\n}}\n"
        )
    };
    let link = |at: usize| {
        func(format!("private @f{at}"), call("%0", at + 1, "%a") + &call("%1", at + 1, "%0"), "%1")
    };
    func("public @main".into(), call("%0", 0, "%a"), "%0")
        + &(0..links).map(link).collect::<String>()
        + &func(format!("private @f{links}"), "  %0 = stablehlo.sine %a : tensor<4xf32>\n".into(), "%0")
}

#[test]
fn calls_that_unfold_beyond_the_host_are_refused_before() {
    let module = doubling(60);
    let plan = ["plan", "--target", "h100:1x1"];
    for command in
        [&["complete"][..], &["explain"], &["partition"], &["verify"], &["bench", "compile"], &plan]
    {
        refused(
            &[command, &["-"]].concat(),
            &module,
            "4G",
            "with its calls written out, 3458764513820540927 ops",
        );
    }
    for backend in ["interp", "cpu"] {
        refused(&["run", "--backend", backend, "-"], &module, "4G", "with its calls written out");
    }
    refused(
        &["bench", "step", "-"],
        &doubling(70),
        "4G",
        "with its calls written out, 18446744073709551615 ops",
    );
    assert_eq!(run(&["complete", "-"], &doubling(3), "4G").0, Some(0));
}

#[test]
fn devices_beyond_the_host_are_refused_before() {
    let module =
        "HloModule m, num_partitions=2147483647\n\nENTRY main {\n  ROOT a = u32[] partition-id()\n}\n";
    refused(&["bench", "step", "-"], module, "4G", "2147483647 devices in one process");
    refused(&["run", "--backend", "cpu", "-"], module, "4G", "results take 17179869176 bytes");
    let module = "func.func public @main(%a: tensor<8xf32> {mhlo.sharding = \"{replicated}\"}) -> tensor<8xf32> {\n  \
                  %0 = stablehlo.sine %a : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
    for devices in ["100000000", "4294967295"] {
        refused(
            &["verify", "-", "--devices", devices],
            module,
            "20G",
            &format!("{devices} simulated devices"),
        );
    }
}

#[test]
fn a_tensor_beyond_the_host_is_refused_before() {
    let module = "func.func public @main() -> tensor<1000000x1000000xf32> {\n  \
                  %c = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>\n  \
                  return %c : tensor<1000000x1000000xf32>\n}\n";
    for command in [&["run"][..], &["run", "--backend", "cpu"], &["bench", "step"]] {
        let (code, said) = run(&[command, &["-"]].concat(), module, "4G");
        assert!(matches!(code, Some(1 | 3)) && said.contains("000000000000"), "{command:?} {code:?}: {said}");
    }
    refused(&["bench", "step", "-"], module, "4G", "4000000000000 bytes");
}

#[test]
fn an_allocation_that_nothing_foresaw_is_told_to_people_and_to_programs() {
    let module = doubling(300);
    refused(&["check", "-"], &module, "1k", "an allocation of ");
    let (code, said) = run(&["check", "-", "--json"], &module, "1k");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("{\"ok\": false, \"exit_code\": 3, "), "{said}");
}

#[test]
fn a_limit_changes_no_program() {
    let module = doubling(5);
    let free = run(&["partition", "-"], &module, "1T");
    assert_eq!(free.0, Some(0));
    assert_eq!(run(&["partition", "-"], &module, "600M"), free);
}

#[test]
fn a_model_beyond_the_host_is_refused_before_its_program_is_made() {
    let out = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("large_model");
    let out = out.display().to_string();
    let sets = ["model.layers=4096", "model.d_model=1048576"];
    refused(
        &["train", "switch-tiny", "--out", &out, "--set", sets[0], "--set", sets[1]],
        "",
        "4G",
        "the model's ",
    );
}

/// Returns the peak memory of a command in kB, and its exit code. The peak is read while the command runs: the usage
/// of an ended child starts with that of its parent.
#[cfg(target_os = "linux")]
fn peak(args: &[&str], module: &str, limit: &str) -> (u64, Option<i32>, String) {
    let path =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("peak-{}.mlir", module.len()));
    std::fs::write(&path, module).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    command.args(args).arg(&path).args(["--host-memory-limit", limit]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(now.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    (most, output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Functions that each call the next one: walks over them recurse.
#[cfg(target_os = "linux")]
fn calls(links: usize) -> String {
    let ty = "tensor<f32>";
    let link = |at: usize, name: String| {
        format!(
            "func.func {name}(%a: {ty}) -> {ty} {{\n %0 = call @f{at}(%a) : ({ty}) -> {ty}\n return %0 : {ty}\n}}\n"
        )
    };
    let links_text: String = (0..links).map(|at| link(at + 1, format!("private @f{at}"))).collect();
    let end = format!("func.func private @f{links}(%a: {ty}) -> {ty} {{\n return %a : {ty}\n}}\n");
    link(0, "public @main".into()) + &links_text + &end
}

/// Heap, stacks and the program itself count: the process never takes more than it may.
#[cfg(target_os = "linux")]
#[test]
fn the_whole_process_stays_within_the_limit() {
    let chain: String = (0..150_000)
        .fold("  %0 = stablehlo.sine %a : tensor<4xf32>\n".to_string(), |text, at| {
            text + &format!("  %{} = stablehlo.sine %{at} : tensor<4xf32>\n", at + 1)
        });
    let chain = format!(
        "func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {{\n{chain}  return %150000 : tensor<4xf32>\n}}\n"
    );
    for (args, module) in [
        (&["complete"][..], &chain),
        (&["partition"], &chain),
        (&["print", "--format", "hlo"], &calls(45_000)),
        (&["complete"], &calls(45_000)),
    ] {
        for (limit, most) in [("100M", 100 << 10), ("200M", 200 << 10)] {
            let (peak, code, said) = peak(args, module, limit);
            assert!(matches!(code, Some(0 | 3)), "{args:?} {limit}: {code:?}: {said}");
            assert!(peak <= most, "{args:?} within {limit}: {peak} kB of {most}");
        }
    }
}

/// The allocator's reservation leaves room for the stack of the working thread, whatever the limit is.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space_is_enough_whatever_the_limit() {
    let binary = env!("CARGO_BIN_EXE_meshwright");
    let module = "func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }";
    for limit in [900_000, 1_200_000, 1_500_000, 1_700_000, 2_500_000] {
        let line = format!("ulimit -v {limit}; echo '{module}' | {binary} check - --host-memory-limit 1G");
        let output = Command::new("bash").args(["-c", &line]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{limit}: {said}");
    }
}

/// No thread is to be had where the address space has no room for its stack.
#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_cannot_be_started_is_the_environments_fault() {
    let binary = env!("CARGO_BIN_EXE_meshwright");
    let line = format!("ulimit -v 400000; exec {binary} check /dev/null --host-memory-limit 1G");
    let output = Command::new("bash").args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("starts no thread"), "{said}");
}
