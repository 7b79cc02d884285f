//! What waits in the runtime, in many orders of steps: `cargo xtask shuttle [SCHEDULES]`.
//!
//! Locks and atomics are those of the crate `shuttle` then; everything is built into a folder of its own.

use std::path::Path;
use std::process::Command;

pub fn shuttle(root: &Path, args: &[String]) -> bool {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(["test", "--package", "meshwright-runtime", "--test", "orders", "--target-dir"]);
    command.arg(root.join("target/shuttle")).current_dir(root).env("RUSTFLAGS", "--cfg shuttle");
    if let Some(schedules) = args.first() {
        command.env("SCHEDULES", schedules);
    }
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("# cannot start cargo: {error}");
            false
        }
    }
}
