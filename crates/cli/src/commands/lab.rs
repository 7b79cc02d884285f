//! Developer commands: another binary runs them, so that a first build of `meshwright` does not compile them.

use crate::failure::{Failure, Fault};
use crate::report::Report;
use meshwright_base::{Code, Diagnostic};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const MISSING: Code = Code(743);
const BINARY: &str = "meshwright-lab";

/// Replaces this process by `meshwright-lab` with the same arguments.
pub fn run_in_lab() -> Result<Report, Failure> {
    let Some(binary) = find_binary() else {
        let message =
            format!("this command needs `{BINARY}`, which is neither beside `meshwright` nor on PATH");
        let help = "in a checkout, build it with `cargo build --release -p meshwright-lab`";
        return Err(Failure::new(Fault::Environment, Diagnostic::error(MISSING, message).help(help)));
    };
    replace_process(Command::new(&binary).args(env::args_os().skip(1)), &binary)
}

fn find_binary() -> Option<PathBuf> {
    let name = format!("{BINARY}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|own| Some(own.parent()?.to_path_buf()));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = beside.into_iter().chain(env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(&name)).filter(|path| path.is_file()))
}

#[cfg(unix)]
fn replace_process(command: &mut Command, binary: &Path) -> Result<Report, Failure> {
    use std::os::unix::process::CommandExt;
    Err(cannot_start(binary, &command.exec()))
}

#[cfg(not(unix))]
fn replace_process(command: &mut Command, binary: &Path) -> Result<Report, Failure> {
    let status = command.status().map_err(|error| cannot_start(binary, &error))?;
    std::process::exit(status.code().unwrap_or(70))
}

fn cannot_start(binary: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot start `{}`: {error}", binary.display());
    let help = "build it again with `cargo build --release -p meshwright-lab`";
    Failure::new(Fault::Environment, Diagnostic::error(MISSING, message).help(help))
}
