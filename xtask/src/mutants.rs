//! Damaged files for the binary: `cargo xtask mutants SEED COUNT|FROM..TO [BINARY]`.
//!
//! The mutants are made by `crates/attack`, which knows the formats. Without a binary, that of the development profile
//! is built, with `meshwright-lab` beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

pub fn mutants(root: &Path, args: &[String]) -> bool {
    let ([seed, which] | [seed, which, _]) = args else {
        eprintln!("# name a seed and a count: `cargo xtask mutants 1 500`");
        return false;
    };
    let built = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("debug");
    let binary = args.get(2).map_or(built.join("meshwright"), PathBuf::from);
    let mut packages = vec!["meshwright-attack"];
    if args.len() == 2 {
        packages.extend(["meshwright-cli", "meshwright-lab"]);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = packages.iter().flat_map(|package| ["--package", package]);
    let is_built = Command::new(cargo).args(["build", "--bins"]).args(build).current_dir(root).status();
    if !is_built.is_ok_and(|status| status.success()) {
        return false;
    }
    let run =
        Command::new(built.join("meshwright-mutants")).arg(root).args([seed, which]).arg(binary).status();
    match run {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("# mutants: {error}");
            false
        }
    }
}
