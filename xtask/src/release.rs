//! A release archive: `cargo xtask release [TARGET]`, for this machine or for a target that rustup has.
//!
//! ```text
//! target/archives/meshwright-0.1.0-x86_64-unknown-linux-gnu.tar.gz    meshwright, README.md, both licences
//! target/archives/meshwright-0.1.0-x86_64-unknown-linux-gnu.tar.gz.sha256
//! ```
//!
//! The archive is unpacked into an empty directory and its binary tried there with an empty environment: it must say
//! its version, and partition, verify and run a module. That of another CPU is tried by the runner that cargo would use
//! for tests of that target (`CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L .."`); without one only
//! the unpacking is.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGES: &[&str] = &["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

const MODULE: &str = "module @double {
  sdy.mesh @m = <[\"x\"=2]>
  func.func public @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
";

pub fn release(root: &Path, args: &[String]) -> bool {
    match archived(root, args.first()) {
        Ok(archive) => {
            eprintln!("# {}", archive.display());
            true
        }
        Err(error) => {
            eprintln!("# release: {error}");
            false
        }
    }
}

fn archived(root: &Path, target: Option<&String>) -> io::Result<PathBuf> {
    let host = host()?;
    let target = target.unwrap_or(&host);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.current_dir(root).args(["build", "--profile", "dist", "-p", "meshwright-cli"]);
    // Archives are built with link-time optimization: fewer instructions, for a longer build.
    let (mut built, is_own) = (target_folder(root), *target == host);
    if !is_own {
        build.args(["--target", target]);
        built.push(target);
    }
    run(&mut build)?;
    built.push("dist/meshwright");
    let name = format!("meshwright-{}-{target}", env!("CARGO_PKG_VERSION"));
    let archives = root.join("target/archives");
    let folder = archives.join(&name);
    remade(&folder)?;
    fs::copy(built, folder.join("meshwright"))?;
    for page in PAGES {
        fs::copy(root.join(page), folder.join(page))?;
    }
    let file = format!("{name}.tar.gz");
    run(Command::new("tar").current_dir(&archives).args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "-czf",
        &file,
        &name,
    ]))?;
    let sum = output(Command::new("sha256sum").current_dir(&archives).arg(&file))?;
    fs::write(archives.join(format!("{file}.sha256")), sum)?;
    fs::remove_dir_all(&folder)?;
    let runner = if is_own { Some(Vec::new()) } else { runner(target) };
    if runner.is_none() {
        eprintln!("# nothing here runs {target}: the binary is not tried");
    }
    let size = tried(&archives, &file, &name, runner.as_deref())?;
    eprintln!(
        "# the binary has {:.1} MB, the archive {:.1} MB",
        mega(size),
        mega(fs::metadata(archives.join(&file))?.len())
    );
    Ok(archives.join(file))
}

/// The words before a program of that target that let it run here, as cargo is told them.
fn runner(target: &str) -> Option<Vec<String>> {
    let variable = format!("CARGO_TARGET_{}_RUNNER", target.to_uppercase().replace('-', "_"));
    let words = std::env::var(variable).ok()?;
    Some(words.split_whitespace().map(str::to_string).collect())
}

/// Unpacks the archive where nothing else is, and asks its binary something, by a runner. Returns the binary's size.
fn tried(archives: &Path, file: &str, name: &str, runner: Option<&[String]>) -> io::Result<u64> {
    let empty = archives.join("tried");
    remade(&empty)?;
    run(Command::new("tar").current_dir(&empty).arg("-xzf").arg(archives.join(file)))?;
    let binary = empty.join(name).join("meshwright");
    if let Some(runner) = runner {
        fs::write(empty.join("double.mlir"), MODULE)?;
        let here = |args: &[&str]| {
            let mut words = runner.iter().map(OsStr::new).chain([binary.as_os_str()]);
            let mut command = Command::new(words.next().unwrap_or_default());
            output(command.args(words).args(args).current_dir(&empty).env_clear())
        };
        let version = here(&["--version"])?;
        if version.trim() != concat!("meshwright ", env!("CARGO_PKG_VERSION")) {
            return Err(io::Error::other(format!("the binary says `{}`", version.trim())));
        }
        here(&["verify", "double.mlir"])?;
        here(&["run", "double.mlir", "--backend", "cpu"])?;
    }
    let size = fs::metadata(&binary)?.len();
    fs::remove_dir_all(&empty)?;
    Ok(size)
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn remade(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::create_dir_all(folder)
}

fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}

fn host() -> io::Result<String> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_string).ok_or_else(|| io::Error::other("rustc does not say what it is for"))
}

fn run(command: &mut Command) -> io::Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{command:?} ended with {status}"))) }
}

fn output(command: &mut Command) -> io::Result<String> {
    let made = command.output()?;
    if !made.status.success() {
        let said = String::from_utf8_lossy(&made.stderr).into_owned();
        return Err(io::Error::other(format!("{command:?} ended with {}: {said}", made.status)));
    }
    Ok(String::from_utf8_lossy(&made.stdout).into_owned())
}
