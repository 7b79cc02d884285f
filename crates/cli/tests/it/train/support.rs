//! Running the binary in a directory of its own, and reading what it wrote.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const CONFIG: &str = include_str!("../../../../train/tests/small.toml");

/// The binary of the crate that includes this file: `meshwright-lab` runs all commands of `meshwright`.
const BINARY: &str =
    match (option_env!("CARGO_BIN_EXE_meshwright"), option_env!("CARGO_BIN_EXE_meshwright-lab")) {
        (Some(binary), _) | (None, Some(binary)) => binary,
        (None, None) => panic!("this file belongs to the tests of a binary"),
    };

/// A directory that is not there yet, with the configuration in it.
pub fn place(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("meshwright-cli-train-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("small.toml"), CONFIG).unwrap();
    root
}

pub fn command(place: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).current_dir(place).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn meshwright(place: &Path, args: &[&str]) -> Output {
    command(place, args).output().unwrap()
}

/// What it said, which must have gone well.
pub fn good(place: &Path, args: &[&str]) -> String {
    let output = meshwright(place, args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The object that `--json` printed.
pub fn json(place: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&good(place, &[args, &["--json"]].concat())).unwrap()
}

/// What it was refused with: exit code and text, which has a way out.
pub fn refused(place: &Path, args: &[&str]) -> (i32, String) {
    let output = meshwright(place, args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or(-1);
    assert!(code > 0 && code < 70 && said.contains("error[E") && said.contains("= help: "), "{code}: {said}");
    (code, said)
}

/// Step and loss of each line of a run's metrics, as they were written.
pub fn losses(run: &Path) -> Vec<(u64, String)> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default();
    let row = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["step"].as_u64().unwrap(), line["loss"].to_string())
    };
    text.lines().map(row).collect()
}
