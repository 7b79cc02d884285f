//! Developer commands run in `meshwright-lab`.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory that holds the binary alone.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lab-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_meshwright"), folder.join("meshwright")).unwrap();
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(folder.join("meshwright")).args(args).env("PATH", "").output().unwrap()
}

#[test]
fn without_the_lab_its_commands_say_how_to_build_it() {
    let folder = place("missing");
    for args in [&["campaign"][..], &["reproduce", "--list"], &["data", "m4", "--languages", "de"]] {
        let output = run(&folder, args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("error[E0743]: this command needs `meshwright-lab`"), "{text}");
        assert!(text.contains("`cargo build --release -p meshwright-lab`"), "{text}");
    }
}

#[test]
fn the_lab_receives_all_arguments_and_its_exit_code_is_ours() {
    let folder = place("there");
    let lab = folder.join("meshwright-lab");
    fs::write(&lab, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&lab, fs::Permissions::from_mode(0o755)).unwrap();
    let output = run(&folder, &["--json", "reproduce", "a b", "--seeds", "2"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "--json|reproduce|a b|--seeds|2|");
    assert_eq!(output.status.code(), Some(7));
    // Wrong arguments are refused before another process starts.
    assert_eq!(run(&folder, &["reproduce", "--seeds", "0"]).status.code(), Some(2));
    fs::set_permissions(&lab, fs::Permissions::from_mode(0o644)).unwrap();
    let output = run(&folder, &["campaign"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(3) && text.contains("cannot start `"), "{text}");
}
