//! The devices of a plugin, from the command line: what runs there is what runs here, and of what fails there it is
//! told what was tried, what the plugin said and what to do, with exit code 3.
//!
//! The plugin is one for tests, over the interpreter (`crates/pjrt-plugin`): it shows that plugins are called as they
//! must be, and nothing of any accelerator.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plugin's library: cargo makes it for this test, in the same folder.
fn library() -> String {
    let name = format!("{DLL_PREFIX}meshwright_pjrt_plugin{DLL_SUFFIX}");
    let found = std::env::current_exe().unwrap().with_file_name(name);
    assert!(found.is_file(), "{} is not there", found.display());
    found.display().to_string()
}

/// Two products on 4 by 2 devices.
fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/ten-lines.mlir")
}

struct Ended {
    code: i32,
    out: String,
    err: String,
}

/// A command on the example, with the test plugin, options for it and variables of the environment.
fn on_plugin(command: &[&str], options: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut started = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    started.args(command).arg("--plugin").arg(library());
    started.args(options.iter().flat_map(|option| ["--plugin-option", option]));
    let output = started.envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn run(options: &[&str], variables: &[(&str, &str)]) -> Ended {
    let program = program();
    on_plugin(&["run", program.to_str().unwrap(), "--backend", "pjrt"], options, variables)
}

#[test]
fn a_program_gives_on_a_plugin_what_it_gives_here() {
    let folder = std::env::temp_dir().join(format!("meshwright-plugin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (program, results) = (program(), folder.join("results.npz"));
    let (program, results) = (program.to_str().unwrap(), results.to_str().unwrap());
    let here =
        Command::new(env!("CARGO_BIN_EXE_meshwright")).args(["run", program, "--outputs", results]).output();
    assert!(here.unwrap().status.success());
    let there =
        on_plugin(&["run", program, "--backend", "pjrt", "--expect", results], &["transfer_ms=5"], &[]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(there.code, 0, "{}{}", there.out, there.err);
}

#[test]
fn what_fails_on_the_way_is_told_and_is_3() {
    let version = "MESHWRIGHT_PLUGIN_API";
    let functions = "MESHWRIGHT_PLUGIN_FUNCTIONS";
    let cases = [
        (run(&[], &[(version, "1.3")]), "E0732", "speaks version 1.3 of PJRT; 0.30 to 0.117 are known"),
        (run(&[], &[(version, "0.9")]), "E0732", "speaks version 0.9 of PJRT; 0.30 to 0.117 are known"),
        (
            run(&[], &[(version, "0.40"), (functions, "3")]),
            "E0732",
            "of PJRT 0.40, does not have `PJRT_Plugin_Initialize`",
        ),
        (
            run(&[], &[(version, "0.130"), ("MESHWRIGHT_PLUGIN_STRICT", "1")]),
            "E0732",
            "of PJRT 0.130, says: Unexpected PJRT_Client_Create_Args size: expected 96, got 88",
        ),
        (run(&["device=8"], &[]), "E0734", "there is no option `device`"),
        (run(&["fail_compile=out of ideas"], &[]), "E0720", "INTERNAL: out of ideas"),
        (run(&["fail_execute_after=0"], &[]), "E0720", "device 7 failed in run 0"),
        (run(&["memory_bytes=1000"], &[]), "E0720", "which has 1000"),
        (
            run(&["memory_bytes=1000"], &[]),
            "E0720",
            "parameter 1, f32[32,64], takes 8192 bytes of each device",
        ),
    ];
    for (ended, code, part) in cases {
        assert!(ended.err.contains(code) && ended.err.contains(part), "{code} {part}: {}", ended.err);
        assert!(ended.code == 3 && ended.err.contains("= help: "), "{}: {}", ended.code, ended.err);
    }
}

#[test]
#[cfg(unix)]
fn a_plugin_that_ends_the_process_is_told_behind_its_own_words() {
    let ended = run(&["abort_compile=true"], &[]);
    let (its, ours) = ended.err.split_once("error[E0742]: ").unwrap_or_else(|| panic!("{}", ended.err));
    assert!(its.contains("the compiler gives up"), "{its}");
    assert!(ours.starts_with("the plugin ended the process within `PJRT_Client_Compile`\n"), "{ours}");
    assert!(ours.contains("= help: "), "{ours}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_that_is_no_plugin_is_told_apart() {
    let mapped = std::fs::read_to_string("/proc/self/maps").unwrap();
    let paths = mapped.lines().filter_map(|line| line.split_whitespace().nth(5));
    let library = paths.into_iter().find(|path| path.contains("/libc")).unwrap();
    let program = program();
    let typed = ["run", program.to_str().unwrap(), "--backend", "pjrt", "--plugin", library];
    let output = Command::new(env!("CARGO_BIN_EXE_meshwright")).args(typed).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("E0731") && err.contains("does not export `GetPjrtApi`"), "{err}");
    assert!(output.status.code() == Some(3) && err.contains("= help: "), "{err}");
}

#[test]
fn fewer_devices_than_the_program_has_is_told_with_both_numbers() {
    let ended = run(&["devices=4"], &[]);
    assert!(ended.err.contains("the program has 8 devices, the plugin 4"), "{}", ended.err);
    assert!(ended.code != 0 && ended.err.contains("= help: "), "{}", ended.err);
}

#[test]
fn what_is_compiled_for_the_plugins_devices_shows_its_memory_and_collectives() {
    let program = program();
    let command = ["compile", program.to_str().unwrap()];
    let ended = on_plugin(&command, &[], &[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("meshwright_interpreter"), "{}", ended.out);
    let refused = on_plugin(&command, &["memory_bytes=1000"], &[]);
    // It is the program that is at fault, not the plugin.
    assert!(refused.code == 1 && refused.err.contains("E0736"), "{}", refused.err);
}

#[test]
fn doctor_says_that_it_is_a_plugin_for_tests() {
    let ended = on_plugin(&["doctor"], &[], &[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("8 x simulated device of a test plugin"), "{}", ended.out);
}
